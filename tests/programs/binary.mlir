// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Elementwise functions of two and three operands.

func.func @integers() {
  %a = stablehlo.constant dense<[7, -7, 127, -128]> : tensor<4xi8>
  %b = stablehlo.constant dense<[2, 2, 1, -1]> : tensor<4xi8>
  %sum = stablehlo.add %a, %b : tensor<4xi8>
  %difference = stablehlo.subtract %a, %b : tensor<4xi8>
  %product = stablehlo.multiply %a, %b : tensor<4xi8>
  %quotient = stablehlo.divide %a, %b : tensor<4xi8>
  %remainder = stablehlo.remainder %a, %b : tensor<4xi8>
  %least = stablehlo.minimum %a, %b : tensor<4xi8>
  %greatest = stablehlo.maximum %a, %b : tensor<4xi8>
  check.expect_eq_const %sum, dense<[9, -5, -128, 127]> : tensor<4xi8>
  check.expect_eq_const %difference, dense<[5, -9, 126, -127]> : tensor<4xi8>
  check.expect_eq_const %product, dense<[14, -14, 127, -128]> : tensor<4xi8>
  check.expect_eq_const %quotient, dense<[3, -3, 127, -128]> : tensor<4xi8>
  check.expect_eq_const %remainder, dense<[1, -1, 0, 0]> : tensor<4xi8>
  check.expect_eq_const %least, dense<[2, -7, 1, -128]> : tensor<4xi8>
  check.expect_eq_const %greatest, dense<[7, 2, 127, -1]> : tensor<4xi8>
  func.return
}

// -----

func.func @shifts() {
  %a = stablehlo.constant dense<[1, -128, -1, 64]> : tensor<4xi8>
  %n = stablehlo.constant dense<[3, 1, 4, 8]> : tensor<4xi8>
  %left = stablehlo.shift_left %a, %n : tensor<4xi8>
  %arithmetic = stablehlo.shift_right_arithmetic %a, %n : tensor<4xi8>
  %logical = stablehlo.shift_right_logical %a, %n : tensor<4xi8>
  // As many places as there are bits leave nothing, or the sign.
  check.expect_eq_const %left, dense<[8, 0, -16, 0]> : tensor<4xi8>
  check.expect_eq_const %arithmetic, dense<[0, -64, -1, 0]> : tensor<4xi8>
  check.expect_eq_const %logical, dense<[0, 64, 15, 0]> : tensor<4xi8>
  func.return
}

// -----

func.func @logic() {
  %a = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
  %b = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
  %and = stablehlo.and %a, %b : tensor<4xi1>
  %or = stablehlo.or %a, %b : tensor<4xi1>
  %xor = stablehlo.xor %a, %b : tensor<4xi1>
  check.expect_eq_const %and, dense<[false, false, false, true]> : tensor<4xi1>
  check.expect_eq_const %or, dense<[false, true, true, true]> : tensor<4xi1>
  check.expect_eq_const %xor, dense<[false, true, true, false]> : tensor<4xi1>
  func.return
}

// -----

func.func @floats() {
  %y = stablehlo.constant dense<[1.0, 1.0, -1.0, 0.0]> : tensor<4xf64>
  %x = stablehlo.constant dense<[1.0, -1.0, -1.0, -2.0]> : tensor<4xf64>
  %angle = stablehlo.atan2 %y, %x : tensor<4xf64>
  check.expect_almost_eq_const %angle,
    dense<[0.7853981633974483, 2.356194490192345, -2.356194490192345, 3.141592653589793]> : tensor<4xf64>, tolerance = 1.0e-15
  %base = stablehlo.constant dense<[2.0, 9.0, 2.0, 0.0]> : tensor<4xf64>
  %exponent = stablehlo.constant dense<[10.0, 0.5, -1.0, 0.0]> : tensor<4xf64>
  %power = stablehlo.power %base, %exponent : tensor<4xf64>
  check.expect_almost_eq_const %power, dense<[1024.0, 3.0, 0.5, 1.0]> : tensor<4xf64>, tolerance = 1.0e-15
  func.return
}

// -----

func.func @choices() {
  %a = stablehlo.constant dense<[1, 5, 3]> : tensor<3xi32>
  %b = stablehlo.constant dense<[2, 4, 3]> : tensor<3xi32>
  %less = stablehlo.compare LT, %a, %b, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %equal = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  %chosen = stablehlo.select %less, %a, %b : tensor<3xi1>, tensor<3xi32>
  check.expect_eq_const %less, dense<[true, false, false]> : tensor<3xi1>
  check.expect_eq_const %equal, dense<[false, false, true]> : tensor<3xi1>
  check.expect_eq_const %chosen, dense<[1, 4, 3]> : tensor<3xi32>
  %low = stablehlo.constant dense<2> : tensor<i32>
  %high = stablehlo.constant dense<4> : tensor<i32>
  %clamped = stablehlo.clamp %low, %a, %high : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %clamped, dense<[2, 4, 3]> : tensor<3xi32>
  func.return
}
