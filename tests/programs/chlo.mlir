// SPDX-License-Identifier: LGPL-2.1-or-later
//
// CHLO: functions at points where the value is known, and structured operations.

func.func @inverse_functions() {
  // asin and acos of a half, atan of one; the hyperbolic ones at ln 2.
  %half = stablehlo.constant dense<0.5> : tensor<f64>
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %a = stablehlo.constant dense<0.75> : tensor<f64>
  %b = stablehlo.constant dense<1.25> : tensor<f64>
  %c = stablehlo.constant dense<0.6> : tensor<f64>
  %acos = chlo.acos %half : tensor<f64> -> tensor<f64>
  %asin = chlo.asin %half : tensor<f64> -> tensor<f64>
  %atan = chlo.atan %one : tensor<f64> -> tensor<f64>
  %asinh = chlo.asinh %a : tensor<f64> -> tensor<f64>
  %acosh = chlo.acosh %b : tensor<f64> -> tensor<f64>
  %atanh = chlo.atanh %c : tensor<f64> -> tensor<f64>
  check.expect_almost_eq_const %acos, dense<1.0471975511965979> : tensor<f64>, tolerance = 1.0e-15
  check.expect_almost_eq_const %asin, dense<0.5235987755982989> : tensor<f64>, tolerance = 1.0e-15
  check.expect_almost_eq_const %atan, dense<0.7853981633974483> : tensor<f64>, tolerance = 1.0e-15
  check.expect_almost_eq_const %asinh, dense<0.6931471805599453> : tensor<f64>, tolerance = 1.0e-15
  check.expect_almost_eq_const %acosh, dense<0.6931471805599453> : tensor<f64>, tolerance = 1.0e-15
  check.expect_almost_eq_const %atanh, dense<0.6931471805599453> : tensor<f64>, tolerance = 1.0e-15
  func.return
}

// -----

func.func @functions() {
  %ln2 = stablehlo.constant dense<0.6931471805599453> : tensor<f64>
  %quarter = stablehlo.constant dense<0.7853981633974483> : tensor<f64>
  %cosh = chlo.cosh %ln2 : tensor<f64> -> tensor<f64>
  %sinh = chlo.sinh %ln2 : tensor<f64> -> tensor<f64>
  %tan = chlo.tan %quarter : tensor<f64> -> tensor<f64>
  check.expect_almost_eq_const %cosh, dense<1.25> : tensor<f64>, tolerance = 1.0e-15
  check.expect_almost_eq_const %sinh, dense<0.75> : tensor<f64>, tolerance = 1.0e-15
  check.expect_almost_eq_const %tan, dense<1.0> : tensor<f64>, tolerance = 1.0e-14
  %x = chlo.constant dense<[-3.0, 0.5]> : tensor<2xf64>
  %square = chlo.square %x : tensor<2xf64> -> tensor<2xf64>
  %like = "chlo.constant_like"(%x) {value = 7.0 : f64} : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_eq_const %square, dense<[9.0, 0.25]> : tensor<2xf64>
  check.expect_eq_const %like, dense<7.0> : tensor<2xf64>
  func.return
}

// -----

func.func @special_functions() {
  // digamma (1) is minus Euler's constant, lgamma (5) = ln 24, lgamma (1 / 2) = ln (pi) / 2.
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %two = stablehlo.constant dense<2.0> : tensor<f64>
  %half = stablehlo.constant dense<0.5> : tensor<f64>
  %x = stablehlo.constant dense<[5.0, 0.5]> : tensor<2xf64>
  %digamma = chlo.digamma %one : tensor<f64> -> tensor<f64>
  %lgamma = chlo.lgamma %x : tensor<2xf64> -> tensor<2xf64>
  check.expect_almost_eq_const %digamma, dense<-0.5772156649015329> : tensor<f64>, tolerance = 1.0e-14
  check.expect_almost_eq_const %lgamma, dense<[3.1780538303479458, 0.5723649429247001]> : tensor<2xf64>, tolerance = 1.0e-14
  // Both are pi^2 / 6.
  %polygamma = chlo.polygamma %one, %one : tensor<f64>, tensor<f64> -> tensor<f64>
  %zeta = chlo.zeta %two, %one : tensor<f64>, tensor<f64> -> tensor<f64>
  check.expect_almost_eq_const %polygamma, dense<1.6449340668482264> : tensor<f64>, tolerance = 1.0e-14
  check.expect_almost_eq_const %zeta, dense<1.6449340668482264> : tensor<f64>, tolerance = 1.0e-14
  // Of f32: pi^2 / 6, pi^4 / 90, zeta (3) - 1; the last is 4 + 4 / 9 + pi^2 / 2.
  %powers = stablehlo.constant dense<[2.0, 4.0, 3.0, 2.0]> : tensor<4xf32>
  %places = stablehlo.constant dense<[1.0, 1.0, 2.0, -1.5]> : tensor<4xf32>
  %zetas = chlo.zeta %powers, %places : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %zetas, dense<[1.6449341, 1.0823232, 0.20205690, 9.3792467]> : tensor<4xf32>, tolerance = 1.0e-6
  // digamma (1), pi^2 / 6, -14 zeta (3), and pi^4 / 15.
  %orders = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %points = stablehlo.constant dense<[1.0, 1.0, 0.5, 1.0]> : tensor<4xf32>
  %polygammas = chlo.polygamma %orders, %points : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  check.expect_almost_eq_const %polygammas, dense<[-0.57721567, 1.6449341, -16.828797, 6.4939394]> : tensor<4xf32>, tolerance = 1.0e-5
  // The error function, what is left of it to one, and its inverse.
  %erf = chlo.erf %one : tensor<f64> -> tensor<f64>
  %erfc = chlo.erfc %one : tensor<f64> -> tensor<f64>
  %inverse = chlo.erf_inv %half : tensor<f64> -> tensor<f64>
  %bessel = chlo.bessel_i1e %one : tensor<f64> -> tensor<f64>
  check.expect_almost_eq_const %erf, dense<0.8427007929497149> : tensor<f64>, tolerance = 1.0e-14
  check.expect_almost_eq_const %erfc, dense<0.15729920705028513> : tensor<f64>, tolerance = 1.0e-14
  check.expect_almost_eq_const %inverse, dense<0.4769362762044699> : tensor<f64>, tolerance = 1.0e-14
  // I1 (1) / e, with I1 (1) = 0.5651591039924851
  check.expect_almost_eq_const %bessel, dense<0.2079104153497085> : tensor<f64>, tolerance = 1.0e-14
  func.return
}

// -----

func.func @complex_functions() {
  // For real x the kernel is sqrt (1 - x^2); for an imaginary i y, sqrt (1 + y^2) and asinh (y).
  %z = stablehlo.constant dense<[(0.6, 0.0), (0.0, 0.75)]> : tensor<2xcomplex<f64>>
  %kernel = chlo._asin_acos_kernel %z : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
  %conj = chlo.conj %z : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
  check.expect_almost_eq_const %kernel, dense<[(0.8, 0.0), (1.25, 0.6931471805599453)]> : tensor<2xcomplex<f64>>, tolerance = 1.0e-15
  check.expect_eq_const %conj, dense<[(0.6, -0.0), (0.0, -0.75)]> : tensor<2xcomplex<f64>>
  func.return
}

// -----

func.func @numbers() {
  %x = stablehlo.constant dense<[1.0, 0x7F800000, 0xFF800000]> : tensor<3xf32>
  %infinite = chlo.is_inf %x : tensor<3xf32> -> tensor<3xi1>
  %above = chlo.is_pos_inf %x : tensor<3xf32> -> tensor<3xi1>
  %below = chlo.is_neg_inf %x : tensor<3xf32> -> tensor<3xi1>
  check.expect_eq_const %infinite, dense<[false, true, true]> : tensor<3xi1>
  check.expect_eq_const %above, dense<[false, true, false]> : tensor<3xi1>
  check.expect_eq_const %below, dense<[false, false, true]> : tensor<3xi1>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %next = chlo.next_after %one, %two : tensor<f32>, tensor<f32> -> tensor<f32>
  check.expect_eq_const %next, dense<0x3F800001> : tensor<f32>
  // 200 * 200 = 156 * 256 + 64
  %byte = stablehlo.constant dense<200> : tensor<ui8>
  %high = chlo.mulhi %byte, %byte : tensor<ui8>, tensor<ui8> -> tensor<ui8>
  check.expect_eq_const %high, dense<156> : tensor<ui8>
  func.return
}

// -----

func.func @top_k() {
  %x = stablehlo.constant dense<[[3, 9, 1, 9], [4, 2, 8, 6]]> : tensor<2x4xi32>
  %values, %indices = chlo.top_k(%x, k = 2) : tensor<2x4xi32> -> (tensor<2x2xi32>, tensor<2x2xi32>)
  check.expect_eq_const %values, dense<[[9, 9], [8, 6]]> : tensor<2x2xi32>
  check.expect_eq_const %indices, dense<[[1, 3], [2, 3]]> : tensor<2x2xi32>
  func.return
}

// -----

// Factorials: what is carried, and what each step gives.
func.func @scan() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = chlo.scan(%x) inits(%one) dimension=0 {
  ^bb0(%n: tensor<i32>, %carried: tensor<i32>):
    %1 = stablehlo.multiply %n, %carried : tensor<i32>
    stablehlo.return %1, %1 : tensor<i32>, tensor<i32>
  } : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<[1, 2, 6, 24]> : tensor<4xi32>
  check.expect_eq_const %0#1, dense<24> : tensor<i32>
  func.return
}

// -----

// The first two rows meet the first matrix, the third the second.
func.func @ragged_dot() {
  %rows = stablehlo.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf32>
  %matrices = stablehlo.constant dense<[[[1.0], [2.0]], [[10.0], [20.0]]]> : tensor<2x2x1xf32>
  %sizes = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %0 = "chlo.ragged_dot"(%rows, %matrices, %sizes) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
  } : (tensor<3x2xf32>, tensor<2x2x1xf32>, tensor<2xi64>) -> tensor<3x1xf32>
  check.expect_eq_const %0, dense<[[1.0], [2.0], [30.0]]> : tensor<3x1xf32>
  func.return
}
