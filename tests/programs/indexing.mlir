// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Slices and elements at places that are values.

func.func @slices() {
  %x = stablehlo.constant dense<[10, 11, 12, 13, 14]> : tensor<5xi32>
  %new = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %nine = stablehlo.constant dense<9> : tensor<i32>
  %inside = stablehlo.dynamic_slice %x, %one, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>
  // A start that is too far is moved back until the slice fits.
  %moved = stablehlo.dynamic_slice %x, %nine, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>
  %updated = stablehlo.dynamic_update_slice %x, %new, %nine : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
  check.expect_eq_const %inside, dense<[11, 12]> : tensor<2xi32>
  check.expect_eq_const %moved, dense<[13, 14]> : tensor<2xi32>
  check.expect_eq_const %updated, dense<[10, 11, 12, 1, 2]> : tensor<5xi32>
  func.return
}

// -----

func.func @gather() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %rows = stablehlo.constant dense<[[2], [0], [2]]> : tensor<3x1xi32>
  %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "stablehlo.gather"(%x, %rows) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 2>
  } : (tensor<3x2xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
  %1 = "stablehlo.dynamic_gather"(%x, %rows, %sizes) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>
  } : (tensor<3x2xi32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %0, dense<[[5, 6], [1, 2], [5, 6]]> : tensor<3x2xi32>
  check.expect_eq %1, %0 : tensor<3x2xi32>
  func.return
}

// -----

func.func @torch_index_select() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %index = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %0 = "stablehlo.torch_index_select"(%x, %index) {dim = 1 : i64, batch_dims = 0 : i64} : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[3, 1], [6, 4]]> : tensor<2x2xi32>
  func.return
}

// -----

func.func @scatter() {
  // Two updates of one row add up; the one beyond the end is left out.
  %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %rows = stablehlo.constant dense<[[1], [1], [3]]> : tensor<3x1xi32>
  %updates = stablehlo.constant dense<[[10, 20], [100, 200], [7, 7]]> : tensor<3x2xi32>
  %0 = "stablehlo.scatter"(%x, %rows, %updates) ({
  ^bb0(%old: tensor<i32>, %new: tensor<i32>):
    %sum = stablehlo.add %old, %new : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  } : (tensor<3x2xi32>, tensor<3x1xi32>, tensor<3x2xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %0, dense<[[1, 2], [113, 224], [5, 6]]> : tensor<3x2xi32>
  func.return
}

// -----

func.func @select_and_scatter() {
  // The gradient of max pooling by windows of two: each source goes to its window's largest element.
  %x = stablehlo.constant dense<[1, 4, 9, 2, 3, 3]> : tensor<6xi32>
  %source = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%x, %source, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) {
    window_dimensions = array<i64: 2>, window_strides = array<i64: 2>
  } : (tensor<6xi32>, tensor<3xi32>, tensor<i32>) -> tensor<6xi32>
  check.expect_eq_const %0, dense<[0, 10, 20, 0, 30, 0]> : tensor<6xi32>
  func.return
}
