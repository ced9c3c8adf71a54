/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifiers of operations with dimension numbers, windows, regions and process groups: valid programs, and programs
 * that break one rule each.
 */

#include <string.h>

#include "import/import.h"
#include "ir/verify/verify.h"
#include "other-types.h"

/* Wraps @body in a function; its first line is line 2 of the program. */
#define FUNC(arguments, body) "func.func @f(" arguments ") {\n" body "\n  func.return\n}\n"

#define COMBINE(element, type, operation) \
  "({\n  ^bb0(%x: " element ", %y: " element "):\n" \
  "    %s = " operation " %x, %y : " element "\n" \
  "    stablehlo.return %s : " type "\n  })"
#define ADD COMBINE ("tensor<f32>", "tensor<f32>", "stablehlo.add")

typedef struct
{
  const char *name;
  const char *text;
  const char *error;   /* a part of the message; NULL when valid */
} Case;

static const Case dot_cases[] = {
  { "matrices", FUNC ("%a: tensor<2x3xf32>, %b: tensor<3x4xf32>",
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> "
    "tensor<2x4xf32>") },
  { "batch", FUNC ("%a: tensor<5x2x3xf32>, %b: tensor<3x5x4xf32>",
    "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [2] x [0] : "
    "(tensor<5x2x3xf32>, tensor<3x5x4xf32>) -> tensor<5x2x4xf32>") },
  { "dynamic", FUNC ("%a: tensor<?x2x?xf32>, %b: tensor<5x3x4xf32>",
    "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
    "(tensor<?x2x?xf32>, tensor<5x3x4xf32>) -> tensor<5x2x?xf32>") },
  { "bounded", FUNC ("%a: tensor<?x3xf32, #stablehlo.bounds<8, ?>>, %b: tensor<3x4xf32>",
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>, "
    "tensor<3x4xf32>) -> tensor<?x4xf32, #stablehlo.bounds<8, ?>>") },
  { "outer-product", FUNC ("%a: tensor<2xf32>, %b: tensor<4xf32>",
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [] x [] : (tensor<2xf32>, tensor<4xf32>) -> "
    "tensor<2x4xf32>") },
  { "algorithm", FUNC ("%a: tensor<2x3xf32>, %b: tensor<3x4xf32>",
    "  %0 = \"stablehlo.dot_general\"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = "
    "[1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, "
    "rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
    "num_primitive_operations = 3, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> "
    "tensor<2x4xf32>") },
  { "quantized", FUNC ("%a: tensor<2x3x!quant.uniform<i8:f32, 1.0:17>>, %b: tensor<3x4x!quant.uniform<i8:f32:1, "
                       "{1.0:0, 2.0:0, 3.0:0, 4.0:0}>>",
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.0:17>>, "
    "tensor<3x4x!quant.uniform<i8:f32:1, {1.0:0, 2.0:0, 3.0:0, 4.0:0}>>) -> tensor<2x4x!quant.uniform<i32:f32, "
    "1.0:0>>") },
  { "contracting-sizes", FUNC ("%a: tensor<2x3xf32>, %b: tensor<5x4xf32>",
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<5x4xf32>) -> "
    "tensor<2x4xf32>"),
    "contracting" },
  { "batching-sizes", FUNC ("%a: tensor<5x2x3xf32>, %b: tensor<6x3x4xf32>",
    "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
    "(tensor<5x2x3xf32>, tensor<6x3x4xf32>) -> tensor<5x2x4xf32>"),
    "batching" },
  { "counts", FUNC ("%a: tensor<2x3xf32>, %b: tensor<3x4xf32>",
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [] : (tensor<2x3xf32>, tensor<3x4xf32>) -> "
    "tensor<2x4xf32>"),
    "expected as many contracting" },
  { "twice", FUNC ("%a: tensor<3x3xf32>, %b: tensor<3x3xf32>",
    "  %0 = stablehlo.dot_general %a, %b, batching_dims = [1] x [0], contracting_dims = [1] x [1] : (tensor<3x3xf32>, "
    "tensor<3x3xf32>) -> tensor<3x3xf32>"),
    "again in lhs_contracting_dimensions" },
  { "range", FUNC ("%a: tensor<2x3xf32>, %b: tensor<3x4xf32>",
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [2] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> "
    "tensor<2x4xf32>"),
    "in [0, 2)" },
  { "result", FUNC ("%a: tensor<2x3xf32>, %b: tensor<3x4xf32>",
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> "
    "tensor<4x2xf32>"),
    "tensor<2x4xf32>" },
  { "unknown-algorithm", FUNC ("%a: tensor<2x3xf32>, %b: tensor<3x4xf32>",
    "  %0 = \"stablehlo.dot_general\"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = "
    "[1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, "
    "rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
    "num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> "
    "tensor<2x4xf32>"),
    "algorithm" },
  { "algorithm-and-precision", FUNC ("%a: tensor<2x3xf32>, %b: tensor<3x4xf32>",
    "  %0 = \"stablehlo.dot_general\"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = "
    "[1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision "
    "DEFAULT>], algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, "
    "accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
    "allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>"),
    "precision DEFAULT" },
  { "zero-point", FUNC ("%a: tensor<2x3x!quant.uniform<i8:f32, 1.0:0>>, %b: tensor<3x4x!quant.uniform<i8:f32, 1.0:1>>",
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.0:0>>, "
    "tensor<3x4x!quant.uniform<i8:f32, 1.0:1>>) -> tensor<2x4x!quant.uniform<i32:f32, 1.0:0>>"),
    "zero points of 0" },
  { "contracting-axis", FUNC ("%a: tensor<2x3x!quant.uniform<i8:f32, 1.0:0>>, %b: tensor<3x4x!quant.uniform<i8:f32:0, "
                              "{1.0:0, 2.0:0, 3.0:0}>>",
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.0:0>>, "
    "tensor<3x4x!quant.uniform<i8:f32:0, {1.0:0, 2.0:0, 3.0:0}>>) -> tensor<2x4x!quant.uniform<i32:f32, 1.0:0>>"),
    "no contracting dimension" },
  { "dot", FUNC ("%a: tensor<2x3xf32>, %b: tensor<3xf32>",
    "  %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>") },
  { "dot-rank", FUNC ("%a: tensor<2x3x4xf32>, %b: tensor<4xf32>",
    "  %0 = stablehlo.dot %a, %b : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3xf32>"),
    "rank 1 or 2" },
  { "dot-sizes", FUNC ("%a: tensor<2x3xf32>, %b: tensor<4xf32>",
    "  %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2xf32>"),
    "equal sizes" },
};

#define CONV(lhs, rhs, result, attributes) \
  FUNC ("%a: " lhs ", %b: " rhs, \
        "  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], " attributes \
        " : (" lhs ", " rhs ") -> " result)
#define GROUPS(feature, batch) "{feature_group_count = " feature " : i64, batch_group_count = " batch " : i64}"

static const Case convolution_cases[] = {
  { "plain", CONV ("tensor<1x8x8x4xf32>", "tensor<3x3x4x6xf32>", "tensor<1x6x6x6xf32>",
                   "window = {} " GROUPS ("1", "1")) },
  { "window", CONV ("tensor<1x8x8x4xf32>", "tensor<3x3x4x6xf32>", "tensor<1x4x8x6xf32>",
                    "window = {stride = [2, 1], pad = [[1, 1], [2, 2]], rhs_dilate = [1, 2]} " GROUPS ("1", "1")) },
  { "negative-padding", CONV ("tensor<1x8x8x4xf32>", "tensor<3x3x4x6xf32>", "tensor<1x0x6x6xf32>",
                              "window = {pad = [[-20, 0], [0, 0]]} " GROUPS ("1", "1")) },
  { "feature-groups", CONV ("tensor<1x8x8x4xf32>", "tensor<3x3x2x6xf32>", "tensor<1x6x6x6xf32>",
                            "window = {} " GROUPS ("2", "1")) },
  { "batch-groups", CONV ("tensor<4x8x8x4xf32>", "tensor<3x3x4x6xf32>", "tensor<2x6x6x6xf32>",
                          "window = {} " GROUPS ("1", "2")) },
  { "dynamic", CONV ("tensor<?x8x?x4xf32>", "tensor<3x3x4x6xf32>", "tensor<?x6x?x6xf32>",
                     "window = {} " GROUPS ("1", "1")) },
  { "result", CONV ("tensor<1x8x8x4xf32>", "tensor<3x3x4x6xf32>", "tensor<1x8x6x6xf32>",
                    "window = {} " GROUPS ("1", "1")), "tensor<1x6x6x6xf32>" },
  { "stride", CONV ("tensor<1x8x8x4xf32>", "tensor<3x3x4x6xf32>", "tensor<1x6x6x6xf32>",
                    "window = {stride = [0, 1]} " GROUPS ("1", "1")), "positive stride" },
  { "stride-count", CONV ("tensor<1x8x8x4xf32>", "tensor<3x3x4x6xf32>", "tensor<1x6x6x6xf32>",
                          "window = {stride = [1, 1, 1]} " GROUPS ("1", "1")), "window_strides" },
  { "dilation", CONV ("tensor<1x8x8x4xf32>", "tensor<3x3x4x6xf32>", "tensor<1x6x6x6xf32>",
                      "window = {lhs_dilate = [1, -1]} " GROUPS ("1", "1")), "base dilation" },
  { "overflow", CONV ("tensor<1x8x8x4xf32>", "tensor<3x3x4x6xf32>", "tensor<1x6x6x6xf32>",
                      "window = {lhs_dilate = [9223372036854775807, 1]} " GROUPS ("1", "1")), "63 bits" },
  { "padding", CONV ("tensor<1x8x8x4xf32>", "tensor<3x3x4x6xf32>", "tensor<1x6x6x6xf32>",
                     "window = {pad = [[0, 0], [0, 0], [0, 0]]} " GROUPS ("1", "1")), "expected padding" },
  { "features", CONV ("tensor<1x8x8x4xf32>", "tensor<3x3x5x6xf32>", "tensor<1x6x6x6xf32>",
                      "window = {} " GROUPS ("1", "1")), "4 input features" },
  { "both-groups", CONV ("tensor<4x8x8x4xf32>", "tensor<3x3x2x6xf32>", "tensor<2x6x6x6xf32>",
                         "window = {} " GROUPS ("2", "2")), "to be 1" },
  { "group-multiple", CONV ("tensor<1x8x8x4xf32>", "tensor<3x3x4x6xf32>", "tensor<1x6x6x6xf32>",
                            "window = {} " GROUPS ("3", "1")), "multiple of feature_group_count" },
  { "zero-groups", CONV ("tensor<1x8x8x4xf32>", "tensor<3x3x4x6xf32>", "tensor<1x6x6x6xf32>",
                         "window = {} " GROUPS ("0", "1")), "feature_group_count" },
  { "element-types", CONV ("tensor<1x8x8x4xf32>", "tensor<3x3x4x6xf16>", "tensor<1x6x6x6xf32>",
                           "window = {} " GROUPS ("1", "1")), "the same element type" },
  { "ranks", CONV ("tensor<1x8x8x4xf32>", "tensor<3x4x6xf32>", "tensor<1x6x6x6xf32>",
                   "window = {} " GROUPS ("1", "1")), "the same rank" },
  { "dynamic-conv", FUNC ("%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<2x2xi64>",
    "  %0 = \"stablehlo.dynamic_conv\"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, "
    "0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, "
    "tensor<3x3x4x6xf32>, tensor<2x2xi64>) -> tensor<1x?x?x6xf32>") },
  { "dynamic-conv-padding", FUNC ("%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x6xf32>, %p: tensor<3x2xi64>",
    "  %0 = \"stablehlo.dynamic_conv\"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, "
    "0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, "
    "tensor<3x3x4x6xf32>, tensor<3x2xi64>) -> tensor<1x?x?x6xf32>"),
    "expected padding of shape (2, 2)" },
};

#define REDUCE(region, attributes, result) \
  FUNC ("%a: tensor<4x5xf32>, %i: tensor<f32>", \
        "  %0 = \"stablehlo.reduce\"(%a, %i) " region " " attributes " : (tensor<4x5xf32>, tensor<f32>) -> " result)

static const Case reduce_cases[] = {
  { "plain", REDUCE (ADD, "{dimensions = array<i64: 1>}", "tensor<4xf32>") },
  { "all", REDUCE (ADD, "{dimensions = array<i64: 1, 0>}", "tensor<f32>") },
  { "none", REDUCE (ADD, "{dimensions = array<i64>}", "tensor<4x5xf32>") },
  { "wider", REDUCE (COMBINE ("tensor<f64>", "tensor<f64>", "stablehlo.add"), "{dimensions = array<i64: 1>}",
    "tensor<4xf64>") },
  { "bounded", FUNC ("%a: tensor<?x5xf32, #stablehlo.bounds<3, ?>>, %i: tensor<f32>",
    "  %0 = \"stablehlo.reduce\"(%a, %i) " ADD " {dimensions = array<i64: 1>} : (tensor<?x5xf32, #stablehlo.bounds<3, "
      "?>>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<3>>") },
  { "range", REDUCE (ADD, "{dimensions = array<i64: 2>}", "tensor<4xf32>"), "expected dimensions in [0, 2)" },
  { "negative", REDUCE (ADD, "{dimensions = array<i64: -1>}", "tensor<4xf32>"), "expected dimensions in [0, 2)" },
  { "twice", REDUCE (ADD, "{dimensions = array<i64: 1, 1>}", "tensor<4xf32>"), "again in dimensions" },
  { "result-shape", REDUCE (ADD, "{dimensions = array<i64: 1>}", "tensor<5xf32>"), "tensor<4xf32>" },
  { "result-type", REDUCE (ADD, "{dimensions = array<i64: 1>}", "tensor<4xi32>"), "tensor<4xf32>" },
  { "class", REDUCE (COMBINE ("tensor<i32>", "tensor<i32>", "stablehlo.add"), "{dimensions = array<i64: 1>}",
    "tensor<4xi32>"),
    "initial value" },
  { "arguments", REDUCE ("({\n  ^bb0(%x: tensor<f32>):\n    stablehlo.return %x : tensor<f32>\n  })",
                         "{dimensions = array<i64: 1>}", "tensor<4xf32>"), "2 arguments" },
  { "returned-count", REDUCE ("({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
                              "    stablehlo.return %x, %y : tensor<f32>, tensor<f32>\n  })",
                              "{dimensions = array<i64: 1>}", "tensor<4xf32>"), "return 1 value" },
  { "returned-type", REDUCE ("({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
                             "    %c = stablehlo.constant dense<1> : tensor<i32>\n"
                             "    stablehlo.return %c : tensor<i32>\n  })",
                             "{dimensions = array<i64: 1>}", "tensor<4xi32>"), "argument 0" },
  { "map", FUNC ("%a: tensor<4x5xf32>", "  %0 = \"stablehlo.map\"(%a, %a) " ADD " {dimensions = array<i64: 0, 1>} : "
    "(tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>") },
  { "map-dimensions", FUNC ("%a: tensor<4x5xf32>", "  %0 = \"stablehlo.map\"(%a, %a) " ADD " {dimensions = array<i64: "
    "1, 0>} : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>"),
    "in order" },
  { "map-subset", FUNC ("%a: tensor<4x5xf32>", "  %0 = \"stablehlo.map\"(%a, %a) " ADD " {dimensions = array<i64: 0>} "
    ": (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>"),
    "all 2 dimensions" },
  { "map-arguments", FUNC ("%a: tensor<4x5xf32>", "  %0 = \"stablehlo.map\"(%a) " ADD " {dimensions = array<i64: 0, "
    "1>} : (tensor<4x5xf32>) -> tensor<4x5xf32>"),
    "one argument of the region for each of 1" },
};

#define COMPARE(element) \
  "({\n  ^bb0(%x: " element ", %y: " element "):\n" \
  "    %s = stablehlo.compare LT, %x, %y : (" element ", " element ") -> tensor<i1>\n" \
  "    stablehlo.return %s : tensor<i1>\n  })"
#define SORT(region, dimension, result) \
  FUNC ("%a: tensor<4x5xf32>", "  %0 = \"stablehlo.sort\"(%a) " region " {dimension " \
    "= " dimension " : i64} : (tensor<4x5xf32>) -> " result)

static const Case sort_cases[] = {
  { "plain", SORT (COMPARE ("tensor<f32>"), "1", "tensor<4x5xf32>") },
  { "negative", SORT (COMPARE ("tensor<f32>"), "-2", "tensor<4x5xf32>") },
  { "range", SORT (COMPARE ("tensor<f32>"), "2", "tensor<4x5xf32>"), "[-2, 2)" },
  { "argument-type", SORT (COMPARE ("tensor<i32>"), "1", "tensor<4x5xf32>"), "scalar of the element type" },
  { "returned-type", SORT (ADD, "1", "tensor<4x5xf32>"), "return tensor<i1>" },
  { "result-type", SORT (COMPARE ("tensor<f32>"), "1", "tensor<4x5xi32>"), "tensor<4x5xf32>" },
};

#define WINDOW(attributes, result) \
  FUNC ("%a: tensor<4x6xf32>, %i: tensor<f32>", \
        "  %0 = \"stablehlo.reduce_window\"(%a, %i) " ADD " {" attributes "} : (tensor<4x6xf32>, tensor<f32>) " \
          "-> " result)
#define SELECT_AND_SCATTER(select, source, attributes, result) \
  FUNC ("%a: tensor<4x6xf32>, %b: " source ", %i: tensor<f32>", \
        "  %0 = \"stablehlo.select_and_scatter\"(%a, %b, %i) (" select ", {\n" \
          "  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n" \
        "    %s = stablehlo.add %x, %y : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) {" attributes \
        "} : (tensor<4x6xf32>, " source ", tensor<f32>) -> " result)
#define GREATER \
  "{\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n" \
  "    %s = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n" \
  "    stablehlo.return %s : tensor<i1>\n  }"
#define SUM "{\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    stablehlo.return %x : tensor<f32>\n  }"

static const Case window_cases[] = {
  { "plain", WINDOW ("window_dimensions = array<i64: 2, 3>", "tensor<3x4xf32>") },
  { "all", WINDOW ("window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>, base_dilations = "
                   "array<i64: 1, 2>, window_dilations = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 1]]> : "
                   "tensor<2x2xi64>", "tensor<2x10xf32>") },
  { "empty", WINDOW ("window_dimensions = array<i64: 5, 3>", "tensor<0x4xf32>") },
  { "rank", WINDOW ("window_dimensions = array<i64: 2>", "tensor<3x4xf32>"), "window_dimensions" },
  { "size", WINDOW ("window_dimensions = array<i64: 0, 3>", "tensor<3x4xf32>"), "positive size" },
  { "stride", WINDOW ("window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 0, 1>", "tensor<3x4xf32>"),
    "positive stride" },
  { "padding", WINDOW ("window_dimensions = array<i64: 2, 3>, padding = dense<0> : tensor<2x3xi64>", "tensor<3x4xf32>"),
    "shape (N, 2)" },
  { "overflow", WINDOW ("window_dimensions = array<i64: 2, 3>, padding = dense<9223372036854775807> : tensor<2x2xi64>",
    "tensor<3x4xf32>"), "63 bits" },
  { "result", WINDOW ("window_dimensions = array<i64: 2, 3>", "tensor<4x4xf32>"), "tensor<3x4xf32>" },
  { "select-and-scatter", SELECT_AND_SCATTER (GREATER, "tensor<2x3xf32>",
    "window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>", "tensor<4x6xf32>") },
  { "source", SELECT_AND_SCATTER (GREATER, "tensor<3x3xf32>", "window_dimensions = array<i64: 2, 2>, window_strides = "
    "array<i64: 2, 2>", "tensor<4x6xf32>"),
    "source of shape 2x3" },
  { "select", SELECT_AND_SCATTER (SUM, "tensor<2x3xf32>", "window_dimensions = array<i64: 2, 2>, window_strides = "
    "array<i64: 2, 2>", "tensor<4x6xf32>"),
    "select region to return tensor<i1>" },
  { "scatter-result", SELECT_AND_SCATTER (GREATER, "tensor<2x3xf32>", "window_dimensions = array<i64: 2, 2>, "
    "window_strides = array<i64: 2, 2>", "tensor<4x5xf32>"),
    "tensor<4x6xf32>" },
};

#define GATHER(indices, numbers, sizes, result) \
  FUNC ("%a: tensor<3x4x2xf32>, %i: " indices, \
        "  %0 = \"stablehlo.gather\"(%a, %i) {dimension_numbers = #stablehlo.gather<" numbers ">, slice_sizes = " \
          "array<i64: " sizes \
        ">, indices_are_sorted = false} : (tensor<3x4x2xf32>, " indices ") -> " result)
#define DYNAMIC_GATHER(sizes, result) \
  FUNC ("%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>, %n: " sizes, \
        "  %0 = \"stablehlo.dynamic_gather\"(%a, %i, %n) {dimension_numbers = " \
        "#stablehlo.gather<" PLAIN "> } : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, " sizes ") -> " result)
#define PLAIN "offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2"
#define BATCHED "offset_dims = [1], collapsed_slice_dims = [1], operand_batching_dims = [0], " \
                "start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1"

static const Case gather_cases[] = {
  { "plain", GATHER ("tensor<2x3x2xi64>", PLAIN, "1, 2, 2", "tensor<2x3x2x2xf32>") },
  { "batched", GATHER ("tensor<3x1xi64>", BATCHED, "1, 1, 2", "tensor<3x2xf32>") },
  { "batched-scalar-index", GATHER ("tensor<3xi64>", BATCHED, "1, 1, 2", "tensor<3x2xf32>") },
  { "dynamic-indices", GATHER ("tensor<?x3x2xi64>", PLAIN, "1, 2, 2", "tensor<?x3x2x2xf32>") },
  { "rank", GATHER ("tensor<2x3x2xi64>", "offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [1, 0], "
    "index_vector_dim = 2", "1, 2, 2", "tensor<2x3x2xf32>"),
    "for 3 dimensions" },
  { "index-vector-dim", GATHER ("tensor<2x3x2xi64>", "offset_dims = [2, 3], collapsed_slice_dims = [0], "
    "start_index_map = [1, 0], index_vector_dim = 4", "1, 2, 2", "tensor<2x3x2x2xf32>"),
    "index_vector_dim in [0, 3]" },
  { "index-map-length", GATHER ("tensor<2x3x2xi64>", "offset_dims = [2, 3], collapsed_slice_dims = [0], "
    "start_index_map = [1], index_vector_dim = 2", "1, 2, 2", "tensor<2x3x2x2xf32>"),
    "start_index_map of 2" },
  { "index-map-range", GATHER ("tensor<2x3x2xi64>", "offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map "
    "= [1, 3], index_vector_dim = 2", "1, 2, 2", "tensor<2x3x2x2xf32>"),
    "start_index_map in [0, 3)" },
  { "unsorted", GATHER ("tensor<2x3x2xi64>", "offset_dims = [3, 2], collapsed_slice_dims = [0], start_index_map = [1, "
    "0], index_vector_dim = 2", "1, 2, 2", "tensor<2x3x2x2xf32>"),
    "increasing order" },
  { "offset-range", GATHER ("tensor<2x3x2xi64>", "offset_dims = [2, 4], collapsed_slice_dims = [0], start_index_map = "
    "[1, 0], index_vector_dim = 2", "1, 2, 2", "tensor<2x3x2x2xf32>"),
    "offset_dims in [0, 4)" },
  { "collapsed-size", GATHER ("tensor<2x3x2xi64>", PLAIN, "2, 2, 2", "tensor<2x3x2x2xf32>"), "at most 1" },
  { "slice-size", GATHER ("tensor<2x3x2xi64>", PLAIN, "1, 5, 2", "tensor<2x3x5x2xf32>"), "from 0 to 4" },
  { "slice-rank", GATHER ("tensor<2x3x2xi64>", PLAIN, "1, 2", "tensor<2x3x2x2xf32>"), "slice_sizes for 3" },
  { "batch-size", GATHER ("tensor<4x1xi64>", BATCHED, "1, 1, 2", "tensor<4x2xf32>"), "equal sizes of batching" },
  { "result", GATHER ("tensor<2x3x2xi64>", PLAIN, "1, 2, 2", "tensor<2x3x2x3xf32>"), "tensor<2x3x2x2xf32>" },
  { "dynamic", DYNAMIC_GATHER ("tensor<3xi64>", "tensor<2x3x?x?xf32>") },
  { "dynamic-rank", DYNAMIC_GATHER ("tensor<2xi64>", "tensor<2x3x?x?xf32>"), "slice_sizes for 3" },
};

#define SCATTER(updates, numbers, result) \
  FUNC ("%a: tensor<3x4x2xf32>, %i: tensor<2x3x2xi64>, %u: " updates, \
        "  %0 = \"stablehlo.scatter\"(%a, %i, %u) " ADD " {scatter_dimension_numbers = #stablehlo.scatter<" numbers \
        ">} : (tensor<3x4x2xf32>, tensor<2x3x2xi64>, " updates ") -> " result)
#define WINDOWS "update_window_dims = [2, 3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], " \
                "index_vector_dim = 2"

static const Case scatter_cases[] = {
  { "plain", SCATTER ("tensor<2x3x2x2xf32>", WINDOWS, "tensor<3x4x2xf32>") },
  { "update-rank", SCATTER ("tensor<2x3x2xf32>", WINDOWS, "tensor<3x4x2xf32>"), "update" },
  { "update-size", SCATTER ("tensor<2x3x5x2xf32>", WINDOWS, "tensor<3x4x2xf32>"), "at most the input's 4" },
  { "update-scatter", SCATTER ("tensor<2x4x2x2xf32>", WINDOWS, "tensor<3x4x2xf32>"), "of scatter_indices, 3" },
  { "rank", SCATTER ("tensor<2x3x2x2xf32>", "update_window_dims = [2, 3], scatter_dims_to_operand_dims = [1, 0], "
    "index_vector_dim = 2", "tensor<3x4x2xf32>"),
    "for 3 dimensions" },
  { "index-map", SCATTER ("tensor<2x3x2x2xf32>", "update_window_dims = [2, 3], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [1, 1], index_vector_dim = 2", "tensor<3x4x2xf32>"),
    "again in scatter_dims_to_operand_dims" },
  { "index-vector-dim", SCATTER ("tensor<2x3x2x2xf32>", "update_window_dims = [2, 3], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [1, 0], index_vector_dim = -1", "tensor<3x4x2xf32>"),
    "index_vector_dim in [0, 3]" },
  { "result", SCATTER ("tensor<2x3x2x2xf32>", WINDOWS, "tensor<3x4x3xf32>"), "tensor<3x4x2xf32>" },
};

#define WHILE(condition_argument, condition_type, returned, result) \
  FUNC ("%a: tensor<i32>, %c: tensor<i1>, %b: tensor<2xi1>, %z: tensor<f32>", \
        "  %0 = \"stablehlo.while\"(%a) ({\n  ^bb0(%x: " condition_argument "):\n" \
        "    stablehlo.return " condition_type "\n  }, {\n  ^bb0(%x: tensor<i32>):\n    stablehlo.return " returned \
        "\n  }) : (tensor<i32>) -> " result)

static const Case control_cases[] = {
  { "while", WHILE ("tensor<i32>", "%c : tensor<i1>", "%x : tensor<i32>", "tensor<i32>") },
  { "while-argument", WHILE ("tensor<f32>", "%c : tensor<i1>", "%x : tensor<i32>", "tensor<i32>"),
    "condition argument 0" },
  { "while-condition", WHILE ("tensor<i32>", "%b : tensor<2xi1>", "%x : tensor<i32>", "tensor<i32>"),
    "return tensor<i1>" },
  { "while-returned", WHILE ("tensor<i32>", "%c : tensor<i1>", "%z : tensor<f32>", "tensor<i32>"),
    "returned by the body 0" },
  { "while-count", WHILE ("tensor<i32>", "%c : tensor<i1>", "%x, %x : tensor<i32>, tensor<i32>", "tensor<i32>"),
    "number of values returned" },
  { "while-result", WHILE ("tensor<i32>", "%c : tensor<i1>", "%x : tensor<i32>", "tensor<f32>"), "tensor<i32>" },
  { "if", FUNC ("%p: tensor<i1>, %a: tensor<2xf32>, %b: tensor<?xf32>",
    "  %0 = \"stablehlo.if\"(%p) ({\n    stablehlo.return %a : tensor<2xf32>\n  }, {\n"
    "    stablehlo.return %b : tensor<?xf32>\n  }) : (tensor<i1>) -> tensor<?xf32>") },
  { "if-selector", FUNC ("%p: tensor<1xi1>, %a: tensor<2xf32>",
    "  %0 = \"stablehlo.if\"(%p) ({\n    stablehlo.return %a : tensor<2xf32>\n  }, {\n"
    "    stablehlo.return %a : tensor<2xf32>\n  }) : (tensor<1xi1>) -> tensor<2xf32>"),
    "scalar that selects" },
  { "if-types", FUNC ("%p: tensor<i1>, %a: tensor<2xf32>, %b: tensor<3xf32>",
    "  %0 = \"stablehlo.if\"(%p) ({\n    stablehlo.return %a : tensor<2xf32>\n  }, {\n"
    "    stablehlo.return %b : tensor<3xf32>\n  }) : (tensor<i1>) -> tensor<?xf32>"),
    "value of branch 1" },
  { "if-result", FUNC ("%p: tensor<i1>, %a: tensor<2xf32>",
    "  %0 = \"stablehlo.if\"(%p) ({\n    stablehlo.return %a : tensor<2xf32>\n  }, {\n"
    "    stablehlo.return %a : tensor<2xf32>\n  }) : (tensor<i1>) -> tensor<3xf32>"),
    "tensor<2xf32>" },
  { "case", FUNC ("%p: tensor<i32>, %a: tensor<2xf32>",
    "  %0 = \"stablehlo.case\"(%p) ({\n    stablehlo.return %a : tensor<2xf32>\n"
    "  }) : (tensor<i32>) -> tensor<2xf32>") },
  { "case-count", FUNC ("%p: tensor<i32>, %a: tensor<2xf32>",
    "  %0 = \"stablehlo.case\"(%p) ({\n    stablehlo.return %a : tensor<2xf32>\n  }, {\n"
    "    stablehlo.return %a, %a : tensor<2xf32>, tensor<2xf32>\n  }) : (tensor<i32>) -> tensor<2xf32>"),
    "branch 1 to return as many" },
  { "async", FUNC ("%a: tensor<4xf32>",
    "  %0 = \"stablehlo.async_start\"(%a) ({\n  ^bb0(%x: tensor<4xf32>):\n"
    "    %1 = \"stablehlo.collective_permute\"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : "
    "(tensor<4xf32>) -> tensor<4xf32>\n    stablehlo.return %1 : tensor<4xf32>\n"
    "  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>\n"
    "  %2 = \"stablehlo.async_done\"(%0) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>") },
  { "async-operation", FUNC ("%a: tensor<4xf32>",
    "  %0 = \"stablehlo.async_start\"(%a) ({\n  ^bb0(%x: tensor<4xf32>):\n"
    "    %1 = stablehlo.add %x, %x : tensor<4xf32>\n    stablehlo.return %1 : tensor<4xf32>\n"
    "  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>"),
    "collective operation or a slice" },
  { "async-result", FUNC ("%a: tensor<4xf32>",
    "  %0 = \"stablehlo.async_start\"(%a) ({\n  ^bb0(%x: tensor<4xf32>):\n"
    "    %1 = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>\n    stablehlo.return %1 : tensor<2xf32>\n"
    "  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>"),
    "future of tensor<2xf32>" },
};

#define ALL_GATHER(groups, more, result) \
  FUNC ("%a: tensor<4x2xf32>", \
        "  %0 = \"stablehlo.all_gather\"(%a) {all_gather_dim = 1 : i64, replica_groups = " groups more \
        "} : (tensor<4x2xf32>) -> " result)
#define PERMUTE(pairs) \
  FUNC ("%a: tensor<4x2xf32>", \
        "  %0 = \"stablehlo.collective_permute\"(%a) {source_target_pairs = " pairs "} : (tensor<4x2xf32>) -> " \
          "tensor<4x2xf32>")
#define ALL_TO_ALL(attributes, result) \
  FUNC ("%a: tensor<4x2xf32>", \
        "  %0 = \"stablehlo.all_to_all\"(%a) {" attributes ", replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : " \
          "(tensor<4x2xf32>) -> " result)
#define ALL_REDUCE(groups) \
  FUNC ("%a: tensor<4x2xf32>", \
        "  %0 = \"stablehlo.all_reduce\"(%a) " ADD " {replica_groups = " groups "} : (tensor<4x2xf32>) -> " \
          "tensor<4x2xf32>")
#define REDUCE_SCATTER(dimension, result) \
  FUNC ("%a: tensor<4x2xf32>", \
        "  %0 = \"stablehlo.reduce_scatter\"(%a) " ADD " {scatter_dimension = " dimension " : i64, replica_groups = " \
          "dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x2xf32>) -> " result)
#define BROADCAST(groups, more, operands, types, result) \
  FUNC ("%a: tensor<4x2xf32>, %r: tensor<1xi32>", \
        "  %0 = \"stablehlo.collective_broadcast\"(" operands ") {replica_groups " \
          "= " groups more "} : (" types ") -> " result)

static const Case collective_cases[] = {
  { "all-gather", ALL_GATHER ("dense<[[0, 1]]> : tensor<1x2xi64>", "", "tensor<4x4xf32>") },
  { "mesh", ALL_GATHER ("#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "
                        "\"x\", size = 2>]>, axes = [#stablehlo.axis_ref<name = \"x\">]>", "", "tensor<4x4xf32>") },
  { "mesh-axis", ALL_GATHER ("#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = "
                             "[#stablehlo.mesh_axis<name = \"x\", size = 2>]>, axes = [#stablehlo.axis_ref<name = "
                             "\"y\">]>", "", "tensor<4x4xf32>"),
    "'y'" },
  { "mesh-size", ALL_GATHER ("#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = "
                             "[#stablehlo.mesh_axis<name = \"x\", size = 0>]>, axes = [#stablehlo.axis_ref<name = "
                             "\"x\">]>", "", "tensor<4x4xf32>"),
    "positive size" },
  { "mesh-symbol", ALL_GATHER ("#stablehlo.replica_group_mesh_axes<mesh = @nowhere, axes = [#stablehlo.axis_ref<name = "
                               "\"x\">]>", "", "tensor<4x4xf32>"),
    "'@nowhere'" },
  /* For a mesh given by its symbol, StableHLO allows any attributes as axes. */
  { "mesh-symbol-axes", ALL_GATHER ("#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [0 : i64, \"x\"]>", "",
                                    "tensor<4x4xf32>") "func.func private @mesh()\n" },
  { "mesh-no-references", ALL_GATHER ("#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = "
                                      "[#stablehlo.mesh_axis<name = \"x\", size = 2>]>, axes = [\"x\"]>", "",
                                      "tensor<4x4xf32>"),
    "expected references to axes as the axes of replica groups, found \"x\"" },
  { "mesh-axes-kind", ALL_GATHER ("#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = \"x\">", "",
                                  "tensor<4x4xf32>") "func.func private @mesh()\n",
    "expected an array as the axes of replica groups, found \"x\"" },
  { "mesh-kind", ALL_GATHER ("#stablehlo.replica_group_mesh_axes<mesh = \"mesh\", axes = []>", "", "tensor<4x4xf32>"),
    "expected a symbol or a mesh as the mesh of replica groups, found \"mesh\"" },
  { "mesh-nested-symbol", ALL_GATHER ("#stablehlo.replica_group_mesh_axes<mesh = @a::@mesh, axes = []>", "",
                                      "tensor<4x4xf32>"),
    "expected a symbol or a mesh as the mesh of replica groups, found @a::@mesh" },
  { "mesh-devices", ALL_GATHER ("#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = "
                                "[#stablehlo.mesh_axis<name = \"x\", size = 2>], device_ids = dense<[1, 0]> : "
                                "tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = \"x\">]>", "", "tensor<4x4xf32>") },
  { "mesh-device-numbers", ALL_GATHER ("#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = "
                                       "[#stablehlo.mesh_axis<name = \"x\", size = 2>], device_ids = dense<[1.0, 0.0]> "
                                       ": tensor<2xf32>>, axes = [#stablehlo.axis_ref<name = \"x\">]>", "",
                                       "tensor<4x4xf32>"),
    "expected dense elements of integers as the devices of a mesh, found dense<[1.000000e+00, 0.000000e+00]>" },
  { "mesh-sub-axis", ALL_GATHER ("#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = "
                                 "[#stablehlo.mesh_axis<name = \"x\", size = 4>]>, axes = [#stablehlo.axis_ref<name = "
                                 "\"x\", sub_axis_info = (1)2>]>", "", "tensor<4x4xf32>") },
  { "rank", ALL_GATHER ("dense<[0, 1]> : tensor<2xi64>", "", "tensor<4x4xf32>"), "replica_groups" },
  { "twice", ALL_GATHER ("dense<[[0, 0]]> : tensor<1x2xi64>", "", "tensor<4x4xf32>"), "each process once" },
  { "gap", ALL_GATHER ("dense<[[0, 2]]> : tensor<1x2xi64>", "", "tensor<4x4xf32>"), "expected process 1" },
  { "padded", ALL_GATHER ("dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>", "", "tensor<4x4xf32>"), "0 or more" },
  { "huge-splat", ALL_GATHER ("dense<0> : tensor<1000000x1000000xi64>", "", "tensor<4x4xf32>"), "each process once" },
  { "channel", ALL_GATHER ("dense<[[0, 1]]> : tensor<1x2xi64>", ", channel_handle = #stablehlo.channel_handle<handle = "
    "-1, type = 0>, use_global_device_ids", "tensor<4x4xf32>"),
    "channel handle" },
  { "gathered", ALL_GATHER ("dense<[[0, 1]]> : tensor<1x2xi64>", "", "tensor<4x5xf32>"), "a multiple of the other" },
  { "other-dimension", ALL_GATHER ("dense<[[0, 1]]> : tensor<1x2xi64>", "", "tensor<3x4xf32>"), "equal sizes" },
  { "permute", PERMUTE ("dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>") },
  { "permute-none", PERMUTE ("dense<> : tensor<0x2xi64>") },
  { "permute-shape", PERMUTE ("dense<[[0, 1, 2]]> : tensor<1x3xi64>"), "(N, 2)" },
  { "permute-source", PERMUTE ("dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>"), "each source once" },
  { "permute-target", PERMUTE ("dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>"), "each target once" },
  { "permute-splat", PERMUTE ("dense<7> : tensor<2x2xi64>"),
    "expected each source once in source_target_pairs, found 7 for all" },
  { "permute-negative", PERMUTE ("dense<[[0, -1]]> : tensor<1x2xi64>"), "0 or more" },
  { "all-to-all", ALL_TO_ALL ("split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64",
    "tensor<2x4xf32>") },
  { "all-to-all-same", ALL_TO_ALL ("split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64",
    "tensor<4x2xf32>") },
  { "split-count", ALL_TO_ALL ("split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 4 : i64",
    "tensor<1x8xf32>"), "4 processes each" },
  { "split-range", ALL_TO_ALL ("split_dimension = 2 : i64, concat_dimension = 1 : i64, split_count = 2 : i64",
    "tensor<2x4xf32>"), "split_dimension in [0, 2)" },
  { "exchanged", ALL_TO_ALL ("split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64",
    "tensor<4x2xf32>"), "tensor<2x4xf32>" },
  { "all-reduce", ALL_REDUCE ("dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>") },
  { "all-reduce-gap", ALL_REDUCE ("dense<[[0, 1], [3, -1]]> : tensor<2x2xi64>"), "expected process 2" },
  { "reduce-scatter", REDUCE_SCATTER ("0", "tensor<2x2xf32>") },
  { "scatter-range", REDUCE_SCATTER ("2", "tensor<2x2xf32>"), "scatter_dimension in [0, 2)" },
  { "scattered", REDUCE_SCATTER ("0", "tensor<3x2xf32>"), "a multiple of the other" },
  { "scattered-empty", REDUCE_SCATTER ("0", "tensor<0x2xf32>"), "a multiple of the other" },
  { "broadcast", BROADCAST ("dense<[[1, 5]]> : tensor<1x2xi64>", "", "%a", "tensor<4x2xf32>", "tensor<4x2xf32>") },
  { "broadcast-root", BROADCAST ("dense<[[1, 5]]> : tensor<1x2xi64>", ", has_dynamic_root", "%a, %r",
    "tensor<4x2xf32>, tensor<1xi32>", "tensor<4x2xf32>") },
  { "broadcast-negative", BROADCAST ("dense<[[-1, 5]]> : tensor<1x2xi64>", "", "%a", "tensor<4x2xf32>",
    "tensor<4x2xf32>"), "0 or more" },
  { "broadcast-no-root", BROADCAST ("dense<[[1, 5]]> : tensor<1x2xi64>", ", has_dynamic_root", "%a", "tensor<4x2xf32>",
    "tensor<4x2xf32>"), "in addition to the roots" },
  { "send", FUNC ("%a: tensor<2xf32>, %t: !stablehlo.token",
    "  %0 = \"stablehlo.send\"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, "
    "is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token") },
  { "send-channel", FUNC ("%a: tensor<2xf32>, %t: !stablehlo.token",
    "  %0 = \"stablehlo.send\"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, "
    "is_host_transfer = true} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token"),
    "channel type 2" },
  { "recv", FUNC ("%t: !stablehlo.token",
    "  %0:2 = \"stablehlo.recv\"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, "
    "is_host_transfer = true} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)") },
  { "recv-token", FUNC ("%t: !stablehlo.token",
    "  %0 = \"stablehlo.recv\"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer "
    "= true} : (!stablehlo.token) -> tensor<2xf32>"),
    "to be a token" },
  { "infeed-layout", FUNC ("%t: !stablehlo.token",
    "  %0:2 = \"stablehlo.infeed\"(%t) {infeed_config = \"\", layout = [[0], [1]]} : (!stablehlo.token) -> "
    "(tensor<2xf32>, !stablehlo.token)"),
    "layout of 1" },
  { "infeed-list", FUNC ("%t: !stablehlo.token",
    "  %0:2 = \"stablehlo.infeed\"(%t) {infeed_config = \"\", layout = [\"x\"]} : (!stablehlo.token) -> "
    "(tensor<2xf32>, !stablehlo.token)"),
    "expected a list of integers at index 0 of layout, found \"x\"" },
  { "concat-size", FUNC ("%a: tensor<0x4611686018427387904xf32>",
    "  %0 = \"stablehlo.all_to_all\"(%a) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : "
    "i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<0x4611686018427387904xf32>) -> "
    "tensor<0x?xf32>"),
    "within 63 bits, found 4611686018427387904 times split_count 2" },
  { "replica-id", FUNC ("", "  %0 = stablehlo.replica_id : tensor<ui32>") },
  { "replica-id-rank", FUNC ("", "  %0 = stablehlo.replica_id : tensor<1xui32>"), "tensor<ui32>" },
};

#define BATCH_NORM(scale, feature, result) \
  FUNC ("%a: tensor<2x3x4xf32>, %s: " scale, \
        "  %0:3 = \"stablehlo.batch_norm_training\"(%a, %s, %s) {epsilon = 0.001 : f32, feature_index = " feature \
        " : i64} : (tensor<2x3x4xf32>, " scale ", " scale ") -> (tensor<2x3x4xf32>, " result ", " result ")")

static const Case batch_norm_cases[] = {
  { "training", BATCH_NORM ("tensor<3xf32>", "1", "tensor<3xf32>") },
  { "dynamic", BATCH_NORM ("tensor<?xf32>", "2", "tensor<4xf32>") },
  { "feature-range", BATCH_NORM ("tensor<3xf32>", "3", "tensor<3xf32>"), "feature_index in [0, 3)" },
  { "feature-count", BATCH_NORM ("tensor<4xf32>", "1", "tensor<4xf32>"), "3 features" },
  { "result", BATCH_NORM ("tensor<3xf32>", "1", "tensor<4xf32>"), "tensor<3xf32>" },
};

static void
check_case (const Case *test_case)
{
  gsize length = strlen (test_case->text);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("case.mlir", test_case->text, length);
  g_autoptr (GhloIrModule) module = ghlo_import_text (test_case->text, length, GHLO_IMPORT_DEFAULT, diagnostics, NULL);
  const GhloFinding *finding;

  if (module != NULL)
    ghlo_ir_verify (module, diagnostics, NULL);
  finding = diagnostics->n_errors > 0 ? diagnostics->findings->pdata[0] : NULL;

  if (test_case->error == NULL && finding != NULL)
    g_test_fail_printf ("%s is valid, but: %s", test_case->name, finding->message);
  else if (test_case->error != NULL && finding == NULL)
    g_test_fail_printf ("%s is accepted", test_case->name);
  else if (finding != NULL && (strstr (finding->message, test_case->error) == NULL || finding->line != 2))
    g_test_fail_printf ("%s: expected '%s' in line 2, found: %u: %s",
                        test_case->name, test_case->error, finding->line, finding->message);
  else
    g_test_message ("%s: %s", test_case->name, finding != NULL ? finding->message : "valid");
}

typedef struct
{
  const Case *cases;
  gsize       n;
} Group;

static void
test_group (gconstpointer data)
{
  const Group *group = data;

  for (gsize i = 0; i < group->n; i++)
    {
      check_case (&group->cases[i]);
      if (group->cases[i].error == NULL)
        check_other_types (group->cases[i].text);
    }
}

int
main (int    argc,
      char **argv)
{
  static const Group groups[] = {
    { dot_cases, G_N_ELEMENTS (dot_cases) },
    { convolution_cases, G_N_ELEMENTS (convolution_cases) },
    { reduce_cases, G_N_ELEMENTS (reduce_cases) },
    { sort_cases, G_N_ELEMENTS (sort_cases) },
    { window_cases, G_N_ELEMENTS (window_cases) },
    { gather_cases, G_N_ELEMENTS (gather_cases) },
    { scatter_cases, G_N_ELEMENTS (scatter_cases) },
    { control_cases, G_N_ELEMENTS (control_cases) },
    { collective_cases, G_N_ELEMENTS (collective_cases) },
    { batch_norm_cases, G_N_ELEMENTS (batch_norm_cases) },
  };
  static const char *const names[] = {
    "dot", "convolution", "reduce", "sort", "window", "gather", "scatter", "control", "collective", "batch-norm",
  };

  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    {
      g_autofree char *path = g_strdup_printf ("/verify-structured/%s", names[i]);

      g_test_add_data_func (path, &groups[i], test_group);
    }

  return g_test_run ();
}
