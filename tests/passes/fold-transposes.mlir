// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: fold-transposes
// Operands: batching and contracting dimensions are listed, a single free one has no
// order. Two free ones in another order would transpose the result.
func.func @main(%q: tensor<2x3x4x5xf32>, %k: tensor<2x3x4x5xf32>, %x: tensor<3x4x5xf32>, %w: tensor<6x5xf32>) -> (tensor<2x4x3x3xf32>, tensor<4x3x6xf32>) {
  %0 = stablehlo.transpose %q, dims = [0, 2, 1, 3] : (tensor<2x3x4x5xf32>) -> tensor<2x4x3x5xf32>
  %1 = stablehlo.transpose %k, dims = [0, 2, 3, 1] : (tensor<2x3x4x5xf32>) -> tensor<2x4x5x3xf32>
  %2 = stablehlo.dot_general %0, %1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x4x3x5xf32>, tensor<2x4x5x3xf32>) -> tensor<2x4x3x3xf32>
  %3 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<3x4x5xf32>) -> tensor<4x3x5xf32>
  %4 = stablehlo.transpose %w, dims = [1, 0] : (tensor<6x5xf32>) -> tensor<5x6xf32>
  %5 = stablehlo.dot_general %3, %4, contracting_dims = [2] x [0] : (tensor<4x3x5xf32>, tensor<5x6xf32>) -> tensor<4x3x6xf32>
  return %2, %5 : tensor<2x4x3x3xf32>, tensor<4x3x6xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3x4x5xf32>, %arg1: tensor<2x3x4x5xf32>, %arg2: tensor<3x4x5xf32>, %arg3: tensor<6x5xf32>) -> (tensor<2x4x3x3xf32>, tensor<4x3x6xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x4x3x3xf32>
    %1 = stablehlo.transpose %arg2, dims = [1, 0, 2] : (tensor<3x4x5xf32>) -> tensor<4x3x5xf32>
    %2 = stablehlo.dot_general %1, %arg3, contracting_dims = [2] x [1] : (tensor<4x3x5xf32>, tensor<6x5xf32>) -> tensor<4x3x6xf32>
    return %0, %2 : tensor<2x4x3x3xf32>, tensor<4x3x6xf32>
  }
}
// -----
// PASS: fold-transposes
// Results: the sides change places, precisions with them; batches come in any order.
func.func @main(%x: tensor<3x5xf32>, %y: tensor<5x4xf32>, %a: tensor<2x6x3x5xf32>, %b: tensor<2x6x5x4xf32>) -> (tensor<4x3xf32>, tensor<6x2x4x3xf32>, tensor<2x3x6x4xf32>, tensor<3x4xf32>, tensor<4x3xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %2 = stablehlo.dot_general %a, %b, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x6x3x5xf32>, tensor<2x6x5x4xf32>) -> tensor<2x6x3x4xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0, 3, 2] : (tensor<2x6x3x4xf32>) -> tensor<6x2x4x3xf32>
  %4 = stablehlo.dot_general %a, %b, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x6x3x5xf32>, tensor<2x6x5x4xf32>) -> tensor<2x6x3x4xf32>
  %5 = stablehlo.transpose %4, dims = [0, 2, 1, 3] : (tensor<2x6x3x4xf32>) -> tensor<2x3x6x4xf32>
  %6 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xf32>
  %7 = stablehlo.transpose %6, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return %1, %3, %5, %6, %7 : tensor<4x3xf32>, tensor<6x2x4x3xf32>, tensor<2x3x6x4xf32>, tensor<3x4xf32>, tensor<4x3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x5xf32>, %arg1: tensor<5x4xf32>, %arg2: tensor<2x6x3x5xf32>, %arg3: tensor<2x6x5x4xf32>) -> (tensor<4x3xf32>, tensor<6x2x4x3xf32>, tensor<2x3x6x4xf32>, tensor<3x4xf32>, tensor<4x3xf32>) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [0] x [1], precision = [DEFAULT, HIGHEST] : (tensor<5x4xf32>, tensor<3x5xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.dot_general %arg3, %arg2, batching_dims = [1, 0] x [1, 0], contracting_dims = [2] x [3] : (tensor<2x6x5x4xf32>, tensor<2x6x3x5xf32>) -> tensor<6x2x4x3xf32>
    %2 = stablehlo.dot_general %arg2, %arg3, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x6x3x5xf32>, tensor<2x6x5x4xf32>) -> tensor<2x6x3x4xf32>
    %3 = stablehlo.transpose %2, dims = [0, 2, 1, 3] : (tensor<2x6x3x4xf32>) -> tensor<2x3x6x4xf32>
    %4 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    return %0, %1, %3, %4, %5 : tensor<4x3xf32>, tensor<6x2x4x3xf32>, tensor<2x3x6x4xf32>, tensor<3x4xf32>, tensor<4x3xf32>
  }
}
// -----
// PASS: fold-transposes
// An algorithm names what each side is made of.
func.func @main(%x: tensor<3x5xf32>, %y: tensor<5x4xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x5xf32>, %arg1: tensor<5x4xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [0] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<5x4xf32>, tensor<3x5xf32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
// -----
// PASS: fold-transposes
// Ones that a reshape adds are no dimensions of the product.
func.func @main(%x: tensor<3x5xf32>, %y: tensor<5x4xf32>, %u: tensor<5xf32>, %v: tensor<4xf32>) -> (tensor<1x3x4xf32>, tensor<5x4xf32>, tensor<3x1x4xf32>) {
  %0 = stablehlo.reshape %x : (tensor<3x5xf32>) -> tensor<1x3x5xf32>
  %1 = stablehlo.reshape %y : (tensor<5x4xf32>) -> tensor<1x5x4xf32>
  %2 = stablehlo.dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<1x3x5xf32>, tensor<1x5x4xf32>) -> tensor<1x3x4xf32>
  %3 = stablehlo.reshape %u : (tensor<5xf32>) -> tensor<5x1xf32>
  %4 = stablehlo.reshape %v : (tensor<4xf32>) -> tensor<1x4xf32>
  %5 = stablehlo.dot_general %3, %4, contracting_dims = [1] x [0] : (tensor<5x1xf32>, tensor<1x4xf32>) -> tensor<5x4xf32>
  %6 = stablehlo.reshape %x : (tensor<3x5xf32>) -> tensor<3x1x5xf32>
  %7 = stablehlo.dot_general %6, %y, contracting_dims = [2] x [0] : (tensor<3x1x5xf32>, tensor<5x4xf32>) -> tensor<3x1x4xf32>
  return %2, %5, %7 : tensor<1x3x4xf32>, tensor<5x4xf32>, tensor<3x1x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x5xf32>, %arg1: tensor<5x4xf32>, %arg2: tensor<5xf32>, %arg3: tensor<4xf32>) -> (tensor<1x3x4xf32>, tensor<5x4xf32>, tensor<3x1x4xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<3x4xf32>) -> tensor<3x1x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<3x1x4xf32>) -> tensor<1x3x4xf32>
    %3 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [] x [] : (tensor<5xf32>, tensor<4xf32>) -> tensor<5x4xf32>
    %4 = stablehlo.reshape %3 : (tensor<5x4xf32>) -> tensor<5x1x4xf32>
    %5 = stablehlo.reshape %4 : (tensor<5x1x4xf32>) -> tensor<5x4xf32>
    %6 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xf32>
    %7 = stablehlo.reshape %6 : (tensor<3x4xf32>) -> tensor<3x1x4xf32>
    return %2, %5, %7 : tensor<1x3x4xf32>, tensor<5x4xf32>, tensor<3x1x4xf32>
  }
}
// -----
// PASS: fold-transposes
// One matrix for every batch is one product, where the result has the batches first.
func.func @main(%x: tensor<2x3x5xf32>, %w: tensor<5x4xf32>, %v: tensor<5xf32>) -> (tensor<2x3x4xf32>, tensor<2x4x3xf32>, tensor<2x3xf32>) {
  %0 = stablehlo.broadcast_in_dim %w, dims = [1, 2] : (tensor<5x4xf32>) -> tensor<2x5x4xf32>
  %1 = stablehlo.dot_general %x, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x5xf32>, tensor<2x5x4xf32>) -> tensor<2x3x4xf32>
  %2 = stablehlo.dot_general %0, %x, batching_dims = [0] x [0], contracting_dims = [1] x [2] : (tensor<2x5x4xf32>, tensor<2x3x5xf32>) -> tensor<2x4x3xf32>
  %3 = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<5xf32>) -> tensor<2x5xf32>
  %4 = stablehlo.dot_general %3, %x, batching_dims = [0] x [0], contracting_dims = [1] x [2] : (tensor<2x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3xf32>
  return %1, %2, %4 : tensor<2x3x4xf32>, tensor<2x4x3xf32>, tensor<2x3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3x5xf32>, %arg1: tensor<5x4xf32>, %arg2: tensor<5xf32>) -> (tensor<2x3x4xf32>, tensor<2x4x3xf32>, tensor<2x3xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<5x4xf32>) -> tensor<2x5x4xf32>
    %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0] : (tensor<2x3x5xf32>, tensor<5x4xf32>) -> tensor<2x3x4xf32>
    %2 = stablehlo.dot_general %0, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [2] : (tensor<2x5x4xf32>, tensor<2x3x5xf32>) -> tensor<2x4x3xf32>
    %3 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [0] x [2] : (tensor<5xf32>, tensor<2x3x5xf32>) -> tensor<2x3xf32>
    return %1, %2, %3 : tensor<2x3x4xf32>, tensor<2x4x3xf32>, tensor<2x3xf32>
  }
}
// -----
// PASS: fold-transposes
// INPUTS: small
// SUMS free
// Convolutions say every order; a kernel reversed along its window is read backwards.
func.func @main(%x: tensor<2x3x6x7xf32>, %k: tensor<4x3x3x2xf32>) -> (tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>) {
  %0 = stablehlo.transpose %x, dims = [0, 2, 3, 1] : (tensor<2x3x6x7xf32>) -> tensor<2x6x7x3xf32>
  %1 = stablehlo.transpose %k, dims = [3, 2, 1, 0] : (tensor<4x3x3x2xf32>) -> tensor<2x3x3x4xf32>
  %2 = stablehlo.reverse %1, dims = [0, 1] : tensor<2x3x3x4xf32>
  %3 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x7x3xf32>, tensor<2x3x3x4xf32>) -> tensor<2x5x5x4xf32>
  %4 = stablehlo.transpose %3, dims = [0, 3, 1, 2] : (tensor<2x5x5x4xf32>) -> tensor<2x4x5x5xf32>
  %5 = stablehlo.convolution(%0, %2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x7x3xf32>, tensor<2x3x3x4xf32>) -> tensor<2x5x5x4xf32>
  %6 = stablehlo.transpose %5, dims = [0, 3, 1, 2] : (tensor<2x5x5x4xf32>) -> tensor<2x4x5x5xf32>
  return %4, %6 : tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3x6x7xf32>, %arg1: tensor<4x3x3x2xf32>) -> (tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 1, 0]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x6x7xf32>, tensor<4x3x3x2xf32>) -> tensor<2x4x5x5xf32>
    %1 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 1, 0]->[b, f, 0, 1], window = {reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x6x7xf32>, tensor<4x3x3x2xf32>) -> tensor<2x4x5x5xf32>
    return %0, %1 : tensor<2x4x5x5xf32>, tensor<2x4x5x5xf32>
  }
}
