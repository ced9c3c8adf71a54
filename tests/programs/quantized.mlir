// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Operations on quantized values. Scales are powers of two, so that all numbers are exact.

func.func @dot_general() {
  // [[0, 0.5], [1, 1.5]] times [[2, 1], [-2, 0.25]] is [[-1, 0.125], [-1, 1.375]].
  %0 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %1 = stablehlo.constant dense<[[2, 4], [-2, 1]]> : tensor<2x2xi8>
  %x = stablehlo.bitcast_convert %0 : (tensor<2x2xi8>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>
  %w = stablehlo.bitcast_convert %1 : (tensor<2x2xi8>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 0.25}>>
  %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 0.25}>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.125:-3>>
  %y = stablehlo.bitcast_convert %2 : (tensor<2x2x!quant.uniform<i8:f32, 0.125:-3>>) -> tensor<2x2xi8>
  check.expect_eq_const %y, dense<[[-11, -2], [-11, 8]]> : tensor<2x2xi8>
  func.return
}

// -----

func.func @hybrid() {
  // Four-bit weights beside floats: [1, 2] times [[-4, 3.5], [1.5, -0.5]].
  %x = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %0 = stablehlo.constant dense<[[-8, 7], [3, -1]]> : tensor<2x2xi4>
  %w = stablehlo.bitcast_convert %0 : (tensor<2x2xi4>) -> tensor<2x2x!quant.uniform<i4:f32, 0.5>>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x2xf32>, tensor<2x2x!quant.uniform<i4:f32, 0.5>>) -> tensor<1x2xf32>
  check.expect_eq_const %y, dense<[[-1.0, 2.5]]> : tensor<1x2xf32>
  func.return
}

// -----

func.func @convolution() {
  // [1, -1, 0.5], with zeros around it, under the window [-0.25, 0, 0.5].
  %0 = stablehlo.constant dense<[[[5], [1], [4]]]> : tensor<1x3x1xui8>
  %1 = stablehlo.constant dense<[[[1]], [[2]], [[4]]]> : tensor<3x1x1xui8>
  %x = stablehlo.bitcast_convert %0 : (tensor<1x3x1xui8>) -> tensor<1x3x1x!quant.uniform<ui8:f32, 0.5:3>>
  %w = stablehlo.bitcast_convert %1 : (tensor<3x1x1xui8>) -> tensor<3x1x1x!quant.uniform<ui8:f32, 0.25:2>>
  %2 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1x!quant.uniform<ui8:f32, 0.5:3>>, tensor<3x1x1x!quant.uniform<ui8:f32, 0.25:2>>) -> tensor<1x3x1x!quant.uniform<ui8:f32, 0.25:7>>
  %y = stablehlo.bitcast_convert %2 : (tensor<1x3x1x!quant.uniform<ui8:f32, 0.25:7>>) -> tensor<1x3x1xui8>
  check.expect_eq_const %y, dense<[[[5], [7], [8]]]> : tensor<1x3x1xui8>
  func.return
}

// -----

func.func @reductions() {
  // The greatest with its index, and the sum of [1.5, -2, 3].
  %0 = stablehlo.constant dense<[4, -3, 7]> : tensor<3xi8>
  %1 = stablehlo.constant dense<[-128, 1]> : tensor<2xi8>
  %x = stablehlo.bitcast_convert %0 : (tensor<3xi8>) -> tensor<3x!quant.uniform<i8:f32, 0.5:1>>
  %c = stablehlo.bitcast_convert %1 : (tensor<2xi8>) -> tensor<2x!quant.uniform<i8:f32, 0.5:1>>
  %2 = stablehlo.slice %c [0:1] : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x!quant.uniform<i8:f32, 0.5:1>>
  %3 = stablehlo.slice %c [1:2] : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<1x!quant.uniform<i8:f32, 0.5:1>>
  %least = stablehlo.reshape %2 : (tensor<1x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<!quant.uniform<i8:f32, 0.5:1>>
  %zero = stablehlo.reshape %3 : (tensor<1x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<!quant.uniform<i8:f32, 0.5:1>>
  %i = stablehlo.iota dim = 0 : tensor<3xi32>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %4:2 = stablehlo.reduce(%x init: %least), (%i init: %first) across dimensions = [0] : (tensor<3x!quant.uniform<i8:f32, 0.5:1>>, tensor<3xi32>, tensor<!quant.uniform<i8:f32, 0.5:1>>, tensor<i32>) -> (tensor<!quant.uniform<i8:f32, 0.5:1>>, tensor<i32>)
   reducer(%a: tensor<!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<!quant.uniform<i8:f32, 0.5:1>>) (%m: tensor<i32>, %n: tensor<i32>) {
    %p = stablehlo.compare GE, %a, %b : (tensor<!quant.uniform<i8:f32, 0.5:1>>, tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<i1>
    %s = stablehlo.select %p, %a, %b : tensor<i1>, tensor<!quant.uniform<i8:f32, 0.5:1>>
    %t = stablehlo.select %p, %m, %n : tensor<i1>, tensor<i32>
    stablehlo.return %s, %t : tensor<!quant.uniform<i8:f32, 0.5:1>>, tensor<i32>
  }
  %5 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x!quant.uniform<i8:f32, 0.5:1>>, tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<!quant.uniform<i8:f32, 0.5:1>>
  %greatest = stablehlo.uniform_dequantize %4#0 : (tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<f32>
  %sum = stablehlo.uniform_dequantize %5 : (tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<f32>
  check.expect_eq_const %greatest, dense<3.0> : tensor<f32>
  check.expect_eq_const %4#1, dense<2> : tensor<i32>
  check.expect_eq_const %sum, dense<2.5> : tensor<f32>
  func.return
}
