// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Conversions between element types, quantization, and rounding to fewer bits.

func.func @convert() {
  %x = stablehlo.constant dense<[-1.9, 0.0, 2.5]> : tensor<3xf32>
  %i = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xi32>
  %p = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %i, dense<[-1, 0, 2]> : tensor<3xi32>
  check.expect_eq_const %p, dense<[true, false, true]> : tensor<3xi1>
  func.return
}

// -----

// What was 32 bits is compared with constants of 64.
func.func @convert_compare() {
  %narrow = stablehlo.iota dim = 0 : tensor<8xi32>
  %least = stablehlo.constant dense<-3> : tensor<8xi32>
  %x = stablehlo.add %narrow, %least : tensor<8xi32>
  %wide = stablehlo.convert %x : (tensor<8xi32>) -> tensor<8xi64>
  %zero = stablehlo.constant dense<0> : tensor<8xi64>
  %three = stablehlo.constant dense<3> : tensor<8xi64>
  %lt = stablehlo.compare LT, %wide, %three : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi1>
  %ge = stablehlo.compare GE, %wide, %zero : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi1>
  %clamped = stablehlo.clamp %zero, %wide, %three : tensor<8xi64>
  %abs = stablehlo.abs %wide : tensor<8xi64>
  check.expect_eq_const %lt, dense<[true, true, true, true, true, true, false, false]> : tensor<8xi1>
  check.expect_eq_const %ge, dense<[false, false, false, true, true, true, true, true]> : tensor<8xi1>
  check.expect_eq_const %clamped, dense<[0, 0, 0, 0, 1, 2, 3, 3]> : tensor<8xi64>
  check.expect_eq_const %abs, dense<[3, 2, 1, 0, 1, 2, 3, 4]> : tensor<8xi64>
  func.return
}

// -----

func.func @bitcast_convert() {
  // 1.0 is 0x3F80_0000: two halves, the low one first.
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %whole = stablehlo.bitcast_convert %one : (tensor<f32>) -> tensor<ui32>
  %halves = stablehlo.bitcast_convert %one : (tensor<f32>) -> tensor<2xui16>
  %again = stablehlo.bitcast_convert %halves : (tensor<2xui16>) -> tensor<f32>
  check.expect_eq_const %whole, dense<0x3F800000> : tensor<ui32>
  check.expect_eq_const %halves, dense<[0, 0x3F80]> : tensor<2xui16>
  check.expect_eq %again, %one : tensor<f32>
  func.return
}

// -----

func.func @quantize() {
  // round (x / 0.5) + 1, within the storage type, and back.
  %x = stablehlo.constant dense<[1.0, -2.0, 0.3, 100.0, -100.0]> : tensor<5xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<5xf32>) -> tensor<5x!quant.uniform<i8:f32, 0.5:1>>
  %y = stablehlo.uniform_dequantize %q : (tensor<5x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<5xf32>
  check.expect_eq_const %y, dense<[1.0, -2.0, 0.5, 63.0, -64.5]> : tensor<5xf32>
  func.return
}

// -----

func.func @reduce_precision() {
  // Three bits of mantissa: steps of an eighth between one and two. Four bits of
  // exponent reach to 2^7: beyond is infinity.
  %x = stablehlo.constant dense<[1.0, 1.06, 1.07, 1.9, 300.0]> : tensor<5xf32>
  %y = stablehlo.reduce_precision %x, format = e4m3 : tensor<5xf32>
  check.expect_eq_const %y, dense<[1.0, 1.0, 1.125, 1.875, 0x7F800000]> : tensor<5xf32>
  func.return
}
