// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: canonicalize
func.func @main(%x: tensor<3xf32>, %y: tensor<2xi32>, %t: tuple<tensor<3xf32>, tensor<2xi32>>, %token: !stablehlo.token) -> (tensor<3xf32>, tuple<tensor<3xf32>, tensor<2xi32>>, !stablehlo.token) {
  %0 = stablehlo.tuple %x, %y : tuple<tensor<3xf32>, tensor<2xi32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<3xf32>, tensor<2xi32>>) -> tensor<3xf32>
  %2 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<3xf32>, tensor<2xi32>>) -> tensor<3xf32>
  %3 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<3xf32>, tensor<2xi32>>) -> tensor<2xi32>
  %4 = stablehlo.tuple %2, %3 : tuple<tensor<3xf32>, tensor<2xi32>>
  %5 = stablehlo.after_all %token : !stablehlo.token
  return %1, %4, %5 : tensor<3xf32>, tuple<tensor<3xf32>, tensor<2xi32>>, !stablehlo.token
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<2xi32>, %arg2: tuple<tensor<3xf32>, tensor<2xi32>>, %arg3: !stablehlo.token) -> (tensor<3xf32>, tuple<tensor<3xf32>, tensor<2xi32>>, !stablehlo.token) {
    return %arg0, %arg2, %arg3 : tensor<3xf32>, tuple<tensor<3xf32>, tensor<2xi32>>, !stablehlo.token
  }
}
// -----
// PASS: canonicalize
// A result that both branches take from outside.
func.func @main(%p: tensor<i1>, %x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0:2 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %x : tensor<3xf32>
    stablehlo.return %x, %1 : tensor<3xf32>, tensor<3xf32>
  }, {
    %1 = stablehlo.abs %x : tensor<3xf32>
    stablehlo.return %x, %1 : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<i1>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %0:2 = "stablehlo.if"(%arg0) ({
      %1 = stablehlo.negate %arg1 : tensor<3xf32>
      stablehlo.return %arg1, %1 : tensor<3xf32>, tensor<3xf32>
    }, {
      %1 = stablehlo.abs %arg1 : tensor<3xf32>
      stablehlo.return %arg1, %1 : tensor<3xf32>, tensor<3xf32>
    }) : (tensor<i1>) -> (tensor<3xf32>, tensor<3xf32>)
    return %arg1, %0#1 : tensor<3xf32>, tensor<3xf32>
  }
}
// -----
// PASS: canonicalize
func.func @main(%x: tensor<3x4xf32>, %v: tensor<f32>) -> (tensor<12xf32>, tensor<2x3x4xf32>, tensor<2x2xf32>, tensor<4x4xf32>, tensor<5xi32>) {
  %shape = stablehlo.constant dense<12> : tensor<1xi32>
  %shape3 = stablehlo.constant dense<[2, 3, 4]> : tensor<3xi32>
  %start = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %limit = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
  %strides = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %zeros = stablehlo.constant dense<0> : tensor<2xi32>
  %low = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %count = stablehlo.constant dense<5> : tensor<1xi32>
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<3x4xf32>, tensor<1xi32>) -> tensor<12xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %x, %shape3, dims = [1, 2] : (tensor<3x4xf32>, tensor<3xi32>) -> tensor<2x3x4xf32>
  %2 = stablehlo.real_dynamic_slice %x, %start, %limit, %strides : (tensor<3x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x2xf32>
  %3 = stablehlo.dynamic_pad %x, %v, %low, %zeros, %zeros : (tensor<3x4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x4xf32>
  %4 = stablehlo.dynamic_iota %count, dim = 0 : (tensor<1xi32>) -> tensor<5xi32>
  return %0, %1, %2, %3, %4 : tensor<12xf32>, tensor<2x3x4xf32>, tensor<2x2xf32>, tensor<4x4xf32>, tensor<5xi32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<f32>) -> (tensor<12xf32>, tensor<2x3x4xf32>, tensor<2x2xf32>, tensor<4x4xf32>, tensor<5xi32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<3x4xf32>) -> tensor<12xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
    %2 = stablehlo.slice %arg0 [0:2, 1:4:2] : (tensor<3x4xf32>) -> tensor<2x2xf32>
    %3 = stablehlo.pad %arg0, %arg1, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %4 = stablehlo.iota dim = 0 : tensor<5xi32>
    return %0, %1, %2, %3, %4 : tensor<12xf32>, tensor<2x3x4xf32>, tensor<2x2xf32>, tensor<4x4xf32>, tensor<5xi32>
  }
}
// -----
// PASS: canonicalize
func.func @main(%x: tensor<7x2xf32>, %indices: tensor<3xi32>) -> tensor<3x2xf32> {
  %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %indices, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<7x2xf32>, tensor<3xi32>, tensor<2xi32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<7x2xf32>, %arg1: tensor<3xi32>) -> tensor<3x2xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> : (tensor<7x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}
// -----
// PASS: canonicalize
func.func @main(%x: tensor<3x4xf32>, %y: tensor<4xf32>, %z: tensor<3x1xf32>, %p: tensor<i1>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<3x4xi1>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = stablehlo.broadcast %x, sizes = [2] : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %1 = stablehlo.dot %x, %y, precision = [HIGHEST, DEFAULT] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
  %2 = chlo.broadcast_add %x, %y : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %3 = chlo.broadcast_compare %z, %x {comparison_direction = #chlo<comparison_direction GT>} : (tensor<3x1xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
  %4 = chlo.broadcast_power %z, %y : (tensor<3x1xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %5 = chlo.broadcast_select %p, %x, %y : (tensor<i1>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %6 = "chlo.constant_like"(%x) {value = 2.5 : f32} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<3x4xi1>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<3x1xf32>, %arg3: tensor<i1>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<3x4xi1>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
    %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
    %3 = stablehlo.add %arg0, %2 : tensor<3x4xf32>
    %4 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x4xf32>
    %5 = stablehlo.compare GT, %4, %arg0 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %6 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x4xf32>
    %7 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
    %8 = stablehlo.power %6, %7 : tensor<3x4xf32>
    %9 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
    %10 = stablehlo.select %arg3, %arg0, %9 : tensor<i1>, tensor<3x4xf32>
    %cst = stablehlo.constant dense<2.500000e+00> : tensor<3x4xf32>
    return %0, %1, %3, %5, %8, %10, %cst : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<3x4xi1>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
  }
}
// -----
// PASS: canonicalize
// INPUTS: none
// Element types that StableHLO's operation of the name does not take: nothing is renamed.
func.func @main(%x: tensor<2x3xf6E2M3FN>, %y: tensor<3xf6E2M3FN>, %i: tensor<3xi32>, %q: tensor<3x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3xi1>, %n: tensor<1xi32>) -> (tensor<2x3xf6E2M3FN>, tensor<3xi32>, tensor<3xi32>, tensor<3x!quant.uniform<i8:f32, 1.0>>, tensor<3xi1>, tensor<3xi1>) {
  %0 = chlo.broadcast_shift_left %x, %y : (tensor<2x3xf6E2M3FN>, tensor<3xf6E2M3FN>) -> tensor<2x3xf6E2M3FN>
  %1 = chlo.broadcast_next_after %i, %i : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %2 = chlo.broadcast_polygamma %i, %i : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %3 = chlo.broadcast_remainder %q, %q : (tensor<3x!quant.uniform<i8:f32, 1.0>>, tensor<3x!quant.uniform<i8:f32, 1.0>>) -> tensor<3x!quant.uniform<i8:f32, 1.0>>
  %4 = chlo.broadcast_power %b, %b : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  %5 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<3xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<2x3xf6E2M3FN>, tensor<3xi32>, tensor<3xi32>, tensor<3x!quant.uniform<i8:f32, 1.0>>, tensor<3xi1>, tensor<3xi1>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<2x3xf6E2M3FN>, %arg1: tensor<3xf6E2M3FN>, %arg2: tensor<3xi32>, %arg3: tensor<3x!quant.uniform<i8:f32, 1.000000e+00>>, %arg4: tensor<3xi1>, %arg5: tensor<1xi32>) -> (tensor<2x3xf6E2M3FN>, tensor<3xi32>, tensor<3xi32>, tensor<3x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<3xi1>, tensor<3xi1>) {
    %0 = chlo.broadcast_shift_left %arg0, %arg1 : (tensor<2x3xf6E2M3FN>, tensor<3xf6E2M3FN>) -> tensor<2x3xf6E2M3FN>
    %1 = chlo.broadcast_next_after %arg2, %arg2 : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %2 = chlo.broadcast_polygamma %arg2, %arg2 : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %3 = chlo.broadcast_remainder %arg3, %arg3 : (tensor<3x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<3x!quant.uniform<i8:f32, 1.000000e+00>>) -> tensor<3x!quant.uniform<i8:f32, 1.000000e+00>>
    %4 = chlo.broadcast_power %arg4, %arg4 : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
    %5 = stablehlo.dynamic_iota %arg5, dim = 0 : (tensor<1xi32>) -> tensor<3xi1>
    return %0, %1, %2, %3, %4, %5 : tensor<2x3xf6E2M3FN>, tensor<3xi32>, tensor<3xi32>, tensor<3x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<3xi1>, tensor<3xi1>
  }
}
// -----
// PASS: canonicalize
func.func @main(%x: tensor<15xf32>) -> tensor<15xf32> {
  %0 = chlo.tan %x : tensor<15xf32> -> tensor<15xf32>
  return %0 : tensor<15xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xf32>) -> tensor<15xf32> {
    %0 = stablehlo.tan %arg0 : tensor<15xf32>
    return %0 : tensor<15xf32>
  }
}
