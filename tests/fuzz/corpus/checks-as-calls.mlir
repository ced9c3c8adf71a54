func.func @main(%x: tensor<2xf32>, %n: tensor<i32>) -> (tensor<i1>, tensor<2xf32>) {
  %yes = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.custom_call @shape_assertion(%yes, %n) {error_message = "size {0} is wrong", has_side_effect = true}
    : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @check.expect_almost_eq(%x, %x) {has_side_effect = true, tolerance = 0.5 : f64}
    : (tensor<2xf32>, tensor<2xf32>) -> ()
  stablehlo.custom_call @check.expect_close(%x, %x) {has_side_effect = true, max_ulp_difference = 3, min_ulp_difference = 0}
    : (tensor<2xf32>, tensor<2xf32>) -> ()
  %0 = stablehlo.custom_call @check.eq(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i1>
  %1 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<2xf32>) -> tensor<2xf32>
  %2 = stablehlo.custom_call @mhlo.erf(%1) {mhlo.attributes = {}, mhlo.version = 1} : (tensor<2xf32>) -> tensor<2xf32>
  %3 = stablehlo.composite "my.twice" %2 {decomposition = @twice, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %3 : tensor<i1>, tensor<2xf32>
}
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
