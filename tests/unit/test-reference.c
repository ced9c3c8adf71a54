/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The reference executor's own work: control flow, calls and their limits,
 * cancellation, checks, processes that meet or miss one another, and how long
 * values live.
 */

#include <math.h>
#include <string.h>

#include "import/import.h"
#include "ir/verify.h"
#include "reference/reference.h"

typedef struct
{
  GhloIrModule *module;
  GhloPrepared *prepared;
} Program;

static void
program_clear (Program *self)
{
  g_clear_pointer (&self->prepared, ghlo_reference_executor ()->release);
  g_clear_pointer (&self->module, ghlo_ir_module_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Program, program_clear)

static GhloIrModule *
parse (const char *text)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test.mlir", text, strlen (text));
  g_autoptr (GError) error = NULL;
  GhloIrModule *module = ghlo_import_text (text, strlen (text), diagnostics, NULL);

  ghlo_diagnostics_to_error (diagnostics, &error);
  g_assert_no_error (error);
  g_assert_nonnull (module);
  ghlo_ir_verify (module, diagnostics, NULL);
  ghlo_diagnostics_to_error (diagnostics, &error);
  g_assert_no_error (error);

  return module;
}

static void
prepare (Program    *self,
         const char *text)
{
  g_autoptr (GError) error = NULL;

  self->module = parse (text);
  self->prepared = ghlo_reference_executor ()->prepare (self->module, ghlo_ir_module_get_entry (self->module), NULL,
                                                        &error);
  g_assert_no_error (error);
  g_assert_nonnull (self->prepared);
}

static gboolean
run_program (Program           *self,
             GhloValue        **inputs,
             gsize              n_inputs,
             GhloValue        **outputs,
             const GhloMonitor *monitor,
             GError           **error)
{
  return ghlo_reference_executor ()->run (self->prepared, NULL, inputs, n_inputs, outputs, monitor, error);
}

static GhloValue *
new_i64 (gint64 number)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_I64, NULL, 0);
  GhloValue *value = ghlo_value_new_tensor (type, NULL);

  memcpy (value->data, &number, sizeof (number));

  return value;
}

static gint64
get_i64 (const GhloValue *value)
{
  gint64 number;

  g_assert_cmpuint (value->n_bytes, ==, sizeof (number));
  memcpy (&number, value->data, sizeof (number));

  return number;
}

/* Runs a program of one i64 scalar to one i64 scalar. */
static gint64
run_i64 (const char *text,
         gint64      argument)
{
  g_auto (Program) program = { NULL };
  g_autoptr (GhloValue) input = new_i64 (argument);
  g_autoptr (GhloValue) output = NULL;
  g_autoptr (GError) error = NULL;

  prepare (&program, text);
  run_program (&program, &input, 1, &output, NULL, &error);
  g_assert_no_error (error);

  return get_i64 (output);
}

/* Runs a program without inputs and outputs. */
static void
expect_ok (const char *text)
{
  g_auto (Program) program = { NULL };
  g_autoptr (GError) error = NULL;
  gsize used = ghlo_memory_get_used ();

  prepare (&program, text);
  run_program (&program, NULL, 0, NULL, NULL, &error);
  g_assert_no_error (error);
  program_clear (&program);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
}

static void
expect_failure (const char *text,
                int         code,
                const char *pattern)
{
  g_auto (Program) program = { NULL };
  g_autoptr (GError) error = NULL;
  gsize used = ghlo_memory_get_used ();

  prepare (&program, text);
  g_assert_false (run_program (&program, NULL, 0, NULL, NULL, &error));
  g_assert_error (error, GHLO_ERROR, code);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("'%s' does not match '%s'", error->message, pattern);
  program_clear (&program);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
}

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

/* A loop's initial values that are the same value, swapped and never touched. */
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

static gpointer
cancel_soon (gpointer data)
{
  g_usleep (20000);
  g_cancellable_cancel (data);

  return NULL;
}

/* Cancels an endless run and gives back how long it then took to stop. */
static void
expect_cancelled (const char *text,
                  gboolean    has_input)
{
  g_auto (Program) program = { NULL };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GhloValue) input = new_i64 (0);
  g_autoptr (GhloValue) output = NULL;
  g_autoptr (GError) error = NULL;
  GhloMonitor monitor = { .cancellable = cancellable };
  gint64 started = g_get_monotonic_time ();
  GThread *thread;

  prepare (&program, text);
  thread = g_thread_new ("cancel", cancel_soon, cancellable);
  g_assert_false (run_program (&program, &input, has_input ? 1 : 0, &output, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint (g_get_monotonic_time () - started, <, 2 * G_USEC_PER_SEC);
  g_thread_join (thread);
}

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

/* A program with the values of two constants under a check. */
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
        expect_failure (text, GHLO_ERROR_DATA, "test.mlir:4:*: 'check.*expected*found*");
      if (strstr (check->check, "custom_call") == NULL && !check->passes)
        g_assert_nonnull (strstr (text, "check."));
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
                  "  return\n}\n", GHLO_ERROR_DATA, "*expected 3 at [[]1[]], found 2*");
  expect_failure ("func.func @main() {\n"
                  "  %a = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf64>\n"
                  "  check.expect_almost_eq_const %a, dense<1.0> : tensor<1x2xf64>\n"
                  "  return\n}\n", GHLO_ERROR_DATA, "*at [[]0, 1[]]*");
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

  g_assert_null (ghlo_reference_executor ()->prepare (module, ghlo_ir_module_get_entry (module), NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "nowhere"));
  g_assert_true (g_str_has_prefix (error->message, "test.mlir:3:"));
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

/* The same chain in a loop, in functions and in branches: what a body replaces,
 * and what a callee uses no more, goes. */
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

#define SUM(groups) \
  "    %r = \"stablehlo.all_reduce\"(%x) ({\n" \
  "      ^bb0(%a: tensor<i64>, %b: tensor<i64>):\n" \
  "        %s = stablehlo.add %a, %b : tensor<i64>\n" \
  "        stablehlo.return %s : tensor<i64>\n" \
  "    }) {replica_groups = dense<" groups "} : (tensor<2xi64>) -> tensor<2xi64>\n"

#define SUM_OF_TWO \
  "  func.func @sum(%x: tensor<2xi64>) -> tensor<2xi64> {\n" SUM ("[[0, 1]]> : tensor<1x2xi64>") \
  "    return %r : tensor<2xi64>\n" \
  "  }\n"

static void
test_parallel (void)
{
  expect_ok ("module {\n" SUM_OF_TWO
             "  func.func @main() {\n"
             "    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
             "    %y = stablehlo.constant dense<[30, 40]> : tensor<2xi64>\n"
             "    %r:2 = \"interpreter.run_parallel\"(%x, %y) {programs = [[@sum], [@sum]]}\n"
             "        : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)\n"
             "    check.expect_eq_const %r#0, dense<[31, 42]> : tensor<2xi64>\n"
             "    check.expect_eq_const %r#1, dense<[31, 42]> : tensor<2xi64>\n"
             "    return\n"
             "  }\n}\n");
}

/* One process meets, the other ends without. */
static void
test_deadlock (void)
{
  expect_failure ("module {\n" SUM_OF_TWO
                  "  func.func @idle(%x: tensor<2xi64>) -> tensor<2xi64> {\n"
                  "    return %x : tensor<2xi64>\n"
                  "  }\n"
                  "  func.func @main() {\n"
                  "    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
                  "    %r:2 = \"interpreter.run_parallel\"(%x, %x) {programs = [[@sum], [@idle]]}\n"
                  "        : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)\n"
                  "    return\n"
                  "  }\n}\n", GHLO_ERROR_DATA,
                  "test.mlir:3:*'stablehlo.all_reduce'*2 processes*found 1*(in process (0, 0))");
}

/* Processes that wait for one another in different orders. */
static void
test_deadlock_crossed (void)
{
  expect_failure ("module {\n"
                  "  func.func @a(%t: !stablehlo.token) -> !stablehlo.token {\n"
                  "    %r:2 = \"stablehlo.recv\"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>,\n"
                  "        is_host_transfer = true} : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)\n"
                  "    return %r#1 : !stablehlo.token\n"
                  "  }\n"
                  "  func.func @main() {\n"
                  "    %t = stablehlo.after_all : !stablehlo.token\n"
                  "    %r:2 = \"interpreter.run_parallel\"(%t, %t) {programs = [[@a, @a]]}\n"
                  "        : (!stablehlo.token, !stablehlo.token) -> (!stablehlo.token, !stablehlo.token)\n"
                  "    return\n"
                  "  }\n}\n", GHLO_ERROR_DATA, "*'stablehlo.recv'*nothing was sent*");
}

/* A process that fails stops one that waits for it. */
static void
test_failing_process (void)
{
  expect_failure ("module {\n" SUM_OF_TWO
                  "  func.func @fail(%x: tensor<2xi64>) -> tensor<2xi64> {\n"
                  "    check.expect_eq_const %x, dense<7> : tensor<2xi64>\n"
                  "    %r = func.call @sum(%x) : (tensor<2xi64>) -> tensor<2xi64>\n"
                  "    return %r : tensor<2xi64>\n"
                  "  }\n"
                  "  func.func @main() {\n"
                  "    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
                  "    %r:2 = \"interpreter.run_parallel\"(%x, %x) {programs = [[@sum], [@fail]]}\n"
                  "        : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)\n"
                  "    return\n"
                  "  }\n}\n", GHLO_ERROR_DATA, "*'check.expect_eq_const'*found 1*(in process (1, 0))");
}

/* Cancelling ends waiting for a process that runs for ever. */
static void
test_cancel_parallel (void)
{
  expect_cancelled ("module {\n" SUM_OF_TWO
                    "  func.func @endless(%x: tensor<2xi64>) -> tensor<2xi64> {\n"
                    "    %true = stablehlo.constant dense<true> : tensor<i1>\n"
                    "    %r = stablehlo.while(%i = %x) : tensor<2xi64>\n"
                    "    cond { stablehlo.return %true : tensor<i1>\n"
                    "    } do { stablehlo.return %i : tensor<2xi64>\n"
                    "    }\n"
                    "    return %r : tensor<2xi64>\n"
                    "  }\n"
                    "  func.func @main() {\n"
                    "    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
                    "    %r:2 = \"interpreter.run_parallel\"(%x, %x) {programs = [[@sum], [@endless]]}\n"
                    "        : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)\n"
                    "    return\n"
                    "  }\n}\n", FALSE);
}

/* Alone, a program is process (0, 0) of a grid of one. */
static void
test_alone (void)
{
  expect_ok ("func.func @main() {\n"
             "    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
             SUM ("0> : tensor<1x1xi64>")
             "    check.expect_eq_const %r, dense<[1, 2]> : tensor<2xi64>\n"
             "    %id = stablehlo.replica_id : tensor<ui32>\n"
             "    check.expect_eq_const %id, dense<0> : tensor<ui32>\n"
             "    return\n"
             "}\n");
  expect_failure ("func.func @main() {\n"
                  "    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
                  SUM ("[[0, 1]]> : tensor<1x2xi64>")
                  "    return\n"
                  "}\n", GHLO_ERROR_DATA, "*expected numbers from 0 to 0*");
  expect_failure ("func.func @main() {\n"
                  "    %t = stablehlo.after_all : !stablehlo.token\n"
                  "    %r:2 = \"stablehlo.infeed\"(%t) : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)\n"
                  "    return\n"
                  "}\n", GHLO_ERROR_DATA, "*infeed queue is empty*");
}

#define START(name, operand) \
  "    %" name " = \"stablehlo.async_start\"(" operand ") ({\n" \
  "    ^bb0(%y: tensor<2xi64>):\n" \
  "      %g = \"stablehlo.all_gather\"(%y) {all_gather_dim = 0 : i64,\n" \
  "          replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi64>) -> tensor<4xi64>\n" \
  "      stablehlo.return %g : tensor<4xi64>\n" \
  "    }) : (tensor<2xi64>) -> !stablehlo.future<tensor<4xi64>>\n"
#define DONE(name, future) \
  "    %" name " = \"stablehlo.async_done\"(" future ") : (!stablehlo.future<tensor<4xi64>>) -> tensor<4xi64>\n"

/* Two futures under way at a time, finished in another order by each process. */
static void
test_futures (void)
{
  expect_ok ("module {\n"
             "  func.func @one(%x: tensor<2xi64>) -> (tensor<4xi64>, tensor<4xi64>) {\n"
             "    %z = stablehlo.add %x, %x : tensor<2xi64>\n"
             START ("f", "%x") START ("h", "%z") DONE ("p", "%f") DONE ("q", "%h")
             "    return %p, %q : tensor<4xi64>, tensor<4xi64>\n"
             "  }\n"
             "  func.func @two(%x: tensor<2xi64>) -> (tensor<4xi64>, tensor<4xi64>) {\n"
             "    %z = stablehlo.add %x, %x : tensor<2xi64>\n"
             START ("f", "%x") START ("h", "%z") DONE ("q", "%h") DONE ("p", "%f")
             "    return %p, %q : tensor<4xi64>, tensor<4xi64>\n"
             "  }\n"
             "  func.func @main() {\n"
             "    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
             "    %y = stablehlo.constant dense<[3, 4]> : tensor<2xi64>\n"
             "    %r:4 = \"interpreter.run_parallel\"(%x, %y) {programs = [[@one], [@two]]}\n"
             "        : (tensor<2xi64>, tensor<2xi64>)\n"
             "        -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)\n"
             "    check.expect_eq_const %r#0, dense<[1, 2, 3, 4]> : tensor<4xi64>\n"
             "    check.expect_eq_const %r#1, dense<[2, 4, 6, 8]> : tensor<4xi64>\n"
             "    check.expect_eq_const %r#2, dense<[1, 2, 3, 4]> : tensor<4xi64>\n"
             "    check.expect_eq_const %r#3, dense<[2, 4, 6, 8]> : tensor<4xi64>\n"
             "    return\n"
             "  }\n}\n");
}

/* A future that nobody can complete: waited for, or dropped. */
static void
test_futures_deadlock (void)
{
  const char *rest =
    "  func.func @idle(%x: tensor<2xi64>) {\n"
    "    return\n"
    "  }\n"
    "  func.func @main() {\n"
    "    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
    "    \"interpreter.run_parallel\"(%x, %x) {programs = [[@one], [@idle]]}\n"
    "        : (tensor<2xi64>, tensor<2xi64>) -> ()\n"
    "    return\n"
    "  }\n}\n";
  g_autofree char *waits = g_strconcat ("module {\n"
                                        "  func.func @one(%x: tensor<2xi64>) {\n"
                                        START ("f", "%x") DONE ("p", "%f")
                                        "    return\n"
                                        "  }\n", rest, NULL);
  g_autofree char *drops = g_strconcat ("module {\n"
                                        "  func.func @one(%x: tensor<2xi64>) {\n"
                                        START ("f", "%x")
                                        "    return\n"
                                        "  }\n", rest, NULL);

  expect_failure (waits, GHLO_ERROR_DATA, "*2 processes*found 1*");
  expect_ok (drops);
}

/* Bodies that are no plain arithmetic: captured values, branches, nested folds. */
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
  g_test_add_func ("/reference/release", test_release);
  g_test_add_func ("/reference/release-nested", test_release_nested);
  g_test_add_func ("/reference/threads", test_threads);
  g_test_add_func ("/reference/parallel", test_parallel);
  g_test_add_func ("/reference/deadlock", test_deadlock);
  g_test_add_func ("/reference/deadlock-crossed", test_deadlock_crossed);
  g_test_add_func ("/reference/failing-process", test_failing_process);
  g_test_add_func ("/reference/cancel-parallel", test_cancel_parallel);
  g_test_add_func ("/reference/alone", test_alone);
  g_test_add_func ("/reference/futures", test_futures);
  g_test_add_func ("/reference/futures-deadlock", test_futures_deadlock);
  g_test_add_func ("/reference/scalar-functions", test_scalar_functions);
  g_test_add_func ("/reference/probes", test_probes);

  return g_test_run ();
}
