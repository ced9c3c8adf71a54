/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The library's built-in custom calls with operands, results, attributes and functions of the wrong form. The verifier
 * does not know custom call targets and so accepts these programs; the code that reads the calls must refuse them,
 * whatever they contain.
 */

#include "reference-programs.h"

#define VALUES \
  "  %x = stablehlo.constant dense<1> : tensor<4xi32>\n" \
  "  %z = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %o = stablehlo.constant dense<1> : tensor<1xi32>\n" \
  "  %n = stablehlo.constant dense<> : tensor<0xi32>\n" \
  "  %m = stablehlo.constant dense<-1> : tensor<1xi32>\n" \
  "  %p = stablehlo.constant dense<0> : tensor<1x2xi32>\n" \
  "  %s = stablehlo.constant dense<1> : tensor<2xui64>\n" \
  "  %e = stablehlo.constant dense<[0.0, 3.0]> : tensor<2xf32>\n" \
  "  %g = stablehlo.constant dense<1.0> : tensor<f32>\n" \
  "  %c = stablehlo.constant dense<(1.0, 2.0)> : tensor<2xcomplex<f64>>\n" \
  "  %a = stablehlo.constant dense<1.0> : tensor<2x2xf32>\n" \
  "  %l = stablehlo.constant dense<true> : tensor<i1>\n" \
  "  %k = stablehlo.create_token : !stablehlo.token\n" \
  "  %q = stablehlo.uniform_quantize %e : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>\n"

#define FUNCTIONS \
  "func.func private @sum(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {\n" \
  "  return %a : tensor<i32>\n" \
  "}\n" \
  "func.func private @three(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>) -> tensor<i32> {\n" \
  "  return %a : tensor<i32>\n" \
  "}\n" \
  "func.func private @many(%a: tensor<i32>, %b: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>,\n" \
  "    tensor<i32>, tensor<i32>, tensor<i32>) {\n" \
  "  return %a, %a, %a, %a, %a, %b : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>\n" \
  "}\n" \
  "func.func private @none(%a: tensor<i32>, %b: tensor<i32>) {\n" \
  "  return\n" \
  "}\n" \
  "func.func private @floats(%a: tensor<f64>, %b: tensor<f64>) -> tensor<f64> {\n" \
  "  return %a : tensor<f64>\n" \
  "}\n" \
  "func.func private @vector(%a: tensor<i32>, %b: tensor<i32>) -> tensor<1xi32> {\n" \
  "  %0 = stablehlo.reshape %a : (tensor<i32>) -> tensor<1xi32>\n" \
  "  return %0 : tensor<1xi32>\n" \
  "}\n" \
  "func.func private @token(%a: tensor<i32>, %b: tensor<i32>) -> !stablehlo.token {\n" \
  "  %0 = stablehlo.create_token : !stablehlo.token\n" \
  "  return %0 : !stablehlo.token\n" \
  "}\n"

typedef struct
{
  const char *call;         /* target, operands and attributes */
  const char *types;
  const char *pattern;
} Wrong;

/* A window of one element. */
#define WINDOW_TYPES "(tensor<4xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, " \
                     "tensor<1x2xi32>) -> "
#define WINDOW(function, result) \
  { "@stablehlo.dynamic_reduce_window(%x, %z, %o, %o, %o, %o, %p) {called_computations = [@" function "]}", \
    WINDOW_TYPES "tensor<4x" result ">", "*expected a function that makes 1 scalars of the results' types of 2*" }

#define BITS "@stablehlo.dynamic_rng_bit_generator"
#define PHILOX " {rng_algorithm = #stablehlo<rng_algorithm PHILOX>}"
#define STATE "(tensor<2xui64>, tensor<1xi32>) -> "

static const Wrong at_run[] = {
  { "@stablehlo.dynamic_reduce_window()", "() -> ()", "*expected 7 operands and 1 results, found 0 and 0" },
  { "@stablehlo.dynamic_reduce_window(%x, %z, %o, %o, %o, %o)",
    "(tensor<4xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>",
    "*expected 7 operands and 1 results, found 6 and 1" },
  { "@stablehlo.dynamic_reduce_window(%x, %z, %o, %o, %o, %o, %p)", WINDOW_TYPES "tensor<4xi32>",
    "*expected one function that reduces as called_computations" },
  { "@stablehlo.dynamic_reduce_window(%x, %z, %o, %o, %x, %o, %p) {called_computations = [@sum]}",
    "(tensor<4xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<4xi32>, tensor<1xi32>, tensor<1x2xi32>)"
    " -> tensor<4xi32>", "*expected 1 values of base_dilations, found 4" },
  { "@stablehlo.dynamic_reduce_window(%x, %z, %o, %o, %g, %o, %p) {called_computations = [@sum]}",
    "(tensor<4xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<f32>, tensor<1xi32>, tensor<1x2xi32>)"
    " -> tensor<4xi32>", "*expected a few integers as operand 4, found tensor<f32>" },
  { "@stablehlo.dynamic_reduce_window(%x, %k, %o, %o, %o, %o, %p) {called_computations = [@sum]}",
    "(tensor<4xi32>, !stablehlo.token, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>)"
    " -> tensor<4xi32>", "*expected a tensor of numbers as operand 1, found a token" },
  { "@stablehlo.dynamic_reduce_window(%x, %o, %z, %z, %o, %o, %o, %o, %p) {called_computations = [@sum]}",
    "(tensor<4xi32>, tensor<1xi32>, tensor<i32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, "
    "tensor<1xi32>, tensor<1x2xi32>) -> (tensor<4xi32>, tensor<4xi32>)", "*expected a function that makes 2 scalars*" },
  { "@stablehlo.dynamic_reduce_window(%x, %z, %o, %o, %o, %o, %p) {called_computations = [@sum]}",
    WINDOW_TYPES "!stablehlo.token", "*expected !stablehlo.token for result 0, found a tensor" },
  WINDOW ("main", "i32"), WINDOW ("three", "i32"), WINDOW ("many", "i32"), WINDOW ("none", "i32"),
  WINDOW ("token", "i32"), WINDOW ("vector", "i32"), WINDOW ("floats", "i32"), WINDOW ("floats", "f64"),
  WINDOW ("sum", "f64"), WINDOW ("sum", "i64"),

  { BITS "()" PHILOX, "() -> ()", "*expected 2 operands and 2 results, found 0 and 0" },
  { BITS "(%s, %m)" PHILOX, STATE "(tensor<2xui64>, tensor<?xui32>)", "*not negative, found -1" },
  { BITS "(%s, %z)" PHILOX, "(tensor<2xui64>, tensor<i32>) -> (tensor<2xui64>, tensor<?xui32>)",
    "*expected the shape as a vector*" },
  { BITS "(%s, %g)" PHILOX, "(tensor<2xui64>, tensor<f32>) -> (tensor<2xui64>, tensor<?xui32>)",
    "*expected a few integers as operand 1, found tensor<f32>" },
  { BITS "(%e, %o)" PHILOX, "(tensor<2xf32>, tensor<1xi32>) -> (tensor<2xf32>, tensor<?xui32>)",
    "*expected a few integers as operand 0, found tensor<2xf32>" },
  { BITS "(%k, %o)" PHILOX, "(!stablehlo.token, tensor<1xi32>) -> (tensor<2xf32>, tensor<?xui32>)",
    "*expected a few integers as operand 0, found a token" },
  { BITS "(%s, %o)" PHILOX, STATE "(tensor<2xui8>, tensor<?xui32>)",
    "*tensor of ui64 as result 0, found tensor<2xui8>" },
  { BITS "(%s, %o)" PHILOX, STATE "(!stablehlo.token, tensor<?xui32>)", "*ui64 as result 0, found !stablehlo.token" },
  { BITS "(%s, %o)" PHILOX, STATE "(tensor<2xui64>, tensor<?xf32>)", "*integers as result 1, found tensor<?xf32>" },
  { BITS "(%s, %o)" PHILOX, STATE "(tensor<2xui64>, tensor<?x!quant.uniform<i8:f32, 1.0>>)",
    "*integers as result 1, found tensor<?x!quant.*" },
  { BITS "(%s, %o)" PHILOX, STATE "(tensor<2xui64>, tensor<ui32>)", "*expected tensor<ui32> for result 1*" },
  { BITS "(%s, %o)", STATE "(tensor<2xui64>, tensor<?xui32>)", "*expected an algorithm as 'rng_algorithm'*nothing" },
  { BITS "(%s, %o) {rng_algorithm = 123456789 : i32}", STATE "(tensor<2xui64>, tensor<?xui32>)",
    "*expected #stablehlo<rng_algorithm NAME> as 'rng_algorithm' of *, found 123456789*" },
  { BITS "(%s, %o) {rng_algorithm = #stablehlo<precision HIGHEST>}", STATE "(tensor<2xui64>, tensor<?xui32>)",
    "*expected #stablehlo<rng_algorithm NAME> as 'rng_algorithm' of *" },

  { "@check.eq()", "() -> ()", "*expected 2 operands and 0 results, found 0 and 0" },
  { "@check.eq(%k, %k)", "(!stablehlo.token, !stablehlo.token) -> ()", "*expected tensors, found a token and a token" },
  { "@check.eq(%x, %k)", "(tensor<4xi32>, !stablehlo.token) -> ()", "*found tensor<4xi32> and a token" },
  { "@check.eq(%x, %x)", "(tensor<4xi32>, tensor<4xi32>) -> !stablehlo.token",
    "*i1 as result 0, found !stablehlo.token" },
  { "@check.eq(%x, %x)", "(tensor<4xi32>, tensor<4xi32>) -> tuple<tensor<i1>>", "*i1 as result 0, found tuple*" },
  { "@check.expect_eq(%x, %x)", "(tensor<4xi32>, tensor<4xi32>) -> tensor<f32>", "*i1 as result 0, found tensor<f32>" },
  { "@check.expect_eq(%x, %x)", "(tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>",
    "*expected tensor<4xi1> for result 0*" },
  { "@check.expect_eq(%x, %x)", "(tensor<4xi32>, tensor<4xi32>) -> (tensor<i1>, tensor<i1>)",
    "*expected 2 operands and 1 results, found 2 and 2" },
  { "@check.expect_almost_eq(%e, %e) {tolerance = \"much\"}", "(tensor<2xf32>, tensor<2xf32>) -> ()",
    "*expected a float as 'tolerance' of check.expect_almost_eq, found \"much\"" },
  { "@check.expect_close(%e, %e) {max_ulp_difference = -1}", "(tensor<2xf32>, tensor<2xf32>) -> ()",
    "*expected differences of at least 0, found 0 and -1" },
  { "@check.expect_close(%e, %e) {min_ulp_difference = [1]}", "(tensor<2xf32>, tensor<2xf32>) -> ()",
    "*expected an integer as 'min_ulp_difference' of check.expect_close, found *" },

  { "@shape_assertion()", "() -> ()", "*expected 1 operands and 0 results, found 0 and 0" },
  { "@shape_assertion(%l)", "(tensor<i1>) -> tensor<i1>", "*expected 1 operands and 0 results, found 1 and 1" },
  { "@shape_assertion(%g)", "(tensor<f32>) -> ()", "*expected a boolean as operand 0, found tensor<f32>" },
  { "@shape_assertion(%k)", "(!stablehlo.token) -> ()", "*expected a boolean as operand 0, found a token" },
  { "@shape_assertion(%l, %g)", "(tensor<i1>, tensor<f32>) -> ()",
    "*expected an integer as operand 1, found tensor<f32>" },
  { "@shape_assertion(%l, %n)", "(tensor<i1>, tensor<0xi32>) -> ()", "*an integer as operand 1, found tensor<0xi32>" },
  { "@shape_assertion(%l) {error_message = 3}", "(tensor<i1>) -> ()", "*expected a string as 'error_message'*" },

  { "@mhlo.topk()", "() -> ()", "*expected 1 operands and 2 results, found 0 and 0" },
  { "@mhlo.topk(%k) {k = 1}", "(!stablehlo.token) -> (tensor<1xf32>, tensor<1xi32>)", "*numbers as operand 0*a token" },
  { "@mhlo.topk(%q) {k = 1}", "(tensor<2x!quant.uniform<i8:f32, 1.0>>) -> (tensor<1xf32>, tensor<1xi32>)",
    "*expected a tensor of numbers as operand 0, found tensor<2x!quant.*" },
  { "@mhlo.topk(%g) {k = 1}", "(tensor<f32>) -> (tensor<1xf32>, tensor<1xi32>)", "*expected a tensor of rows*" },
  { "@mhlo.topk(%c) {k = 1}", "(tensor<2xcomplex<f64>>) -> (tensor<1xcomplex<f64>>, tensor<1xi32>)", "*an order" },
  { "@mhlo.topk(%e)", "(tensor<2xf32>) -> (tensor<1xf32>, tensor<1xi32>)", "*expected k up to 2, found -1" },
  { "@mhlo.topk(%e) {k = 3}", "(tensor<2xf32>) -> (tensor<1xf32>, tensor<1xi32>)", "*expected k up to 2, found 3" },
  { "@mhlo.topk(%e) {mhlo.attributes = {k = \"1\"}}", "(tensor<2xf32>) -> (tensor<1xf32>, tensor<1xi32>)",
    "*expected an integer as 'k' of mhlo.topk, found \"1\"" },
  { "@mhlo.topk(%e) {k = 1, largest = \"no\"}", "(tensor<2xf32>) -> (tensor<1xf32>, tensor<1xi32>)",
    "*expected true or false as 'largest' of mhlo.topk, found \"no\"" },
  { "@mhlo.topk(%e) {k = 1}", "(tensor<2xf32>) -> (tensor<1xf64>, tensor<1xi32>)", "*f32 as result 0*" },
  { "@mhlo.topk(%e) {k = 1}", "(tensor<2xf32>) -> (!stablehlo.token, tensor<1xi32>)", "*f32 as result 0*" },
  { "@mhlo.topk(%e) {k = 1}", "(tensor<2xf32>) -> (tensor<1xf32>, tensor<1xi1>)", "*integers as result 1*" },
  { "@mhlo.topk(%e) {k = 1}", "(tensor<2xf32>) -> (tensor<1xf32>, tensor<2xi32>)", "*expected tensor<2xi32>*" },
  { "@stablehlo.dynamic_top_k(%e, %g)", "(tensor<2xf32>, tensor<f32>) -> (tensor<?xf32>, tensor<?xi32>)",
    "*expected an integer as operand 1, found tensor<f32>" },
  { "@stablehlo.dynamic_top_k(%e, %x)", "(tensor<2xf32>, tensor<4xi32>) -> (tensor<?xf32>, tensor<?xi32>)",
    "*expected an integer as operand 1, found tensor<4xi32>" },

  { "@mhlo.erf()", "() -> ()", "*expected a tensor of floats and a result" },
  { "@mhlo.erf(%e)", "(tensor<2xf32>) -> !stablehlo.token", "*f32 as result 0, found !stablehlo.token" },
  { "@mhlo.erf(%e)", "(tensor<2xf32>) -> tensor<2xi32>", "*f32 as result 0, found tensor<2xi32>" },
  { "@mhlo.erf(%e)", "(tensor<2xf32>) -> tensor<3xf32>", "*expected tensor<3xf32> for result 0*" },
  { "@mhlo.erf(%q)", "(tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2xf32>", "*expected a tensor of floats*" },

  { "@Sharding()", "() -> tensor<f32>", "*expected as many operands as results, found 0 and 1" },
  { "@control_dep(%e)", "(tensor<2xf32>) -> tensor<4xf32>", "*expected tensor<4xf32> for result 0*" },
  { "@SPMDFullToShardShape()", "() -> ()", "*expected an operand and a result, found 0 and 0" },
  { "@stablehlo.shape_refinement_operand_wrapper()", "() -> tensor<4xf32>", "*an operand and a result, found 0 and 1" },
};

/* Calls that are read before a run. */
static const Wrong before[] = {
  { "@Qr()", "() -> ()", "*expected real or complex numbers as operand 0 of Qr" },
  { "@Qr(%a)", "(tensor<2x2xf32>) -> tuple<tensor<2x2xf32>, tensor<2xf32>>", "*expected plain tensors*" },
  { "@LuDecomposition(%a)", "(tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xi1>, tensor<2xi32>)",
    "*expected tensor<2xi32> as result 1*" },
  { "@LuDecomposition(%a)", "(tensor<2x2xf32>) -> (tensor<2x2xf32>, !stablehlo.token, tensor<2xi32>)",
    "*expected plain tensors*" },
  { "@Eigh(%a) {backend_config = \"\"}", "(tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)",
    "*expected a text that begins with 0 or 1 as 'backend_config' of Eigh, found \"\"" },
  { "@Eigh(%a) {api_version = 4 : i32, backend_config = {}}", "(tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)",
    "*expected a string as 'backend_config' of Eigh, found {}" },
  { "@lapack_sgeqrf_ffi(%a) {indices_of_shape_operands = dense<9> : tensor<9223372036854775807xi64>}",
    "(tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)", "*expected 1 operands and 2 results of *, found 0 and 2" },
  { "@lapack_spotrf_ffi(%a) {uplo = 4294967372}", "(tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)",
    "*expected one of the characters \"LU\" as a number as 'uplo' of *, found 4294967372*" },
  { "@ApproxTopK(%e, %g) {called_computations = [@sum]}", "(tensor<2xf32>, tensor<f32>) -> tensor<1xf32>",
    "*expected a reduction_dim below the rank 1, found -1" },
  { "@ApproxTopK(%e, %g) {called_computations = [@sum], reduction_dim = 0.0}",
    "(tensor<2xf32>, tensor<f32>) -> tensor<1xf32>", "*expected an integer as 'reduction_dim' of ApproxTopK, found *" },
  { "@ApproxTopK(%e, %g) {called_computations = [@sum], reduction_dim = 0}",
    "(tensor<2xf32>, tensor<f32>) -> tensor<1xf32>", "*expected a comparator that takes two elements*" },
  { "@ApproxTopK(%e, %g) {called_computations = [@nowhere], reduction_dim = 0}",
    "(tensor<2xf32>, tensor<f32>) -> tensor<1xf32>", "*expected a comparator that takes two elements*" },
};

/* A program that makes the call and does not use its results. */
static char *
make_program (const Wrong *wrong)
{
  return g_strconcat ("func.func @main() {\n" VALUES "  stablehlo.custom_call ", wrong->call, " : ", wrong->types,
                      "\n  return\n}\n" FUNCTIONS, NULL);
}

static void
test_at_run (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (at_run); i++)
    {
      g_autofree char *text = make_program (&at_run[i]);

      g_test_message ("%s : %s", at_run[i].call, at_run[i].types);
      expect_failure (text, GHLO_ERROR_DATA, at_run[i].pattern);
    }
}

static void
test_before (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (before); i++)
    {
      g_autofree char *text = make_program (&before[i]);
      g_autoptr (GhloIrModule) module = parse (text);
      g_autoptr (GError) error = NULL;

      g_test_message ("%s : %s", before[i].call, before[i].types);
      g_assert_null (ghlo_device_core_prepare (ghlo_reference_device (), module, ghlo_ir_module_get_entry (module),
                                               NULL, NULL, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
      if (!g_pattern_match_simple (before[i].pattern, error->message))
        g_error ("'%s' does not match '%s'", error->message, before[i].pattern);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wrong-calls/at-run", test_at_run);
  g_test_add_func ("/wrong-calls/before", test_before);

  return g_test_run ();
}
