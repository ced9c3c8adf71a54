/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels of files run by the device's own code for kernels, with the interpreter's bits, among them folds whose parts
 * are computed separately and then merged.
 */

#include "vulkan-program.h"

#include "gpu/core.h"
#include "gpu/kernel.h"
#include "gpu/steps.h"
#include "kernel/expand.h"
#include "vulkan/device-memory.h"
#include "vulkan/memory.h"
#include "vulkan/queue.h"
#include "vulkan/transfer.h"

#include "../kernel/random-kernel.h"
#include "../kernel/read-kernel.h"

enum { SEED = 1 };

static guint64
allocate (GhloGpuDevice *device,
          gsize          size)
{
  g_autoptr (GError) error = NULL;
  guint64 address = ghlo_vulkan_memory_alloc (device->vulkan.memory, GHLO_VULKAN_LOCAL, size, &error);

  g_assert_no_error (error);

  return address;
}

static void
release (GhloGpuDevice *device,
         guint64        address,
         gsize          size)
{
  ghlo_vulkan_memory_free (device->vulkan.memory, address, size, ghlo_vulkan_queue_value (device->vulkan.queue));
}

/* The last buffer is the scratch. */
static void
replay (const GhloGpuKernel *kernel,
        guint8 *const       *addresses)
{
  const guint n = kernel->kernel->n_buffers;
  GhloBufferExtent extents[GHLO_KERNEL_MAX_BUFFERS + 1];
  GhloBufferRef places[GHLO_KERNEL_MAX_BUFFERS + 1];
  g_autoptr (GhloGpuRecording) recording = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i <= n; i++)
    {
      extents[i] = (GhloBufferExtent) { i, 0, G_MAXUINT32, i };
      places[i] = (GhloBufferRef) { i, 0 };
    }
  recording = ghlo_gpu_recording_new (kernel->device, extents);
  ghlo_gpu_kernel_record (kernel, places, places[n], recording);
  ghlo_gpu_recording_end (recording, 0);
  g_assert_cmpuint (((GhloCommandBuffer *) recording)->n_commands, ==, kernel->n_parts > 1 ? 2 : 1);
  ghlo_gpu_recording_replay (recording, addresses, NULL, &error);
  g_assert_no_error (error);
}

static void
run (const GhloGpuKernel *kernel,
     GhloKernelMemory    *memory)
{
  const guint n = kernel->kernel->n_buffers;
  const gsize scratch = ghlo_gpu_kernel_scratch (kernel);
  GhloGpuDevice *device = kernel->device;
  guint8 *addresses[GHLO_KERNEL_MAX_BUFFERS + 1];
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    {
      addresses[i] = GSIZE_TO_POINTER (allocate (device, memory[i].size));
      ghlo_vulkan_upload (&device->vulkan, memory[i].data, ghlo_vulkan_address (addresses[i]), memory[i].size, NULL,
                          &error);
      g_assert_no_error (error);
    }
  addresses[n] = GSIZE_TO_POINTER (allocate (device, scratch));
  replay (kernel, addresses);
  for (guint i = 0; i < n; i++)
    {
      ghlo_vulkan_download (&device->vulkan, ghlo_vulkan_address (addresses[i]), memory[i].data, memory[i].size, NULL,
                            &error);
      g_assert_no_error (error);
      release (device, ghlo_vulkan_address (addresses[i]), memory[i].size);
    }
  release (device, ghlo_vulkan_address (addresses[n]), scratch);
}

static void
check_kernel (GhloGpuDevice *device,
              const char    *name)
{
  g_autofree GhloKernel *kernel = read_kernel (name);
  GhloGpuKernel on_device;
  const char *reason = ghlo_gpu_kernel_init (&on_device, device, kernel);
  g_autofree GhloKernel *expanded = ghlo_kernel_expand (kernel, NULL);
  GhloElementType type;
  GhloKernelMemory *found, *expected;
  g_autoptr (GError) error = NULL;
  g_autofree char *difference = NULL;

  g_test_message ("%s: %s, %" G_GUINT64_FORMAT " parts", name, reason != NULL ? reason : "runs", on_device.n_parts);
  g_assert_true (!g_str_has_prefix (name, "parts-") || (reason == NULL && on_device.n_parts > 1));
  if (reason == NULL && ghlo_spirv_find_inexact (&device->measured, expanded, TRUE, &type) != GHLO_N_NODES)
    reason = "the device flushes subnormal numbers, which are in its memory";
  if (reason != NULL)
    return;
  ghlo_gpu_kernel_compile (&on_device, FALSE, 0, &error);
  g_assert_no_error (error);
  found = random_memory_new (kernel, SEED);
  expected = random_memory_copy (kernel, found);
  g_assert_true (ghlo_kernel_interpret (kernel, NULL, expected, NULL, &error));
  run (&on_device, found);
  difference = random_memory_compare (kernel, expected, found);
  g_assert_cmpstr (difference, ==, NULL);
  random_memory_free (kernel, found);
  random_memory_free (kernel, expected);
}

static void
test_files (void)
{
  GhloGpuDevice *device = vulkan_program_device ();
  g_autoptr (GPtrArray) names = NULL;
  g_autoptr (GError) error = NULL;

  if (device == NULL)
    return;
  names = list_kernels ();
  ghlo_gpu_device_open (device, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < names->len; i++)
    check_kernel (device, names->pdata[i]);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/kernels", test_files);

  return g_test_run ();
}
