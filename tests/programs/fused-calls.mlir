// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Calls that are defined by other libraries: by jax-mps, and by MetalHLO. The answers are those of the formulas in
// doubles; gradients are differences of these.

func.func @mps_gelu() {
  // The approximation by tanh.
  %a0 = stablehlo.constant dense<[[0.5, 1.0, -1.5, 1.0], [0.0, 0.0, 0.5, -0.75]]> : tensor<2x4xf32>
  %0 = stablehlo.custom_call @mps.gelu(%a0) {backend_config = ""}
       : (tensor<2x4xf32>) -> tensor<2x4xf32>
  check.expect_almost_eq_const %0, dense<[[0.34571401, 0.84119199, -0.10042842, 0.84119199], [0.0, 0.0, 0.34571401, -0.17003944]]> : tensor<2x4xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @mps_gelu_bwd() {
  %a0 = stablehlo.constant dense<[[0.5, 1.0, -1.5, 1.0], [0.0, 0.0, 0.5, -0.75]]> : tensor<2x4xf32>
  %a1 = stablehlo.constant dense<[[1.5, -1.5, -0.75, -0.5], [0.25, -0.25, -1.25, -1.5]]> : tensor<2x4xf32>
  %0 = stablehlo.custom_call @mps.gelu_bwd(%a0, %a1) {backend_config = ""}
       : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  check.expect_almost_eq_const %0, dense<[[1.3010549, -1.6244461, 0.095783095, -0.54148204], [0.125, -0.125, -1.0842124, -0.0015926158]]> : tensor<2x4xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @mps_softmax() {
  %a0 = stablehlo.constant dense<[[0.5, 1.0, -1.5, 1.0], [0.0, 0.0, 0.5, -0.75]]> : tensor<2x4xf32>
  %0 = stablehlo.custom_call @mps.softmax(%a0) {backend_config = "{\"axis\":0}"}
       : (tensor<2x4xf32>) -> tensor<2x4xf32>
  check.expect_almost_eq_const %0, dense<[[0.62245933, 0.73105858, 0.11920292, 0.8519528], [0.37754067, 0.26894142, 0.88079708, 0.1480472]]> : tensor<2x4xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @mps_addmm() {
  %a0 = stablehlo.constant dense<[[0.5, -1.5, 1.5], [0.25, 1.25, -0.75]]> : tensor<2x3xf32>
  %a1 = stablehlo.constant dense<[[-0.5, 1.25], [-1.0, -1.5], [-0.5, 0.5]]> : tensor<3x2xf32>
  %a2 = stablehlo.constant dense<[-1.25, 1.25]> : tensor<2xf32>
  %0 = stablehlo.custom_call @mps.addmm(%a0, %a1, %a2) {}
       : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %0, dense<[[-0.75, 4.875], [-2.25, -0.6875]]> : tensor<2x2xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @mps_layer_norm() {
  %a0 = stablehlo.constant dense<[[0.5, 1.0, -1.5, 1.0], [0.0, 0.0, 0.5, -0.75]]> : tensor<2x4xf32>
  %a1 = stablehlo.constant dense<[-1.5, -1.5, -1.25, 1.5]> : tensor<4xf32>
  %a2 = stablehlo.constant dense<[-1.0, 0.5, 0.75, -0.75]> : tensor<4xf32>
  %0 = stablehlo.custom_call @mps.layer_norm(%a0, %a1, %a2) {backend_config = "{\"eps\": 0.5}"}
       : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  check.expect_almost_eq_const %0, dense<[[-1.3, -0.4, 2.5, 0.15], [-1.1121153, 0.38788474, -0.090864479, -1.9832679]]> : tensor<2x4xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @mps_layer_norm_bwd() {
  %a0 = stablehlo.constant dense<[[0.5, 1.0, -1.5, 1.0], [0.0, 0.0, 0.5, -0.75]]> : tensor<2x4xf32>
  %a1 = stablehlo.constant dense<[-1.5, -1.5, -1.25, 1.5]> : tensor<4xf32>
  %a2 = stablehlo.constant dense<[-1.0, 0.5, 0.75, -0.75]> : tensor<4xf32>
  %a3 = stablehlo.constant dense<[[1.5, -1.5, -0.75, -0.5], [0.25, -0.25, -1.25, -1.5]]> : tensor<2x4xf32>
  %0:3 = stablehlo.custom_call @mps.layer_norm_bwd(%a0, %a1, %a2, %a3) {backend_config = "{\"eps\": 0.5}"}
       : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>)
  check.expect_almost_eq_const %0#0, dense<[[-1.803, 1.866, 0.471, -0.534], [-0.30774283, 0.58917928, 1.4906946, -1.772131]]> : tensor<2x4xf32>, tolerance = 1.0e-5
  check.expect_almost_eq_const %0#1, dense<[0.31868588, -0.91868588, 0.20913552, 0.9332679]> : tensor<4xf32>, tolerance = 1.0e-5
  check.expect_almost_eq_const %0#2, dense<[1.75, -1.75, -2.0, -2.0]> : tensor<4xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @mps_rms_norm() {
  %a0 = stablehlo.constant dense<[[0.5, 1.0, -1.5, 1.0], [0.0, 0.0, 0.5, -0.75]]> : tensor<2x4xf32>
  %a1 = stablehlo.constant dense<[-1.5, -1.5, -1.25, 1.5]> : tensor<4xf32>
  %0 = stablehlo.custom_call @mps.rms_norm(%a0, %a1) {backend_config = "{\"eps\": 0.5}"}
       : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  check.expect_almost_eq_const %0, dense<[[-0.58834841, -1.1766968, 1.470871, 1.1766968], [-0.0, -0.0, -0.74535599, -1.3416408]]> : tensor<2x4xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @mps_rms_norm_bwd() {
  %a0 = stablehlo.constant dense<[[0.5, 1.0, -1.5, 1.0], [0.0, 0.0, 0.5, -0.75]]> : tensor<2x4xf32>
  %a1 = stablehlo.constant dense<[-1.5, -1.5, -1.25, 1.5]> : tensor<4xf32>
  %a2 = stablehlo.constant dense<[[1.5, -1.5, -0.75, -0.5], [0.25, -0.25, -1.25, -1.5]]> : tensor<2x4xf32>
  %0:2 = stablehlo.custom_call @mps.rms_norm_bwd(%a0, %a1, %a2) {backend_config = "{\"eps\": 0.5}"}
       : (tensor<2x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>)
  check.expect_almost_eq_const %0#0, dense<[[-1.7028161, 1.8895035, 0.54874803, -0.46389009], [-0.4472136, 0.4472136, 1.3399844, -1.8981733]]> : tensor<2x4xf32>, tolerance = 1.0e-5
  check.expect_almost_eq_const %0#1, dense<[0.58834841, -1.1766968, 0.13716662, 0.94940852]> : tensor<4xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @mps_rope() {
  // The last two elements of each row stay.
  %a0 = stablehlo.constant dense<[[[-0.5, -1.0, 0.25, 1.25, 1.25, 1.25], [-0.75, -1.5, 1.0, 0.75, 1.0, -1.5], [-1.5, 0.0, -0.5, -0.25, 1.5, -1.0]]]> : tensor<1x3x6xf32>
  %a1 = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.custom_call @mps.rope(%a0, %a1) {backend_config = "{\"dims\": 4, \"traditional\": false, \"base\": 100.0, \"rope_scale\": 0.5}"}
       : (tensor<1x3x6xf32>, tensor<i32>) -> tensor<1x3x6xf32>
  check.expect_almost_eq_const %0, dense<[[[-0.4805189, -1.1197959, -0.28565992, 1.1439218, 1.25, 1.25], [-1.0505479, -1.5952352, -0.67738404, 0.51742111, 1.0, -1.5], [1.078869, 0.049667333, -1.1558727, -0.24501664, 1.5, -1.0]]]> : tensor<1x3x6xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @mps_rope_of_neighbours() {
  %a0 = stablehlo.constant dense<[[[-0.5, -1.0, 0.25, 1.25, 1.25, 1.25], [-0.75, -1.5, 1.0, 0.75, 1.0, -1.5], [-1.5, 0.0, -0.5, -0.25, 1.5, -1.0]]]> : tensor<1x3x6xf32>
  %a1 = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.custom_call @mps.rope(%a0, %a1) {backend_config = "{\"dims\": 4, \"traditional\": true, \"base\": 100.0, \"rope_scale\": 0.5}"}
       : (tensor<1x3x6xf32>, tensor<i32>) -> tensor<1x3x6xf32>
  check.expect_almost_eq_const %0, dense<[[[0.57131983, -0.9610378, 0.12395927, 1.2687136, 1.25, 1.25], [1.4431896, -0.85422704, 0.87669248, 0.89101644, 1.0, -1.5], [0.62422025, -1.3639461, -0.44036596, -0.34435131, 1.5, -1.0]]]> : tensor<1x3x6xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @mps_rope_bwd() {
  %a0 = stablehlo.constant dense<[[[-0.5, -1.0, 0.25, 1.25, 1.25, 1.25], [-0.75, -1.5, 1.0, 0.75, 1.0, -1.5], [-1.5, 0.0, -0.5, -0.25, 1.5, -1.0]]]> : tensor<1x3x6xf32>
  %a1 = stablehlo.constant dense<2> : tensor<i32>
  %a2 = stablehlo.constant dense<[[[-0.5, -1.0, 0.25, 1.25, 1.25, 1.25], [-0.75, -1.5, 1.0, 0.75, 1.0, -1.5], [-1.5, 0.0, -0.5, -0.25, 1.5, -1.0]]]> : tensor<1x3x6xf32>
  %0 = stablehlo.custom_call @mps.rope_bwd(%a0, %a1, %a2) {backend_config = "{\"dims\": 6, \"traditional\": true, \"base\": 100.0, \"rope_scale\": 1.0}"}
       : (tensor<1x3x6xf32>, tensor<i32>, tensor<1x3x6xf32>) -> tensor<1x3x6xf32>
  check.expect_almost_eq_const %0, dense<[[[-0.70122401, 0.87079555, 0.74924496, 1.0313254, 1.3604909, 1.1287447], [0.53081436, 1.5908288, 1.249995, -0.0035366181, 0.78212355, -1.6242791], [0.98046543, -1.1352037, -0.51529574, 0.21672633, 1.2896222, -1.2597121]]]> : tensor<1x3x6xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @mps_sdpa_causal() {
  // Two heads have the keys and values of one group.
  %a0 = stablehlo.constant dense<[[[[0.0, -0.5, -0.75], [1.0, -1.25, -0.5]], [[-1.25, -1.25, -0.75], [0.75, 0.25, -0.25]]]]> : tensor<1x2x2x3xf32>
  %a1 = stablehlo.constant dense<[[[[-1.0, 1.0, 1.0], [-0.75, -1.5, -0.5]]]]> : tensor<1x1x2x3xf32>
  %a2 = stablehlo.constant dense<[[[[-1.25, 1.0, 0.0], [0.0, -0.75, 0.0]]]]> : tensor<1x1x2x3xf32>
  %0 = stablehlo.custom_call @mps.sdpa_causal(%a0, %a1, %a2) {backend_config = "{\"scale\": 0.5}"}
       : (tensor<1x2x2x3xf32>, tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>) -> tensor<1x2x2x3xf32>
  check.expect_almost_eq_const %0, dense<[[[[-1.25, 1.0, 0.0], [-0.14099426, -0.55260804, 0.0]], [[-1.25, 1.0, 0.0], [-0.63476483, 0.13867076, 0.0]]]]> : tensor<1x2x2x3xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @mps_sdpa_causal_bwd() {
  %a0 = stablehlo.constant dense<[[[[0.0, -0.5, -0.75], [1.0, -1.25, -0.5]], [[-1.25, -1.25, -0.75], [0.75, 0.25, -0.25]]]]> : tensor<1x2x2x3xf32>
  %a1 = stablehlo.constant dense<[[[[-1.0, 1.0, 1.0], [-0.75, -1.5, -0.5]]]]> : tensor<1x1x2x3xf32>
  %a2 = stablehlo.constant dense<[[[[-1.25, 1.0, 0.0], [0.0, -0.75, 0.0]]]]> : tensor<1x1x2x3xf32>
  %a3 = stablehlo.constant dense<[[[[1.5, -0.75, 0.75], [-1.5, -0.5, 1.5]], [[1.25, -1.25, 1.0], [1.0, -0.25, -0.5]]]]> : tensor<1x2x2x3xf32>
  %0:3 = stablehlo.custom_call @mps.sdpa_causal_bwd(%a0, %a1, %a2, %a3) {backend_config = "{\"scale\": 0.5}"}
       : (tensor<1x2x2x3xf32>, tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>, tensor<1x2x2x3xf32>) -> (tensor<1x2x2x3xf32>, tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>)
  check.expect_almost_eq_const %0#0, dense<[[[[0.0, 0.0, 0.0], [-0.012509075, 0.12509075, 0.075054452]], [[0.0, 0.0, 0.0], [0.052721503, -0.52721502, -0.31632901]]]]> : tensor<1x2x2x3xf32>, tolerance = 1.0e-5
  check.expect_almost_eq_const %0#1, dense<[[[[-0.10812821, -0.11526688, 0.027703352], [0.10812821, 0.11526688, -0.027703352]]]]> : tensor<1x1x2x3xf32>, tolerance = 1.0e-5
  check.expect_almost_eq_const %0#2, dense<[[[[3.0886188, -2.1833507, 1.6652872], [-0.83861875, -0.56664933, 1.0847128]]]]> : tensor<1x1x2x3xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @mps_sdpa() {
  // A query without any key has the mean of all values.
  %a0 = stablehlo.constant dense<[[[[0.0, -0.5, -0.75], [1.0, -1.25, -0.5]], [[-1.25, -1.25, -0.75], [0.75, 0.25, -0.25]]]]> : tensor<1x2x2x3xf32>
  %a1 = stablehlo.constant dense<[[[[-1.0, 1.0, 1.0], [-0.75, -1.5, -0.5]]]]> : tensor<1x1x2x3xf32>
  %a2 = stablehlo.constant dense<[[[[-1.25, 1.0, 0.0], [0.0, -0.75, 0.0]]]]> : tensor<1x1x2x3xf32>
  %a3 = stablehlo.constant dense<[[true, false], [false, false]]> : tensor<2x2xi1>
  %0 = stablehlo.custom_call @mps.sdpa(%a0, %a1, %a2, %a3) {backend_config = "{\"scale\": 0.5}"}
       : (tensor<1x2x2x3xf32>, tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>, tensor<2x2xi1>) -> tensor<1x2x2x3xf32>
  check.expect_almost_eq_const %0, dense<[[[[-1.25, 1.0, 0.0], [-0.625, 0.125, 0.0]], [[-1.25, 1.0, 0.0], [-0.625, 0.125, 0.0]]]]> : tensor<1x2x2x3xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @mps_sdpa_bwd() {
  // A mask of numbers is added.
  %a0 = stablehlo.constant dense<[[[[0.0, -0.5, -0.75], [1.0, -1.25, -0.5]], [[-1.25, -1.25, -0.75], [0.75, 0.25, -0.25]]]]> : tensor<1x2x2x3xf32>
  %a1 = stablehlo.constant dense<[[[[-1.0, 1.0, 1.0], [-0.75, -1.5, -0.5]]]]> : tensor<1x1x2x3xf32>
  %a2 = stablehlo.constant dense<[[[[-1.25, 1.0, 0.0], [0.0, -0.75, 0.0]]]]> : tensor<1x1x2x3xf32>
  %a3 = stablehlo.constant dense<[[[1.5, 1.5]], [[0.5, -0.25]]]> : tensor<2x1x2xf32>
  %a4 = stablehlo.constant dense<[[[[1.5, -0.75, 0.75], [-1.5, -0.5, 1.5]], [[1.25, -1.25, 1.0], [1.0, -0.25, -0.5]]]]> : tensor<1x2x2x3xf32>
  %0:3 = stablehlo.custom_call @mps.sdpa_bwd(%a0, %a1, %a2, %a3, %a4) {backend_config = "{\"scale\": 0.5}"}
       : (tensor<1x2x2x3xf32>, tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>, tensor<2x1x2xf32>, tensor<1x2x2x3xf32>) -> (tensor<1x2x2x3xf32>, tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>)
  check.expect_almost_eq_const %0#0, dense<[[[[0.071355254, -0.71355254, -0.42813152], [-0.012509075, 0.12509075, 0.075054452]], [[0.082547397, -0.82547397, -0.49528438], [0.045440747, -0.45440747, -0.27264448]]]]> : tensor<1x2x2x3xf32>, tolerance = 1.0e-5
  check.expect_almost_eq_const %0#1, dense<[[[[0.32645104, 0.44746137, 0.48213055], [-0.32645104, -0.44746137, -0.48213055]]]]> : tensor<1x1x2x3xf32>, tolerance = 1.0e-5
  check.expect_almost_eq_const %0#2, dense<[[[[1.1525115, -0.68836046, 0.22965465], [1.0974885, -2.0616395, 2.5203453]]]]> : tensor<1x1x2x3xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @mps_dequantize() {
  // The first number is in the lowest bits.
  %a0 = stablehlo.constant dense<[[3040511203, 1065004963], [2914130597, 1664140654]]> : tensor<2x2xui32>
  %a1 = stablehlo.constant dense<[[0.5, 0.25], [1.0, 2.0]]> : tensor<2x2xf32>
  %a2 = stablehlo.constant dense<[[-1.0, 0.0], [0.5, -2.0]]> : tensor<2x2xf32>
  %0 = stablehlo.custom_call @mps.dequantize(%a0, %a1, %a2) {backend_config = "{\"group_size\": 8, \"bits\": 4}"}
       : (tensor<2x2xui32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x16xf32>
  check.expect_almost_eq_const %0, dense<[[0.5, 6.0, 1.0, 3.0, 4.0, 0.5, 1.5, 4.5, 0.75, 2.5, 3.75, 2.5, 2.5, 1.75, 3.75, 0.75], [5.5, 10.5, 10.5, 1.5, 2.5, 11.5, 13.5, 10.5, 26.0, 10.0, 8.0, 22.0, -2.0, 4.0, 4.0, 10.0]]> : tensor<2x16xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @mps_quantized_matmul() {
  %a0 = stablehlo.constant dense<[[-1.0, 1.0, 1.25, -0.5, -1.5, 0.75, -1.25, 0.25, -1.0, 1.5, 0.5, 1.5, 0.5, 0.75, -0.5, 1.0], [-1.25, -1.25, -0.5, 0.75, 0.0, 1.25, 1.5, -0.25, -0.25, 0.25, 0.5, 0.0, 0.25, 1.5, 0.75, -0.5], [-0.25, -0.25, -1.25, -1.5, 1.0, -0.25, -0.5, 0.5, 0.25, 1.5, 0.5, 1.5, 0.25, -0.5, -0.5, 1.5]]> : tensor<3x16xf32>
  %a1 = stablehlo.constant dense<[[3040511203, 1065004963], [2914130597, 1664140654]]> : tensor<2x2xui32>
  %a2 = stablehlo.constant dense<[[0.5, 0.25], [1.0, 2.0]]> : tensor<2x2xf32>
  %a3 = stablehlo.constant dense<[[-1.0, 0.0], [0.5, -2.0]]> : tensor<2x2xf32>
  %0 = stablehlo.custom_call @mps.quantized_matmul(%a0, %a1, %a2, %a3) {backend_config = "{\"transpose\": 1, \"group_size\": 8, \"bits\": 4}"}
       : (tensor<3x16xf32>, tensor<2x2xui32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  check.expect_almost_eq_const %0, dense<[[8.9375, 44.0], [3.375, 11.375], [6.5625, 47.75]]> : tensor<3x2xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_attention() {
  %a0 = stablehlo.constant dense<[[[[0.25, -1.0, 1.0], [1.0, -1.5, -1.0]], [[0.75, -0.25, -0.5], [-1.5, -1.0, 1.25]]]]> : tensor<1x2x2x3xf32>
  %a1 = stablehlo.constant dense<[[[[1.0, 1.0, 0.25], [-1.25, -0.5, 0.0], [1.5, -0.75, 0.25]], [[0.0, 0.0, 0.25], [0.75, -1.25, 1.5], [1.25, 0.75, -0.75]]]]> : tensor<1x2x3x3xf32>
  %a2 = stablehlo.constant dense<[[[[-0.25, -0.25, -0.5], [-1.5, 0.75, -1.5], [0.75, -1.0, 0.5]], [[-0.5, -0.75, 1.5], [0.0, 1.25, -1.0], [0.0, -0.5, -0.25]]]]> : tensor<1x2x3x3xf32>
  %a3 = stablehlo.constant dense<[[[[-1.5, 0.5, -0.5], [1.25, -1.0, -0.5]]]]> : tensor<1x1x2x3xf32>
  %0 = stablehlo.custom_call @fused_scaled_dot_product_attention(%a0, %a1, %a2, %a3) {backend_config = "{\"scale\": 0.5, \"is_causal\": false, \"has_mask\": true}"}
       : (tensor<1x2x2x3xf32>, tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>, tensor<1x1x2x3xf32>) -> tensor<1x2x2x3xf32>
  check.expect_almost_eq_const %0, dense<[[[[-0.58133922, 0.033973245, -0.68946391], [0.098858678, -0.50781301, -0.13581732]], [[-0.034598924, 0.49662689, -0.56344363], [-0.39367132, -0.35917909, 0.98313967]]]]> : tensor<1x2x2x3xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_depth_attention() {
  %a0 = stablehlo.constant dense<[[-1.5, 1.0, 0.0], [-0.25, 1.25, 0.25]]> : tensor<2x3xf32>
  %a1 = stablehlo.constant dense<[[[1.5, 0.75, 0.25], [0.0, -1.0, 0.5], [1.0, 0.75, -0.25], [-1.5, 0.75, -1.5]], [[1.0, -1.25, -0.75], [-1.0, 0.25, -1.0], [-0.75, -1.5, 1.5], [-1.0, -1.0, 0.25]]]> : tensor<2x4x3xf32>
  %a2 = stablehlo.constant dense<[[[-1.25, 1.25, 1.0], [-0.5, -0.25, -0.5], [0.75, -0.25, -0.75], [0.5, -1.25, 1.0]], [[-0.25, 1.5, -0.75], [-0.5, 1.25, 0.75], [-1.5, -0.5, -1.5], [1.0, -0.25, -1.0]]]> : tensor<2x4x3xf32>
  %0 = stablehlo.custom_call @fused_depth_attention(%a0, %a1, %a2) {backend_config = "{\"scale\": 0.5, \"depth_dim\": 4}"}
       : (tensor<2x3xf32>, tensor<2x4x3xf32>, tensor<2x4x3xf32>) -> tensor<2x3xf32>
  check.expect_almost_eq_const %0, dense<[[0.29811541, -0.85390755, 0.66187671], [-0.30912236, 0.59568522, -0.29946747]]> : tensor<2x3xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_layer_norm() {
  %a0 = stablehlo.constant dense<[[0.5, 1.0, -1.5, 1.0], [0.0, 0.0, 0.5, -0.75]]> : tensor<2x4xf32>
  %a1 = stablehlo.constant dense<[-1.5, -1.5, -1.25, 1.5]> : tensor<4xf32>
  %a2 = stablehlo.constant dense<[-1.0, 0.5, 0.75, -0.75]> : tensor<4xf32>
  %0 = stablehlo.custom_call @fused_layer_norm(%a0, %a1, %a2) {backend_config = "{\"axes\": [-1], \"eps\": 0.5}"}
       : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  check.expect_almost_eq_const %0, dense<[[-1.3, -0.4, 2.5, 0.15], [-1.1121153, 0.38788474, -0.090864479, -1.9832679]]> : tensor<2x4xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_rms_norm() {
  // The names that one of its passes writes.
  %a0 = stablehlo.constant dense<[[0.5, 1.0, -1.5, 1.0], [0.0, 0.0, 0.5, -0.75]]> : tensor<2x4xf32>
  %a1 = stablehlo.constant dense<[-1.5, -1.5, -1.25, 1.5]> : tensor<4xf32>
  %0 = stablehlo.custom_call @fused_rms_norm(%a0, %a1) {backend_config = "{\"axis\": 1, \"epsilon\": 0.5}"}
       : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  check.expect_almost_eq_const %0, dense<[[-0.58834841, -1.1766968, 1.470871, 1.1766968], [-0.0, -0.0, -0.74535599, -1.3416408]]> : tensor<2x4xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_batch_norm() {
  %a0 = stablehlo.constant dense<[[0.5, 1.0, -1.5, 1.0], [0.0, 0.0, 0.5, -0.75]]> : tensor<2x4xf32>
  %a1 = stablehlo.constant dense<[-1.5, -1.5, -1.25, 1.5]> : tensor<4xf32>
  %a2 = stablehlo.constant dense<[-1.0, 0.5, 0.75, -0.75]> : tensor<4xf32>
  %a3 = stablehlo.constant dense<[1.5, -1.5, -0.75, -0.5]> : tensor<4xf32>
  %a4 = stablehlo.constant dense<[0.5, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %0 = stablehlo.custom_call @fused_batch_norm(%a0, %a1, %a2, %a3, %a4) {backend_config = "{\"eps\": 1.0}"}
       : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  check.expect_almost_eq_const %0, dense<[[0.22474487, -2.1516504, 1.2912659, 0.375], [0.83711731, -1.0909903, -0.1521098, -0.9375]]> : tensor<2x4xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_matmul_gelu() {
  %a0 = stablehlo.constant dense<[[0.75, 1.25], [-1.25, 0.0], [-0.5, 0.75]]> : tensor<3x2xf32>
  %a1 = stablehlo.constant dense<[[1.5, 0.0, 0.75], [-0.5, 0.25, 0.0]]> : tensor<2x3xf32>
  %a2 = stablehlo.constant dense<[0.75, -1.5]> : tensor<2xf32>
  %0 = stablehlo.custom_call @fused_matmul_bias_activation(%a0, %a1, %a2) {backend_config = "{\"activation\": \"gelu\", \"trans_a\": true, \"trans_b\": true}"}
       : (tensor<3x2xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %0, dense<[[1.3997892, -0.031397235], [3.1852128, -0.035685776]]> : tensor<2x2xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_matmul_leaky_relu() {
  %a0 = stablehlo.constant dense<[[0.75, 1.25], [-1.25, 0.0], [-0.5, 0.75]]> : tensor<3x2xf32>
  %a1 = stablehlo.constant dense<[[1.5, 0.0, 0.75], [-0.5, 0.25, 0.0]]> : tensor<2x3xf32>
  %a2 = stablehlo.constant dense<[0.75, -1.5]> : tensor<2xf32>
  %0 = stablehlo.custom_call @fused_matmul_bias_activation(%a0, %a1, %a2) {backend_config = "{\"activation\": \"leaky_relu\", \"trans_a\": true, \"trans_b\": true}"}
       : (tensor<3x2xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %0, dense<[[1.5, -0.021875], [3.1875, -0.02125]]> : tensor<2x2xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_matmul_elu() {
  %a0 = stablehlo.constant dense<[[0.75, 1.25], [-1.25, 0.0], [-0.5, 0.75]]> : tensor<3x2xf32>
  %a1 = stablehlo.constant dense<[[1.5, 0.0, 0.75], [-0.5, 0.25, 0.0]]> : tensor<2x3xf32>
  %a2 = stablehlo.constant dense<[0.75, -1.5]> : tensor<2xf32>
  %0 = stablehlo.custom_call @fused_matmul_bias_activation(%a0, %a1, %a2) {backend_config = "{\"activation\": \"elu\", \"trans_a\": true, \"trans_b\": true}"}
       : (tensor<3x2xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %0, dense<[[1.5, -0.88780311], [3.1875, -0.88056703]]> : tensor<2x2xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_matmul_silu() {
  %a0 = stablehlo.constant dense<[[0.75, 1.25], [-1.25, 0.0], [-0.5, 0.75]]> : tensor<3x2xf32>
  %a1 = stablehlo.constant dense<[[1.5, 0.0, 0.75], [-0.5, 0.25, 0.0]]> : tensor<2x3xf32>
  %a2 = stablehlo.constant dense<[0.75, -1.5]> : tensor<2xf32>
  %0 = stablehlo.custom_call @fused_matmul_bias_activation(%a0, %a1, %a2) {backend_config = "{\"activation\": \"silu\", \"trans_a\": true, \"trans_b\": true}"}
       : (tensor<3x2xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %0, dense<[[1.2263617, -0.22067199], [3.0611512, -0.22671751]]> : tensor<2x2xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_convolution() {
  %a0 = stablehlo.constant dense<[[[[-0.75, -1.5], [1.5, 0.0], [0.0, 0.0]], [[-1.5, 1.0], [1.0, -1.5], [0.5, 0.25]], [[-0.5, 0.0], [1.25, 0.25], [0.0, 0.75]], [[0.75, 0.0], [1.0, 0.25], [0.5, 0.0]]]]> : tensor<1x4x3x2xf32>
  %a1 = stablehlo.constant dense<[[[[0.25, 0.25], [1.25, -0.75]], [[-0.5, 0.25], [-0.5, 0.5]]], [[[1.0, -1.0], [-1.5, 1.5]], [[0.0, 0.75], [0.75, 1.5]]]]> : tensor<2x2x2x2xf32>
  %a2 = stablehlo.constant dense<[-1.5, -0.75]> : tensor<2xf32>
  %0 = stablehlo.custom_call @fused_conv_bias_act(%a0, %a1, %a2) {backend_config = "{\"activation\": \"relu\", \"has_bias\": true}", window_strides = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}
       : (tensor<1x4x3x2xf32>, tensor<2x2x2x2xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
  check.expect_almost_eq_const %0, dense<[[[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 1.125]]]]> : tensor<1x2x2x2xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_softmax() {
  %a0 = stablehlo.constant dense<[[0.5, 1.0, -1.5, 1.0], [0.0, 0.0, 0.5, -0.75]]> : tensor<2x4xf32>
  %0 = stablehlo.custom_call @fused_softmax(%a0) {backend_config = "{\"axis\": -1}"}
       : (tensor<2x4xf32>) -> tensor<2x4xf32>
  check.expect_almost_eq_const %0, dense<[[0.22559218, 0.37193862, 0.030530581, 0.37193862], [0.24265438, 0.24265438, 0.40006943, 0.11462181]]> : tensor<2x4xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_gelu() {
  %a0 = stablehlo.constant dense<[[0.5, 1.0, -1.5, 1.0], [0.0, 0.0, 0.5, -0.75]]> : tensor<2x4xf32>
  %0 = stablehlo.custom_call @fused_gelu(%a0) {backend_config = "{\"approximate\": false}"}
       : (tensor<2x4xf32>) -> tensor<2x4xf32>
  check.expect_almost_eq_const %0, dense<[[0.34573123, 0.84134475, -0.1002108, 0.84134475], [0.0, 0.0, 0.34573123, -0.16997051]]> : tensor<2x4xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_rope() {
  // Angles of pairs.
  %a0 = stablehlo.constant dense<[[[1.5, -0.25, -0.25, -0.75], [-1.5, -1.5, 1.5, -1.5]]]> : tensor<1x2x4xf32>
  %a1 = stablehlo.constant dense<[[-1.25, -0.75], [-0.75, 1.25]]> : tensor<2x2xf32>
  %0 = stablehlo.custom_call @fused_rope(%a0, %a1) {backend_config = "{}"}
       : (tensor<1x2x4xf32>, tensor<2x2xf32>) -> tensor<1x2x4xf32>
  check.expect_almost_eq_const %0, dense<[[[0.23573739, -0.69415129, -1.5023075, -0.37835696], [-0.075075163, 0.95049339, 2.1199914, -1.8964605]]]> : tensor<1x2x4xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_rope_of_table() {
  // Cosines, then sines.
  %a0 = stablehlo.constant dense<[[[1.5, -0.25, -0.25, -0.75], [-1.5, -1.5, 1.5, -1.5]]]> : tensor<1x2x4xf32>
  %a1 = stablehlo.constant dense<[[-0.5, -1.0, -0.25, 0.5], [-0.25, -0.75, -1.25, -1.5]]> : tensor<2x4xf32>
  %0 = stablehlo.custom_call @fused_rope(%a0, %a1) {backend_config = "{}"}
       : (tensor<1x2x4xf32>, tensor<2x4xf32>) -> tensor<1x2x4xf32>
  check.expect_almost_eq_const %0, dense<[[[-0.8125, 0.625, -0.25, 0.625], [2.25, -1.125, 1.5, 3.375]]]> : tensor<1x2x4xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_ffn() {
  %a0 = stablehlo.constant dense<[[0.5, 1.0, -1.5, 1.0], [0.0, 0.0, 0.5, -0.75]]> : tensor<2x4xf32>
  %a1 = stablehlo.constant dense<[[0.0, -1.0, 0.25], [0.5, -0.5, 0.0], [-1.5, 0.25, -1.0], [-0.25, -1.25, -0.75]]> : tensor<4x3xf32>
  %a2 = stablehlo.constant dense<[[-0.25, 0.0], [-1.5, 1.25], [-0.25, -1.0]]> : tensor<3x2xf32>
  %0 = stablehlo.custom_call @fused_ffn(%a0, %a1, %a2) {backend_config = "{\"activation\": \"gelu\", \"hidden_dim\": 3, \"is_gated\": false}"}
       : (tensor<2x4xf32>, tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %0, dense<[[-0.78186124, -0.72158257], [-1.3318334, 1.1038441]]> : tensor<2x2xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_elementwise() {
  %a0 = stablehlo.constant dense<[[0.5, 1.0, -1.5, 1.0], [0.0, 0.0, 0.5, -0.75]]> : tensor<2x4xf32>
  %a1 = stablehlo.constant dense<[[1.5, -1.5, -0.75, -0.5], [0.25, -0.25, -1.25, -1.5]]> : tensor<2x4xf32>
  %a2 = stablehlo.constant dense<[[0.5, 1.0, -1.5, 1.0], [0.0, 0.0, 0.5, -0.75]]> : tensor<2x4xf32>
  %0 = stablehlo.custom_call @fused_elementwise(%a0, %a1, %a2) {backend_config = "{\"operations\": [\"add\", \"tanh\", \"multiply\"], \"num_ops\": 3}"}
       : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  check.expect_almost_eq_const %0, dense<[[0.48201379, -0.46211716, 1.4670392, 0.46211716], [0.0, -0.0, -0.31757448, 0.73351959]]> : tensor<2x4xf32>, tolerance = 1.0e-5
  func.return
}

// -----

func.func @fused_residual_chain() {
  %a0 = stablehlo.constant dense<[[0.5, 1.0, -1.5, 1.0], [0.0, 0.0, 0.5, -0.75]]> : tensor<2x4xf32>
  %a1 = stablehlo.constant dense<[[1.5, -1.5, -0.75, -0.5], [0.25, -0.25, -1.25, -1.5]]> : tensor<2x4xf32>
  %0 = stablehlo.custom_call @fused_residual_chain(%a0, %a1) {}
       : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  check.expect_almost_eq_const %0, dense<[[2.0, -0.5, -2.25, 0.5], [0.25, -0.25, -0.75, -2.25]]> : tensor<2x4xf32>, tolerance = 1.0e-5
  func.return
}
