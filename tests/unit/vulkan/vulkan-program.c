/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs test programs on the library's own Vulkan device.
 */

#include "vulkan-program.h"

#include <string.h>

#include "compiler/devices.h"
#include "compiler/optimize.h"
#include "gpu/core.h"
#include "gpu/recording.h"
#include "import/import.h"
#include "runtime/place.h"
#include "vulkan/queue.h"

GhloGpuDevice *
vulkan_program_device (void)
{
  GhloDeviceCore *device = ghlo_devices_find ("vulkan");

  if (device == NULL)
    g_test_skip ("there is no Vulkan device");

  return (GhloGpuDevice *) device;
}

GhloGpuDevice *
vulkan_program_copy (VulkanProgramCopy *copy)
{
  GhloGpuDevice *device = vulkan_program_device ();
  g_autoptr (GError) error = NULL;

  if (device == NULL)
    return NULL;
  ghlo_gpu_device_open (device, NULL, &error);
  g_assert_no_error (error);
  copy->device = *device;

  return &copy->device;
}

gpointer
vulkan_program_cancel_soon (gpointer cancellable)
{
  g_usleep (G_USEC_PER_SEC / 5);
  g_cancellable_cancel (cancellable);

  return NULL;
}

GhloPrepared *
vulkan_program_prepare (GhloDeviceCore  *device,
                        const char      *text,
                        GError         **error)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", text, strlen (text));
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GhloIrModule) module = ghlo_import (bytes, GHLO_IMPORT_DEFAULT, diagnostics, NULL, NULL);

  if (module == NULL)
    g_error ("%s", ((const GhloFinding *) diagnostics->findings->pdata[0])->message);

  return ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, error);
}

GhloPrepared *
vulkan_program_fuse (GhloGpuDevice        *device,
                     GhloIrModule         *module,
                     const char    *const *disabled)
{
  const GhloOptimizeOptions options = { .level = 2, .disabled = disabled };
  g_autoptr (GError) error = NULL;
  GhloPrepared *prepared;

  ghlo_fuse (module, &device->vulkan.core, &options, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  prepared = ghlo_devices_prepare (&device->vulkan.core, module, ghlo_ir_module_get_entry (module), NULL, &error);
  g_assert_no_error (error);

  return prepared;
}

/* In recordings with more barriers only this many, the first ones, are tested by removal, since each removal checks
 * the whole recording again. */
enum { MAX_TAKEN = 256 };

static struct
{
  GMutex               lock;    /* guards what follows */
  VulkanProgramReplays seen;
} watched;

static gboolean
check_and_replay (GhloCommandBuffer  *recording,
                  guint8 *const      *addresses,
                  const GhloMonitor  *monitor,
                  GError            **error)
{
  g_autofree char *problem = ghlo_gpu_recording_check ((GhloGpuRecording *) recording, addresses, G_MAXUINT);
  const guint n = recording->n_commands;
  guint n_barriers = 0;

  g_assert_cmpstr (problem, ==, NULL);
  for (guint i = 0; i < n; i++)
    if (ghlo_gpu_recording_waits ((GhloGpuRecording *) recording, i) && n_barriers++ < MAX_TAKEN)
      {
        g_autofree char *found = ghlo_gpu_recording_check ((GhloGpuRecording *) recording, addresses, i);

        if (found == NULL)
          g_error ("dispatch %u of %u waits for nothing", i, n);
      }
  g_mutex_lock (&watched.lock);
  watched.seen.n_replays++;
  watched.seen.n_dispatches += n;
  watched.seen.n_barriers += n_barriers;
  g_mutex_unlock (&watched.lock);

  return ghlo_gpu_command_buffers.replay (recording, addresses, monitor, error);
}

/* The test's own recorder wraps the device's. */
void
vulkan_program_watch (GhloGpuDevice *device)
{
  static GhloCommandBufferClass recorder;

  recorder = ghlo_gpu_command_buffers;
  recorder.replay = check_and_replay;
  watched.seen = (VulkanProgramReplays) { 0 };
  device->vulkan.core.command_buffers = &recorder;
}

VulkanProgramReplays
vulkan_program_unwatch (GhloGpuDevice *device)
{
  device->vulkan.core.command_buffers = &ghlo_gpu_command_buffers;

  return watched.seen;
}

enum { MAX_VIEWS = 64 };

void
vulkan_program_run_step (const GhloGpuDevice           *device,
                         const GhloStepImplementation  *implementation,
                         gpointer                       compiled,
                         const GhloView                *operands,
                         guint                          n_operands,
                         const GhloView                *results,
                         guint                          n_results,
                         gpointer                       scratch,
                         GError                       **error)
{
  const GhloCommandBufferClass *recorder = device->vulkan.core.command_buffers;
  const guint n = n_operands + n_results;
  GhloBufferExtent extents[MAX_VIEWS];
  GhloBufferRef places[MAX_VIEWS];
  guint8 *addresses[MAX_VIEWS];
  GhloCommandBuffer *recording;

  g_assert_cmpuint (n, <, MAX_VIEWS);
  for (guint i = 0; i <= n; i++)
    {
      addresses[i] = i == n ? scratch : i < n_operands ? operands[i].data : results[i - n_operands].data;
      extents[i] = (GhloBufferExtent) { i, 0, G_MAXUINT32, i };
      places[i] = (GhloBufferRef) { i, 0 };
    }
  recording = recorder->begin ((GhloDeviceCore *) &device->vulkan.core, extents);
  if (implementation->record (compiled, places, places + n_operands, places[n], recording, error))
    {
      recorder->end (recording, 0);
      recorder->replay (recording, addresses, NULL, error);
    }
  recorder->free (recording);
}

void
vulkan_program_set_rate (GhloGpuDevice *device,
                         double         rate)
{
  device->vulkan.core.rates = &device->vulkan.rates;
  device->vulkan.rates = (GhloDeviceRates) { .bytes = rate, .products = { 1e30, 1e30, 1e30 }, .scalars = 1e30 };
}

GhloGpuDevice *
vulkan_program_open (void)
{
  GhloGpuDevice *device = vulkan_program_device ();
  g_autoptr (GError) error = NULL;

  if (device == NULL)
    return NULL;
  vulkan_program_set_rate (device, 1e30);
  ghlo_gpu_device_open (device, NULL, &error);
  g_assert_no_error (error);

  return device;
}

void
vulkan_program_run (GhloPrepared      *prepared,
                    GhloValue *const  *inputs,
                    gsize              n_inputs,
                    GhloValue        **outputs)
{
  g_autoptr (GError) error = NULL;

  ghlo_prepared_run (prepared, NULL, inputs, n_inputs, outputs, NULL, &error);
  g_assert_no_error (error);
}

void
vulkan_program_compare (GhloPrepared *prepared,
                        GhloValue   **outputs,
                        GhloValue   **expected)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < ghlo_prepared_get_n_outputs (prepared); i++)
    {
      ghlo_value_fetch (outputs[i], NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (outputs[i]->data, outputs[i]->n_bytes, expected[i]->data, expected[i]->n_bytes);
    }
  ghlo_values_clear (outputs, ghlo_prepared_get_n_outputs (prepared));
}

/* Profiles each step separately. */
static void
check_profile (GhloPrepared      *prepared,
               GhloValue *const  *inputs,
               gsize              n_inputs,
               GhloValue        **expected)
{
  g_autoptr (GhloRunProfile) profile = ghlo_run_profile_new ();
  const GhloRunOptions options = { .profile = profile };
  g_autoptr (GError) error = NULL;
  GhloValue *outputs[VULKAN_PROGRAM_MAX_OUTPUTS];

  ghlo_prepared_run (prepared, &options, inputs, n_inputs, outputs, NULL, &error);
  g_assert_no_error (error);
  vulkan_program_compare (prepared, outputs, expected);
}

VulkanProgramReplays
vulkan_program_check (GhloGpuDevice    *device,
                      const char       *text,
                      GhloValue *const *inputs,
                      gsize             n_inputs)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) oracle = vulkan_program_prepare (ghlo_devices_find ("reference"), text, &error);
  g_autoptr (GhloPrepared) prepared = NULL;
  GhloValue *expected[VULKAN_PROGRAM_MAX_OUTPUTS], *outputs[3][VULKAN_PROGRAM_MAX_OUTPUTS];
  VulkanProgramReplays seen;
  guint64 submitted;

  g_assert_no_error (error);
  vulkan_program_run (oracle, inputs, n_inputs, expected);
  vulkan_program_watch (device);
  prepared = vulkan_program_prepare (&device->vulkan.core, text, &error);
  g_assert_no_error (error);
  ghlo_vulkan_queue_submit (device->vulkan.queue, &submitted, &error);       /* constants */
  g_assert_no_error (error);
  vulkan_program_run (prepared, inputs, n_inputs, outputs[0]);
  vulkan_program_run (prepared, inputs, n_inputs, outputs[1]);
  vulkan_program_compare (prepared, outputs[0], expected);
  vulkan_program_run (prepared, inputs, n_inputs, outputs[2]);
  vulkan_program_compare (prepared, outputs[1], expected);
  vulkan_program_compare (prepared, outputs[2], expected);
  seen = vulkan_program_unwatch (device);
  seen.n_submissions = (guint) (ghlo_vulkan_queue_value (device->vulkan.queue) - submitted);
  check_profile (prepared, inputs, n_inputs, expected);
  ghlo_values_clear (expected, ghlo_prepared_get_n_outputs (oracle));

  return seen;
}
