// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: split-windows
// The dimension with the largest stride comes first, and takes along what is done to a dimension without windows. The
// order of a sum of floats stays, and so do small windows that share no elements, and a sum that would add its initial
// value twice.
func.func @main(%x: tensor<2x100x100x3xf32>, %n: tensor<100x100xi32>, %i: tensor<f32>) -> (tensor<1x96x47x3xf32>, tensor<2x93x93x3xf32>, tensor<2x98x98x3xf32>, tensor<93x93xi32>, tensor<50x50xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %b, %a : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 8, 8, 1>, window_strides = array<i64: 2, 1, 2, 1>, padding = dense<[[0, 0], [1, 2], [0, 0], [0, 0]]> : tensor<4x2xi64>}
    : (tensor<2x100x100x3xf32>, tensor<f32>) -> tensor<1x96x47x3xf32>
  %1 = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 8, 8, 1>} : (tensor<2x100x100x3xf32>, tensor<f32>) -> tensor<2x93x93x3xf32>
  %2 = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3, 3, 1>} : (tensor<2x100x100x3xf32>, tensor<f32>) -> tensor<2x98x98x3xf32>
  %3 = "stablehlo.reduce_window"(%n, %one) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %m = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %m : tensor<i32>
  }) {window_dimensions = array<i64: 8, 8>} : (tensor<100x100xi32>, tensor<i32>) -> tensor<93x93xi32>
  %4 = "stablehlo.reduce_window"(%n, %one) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %m = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %m : tensor<i32>
  }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>} : (tensor<100x100xi32>, tensor<i32>) -> tensor<50x50xi32>
  return %0, %1, %2, %3, %4 : tensor<1x96x47x3xf32>, tensor<2x93x93x3xf32>, tensor<2x98x98x3xf32>, tensor<93x93xi32>, tensor<50x50xi32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x100x100x3xf32>, %arg1: tensor<100x100xi32>, %arg2: tensor<f32>) -> (tensor<1x96x47x3xf32>, tensor<2x93x93x3xf32>, tensor<2x98x98x3xf32>, tensor<93x93xi32>, tensor<50x50xi32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = "stablehlo.reduce_window"(%arg0, %arg2) <{window_dimensions = array<i64: 1, 1, 8, 1>, window_strides = array<i64: 2, 1, 2, 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %7 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<2x100x100x3xf32>, tensor<f32>) -> tensor<1x100x47x3xf32>
    %1 = "stablehlo.reduce_window"(%0, %arg2) <{padding = dense<[[0, 0], [1, 2], [0, 0], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 8, 1, 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %7 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<1x100x47x3xf32>, tensor<f32>) -> tensor<1x96x47x3xf32>
    %2 = "stablehlo.reduce_window"(%arg0, %cst) <{window_dimensions = array<i64: 1, 8, 8, 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %7 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<2x100x100x3xf32>, tensor<f32>) -> tensor<2x93x93x3xf32>
    %3 = "stablehlo.reduce_window"(%arg0, %arg2) <{window_dimensions = array<i64: 1, 3, 1, 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %7 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<2x100x100x3xf32>, tensor<f32>) -> tensor<2x98x100x3xf32>
    %4 = "stablehlo.reduce_window"(%3, %arg2) <{window_dimensions = array<i64: 1, 1, 3, 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %7 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<2x98x100x3xf32>, tensor<f32>) -> tensor<2x98x98x3xf32>
    %5 = "stablehlo.reduce_window"(%arg1, %c) <{window_dimensions = array<i64: 8, 8>}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %7 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %7 : tensor<i32>
    }) : (tensor<100x100xi32>, tensor<i32>) -> tensor<93x93xi32>
    %6 = "stablehlo.reduce_window"(%arg1, %c) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %7 = stablehlo.maximum %arg3, %arg4 : tensor<i32>
      stablehlo.return %7 : tensor<i32>
    }) : (tensor<100x100xi32>, tensor<i32>) -> tensor<50x50xi32>
    return %1, %2, %4, %5, %6 : tensor<1x96x47x3xf32>, tensor<2x93x93x3xf32>, tensor<2x98x98x3xf32>, tensor<93x93xi32>, tensor<50x50xi32>
  }
}
