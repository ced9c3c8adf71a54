// Two layers: relu (x · w1 + b1) · w2 + b2, and a softmax over the classes.
// The inputs, in order: a batch of four rows, and the weights.
module @mlp {
  func.func public @main(%x: tensor<4x3xf32>, %w1: tensor<3x5xf32>, %b1: tensor<5xf32>,
                         %w2: tensor<5x2xf32>, %b2: tensor<2xf32>)
      -> (tensor<4x2xf32> {jax.result_info = "probabilities"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w1, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
    %1 = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<5xf32>) -> tensor<4x5xf32>
    %2 = stablehlo.add %0, %1 : tensor<4x5xf32>
    %3 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %hidden = stablehlo.maximum %2, %3 : tensor<4x5xf32>
    %4 = stablehlo.dot_general %hidden, %w2, contracting_dims = [1] x [0] : (tensor<4x5xf32>, tensor<5x2xf32>) -> tensor<4x2xf32>
    %5 = stablehlo.broadcast_in_dim %b2, dims = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
    %logits = stablehlo.add %4, %5 : tensor<4x2xf32>
    %6 = stablehlo.reduce(%logits init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<4xf32>) -> tensor<4x2xf32>
    %8 = stablehlo.subtract %logits, %7 : tensor<4x2xf32>
    %9 = stablehlo.exponential %8 : tensor<4x2xf32>
    %10 = stablehlo.reduce(%9 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<4xf32>) -> tensor<4x2xf32>
    %12 = stablehlo.divide %9, %11 : tensor<4x2xf32>
    return %12 : tensor<4x2xf32>
  }
}
