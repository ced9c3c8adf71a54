// SPDX-License-Identifier: LGPL-2.1-or-later
//
// CHLO's operations that broadcast: a column of two against a row of two, and scalars.

func.func @integers() {
  %a = stablehlo.constant dense<[[7], [-7]]> : tensor<2x1xi32>
  %b = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %add = chlo.broadcast_add %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %add, dense<[[9, 10], [-5, -4]]> : tensor<2x2xi32>
  %subtract = chlo.broadcast_subtract %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %subtract, dense<[[5, 4], [-9, -10]]> : tensor<2x2xi32>
  %multiply = chlo.broadcast_multiply %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %multiply, dense<[[14, 21], [-14, -21]]> : tensor<2x2xi32>
  %divide = chlo.broadcast_divide %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %divide, dense<[[3, 2], [-3, -2]]> : tensor<2x2xi32>
  %remainder = chlo.broadcast_remainder %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %remainder, dense<[[1, 1], [-1, -1]]> : tensor<2x2xi32>
  %maximum = chlo.broadcast_maximum %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %maximum, dense<[[7, 7], [2, 3]]> : tensor<2x2xi32>
  %minimum = chlo.broadcast_minimum %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %minimum, dense<[[2, 3], [-7, -7]]> : tensor<2x2xi32>
  %shift_left = chlo.broadcast_shift_left %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %shift_left, dense<[[28, 56], [-28, -56]]> : tensor<2x2xi32>
  %shift_right_arithmetic = chlo.broadcast_shift_right_arithmetic %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %shift_right_arithmetic, dense<[[1, 0], [-2, -1]]> : tensor<2x2xi32>
  %shift_right_logical = chlo.broadcast_shift_right_logical %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %shift_right_logical, dense<[[1, 0], [1073741822, 536870911]]> : tensor<2x2xi32>
  %and = chlo.broadcast_and %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %and, dense<[[2, 3], [0, 1]]> : tensor<2x2xi32>
  %or = chlo.broadcast_or %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %or, dense<[[7, 7], [-5, -5]]> : tensor<2x2xi32>
  %xor = chlo.broadcast_xor %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %xor, dense<[[5, 4], [-5, -6]]> : tensor<2x2xi32>
  %compare = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi1>
  check.expect_eq_const %compare, dense<[[false, false], [true, true]]> : tensor<2x2xi1>
  func.return
}

// -----

// Between operands of equal rank, broadcast_dimensions says nothing.
func.func @equal_ranks() {
  %a = stablehlo.constant dense<[[7], [-7]]> : tensor<2x1xi32>
  %b = stablehlo.constant dense<[[2, 3]]> : tensor<1x2xi32>
  %compare = chlo.broadcast_compare %a, %b {broadcast_dimensions = array<i64: 1>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x1xi32>, tensor<1x2xi32>) -> tensor<2x2xi1>
  check.expect_eq_const %compare, dense<[[false, false], [true, true]]> : tensor<2x2xi1>
  %add = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 1, 0>} : (tensor<2x1xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %add, dense<[[9, 10], [-5, -4]]> : tensor<2x2xi32>
  func.return
}

// -----

func.func @floats() {
  %a = stablehlo.constant dense<[[4.0], [81.0]]> : tensor<2x1xf64>
  %b = stablehlo.constant dense<[0.5, -1.0]> : tensor<2xf64>
  %power = chlo.broadcast_power %a, %b : (tensor<2x1xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  check.expect_almost_eq_const %power, dense<[[2.0, 0.25], [9.0, 0.012345679012345678]]> : tensor<2x2xf64>, tolerance = 1.0e-15
  func.return
}

// -----

func.func @angles() {
  %a = stablehlo.constant dense<[[1.0], [-1.0]]> : tensor<2x1xf64>
  %b = stablehlo.constant dense<[1.0, -1.0]> : tensor<2xf64>
  %atan2 = chlo.broadcast_atan2 %a, %b : (tensor<2x1xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  check.expect_almost_eq_const %atan2, dense<[[0.7853981633974483, 2.356194490192345], [-0.7853981633974483, -2.356194490192345]]> : tensor<2x2xf64>, tolerance = 1.0e-15
  func.return
}

// -----

func.func @neighbours() {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.constant dense<[2.0, 0.0]> : tensor<2xf32>
  %next_after = chlo.broadcast_next_after %a, %b : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %next_after, dense<[0x3F800001, 0x3F7FFFFF]> : tensor<2xf32>
  func.return
}

// -----

// At one: pi^2 / 6; at two: one less.
func.func @special_functions() {
  %a = stablehlo.constant dense<1.0> : tensor<f64>
  %b = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %polygamma = chlo.broadcast_polygamma %a, %b : (tensor<f64>, tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %polygamma, dense<[1.6449340668482264, 0.6449340668482264]> : tensor<2xf64>, tolerance = 1.0e-14
  func.return
}

// -----

func.func @zeta() {
  %a = stablehlo.constant dense<2.0> : tensor<f64>
  %b = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %zeta = chlo.broadcast_zeta %a, %b : (tensor<f64>, tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %zeta, dense<[1.6449340668482264, 0.6449340668482264]> : tensor<2xf64>, tolerance = 1.0e-14
  func.return
}

// -----

func.func @parts() {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %complex = chlo.broadcast_complex %a, %b : (tensor<f32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>
  check.expect_eq_const %complex, dense<[(1.0, 2.0), (1.0, 3.0)]> : tensor<2xcomplex<f32>>
  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %select = chlo.broadcast_select %p, %a, %b : (tensor<2xi1>, tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq_const %select, dense<[1.0, 3.0]> : tensor<2xf32>
  func.return
}
