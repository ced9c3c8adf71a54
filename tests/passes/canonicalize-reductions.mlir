// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: canonicalize
// Of one element each: the computation on the initial value and the element; -0.0 and
// an initial value of 0.0 make 0.0.
func.func @main(%x: tensor<15x1xf32>, %i: tensor<f32>, %e: tensor<4x0xf32>) -> (tensor<15xf32>, tensor<15x1xf32>, tensor<15xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<15x1xf32>, tensor<f32>) -> tensor<15xf32>
  %1 = stablehlo.reduce(%x init: %i) applies stablehlo.maximum across dimensions = [] : (tensor<15x1xf32>, tensor<f32>) -> tensor<15x1xf32>
  %2 = stablehlo.reduce(%x init: %i) across dimensions = [1] : (tensor<15x1xf32>, tensor<f32>) -> tensor<15xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %c = stablehlo.constant dense<2.0> : tensor<f32>
    %4 = stablehlo.multiply %b, %c : tensor<f32>
    %5 = stablehlo.subtract %a, %4 : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }
  %3 = stablehlo.reduce(%e init: %i) applies stablehlo.multiply across dimensions = [1] : (tensor<4x0xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<15xf32>, tensor<15x1xf32>, tensor<15xf32>, tensor<4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15x1xf32>, %arg1: tensor<f32>, %arg2: tensor<4x0xf32>) -> (tensor<15xf32>, tensor<15x1xf32>, tensor<15xf32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<15x1xf32>) -> tensor<15xf32>
    %2 = stablehlo.add %1, %0 : tensor<15xf32>
    %3 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<15x1xf32>
    %4 = stablehlo.maximum %3, %arg0 : tensor<15x1xf32>
    %5 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<15xf32>
    %6 = stablehlo.reshape %arg0 : (tensor<15x1xf32>) -> tensor<15xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<15xf32>
    %7 = stablehlo.multiply %6, %cst_0 : tensor<15xf32>
    %8 = stablehlo.subtract %5, %7 : tensor<15xf32>
    %9 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    return %2, %4, %8, %9 : tensor<15xf32>, tensor<15x1xf32>, tensor<15xf32>, tensor<4xf32>
  }
}
// -----
// PASS: canonicalize
func.func @main(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>, %i: tensor<f32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %0 = "stablehlo.map"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.constant dense<0.5> : tensor<f32>
    %2 = stablehlo.multiply %a, %b : tensor<f32>
    %3 = stablehlo.add %2, %c : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 1>} : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<3x5xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x5xf32>, %arg1: tensor<3x5xf32>, %arg2: tensor<f32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<3x5xf32>
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<3x5xf32>
    %1 = stablehlo.add %0, %cst : tensor<3x5xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
    %3 = stablehlo.add %2, %arg0 : tensor<3x5xf32>
    return %1, %3 : tensor<3x5xf32>, tensor<3x5xf32>
  }
}
