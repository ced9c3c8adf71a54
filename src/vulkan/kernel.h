/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A kernel with the shader that computes it on a device: what steps that are made of kernels share.
 */

#pragma once

#include "vulkan/recording.h"

G_BEGIN_DECLS

struct _GhloVulkanKernel
{
  const GhloKernel *kernel;           /* borrowed */
  GhloVulkanDevice *device;
  VkPipeline        pipeline;         /* VK_NULL_HANDLE until it is compiled */
  VkPipeline        parts_pipeline;   /* does parts apart, which @pipeline merges; VK_NULL_HANDLE where n_parts is 1 */
  gboolean          group_per_point;
  guint             group;              /* invocations of it */
  gint64            extents[GHLO_KERNEL_MAX_AXES];
  guint64           n_points;         /* parallel ones */
  guint             points_each;      /* of an invocation */
  guint64           n_parts;          /* of each, that are done apart */
  gsize             scratch_each;     /* bytes of an invocation */
  guint64           n_invocations;    /* that are at work at once: all of them have scratch */
  gboolean          may_be_gated;     /* as in GhloStepRequest, once it is compiled */
};

/* NULL, or the reason, static, why the device does not compute @kernel. Nothing is kept but @kernel. */
const char *ghlo_vulkan_kernel_init    (GhloVulkanKernel         *self,
                                        GhloVulkanDevice         *device,
                                        const GhloKernel         *kernel);
/* For kernels whose shaders find out what the device computes: an invocation for each point, and no scratch. */
void        ghlo_vulkan_kernel_init_probe (GhloVulkanKernel      *self,
                                        GhloVulkanDevice         *device,
                                        const GhloKernel         *kernel);
/* Bytes of scratch that a run takes. */
gsize       ghlo_vulkan_kernel_scratch (const GhloVulkanKernel   *self);
/* Choices for its shader, or for that of its parts or of the rest. */
GhloSpirvSchedule ghlo_vulkan_kernel_schedule (const GhloVulkanKernel *self,
                                        GhloSpirvParts            parts);
/* Makes its pipeline, for a step whose request says whether it @may_be_gated. */
gboolean    ghlo_vulkan_kernel_compile (GhloVulkanKernel         *self,
                                        gboolean                  may_be_gated,
                                        GError                  **error);
/* Puts it into @recording. @buffers: a place for each of the kernel's. */
void        ghlo_vulkan_kernel_record  (const GhloVulkanKernel   *self,
                                        const GhloStepPlace      *buffers,
                                        GhloStepPlace             scratch,
                                        GhloVulkanRecording      *recording);
/* The same in two: of kernels that do not depend on each other, parts of all are done before any of the rest, which
 * waits for them once. */
void        ghlo_vulkan_kernel_record_parts (const GhloVulkanKernel *self,
                                        const GhloStepPlace      *buffers,
                                        GhloStepPlace             scratch,
                                        GhloVulkanRecording      *recording);
void        ghlo_vulkan_kernel_record_rest (const GhloVulkanKernel *self,
                                        const GhloStepPlace      *buffers,
                                        GhloStepPlace             scratch,
                                        GhloVulkanRecording      *recording);

G_END_DECLS
