// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The operations that tests are written with.

func.func @equality() {
  %x = stablehlo.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %y = stablehlo.constant dense<[1.0001, 2.0]> : tensor<2xf32>
  %z = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_eq_const %z, dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_eq %z, %z : tensor<2xf32>
  check.expect_almost_eq %y, %z, tolerance = 1.0e-3 : tensor<2xf32>
  check.expect_almost_eq_const %y, dense<[1.0, 2.0]> : tensor<2xf32>, tolerance = 1.0e-3
  func.return
}

// -----

// The next number after one is one unit in the last place away.
func.func @distance() {
  %x = stablehlo.constant dense<0x3F800000> : tensor<f32>
  %y = stablehlo.constant dense<0x3F800001> : tensor<f32>
  check.expect_close %x, %y, max_ulp_difference = 1, min_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}

// -----

// What was recorded in each turn of a loop is found again.
func.func @records() {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %0 = stablehlo.while(%i = %zero) : tensor<i64>
    cond {
      %p = stablehlo.compare LT, %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i64>
      %seen = interpreter.probe %next, probe_id = "turn" : tensor<i64>
      interpreter.print %seen : tensor<i64>
      stablehlo.return %seen : tensor<i64>
    }
  check.expect_serialized_eq %one, probe_id = "turn", iter = 0 : tensor<i64>
  check.expect_serialized_eq %two, probe_id = "turn", iter = 1 : tensor<i64>
  func.return
}
