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

// -----

// Places of maxima in short rows, beside those in the columns of the transposed rows.
func.func @places_in_rows() {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %numbers = stablehlo.iota dim = 0 : tensor<9900xi32>
  %factor = stablehlo.constant dense<7919> : tensor<9900xi32>
  %products = stablehlo.multiply %numbers, %factor : tensor<9900xi32>
  %divisor = stablehlo.constant dense<113> : tensor<9900xi32>
  %known = stablehlo.remainder %products, %divisor : tensor<9900xi32>
  %mixed = stablehlo.optimization_barrier %known : tensor<9900xi32>
  %b0 = stablehlo.convert %mixed : (tensor<9900xi32>) -> tensor<9900xi8>
  %b1 = stablehlo.reshape %b0 : (tensor<9900xi8>) -> tensor<300x33xi8>
  %b2 = stablehlo.transpose %b1, dims = [1, 0] : (tensor<300x33xi8>) -> tensor<33x300xi8>
  %b3 = stablehlo.optimization_barrier %b2 : tensor<33x300xi8>
  %b4 = stablehlo.iota dim = 1 : tensor<300x33xi32>
  %b5 = stablehlo.iota dim = 0 : tensor<33x300xi32>
  %b6 = stablehlo.constant dense<-128> : tensor<i8>
  %b7:2 = stablehlo.reduce(%b1 init: %b6), (%b4 init: %zero) across dimensions = [1]
    : (tensor<300x33xi8>, tensor<300x33xi32>, tensor<i8>, tensor<i32>) -> (tensor<300xi8>, tensor<300xi32>)
    reducer(%a: tensor<i8>, %b: tensor<i8>) (%i: tensor<i32>, %j: tensor<i32>) {
    %more = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %equal = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %first = stablehlo.and %equal, %before : tensor<i1>
    %keeps = stablehlo.or %more, %first : tensor<i1>
    %value = stablehlo.select %more, %a, %b : tensor<i1>, tensor<i8>
    %place = stablehlo.select %keeps, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %value, %place : tensor<i8>, tensor<i32>
  }
  %b8:2 = stablehlo.reduce(%b3 init: %b6), (%b5 init: %zero) across dimensions = [0]
    : (tensor<33x300xi8>, tensor<33x300xi32>, tensor<i8>, tensor<i32>) -> (tensor<300xi8>, tensor<300xi32>)
    reducer(%a: tensor<i8>, %b: tensor<i8>) (%i: tensor<i32>, %j: tensor<i32>) {
    %more = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %equal = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %first = stablehlo.and %equal, %before : tensor<i1>
    %keeps = stablehlo.or %more, %first : tensor<i1>
    %value = stablehlo.select %more, %a, %b : tensor<i1>, tensor<i8>
    %place = stablehlo.select %keeps, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %value, %place : tensor<i8>, tensor<i32>
  }
  check.expect_eq %b7#0, %b8#0 : tensor<300xi8>
  check.expect_eq %b7#1, %b8#1 : tensor<300xi32>
  %c0 = stablehlo.convert %mixed : (tensor<9900xi32>) -> tensor<9900xi16>
  %c1 = stablehlo.reshape %c0 : (tensor<9900xi16>) -> tensor<180x55xi16>
  %c2 = stablehlo.transpose %c1, dims = [1, 0] : (tensor<180x55xi16>) -> tensor<55x180xi16>
  %c3 = stablehlo.optimization_barrier %c2 : tensor<55x180xi16>
  %c4 = stablehlo.iota dim = 1 : tensor<180x55xi32>
  %c5 = stablehlo.iota dim = 0 : tensor<55x180xi32>
  %c6 = stablehlo.constant dense<-32768> : tensor<i16>
  %c7:2 = stablehlo.reduce(%c1 init: %c6), (%c4 init: %zero) across dimensions = [1]
    : (tensor<180x55xi16>, tensor<180x55xi32>, tensor<i16>, tensor<i32>) -> (tensor<180xi16>, tensor<180xi32>)
    reducer(%a: tensor<i16>, %b: tensor<i16>) (%i: tensor<i32>, %j: tensor<i32>) {
    %more = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
    %equal = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
    %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %first = stablehlo.and %equal, %before : tensor<i1>
    %keeps = stablehlo.or %more, %first : tensor<i1>
    %value = stablehlo.select %more, %a, %b : tensor<i1>, tensor<i16>
    %place = stablehlo.select %keeps, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %value, %place : tensor<i16>, tensor<i32>
  }
  %c8:2 = stablehlo.reduce(%c3 init: %c6), (%c5 init: %zero) across dimensions = [0]
    : (tensor<55x180xi16>, tensor<55x180xi32>, tensor<i16>, tensor<i32>) -> (tensor<180xi16>, tensor<180xi32>)
    reducer(%a: tensor<i16>, %b: tensor<i16>) (%i: tensor<i32>, %j: tensor<i32>) {
    %more = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
    %equal = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
    %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %first = stablehlo.and %equal, %before : tensor<i1>
    %keeps = stablehlo.or %more, %first : tensor<i1>
    %value = stablehlo.select %more, %a, %b : tensor<i1>, tensor<i16>
    %place = stablehlo.select %keeps, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %value, %place : tensor<i16>, tensor<i32>
  }
  check.expect_eq %c7#0, %c8#0 : tensor<180xi16>
  check.expect_eq %c7#1, %c8#1 : tensor<180xi32>
  %d0 = stablehlo.convert %mixed : (tensor<9900xi32>) -> tensor<9900xf32>
  %d1 = stablehlo.reshape %d0 : (tensor<9900xf32>) -> tensor<396x25xf32>
  %d2 = stablehlo.transpose %d1, dims = [1, 0] : (tensor<396x25xf32>) -> tensor<25x396xf32>
  %d3 = stablehlo.optimization_barrier %d2 : tensor<25x396xf32>
  %d4 = stablehlo.iota dim = 1 : tensor<396x25xi32>
  %d5 = stablehlo.iota dim = 0 : tensor<25x396xi32>
  %d6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %d7:2 = stablehlo.reduce(%d1 init: %d6), (%d4 init: %zero) across dimensions = [1]
    : (tensor<396x25xf32>, tensor<396x25xi32>, tensor<f32>, tensor<i32>) -> (tensor<396xf32>, tensor<396xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %more = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %equal = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %first = stablehlo.and %equal, %before : tensor<i1>
    %keeps = stablehlo.or %more, %first : tensor<i1>
    %value = stablehlo.select %more, %a, %b : tensor<i1>, tensor<f32>
    %place = stablehlo.select %keeps, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %value, %place : tensor<f32>, tensor<i32>
  }
  %d8:2 = stablehlo.reduce(%d3 init: %d6), (%d5 init: %zero) across dimensions = [0]
    : (tensor<25x396xf32>, tensor<25x396xi32>, tensor<f32>, tensor<i32>) -> (tensor<396xf32>, tensor<396xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %more = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %equal = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %first = stablehlo.and %equal, %before : tensor<i1>
    %keeps = stablehlo.or %more, %first : tensor<i1>
    %value = stablehlo.select %more, %a, %b : tensor<i1>, tensor<f32>
    %place = stablehlo.select %keeps, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %value, %place : tensor<f32>, tensor<i32>
  }
  check.expect_eq %d7#0, %d8#0 : tensor<396xf32>
  check.expect_eq %d7#1, %d8#1 : tensor<396xi32>
  %e0 = stablehlo.convert %mixed : (tensor<9900xi32>) -> tensor<9900xf64>
  %e1 = stablehlo.reshape %e0 : (tensor<9900xf64>) -> tensor<900x11xf64>
  %e2 = stablehlo.transpose %e1, dims = [1, 0] : (tensor<900x11xf64>) -> tensor<11x900xf64>
  %e3 = stablehlo.optimization_barrier %e2 : tensor<11x900xf64>
  %e4 = stablehlo.iota dim = 1 : tensor<900x11xi32>
  %e5 = stablehlo.iota dim = 0 : tensor<11x900xi32>
  %e6 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %e7:2 = stablehlo.reduce(%e1 init: %e6), (%e4 init: %zero) across dimensions = [1]
    : (tensor<900x11xf64>, tensor<900x11xi32>, tensor<f64>, tensor<i32>) -> (tensor<900xf64>, tensor<900xi32>)
    reducer(%a: tensor<f64>, %b: tensor<f64>) (%i: tensor<i32>, %j: tensor<i32>) {
    %more = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %equal = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %first = stablehlo.and %equal, %before : tensor<i1>
    %keeps = stablehlo.or %more, %first : tensor<i1>
    %value = stablehlo.select %more, %a, %b : tensor<i1>, tensor<f64>
    %place = stablehlo.select %keeps, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %value, %place : tensor<f64>, tensor<i32>
  }
  %e8:2 = stablehlo.reduce(%e3 init: %e6), (%e5 init: %zero) across dimensions = [0]
    : (tensor<11x900xf64>, tensor<11x900xi32>, tensor<f64>, tensor<i32>) -> (tensor<900xf64>, tensor<900xi32>)
    reducer(%a: tensor<f64>, %b: tensor<f64>) (%i: tensor<i32>, %j: tensor<i32>) {
    %more = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %equal = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %first = stablehlo.and %equal, %before : tensor<i1>
    %keeps = stablehlo.or %more, %first : tensor<i1>
    %value = stablehlo.select %more, %a, %b : tensor<i1>, tensor<f64>
    %place = stablehlo.select %keeps, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %value, %place : tensor<f64>, tensor<i32>
  }
  check.expect_eq %e7#0, %e8#0 : tensor<900xf64>
  check.expect_eq %e7#1, %e8#1 : tensor<900xi32>
  func.return
}
