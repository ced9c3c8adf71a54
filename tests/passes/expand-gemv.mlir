// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: expand-gemv
// The vector is multiplied with groups that share a scale, before they are merged.
func.func @main(%x: tensor<1x128xf32>, %w: tensor<4x32x160xi4>, %s: tensor<4x1x160xf32>) -> tensor<1x160xf32> {
  %0 = stablehlo.convert %w : (tensor<4x32x160xi4>) -> tensor<4x32x160xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [0, 1, 2] : (tensor<4x1x160xf32>) -> tensor<4x32x160xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<4x32x160xf32>
  %3 = stablehlo.reshape %2 : (tensor<4x32x160xf32>) -> tensor<128x160xf32>
  %4 = stablehlo.dot_general %x, %3, contracting_dims = [1] x [0] : (tensor<1x128xf32>, tensor<128x160xf32>) -> tensor<1x160xf32>
  return %4 : tensor<1x160xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<1x128xf32>, %arg1: tensor<4x32x160xi4>, %arg2: tensor<4x1x160xf32>) -> tensor<1x160xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<4x32x160xi4>) -> tensor<4x32x160xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2] : (tensor<4x1x160xf32>) -> tensor<4x32x160xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<4x32x160xf32>
    %3 = stablehlo.reshape %arg0 : (tensor<1x128xf32>) -> tensor<4x32xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x160xf32>
    %5 = stablehlo.multiply %2, %4 : tensor<4x32x160xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x32x160xf32>, tensor<f32>) -> tensor<160xf32>
    %7 = stablehlo.reshape %6 : (tensor<160xf32>) -> tensor<1x160xf32>
    return %7 : tensor<1x160xf32>
  }
}
// -----
// PASS: expand-gemv
// SUMS free
// Long columns are summed in parts, which the computation of the matrix is cut into.
func.func @main(%w: tensor<512x48xi8>, %s: tensor<48xf32>, %z: tensor<512xf32>, %x: tensor<512xf32>) -> tensor<48xf32> {
  %0 = stablehlo.convert %w : (tensor<512x48xi8>) -> tensor<512x48xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<48xf32>) -> tensor<512x48xf32>
  %2 = stablehlo.broadcast_in_dim %z, dims = [0] : (tensor<512xf32>) -> tensor<512x48xf32>
  %3 = stablehlo.subtract %0, %2 : tensor<512x48xf32>
  %4 = stablehlo.multiply %3, %1 : tensor<512x48xf32>
  %5 = stablehlo.dot_general %x, %4, contracting_dims = [0] x [0] : (tensor<512xf32>, tensor<512x48xf32>) -> tensor<48xf32>
  return %5 : tensor<48xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<512x48xi8>, %arg1: tensor<48xf32>, %arg2: tensor<512xf32>, %arg3: tensor<512xf32>) -> tensor<48xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<512x48xi8>) -> tensor<4x128x48xi8>
    %1 = stablehlo.convert %0 : (tensor<4x128x48xi8>) -> tensor<4x128x48xf32>
    %2 = stablehlo.reshape %arg2 : (tensor<512xf32>) -> tensor<4x128xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<4x128xf32>) -> tensor<4x128x48xf32>
    %4 = stablehlo.subtract %1, %3 : tensor<4x128x48xf32>
    %5 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<48xf32>) -> tensor<4x128x48xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<4x128x48xf32>
    %7 = stablehlo.reshape %arg3 : (tensor<512xf32>) -> tensor<4x128xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<4x128xf32>) -> tensor<4x128x48xf32>
    %9 = stablehlo.multiply %6, %8 : tensor<4x128x48xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x128x48xf32>, tensor<f32>) -> tensor<4x48xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<4x48xf32>, tensor<f32>) -> tensor<48xf32>
    return %11 : tensor<48xf32>
  }
}
// -----
// PASS: expand-gemv
// Sums are those of the product, in f32; a batch comes first in the result.
func.func @main(%w: tensor<40x4x120xi8>, %x: tensor<4x120xbf16>) -> tensor<4x40xbf16> {
  %0 = stablehlo.convert %w : (tensor<40x4x120xi8>) -> tensor<40x4x120xbf16>
  %1 = stablehlo.dot_general %0, %x, batching_dims = [1] x [0], contracting_dims = [2] x [1] : (tensor<40x4x120xbf16>, tensor<4x120xbf16>) -> tensor<4x40xbf16>
  return %1 : tensor<4x40xbf16>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<40x4x120xi8>, %arg1: tensor<4x120xbf16>) -> tensor<4x40xbf16> {
    %0 = stablehlo.convert %arg0 : (tensor<40x4x120xi8>) -> tensor<40x4x120xbf16>
    %1 = stablehlo.convert %0 : (tensor<40x4x120xbf16>) -> tensor<40x4x120xf32>
    %2 = stablehlo.convert %arg1 : (tensor<4x120xbf16>) -> tensor<4x120xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1, 2] : (tensor<4x120xf32>) -> tensor<40x4x120xf32>
    %4 = stablehlo.multiply %1, %3 : tensor<40x4x120xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<40x4x120xf32>, tensor<f32>) -> tensor<40x4xf32>
    %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<40x4xf32>) -> tensor<4x40xf32>
    %7 = stablehlo.convert %6 : (tensor<4x40xf32>) -> tensor<4x40xbf16>
    return %7 : tensor<4x40xbf16>
  }
}
// -----
// PASS: expand-gemv
// Not with several vectors, with a matrix that is read as it is or used otherwise, or with a small one.
func.func @main(%x: tensor<2x160xf32>, %y: tensor<160xf32>, %w: tensor<160x120xi8>, %v: tensor<160x120xf32>, %u: tensor<160x9xi8>) -> (tensor<2x120xf32>, tensor<120xf32>, tensor<160x120xf32>, tensor<120xf32>, tensor<9xf32>) {
  %0 = stablehlo.convert %w : (tensor<160x120xi8>) -> tensor<160x120xf32>
  %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : (tensor<2x160xf32>, tensor<160x120xf32>) -> tensor<2x120xf32>
  %2 = stablehlo.negate %v : tensor<160x120xf32>
  %3 = stablehlo.dot_general %y, %2, contracting_dims = [0] x [0] : (tensor<160xf32>, tensor<160x120xf32>) -> tensor<120xf32>
  %4 = stablehlo.convert %w : (tensor<160x120xi8>) -> tensor<160x120xf32>
  %5 = stablehlo.dot_general %y, %4, contracting_dims = [0] x [0] : (tensor<160xf32>, tensor<160x120xf32>) -> tensor<120xf32>
  %6 = stablehlo.convert %u : (tensor<160x9xi8>) -> tensor<160x9xf32>
  %7 = stablehlo.dot_general %y, %6, contracting_dims = [0] x [0] : (tensor<160xf32>, tensor<160x9xf32>) -> tensor<9xf32>
  return %1, %3, %4, %5, %7 : tensor<2x120xf32>, tensor<120xf32>, tensor<160x120xf32>, tensor<120xf32>, tensor<9xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x160xf32>, %arg1: tensor<160xf32>, %arg2: tensor<160x120xi8>, %arg3: tensor<160x120xf32>, %arg4: tensor<160x9xi8>) -> (tensor<2x120xf32>, tensor<120xf32>, tensor<160x120xf32>, tensor<120xf32>, tensor<9xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<160x120xi8>) -> tensor<160x120xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0] : (tensor<2x160xf32>, tensor<160x120xf32>) -> tensor<2x120xf32>
    %2 = stablehlo.negate %arg3 : tensor<160x120xf32>
    %3 = stablehlo.dot_general %arg1, %2, contracting_dims = [0] x [0] : (tensor<160xf32>, tensor<160x120xf32>) -> tensor<120xf32>
    %4 = stablehlo.convert %arg2 : (tensor<160x120xi8>) -> tensor<160x120xf32>
    %5 = stablehlo.dot_general %arg1, %4, contracting_dims = [0] x [0] : (tensor<160xf32>, tensor<160x120xf32>) -> tensor<120xf32>
    %6 = stablehlo.convert %arg4 : (tensor<160x9xi8>) -> tensor<160x9xf32>
    %7 = stablehlo.dot_general %arg1, %6, contracting_dims = [0] x [0] : (tensor<160xf32>, tensor<160x9xf32>) -> tensor<9xf32>
    return %1, %3, %4, %5, %7 : tensor<2x120xf32>, tensor<120xf32>, tensor<160x120xf32>, tensor<120xf32>, tensor<9xf32>
  }
}
