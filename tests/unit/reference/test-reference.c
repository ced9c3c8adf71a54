/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The reference executor itself: control flow, calls and their limits, cancellation, progress, checks, custom calls,
 * probes, and the lifetime of values.
 */

#include <glib/gstdio.h>

#include "reference-programs.h"

#define FACTORIAL \
  "func.func @main(%arg0: tensor<i64>) -> tensor<i64> {\n" \
  "  %0 = call @factorial(%arg0) : (tensor<i64>) -> tensor<i64>\n" \
  "  return %0 : tensor<i64>\n" \
  "}\n" \
  "func.func private @factorial(%n: tensor<i64>) -> tensor<i64> {\n" \
  "  %one = stablehlo.constant dense<1> : tensor<i64>\n" \
  "  %p = stablehlo.compare LE, %n, %one : (tensor<i64>, tensor<i64>) -> tensor<i1>\n" \
  "  %r = \"stablehlo.if\"(%p) ({\n" \
  "    stablehlo.return %one : tensor<i64>\n" \
  "  }, {\n" \
  "    %m = stablehlo.subtract %n, %one : tensor<i64>\n" \
  "    %f = func.call @factorial(%m) : (tensor<i64>) -> tensor<i64>\n" \
  "    %x = stablehlo.multiply %n, %f : tensor<i64>\n" \
  "    stablehlo.return %x : tensor<i64>\n" \
  "  }) : (tensor<i1>) -> tensor<i64>\n" \
  "  return %r : tensor<i64>\n" \
  "}\n"

static void
test_recursion (void)
{
  g_auto (Program) program = { NULL };
  g_autoptr (GhloValue) input = new_i64 (100000);
  g_autoptr (GhloValue) output = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (run_i64 (FACTORIAL, 1), ==, 1);
  g_assert_cmpint (run_i64 (FACTORIAL, 10), ==, 3628800);

  prepare (&program, FACTORIAL);
  g_assert_false (run_program (&program, &input, 1, &output, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "200"));
  g_assert_true (g_str_has_prefix (error->message, "test.mlir:12:"));
  g_assert_null (output);
}

static void
test_while (void)
{
  const char *text =
    "func.func @main(%n: tensor<i64>) -> tensor<i64> {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i64>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i64>\n"
    "  %r:2 = stablehlo.while(%i = %zero, %sum = %zero) : tensor<i64>, tensor<i64>\n"
    "  cond {\n"
    "    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n"
    "  } do {\n"
    "    %i1 = stablehlo.add %i, %one : tensor<i64>\n"
    "    %s1 = stablehlo.add %sum, %i1 : tensor<i64>\n"
    "    stablehlo.return %i1, %s1 : tensor<i64>, tensor<i64>\n"
    "  }\n"
    "  return %r#1 : tensor<i64>\n"
    "}\n";

  g_assert_cmpint (run_i64 (text, 0), ==, 0);
  g_assert_cmpint (run_i64 (text, 1000), ==, 500500);
}

/* A loop whose initial values are one and the same value, which are swapped and passed through. */
static void
test_while_aliases (void)
{
  const char *text =
    "func.func @main(%n: tensor<i64>) -> tensor<i64> {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i64>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i64>\n"
    "  %m = stablehlo.add %n, %one : tensor<i64>\n"
    "  %r:4 = stablehlo.while(%i = %zero, %a = %m, %b = %m, %c = %n)\n"
    "      : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>\n"
    "  cond {\n"
    "    %p = stablehlo.compare LT, %i, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n"
    "  } do {\n"
    "    %i1 = stablehlo.add %i, %one : tensor<i64>\n"
    "    stablehlo.return %i1, %c, %a, %b : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>\n"
    "  }\n"
    "  %s = stablehlo.multiply %r#1, %one : tensor<i64>\n"
    "  %t = stablehlo.add %s, %r#2 : tensor<i64>\n"
    "  %u = stablehlo.add %t, %r#3 : tensor<i64>\n"
    "  return %u : tensor<i64>\n"
    "}\n";

  g_assert_cmpint (run_i64 (text, 4), ==, 5 + 5 + 4);
}

static void
test_tuples_and_composites (void)
{
  const char *text =
    "func.func @main(%n: tensor<i64>) -> tensor<i64> {\n"
    "  %t = stablehlo.tuple %n, %n : tuple<tensor<i64>, tensor<i64>>\n"
    "  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i64>, tensor<i64>>) -> tensor<i64>\n"
    "  %1 = stablehlo.composite \"my.twice\" %0 { decomposition = @twice } : (tensor<i64>) -> tensor<i64>\n"
    "  %2 = stablehlo.optimization_barrier %1 : tensor<i64>\n"
    "  %3 = stablehlo.custom_call @Sharding(%2) : (tensor<i64>) -> tensor<i64>\n"
    "  return %3 : tensor<i64>\n"
    "}\n"
    "func.func private @twice(%x: tensor<i64>) -> tensor<i64> {\n"
    "  %0 = stablehlo.add %x, %x : tensor<i64>\n"
    "  return %0 : tensor<i64>\n"
    "}\n";

  g_assert_cmpint (run_i64 (text, 21), ==, 42);
}

static void
test_inputs (void)
{
  g_auto (Program) program = { NULL };
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_I32, NULL, 0);
  g_autoptr (GhloValue) wrong = ghlo_value_new_tensor (type, NULL);
  g_autoptr (GhloValue) output = NULL;
  g_autoptr (GError) error = NULL;

  prepare (&program, FACTORIAL);
  g_assert_false (run_program (&program, &wrong, 1, &output, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "tensor<i32>"));
  g_clear_error (&error);
  g_assert_false (run_program (&program, NULL, 0, &output, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
}

#define ENDLESS \
  "func.func @main(%n: tensor<i64>) -> tensor<i64> {\n" \
  "  %true = stablehlo.constant dense<true> : tensor<i1>\n" \
  "  %r = stablehlo.while(%i = %n) : tensor<i64>\n" \
  "  cond { stablehlo.return %true : tensor<i1>\n" \
  "  } do { stablehlo.return %i : tensor<i64>\n" \
  "  }\n" \
  "  return %r : tensor<i64>\n" \
  "}\n"

static void
test_cancel (void)
{
  expect_cancelled (ENDLESS, TRUE);
}

static void
add_fraction (gpointer    data,
              double      fraction,
              const char *detail)
{
  double *last = data;

  g_assert_cmpfloat (fraction, >=, *last);
  g_assert_cmpfloat (fraction, <=, 1);
  *last = fraction;
}

static void
test_progress (void)
{
  const char *text =
    "func.func @main(%n: tensor<i64>) -> tensor<i64> {\n"
    "  %one = stablehlo.constant dense<1> : tensor<i64>\n"
    "  %limit = stablehlo.constant dense<200000> : tensor<i64>\n"
    "  %r = stablehlo.while(%i = %n) : tensor<i64>\n"
    "  cond {\n"
    "    %p = stablehlo.compare LT, %i, %limit : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n"
    "  } do {\n"
    "    %i1 = stablehlo.add %i, %one : tensor<i64>\n"
    "    stablehlo.return %i1 : tensor<i64>\n"
    "  }\n"
    "  return %r : tensor<i64>\n"
    "}\n";
  g_auto (Program) program = { NULL };
  g_autoptr (GhloValue) input = new_i64 (0);
  g_autoptr (GhloValue) output = NULL;
  g_autoptr (GError) error = NULL;
  double last = 0;
  GhloMonitor monitor = { .progress = add_fraction, .progress_data = &last };
  gint64 started = g_get_monotonic_time ();

  prepare (&program, text);
  run_program (&program, &input, 1, &output, &monitor, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (last, ==, 1);
  g_test_minimized_result ((g_get_monotonic_time () - started) / 200000.0 / 2, "microseconds for an operation: %f",
                           (g_get_monotonic_time () - started) / 200000.0 / 2);
}

/* A program that checks the values of two constants. */
static char *
make_check (const char *check,
            const char *type,
            const char *actual,
            const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text,
                          "func.func @main() {\n"
                          "  %%a = stablehlo.constant dense<%s> : %s\n"
                          "  %%b = stablehlo.constant dense<%s> : %s\n  ",
                          actual, type, expected, type);
  for (const char *p = check; *p != '\0'; p++)
    if (*p == '$')
      g_string_append (text, type);
    else
      g_string_append_c (text, *p);
  g_string_append (text, "\n  return\n}\n");

  return g_string_free (g_steal_pointer (&text), FALSE);
}

typedef struct
{
  const char *check;
  const char *type;
  const char *actual;
  const char *expected;
  gboolean    passes;
} Check;

#define EQ     "check.expect_eq %a, %b : $"
#define ALMOST "check.expect_almost_eq %a, %b : $"
#define NEAR   "check.expect_almost_eq %a, %b, tolerance = 0.1 : $"
#define CLOSE  "check.expect_close %a, %b, max_ulp_difference = 3 : $, $"
#define RANGE  "check.expect_close %a, %b, max_ulp_difference = 3, min_ulp_difference = 1 : $, $"
#define C_EQ   "%r = stablehlo.custom_call @check.eq(%a, %b) : ($, $) -> tensor<i1>"
#define C_EXACT "stablehlo.custom_call @check.expect_eq(%a, %b) {has_side_effect = true} : ($, $) -> ()"
#define C_NEAR "stablehlo.custom_call @check.expect_almost_eq(%a, %b) {has_side_effect = true} : ($, $) -> ()"
#define C_CLOSE "stablehlo.custom_call @check.expect_close(%a, %b) {has_side_effect = true} : ($, $) -> ()"

static const Check checks[] = {
  { EQ, "tensor<2xi64>", "[1, 2]", "[1, 2]", TRUE },
  { EQ, "tensor<2xi64>", "[1, 2]", "[1, 3]", FALSE },
  { EQ, "tensor<2xi1>", "[true, false]", "[true, true]", FALSE },
  { EQ, "tensor<f32>", "0.0", "-0.0", TRUE },
  { EQ, "tensor<f32>", "0x7FC00000", "0x7FC00000", FALSE },
  { EQ, "tensor<0xf32>", "", "", TRUE },
  { EQ, "tensor<complex<f32>>", "(1.0, 2.0)", "(1.0, 2.5)", FALSE },
  { EQ, "tensor<3xui8>", "[1, 2, 255]", "[1, 2, 254]", FALSE },
  { ALMOST, "tensor<f32>", "1.0", "1.00005", TRUE },
  { ALMOST, "tensor<f32>", "1.0", "1.001", FALSE },
  { ALMOST, "tensor<f32>", "0x7FC00000", "0x7FC00000", TRUE },
  { ALMOST, "tensor<f32>", "0x7FC00000", "1.0", FALSE },
  { ALMOST, "tensor<f32>", "0x7F800000", "0x7F800000", TRUE },
  { ALMOST, "tensor<f32>", "0x7F800000", "0xFF800000", FALSE },
  { ALMOST, "tensor<f32>", "0x7F800000", "3.0e38", FALSE },
  { ALMOST, "tensor<complex<f64>>", "(1.0, 2.0)", "(1.0, 2.01)", FALSE },
  { NEAR, "tensor<f64>", "5.0", "5.05", TRUE },
  { NEAR, "tensor<f64>", "5.0", "5.2", FALSE },
  { CLOSE, "tensor<f16>", "5.0", "5.010", TRUE },
  { CLOSE, "tensor<f16>", "5.0", "5.020", FALSE },
  { CLOSE, "tensor<f32>", "0x00000001", "0x80000001", TRUE },
  { CLOSE, "tensor<f32>", "0x00000002", "0x80000002", FALSE },
  { CLOSE, "tensor<f32>", "0x7F800000", "0x7F7FFFFF", FALSE },
  { CLOSE, "tensor<f32>", "0x7FC00000", "0xFFC00001", TRUE },
  { CLOSE, "tensor<f64>", "1.0", "1.0000000000000007", TRUE },
  { CLOSE, "tensor<complex<f32>>", "(1.0, 1.0)", "(1.0, 1.1)", FALSE },
  { RANGE, "tensor<f32>", "1.0", "1.0", FALSE },
  { RANGE, "tensor<f32>", "0x3F800000", "0x3F800001", TRUE },
  { C_EQ, "tensor<2xi32>", "[1, 2]", "[1, 2]", TRUE },
  { C_EQ, "tensor<2xi32>", "[1, 2]", "[2, 2]", FALSE },
  { C_EQ, "tensor<f32>", "1.0", "1.00005", TRUE },
  { C_EQ, "tensor<f32>", "1.0", "1.0005", FALSE },
  { C_EXACT, "tensor<f32>", "1.0", "1.0", TRUE },
  { C_EXACT, "tensor<f32>", "1.0", "1.0000001", FALSE },
  { C_NEAR, "tensor<f32>", "1.0", "1.0009", TRUE },
  { C_NEAR, "tensor<f32>", "1.0", "1.0011", FALSE },
  { C_CLOSE, "tensor<f32>", "0x3F800000", "0x3F800003", TRUE },
  { C_CLOSE, "tensor<f32>", "0x3F800000", "0x3F800004", FALSE },
};

static void
test_checks (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (checks); i++)
    {
      const Check *check = &checks[i];
      g_autofree char *text = make_check (check->check, check->type, check->actual, check->expected);

      g_test_message ("%u: %s %s %s %s", i, check->check, check->type, check->actual, check->expected);
      if (check->passes)
        expect_ok (text);
      else
        expect_failure (text, GHLO_ERROR_DATA, "test.mlir:4:*: '*check.*': expected*found*");
    }
}

static void
test_check_constants (void)
{
  expect_ok ("func.func @main() {\n"
             "  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
             "  check.expect_eq_const %a, dense<[1, 2]> : tensor<2xi64>\n"
             "  return\n}\n");
  expect_failure ("func.func @main() {\n"
                  "  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
                  "  check.expect_eq_const %a, dense<[1, 3]> : tensor<2xi64>\n"
                  "  return\n}\n", GHLO_ERROR_DATA, "*expected 3 at [1], found 2*");
  expect_failure ("func.func @main() {\n"
                  "  %a = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf64>\n"
                  "  check.expect_almost_eq_const %a, dense<1.0> : tensor<1x2xf64>\n"
                  "  return\n}\n", GHLO_ERROR_DATA, "*at [0, 1]*");
}

static void
test_assertion (void)
{
  expect_failure ("func.func @main() {\n"
                  "  %p = stablehlo.constant dense<false> : tensor<i1>\n"
                  "  %a = stablehlo.constant dense<7> : tensor<i32>\n"
                  "  %b = stablehlo.constant dense<-3> : tensor<i64>\n"
                  "  stablehlo.custom_call @shape_assertion(%p, %a, %b)\n"
                  "      {error_message = \"size {0} is not {1} or {0,3:x}\", has_side_effect = true}\n"
                  "      : (tensor<i1>, tensor<i32>, tensor<i64>) -> ()\n"
                  "  return\n}\n", GHLO_ERROR_DATA, "*size 7 is not -3 or 7");
}

static void
test_unknown_target (void)
{
  const char *text = "func.func @main() {\n"
                     "  %p = stablehlo.constant dense<false> : tensor<i1>\n"
                     "  %q = stablehlo.custom_call @nowhere(%p) : (tensor<i1>) -> tensor<i1>\n"
                     "  return\n}\n";
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;

  g_assert_null (ghlo_device_core_prepare (ghlo_reference_device (), module, ghlo_ir_module_get_entry (module), NULL,
                                           NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "nowhere"));
  g_assert_true (g_str_has_prefix (error->message, "test.mlir:3:"));
}

/* A program that was built rather than parsed: its run would return more outputs than there is room for. */
static void
test_returned_too_much (void)
{
  g_autoptr (GhloIrModule) module = parse ("func.func @main(%x: tensor<i64>) -> tensor<i64> {\n"
                                           "  stablehlo.return %x : tensor<i64>\n}\n");
  GhloIrOp *last = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module))->last;
  GhloIrValue *values[] = { ghlo_ir_op_operand (last, 0), ghlo_ir_op_operand (last, 0) };
  g_autoptr (GError) error = NULL;

  ghlo_ir_op_insert_before (ghlo_ir_op_new (module, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_RETURN, .operands = values, .n_operands = G_N_ELEMENTS (values),
  }), last);
  ghlo_ir_op_remove (last);
  g_assert_null (ghlo_device_core_prepare (ghlo_reference_device (), module, ghlo_ir_module_get_entry (module), NULL,
                                           NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_assert_cmpstr (error->message, ==, "expected @main to return 1 values, found 2");
}

/* A chain of 100 sums: two buffers at a time, and the argument. */
static void
test_release (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_auto (Program) program = { NULL };
  gint64 dimensions[] = { 1 << 17 };
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F64, dimensions, 1);
  g_autoptr (GhloValue) input = ghlo_value_new_tensor (type, NULL);
  g_autoptr (GhloValue) output = NULL;
  g_autoptr (GError) error = NULL;
  gsize buffer = sizeof (double) << 17;
  gsize used = ghlo_memory_get_used ();
  gsize limit = ghlo_memory_get_limit ();

  g_string_append (text, "func.func @main(%v0: tensor<131072xf64>) -> tensor<131072xf64> {\n");
  for (guint i = 0; i < 100; i++)
    g_string_append_printf (text, "  %%v%u = stablehlo.add %%v%u, %%v%u : tensor<131072xf64>\n", i + 1, i, i);
  g_string_append (text, "  return %v100 : tensor<131072xf64>\n}\n");

  prepare (&program, text->str);
  ghlo_memory_set_limit (used + 3 * buffer);
  run_program (&program, &input, 1, &output, NULL, &error);
  ghlo_memory_set_limit (limit);
  g_assert_no_error (error);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used + buffer);
  g_clear_pointer (&output, ghlo_value_unref);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
}

/* The same chain in a loop, in functions and in branches: values that a body replaces or a callee no longer uses are
 * freed. */
static void
test_release_nested (void)
{
  const char *text =
    "func.func @main(%v: tensor<131072xf64>) -> tensor<131072xf64> {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i64>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i64>\n"
    "  %ten = stablehlo.constant dense<10> : tensor<i64>\n"
    "  %w = stablehlo.add %v, %v : tensor<131072xf64>\n"
    "  %r:2 = stablehlo.while(%i = %zero, %x = %w) : tensor<i64>, tensor<131072xf64>\n"
    "  cond {\n"
    "    %p = stablehlo.compare LT, %i, %ten : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n"
    "  } do {\n"
    "    %i1 = stablehlo.add %i, %one : tensor<i64>\n"
    "    %x1 = func.call @chain(%x) : (tensor<131072xf64>) -> tensor<131072xf64>\n"
    "    stablehlo.return %i1, %x1 : tensor<i64>, tensor<131072xf64>\n"
    "  }\n"
    "  return %r#1 : tensor<131072xf64>\n"
    "}\n"
    "func.func private @chain(%a: tensor<131072xf64>) -> tensor<131072xf64> {\n"
    "  %b = stablehlo.negate %a : tensor<131072xf64>\n"
    "  %c = stablehlo.negate %b : tensor<131072xf64>\n"
    "  %d = stablehlo.negate %c : tensor<131072xf64>\n"
    "  return %d : tensor<131072xf64>\n"
    "}\n";
  g_auto (Program) program = { NULL };
  gint64 dimensions[] = { 1 << 17 };
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F64, dimensions, 1);
  g_autoptr (GhloValue) input = ghlo_value_new_tensor (type, NULL);
  g_autoptr (GhloValue) output = NULL;
  g_autoptr (GError) error = NULL;
  gsize buffer = sizeof (double) << 17, used = ghlo_memory_get_used (), limit = ghlo_memory_get_limit ();

  prepare (&program, text);
  ghlo_memory_set_limit (used + 2 * buffer + 4096);
  run_program (&program, &input, 1, &output, NULL, &error);
  ghlo_memory_set_limit (limit);
  g_assert_no_error (error);
}

static gpointer
run_often (gpointer data)
{
  for (guint i = 0; i < 50; i++)
    {
      g_autoptr (GhloValue) input = new_i64 (10);
      g_autoptr (GhloValue) output = NULL;
      g_autoptr (GError) error = NULL;

      run_program (data, &input, 1, &output, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (get_i64 (output), ==, 3628800);
    }

  return NULL;
}

static void
test_threads (void)
{
  g_auto (Program) program = { NULL };
  GThread *threads[4];

  prepare (&program, FACTORIAL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("run", run_often, &program);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

/* Bodies beyond plain arithmetic: captured values, branches, nested folds. */
static void
test_scalar_functions (void)
{
  expect_ok ("func.func @main() {\n"
             "  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>\n"
             "  %zero = stablehlo.constant dense<0> : tensor<i64>\n"
             "  %two = stablehlo.constant dense<2> : tensor<i64>\n"
             "  %four = stablehlo.multiply %two, %two : tensor<i64>\n"
             "  %m = \"stablehlo.map\"(%x) ({\n"
             "  ^bb0(%a: tensor<i64>):\n"
             "    %b = stablehlo.multiply %a, %four : tensor<i64>\n"
             "    stablehlo.return %b : tensor<i64>\n"
             "  }) {dimensions = array<i64: 0>} : (tensor<4xi64>) -> tensor<4xi64>\n"
             "  check.expect_eq_const %m, dense<[4, 8, 12, 16]> : tensor<4xi64>\n"
             "  %n = \"stablehlo.map\"(%x) ({\n"
             "  ^bb0(%a: tensor<i64>):\n"
             "    %p = stablehlo.compare LT, %a, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
             "    %b = \"stablehlo.if\"(%p) ({\n"
             "      stablehlo.return %zero : tensor<i64>\n"
             "    }, {\n"
             "      %c = stablehlo.add %a, %a : tensor<i64>\n"
             "      stablehlo.return %c : tensor<i64>\n"
             "    }) : (tensor<i1>) -> tensor<i64>\n"
             "    stablehlo.return %b : tensor<i64>\n"
             "  }) {dimensions = array<i64: 0>} : (tensor<4xi64>) -> tensor<4xi64>\n"
             "  check.expect_eq_const %n, dense<[0, 4, 6, 8]> : tensor<4xi64>\n"
             "  return\n"
             "}\n");
}

static void
test_probes (void)
{
  expect_ok ("func.func @main() {\n"
             "  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
             "  %y = interpreter.probe %x, probe_id = \"p/0\" : tensor<2xi64>\n"
             "  check.expect_serialized_eq %y, probe_id = \"p/0\" : tensor<2xi64>\n"
             "  return\n"
             "}\n");
  expect_failure ("func.func @main() {\n"
                  "  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
                  "  %z = stablehlo.constant dense<[1, 3]> : tensor<2xi64>\n"
                  "  %y = interpreter.probe %x, probe_id = \"p\" : tensor<2xi64>\n"
                  "  check.expect_serialized_eq %z, probe_id = \"p\" : tensor<2xi64>\n"
                  "  return\n"
                  "}\n", GHLO_ERROR_DATA, "*expected 3*found 2*");
  expect_failure ("func.func @main() {\n"
                  "  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
                  "  %y = interpreter.probe %x, probe_id = \"p\" : tensor<2xi64>\n"
                  "  check.expect_serialized_eq %x, probe_id = \"p\", iter = 1 : tensor<2xi64>\n"
                  "  return\n"
                  "}\n", GHLO_ERROR_DATA, "*recorded 2 times, found it 1 times*");
}

static void
append_name (gpointer         data,
             const char      *name,
             const GhloValue *value)
{
  g_string_append_printf (data, "%s ", name);
}

/* Printing by two processes at once, and probes written to files. */
static void
test_options (void)
{
  const char *text =
    "module {\n"
    "  func.func @show() {\n"
    "    %0 = stablehlo.iota dim = 0 : tensor<2xi32>\n"
    "    interpreter.print %0 : tensor<2xi32>\n"
    "    return\n"
    "  }\n"
    "  func.func @main() {\n"
    "    \"interpreter.run_parallel\"() {programs = [[@show, @show]]} : () -> ()\n"
    "    %x = stablehlo.constant dense<[1.5, -2.0]> : tensor<2xbf16>\n"
    "    %y = interpreter.probe %x, probe_id = \"a/b,c\" : tensor<2xbf16>\n"
    "    %w = stablehlo.constant dense<[true, false]> : tensor<2xi1>\n"
    "    %z = interpreter.probe %w, probe_id = \"a\" : tensor<2xi1>\n"
    "    check.expect_serialized_eq %x, probe_id = \"a/b,c\" : tensor<2xbf16>\n"
    "    check.expect_serialized_eq %w, probe_id = \"a\" : tensor<2xi1>\n"
    "    check.expect_serialized_eq %x, probe_id = \"a\" : tensor<2xbf16>\n"
    "    return\n"
    "  }\n"
    "}\n";
  g_auto (Program) program = { NULL };
  g_autofree char *directory = g_dir_make_tmp ("ghlo-probe-XXXXXX", NULL);
  g_autofree char *index_path = g_build_filename (directory, "index.csv", NULL);
  g_autofree char *index = NULL;
  g_autoptr (GString) names = g_string_new (NULL);
  GhloRunOptions options = { .probe_directory = directory, .print = append_name, .print_data = names };

  prepare (&program, text);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (ghlo_prepared_run (program.prepared, &options, NULL, 0, NULL, NULL, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DATA);
      g_assert_nonnull (strstr (error->message, "test.mlir:15:"));
    }
  g_assert_cmpstr (names->str, ==, "0 0 0 0 ");
  g_assert_true (g_file_get_contents (index_path, &index, NULL, NULL));
  g_assert_true (g_pattern_match_simple ("a/b,c,tensor<2xbf16>,*probe1.npy\na,tensor<2xi1>,*probe2.npy\n", index));

  for (guint i = 1; i <= 2; i++)
    {
      g_autofree char *name = g_strdup_printf ("probe%u.npy", i);
      g_autofree char *path = g_build_filename (directory, name, NULL);

      g_assert_cmpint (g_unlink (path), ==, 0);
    }
  g_assert_cmpint (g_unlink (index_path), ==, 0);
  g_assert_cmpint (g_rmdir (directory), ==, 0);
}

/* A result that does not fit into memory is an error with a location. */
static void
test_memory_limit (void)
{
  expect_failure ("func.func @main() {\n"
                  "  %x = stablehlo.constant dense<1.0> : tensor<1048576x1048576x16xf32>\n"
                  "  return\n"
                  "}\n", GHLO_ERROR_OUT_OF_MEMORY, "test.mlir:2:*tensor<1048576x1048576x16xf32>*");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reference/recursion", test_recursion);
  g_test_add_func ("/reference/while", test_while);
  g_test_add_func ("/reference/while-aliases", test_while_aliases);
  g_test_add_func ("/reference/tuples-and-composites", test_tuples_and_composites);
  g_test_add_func ("/reference/inputs", test_inputs);
  g_test_add_func ("/reference/cancel", test_cancel);
  g_test_add_func ("/reference/progress", test_progress);
  g_test_add_func ("/reference/checks", test_checks);
  g_test_add_func ("/reference/check-constants", test_check_constants);
  g_test_add_func ("/reference/assertion", test_assertion);
  g_test_add_func ("/reference/unknown-target", test_unknown_target);
  g_test_add_func ("/reference/returned-too-much", test_returned_too_much);
  g_test_add_func ("/reference/release", test_release);
  g_test_add_func ("/reference/release-nested", test_release_nested);
  g_test_add_func ("/reference/threads", test_threads);
  g_test_add_func ("/reference/scalar-functions", test_scalar_functions);
  g_test_add_func ("/reference/probes", test_probes);
  g_test_add_func ("/reference/options", test_options);
  g_test_add_func ("/reference/memory-limit", test_memory_limit);

  return g_test_run ();
}
