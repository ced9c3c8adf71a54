// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Custom calls that stand for operations whose sizes are values, as programs
// with symbolic dimensions have them.

module @running_sums {
  func.func private @sum(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.add %a, %b : tensor<i32>
    return %0 : tensor<i32>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %size = stablehlo.constant dense<4> : tensor<1xi32>
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %padding = stablehlo.constant dense<[[3, 0]]> : tensor<1x2xi32>
    %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %size, %one, %one, %one, %padding)
         {called_computations = [@sum]}
         : (tensor<4xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>)
         -> tensor<?xi32>
    %1 = tensor.cast %0 : tensor<?xi32> to tensor<4xi32>
    check.expect_eq_const %1, dense<[1, 3, 6, 10]> : tensor<4xi32>
    return
  }
}

// -----

// Two inputs of two dimensions, with steps and dilations, and a function that is
// no row of scalar operations.
module @pairs {
  func.func private @larger(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.maximum %a, %b : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @both(%a: tensor<f32>, %b: tensor<i64>, %c: tensor<f32>, %d: tensor<i64>)
      -> (tensor<f32>, tensor<i64>) {
    %0 = call @larger(%a, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.add %b, %d : tensor<i64>
    return %0, %1 : tensor<f32>, tensor<i64>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[[1.0, 5.0, 2.0, 4.0], [3.0, 0.5, 6.0, 1.5]]> : tensor<2x4xf32>
    %y = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi64>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0> : tensor<i64>
    %size = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %step = stablehlo.constant dense<[1, 1]> : tensor<2xi64>
    %base = stablehlo.constant dense<[1, 1]> : tensor<2xi64>
    %window = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %padding = stablehlo.constant dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>
    %0:2 = stablehlo.custom_call @stablehlo.dynamic_reduce_window
           (%x, %y, %least, %zero, %size, %step, %base, %window, %padding) {called_computations = [@both]}
           : (tensor<2x4xf32>, tensor<2x4xi64>, tensor<f32>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>,
              tensor<2xi64>, tensor<2x2xi64>) -> (tensor<2x?xf32>, tensor<2x?xi64>)
    %1 = tensor.cast %0#0 : tensor<2x?xf32> to tensor<2x3xf32>
    %2 = tensor.cast %0#1 : tensor<2x?xi64> to tensor<2x3xi64>
    check.expect_eq_const %1, dense<[[5.0, 2.0, 5.0], [0.5, 6.0, 1.5]]> : tensor<2x3xf32>
    check.expect_eq_const %2, dense<[[2, 4, 6], [6, 12, 14]]> : tensor<2x3xi64>
    return
  }
}

// -----

// The bits of the operation with a fixed shape.
func.func @bits() {
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %shape)
         {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
         : (tensor<2xui64>, tensor<2xi32>) -> (tensor<2xui64>, tensor<?x?xui32>)
  %1 = tensor.cast %0#1 : tensor<?x?xui32> to tensor<2x3xui32>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY
                 : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
  check.expect_eq %1, %bits : tensor<2x3xui32>
  check.expect_eq %0#0, %next : tensor<2xui64>
  return
}

// -----

// A comparator that sorts by itself what has no two elements to compare.
module @recursive_comparator {
  func.func private @before(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
    %0 = stablehlo.reshape %a : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.custom_call @ApproxTopK(%0, %b)
         {called_computations = [@before], mhlo.backend_config = {reduction_dim = 0 : i64}}
         : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
    %3 = stablehlo.compare LT, %2, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %3 : tensor<i1>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[3.0, 1.0, 2.0]> : tensor<3xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.custom_call @ApproxTopK(%x, %zero)
         {called_computations = [@before], mhlo.backend_config = {reduction_dim = 0 : i64}}
         : (tensor<3xf32>, tensor<f32>) -> tensor<2xf32>
    check.expect_eq_const %0, dense<[1.0, 2.0]> : tensor<2xf32>
    return
  }
}

// -----

// Attributes that the call has itself.
module @attributes {
  func.func @main() {
    %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %y = stablehlo.constant dense<[1.5, 2.5]> : tensor<2xf32>
    %yes = stablehlo.custom_call @check.expect_almost_eq(%x, %y) {has_side_effect = true, tolerance = 0.5 : f64}
           : (tensor<2xf32>, tensor<2xf32>) -> tensor<i1>
    check.expect_eq_const %yes, dense<true> : tensor<i1>
    %0:2 = stablehlo.custom_call @mhlo.topk(%x) {k = 1 : i64, largest = false} : (tensor<2xf32>)
           -> (tensor<1xf32>, tensor<1xi32>)
    check.expect_eq_const %0#0, dense<1.0> : tensor<1xf32>
    return
  }
}

// -----

// Rows that are as long as can be counted, of which there are none.
module @long_rows {
  func.func @main() {
    %x = stablehlo.constant dense<> : tensor<0x9223372036854775807xf32>
    %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 3 : i64, largest = true}}
           : (tensor<0x9223372036854775807xf32>) -> (tensor<0x3xf32>, tensor<0x3xi32>)
    check.expect_eq_const %0#0, dense<> : tensor<0x3xf32>
    return
  }
}

// -----

// Padding that takes away far more than there is, and adds as much again: all that the windows see is padding.
module @far_padding {
  func.func private @sum(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.add %a, %b : tensor<i32>
    return %0 : tensor<i32>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<1xi64>
    %padding = stablehlo.constant dense<[[-9223372036854775807, 9223372036854775807]]> : tensor<1x2xi64>
    %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %one, %one, %one, %one, %padding)
         {called_computations = [@sum]}
         : (tensor<4xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1x2xi64>)
         -> tensor<?xi32>
    %1 = tensor.cast %0 : tensor<?xi32> to tensor<4xi32>
    check.expect_eq_const %1, dense<0> : tensor<4xi32>
    return
  }
}

// -----

// The order of CHLO's operation, in which NaN has a sign.
module @total_order {
  func.func @main() {
    %x = stablehlo.constant dense<[0.0, 0xFFC00000, 0x7FC00000, -0.0]> : tensor<4xf32>
    %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 4 : i64, largest = true}}
           : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>)
    %values, %indices = chlo.top_k(%x, k = 4) : tensor<4xf32> -> (tensor<4xf32>, tensor<4xi32>)
    check.expect_eq_const %0#1, dense<[2, 0, 3, 1]> : tensor<4xi32>
    check.expect_eq_const %indices, dense<[2, 0, 3, 1]> : tensor<4xi32>
    return
  }
}
