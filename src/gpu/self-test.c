/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs kernels of single nodes like any other kernel, except that their pipelines are not kept on disk, since nobody
 * needs them later.
 */

#include "gpu/self-test.h"

#include <string.h>

#include "gpu/kernel.h"
#include "gpu/steps.h"
#include "runtime/build-id.h"
#include "runtime/cache-item.h"
#include "vulkan/device-memory.h"
#include "vulkan/memory.h"
#include "vulkan/pipelines.h"
#include "vulkan/queue.h"
#include "vulkan/transfer.h"

/* The maximum number of probes besides one per type: those with constants for two float types, that of widened
 * integers, and repetitions for all of these types. */
enum { FURTHER_PROBES = 9 };

/* The state of a self-test. */
typedef struct
{
  GhloGpuDevice    *device;
  GhloVulkanPipelines *pipelines;
  const GhloMonitor   *monitor;     /* nullable */
  guint                n_run, n_probes;     /* n_probes is an upper bound */
} Test;

static gboolean
replay (GhloGpuDevice        *device,
        const GhloGpuKernel  *kernel,
        guint8 *const        *addresses,
        GError              **error)
{
  g_autoptr (GhloGpuRecording) recording = NULL;
  GhloBufferExtent extents[GHLO_KERNEL_MAX_BUFFERS];
  GhloBufferRef places[GHLO_KERNEL_MAX_BUFFERS];

  for (guint i = 0; i < kernel->kernel->n_buffers; i++)
    {
      extents[i] = (GhloBufferExtent) { i, 0, (gsize) kernel->kernel->buffers[i].size, i };
      places[i] = (GhloBufferRef) { i, 0 };
    }
  recording = ghlo_gpu_recording_new (device, extents);
  ghlo_gpu_kernel_record (kernel, places, (GhloBufferRef) { GHLO_STEP_NONE, 0 }, recording);
  ghlo_gpu_recording_end (recording, 0);

  return ghlo_gpu_recording_replay (recording, addresses, NULL, error);
}

static gboolean
run_on (GhloGpuDevice           *device,
        const GhloGpuKernel     *kernel,
        const GhloKernelMemory  *memory,
        guint8 *const           *addresses,
        GError                 **error)
{
  guint n = kernel->kernel->n_buffers;

  for (guint i = 0; i < n; i++)
    if (!ghlo_vulkan_upload (&device->vulkan, memory[i].data, ghlo_vulkan_address (addresses[i]), memory[i].size, NULL,
                             error))
      return FALSE;
  if (!replay (device, kernel, addresses, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!ghlo_vulkan_download (&device->vulkan, ghlo_vulkan_address (addresses[i]), memory[i].data, memory[i].size,
                               NULL, error))
      return FALSE;

  return TRUE;
}

/* Probes have neither temporaries nor many points. */
static gboolean
run_probe (gpointer                 data,
           const GhloKernel        *kernel,
           GBytes                  *words,
           const GhloKernelMemory  *memory,
           GError                 **error)
{
  Test *test = data;
  GhloGpuDevice *device = test->device;
  GhloGpuKernel probe;
  guint8 *addresses[GHLO_KERNEL_MAX_BUFFERS] = { NULL };
  gboolean ok = TRUE;

  if (ghlo_monitor_cancelled (test->monitor, error))
    return FALSE;
  ghlo_monitor_progress (test->monitor, (double) test->n_run++ / test->n_probes, NULL);
  ghlo_gpu_kernel_init_probe (&probe, device, kernel);
  probe.pipeline = ghlo_vulkan_pipelines_get (test->pipelines, words, error);
  if (probe.pipeline == NULL)
    return FALSE;
  for (guint i = 0; i < kernel->n_buffers && ok; i++)
    {
      addresses[i] = GSIZE_TO_POINTER (ghlo_vulkan_memory_alloc (device->vulkan.memory, GHLO_VULKAN_LOCAL,
                                                                 memory[i].size, error));
      ok = addresses[i] != NULL;
    }
  ok = ok && run_on (device, &probe, memory, addresses, error);
  for (guint i = 0; i < kernel->n_buffers; i++)
    if (addresses[i] != NULL)
      ghlo_vulkan_memory_free (device->vulkan.memory, ghlo_vulkan_address (addresses[i]), memory[i].size,
                               ghlo_vulkan_queue_value (device->vulkan.queue));

  return ok;
}

/* Returns all that the measurement depends on: the device, its enabled features and its promises, and this build, which
 * determines the probes and shaders. NULL if nothing is kept on disk, or builds cannot be told apart. */
static GBytes *
make_key (const GhloGpuDevice *device)
{
  const char *build = ghlo_cache_keeps_items () ? ghlo_build_id () : NULL;
  const GhloVulkanDevice *vulkan = &device->vulkan;
  GByteArray *bytes;

  if (build == NULL)
    return NULL;
  bytes = g_byte_array_new ();
  g_byte_array_append (bytes, g_bytes_get_data (vulkan->identity, NULL), (guint) g_bytes_get_size (vulkan->identity));
  g_byte_array_append (bytes, (const guint8 *) &vulkan->types, sizeof vulkan->types);
  g_byte_array_append (bytes, (const guint8 *) &device->promises, sizeof device->promises);
  g_byte_array_append (bytes, (const guint8 *) build, (guint) strlen (build) + 1);

  return g_byte_array_free_to_bytes (bytes);
}

static gboolean
read_measured (const GhloGpuDevice *device,
               GBytes              *key,
               GhloSpirvDevice     *measured)
{
  g_autoptr (GBytes) content = ghlo_cache_item_read (GHLO_CACHE_MEASUREMENT, key);

  if (content == NULL)
    return FALSE;
  if (g_bytes_get_size (content) == sizeof *measured)
    {
      memcpy (measured, g_bytes_get_data (content, NULL), sizeof *measured);
      if (ghlo_spirv_device_is_plausible (measured, device->vulkan.types, &device->promises))
        return TRUE;
    }
  g_debug ("the cached measurements of %s are invalid and not used", device->vulkan.core.title);

  return FALSE;
}

static gboolean
measure (GhloGpuDevice      *device,
         const GhloMonitor  *monitor,
         GError            **error)
{
  const guint64 types = device->vulkan.types;
  Test test = { .device = device, .monitor = monitor, .n_probes = FURTHER_PROBES };
  gboolean ok;

  test.pipelines = ghlo_vulkan_pipelines_new (&device->vulkan, FALSE);
  for (guint type = 0; type < 64; type++)
    test.n_probes += (types >> type & 1) != 0;
  ok = ghlo_spirv_measure (&device->measured, types, &device->promises, run_probe, &test, error);
  ghlo_vulkan_pipelines_free (test.pipelines);

  return ok;
}

gboolean
ghlo_gpu_self_test (GhloGpuDevice      *device,
                    const GhloMonitor  *monitor,
                    GError            **error)
{
  g_autoptr (GBytes) key = make_key (device);
  g_autoptr (GBytes) content = NULL;

  if (key != NULL && read_measured (device, key, &device->measured))
    return TRUE;
  if (!measure (device, monitor, error))
    return FALSE;
  if (key != NULL)
    {
      content = g_bytes_new (&device->measured, sizeof device->measured);
      ghlo_cache_item_write (GHLO_CACHE_MEASUREMENT, key, device->vulkan.core.title, content);
    }

  return TRUE;
}

gboolean
ghlo_gpu_recall (const GhloGpuDevice *device,
                 GhloSpirvDevice     *measured)
{
  g_autoptr (GBytes) key = NULL;

  if (ghlo_vulkan_device_is_open (&device->vulkan))
    {
      *measured = device->measured;
      return TRUE;
    }
  key = make_key (device);

  return key != NULL && read_measured (device, key, measured);
}
