// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Products of a vector and a matrix that is computed from narrower values, beside the same of a stored matrix. All sums
// are exact.

// Weights of 8 bits.
func.func @bytes() {
  %x_i = stablehlo.iota dim = 0 : tensor<160xi32>
  %x_f = stablehlo.constant dense<7> : tensor<160xi32>
  %x_p = stablehlo.multiply %x_i, %x_f : tensor<160xi32>
  %x_s = stablehlo.constant dense<11> : tensor<160xi32>
  %x_r = stablehlo.remainder %x_p, %x_s : tensor<160xi32>
  %x_l = stablehlo.constant dense<-5> : tensor<160xi32>
  %x_a = stablehlo.add %x_r, %x_l : tensor<160xi32>
  %x_c = stablehlo.convert %x_a : (tensor<160xi32>) -> tensor<160xf32>
  %x_t = stablehlo.reshape %x_c : (tensor<160xf32>) -> tensor<1x160xf32>
  %x = stablehlo.optimization_barrier %x_t : tensor<1x160xf32>
  %w_i = stablehlo.iota dim = 0 : tensor<20800xi32>
  %w_f = stablehlo.constant dense<31> : tensor<20800xi32>
  %w_p = stablehlo.multiply %w_i, %w_f : tensor<20800xi32>
  %w_s = stablehlo.constant dense<255> : tensor<20800xi32>
  %w_r = stablehlo.remainder %w_p, %w_s : tensor<20800xi32>
  %w_l = stablehlo.constant dense<-127> : tensor<20800xi32>
  %w_a = stablehlo.add %w_r, %w_l : tensor<20800xi32>
  %w_c = stablehlo.convert %w_a : (tensor<20800xi32>) -> tensor<20800xi8>
  %w_t = stablehlo.reshape %w_c : (tensor<20800xi8>) -> tensor<160x130xi8>
  %w = stablehlo.optimization_barrier %w_t : tensor<160x130xi8>
  %v = stablehlo.optimization_barrier %w : tensor<160x130xi8>
  %m = stablehlo.convert %w : (tensor<160x130xi8>) -> tensor<160x130xf32>
  %n0 = stablehlo.convert %v : (tensor<160x130xi8>) -> tensor<160x130xf32>
  %n = stablehlo.optimization_barrier %n0 : tensor<160x130xf32>
  %0 = stablehlo.dot_general %x, %m, contracting_dims = [1] x [0] : (tensor<1x160xf32>, tensor<160x130xf32>) -> tensor<1x130xf32>
  %1 = stablehlo.dot_general %x, %n, contracting_dims = [1] x [0] : (tensor<1x160xf32>, tensor<160x130xf32>) -> tensor<1x130xf32>
  check.expect_eq %0, %1 : tensor<1x130xf32>
  func.return
}

// -----

// Groups along k, each with a scale and a zero point; the matrix is on the left.
func.func @zero_points_of_groups() {
  %x_i = stablehlo.iota dim = 0 : tensor<160xi32>
  %x_f = stablehlo.constant dense<5> : tensor<160xi32>
  %x_p = stablehlo.multiply %x_i, %x_f : tensor<160xi32>
  %x_s = stablehlo.constant dense<7> : tensor<160xi32>
  %x_r = stablehlo.remainder %x_p, %x_s : tensor<160xi32>
  %x_l = stablehlo.constant dense<-3> : tensor<160xi32>
  %x_a = stablehlo.add %x_r, %x_l : tensor<160xi32>
  %x_c = stablehlo.convert %x_a : (tensor<160xi32>) -> tensor<160xbf16>
  %x_t = stablehlo.reshape %x_c : (tensor<160xbf16>) -> tensor<160xbf16>
  %x = stablehlo.optimization_barrier %x_t : tensor<160xbf16>
  %w_i = stablehlo.iota dim = 0 : tensor<20800xi32>
  %w_f = stablehlo.constant dense<11> : tensor<20800xi32>
  %w_p = stablehlo.multiply %w_i, %w_f : tensor<20800xi32>
  %w_s = stablehlo.constant dense<16> : tensor<20800xi32>
  %w_r = stablehlo.remainder %w_p, %w_s : tensor<20800xi32>
  %w_l = stablehlo.constant dense<0> : tensor<20800xi32>
  %w_a = stablehlo.add %w_r, %w_l : tensor<20800xi32>
  %w_c = stablehlo.convert %w_a : (tensor<20800xi32>) -> tensor<20800xui8>
  %w_t = stablehlo.reshape %w_c : (tensor<20800xui8>) -> tensor<130x5x32xui8>
  %w = stablehlo.optimization_barrier %w_t : tensor<130x5x32xui8>
  %s_i = stablehlo.iota dim = 0 : tensor<650xi32>
  %s_f = stablehlo.constant dense<3> : tensor<650xi32>
  %s_p = stablehlo.multiply %s_i, %s_f : tensor<650xi32>
  %s_s = stablehlo.constant dense<2> : tensor<650xi32>
  %s_r = stablehlo.remainder %s_p, %s_s : tensor<650xi32>
  %s_l = stablehlo.constant dense<1> : tensor<650xi32>
  %s_a = stablehlo.add %s_r, %s_l : tensor<650xi32>
  %s_c = stablehlo.convert %s_a : (tensor<650xi32>) -> tensor<650xbf16>
  %s_t = stablehlo.reshape %s_c : (tensor<650xbf16>) -> tensor<130x5x1xbf16>
  %s = stablehlo.optimization_barrier %s_t : tensor<130x5x1xbf16>
  %z_i = stablehlo.iota dim = 0 : tensor<650xi32>
  %z_f = stablehlo.constant dense<5> : tensor<650xi32>
  %z_p = stablehlo.multiply %z_i, %z_f : tensor<650xi32>
  %z_s = stablehlo.constant dense<4> : tensor<650xi32>
  %z_r = stablehlo.remainder %z_p, %z_s : tensor<650xi32>
  %z_l = stablehlo.constant dense<6> : tensor<650xi32>
  %z_a = stablehlo.add %z_r, %z_l : tensor<650xi32>
  %z_c = stablehlo.convert %z_a : (tensor<650xi32>) -> tensor<650xbf16>
  %z_t = stablehlo.reshape %z_c : (tensor<650xbf16>) -> tensor<130x5x1xbf16>
  %z = stablehlo.optimization_barrier %z_t : tensor<130x5x1xbf16>
  %v = stablehlo.optimization_barrier %w : tensor<130x5x32xui8>
  %c = stablehlo.convert %w : (tensor<130x5x32xui8>) -> tensor<130x5x32xbf16>
  %zb = stablehlo.broadcast_in_dim %z, dims = [0, 1, 2] : (tensor<130x5x1xbf16>) -> tensor<130x5x32xbf16>
  %d = stablehlo.subtract %c, %zb : tensor<130x5x32xbf16>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0, 1, 2] : (tensor<130x5x1xbf16>) -> tensor<130x5x32xbf16>
  %e = stablehlo.multiply %d, %sb : tensor<130x5x32xbf16>
  %m = stablehlo.reshape %e : (tensor<130x5x32xbf16>) -> tensor<130x160xbf16>
  %c_ = stablehlo.convert %v : (tensor<130x5x32xui8>) -> tensor<130x5x32xbf16>
  %zb_ = stablehlo.broadcast_in_dim %z, dims = [0, 1, 2] : (tensor<130x5x1xbf16>) -> tensor<130x5x32xbf16>
  %d_ = stablehlo.subtract %c_, %zb_ : tensor<130x5x32xbf16>
  %sb_ = stablehlo.broadcast_in_dim %s, dims = [0, 1, 2] : (tensor<130x5x1xbf16>) -> tensor<130x5x32xbf16>
  %e_ = stablehlo.multiply %d_, %sb_ : tensor<130x5x32xbf16>
  %n0 = stablehlo.reshape %e_ : (tensor<130x5x32xbf16>) -> tensor<130x160xbf16>
  %n = stablehlo.optimization_barrier %n0 : tensor<130x160xbf16>
  %0 = stablehlo.dot_general %m, %x, contracting_dims = [1] x [0] : (tensor<130x160xbf16>, tensor<160xbf16>) -> tensor<130xbf16>
  %1 = stablehlo.dot_general %n, %x, contracting_dims = [1] x [0] : (tensor<130x160xbf16>, tensor<160xbf16>) -> tensor<130xbf16>
  check.expect_eq %0, %1 : tensor<130xbf16>
  func.return
}

// -----

// Dimensions of all kinds, in another order on each side.
func.func @batches() {
  %x_i = stablehlo.iota dim = 0 : tensor<168xi32>
  %x_f = stablehlo.constant dense<3> : tensor<168xi32>
  %x_p = stablehlo.multiply %x_i, %x_f : tensor<168xi32>
  %x_s = stablehlo.constant dense<5> : tensor<168xi32>
  %x_r = stablehlo.remainder %x_p, %x_s : tensor<168xi32>
  %x_l = stablehlo.constant dense<-2> : tensor<168xi32>
  %x_a = stablehlo.add %x_r, %x_l : tensor<168xi32>
  %x_c = stablehlo.convert %x_a : (tensor<168xi32>) -> tensor<168xf16>
  %x_t = stablehlo.reshape %x_c : (tensor<168xf16>) -> tensor<3x1x4x2x7xf16>
  %x = stablehlo.optimization_barrier %x_t : tensor<3x1x4x2x7xf16>
  %w_i = stablehlo.iota dim = 0 : tensor<50400xi32>
  %w_f = stablehlo.constant dense<13> : tensor<50400xi32>
  %w_p = stablehlo.multiply %w_i, %w_f : tensor<50400xi32>
  %w_s = stablehlo.constant dense<16> : tensor<50400xi32>
  %w_r = stablehlo.remainder %w_p, %w_s : tensor<50400xi32>
  %w_l = stablehlo.constant dense<-8> : tensor<50400xi32>
  %w_a = stablehlo.add %w_r, %w_l : tensor<50400xi32>
  %w_c = stablehlo.convert %w_a : (tensor<50400xi32>) -> tensor<50400xi8>
  %w_t = stablehlo.reshape %w_c : (tensor<50400xi8>) -> tensor<7x2x60x4x3x1x5xi8>
  %w = stablehlo.optimization_barrier %w_t : tensor<7x2x60x4x3x1x5xi8>
  %v = stablehlo.optimization_barrier %w : tensor<7x2x60x4x3x1x5xi8>
  %c = stablehlo.convert %w : (tensor<7x2x60x4x3x1x5xi8>) -> tensor<7x2x60x4x3x1x5xf16>
  %m = stablehlo.reshape %c : (tensor<7x2x60x4x3x1x5xf16>) -> tensor<7x2x60x4x3x5xf16>
  %c_ = stablehlo.convert %v : (tensor<7x2x60x4x3x1x5xi8>) -> tensor<7x2x60x4x3x1x5xf16>
  %n0 = stablehlo.reshape %c_ : (tensor<7x2x60x4x3x1x5xf16>) -> tensor<7x2x60x4x3x5xf16>
  %n = stablehlo.optimization_barrier %n0 : tensor<7x2x60x4x3x5xf16>
  %0 = stablehlo.dot_general %x, %m, batching_dims = [2, 0] x [3, 4], contracting_dims = [4, 3] x [0, 1] : (tensor<3x1x4x2x7xf16>, tensor<7x2x60x4x3x5xf16>) -> tensor<4x3x1x60x5xf32>
  %1 = stablehlo.dot_general %x, %n, batching_dims = [2, 0] x [3, 4], contracting_dims = [4, 3] x [0, 1] : (tensor<3x1x4x2x7xf16>, tensor<7x2x60x4x3x5xf16>) -> tensor<4x3x1x60x5xf32>
  check.expect_eq %0, %1 : tensor<4x3x1x60x5xf32>
  func.return
}

// -----

// Numbers of f32 among those of f64.
func.func @wide() {
  %x_i = stablehlo.iota dim = 0 : tensor<150xi32>
  %x_f = stablehlo.constant dense<7> : tensor<150xi32>
  %x_p = stablehlo.multiply %x_i, %x_f : tensor<150xi32>
  %x_s = stablehlo.constant dense<19> : tensor<150xi32>
  %x_r = stablehlo.remainder %x_p, %x_s : tensor<150xi32>
  %x_l = stablehlo.constant dense<-9> : tensor<150xi32>
  %x_a = stablehlo.add %x_r, %x_l : tensor<150xi32>
  %x_c = stablehlo.convert %x_a : (tensor<150xi32>) -> tensor<150xf64>
  %x_t = stablehlo.reshape %x_c : (tensor<150xf64>) -> tensor<150xf64>
  %x = stablehlo.optimization_barrier %x_t : tensor<150xf64>
  %w_i = stablehlo.iota dim = 0 : tensor<18000xi32>
  %w_f = stablehlo.constant dense<31> : tensor<18000xi32>
  %w_p = stablehlo.multiply %w_i, %w_f : tensor<18000xi32>
  %w_s = stablehlo.constant dense<199> : tensor<18000xi32>
  %w_r = stablehlo.remainder %w_p, %w_s : tensor<18000xi32>
  %w_l = stablehlo.constant dense<-99> : tensor<18000xi32>
  %w_a = stablehlo.add %w_r, %w_l : tensor<18000xi32>
  %w_c = stablehlo.convert %w_a : (tensor<18000xi32>) -> tensor<18000xf32>
  %w_t = stablehlo.reshape %w_c : (tensor<18000xf32>) -> tensor<120x150xf32>
  %w = stablehlo.optimization_barrier %w_t : tensor<120x150xf32>
  %v = stablehlo.optimization_barrier %w : tensor<120x150xf32>
  %m = stablehlo.convert %w : (tensor<120x150xf32>) -> tensor<120x150xf64>
  %n0 = stablehlo.convert %v : (tensor<120x150xf32>) -> tensor<120x150xf64>
  %n = stablehlo.optimization_barrier %n0 : tensor<120x150xf64>
  %0 = stablehlo.dot_general %x, %m, contracting_dims = [0] x [1] : (tensor<150xf64>, tensor<120x150xf64>) -> tensor<120xf64>
  %1 = stablehlo.dot_general %x, %n, contracting_dims = [0] x [1] : (tensor<150xf64>, tensor<120x150xf64>) -> tensor<120xf64>
  check.expect_eq %0, %1 : tensor<120xf64>
  func.return
}

// -----

// Rows of weights of 4 bits that are longer than a page.
func.func @long_rows() {
  %x_i = stablehlo.iota dim = 0 : tensor<128xi32>
  %x_f = stablehlo.constant dense<5> : tensor<128xi32>
  %x_p = stablehlo.multiply %x_i, %x_f : tensor<128xi32>
  %x_s = stablehlo.constant dense<7> : tensor<128xi32>
  %x_r = stablehlo.remainder %x_p, %x_s : tensor<128xi32>
  %x_l = stablehlo.constant dense<-3> : tensor<128xi32>
  %x_a = stablehlo.add %x_r, %x_l : tensor<128xi32>
  %x_c = stablehlo.convert %x_a : (tensor<128xi32>) -> tensor<128xf32>
  %x_t = stablehlo.reshape %x_c : (tensor<128xf32>) -> tensor<1x128xf32>
  %x = stablehlo.optimization_barrier %x_t : tensor<1x128xf32>
  %w_i = stablehlo.iota dim = 0 : tensor<1049600xi32>
  %w_f = stablehlo.constant dense<11> : tensor<1049600xi32>
  %w_p = stablehlo.multiply %w_i, %w_f : tensor<1049600xi32>
  %w_s = stablehlo.constant dense<16> : tensor<1049600xi32>
  %w_r = stablehlo.remainder %w_p, %w_s : tensor<1049600xi32>
  %w_l = stablehlo.constant dense<-8> : tensor<1049600xi32>
  %w_a = stablehlo.add %w_r, %w_l : tensor<1049600xi32>
  %w_c = stablehlo.convert %w_a : (tensor<1049600xi32>) -> tensor<1049600xi4>
  %w_t = stablehlo.reshape %w_c : (tensor<1049600xi4>) -> tensor<4x32x8200xi4>
  %w = stablehlo.optimization_barrier %w_t : tensor<4x32x8200xi4>
  %s_i = stablehlo.iota dim = 0 : tensor<32800xi32>
  %s_f = stablehlo.constant dense<3> : tensor<32800xi32>
  %s_p = stablehlo.multiply %s_i, %s_f : tensor<32800xi32>
  %s_s = stablehlo.constant dense<4> : tensor<32800xi32>
  %s_r = stablehlo.remainder %s_p, %s_s : tensor<32800xi32>
  %s_l = stablehlo.constant dense<1> : tensor<32800xi32>
  %s_a = stablehlo.add %s_r, %s_l : tensor<32800xi32>
  %s_c = stablehlo.convert %s_a : (tensor<32800xi32>) -> tensor<32800xf32>
  %s_t = stablehlo.reshape %s_c : (tensor<32800xf32>) -> tensor<4x1x8200xf32>
  %s = stablehlo.optimization_barrier %s_t : tensor<4x1x8200xf32>
  %v = stablehlo.optimization_barrier %w : tensor<4x32x8200xi4>
  %c = stablehlo.convert %w : (tensor<4x32x8200xi4>) -> tensor<4x32x8200xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0, 1, 2] : (tensor<4x1x8200xf32>) -> tensor<4x32x8200xf32>
  %e = stablehlo.multiply %c, %sb : tensor<4x32x8200xf32>
  %m = stablehlo.reshape %e : (tensor<4x32x8200xf32>) -> tensor<128x8200xf32>
  %c_ = stablehlo.convert %v : (tensor<4x32x8200xi4>) -> tensor<4x32x8200xf32>
  %sb_ = stablehlo.broadcast_in_dim %s, dims = [0, 1, 2] : (tensor<4x1x8200xf32>) -> tensor<4x32x8200xf32>
  %e_ = stablehlo.multiply %c_, %sb_ : tensor<4x32x8200xf32>
  %n0 = stablehlo.reshape %e_ : (tensor<4x32x8200xf32>) -> tensor<128x8200xf32>
  %n = stablehlo.optimization_barrier %n0 : tensor<128x8200xf32>
  %0 = stablehlo.dot_general %x, %m, contracting_dims = [1] x [0] : (tensor<1x128xf32>, tensor<128x8200xf32>) -> tensor<1x8200xf32>
  %1 = stablehlo.dot_general %x, %n, contracting_dims = [1] x [0] : (tensor<1x128xf32>, tensor<128x8200xf32>) -> tensor<1x8200xf32>
  check.expect_eq %0, %1 : tensor<1x8200xf32>
  func.return
}

// -----

// Long columns with a mask.
func.func @parts() {
  %x_i = stablehlo.iota dim = 0 : tensor<512xi32>
  %x_f = stablehlo.constant dense<5> : tensor<512xi32>
  %x_p = stablehlo.multiply %x_i, %x_f : tensor<512xi32>
  %x_s = stablehlo.constant dense<7> : tensor<512xi32>
  %x_r = stablehlo.remainder %x_p, %x_s : tensor<512xi32>
  %x_l = stablehlo.constant dense<-3> : tensor<512xi32>
  %x_a = stablehlo.add %x_r, %x_l : tensor<512xi32>
  %x_c = stablehlo.convert %x_a : (tensor<512xi32>) -> tensor<512xf32>
  %x_t = stablehlo.reshape %x_c : (tensor<512xf32>) -> tensor<1x512xf32>
  %x = stablehlo.optimization_barrier %x_t : tensor<1x512xf32>
  %w_i = stablehlo.iota dim = 0 : tensor<20480xi32>
  %w_f = stablehlo.constant dense<11> : tensor<20480xi32>
  %w_p = stablehlo.multiply %w_i, %w_f : tensor<20480xi32>
  %w_s = stablehlo.constant dense<19> : tensor<20480xi32>
  %w_r = stablehlo.remainder %w_p, %w_s : tensor<20480xi32>
  %w_l = stablehlo.constant dense<-9> : tensor<20480xi32>
  %w_a = stablehlo.add %w_r, %w_l : tensor<20480xi32>
  %w_c = stablehlo.convert %w_a : (tensor<20480xi32>) -> tensor<20480xi8>
  %w_t = stablehlo.reshape %w_c : (tensor<20480xi8>) -> tensor<512x40xi8>
  %w = stablehlo.optimization_barrier %w_t : tensor<512x40xi8>
  %k_i = stablehlo.iota dim = 0 : tensor<512xi32>
  %k_f = stablehlo.constant dense<7> : tensor<512xi32>
  %k_p = stablehlo.multiply %k_i, %k_f : tensor<512xi32>
  %k_s = stablehlo.constant dense<3> : tensor<512xi32>
  %k_r = stablehlo.remainder %k_p, %k_s : tensor<512xi32>
  %k_l = stablehlo.constant dense<0> : tensor<512xi32>
  %k_a = stablehlo.add %k_r, %k_l : tensor<512xi32>
  %k_c = stablehlo.convert %k_a : (tensor<512xi32>) -> tensor<512xi32>
  %k_t = stablehlo.reshape %k_c : (tensor<512xi32>) -> tensor<512x1xi32>
  %k = stablehlo.optimization_barrier %k_t : tensor<512x1xi32>
  %v = stablehlo.optimization_barrier %w : tensor<512x40xi8>
  %zero = stablehlo.constant dense<0> : tensor<512x40xi32>
  %kb = stablehlo.broadcast_in_dim %k, dims = [0, 1] : (tensor<512x1xi32>) -> tensor<512x40xi32>
  %keeps = stablehlo.compare NE, %kb, %zero : (tensor<512x40xi32>, tensor<512x40xi32>) -> tensor<512x40xi1>
  %c = stablehlo.convert %w : (tensor<512x40xi8>) -> tensor<512x40xf32>
  %o = stablehlo.constant dense<0.0> : tensor<512x40xf32>
  %m = stablehlo.select %keeps, %c, %o : tensor<512x40xi1>, tensor<512x40xf32>
  %c_ = stablehlo.convert %v : (tensor<512x40xi8>) -> tensor<512x40xf32>
  %o_ = stablehlo.constant dense<0.0> : tensor<512x40xf32>
  %n0 = stablehlo.select %keeps, %c_, %o_ : tensor<512x40xi1>, tensor<512x40xf32>
  %n = stablehlo.optimization_barrier %n0 : tensor<512x40xf32>
  %0 = stablehlo.dot_general %x, %m, contracting_dims = [1] x [0] : (tensor<1x512xf32>, tensor<512x40xf32>) -> tensor<1x40xf32>
  %1 = stablehlo.dot_general %x, %n, contracting_dims = [1] x [0] : (tensor<1x512xf32>, tensor<512x40xf32>) -> tensor<1x40xf32>
  check.expect_eq %0, %1 : tensor<1x40xf32>
  func.return
}

// -----

// Two vectors.
func.func @two_vectors() {
  %x_i = stablehlo.iota dim = 0 : tensor<20000xi32>
  %x_f = stablehlo.constant dense<5> : tensor<20000xi32>
  %x_p = stablehlo.multiply %x_i, %x_f : tensor<20000xi32>
  %x_s = stablehlo.constant dense<7> : tensor<20000xi32>
  %x_r = stablehlo.remainder %x_p, %x_s : tensor<20000xi32>
  %x_l = stablehlo.constant dense<-3> : tensor<20000xi32>
  %x_a = stablehlo.add %x_r, %x_l : tensor<20000xi32>
  %x_c = stablehlo.convert %x_a : (tensor<20000xi32>) -> tensor<20000xf32>
  %x_t = stablehlo.reshape %x_c : (tensor<20000xf32>) -> tensor<1x20000xf32>
  %x = stablehlo.optimization_barrier %x_t : tensor<1x20000xf32>
  %w_i = stablehlo.iota dim = 0 : tensor<20000xi32>
  %w_f = stablehlo.constant dense<11> : tensor<20000xi32>
  %w_p = stablehlo.multiply %w_i, %w_f : tensor<20000xi32>
  %w_s = stablehlo.constant dense<19> : tensor<20000xi32>
  %w_r = stablehlo.remainder %w_p, %w_s : tensor<20000xi32>
  %w_l = stablehlo.constant dense<-9> : tensor<20000xi32>
  %w_a = stablehlo.add %w_r, %w_l : tensor<20000xi32>
  %w_c = stablehlo.convert %w_a : (tensor<20000xi32>) -> tensor<20000xi8>
  %w_t = stablehlo.reshape %w_c : (tensor<20000xi8>) -> tensor<20000x1xi8>
  %w = stablehlo.optimization_barrier %w_t : tensor<20000x1xi8>
  %v = stablehlo.optimization_barrier %w : tensor<20000x1xi8>
  %m = stablehlo.convert %w : (tensor<20000x1xi8>) -> tensor<20000x1xf32>
  %n0 = stablehlo.convert %v : (tensor<20000x1xi8>) -> tensor<20000x1xf32>
  %n = stablehlo.optimization_barrier %n0 : tensor<20000x1xf32>
  %0 = stablehlo.dot_general %x, %m, contracting_dims = [1] x [0] : (tensor<1x20000xf32>, tensor<20000x1xf32>) -> tensor<1x1xf32>
  %1 = stablehlo.dot_general %x, %n, contracting_dims = [1] x [0] : (tensor<1x20000xf32>, tensor<20000x1xf32>) -> tensor<1x1xf32>
  check.expect_eq %0, %1 : tensor<1x1xf32>
  func.return
}

// -----

// A matrix that is transposed and masked.
func.func @masks() {
  %x_i = stablehlo.iota dim = 0 : tensor<140xi32>
  %x_f = stablehlo.constant dense<5> : tensor<140xi32>
  %x_p = stablehlo.multiply %x_i, %x_f : tensor<140xi32>
  %x_s = stablehlo.constant dense<7> : tensor<140xi32>
  %x_r = stablehlo.remainder %x_p, %x_s : tensor<140xi32>
  %x_l = stablehlo.constant dense<-3> : tensor<140xi32>
  %x_a = stablehlo.add %x_r, %x_l : tensor<140xi32>
  %x_c = stablehlo.convert %x_a : (tensor<140xi32>) -> tensor<140xf32>
  %x_t = stablehlo.reshape %x_c : (tensor<140xf32>) -> tensor<140xf32>
  %x = stablehlo.optimization_barrier %x_t : tensor<140xf32>
  %w_i = stablehlo.iota dim = 0 : tensor<17500xi32>
  %w_f = stablehlo.constant dense<11> : tensor<17500xi32>
  %w_p = stablehlo.multiply %w_i, %w_f : tensor<17500xi32>
  %w_s = stablehlo.constant dense<19> : tensor<17500xi32>
  %w_r = stablehlo.remainder %w_p, %w_s : tensor<17500xi32>
  %w_l = stablehlo.constant dense<-9> : tensor<17500xi32>
  %w_a = stablehlo.add %w_r, %w_l : tensor<17500xi32>
  %w_c = stablehlo.convert %w_a : (tensor<17500xi32>) -> tensor<17500xbf16>
  %w_t = stablehlo.reshape %w_c : (tensor<17500xbf16>) -> tensor<140x125xbf16>
  %w = stablehlo.optimization_barrier %w_t : tensor<140x125xbf16>
  %k_i = stablehlo.iota dim = 0 : tensor<17500xi32>
  %k_f = stablehlo.constant dense<7> : tensor<17500xi32>
  %k_p = stablehlo.multiply %k_i, %k_f : tensor<17500xi32>
  %k_s = stablehlo.constant dense<3> : tensor<17500xi32>
  %k_r = stablehlo.remainder %k_p, %k_s : tensor<17500xi32>
  %k_l = stablehlo.constant dense<0> : tensor<17500xi32>
  %k_a = stablehlo.add %k_r, %k_l : tensor<17500xi32>
  %k_c = stablehlo.convert %k_a : (tensor<17500xi32>) -> tensor<17500xi32>
  %k_t = stablehlo.reshape %k_c : (tensor<17500xi32>) -> tensor<125x140xi32>
  %k = stablehlo.optimization_barrier %k_t : tensor<125x140xi32>
  %v = stablehlo.optimization_barrier %w : tensor<140x125xbf16>
  %c = stablehlo.convert %w : (tensor<140x125xbf16>) -> tensor<140x125xf32>
  %t = stablehlo.transpose %c, dims = [1, 0] : (tensor<140x125xf32>) -> tensor<125x140xf32>
  %o = stablehlo.constant dense<0> : tensor<125x140xi32>
  %keeps = stablehlo.compare NE, %k, %o : (tensor<125x140xi32>, tensor<125x140xi32>) -> tensor<125x140xi1>
  %no = stablehlo.constant dense<0.0> : tensor<125x140xf32>
  %m = stablehlo.select %keeps, %t, %no : tensor<125x140xi1>, tensor<125x140xf32>
  %c_ = stablehlo.convert %v : (tensor<140x125xbf16>) -> tensor<140x125xf32>
  %t_ = stablehlo.transpose %c_, dims = [1, 0] : (tensor<140x125xf32>) -> tensor<125x140xf32>
  %o_ = stablehlo.constant dense<0> : tensor<125x140xi32>
  %keeps_ = stablehlo.compare NE, %k, %o_ : (tensor<125x140xi32>, tensor<125x140xi32>) -> tensor<125x140xi1>
  %no_ = stablehlo.constant dense<0.0> : tensor<125x140xf32>
  %n0 = stablehlo.select %keeps_, %t_, %no_ : tensor<125x140xi1>, tensor<125x140xf32>
  %n = stablehlo.optimization_barrier %n0 : tensor<125x140xf32>
  %0 = stablehlo.dot_general %m, %x, contracting_dims = [1] x [0] : (tensor<125x140xf32>, tensor<140xf32>) -> tensor<125xf32>
  %1 = stablehlo.dot_general %n, %x, contracting_dims = [1] x [0] : (tensor<125x140xf32>, tensor<140xf32>) -> tensor<125xf32>
  check.expect_eq %0, %1 : tensor<125xf32>
  func.return
}
