// The outlines of a picture: how much darker each point is than the brightest one of the 3x3 window
// around it. For examples that process pictures, frame after frame; it carries nothing.
//
// All of it is arithmetic on whole numbers, so every device gives the same bytes.
module @windows {
  func.func public @main(%picture: tensor<512x512x3xui8>)
      -> (tensor<512x512x3xui8> {jax.result_info = "picture"}) {
    // Brightness: (77 R + 150 G + 29 B) / 256.
    %whole = stablehlo.convert %picture : (tensor<512x512x3xui8>) -> tensor<512x512x3xi32>
    %shares = stablehlo.constant dense<[77, 150, 29]> : tensor<3xi32>
    %bits = stablehlo.constant dense<8> : tensor<512x512xi32>
    %weighted = stablehlo.dot_general %whole, %shares, contracting_dims = [2] x [0]
      : (tensor<512x512x3xi32>, tensor<3xi32>) -> tensor<512x512xi32>
    %bright = stablehlo.shift_right_logical %weighted, %bits : tensor<512x512xi32>

    %least = stablehlo.constant dense<0> : tensor<i32>
    %brightest = "stablehlo.reduce_window"(%bright, %least) <{
      window_dimensions = array<i64: 3, 3>,
      padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>
    }> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %0 = stablehlo.maximum %a, %b : tensor<i32>
      stablehlo.return %0 : tensor<i32>
    }) : (tensor<512x512xi32>, tensor<i32>) -> tensor<512x512xi32>
    %darker = stablehlo.subtract %brightest, %bright : tensor<512x512xi32>
    %narrow = stablehlo.convert %darker : (tensor<512x512xi32>) -> tensor<512x512xui8>
    %outlines = stablehlo.broadcast_in_dim %narrow, dims = [0, 1] : (tensor<512x512xui8>) -> tensor<512x512x3xui8>
    return %outlines : tensor<512x512x3xui8>
  }
}
