// SPDX-License-Identifier: LGPL-2.1-or-later
// The softmax of XFMR-INF-001, with the scale before it.
module @softmax {
  func.func public @main(%arg0: tensor<12x128x128xf32>) -> tensor<12x128x128xf32> {
    %cst = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x128x128xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<12x128x128xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.maximum across dimensions = [2] : (tensor<12x128x128xf32>, tensor<f32>) -> tensor<12x128xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<12x128xf32>) -> tensor<12x128x128xf32>
    %4 = stablehlo.subtract %1, %3 : tensor<12x128x128xf32>
    %5 = stablehlo.exponential %4 : tensor<12x128x128xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<12x128x128xf32>, tensor<f32>) -> tensor<12x128xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<12x128xf32>) -> tensor<12x128x128xf32>
    %8 = stablehlo.divide %5, %7 : tensor<12x128x128xf32>
    return %8 : tensor<12x128x128xf32>
  }
}
