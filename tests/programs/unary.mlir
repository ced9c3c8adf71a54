// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Elementwise functions of one operand, at points where the value is known.

func.func @roots_and_powers() {
  %x = stablehlo.constant dense<[0.0, 1.0, 4.0, 0.25]> : tensor<4xf64>
  %y = stablehlo.constant dense<[27.0, -8.0, 0.125, -0.0]> : tensor<4xf64>
  %z = stablehlo.constant dense<[4.0, 0.25, 1.0, 0x7FF0000000000000]> : tensor<4xf64>
  %sqrt = stablehlo.sqrt %x : tensor<4xf64>
  %cbrt = stablehlo.cbrt %y : tensor<4xf64>
  %rsqrt = stablehlo.rsqrt %z : tensor<4xf64>
  check.expect_eq_const %sqrt, dense<[0.0, 1.0, 2.0, 0.5]> : tensor<4xf64>
  check.expect_almost_eq_const %cbrt, dense<[3.0, -2.0, 0.5, -0.0]> : tensor<4xf64>, tolerance = 1.0e-15
  check.expect_eq_const %rsqrt, dense<[0.5, 2.0, 1.0, 0.0]> : tensor<4xf64>
  func.return
}

// -----

func.func @exponentials() {
  // 0, 1, ln 3
  %x = stablehlo.constant dense<[0.0, 1.0, 1.0986122886681098]> : tensor<3xf64>
  %exp = stablehlo.exponential %x : tensor<3xf64>
  %expm1 = stablehlo.exponential_minus_one %x : tensor<3xf64>
  %logistic = stablehlo.logistic %x : tensor<3xf64>
  check.expect_almost_eq_const %exp, dense<[1.0, 2.718281828459045, 3.0]> : tensor<3xf64>, tolerance = 1.0e-15
  check.expect_almost_eq_const %expm1, dense<[0.0, 1.718281828459045, 2.0]> : tensor<3xf64>, tolerance = 1.0e-15
  check.expect_almost_eq_const %logistic, dense<[0.5, 0.7310585786300049, 0.75]> : tensor<3xf64>, tolerance = 1.0e-15
  // Where exp (x) - 1 would lose every digit.
  %tiny = stablehlo.constant dense<1.0e-20> : tensor<f64>
  %small = stablehlo.exponential_minus_one %tiny : tensor<f64>
  check.expect_eq_const %small, dense<1.0e-20> : tensor<f64>
  func.return
}

// -----

func.func @logarithms() {
  %x = stablehlo.constant dense<[1.0, 2.0, 2.718281828459045]> : tensor<3xf64>
  %y = stablehlo.constant dense<[0.0, 1.0, 1.0e-20]> : tensor<3xf64>
  %log = stablehlo.log %x : tensor<3xf64>
  %log1p = stablehlo.log_plus_one %y : tensor<3xf64>
  check.expect_almost_eq_const %log, dense<[0.0, 0.6931471805599453, 1.0]> : tensor<3xf64>, tolerance = 1.0e-15
  check.expect_almost_eq_const %log1p, dense<[0.0, 0.6931471805599453, 1.0e-20]> : tensor<3xf64>, tolerance = 1.0e-15
  func.return
}

// -----

func.func @angles() {
  // 0, pi / 6, pi / 3, pi / 4
  %x = stablehlo.constant dense<[0.0, 0.5235987755982989, 1.0471975511965979, 0.7853981633974483]> : tensor<4xf64>
  %sine = stablehlo.sine %x : tensor<4xf64>
  %cosine = stablehlo.cosine %x : tensor<4xf64>
  %tan = stablehlo.tan %x : tensor<4xf64>
  check.expect_almost_eq_const %sine, dense<[0.0, 0.5, 0.8660254037844386, 0.7071067811865476]> : tensor<4xf64>, tolerance = 1.0e-15
  check.expect_almost_eq_const %cosine, dense<[1.0, 0.8660254037844386, 0.5, 0.7071067811865476]> : tensor<4xf64>, tolerance = 1.0e-15
  check.expect_almost_eq_const %tan, dense<[0.0, 0.5773502691896258, 1.7320508075688772, 1.0]> : tensor<4xf64>, tolerance = 1.0e-14
  // tanh (ln 2) = (2 - 1 / 2) / (2 + 1 / 2)
  %ln2 = stablehlo.constant dense<[0.6931471805599453, -0.6931471805599453]> : tensor<2xf64>
  %tanh = stablehlo.tanh %ln2 : tensor<2xf64>
  check.expect_almost_eq_const %tanh, dense<[0.6, -0.6]> : tensor<2xf64>, tolerance = 1.0e-15
  func.return
}

// -----

func.func @rounding() {
  %x = stablehlo.constant dense<[0.5, 1.5, -2.5, -1.2, 2.7]> : tensor<5xf32>
  %ceil = stablehlo.ceil %x : tensor<5xf32>
  %floor = stablehlo.floor %x : tensor<5xf32>
  %away = stablehlo.round_nearest_afz %x : tensor<5xf32>
  %even = stablehlo.round_nearest_even %x : tensor<5xf32>
  check.expect_eq_const %ceil, dense<[1.0, 2.0, -2.0, -1.0, 3.0]> : tensor<5xf32>
  check.expect_eq_const %floor, dense<[0.0, 1.0, -3.0, -2.0, 2.0]> : tensor<5xf32>
  check.expect_eq_const %away, dense<[1.0, 2.0, -3.0, -1.0, 3.0]> : tensor<5xf32>
  check.expect_eq_const %even, dense<[0.0, 2.0, -2.0, -1.0, 3.0]> : tensor<5xf32>
  func.return
}

// -----

func.func @signs() {
  %x = stablehlo.constant dense<[-128, -3, 0, 7]> : tensor<4xi8>
  %abs = stablehlo.abs %x : tensor<4xi8>
  %negate = stablehlo.negate %x : tensor<4xi8>
  %sign = stablehlo.sign %x : tensor<4xi8>
  // The least value has no counterpart: it wraps to itself.
  check.expect_eq_const %abs, dense<[-128, 3, 0, 7]> : tensor<4xi8>
  check.expect_eq_const %negate, dense<[-128, 3, 0, -7]> : tensor<4xi8>
  check.expect_eq_const %sign, dense<[-1, -1, 0, 1]> : tensor<4xi8>
  // 3, 4, 5
  %z = stablehlo.constant dense<(3.0, -4.0)> : tensor<complex<f32>>
  %magnitude = stablehlo.abs %z : (tensor<complex<f32>>) -> tensor<f32>
  check.expect_eq_const %magnitude, dense<5.0> : tensor<f32>
  func.return
}

// -----

func.func @bits() {
  %x = stablehlo.constant dense<[0, 1, 7, 255]> : tensor<4xui8>
  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %zeros = stablehlo.count_leading_zeros %x : tensor<4xui8>
  %ones = stablehlo.popcnt %x : tensor<4xui8>
  %not = stablehlo.not %x : tensor<4xui8>
  %no = stablehlo.not %p : tensor<2xi1>
  check.expect_eq_const %zeros, dense<[8, 7, 5, 0]> : tensor<4xui8>
  check.expect_eq_const %ones, dense<[0, 1, 3, 8]> : tensor<4xui8>
  check.expect_eq_const %not, dense<[255, 254, 248, 0]> : tensor<4xui8>
  check.expect_eq_const %no, dense<[false, true]> : tensor<2xi1>
  func.return
}

// -----

func.func @finite() {
  %x = stablehlo.constant dense<[1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>
  %finite = stablehlo.is_finite %x : (tensor<4xf32>) -> tensor<4xi1>
  check.expect_eq_const %finite, dense<[true, false, false, false]> : tensor<4xi1>
  func.return
}

// -----

func.func @complex_parts() {
  %re = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %im = stablehlo.constant dense<[3.0, 0.5]> : tensor<2xf32>
  %z = stablehlo.complex %re, %im : tensor<2xcomplex<f32>>
  %real = stablehlo.real %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %imag = stablehlo.imag %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  check.expect_eq_const %z, dense<[(1.0, 3.0), (-2.0, 0.5)]> : tensor<2xcomplex<f32>>
  check.expect_eq_const %real, dense<[1.0, -2.0]> : tensor<2xf32>
  check.expect_eq_const %imag, dense<[3.0, 0.5]> : tensor<2xf32>
  func.return
}

// -----

// Where numbers are infinite: a sign's parts are quotients by the magnitude, and nothing is known of what a sine of them
// is in. What is unknown is 9 here.
module @complex_infinite {
  func.func private @parts(%z: tensor<6xcomplex<f32>>) -> (tensor<6xf32>, tensor<6xf32>) {
    %nine = stablehlo.constant dense<9.0> : tensor<6xf32>
    %re = stablehlo.real %z : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %im = stablehlo.imag %z : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %0 = stablehlo.compare NE, %re, %re : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %1 = stablehlo.compare NE, %im, %im : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %2 = stablehlo.select %0, %nine, %re : tensor<6xi1>, tensor<6xf32>
    %3 = stablehlo.select %1, %nine, %im : tensor<6xi1>, tensor<6xf32>
    return %2, %3 : tensor<6xf32>, tensor<6xf32>
  }
  func.func @main() {
    %z = stablehlo.constant dense<[(0xFF800000, 2.0), (1.0, 0x7F800000), (0x7F800000, 0x7F800000), (3.0, 4.0),
                                   (0.0, 0.0), (0x7FC00000, 1.0)]> : tensor<6xcomplex<f32>>
    %axes = stablehlo.constant dense<[(0.0, 0x7F800000), (0xFF800000, 0.0), (0x7F800000, 0x7F800000),
                                      (0xFF800000, 1.0), (1.0, 0xFF800000), (0x7FC00000, 0.0)]> : tensor<6xcomplex<f32>>
    %sign = stablehlo.sign %z : tensor<6xcomplex<f32>>
    %tanh = stablehlo.tanh %axes : tensor<6xcomplex<f32>>
    %tan = stablehlo.tan %axes : tensor<6xcomplex<f32>>
    %0:2 = call @parts(%sign) : (tensor<6xcomplex<f32>>) -> (tensor<6xf32>, tensor<6xf32>)
    %1:2 = call @parts(%tanh) : (tensor<6xcomplex<f32>>) -> (tensor<6xf32>, tensor<6xf32>)
    %2:2 = call @parts(%tan) : (tensor<6xcomplex<f32>>) -> (tensor<6xf32>, tensor<6xf32>)
    check.expect_eq_const %0#0, dense<[9.0, 0.0, 9.0, 0.6, 0.0, 9.0]> : tensor<6xf32>
    check.expect_eq_const %0#1, dense<[0.0, 9.0, 9.0, 0.8, 0.0, 9.0]> : tensor<6xf32>
    check.expect_eq_const %1#0, dense<[9.0, -1.0, 1.0, -1.0, 9.0, 9.0]> : tensor<6xf32>
    check.expect_eq_const %1#1, dense<[9.0, 0.0, 0.0, 0.0, 9.0, 0.0]> : tensor<6xf32>
    check.expect_eq_const %2#0, dense<[0.0, 9.0, 0.0, 9.0, 0.0, 9.0]> : tensor<6xf32>
    check.expect_eq_const %2#1, dense<[1.0, 9.0, 1.0, 9.0, -1.0, 9.0]> : tensor<6xf32>
    return
  }
}
