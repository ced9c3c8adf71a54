// SPDX-License-Identifier: LGPL-2.1-or-later
// What module-0.mlirbc to module-6.mlirbc hold, as MLIR wrote them: every attribute, type
// and location of the builtin dialect that is of use here, and operations with regions.

module @sample attributes {
    test.arrays = [array<i1: true, false>, array<i8: -1, 2>, array<i64: 1, -2, 9223372036854775807>, array<f32: 1.0, 2.5>, array<f64>],
    test.constants = [dense<[1, -2]> : tensor<2xi4>, dense<3> : tensor<2xui2>, dense<[true, false, true]> : tensor<3xi1>,
                      dense<true> : tensor<20xi1>, dense<> : tensor<0x4xf32>, dense<(1.0, -2.0)> : tensor<3xcomplex<f32>>,
                      dense<[1.5, 0x7FC00000]> : tensor<2xf32>, dense<[0x3C, 0xFE]> : tensor<2xf8E5M2>],
    test.dictionary = {a = 1 : i64, b = {c = "two"}},
    test.location = loc("named"("file.py":1:2)),
    test.numbers = [true, -1 : i8, 200 : ui8, -3 : si16, 70000 : i32, 5 : i64, 7 : index, -1 : i3, 1.5 : f64, -2.5 : f32, 1.0 : bf16, 0x7C00 : f16],
    test.resource = dense_resource<weights> : tensor<3xi32>,
    test.string = "text \"in\" text\n",
    test.strings = [dense<"all"> : tensor<2x!test.string>, dense<["one", "two"]> : tensor<2x!test.string>],
    test.symbols = [@flat, @one::@two::@three],
    test.types = [i1, si7, ui32, index, bf16, f16, f32, f64, tf32, f8E4M3FN, f4E2M1FN, none, complex<f64>, complex<i8>, tuple<i1, tuple<>>,
                  tensor<2x?xf32>, tensor<*xi32>, tensor<?x3xf32, #stablehlo.bounds<5, ?>>, memref<2x3xf32>, memref<2xf32, 1>, (i1, f32) -> (), !test.other<4>],
    test.unit} {
  func.func private @declared(tensor<4xf32> loc("x"), tensor<i1>) -> tensor<4xf32>
  func.func @main(%arg0: tensor<4xf32> {test.mark = 1 : i32} loc("input"), %arg1: tensor<i32>) -> (tensor<4xf32>, tensor<f32>) {
    %cst = stablehlo.constant dense<0.0> : tensor<f32> loc(unknown)
    %cst_0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> loc("file.py":3:4)
    %0 = stablehlo.add %arg0, %cst_0 : tensor<4xf32> loc("file.py":3:4 to :9)
    %1 = stablehlo.multiply %0, %0 {test.mark} : tensor<4xf32> loc("file.py":3:4 to 5:6)
    %2 = stablehlo.reduce(%1 init: %cst) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      reducer(%arg2: tensor<f32>, %arg3: tensor<f32>) {
        %5 = stablehlo.add %arg2, %arg3 : tensor<f32> loc(callsite("inner" at callsite("file.py":7:8 at "outer")))
        stablehlo.return %5 : tensor<f32>
      } loc(fused["file.py":9:10, "fused"])
    %3:2 = stablehlo.while(%iterArg = %arg1, %iterArg_1 = %1) : tensor<i32>, tensor<4xf32>
      cond {
        %c = stablehlo.constant dense<0> : tensor<i32>
        %5 = stablehlo.compare GT, %iterArg, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %5 : tensor<i1>
      } do {
        %c = stablehlo.constant dense<1> : tensor<i32>
        %5 = stablehlo.subtract %iterArg, %c : tensor<i32>
        %6 = stablehlo.add %iterArg_1, %cst_0 : tensor<4xf32>
        stablehlo.return %5, %6 : tensor<i32>, tensor<4xf32>
      } loc(fused<"metadata">["file.py":11:12, unknown])
    %4 = call @helper(%3#1) : (tensor<4xf32>) -> tensor<4xf32> loc("call"("file.py":13:14))
    return %4, %2 : tensor<4xf32>, tensor<f32>
  }
  module @inside {
    func.func @unused() {
      return
    }
  }
  func.func private @helper(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x40000000010000000200000003000000"
    }
  }
#-}
