/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A dispatch costs a device about 0.6 µs, even if it runs beside another one. If the first of two dispatches is a
 * single workgroup, as the condition of a loop usually is, one shader does the work of both.
 */

#include "gpu/pair.h"

#include "base/sizes.h"
#include "gpu/kernel.h"
#include "vulkan/pipelines.h"

/* Returns the number of workgroups of @group invocations that compute all points of @kernel. */
static guint64
count_groups (const GhloGpuKernel *kernel,
              guint                group)
{
  return kernel->workgroup_per_point ? kernel->n_points : ghlo_size_ceil_div (kernel->n_points, group);
}

/* Returns the number of invocations of workgroups that suit both kernels, or 0. */
static guint
find_group (const GhloSpirvSchedule *schedules)
{
  const guint group = MAX (ghlo_spirv_group (&schedules[0]), ghlo_spirv_group (&schedules[1]));

  for (guint i = 0; i < 2; i++)
    if (schedules[i].workgroup_per_point && ghlo_spirv_group (&schedules[i]) != group)
      return 0;

  return group;
}

/* Returns the bytes of shared memory that the kernel needs. */
static gsize
count_bytes (const GhloGpuKernel *kernel)
{
  return kernel->workgroup_per_point ? ghlo_spirv_shared (kernel->kernel) : 0;
}

gboolean
ghlo_gpu_pair_merge (GhloCommandBuffer  *commands,
                     guint               first,
                     GError            **error)
{
  GhloGpuRecording *recording = (GhloGpuRecording *) commands;
  GhloGpuDevice *device = ghlo_gpu_recording_get_device (recording);
  const GhloGpuKernel *kernels[2];
  GhloSpirvSchedule schedules[2];
  g_autoptr (GBytes) words = NULL;
  GhloVulkanPipeline *pipeline = NULL;
  guint64 n_groups;
  guint group;

  if (!ghlo_gpu_recording_get_pair (recording, first, kernels))
    return TRUE;
  for (guint i = 0; i < 2; i++)
    schedules[i] = ghlo_gpu_kernel_schedule (kernels[i], GHLO_SPIRV_PARTS_IN_TURN);
  group = find_group (schedules);
  if (group == 0 || count_groups (kernels[0], group) > 1
      || count_bytes (kernels[0]) + count_bytes (kernels[1]) > device->vulkan.shared_memory)
    return TRUE;
  n_groups = 1 + count_groups (kernels[1], group);
  if (n_groups > device->vulkan.max_groups)
    return TRUE;
  words = ghlo_spirv_emit_pair ((const GhloKernel *[]) { kernels[0]->kernel, kernels[1]->kernel },
                                &device->measured.floats, schedules, error);
  if (words != NULL)
    pipeline = ghlo_vulkan_pipelines_get (device->vulkan.pipelines, words, error);
  if (pipeline != NULL)
    ghlo_gpu_recording_merge (recording, first, pipeline, (guint) n_groups);

  return pipeline != NULL;
}
