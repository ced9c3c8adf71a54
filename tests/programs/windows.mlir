// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Windows of several dimensions, large enough to be reduced one dimension after the other, beside the same with a
// region that is not recognized.

func.func @greatest() {
  %i = stablehlo.iota dim = 0 : tensor<19200xi32>
  %factor = stablehlo.constant dense<7919> : tensor<19200xi32>
  %modulus = stablehlo.constant dense<10007> : tensor<19200xi32>
  %p = stablehlo.multiply %i, %factor : tensor<19200xi32>
  %r = stablehlo.remainder %p, %modulus : tensor<19200xi32>
  %f = stablehlo.convert %r : (tensor<19200xi32>) -> tensor<19200xf32>
  %s = stablehlo.reshape %f : (tensor<19200xf32>) -> tensor<4x40x40x3xf32>
  %x = stablehlo.optimization_barrier %s : tensor<4x40x40x3xf32>
  %initial = stablehlo.constant dense<9000.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %initial) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {
    window_dimensions = array<i64: 1, 7, 5, 1>, window_strides = array<i64: 1, 1, 2, 1>, base_dilations = array<i64: 1, 2, 1, 1>,
    window_dilations = array<i64: 1, 1, 3, 1>, padding = dense<[[0, 0], [3, 2], [4, 5], [0, 0]]> : tensor<4x2xi64>
  } : (tensor<4x40x40x3xf32>, tensor<f32>) -> tensor<4x78x19x3xf32>
  %1 = "stablehlo.reduce_window"(%x, %initial) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %m = stablehlo.select %c, %a, %b : tensor<i1>, tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {
    window_dimensions = array<i64: 1, 7, 5, 1>, window_strides = array<i64: 1, 1, 2, 1>, base_dilations = array<i64: 1, 2, 1, 1>,
    window_dilations = array<i64: 1, 1, 3, 1>, padding = dense<[[0, 0], [3, 2], [4, 5], [0, 0]]> : tensor<4x2xi64>
  } : (tensor<4x40x40x3xf32>, tensor<f32>) -> tensor<4x78x19x3xf32>
  check.expect_eq %0, %1 : tensor<4x78x19x3xf32>
  func.return
}

// -----

func.func @sums_of_integers() {
  %i = stablehlo.iota dim = 0 : tensor<10000xi32>
  %factor = stablehlo.constant dense<40503> : tensor<10000xi32>
  %p = stablehlo.multiply %i, %factor : tensor<10000xi32>
  %s = stablehlo.reshape %p : (tensor<10000xi32>) -> tensor<100x100xi32>
  %x = stablehlo.optimization_barrier %s : tensor<100x100xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %m = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %m : tensor<i32>
  }) {window_dimensions = array<i64: 8, 8>, padding = dense<[[2, 1], [0, 7]]> : tensor<2x2xi64>}
    : (tensor<100x100xi32>, tensor<i32>) -> tensor<96x100xi32>
  // The sum by its bits: those that differ, and the carries.
  %1 = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.and %a, %b : tensor<i32>
    %d = stablehlo.xor %a, %b : tensor<i32>
    %e = stablehlo.add %c, %c : tensor<i32>
    %m = stablehlo.add %d, %e : tensor<i32>
    stablehlo.return %m : tensor<i32>
  }) {window_dimensions = array<i64: 8, 8>, padding = dense<[[2, 1], [0, 7]]> : tensor<2x2xi64>}
    : (tensor<100x100xi32>, tensor<i32>) -> tensor<96x100xi32>
  check.expect_eq %0, %1 : tensor<96x100xi32>
  func.return
}

// -----

// Short sums of f16 are rounded at each step, from the initial value on.
func.func @short_sums() {
  %x = stablehlo.constant dense<[[0.5, 2.0, 4096.0], [1.5, 3.0, 1.0]]> : tensor<2x3xf16>
  %y = stablehlo.optimization_barrier %x : tensor<2x3xf16>
  %initial = stablehlo.constant dense<2048.0> : tensor<f16>
  %0 = "stablehlo.reduce_window"(%y, %initial) ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %m = stablehlo.add %a, %b : tensor<f16>
    stablehlo.return %m : tensor<f16>
  }) {window_dimensions = array<i64: 2, 2>} : (tensor<2x3xf16>, tensor<f16>) -> tensor<1x2xf16>
  // 2048 and 0.5 is 2048, and 2 is 2050, and 1.5 is 2052, and 3 is 2056: halves go to even numbers.
  check.expect_eq_const %0, dense<[[2056.0, 6148.0]]> : tensor<1x2xf16>
  // The same but for the initial value, which the machine code contains.
  %one = stablehlo.constant dense<1.0> : tensor<f16>
  %1 = "stablehlo.reduce_window"(%y, %one) ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %m = stablehlo.add %a, %b : tensor<f16>
    stablehlo.return %m : tensor<f16>
  }) {window_dimensions = array<i64: 2, 2>} : (tensor<2x3xf16>, tensor<f16>) -> tensor<1x2xf16>
  check.expect_eq_const %1, dense<[[8.0, 4104.0]]> : tensor<1x2xf16>
  func.return
}

// -----

// Neighbours of 2 bytes that are 5 or 8 elements apart, beside the same elements as rows of their own.
func.func @windows_of_distant_halves() {
  %0 = stablehlo.iota dim = 0 : tensor<4000xi32>
  %1 = stablehlo.constant dense<7919> : tensor<4000xi32>
  %2 = stablehlo.multiply %0, %1 : tensor<4000xi32>
  %3 = stablehlo.constant dense<1021> : tensor<4000xi32>
  %4 = stablehlo.remainder %2, %3 : tensor<4000xi32>
  %5 = stablehlo.convert %4 : (tensor<4000xi32>) -> tensor<4000xf16>
  %unknown = stablehlo.optimization_barrier %5 : tensor<4000xf16>
  %x = stablehlo.reshape %unknown : (tensor<4000xf16>) -> tensor<4x1000xf16>
  %initial = stablehlo.constant dense<100.0> : tensor<f16>
  %6 = "stablehlo.reduce_window"(%x, %initial) ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %m = stablehlo.maximum %a, %b : tensor<f16>
    stablehlo.return %m : tensor<f16>
  }) {window_dimensions = array<i64: 1, 8>, window_strides = array<i64: 1, 8>}
    : (tensor<4x1000xf16>, tensor<f16>) -> tensor<4x125xf16>
  %7 = stablehlo.reshape %x : (tensor<4x1000xf16>) -> tensor<4x125x8xf16>
  %8 = stablehlo.reduce(%7 init: %initial) applies stablehlo.maximum across dimensions = [2]
    : (tensor<4x125x8xf16>, tensor<f16>) -> tensor<4x125xf16>
  check.expect_eq %6, %8 : tensor<4x125xf16>
  %9 = "stablehlo.reduce_window"(%x, %initial) ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %m = stablehlo.minimum %a, %b : tensor<f16>
    stablehlo.return %m : tensor<f16>
  }) {window_dimensions = array<i64: 1, 5>, window_strides = array<i64: 1, 5>,
      padding = dense<[[0, 0], [2, 3]]> : tensor<2x2xi64>} : (tensor<4x1000xf16>, tensor<f16>) -> tensor<4x201xf16>
  %10 = stablehlo.pad %x, %initial, low = [0, 2], high = [0, 3], interior = [0, 0]
    : (tensor<4x1000xf16>, tensor<f16>) -> tensor<4x1005xf16>
  %11 = stablehlo.reshape %10 : (tensor<4x1005xf16>) -> tensor<4x201x5xf16>
  %12 = stablehlo.reduce(%11 init: %initial) applies stablehlo.minimum across dimensions = [2]
    : (tensor<4x201x5xf16>, tensor<f16>) -> tensor<4x201xf16>
  check.expect_eq %9, %12 : tensor<4x201xf16>
  func.return
}

// Groups of one feature each, beside the same with one group, whose other weights are 0.
func.func @one_feature_a_group() {
  %i = stablehlo.iota dim = 0 : tensor<6864xi32>
  %seventeen = stablehlo.constant dense<17> : tensor<6864xi32>
  %r = stablehlo.remainder %i, %seventeen : tensor<6864xi32>
  %f = stablehlo.convert %r : (tensor<6864xi32>) -> tensor<6864xf32>
  %s = stablehlo.reshape %f : (tensor<6864xf32>) -> tensor<2x13x11x24xf32>
  %x = stablehlo.optimization_barrier %s : tensor<2x13x11x24xf32>
  %j = stablehlo.iota dim = 0 : tensor<216xi32>
  %five = stablehlo.constant dense<5> : tensor<216xi32>
  %q = stablehlo.remainder %j, %five : tensor<216xi32>
  %g = stablehlo.convert %q : (tensor<216xi32>) -> tensor<216xf32>
  %v = stablehlo.reshape %g : (tensor<216xf32>) -> tensor<3x3x1x24xf32>
  %w = stablehlo.optimization_barrier %v : tensor<3x3x1x24xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 2], [2, 1]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 24 : i64} : (tensor<2x13x11x24xf32>, tensor<3x3x1x24xf32>) -> tensor<2x6x5x24xf32>
  %wide = stablehlo.broadcast_in_dim %w, dims = [0, 1, 2, 3] : (tensor<3x3x1x24xf32>) -> tensor<3x3x24x24xf32>
  %from = stablehlo.iota dim = 2 : tensor<3x3x24x24xi32>
  %to = stablehlo.iota dim = 3 : tensor<3x3x24x24xi32>
  %own = stablehlo.compare EQ, %from, %to : (tensor<3x3x24x24xi32>, tensor<3x3x24x24xi32>) -> tensor<3x3x24x24xi1>
  %zeros = stablehlo.constant dense<0.0> : tensor<3x3x24x24xf32>
  %dense = stablehlo.select %own, %wide, %zeros : tensor<3x3x24x24xi1>, tensor<3x3x24x24xf32>
  %1 = stablehlo.convolution(%x, %dense) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 2], [2, 1]], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x13x11x24xf32>, tensor<3x3x24x24xf32>) -> tensor<2x6x5x24xf32>
  check.expect_eq %0, %1 : tensor<2x6x5x24xf32>
  return
}

// The same with features outside, a dilated image, reversed windows, and an epilogue.
func.func @one_feature_a_group_spread() {
  %i = stablehlo.iota dim = 0 : tensor<630xi32>
  %seventeen = stablehlo.constant dense<17> : tensor<630xi32>
  %r = stablehlo.remainder %i, %seventeen : tensor<630xi32>
  %f = stablehlo.convert %r : (tensor<630xi32>) -> tensor<630xf32>
  %s = stablehlo.reshape %f : (tensor<630xf32>) -> tensor<3x5x7x6xf32>
  %x = stablehlo.optimization_barrier %s : tensor<3x5x7x6xf32>
  %j = stablehlo.iota dim = 0 : tensor<45xi32>
  %five = stablehlo.constant dense<5> : tensor<45xi32>
  %q = stablehlo.remainder %j, %five : tensor<45xi32>
  %g = stablehlo.convert %q : (tensor<45xi32>) -> tensor<45xf32>
  %v = stablehlo.reshape %g : (tensor<45xf32>) -> tensor<5x1x3x3xf32>
  %w = stablehlo.optimization_barrier %v : tensor<5x1x3x3xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [2, 1]], lhs_dilate = [2, 2], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 5 : i64} : (tensor<3x5x7x6xf32>, tensor<5x1x3x3xf32>) -> tensor<3x5x13x12xf32>
  %wide = stablehlo.broadcast_in_dim %w, dims = [0, 1, 2, 3] : (tensor<5x1x3x3xf32>) -> tensor<5x5x3x3xf32>
  %from = stablehlo.iota dim = 1 : tensor<5x5x3x3xi32>
  %to = stablehlo.iota dim = 0 : tensor<5x5x3x3xi32>
  %own = stablehlo.compare EQ, %from, %to : (tensor<5x5x3x3xi32>, tensor<5x5x3x3xi32>) -> tensor<5x5x3x3xi1>
  %zeros = stablehlo.constant dense<0.0> : tensor<5x5x3x3xf32>
  %dense = stablehlo.select %own, %wide, %zeros : tensor<5x5x3x3xi1>, tensor<5x5x3x3xf32>
  %1 = stablehlo.convolution(%x, %dense) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [2, 1]], lhs_dilate = [2, 2], reverse = [true, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x5x7x6xf32>, tensor<5x5x3x3xf32>) -> tensor<3x5x13x12xf32>
  %bias = stablehlo.constant dense<-100.0> : tensor<3x5x13x12xf32>
  %nothing = stablehlo.constant dense<0.0> : tensor<3x5x13x12xf32>
  %2 = stablehlo.add %0, %bias : tensor<3x5x13x12xf32>
  %3 = stablehlo.maximum %2, %nothing : tensor<3x5x13x12xf32>
  %4 = stablehlo.add %1, %bias : tensor<3x5x13x12xf32>
  %5 = stablehlo.maximum %4, %nothing : tensor<3x5x13x12xf32>
  check.expect_eq %3, %5 : tensor<3x5x13x12xf32>
  return
}

// The same in bf16, over one dimension.
func.func @one_feature_a_group_narrow() {
  %i = stablehlo.iota dim = 0 : tensor<6400xi32>
  %seventeen = stablehlo.constant dense<17> : tensor<6400xi32>
  %r = stablehlo.remainder %i, %seventeen : tensor<6400xi32>
  %f = stablehlo.convert %r : (tensor<6400xi32>) -> tensor<6400xbf16>
  %s = stablehlo.reshape %f : (tensor<6400xbf16>) -> tensor<4x50x32xbf16>
  %x = stablehlo.optimization_barrier %s : tensor<4x50x32xbf16>
  %j = stablehlo.iota dim = 0 : tensor<128xi32>
  %five = stablehlo.constant dense<5> : tensor<128xi32>
  %q = stablehlo.remainder %j, %five : tensor<128xi32>
  %g = stablehlo.convert %q : (tensor<128xi32>) -> tensor<128xbf16>
  %v = stablehlo.reshape %g : (tensor<128xbf16>) -> tensor<4x1x32xbf16>
  %w = stablehlo.optimization_barrier %v : tensor<4x1x32xbf16>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[3, 0]]} {batch_group_count = 1 : i64, feature_group_count = 32 : i64} : (tensor<4x50x32xbf16>, tensor<4x1x32xbf16>) -> tensor<4x50x32xbf16>
  %wide = stablehlo.broadcast_in_dim %w, dims = [0, 1, 2] : (tensor<4x1x32xbf16>) -> tensor<4x32x32xbf16>
  %from = stablehlo.iota dim = 1 : tensor<4x32x32xi32>
  %to = stablehlo.iota dim = 2 : tensor<4x32x32xi32>
  %own = stablehlo.compare EQ, %from, %to : (tensor<4x32x32xi32>, tensor<4x32x32xi32>) -> tensor<4x32x32xi1>
  %zeros = stablehlo.constant dense<0.0> : tensor<4x32x32xbf16>
  %dense = stablehlo.select %own, %wide, %zeros : tensor<4x32x32xi1>, tensor<4x32x32xbf16>
  %1 = stablehlo.convolution(%x, %dense) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[3, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x50x32xbf16>, tensor<4x32x32xbf16>) -> tensor<4x50x32xbf16>
  check.expect_eq %0, %1 : tensor<4x50x32xbf16>
  return
}
