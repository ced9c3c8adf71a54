/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attention as one shader (gpu/spirv/attention.h): describes its two products like those that have shaders of their
 * own, the kernel that turns scores into logits as the epilogue of the first one, and its tile.
 */

#pragma once

#include "gpu/product/dispatch.h"
#include "gpu/spirv/attention.h"
#include "plan/attention.h"

G_BEGIN_DECLS

typedef struct
{
  const GhloGpuDevice *device;
  GhloStepAttention       step;
  GhloGpuProductShader scores, values;       /* not shaders by themselves; their accesses are queries and keys, and
                                                 * values and the result */
  GhloGpuEpilogue      logits;
  GhloSpirvAttention      shader;
  guint64                 n_groups;             /* workgroups */
  GhloVulkanPipeline *pipeline;
} GhloGpuAttention;

/* Returns a static string that says why the device does not compute @ops, which end with the second product, as one
 * step, or NULL. */
const char *ghlo_gpu_attention_obstacle (const GhloGpuDevice     *device,
                                         const GhloIrOp *const   *ops,
                                         guint                    n_ops);
/* Returns NULL, or a static string that says why the request is not an attention that the device computes. @self must
 * be cleared in either case. */
const char *ghlo_gpu_attention_init     (GhloGpuAttention        *self,
                                         const GhloGpuDevice     *device,
                                         const GhloStepRequest   *request);
void        ghlo_gpu_attention_clear    (GhloGpuAttention        *self);
gboolean    ghlo_gpu_attention_compile  (GhloGpuAttention        *self,
                                         GError                 **error);
void        ghlo_gpu_attention_record   (const GhloGpuAttention  *self,
                                         const GhloBufferRef     *operands,
                                         const GhloBufferRef     *results,
                                         GhloBufferRef            scratch,
                                         GhloGpuRecording        *recording);

G_END_DECLS
