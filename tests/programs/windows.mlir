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
