// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: reshape
func.func @main(%x: tensor<1x4x5xf32>, %y: tensor<4x5xf32>) -> (tensor<4x1x5xf32>, tensor<5x1x4xf32>, tensor<1x4x1x5xf32>, tensor<5x4xf32>, tensor<4x5xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<1x4x5xf32>) -> tensor<4x1x5xf32>
  %1 = stablehlo.reshape %y : (tensor<4x5xf32>) -> tensor<1x4x5xf32>
  %2 = stablehlo.transpose %1, dims = [2, 0, 1] : (tensor<1x4x5xf32>) -> tensor<5x1x4xf32>
  %3 = stablehlo.broadcast_in_dim %y, dims = [1, 3] : (tensor<4x5xf32>) -> tensor<1x4x1x5xf32>
  %4 = stablehlo.broadcast_in_dim %y, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %5 = stablehlo.reshape %x : (tensor<1x4x5xf32>) -> tensor<4x5x1xf32>
  %6 = stablehlo.reshape %5 : (tensor<4x5x1xf32>) -> tensor<4x5xf32>
  return %0, %2, %3, %4, %6 : tensor<4x1x5xf32>, tensor<5x1x4xf32>, tensor<1x4x1x5xf32>, tensor<5x4xf32>, tensor<4x5xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<1x4x5xf32>, %arg1: tensor<4x5xf32>) -> (tensor<4x1x5xf32>, tensor<5x1x4xf32>, tensor<1x4x1x5xf32>, tensor<5x4xf32>, tensor<4x5xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<1x4x5xf32>) -> tensor<4x1x5xf32>
    %1 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<5x4xf32>) -> tensor<5x1x4xf32>
    %3 = stablehlo.reshape %arg1 : (tensor<4x5xf32>) -> tensor<1x4x1x5xf32>
    %4 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
    %5 = stablehlo.reshape %arg0 : (tensor<1x4x5xf32>) -> tensor<4x5xf32>
    return %0, %2, %3, %4, %5 : tensor<4x1x5xf32>, tensor<5x1x4xf32>, tensor<1x4x1x5xf32>, tensor<5x4xf32>, tensor<4x5xf32>
  }
}
// -----
// PASS: reshape
// Broadcasts take in what stands on either side.
func.func @main(%x: tensor<5xf32>, %y: tensor<4x5xf32>, %z: tensor<1x1x5xf32>, %s: tensor<f32>) -> (tensor<3x4x5xf32>, tensor<5x4xf32>, tensor<3x5x4xf32>, tensor<4x5xf32>, tensor<4x1x5xf32>, tensor<2x3xf32>, tensor<5xf32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<5xf32>) -> tensor<4x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<4x5xf32>) -> tensor<3x4x5xf32>
  %2 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %3 = stablehlo.transpose %y, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [1, 2] : (tensor<5x4xf32>) -> tensor<3x5x4xf32>
  %5 = stablehlo.reshape %x : (tensor<5xf32>) -> tensor<1x5xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x5xf32>) -> tensor<4x5xf32>
  %7 = stablehlo.reshape %0 : (tensor<4x5xf32>) -> tensor<4x1x5xf32>
  %8 = stablehlo.reshape %s : (tensor<f32>) -> tensor<1x1xf32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<2x3xf32>
  %10 = stablehlo.reshape %z : (tensor<1x1x5xf32>) -> tensor<1x5xf32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [1, 0] : (tensor<1x5xf32>) -> tensor<5x1xf32>
  %12 = stablehlo.reshape %11 : (tensor<5x1xf32>) -> tensor<5xf32>
  return %1, %2, %4, %6, %7, %9, %12 : tensor<3x4x5xf32>, tensor<5x4xf32>, tensor<3x5x4xf32>, tensor<4x5xf32>, tensor<4x1x5xf32>, tensor<2x3xf32>, tensor<5xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<4x5xf32>, %arg2: tensor<1x1x5xf32>, %arg3: tensor<f32>) -> (tensor<3x4x5xf32>, tensor<5x4xf32>, tensor<3x5x4xf32>, tensor<4x5xf32>, tensor<4x1x5xf32>, tensor<2x3xf32>, tensor<5xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<5xf32>) -> tensor<3x4x5xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<5xf32>) -> tensor<5x4xf32>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [2, 1] : (tensor<4x5xf32>) -> tensor<3x5x4xf32>
    %3 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<5xf32>) -> tensor<4x5xf32>
    %4 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<5xf32>) -> tensor<4x1x5xf32>
    %5 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %6 = stablehlo.reshape %arg2 : (tensor<1x1x5xf32>) -> tensor<5xf32>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<3x4x5xf32>, tensor<5x4xf32>, tensor<3x5x4xf32>, tensor<4x5xf32>, tensor<4x1x5xf32>, tensor<2x3xf32>, tensor<5xf32>
  }
}
// -----
// PASS: reshape
func.func @main() -> (tensor<3x4xi32>, tensor<4x3xi32>, tensor<1x4x1xi32>) {
  %0 = stablehlo.iota dim = 0 : tensor<4xi32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xi32>) -> tensor<3x4xi32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<3x4xi32>) -> tensor<4x3xi32>
  %3 = stablehlo.reshape %0 : (tensor<4xi32>) -> tensor<1x4x1xi32>
  return %1, %2, %3 : tensor<3x4xi32>, tensor<4x3xi32>, tensor<1x4x1xi32>
}
// GIVES:
module {
  func.func @main() -> (tensor<3x4xi32>, tensor<4x3xi32>, tensor<1x4x1xi32>) {
    %0 = stablehlo.iota dim = 1 : tensor<3x4xi32>
    %1 = stablehlo.iota dim = 0 : tensor<4x3xi32>
    %2 = stablehlo.iota dim = 1 : tensor<1x4x1xi32>
    return %0, %1, %2 : tensor<3x4xi32>, tensor<4x3xi32>, tensor<1x4x1xi32>
  }
}
// -----
// PASS: reshape
// Softmax as it is exported: what keeps a dimension of size 1 is gone.
func.func @main(%x: tensor<2x3x15xf32>) -> tensor<2x3x15xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [2] : (tensor<2x3x15xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<2x3x1xf32>) -> tensor<2x3x15xf32>
  %3 = stablehlo.subtract %x, %2 : tensor<2x3x15xf32>
  %4 = stablehlo.exponential %3 : tensor<2x3x15xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x3x15xf32>, tensor<f32>) -> tensor<2x3xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
  %7 = stablehlo.log %6 : tensor<2x3x1xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<2x3x1xf32>) -> tensor<2x3x15xf32>
  %9 = stablehlo.subtract %3, %8 : tensor<2x3x15xf32>
  return %9 : tensor<2x3x15xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3x15xf32>) -> tensor<2x3x15xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<2x3x15xf32>, tensor<f32>) -> tensor<2x3xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x15xf32>
    %2 = stablehlo.subtract %arg0, %1 : tensor<2x3x15xf32>
    %3 = stablehlo.exponential %2 : tensor<2x3x15xf32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<2x3x15xf32>, tensor<f32>) -> tensor<2x3xf32>
    %5 = stablehlo.log %4 : tensor<2x3xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x15xf32>
    %7 = stablehlo.subtract %2, %6 : tensor<2x3x15xf32>
    return %7 : tensor<2x3x15xf32>
  }
}
// -----
// PASS: reshape
// Transposes meet behind what stands between them; scalars and splats are made anew,
// a bias repeated to other dimensions, a counted range along another.
func.func @main(%x: tensor<4x5xf32>, %bias: tensor<5xf32>, %s: tensor<f32>) -> (tensor<4x5xf32>, tensor<5x4xi1>) {
  %half = stablehlo.constant dense<0.5> : tensor<5x4xf32>
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %1 = stablehlo.broadcast_in_dim %bias, dims = [0] : (tensor<5xf32>) -> tensor<5x4xf32>
  %2 = stablehlo.add %0, %1 : tensor<5x4xf32>
  %3 = stablehlo.multiply %2, %half : tensor<5x4xf32>
  %4 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<5x4xf32>
  %5 = stablehlo.maximum %3, %4 : tensor<5x4xf32>
  %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<5x4xf32>) -> tensor<4x5xf32>
  %7 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %8 = stablehlo.iota dim = 1 : tensor<5x4xf32>
  %9 = stablehlo.compare LT, %7, %8 : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xi1>
  return %6, %9 : tensor<4x5xf32>, tensor<5x4xi1>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x5xf32>, %arg1: tensor<5xf32>, %arg2: tensor<f32>) -> (tensor<4x5xf32>, tensor<5x4xi1>) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<5xf32>) -> tensor<4x5xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<4x5xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<4x5xf32>
    %2 = stablehlo.multiply %1, %cst : tensor<4x5xf32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %4 = stablehlo.maximum %2, %3 : tensor<4x5xf32>
    %5 = stablehlo.iota dim = 0 : tensor<4x5xf32>
    %6 = stablehlo.compare LT, %arg0, %5 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
    %7 = stablehlo.transpose %6, dims = [1, 0] : (tensor<4x5xi1>) -> tensor<5x4xi1>
    return %4, %7 : tensor<4x5xf32>, tensor<5x4xi1>
  }
}
// -----
// PASS: reshape
// A transpose with another user stays where it is; so does one before a wider type.
func.func @main(%x: tensor<4x5xf32>, %h: tensor<4x5xf16>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %1 = stablehlo.negate %0 : tensor<5x4xf32>
  %2 = stablehlo.transpose %h, dims = [1, 0] : (tensor<4x5xf16>) -> tensor<5x4xf16>
  %3 = stablehlo.convert %2 : (tensor<5x4xf16>) -> tensor<5x4xf32>
  return %0, %1, %3 : tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x5xf32>, %arg1: tensor<4x5xf16>) -> (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
    %1 = stablehlo.negate %0 : tensor<5x4xf32>
    %2 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<4x5xf16>) -> tensor<5x4xf16>
    %3 = stablehlo.convert %2 : (tensor<5x4xf16>) -> tensor<5x4xf32>
    return %0, %1, %3 : tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>
  }
}
// -----
// PASS: reshape
// What repeats is computed once.
func.func @main(%x: tensor<15xf32>, %y: tensor<15xf32>, %p: tensor<15xi1>) -> (tensor<4x15xf32>, tensor<4x15xf32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<15xf32>) -> tensor<4x15xf32>
  %1 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<15xf32>) -> tensor<4x15xf32>
  %2 = stablehlo.broadcast_in_dim %p, dims = [1] : (tensor<15xi1>) -> tensor<4x15xi1>
  %3 = stablehlo.add %0, %1 : tensor<4x15xf32>
  %4 = stablehlo.rsqrt %3 : tensor<4x15xf32>
  %5 = stablehlo.select %2, %4, %0 : tensor<4x15xi1>, tensor<4x15xf32>
  return %4, %5 : tensor<4x15xf32>, tensor<4x15xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xf32>, %arg1: tensor<15xf32>, %arg2: tensor<15xi1>) -> (tensor<4x15xf32>, tensor<4x15xf32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<15xf32>
    %1 = stablehlo.rsqrt %0 : tensor<15xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<15xf32>) -> tensor<4x15xf32>
    %3 = stablehlo.select %arg2, %1, %arg0 : tensor<15xi1>, tensor<15xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<15xf32>) -> tensor<4x15xf32>
    return %2, %4 : tensor<4x15xf32>, tensor<4x15xf32>
  }
}
// -----
// PASS: reshape
// Reductions of a transpose, in the same order of the terms.
func.func @main(%x: tensor<3x4x5xf32>) -> (tensor<5x3xf32>, tensor<5xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<3x4x5xf32>) -> tensor<5x3x4xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<5x3x4xf32>, tensor<f32>) -> tensor<5x3xf32>
  %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<5x3x4xf32>, tensor<f32>) -> tensor<5xf32>
  %3 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x3x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %1, %2, %3 : tensor<5x3xf32>, tensor<5xf32>, tensor<4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x4x5xf32>) -> (tensor<5x3xf32>, tensor<5xf32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<3x4x5xf32>) -> tensor<5x3x4xf32>
    %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<3x5xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
    %3 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<5xf32>
    %4 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x3x4xf32>, tensor<f32>) -> tensor<4xf32>
    return %2, %3, %4 : tensor<5x3xf32>, tensor<5xf32>, tensor<4xf32>
  }
}
