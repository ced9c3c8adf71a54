func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x1xf64>, %c: tensor<2x2xf64>) -> (tensor<2x2xf32>, tensor<2x1xf64>, tensor<2xf32>, tensor<2xi32>, tensor<2x2xf32>) {
  %0:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8},
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]}
    : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<i32>)
  %1 = stablehlo.custom_call @lapack_dtrsm_ffi(%c, %b) {mhlo.backend_config = {side = 76 : ui8, uplo = 76 : ui8,
    trans_x = 78 : ui8, diag = 78 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  %2:2 = stablehlo.custom_call @Eigh(%a) {backend_config = "1,1,100,1e-6"} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)
  %3:3 = stablehlo.custom_call @LuDecomposition(%a) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xi32>, tensor<2xi32>)
  %4:2 = stablehlo.custom_call @Qr(%a) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)
  %5 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%4#0, %4#1) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %0#0, %1, %2#1, %3#1, %5 : tensor<2x2xf32>, tensor<2x1xf64>, tensor<2xf32>, tensor<2xi32>, tensor<2x2xf32>
}
