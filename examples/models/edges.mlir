// The outlines of a picture, drawn over it up to a column that moves by two with
// every frame; for examples that process pictures. The frame's number is given back
// raised by one, for a session to carry from run to run.
//
// All of it is arithmetic on whole numbers, so every device gives the same bytes.
module @edges {
  // 3x3 sums of differences (Sobel) of the brightness, 0 to 255, of one channel.
  func.func private @outlines(%bright: tensor<224x225xi32>) -> tensor<224x225xi32> {
    %one = stablehlo.constant dense<1> : tensor<224x225xi32>
    %two = stablehlo.constant dense<2> : tensor<224x225xi32>
    %most = stablehlo.constant dense<255> : tensor<224x225xi32>

    // One row and column more on each side, as bright as the border.
    %top = stablehlo.slice %bright [0:1, 0:225] : (tensor<224x225xi32>) -> tensor<1x225xi32>
    %bottom = stablehlo.slice %bright [223:224, 0:225] : (tensor<224x225xi32>) -> tensor<1x225xi32>
    %tall = stablehlo.concatenate %top, %bright, %bottom, dim = 0
      : (tensor<1x225xi32>, tensor<224x225xi32>, tensor<1x225xi32>) -> tensor<226x225xi32>
    %left = stablehlo.slice %tall [0:226, 0:1] : (tensor<226x225xi32>) -> tensor<226x1xi32>
    %right = stablehlo.slice %tall [0:226, 224:225] : (tensor<226x225xi32>) -> tensor<226x1xi32>
    %padded = stablehlo.concatenate %left, %tall, %right, dim = 1
      : (tensor<226x1xi32>, tensor<226x225xi32>, tensor<226x1xi32>) -> tensor<226x227xi32>

    // Differences along a row, then 1 2 1 over three rows; and the other way round.
    %after = stablehlo.slice %padded [0:226, 2:227] : (tensor<226x227xi32>) -> tensor<226x225xi32>
    %before = stablehlo.slice %padded [0:226, 0:225] : (tensor<226x227xi32>) -> tensor<226x225xi32>
    %dx = stablehlo.subtract %after, %before : tensor<226x225xi32>
    %dx0 = stablehlo.slice %dx [0:224, 0:225] : (tensor<226x225xi32>) -> tensor<224x225xi32>
    %dx1 = stablehlo.slice %dx [1:225, 0:225] : (tensor<226x225xi32>) -> tensor<224x225xi32>
    %dx2 = stablehlo.slice %dx [2:226, 0:225] : (tensor<226x225xi32>) -> tensor<224x225xi32>
    %x0 = stablehlo.add %dx0, %dx2 : tensor<224x225xi32>
    %x1 = stablehlo.multiply %dx1, %two : tensor<224x225xi32>
    %x = stablehlo.add %x0, %x1 : tensor<224x225xi32>

    %below = stablehlo.slice %padded [2:226, 0:227] : (tensor<226x227xi32>) -> tensor<224x227xi32>
    %above = stablehlo.slice %padded [0:224, 0:227] : (tensor<226x227xi32>) -> tensor<224x227xi32>
    %dy = stablehlo.subtract %below, %above : tensor<224x227xi32>
    %dy0 = stablehlo.slice %dy [0:224, 0:225] : (tensor<224x227xi32>) -> tensor<224x225xi32>
    %dy1 = stablehlo.slice %dy [0:224, 1:226] : (tensor<224x227xi32>) -> tensor<224x225xi32>
    %dy2 = stablehlo.slice %dy [0:224, 2:227] : (tensor<224x227xi32>) -> tensor<224x225xi32>
    %y0 = stablehlo.add %dy0, %dy2 : tensor<224x225xi32>
    %y1 = stablehlo.multiply %dy1, %two : tensor<224x225xi32>
    %y = stablehlo.add %y0, %y1 : tensor<224x225xi32>

    %ax = stablehlo.abs %x : tensor<224x225xi32>
    %ay = stablehlo.abs %y : tensor<224x225xi32>
    %sum = stablehlo.add %ax, %ay : tensor<224x225xi32>
    %half = stablehlo.shift_right_logical %sum, %one : tensor<224x225xi32>
    %result = stablehlo.minimum %half, %most : tensor<224x225xi32>
    return %result : tensor<224x225xi32>
  }

  func.func public @main(%picture: tensor<224x225x3xui8>, %frame: tensor<i32> {tf.aliasing_output = 1 : i32})
      -> (tensor<224x225x3xui8> {jax.result_info = "picture"}, tensor<i32> {jax.result_info = "frame"}) {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %width = stablehlo.constant dense<225> : tensor<i32>

    // Brightness: (77 R + 150 G + 29 B) / 256.
    %whole = stablehlo.convert %picture : (tensor<224x225x3xui8>) -> tensor<224x225x3xi32>
    %shares = stablehlo.constant dense<[77, 150, 29]> : tensor<3xi32>
    %bits = stablehlo.constant dense<8> : tensor<224x225xi32>
    %weighted = stablehlo.dot_general %whole, %shares, contracting_dims = [2] x [0]
      : (tensor<224x225x3xi32>, tensor<3xi32>) -> tensor<224x225xi32>
    %bright = stablehlo.shift_right_logical %weighted, %bits : tensor<224x225xi32>
    %lines = func.call @outlines(%bright) : (tensor<224x225xi32>) -> tensor<224x225xi32>
    %narrow = stablehlo.convert %lines : (tensor<224x225xi32>) -> tensor<224x225xui8>
    %outlined = stablehlo.broadcast_in_dim %narrow, dims = [0, 1] : (tensor<224x225xui8>) -> tensor<224x225x3xui8>

    // Outlines to the left of the column, the picture to the right of it.
    %next = stablehlo.add %frame, %one : tensor<i32>
    %moved = stablehlo.multiply %next, %two : tensor<i32>
    %column = stablehlo.remainder %moved, %width : tensor<i32>
    %columns = stablehlo.iota dim = 1 : tensor<224x225x3xi32>
    %edge = stablehlo.broadcast_in_dim %column, dims = [] : (tensor<i32>) -> tensor<224x225x3xi32>
    %is_left = stablehlo.compare LT, %columns, %edge, SIGNED
      : (tensor<224x225x3xi32>, tensor<224x225x3xi32>) -> tensor<224x225x3xi1>
    %shown = stablehlo.select %is_left, %outlined, %picture : tensor<224x225x3xi1>, tensor<224x225x3xui8>
    return %shown, %next : tensor<224x225x3xui8>, tensor<i32>
  }
}
