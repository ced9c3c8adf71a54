/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A kernel together with the shaders that compute it on a device, shared by all steps that are made of kernels. See
 * kernel.c for how the kernel's parallel points are distributed over invocations.
 */

#pragma once

#include "gpu/recording.h"

G_BEGIN_DECLS

struct _GhloGpuKernel
{
  const GhloKernel   *kernel;           /* borrowed */
  GhloGpuDevice      *device;
  GhloVulkanPipeline *pipeline;         /* NULL until compiled */
  GhloVulkanPipeline *parts_pipeline;   /* computes the parts of folds, which @pipeline then merges; NULL if n_parts is
                                         * 1 */
  gboolean            workgroup_per_point;
  guint               group;            /* invocations per workgroup, or per point of a workgroup that has several */
  guint               points_per_group; /* that a workgroup computes together */
  gboolean            has_adjacent_points;      /* as in GhloSpirvSchedule */
  gint64              extents[GHLO_KERNEL_MAX_AXES];
  guint64             n_points;         /* parallel points */
  guint               n_nodes;          /* of the kernel with its functions expanded */
  guint               points_per_invocation;
  guint64             n_parts;          /* parts of each point that are computed separately */
  gsize               scratch_each;     /* bytes per invocation */
  guint64             n_invocations;    /* that run at the same time, each with its own scratch */
  gboolean            by_four;          /* as in GhloSpirvSchedule, as is the next one; set by the compile */
  guint64             aligned;
  gboolean            may_be_predicated;  /* as in GhloStepRequest; set by the compile */
};

/* Returns NULL, or a static string that says why the device does not compute @kernel. Borrows @kernel, and keeps
 * nothing else. */
const char       *ghlo_gpu_kernel_init         (GhloGpuKernel        *self,
                                                GhloGpuDevice        *device,
                                                const GhloKernel     *kernel);
/* For kernels whose shaders measure how the device computes: one invocation per point, no scratch. */
void              ghlo_gpu_kernel_init_probe   (GhloGpuKernel        *self,
                                                GhloGpuDevice        *device,
                                                const GhloKernel     *kernel);
/* Returns the bytes of scratch that a run needs. */
gsize             ghlo_gpu_kernel_scratch      (const GhloGpuKernel  *self);
/* Returns the schedule of the kernel's shader, or of the one that computes parts or merges them. */
GhloSpirvSchedule ghlo_gpu_kernel_schedule     (const GhloGpuKernel  *self,
                                                GhloSpirvParts        parts);
/* Compiles the pipelines. @may_be_predicated comes from the step's request; @aligned has a bit for each buffer that is
 * known to be aligned to 16 bytes. */
gboolean          ghlo_gpu_kernel_compile      (GhloGpuKernel        *self,
                                                gboolean              may_be_predicated,
                                                guint64               aligned,
                                                GError              **error);
/* Records the kernel's dispatches. @buffers has a place for each of the kernel's buffers. */
void              ghlo_gpu_kernel_record       (const GhloGpuKernel  *self,
                                                const GhloBufferRef  *buffers,
                                                GhloBufferRef         scratch,
                                                GhloGpuRecording     *recording);
/* The two halves of ghlo_gpu_kernel_record (). For kernels that do not depend on each other, first record the parts
 * of all of them, then the rest of each: all of the rest then wait behind a single barrier. */
void              ghlo_gpu_kernel_record_parts (const GhloGpuKernel  *self,
                                                const GhloBufferRef  *buffers,
                                                GhloBufferRef         scratch,
                                                GhloGpuRecording     *recording);
void              ghlo_gpu_kernel_record_rest  (const GhloGpuKernel  *self,
                                                const GhloBufferRef  *buffers,
                                                GhloBufferRef         scratch,
                                                GhloGpuRecording     *recording);

G_END_DECLS
