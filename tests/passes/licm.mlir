// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: licm,dce
// INPUTS: small
// Weights that are handed on, a scale and a product that are the same each time, a
// bias that is only repeated.
func.func @main(%x: tensor<4xf32>, %w: tensor<4x4xf32>, %bias: tensor<4xf32>, %scale: tensor<f32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:5 = stablehlo.while(%i = %c, %v = %x, %w1 = %w, %b1 = %bias, %s1 = %scale) : tensor<i32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<f32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %s1, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %3 = stablehlo.multiply %w1, %2 : tensor<4x4xf32>
    %4 = stablehlo.dot_general %3, %w1, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %5 = stablehlo.dot_general %v, %4, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %6 = stablehlo.iota dim = 0 : tensor<4xf32>
    %7 = stablehlo.add %5, %b1 : tensor<4xf32>
    %8 = stablehlo.add %7, %6 : tensor<4xf32>
    stablehlo.return %1, %8, %w1, %b1, %s1 : tensor<i32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<f32>
  }
  return %0#1 : tensor<4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4x4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<f32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %1 = stablehlo.multiply %arg1, %0 : tensor<4x4xf32>
    %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %3:2 = stablehlo.while(%iterArg = %c, %iterArg_2 = %arg0) : tensor<i32>, tensor<4xf32>
    cond {
      %4 = stablehlo.compare LT, %iterArg, %c_0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %5 = stablehlo.dot_general %iterArg_2, %2, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
      %6 = stablehlo.iota dim = 0 : tensor<4xf32>
      %7 = stablehlo.add %5, %arg2 : tensor<4xf32>
      %8 = stablehlo.add %7, %6 : tensor<4xf32>
      stablehlo.return %4, %8 : tensor<i32>, tensor<4xf32>
    }
    return %3#1 : tensor<4xf32>
  }
}
// -----
// PASS: licm
// INPUTS: small
// Where the loop may not run, what is costly stays in it. From loop to loop outwards.
func.func @main(%n: tensor<i32>, %x: tensor<4xf32>, %w: tensor<4x4xf32>) -> tensor<4xf32> {
  %0:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1:2 = stablehlo.while(%j = %i, %u = %v) : tensor<i32>, tensor<4xf32>
    cond {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %2 = stablehlo.compare LT, %j, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %j, %one : tensor<i32>
      %3 = stablehlo.tanh %w : tensor<4x4xf32>
      %4 = stablehlo.dot_general %3, %3, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %5 = stablehlo.dot_general %u, %4, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
      stablehlo.return %2, %5 : tensor<i32>, tensor<4xf32>
    }
    stablehlo.return %1#0, %1#1 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<4xf32>, %arg2: tensor<4x4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.tanh %arg2 : tensor<4x4xf32>
    %1:2 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %arg1) : tensor<i32>, tensor<4xf32>
    cond {
      %2 = stablehlo.compare LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:2 = stablehlo.while(%iterArg_3 = %iterArg, %iterArg_4 = %iterArg_2) : tensor<i32>, tensor<4xf32>
      cond {
        %3 = stablehlo.compare LT, %iterArg_3, %c_0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      } do {
        %3 = stablehlo.add %iterArg_3, %c_1 : tensor<i32>
        %4 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
        %5 = stablehlo.dot_general %iterArg_4, %4, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
        stablehlo.return %3, %5 : tensor<i32>, tensor<4xf32>
      }
      stablehlo.return %2#0, %2#1 : tensor<i32>, tensor<4xf32>
    }
    return %1#1 : tensor<4xf32>
  }
}
