// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: canonicalize
// The inner conversion loses nothing, or both stay. An integer that comes by way of a
// float into a narrower integer does not wrap.
func.func @main(%i: tensor<15xi8>, %j: tensor<15xi32>, %h: tensor<15xf16>, %x: tensor<15xf32>, %p: tensor<15xi1>) -> (tensor<15xi8>, tensor<15xi16>, tensor<15xf64>, tensor<15xi8>, tensor<15xi32>, tensor<15xf32>, tensor<15xi1>, tensor<15xf16>) {
  %0 = stablehlo.convert %i : (tensor<15xi8>) -> tensor<15xi32>
  %1 = stablehlo.convert %0 : (tensor<15xi32>) -> tensor<15xi8>
  %2 = stablehlo.convert %0 : (tensor<15xi32>) -> tensor<15xi16>
  %3 = stablehlo.convert %h : (tensor<15xf16>) -> tensor<15xf32>
  %4 = stablehlo.convert %3 : (tensor<15xf32>) -> tensor<15xf64>
  %5 = stablehlo.convert %j : (tensor<15xi32>) -> tensor<15xf64>
  %6 = stablehlo.convert %5 : (tensor<15xf64>) -> tensor<15xi8>
  %7 = stablehlo.convert %x : (tensor<15xf32>) -> tensor<15xi32>
  %8 = stablehlo.convert %7 : (tensor<15xi32>) -> tensor<15xi32>
  %9 = stablehlo.convert %x : (tensor<15xf32>) -> tensor<15xbf16>
  %10 = stablehlo.convert %9 : (tensor<15xbf16>) -> tensor<15xf32>
  %11 = stablehlo.convert %p : (tensor<15xi1>) -> tensor<15xf32>
  %12 = stablehlo.convert %11 : (tensor<15xf32>) -> tensor<15xi1>
  %13 = stablehlo.convert %3 : (tensor<15xf32>) -> tensor<15xf16>
  return %1, %2, %4, %6, %8, %10, %12, %13 : tensor<15xi8>, tensor<15xi16>, tensor<15xf64>, tensor<15xi8>, tensor<15xi32>, tensor<15xf32>, tensor<15xi1>, tensor<15xf16>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xi8>, %arg1: tensor<15xi32>, %arg2: tensor<15xf16>, %arg3: tensor<15xf32>, %arg4: tensor<15xi1>) -> (tensor<15xi8>, tensor<15xi16>, tensor<15xf64>, tensor<15xi8>, tensor<15xi32>, tensor<15xf32>, tensor<15xi1>, tensor<15xf16>) {
    %0 = stablehlo.convert %arg0 : (tensor<15xi8>) -> tensor<15xi16>
    %1 = stablehlo.convert %arg2 : (tensor<15xf16>) -> tensor<15xf64>
    %2 = stablehlo.convert %arg1 : (tensor<15xi32>) -> tensor<15xf64>
    %3 = stablehlo.convert %2 : (tensor<15xf64>) -> tensor<15xi8>
    %4 = stablehlo.convert %arg3 : (tensor<15xf32>) -> tensor<15xi32>
    %5 = stablehlo.convert %arg3 : (tensor<15xf32>) -> tensor<15xbf16>
    %6 = stablehlo.convert %5 : (tensor<15xbf16>) -> tensor<15xf32>
    return %arg0, %0, %1, %3, %4, %6, %arg4, %arg2 : tensor<15xi8>, tensor<15xi16>, tensor<15xf64>, tensor<15xi8>, tensor<15xi32>, tensor<15xf32>, tensor<15xi1>, tensor<15xf16>
  }
}
// -----
// PASS: canonicalize
func.func @main(%z: tensor<30xcomplex<f32>>, %x: tensor<30xf32>, %y: tensor<30xf32>) -> (tensor<30xf32>, tensor<30xf32>, tensor<30xcomplex<f32>>, tensor<30xf32>, tensor<30xi32>, tensor<30xf32>, tensor<30xf32>) {
  %0 = stablehlo.complex %x, %y : tensor<30xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<30xcomplex<f32>>) -> tensor<30xf32>
  %2 = stablehlo.imag %0 : (tensor<30xcomplex<f32>>) -> tensor<30xf32>
  %3 = stablehlo.real %z : (tensor<30xcomplex<f32>>) -> tensor<30xf32>
  %4 = stablehlo.imag %z : (tensor<30xcomplex<f32>>) -> tensor<30xf32>
  %5 = stablehlo.complex %3, %4 : tensor<30xcomplex<f32>>
  %6 = stablehlo.bitcast_convert %x : (tensor<30xf32>) -> tensor<30xi32>
  %7 = stablehlo.bitcast_convert %6 : (tensor<30xi32>) -> tensor<30xf32>
  %8 = stablehlo.reduce_precision %x, format = e8m23 : tensor<30xf32>
  %9 = stablehlo.reduce_precision %x, format = e5m10 : tensor<30xf32>
  return %1, %2, %5, %7, %6, %8, %9 : tensor<30xf32>, tensor<30xf32>, tensor<30xcomplex<f32>>, tensor<30xf32>, tensor<30xi32>, tensor<30xf32>, tensor<30xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<30xcomplex<f32>>, %arg1: tensor<30xf32>, %arg2: tensor<30xf32>) -> (tensor<30xf32>, tensor<30xf32>, tensor<30xcomplex<f32>>, tensor<30xf32>, tensor<30xi32>, tensor<30xf32>, tensor<30xf32>) {
    %0 = stablehlo.bitcast_convert %arg1 : (tensor<30xf32>) -> tensor<30xi32>
    %1 = stablehlo.reduce_precision %arg1, format = e5m10 : tensor<30xf32>
    return %arg1, %arg2, %arg0, %arg1, %0, %arg1, %1 : tensor<30xf32>, tensor<30xf32>, tensor<30xcomplex<f32>>, tensor<30xf32>, tensor<30xi32>, tensor<30xf32>, tensor<30xf32>
  }
}
