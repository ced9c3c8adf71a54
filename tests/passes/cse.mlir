// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: cse
// Equal operations, commutative ones in either order; equal reductions by what their
// bodies do; not those whose attributes differ.
func.func @main(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %z2 = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.add %x, %y : tensor<3x4xf32>
  %1 = stablehlo.add %y, %x : tensor<3x4xf32>
  %2 = stablehlo.subtract %x, %y : tensor<3x4xf32>
  %3 = stablehlo.subtract %y, %x : tensor<3x4xf32>
  %4 = stablehlo.multiply %0, %1 : tensor<3x4xf32>
  %5 = stablehlo.multiply %2, %3 : tensor<3x4xf32>
  %6 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %7 = stablehlo.reduce(%x init: %z2) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %8 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %9 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
  %10 = stablehlo.add %6, %7 : tensor<3xf32>
  return %4, %5, %10, %8, %9 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.add %arg0, %arg1 : tensor<3x4xf32>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<3x4xf32>
    %2 = stablehlo.subtract %arg1, %arg0 : tensor<3x4xf32>
    %3 = stablehlo.multiply %0, %0 : tensor<3x4xf32>
    %4 = stablehlo.multiply %1, %2 : tensor<3x4xf32>
    %5 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    %6 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    %7 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.add %5, %5 : tensor<3xf32>
    return %3, %4, %8, %6, %7 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>
  }
}
// -----
// PASS: cse
// Regions of control flow see what stands around them, not each other.
func.func @main(%p: tensor<i1>, %x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = stablehlo.exponential %x : tensor<3xf32>
  %1 = "stablehlo.if"(%p) ({
    %3 = stablehlo.exponential %x : tensor<3xf32>
    %4 = stablehlo.sine %x : tensor<3xf32>
    %5 = stablehlo.add %3, %4 : tensor<3xf32>
    stablehlo.return %5 : tensor<3xf32>
  }, {
    %3 = stablehlo.sine %x : tensor<3xf32>
    stablehlo.return %3 : tensor<3xf32>
  }) : (tensor<i1>) -> tensor<3xf32>
  %2 = stablehlo.sine %x : tensor<3xf32>
  %6 = stablehlo.add %0, %2 : tensor<3xf32>
  return %1, %6 : tensor<3xf32>, tensor<3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<i1>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %0 = stablehlo.exponential %arg1 : tensor<3xf32>
    %1 = "stablehlo.if"(%arg0) ({
      %4 = stablehlo.sine %arg1 : tensor<3xf32>
      %5 = stablehlo.add %0, %4 : tensor<3xf32>
      stablehlo.return %5 : tensor<3xf32>
    }, {
      %4 = stablehlo.sine %arg1 : tensor<3xf32>
      stablehlo.return %4 : tensor<3xf32>
    }) : (tensor<i1>) -> tensor<3xf32>
    %2 = stablehlo.sine %arg1 : tensor<3xf32>
    %3 = stablehlo.add %0, %2 : tensor<3xf32>
    return %1, %3 : tensor<3xf32>, tensor<3xf32>
  }
}
// -----
// PASS: cse
// Neither random numbers, nor barriers, nor what has effects.
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = stablehlo.optimization_barrier %x : tensor<3xf32>
  %1 = stablehlo.optimization_barrier %x : tensor<3xf32>
  %2 = stablehlo.add %0, %1 : tensor<3xf32>
  %3 = "interpreter.probe"(%x) {probe_id = "a"} : (tensor<3xf32>) -> tensor<3xf32>
  %4 = "interpreter.probe"(%x) {probe_id = "a"} : (tensor<3xf32>) -> tensor<3xf32>
  %5 = stablehlo.add %3, %4 : tensor<3xf32>
  return %2, %5 : tensor<3xf32>, tensor<3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %0 = stablehlo.optimization_barrier %arg0 : tensor<3xf32>
    %1 = stablehlo.optimization_barrier %arg0 : tensor<3xf32>
    %2 = stablehlo.add %0, %1 : tensor<3xf32>
    %3 = interpreter.probe %arg0, probe_id = "a" : tensor<3xf32>
    %4 = interpreter.probe %arg0, probe_id = "a" : tensor<3xf32>
    %5 = stablehlo.add %3, %4 : tensor<3xf32>
    return %2, %5 : tensor<3xf32>, tensor<3xf32>
  }
}
// -----
// PASS: cse
// Nor what other tools have marked differently.
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = stablehlo.abs %x {mhlo.sharding = "a"} : tensor<3xf32>
  %1 = stablehlo.abs %x {mhlo.sharding = "b"} : tensor<3xf32>
  %2 = stablehlo.abs %x {mhlo.sharding = "a"} : tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %0 = stablehlo.abs %arg0 {mhlo.sharding = "a"} : tensor<3xf32>
    %1 = stablehlo.abs %arg0 {mhlo.sharding = "b"} : tensor<3xf32>
    return %0, %1, %0 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}
