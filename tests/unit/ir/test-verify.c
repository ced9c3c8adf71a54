/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The verifier, family by family: a program of a few lines that is valid, and others that each break one rule. A case
 * without a message is valid. The error must be on the line of the case's last operation.
 */

#include <string.h>

#include "import/import.h"
#include "ir/verify/verify.h"
#include "other-types.h"

typedef struct
{
  const char *name;
  const char *arguments;   /* of @main */
  const char *body;        /* one line */
  const char *message;     /* a part of the error, or NULL where valid */
} Case;

static const Case cases[] = {
  /* Constraints of the op table that apply to any operation. */
  { "table/valid", "%a: tensor<2xf32>", "%0 = stablehlo.tanh %a : tensor<2xf32>", NULL },
  { "table/operand-element", "%a: tensor<2xi32>", "%0 = stablehlo.tanh %a : tensor<2xi32>",
    "expected operand #0 ('operand') to be a ranked tensor of float, complex, per-tensor quantized, found "
    "tensor<2xi32>" },
  { "table/operand-count", "%a: tensor<2xf32>", "%0 = \"stablehlo.tanh\"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> "
    "tensor<2xf32>",
    "expected 1 operands, found 2" },
  { "table/result-count", "%a: tensor<2xf32>", "\"stablehlo.tanh\"(%a) : (tensor<2xf32>) -> ()",
    "expected 1 results, found 0" },
  { "table/region-count", "%a: tensor<2xf32>", "%0 = \"stablehlo.tanh\"(%a) ({ }) : (tensor<2xf32>) -> tensor<2xf32>",
    "expected 0 regions, found 1" },
  { "table/unranked", "%a: tensor<*xf32>", "%0 = \"stablehlo.tanh\"(%a) : (tensor<*xf32>) -> tensor<*xf32>",
    "to be a ranked tensor" },
  { "table/attribute-missing", "%a: tensor<2x3xf32>", "%0 = \"stablehlo.transpose\"(%a) : (tensor<2x3xf32>) -> "
    "tensor<3x2xf32>",
    "expected attribute 'permutation', found none" },
  { "table/attribute-kind", "%a: tensor<2xf32>", "%0 = \"stablehlo.reverse\"(%a) {dimensions = 0 : i64} : "
    "(tensor<2xf32>) -> tensor<2xf32>",
    "expected attribute 'dimensions' to be array<i64: …>" },
  { "table/attribute-minimum", "", "%0 = \"stablehlo.iota\"() {iota_dimension = -1 : i64} : () -> tensor<4xi32>",
    "at least 0" },
  { "table/rank", "%a: tensor<1xf32>, %s: tensor<1xi64>",
    "%0 = \"stablehlo.rng\"(%a, %a, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<1xf32>, "
    "tensor<1xf32>, tensor<1xi64>) -> tensor<?xf32>",
    "0-dimensional" },
  { "table/static", "%s: tensor<?xi64>", "%0 = \"stablehlo.dynamic_iota\"(%s) {iota_dimension = 0 : i64} : "
    "(tensor<?xi64>) -> tensor<?xi32>",
    "statically shaped" },
  { "table/static-or-bounded", "%a: tensor<?xf32>", "%0 = \"stablehlo.reshape\"(%a) : (tensor<?xf32>) -> "
    "tensor<?x1xf32>",
    "single-bounded" },
  { "table/compatible-dynamic", "%a: tensor<?xf32>, %b: tensor<4xf32>",
    "%0 = \"stablehlo.multiply\"(%a, %b) : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>", NULL },
  { "table/same-shape", "%a: tensor<?xf32>, %b: tensor<4xf32>",
    "%0 = \"stablehlo.multiply\"(%a, %b) : (tensor<?xf32>, tensor<4xf32>) -> tensor<5xf32>",
      "equal shapes of operands and results" },
  { "table/compatible-types", "%a: tensor<2xf32>, %b: tensor<2xf64>",
    "%0 = \"stablehlo.multiply\"(%a, %b) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>",
      "compatible types of operands and results" },
  { "table/bounds", "%a: tensor<3xf32>, %b: tensor<?xf32, #stablehlo.bounds<2>>",
    "%0 = \"stablehlo.multiply\"(%a, %b) : (tensor<3xf32>, tensor<?xf32, #stablehlo.bounds<2>>) -> tensor<3xf32>",
    "compatible types of operands and results" },
  { "table/terminator", "", "stablehlo.return", "expected the end of the block" },

  /* Elementwise. */
  { "add/valid-quantized", "%a: tensor<2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x!quant.uniform<i8:f32, 2.0>>",
    "%0 = \"stablehlo.add\"(%a, %b) : (tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<2x!quant.uniform<i8:f32, 2.0>>) "
    "-> tensor<2x!quant.uniform<i8:f32, 3.0>>",
    NULL },
  { "add/element", "%a: tensor<2xf32>, %b: tensor<2xi32>",
    "%0 = \"stablehlo.add\"(%a, %b) : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>", "the same element type" },
  { "add/quantized-mixed", "%a: tensor<2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2xf32>",
    "%0 = \"stablehlo.add\"(%a, %b) : (tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<2xf32>) -> tensor<2xf32>",
    "quantized or none" },
  { "add/quantized-storage", "%a: tensor<2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x!quant.uniform<i16:f32, 1.0>>",
    "%0 = \"stablehlo.add\"(%a, %b) : (tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<2x!quant.uniform<i16:f32, 1.0>>) "
    "-> tensor<2x!quant.uniform<i8:f32, 1.0>>",
    "the storage type of" },
  { "accuracy/valid", "%a: tensor<2xf32>",
    "%0 = \"stablehlo.exponential\"(%a) {result_accuracy = #stablehlo.result_accuracy<ulps = 10, mode = "
    "#stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2xf32>) -> tensor<2xf32>",
    NULL },
  { "accuracy/tolerance", "%a: tensor<2xf32>",
    "%0 = \"stablehlo.exponential\"(%a) {result_accuracy = #stablehlo.result_accuracy<ulps = 10, mode = "
    "#stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<2xf32>) -> tensor<2xf32>",
    "tolerances of 0 with mode HIGHEST" },
  { "abs/valid", "%a: tensor<2xcomplex<f32>>", "%0 = \"stablehlo.abs\"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>",
    NULL },
  { "abs/element", "%a: tensor<2xcomplex<f32>>", "%0 = \"stablehlo.abs\"(%a) : (tensor<2xcomplex<f32>>) -> "
    "tensor<2xf64>",
    "expected result #0 of type tensor<2xf32>, found tensor<2xf64>" },
  { "real/valid", "%a: tensor<2xf32>", "%0 = \"stablehlo.real\"(%a) : (tensor<2xf32>) -> tensor<2xf32>", NULL },
  { "imag/element", "%a: tensor<2xcomplex<f64>>", "%0 = \"stablehlo.imag\"(%a) : (tensor<2xcomplex<f64>>) -> "
    "tensor<2xf32>",
    "tensor<2xf64>" },
  { "complex/valid", "%a: tensor<2xf64>", "%0 = \"stablehlo.complex\"(%a, %a) : (tensor<2xf64>, tensor<2xf64>) -> "
    "tensor<2xcomplex<f64>>", NULL },
  { "complex/element", "%a: tensor<2xf64>", "%0 = \"stablehlo.complex\"(%a, %a) : (tensor<2xf64>, tensor<2xf64>) -> "
    "tensor<2xcomplex<f32>>",
    "complex<f64>" },
  { "compare/valid", "%a: tensor<2xf32>", "%0 = stablehlo.compare LT, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> "
    "tensor<2xi1>", NULL },
  { "compare/result", "%a: tensor<2xf32>", "%0 = stablehlo.compare LT, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> "
    "tensor<2xi32>",
    "expected result #0" },
  { "select/valid", "%p: tensor<i1>, %a: tensor<2xf32>", "%0 = \"stablehlo.select\"(%p, %a, %a) : (tensor<i1>, "
    "tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>", NULL },
  { "select/pred", "%p: tensor<3xi1>, %a: tensor<2xf32>", "%0 = \"stablehlo.select\"(%p, %a, %a) : (tensor<3xi1>, "
    "tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
    "a predicate that is a scalar" },
  { "select/values", "%p: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xf64>",
    "%0 = \"stablehlo.select\"(%p, %a, %b) : (tensor<i1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>",
      "'on_false' compatible" },
  { "clamp/valid", "%m: tensor<f32>, %a: tensor<2xf32>", "%0 = \"stablehlo.clamp\"(%m, %a, %m) : (tensor<f32>, "
    "tensor<2xf32>, tensor<f32>) -> tensor<2xf32>", NULL },
  { "clamp/limit", "%m: tensor<3xf32>, %a: tensor<2xf32>", "%0 = \"stablehlo.clamp\"(%a, %a, %m) : (tensor<2xf32>, "
    "tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>",
    "'max' that is a scalar" },
  { "bitcast/valid", "%a: tensor<2xf32>", "%0 = \"stablehlo.bitcast_convert\"(%a) : (tensor<2xf32>) -> tensor<2x4xi8>",
    NULL },
  { "bitcast/size", "%a: tensor<2xf32>", "%0 = \"stablehlo.bitcast_convert\"(%a) : (tensor<2xf32>) -> tensor<2x3xi8>",
    "innermost dimension" },
  { "bitcast/rank", "%a: tensor<2xf32>", "%0 = \"stablehlo.bitcast_convert\"(%a) : (tensor<2xf32>) -> tensor<2xi8>",
    "expected rank 2" },
  { "bitcast/complex", "%a: tensor<2xf64>", "%0 = \"stablehlo.bitcast_convert\"(%a) : (tensor<2xf64>) -> "
    "tensor<2xcomplex<f32>>", "complex exactly when" },
  { "quantize/valid", "%a: tensor<2xf32>", "%0 = \"stablehlo.uniform_quantize\"(%a) : (tensor<2xf32>) -> "
    "tensor<2x!quant.uniform<i8:f32, 1.0>>", NULL },
  { "quantize/expressed", "%a: tensor<2xf64>", "%0 = \"stablehlo.uniform_quantize\"(%a) : (tensor<2xf64>) -> "
    "tensor<2x!quant.uniform<i8:f32, 1.0>>",
    "expressed type f64" },
  { "dequantize/expressed", "%a: tensor<2x!quant.uniform<i8:f32, 1.0>>",
    "%0 = \"stablehlo.uniform_dequantize\"(%a) : (tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2xf64>",
      "tensor<2xf32>" },
  { "quantized/axis", "%a: tensor<2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>",
    "%0 = \"stablehlo.uniform_dequantize\"(%a) : (tensor<2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) -> tensor<2xf32>",
      "per-axis quantized" },

  /* Shapes. */
  { "reshape/valid", "%a: tensor<2x3xf32>", "%0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<6xf32>", NULL },
  { "reshape/count", "%a: tensor<2x3xf32>", "%0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<5xf32>",
    "6 elements" },
  { "reshape/quantized", "%a: tensor<2x!quant.uniform<i8:f32, 1.0>>",
    "%0 = stablehlo.reshape %a : (tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x!quant.uniform<i8:f32, 2.0>>",
      "scales and zero points" },
  { "dynamic_reshape/valid", "%a: tensor<?xf32>, %s: tensor<2xi64>", "%0 = stablehlo.dynamic_reshape %a, %s : "
    "(tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>", NULL },
  { "dynamic_reshape/rank", "%a: tensor<?xf32>, %s: tensor<2xi64>", "%0 = stablehlo.dynamic_reshape %a, %s : "
    "(tensor<?xf32>, tensor<2xi64>) -> tensor<?xf32>",
    "a result of rank 2" },
  { "dynamic_reshape/elements", "%a: tensor<2x3xf32>", "%s = stablehlo.constant dense<[5, 1]> : tensor<2xi64> "
    "%0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>",
    "expected an output shape of as many elements as tensor<2x3xf32>, found [5, 1]" },
  { "dynamic_reshape/quantized", "%a: tensor<2x!quant.uniform<i8:f32, 1.0>>, %s: tensor<2xi64>",
    "%0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<2xi64>) -> tensor<1x2xf32>",
    "a result of the element type of" },
  { "dynamic_reshape/plain", "%a: tensor<2xi8>, %s: tensor<2xi64>",
    "%0 = stablehlo.dynamic_reshape %a, %s : (tensor<2xi8>, tensor<2xi64>) -> tensor<1x2x!quant.uniform<i16:f32, 1.0>>",
    "a result of the element type of" },
  { "transpose/valid", "%a: tensor<2x3xf32>", "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> "
    "tensor<3x2xf32>", NULL },
  { "transpose/permutation", "%a: tensor<2x3xf32>", "%0 = stablehlo.transpose %a, dims = [0, 0] : (tensor<2x3xf32>) -> "
    "tensor<2x2xf32>", "no dimension twice" },
  { "transpose/range", "%a: tensor<2x3xf32>", "%0 = stablehlo.transpose %a, dims = [0, 2] : (tensor<2x3xf32>) -> "
    "tensor<2x3xf32>", "in [0, 2)" },
  { "transpose/shape", "%a: tensor<2x3xf32>", "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> "
    "tensor<2x3xf32>", "tensor<3x2xf32>" },
  { "reverse/valid", "%a: tensor<2x3xf32>", "%0 = stablehlo.reverse %a, dims = [1] : tensor<2x3xf32>", NULL },
  { "reverse/twice", "%a: tensor<2x3xf32>", "%0 = stablehlo.reverse %a, dims = [1, 1] : tensor<2x3xf32>",
    "no dimension twice" },
  { "broadcast/valid", "%a: tensor<3xf32>", "%0 = stablehlo.broadcast %a, sizes = [1, 2] : (tensor<3xf32>) -> "
    "tensor<1x2x3xf32>", NULL },
  { "broadcast/negative", "%a: tensor<3xf32>", "%0 = stablehlo.broadcast %a, sizes = [-1] : (tensor<3xf32>) -> "
    "tensor<1x3xf32>", "at least 0" },
  { "broadcast_in_dim/valid", "%a: tensor<1x3xf32>", "%0 = stablehlo.broadcast_in_dim %a, dims = [0, 2] : "
    "(tensor<1x3xf32>) -> tensor<2x4x3xf32>", NULL },
  { "broadcast_in_dim/size", "%a: tensor<2x3xf32>", "%0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : "
    "(tensor<2x3xf32>) -> tensor<4x3xf32>", "operand dimension 0" },
  { "broadcast_in_dim/count", "%a: tensor<2x3xf32>", "%0 = stablehlo.broadcast_in_dim %a, dims = [0] : "
    "(tensor<2x3xf32>) -> tensor<2x3xf32>", "2 broadcast_dimensions" },
  { "broadcast_in_dim/range", "%a: tensor<3xf32>", "%0 = stablehlo.broadcast_in_dim %a, dims = [2] : (tensor<3xf32>) "
    "-> tensor<2x3xf32>", "in [0, 2)" },
  { "dynamic_broadcast/valid", "%a: tensor<?xf32>, %s: tensor<2xi64>",
    "%0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>",
    NULL },
  { "dynamic_broadcast/hints", "%a: tensor<?xf32>, %s: tensor<2xi64>",
    "%0 = \"stablehlo.dynamic_broadcast_in_dim\"(%a, %s) {broadcast_dimensions = array<i64: 1>, "
    "known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<?xf32>, "
    "tensor<2xi64>) -> tensor<?x?xf32>",
    "at most one hint" },
  { "dynamic_broadcast/quantized", "%a: tensor<2x!quant.uniform<i8:f32, 1.0>>, %s: tensor<2xi64>",
    "%0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<2x!quant.uniform<i8:f32, 1.0>>, "
    "tensor<2xi64>) -> tensor<3x2xf64>",
    "a result of the element type of" },
  { "dynamic_broadcast/scale", "%a: tensor<2x!quant.uniform<i8:f32, 1.0>>, %s: tensor<2xi64>",
    "%0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<2x!quant.uniform<i8:f32, 1.0>>, "
    "tensor<2xi64>) -> tensor<3x2x!quant.uniform<i8:f32, 2.0>>",
    "scales and zero points of" },
  { "slice/valid", "%a: tensor<5xf32>", "%0 = stablehlo.slice %a [1:5:2] : (tensor<5xf32>) -> tensor<2xf32>", NULL },
  { "slice/limit", "%a: tensor<5xf32>", "%0 = stablehlo.slice %a [1:6:2] : (tensor<5xf32>) -> tensor<3xf32>",
    "of at most its size 5" },
  { "slice/stride", "%a: tensor<5xf32>", "%0 = stablehlo.slice %a [1:5:0] : (tensor<5xf32>) -> tensor<2xf32>",
    "a stride of at least 1" },
  { "slice/shape", "%a: tensor<5xf32>", "%0 = stablehlo.slice %a [1:5:2] : (tensor<5xf32>) -> tensor<3xf32>",
    "tensor<2xf32>" },
  { "dynamic_slice/valid", "%a: tensor<5xf32>, %i: tensor<i32>", "%0 = stablehlo.dynamic_slice %a, %i, sizes = [2] : "
    "(tensor<5xf32>, tensor<i32>) -> tensor<2xf32>", NULL },
  { "dynamic_slice/size", "%a: tensor<5xf32>, %i: tensor<i32>", "%0 = stablehlo.dynamic_slice %a, %i, sizes = [6] : "
    "(tensor<5xf32>, tensor<i32>) -> tensor<6xf32>", "of at most 5" },
  { "dynamic_slice/indices", "%a: tensor<5x5xf32>, %i: tensor<i32>", "%0 = stablehlo.dynamic_slice %a, %i, sizes = [2, "
    "2] : (tensor<5x5xf32>, tensor<i32>) -> tensor<2x2xf32>", "2 start indices" },
  { "dynamic_update_slice/valid", "%a: tensor<5xf32>, %u: tensor<2xf32>, %i: tensor<i32>",
    "%0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<5xf32>, tensor<2xf32>, tensor<i32>) -> tensor<5xf32>",
      NULL },
  { "dynamic_update_slice/size", "%a: tensor<5xf32>, %u: tensor<6xf32>, %i: tensor<i32>",
    "%0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<5xf32>, tensor<6xf32>, tensor<i32>) -> tensor<5xf32>",
      "an update of at most size 5" },
  { "real_dynamic_slice/count", "%a: tensor<5xf32>, %s: tensor<2xi64>",
    "%0 = stablehlo.real_dynamic_slice %a, %s, %s, %s : (tensor<5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) "
    "-> tensor<?xf32>", "1 elements in 'start_indices'" },
  { "concatenate/valid", "%a: tensor<2x3xf32>, %b: tensor<2x?xf32>",
    "%0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x3xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>", NULL },
  { "concatenate/size", "%a: tensor<2x3xf32>", "%0 = stablehlo.concatenate %a, %a, dim = 1 : (tensor<2x3xf32>, "
    "tensor<2x3xf32>) -> tensor<2x5xf32>", "tensor<2x6xf32>" },
  { "concatenate/other", "%a: tensor<2x3xf32>, %b: tensor<3x3xf32>",
    "%0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x6xf32>",
      "equal sizes of dimension 0" },
  { "concatenate/none", "", "%0 = \"stablehlo.concatenate\"() {dimension = 0 : i64} : () -> tensor<2xf32>",
    "at least one operand" },
  { "concatenate/rank", "%a: tensor<2xf32>, %b: tensor<f32>",
    "%0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xf32>, tensor<f32>) -> tensor<?xf32>",
    "of the same rank, found ranks 1 and 0" },
  { "concatenate/higher-rank", "%a: tensor<?x2xf32>, %b: tensor<3x2x4xf32>",
    "%0 = stablehlo.concatenate %a, %a, %b, dim = 1 : (tensor<?x2xf32>, tensor<?x2xf32>, tensor<3x2x4xf32>) -> "
    "tensor<?x6xf32>", "of the same rank, found ranks 2 and 3" },
  { "pad/valid", "%a: tensor<3xf32>, %v: tensor<f32>",
    "%0 = stablehlo.pad %a, %v, low = [1], high = [-1], interior = [2] : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>",
      NULL },
  { "pad/interior", "%a: tensor<3xf32>, %v: tensor<f32>",
    "%0 = stablehlo.pad %a, %v, low = [1], high = [1], interior = [-1] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>",
      "interior padding" },
  { "pad/overflow", "%a: tensor<3xf32>, %v: tensor<f32>",
    "%0 = stablehlo.pad %a, %v, low = [9223372036854775807], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) "
    "-> tensor<?xf32>", "below 2^63 in dimension 0, found 3 padded by 9223372036854775807, 1 and 0 between elements" },
  { "dynamic_pad/count", "%a: tensor<3xf32>, %v: tensor<f32>, %p: tensor<2xi64>",
    "%0 = stablehlo.dynamic_pad %a, %v, %p, %p, %p : (tensor<3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, "
    "tensor<2xi64>) -> tensor<?xf32>", "1 elements in each padding" },

  /* Sources. */
  { "constant/valid", "", "%0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>", NULL },
  { "constant/type", "", "%0 = \"stablehlo.constant\"() {value = dense<1> : tensor<2xi32>} : () -> tensor<3xi32>",
    "the type of its value" },
  { "iota/valid", "", "%0 = stablehlo.iota dim = 1 : tensor<2x3xi32>", NULL },
  { "iota/scalar", "", "%0 = stablehlo.iota dim = 0 : tensor<i32>", "a scalar" },
  { "iota/dimension", "", "%0 = stablehlo.iota dim = 2 : tensor<2x3xi32>", "in [0, 2)" },
  { "dynamic_iota/valid", "%s: tensor<2xi64>", "%0 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> "
    "tensor<?x?xi32>", NULL },
  { "dynamic_iota/rank", "%s: tensor<2xi64>", "%0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> "
    "tensor<?xi32>", "an output shape of 1 sizes" },
  { "rng/valid", "%a: tensor<f32>, %s: tensor<2xi64>",
    "%0 = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> "
    "tensor<3x4xf32>", NULL },
  { "rng/normal", "%a: tensor<i32>, %s: tensor<2xi64>",
    "%0 = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> "
    "tensor<3x4xi32>", "floats for a NORMAL" },
  { "rng_bit_generator/state", "%a: tensor<2xui64>",
    "%0, %1 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<3xui64>, "
    "tensor<4xui32>)", "an output state" },
  { "rng_bit_generator/state-element", "%a: tensor<2xui64>",
    "%0, %1 = stablehlo.rng_bit_generator %a, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xi32>, "
    "tensor<4xui32>)", "an output state of the initial state's type tensor<2xui64>, found tensor<2xi32>" },
  { "rng_bit_generator/valid", "%a: tensor<?xui64>",
    "%0, %1 = stablehlo.rng_bit_generator %a, algorithm = DEFAULT : (tensor<?xui64>) -> (tensor<2xui64>, "
    "tensor<4xui32>)", NULL },
  { "get_dimension_size/valid", "%a: tensor<2x3xf32>", "%0 = stablehlo.get_dimension_size %a, dim = 1 : "
    "(tensor<2x3xf32>) -> tensor<i32>", NULL },
  { "get_dimension_size/range", "%a: tensor<2x3xf32>", "%0 = stablehlo.get_dimension_size %a, dim = 2 : "
    "(tensor<2x3xf32>) -> tensor<i32>", "in [0, 2)" },
  { "set_dimension_size/valid", "%a: tensor<4xf32>, %n: tensor<i32>",
    "%0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32, "
    "#stablehlo.bounds<4>>", NULL },
  { "set_dimension_size/scalar", "%a: tensor<4xf32>, %n: tensor<1xi32>",
    "%0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4xf32>, tensor<1xi32>) -> tensor<?xf32>",
      "a scalar size" },

  /* Linear algebra. */
  { "cholesky/valid", "%a: tensor<2x3x3xf32>", "%0 = stablehlo.cholesky %a, lower = true : tensor<2x3x3xf32>", NULL },
  { "cholesky/square", "%a: tensor<2x3xf32>", "%0 = stablehlo.cholesky %a, lower = true : tensor<2x3xf32>",
    "square matrices" },
  { "triangular_solve/valid", "%a: tensor<3x3xf32>, %b: tensor<3x2xf32>",
    "%0 = \"stablehlo.triangular_solve\"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = "
    "#stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>",
    NULL },
  { "triangular_solve/shared", "%a: tensor<3x3xf32>, %b: tensor<3x2xf32>",
    "%0 = \"stablehlo.triangular_solve\"(%a, %b) {left_side = false, lower = true, unit_diagonal = false, transpose_a "
    "= #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>",
    "the dimension it shares" },
  { "fft/valid", "%a: tensor<2x8xf32>", "%0 = stablehlo.fft %a, type = RFFT, length = [8] : (tensor<2x8xf32>) -> "
    "tensor<2x5xcomplex<f32>>", NULL },
  { "fft/element", "%a: tensor<2x8xf32>", "%0 = stablehlo.fft %a, type = FFT, length = [8] : (tensor<2x8xf32>) -> "
    "tensor<2x8xcomplex<f32>>", "complex elements for FFT" },
  { "fft/length", "%a: tensor<2x8xf32>", "%0 = stablehlo.fft %a, type = RFFT, length = [9] : (tensor<2x8xf32>) -> "
    "tensor<2x5xcomplex<f32>>", "as fft_length says" },
  { "fft/count", "%a: tensor<2x8xf32>", "%0 = stablehlo.fft %a, type = RFFT, length = [] : (tensor<2x8xf32>) -> "
    "tensor<2x5xcomplex<f32>>", "1 to 3 elements" },
  { "einsum/valid", "%a: tensor<2x3xf32>, %b: tensor<3x4xf32>",
    "%0 = stablehlo.einsum %a, %b, config = \"ab,bc->ac\" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>",
      NULL },
  { "einsum/size", "%a: tensor<2x3xf32>, %b: tensor<4x4xf32>",
    "%0 = stablehlo.einsum %a, %b, config = \"ab,bc->ac\" : (tensor<2x3xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>",
      "for 'b' of einsum_config" },
  { "unary_einsum/valid", "%a: tensor<2x3xf32>", "%0 = stablehlo.unary_einsum %a, config = \"ab->a\" : "
    "(tensor<2x3xf32>) -> tensor<2xf32>", NULL },
  { "unary_einsum/terms", "%a: tensor<2x3xf32>", "%0 = stablehlo.unary_einsum %a, config = \"ab,c->a\" : "
    "(tensor<2x3xf32>) -> tensor<2xf32>", "expected 1 terms before '->' in einsum_config, found 2" },
  { "unary_einsum/dash", "%a: tensor<2x3xf32>", "%0 = stablehlo.unary_einsum %a, config = \"a-b->a\" : "
    "(tensor<2x3xf32>) -> tensor<2xf32>", "expected letters in einsum_config, found '-'" },

  /* Tuples, custom calls. */
  { "tuple/valid", "%a: tensor<2xf32>, %t: !stablehlo.token", "%0 = stablehlo.tuple %a, %t : tuple<tensor<2xf32>, "
    "!stablehlo.token>", NULL },
  { "tuple/member", "%a: tensor<2xf32>", "%0 = \"stablehlo.tuple\"(%a) : (tensor<2xf32>) -> tuple<tensor<3xf32>>",
    "a member of the operand's type" },
  { "get_tuple_element/index", "%a: tuple<tensor<2xf32>>", "%0 = stablehlo.get_tuple_element %a[1] : "
    "(tuple<tensor<2xf32>>) -> tensor<2xf32>", "in [0, 1)" },
  { "optimization_barrier/type", "%a: tensor<2xf32>", "%0 = \"stablehlo.optimization_barrier\"(%a) : (tensor<2xf32>) "
    "-> tensor<3xf32>", "each result of its operand's type" },
  { "custom_call/valid", "%a: tensor<2x3xf32>",
    "%0 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = "
    "[dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
    NULL },
  { "custom_call/layout", "%a: tensor<2x3xf32>",
    "%0 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<[1, 1]> : tensor<2xindex>], result_layouts = "
    "[dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
    "a permutation of its dimensions, found dense<1> : tensor<2xindex> for type tensor<2x3xf32>" },
  { "custom_call/layouts-of-one", "%a: tensor<2x3xf32>",
    "%0 = stablehlo.custom_call @f(%a) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> "
    "tensor<2x3xf32>",
    "only operand_layouts" },
  { "custom_call/alias", "%a: tensor<2xf32>",
    "%0 = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices "
    "= [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<2xf32>",
    "in [0, 1)" },
  { "custom_call/config", "%a: tensor<2xf32>",
    "%0 = stablehlo.custom_call @f(%a) {api_version = 4 : i32, backend_config = \"x\"} : (tensor<2xf32>) -> "
    "tensor<2xf32>", "a dictionary as backend_config" },

  /* CHLO. */
  { "chlo/broadcast-valid", "%a: tensor<3xf32>, %b: tensor<2x1xf32>",
    "%0 = chlo.broadcast_add %a, %b : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>", NULL },
  { "chlo/broadcast-equal-ranks", "%a: tensor<2x3xf32>, %b: tensor<2x1xf32>",
    "%0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 5>} : (tensor<2x3xf32>, tensor<2x1xf32>) -> "
    "tensor<2x3xf32>", NULL },
  { "chlo/broadcast-equal-ranks-size", "%a: tensor<2x3xf32>, %b: tensor<3x2xf32>",
    "%0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 1, 0>} : (tensor<2x3xf32>, tensor<3x2xf32>) -> "
    "tensor<2x3xf32>", "broadcast in dimension 0" },
  { "chlo/broadcast-lower-rank", "%a: tensor<2x3xf32>, %b: tensor<3xf32>",
    "%0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> "
    "tensor<2x3xf32>", "1 broadcast_dimensions" },
  { "chlo/broadcast-unranked", "%a: tensor<*xf32>", "%0 = chlo.broadcast_add %a, %a : (tensor<*xf32>, tensor<*xf32>) "
    "-> tensor<*xf32>", NULL },
  { "chlo/broadcast-size", "%a: tensor<3xf32>, %b: tensor<2xf32>", "%0 = chlo.broadcast_add %a, %b : (tensor<3xf32>, "
    "tensor<2xf32>) -> tensor<3xf32>", "broadcast in dimension 0" },
  { "chlo/broadcast-element", "%a: tensor<3xf32>, %b: tensor<3xf64>", "%0 = chlo.broadcast_add %a, %b : "
    "(tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>", "element types" },
  { "chlo/broadcast_complex-part", "%a: tensor<3xbf16>", "%0 = chlo.broadcast_complex %a, %a : (tensor<3xbf16>, "
    "tensor<3xbf16>) -> tensor<3xcomplex<f32>>", "parts of f32 or f64" },
  { "chlo/constant_like", "%a: tensor<3xi32>", "%0 = \"chlo.constant_like\"(%a) {value = 1.0 : f32} : (tensor<3xi32>) "
    "-> tensor<3xf64>", "the type of its value" },
  { "chlo/broadcast_select", "%p: tensor<2xi1>, %a: tensor<3xf32>, %b: tensor<3xf64>",
    "%0 = chlo.broadcast_select %p, %a, %b : (tensor<2xi1>, tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>",
      "'on_false' of the element type" },
  { "chlo/ragged_dot-valid", "%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<3xi64>",
    "%0 = \"chlo.ragged_dot\"(%a, %b, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions "
    "= [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : "
    "(tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>",
    NULL },
  { "chlo/ragged_dot-groups", "%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %g: tensor<4xi64>",
    "%0 = \"chlo.ragged_dot\"(%a, %b, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions "
    "= [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : "
    "(tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<4xi64>) -> tensor<11x7xf32>",
    "size 4 of the group dimension" },
  { "chlo/ragged_dot-result", "%a: tensor<11x5xf32>, %b: tensor<5x7xf32>, %g: tensor<4xi64>",
    "%0 = \"chlo.ragged_dot\"(%a, %b, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions "
    "= [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1]>} : (tensor<11x5xf32>, tensor<5x7xf32>, "
    "tensor<4xi64>) -> tensor<11x7xf32>",
    "tensor<4x11x7xf32>" },
  { "chlo/top_k-valid", "%a: tensor<4x8xf32>", "%0:2 = chlo.top_k(%a, k = 3) : tensor<4x8xf32> -> (tensor<4x3xf32>, "
    "tensor<4x3xi32>)", NULL },
  { "chlo/top_k-unranked", "%a: tensor<*xf32>",
    "%0:2 = chlo.top_k(%a, k = 2) : tensor<*xf32> -> (tensor<*xf32>, tensor<?x2xi32>)", NULL },
  { "chlo/top_k-values", "%a: tensor<*xf32>",
    "%0:2 = chlo.top_k(%a, k = 2) : tensor<*xf32> -> (tensor<*xf64>, tensor<*xi32>)",
    "the element type of tensor<*xf32>, found tensor<*xf64>" },
  { "chlo/top_k-indices", "%a: tensor<*xf32>",
    "%0:2 = chlo.top_k(%a, k = 2) : tensor<*xf32> -> (tensor<*xf32>, tensor<*xi64>)",
    "the element type of i32, found tensor<*xi64>" },
  { "chlo/top_k-size", "%a: tensor<4x8xf32>", "%0:2 = chlo.top_k(%a, k = 9) : tensor<4x8xf32> -> (tensor<4x9xf32>, "
    "tensor<4x9xi32>)", "at least k" },

  /* Functions. */
  { "call/missing", "", "func.call @nothing() : () -> ()", "'nothing', which is not defined" },
  { "call/operands", "%a: tensor<2xf32>", "func.call @main() : () -> ()", "expected 1 operands" },
  { "composite/name", "%a: tensor<2xf32>", "%0 = stablehlo.composite \"x\" %a {decomposition = @main} : "
    "(tensor<2xf32>) -> tensor<2xf32>", "a name like" },
  { "composite/missing", "%a: tensor<2xf32>", "%0 = stablehlo.composite \"a.b\" %a {decomposition = @nothing} : "
    "(tensor<2xf32>) -> tensor<2xf32>", "which is not defined" },
  { "check/constant-type", "%a: tensor<2xf32>", "\"check.expect_eq_const\"(%a) {value = dense<1> : tensor<2xi32>} : "
    "(tensor<2xf32>) -> ()", "a value of the operand's type" },
  { "check/constant", "%a: tensor<2xf32>", "check.expect_eq_const %a, dense<1.0> : tensor<2xf32>", NULL },
  { "tensor_cast/valid", "%a: tensor<2xf32>", "%0 = tensor.cast %a : tensor<2xf32> to tensor<?xf32>", NULL },
  { "tensor_cast/element", "%a: tensor<2xf32>", "%0 = tensor.cast %a : tensor<2xf32> to tensor<?xf64>",
    "statically or dynamically shaped" },
};

static char *
list_findings (const GhloDiagnostics *diagnostics)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < diagnostics->findings->len; i++)
    {
      const GhloFinding *finding = g_ptr_array_index (diagnostics->findings, i);

      g_string_append_printf (text, "%u:%u: %s\n", finding->line, finding->column, finding->message);
    }

  return g_string_free (text, FALSE);
}

static void
check_text (const char *text,
            const char *message,
            guint       line)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("case.mlir", text, strlen (text));
  g_autoptr (GhloIrModule) module = ghlo_import_text (text, strlen (text), GHLO_IMPORT_DEFAULT, diagnostics, NULL);
  g_autofree char *findings = NULL;
  const GhloFinding *first;
  gboolean good;

  good = module != NULL && ghlo_ir_verify (module, diagnostics, NULL);
  findings = list_findings (diagnostics);
  if (module == NULL)
    {
      g_test_fail_printf ("%s does not parse:\n%s", text, findings);
      return;
    }
  if (good != (message == NULL))
    {
      g_test_fail_printf ("%s is %s\n%s", text, good ? "taken" : "refused:", findings);
      return;
    }
  if (good)
    return;

  first = g_ptr_array_index (diagnostics->findings, 0);
  if (strstr (first->message, message) == NULL || first->line != line)
    g_test_fail_printf ("%s: expected '%s' on line %u, found:\n%s", text, message, line, findings);
}

static char *
case_text (const Case *one)
{
  return g_strdup_printf ("func.func @main(%s) {\n  %s\n  return\n}\n", one->arguments, one->body);
}

static void
test_case (gconstpointer data)
{
  const Case *one = data;
  g_autofree char *text = case_text (one);

  check_text (text, one->message, 2);
}

/* Whole programs: regions, symbols, scopes. */
#define PARALLEL(input, result) \
  "func.func @g(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}\n" \
  "func.func @main(%a: " input ") {\n" \
  "  %0 = \"interpreter.run_parallel\"(%a) {programs = [[@g]]} : (" input ") -> " result "\n  return\n}\n"
#define MANUAL(name, operands, type) \
  "sdy.mesh @mesh = <[\"x\"=1]>\nfunc.func @main(%a: tensor<2xf32>) {\n" \
  "  " name " = \"sdy.manual_computation\"(" operands ") <{in_shardings = #sdy.sharding_per_value<[]>, " \
  "manual_axes = #sdy<manual_axes{}>, out_shardings = #sdy.sharding_per_value<[]>}> ({\n" \
  "  ^bb0(%b: tensor<2xf32>):\n    \"sdy.return\"(%b) : (tensor<2xf32>) -> ()\n" \
  "  }) : " type "\n  func.return\n}\n"

static const struct
{
  const char *name;
  const char *text;
  const char *message;
  guint       line;
} programs[] = {
  { "module/valid", "module @m {\n  func.func private @f(tensor<2xf32>) -> tensor<2xf32>\n}\n", NULL, 0 },
  { "func/duplicate", "func.func @f() {\n  return\n}\nfunc.func @f() {\n  return\n}\n", "a unique symbol name", 4 },
  { "func/public-declaration", "func.func @f()\n", "a private declaration or a body", 1 },
  { "func/argument-attributes", "func.func @f(%a: tensor<2xf32> {x = 1 : i32}) {\n  return\n"
                                "}\n", "a dialect prefix", 1 },
  { "func/return-count", "func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return\n"
                         "}\n", "expected 1 operands", 2 },
  { "func/return-type", "func.func @f(%a: tensor<2xf32>) -> tensor<3xf32> {\n  return %a : tensor<2xf32>\n}\n",
    "operand #0 of type tensor<3xf32>", 2 },
  { "call/valid", "func.func private @g(tensor<2xf32>) -> tensor<2xf32>\nfunc.func @f(%a: tensor<2xf32>) {\n"
    "  %0 = call @g(%a) : (tensor<2xf32>) -> tensor<2xf32>\n  return\n}\n", NULL, 0 },
  { "call/result", "func.func private @g(tensor<2xf32>) -> tensor<2xf32>\nfunc.func @f(%a: tensor<2xf32>) {\n"
    "  %0 = call @g(%a) : (tensor<2xf32>) -> tensor<3xf32>\n  return\n}\n", "result #0 of type tensor<2xf32>", 3 },
  { "composite/valid", "func.func private @g(tensor<2xf32>) -> tensor<2xf32>\nfunc.func @f(%a: tensor<2xf32>) {\n"
    "  %0 = stablehlo.composite \"a.b$c\" %a {decomposition = @g} : (tensor<2xf32>) -> tensor<2xf32>\n  return\n"
    "}\n", NULL, 0 },
  { "composite/operand", "func.func private @g(tensor<2xf32>) -> tensor<2xf32>\nfunc.func @f(%a: tensor<3xf32>) {\n"
    "  %0 = stablehlo.composite \"a.b\" %a {decomposition = @g} : (tensor<3xf32>) -> tensor<2xf32>\n  return\n}\n",
    "operand #0 of type tensor<2xf32>", 3 },
  { "call/last", "func.func @f(%a: tensor<2xf32>) {\n  %0 = call @g(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  %1 = \"stablehlo.tanh\"(%a) : (tensor<2xf32>) -> tensor<3xf32>\n  return\n}\n", "equal shapes of operands", 3 },
  { "run_parallel/inputs", "func.func @g(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}\n"
                           "func.func @main() {\n"
    "  %0 = \"interpreter.run_parallel\"() {programs = [[@g]]} : () -> tensor<2xf32>\n  return\n}\n",
    "expected 1 operands, as the grid", 5 },
  { "run_parallel/input-type", PARALLEL ("tensor<2xf64>", "tensor<2xf32>"), "operand #0 of type tensor<2xf32>", 5 },
  { "run_parallel/result-type", PARALLEL ("tensor<2xf32>", "tensor<3xf32>"), "result #0 of type tensor<2xf32>", 5 },
  { "scope/valid", "func.func @f(%p: tensor<i1>, %a: tensor<2xf32>) {\n  %0 = \"stablehlo.if\"(%p) ({\n"
    "    stablehlo.return %a : tensor<2xf32>\n  }, {\n    stablehlo.return %a : tensor<2xf32>\n"
    "  }) : (tensor<i1>) -> tensor<2xf32>\n  return\n}\n", NULL, 0 },
  { "scan/valid", "func.func @f(%a: tensor<4x2xf32>, %b: tensor<2xf32>) {\n"
    "  %0:2 = \"chlo.scan\"(%a, %b) ({\n  ^bb0(%x: tensor<2xf32>, %c: tensor<2xf32>):\n"
    "    %s = stablehlo.add %x, %c : tensor<2xf32>\n"
    "    stablehlo.return %s, %s : tensor<2xf32>, tensor<2xf32>\n"
    "  }) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>,"
    " resultSegmentSizes = array<i32: 1, 1>} : (tensor<4x2xf32>, tensor<2xf32>) -> (tensor<4x2xf32>, tensor<2xf32>)\n"
    "  return\n}\n", NULL, 0 },
  { "scan/result", "func.func @f(%a: tensor<4x2xf32>, %b: tensor<2xf32>) {\n"
    "  %0:2 = \"chlo.scan\"(%a, %b) ({\n  ^bb0(%x: tensor<2xf32>, %c: tensor<2xf32>):\n"
    "    %s = stablehlo.add %x, %c : tensor<2xf32>\n"
    "    stablehlo.return %s, %s : tensor<2xf32>, tensor<2xf32>\n"
    "  }) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>,"
    " resultSegmentSizes = array<i32: 1, 1>} : (tensor<4x2xf32>, tensor<2xf32>) -> (tensor<5x2xf32>, tensor<2xf32>)\n"
    "  return\n}\n",
    "expected result #0 of type tensor<4x2xf32>", 2 },
  { "scan/argument", "func.func @f(%a: tensor<4x2xf32>, %b: tensor<2xf32>) {\n"
    "  %0:2 = \"chlo.scan\"(%a, %b) ({\n  ^bb0(%x: tensor<2xf32>, %c: tensor<3xf32>):\n"
    "    stablehlo.return %x, %c : tensor<2xf32>, tensor<3xf32>\n"
    "  }) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>,"
    " resultSegmentSizes = array<i32: 1, 1>} : (tensor<4x2xf32>, tensor<2xf32>) -> (tensor<4x2xf32>, tensor<2xf32>)\n"
    "  return\n}\n",
    "argument #1 of the body", 2 },
  { "manual_computation/arguments", MANUAL ("%0", "", "() -> tensor<2xf32>"), "one argument of the region", 3 },
  { "manual_computation/results", MANUAL ("%0:2", "%a", "(tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)"),
    "expected 1 result", 3 },
  { "manual_computation/element", MANUAL ("%0", "%a", "(tensor<2xf32>) -> tensor<2xi32>"),
    "a shard as returned value", 3 },
  { "region/terminator", "func.func @f(%p: tensor<i1>) {\n  \"stablehlo.if\"(%p) ({\n    stablehlo.return\n  }, {\n"
    "    %0 = stablehlo.constant dense<1> : tensor<i32>\n  }) : (tensor<i1>) -> ()\n  return\n"
    "}\n", "to end with 'stablehlo.return'", 2 },
  { "type/nested-bounds", "func.func @f(%a: tensor<?xf32, #stablehlo.bounds<4>>) {\n  return\n}\n", NULL, 0 },
};

static void
test_program (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);

  check_text (programs[i].text, programs[i].message, programs[i].line);
}

static void
test_other_types (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    if (cases[i].message == NULL)
      {
        g_autofree char *text = case_text (&cases[i]);

        check_other_types (text);
      }
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    if (programs[i].message == NULL)
      check_other_types (programs[i].text);
}

/* A module with one function of one argument, as a builder makes it. */
typedef struct
{
  GhloIrModule     *module;
  const GhloIrType *type;
  GhloIrBlock      *body;
  GhloIrValue      *argument;
} Built;

static void
build (Built *built)
{
  const gint64 dimensions[] = { 2 };
  GhloIrNamedAttr attributes[2];
  GhloIrOp *func;

  built->module = ghlo_ir_module_new ("built");
  built->type = ghlo_ir_type_tensor (built->module, ghlo_ir_type_element (built->module, GHLO_ELEMENT_TYPE_F32),
                                     dimensions, 1, NULL, NULL);
  built->module->op = ghlo_ir_op_new (built->module, &(GhloIrOpState) { .kind = GHLO_OP_BUILTIN_MODULE,
    .n_regions = 1 });
  attributes[0] = (GhloIrNamedAttr) { "sym_name", ghlo_ir_attr_string (built->module, "main", -1) };
  attributes[1] = (GhloIrNamedAttr) {
    "function_type", ghlo_ir_attr_type (built->module, ghlo_ir_type_function (built->module, &built->type, 1, NULL, 0))
  };
  func = ghlo_ir_op_new (built->module, &(GhloIrOpState) {
    .kind = GHLO_OP_FUNC_FUNC, .n_regions = 1, .attributes = attributes, .n_attributes = 2 });
  ghlo_ir_block_append (ghlo_ir_region_add_block (built->module, &built->module->op->regions[0]), func);
  built->body = ghlo_ir_region_add_block (built->module, &func->regions[0]);
  built->argument = ghlo_ir_block_add_argument (built->module, built->body, built->type, NULL);
}

static GhloIrOp *
add_op (Built       *built,
        GhloIrValue *operand)
{
  GhloIrOp *op = ghlo_ir_op_new (built->module, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_TANH, .operands = &operand, .n_operands = 1, .result_types = &built->type,
      .n_results = 1 });

  ghlo_ir_block_append (built->body, op);

  return op;
}

static void
expect (Built      *built,
        const char *message)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("built", NULL, 0);
  gboolean good = ghlo_ir_verify (built->module, diagnostics, NULL);
  g_autofree char *findings = list_findings (diagnostics);

  g_assert_cmpint (good, ==, message == NULL);
  if (message != NULL && strstr (findings, message) == NULL)
    g_test_fail_printf ("expected '%s', found:\n%s", message, findings);
  ghlo_ir_module_unref (built->module);
}

static void
add_return (Built *built)
{
  ghlo_ir_block_append (built->body, ghlo_ir_op_new (built->module, &(GhloIrOpState) { .kind = GHLO_OP_FUNC_RETURN }));
}

static void
test_built_valid (void)
{
  Built built;

  build (&built);
  add_op (&built, &add_op (&built, built.argument)->results[0]);
  add_return (&built);
  expect (&built, NULL);
}

static void
test_built_order (void)
{
  GhloIrOp *first, *second;
  Built built;

  build (&built);
  first = add_op (&built, built.argument);
  second = add_op (&built, built.argument);
  ghlo_ir_op_set_operand (first, 0, &second->results[0]);
  add_return (&built);
  expect (&built, "to be defined before its use");
}

static void
test_built_no_value (void)
{
  Built built;

  build (&built);
  ghlo_ir_op_set_operand (add_op (&built, built.argument), 0, NULL);
  add_return (&built);
  expect (&built, "expected a value for operand #0");
}

static void
test_built_no_terminator (void)
{
  Built built;

  build (&built);
  add_op (&built, built.argument);
  expect (&built, "to end with 'func.return'");
}

/* A value of one function used in another. */
static void
test_built_isolated (void)
{
  GhloIrValue *outside;
  Built built;

  build (&built);
  outside = built.argument;
  add_return (&built);
  built.body = ghlo_ir_region_add_block (built.module, &ghlo_ir_op_new (built.module, &(GhloIrOpState) {
    .kind = GHLO_OP_FUNC_FUNC, .n_regions = 1 })->regions[0]);
  ghlo_ir_block_append (built.module->op->regions[0].first, built.body->region->op);
  add_op (&built, outside);
  expect (&built, "a region that does not enclose it");
}

/* Deeply nested regions are refused without recursion. */
static void
test_built_deep (void)
{
  GhloIrBlock *block;
  Built built;

  build (&built);
  add_return (&built);
  block = built.module->op->regions[0].first;
  for (guint i = 0; i < 100000; i++)
    {
      GhloIrOp *op = ghlo_ir_op_new (built.module, &(GhloIrOpState) { .kind = GHLO_OP_BUILTIN_MODULE, .n_regions = 1 });

      ghlo_ir_block_append (block, op);
      block = ghlo_ir_region_add_block (built.module, &op->regions[0]);
    }
  expect (&built, "nested at most");
}

/* Errors in programs that were not parsed from text are located by function and by location; the location may have
 * more paths than could be traversed. */
static void
test_built_place (void)
{
  const GhloIrLocation *location;
  GhloIrOp *op;
  Built built;

  build (&built);
  location = ghlo_ir_location_file (built.module, "model.py", 12, 4, 0, 0);
  location = ghlo_ir_location_name (built.module, "jit(f)/tanh", location);
  op = add_op (&built, built.argument);
  ghlo_ir_op_set_operand (op, 0, NULL);
  op->location = location;
  add_return (&built);
  expect (&built, "in @main: model.py:12:4: 'stablehlo.tanh' op expected a value");

  build (&built);
  location = ghlo_ir_location_name (built.module, "nowhere", ghlo_ir_location_unknown (built.module));
  for (guint i = 0; i < 100; i++)
    location = ghlo_ir_location_fused (built.module, (const GhloIrLocation *[]) { location, location }, 2, NULL);
  op = add_op (&built, built.argument);
  ghlo_ir_op_set_operand (op, 0, NULL);
  op->location = location;
  add_return (&built);
  expect (&built, "in @main: 'stablehlo.tanh' op expected attributes, types and locations in proportion");
}

/* A program with an attribute or a location that contains its predecessor twice, nested @depth times. */
static char *
make_doubled (gboolean locations,
              guint    depth)
{
  GString *text = g_string_new (locations ? "#a0 = loc(\"x\")\n" : "#a0 = [1, 2]\n");

  for (guint i = 1; i <= depth; i++)
    if (locations)
      g_string_append_printf (text, "#a%u = loc(fused[#a%u, #a%u])\n", i, i - 1, i - 1);
    else
      g_string_append_printf (text, "#a%u = [#a%u, #a%u]\n", i, i - 1, i - 1);
  if (locations)
    g_string_append_printf (text, "func.func @main() {\n  return loc(#a%u)\n}\n", depth);
  else
    g_string_append_printf (text, "func.func @main() attributes {x = #a%u} {\n  return\n}\n", depth);

  return g_string_free (text, FALSE);
}

/* Contents that readers would refuse, in an attribute on which the operation has no constraint. */
static void
test_built_structure (void)
{
  GhloIrNamedAttr attribute = { "note" };
  const GhloIrAttr *fields[2] = { NULL }, *mesh, *axis, *groups;
  GhloIrOp *op;
  Built built;

  build (&built);
  fields[0] = ghlo_ir_attr_array (built.module, NULL, 0);
  mesh = ghlo_ir_attr_struct (built.module, GHLO_IR_STRUCT_MESH, fields);
  fields[0] = ghlo_ir_attr_string (built.module, "a", -1);
  axis = ghlo_ir_attr_struct (built.module, GHLO_IR_STRUCT_AXIS_REF, fields);
  fields[0] = mesh;
  fields[1] = ghlo_ir_attr_array (built.module, &axis, 1);
  groups = ghlo_ir_attr_struct (built.module, GHLO_IR_STRUCT_REPLICA_GROUP_MESH_AXES, fields);
  attribute.value = ghlo_ir_attr_array (built.module, &groups, 1);
  op = ghlo_ir_op_new (built.module, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_TANH, .operands = &built.argument, .n_operands = 1, .result_types = &built.type,
    .n_results = 1, .attributes = &attribute, .n_attributes = 1 });
  ghlo_ir_block_append (built.body, op);
  add_return (&built);
  expect (&built, "expected an axis of the mesh of replica groups, found 'a'");
}

static void
test_repeated (void)
{
  for (guint locations = 0; locations < 2; locations++)
    for (guint depth = 10; depth <= 60; depth += 50)
      {
        g_autofree char *text = make_doubled (locations == 1, depth);
        g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", text, strlen (text));
        g_autoptr (GhloIrModule) module = ghlo_import_text (text, strlen (text), GHLO_IMPORT_DEFAULT, diagnostics,
                                                            NULL);

        g_assert_nonnull (module);
        g_assert_cmpint (ghlo_ir_verify (module, diagnostics, NULL), ==, depth == 10);
        if (depth > 10)
          g_assert_nonnull (strstr (((GhloFinding *) g_ptr_array_index (diagnostics->findings, 0))->message,
                                    "too large when expanded"));
      }
}

static void
test_cancelled (void)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("built", NULL, 0);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  GhloMonitor monitor = { .cancellable = cancellable };
  Built built;

  build (&built);
  add_return (&built);
  g_cancellable_cancel (cancellable);
  g_assert_false (ghlo_ir_verify (built.module, diagnostics, &monitor));
  ghlo_ir_module_unref (built.module);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/verify/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *path = g_strconcat ("/verify/program/", programs[i].name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_program);
    }
  g_test_add_func ("/verify/other-types", test_other_types);
  g_test_add_func ("/verify/built/valid", test_built_valid);
  g_test_add_func ("/verify/built/order", test_built_order);
  g_test_add_func ("/verify/built/no-value", test_built_no_value);
  g_test_add_func ("/verify/built/no-terminator", test_built_no_terminator);
  g_test_add_func ("/verify/built/isolated", test_built_isolated);
  g_test_add_func ("/verify/built/deep", test_built_deep);
  g_test_add_func ("/verify/built/structure", test_built_structure);
  g_test_add_func ("/verify/repeated", test_repeated);
  g_test_add_func ("/verify/built/place", test_built_place);
  g_test_add_func ("/verify/built/cancelled", test_cancelled);

  return g_test_run ();
}
