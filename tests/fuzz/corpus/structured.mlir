func.func @main(%x: tensor<1x8x8x2xf32>, %w: tensor<3x3x2x4xf32>, %m: tensor<4x5xf32>, %s: tensor<2x1xi64>) -> tensor<f32> {
  %c = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], rhs_dilate = [1, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x4x6x4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x4x6x4xf32>, tensor<f32>) -> tensor<4xf32>
  %d = stablehlo.dot_general %r, %m, contracting_dims = [0] x [0], precision = [HIGHEST, DEFAULT] : (tensor<4xf32>, tensor<4x5xf32>) -> tensor<5xf32>
  %g = "stablehlo.gather"(%m, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<4x5xf32>, tensor<2x1xi64>) -> tensor<2x5xf32>
  %w2 = "stablehlo.reduce_window"(%g, %zero) <{window_dimensions = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x5xf32>
  %t = "stablehlo.sort"(%w2) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }) : (tensor<2x5xf32>) -> tensor<2x5xf32>
  %u = "stablehlo.scatter"(%m, %s, %t) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<2x1xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
  %f = stablehlo.fft %u, type = RFFT, length = [5] : (tensor<4x5xf32>) -> tensor<4x3xcomplex<f32>>
  %re = stablehlo.real %f : (tensor<4x3xcomplex<f32>>) -> tensor<4x3xf32>
  %sl = stablehlo.slice %re [0:4:2, 1:3] : (tensor<4x3xf32>) -> tensor<2x2xf32>
  %p = stablehlo.pad %sl, %zero, low = [1, -1], high = [0, 2], interior = [1, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<4x3xf32>
  %o = stablehlo.reduce(%p init: %zero) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>
  return %o : tensor<f32>
}
