// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: dce
// Chains of unused operations, loops and branches without effects, functions.
func.func @main(%x: tensor<3xf32>, %p: tensor<i1>) -> tensor<3xf32> {
  %0 = stablehlo.abs %x : tensor<3xf32>
  %1 = stablehlo.exponential %0 : tensor<3xf32>
  %2 = "stablehlo.if"(%p) ({
    %6 = stablehlo.negate %1 : tensor<3xf32>
    stablehlo.return %6 : tensor<3xf32>
  }, {
    stablehlo.return %x : tensor<3xf32>
  }) : (tensor<i1>) -> tensor<3xf32>
  %3 = stablehlo.while(%v = %x) : tensor<3xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %v : tensor<3xf32>
  }
  %4 = func.call @pure(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %5 = stablehlo.custom_call @unknown(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %x : tensor<3xf32>
}
func.func private @pure(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func private @unused(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = func.call @also_unused(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @also_unused(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @public(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<i1>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
  func.func @public(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    return %arg0 : tensor<3xf32>
  }
}
// -----
// PASS: dce
// A hint at the order of two operations goes, though it says that it has effects, and what only it uses.
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.sine %x : tensor<3xf32>
  %1 = stablehlo.cosine %x : tensor<3xf32>
  stablehlo.custom_call @control_dep(%1, %0) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return %0 : tensor<3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.sine %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
// PASS: dce
// INPUTS: none
// What has effects stays, and what it uses.
func.func @main(%x: tensor<3xf32>, %token: !stablehlo.token) -> tensor<3xf32> {
  %0 = stablehlo.abs %x : tensor<3xf32>
  interpreter.print %0 : tensor<3xf32>
  %1 = stablehlo.custom_call @side(%x) {has_side_effect = true} : (tensor<3xf32>) -> tensor<3xf32>
  %2 = "stablehlo.outfeed"(%x, %token) : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  %3 = func.call @printing(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %4 = stablehlo.constant dense<0.0> : tensor<f32>
  %5 = stablehlo.constant dense<1.0> : tensor<f32>
  %6 = stablehlo.constant dense<[3]> : tensor<1xi64>
  %7 = stablehlo.rng %4, %5, %6, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  return %x : tensor<3xf32>
}
func.func private @printing(%x: tensor<3xf32>) -> tensor<3xf32> {
  interpreter.print %x : tensor<3xf32>
  return %x : tensor<3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3xf32>, %arg1: !stablehlo.token) -> tensor<3xf32> {
    %0 = stablehlo.abs %arg0 : tensor<3xf32>
    interpreter.print %0 : tensor<3xf32>
    %1 = stablehlo.custom_call @side(%arg0) {has_side_effect = true} : (tensor<3xf32>) -> tensor<3xf32>
    %2 = "stablehlo.outfeed"(%arg0, %arg1) <{outfeed_config = ""}> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
    %3 = call @printing(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<3> : tensor<1xi64>
    %4 = stablehlo.rng %cst, %cst_0, %c, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
    return %arg0 : tensor<3xf32>
  }
  func.func private @printing(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    interpreter.print %arg0 : tensor<3xf32>
    return %arg0 : tensor<3xf32>
  }
}
// -----
// PASS: dce
// INPUTS: small
// Carried values: %b feeds only itself, %d feeds %e, which is used; %c the condition.
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %0:5 = stablehlo.while(%a = %x, %b = %x, %c = %x, %d = %x, %e = %x) : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %c, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %a, %d : tensor<i32>
    %2 = stablehlo.multiply %b, %b : tensor<i32>
    %3 = stablehlo.add %c, %one : tensor<i32>
    %4 = stablehlo.xor %d, %one : tensor<i32>
    %5 = stablehlo.add %e, %d : tensor<i32>
    stablehlo.return %1, %2, %3, %4, %5 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
  return %0#4 : tensor<i32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<i32>) -> tensor<i32> {
    %0:3 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg0, %iterArg_1 = %arg0) : tensor<i32>, tensor<i32>, tensor<i32>
    cond {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c : tensor<i32>
      %2 = stablehlo.xor %iterArg_0, %c : tensor<i32>
      %3 = stablehlo.add %iterArg_1, %iterArg_0 : tensor<i32>
      stablehlo.return %1, %2, %3 : tensor<i32>, tensor<i32>, tensor<i32>
    }
    return %0#2 : tensor<i32>
  }
}
// -----
// PASS: dce
// An unused result of a branch, and what made it.
func.func @main(%i: tensor<i32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0:3 = "stablehlo.case"(%i) ({
    %1 = stablehlo.negate %x : tensor<3xf32>
    %2 = stablehlo.sine %x : tensor<3xf32>
    stablehlo.return %2, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }, {
    %1 = stablehlo.cosine %x : tensor<3xf32>
    stablehlo.return %1, %x, %1 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }) : (tensor<i32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#1 : tensor<3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.case"(%arg0) ({
      %1 = stablehlo.negate %arg1 : tensor<3xf32>
      stablehlo.return %1 : tensor<3xf32>
    }, {
      stablehlo.return %arg1 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
