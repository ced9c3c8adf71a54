/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attention as one shader (vulkan/spirv/attention.h): describes its two products like those that have shaders of their
 * own, the kernel that turns scores into logits as the epilogue of the first one, and its tile.
 */

#pragma once

#include "plan/attention.h"
#include "vulkan/product/dispatch.h"
#include "vulkan/spirv/attention.h"

G_BEGIN_DECLS

typedef struct
{
  const GhloVulkanDevice *device;
  GhloStepAttention       step;
  GhloVulkanProductShader scores, values;       /* not shaders by themselves; their accesses are queries and keys, and
                                                 * values and the result */
  GhloVulkanEpilogue      logits;
  GhloSpirvAttention      shader;
  guint64                 n_groups;             /* workgroups */
  VkPipeline              pipeline;
} GhloVulkanAttention;

/* Returns a static string that says why the device does not compute @ops, which end with the second product, as one
 * step, or NULL. */
const char *ghlo_vulkan_attention_obstacle (const GhloVulkanDevice    *device,
                                            const GhloIrOp *const     *ops,
                                            guint                      n_ops);
/* Returns NULL, or a static string that says why the request is not an attention that the device computes. @self must
 * be cleared in either case. */
const char *ghlo_vulkan_attention_init     (GhloVulkanAttention       *self,
                                            const GhloVulkanDevice    *device,
                                            const GhloStepRequest     *request);
void        ghlo_vulkan_attention_clear    (GhloVulkanAttention       *self);
gboolean    ghlo_vulkan_attention_compile  (GhloVulkanAttention       *self,
                                            GError                   **error);
void        ghlo_vulkan_attention_record   (const GhloVulkanAttention *self,
                                            const GhloBufferRef       *operands,
                                            const GhloBufferRef       *results,
                                            GhloBufferRef              scratch,
                                            GhloVulkanRecording       *recording);

G_END_DECLS
