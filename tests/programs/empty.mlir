// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tensors without elements whose other dimensions are larger than any memory: nothing
// may come of their strides and sizes but what a small empty tensor gives.

func.func @compared() {
  %x = stablehlo.constant dense<> : tensor<4x0x1152921504606846976x5xbf16>
  %y = stablehlo.constant dense<> : tensor<4x0x1152921504606846976x5xbf16>
  check.expect_close %x, %y, max_ulp_difference = 0, min_ulp_difference = 0 : tensor<4x0x1152921504606846976x5xbf16>, tensor<4x0x1152921504606846976x5xbf16>
  check.expect_eq %x, %y : tensor<4x0x1152921504606846976x5xbf16>
  func.return
}

// -----

func.func @reduced() {
  %x = stablehlo.constant dense<> : tensor<2x0x4611686018427387904x9223372036854775807xf32>
  %zero = stablehlo.constant dense<1.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1, 2, 3] : (tensor<2x0x4611686018427387904x9223372036854775807xf32>, tensor<f32>) -> tensor<2xf32>
  check.expect_eq_const %sum, dense<1.0> : tensor<2xf32>
  func.return
}

// -----

func.func @multiplied() {
  %x = stablehlo.constant dense<> : tensor<2x0x4611686018427387904xf32>
  %y = stablehlo.constant dense<> : tensor<4611686018427387904x0x3xf32>
  %product = stablehlo.dot_general %x, %y, contracting_dims = [1, 2] x [1, 0] : (tensor<2x0x4611686018427387904xf32>, tensor<4611686018427387904x0x3xf32>) -> tensor<2x3xf32>
  %outer = stablehlo.dot_general %x, %y, contracting_dims = [2] x [0] : (tensor<2x0x4611686018427387904xf32>, tensor<4611686018427387904x0x3xf32>) -> tensor<2x0x0x3xf32>
  %batches = stablehlo.dot_general %x, %x, batching_dims = [1, 2] x [1, 2], contracting_dims = [0] x [0] : (tensor<2x0x4611686018427387904xf32>, tensor<2x0x4611686018427387904xf32>) -> tensor<0x4611686018427387904xf32>
  check.expect_eq_const %product, dense<0.0> : tensor<2x3xf32>
  check.expect_eq_const %outer, dense<> : tensor<2x0x0x3xf32>
  check.expect_eq_const %batches, dense<> : tensor<0x4611686018427387904xf32>
  func.return
}

// -----

func.func @arranged() {
  %x = stablehlo.constant dense<> : tensor<1152921504606846976x0x1152921504606846976xi32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %index = stablehlo.constant dense<1152921504606846970> : tensor<i64>
  %transpose = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<1152921504606846976x0x1152921504606846976xi32>) -> tensor<0x1152921504606846976x1152921504606846976xi32>
  %reshape = stablehlo.reshape %x : (tensor<1152921504606846976x0x1152921504606846976xi32>) -> tensor<9223372036854775807x9223372036854775807x0xi32>
  %slice = stablehlo.slice %x [1152921504606846974:1152921504606846976, 0:0, 5:1152921504606846976:1000] : (tensor<1152921504606846976x0x1152921504606846976xi32>) -> tensor<2x0x1152921504606847xi32>
  %part = stablehlo.dynamic_slice %x, %index, %index, %index, sizes = [2, 0, 2] : (tensor<1152921504606846976x0x1152921504606846976xi32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<2x0x2xi32>
  %update = stablehlo.dynamic_update_slice %x, %part, %index, %index, %index : (tensor<1152921504606846976x0x1152921504606846976xi32>, tensor<2x0x2xi32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1152921504606846976x0x1152921504606846976xi32>
  %reverse = stablehlo.reverse %x, dims = [0, 2] : tensor<1152921504606846976x0x1152921504606846976xi32>
  %both = stablehlo.concatenate %x, %reverse, dim = 2 : (tensor<1152921504606846976x0x1152921504606846976xi32>, tensor<1152921504606846976x0x1152921504606846976xi32>) -> tensor<1152921504606846976x0x2305843009213693952xi32>
  %pad = stablehlo.pad %x, %seven, low = [-1152921504606846975, 1, -1152921504606846976], high = [0, 1, 2], interior = [0, 0, 0] : (tensor<1152921504606846976x0x1152921504606846976xi32>, tensor<i32>) -> tensor<1x2x2xi32>
  %repeated = stablehlo.broadcast_in_dim %x, dims = [1, 2, 3] : (tensor<1152921504606846976x0x1152921504606846976xi32>) -> tensor<9223372036854775807x1152921504606846976x0x1152921504606846976xi32>
  check.expect_eq_const %transpose, dense<> : tensor<0x1152921504606846976x1152921504606846976xi32>
  check.expect_eq_const %reshape, dense<> : tensor<9223372036854775807x9223372036854775807x0xi32>
  check.expect_eq_const %slice, dense<> : tensor<2x0x1152921504606847xi32>
  check.expect_eq_const %update, dense<> : tensor<1152921504606846976x0x1152921504606846976xi32>
  check.expect_eq_const %both, dense<> : tensor<1152921504606846976x0x2305843009213693952xi32>
  check.expect_eq_const %pad, dense<7> : tensor<1x2x2xi32>
  check.expect_eq_const %repeated, dense<> : tensor<9223372036854775807x1152921504606846976x0x1152921504606846976xi32>
  func.return
}

// -----

func.func @computed() {
  %x = stablehlo.constant dense<> : tensor<9223372036854775807x0x8x8xf32>
  %sum = stablehlo.add %x, %x : tensor<9223372036854775807x0x8x8xf32>
  %ranks = stablehlo.iota dim = 0 : tensor<9223372036854775807x0x8x8xi32>
  %numbers = stablehlo.convert %ranks : (tensor<9223372036854775807x0x8x8xi32>) -> tensor<9223372036854775807x0x8x8xf32>
  %factor = stablehlo.cholesky %sum, lower = true : tensor<9223372036854775807x0x8x8xf32>
  %solution = "stablehlo.triangular_solve"(%factor, %numbers) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<9223372036854775807x0x8x8xf32>, tensor<9223372036854775807x0x8x8xf32>) -> tensor<9223372036854775807x0x8x8xf32>
  %sorted = "stablehlo.sort"(%solution) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) {dimension = 3 : i64} : (tensor<9223372036854775807x0x8x8xf32>) -> tensor<9223372036854775807x0x8x8xf32>
  %values, %places = chlo.top_k(%sorted, k = 2) : tensor<9223372036854775807x0x8x8xf32> -> (tensor<9223372036854775807x0x8x2xf32>, tensor<9223372036854775807x0x8x2xi32>)
  %spectrum = stablehlo.fft %sorted, type = RFFT, length = [8] : (tensor<9223372036854775807x0x8x8xf32>) -> tensor<9223372036854775807x0x8x5xcomplex<f32>>
  check.expect_eq_const %values, dense<> : tensor<9223372036854775807x0x8x2xf32>
  check.expect_eq_const %places, dense<> : tensor<9223372036854775807x0x8x2xi32>
  check.expect_eq_const %spectrum, dense<> : tensor<9223372036854775807x0x8x5xcomplex<f32>>
  func.return
}

// -----

func.func @carried() {
  %x = stablehlo.constant dense<> : tensor<9223372036854775807x9223372036854775807x3x0xf32>
  %start = stablehlo.constant dense<> : tensor<9223372036854775807x9223372036854775807x0xf32>
  %sums, %last = chlo.scan (%x) inits (%start) dimension=2 {
  ^bb0(%a: tensor<9223372036854775807x9223372036854775807x0xf32>, %b: tensor<9223372036854775807x9223372036854775807x0xf32>):
    %0 = stablehlo.add %a, %b : tensor<9223372036854775807x9223372036854775807x0xf32>
    stablehlo.return %0, %0 : tensor<9223372036854775807x9223372036854775807x0xf32>, tensor<9223372036854775807x9223372036854775807x0xf32>
  } : (tensor<9223372036854775807x9223372036854775807x3x0xf32>, tensor<9223372036854775807x9223372036854775807x0xf32>) -> (tensor<9223372036854775807x9223372036854775807x3x0xf32>, tensor<9223372036854775807x9223372036854775807x0xf32>)
  check.expect_eq_const %sums, dense<> : tensor<9223372036854775807x9223372036854775807x3x0xf32>
  check.expect_eq_const %last, dense<> : tensor<9223372036854775807x9223372036854775807x0xf32>
  func.return
}

// -----

func.func @normalized() {
  %x = stablehlo.constant dense<> : tensor<0x2x4611686018427387904x4611686018427387904xf32>
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %y = "stablehlo.batch_norm_inference"(%x, %one, %one, %one, %one) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (tensor<0x2x4611686018427387904x4611686018427387904xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<0x2x4611686018427387904x4611686018427387904xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [2, 3] : (tensor<0x2x4611686018427387904x4611686018427387904xf32>, tensor<f32>) -> tensor<0x2xf32>
  check.expect_eq_const %sum, dense<> : tensor<0x2xf32>
  func.return
}

// -----

// A window larger than any memory has no place in three elements.
func.func @windows() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %none = stablehlo.constant dense<> : tensor<0xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %sums = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %0 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %0 : tensor<i32>
  }) {window_dimensions = array<i64: 4611686018427387904>} : (tensor<3xi32>, tensor<i32>) -> tensor<0xi32>
  %spread = "stablehlo.select_and_scatter"(%x, %none, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %0 = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %0 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %0 : tensor<i32>
  }) {window_dimensions = array<i64: 4611686018427387904>} : (tensor<3xi32>, tensor<0xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %sums, dense<> : tensor<0xi32>
  check.expect_eq_const %spread, dense<0> : tensor<3xi32>
  func.return
}
