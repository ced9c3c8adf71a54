// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Programs that run for hours, for years, or, where they need memory, for a moment; see test-cancel.c.

// -----

// window add of f32
func.func @main(%x: tensor<4xf32>) -> tensor<1xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1099511627776>, padding = dense<[[1099511627772, 0]]> : tensor<1x2xi64>}
    : (tensor<4xf32>, tensor<f32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// window maximum of f32
func.func @main(%x: tensor<4xf32>) -> tensor<1xf32> {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1099511627776>, padding = dense<[[1099511627772, 0]]> : tensor<1x2xi64>}
    : (tensor<4xf32>, tensor<f32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// window add of i8
func.func @main(%x: tensor<4xi8>) -> tensor<1xi8> {
  %z = stablehlo.constant dense<0> : tensor<i8>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %s = stablehlo.add %a, %b : tensor<i8>
    stablehlo.return %s : tensor<i8>
  }) {window_dimensions = array<i64: 1099511627776>, padding = dense<[[1099511627772, 0]]> : tensor<1x2xi64>}
    : (tensor<4xi8>, tensor<i8>) -> tensor<1xi8>
  return %0 : tensor<1xi8>
}

// -----

// window add of bf16
func.func @main(%x: tensor<4xbf16>) -> tensor<1xbf16> {
  %z = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) {window_dimensions = array<i64: 1099511627776>, padding = dense<[[1099511627772, 0]]> : tensor<1x2xi64>}
    : (tensor<4xbf16>, tensor<bf16>) -> tensor<1xbf16>
  return %0 : tensor<1xbf16>
}

// -----

// window add of complex<f32>
func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<1xcomplex<f32>> {
  %z = stablehlo.constant dense<(0.0,0.0)> : tensor<complex<f32>>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %s = stablehlo.add %a, %b : tensor<complex<f32>>
    stablehlo.return %s : tensor<complex<f32>>
  }) {window_dimensions = array<i64: 1099511627776>, padding = dense<[[1099511627772, 0]]> : tensor<1x2xi64>}
    : (tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<1xcomplex<f32>>
  return %0 : tensor<1xcomplex<f32>>
}

// -----

// window or of i1
func.func @main(%x: tensor<4xi1>) -> tensor<1xi1> {
  %z = stablehlo.constant dense<false> : tensor<i1>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.or %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {window_dimensions = array<i64: 1099511627776>, padding = dense<[[1099511627772, 0]]> : tensor<1x2xi64>}
    : (tensor<4xi1>, tensor<i1>) -> tensor<1xi1>
  return %0 : tensor<1xi1>
}

// -----

// window maximum of f8E4M3FN
func.func @main(%x: tensor<4xf8E4M3FN>) -> tensor<1xf8E4M3FN> {
  %z = stablehlo.constant dense<0.0> : tensor<f8E4M3FN>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f8E4M3FN>, %b: tensor<f8E4M3FN>):
    %s = stablehlo.maximum %a, %b : tensor<f8E4M3FN>
    stablehlo.return %s : tensor<f8E4M3FN>
  }) {window_dimensions = array<i64: 1099511627776>, padding = dense<[[1099511627772, 0]]> : tensor<1x2xi64>}
    : (tensor<4xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<1xf8E4M3FN>
  return %0 : tensor<1xf8E4M3FN>
}

// -----

// window of other order
func.func @main(%x: tensor<4xf32>) -> tensor<1xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.multiply %a, %a : tensor<f32>
    %s = stablehlo.add %c, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1099511627776>, padding = dense<[[1099511627772, 0]]> : tensor<1x2xi64>}
    : (tensor<4xf32>, tensor<f32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// window of two dimensions
func.func @main(%x: tensor<4x4xf32>) -> tensor<1x1xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1048576, 1048576>, padding = dense<[[1048572, 0], [0, 1048572]]> : tensor<2x2xi64>}
    : (tensor<4x4xf32>, tensor<f32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// -----

// window, many
func.func @main(%x: tensor<65536xf32>) -> tensor<65536xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 16777216>, padding = dense<[[16777215, 0]]> : tensor<1x2xi64>}
    : (tensor<65536xf32>, tensor<f32>) -> tensor<65536xf32>
  return %0 : tensor<65536xf32>
}

// -----

// window with dilations
func.func @main(%x: tensor<4xf32>) -> tensor<1xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 274877906944>, base_dilations = array<i64: 1099511627776>, window_dilations = array<i64: 12>, padding = dense<[[0, 0]]> : tensor<1x2xi64>, window_strides = array<i64: 1099511627776>}
    : (tensor<4xf32>, tensor<f32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// cumulative window
func.func @main(%x: tensor<4xf32>) -> tensor<1xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<274877906944x4xf32>
  %c = "stablehlo.reduce_window"(%y, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 274877906944, 1>, padding = dense<[[274877906943, 0], [0, 0]]> : tensor<2x2xi64>}
    : (tensor<274877906944x4xf32>, tensor<f32>) -> tensor<274877906944x4xf32>
  %s = stablehlo.slice %c [274877906943:274877906944, 0:1] : (tensor<274877906944x4xf32>) -> tensor<1x1xf32>
  %r = stablehlo.reshape %s : (tensor<1x1xf32>) -> tensor<1xf32>
  return %r : tensor<1xf32>
}

// -----

// window argmax
func.func @main(%x: tensor<4xf32>) -> tensor<1xi64> {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %n = stablehlo.constant dense<0> : tensor<i64>
  %i = stablehlo.iota dim = 0 : tensor<4xi64>
  %0:2 = "stablehlo.reduce_window"(%x, %i, %z, %n) ({
  ^bb0(%a: tensor<f32>, %k: tensor<i64>, %b: tensor<f32>, %l: tensor<i64>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
    %t = stablehlo.select %p, %k, %l : tensor<i1>, tensor<i64>
    stablehlo.return %s, %t : tensor<f32>, tensor<i64>
  }) {window_dimensions = array<i64: 1099511627776>, padding = dense<[[1099511627772, 0]]> : tensor<1x2xi64>}
    : (tensor<4xf32>, tensor<4xi64>, tensor<f32>, tensor<i64>) -> (tensor<1xf32>, tensor<1xi64>)
  return %0#1 : tensor<1xi64>
}

// -----

// reduction add of f32
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0]
    : (tensor<1099511627776xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// reduction multiply of f32
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %y = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.multiply across dimensions = [0]
    : (tensor<1099511627776xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// reduction add of i8
func.func @main(%x: tensor<i8>) -> tensor<i8> {
  %z = stablehlo.constant dense<0> : tensor<i8>
  %y = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<i8>) -> tensor<1099511627776xi8>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0]
    : (tensor<1099511627776xi8>, tensor<i8>) -> tensor<i8>
  return %0 : tensor<i8>
}

// -----

// reduction add of bf16
func.func @main(%x: tensor<bf16>) -> tensor<bf16> {
  %z = stablehlo.constant dense<0.0> : tensor<bf16>
  %y = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<bf16>) -> tensor<1099511627776xbf16>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0]
    : (tensor<1099511627776xbf16>, tensor<bf16>) -> tensor<bf16>
  return %0 : tensor<bf16>
}

// -----

// reduction add of complex<f32>
func.func @main(%x: tensor<complex<f32>>) -> tensor<complex<f32>> {
  %z = stablehlo.constant dense<(0.0,0.0)> : tensor<complex<f32>>
  %y = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<complex<f32>>) -> tensor<1099511627776xcomplex<f32>>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0]
    : (tensor<1099511627776xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  return %0 : tensor<complex<f32>>
}

// -----

// reduction of rows
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xf32>) -> tensor<4x1099511627776xf32>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<4x1099511627776xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// reduction of columns
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<1099511627776x4xf32>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0]
    : (tensor<1099511627776x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// reduction of outer and inner
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %y = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<1048576x4x1048576xf32>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.multiply across dimensions = [0, 2]
    : (tensor<1048576x4x1048576xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// reduction, ordered of rows
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %z = stablehlo.constant dense<1> : tensor<i32>
  %y = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xi32>) -> tensor<4x1099511627776xi32>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.multiply across dimensions = [1]
    : (tensor<4x1099511627776xi32>, tensor<i32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// reduction of a map of f64
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %i = stablehlo.iota dim = 0 : tensor<1099511627776xf64>
  %k = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f64>) -> tensor<1099511627776xf64>
  %m = stablehlo.multiply %i, %k : tensor<1099511627776xf64>
  %y = chlo.lgamma %m : tensor<1099511627776xf64> -> tensor<1099511627776xf64>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0]
    : (tensor<1099511627776xf64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// reduction of divisions
func.func @main(%x: tensor<i64>) -> tensor<i64> {
  %z = stablehlo.constant dense<0> : tensor<i64>
  %i = stablehlo.iota dim = 0 : tensor<1099511627776xi64>
  %k = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<i64>) -> tensor<1099511627776xi64>
  %m = stablehlo.add %i, %k : tensor<1099511627776xi64>
  %y = stablehlo.divide %m, %k : tensor<1099511627776xi64>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0]
    : (tensor<1099511627776xi64>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

// reduction of powers of f16
func.func @main(%x: tensor<f16>) -> tensor<f16> {
  %z = stablehlo.constant dense<0.0> : tensor<f16>
  %i = stablehlo.iota dim = 0 : tensor<1099511627776xf16>
  %k = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f16>) -> tensor<1099511627776xf16>
  %y = stablehlo.power %i, %k : tensor<1099511627776xf16>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.maximum across dimensions = [0]
    : (tensor<1099511627776xf16>, tensor<f16>) -> tensor<f16>
  return %0 : tensor<f16>
}

// -----

// reduction of complex functions
func.func @main(%x: tensor<complex<f64>>) -> tensor<complex<f64>> {
  %z = stablehlo.constant dense<(0.0,0.0)> : tensor<complex<f64>>
  %i = stablehlo.iota dim = 0 : tensor<1099511627776xcomplex<f64>>
  %k = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<complex<f64>>) -> tensor<1099511627776xcomplex<f64>>
  %m = stablehlo.multiply %i, %k : tensor<1099511627776xcomplex<f64>>
  %y = stablehlo.tanh %m : tensor<1099511627776xcomplex<f64>>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0]
    : (tensor<1099511627776xcomplex<f64>>, tensor<complex<f64>>) -> tensor<complex<f64>>
  return %0 : tensor<complex<f64>>
}

// -----

// reduction of a concatenation
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 0 : tensor<1099511627776xi32>
  %k = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<i32>) -> tensor<1099511627776xi32>
  %m = stablehlo.multiply %i, %k : tensor<1099511627776xi32>
  %c = stablehlo.concatenate %m, %i, dim = 0 : (tensor<1099511627776xi32>, tensor<1099511627776xi32>) -> tensor<2199023255552xi32>
  %y = stablehlo.slice %c [549755813888:1649267441664] : (tensor<2199023255552xi32>) -> tensor<1099511627776xi32>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0]
    : (tensor<1099511627776xi32>, tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// reduction of a pad
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %y = stablehlo.pad %x, %z, low = [1099511627776], high = [1099511627776], interior = [1099511627776] : (tensor<4xf32>, tensor<f32>) -> tensor<5497558138884xf32>
  %e = stablehlo.exponential %y : tensor<5497558138884xf32>
  %0 = stablehlo.reduce(%e init: %z) applies stablehlo.multiply across dimensions = [0]
    : (tensor<5497558138884xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// ordered reduction
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
  %0 = stablehlo.reduce(%y init: %x) across dimensions = [0] : (tensor<1099511627776xf32>, tensor<f32>) -> tensor<f32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %c = stablehlo.cosine %a : tensor<f32>
      %s = stablehlo.add %c, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }
  return %0 : tensor<f32>
}

// -----

// ordered reduction of columns
func.func @main(%x: tensor<1024xi32>, %z: tensor<i32>) -> tensor<1024xi32> {
  %y = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<1024xi32>) -> tensor<1073741824x1024xi32>
  %0 = stablehlo.reduce(%y init: %z) across dimensions = [0] : (tensor<1073741824x1024xi32>, tensor<i32>) -> tensor<1024xi32>
    reducer(%a: tensor<i32>, %b: tensor<i32>) {
      %c = stablehlo.subtract %a, %b : tensor<i32>
      stablehlo.return %c : tensor<i32>
    }
  return %0 : tensor<1024xi32>
}

// -----

// reduction argmax
func.func @main(%x: tensor<f32>) -> tensor<i64> {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %n = stablehlo.constant dense<0> : tensor<i64>
  %i = stablehlo.iota dim = 0 : tensor<1099511627776xi64>
  %f = stablehlo.convert %i : (tensor<1099511627776xi64>) -> tensor<1099511627776xf32>
  %k = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
  %y = stablehlo.subtract %f, %k : tensor<1099511627776xf32>
  %0:2 = stablehlo.reduce(%y init: %z), (%i init: %n) across dimensions = [0] : (tensor<1099511627776xf32>, tensor<1099511627776xi64>, tensor<f32>, tensor<i64>) -> (tensor<f32>, tensor<i64>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%k1: tensor<i64>, %l: tensor<i64>) {
      %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %s = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
      %t = stablehlo.select %p, %k1, %l : tensor<i1>, tensor<i64>
      stablehlo.return %s, %t : tensor<f32>, tensor<i64>
    }
  return %0#1 : tensor<i64>
}

// -----

// product of f32
func.func @main(%x: tensor<4xf32>) -> tensor<4x4xf32> {
  %a = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xf32>) -> tensor<4x1099511627776xf32>
  %b = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<1099511627776x4xf32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x1099511627776xf32>, tensor<1099511627776x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// product of i8
func.func @main(%x: tensor<4xi8>) -> tensor<4x4xi8> {
  %a = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xi8>) -> tensor<4x1099511627776xi8>
  %b = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xi8>) -> tensor<1099511627776x4xi8>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x1099511627776xi8>, tensor<1099511627776x4xi8>) -> tensor<4x4xi8>
  return %0 : tensor<4x4xi8>
}

// -----

// product of complex<f32>
func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> {
  %a = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xcomplex<f32>>) -> tensor<4x1099511627776xcomplex<f32>>
  %b = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xcomplex<f32>>) -> tensor<1099511627776x4xcomplex<f32>>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x1099511627776xcomplex<f32>>, tensor<1099511627776x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  return %0 : tensor<4x4xcomplex<f32>>
}

// -----

// product of vectors
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %i = stablehlo.iota dim = 0 : tensor<1099511627776xf32>
  %b = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
  %0 = stablehlo.dot_general %i, %b, contracting_dims = [0] x [0] : (tensor<1099511627776xf32>, tensor<1099511627776xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// convolution of f32
func.func @main(%x: tensor<1x1x4xf32>, %k: tensor<1x1x1xf32>) -> tensor<1x1x1xf32> {
  %r = stablehlo.broadcast_in_dim %k, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<1x1x1099511627776xf32>
  %0 = stablehlo.convolution(%x, %r) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
    window = {stride = [1], pad = [[1099511627772, 0]], lhs_dilate = [1], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x4xf32>, tensor<1x1x1099511627776xf32>) -> tensor<1x1x1xf32>
  return %0 : tensor<1x1x1xf32>
}

// -----

// convolution of complex<f32>
func.func @main(%x: tensor<1x1x4xcomplex<f32>>, %k: tensor<1x1x1xcomplex<f32>>) -> tensor<1x1x1xcomplex<f32>> {
  %r = stablehlo.broadcast_in_dim %k, dims = [0, 1, 2] : (tensor<1x1x1xcomplex<f32>>) -> tensor<1x1x1099511627776xcomplex<f32>>
  %0 = stablehlo.convolution(%x, %r) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
    window = {stride = [1], pad = [[1099511627772, 0]], lhs_dilate = [1], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x4xcomplex<f32>>, tensor<1x1x1099511627776xcomplex<f32>>) -> tensor<1x1x1xcomplex<f32>>
  return %0 : tensor<1x1x1xcomplex<f32>>
}

// -----

// convolution with dilations
func.func @main(%x: tensor<1x1x4xf32>, %k: tensor<1x1x1xf32>) -> tensor<1x1x1xf32> {
  %r = stablehlo.broadcast_in_dim %k, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<1x1x412316860417xf32>
  %0 = stablehlo.convolution(%x, %r) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
    window = {stride = [1], pad = [[0, 0]], lhs_dilate = [1099511627776], rhs_dilate = [8]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x4xf32>, tensor<1x1x412316860417xf32>) -> tensor<1x1x1xf32>
  return %0 : tensor<1x1x1xf32>
}

// -----

// convolution of two broadcasts
func.func @main(%x: tensor<1x1x1xf32>, %k: tensor<1x1x1xf32>) -> tensor<1x1x1xf32> {
  %l = stablehlo.broadcast_in_dim %x, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<1x1099511627776x4xf32>
  %r = stablehlo.broadcast_in_dim %k, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<1x1099511627776x4xf32>
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1099511627776x4xf32>, tensor<1x1099511627776x4xf32>) -> tensor<1x1x1xf32>
  return %0 : tensor<1x1x1xf32>
}

// -----

// select_and_scatter
func.func @main(%x: tensor<4xf32>, %y: tensor<1xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %y, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1099511627776>, window_strides = array<i64: 1>,
      padding = dense<[[1099511627772, 0]]> : tensor<1x2xi64>} : (tensor<4xf32>, tensor<1xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// select_and_scatter of 2^30
func.func @main(%x: tensor<4xf32>, %y: tensor<1xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %y, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1073741824>, window_strides = array<i64: 1>,
      padding = dense<[[1073741820, 0]]> : tensor<1x2xi64>} : (tensor<4xf32>, tensor<1xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// select_and_scatter of another kind
func.func @main(%x: tensor<4xf32>, %y: tensor<1xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %y, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %b, %a, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1099511627776>, window_strides = array<i64: 1>,
      padding = dense<[[1099511627772, 0]]> : tensor<1x2xi64>} : (tensor<4xf32>, tensor<1xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// loop
func.func @main(%n: tensor<i64>, %x: tensor<f32>) -> tensor<f32> {
  %one = stablehlo.constant dense<1> : tensor<i64>
  %end = stablehlo.constant dense<1099511627776> : tensor<i64>
  %0:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i64>, tensor<f32>
    cond {
      %p = stablehlo.compare LT, %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i64>
      %c = stablehlo.cosine %a : tensor<f32>
      stablehlo.return %j, %c : tensor<i64>, tensor<f32>
    }
  return %0#1 : tensor<f32>
}

// -----

// loop of an array
func.func @main(%n: tensor<i64>, %x: tensor<4096xf32>) -> tensor<4096xf32> {
  %one = stablehlo.constant dense<1> : tensor<i64>
  %end = stablehlo.constant dense<1099511627776> : tensor<i64>
  %0:2 = stablehlo.while(%i = %one, %a = %x) : tensor<i64>, tensor<4096xf32>
    cond {
      %p = stablehlo.compare LT, %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i64>
      %c = stablehlo.cosine %a : tensor<4096xf32>
      stablehlo.return %j, %c : tensor<i64>, tensor<4096xf32>
    }
  return %0#1 : tensor<4096xf32>
}

// -----

// loop of an accumulation
func.func @main(%n: tensor<i64>, %x: tensor<f32>) -> tensor<f32> {
  %one = stablehlo.constant dense<1> : tensor<i64>
  %end = stablehlo.constant dense<1099511627776> : tensor<i64>
  %0:2 = stablehlo.while(%i = %one, %a = %x) : tensor<i64>, tensor<f32>
    cond {
      %p = stablehlo.compare LT, %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i64>
      %v = stablehlo.convert %i : (tensor<i64>) -> tensor<f32>
      %c = stablehlo.add %v, %a : tensor<f32>
      stablehlo.return %j, %c : tensor<i64>, tensor<f32>
    }
  return %0#1 : tensor<f32>
}

// -----

// loop of products
func.func @main(%n: tensor<i64>, %x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %one = stablehlo.constant dense<1> : tensor<i64>
  %end = stablehlo.constant dense<1099511627776> : tensor<i64>
  %0:2 = stablehlo.while(%i = %one, %a = %x) : tensor<i64>, tensor<16x16xf32>
    cond {
      %p = stablehlo.compare LT, %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i64>
      %c = stablehlo.dot_general %a, %x, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      stablehlo.return %j, %c : tensor<i64>, tensor<16x16xf32>
    }
  return %0#1 : tensor<16x16xf32>
}

// -----

// loop of sorts
func.func @main(%n: tensor<i64>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %one = stablehlo.constant dense<1> : tensor<i64>
  %end = stablehlo.constant dense<1099511627776> : tensor<i64>
  %0:2 = stablehlo.while(%i = %one, %a = %x) : tensor<i64>, tensor<64xf32>
    cond {
      %p = stablehlo.compare LT, %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i64>
      %d = "stablehlo.sort"(%a) ({
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %q = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %q : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<64xf32>) -> tensor<64xf32>
      %c = stablehlo.negate %d : tensor<64xf32>
      stablehlo.return %j, %c : tensor<i64>, tensor<64xf32>
    }
  return %0#1 : tensor<64xf32>
}

// -----

// nested loop
func.func @main(%n: tensor<i64>, %x: tensor<f32>) -> tensor<f32> {
  %one = stablehlo.constant dense<1> : tensor<i64>
  %end = stablehlo.constant dense<1099511627776> : tensor<i64>
  %0:2 = stablehlo.while(%i = %one, %a = %x) : tensor<i64>, tensor<f32>
    cond {
      %p = stablehlo.compare LT, %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i64>
      %w:2 = stablehlo.while(%k = %one, %b = %a) : tensor<i64>, tensor<f32>
        cond {
          %q = stablehlo.compare LT, %k, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
          stablehlo.return %q : tensor<i1>
        } do {
          %l = stablehlo.add %k, %one : tensor<i64>
          %d = stablehlo.sine %b : tensor<f32>
          stablehlo.return %l, %d : tensor<i64>, tensor<f32>
        }
      %c = stablehlo.cosine %w#1 : tensor<f32>
      stablehlo.return %j, %c : tensor<i64>, tensor<f32>
    }
  return %0#1 : tensor<f32>
}

// -----

// loop of long reductions
func.func @main(%n: tensor<i64>, %x: tensor<f32>) -> tensor<f32> {
  %one = stablehlo.constant dense<1> : tensor<i64>
  %end = stablehlo.constant dense<1099511627776> : tensor<i64>
  %0:2 = stablehlo.while(%i = %one, %a = %x) : tensor<i64>, tensor<f32>
    cond {
      %p = stablehlo.compare LT, %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i64>
      %k = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
      %c = stablehlo.reduce(%k init: %x) applies stablehlo.multiply across dimensions = [0] : (tensor<1099511627776xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %j, %c : tensor<i64>, tensor<f32>
    }
  return %0#1 : tensor<f32>
}

// -----

// rng reduced
func.func @main(%s: tensor<2xui64>) -> tensor<ui32> {
  %z = stablehlo.constant dense<0> : tensor<ui32>
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1099511627776xui32>)
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.xor across dimensions = [0] : (tensor<1099511627776xui32>, tensor<ui32>) -> tensor<ui32>
  return %2 : tensor<ui32>
}

// -----

// rng
func.func @main(%s: tensor<2xui64>) -> tensor<ui8> {
  %z = stablehlo.constant dense<0> : tensor<ui8>
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2147483648xui8>)
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.xor across dimensions = [0] : (tensor<2147483648xui8>, tensor<ui8>) -> tensor<ui8>
  return %2 : tensor<ui8>
}

// -----

// scatter of a broadcast
func.func @main(%x: tensor<16xf32>, %u: tensor<f32>, %k: tensor<i32>) -> tensor<16xf32> {
  %at = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> tensor<1099511627776x1xi32>
  %up = stablehlo.broadcast_in_dim %u, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
  %0 = "stablehlo.scatter"(%x, %at, %up) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<16xf32>, tensor<1099511627776x1xi32>, tensor<1099511627776xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// gather of a broadcast
func.func @main(%x: tensor<16xf32>, %k: tensor<i32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %at = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<i32>) -> tensor<1099511627776x1xi32>
  %g = "stablehlo.gather"(%x, %at) {dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 4>} : (tensor<16xf32>, tensor<1099511627776x1xi32>) -> tensor<1099511627776x4xf32>
  %0 = stablehlo.reduce(%g init: %z) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<1099511627776x4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// softmax
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xf32>) -> tensor<4x1099511627776xf32>
  %m = stablehlo.reduce(%y init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x1099511627776xf32>, tensor<f32>) -> tensor<4xf32>
  %n = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x1099511627776xf32>
  %s = stablehlo.subtract %y, %n : tensor<4x1099511627776xf32>
  %e = stablehlo.exponential %s : tensor<4x1099511627776xf32>
  %0 = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x1099511627776xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// batch_norm_training
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<1099511627776x4xf32>
  %0:3 = "stablehlo.batch_norm_training"(%y, %x, %x) {epsilon = 0.01 : f32, feature_index = 1 : i64} : (tensor<1099511627776x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1099511627776x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// -----

// constants
func.func @main() -> tensor<f32> {
  %z = stablehlo.constant dense<1.5> : tensor<f32>
  %i = stablehlo.iota dim = 0 : tensor<1099511627776xf32>
  %y = stablehlo.sine %i : tensor<1099511627776xf32>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.multiply across dimensions = [0] : (tensor<1099511627776xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// constant loop
func.func @main() -> tensor<f32> {
  %x = stablehlo.constant dense<1.5> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %end = stablehlo.constant dense<1099511627776> : tensor<i64>
  %0:2 = stablehlo.while(%i = %one, %a = %x) : tensor<i64>, tensor<f32>
    cond {
      %p = stablehlo.compare LT, %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i64>
      %c = stablehlo.cosine %a : tensor<f32>
      stablehlo.return %j, %c : tensor<i64>, tensor<f32>
    }
  return %0#1 : tensor<f32>
}

// -----

// constant window
func.func @main() -> tensor<1xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1099511627776>, padding = dense<[[1099511627772, 0]]> : tensor<1x2xi64>}
    : (tensor<4xf32>, tensor<f32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// map
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
  %y = "stablehlo.map"(%m) ({
  ^bb0(%a: tensor<f32>):
    %s = stablehlo.sqrt %a : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<1099511627776xf32>) -> tensor<1099511627776xf32>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1099511627776xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// iota
func.func @main() -> tensor<1073741824xi8> {
  %0 = stablehlo.iota dim = 0 : tensor<1073741824xi8>
  return %0 : tensor<1073741824xi8>
}

// -----

// transpose reduced
func.func @main(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<4x4xf32>) -> tensor<4x1099511627776x4xf32>
  %t = stablehlo.transpose %b, dims = [1, 2, 0] : (tensor<4x1099511627776x4xf32>) -> tensor<1099511627776x4x4xf32>
  %0 = stablehlo.reduce(%t init: %z) applies stablehlo.multiply across dimensions = [0, 2] : (tensor<1099511627776x4x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// top_k
func.func @main(%x: tensor<f32>) -> tensor<4xf32> {
  %b = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1099511627776xf32>
  %0:2 = chlo.top_k(%b, k = 4) : tensor<1099511627776xf32> -> (tensor<4xf32>, tensor<4xi32>)
  return %0#0 : tensor<4xf32>
}

// -----

// product of matrices
func.func @main(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// -----

// windows
func.func @main(%x: tensor<4194304xf32>) -> tensor<4194304xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 4097>, padding = dense<[[2048, 2048]]> : tensor<1x2xi64>}
    : (tensor<4194304xf32>, tensor<f32>) -> tensor<4194304xf32>
  return %0 : tensor<4194304xf32>
}

// -----

// reduction that fits
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xf32>) -> tensor<4x67108864xf32>
  %0 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<4x67108864xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// product of f32 that fits
func.func @main(%x: tensor<1xf32>) -> tensor<1x64xf32> {
  %a = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<1xf32>) -> tensor<1x1048576xf32>
  %b = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<1xf32>) -> tensor<1048576x64xf32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x1048576xf32>, tensor<1048576x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}

// -----

// product of i32 that fits
func.func @main(%x: tensor<1xi32>) -> tensor<1x64xi32> {
  %a = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<1xi32>) -> tensor<1x1048576xi32>
  %b = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<1xi32>) -> tensor<1048576x64xi32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x1048576xi32>, tensor<1048576x64xi32>) -> tensor<1x64xi32>
  return %0 : tensor<1x64xi32>
}

// -----

// product of complex<f32> that fits
func.func @main(%x: tensor<1xcomplex<f32>>) -> tensor<1x64xcomplex<f32>> {
  %a = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<1xcomplex<f32>>) -> tensor<1x1048576xcomplex<f32>>
  %b = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<1xcomplex<f32>>) -> tensor<1048576x64xcomplex<f32>>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x1048576xcomplex<f32>>, tensor<1048576x64xcomplex<f32>>) -> tensor<1x64xcomplex<f32>>
  return %0 : tensor<1x64xcomplex<f32>>
}

// -----

// convolution that fits
func.func @main(%x: tensor<1x1x4xf32>, %k: tensor<1x1x1xf32>) -> tensor<1x1x1xf32> {
  %r = stablehlo.broadcast_in_dim %k, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<1x1x4194304xf32>
  %0 = stablehlo.convolution(%x, %r) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
    window = {stride = [1], pad = [[4194300, 0]], lhs_dilate = [1], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x1x4xf32>, tensor<1x1x4194304xf32>) -> tensor<1x1x1xf32>
  return %0 : tensor<1x1x1xf32>
}

// -----

// moves that fit
func.func @main(%x: tensor<268435456xi8>) -> tensor<268435456xi8> {
  %a = stablehlo.reverse %x, dims = [0] : tensor<268435456xi8>
  %b = stablehlo.reshape %a : (tensor<268435456xi8>) -> tensor<2x134217728xi8>
  %c = stablehlo.transpose %b, dims = [1, 0] : (tensor<2x134217728xi8>) -> tensor<134217728x2xi8>
  %d = stablehlo.reshape %c : (tensor<134217728x2xi8>) -> tensor<268435456xi8>
  %e = stablehlo.concatenate %d, %x, dim = 0 : (tensor<268435456xi8>, tensor<268435456xi8>) -> tensor<536870912xi8>
  %f = stablehlo.slice %e [1:268435457] : (tensor<536870912xi8>) -> tensor<268435456xi8>
  return %f : tensor<268435456xi8>
}

// -----

// sort
func.func @main(%x: tensor<268435456xi8>) -> tensor<268435456xi8> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %p = stablehlo.compare LT, %b, %a : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<268435456xi8>) -> tensor<268435456xi8>
  return %0 : tensor<268435456xi8>
}

// -----

// cumulative sum
func.func @main(%x: tensor<67108864xf32>) -> tensor<67108864xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 67108864>, padding = dense<[[67108863, 0]]> : tensor<1x2xi64>}
    : (tensor<67108864xf32>, tensor<f32>) -> tensor<67108864xf32>
  return %0 : tensor<67108864xf32>
}

// -----

// fft
func.func @main(%x: tensor<16777216xcomplex<f32>>) -> tensor<16777216xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [16777216] : (tensor<16777216xcomplex<f32>>) -> tensor<16777216xcomplex<f32>>
  return %0 : tensor<16777216xcomplex<f32>>
}

// -----

// scatter that fits
func.func @main(%x: tensor<16xf32>, %i: tensor<16777216x1xi32>, %u: tensor<16777216xf32>) -> tensor<16xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<16xf32>, tensor<16777216x1xi32>, tensor<16777216xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
