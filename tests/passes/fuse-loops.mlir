// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: fuse-loops
// INPUTS: small
// A loop takes constants along, also those that others use; what else it takes from outside it is given.
func.func @main(%x: tensor<4xf32>, %t: tensor<4x2xf32>) -> (tensor<4xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<9> : tensor<i32>
  %s = stablehlo.slice %t [0:4, 0:1] : (tensor<4x2xf32>) -> tensor<4x1xf32>
  %r = stablehlo.reshape %s : (tensor<4x1xf32>) -> tensor<4xf32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %z = stablehlo.subtract %r, %y : tensor<4xf32>
    stablehlo.return %j, %z : tensor<i32>, tensor<4xf32>
  }
  return %0#1, %end : tensor<4xf32>, tensor<i32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4x2xf32>) -> (tensor<4xf32>, tensor<i32>) {
    %c = stablehlo.constant dense<9> : tensor<i32>
    %0 = stablehlo.slice %arg1 [0:4, 0:1] : (tensor<4x2xf32>) -> tensor<4x1xf32>
    %1 = stablehlo.reshape %0 : (tensor<4x1xf32>) -> tensor<4xf32>
    %2 = stablehlo.composite "ghlo.fusion.loop" %arg0, %1 {decomposition = @ghlo.fusion.loop.1} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %2, %c : tensor<4xf32>, tensor<i32>
  }
  func.func private @ghlo.fusion.loop.1(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<9> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_2 = %arg0) : tensor<i32>, tensor<4xf32>
    cond {
      %1 = stablehlo.compare LT, %iterArg, %c_0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %2 = stablehlo.subtract %arg1, %iterArg_2 : tensor<4xf32>
      stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
    }
    return %0#1 : tensor<4xf32>
  }
}
// -----
// PASS: fuse-loops
// INPUTS: small
// A loop in a loop goes with it.
func.func @main(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<f32>
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %1:2 = stablehlo.while(%k = %zero, %u = %y) : tensor<i32>, tensor<f32>
    cond {
      %q = stablehlo.compare LT, %k, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %q : tensor<i1>
    } do {
      %l = stablehlo.add %k, %one : tensor<i32>
      %v = stablehlo.add %u, %x : tensor<f32>
      stablehlo.return %l, %v : tensor<i32>, tensor<f32>
    }
    stablehlo.return %j, %1#1 : tensor<i32>, tensor<f32>
  }
  return %0#1 : tensor<f32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<f32>, %arg1: tensor<i32>) -> tensor<f32> {
    %0 = stablehlo.composite "ghlo.fusion.loop" %arg0 {decomposition = @ghlo.fusion.loop.1} : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @ghlo.fusion.loop.1(%arg0: tensor<f32>) -> tensor<f32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_2 = %arg0) : tensor<i32>, tensor<f32>
    cond {
      %1 = stablehlo.compare LT, %iterArg, %c_0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %2:2 = stablehlo.while(%iterArg_3 = %c, %iterArg_4 = %iterArg_2) : tensor<i32>, tensor<f32>
      cond {
        %3 = stablehlo.compare LT, %iterArg_3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      } do {
        %3 = stablehlo.add %iterArg_3, %c_1 : tensor<i32>
        %4 = stablehlo.add %iterArg_4, %arg0 : tensor<f32>
        stablehlo.return %3, %4 : tensor<i32>, tensor<f32>
      }
      stablehlo.return %1, %2#1 : tensor<i32>, tensor<f32>
    }
    return %0#1 : tensor<f32>
  }
}
// -----
// PASS: fuse-loops
// INPUTS: none
// What has effects stays where it is.
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.while(%i = %one) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.custom_call @count(%i) {has_side_effect = true} : (tensor<i32>) -> tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %0 : tensor<i32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<i32>) -> tensor<i32> {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.while(%iterArg = %c) : tensor<i32>
    cond {
      %1 = stablehlo.compare LT, %iterArg, %arg0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.custom_call @count(%iterArg) {has_side_effect = true} : (tensor<i32>) -> tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }
    return %0 : tensor<i32>
  }
}
