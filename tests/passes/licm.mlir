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
// -----
// PASS: licm,dce
// INPUTS: small
// SUMS free
// Loops that go through rows: products of rows with weights, and of weights with columns two at a time, are made of all of
// them at once. Where a slice begins may be anything. A product with what is carried stays.
func.func @main(%xs: tensor<3x2x4xf32>, %w: tensor<4x5xf32>, %v: tensor<5x5xf32>, %h: tensor<2x5xf32>, %ys: tensor<5x6xf32>) -> (tensor<2x5xf32>, tensor<5x2xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<5x2xf32>
  %0:3 = stablehlo.while(%i = %c, %u = %h, %t = %zero) : tensor<i32>, tensor<2x5xf32>, tensor<5x2xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.dynamic_slice %xs, %i, %z, %z, sizes = [1, 2, 4] : (tensor<3x2x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x4xf32>
    %3 = stablehlo.dot_general %2, %w, contracting_dims = [2] x [0] : (tensor<1x2x4xf32>, tensor<4x5xf32>) -> tensor<1x2x5xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x2x5xf32>) -> tensor<2x5xf32>
    %5 = stablehlo.dot_general %u, %v, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x5xf32>) -> tensor<2x5xf32>
    %6 = stablehlo.add %4, %5 : tensor<2x5xf32>
    %7 = stablehlo.multiply %i, %i : tensor<i32>
    %8 = stablehlo.dynamic_slice %ys, %i, %7, sizes = [5, 2] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<5x2xf32>
    %9 = stablehlo.dot_general %v, %8, contracting_dims = [1] x [0] : (tensor<5x5xf32>, tensor<5x2xf32>) -> tensor<5x2xf32>
    %10 = stablehlo.add %t, %9 : tensor<5x2xf32>
    stablehlo.return %1, %6, %10 : tensor<i32>, tensor<2x5xf32>, tensor<5x2xf32>
  }
  return %0#1, %0#2 : tensor<2x5xf32>, tensor<5x2xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x2x4xf32>, %arg1: tensor<4x5xf32>, %arg2: tensor<5x5xf32>, %arg3: tensor<2x5xf32>, %arg4: tensor<5x6xf32>) -> (tensor<2x5xf32>, tensor<5x2xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<5x2xf32>
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0] : (tensor<3x2x4xf32>, tensor<4x5xf32>) -> tensor<3x2x5xf32>
    %1 = stablehlo.dot_general %arg2, %arg4, contracting_dims = [1] x [0] : (tensor<5x5xf32>, tensor<5x6xf32>) -> tensor<5x6xf32>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %2:3 = stablehlo.while(%iterArg = %c, %iterArg_5 = %arg3, %iterArg_6 = %cst) : tensor<i32>, tensor<2x5xf32>, tensor<5x2xf32>
    cond {
      %3 = stablehlo.compare LT, %iterArg, %c_0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %4 = stablehlo.dynamic_slice %0, %iterArg, %c_2, %c_3, sizes = [1, 2, 5] : (tensor<3x2x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x5xf32>
      %5 = stablehlo.reshape %4 : (tensor<1x2x5xf32>) -> tensor<2x5xf32>
      %6 = stablehlo.dot_general %iterArg_5, %arg2, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x5xf32>) -> tensor<2x5xf32>
      %7 = stablehlo.add %5, %6 : tensor<2x5xf32>
      %8 = stablehlo.multiply %iterArg, %iterArg : tensor<i32>
      %9 = stablehlo.dynamic_slice %1, %c_4, %8, sizes = [5, 2] : (tensor<5x6xf32>, tensor<i32>, tensor<i32>) -> tensor<5x2xf32>
      %10 = stablehlo.add %iterArg_6, %9 : tensor<5x2xf32>
      stablehlo.return %3, %7, %10 : tensor<i32>, tensor<2x5xf32>, tensor<5x2xf32>
    }
    return %2#1, %2#2 : tensor<2x5xf32>, tensor<5x2xf32>
  }
}
// -----
// PASS: licm,dce
// INPUTS: small
// What stays: a product of part of the rows alone, one that contracts what is cut, and one that goes along with what is
// cut.
func.func @main(%xs: tensor<9x4xf32>, %w: tensor<4x5xf32>, %ys: tensor<3x4xf32>, %v: tensor<1x5xf32>) -> (tensor<1x5xf32>, tensor<4x5xf32>, tensor<1x4x5xf32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<1x5xf32>
  %zeros = stablehlo.constant dense<0.0> : tensor<4x5xf32>
  %more = stablehlo.constant dense<0.0> : tensor<1x4x5xf32>
  %0:4 = stablehlo.while(%i = %c, %u = %zero, %t = %zeros, %s = %more) : tensor<i32>, tensor<1x5xf32>, tensor<4x5xf32>, tensor<1x4x5xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.dynamic_slice %xs, %i, %z, sizes = [1, 4] : (tensor<9x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %3 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [0] : (tensor<1x4xf32>, tensor<4x5xf32>) -> tensor<1x5xf32>
    %4 = stablehlo.add %u, %3 : tensor<1x5xf32>
    %5 = stablehlo.dynamic_slice %ys, %i, %z, sizes = [1, 4] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %6 = stablehlo.dot_general %5, %v, contracting_dims = [0] x [0] : (tensor<1x4xf32>, tensor<1x5xf32>) -> tensor<4x5xf32>
    %7 = stablehlo.add %t, %6 : tensor<4x5xf32>
    %8 = stablehlo.dot_general %5, %v, batching_dims = [0] x [0], contracting_dims = [] x [] : (tensor<1x4xf32>, tensor<1x5xf32>) -> tensor<1x4x5xf32>
    %9 = stablehlo.add %s, %8 : tensor<1x4x5xf32>
    stablehlo.return %1, %4, %7, %9 : tensor<i32>, tensor<1x5xf32>, tensor<4x5xf32>, tensor<1x4x5xf32>
  }
  return %0#1, %0#2, %0#3 : tensor<1x5xf32>, tensor<4x5xf32>, tensor<1x4x5xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<9x4xf32>, %arg1: tensor<4x5xf32>, %arg2: tensor<3x4xf32>, %arg3: tensor<1x5xf32>) -> (tensor<1x5xf32>, tensor<4x5xf32>, tensor<1x4x5xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<1x5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<4x5xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<1x4x5xf32>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %c_3 = stablehlo.constant dense<1> : tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %0:4 = stablehlo.while(%iterArg = %c, %iterArg_5 = %cst, %iterArg_6 = %cst_0, %iterArg_7 = %cst_1) : tensor<i32>, tensor<1x5xf32>, tensor<4x5xf32>, tensor<1x4x5xf32>
    cond {
      %1 = stablehlo.compare LT, %iterArg, %c_2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      %2 = stablehlo.dynamic_slice %arg0, %iterArg, %c_4, sizes = [1, 4] : (tensor<9x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0] : (tensor<1x4xf32>, tensor<4x5xf32>) -> tensor<1x5xf32>
      %4 = stablehlo.add %iterArg_5, %3 : tensor<1x5xf32>
      %5 = stablehlo.dynamic_slice %arg2, %iterArg, %c_4, sizes = [1, 4] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %6 = stablehlo.dot_general %5, %arg3, contracting_dims = [0] x [0] : (tensor<1x4xf32>, tensor<1x5xf32>) -> tensor<4x5xf32>
      %7 = stablehlo.add %iterArg_6, %6 : tensor<4x5xf32>
      %8 = stablehlo.dot_general %5, %arg3, batching_dims = [0] x [0], contracting_dims = [] x [] : (tensor<1x4xf32>, tensor<1x5xf32>) -> tensor<1x4x5xf32>
      %9 = stablehlo.add %iterArg_7, %8 : tensor<1x4x5xf32>
      stablehlo.return %1, %4, %7, %9 : tensor<i32>, tensor<1x5xf32>, tensor<4x5xf32>, tensor<1x4x5xf32>
    }
    return %0#1, %0#2, %0#3 : tensor<1x5xf32>, tensor<4x5xf32>, tensor<1x4x5xf32>
  }
}
