// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: canonicalize
// Start indices are clamped; one that is clamped to 0 anyway need not be known.
func.func @main(%x: tensor<10x6xf32>, %u: tensor<2x3xf32>, %all: tensor<10x6xf32>, %none: tensor<0x3xf32>, %i: tensor<i32>, %j: tensor<i32>) -> (tensor<2x3xf32>, tensor<10x2xf32>, tensor<2x3xf32>, tensor<10x6xf32>, tensor<10x6xf32>, tensor<10x6xf32>) {
  %far = stablehlo.constant dense<100> : tensor<i32>
  %before = stablehlo.constant dense<-3> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %far, %before, sizes = [2, 3] : (tensor<10x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %1 = stablehlo.dynamic_slice %x, %i, %far, sizes = [10, 2] : (tensor<10x6xf32>, tensor<i32>, tensor<i32>) -> tensor<10x2xf32>
  %2 = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<10x6xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<10x6xf32>
  %3 = stablehlo.dynamic_slice %2, %i, %j, sizes = [2, 3] : (tensor<10x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %4 = stablehlo.dynamic_update_slice %x, %all, %i, %j : (tensor<10x6xf32>, tensor<10x6xf32>, tensor<i32>, tensor<i32>) -> tensor<10x6xf32>
  %5 = stablehlo.dynamic_update_slice %x, %none, %i, %j : (tensor<10x6xf32>, tensor<0x3xf32>, tensor<i32>, tensor<i32>) -> tensor<10x6xf32>
  %6 = stablehlo.negate %u : tensor<2x3xf32>
  %7 = stablehlo.dynamic_update_slice %2, %6, %i, %j : (tensor<10x6xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<10x6xf32>
  return %0, %1, %3, %4, %5, %7 : tensor<2x3xf32>, tensor<10x2xf32>, tensor<2x3xf32>, tensor<10x6xf32>, tensor<10x6xf32>, tensor<10x6xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<10x6xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<10x6xf32>, %arg3: tensor<0x3xf32>, %arg4: tensor<i32>, %arg5: tensor<i32>) -> (tensor<2x3xf32>, tensor<10x2xf32>, tensor<2x3xf32>, tensor<10x6xf32>, tensor<10x6xf32>, tensor<10x6xf32>) {
    %0 = stablehlo.slice %arg0 [8:10, 0:3] : (tensor<10x6xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.slice %arg0 [0:10, 4:6] : (tensor<10x6xf32>) -> tensor<10x2xf32>
    %2 = stablehlo.negate %arg1 : tensor<2x3xf32>
    %3 = stablehlo.dynamic_update_slice %arg0, %2, %arg4, %arg5 : (tensor<10x6xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<10x6xf32>
    return %0, %1, %arg1, %arg2, %arg0, %3 : tensor<2x3xf32>, tensor<10x2xf32>, tensor<2x3xf32>, tensor<10x6xf32>, tensor<10x6xf32>, tensor<10x6xf32>
  }
}
// -----
// PASS: canonicalize
func.func @main(%x: tensor<1x6xf32>, %y: tensor<4x1xf32>, %indices: tensor<0x1xi32>, %updates: tensor<0x6xf32>) -> (tensor<1x6xi32>, tensor<i32>, tensor<4x1xf32>, tensor<1x6xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<1x6xi32>
  %1 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<1x6xf32>) -> tensor<i32>
  %2 = "stablehlo.sort"(%y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %4 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  }) {dimension = 1 : i64} : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %3 = "stablehlo.scatter"(%x, %indices, %updates) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %4 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<1x6xf32>, tensor<0x1xi32>, tensor<0x6xf32>) -> tensor<1x6xf32>
  return %0, %1, %2, %3 : tensor<1x6xi32>, tensor<i32>, tensor<4x1xf32>, tensor<1x6xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<1x6xf32>, %arg1: tensor<4x1xf32>, %arg2: tensor<0x1xi32>, %arg3: tensor<0x6xf32>) -> (tensor<1x6xi32>, tensor<i32>, tensor<4x1xf32>, tensor<1x6xf32>) {
    %c = stablehlo.constant dense<0> : tensor<1x6xi32>
    %c_0 = stablehlo.constant dense<6> : tensor<i32>
    return %c, %c_0, %arg1, %arg0 : tensor<1x6xi32>, tensor<i32>, tensor<4x1xf32>, tensor<1x6xf32>
  }
}
