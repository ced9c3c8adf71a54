// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: canonicalize
// A select between an array and an update of it is an update.
func.func @main(%x: tensor<9xf32>, %u: tensor<2xf32>, %i: tensor<i32>, %p: tensor<i1>) -> tensor<9xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<9xf32>, tensor<2xf32>, tensor<i32>) -> tensor<9xf32>
  %1 = stablehlo.select %p, %0, %x : tensor<i1>, tensor<9xf32>
  return %1 : tensor<9xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<9xf32>, %arg1: tensor<2xf32>, %arg2: tensor<i32>, %arg3: tensor<i1>) -> tensor<9xf32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg2, sizes = [2] : (tensor<9xf32>, tensor<i32>) -> tensor<2xf32>
    %1 = stablehlo.select %arg3, %arg1, %0 : tensor<i1>, tensor<2xf32>
    %2 = stablehlo.dynamic_update_slice %arg0, %1, %arg2 : (tensor<9xf32>, tensor<2xf32>, tensor<i32>) -> tensor<9xf32>
    return %2 : tensor<9xf32>
  }
}
// -----
// PASS: canonicalize
// In the other order, with a predicate that is broadcast.
func.func @main(%x: tensor<9x4xf32>, %u: tensor<2x4xf32>, %i: tensor<i32>, %p: tensor<i1>) -> tensor<9x4xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %c : (tensor<9x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<9x4xf32>
  %b = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<i1>) -> tensor<9x4xi1>
  %1 = stablehlo.select %b, %x, %0 : tensor<9x4xi1>, tensor<9x4xf32>
  return %1 : tensor<9x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<9x4xf32>, %arg1: tensor<2x4xf32>, %arg2: tensor<i32>, %arg3: tensor<i1>) -> tensor<9x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg2, %c, sizes = [2, 4] : (tensor<9x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
    %1 = stablehlo.select %arg3, %0, %arg1 : tensor<i1>, tensor<2x4xf32>
    %2 = stablehlo.dynamic_update_slice %arg0, %1, %arg2, %c : (tensor<9x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<9x4xf32>
    return %2 : tensor<9x4xf32>
  }
}
// -----
// PASS: canonicalize
// Through several updates.
func.func @main(%x: tensor<9xf32>, %u: tensor<2xf32>, %i: tensor<i32>, %j: tensor<i32>, %p: tensor<i1>) -> tensor<9xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<9xf32>, tensor<2xf32>, tensor<i32>) -> tensor<9xf32>
  %1 = stablehlo.dynamic_update_slice %0, %u, %j : (tensor<9xf32>, tensor<2xf32>, tensor<i32>) -> tensor<9xf32>
  %2 = stablehlo.select %p, %1, %x : tensor<i1>, tensor<9xf32>
  return %2 : tensor<9xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<9xf32>, %arg1: tensor<2xf32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i1>) -> tensor<9xf32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg2, sizes = [2] : (tensor<9xf32>, tensor<i32>) -> tensor<2xf32>
    %1 = stablehlo.select %arg4, %arg1, %0 : tensor<i1>, tensor<2xf32>
    %2 = stablehlo.dynamic_update_slice %arg0, %1, %arg2 : (tensor<9xf32>, tensor<2xf32>, tensor<i32>) -> tensor<9xf32>
    %3 = stablehlo.dynamic_slice %2, %arg3, sizes = [2] : (tensor<9xf32>, tensor<i32>) -> tensor<2xf32>
    %4 = stablehlo.select %arg4, %arg1, %3 : tensor<i1>, tensor<2xf32>
    %5 = stablehlo.dynamic_update_slice %2, %4, %arg3 : (tensor<9xf32>, tensor<2xf32>, tensor<i32>) -> tensor<9xf32>
    return %5 : tensor<9xf32>
  }
}
// -----
// PASS: canonicalize
// Scatters to nowhere instead.
func.func @main(%x: tensor<20xf32>, %u: tensor<3xf32>, %i: tensor<3x1xi32>, %p: tensor<i1>) -> (tensor<20xf32>, tensor<20xf32>) {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<20xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<20xf32>
  %1 = stablehlo.select %p, %0, %x : tensor<i1>, tensor<20xf32>
  %2 = "stablehlo.scatter"(%1, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<20xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<20xf32>
  %3 = stablehlo.select %p, %1, %2 : tensor<i1>, tensor<20xf32>
  return %1, %3 : tensor<20xf32>, tensor<20xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<20xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3x1xi32>, %arg3: tensor<i1>) -> (tensor<20xf32>, tensor<20xf32>) {
    %c = stablehlo.constant dense<-1073741824> : tensor<3x1xi32>
    %0 = stablehlo.select %arg3, %arg2, %c : tensor<i1>, tensor<3x1xi32>
    %1 = "stablehlo.scatter"(%arg0, %0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %4 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<20xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<20xf32>
    %c_0 = stablehlo.constant dense<-1073741824> : tensor<3x1xi32>
    %2 = stablehlo.select %arg3, %c_0, %arg2 : tensor<i1>, tensor<3x1xi32>
    %3 = "stablehlo.scatter"(%1, %2, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      stablehlo.return %arg5 : tensor<f32>
    }) : (tensor<20xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<20xf32>
    return %1, %3 : tensor<20xf32>, tensor<20xf32>
  }
}
// -----
// PASS: canonicalize
// Not with another array, a predicate for each element, or an update of most elements, nor where no index is out of bounds.
func.func @main(%x: tensor<9xf32>, %y: tensor<9xf32>, %u: tensor<2xf32>, %w: tensor<5xf32>, %i: tensor<i32>, %p: tensor<i1>, %q: tensor<9xi1>, %k: tensor<1x1xi8>, %v: tensor<1xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>) {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<9xf32>, tensor<2xf32>, tensor<i32>) -> tensor<9xf32>
  %1 = stablehlo.select %p, %0, %y : tensor<i1>, tensor<9xf32>
  %2 = stablehlo.select %q, %0, %x : tensor<9xi1>, tensor<9xf32>
  %3 = stablehlo.dynamic_update_slice %x, %w, %i : (tensor<9xf32>, tensor<5xf32>, tensor<i32>) -> tensor<9xf32>
  %4 = stablehlo.select %p, %3, %x : tensor<i1>, tensor<9xf32>
  %5 = "stablehlo.scatter"(%x, %k, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<9xf32>, tensor<1x1xi8>, tensor<1xf32>) -> tensor<9xf32>
  %6 = stablehlo.select %p, %5, %x : tensor<i1>, tensor<9xf32>
  return %1, %2, %4, %6, %0 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<9xf32>, %arg1: tensor<9xf32>, %arg2: tensor<2xf32>, %arg3: tensor<5xf32>, %arg4: tensor<i32>, %arg5: tensor<i1>, %arg6: tensor<9xi1>, %arg7: tensor<1x1xi8>, %arg8: tensor<1xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>) {
    %0 = stablehlo.dynamic_update_slice %arg0, %arg2, %arg4 : (tensor<9xf32>, tensor<2xf32>, tensor<i32>) -> tensor<9xf32>
    %1 = stablehlo.select %arg5, %0, %arg1 : tensor<i1>, tensor<9xf32>
    %2 = stablehlo.select %arg6, %0, %arg0 : tensor<9xi1>, tensor<9xf32>
    %3 = stablehlo.dynamic_update_slice %arg0, %arg3, %arg4 : (tensor<9xf32>, tensor<5xf32>, tensor<i32>) -> tensor<9xf32>
    %4 = stablehlo.select %arg5, %3, %arg0 : tensor<i1>, tensor<9xf32>
    %5 = "stablehlo.scatter"(%arg0, %arg7, %arg8) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      stablehlo.return %arg10 : tensor<f32>
    }) : (tensor<9xf32>, tensor<1x1xi8>, tensor<1xf32>) -> tensor<9xf32>
    %6 = stablehlo.select %arg5, %5, %arg0 : tensor<i1>, tensor<9xf32>
    return %1, %2, %4, %6, %0 : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
  }
}
// -----
// PASS: canonicalize
// INPUTS: none
// Nor with an update of unknown size.
func.func @main(%x: tensor<9xf32>, %u: tensor<?xf32>, %i: tensor<i32>, %p: tensor<i1>) -> tensor<9xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<9xf32>, tensor<?xf32>, tensor<i32>) -> tensor<9xf32>
  %1 = stablehlo.select %p, %0, %x : tensor<i1>, tensor<9xf32>
  return %1 : tensor<9xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<9xf32>, %arg1: tensor<?xf32>, %arg2: tensor<i32>, %arg3: tensor<i1>) -> tensor<9xf32> {
    %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2 : (tensor<9xf32>, tensor<?xf32>, tensor<i32>) -> tensor<9xf32>
    %1 = stablehlo.select %arg3, %0, %arg0 : tensor<i1>, tensor<9xf32>
    return %1 : tensor<9xf32>
  }
}
