#loc1 = loc("x")
!t = tensor<?x3xf32>
module @m attributes {jax.uses_shape_polymorphism = true} {
  func.func public @main(%x: !t loc("a"), %q: tensor<2x!quant.uniform<i8:f32, 0.5:-3>>, %z: tensor<2xcomplex<f64>>, %h: tensor<4xbf16>) -> (!t {jax.result_info = ""}) {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (!t) -> tensor<i32>
    %r = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %three = stablehlo.constant dense<3> : tensor<1xi32>
    %s = stablehlo.concatenate %r, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %b = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> !t
    %y = stablehlo.add %x, %b : !t loc(callsite("f"(#loc1) at "file.py":3:4))
    %d = stablehlo.uniform_dequantize %q : (tensor<2x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<2xf32>
    %e = stablehlo.exponential %z : tensor<2xcomplex<f64>>
    %k = stablehlo.convert %h : (tensor<4xbf16>) -> tensor<4xf8E4M3FN>
    %l = chlo.lgamma %d : tensor<2xf32> -> tensor<2xf32>
    return %y : !t loc(unknown)
  } loc(#loc1)
} loc(#loc1)
