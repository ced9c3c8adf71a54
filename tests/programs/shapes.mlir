// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Operations that move elements, and those that count them out; static shapes and
// shapes that are values.

func.func @counted() {
  %rows = stablehlo.iota dim = 0 : tensor<2x3xi32>
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %columns = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi64>) -> tensor<?x?xi32>
  check.expect_eq_const %rows, dense<[[0, 0, 0], [1, 1, 1]]> : tensor<2x3xi32>
  %static = stablehlo.reshape %columns : (tensor<?x?xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %static, dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xi32>
  func.return
}

// -----

func.func @arranged() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %reshape = stablehlo.reshape %x : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %transpose = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %reverse = stablehlo.reverse %x, dims = [1] : tensor<2x3xi32>
  %slice = stablehlo.slice %x [0:2, 0:3:2] : (tensor<2x3xi32>) -> tensor<2x2xi32>
  %pad = stablehlo.pad %x, %zero, low = [0, -1], high = [1, 0], interior = [0, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<3x4xi32>
  %last = stablehlo.slice %x [1:2:9223372036854775807, 2:3:4611686018427387904] : (tensor<2x3xi32>) -> tensor<1x1xi32>
  %both = stablehlo.concatenate %x, %slice, dim = 1 : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x5xi32>
  check.expect_eq_const %last, dense<6> : tensor<1x1xi32>
  check.expect_eq_const %reshape, dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  check.expect_eq_const %transpose, dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  check.expect_eq_const %reverse, dense<[[3, 2, 1], [6, 5, 4]]> : tensor<2x3xi32>
  check.expect_eq_const %slice, dense<[[1, 3], [4, 6]]> : tensor<2x2xi32>
  check.expect_eq_const %pad, dense<[[0, 2, 0, 3], [0, 5, 0, 6], [0, 0, 0, 0]]> : tensor<3x4xi32>
  check.expect_eq_const %both, dense<[[1, 2, 3, 1, 3], [4, 5, 6, 4, 6]]> : tensor<2x5xi32>
  func.return
}

// -----

func.func @repeated() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %leading = stablehlo.broadcast %x, sizes = [3] : (tensor<2xi32>) -> tensor<3x2xi32>
  %trailing = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2xi32>) -> tensor<2x3xi32>
  check.expect_eq_const %leading, dense<[[1, 2], [1, 2], [1, 2]]> : tensor<3x2xi32>
  check.expect_eq_const %trailing, dense<[[1, 1, 1], [2, 2, 2]]> : tensor<2x3xi32>
  func.return
}

// -----

func.func @dynamic() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %shape = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  %wide = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %one = stablehlo.constant dense<[1]> : tensor<1xi64>
  %two = stablehlo.constant dense<[2]> : tensor<1xi64>
  %four = stablehlo.constant dense<[4]> : tensor<1xi64>
  %square = stablehlo.dynamic_reshape %x, %shape : (tensor<4xi32>, tensor<2xi64>) -> tensor<?x?xi32>
  %twice = stablehlo.dynamic_broadcast_in_dim %x, %wide, dims = [1] : (tensor<4xi32>, tensor<2xi64>) -> tensor<?x?xi32>
  %odd = stablehlo.real_dynamic_slice %x, %one, %four, %two : (tensor<4xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
  %padded = stablehlo.dynamic_pad %x, %zero, %one, %two, %one : (tensor<4xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
  %s0 = stablehlo.reshape %square : (tensor<?x?xi32>) -> tensor<2x2xi32>
  %s1 = stablehlo.reshape %twice : (tensor<?x?xi32>) -> tensor<2x4xi32>
  %s2 = stablehlo.reshape %odd : (tensor<?xi32>) -> tensor<2xi32>
  %s3 = stablehlo.reshape %padded : (tensor<?xi32>) -> tensor<10xi32>
  check.expect_eq_const %s0, dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  check.expect_eq_const %s1, dense<[[1, 2, 3, 4], [1, 2, 3, 4]]> : tensor<2x4xi32>
  check.expect_eq_const %s2, dense<[2, 4]> : tensor<2xi32>
  check.expect_eq_const %s3, dense<[0, 1, 0, 2, 0, 3, 0, 4, 0, 0]> : tensor<10xi32>
  func.return
}

// -----

func.func @dimension_size() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %short = stablehlo.set_dimension_size %x, %three, dim = 0 : (tensor<4xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<4>>
  %size = stablehlo.get_dimension_size %short, dim = 0 : (tensor<?xi32, #stablehlo.bounds<4>>) -> tensor<i32>
  %sum = stablehlo.reduce(%short init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xi32, #stablehlo.bounds<4>>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %size, dense<3> : tensor<i32>
  check.expect_eq_const %sum, dense<6> : tensor<i32>
  func.return
}

// Padding between elements, in a group with what reads it, beside the same by a dimension more.
func.func @padded_between() {
  %i = stablehlo.iota dim = 0 : tensor<420xf32>
  %r = stablehlo.reshape %i : (tensor<420xf32>) -> tensor<3x20x7xf32>
  %x = stablehlo.optimization_barrier %r : tensor<3x20x7xf32>
  %fill = stablehlo.constant dense<-0.5> : tensor<f32>
  %0 = stablehlo.pad %x, %fill, low = [0, 0, 1], high = [0, -1, 2], interior = [0, 2, 0] : (tensor<3x20x7xf32>, tensor<f32>) -> tensor<3x57x10xf32>
  %1 = stablehlo.pad %x, %fill, low = [0, -2, 0], high = [0, 1, 3], interior = [0, 2, 0] : (tensor<3x20x7xf32>, tensor<f32>) -> tensor<3x57x10xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<3x57x10xf32>
  %3 = stablehlo.reshape %x : (tensor<3x20x7xf32>) -> tensor<3x20x1x7xf32>
  %4 = stablehlo.pad %3, %fill, low = [0, 0, 0, 0], high = [0, 0, 2, 0], interior = [0, 0, 0, 0] : (tensor<3x20x1x7xf32>, tensor<f32>) -> tensor<3x20x3x7xf32>
  %5 = stablehlo.reshape %4 : (tensor<3x20x3x7xf32>) -> tensor<3x60x7xf32>
  %6 = stablehlo.slice %5 [0:3, 0:57, 0:7] : (tensor<3x60x7xf32>) -> tensor<3x57x7xf32>
  %7 = stablehlo.pad %6, %fill, low = [0, 0, 1], high = [0, 0, 2], interior = [0, 0, 0] : (tensor<3x57x7xf32>, tensor<f32>) -> tensor<3x57x10xf32>
  %8 = stablehlo.slice %5 [0:3, 2:59, 0:7] : (tensor<3x60x7xf32>) -> tensor<3x57x7xf32>
  %9 = stablehlo.pad %8, %fill, low = [0, 0, 0], high = [0, 0, 3], interior = [0, 0, 0] : (tensor<3x57x7xf32>, tensor<f32>) -> tensor<3x57x10xf32>
  %10 = stablehlo.subtract %7, %9 : tensor<3x57x10xf32>
  check.expect_eq %2, %10 : tensor<3x57x10xf32>
  return
}

// The same along the innermost dimension, backwards, of what the group computes itself.
func.func @padded_between_lanes() {
  %i = stablehlo.iota dim = 0 : tensor<330xi32>
  %r = stablehlo.reshape %i : (tensor<330xi32>) -> tensor<10x33xi32>
  %x = stablehlo.optimization_barrier %r : tensor<10x33xi32>
  %y = stablehlo.multiply %x, %x : tensor<10x33xi32>
  %fill = stablehlo.constant dense<-3> : tensor<i32>
  %0 = stablehlo.pad %y, %fill, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<10x33xi32>, tensor<i32>) -> tensor<10x66xi32>
  %1 = stablehlo.reverse %0, dims = [1] : tensor<10x66xi32>
  %2 = stablehlo.pad %x, %fill, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<10x33xi32>, tensor<i32>) -> tensor<10x66xi32>
  %3 = stablehlo.add %1, %2 : tensor<10x66xi32>
  %4 = stablehlo.reverse %y, dims = [1] : tensor<10x33xi32>
  %5 = stablehlo.add %4, %x : tensor<10x33xi32>
  %6 = stablehlo.reshape %5 : (tensor<10x33xi32>) -> tensor<330x1xi32>
  %twice = stablehlo.constant dense<-6> : tensor<i32>
  %7 = stablehlo.pad %6, %twice, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<330x1xi32>, tensor<i32>) -> tensor<330x2xi32>
  %8 = stablehlo.reshape %7 : (tensor<330x2xi32>) -> tensor<10x66xi32>
  check.expect_eq %3, %8 : tensor<10x66xi32>
  return
}
