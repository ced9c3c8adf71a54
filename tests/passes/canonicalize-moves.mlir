// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: canonicalize
func.func @main(%x: tensor<3x4x5xf32>) -> (tensor<3x4x5xf32>, tensor<60xf32>, tensor<3x4x5xf32>, tensor<5x3x4xf32>, tensor<3x4x5xf32>, tensor<3x4x5xf32>, tensor<3x4x5xf32>) {
  %0 = stablehlo.reshape %x : (tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  %1 = stablehlo.reshape %x : (tensor<3x4x5xf32>) -> tensor<12x5xf32>
  %2 = stablehlo.reshape %1 : (tensor<12x5xf32>) -> tensor<60xf32>
  %3 = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<3x4x5xf32>) -> tensor<4x5x3xf32>
  %4 = stablehlo.transpose %3, dims = [2, 0, 1] : (tensor<4x5x3xf32>) -> tensor<3x4x5xf32>
  %5 = stablehlo.transpose %3, dims = [1, 2, 0] : (tensor<4x5x3xf32>) -> tensor<5x3x4xf32>
  %6 = stablehlo.broadcast_in_dim %x, dims = [0, 1, 2] : (tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  %7 = stablehlo.reverse %x, dims = [0, 2] : tensor<3x4x5xf32>
  %8 = stablehlo.reverse %7, dims = [2, 0] : tensor<3x4x5xf32>
  %9 = stablehlo.reverse %7, dims = [1, 2] : tensor<3x4x5xf32>
  return %0, %2, %4, %5, %6, %8, %9 : tensor<3x4x5xf32>, tensor<60xf32>, tensor<3x4x5xf32>, tensor<5x3x4xf32>, tensor<3x4x5xf32>, tensor<3x4x5xf32>, tensor<3x4x5xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x4x5xf32>) -> (tensor<3x4x5xf32>, tensor<60xf32>, tensor<3x4x5xf32>, tensor<5x3x4xf32>, tensor<3x4x5xf32>, tensor<3x4x5xf32>, tensor<3x4x5xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<3x4x5xf32>) -> tensor<60xf32>
    %1 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<3x4x5xf32>) -> tensor<5x3x4xf32>
    %2 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<3x4x5xf32>
    return %arg0, %0, %arg0, %1, %arg0, %arg0, %2 : tensor<3x4x5xf32>, tensor<60xf32>, tensor<3x4x5xf32>, tensor<5x3x4xf32>, tensor<3x4x5xf32>, tensor<3x4x5xf32>, tensor<3x4x5xf32>
  }
}
// -----
// PASS: canonicalize
func.func @main(%x: tensor<10x6xf32>, %y: tensor<6xf32>) -> (tensor<10x6xf32>, tensor<2x2xf32>, tensor<0x6xf32>, tensor<3x2xf32>) {
  %0 = stablehlo.slice %x [0:10, 0:6] : (tensor<10x6xf32>) -> tensor<10x6xf32>
  %1 = stablehlo.slice %x [1:10:2, 1:6:2] : (tensor<10x6xf32>) -> tensor<5x3xf32>
  %2 = stablehlo.slice %1 [1:5:3, 1:3] : (tensor<5x3xf32>) -> tensor<2x2xf32>
  %3 = stablehlo.slice %x [4:10, 0:6] : (tensor<10x6xf32>) -> tensor<6x6xf32>
  %4 = stablehlo.slice %3 [6:6, 0:6] : (tensor<6x6xf32>) -> tensor<0x6xf32>
  %5 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<6xf32>) -> tensor<10x6xf32>
  %6 = stablehlo.slice %5 [2:8:2, 3:5] : (tensor<10x6xf32>) -> tensor<3x2xf32>
  return %0, %2, %4, %6 : tensor<10x6xf32>, tensor<2x2xf32>, tensor<0x6xf32>, tensor<3x2xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<10x6xf32>, %arg1: tensor<6xf32>) -> (tensor<10x6xf32>, tensor<2x2xf32>, tensor<0x6xf32>, tensor<3x2xf32>) {
    %0 = stablehlo.slice %arg0 [3:10:6, 3:6:2] : (tensor<10x6xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.slice %arg0 [0:0, 0:6] : (tensor<10x6xf32>) -> tensor<0x6xf32>
    %2 = stablehlo.slice %arg1 [3:5] : (tensor<6xf32>) -> tensor<2xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
    return %arg0, %0, %1, %3 : tensor<10x6xf32>, tensor<2x2xf32>, tensor<0x6xf32>, tensor<3x2xf32>
  }
}
// -----
// PASS: canonicalize
func.func @main(%x: tensor<3x4xi32>, %y: tensor<2x4xi32>, %e: tensor<0x4xi32>) -> (tensor<3x4xi32>, tensor<5x4xi32>, tensor<8x4xi32>, tensor<3x4xi32>, tensor<1x2xi32>) {
  %0 = stablehlo.concatenate %x, dim = 0 : (tensor<3x4xi32>) -> tensor<3x4xi32>
  %1 = stablehlo.concatenate %x, %e, %y, dim = 0 : (tensor<3x4xi32>, tensor<0x4xi32>, tensor<2x4xi32>) -> tensor<5x4xi32>
  %2 = stablehlo.concatenate %1, %x, dim = 0 : (tensor<5x4xi32>, tensor<3x4xi32>) -> tensor<8x4xi32>
  %3 = stablehlo.slice %x [0:1, 0:4] : (tensor<3x4xi32>) -> tensor<1x4xi32>
  %4 = stablehlo.slice %x [1:3, 0:4] : (tensor<3x4xi32>) -> tensor<2x4xi32>
  %5 = stablehlo.concatenate %3, %4, dim = 0 : (tensor<1x4xi32>, tensor<2x4xi32>) -> tensor<3x4xi32>
  %6 = stablehlo.slice %2 [4:5, 1:3] : (tensor<8x4xi32>) -> tensor<1x2xi32>
  return %0, %1, %2, %5, %6 : tensor<3x4xi32>, tensor<5x4xi32>, tensor<8x4xi32>, tensor<3x4xi32>, tensor<1x2xi32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x4xi32>, %arg1: tensor<2x4xi32>, %arg2: tensor<0x4xi32>) -> (tensor<3x4xi32>, tensor<5x4xi32>, tensor<8x4xi32>, tensor<3x4xi32>, tensor<1x2xi32>) {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<3x4xi32>, tensor<2x4xi32>) -> tensor<5x4xi32>
    %1 = stablehlo.concatenate %arg0, %arg1, %arg0, dim = 0 : (tensor<3x4xi32>, tensor<2x4xi32>, tensor<3x4xi32>) -> tensor<8x4xi32>
    %2 = stablehlo.slice %arg1 [1:2, 1:3] : (tensor<2x4xi32>) -> tensor<1x2xi32>
    return %arg0, %0, %1, %arg0, %2 : tensor<3x4xi32>, tensor<5x4xi32>, tensor<8x4xi32>, tensor<3x4xi32>, tensor<1x2xi32>
  }
}
// -----
// PASS: canonicalize
func.func @main(%x: tensor<3x4xf32>, %e: tensor<0x4xf32>, %v: tensor<f32>) -> (tensor<3x4xf32>, tensor<2x2xf32>, tensor<2x4xf32>, tensor<5x4xf32>) {
  %0 = stablehlo.pad %x, %v, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %1 = stablehlo.pad %x, %v, low = [-1, 0], high = [0, -2], interior = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<2x2xf32>
  %2 = stablehlo.pad %e, %v, low = [1, 0], high = [1, 0], interior = [3, 0] : (tensor<0x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %3 = stablehlo.pad %x, %v, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<5x4xf32>
  return %0, %1, %2, %3 : tensor<3x4xf32>, tensor<2x2xf32>, tensor<2x4xf32>, tensor<5x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<0x4xf32>, %arg2: tensor<f32>) -> (tensor<3x4xf32>, tensor<2x2xf32>, tensor<2x4xf32>, tensor<5x4xf32>) {
    %0 = stablehlo.slice %arg0 [1:3, 0:2] : (tensor<3x4xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %2 = stablehlo.pad %arg0, %arg2, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<5x4xf32>
    return %arg0, %0, %1, %2 : tensor<3x4xf32>, tensor<2x2xf32>, tensor<2x4xf32>, tensor<5x4xf32>
  }
}
