/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops compiled into one kernel, through the shared library: they can be cancelled in strips and in machine code, and
 * give the same bits as loops of steps.
 */

#include "api-help.h"

#include <string.h>

/* A cancel is noticed within 50 ms; the limit leaves a margin for other load on the machine. */
enum { CANCEL_AFTER = 20000, NOTICED = 500000 };        /* µs */

static const char endless[] =
  "func.func @main(%x: tensor<i32>) -> tensor<i32> {\n"
  "  %0 = stablehlo.while(%i = %x) : tensor<i32>\n"
  "  cond {\n"
  "    %c = stablehlo.compare EQ, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %j = stablehlo.multiply %i, %i : tensor<i32>\n"
  "    stablehlo.return %j : tensor<i32>\n"
  "  }\n"
  "  return %0 : tensor<i32>\n"
  "}\n";

/* Two billion iterations. */
static const char counted[] =
  "func.func @main(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {\n"
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
  "  %end = stablehlo.constant dense<2000000000> : tensor<i32>\n"
  "  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<16x64xf32>\n"
  "  cond {\n"
  "    %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %j = stablehlo.add %i, %one : tensor<i32>\n"
  "    %z = stablehlo.cosine %y : tensor<16x64xf32>\n"
  "    stablehlo.return %j, %z : tensor<i32>, tensor<16x64xf32>\n"
  "  }\n"
  "  return %0#1 : tensor<16x64xf32>\n"
  "}\n";

static const char scan[] =
  "func.func @main(%x: tensor<9x7xf32>) -> (tensor<7xf32>, tensor<9x7xf32>, tensor<f32>) {\n"
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
  "  %end = stablehlo.constant dense<9> : tensor<i32>\n"
  "  %h = stablehlo.constant dense<0.5> : tensor<7xf32>\n"
  "  %t = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
  "  %ys = stablehlo.constant dense<0.0> : tensor<9x7xf32>\n"
  "  %0:4 = stablehlo.while(%i = %zero, %s = %h, %y = %ys, %m = %t) : tensor<i32>, tensor<7xf32>, tensor<9x7xf32>, "
  "tensor<f32>\n"
  "  cond {\n"
  "    %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %j = stablehlo.add %i, %one : tensor<i32>\n"
  "    %r = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 7] : (tensor<9x7xf32>, tensor<i32>, tensor<i32>) -> "
  "tensor<1x7xf32>\n"
  "    %v = stablehlo.reshape %r : (tensor<1x7xf32>) -> tensor<7xf32>\n"
  "    %w = stablehlo.multiply %s, %v : tensor<7xf32>\n"
  "    %u = stablehlo.tanh %w : tensor<7xf32>\n"
  "    %n = stablehlo.reduce(%u init: %m) applies stablehlo.maximum across dimensions = [0] : (tensor<7xf32>, "
  "tensor<f32>) -> tensor<f32>\n"
  "    %b = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<f32>) -> tensor<7xf32>\n"
  "    %z = stablehlo.subtract %b, %u : tensor<7xf32>\n"
  "    %q = stablehlo.reshape %u : (tensor<7xf32>) -> tensor<1x7xf32>\n"
  "    %p = stablehlo.dynamic_update_slice %y, %q, %i, %zero : (tensor<9x7xf32>, tensor<1x7xf32>, tensor<i32>, "
  "tensor<i32>) -> tensor<9x7xf32>\n"
  "    stablehlo.return %j, %z, %p, %n : tensor<i32>, tensor<7xf32>, tensor<9x7xf32>, tensor<f32>\n"
  "  }\n"
  "  return %0#1, %0#2, %0#3 : tensor<7xf32>, tensor<9x7xf32>, tensor<f32>\n"
  "}\n";

/* Complex numbers, and values accumulated from them. */
static const char orbits[] =
  "func.func @main(%x: tensor<9x7xf32>) -> (tensor<7xf32>, tensor<7xf32>, tensor<7xi32>) {\n"
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
  "  %end = stablehlo.constant dense<20> : tensor<i32>\n"
  "  %places = stablehlo.constant dense<3> : tensor<7xi32>\n"
  "  %limit = stablehlo.constant dense<2.0> : tensor<7xf32>\n"
  "  %r = stablehlo.slice %x [2:3, 0:7] : (tensor<9x7xf32>) -> tensor<1x7xf32>\n"
  "  %re = stablehlo.reshape %r : (tensor<1x7xf32>) -> tensor<7xf32>\n"
  "  %c = stablehlo.complex %re, %re : tensor<7xcomplex<f32>>\n"
  "  %0:4 = stablehlo.while(%i = %zero, %z = %c, %k = %places, %y = %re) : tensor<i32>, tensor<7xcomplex<f32>>, "
  "tensor<7xi32>, tensor<7xf32>\n"
  "  cond {\n"
  "    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %p : tensor<i1>\n"
  "  } do {\n"
  "    %j = stablehlo.add %i, %one : tensor<i32>\n"
  "    %q = stablehlo.multiply %z, %z : tensor<7xcomplex<f32>>\n"
  "    %w = stablehlo.add %q, %c : tensor<7xcomplex<f32>>\n"
  "    %a = stablehlo.abs %w : (tensor<7xcomplex<f32>>) -> tensor<7xf32>\n"
  "    %in = stablehlo.compare LT, %a, %limit : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>\n"
  "    %v = stablehlo.select %in, %w, %c : tensor<7xi1>, tensor<7xcomplex<f32>>\n"
  "    %n = stablehlo.convert %in : (tensor<7xi1>) -> tensor<7xi32>\n"
  "    %l = stablehlo.add %k, %n : tensor<7xi32>\n"
  "    %m = stablehlo.convert %a : (tensor<7xf32>) -> tensor<7xi32>\n"
  "    %g = \"stablehlo.gather\"(%x, %l) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], "
  "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<9x7xf32>, tensor<7xi32>) "
  "-> tensor<7xf32>\n"
  "    %h = stablehlo.subtract %g, %y : tensor<7xf32>\n"
  "    %o = stablehlo.subtract %l, %m : tensor<7xi32>\n"
  "    stablehlo.return %j, %v, %o, %h : tensor<i32>, tensor<7xcomplex<f32>>, tensor<7xi32>, tensor<7xf32>\n"
  "  }\n"
  "  %u = stablehlo.imag %0#1 : (tensor<7xcomplex<f32>>) -> tensor<7xf32>\n"
  "  return %0#3, %u, %0#2 : tensor<7xf32>, tensor<7xf32>, tensor<7xi32>\n"
  "}\n";

static GhloExecutable *
compile (const char         *text,
         GhloCompileOptions *options)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program = ghlo_program_parse (bytes, "loop.mlir", NULL, &error);
  GhloExecutable *executable;

  g_assert_no_error (error);
  executable = ghlo_client_compile (client, program, options, NULL, NULL, &error);
  g_assert_no_error (error);

  return executable;
}

/* Devices other than the default one may have no kernels for loops. */
static gboolean
has_kernels (void)
{
  return g_getenv ("GHLO_DEVICE") == NULL;
}

/* The number of steps in the plan. */
static guint
count_steps (GhloExecutable *executable)
{
  g_autoptr (GhloPlan) plan = ghlo_executable_get_plan (executable);

  return ghlo_plan_get_n_steps (plan);
}

static GhloBuffer *
new_input (const char *type,
           guint       n)
{
  g_autoptr (GhloTensorType) parsed = ghlo_tensor_type_parse (type, NULL);
  g_autofree double *values = g_new (double, n);

  for (guint i = 0; i < n; i++)
    values[i] = 0.25 * (double) (i % 11) - 1;

  return ghlo_buffer_new_from_doubles (parsed, values, n, NULL);
}

typedef struct
{
  GhloExecutable *executable;
  GhloBuffer     *input;
} Cancelled;

static gint64
cancel_run (gpointer data)
{
  const Cancelled *self = data;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();
  GThread *thread = help_cancel_later (cancellable, CANCEL_AFTER);

  g_assert_null (ghlo_executable_execute (self->executable, &self->input, 1, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  start = g_get_monotonic_time () - start - CANCEL_AFTER;
  g_thread_join (thread);

  return start;
}

static void
cancel_soon (const char *text,
             GhloBuffer *input,
             gboolean    wait_for_code)
{
  g_autoptr (GhloCompileOptions) options = ghlo_compile_options_new ();
  g_autoptr (GhloExecutable) executable = NULL;

  ghlo_compile_options_set_wait_for_code (options, wait_for_code);
  executable = compile (text, options);
  g_assert_true (count_steps (executable) == 1 || !has_kernels ());
  soon_assert (cancel_run, &(Cancelled) { executable, input }, NOTICED);
}

/* The time of a loop that may be infinite is unknown. */
static void
test_estimates (void)
{
  g_autoptr (GhloExecutable) unknown = compile (endless, NULL), known = compile (counted, NULL);
  g_autoptr (GhloPlan) plan = ghlo_executable_get_plan (unknown), other = ghlo_executable_get_plan (known);
  g_autoptr (GhloPlanStep) first = g_list_model_get_item (G_LIST_MODEL (plan), 0);
  g_autoptr (GhloPlanStep) second = g_list_model_get_item (G_LIST_MODEL (other), 0);

  g_assert_cmpfloat (ghlo_plan_step_get_estimate (first), <, 0);
  g_assert_cmpfloat (ghlo_plan_step_get_estimate (second), >, 1);
}

static void
test_cancel (void)
{
  g_autoptr (GhloBuffer) number = new_input ("tensor<i32>", 1), array = new_input ("tensor<16x64xf32>", 1024);

  for (guint wait = 0; wait < 2; wait++)
    {
      cancel_soon (endless, number, wait);
      cancel_soon (counted, array, wait);
    }
}

static GhloResult *
run (const char        *text,
     gboolean           wait_for_code,
     const char *const *off)
{
  g_autoptr (GhloCompileOptions) options = ghlo_compile_options_new ();
  g_autoptr (GhloBuffer) input = new_input ("tensor<9x7xf32>", 63);
  g_autoptr (GhloExecutable) executable = NULL;
  g_autoptr (GhloPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *steps = NULL;
  GhloResult *result;

  ghlo_compile_options_set_disabled_passes (options, off);
  ghlo_compile_options_set_wait_for_code (options, wait_for_code);
  executable = compile (text, options);
  plan = ghlo_executable_get_plan (executable);
  steps = ghlo_plan_to_string (plan);
  g_assert_true ((strstr (steps, "kernel stablehlo.while") != NULL) == (off == NULL && has_kernels ()));
  result = ghlo_executable_execute (executable, &input, 1, NULL, &error);
  g_assert_no_error (error);

  return result;
}

static void
check_bits (const char *text,
            gboolean    wait_for_code)
{
  static const char *const off[] = { "fuse-loops", NULL };
  g_autoptr (GhloResult) fused = run (text, wait_for_code, NULL), steps = run (text, wait_for_code, off);

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GError) error = NULL;
      gsize n, m;
      g_autofree double *a = ghlo_buffer_get_doubles (ghlo_result_get_output (fused, i), &n, &error);
      g_autofree double *b = ghlo_buffer_get_doubles (ghlo_result_get_output (steps, i), &m, &error);

      g_assert_no_error (error);
      g_assert_cmpmem (a, n * sizeof *a, b, m * sizeof *b);
    }
}

static void
test_bits (void)
{
  for (guint wait = 0; wait < 2; wait++)
    {
      check_bits (scan, wait);
      check_bits (orbits, wait);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/loops/cancel", test_cancel);
  g_test_add_func ("/loops/bits", test_bits);
  if (has_kernels ())
    g_test_add_func ("/loops/estimates", test_estimates);

  return g_test_run ();
}
