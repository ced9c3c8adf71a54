// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: channels-last,cse,dce
// One transpose in front and one behind: bias, relu and pooling are done in between in the other order.
func.func @main(%x: tensor<2x3x6x5xf32>, %w: tensor<4x3x3x3xf32>, %v: tensor<2x4x1x1xf32>, %b: tensor<4xf32>) -> tensor<2x2x3x2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<2x4x6x5xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x6x5xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x6x5xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<2x4x6x5xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x4x6x5xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<2x4x6x5xf32>
  %4 = "stablehlo.reduce_window"(%3, %least) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>, padding = dense<[[0, 0], [0, 0], [0, 1], [0, 0]]> : tensor<4x2xi64>} : (tensor<2x4x6x5xf32>, tensor<f32>) -> tensor<2x4x3x2xf32>
  %5 = stablehlo.convolution(%4, %v) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x3x2xf32>, tensor<2x4x1x1xf32>) -> tensor<2x2x3x2xf32>
  return %5 : tensor<2x2x3x2xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3x6x5xf32>, %arg1: tensor<4x3x3x3xf32>, %arg2: tensor<2x4x1x1xf32>, %arg3: tensor<4xf32>) -> tensor<2x2x3x2xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 3, 1] : (tensor<2x3x6x5xf32>) -> tensor<2x6x5x3xf32>
    %1 = stablehlo.convolution(%0, %arg1) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x5x3xf32>, tensor<4x3x3x3xf32>) -> tensor<2x6x5x4xf32>
    %2 = stablehlo.broadcast_in_dim %arg3, dims = [3] : (tensor<4xf32>) -> tensor<2x6x5x4xf32>
    %3 = stablehlo.add %1, %2 : tensor<2x6x5x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<2x6x5x4xf32>
    %4 = stablehlo.maximum %3, %cst_0 : tensor<2x6x5x4xf32>
    %5 = "stablehlo.reduce_window"(%4, %cst) <{padding = dense<[[0, 0], [0, 1], [0, 0], [0, 0]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %8 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }) : (tensor<2x6x5x4xf32>, tensor<f32>) -> tensor<2x3x2x4xf32>
    %6 = stablehlo.convolution(%5, %arg2) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x2x4xf32>, tensor<2x4x1x1xf32>) -> tensor<2x3x2x2xf32>
    %7 = stablehlo.transpose %6, dims = [0, 3, 1, 2] : (tensor<2x3x2x2xf32>) -> tensor<2x2x3x2xf32>
    return %7 : tensor<2x2x3x2xf32>
  }
}
// -----
// PASS: channels-last,cse,dce
// SUMS free
// A step of training: the gradient of the pool, of the weights, whose own layout stays, and of the image.
func.func @main(%x: tensor<2x3x6x6xf32>, %w: tensor<4x3x3x3xf32>, %g: tensor<2x4x3x3xf32>) -> (tensor<4x3x3x3xf32>, tensor<2x3x6x6xf32>) {
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x6x6xf32>
  %1 = stablehlo.tanh %0 : tensor<2x4x6x6xf32>
  %2 = "stablehlo.select_and_scatter"(%1, %g, %none) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %m : tensor<i1>
  }, {
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>} : (tensor<2x4x6x6xf32>, tensor<2x4x3x3xf32>, tensor<f32>) -> tensor<2x4x6x6xf32>
  %3 = stablehlo.multiply %2, %1 : tensor<2x4x6x6xf32>
  %4 = stablehlo.convolution(%x, %3) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<4x3x3x3xf32>
  %5 = stablehlo.convolution(%3, %w) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x3x6x6xf32>
  return %4, %5 : tensor<4x3x3x3xf32>, tensor<2x3x6x6xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3x6x6xf32>, %arg1: tensor<4x3x3x3xf32>, %arg2: tensor<2x4x3x3xf32>) -> (tensor<4x3x3x3xf32>, tensor<2x3x6x6xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 3, 1] : (tensor<2x3x6x6xf32>) -> tensor<2x6x6x3xf32>
    %1 = stablehlo.convolution(%0, %arg1) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x6x3xf32>, tensor<4x3x3x3xf32>) -> tensor<2x6x6x4xf32>
    %2 = stablehlo.tanh %1 : tensor<2x6x6x4xf32>
    %3 = stablehlo.transpose %arg2, dims = [0, 2, 3, 1] : (tensor<2x4x3x3xf32>) -> tensor<2x3x3x4xf32>
    %4 = "stablehlo.select_and_scatter"(%2, %3, %cst) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %9 = stablehlo.compare GE, %arg3, %arg4 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }, {
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %9 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<2x6x6x4xf32>, tensor<2x3x3x4xf32>, tensor<f32>) -> tensor<2x6x6x4xf32>
    %5 = stablehlo.multiply %4, %2 : tensor<2x6x6x4xf32>
    %6 = stablehlo.convolution(%0, %5) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[f, b, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x6x3xf32>, tensor<2x6x6x4xf32>) -> tensor<4x3x3x3xf32>
    %7 = stablehlo.convolution(%5, %arg1) dim_numbers = [b, 0, 1, f]x[i, o, 0, 1]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x6x4xf32>, tensor<4x3x3x3xf32>) -> tensor<2x6x6x3xf32>
    %8 = stablehlo.transpose %7, dims = [0, 3, 1, 2] : (tensor<2x6x6x3xf32>) -> tensor<2x3x6x6xf32>
    return %6, %8 : tensor<4x3x3x3xf32>, tensor<2x3x6x6xf32>
  }
}
// -----
// PASS: channels-last,cse,dce
// A mean over places, batch statistics, a choice by a comparison, and numbers for each dimension of slices and pads.
func.func @main(%x: tensor<2x3x6x6xf32>, %w: tensor<4x3x3x3xf32>) -> (tensor<2x4xf32>, tensor<4xf32>, tensor<2x8x5x9xf32>) {
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<2x4x6x6xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x6x6xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x6x6xf32>
  %1 = stablehlo.compare GT, %0, %zero : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xi1>
  %2 = stablehlo.select %1, %0, %zero : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>
  %3 = stablehlo.reduce(%2 init: %none) applies stablehlo.maximum across dimensions = [2, 3] : (tensor<2x4x6x6xf32>, tensor<f32>) -> tensor<2x4xf32>
  %4 = stablehlo.reduce(%2 init: %none) applies stablehlo.maximum across dimensions = [0, 2, 3] : (tensor<2x4x6x6xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<4xf32>) -> tensor<2x4x6x6xf32>
  %6 = stablehlo.subtract %2, %5 : tensor<2x4x6x6xf32>
  %7 = stablehlo.concatenate %2, %6, dim = 1 : (tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) -> tensor<2x8x6x6xf32>
  %8 = stablehlo.slice %7 [0:2, 0:8, 1:6, 0:6] : (tensor<2x8x6x6xf32>) -> tensor<2x8x5x6xf32>
  %9 = stablehlo.pad %8, %none, low = [0, 0, 0, 1], high = [0, 0, 0, 2], interior = [0, 0, 0, 0] : (tensor<2x8x5x6xf32>, tensor<f32>) -> tensor<2x8x5x9xf32>
  return %3, %4, %9 : tensor<2x4xf32>, tensor<4xf32>, tensor<2x8x5x9xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3x6x6xf32>, %arg1: tensor<4x3x3x3xf32>) -> (tensor<2x4xf32>, tensor<4xf32>, tensor<2x8x5x9xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 3, 1] : (tensor<2x3x6x6xf32>) -> tensor<2x6x6x3xf32>
    %1 = stablehlo.convolution(%0, %arg1) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x6x6x3xf32>, tensor<4x3x3x3xf32>) -> tensor<2x6x6x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<2x6x6x4xf32>
    %2 = stablehlo.compare GT, %1, %cst_0 : (tensor<2x6x6x4xf32>, tensor<2x6x6x4xf32>) -> tensor<2x6x6x4xi1>
    %3 = stablehlo.select %2, %1, %cst_0 : tensor<2x6x6x4xi1>, tensor<2x6x6x4xf32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.maximum across dimensions = [1, 2] : (tensor<2x6x6x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    %5 = stablehlo.reduce(%3 init: %cst) applies stablehlo.maximum across dimensions = [0, 1, 2] : (tensor<2x6x6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [3] : (tensor<4xf32>) -> tensor<2x6x6x4xf32>
    %7 = stablehlo.subtract %3, %6 : tensor<2x6x6x4xf32>
    %8 = stablehlo.concatenate %3, %7, dim = 3 : (tensor<2x6x6x4xf32>, tensor<2x6x6x4xf32>) -> tensor<2x6x6x8xf32>
    %9 = stablehlo.slice %8 [0:2, 1:6, 0:6, 0:8] : (tensor<2x6x6x8xf32>) -> tensor<2x5x6x8xf32>
    %10 = stablehlo.pad %9, %cst, low = [0, 0, 1, 0], high = [0, 0, 2, 0], interior = [0, 0, 0, 0] : (tensor<2x5x6x8xf32>, tensor<f32>) -> tensor<2x5x9x8xf32>
    %11 = stablehlo.transpose %10, dims = [0, 3, 1, 2] : (tensor<2x5x9x8xf32>) -> tensor<2x8x5x9xf32>
    return %4, %5, %11 : tensor<2x4xf32>, tensor<4xf32>, tensor<2x8x5x9xf32>
  }
}
// -----
// PASS: channels-last,cse,dce
// A residual is transposed once for all that take it; what is channels-last, or has ones alone elsewhere, stays.
func.func @main(%x: tensor<2x3x4x4xf32>, %w: tensor<3x3x3x3xf32>, %y: tensor<2x4x4x3xf32>, %v: tensor<3x3x3x2xf32>, %z: tensor<1x1x5x5xf32>, %u: tensor<1x1x3x3xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x2x2x2xf32>, tensor<1x1x3x3xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x4x4xf32>, tensor<3x3x3x3xf32>) -> tensor<2x3x4x4xf32>
  %1 = stablehlo.add %x, %0 : tensor<2x3x4x4xf32>
  %2 = stablehlo.convolution(%y, %v) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x4x3xf32>, tensor<3x3x3x2xf32>) -> tensor<2x2x2x2xf32>
  %3 = stablehlo.convolution(%z, %u) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x5x5xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32>
  return %1, %2, %3 : tensor<2x3x4x4xf32>, tensor<2x2x2x2xf32>, tensor<1x1x3x3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3x4x4xf32>, %arg1: tensor<3x3x3x3xf32>, %arg2: tensor<2x4x4x3xf32>, %arg3: tensor<3x3x3x2xf32>, %arg4: tensor<1x1x5x5xf32>, %arg5: tensor<1x1x3x3xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x2x2x2xf32>, tensor<1x1x3x3xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 3, 1] : (tensor<2x3x4x4xf32>) -> tensor<2x4x4x3xf32>
    %1 = stablehlo.convolution(%0, %arg1) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x4x3xf32>, tensor<3x3x3x3xf32>) -> tensor<2x4x4x3xf32>
    %2 = stablehlo.add %0, %1 : tensor<2x4x4x3xf32>
    %3 = stablehlo.transpose %2, dims = [0, 3, 1, 2] : (tensor<2x4x4x3xf32>) -> tensor<2x3x4x4xf32>
    %4 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x4x3xf32>, tensor<3x3x3x2xf32>) -> tensor<2x2x2x2xf32>
    %5 = stablehlo.convolution(%arg4, %arg5) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x5x5xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32>
    return %3, %4, %5 : tensor<2x3x4x4xf32>, tensor<2x2x2x2xf32>, tensor<1x1x3x3xf32>
  }
}
// -----
// PASS: channels-last,cse,dce
// A convolution of each feature by itself keeps the order of its image, that of the one before as well.
func.func @main(%x: tensor<2x4x3x24xf32>, %w: tensor<4x1x3x3xf32>, %v: tensor<4x4x3x3xf32>) -> (tensor<2x4x3x24xf32>, tensor<2x4x3x24xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x4x3x24xf32>, tensor<4x1x3x3xf32>) -> tensor<2x4x3x24xf32>
  %1 = stablehlo.convolution(%x, %v) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x3x24xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x3x24xf32>
  %2 = stablehlo.convolution(%1, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x4x3x24xf32>, tensor<4x1x3x3xf32>) -> tensor<2x4x3x24xf32>
  return %0, %2 : tensor<2x4x3x24xf32>, tensor<2x4x3x24xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x4x3x24xf32>, %arg1: tensor<4x1x3x3xf32>, %arg2: tensor<4x4x3x3xf32>) -> (tensor<2x4x3x24xf32>, tensor<2x4x3x24xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x4x3x24xf32>, tensor<4x1x3x3xf32>) -> tensor<2x4x3x24xf32>
    %1 = stablehlo.transpose %arg0, dims = [0, 2, 3, 1] : (tensor<2x4x3x24xf32>) -> tensor<2x3x24x4xf32>
    %2 = stablehlo.convolution(%1, %arg2) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x24x4xf32>, tensor<4x4x3x3xf32>) -> tensor<2x3x24x4xf32>
    %3 = stablehlo.convolution(%2, %arg1) dim_numbers = [b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x3x24x4xf32>, tensor<4x1x3x3xf32>) -> tensor<2x3x24x4xf32>
    %4 = stablehlo.transpose %3, dims = [0, 3, 1, 2] : (tensor<2x3x24x4xf32>) -> tensor<2x4x3x24xf32>
    return %0, %4 : tensor<2x4x3x24xf32>, tensor<2x4x3x24xf32>
  }
}
