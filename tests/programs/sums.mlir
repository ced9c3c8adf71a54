// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reductions, products of matrices, convolutions, sorting.

func.func @reduce() {
  %x = stablehlo.constant dense<[[3, 1, 2], [4, 6, 5]]> : tensor<2x3xi32>
  %i = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %sum, dense<[7, 7, 7]> : tensor<3xi32>
  // The greatest of each row, and where it is.
  %1:2 = stablehlo.reduce(%x init: %zero), (%i init: %zero) across dimensions = [1] : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
    reducer(%a: tensor<i32>, %b: tensor<i32>) (%m: tensor<i32>, %n: tensor<i32>) {
      %p = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<i32>
      %w = stablehlo.select %p, %m, %n : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<i32>, tensor<i32>
    }
  check.expect_eq_const %1#0, dense<[3, 6]> : tensor<2xi32>
  check.expect_eq_const %1#1, dense<[0, 1]> : tensor<2xi32>
  func.return
}

// -----

func.func @reduce_window() {
  %x = stablehlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) {
    window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>
  } : (tensor<5xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[3, 9, 9]> : tensor<3xi32>
  func.return
}

// -----

func.func @map() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %0 = "stablehlo.map"(%x, %x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %square = stablehlo.multiply %a, %b : tensor<i32>
    stablehlo.return %square : tensor<i32>
  }) {dimensions = array<i64: 0>} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[1, 4, 9]> : tensor<3xi32>
  func.return
}

// -----

func.func @products() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %dot = stablehlo.dot %a, %b : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %general = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  %einsum = stablehlo.einsum %a, %b, config = "ij,kj->ik" : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %diagonal = stablehlo.unary_einsum %a, config = "ii->i" : (tensor<2x2xf32>) -> tensor<2xf32>
  check.expect_eq_const %dot, dense<[[19.0, 22.0], [43.0, 50.0]]> : tensor<2x2xf32>
  check.expect_eq_const %general, dense<[17.0, 53.0]> : tensor<2xf32>
  check.expect_eq_const %einsum, dense<[[17.0, 23.0], [39.0, 53.0]]> : tensor<2x2xf32>
  check.expect_eq_const %diagonal, dense<[1.0, 4.0]> : tensor<2xf32>
  func.return
}

// -----

func.func @convolution() {
  // Differences of neighbours; zeros stand beyond both ends.
  %x = stablehlo.constant dense<[[[1.0], [3.0], [6.0]]]> : tensor<1x3x1xf32>
  %k = stablehlo.constant dense<[[[-1.0]], [[1.0]]]> : tensor<2x1x1xf32>
  %padding = stablehlo.constant dense<[[1, 1]]> : tensor<1x2xi64>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x3x1xf32>, tensor<2x1x1xf32>) -> tensor<1x4x1xf32>
  %1 = "stablehlo.dynamic_conv"(%x, %k, %padding) {
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x3x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x4x1xf32>
  check.expect_eq_const %0, dense<[[[1.0], [2.0], [3.0], [-6.0]]]> : tensor<1x4x1xf32>
  check.expect_eq %1, %0 : tensor<1x4x1xf32>
  func.return
}

// -----

// Infinite weights make NaN of the zeros that pad: at the 28 places of the border, of 16 features each.
func.func @infinite_weights() {
  %x = stablehlo.constant dense<1.0> : tensor<1x8x8x4xf32>
  %x1 = stablehlo.optimization_barrier %x : tensor<1x8x8x4xf32>
  %k = stablehlo.constant dense<0x7F800000> : tensor<3x3x4x16xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.convolution(%x1, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {
    feature_group_count = 1 : i64, batch_group_count = 1 : i64
  } : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x8x8x16xf32>
  %1 = stablehlo.compare NE, %0, %0 : (tensor<1x8x8x16xf32>, tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xi1>
  %2 = stablehlo.convert %1 : (tensor<1x8x8x16xi1>) -> tensor<1x8x8x16xi32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<1x8x8x16xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %3, dense<448> : tensor<i32>
  func.return
}

// -----

func.func @sort() {
  // By the keys, downwards; equal ones keep their order.
  %keys = stablehlo.constant dense<[2, 9, 2, 5]> : tensor<4xi32>
  %values = stablehlo.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %0:2 = "stablehlo.sort"(%keys, %values) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %p = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  check.expect_eq_const %0#0, dense<[9, 5, 2, 2]> : tensor<4xi32>
  check.expect_eq_const %0#1, dense<[1, 3, 0, 2]> : tensor<4xi32>
  func.return
}

// -----

func.func @initial_values_of_other_types() {
  // Initial values may be narrower or wider than the numbers that they are added to.
  %narrow = stablehlo.constant dense<0.5> : tensor<f16>
  %wide = stablehlo.constant dense<0.5> : tensor<f64>
  %x = stablehlo.constant dense<[[1.0, 3.0, 2.0], [6.0, 5.0, 4.0]]> : tensor<2x3xf32>
  %y = stablehlo.constant dense<[[10.0], [20.0]]> : tensor<2x1xf32>
  %0 = "stablehlo.reduce"(%x, %narrow) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f16>) -> tensor<2xf32>
  check.expect_eq_const %0, dense<[6.5, 15.5]> : tensor<2xf32>
  %1 = "stablehlo.reduce_window"(%x, %wide) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 2, 1>} : (tensor<2x3xf32>, tensor<f64>) -> tensor<1x3xf32>
  check.expect_eq_const %1, dense<[[7.5, 8.5, 6.5]]> : tensor<1x3xf32>
  %2 = "stablehlo.select_and_scatter"(%x, %y, %narrow) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<f16>) -> tensor<2x3xf32>
  check.expect_eq_const %2, dense<[[0.5, 10.5, 0.5], [20.5, 0.5, 0.5]]> : tensor<2x3xf32>
  %3 = "stablehlo.select_and_scatter"(%x, %y, %wide) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<f64>) -> tensor<2x3xf32>
  check.expect_eq_const %3, dense<[[0.5, 10.5, 0.5], [20.5, 0.5, 0.5]]> : tensor<2x3xf32>
  func.return
}
