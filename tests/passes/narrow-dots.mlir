// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: narrow-dots
// Products of bf16 are exact in f32. A factor that is a power of two is applied to the result.
func.func @main(%a: tensor<2x3x8xbf16>, %b: tensor<2x5x8xbf16>) -> tensor<2x3x5xf32> {
  %0 = stablehlo.convert %a : (tensor<2x3x8xbf16>) -> tensor<2x3x8xf32>
  %1 = stablehlo.convert %b : (tensor<2x5x8xbf16>) -> tensor<2x5x8xf32>
  %2 = stablehlo.constant dense<0.25> : tensor<2x3x8xf32>
  %3 = stablehlo.multiply %0, %2 : tensor<2x3x8xf32>
  %4 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<2x5x8xf32>) -> tensor<2x8x5xf32>
  %5 = stablehlo.dot_general %3, %4, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x8xf32>, tensor<2x8x5xf32>) -> tensor<2x3x5xf32>
  return %5 : tensor<2x3x5xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3x8xbf16>, %arg1: tensor<2x5x8xbf16>) -> tensor<2x3x5xf32> {
    %0 = stablehlo.transpose %arg1, dims = [0, 2, 1] : (tensor<2x5x8xbf16>) -> tensor<2x8x5xbf16>
    %1 = stablehlo.dot_general %arg0, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x8xbf16>, tensor<2x8x5xbf16>) -> tensor<2x3x5xf32>
    %cst = stablehlo.constant dense<2.500000e-01> : tensor<2x3x5xf32>
    %2 = stablehlo.multiply %1, %cst : tensor<2x3x5xf32>
    return %2 : tensor<2x3x5xf32>
  }
}
// -----
// PASS: narrow-dots
// Another factor would be rounded otherwise.
func.func @main(%a: tensor<3x8xbf16>, %b: tensor<8x5xbf16>) -> tensor<3x5xf32> {
  %0 = stablehlo.convert %a : (tensor<3x8xbf16>) -> tensor<3x8xf32>
  %1 = stablehlo.convert %b : (tensor<8x5xbf16>) -> tensor<8x5xf32>
  %2 = stablehlo.constant dense<0.3> : tensor<3x8xf32>
  %3 = stablehlo.multiply %0, %2 : tensor<3x8xf32>
  %4 = stablehlo.dot_general %3, %1, contracting_dims = [1] x [0] : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
  return %4 : tensor<3x5xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x8xbf16>, %arg1: tensor<8x5xbf16>) -> tensor<3x5xf32> {
    %0 = stablehlo.convert %arg0 : (tensor<3x8xbf16>) -> tensor<3x8xf32>
    %1 = stablehlo.convert %arg1 : (tensor<8x5xbf16>) -> tensor<8x5xf32>
    %cst = stablehlo.constant dense<3.000000e-01> : tensor<3x8xf32>
    %2 = stablehlo.multiply %0, %cst : tensor<3x8xf32>
    %3 = stablehlo.dot_general %2, %1, contracting_dims = [1] x [0] : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
    return %3 : tensor<3x5xf32>
  }
}
// -----
// PASS: narrow-dots
// EXCESS precision
// Factors of both operands are applied to the result.
func.func @main(%a: tensor<3x8xbf16>, %b: tensor<8x5xbf16>) -> tensor<3x5xf32> {
  %0 = stablehlo.convert %a : (tensor<3x8xbf16>) -> tensor<3x8xf32>
  %1 = stablehlo.convert %b : (tensor<8x5xbf16>) -> tensor<8x5xf32>
  %2 = stablehlo.constant dense<3.0> : tensor<3x8xf32>
  %3 = stablehlo.multiply %2, %0 : tensor<3x8xf32>
  %4 = stablehlo.constant dense<4.0> : tensor<8x5xf32>
  %5 = stablehlo.divide %1, %4 : tensor<8x5xf32>
  %6 = stablehlo.dot_general %3, %5, contracting_dims = [1] x [0] : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
  return %6 : tensor<3x5xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x8xbf16>, %arg1: tensor<8x5xbf16>) -> tensor<3x5xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<3x8xbf16>, tensor<8x5xbf16>) -> tensor<3x5xf32>
    %cst = stablehlo.constant dense<7.500000e-01> : tensor<3x5xf32>
    %1 = stablehlo.multiply %0, %cst : tensor<3x5xf32>
    return %1 : tensor<3x5xf32>
  }
}
// -----
// PASS: narrow-dots
// EXCESS precision
// An operand that is no bf16, or is one plus something else, stays f32.
func.func @main(%a: tensor<3x8xbf16>, %b: tensor<8x5xbf16>, %c: tensor<8x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %0 = stablehlo.convert %a : (tensor<3x8xbf16>) -> tensor<3x8xf32>
  %1 = stablehlo.convert %b : (tensor<8x5xbf16>) -> tensor<8x5xf32>
  %2 = stablehlo.add %1, %c : tensor<8x5xf32>
  %3 = stablehlo.dot_general %0, %2, contracting_dims = [1] x [0] : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
  %4 = stablehlo.dot_general %0, %c, contracting_dims = [1] x [0] : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
  return %3, %4 : tensor<3x5xf32>, tensor<3x5xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x8xbf16>, %arg1: tensor<8x5xbf16>, %arg2: tensor<8x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
    %0 = stablehlo.convert %arg0 : (tensor<3x8xbf16>) -> tensor<3x8xf32>
    %1 = stablehlo.convert %arg1 : (tensor<8x5xbf16>) -> tensor<8x5xf32>
    %2 = stablehlo.add %1, %arg2 : tensor<8x5xf32>
    %3 = stablehlo.dot_general %0, %2, contracting_dims = [1] x [0] : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
    %4 = stablehlo.dot_general %0, %arg2, contracting_dims = [1] x [0] : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
    return %3, %4 : tensor<3x5xf32>, tensor<3x5xf32>
  }
}
