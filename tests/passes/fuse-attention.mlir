// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: fuse-attention
// Scores, a scale and a mask, their softmax and the product with values become a fusion, with the constants that they
// use; what a mask is made of stays outside.
func.func @main(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x3xf32>) -> tensor<4x3xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %scale = stablehlo.constant dense<0.5> : tensor<4x6xf32>
  %low = stablehlo.constant dense<-1.0e9> : tensor<4x6xf32>
  %row = stablehlo.iota dim = 0 : tensor<4x6xi32>
  %column = stablehlo.iota dim = 1 : tensor<4x6xi32>
  %is = stablehlo.compare GE, %row, %column : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  %0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.multiply %0, %scale : tensor<4x6xf32>
  %2 = stablehlo.select %is, %1, %low : tensor<4x6xi1>, tensor<4x6xf32>
  %3 = stablehlo.reduce(%2 init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %5 = stablehlo.subtract %2, %4 : tensor<4x6xf32>
  %6 = stablehlo.exponential %5 : tensor<4x6xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %9 = stablehlo.divide %6, %8 : tensor<4x6xf32>
  %10 = stablehlo.dot_general %9, %v, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  return %10 : tensor<4x3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<6x8xf32>, %arg2: tensor<6x3xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x6xi32>
    %1 = stablehlo.iota dim = 1 : tensor<4x6xi32>
    %2 = stablehlo.compare GE, %0, %1 : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
    %3 = stablehlo.composite "ghlo.fusion.attention" %arg0, %arg1, %2, %arg2 {decomposition = @ghlo.fusion.attention.1} : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<4x6xi1>, tensor<6x3xf32>) -> tensor<4x3xf32>
    return %3 : tensor<4x3xf32>
  }
  func.func private @ghlo.fusion.attention.1(%arg0: tensor<4x8xf32>, %arg1: tensor<6x8xf32>, %arg2: tensor<4x6xi1>, %arg3: tensor<6x3xf32>) -> tensor<4x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_1 = stablehlo.constant dense<5.000000e-01> : tensor<4x6xf32>
    %cst_2 = stablehlo.constant dense<-1.000000e+09> : tensor<4x6xf32>
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.multiply %0, %cst_1 : tensor<4x6xf32>
    %2 = stablehlo.select %arg2, %1, %cst_2 : tensor<4x6xi1>, tensor<4x6xf32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
    %5 = stablehlo.subtract %2, %4 : tensor<4x6xf32>
    %6 = stablehlo.exponential %5 : tensor<4x6xf32>
    %7 = stablehlo.reduce(%6 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
    %9 = stablehlo.divide %6, %8 : tensor<4x6xf32>
    %10 = stablehlo.dot_general %9, %arg3, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
    return %10 : tensor<4x3xf32>
  }
}
// -----
// PASS: fuse-attention
// Constants are taken from outside of a region as well; operands of products are the group's, also where they are
// constants.
func.func @main(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %is: tensor<i1>) -> tensor<4x3xf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %ones = stablehlo.constant dense<1.0> : tensor<6x3xf32>
  %r = "stablehlo.if"(%is) ({
    %0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %3 = stablehlo.reduce(%0 init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
    %5 = stablehlo.subtract %0, %4 : tensor<4x6xf32>
    %6 = stablehlo.exponential %5 : tensor<4x6xf32>
    %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
    %9 = stablehlo.divide %6, %8 : tensor<4x6xf32>
    %10 = stablehlo.dot_general %9, %ones, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
    stablehlo.return %10 : tensor<4x3xf32>
  }, {
    %1 = stablehlo.constant dense<2.0> : tensor<4x3xf32>
    stablehlo.return %1 : tensor<4x3xf32>
  }) : (tensor<i1>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<6x8xf32>, %arg2: tensor<i1>) -> tensor<4x3xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<6x3xf32>
    %0 = "stablehlo.if"(%arg2) ({
      %1 = stablehlo.composite "ghlo.fusion.attention" %arg0, %arg1, %cst {decomposition = @ghlo.fusion.attention.1} : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
      stablehlo.return %1 : tensor<4x3xf32>
    }, {
      %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<4x3xf32>
      stablehlo.return %cst_0 : tensor<4x3xf32>
    }) : (tensor<i1>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  func.func private @ghlo.fusion.attention.1(%arg0: tensor<4x8xf32>, %arg1: tensor<6x8xf32>, %arg2: tensor<6x3xf32>) -> tensor<4x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.reduce(%0 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
    %3 = stablehlo.subtract %0, %2 : tensor<4x6xf32>
    %4 = stablehlo.exponential %3 : tensor<4x6xf32>
    %5 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
    %7 = stablehlo.divide %4, %6 : tensor<4x6xf32>
    %8 = stablehlo.dot_general %7, %arg2, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
    return %8 : tensor<4x3xf32>
  }
}
