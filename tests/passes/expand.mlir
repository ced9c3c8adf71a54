// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: expand
// INPUTS: small
// SUMS free
// The statistics are vectors; the elements are traversed once.
func.func @main(%x: tensor<2x3x4xf32>, %scale: tensor<3xf32>, %offset: tensor<3xf32>, %mean: tensor<3xf32>, %root: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %variance = stablehlo.multiply %root, %root : tensor<3xf32>
  %0 = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>, %arg3: tensor<3xf32>, %arg4: tensor<3xf32>) -> tensor<2x3x4xf32> {
    %0 = stablehlo.multiply %arg4, %arg4 : tensor<3xf32>
    %1 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<3xf32>) -> tensor<2x3x4xf32>
    %2 = stablehlo.subtract %arg0, %1 : tensor<2x3x4xf32>
    %cst = stablehlo.constant dense<1.000000e-01> : tensor<3xf32>
    %3 = stablehlo.add %0, %cst : tensor<3xf32>
    %4 = stablehlo.rsqrt %3 : tensor<3xf32>
    %5 = stablehlo.multiply %arg1, %4 : tensor<3xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<3xf32>) -> tensor<2x3x4xf32>
    %7 = stablehlo.multiply %2, %6 : tensor<2x3x4xf32>
    %8 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<3xf32>) -> tensor<2x3x4xf32>
    %9 = stablehlo.add %7, %8 : tensor<2x3x4xf32>
    return %9 : tensor<2x3x4xf32>
  }
}
// -----
// PASS: expand
// INPUTS: small
// SUMS free
// The first dimension holds the features; no other dimension follows it.
func.func @main(%x: tensor<5x4xf64>, %scale: tensor<5xf64>, %offset: tensor<5xf64>) -> (tensor<5x4xf64>, tensor<5xf64>, tensor<5xf64>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) {epsilon = 0.1 : f32, feature_index = 0 : i64} : (tensor<5x4xf64>, tensor<5xf64>, tensor<5xf64>) -> (tensor<5x4xf64>, tensor<5xf64>, tensor<5xf64>)
  return %0#0, %0#1, %0#2 : tensor<5x4xf64>, tensor<5xf64>, tensor<5xf64>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<5x4xf64>, %arg1: tensor<5xf64>, %arg2: tensor<5xf64>) -> (tensor<5x4xf64>, tensor<5xf64>, tensor<5xf64>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<5x4xf64>, tensor<f64>) -> tensor<5xf64>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<5xf64>
    %1 = stablehlo.divide %0, %cst_0 : tensor<5xf64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<5xf64>) -> tensor<5x4xf64>
    %3 = stablehlo.subtract %arg0, %2 : tensor<5x4xf64>
    %4 = stablehlo.multiply %3, %3 : tensor<5x4xf64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<5x4xf64>, tensor<f64>) -> tensor<5xf64>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<5xf64>
    %6 = stablehlo.divide %5, %cst_2 : tensor<5xf64>
    %cst_3 = stablehlo.constant dense<0.10000000149011612> : tensor<5xf64>
    %7 = stablehlo.add %6, %cst_3 : tensor<5xf64>
    %8 = stablehlo.rsqrt %7 : tensor<5xf64>
    %9 = stablehlo.multiply %arg1, %8 : tensor<5xf64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<5xf64>) -> tensor<5x4xf64>
    %11 = stablehlo.multiply %3, %10 : tensor<5x4xf64>
    %12 = stablehlo.broadcast_in_dim %arg2, dims = [0] : (tensor<5xf64>) -> tensor<5x4xf64>
    %13 = stablehlo.add %11, %12 : tensor<5x4xf64>
    return %13, %1, %6 : tensor<5x4xf64>, tensor<5xf64>, tensor<5xf64>
  }
}
// -----
// PASS: expand
// INPUTS: small
// SUMS free
// Narrow floats are computed in f32 and rounded at the end.
func.func @main(%x: tensor<2x4xbf16>, %scale: tensor<4xbf16>, %offset: tensor<4xbf16>) -> (tensor<2x4xbf16>, tensor<4xbf16>, tensor<4xbf16>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<2x4xbf16>, tensor<4xbf16>, tensor<4xbf16>) -> (tensor<2x4xbf16>, tensor<4xbf16>, tensor<4xbf16>)
  return %0#0, %0#1, %0#2 : tensor<2x4xbf16>, tensor<4xbf16>, tensor<4xbf16>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x4xbf16>, %arg1: tensor<4xbf16>, %arg2: tensor<4xbf16>) -> (tensor<2x4xbf16>, tensor<4xbf16>, tensor<4xbf16>) {
    %0 = stablehlo.convert %arg0 : (tensor<2x4xbf16>) -> tensor<2x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<4xf32>
    %2 = stablehlo.divide %1, %cst_0 : tensor<4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
    %4 = stablehlo.subtract %0, %3 : tensor<2x4xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<2x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<2x4xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<4xf32>
    %7 = stablehlo.divide %6, %cst_2 : tensor<4xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-01> : tensor<4xf32>
    %8 = stablehlo.add %7, %cst_3 : tensor<4xf32>
    %9 = stablehlo.rsqrt %8 : tensor<4xf32>
    %10 = stablehlo.convert %arg1 : (tensor<4xbf16>) -> tensor<4xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<4xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
    %13 = stablehlo.multiply %4, %12 : tensor<2x4xf32>
    %14 = stablehlo.convert %arg2 : (tensor<4xbf16>) -> tensor<4xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
    %16 = stablehlo.add %13, %15 : tensor<2x4xf32>
    %17 = stablehlo.convert %16 : (tensor<2x4xf32>) -> tensor<2x4xbf16>
    %18 = stablehlo.convert %2 : (tensor<4xf32>) -> tensor<4xbf16>
    %19 = stablehlo.convert %7 : (tensor<4xf32>) -> tensor<4xbf16>
    return %17, %18, %19 : tensor<2x4xbf16>, tensor<4xbf16>, tensor<4xbf16>
  }
}
// -----
// PASS: expand
// INPUTS: small
// SUMS free
func.func @main(%x: tensor<2x3x4xf32>, %scale: tensor<4xf32>, %mean: tensor<4xf32>, %root: tensor<4xf32>, %g: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %variance = stablehlo.multiply %root, %root : tensor<4xf32>
  %0:3 = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %g) {epsilon = 0.1 : f32, feature_index = 2 : i64} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<4xf32>, %arg4: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.multiply %arg3, %arg3 : tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<4xf32>) -> tensor<2x3x4xf32>
    %2 = stablehlo.subtract %arg0, %1 : tensor<2x3x4xf32>
    %cst = stablehlo.constant dense<1.000000e-01> : tensor<4xf32>
    %3 = stablehlo.add %0, %cst : tensor<4xf32>
    %4 = stablehlo.rsqrt %3 : tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%arg4 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.multiply %arg4, %2 : tensor<2x3x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.divide %7, %3 : tensor<4xf32>
    %cst_2 = stablehlo.constant dense<6.000000e+00> : tensor<4xf32>
    %9 = stablehlo.divide %8, %cst_2 : tensor<4xf32>
    %cst_3 = stablehlo.constant dense<6.000000e+00> : tensor<4xf32>
    %10 = stablehlo.divide %5, %cst_3 : tensor<4xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [2] : (tensor<4xf32>) -> tensor<2x3x4xf32>
    %12 = stablehlo.subtract %arg4, %11 : tensor<2x3x4xf32>
    %13 = stablehlo.broadcast_in_dim %9, dims = [2] : (tensor<4xf32>) -> tensor<2x3x4xf32>
    %14 = stablehlo.multiply %2, %13 : tensor<2x3x4xf32>
    %15 = stablehlo.subtract %12, %14 : tensor<2x3x4xf32>
    %16 = stablehlo.multiply %arg1, %4 : tensor<4xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [2] : (tensor<4xf32>) -> tensor<2x3x4xf32>
    %18 = stablehlo.multiply %15, %17 : tensor<2x3x4xf32>
    %19 = stablehlo.multiply %7, %4 : tensor<4xf32>
    return %18, %19, %5 : tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
// -----
// PASS: expand
// Nothing to normalize: the means of no elements are NaN, as 0/0 is.
func.func @main(%x: tensor<0x3xf32>, %scale: tensor<3xf32>, %offset: tensor<3xf32>) -> (tensor<0x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<0x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<0x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<0x3xf32>, tensor<3xf32>, tensor<3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<0x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> (tensor<0x3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<3xf32>
    %1 = stablehlo.divide %0, %cst_0 : tensor<3xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<3xf32>) -> tensor<0x3xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<0x3xf32>
    %4 = stablehlo.multiply %3, %3 : tensor<0x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<3xf32>
    %6 = stablehlo.divide %5, %cst_2 : tensor<3xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-01> : tensor<3xf32>
    %7 = stablehlo.add %6, %cst_3 : tensor<3xf32>
    %8 = stablehlo.rsqrt %7 : tensor<3xf32>
    %9 = stablehlo.multiply %arg1, %8 : tensor<3xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<3xf32>) -> tensor<0x3xf32>
    %11 = stablehlo.multiply %3, %10 : tensor<0x3xf32>
    %12 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<3xf32>) -> tensor<0x3xf32>
    %13 = stablehlo.add %11, %12 : tensor<0x3xf32>
    return %13, %1, %6 : tensor<0x3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}
// -----
// PASS: expand
// INPUTS: none
// Sizes that are not known stay as they are.
func.func @main(%x: tensor<?x3xf32>, %scale: tensor<3xf32>, %offset: tensor<3xf32>, %mean: tensor<3xf32>, %variance: tensor<3xf32>) -> tensor<?x3xf32> {
  %0 = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance) {epsilon = 0.1 : f32, feature_index = 1 : i64} : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<?x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>, %arg3: tensor<3xf32>, %arg4: tensor<3xf32>) -> tensor<?x3xf32> {
    %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %arg4) <{epsilon = 1.000000e-01 : f32, feature_index = 1 : i64}> : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    return %0 : tensor<?x3xf32>
  }
}
// -----
// PASS: expand
// Calls that stand for operations of CHLO, inside a branch too.
func.func @main(%x: tensor<7xf32>, %y: tensor<7xbf16>, %z: tensor<7xcomplex<f32>>, %p: tensor<i1>) -> (tensor<7xf32>, tensor<7xbf16>, tensor<7xcomplex<f32>>) {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<7xf32>) -> tensor<7xf32>
    stablehlo.return %1 : tensor<7xf32>
  }, {
    %1 = stablehlo.custom_call @mhlo.asinh(%x) : (tensor<7xf32>) -> tensor<7xf32>
    stablehlo.return %1 : tensor<7xf32>
  }) : (tensor<i1>) -> tensor<7xf32>
  %2 = stablehlo.custom_call @mhlo.cosh(%y) : (tensor<7xbf16>) -> tensor<7xbf16>
  %3 = stablehlo.custom_call @mhlo.tan(%z) : (tensor<7xcomplex<f32>>) -> tensor<7xcomplex<f32>>
  return %0, %2, %3 : tensor<7xf32>, tensor<7xbf16>, tensor<7xcomplex<f32>>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<7xf32>, %arg1: tensor<7xbf16>, %arg2: tensor<7xcomplex<f32>>, %arg3: tensor<i1>) -> (tensor<7xf32>, tensor<7xbf16>, tensor<7xcomplex<f32>>) {
    %0 = "stablehlo.if"(%arg3) ({
      %3 = chlo.erf %arg0 : tensor<7xf32> -> tensor<7xf32>
      stablehlo.return %3 : tensor<7xf32>
    }, {
      %3 = chlo.asinh %arg0 : tensor<7xf32> -> tensor<7xf32>
      stablehlo.return %3 : tensor<7xf32>
    }) : (tensor<i1>) -> tensor<7xf32>
    %1 = chlo.cosh %arg1 : tensor<7xbf16> -> tensor<7xbf16>
    %2 = stablehlo.tan %arg2 : tensor<7xcomplex<f32>>
    return %0, %1, %2 : tensor<7xf32>, tensor<7xbf16>, tensor<7xcomplex<f32>>
  }
}
// -----
// PASS: expand
// The greatest elements, with indices of 64 bits; the least ones stay a call.
func.func @main(%x: tensor<2x5xf32>, %y: tensor<6xi8>) -> (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2xi8>, tensor<2xi32>, tensor<2xi8>, tensor<2xi32>) {
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 3 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  %k = stablehlo.constant dense<2> : tensor<i32>
  %1:2 = stablehlo.custom_call @TopK(%y, %k) : (tensor<6xi8>, tensor<i32>) -> (tensor<2xi8>, tensor<2xi32>)
  %2:2 = stablehlo.custom_call @mhlo.topk(%y) {mhlo.attributes = {k = 2 : i64, largest = false}} : (tensor<6xi8>) -> (tensor<2xi8>, tensor<2xi32>)
  return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<2x3xf32>, tensor<2x3xi64>, tensor<2xi8>, tensor<2xi32>, tensor<2xi8>, tensor<2xi32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x5xf32>, %arg1: tensor<6xi8>) -> (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2xi8>, tensor<2xi32>, tensor<2xi8>, tensor<2xi32>) {
    %values, %indices = chlo.top_k(%arg0, k = 3) : tensor<2x5xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
    %0 = stablehlo.convert %indices : (tensor<2x3xi32>) -> tensor<2x3xi64>
    %c = stablehlo.constant dense<2> : tensor<i32>
    %values_0, %indices_1 = chlo.top_k(%arg1, k = 2) : tensor<6xi8> -> (tensor<2xi8>, tensor<2xi32>)
    %1:2 = stablehlo.custom_call @mhlo.topk(%arg1) {mhlo.attributes = {k = 2 : i64, largest = false}} : (tensor<6xi8>) -> (tensor<2xi8>, tensor<2xi32>)
    return %values, %0, %values_0, %indices_1, %1#0, %1#1 : tensor<2x3xf32>, tensor<2x3xi64>, tensor<2xi8>, tensor<2xi32>, tensor<2xi8>, tensor<2xi32>
  }
}
// -----
// PASS: expand
// Dimensions of a batch come first, whatever the result's order. A sum that only one operand has stays.
func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<5x4x2xf32>, %c: tensor<3x4xi32>) -> (tensor<5x3x2xf32>, tensor<5x2xf32>, tensor<4x3xi32>) {
  %0 = stablehlo.einsum %a, %b, config = "bij, kjb -> kib" : (tensor<2x3x4xf32>, tensor<5x4x2xf32>) -> tensor<5x3x2xf32>
  %1 = stablehlo.einsum %a, %b, config = "bij,kjb->kb" : (tensor<2x3x4xf32>, tensor<5x4x2xf32>) -> tensor<5x2xf32>
  %2 = stablehlo.unary_einsum %c, config = "ij->ji" : (tensor<3x4xi32>) -> tensor<4x3xi32>
  return %0, %1, %2 : tensor<5x3x2xf32>, tensor<5x2xf32>, tensor<4x3xi32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<5x4x2xf32>, %arg2: tensor<3x4xi32>) -> (tensor<5x3x2xf32>, tensor<5x2xf32>, tensor<4x3xi32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [2], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<5x4x2xf32>) -> tensor<2x3x5xf32>
    %1 = stablehlo.transpose %0, dims = [2, 1, 0] : (tensor<2x3x5xf32>) -> tensor<5x3x2xf32>
    %2 = stablehlo.einsum %arg0, %arg1, config = "bij,kjb->kb" : (tensor<2x3x4xf32>, tensor<5x4x2xf32>) -> tensor<5x2xf32>
    %3 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<3x4xi32>) -> tensor<4x3xi32>
    return %1, %2, %3 : tensor<5x3x2xf32>, tensor<5x2xf32>, tensor<4x3xi32>
  }
}
// -----
// PASS: expand
// Indices for each place of the first dimension.
func.func @main(%x: tensor<2x3x4x5xf32>, %i: tensor<2x6xi32>) -> tensor<2x3x6x5xf32> {
  %0 = "stablehlo.torch_index_select"(%x, %i) {dim = 2 : i64, batch_dims = 1 : i64} : (tensor<2x3x4x5xf32>, tensor<2x6xi32>) -> tensor<2x3x6x5xf32>
  return %0 : tensor<2x3x6x5xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3x4x5xf32>, %arg1: tensor<2x6xi32>) -> tensor<2x3x6x5xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 3], collapsed_slice_dims = [2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3, 1, 5>}> : (tensor<2x3x4x5xf32>, tensor<2x6xi32>) -> tensor<2x3x6x5xf32>
    return %0 : tensor<2x3x6x5xf32>
  }
}
// -----
// PASS: expand
// Groups of one process, by replica and by number; with a channel, a group has all partitions of its replicas.
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0]]> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.all_gather"(%0) {all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.all_gather"(%1) {all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>} : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    return %arg0, %0 : tensor<4xf32>, tensor<4xf32>
  }
}
// -----
// PASS: expand
// INPUTS: none
// Marks are the values themselves, unless these change their shape.
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @MoveToHost(%0) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @SPMDFullToShardShape(%1) : (tensor<4xf32>) -> tensor<2xf32>
  return %1, %2 : tensor<4xf32>, tensor<2xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%arg0) : (tensor<4xf32>) -> tensor<2xf32>
    return %arg0, %0 : tensor<4xf32>, tensor<2xf32>
  }
}
