// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: fuse-epilogues
// A bias, relu and a residual: products and convolutions whose result goes through
// elementwise operations become a fusion.
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
    %0 = stablehlo.composite "ghlo.fusion.epilogue" %arg0, %arg1, %arg2, %arg3 {decomposition = @ghlo.fusion.epilogue.1} : (tensor<4x8xf32>, tensor<8x3xf32>, tensor<3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  func.func private @ghlo.fusion.epilogue.1(%arg0: tensor<4x8xf32>, %arg1: tensor<8x3xf32>, %arg2: tensor<3xf32>, %arg3: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x3xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
    %2 = stablehlo.add %0, %1 : tensor<4x3xf32>
    %3 = stablehlo.maximum %2, %cst : tensor<4x3xf32>
    %4 = stablehlo.add %arg3, %3 : tensor<4x3xf32>
    return %4 : tensor<4x3xf32>
  }
}
// -----
// PASS: fuse-epilogues
// Two uses; another type; the last operation; behind a reshape.
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
    %0 = stablehlo.composite "ghlo.fusion.epilogue" %arg0, %arg1 {decomposition = @ghlo.fusion.epilogue.1} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.composite "ghlo.fusion.epilogue" %arg0, %arg1 {decomposition = @ghlo.fusion.epilogue.2} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xi1>
    %2 = stablehlo.dot %arg0, %arg1 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %3 = stablehlo.composite "ghlo.fusion.epilogue" %arg0, %arg1 {decomposition = @ghlo.fusion.epilogue.3} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<24xf32>
    return %0, %1, %2, %3 : tensor<4x6xf32>, tensor<4x6xi1>, tensor<4x6xf32>, tensor<24xf32>
  }
  func.func private @ghlo.fusion.epilogue.1(%arg0: tensor<4x8xf32>, %arg1: tensor<8x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
  func.func private @ghlo.fusion.epilogue.2(%arg0: tensor<4x8xf32>, %arg1: tensor<8x6xf32>) -> tensor<4x6xi1> {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4x6xf32>
    %1 = stablehlo.compare LT, %0, %cst : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    return %1 : tensor<4x6xi1>
  }
  func.func private @ghlo.fusion.epilogue.3(%arg0: tensor<4x8xf32>, %arg1: tensor<8x6xf32>) -> tensor<24xf32> {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<4x6xf32>) -> tensor<24xf32>
    %2 = stablehlo.negate %1 : tensor<24xf32>
    return %2 : tensor<24xf32>
  }
}
// -----
// PASS: fuse-epilogues
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
      %3 = stablehlo.composite "ghlo.fusion.epilogue" %iterArg_1, %arg0, %0 {decomposition = @ghlo.fusion.epilogue.1} : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      stablehlo.return %2, %3 : tensor<i32>, tensor<4x4xf32>
    }
    return %1#1 : tensor<4x4xf32>
  }
  func.func private @ghlo.fusion.epilogue.1(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>, %arg2: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.tanh %0 : tensor<4x4xf32>
    %2 = stablehlo.add %1, %arg2 : tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }
}
// -----
// PASS: fuse-epilogues
// Equal groups have one function; with the product on the other side of a difference it is another group.
func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = stablehlo.dot %x, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.subtract %0, %x : tensor<4x4xf32>
  %2 = stablehlo.dot %y, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.subtract %2, %y : tensor<4x4xf32>
  %4 = stablehlo.dot %1, %3 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = stablehlo.subtract %3, %4 : tensor<4x4xf32>
  return %1, %3, %5 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
    %0 = stablehlo.composite "ghlo.fusion.epilogue" %arg0, %arg1 {decomposition = @ghlo.fusion.epilogue.1} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.composite "ghlo.fusion.epilogue" %arg1, %0 {decomposition = @ghlo.fusion.epilogue.1} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.composite "ghlo.fusion.epilogue" %0, %1 {decomposition = @ghlo.fusion.epilogue.2} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.func private @ghlo.fusion.epilogue.1(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.subtract %0, %arg0 : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
  func.func private @ghlo.fusion.epilogue.2(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.subtract %arg1, %0 : tensor<4x4xf32>
    return %1 : tensor<4x4xf32>
  }
}
// -----
// PASS: fuse-epilogues
// A fusion stands where all that it takes is there, and views go ahead; what it takes may be another fusion's.
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<8x4xf32>) {
  %0 = stablehlo.dot %x, %w : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.dot %x, %w : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.add %w, %w : tensor<8x4xf32>
  %3 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = stablehlo.add %1, %4 : tensor<4x4xf32>
  %6 = stablehlo.reshape %0 : (tensor<4x4xf32>) -> tensor<16xf32>
  %7 = stablehlo.reshape %5 : (tensor<4x4xf32>) -> tensor<16xf32>
  %8 = stablehlo.multiply %6, %7 : tensor<16xf32>
  %9 = stablehlo.reshape %8 : (tensor<16xf32>) -> tensor<4x4xf32>
  return %9, %2 : tensor<4x4xf32>, tensor<8x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<8x4xf32>) {
    %0 = stablehlo.add %arg1, %arg1 : tensor<8x4xf32>
    %1 = stablehlo.composite "ghlo.fusion.epilogue" %arg0, %arg1, %arg2 {decomposition = @ghlo.fusion.epilogue.1} : (tensor<4x8xf32>, tensor<8x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<4x4xf32>) -> tensor<16xf32>
    %3 = stablehlo.composite "ghlo.fusion.epilogue" %arg0, %arg1, %2 {decomposition = @ghlo.fusion.epilogue.2} : (tensor<4x8xf32>, tensor<8x4xf32>, tensor<16xf32>) -> tensor<16xf32>
    %4 = stablehlo.reshape %3 : (tensor<16xf32>) -> tensor<4x4xf32>
    return %4, %0 : tensor<4x4xf32>, tensor<8x4xf32>
  }
  func.func private @ghlo.fusion.epilogue.1(%arg0: tensor<4x8xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.add %0, %2 : tensor<4x4xf32>
    return %3 : tensor<4x4xf32>
  }
  func.func private @ghlo.fusion.epilogue.2(%arg0: tensor<4x8xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<16xf32>) -> tensor<16xf32> {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<4x4xf32>) -> tensor<16xf32>
    %2 = stablehlo.multiply %1, %arg2 : tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}
// -----
// PASS: fuse-epilogues
// INPUTS: small
// A square that only a sum reads is left to the sum, as it would have to be written; a mask is smaller than what it is of.
func.func @main(%x: tensor<6x8xf32>, %w: tensor<8x4xf32>) -> (tensor<6xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<6x4xf32>
  %0 = stablehlo.dot %x, %w : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<6x4xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x4xf32>, tensor<f32>) -> tensor<6xf32>
  %3 = stablehlo.compare GT, %0, %zeros : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xi1>
  %4 = stablehlo.maximum %0, %zeros : tensor<6x4xf32>
  %5 = stablehlo.dot_general %4, %4, contracting_dims = [1] x [1] : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x6xf32>
  %6 = stablehlo.dot %5, %4 : (tensor<6x6xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  %7 = stablehlo.select %3, %6, %zeros : tensor<6x4xi1>, tensor<6x4xf32>
  return %2, %0, %4, %7 : tensor<6xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<6x8xf32>, %arg1: tensor<8x4xf32>) -> (tensor<6xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<6x4xf32>
    %0:2 = stablehlo.composite "ghlo.fusion.epilogue" %arg0, %arg1 {decomposition = @ghlo.fusion.epilogue.1} : (tensor<6x8xf32>, tensor<8x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>)
    %1 = stablehlo.multiply %0#0, %0#0 : tensor<6x4xf32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<6x4xf32>, tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.compare GT, %0#0, %cst_0 : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xi1>
    %4 = stablehlo.dot_general %0#1, %0#1, contracting_dims = [1] x [1] : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x6xf32>
    %5 = stablehlo.composite "ghlo.fusion.epilogue" %4, %0#1, %3 {decomposition = @ghlo.fusion.epilogue.2} : (tensor<6x6xf32>, tensor<6x4xf32>, tensor<6x4xi1>) -> tensor<6x4xf32>
    return %2, %0#0, %0#1, %5 : tensor<6xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>
  }
  func.func private @ghlo.fusion.epilogue.1(%arg0: tensor<6x8xf32>, %arg1: tensor<8x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<6x4xf32>
    %1 = stablehlo.maximum %0, %cst : tensor<6x4xf32>
    return %0, %1 : tensor<6x4xf32>, tensor<6x4xf32>
  }
  func.func private @ghlo.fusion.epilogue.2(%arg0: tensor<6x6xf32>, %arg1: tensor<6x4xf32>, %arg2: tensor<6x4xi1>) -> tensor<6x4xf32> {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<6x6xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<6x4xf32>
    %1 = stablehlo.select %arg2, %0, %cst : tensor<6x4xi1>, tensor<6x4xf32>
    return %1 : tensor<6x4xf32>
  }
}
// -----
// PASS: fuse-epilogues
// Weights of 8 bits with a zero point and a scale for each column; a bias.
func.func @main(%x: tensor<2x8xf32>, %w: tensor<8x6xi8>, %s: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x6xf32> {
  %zero = stablehlo.constant dense<3.0> : tensor<8x6xf32>
  %0 = stablehlo.convert %w : (tensor<8x6xi8>) -> tensor<8x6xf32>
  %1 = stablehlo.subtract %0, %zero : tensor<8x6xf32>
  %2 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<6xf32>) -> tensor<8x6xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<8x6xf32>
  %4 = stablehlo.dot_general %x, %3, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x6xf32>) -> tensor<2x6xf32>
  %5 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<6xf32>) -> tensor<2x6xf32>
  %6 = stablehlo.add %4, %5 : tensor<2x6xf32>
  return %6 : tensor<2x6xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x8xf32>, %arg1: tensor<8x6xi8>, %arg2: tensor<6xf32>, %arg3: tensor<6xf32>) -> tensor<2x6xf32> {
    %0 = stablehlo.composite "ghlo.fusion.epilogue" %arg1, %arg2, %arg0, %arg3 {decomposition = @ghlo.fusion.epilogue.1} : (tensor<8x6xi8>, tensor<6xf32>, tensor<2x8xf32>, tensor<6xf32>) -> tensor<2x6xf32>
    return %0 : tensor<2x6xf32>
  }
  func.func private @ghlo.fusion.epilogue.1(%arg0: tensor<8x6xi8>, %arg1: tensor<6xf32>, %arg2: tensor<2x8xf32>, %arg3: tensor<6xf32>) -> tensor<2x6xf32> {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<8x6xf32>
    %0 = stablehlo.convert %arg0 : (tensor<8x6xi8>) -> tensor<8x6xf32>
    %1 = stablehlo.subtract %0, %cst : tensor<8x6xf32>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<6xf32>) -> tensor<8x6xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<8x6xf32>
    %4 = stablehlo.dot_general %arg2, %3, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x6xf32>) -> tensor<2x6xf32>
    %5 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<6xf32>) -> tensor<2x6xf32>
    %6 = stablehlo.add %4, %5 : tensor<2x6xf32>
    return %6 : tensor<2x6xf32>
  }
}
// -----
// PASS: fuse-epilogues
// Groups of k with one scale, rounded to bf16; the weights are lhs. The scale is computed in a step of its own, except
// for its conversion.
func.func @main(%x: tensor<2x8xbf16>, %w: tensor<6x8xi8>, %s: tensor<6x2xbf16>, %t: tensor<6x2xbf16>) -> tensor<6x2xbf16> {
  %0 = stablehlo.reshape %w : (tensor<6x8xi8>) -> tensor<6x2x4xi8>
  %1 = stablehlo.convert %0 : (tensor<6x2x4xi8>) -> tensor<6x2x4xf32>
  %2 = stablehlo.multiply %s, %t : tensor<6x2xbf16>
  %3 = stablehlo.convert %2 : (tensor<6x2xbf16>) -> tensor<6x2xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<6x2xf32>) -> tensor<6x2x4xf32>
  %5 = stablehlo.multiply %1, %4 : tensor<6x2x4xf32>
  %6 = stablehlo.convert %5 : (tensor<6x2x4xf32>) -> tensor<6x2x4xbf16>
  %7 = stablehlo.reshape %6 : (tensor<6x2x4xbf16>) -> tensor<6x8xbf16>
  %8 = stablehlo.dot_general %7, %x, contracting_dims = [1] x [1] : (tensor<6x8xbf16>, tensor<2x8xbf16>) -> tensor<6x2xbf16>
  return %8 : tensor<6x2xbf16>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x8xbf16>, %arg1: tensor<6x8xi8>, %arg2: tensor<6x2xbf16>, %arg3: tensor<6x2xbf16>) -> tensor<6x2xbf16> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<6x2xbf16>
    %1 = stablehlo.composite "ghlo.fusion.epilogue" %arg1, %0, %arg0 {decomposition = @ghlo.fusion.epilogue.1} : (tensor<6x8xi8>, tensor<6x2xbf16>, tensor<2x8xbf16>) -> tensor<6x2xbf16>
    return %1 : tensor<6x2xbf16>
  }
  func.func private @ghlo.fusion.epilogue.1(%arg0: tensor<6x8xi8>, %arg1: tensor<6x2xbf16>, %arg2: tensor<2x8xbf16>) -> tensor<6x2xbf16> {
    %0 = stablehlo.reshape %arg0 : (tensor<6x8xi8>) -> tensor<6x2x4xi8>
    %1 = stablehlo.convert %0 : (tensor<6x2x4xi8>) -> tensor<6x2x4xf32>
    %2 = stablehlo.convert %arg1 : (tensor<6x2xbf16>) -> tensor<6x2xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<6x2xf32>) -> tensor<6x2x4xf32>
    %4 = stablehlo.multiply %1, %3 : tensor<6x2x4xf32>
    %5 = stablehlo.convert %4 : (tensor<6x2x4xf32>) -> tensor<6x2x4xbf16>
    %6 = stablehlo.reshape %5 : (tensor<6x2x4xbf16>) -> tensor<6x8xbf16>
    %7 = stablehlo.dot_general %6, %arg2, contracting_dims = [1] x [1] : (tensor<6x8xbf16>, tensor<2x8xbf16>) -> tensor<6x2xbf16>
    return %7 : tensor<6x2xbf16>
  }
}
// -----
// PASS: fuse-epilogues
// Not: what others use too, what is computed from as many bytes, and what a reduction computes from the same value.
func.func @main(%x: tensor<2x8xf32>, %w: tensor<8x6xi8>, %v: tensor<8x6xf32>, %h: tensor<4x8xbf16>) -> (tensor<2x6xf32>, tensor<8x6xf32>, tensor<2x6xf32>, tensor<2x4xf32>, tensor<4xf32>) {
  %scale = stablehlo.constant dense<0.5> : tensor<8x6xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.convert %w : (tensor<8x6xi8>) -> tensor<8x6xf32>
  %1 = stablehlo.multiply %0, %scale : tensor<8x6xf32>
  %2 = stablehlo.dot_general %x, %1, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x6xf32>) -> tensor<2x6xf32>
  %3 = stablehlo.multiply %v, %scale : tensor<8x6xf32>
  %4 = stablehlo.dot_general %x, %3, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x6xf32>) -> tensor<2x6xf32>
  %5 = stablehlo.convert %h : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %6 = stablehlo.multiply %5, %5 : tensor<4x8xf32>
  %7 = stablehlo.dot_general %x, %5, contracting_dims = [1] x [1] : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  %8 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return %2, %1, %4, %7, %8 : tensor<2x6xf32>, tensor<8x6xf32>, tensor<2x6xf32>, tensor<2x4xf32>, tensor<4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x8xf32>, %arg1: tensor<8x6xi8>, %arg2: tensor<8x6xf32>, %arg3: tensor<4x8xbf16>) -> (tensor<2x6xf32>, tensor<8x6xf32>, tensor<2x6xf32>, tensor<2x4xf32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<8x6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.convert %arg1 : (tensor<8x6xi8>) -> tensor<8x6xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<8x6xf32>
    %2 = stablehlo.dot_general %arg0, %1, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x6xf32>) -> tensor<2x6xf32>
    %3 = stablehlo.multiply %arg2, %cst : tensor<8x6xf32>
    %4 = stablehlo.dot_general %arg0, %3, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x6xf32>) -> tensor<2x6xf32>
    %5 = stablehlo.convert %arg3 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<4x8xf32>
    %7 = stablehlo.dot_general %arg0, %5, contracting_dims = [1] x [1] : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
    %8 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    return %2, %1, %4, %7, %8 : tensor<2x6xf32>, tensor<8x6xf32>, tensor<2x6xf32>, tensor<2x4xf32>, tensor<4xf32>
  }
}
// -----
// PASS: fuse-epilogues
// What is stored in 8 bits is widened again by its reader, which is in another group.
func.func @main(%x: tensor<4x6xf32>, %w: tensor<6x6xf32>, %v: tensor<6x6xi8>) -> tensor<4x6xf32> {
  %scale = stablehlo.constant dense<1.600000e+01> : tensor<4x6xf32>
  %step = stablehlo.constant dense<6.250000e-02> : tensor<4x6xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.multiply %0, %scale : tensor<4x6xf32>
  %2 = stablehlo.convert %1 : (tensor<4x6xf32>) -> tensor<4x6xi8>
  %3 = stablehlo.dot_general %2, %v, contracting_dims = [1] x [0] : (tensor<4x6xi8>, tensor<6x6xi8>) -> tensor<4x6xf32>
  %4 = stablehlo.convert %2 : (tensor<4x6xi8>) -> tensor<4x6xf32>
  %5 = stablehlo.multiply %4, %step : tensor<4x6xf32>
  %6 = stablehlo.add %3, %5 : tensor<4x6xf32>
  return %6 : tensor<4x6xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x6xf32>, %arg1: tensor<6x6xf32>, %arg2: tensor<6x6xi8>) -> tensor<4x6xf32> {
    %0 = stablehlo.composite "ghlo.fusion.epilogue" %arg0, %arg1 {decomposition = @ghlo.fusion.epilogue.1} : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xi8>
    %1 = stablehlo.composite "ghlo.fusion.epilogue" %0, %arg2 {decomposition = @ghlo.fusion.epilogue.2} : (tensor<4x6xi8>, tensor<6x6xi8>) -> tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
  func.func private @ghlo.fusion.epilogue.1(%arg0: tensor<4x6xf32>, %arg1: tensor<6x6xf32>) -> tensor<4x6xi8> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
    %cst = stablehlo.constant dense<1.600000e+01> : tensor<4x6xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<4x6xf32>
    %2 = stablehlo.convert %1 : (tensor<4x6xf32>) -> tensor<4x6xi8>
    return %2 : tensor<4x6xi8>
  }
  func.func private @ghlo.fusion.epilogue.2(%arg0: tensor<4x6xi8>, %arg1: tensor<6x6xi8>) -> tensor<4x6xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x6xi8>, tensor<6x6xi8>) -> tensor<4x6xf32>
    %cst = stablehlo.constant dense<6.250000e-02> : tensor<4x6xf32>
    %1 = stablehlo.convert %arg0 : (tensor<4x6xi8>) -> tensor<4x6xf32>
    %2 = stablehlo.multiply %1, %cst : tensor<4x6xf32>
    %3 = stablehlo.add %0, %2 : tensor<4x6xf32>
    return %3 : tensor<4x6xf32>
  }
}
