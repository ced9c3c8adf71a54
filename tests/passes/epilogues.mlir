// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: epilogues
// A bias, relu and a residual: products and convolutions whose result goes through
// elementwise operations are marked, and no others.
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %b: tensor<3xf32>, %r: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<4x3xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x3xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<4x3xf32>
  %4 = stablehlo.add %r, %3 : tensor<4x3xf32>
  return %4 : tensor<4x3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x3xf32>, %arg2: tensor<3xf32>, %arg3: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x3xf32>
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {ghlo.epilogue} : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
    %2 = stablehlo.add %0, %1 : tensor<4x3xf32>
    %3 = stablehlo.maximum %2, %cst : tensor<4x3xf32>
    %4 = stablehlo.add %arg3, %3 : tensor<4x3xf32>
    return %4 : tensor<4x3xf32>
  }
}
// -----
// PASS: epilogues
// Two uses; another type; the last operation; in between another shape.
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<24xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<4x6xf32>
  %0 = stablehlo.dot %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<4x6xf32>
  %2 = stablehlo.dot %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %3 = stablehlo.compare LT, %2, %zero : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
  %4 = stablehlo.dot %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %5 = stablehlo.dot %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %6 = stablehlo.reshape %5 : (tensor<4x6xf32>) -> tensor<24xf32>
  %7 = stablehlo.negate %6 : tensor<24xf32>
  return %1, %3, %4, %7 : tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<24xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<24xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x6xf32>
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<4x6xf32>
    %2 = stablehlo.dot %arg0, %arg1 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %3 = stablehlo.compare LT, %2, %cst : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %4 = stablehlo.dot %arg0, %arg1 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %5 = stablehlo.dot %arg0, %arg1 {ghlo.epilogue} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %6 = stablehlo.reshape %5 : (tensor<4x6xf32>) -> tensor<24xf32>
    %7 = stablehlo.negate %6 : tensor<24xf32>
    return %1, %3, %4, %7 : tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<24xf32>
  }
}
// -----
// PASS: epilogues
// INPUTS: small
// In a loop; what the loop uses from outside of it is another block's.
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.dot %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<4x4xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.dot %s, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.tanh %2 : tensor<4x4xf32>
    %4 = stablehlo.add %3, %0 : tensor<4x4xf32>
    stablehlo.return %j, %4 : tensor<i32>, tensor<4x4xf32>
  }
  return %1#1 : tensor<4x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.dot %arg0, %arg0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_1 = %arg0) : tensor<i32>, tensor<4x4xf32>
    cond {
      %c_2 = stablehlo.constant dense<3> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg, %c_2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.add %iterArg, %c_0 : tensor<i32>
      %3 = stablehlo.dot %iterArg_1, %arg0 {ghlo.epilogue} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %4 = stablehlo.tanh %3 : tensor<4x4xf32>
      %5 = stablehlo.add %4, %0 : tensor<4x4xf32>
      stablehlo.return %2, %5 : tensor<i32>, tensor<4x4xf32>
    }
    return %1#1 : tensor<4x4xf32>
  }
}
