// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Windows and padding with numbers up to the largest: only those elements matter that the
// result has, however far apart the others are.

func.func @dilated() {
  %x = stablehlo.iota dim = 1 : tensor<1x2x4xf32>
  %k = stablehlo.constant dense<1.0> : tensor<1x4x3xf32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[-4611686018427387904, 3]], lhs_dilate = [4611686018427387904]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x4xf32>, tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
  // One position, whose second tap is in the padding.
  %1 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [9223372036854775807], pad = [[0, 9223372036854775805]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x4xf32>, tensor<1x4x3xf32>) -> tensor<1x1x3xf32>
  check.expect_eq_const %0, dense<[[[4.0, 4.0, 4.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]> : tensor<1x4x3xf32>
  check.expect_eq_const %1, dense<0.0> : tensor<1x1x3xf32>
  func.return
}

// -----

func.func @cropped() {
  // The first position is at 2^62, less than 2^63 from the crop, and the last one beyond.
  %x = stablehlo.constant dense<1.0> : tensor<1x2x1xf32>
  %k = stablehlo.constant dense<1.0> : tensor<1x1x1xf32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [6917529027641081857], pad = [[-4611686018427387904, 6917529027641081857]], lhs_dilate = [4611686018427387904]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x1xf32>, tensor<1x1x1xf32>) -> tensor<1x2x1xf32>
  check.expect_eq_const %0, dense<[[[1.0], [0.0]]]> : tensor<1x2x1xf32>
  func.return
}

// -----

func.func @windows() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 9223372036854775807>, window_dilations = array<i64: 4611686018427387904>, padding = dense<[[0, 4611686018427387902]]> : tensor<1x2xi64>} : (tensor<3xf32>, tensor<f32>) -> tensor<1xf32>
  %1 = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) {window_dimensions = array<i64: 1>, base_dilations = array<i64: 4611686018427387903>, padding = dense<[[-4611686018427387903, -4611686018427387902]]> : tensor<1x2xi64>} : (tensor<3xf32>, tensor<f32>) -> tensor<2xf32>
  check.expect_eq_const %0, dense<1.0> : tensor<1xf32>
  check.expect_eq_const %1, dense<[2.0, 0.0]> : tensor<2xf32>
  func.return
}

// -----

func.func @selected() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %source = stablehlo.constant dense<5.0> : tensor<2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %source, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %is_kept = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %is_kept : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 4611686018427387904>, padding = dense<[[0, 4611686018427387903]]> : tensor<1x2xi64>} : (tensor<3xf32>, tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
  check.expect_eq_const %0, dense<[0.0, 5.0, 0.0]> : tensor<3xf32>
  func.return
}

// -----

func.func @padded() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %one = stablehlo.constant dense<8> : tensor<1xi32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %low = stablehlo.constant dense<1> : tensor<1xi64>
  %interior = stablehlo.constant dense<9223372036854775807> : tensor<1xi64>
  %0 = stablehlo.pad %x, %seven, low = [-4611686018427387904], high = [2], interior = [4611686018427387903] : (tensor<2xi32>, tensor<i32>) -> tensor<3xi32>
  %1 = stablehlo.pad %one, %seven, low = [1], high = [1], interior = [9223372036854775807] : (tensor<1xi32>, tensor<i32>) -> tensor<3xi32>
  %2 = stablehlo.dynamic_pad %one, %seven, %low, %low, %interior : (tensor<1xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi32>
  %3 = stablehlo.pad %x, %seven, low = [9223372036854775800], high = [-9223372036854775799], interior = [0] : (tensor<2xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[2, 7, 7]> : tensor<3xi32>
  check.expect_eq_const %1, dense<[7, 8, 7]> : tensor<3xi32>
  check.expect_eq_const %2, dense<[7, 8, 7]> : tensor<3xi32>
  check.expect_eq_const %3, dense<7> : tensor<3xi32>
  func.return
}

// Of a dimension that is cut at its beginning and long afterwards, beside one without elements.
func.func @cut() {
  %x = stablehlo.constant dense<> : tensor<9x0xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %zero, low = [-7, 0], high = [9223372036854775800, 0], interior = [0, 0] : (tensor<9x0xf32>, tensor<f32>) -> tensor<9223372036854775802x0xf32>
  %1 = stablehlo.get_dimension_size %0, dim = 1 : (tensor<9223372036854775802x0xf32>) -> tensor<i32>
  check.expect_eq_const %1, dense<0> : tensor<i32>
  return
}
