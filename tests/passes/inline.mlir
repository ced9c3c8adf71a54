// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: inline
// Calls in calls, a callee of two, one that calls itself, and a composite.
func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %0 = func.call @twice(%x) : (tensor<3xi32>) -> tensor<3xi32>
  %1 = func.call @once(%0) : (tensor<3xi32>) -> tensor<3xi32>
  %2 = stablehlo.composite "ns.negated" %1 {decomposition = @negated} : (tensor<3xi32>) -> tensor<3xi32>
  return %1, %2 : tensor<3xi32>, tensor<3xi32>
}
func.func private @twice(%x: tensor<3xi32>) -> tensor<3xi32> {
  %0 = func.call @once(%x) : (tensor<3xi32>) -> tensor<3xi32>
  %1 = func.call @once(%0) : (tensor<3xi32>) -> tensor<3xi32>
  return %1 : tensor<3xi32>
}
func.func private @once(%x: tensor<3xi32>) -> tensor<3xi32> {
  %0 = stablehlo.add %x, %x : tensor<3xi32>
  return %0 : tensor<3xi32>
}
func.func private @negated(%x: tensor<3xi32>) -> tensor<3xi32> {
  %0 = stablehlo.negate %x : tensor<3xi32>
  return %0 : tensor<3xi32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<3xi32>
    %1 = stablehlo.add %0, %0 : tensor<3xi32>
    %2 = stablehlo.add %1, %1 : tensor<3xi32>
    %3 = stablehlo.negate %2 : tensor<3xi32>
    return %2, %3 : tensor<3xi32>, tensor<3xi32>
  }
  func.func private @twice(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<3xi32>
    %1 = stablehlo.add %0, %0 : tensor<3xi32>
    return %1 : tensor<3xi32>
  }
  func.func private @once(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func private @negated(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.negate %arg0 : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
// PASS: inline,dce
// Into a loop's body, with the callee's own regions; a callee that hands arguments back.
func.func @main(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %v = %x) : tensor<i32>, tensor<4xi32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %2 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.add %i, %one : tensor<i32>
    %3 = func.call @step(%v, %i) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    stablehlo.return %2, %3 : tensor<i32>, tensor<4xi32>
  }
  %1:2 = func.call @swapped(%x, %0#1) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  return %1#0, %1#1 : tensor<4xi32>, tensor<4xi32>
}
func.func private @step(%v: tensor<4xi32>, %i: tensor<i32>) -> tensor<4xi32> {
  %0 = stablehlo.reduce(%v init: %i) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<4xi32>
  return %1 : tensor<4xi32>
}
func.func private @swapped(%a: tensor<4xi32>, %b: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  return %b, %a : tensor<4xi32>, tensor<4xi32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<4xi32>
    cond {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %2 = stablehlo.reduce(%iterArg_0 init: %iterArg) applies stablehlo.add across dimensions = [0] : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
      %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<4xi32>
      stablehlo.return %1, %3 : tensor<i32>, tensor<4xi32>
    }
    return %0#1, %arg0 : tensor<4xi32>, tensor<4xi32>
  }
}
// -----
// PASS: inline
// What calls itself stays, also by way of another.
func.func @main(%x: tensor<i1>) -> tensor<i1> {
  %0 = func.call @a(%x) : (tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func private @a(%x: tensor<i1>) -> tensor<i1> {
  %0 = "stablehlo.if"(%x) ({
    %1 = stablehlo.not %x : tensor<i1>
    %2 = func.call @b(%1) : (tensor<i1>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }, {
    stablehlo.return %x : tensor<i1>
  }) : (tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func private @b(%x: tensor<i1>) -> tensor<i1> {
  %0 = func.call @a(%x) : (tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<i1>) -> tensor<i1> {
    %0 = "stablehlo.if"(%arg0) ({
      %1 = stablehlo.not %arg0 : tensor<i1>
      %2 = func.call @a(%1) : (tensor<i1>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }, {
      stablehlo.return %arg0 : tensor<i1>
    }) : (tensor<i1>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func private @a(%arg0: tensor<i1>) -> tensor<i1> {
    %0 = "stablehlo.if"(%arg0) ({
      %1 = stablehlo.not %arg0 : tensor<i1>
      %2 = func.call @a(%1) : (tensor<i1>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }, {
      stablehlo.return %arg0 : tensor<i1>
    }) : (tensor<i1>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func private @b(%arg0: tensor<i1>) -> tensor<i1> {
    %0 = call @a(%arg0) : (tensor<i1>) -> tensor<i1>
    return %0 : tensor<i1>
  }
}
// -----
// PASS: inline
// A callee that asks not to be.
func.func @main(%x: tensor<3xi32>) -> tensor<3xi32> {
  %0 = func.call @f(%x) : (tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
func.func private @f(%x: tensor<3xi32>) -> tensor<3xi32> attributes {no_inline} {
  return %x : tensor<3xi32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = call @f(%arg0) : (tensor<3xi32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
  func.func private @f(%arg0: tensor<3xi32>) -> tensor<3xi32> attributes {no_inline} {
    return %arg0 : tensor<3xi32>
  }
}
