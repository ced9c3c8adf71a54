// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: lower-quantized
// INPUTS: small
// Each rounding of the specification is one operation. Zero points that are zero, and limits of the whole range, are not
// in the program. The signature stays.
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<2x3xf32>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>
  %1 = stablehlo.uniform_quantize %0 : (tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<2x3x!quant.uniform<ui8<0:200>:f32:1, {5.000000e-01, 2.500000e-01, 1.000000e+00}>>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<2x3x!quant.uniform<ui8<0:200>:f32:1, {5.000000e-01, 2.500000e-01, 1.000000e+00}>>) -> tensor<2x3xf32>
  return %0, %2 : tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<2x3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<2x3xf32>) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<2x3xf32>
    %0 = stablehlo.divide %arg0, %cst : tensor<2x3xf32>
    %cst_0 = stablehlo.constant dense<3.000000e+00> : tensor<2x3xf32>
    %1 = stablehlo.add %0, %cst_0 : tensor<2x3xf32>
    %2 = stablehlo.round_nearest_even %1 : tensor<2x3xf32>
    %3 = stablehlo.convert %2 : (tensor<2x3xf32>) -> tensor<2x3xi8>
    %4 = stablehlo.bitcast_convert %3 : (tensor<2x3xi8>) -> tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>
    %5 = stablehlo.convert %3 : (tensor<2x3xi8>) -> tensor<2x3xf32>
    %cst_1 = stablehlo.constant dense<3.000000e+00> : tensor<2x3xf32>
    %6 = stablehlo.subtract %5, %cst_1 : tensor<2x3xf32>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<2x3xf32>
    %7 = stablehlo.multiply %6, %cst_2 : tensor<2x3xf32>
    %cst_3 = stablehlo.constant dense<[5.000000e-01, 2.500000e-01, 1.000000e+00]> : tensor<3xf32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %9 = stablehlo.divide %7, %8 : tensor<2x3xf32>
    %10 = stablehlo.round_nearest_even %9 : tensor<2x3xf32>
    %11 = stablehlo.convert %10 : (tensor<2x3xf32>) -> tensor<2x3xui8>
    %c = stablehlo.constant dense<200> : tensor<2x3xui8>
    %12 = stablehlo.minimum %11, %c : tensor<2x3xui8>
    %13 = stablehlo.convert %12 : (tensor<2x3xui8>) -> tensor<2x3xf32>
    %cst_4 = stablehlo.constant dense<[5.000000e-01, 2.500000e-01, 1.000000e+00]> : tensor<3xf32>
    %14 = stablehlo.broadcast_in_dim %cst_4, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %15 = stablehlo.multiply %13, %14 : tensor<2x3xf32>
    return %4, %15 : tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<2x3xf32>
  }
}
// -----
// PASS: lower-quantized
// INPUTS: small
// Operations on numbers are between dequantization and quantization; the larger of two is the larger as stored.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>, %y: tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> (tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<4xi1>) {
  %0 = stablehlo.multiply %x, %y : tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>
  %1 = stablehlo.maximum %0, %y : tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>
  %2 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<4xi1>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>, %arg1: tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> (tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<4xi1>) {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<4xi8>
    %1 = stablehlo.bitcast_convert %arg1 : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<4xi8>
    %2 = stablehlo.convert %0 : (tensor<4xi8>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<4xf32>
    %3 = stablehlo.subtract %2, %cst : tensor<4xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<4xf32>
    %4 = stablehlo.multiply %3, %cst_0 : tensor<4xf32>
    %5 = stablehlo.convert %1 : (tensor<4xi8>) -> tensor<4xf32>
    %cst_1 = stablehlo.constant dense<3.000000e+00> : tensor<4xf32>
    %6 = stablehlo.subtract %5, %cst_1 : tensor<4xf32>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<4xf32>
    %7 = stablehlo.multiply %6, %cst_2 : tensor<4xf32>
    %8 = stablehlo.multiply %4, %7 : tensor<4xf32>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<4xf32>
    %9 = stablehlo.divide %8, %cst_3 : tensor<4xf32>
    %cst_4 = stablehlo.constant dense<3.000000e+00> : tensor<4xf32>
    %10 = stablehlo.add %9, %cst_4 : tensor<4xf32>
    %11 = stablehlo.round_nearest_even %10 : tensor<4xf32>
    %12 = stablehlo.convert %11 : (tensor<4xf32>) -> tensor<4xi8>
    %13 = stablehlo.bitcast_convert %12 : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>
    %14 = stablehlo.bitcast_convert %arg1 : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<4xi8>
    %15 = stablehlo.maximum %12, %14 : tensor<4xi8>
    %16 = stablehlo.bitcast_convert %15 : (tensor<4xi8>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>
    %17 = stablehlo.bitcast_convert %arg0 : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<4xi8>
    %18 = stablehlo.bitcast_convert %arg1 : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<4xi8>
    %19 = stablehlo.compare LT, %17, %18 : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi1>
    return %13, %16, %19 : tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<4xi1>
  }
}
// -----
// PASS: lower-quantized
// INPUTS: small
// 32-bit storage: the difference to the zero point needs more than the storage type, and then is rounded once.
func.func @main(%x: tensor<4x!quant.uniform<i32:f32, 5.000000e-01:3>>) -> tensor<4xf32> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i32:f32, 5.000000e-01:3>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x!quant.uniform<i32:f32, 5.000000e-01:3>>) -> tensor<4xf32> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<4x!quant.uniform<i32:f32, 5.000000e-01:3>>) -> tensor<4xi32>
    %1 = stablehlo.convert %0 : (tensor<4xi32>) -> tensor<4xi64>
    %c = stablehlo.constant dense<3> : tensor<4xi64>
    %2 = stablehlo.subtract %1, %c : tensor<4xi64>
    %3 = stablehlo.convert %2 : (tensor<4xi64>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<4xf32>
    %4 = stablehlo.multiply %3, %cst : tensor<4xf32>
    return %4 : tensor<4xf32>
  }
}
// -----
// PASS: lower-quantized
// INPUTS: small
// A product of integers, with the zero point of lhs taken into account afterwards, and scales for each column.
func.func @main(%x: tensor<2x5x!quant.uniform<i8:f32, 5.000000e-01:3>>, %w: tensor<5x3x!quant.uniform<i8:f32:1, {5.000000e-01, 2.500000e-01, 1.000000e+00}>>) -> tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:-1>> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x5x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<5x3x!quant.uniform<i8:f32:1, {5.000000e-01, 2.500000e-01, 1.000000e+00}>>) -> tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:-1>>
  return %0 : tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:-1>>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x5x!quant.uniform<i8:f32, 5.000000e-01:3>>, %arg1: tensor<5x3x!quant.uniform<i8:f32:1, {5.000000e-01,2.500000e-01,1.000000e+00}>>) -> tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:-1>> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<2x5x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<2x5xi8>
    %1 = stablehlo.bitcast_convert %arg1 : (tensor<5x3x!quant.uniform<i8:f32:1, {5.000000e-01,2.500000e-01,1.000000e+00}>>) -> tensor<5x3xi8>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<2x5xi8>, tensor<5x3xi8>) -> tensor<2x3xi32>
    %c = stablehlo.constant dense<1> : tensor<5xi8>
    %3 = stablehlo.dot_general %c, %1, contracting_dims = [0] x [0] : (tensor<5xi8>, tensor<5x3xi8>) -> tensor<3xi32>
    %c_0 = stablehlo.constant dense<3> : tensor<3xi32>
    %4 = stablehlo.multiply %3, %c_0 : tensor<3xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %6 = stablehlo.subtract %2, %5 : tensor<2x3xi32>
    %7 = stablehlo.convert %6 : (tensor<2x3xi32>) -> tensor<2x3xf32>
    %cst = stablehlo.constant dense<[2.500000e-01, 1.250000e-01, 5.000000e-01]> : tensor<3xf32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<2x3xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<2x3xf32>
    %10 = stablehlo.divide %9, %cst_1 : tensor<2x3xf32>
    %cst_2 = stablehlo.constant dense<-1.000000e+00> : tensor<2x3xf32>
    %11 = stablehlo.add %10, %cst_2 : tensor<2x3xf32>
    %12 = stablehlo.round_nearest_even %11 : tensor<2x3xf32>
    %13 = stablehlo.convert %12 : (tensor<2x3xf32>) -> tensor<2x3xi8>
    %14 = stablehlo.bitcast_convert %13 : (tensor<2x3xi8>) -> tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:-1>>
    return %14 : tensor<2x3x!quant.uniform<i8:f32, 2.000000e+00:-1>>
  }
}
// -----
// PASS: lower-quantized
// INPUTS: small
// The sums are what an i32 with the product of the scales stores.
func.func @main(%x: tensor<2x5x!quant.uniform<i8:f32, 5.000000e-01>>, %w: tensor<5x3x!quant.uniform<i8:f32, 2.500000e-01>>) -> tensor<2x3x!quant.uniform<i32:f32, 1.250000e-01>> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x5x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<5x3x!quant.uniform<i8:f32, 2.500000e-01>>) -> tensor<2x3x!quant.uniform<i32:f32, 1.250000e-01>>
  return %0 : tensor<2x3x!quant.uniform<i32:f32, 1.250000e-01>>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x5x!quant.uniform<i8:f32, 5.000000e-01>>, %arg1: tensor<5x3x!quant.uniform<i8:f32, 2.500000e-01>>) -> tensor<2x3x!quant.uniform<i32:f32, 1.250000e-01>> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<2x5x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<2x5xi8>
    %1 = stablehlo.bitcast_convert %arg1 : (tensor<5x3x!quant.uniform<i8:f32, 2.500000e-01>>) -> tensor<5x3xi8>
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<2x5xi8>, tensor<5x3xi8>) -> tensor<2x3xi32>
    %3 = stablehlo.bitcast_convert %2 : (tensor<2x3xi32>) -> tensor<2x3x!quant.uniform<i32:f32, 1.250000e-01>>
    return %3 : tensor<2x3x!quant.uniform<i32:f32, 1.250000e-01>>
  }
}
// -----
// PASS: lower-quantized
// INPUTS: small
// Sums of 16-bit numbers might not fit: they are computed in floats.
func.func @main(%x: tensor<2x5x!quant.uniform<i16:f32, 5.000000e-01>>, %w: tensor<5x3x!quant.uniform<i16:f32, 2.500000e-01>>) -> tensor<2x3x!quant.uniform<i16:f32, 2.000000e+00>> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x5x!quant.uniform<i16:f32, 5.000000e-01>>, tensor<5x3x!quant.uniform<i16:f32, 2.500000e-01>>) -> tensor<2x3x!quant.uniform<i16:f32, 2.000000e+00>>
  return %0 : tensor<2x3x!quant.uniform<i16:f32, 2.000000e+00>>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x5x!quant.uniform<i16:f32, 5.000000e-01>>, %arg1: tensor<5x3x!quant.uniform<i16:f32, 2.500000e-01>>) -> tensor<2x3x!quant.uniform<i16:f32, 2.000000e+00>> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<2x5x!quant.uniform<i16:f32, 5.000000e-01>>) -> tensor<2x5xi16>
    %1 = stablehlo.bitcast_convert %arg1 : (tensor<5x3x!quant.uniform<i16:f32, 2.500000e-01>>) -> tensor<5x3xi16>
    %2 = stablehlo.convert %0 : (tensor<2x5xi16>) -> tensor<2x5xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<2x5xf32>
    %3 = stablehlo.multiply %2, %cst : tensor<2x5xf32>
    %4 = stablehlo.convert %1 : (tensor<5x3xi16>) -> tensor<5x3xf32>
    %cst_0 = stablehlo.constant dense<2.500000e-01> : tensor<5x3xf32>
    %5 = stablehlo.multiply %4, %cst_0 : tensor<5x3xf32>
    %6 = stablehlo.dot_general %3, %5, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x3xf32>) -> tensor<2x3xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<2x3xf32>
    %7 = stablehlo.divide %6, %cst_1 : tensor<2x3xf32>
    %8 = stablehlo.round_nearest_even %7 : tensor<2x3xf32>
    %9 = stablehlo.convert %8 : (tensor<2x3xf32>) -> tensor<2x3xi16>
    %10 = stablehlo.bitcast_convert %9 : (tensor<2x3xi16>) -> tensor<2x3x!quant.uniform<i16:f32, 2.000000e+00>>
    return %10 : tensor<2x3x!quant.uniform<i16:f32, 2.000000e+00>>
  }
}
// -----
// PASS: lower-quantized
// INPUTS: small
// Weights beside floats are dequantized.
func.func @main(%x: tensor<2x5xf32>, %w: tensor<5x3x!quant.uniform<i4:f32:1, {5.000000e-01, 2.500000e-01, 1.000000e+00}>>) -> tensor<2x3xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x3x!quant.uniform<i4:f32:1, {5.000000e-01, 2.500000e-01, 1.000000e+00}>>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x5xf32>, %arg1: tensor<5x3x!quant.uniform<i4:f32:1, {5.000000e-01,2.500000e-01,1.000000e+00}>>) -> tensor<2x3xf32> {
    %0 = stablehlo.bitcast_convert %arg1 : (tensor<5x3x!quant.uniform<i4:f32:1, {5.000000e-01,2.500000e-01,1.000000e+00}>>) -> tensor<5x3xi4>
    %1 = stablehlo.convert %0 : (tensor<5x3xi4>) -> tensor<5x3xf32>
    %cst = stablehlo.constant dense<[5.000000e-01, 2.500000e-01, 1.000000e+00]> : tensor<3xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [1] : (tensor<3xf32>) -> tensor<5x3xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<5x3xf32>
    %4 = stablehlo.dot_general %arg0, %3, contracting_dims = [1] x [0] : (tensor<2x5xf32>, tensor<5x3xf32>) -> tensor<2x3xf32>
    return %4 : tensor<2x3xf32>
  }
}
// -----
// PASS: lower-quantized
// INPUTS: small
// Padding of a convolution represents zero, which the zero point is.
func.func @main(%x: tensor<1x4x2x!quant.uniform<ui8:f32, 5.000000e-01:7>>, %w: tensor<3x2x2x!quant.uniform<ui8:f32, 2.500000e-01:2>>) -> tensor<1x4x2x!quant.uniform<ui8:f32, 1.000000e+00:9>> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2x!quant.uniform<ui8:f32, 5.000000e-01:7>>, tensor<3x2x2x!quant.uniform<ui8:f32, 2.500000e-01:2>>) -> tensor<1x4x2x!quant.uniform<ui8:f32, 1.000000e+00:9>>
  return %0 : tensor<1x4x2x!quant.uniform<ui8:f32, 1.000000e+00:9>>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<1x4x2x!quant.uniform<ui8:f32, 5.000000e-01:7>>, %arg1: tensor<3x2x2x!quant.uniform<ui8:f32, 2.500000e-01:2>>) -> tensor<1x4x2x!quant.uniform<ui8:f32, 1.000000e+00:9>> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<1x4x2x!quant.uniform<ui8:f32, 5.000000e-01:7>>) -> tensor<1x4x2xui8>
    %1 = stablehlo.bitcast_convert %arg1 : (tensor<3x2x2x!quant.uniform<ui8:f32, 2.500000e-01:2>>) -> tensor<3x2x2xui8>
    %2 = stablehlo.convert %0 : (tensor<1x4x2xui8>) -> tensor<1x4x2xi16>
    %c = stablehlo.constant dense<7> : tensor<1x4x2xi16>
    %3 = stablehlo.subtract %2, %c : tensor<1x4x2xi16>
    %4 = stablehlo.convert %1 : (tensor<3x2x2xui8>) -> tensor<3x2x2xi16>
    %c_0 = stablehlo.constant dense<2> : tensor<3x2x2xi16>
    %5 = stablehlo.subtract %4, %c_0 : tensor<3x2x2xi16>
    %6 = stablehlo.convolution(%3, %5) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xi16>, tensor<3x2x2xi16>) -> tensor<1x4x2xi32>
    %7 = stablehlo.convert %6 : (tensor<1x4x2xi32>) -> tensor<1x4x2xf32>
    %cst = stablehlo.constant dense<1.250000e-01> : tensor<1x4x2xf32>
    %8 = stablehlo.multiply %7, %cst : tensor<1x4x2xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<1x4x2xf32>
    %9 = stablehlo.divide %8, %cst_1 : tensor<1x4x2xf32>
    %cst_2 = stablehlo.constant dense<9.000000e+00> : tensor<1x4x2xf32>
    %10 = stablehlo.add %9, %cst_2 : tensor<1x4x2xf32>
    %11 = stablehlo.round_nearest_even %10 : tensor<1x4x2xf32>
    %12 = stablehlo.convert %11 : (tensor<1x4x2xf32>) -> tensor<1x4x2xui8>
    %13 = stablehlo.bitcast_convert %12 : (tensor<1x4x2xui8>) -> tensor<1x4x2x!quant.uniform<ui8:f32, 1.000000e+00:9>>
    return %13 : tensor<1x4x2x!quant.uniform<ui8:f32, 1.000000e+00:9>>
  }
}
// -----
// PASS: lower-quantized
// INPUTS: small
// Maxima and sums are those of stored numbers, in loops and branches too.
func.func @main(%x: tensor<3x4x!quant.uniform<i8:f32, 5.000000e-01:3>>, %go: tensor<i1>) -> (tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>) {
  %least = stablehlo.constant() <{value = dense<-128> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 5.000000e-01:3>>
  %zero = stablehlo.constant() <{value = dense<3> : tensor<i8>}> : () -> tensor<!quant.uniform<i8:f32, 5.000000e-01:3>>
  %0 = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<3x4x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>
  %1 = "stablehlo.if"(%go) ({
    %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x4x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>
    stablehlo.return %2 : tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>
  }, {
    stablehlo.return %0 : tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>
  }) : (tensor<i1>) -> tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>
  return %0, %1 : tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x4x!quant.uniform<i8:f32, 5.000000e-01:3>>, %arg1: tensor<i1>) -> (tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>) {
    %c = stablehlo.constant dense<-128> : tensor<i8>
    %c_0 = stablehlo.constant dense<3> : tensor<i8>
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<3x4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<3x4xi8>
    %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.maximum across dimensions = [1] : (tensor<3x4xi8>, tensor<i8>) -> tensor<3xi8>
    %2 = stablehlo.bitcast_convert %1 : (tensor<3xi8>) -> tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>
    %3 = "stablehlo.if"(%arg1) ({
      %5 = stablehlo.bitcast_convert %arg0 : (tensor<3x4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<3x4xi8>
      %6 = stablehlo.convert %5 : (tensor<3x4xi8>) -> tensor<3x4xi32>
      %c_1 = stablehlo.constant dense<3> : tensor<3x4xi32>
      %7 = stablehlo.subtract %6, %c_1 : tensor<3x4xi32>
      %8 = stablehlo.convert %c_0 : (tensor<i8>) -> tensor<i32>
      %c_2 = stablehlo.constant dense<3> : tensor<i32>
      %9 = stablehlo.subtract %8, %c_2 : tensor<i32>
      %10 = stablehlo.reduce(%7 init: %9) applies stablehlo.add across dimensions = [1] : (tensor<3x4xi32>, tensor<i32>) -> tensor<3xi32>
      %c_3 = stablehlo.constant dense<3> : tensor<3xi32>
      %11 = stablehlo.add %10, %c_3 : tensor<3xi32>
      %c_4 = stablehlo.constant dense<-128> : tensor<3xi32>
      %12 = stablehlo.maximum %11, %c_4 : tensor<3xi32>
      %c_5 = stablehlo.constant dense<127> : tensor<3xi32>
      %13 = stablehlo.minimum %12, %c_5 : tensor<3xi32>
      %14 = stablehlo.convert %13 : (tensor<3xi32>) -> tensor<3xi8>
      stablehlo.return %14 : tensor<3xi8>
    }, {
      stablehlo.return %1 : tensor<3xi8>
    }) : (tensor<i1>) -> tensor<3xi8>
    %4 = stablehlo.bitcast_convert %3 : (tensor<3xi8>) -> tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>
    return %2, %4 : tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<3x!quant.uniform<i8:f32, 5.000000e-01:3>>
  }
}
// -----
// PASS: lower-quantized
// INPUTS: small
// Products of quantized numbers by a reduction saturate one by one: this reduction does not change, but for the types.
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>, %one: tensor<!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<!quant.uniform<i8:f32, 5.000000e-01:3>> {
  %0 = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<!quant.uniform<i8:f32, 5.000000e-01:3>>
  return %0 : tensor<!quant.uniform<i8:f32, 5.000000e-01:3>>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>, %arg1: tensor<!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<!quant.uniform<i8:f32, 5.000000e-01:3>> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<4xi8>
    %1 = stablehlo.bitcast_convert %arg1 : (tensor<!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<i8>
    %2 = stablehlo.reduce(%0 init: %1) across dimensions = [0] : (tensor<4xi8>, tensor<i8>) -> tensor<i8>
     reducer(%arg2: tensor<i8>, %arg3: tensor<i8>)  {
      %4 = stablehlo.convert %arg2 : (tensor<i8>) -> tensor<f32>
      %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %5 = stablehlo.subtract %4, %cst : tensor<f32>
      %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %6 = stablehlo.multiply %5, %cst_0 : tensor<f32>
      %7 = stablehlo.convert %arg3 : (tensor<i8>) -> tensor<f32>
      %cst_1 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %8 = stablehlo.subtract %7, %cst_1 : tensor<f32>
      %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %9 = stablehlo.multiply %8, %cst_2 : tensor<f32>
      %10 = stablehlo.multiply %6, %9 : tensor<f32>
      %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %11 = stablehlo.divide %10, %cst_3 : tensor<f32>
      %cst_4 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
      %12 = stablehlo.add %11, %cst_4 : tensor<f32>
      %13 = stablehlo.round_nearest_even %12 : tensor<f32>
      %14 = stablehlo.convert %13 : (tensor<f32>) -> tensor<i8>
      stablehlo.return %14 : tensor<i8>
    }
    %3 = stablehlo.bitcast_convert %2 : (tensor<i8>) -> tensor<!quant.uniform<i8:f32, 5.000000e-01:3>>
    return %3 : tensor<!quant.uniform<i8:f32, 5.000000e-01:3>>
  }
}
