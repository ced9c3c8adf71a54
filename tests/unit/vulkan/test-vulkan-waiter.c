/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs that continue after the call that began them: they end when polled, when waited for, and by themselves where a
 * callback is registered; the loss of a device ends them with an error.
 */

#include "vulkan-program.h"

#include <math.h>
#include <string.h>

#include "base/ghlo-error.h"
#include "client/run.h"
#include "compiler/executable-core.h"
#include "import/import.h"
#include "runtime/place.h"
#include "vulkan/queue.h"
#include "vulkan/waiter.h"

/* Some milliseconds of work. */
static const char program[] =
  "func.func @main() -> tensor<f32> {\n"
  "  %x = stablehlo.iota dim = 0 : tensor<1000000xf32>\n"
  "  %y = stablehlo.sine %x : tensor<1000000xf32>\n"
  "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
  "  %s = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000000xf32>, "
  "tensor<f32>) -> tensor<f32>\n"
  "  return %s : tensor<f32>\n"
  "}\n";

static struct
{
  GMutex lock;
  GCond  changed;
  guint  n;
} called;

static void
on_ended (gpointer fence)
{
  g_assert_true (ghlo_fence_is_done (fence));
  g_mutex_lock (&called.lock);
  called.n++;
  g_cond_signal (&called.changed);
  g_mutex_unlock (&called.lock);
}

static void
wait_for_call (guint n)
{
  gint64 end = g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND;

  g_mutex_lock (&called.lock);
  while (called.n < n)
    if (!g_cond_wait_until (&called.changed, &called.lock, end))
      g_error ("nobody was called back");
  g_mutex_unlock (&called.lock);
}

static GhloFence *
begin (GhloPrepared  *prepared,
       GhloValue    **output)
{
  g_autoptr (GError) error = NULL;
  GhloFence *fence = NULL;

  ghlo_prepared_start (prepared, NULL, NULL, 0, output, &fence, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (fence);
  g_assert_true ((*output)->storage->fence == fence);

  return fence;
}

static void
check_output (GhloValue *output)
{
  g_autoptr (GError) error = NULL;
  double sum = 0;

  for (guint i = 0; i < 1000000; i++)
    sum += sin (i);
  g_assert_true (ghlo_value_fetch (output, NULL, &error));
  g_assert_cmpfloat_with_epsilon (*(const float *) (gconstpointer) output->data, sum, 0.01);
  ghlo_value_unref (output);
}

static void
test_end (void)
{
  GhloGpuDevice *device = vulkan_program_device ();
  g_autoptr (GhloPrepared) prepared = NULL;
  g_autoptr (GError) error = NULL;
  GhloFence *fence[4];
  GhloValue *outputs[4];

  if (device == NULL)
    return;
  prepared = vulkan_program_prepare (&device->vulkan.core, program, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 4; i++)
    fence[i] = begin (prepared, &outputs[i]);
  /* Waiting for the second ends the first as well, which was begun earlier. */
  g_assert_true (ghlo_fence_wait (fence[1], NULL, &error));
  g_assert_true (ghlo_fence_poll (fence[0]));
  ghlo_fence_notify (fence[2], on_ended, fence[2]);
  wait_for_call (1);
  while (!ghlo_fence_poll (fence[3]))
    g_usleep (100);
  ghlo_fence_notify (fence[3], on_ended, fence[3]);
  g_assert_cmpuint (called.n, ==, 2);
  for (guint i = 0; i < 4; i++)
    {
      g_assert_null (ghlo_fence_get_error (fence[i]));
      ghlo_fence_unref (fence[i]);
      check_output (outputs[i]);
    }
}

static GhloExecutableCore *
compile (GhloGpuDevice *device,
         const char    *text)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test.mlir", text, strlen (text));
  g_autoptr (GError) error = NULL;
  GhloCompileRequest request = {
    .module = ghlo_import_text (text, strlen (text), GHLO_IMPORT_DEFAULT, diagnostics, NULL),
    .settings = ghlo_settings_new (), .counters = ghlo_counters_new (), .device = &device->vulkan.core,
  };
  GhloExecutableCore *core;

  g_assert_nonnull (request.module);
  core = ghlo_executable_core_new (&request, NULL, &error);
  g_assert_no_error (error);
  ghlo_compile_request_clear (&request);

  return core;
}

/* A continuing run, whose end is reported to the executable by whichever thread ends it. */
typedef struct
{
  GhloExecutableCore *core;
  GhloRunResult        *run_result;
  GhloFence        *fence;
} Run;

static void
begin_run (Run                *self,
           GhloExecutableCore *core,
           GhloValue          *input)
{
  g_autoptr (GError) error = NULL;

  self->core = core;
  self->run_result = ghlo_run_start (core, &input, NULL, NULL, &error);
  g_assert_no_error (error);
  self->fence = ghlo_fence_ref (ghlo_run_result_get_fence (self->run_result));
}

static void
end_run (gpointer data)
{
  Run *self = data;

  g_assert_true (ghlo_run_finish (self->core, self->run_result, NULL));
  on_ended (self->fence);
}

/* A run's pass-through results are not its writes: the copy of an empty tensor, which no step writes, must not wait
 * for a later run that passes it on. Otherwise the run that made it would wait, in the thread that ends both, and
 * the passed-on value would count as the caller's as well. */
static void
test_empty (void)
{
  static const char adds[] =
    "func.func @main(%x: tensor<0xf32>) -> tensor<0xf32> {\n"
    "  %y = stablehlo.add %x, %x : tensor<0xf32>\n"
    "  return %y : tensor<0xf32>\n"
    "}\n";
  static const char passes[] =
    "func.func @main(%x: tensor<0xf32>) -> tensor<0xf32> {\n"
    "  return %x : tensor<0xf32>\n"
    "}\n";
  GhloGpuDevice *device = vulkan_program_device ();
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F32, (gint64[]) { 0 }, 1);
  g_autoptr (GhloValue) input = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = NULL;
  g_autoptr (GhloFence) before = NULL;
  GhloExecutableCore *cores[2];
  GhloValue *output;
  Run runs[3];

  if (device == NULL)
    return;
  input = ghlo_value_new_tensor (type, &error);
  g_assert_no_error (error);
  cores[0] = compile (device, adds);
  cores[1] = compile (device, passes);
  prepared = vulkan_program_prepare (&device->vulkan.core, program, &error);
  g_assert_no_error (error);
  called.n = 0;
  /* No run ends before all callbacks are registered. */
  before = begin (prepared, &output);
  begin_run (&runs[0], cores[0], input);
  begin_run (&runs[1], cores[1], runs[0].run_result->outputs[0]);
  begin_run (&runs[2], cores[1], runs[1].run_result->outputs[0]);
  g_assert_true (runs[2].run_result->outputs[0] != runs[1].run_result->outputs[0]);
  for (guint i = G_N_ELEMENTS (runs); i-- > 0;)
    ghlo_fence_notify (runs[i].fence, end_run, &runs[i]);
  wait_for_call (G_N_ELEMENTS (runs));
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      ghlo_run_result_free (runs[i].run_result);
      ghlo_fence_unref (runs[i].fence);
    }
  ghlo_executable_core_unref (cores[0]);
  ghlo_executable_core_unref (cores[1]);
  check_output (output);
}

/* For a device that is not a CPU. */
static gint64
get_polling_time (GhloGpuDevice *device,
                  GhloWait       wait)
{
  GhloDeviceQueue queue = *device->vulkan.core.queue;

  queue.is_host = FALSE;

  return ghlo_device_queue_get_polling_time (&queue, wait);
}

/* A waiter polls for twice as long as the last wait took, within limits. Waits within a run and waits for a run's
 * end are timed independently. */
static void
test_polling_time (void)
{
  GhloGpuDevice *device = vulkan_program_device ();
  g_autoptr (GhloPrepared) prepared = NULL;
  g_autoptr (GhloFence) fence = NULL;
  g_autoptr (GError) error = NULL;
  GhloValue *output;

  if (device == NULL)
    return;
  prepared = vulkan_program_prepare (&device->vulkan.core, program, &error);
  g_assert_no_error (error);
  for (guint wait = 0; wait < GHLO_N_WAITS; wait++)
    ghlo_device_queue_record_wait (device->vulkan.core.queue, wait, 100);
  fence = begin (prepared, &output);
  g_assert_true (ghlo_vulkan_queue_finish (device->vulkan.queue, NULL, &error));
  g_assert_cmpint (get_polling_time (device, GHLO_WAIT_IN_RUN), ==, 50); /* milliseconds are slept through */
  g_assert_cmpint (get_polling_time (device, GHLO_WAIT_FOR_RUN), ==, 200);
  ghlo_device_queue_record_wait (device->vulkan.core.queue, GHLO_WAIT_IN_RUN, 300);
  ghlo_device_queue_record_wait (device->vulkan.core.queue, GHLO_WAIT_FOR_RUN, 1);
  g_assert_cmpint (get_polling_time (device, GHLO_WAIT_IN_RUN), ==, 500);
  g_assert_cmpint (get_polling_time (device, GHLO_WAIT_FOR_RUN), ==, 50);
  check_output (output);
}

static void
test_lost (void)
{
  GhloGpuDevice *device = vulkan_program_device ();
  g_autoptr (GhloPrepared) prepared = NULL;
  g_autoptr (GhloFence) fence = NULL;
  g_autoptr (GhloValue) output = NULL;
  g_autoptr (GError) error = NULL;

  if (device == NULL)
    return;
  prepared = vulkan_program_prepare (&device->vulkan.core, program, &error);
  g_assert_no_error (error);
  fence = begin (prepared, &output);
  ghlo_device_core_lose (&device->vulkan.core);
  g_assert_false (ghlo_fence_wait (fence, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE_LOST);
  g_clear_error (&error);
  g_assert_false (ghlo_value_fetch (output, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE_LOST);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/waiter/end", test_end);
  g_test_add_func ("/vulkan/waiter/empty", test_empty);
  g_test_add_func ("/vulkan/waiter/polling-time", test_polling_time);
  g_test_add_func ("/vulkan/waiter/lost", test_lost);

  return g_test_run ();
}
