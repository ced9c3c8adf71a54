/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels of single nodes are run as all others are.
 */

#include "vulkan/self-test.h"

#include "vulkan/features.h"
#include "vulkan/kernel.h"
#include "vulkan/memory.h"
#include "vulkan/pipelines.h"
#include "vulkan/queue.h"
#include "vulkan/target.h"
#include "vulkan/transfer.h"

static gboolean
replay (GhloVulkanDevice        *device,
        const GhloVulkanKernel  *kernel,
        guint8 *const           *addresses,
        GError                 **error)
{
  g_autoptr (GhloVulkanRecording) recording = NULL;
  GhloStepExtent extents[GHLO_KERNEL_MAX_BUFFERS];
  GhloStepPlace places[GHLO_KERNEL_MAX_BUFFERS];

  for (guint i = 0; i < kernel->kernel->n_buffers; i++)
    {
      extents[i] = (GhloStepExtent) { i, 0, (gsize) kernel->kernel->buffers[i].size };
      places[i] = (GhloStepPlace) { i, 0 };
    }
  recording = ghlo_vulkan_recording_new (device, extents);
  ghlo_vulkan_kernel_record (kernel, places, (GhloStepPlace) { GHLO_STEP_NONE, 0 }, recording);
  ghlo_vulkan_recording_end (recording);

  return ghlo_vulkan_recording_replay (recording, addresses, NULL, error);
}

static gboolean
run_on (GhloVulkanDevice        *device,
        const GhloVulkanKernel  *kernel,
        const GhloKernelMemory  *memory,
        guint8 *const           *addresses,
        GError                 **error)
{
  guint n = kernel->kernel->n_buffers;

  for (guint i = 0; i < n; i++)
    if (!ghlo_vulkan_upload (device, memory[i].data, ghlo_vulkan_address (addresses[i]), memory[i].size, NULL, error))
      return FALSE;
  if (!replay (device, kernel, addresses, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!ghlo_vulkan_download (device, ghlo_vulkan_address (addresses[i]), memory[i].data, memory[i].size, NULL, error))
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
  GhloVulkanDevice *device = data;
  GhloVulkanKernel probe;
  guint8 *addresses[GHLO_KERNEL_MAX_BUFFERS] = { NULL };
  gboolean ok = TRUE;

  ghlo_vulkan_kernel_init_probe (&probe, device, kernel);
  probe.pipeline = ghlo_vulkan_pipelines_get (device->pipelines, words, error);
  if (probe.pipeline == VK_NULL_HANDLE)
    return FALSE;
  for (guint i = 0; i < kernel->n_buffers && ok; i++)
    {
      addresses[i] = GSIZE_TO_POINTER (ghlo_vulkan_memory_alloc (device->memory, GHLO_VULKAN_LOCAL, memory[i].size,
                                                                 error));
      ok = addresses[i] != NULL;
    }
  ok = ok && run_on (device, &probe, memory, addresses, error);
  for (guint i = 0; i < kernel->n_buffers; i++)
    if (addresses[i] != NULL)
      ghlo_vulkan_memory_free (device->memory, ghlo_vulkan_address (addresses[i]), memory[i].size,
                               ghlo_vulkan_queue_value (device->queue));

  return ok;
}

gboolean
ghlo_vulkan_self_test (GhloVulkanDevice  *device,
                       GError           **error)
{
  return ghlo_spirv_measure (&device->measured, ghlo_vulkan_features_types (&device->features), &device->promises,
                             run_probe, device, error);
}
