// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: widen-floats
// EXCESS precision
// What a fusion computes is rounded once, and what two operations read is converted once; a product keeps its type, and
// so do results.
func.func @main(%x: tensor<3x8xbf16>, %w: tensor<8x5xbf16>, %b: tensor<5xbf16>) -> tensor<3x5xbf16> {
  %0 = stablehlo.composite "ghlo.fusion.epilogue" %x, %w, %b {decomposition = @epilogue} : (tensor<3x8xbf16>, tensor<8x5xbf16>, tensor<5xbf16>) -> tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}
func.func private @epilogue(%x: tensor<3x8xbf16>, %w: tensor<8x5xbf16>, %b: tensor<5xbf16>) -> tensor<3x5xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x8xbf16>, tensor<8x5xbf16>) -> tensor<3x5xbf16>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<5xbf16>) -> tensor<3x5xbf16>
  %2 = stablehlo.add %0, %1 : tensor<3x5xbf16>
  %3 = stablehlo.multiply %2, %1 : tensor<3x5xbf16>
  %4 = stablehlo.constant dense<0.0> : tensor<3x5xbf16>
  %5 = stablehlo.compare GT, %3, %4 : (tensor<3x5xbf16>, tensor<3x5xbf16>) -> tensor<3x5xi1>
  %6 = stablehlo.select %5, %3, %1 : tensor<3x5xi1>, tensor<3x5xbf16>
  return %6 : tensor<3x5xbf16>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x8xbf16>, %arg1: tensor<8x5xbf16>, %arg2: tensor<5xbf16>) -> tensor<3x5xbf16> {
    %0 = stablehlo.composite "ghlo.fusion.epilogue" %arg0, %arg1, %arg2 {decomposition = @epilogue} : (tensor<3x8xbf16>, tensor<8x5xbf16>, tensor<5xbf16>) -> tensor<3x5xbf16>
    return %0 : tensor<3x5xbf16>
  }
  func.func private @epilogue(%arg0: tensor<3x8xbf16>, %arg1: tensor<8x5xbf16>, %arg2: tensor<5xbf16>) -> tensor<3x5xbf16> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<3x8xbf16>, tensor<8x5xbf16>) -> tensor<3x5xbf16>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<5xbf16>) -> tensor<3x5xbf16>
    %2 = stablehlo.convert %0 : (tensor<3x5xbf16>) -> tensor<3x5xf32>
    %3 = stablehlo.convert %1 : (tensor<3x5xbf16>) -> tensor<3x5xf32>
    %4 = stablehlo.add %2, %3 : tensor<3x5xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<3x5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<3x5xbf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<3x5xf32>
    %6 = stablehlo.compare GT, %5, %cst_0 : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xi1>
    %7 = stablehlo.select %6, %5, %3 : tensor<3x5xi1>, tensor<3x5xf32>
    %8 = stablehlo.convert %7 : (tensor<3x5xf32>) -> tensor<3x5xbf16>
    return %8 : tensor<3x5xbf16>
  }
}
// -----
// PASS: widen-floats
// EXCESS precision
// Sums are of f32, with what is computed for them and from them.
func.func @main(%x: tensor<3x8xf16>) -> (tensor<3x8xf16>, tensor<3xf16>) {
  %0:2 = stablehlo.composite "ghlo.fusion.reduction" %x {decomposition = @reduction} : (tensor<3x8xf16>) -> (tensor<3x8xf16>, tensor<3xf16>)
  return %0#0, %0#1 : tensor<3x8xf16>, tensor<3xf16>
}
func.func private @reduction(%x: tensor<3x8xf16>) -> (tensor<3x8xf16>, tensor<3xf16>) {
  %0 = stablehlo.exponential %x : tensor<3x8xf16>
  %1 = stablehlo.constant dense<0.0> : tensor<f16>
  %2 = stablehlo.reduce(%0 init: %1) across dimensions = [1] : (tensor<3x8xf16>, tensor<f16>) -> tensor<3xf16>
    reducer(%a: tensor<f16>, %b: tensor<f16>) {
      %5 = stablehlo.add %a, %b : tensor<f16>
      stablehlo.return %5 : tensor<f16>
    }
  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<3xf16>) -> tensor<3x8xf16>
  %4 = stablehlo.divide %0, %3 : tensor<3x8xf16>
  return %4, %2 : tensor<3x8xf16>, tensor<3xf16>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x8xf16>) -> (tensor<3x8xf16>, tensor<3xf16>) {
    %0:2 = stablehlo.composite "ghlo.fusion.reduction" %arg0 {decomposition = @reduction} : (tensor<3x8xf16>) -> (tensor<3x8xf16>, tensor<3xf16>)
    return %0#0, %0#1 : tensor<3x8xf16>, tensor<3xf16>
  }
  func.func private @reduction(%arg0: tensor<3x8xf16>) -> (tensor<3x8xf16>, tensor<3xf16>) {
    %0 = stablehlo.convert %arg0 : (tensor<3x8xf16>) -> tensor<3x8xf32>
    %1 = stablehlo.exponential %0 : tensor<3x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<3xf32>) -> tensor<3x8xf32>
    %4 = stablehlo.divide %1, %3 : tensor<3x8xf32>
    %5 = stablehlo.convert %4 : (tensor<3x8xf32>) -> tensor<3x8xf16>
    %6 = stablehlo.convert %2 : (tensor<3xf32>) -> tensor<3xf16>
    return %5, %6 : tensor<3x8xf16>, tensor<3xf16>
  }
}
// -----
// PASS: widen-floats
// EXCESS precision
// Conversions of the program stay. Operations whose results depend on the type have operands of that type.
func.func @main(%x: tensor<7xf32>, %y: tensor<7xbf16>) -> (tensor<7xf32>, tensor<7xui16>, tensor<7xi32>, tensor<7xbf16>) {
  %0:4 = stablehlo.composite "ghlo.fusion.map" %x, %y {decomposition = @map} : (tensor<7xf32>, tensor<7xbf16>) -> (tensor<7xf32>, tensor<7xui16>, tensor<7xi32>, tensor<7xbf16>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<7xf32>, tensor<7xui16>, tensor<7xi32>, tensor<7xbf16>
}
func.func private @map(%x: tensor<7xf32>, %y: tensor<7xbf16>) -> (tensor<7xf32>, tensor<7xui16>, tensor<7xi32>, tensor<7xbf16>) {
  %0 = stablehlo.convert %x : (tensor<7xf32>) -> tensor<7xbf16>
  %1 = stablehlo.convert %0 : (tensor<7xbf16>) -> tensor<7xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<7xf32>
  %3 = stablehlo.add %y, %0 : tensor<7xbf16>
  %4 = stablehlo.bitcast_convert %3 : (tensor<7xbf16>) -> tensor<7xui16>
  %5 = stablehlo.multiply %3, %3 : tensor<7xbf16>
  %6 = stablehlo.convert %5 : (tensor<7xbf16>) -> tensor<7xi32>
  %7 = stablehlo.abs %y : tensor<7xbf16>
  return %2, %4, %6, %7 : tensor<7xf32>, tensor<7xui16>, tensor<7xi32>, tensor<7xbf16>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<7xf32>, %arg1: tensor<7xbf16>) -> (tensor<7xf32>, tensor<7xui16>, tensor<7xi32>, tensor<7xbf16>) {
    %0:4 = stablehlo.composite "ghlo.fusion.map" %arg0, %arg1 {decomposition = @map} : (tensor<7xf32>, tensor<7xbf16>) -> (tensor<7xf32>, tensor<7xui16>, tensor<7xi32>, tensor<7xbf16>)
    return %0#0, %0#1, %0#2, %0#3 : tensor<7xf32>, tensor<7xui16>, tensor<7xi32>, tensor<7xbf16>
  }
  func.func private @map(%arg0: tensor<7xf32>, %arg1: tensor<7xbf16>) -> (tensor<7xf32>, tensor<7xui16>, tensor<7xi32>, tensor<7xbf16>) {
    %0 = stablehlo.convert %arg0 : (tensor<7xf32>) -> tensor<7xbf16>
    %1 = stablehlo.convert %0 : (tensor<7xbf16>) -> tensor<7xf32>
    %2 = stablehlo.subtract %arg0, %1 : tensor<7xf32>
    %3 = stablehlo.convert %arg1 : (tensor<7xbf16>) -> tensor<7xf32>
    %4 = stablehlo.convert %0 : (tensor<7xbf16>) -> tensor<7xf32>
    %5 = stablehlo.add %3, %4 : tensor<7xf32>
    %6 = stablehlo.convert %5 : (tensor<7xf32>) -> tensor<7xbf16>
    %7 = stablehlo.bitcast_convert %6 : (tensor<7xbf16>) -> tensor<7xui16>
    %8 = stablehlo.multiply %5, %5 : tensor<7xf32>
    %9 = stablehlo.convert %8 : (tensor<7xf32>) -> tensor<7xi32>
    %10 = stablehlo.abs %arg1 : tensor<7xbf16>
    return %2, %7, %9, %10 : tensor<7xf32>, tensor<7xui16>, tensor<7xi32>, tensor<7xbf16>
  }
}
// -----
// PASS: widen-floats
// Without excess precision, each operation rounds its result.
func.func @main(%x: tensor<7xbf16>, %y: tensor<7xbf16>) -> tensor<7xbf16> {
  %0 = stablehlo.composite "ghlo.fusion.map" %x, %y {decomposition = @map} : (tensor<7xbf16>, tensor<7xbf16>) -> tensor<7xbf16>
  return %0 : tensor<7xbf16>
}
func.func private @map(%x: tensor<7xbf16>, %y: tensor<7xbf16>) -> tensor<7xbf16> {
  %0 = stablehlo.add %x, %y : tensor<7xbf16>
  %1 = stablehlo.multiply %0, %y : tensor<7xbf16>
  return %1 : tensor<7xbf16>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<7xbf16>, %arg1: tensor<7xbf16>) -> tensor<7xbf16> {
    %0 = stablehlo.composite "ghlo.fusion.map" %arg0, %arg1 {decomposition = @map} : (tensor<7xbf16>, tensor<7xbf16>) -> tensor<7xbf16>
    return %0 : tensor<7xbf16>
  }
  func.func private @map(%arg0: tensor<7xbf16>, %arg1: tensor<7xbf16>) -> tensor<7xbf16> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<7xbf16>
    %1 = stablehlo.multiply %0, %arg1 : tensor<7xbf16>
    return %1 : tensor<7xbf16>
  }
}
// -----
// PASS: widen-floats
// EXCESS precision
// Kernels have faster functions of bf16 for two, which keep their types.
func.func @main(%x: tensor<7xbf16>, %y: tensor<7xbf16>) -> tensor<7xbf16> {
  %0 = stablehlo.composite "ghlo.fusion.map" %x, %y {decomposition = @map} : (tensor<7xbf16>, tensor<7xbf16>) -> tensor<7xbf16>
  return %0 : tensor<7xbf16>
}
func.func private @map(%x: tensor<7xbf16>, %y: tensor<7xbf16>) -> tensor<7xbf16> {
  %0 = stablehlo.add %x, %y : tensor<7xbf16>
  %1 = stablehlo.logistic %0 : tensor<7xbf16>
  %2 = stablehlo.multiply %0, %1 : tensor<7xbf16>
  return %2 : tensor<7xbf16>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<7xbf16>, %arg1: tensor<7xbf16>) -> tensor<7xbf16> {
    %0 = stablehlo.composite "ghlo.fusion.map" %arg0, %arg1 {decomposition = @map} : (tensor<7xbf16>, tensor<7xbf16>) -> tensor<7xbf16>
    return %0 : tensor<7xbf16>
  }
  func.func private @map(%arg0: tensor<7xbf16>, %arg1: tensor<7xbf16>) -> tensor<7xbf16> {
    %0 = stablehlo.convert %arg0 : (tensor<7xbf16>) -> tensor<7xf32>
    %1 = stablehlo.convert %arg1 : (tensor<7xbf16>) -> tensor<7xf32>
    %2 = stablehlo.add %0, %1 : tensor<7xf32>
    %3 = stablehlo.convert %2 : (tensor<7xf32>) -> tensor<7xbf16>
    %4 = stablehlo.logistic %3 : tensor<7xbf16>
    %5 = stablehlo.convert %4 : (tensor<7xbf16>) -> tensor<7xf32>
    %6 = stablehlo.multiply %2, %5 : tensor<7xf32>
    %7 = stablehlo.convert %6 : (tensor<7xf32>) -> tensor<7xbf16>
    return %7 : tensor<7xbf16>
  }
}
