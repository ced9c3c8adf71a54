func.func @main(%x: tensor<4xi32>, %v: tensor<2x3xf32>) -> (tensor<?xi32>, tensor<?xui32>, tensor<2x?xf32>, tensor<2x1xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %k = stablehlo.constant dense<1> : tensor<i32>
  %size = stablehlo.constant dense<2> : tensor<1xi32>
  %padding = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi32>
  %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %size, %one, %one, %one, %padding)
    {called_computations = [@sum]}
    : (tensor<4xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xi32>
  %1:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %size)
    {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<2xui64>, tensor<1xi32>) -> (tensor<2xui64>, tensor<?xui32>)
  %2:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%v, %k)
    {indices_of_shape_operands = dense<1> : tensor<1xi64>} : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  %3:2 = stablehlo.custom_call @mhlo.topk(%v) {mhlo.attributes = {k = 1 : i64, largest = true}}
    : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xi32>)
  return %0, %1#1, %2#0, %3#1 : tensor<?xi32>, tensor<?xui32>, tensor<2x?xf32>, tensor<2x1xi32>
}
func.func private @sum(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %a, %b : tensor<i32>
  return %0 : tensor<i32>
}
