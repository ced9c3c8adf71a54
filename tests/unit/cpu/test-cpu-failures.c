/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The error of a run in which oneDNN fails: it names what failed and never claims a cancellation. This program replaces
 * oneDNN's compute functions by its own, which fail on request. Without the library the same programs run by other
 * code.
 */

#include "../reference/kernel-programs.h"
#include "../sanitized.h"

#include <dlfcn.h>

#include "base/ghlo-error.h"
#include "compiler/devices.h"
#include "cpu/library/onednn-functions.h"
#include "cpu/library/onednn.h"

static dnnl_status_t failure = dnnl_success;   /* the status that the functions below return, unless it is success */
static guint calls_left;                       /* the number of calls that succeed first */

static gboolean
fails (void)
{
  return failure != dnnl_success && (calls_left == 0 || calls_left-- == 0);
}

static GhloCpuDnnl library;    /* the functions themselves */

static dnnl_status_t
execute (const_dnnl_primitive_t  primitive,
         dnnl_stream_t           stream,
         int                     n,
         const dnnl_exec_arg_t  *arguments)
{
  return fails () ? failure : library.primitive_execute (primitive, stream, n, arguments);
}

static dnnl_status_t
sgemm (char         a_transposed,
       char         b_transposed,
       dnnl_dim_t   m,
       dnnl_dim_t   n,
       dnnl_dim_t   k,
       float        alpha,
       const float *a,
       dnnl_dim_t   a_leading,
       const float *b,
       dnnl_dim_t   b_leading,
       float        beta,
       float       *c,
       dnnl_dim_t   c_leading)
{
  return fails () ? failure : library.sgemm (a_transposed, b_transposed, m, n, k, alpha, a, a_leading, b, b_leading,
                                             beta, c, c_leading);
}

static gboolean hidden;    /* opening oneDNN fails */

#pragma GCC visibility push(default)

void *
dlopen (const char *name,
        int         flags)
{
  void *(*open) (const char *, int);

  if (hidden && name != NULL && strstr (name, "dnnl") != NULL)
    return NULL;
  *(gpointer *) &open = dlsym (RTLD_NEXT, "dlopen");

  return open (name, flags);
}

#pragma GCC visibility pop

static const struct
{
  const char *name, *text, *inputs[2];
  const char *how;         /* in the plan, where oneDNN computes it */
} programs[] = {
  { "sgemm",
    "func.func @main(%a: tensor<96x96xf32>, %b: tensor<96x96xf32>) -> tensor<96x96xf32> {\n"
    "  %0 = stablehlo.dot %a, %b : (tensor<96x96xf32>, tensor<96x96xf32>) -> tensor<96x96xf32>\n"
    "  return %0 : tensor<96x96xf32>\n}\n", { "tensor<96x96xf32>", "tensor<96x96xf32>" }, "onednn sgemm" },
  { "matmul",
    "func.func @main(%a: tensor<96x96xbf16>, %b: tensor<96x96xbf16>) -> tensor<96x96xbf16> {\n"
    "  %0 = stablehlo.dot %a, %b : (tensor<96x96xbf16>, tensor<96x96xbf16>) -> tensor<96x96xbf16>\n"
    "  return %0 : tensor<96x96xbf16>\n}\n", { "tensor<96x96xbf16>", "tensor<96x96xbf16>" }, "onednn matmul" },
  { "convolution",
    "func.func @main(%a: tensor<2x16x16x16xf32>, %b: tensor<3x3x16x16xf32>) -> tensor<2x14x14x16xf32> {\n"
    "  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} "
    "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
    "(tensor<2x16x16x16xf32>, tensor<3x3x16x16xf32>) -> tensor<2x14x14x16xf32>\n"
    "  return %0 : tensor<2x14x14x16xf32>\n}\n", { "tensor<2x16x16x16xf32>", "tensor<3x3x16x16xf32>" }, "onednn" },
  { "weights",
    "func.func @main(%a: tensor<8x16x16x8xf32>, %b: tensor<8x14x14x8xf32>) -> tensor<3x3x8x8xf32> {\n"
    "  %0 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {} "
    "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
    "(tensor<8x16x16x8xf32>, tensor<8x14x14x8xf32>) -> tensor<3x3x8x8xf32>\n"
    "  return %0 : tensor<3x3x8x8xf32>\n}\n", { "tensor<8x16x16x8xf32>", "tensor<8x14x14x8xf32>" }, "onednn" },
};

/* Each call of the run fails in turn: the reorder of weights, the computation, the reorder of the result. */
static void
test_failure (gconstpointer data)
{
  const guint index = GPOINTER_TO_UINT (data);
  GhloDeviceCore *device = ghlo_devices_find ("cpu");
  g_autoptr (GhloIrModule) module = parse (programs[index].text);
  g_autoptr (GhloValue) a = new_random (programs[index].inputs[0], -1, 1);
  g_autoptr (GhloValue) b = new_random (programs[index].inputs[1], -1, 1);
  g_autoptr (GError) error = NULL;
  g_autofree char *how = NULL;
  GhloPrepared *prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, &error);
  guint n_failed = 0;
  GhloError code;

  g_assert_no_error (error);
  how = ghlo_prepared_describe (prepared);
  if (strstr (how, programs[index].how) == NULL)
    {
      g_test_skip ("oneDNN has nothing for it on this processor");
      ghlo_prepared_free (prepared);
      return;
    }
  for (gboolean ok = FALSE; !ok; n_failed += !ok)
    {
      GhloValue *output = NULL;

      failure = n_failed % 2 == 0 ? dnnl_runtime_error : dnnl_out_of_memory;
      calls_left = n_failed;
      ok = ghlo_prepared_run (prepared, NULL, (GhloValue *[]) { a, b }, 2, &output, NULL, &error);
      failure = dnnl_success;
      g_clear_pointer (&output, ghlo_value_unref);
      if (ok)
        break;
      g_test_message ("%s", error->message);
      code = n_failed % 2 == 0 ? GHLO_ERROR_DEVICE : GHLO_ERROR_OUT_OF_MEMORY;
      g_assert_error (error, GHLO_ERROR, code);
      g_assert_nonnull (strstr (error->message, "oneDNN failed to run "));
      g_clear_error (&error);
    }
  g_assert_cmpuint (n_failed, >=, 1);
  ghlo_prepared_free (prepared);
}

/* A cancelled run reports the cancellation, whatever the library does. */
static void
test_cancelled (gconstpointer data)
{
  const guint index = GPOINTER_TO_UINT (data);
  GhloDeviceCore *device = ghlo_devices_find ("cpu");
  g_autoptr (GhloIrModule) module = parse (programs[index].text);
  g_autoptr (GhloValue) a = new_random (programs[index].inputs[0], -1, 1);
  g_autoptr (GhloValue) b = new_random (programs[index].inputs[1], -1, 1);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GhloPrepared *prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, &error);
  GhloMonitor monitor = { .cancellable = cancellable };
  GhloValue *output = NULL;

  g_cancellable_cancel (cancellable);
  failure = dnnl_runtime_error;
  g_assert_false (ghlo_prepared_run (prepared, NULL, (GhloValue *[]) { a, b }, 2, &output, &monitor, &error));
  failure = dnnl_success;
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  ghlo_prepared_free (prepared);
}

/* If the library fails to reorder a constant kernel, the kernel is read as it is. */
static void
test_packing (void)
{
  GhloDeviceCore *device = ghlo_devices_find ("cpu");
  g_autoptr (GhloIrModule) module = parse (
    "func.func @main(%a: tensor<2x16x16x16xf32>) -> tensor<2x14x14x16xf32> {\n"
    "  %b = stablehlo.constant dense<0.5> : tensor<3x3x16x16xf32>\n"
    "  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} "
    "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
    "(tensor<2x16x16x16xf32>, tensor<3x3x16x16xf32>) -> tensor<2x14x14x16xf32>\n"
    "  return %0 : tensor<2x14x14x16xf32>\n}\n");
  g_autoptr (GhloValue) a = new_random ("tensor<2x16x16x16xf32>", 1, 1.5);
  g_autoptr (GError) error = NULL;
  GhloValue *outputs[2] = { NULL };

  for (guint i = 0; i < 2; i++)
    {
      GhloPrepared *prepared;

      failure = i == 0 ? dnnl_runtime_error : dnnl_success;
      calls_left = 0;
      prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, &error);
      failure = dnnl_success;
      g_assert_no_error (error);
      g_assert_true (ghlo_prepared_run (prepared, NULL, &a, 1, &outputs[i], NULL, &error));
      ghlo_prepared_free (prepared);
    }
  g_assert_cmpmem (outputs[0]->data, outputs[0]->n_bytes, outputs[1]->data, outputs[1]->n_bytes);
  ghlo_value_unref (outputs[0]);
  ghlo_value_unref (outputs[1]);
}

/* Numbers whose products and sums are exact. */
static GhloValue *
new_exact (const char *type,
           guint       count)
{
  GhloValue *value = new_random (type, 0, 1);

  for (gsize i = 0; i < value->n_elements; i++)
    set_number (value, i, 1 + i % count / 8.0);

  return value;
}

static GhloValue *
run_on (const char *device,
        guint       index)
{
  g_autoptr (GhloIrModule) module = parse (programs[index].text);
  g_autoptr (GhloValue) a = new_exact (programs[index].inputs[0], 7);
  g_autoptr (GhloValue) b = new_exact (programs[index].inputs[1], 5);
  g_autoptr (GError) error = NULL;
  GhloPrepared *prepared = ghlo_devices_prepare (ghlo_devices_find (device), module, ghlo_ir_module_get_entry (module),
                                                 NULL, &error);
  g_autofree char *how = NULL;
  GhloValue *output = NULL;

  g_assert_no_error (error);
  how = ghlo_prepared_describe (prepared);
  g_assert_true (how == NULL || strstr (how, "onednn") == NULL);
  ghlo_prepared_run (prepared, NULL, (GhloValue *[]) { a, b }, 2, &output, NULL, &error);
  g_assert_no_error (error);
  ghlo_prepared_free (prepared);

  return output;
}

/* Where oneDNN is not installed, other code does its work. */
static void
test_absent (void)
{
  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
      g_test_trap_assert_passed ();
      return;
    }
  hidden = TRUE;
  g_assert_false (ghlo_cpu_onednn_available ());
  g_assert_false (ghlo_cpu_onednn_has_sgemm ());
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autoptr (GhloValue) found = run_on ("cpu", i), expected = run_on ("reference", i);

      g_assert_cmpmem (found->data, found->n_bytes, expected->data, expected->n_bytes);
    }
}

/* A program without products runs without loading oneDNN. */
static void
test_not_needed (void)
{
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (GhloValue) a = new_exact ("tensor<4xf32>", 3);
  g_autoptr (GhloValue) output = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *maps = NULL;
  GhloPrepared *prepared;

  if (SANITIZED)
    {
      g_test_skip ("a build with sanitizers is linked with the library");
      return;
    }
  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
      g_test_trap_assert_passed ();
      return;
    }
  module = parse ("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                  "  %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
                  "  return %0 : tensor<4xf32>\n}\n");
  prepared = ghlo_devices_prepare (ghlo_devices_find ("cpu"), module, ghlo_ir_module_get_entry (module), NULL, &error);
  g_assert_no_error (error);
  g_assert_true (ghlo_prepared_run (prepared, NULL, &a, 1, &output, NULL, &error));
  ghlo_prepared_free (prepared);
  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  g_assert_null (strstr (maps, "dnnl"));
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  if (!g_test_subprocess () && ghlo_cpu_onednn_available ())
    {
      library = ghlo_cpu_dnnl;
      ghlo_cpu_dnnl.primitive_execute = execute;
      ghlo_cpu_dnnl.sgemm = sgemm;
    }
  g_test_add_func ("/cpu-failures/absent", test_absent);
  g_test_add_func ("/cpu-failures/not-needed", test_not_needed);
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *failing = g_strdup_printf ("/cpu-failures/%s", programs[i].name);
      g_autofree char *cancelled = g_strdup_printf ("/cpu-failures/%s/cancelled", programs[i].name);

      g_test_add_data_func (failing, GUINT_TO_POINTER (i), test_failure);
      g_test_add_data_func (cancelled, GUINT_TO_POINTER (i), test_cancelled);
    }
  g_test_add_func ("/cpu-failures/packing", test_packing);

  return g_test_run ();
}
