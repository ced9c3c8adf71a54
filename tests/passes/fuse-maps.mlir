// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: fuse-maps
// GELU: constants, also of the shape of all, are in the group; what others use is a result too.
func.func @main(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %half = stablehlo.constant dense<0.5> : tensor<4x8xf32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %ones = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %scale = stablehlo.constant dense<0.70710678> : tensor<4x8xf32>
  %bias = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %0 = stablehlo.add %x, %bias : tensor<4x8xf32>
  %1 = stablehlo.multiply %0, %scale : tensor<4x8xf32>
  %2 = chlo.erf %1 : tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = stablehlo.add %2, %ones : tensor<4x8xf32>
  %4 = stablehlo.multiply %0, %half : tensor<4x8xf32>
  %5 = stablehlo.multiply %4, %3 : tensor<4x8xf32>
  return %5, %0 : tensor<4x8xf32>, tensor<4x8xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %0:2 = stablehlo.composite "ghlo.fusion.map" %arg1, %arg0 {decomposition = @ghlo.fusion.map.1} : (tensor<8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
    return %0#1, %0#0 : tensor<4x8xf32>, tensor<4x8xf32>
  }
  func.func private @ghlo.fusion.map.1(%arg0: tensor<8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<4x8xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %cst_1 = stablehlo.constant dense<0.707106769> : tensor<4x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %2 = stablehlo.add %arg1, %1 : tensor<4x8xf32>
    %3 = stablehlo.multiply %2, %cst_1 : tensor<4x8xf32>
    %4 = chlo.erf %3 : tensor<4x8xf32> -> tensor<4x8xf32>
    %5 = stablehlo.add %4, %0 : tensor<4x8xf32>
    %6 = stablehlo.multiply %2, %cst : tensor<4x8xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<4x8xf32>
    return %2, %7 : tensor<4x8xf32>, tensor<4x8xf32>
  }
}
// -----
// PASS: fuse-maps
// Siblings that read the same; and what reads nothing of theirs.
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi1>, tensor<4x8xf32>) {
  %0 = stablehlo.add %x, %y : tensor<4x8xf32>
  %1 = stablehlo.compare LT, %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  %2 = stablehlo.negate %z : tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xi1>, tensor<4x8xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi1>, tensor<4x8xf32>) {
    %0:2 = stablehlo.composite "ghlo.fusion.map" %arg0, %arg1 {decomposition = @ghlo.fusion.map.1} : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi1>)
    %1 = stablehlo.negate %arg2 : tensor<4x8xf32>
    return %0#0, %0#1, %1 : tensor<4x8xf32>, tensor<4x8xi1>, tensor<4x8xf32>
  }
  func.func private @ghlo.fusion.map.1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi1>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4x8xf32>
    %1 = stablehlo.compare LT, %arg0, %arg0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
    return %0, %1 : tensor<4x8xf32>, tensor<4x8xi1>
  }
}
// -----
// PASS: fuse-maps
// Not all of one group: a product stands between %0 and %2. What waits for it goes behind it.
func.func @main(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.negate %x : tensor<4x4xf32>
  %1 = stablehlo.dot %0, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.add %1, %0 : tensor<4x4xf32>
  %3 = stablehlo.abs %0 : tensor<4x4xf32>
  %4 = stablehlo.multiply %3, %2 : tensor<4x4xf32>
  return %4, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %0:2 = stablehlo.composite "ghlo.fusion.map" %arg0 {decomposition = @ghlo.fusion.map.1} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
    %1 = stablehlo.dot %0#0, %arg0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.composite "ghlo.fusion.map" %1, %0#0, %0#1 {decomposition = @ghlo.fusion.map.2} : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %2, %0#1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func private @ghlo.fusion.map.1(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<4x4xf32>
    %1 = stablehlo.abs %0 : tensor<4x4xf32>
    return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func private @ghlo.fusion.map.2(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>, %arg2: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4x4xf32>
    %1 = stablehlo.multiply %arg2, %0 : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}
// -----
// PASS: fuse-maps
// A group whose last input is made behind what uses its first result: the user is moved.
func.func @main(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.negate %x : tensor<4x4xf32>
  %1 = stablehlo.dot %0, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.dot %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.add %0, %2 : tensor<4x4xf32>
  return %1, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %0 = stablehlo.dot %arg0, %arg0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1:2 = stablehlo.composite "ghlo.fusion.map" %arg0, %0 {decomposition = @ghlo.fusion.map.1} : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
    %2 = stablehlo.dot %1#0, %arg0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %2, %1#1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func private @ghlo.fusion.map.1(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<4x4xf32>
    %1 = stablehlo.add %0, %arg1 : tensor<4x4xf32>
    return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
}
// -----
// PASS: fuse-maps
// INPUTS: none
// What has effects keeps its order: %1 before %2, so %0 and %3 are no group.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = stablehlo.custom_call @first(%0) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @second(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = stablehlo.add %2, %0 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    %1 = stablehlo.custom_call @first(%0) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @second(%arg0) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    %3 = stablehlo.add %2, %0 : tensor<4xf32>
    return %3 : tensor<4xf32>
  }
}
// -----
// PASS: fuse-maps
// INPUTS: none
// The same without side effects: %2 goes ahead, %1 behind the group.
func.func @main(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.negate %x : tensor<4x4xf32>
  %1 = stablehlo.cholesky %0, lower = true : tensor<4x4xf32>
  %2 = stablehlo.cholesky %x, lower = true : tensor<4x4xf32>
  %3 = stablehlo.add %2, %0 : tensor<4x4xf32>
  return %3, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %0 = stablehlo.cholesky %arg0, lower = true : tensor<4x4xf32>
    %1:2 = stablehlo.composite "ghlo.fusion.map" %arg0, %0 {decomposition = @ghlo.fusion.map.1} : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
    %2 = stablehlo.cholesky %1#0, lower = true : tensor<4x4xf32>
    return %1#1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func private @ghlo.fusion.map.1(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<4x4xf32>
    %1 = stablehlo.add %arg1, %0 : tensor<4x4xf32>
    return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
}
// -----
// PASS: fuse-maps
// Rotated halves: slices, a concatenation and a transpose read what is computed where they need it. A function is
// not computed so, nor what others use.
func.func @main(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>) {
  %0 = stablehlo.slice %x [0:4, 0:4] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.slice %x [0:4, 4:8] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.negate %1 : tensor<4x4xf32>
  %3 = stablehlo.concatenate %2, %0, dim = 1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  %4 = stablehlo.add %y, %y : tensor<8x4xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %6 = stablehlo.multiply %3, %5 : tensor<4x8xf32>
  %7 = stablehlo.tanh %y : tensor<8x4xf32>
  %8 = stablehlo.transpose %7, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %9 = stablehlo.abs %8 : tensor<4x8xf32>
  %10 = stablehlo.multiply %y, %y : tensor<8x4xf32>
  %11 = stablehlo.transpose %10, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %12 = stablehlo.abs %11 : tensor<4x8xf32>
  return %6, %9, %10, %12 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x4xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>) {
    %0 = stablehlo.composite "ghlo.fusion.map" %arg0, %arg1 {decomposition = @ghlo.fusion.map.1} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x8xf32>
    %1:2 = stablehlo.composite "ghlo.fusion.map" %arg1 {decomposition = @ghlo.fusion.map.2} : (tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
    %2 = stablehlo.transpose %1#0, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %3 = stablehlo.abs %2 : tensor<4x8xf32>
    %4 = stablehlo.transpose %1#1, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %5 = stablehlo.abs %4 : tensor<4x8xf32>
    return %0, %3, %1#1, %5 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>
  }
  func.func private @ghlo.fusion.map.1(%arg0: tensor<4x8xf32>, %arg1: tensor<8x4xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.slice %arg0 [0:4, 0:4] : (tensor<4x8xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.slice %arg0 [0:4, 4:8] : (tensor<4x8xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.negate %1 : tensor<4x4xf32>
    %3 = stablehlo.concatenate %2, %0, dim = 1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
    %4 = stablehlo.add %arg1, %arg1 : tensor<8x4xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %6 = stablehlo.multiply %3, %5 : tensor<4x8xf32>
    return %6 : tensor<4x8xf32>
  }
  func.func private @ghlo.fusion.map.2(%arg0: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %0 = stablehlo.tanh %arg0 : tensor<8x4xf32>
    %1 = stablehlo.multiply %arg0, %arg0 : tensor<8x4xf32>
    return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
// -----
// PASS: fuse-maps
// Padding with a number; ones come and go; a clamp by single numbers that are not the group's.
func.func @main(%x: tensor<2x3xf32>, %l: tensor<f32>, %y: tensor<4x1x5xf32>) -> tensor<4x5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.negate %x : tensor<2x3xf32>
  %1 = stablehlo.pad %0, %zero, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x5xf32>
  %2 = stablehlo.add %y, %y : tensor<4x1x5xf32>
  %3 = stablehlo.reshape %2 : (tensor<4x1x5xf32>) -> tensor<4x5xf32>
  %4 = stablehlo.multiply %1, %3 : tensor<4x5xf32>
  %5 = stablehlo.negate %l : tensor<f32>
  %6 = stablehlo.clamp %5, %4, %zero : (tensor<f32>, tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  return %6 : tensor<4x5xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>, %arg2: tensor<4x1x5xf32>) -> tensor<4x5xf32> {
    %0 = stablehlo.negate %arg1 : tensor<f32>
    %1 = stablehlo.composite "ghlo.fusion.map" %arg0, %arg2, %0 {decomposition = @ghlo.fusion.map.1} : (tensor<2x3xf32>, tensor<4x1x5xf32>, tensor<f32>) -> tensor<4x5xf32>
    return %1 : tensor<4x5xf32>
  }
  func.func private @ghlo.fusion.map.1(%arg0: tensor<2x3xf32>, %arg1: tensor<4x1x5xf32>, %arg2: tensor<f32>) -> tensor<4x5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.negate %arg0 : tensor<2x3xf32>
    %1 = stablehlo.pad %0, %cst, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x5xf32>
    %2 = stablehlo.add %arg1, %arg1 : tensor<4x1x5xf32>
    %3 = stablehlo.reshape %2 : (tensor<4x1x5xf32>) -> tensor<4x5xf32>
    %4 = stablehlo.multiply %1, %3 : tensor<4x5xf32>
    %5 = stablehlo.clamp %arg2, %4, %cst : (tensor<f32>, tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
    return %5 : tensor<4x5xf32>
  }
}
// -----
// PASS: fuse-maps
// A conversion that two groups read is in both; iota is read by a single operation.
func.func @main(%x: tensor<4x4xbf16>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xi1>) {
  %0 = stablehlo.convert %x : (tensor<4x4xbf16>) -> tensor<4x4xf32>
  %1 = stablehlo.abs %0 : tensor<4x4xf32>
  %2 = stablehlo.negate %1 : tensor<4x4xf32>
  %3 = stablehlo.dot %2, %2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.add %3, %0 : tensor<4x4xf32>
  %5 = stablehlo.abs %4 : tensor<4x4xf32>
  %6 = stablehlo.iota dim = 0 : tensor<4x4xi32>
  %7 = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %8 = stablehlo.compare LT, %6, %7 : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
  return %2, %5, %8 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xi1>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x4xbf16>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xi1>) {
    %0 = stablehlo.composite "ghlo.fusion.map" %arg0 {decomposition = @ghlo.fusion.map.1} : (tensor<4x4xbf16>) -> tensor<4x4xf32>
    %1 = stablehlo.dot %0, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.composite "ghlo.fusion.map" %arg0, %1 {decomposition = @ghlo.fusion.map.2} : (tensor<4x4xbf16>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.composite "ghlo.fusion.map" {decomposition = @ghlo.fusion.map.3} : () -> tensor<4x4xi1>
    return %0, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xi1>
  }
  func.func private @ghlo.fusion.map.1(%arg0: tensor<4x4xbf16>) -> tensor<4x4xf32> {
    %0 = stablehlo.convert %arg0 : (tensor<4x4xbf16>) -> tensor<4x4xf32>
    %1 = stablehlo.abs %0 : tensor<4x4xf32>
    %2 = stablehlo.negate %1 : tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }
  func.func private @ghlo.fusion.map.2(%arg0: tensor<4x4xbf16>, %arg1: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.convert %arg0 : (tensor<4x4xbf16>) -> tensor<4x4xf32>
    %1 = stablehlo.add %arg1, %0 : tensor<4x4xf32>
    %2 = stablehlo.abs %1 : tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }
  func.func private @ghlo.fusion.map.3() -> tensor<4x4xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %1 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %2 = stablehlo.compare LT, %0, %1 : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    return %2 : tensor<4x4xi1>
  }
}
// -----
// PASS: fuse-maps
// INPUTS: small
// In loops: the counter and the condition stay as they are; a constant from outside is in the group.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %k = stablehlo.multiply %j, %j : tensor<i32>
    %f = stablehlo.convert %k : (tensor<i32>) -> tensor<f32>
    %2 = stablehlo.multiply %s, %two : tensor<4xf32>
    %g = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.add %2, %0 : tensor<4xf32>
    %4 = stablehlo.add %3, %g : tensor<4xf32>
    stablehlo.return %j, %4 : tensor<i32>, tensor<4xf32>
  }
  return %1#1 : tensor<4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_2 = %arg0) : tensor<i32>, tensor<4xf32>
    cond {
      %2 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.add %iterArg, %c_0 : tensor<i32>
      %3 = stablehlo.composite "ghlo.fusion.map" %2 {decomposition = @ghlo.fusion.map.1} : (tensor<i32>) -> tensor<f32>
      %4 = stablehlo.composite "ghlo.fusion.map" %iterArg_2, %3, %0 {decomposition = @ghlo.fusion.map.2} : (tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %2, %4 : tensor<i32>, tensor<4xf32>
    }
    return %1#1 : tensor<4xf32>
  }
  func.func private @ghlo.fusion.map.1(%arg0: tensor<i32>) -> tensor<f32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<i32>
    %1 = stablehlo.convert %0 : (tensor<i32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @ghlo.fusion.map.2(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<4xf32>
    %0 = stablehlo.multiply %arg0, %cst : tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.add %0, %arg2 : tensor<4xf32>
    %3 = stablehlo.add %2, %1 : tensor<4xf32>
    return %3 : tensor<4xf32>
  }
}
// -----
// PASS: fuse-maps
// Groups that differ in what is an input and what is their own alone have functions of their own.
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %p: tensor<2x2xf32>, %q: tensor<2x2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.multiply %a, %c : tensor<4xf32>
  %2 = stablehlo.reshape %p : (tensor<2x2xf32>) -> tensor<4xf32>
  %5 = stablehlo.reshape %q : (tensor<2x2xf32>) -> tensor<4xf32>
  %3 = stablehlo.add %2, %5 : tensor<4xf32>
  %4 = stablehlo.multiply %2, %3 : tensor<4xf32>
  return %0, %4 : tensor<4xf32>, tensor<4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<2x2xf32>, %arg4: tensor<2x2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.composite "ghlo.fusion.map" %arg0, %arg1, %arg2 {decomposition = @ghlo.fusion.map.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.reshape %arg3 : (tensor<2x2xf32>) -> tensor<4xf32>
    %2 = stablehlo.reshape %arg4 : (tensor<2x2xf32>) -> tensor<4xf32>
    %3 = stablehlo.composite "ghlo.fusion.map" %1, %2 {decomposition = @ghlo.fusion.map.2} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %0, %3 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @ghlo.fusion.map.1(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
    %1 = stablehlo.multiply %arg0, %arg2 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @ghlo.fusion.map.2(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
// -----
// PASS: fuse-maps
// Not at all: empty, alone, of other shapes. Integers of few bits are as others.
func.func @main(%x: tensor<0x4xf32>, %y: tensor<4xi4>, %z: tensor<4xf32>, %s: tensor<f32>) -> (tensor<0x4xf32>, tensor<4xi4>, tensor<4xf32>, tensor<8xf32>) {
  %0 = stablehlo.negate %x : tensor<0x4xf32>
  %1 = stablehlo.abs %0 : tensor<0x4xf32>
  %2 = stablehlo.add %y, %y : tensor<4xi4>
  %3 = stablehlo.multiply %2, %y : tensor<4xi4>
  %4 = stablehlo.negate %z : tensor<4xf32>
  %5 = stablehlo.negate %s : tensor<f32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %7 = stablehlo.abs %6 : tensor<8xf32>
  return %1, %3, %4, %7 : tensor<0x4xf32>, tensor<4xi4>, tensor<4xf32>, tensor<8xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<0x4xf32>, %arg1: tensor<4xi4>, %arg2: tensor<4xf32>, %arg3: tensor<f32>) -> (tensor<0x4xf32>, tensor<4xi4>, tensor<4xf32>, tensor<8xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<0x4xf32>
    %1 = stablehlo.abs %0 : tensor<0x4xf32>
    %2 = stablehlo.composite "ghlo.fusion.map" %arg1 {decomposition = @ghlo.fusion.map.1} : (tensor<4xi4>) -> tensor<4xi4>
    %3 = stablehlo.negate %arg2 : tensor<4xf32>
    %4 = stablehlo.negate %arg3 : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %6 = stablehlo.abs %5 : tensor<8xf32>
    return %1, %2, %3, %6 : tensor<0x4xf32>, tensor<4xi4>, tensor<4xf32>, tensor<8xf32>
  }
  func.func private @ghlo.fusion.map.1(%arg0: tensor<4xi4>) -> tensor<4xi4> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xi4>
    %1 = stablehlo.multiply %0, %arg0 : tensor<4xi4>
    return %1 : tensor<4xi4>
  }
}
// -----
// PASS: fuse-maps
// What pads between elements is in the group of its readers, and what computes these elements is not.
func.func @main(%x: tensor<4x8xf32>, %f: tensor<f32>) -> tensor<7x8xf32> {
  %0 = stablehlo.tanh %x : tensor<4x8xf32>
  %1 = stablehlo.negate %0 : tensor<4x8xf32>
  %2 = stablehlo.pad %1, %f, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<7x8xf32>
  %3 = stablehlo.add %2, %2 : tensor<7x8xf32>
  return %3 : tensor<7x8xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) -> tensor<7x8xf32> {
    %0 = stablehlo.composite "ghlo.fusion.map" %arg0 {decomposition = @ghlo.fusion.map.1} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.composite "ghlo.fusion.map" %0, %arg1 {decomposition = @ghlo.fusion.map.2} : (tensor<4x8xf32>, tensor<f32>) -> tensor<7x8xf32>
    return %1 : tensor<7x8xf32>
  }
  func.func private @ghlo.fusion.map.1(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.tanh %arg0 : tensor<4x8xf32>
    %1 = stablehlo.negate %0 : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
  func.func private @ghlo.fusion.map.2(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) -> tensor<7x8xf32> {
    %0 = stablehlo.pad %arg0, %arg1, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<7x8xf32>
    %1 = stablehlo.add %0, %0 : tensor<7x8xf32>
    return %1 : tensor<7x8xf32>
  }
}
