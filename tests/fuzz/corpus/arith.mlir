func.func @main(%x: tensor<2x3xf32>, %i: tensor<4xi32>) -> (tensor<2x3xf32>, tensor<4xi32>, tensor<2x3xi1>) {
  %c = stablehlo.constant dense<[[1.0, -2.5, 0x7F800000], [0.0, -0.0, 1e-40]]> : tensor<2x3xf32>
  %0 = stablehlo.add %x, %c : tensor<2x3xf32>
  %1 = stablehlo.tanh %0 : tensor<2x3xf32>
  %2 = stablehlo.iota dim = 0 : tensor<4xi32>
  %3 = stablehlo.divide %i, %2 : tensor<4xi32>
  %4 = stablehlo.compare LT, %1, %c, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return %1, %3, %4 : tensor<2x3xf32>, tensor<4xi32>, tensor<2x3xi1>
}
