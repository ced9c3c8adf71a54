// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: whole-scatter-windows
// INPUTS: none
// What lies outside means something else afterwards. Windows of two along one of two dimensions that indices are for, and of one along the other.
func.func @main(%x: tensor<10x5xf32>, %i: tensor<3x2xi32>, %y: tensor<3x2xf32>) -> tensor<10x5xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %y) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %m = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>} : (tensor<10x5xf32>, tensor<3x2xi32>, tensor<3x2xf32>) -> tensor<10x5xf32>
  return %0 : tensor<10x5xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<10x5xf32>, %arg1: tensor<3x2xi32>, %arg2: tensor<3x2xf32>) -> tensor<10x5xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<3x2xi32>) -> tensor<3x2xi64>
    %1 = stablehlo.slice %0 [0:3, 1:2] : (tensor<3x2xi64>) -> tensor<3x1xi64>
    %c = stablehlo.constant dense<0> : tensor<3x1xi64>
    %2 = stablehlo.compare GE, %1, %c : (tensor<3x1xi64>, tensor<3x1xi64>) -> tensor<3x1xi1>
    %c_0 = stablehlo.constant dense<9> : tensor<3x1xi64>
    %3 = stablehlo.compare LT, %1, %c_0 : (tensor<3x1xi64>, tensor<3x1xi64>) -> tensor<3x1xi1>
    %4 = stablehlo.and %2, %3 : tensor<3x1xi1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x1xi1>) -> tensor<3x2xi1>
    %c_1 = stablehlo.constant dense<-9223372036854775808> : tensor<3x2xi64>
    %6 = stablehlo.select %5, %0, %c_1 : tensor<3x2xi1>, tensor<3x2xi64>
    %7 = "stablehlo.scatter"(%arg0, %6, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %8 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }) : (tensor<10x5xf32>, tensor<3x2xi64>, tensor<3x2xf32>) -> tensor<10x5xf32>
    return %7 : tensor<10x5xf32>
  }
}
// -----
// PASS: whole-scatter-windows
// INPUTS: none
// Each index is a scalar, in 64 bits already.
func.func @main(%x: tensor<10xf32>, %i: tensor<3xi64>, %y: tensor<3x2xf32>) -> tensor<10xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %y) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %q : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<10xf32>, tensor<3xi64>, tensor<3x2xf32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<10xf32>, %arg1: tensor<3xi64>, %arg2: tensor<3x2xf32>) -> tensor<10xf32> {
    %c = stablehlo.constant dense<0> : tensor<3xi64>
    %0 = stablehlo.compare GE, %arg1, %c : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<9> : tensor<3xi64>
    %1 = stablehlo.compare LT, %arg1, %c_0 : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %2 = stablehlo.and %0, %1 : tensor<3xi1>
    %c_1 = stablehlo.constant dense<-9223372036854775808> : tensor<3xi64>
    %3 = stablehlo.select %2, %arg1, %c_1 : tensor<3xi1>, tensor<3xi64>
    %4 = "stablehlo.scatter"(%arg0, %3, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<10xf32>, tensor<3xi64>, tensor<3x2xf32>) -> tensor<10xf32>
    return %4 : tensor<10xf32>
  }
}
// -----
// PASS: whole-scatter-windows
// INPUTS: none
// Windows are one element long along what indices are for: none lies outside in part.
func.func @main(%x: tensor<10x5xf32>, %i: tensor<3x1xi32>, %y: tensor<3x5xf32>) -> tensor<10x5xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %y) ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %q : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<10x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<10x5xf32>
  return %0 : tensor<10x5xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<10x5xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x5xf32>) -> tensor<10x5xf32> {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<10x5xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<10x5xf32>
    return %0 : tensor<10x5xf32>
  }
}
