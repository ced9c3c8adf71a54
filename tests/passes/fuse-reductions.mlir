// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: fuse-reductions, fuse-maps
// Softmax, with what comes before and after it. No other pass makes groups within it.
func.func @main(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<4x8xf32>
  %0 = stablehlo.multiply %x, %two : tensor<4x8xf32>
  %1 = stablehlo.reduce(%0 init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.reshape %1 : (tensor<4xf32>) -> tensor<4x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %4 = stablehlo.subtract %0, %3 : tensor<4x8xf32>
  %5 = stablehlo.exponential %4 : tensor<4x8xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %8 = stablehlo.divide %5, %7 : tensor<4x8xf32>
  %9 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %10 = stablehlo.multiply %8, %9 : tensor<4x8xf32>
  return %10 : tensor<4x8xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.composite "ghlo.fusion.reduction" %arg0, %arg1 {decomposition = @ghlo.fusion.reduction.1} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func private @ghlo.fusion.reduction.1(%arg0: tensor<4x8xf32>, %arg1: tensor<8xf32>) -> tensor<4x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<4x8xf32>
    %0 = stablehlo.multiply %arg0, %cst_1 : tensor<4x8xf32>
    %1 = stablehlo.reduce(%0 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.reshape %1 : (tensor<4xf32>) -> tensor<4x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
    %4 = stablehlo.subtract %0, %3 : tensor<4x8xf32>
    %5 = stablehlo.exponential %4 : tensor<4x8xf32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %8 = stablehlo.divide %5, %7 : tensor<4x8xf32>
    %9 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %10 = stablehlo.multiply %8, %9 : tensor<4x8xf32>
    return %10 : tensor<4x8xf32>
  }
}
// -----
// PASS: fuse-reductions
// Layer norm of a residual, which others read as well: a second result. Sums are of wider elements.
func.func @main(%x: tensor<2x3x8xbf16>, %r: tensor<2x3x8xbf16>, %g: tensor<8xf32>) -> (tensor<2x3x8xbf16>, tensor<2x3x8xbf16>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<8.0> : tensor<2x3xf32>
  %epsilon = stablehlo.constant dense<1.0e-5> : tensor<2x3xf32>
  %0 = stablehlo.add %x, %r : tensor<2x3x8xbf16>
  %1 = stablehlo.convert %0 : (tensor<2x3x8xbf16>) -> tensor<2x3x8xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3xf32>
  %3 = stablehlo.divide %2, %n : tensor<2x3xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %5 = stablehlo.subtract %1, %4 : tensor<2x3x8xf32>
  %6 = stablehlo.multiply %5, %5 : tensor<2x3x8xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3xf32>
  %8 = stablehlo.divide %7, %n : tensor<2x3xf32>
  %9 = stablehlo.add %8, %epsilon : tensor<2x3xf32>
  %10 = stablehlo.rsqrt %9 : tensor<2x3xf32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
  %12 = stablehlo.multiply %5, %11 : tensor<2x3x8xf32>
  %13 = stablehlo.broadcast_in_dim %g, dims = [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
  %14 = stablehlo.multiply %12, %13 : tensor<2x3x8xf32>
  %15 = stablehlo.convert %14 : (tensor<2x3x8xf32>) -> tensor<2x3x8xbf16>
  return %15, %0 : tensor<2x3x8xbf16>, tensor<2x3x8xbf16>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3x8xbf16>, %arg1: tensor<2x3x8xbf16>, %arg2: tensor<8xf32>) -> (tensor<2x3x8xbf16>, tensor<2x3x8xbf16>) {
    %0:2 = stablehlo.composite "ghlo.fusion.reduction" %arg0, %arg1, %arg2 {decomposition = @ghlo.fusion.reduction.1} : (tensor<2x3x8xbf16>, tensor<2x3x8xbf16>, tensor<8xf32>) -> (tensor<2x3x8xbf16>, tensor<2x3x8xbf16>)
    return %0#1, %0#0 : tensor<2x3x8xbf16>, tensor<2x3x8xbf16>
  }
  func.func private @ghlo.fusion.reduction.1(%arg0: tensor<2x3x8xbf16>, %arg1: tensor<2x3x8xbf16>, %arg2: tensor<8xf32>) -> (tensor<2x3x8xbf16>, tensor<2x3x8xbf16>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<2x3xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<2x3xf32>
    %0 = stablehlo.add %arg0, %arg1 : tensor<2x3x8xbf16>
    %1 = stablehlo.convert %0 : (tensor<2x3x8xbf16>) -> tensor<2x3x8xf32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3xf32>
    %3 = stablehlo.divide %2, %cst_0 : tensor<2x3xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
    %5 = stablehlo.subtract %1, %4 : tensor<2x3x8xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<2x3x8xf32>
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x3x8xf32>, tensor<f32>) -> tensor<2x3xf32>
    %8 = stablehlo.divide %7, %cst_0 : tensor<2x3xf32>
    %9 = stablehlo.add %8, %cst_1 : tensor<2x3xf32>
    %10 = stablehlo.rsqrt %9 : tensor<2x3xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x8xf32>
    %12 = stablehlo.multiply %5, %11 : tensor<2x3x8xf32>
    %13 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<8xf32>) -> tensor<2x3x8xf32>
    %14 = stablehlo.multiply %12, %13 : tensor<2x3x8xf32>
    %15 = stablehlo.convert %14 : (tensor<2x3x8xf32>) -> tensor<2x3x8xbf16>
    return %0, %15 : tensor<2x3x8xbf16>, tensor<2x3x8xbf16>
  }
}
// -----
// PASS: fuse-reductions
// Batch norm in training: both sums of a channel and all that follows, with mean and variance as results.
func.func @main(%x: tensor<2x3x3x4xf32>, %g: tensor<4xf32>) -> (tensor<2x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<18.0> : tensor<4xf32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x3x4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.divide %0, %n : tensor<4xf32>
  %2 = stablehlo.multiply %x, %x : tensor<2x3x3x4xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x3x4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = stablehlo.divide %3, %n : tensor<4xf32>
  %5 = stablehlo.multiply %1, %1 : tensor<4xf32>
  %6 = stablehlo.subtract %4, %5 : tensor<4xf32>
  %7 = stablehlo.rsqrt %6 : tensor<4xf32>
  %8 = stablehlo.multiply %7, %g : tensor<4xf32>
  %9 = stablehlo.broadcast_in_dim %1, dims = [3] : (tensor<4xf32>) -> tensor<2x3x3x4xf32>
  %10 = stablehlo.subtract %x, %9 : tensor<2x3x3x4xf32>
  %11 = stablehlo.broadcast_in_dim %8, dims = [3] : (tensor<4xf32>) -> tensor<2x3x3x4xf32>
  %12 = stablehlo.multiply %10, %11 : tensor<2x3x3x4xf32>
  return %12, %1, %6 : tensor<2x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3x3x4xf32>, %arg1: tensor<4xf32>) -> (tensor<2x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0:3 = stablehlo.composite "ghlo.fusion.reduction" %arg0, %arg1 {decomposition = @ghlo.fusion.reduction.1} : (tensor<2x3x3x4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x3x3x4xf32>)
    return %0#2, %0#0, %0#1 : tensor<2x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @ghlo.fusion.reduction.1(%arg0: tensor<2x3x3x4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x3x3x4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.800000e+01> : tensor<4xf32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x3x4xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.divide %0, %cst_0 : tensor<4xf32>
    %2 = stablehlo.multiply %arg0, %arg0 : tensor<2x3x3x4xf32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x3x4xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.divide %3, %cst_0 : tensor<4xf32>
    %5 = stablehlo.multiply %1, %1 : tensor<4xf32>
    %6 = stablehlo.subtract %4, %5 : tensor<4xf32>
    %7 = stablehlo.rsqrt %6 : tensor<4xf32>
    %8 = stablehlo.multiply %7, %arg1 : tensor<4xf32>
    %9 = stablehlo.broadcast_in_dim %1, dims = [3] : (tensor<4xf32>) -> tensor<2x3x3x4xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<2x3x3x4xf32>
    %11 = stablehlo.broadcast_in_dim %8, dims = [3] : (tensor<4xf32>) -> tensor<2x3x3x4xf32>
    %12 = stablehlo.multiply %10, %11 : tensor<2x3x3x4xf32>
    return %1, %6, %12 : tensor<4xf32>, tensor<4xf32>, tensor<2x3x3x4xf32>
  }
}
// -----
// PASS: fuse-reductions
// Argmax: a reduction of two operands, one of them iota.
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.iota dim = 1 : tensor<4x8xi32>
  %1 = stablehlo.negate %x : tensor<4x8xf32>
  %2:2 = stablehlo.reduce(%1 init: %least), (%0 init: %zero) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {
    %3 = stablehlo.compare GE, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.select %3, %a, %c : tensor<i1>, tensor<f32>
    %5 = stablehlo.select %3, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %4, %5 : tensor<f32>, tensor<i32>
  }
  return %2#0, %2#1 : tensor<4xf32>, tensor<4xi32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
    %0:2 = stablehlo.composite "ghlo.fusion.reduction" %arg0 {decomposition = @ghlo.fusion.reduction.1} : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi32>)
    return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
  }
  func.func private @ghlo.fusion.reduction.1(%arg0: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.iota dim = 1 : tensor<4x8xi32>
    %1 = stablehlo.negate %arg0 : tensor<4x8xf32>
    %2:2 = stablehlo.reduce(%1 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %3 = stablehlo.compare GE, %arg1, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.select %3, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %5 = stablehlo.select %3, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %4, %5 : tensor<f32>, tensor<i32>
    }
    return %2#0, %2#1 : tensor<4xf32>, tensor<4xi32>
  }
}
// -----
// PASS: fuse-reductions
// INPUTS: small
// Siblings; a loss, whose rows are single numbers; what is alone, of other dimensions, and a row along the other
// dimension of a square.
func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.subtract %x, %y : tensor<4x4xf32>
  %3 = stablehlo.multiply %2, %2 : tensor<4x4xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
  %n = stablehlo.constant dense<16.0> : tensor<f32>
  %5 = stablehlo.divide %4, %n : tensor<f32>
  %6 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  %7 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  %9 = stablehlo.divide %y, %8 : tensor<4x4xf32>
  return %0, %1, %5, %6, %9 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4x4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0:2 = stablehlo.composite "ghlo.fusion.reduction" %arg0 {decomposition = @ghlo.fusion.reduction.1} : (tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %1 = stablehlo.composite "ghlo.fusion.reduction" %arg0, %arg1 {decomposition = @ghlo.fusion.reduction.2} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<f32>
    %2 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
    %5 = stablehlo.divide %arg1, %4 : tensor<4x4xf32>
    return %0#0, %0#1, %1, %2, %5 : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4x4xf32>
  }
  func.func private @ghlo.fusion.reduction.1(%arg0: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @ghlo.fusion.reduction.2(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>) -> tensor<f32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.subtract %arg0, %arg1 : tensor<4x4xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<4x4xf32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %3 = stablehlo.divide %2, %cst_0 : tensor<f32>
    return %3 : tensor<f32>
  }
}
// -----
// PASS: fuse-reductions
// INPUTS: small
// One after the other over other dimensions: each has what fits it. Groups without reductions are another pass's.
func.func @main(%x: tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.abs %x : tensor<4x8xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.negate %1 : tensor<4xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.abs %3 : tensor<f32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %6 = stablehlo.negate %5 : tensor<4x8xf32>
  %7 = stablehlo.tanh %6 : tensor<4x8xf32>
  return %4, %7 : tensor<f32>, tensor<4x8xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>) {
    %0 = stablehlo.composite "ghlo.fusion.reduction" %arg0 {decomposition = @ghlo.fusion.reduction.1} : (tensor<4x8xf32>) -> tensor<4xf32>
    %1 = stablehlo.composite "ghlo.fusion.reduction" %0 {decomposition = @ghlo.fusion.reduction.2} : (tensor<4xf32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %3 = stablehlo.negate %2 : tensor<4x8xf32>
    %4 = stablehlo.tanh %3 : tensor<4x8xf32>
    return %1, %4 : tensor<f32>, tensor<4x8xf32>
  }
  func.func private @ghlo.fusion.reduction.1(%arg0: tensor<4x8xf32>) -> tensor<4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.abs %arg0 : tensor<4x8xf32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @ghlo.fusion.reduction.2(%arg0: tensor<4xf32>) -> tensor<f32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.abs %1 : tensor<f32>
    return %2 : tensor<f32>
  }
}
// -----
// PASS: fuse-reductions
// INPUTS: small
// A product between the reduction and its operand; a reduction that begins with what was computed.
func.func @main(%x: tensor<4x4xf32>, %s: tensor<f32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.negate %x : tensor<4x4xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.dot %0, %2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.add %3, %2 : tensor<4x4xf32>
  %5 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
  %6 = stablehlo.negate %5 : tensor<f32>
  %7 = stablehlo.reduce(%x init: %6) applies stablehlo.add across dimensions = [0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %4, %7 : tensor<4x4xf32>, tensor<4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<f32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
    %0:2 = stablehlo.composite "ghlo.fusion.reduction" %arg0 {decomposition = @ghlo.fusion.reduction.1} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>)
    %1 = stablehlo.broadcast_in_dim %0#1, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.dot %0#0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.add %2, %1 : tensor<4x4xf32>
    %4 = stablehlo.composite "ghlo.fusion.reduction" %arg0 {decomposition = @ghlo.fusion.reduction.2} : (tensor<4x4xf32>) -> tensor<f32>
    %5 = stablehlo.reduce(%arg0 init: %4) applies stablehlo.add across dimensions = [0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    return %3, %5 : tensor<4x4xf32>, tensor<4xf32>
  }
  func.func private @ghlo.fusion.reduction.1(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.negate %arg0 : tensor<4x4xf32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    return %0, %1 : tensor<4x4xf32>, tensor<4xf32>
  }
  func.func private @ghlo.fusion.reduction.2(%arg0: tensor<4x4xf32>) -> tensor<f32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.negate %0 : tensor<f32>
    return %1 : tensor<f32>
  }
}
// -----
// PASS: fuse-reductions, fuse-maps
// INPUTS: small
// In a body: what is outside of it is an input. Functions of both passes stand side by side.
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %i1 = stablehlo.constant dense<1> : tensor<i32>
  %i2 = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.abs %x : tensor<4x8xf32>
  %1 = stablehlo.sqrt %0 : tensor<4x8xf32>
  %2:2 = stablehlo.while(%i = %i0, %s = %x) : tensor<i32>, tensor<4x8xf32>
  cond {
    %c = stablehlo.compare LT, %i, %i2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %i1 : tensor<i32>
    %3 = stablehlo.multiply %s, %1 : tensor<4x8xf32>
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %6 = stablehlo.subtract %3, %5 : tensor<4x8xf32>
    stablehlo.return %j, %6 : tensor<i32>, tensor<4x8xf32>
  }
  return %2#1 : tensor<4x8xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.composite "ghlo.fusion.map" %arg0 {decomposition = @ghlo.fusion.map.2} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_2 = %arg0) : tensor<i32>, tensor<4x8xf32>
    cond {
      %2 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.add %iterArg, %c_0 : tensor<i32>
      %3 = stablehlo.composite "ghlo.fusion.reduction" %iterArg_2, %0 {decomposition = @ghlo.fusion.reduction.1} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      stablehlo.return %2, %3 : tensor<i32>, tensor<4x8xf32>
    }
    return %1#1 : tensor<4x8xf32>
  }
  func.func private @ghlo.fusion.reduction.1(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<4x8xf32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %3 = stablehlo.subtract %0, %2 : tensor<4x8xf32>
    return %3 : tensor<4x8xf32>
  }
  func.func private @ghlo.fusion.map.2(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.abs %arg0 : tensor<4x8xf32>
    %1 = stablehlo.sqrt %0 : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
}
