// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: O2
// A scan over rows, as it is exported, and what is left of it.
func.func @main(%xs: tensor<5x4xf32>, %w: tensor<4x4xf32>, %bias: tensor<4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %init = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %ys = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x4xf32>
  %0:6 = stablehlo.while(%a = %xs, %b = %w, %d = %bias, %i = %c, %h = %init, %y = %ys) : tensor<5x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<i32>, tensor<4xf32>, tensor<5x4xf32>
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = func.call @row(%a, %i) : (tensor<5x4xf32>, tensor<i32>) -> tensor<4xf32>
    %2 = stablehlo.transpose %b, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.dot_general %h, %2, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %4 = stablehlo.add %1, %3 : tensor<4xf32>
    %5 = stablehlo.add %4, %d : tensor<4xf32>
    %6 = stablehlo.tanh %5 : tensor<4xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.dynamic_update_slice %y, %7, %i, %zero : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %9 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %a, %b, %d, %9, %6, %8 : tensor<5x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<i32>, tensor<4xf32>, tensor<5x4xf32>
  }
  return %0#4, %0#5 : tensor<4xf32>, tensor<5x4xf32>
}
func.func private @row(%a: tensor<5x4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %a, %i, %c, sizes = [1, 4] : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<4x4xf32>, %arg2: tensor<4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<5x4xf32>
    %c_1 = stablehlo.constant dense<5> : tensor<i32>
    %c_2 = stablehlo.constant dense<1> : tensor<i32>
    %0:3 = stablehlo.while(%iterArg = %c, %iterArg_3 = %cst, %iterArg_4 = %cst_0) : tensor<i32>, tensor<4xf32>, tensor<5x4xf32>
    cond {
      %1 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.dynamic_slice %arg0, %iterArg, %c, sizes = [1, 4] : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %2 = stablehlo.reshape %1 : (tensor<1x4xf32>) -> tensor<4xf32>
      %3 = stablehlo.dot_general %iterArg_3, %arg1, contracting_dims = [0] x [1] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
      %4 = stablehlo.add %2, %3 : tensor<4xf32>
      %5 = stablehlo.add %4, %arg2 : tensor<4xf32>
      %6 = stablehlo.tanh %5 : tensor<4xf32>
      %7 = stablehlo.reshape %6 : (tensor<4xf32>) -> tensor<1x4xf32>
      %8 = stablehlo.dynamic_update_slice %iterArg_4, %7, %iterArg, %c : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
      %9 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      stablehlo.return %9, %6, %8 : tensor<i32>, tensor<4xf32>, tensor<5x4xf32>
    }
    return %0#1, %0#2 : tensor<4xf32>, tensor<5x4xf32>
  }
}
// -----
// PASS: O1
// O1 shares nothing and leaves layouts as they are.
func.func @main(%x: tensor<4x5xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<5x4xf32>
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %2 = stablehlo.multiply %0, %one : tensor<5x4xf32>
  return %1, %2 : tensor<5x4xf32>, tensor<5x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x5xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
    %1 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>
    return %1, %0 : tensor<5x4xf32>, tensor<5x4xf32>
  }
}
