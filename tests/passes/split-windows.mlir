// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: split-windows
// SUMS free
// INPUTS: small
// The dimension with the largest stride comes first, and takes along what is done to a dimension without windows. Small
// windows that share no elements stay, and so do a sum that would add its initial value twice, and one that rounds at
// every step; a longer one rounds once.
func.func @main(%x: tensor<2x100x100x3xf32>, %n: tensor<100x100xi32>, %i: tensor<f32>, %h: tensor<100x100xbf16>) -> (tensor<1x96x47x3xf32>, tensor<2x93x93x3xf32>, tensor<2x98x98x3xf32>, tensor<93x93xi32>, tensor<50x50xi32>, tensor<93x93xbf16>, tensor<97x97xbf16>) {
  %narrow = stablehlo.constant dense<0.0> : tensor<bf16>
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
  %5 = "stablehlo.reduce_window"(%h, %narrow) ({
  ^bb0(%c: tensor<bf16>, %d: tensor<bf16>):
    %m = stablehlo.add %c, %d : tensor<bf16>
    stablehlo.return %m : tensor<bf16>
  }) {window_dimensions = array<i64: 8, 8>} : (tensor<100x100xbf16>, tensor<bf16>) -> tensor<93x93xbf16>
  %6 = "stablehlo.reduce_window"(%h, %narrow) ({
  ^bb0(%c: tensor<bf16>, %d: tensor<bf16>):
    %m = stablehlo.add %c, %d : tensor<bf16>
    stablehlo.return %m : tensor<bf16>
  }) {window_dimensions = array<i64: 4, 4>} : (tensor<100x100xbf16>, tensor<bf16>) -> tensor<97x97xbf16>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<1x96x47x3xf32>, tensor<2x93x93x3xf32>, tensor<2x98x98x3xf32>, tensor<93x93xi32>, tensor<50x50xi32>, tensor<93x93xbf16>, tensor<97x97xbf16>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x100x100x3xf32>, %arg1: tensor<100x100xi32>, %arg2: tensor<f32>, %arg3: tensor<100x100xbf16>) -> (tensor<1x96x47x3xf32>, tensor<2x93x93x3xf32>, tensor<2x98x98x3xf32>, tensor<93x93xi32>, tensor<50x50xi32>, tensor<93x93xbf16>, tensor<97x97xbf16>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = "stablehlo.reduce_window"(%arg0, %arg2) <{window_dimensions = array<i64: 1, 1, 8, 1>, window_strides = array<i64: 2, 1, 2, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %13 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
      stablehlo.return %13 : tensor<f32>
    }) : (tensor<2x100x100x3xf32>, tensor<f32>) -> tensor<1x100x47x3xf32>
    %1 = "stablehlo.reduce_window"(%0, %arg2) <{padding = dense<[[0, 0], [1, 2], [0, 0], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 8, 1, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %13 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
      stablehlo.return %13 : tensor<f32>
    }) : (tensor<1x100x47x3xf32>, tensor<f32>) -> tensor<1x96x47x3xf32>
    %2 = "stablehlo.reduce_window"(%arg0, %cst_0) <{window_dimensions = array<i64: 1, 8, 1, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %13 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %13 : tensor<f32>
    }) : (tensor<2x100x100x3xf32>, tensor<f32>) -> tensor<2x93x100x3xf32>
    %3 = "stablehlo.reduce_window"(%2, %cst_0) <{window_dimensions = array<i64: 1, 1, 8, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %13 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %13 : tensor<f32>
    }) : (tensor<2x93x100x3xf32>, tensor<f32>) -> tensor<2x93x93x3xf32>
    %4 = "stablehlo.reduce_window"(%arg0, %arg2) <{window_dimensions = array<i64: 1, 3, 1, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %13 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
      stablehlo.return %13 : tensor<f32>
    }) : (tensor<2x100x100x3xf32>, tensor<f32>) -> tensor<2x98x100x3xf32>
    %5 = "stablehlo.reduce_window"(%4, %arg2) <{window_dimensions = array<i64: 1, 1, 3, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %13 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
      stablehlo.return %13 : tensor<f32>
    }) : (tensor<2x98x100x3xf32>, tensor<f32>) -> tensor<2x98x98x3xf32>
    %6 = "stablehlo.reduce_window"(%arg1, %c) <{window_dimensions = array<i64: 8, 8>}> ({
    ^bb0(%arg4: tensor<i32>, %arg5: tensor<i32>):
      %13 = stablehlo.add %arg4, %arg5 : tensor<i32>
      stablehlo.return %13 : tensor<i32>
    }) : (tensor<100x100xi32>, tensor<i32>) -> tensor<93x93xi32>
    %7 = "stablehlo.reduce_window"(%arg1, %c) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%arg4: tensor<i32>, %arg5: tensor<i32>):
      %13 = stablehlo.maximum %arg4, %arg5 : tensor<i32>
      stablehlo.return %13 : tensor<i32>
    }) : (tensor<100x100xi32>, tensor<i32>) -> tensor<50x50xi32>
    %8 = stablehlo.convert %arg3 : (tensor<100x100xbf16>) -> tensor<100x100xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = "stablehlo.reduce_window"(%8, %cst_1) <{window_dimensions = array<i64: 8, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %13 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %13 : tensor<f32>
    }) : (tensor<100x100xf32>, tensor<f32>) -> tensor<93x100xf32>
    %10 = "stablehlo.reduce_window"(%9, %cst_1) <{window_dimensions = array<i64: 1, 8>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %13 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %13 : tensor<f32>
    }) : (tensor<93x100xf32>, tensor<f32>) -> tensor<93x93xf32>
    %11 = stablehlo.convert %10 : (tensor<93x93xf32>) -> tensor<93x93xbf16>
    %12 = "stablehlo.reduce_window"(%arg3, %cst) <{window_dimensions = array<i64: 4, 4>}> ({
    ^bb0(%arg4: tensor<bf16>, %arg5: tensor<bf16>):
      %13 = stablehlo.add %arg4, %arg5 : tensor<bf16>
      stablehlo.return %13 : tensor<bf16>
    }) : (tensor<100x100xbf16>, tensor<bf16>) -> tensor<97x97xbf16>
    return %1, %3, %5, %6, %7, %11, %12 : tensor<1x96x47x3xf32>, tensor<2x93x93x3xf32>, tensor<2x98x98x3xf32>, tensor<93x93xi32>, tensor<50x50xi32>, tensor<93x93xbf16>, tensor<97x97xbf16>
  }
}
