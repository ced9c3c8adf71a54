// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Decompositions, normalization, Fourier transforms, random numbers.

func.func @cholesky() {
  // L L^T with L = [[2, 0], [1, 3]]. What is above the diagonal is not defined.
  %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 10.0]]> : tensor<2x2xf64>
  %l = stablehlo.cholesky %a, lower = true : tensor<2x2xf64>
  %0 = stablehlo.slice %l [1:2, 0:2] : (tensor<2x2xf64>) -> tensor<1x2xf64>
  %1 = stablehlo.slice %l [0:1, 0:1] : (tensor<2x2xf64>) -> tensor<1x1xf64>
  check.expect_almost_eq_const %0, dense<[[1.0, 3.0]]> : tensor<1x2xf64>, tolerance = 1.0e-15
  check.expect_almost_eq_const %1, dense<[[2.0]]> : tensor<1x1xf64>, tolerance = 1.0e-15
  func.return
}

// -----

func.func @triangular_solve() {
  // 2 x = 4, x + 3 y = 11
  %a = stablehlo.constant dense<[[2.0, 0.0], [1.0, 3.0]]> : tensor<2x2xf64>
  %b = stablehlo.constant dense<[[4.0], [11.0]]> : tensor<2x1xf64>
  %x = "stablehlo.triangular_solve"(%a, %b) {
    left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>
  } : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  check.expect_almost_eq_const %x, dense<[[2.0], [3.0]]> : tensor<2x1xf64>, tolerance = 1.0e-15
  func.return
}

// -----

func.func @fft() {
  // One turn in four steps has all its weight in the first frequency.
  %turn = stablehlo.constant dense<[(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)]> : tensor<4xcomplex<f64>>
  %forth = stablehlo.fft %turn, type = FFT, length = [4] : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
  %back = stablehlo.fft %forth, type = IFFT, length = [4] : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
  check.expect_almost_eq_const %forth, dense<[(0.0, 0.0), (4.0, 0.0), (0.0, 0.0), (0.0, 0.0)]> : tensor<4xcomplex<f64>>, tolerance = 1.0e-15
  check.expect_almost_eq %back, %turn, tolerance = 1.0e-15 : tensor<4xcomplex<f64>>
  // Real input: half of the frequencies are enough.
  %real = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>
  %half = stablehlo.fft %real, type = RFFT, length = [4] : (tensor<4xf64>) -> tensor<3xcomplex<f64>>
  %again = stablehlo.fft %half, type = IRFFT, length = [4] : (tensor<3xcomplex<f64>>) -> tensor<4xf64>
  check.expect_almost_eq_const %half, dense<[(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0)]> : tensor<3xcomplex<f64>>, tolerance = 1.0e-15
  check.expect_almost_eq %again, %real, tolerance = 1.0e-15 : tensor<4xf64>
  func.return
}

// -----

func.func @batch_norm_inference() {
  // (x - mean) / sqrt (variance + epsilon) * scale + offset, with sqrt (3.5 + 0.5) = 2
  %x = stablehlo.constant dense<[[1.0], [5.0]]> : tensor<2x1xf32>
  %scale = stablehlo.constant dense<[4.0]> : tensor<1xf32>
  %offset = stablehlo.constant dense<[10.0]> : tensor<1xf32>
  %mean = stablehlo.constant dense<[3.0]> : tensor<1xf32>
  %variance = stablehlo.constant dense<[3.5]> : tensor<1xf32>
  %y = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance) {
    epsilon = 0.5 : f32, feature_index = 1 : i64
  } : (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x1xf32>
  check.expect_almost_eq_const %y, dense<[[6.0], [14.0]]> : tensor<2x1xf32>, tolerance = 1.0e-6
  func.return
}

// -----

func.func @batch_norm_training() {
  // The mean is 3, the variance 4, and sqrt (4 + 5) = 3.
  %x = stablehlo.constant dense<[[1.0], [5.0]]> : tensor<2x1xf32>
  %scale = stablehlo.constant dense<[6.0]> : tensor<1xf32>
  %offset = stablehlo.constant dense<[1.0]> : tensor<1xf32>
  %y, %mean, %variance = "stablehlo.batch_norm_training"(%x, %scale, %offset) {
    epsilon = 5.0 : f32, feature_index = 1 : i64
  } : (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>)
  check.expect_almost_eq_const %y, dense<[[-3.0], [5.0]]> : tensor<2x1xf32>, tolerance = 1.0e-6
  check.expect_eq_const %mean, dense<[3.0]> : tensor<1xf32>
  check.expect_eq_const %variance, dense<[4.0]> : tensor<1xf32>
  func.return
}

// -----

func.func @batch_norm_grad() {
  // With d = x - mean = (-2, 2), s = sqrt (4 + 5) = 3 and the gradient g = (1, 2):
  // of the offset sum g = 3; of the scale sum g d / s = 2 / 3; of x
  // scale / (2 s) * (2 g - sum g - d * sum (g d) / s^2) = (1 / 2) * (-1 + 4 / 9, 1 - 4 / 9).
  %x = stablehlo.constant dense<[[1.0], [5.0]]> : tensor<2x1xf32>
  %scale = stablehlo.constant dense<[3.0]> : tensor<1xf32>
  %mean = stablehlo.constant dense<[3.0]> : tensor<1xf32>
  %variance = stablehlo.constant dense<[4.0]> : tensor<1xf32>
  %g = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %dx, %dscale, %doffset = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %g) {
    epsilon = 5.0 : f32, feature_index = 1 : i64
  } : (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>)
  check.expect_almost_eq_const %dx, dense<[[-0.2777777777], [0.2777777777]]> : tensor<2x1xf32>, tolerance = 1.0e-6
  check.expect_almost_eq_const %dscale, dense<[0.6666666666]> : tensor<1xf32>, tolerance = 1.0e-6
  check.expect_almost_eq_const %doffset, dense<[3.0]> : tensor<1xf32>, tolerance = 1.0e-6
  func.return
}

// -----

func.func @rng_bit_generator() {
  // The published first answer of Threefry 2x32 with 20 rounds: key and counter zero.
  %state = stablehlo.constant dense<0> : tensor<2xui64>
  %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
  check.expect_eq_const %bits, dense<[0x6B200159, 0x99BA4EFE]> : tensor<2xui32>
  check.expect_eq_const %next, dense<[0, 1]> : tensor<2xui64>
  func.return
}

// -----

func.func @rng() {
  // Uniform numbers lie in [2, 3).
  %a = stablehlo.constant dense<2.0> : tensor<f32>
  %b = stablehlo.constant dense<3.0> : tensor<f32>
  %shape = stablehlo.constant dense<[1000]> : tensor<1xi64>
  %x = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<1000xf32>
  %floor = stablehlo.floor %x : tensor<1000xf32>
  check.expect_eq_const %floor, dense<2.0> : tensor<1000xf32>
  func.return
}
