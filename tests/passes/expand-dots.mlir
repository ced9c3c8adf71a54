// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: expand-dots
// A sum of two terms; the zero in front makes the sum of two terms of -0 a +0.
func.func @main(%a: tensor<3x2xf32>, %b: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x2xf32>, %arg1: tensor<2x4xf32>) -> tensor<3x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<3x4xf32>
    %0 = stablehlo.slice %arg0 [0:3, 0:1] : (tensor<3x2xf32>) -> tensor<3x1xf32>
    %1 = stablehlo.reshape %0 : (tensor<3x1xf32>) -> tensor<3xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
    %3 = stablehlo.slice %arg1 [0:1, 0:4] : (tensor<2x4xf32>) -> tensor<1x4xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x4xf32>) -> tensor<4xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
    %6 = stablehlo.multiply %2, %5 : tensor<3x4xf32>
    %7 = stablehlo.add %cst, %6 : tensor<3x4xf32>
    %8 = stablehlo.slice %arg0 [0:3, 1:2] : (tensor<3x2xf32>) -> tensor<3x1xf32>
    %9 = stablehlo.reshape %8 : (tensor<3x1xf32>) -> tensor<3xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
    %11 = stablehlo.slice %arg1 [1:2, 0:4] : (tensor<2x4xf32>) -> tensor<1x4xf32>
    %12 = stablehlo.reshape %11 : (tensor<1x4xf32>) -> tensor<4xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
    %14 = stablehlo.multiply %10, %13 : tensor<3x4xf32>
    %15 = stablehlo.add %7, %14 : tensor<3x4xf32>
    return %15 : tensor<3x4xf32>
  }
}
// -----
// PASS: expand-dots
// Dimensions of each kind lie in another order on each side; the terms come from two dimensions.
func.func @main(%a: tensor<2x5x3x1x2xi32>, %b: tensor<1x2x2x3x4xi32>) -> tensor<3x2x5x4xi32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [2, 0] x [3, 2], contracting_dims = [3, 4] x [0, 1] : (tensor<2x5x3x1x2xi32>, tensor<1x2x2x3x4xi32>) -> tensor<3x2x5x4xi32>
  return %0 : tensor<3x2x5x4xi32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x5x3x1x2xi32>, %arg1: tensor<1x2x2x3x4xi32>) -> tensor<3x2x5x4xi32> {
    %c = stablehlo.constant dense<0> : tensor<3x2x5x4xi32>
    %0 = stablehlo.slice %arg0 [0:2, 0:5, 0:3, 0:1, 0:1] : (tensor<2x5x3x1x2xi32>) -> tensor<2x5x3x1x1xi32>
    %1 = stablehlo.reshape %0 : (tensor<2x5x3x1x1xi32>) -> tensor<2x5x3xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1, 2, 0] : (tensor<2x5x3xi32>) -> tensor<3x2x5x4xi32>
    %3 = stablehlo.slice %arg1 [0:1, 0:1, 0:2, 0:3, 0:4] : (tensor<1x2x2x3x4xi32>) -> tensor<1x1x2x3x4xi32>
    %4 = stablehlo.reshape %3 : (tensor<1x1x2x3x4xi32>) -> tensor<2x3x4xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1, 0, 3] : (tensor<2x3x4xi32>) -> tensor<3x2x5x4xi32>
    %6 = stablehlo.multiply %2, %5 : tensor<3x2x5x4xi32>
    %7 = stablehlo.add %c, %6 : tensor<3x2x5x4xi32>
    %8 = stablehlo.slice %arg0 [0:2, 0:5, 0:3, 0:1, 1:2] : (tensor<2x5x3x1x2xi32>) -> tensor<2x5x3x1x1xi32>
    %9 = stablehlo.reshape %8 : (tensor<2x5x3x1x1xi32>) -> tensor<2x5x3xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [1, 2, 0] : (tensor<2x5x3xi32>) -> tensor<3x2x5x4xi32>
    %11 = stablehlo.slice %arg1 [0:1, 1:2, 0:2, 0:3, 0:4] : (tensor<1x2x2x3x4xi32>) -> tensor<1x1x2x3x4xi32>
    %12 = stablehlo.reshape %11 : (tensor<1x1x2x3x4xi32>) -> tensor<2x3x4xi32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [1, 0, 3] : (tensor<2x3x4xi32>) -> tensor<3x2x5x4xi32>
    %14 = stablehlo.multiply %10, %13 : tensor<3x2x5x4xi32>
    %15 = stablehlo.add %7, %14 : tensor<3x2x5x4xi32>
    return %15 : tensor<3x2x5x4xi32>
  }
}
// -----
// PASS: expand-dots
// Too many terms, narrow floats, complex numbers, a result of another type, an algorithm: these remain.
func.func @main(%a: tensor<3x5xf32>, %b: tensor<5x4xf32>, %c: tensor<3x2xbf16>, %d: tensor<2x4xbf16>, %e: tensor<3x2xcomplex<f32>>, %f: tensor<2x4xcomplex<f32>>, %g: tensor<3x2xf32>, %h: tensor<2x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xbf16>, tensor<3x4xcomplex<f32>>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<3x2xbf16>, tensor<2x4xbf16>) -> tensor<3x4xbf16>
  %2 = stablehlo.dot_general %e, %f, contracting_dims = [1] x [0] : (tensor<3x2xcomplex<f32>>, tensor<2x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
  %3 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<3x2xbf16>, tensor<2x4xbf16>) -> tensor<3x4xf32>
  %4 = stablehlo.dot_general %g, %h, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %0, %1, %2, %3, %4 : tensor<3x4xf32>, tensor<3x4xbf16>, tensor<3x4xcomplex<f32>>, tensor<3x4xf32>, tensor<3x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x5xf32>, %arg1: tensor<5x4xf32>, %arg2: tensor<3x2xbf16>, %arg3: tensor<2x4xbf16>, %arg4: tensor<3x2xcomplex<f32>>, %arg5: tensor<2x4xcomplex<f32>>, %arg6: tensor<3x2xf32>, %arg7: tensor<2x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xbf16>, tensor<3x4xcomplex<f32>>, tensor<3x4xf32>, tensor<3x4xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xf32>
    %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] : (tensor<3x2xbf16>, tensor<2x4xbf16>) -> tensor<3x4xbf16>
    %2 = stablehlo.dot_general %arg4, %arg5, contracting_dims = [1] x [0] : (tensor<3x2xcomplex<f32>>, tensor<2x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
    %3 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] : (tensor<3x2xbf16>, tensor<2x4xbf16>) -> tensor<3x4xf32>
    %4 = stablehlo.dot_general %arg6, %arg7, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
    return %0, %1, %2, %3, %4 : tensor<3x4xf32>, tensor<3x4xbf16>, tensor<3x4xcomplex<f32>>, tensor<3x4xf32>, tensor<3x4xf32>
  }
}
// -----
// PASS: expand-dots
// No terms: the result is zero. No elements, with sums of more terms than an integer can count: it is empty.
func.func @main(%a: tensor<3x0xf32>, %b: tensor<0x4xf32>, %c: tensor<0x2xf32>, %d: tensor<2x4xf32>, %e: tensor<0x4x4611686018427387904xf32>, %f: tensor<4x4611686018427387904x0xf32>) -> (tensor<3x4xf32>, tensor<0x4xf32>, tensor<0x0xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x0xf32>, tensor<0x4xf32>) -> tensor<3x4xf32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<0x2xf32>, tensor<2x4xf32>) -> tensor<0x4xf32>
  %2 = stablehlo.dot_general %e, %f, contracting_dims = [1, 2] x [0, 1] : (tensor<0x4x4611686018427387904xf32>, tensor<4x4611686018427387904x0xf32>) -> tensor<0x0xf32>
  return %0, %1, %2 : tensor<3x4xf32>, tensor<0x4xf32>, tensor<0x0xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x0xf32>, %arg1: tensor<0x4xf32>, %arg2: tensor<0x2xf32>, %arg3: tensor<2x4xf32>, %arg4: tensor<0x4x4611686018427387904xf32>, %arg5: tensor<4x4611686018427387904x0xf32>) -> (tensor<3x4xf32>, tensor<0x4xf32>, tensor<0x0xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<3x0xf32>, tensor<0x4xf32>) -> tensor<3x4xf32>
    %cst = stablehlo.constant dense<> : tensor<0x4xf32>
    %1 = stablehlo.slice %arg2 [0:0, 0:1] : (tensor<0x2xf32>) -> tensor<0x1xf32>
    %2 = stablehlo.reshape %1 : (tensor<0x1xf32>) -> tensor<0xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<0xf32>) -> tensor<0x4xf32>
    %4 = stablehlo.slice %arg3 [0:1, 0:4] : (tensor<2x4xf32>) -> tensor<1x4xf32>
    %5 = stablehlo.reshape %4 : (tensor<1x4xf32>) -> tensor<4xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<4xf32>) -> tensor<0x4xf32>
    %7 = stablehlo.multiply %3, %6 : tensor<0x4xf32>
    %8 = stablehlo.add %cst, %7 : tensor<0x4xf32>
    %9 = stablehlo.slice %arg2 [0:0, 1:2] : (tensor<0x2xf32>) -> tensor<0x1xf32>
    %10 = stablehlo.reshape %9 : (tensor<0x1xf32>) -> tensor<0xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<0xf32>) -> tensor<0x4xf32>
    %12 = stablehlo.slice %arg3 [1:2, 0:4] : (tensor<2x4xf32>) -> tensor<1x4xf32>
    %13 = stablehlo.reshape %12 : (tensor<1x4xf32>) -> tensor<4xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [1] : (tensor<4xf32>) -> tensor<0x4xf32>
    %15 = stablehlo.multiply %11, %14 : tensor<0x4xf32>
    %16 = stablehlo.add %8, %15 : tensor<0x4xf32>
    %17 = stablehlo.dot_general %arg4, %arg5, contracting_dims = [1, 2] x [0, 1] : (tensor<0x4x4611686018427387904xf32>, tensor<4x4611686018427387904x0xf32>) -> tensor<0x0xf32>
    return %0, %16, %17 : tensor<3x4xf32>, tensor<0x4xf32>, tensor<0x0xf32>
  }
}
