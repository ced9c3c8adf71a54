// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: fold
func.func @main() -> (tensor<3xf32>, tensor<2x1024xf32>, tensor<i1>, tensor<4xi32>, tensor<3xi8>) {
  %a = stablehlo.constant dense<[1.0, -2.5, 0x7FC00000]> : tensor<3xf32>
  %b = stablehlo.constant dense<[0.5, 2.0, 1.0]> : tensor<3xf32>
  %c = stablehlo.constant dense<3.0> : tensor<2x1024xf32>
  %d = stablehlo.constant dense<2.0> : tensor<f32>
  %i = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %j = stablehlo.constant dense<[100, -128, 7]> : tensor<3xi8>
  %0 = stablehlo.add %a, %b : tensor<3xf32>
  %1 = stablehlo.broadcast_in_dim %d, dims = [] : (tensor<f32>) -> tensor<2x1024xf32>
  %2 = stablehlo.power %c, %1 : tensor<2x1024xf32>
  %3 = stablehlo.compare LT, %d, %d : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %4 = stablehlo.concatenate %i, %i, dim = 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  %5 = stablehlo.multiply %j, %j : tensor<3xi8>
  return %0, %2, %3, %4, %5 : tensor<3xf32>, tensor<2x1024xf32>, tensor<i1>, tensor<4xi32>, tensor<3xi8>
}
// GIVES:
module {
  func.func @main() -> (tensor<3xf32>, tensor<2x1024xf32>, tensor<i1>, tensor<4xi32>, tensor<3xi8>) {
    %cst = stablehlo.constant dense<[1.000000e+00, -2.500000e+00, 0x7FC00000]> : tensor<3xf32>
    %cst_0 = stablehlo.constant dense<[5.000000e-01, 2.000000e+00, 1.000000e+00]> : tensor<3xf32>
    %cst_1 = stablehlo.constant dense<3.000000e+00> : tensor<2x1024xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %c_3 = stablehlo.constant dense<[100, -128, 7]> : tensor<3xi8>
    %cst_4 = stablehlo.constant dense<[1.500000e+00, -5.000000e-01, 0x7FC00000]> : tensor<3xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<2x1024xf32>
    %cst_6 = stablehlo.constant dense<9.000000e+00> : tensor<2x1024xf32>
    %c_7 = stablehlo.constant dense<false> : tensor<i1>
    %c_8 = stablehlo.constant dense<[1, 2, 1, 2]> : tensor<4xi32>
    %c_9 = stablehlo.constant dense<[16, 0, 49]> : tensor<3xi8>
    return %cst_4, %cst_6, %c_7, %c_8, %c_9 : tensor<3xf32>, tensor<2x1024xf32>, tensor<i1>, tensor<4xi32>, tensor<3xi8>
  }
}
// -----
// PASS: fold
// What moves elements of a splat gives a splat, whatever the indices are; a reshape
// shares the bytes.
func.func @main(%i: tensor<i32>, %p: tensor<8xi1>) -> (tensor<2xf32>, tensor<8xf32>, tensor<2x2xi32>, tensor<10xf32>, tensor<0xf32>) {
  %c = stablehlo.constant dense<7.0> : tensor<8xf32>
  %d = stablehlo.constant dense<7.0> : tensor<f32>
  %e = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0 = stablehlo.dynamic_slice %c, %i, sizes = [2] : (tensor<8xf32>, tensor<i32>) -> tensor<2xf32>
  %1 = stablehlo.select %p, %c, %c : tensor<8xi1>, tensor<8xf32>
  %2 = stablehlo.reshape %e : (tensor<4xi32>) -> tensor<2x2xi32>
  %3 = stablehlo.pad %c, %d, low = [1], high = [1], interior = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<10xf32>
  %4 = stablehlo.slice %c [3:3] : (tensor<8xf32>) -> tensor<0xf32>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<8xf32>, tensor<2x2xi32>, tensor<10xf32>, tensor<0xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<8xi1>) -> (tensor<2xf32>, tensor<8xf32>, tensor<2x2xi32>, tensor<10xf32>, tensor<0xf32>) {
    %cst = stablehlo.constant dense<7.000000e+00> : tensor<8xf32>
    %cst_0 = stablehlo.constant dense<7.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %cst_1 = stablehlo.constant dense<7.000000e+00> : tensor<2xf32>
    %cst_2 = stablehlo.constant dense<7.000000e+00> : tensor<8xf32>
    %c_3 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
    %cst_4 = stablehlo.constant dense<7.000000e+00> : tensor<10xf32>
    %cst_5 = stablehlo.constant dense<> : tensor<0xf32>
    return %cst_1, %cst_2, %c_3, %cst_4, %cst_5 : tensor<2xf32>, tensor<8xf32>, tensor<2x2xi32>, tensor<10xf32>, tensor<0xf32>
  }
}
// -----
// PASS: fold
// Not what would make the program larger: a counted range, a constant repeated; nor
// what depends on a random number.
func.func @main() -> (tensor<100xi32>, tensor<100x3xf32>, tensor<3x3xf32>) {
  %c = stablehlo.constant dense<2> : tensor<100xi32>
  %d = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = stablehlo.iota dim = 0 : tensor<100xi32>
  %1 = stablehlo.multiply %0, %c : tensor<100xi32>
  %2 = stablehlo.broadcast_in_dim %d, dims = [1] : (tensor<3xf32>) -> tensor<100x3xf32>
  %3 = stablehlo.broadcast_in_dim %d, dims = [1] : (tensor<3xf32>) -> tensor<3x3xf32>
  return %1, %2, %3 : tensor<100xi32>, tensor<100x3xf32>, tensor<3x3xf32>
}
// GIVES:
module {
  func.func @main() -> (tensor<100xi32>, tensor<100x3xf32>, tensor<3x3xf32>) {
    %c = stablehlo.constant dense<2> : tensor<100xi32>
    %cst = stablehlo.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
    %0 = stablehlo.iota dim = 0 : tensor<100xi32>
    %1 = stablehlo.multiply %0, %c : tensor<100xi32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [1] : (tensor<3xf32>) -> tensor<100x3xf32>
    %cst_0 = stablehlo.constant dense<[[1.000000e+00, 2.000000e+00, 3.000000e+00], [1.000000e+00, 2.000000e+00, 3.000000e+00], [1.000000e+00, 2.000000e+00, 3.000000e+00]]> : tensor<3x3xf32>
    return %1, %2, %cst_0 : tensor<100xi32>, tensor<100x3xf32>, tensor<3x3xf32>
  }
}
// -----
// PASS: fold
func.func @main() -> (tensor<2x2xf32>, tensor<i32>, tensor<2xf32>) {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.constant dense<[5, 6, 7]> : tensor<3xi32>
  %n = stablehlo.constant dense<[1]> : tensor<1xi32>
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.reduce(%i init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
  %2 = "stablehlo.gather"(%a, %n) {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 2>} : (tensor<2x2xf32>, tensor<1xi32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<i32>, tensor<2xf32>
}
// GIVES:
module {
  func.func @main() -> (tensor<2x2xf32>, tensor<i32>, tensor<2xf32>) {
    %cst = stablehlo.constant dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<[5, 6, 7]> : tensor<3xi32>
    %c_1 = stablehlo.constant dense<1> : tensor<1xi32>
    %cst_2 = stablehlo.constant dense<[[7.000000e+00, 1.000000e+01], [1.500000e+01, 2.200000e+01]]> : tensor<2x2xf32>
    %c_3 = stablehlo.constant dense<7> : tensor<i32>
    %cst_4 = stablehlo.constant dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf32>
    return %cst_2, %c_3, %cst_4 : tensor<2x2xf32>, tensor<i32>, tensor<2xf32>
  }
}
// -----
// PASS: fold
// Branches that are known: beyond the last one the last; a loop that does not begin.
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %0 = "stablehlo.if"(%true) ({
    %3 = stablehlo.negate %x : tensor<3xf32>
    stablehlo.return %3 : tensor<3xf32>
  }, {
    stablehlo.return %x : tensor<3xf32>
  }) : (tensor<i1>) -> tensor<3xf32>
  %1 = "stablehlo.case"(%seven) ({
    stablehlo.return %x : tensor<3xf32>
  }, {
    %3 = stablehlo.abs %0 : tensor<3xf32>
    stablehlo.return %3 : tensor<3xf32>
  }) : (tensor<i32>) -> tensor<3xf32>
  %2:2 = stablehlo.while(%i = %seven, %v = %x) : tensor<i32>, tensor<3xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.multiply %n, %n : tensor<i32>
    %4 = stablehlo.compare GT, %i, %3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %3 = stablehlo.exponential %v : tensor<3xf32>
    stablehlo.return %i, %3 : tensor<i32>, tensor<3xf32>
  }
  return %0, %1, %2#1 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %c = stablehlo.constant dense<true> : tensor<i1>
    %c_0 = stablehlo.constant dense<7> : tensor<i32>
    %0 = stablehlo.negate %arg0 : tensor<3xf32>
    %1 = stablehlo.abs %0 : tensor<3xf32>
    return %0, %1, %arg0 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}
// -----
// PASS: fold
// Shapes are tensors of index, which a constant of StableHLO cannot be.
func.func @main(%a: tensor<i8>) -> (tensor<0xindex>, tensor<2xindex>) {
  %0 = shape.shape_of %a : tensor<i8> -> tensor<0xindex>
  %1 = shape.const_shape [2, 3] : tensor<2xindex>
  %2 = shape.broadcast %1, %1 : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
  return %0, %2 : tensor<0xindex>, tensor<2xindex>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<i8>) -> (tensor<0xindex>, tensor<2xindex>) {
    %0 = shape.shape_of %arg0 : tensor<i8> -> tensor<0xindex>
    %1 = shape.const_shape [2, 3] : tensor<2xindex>
    %2 = shape.broadcast %1, %1 : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
    return %0, %2 : tensor<0xindex>, tensor<2xindex>
  }
}
