/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attention as one shader (vulkan/spirv/attention.h): its products as those that shaders do, the kernel that makes
 * logits of scores as the epilogue of the first one, and its tile.
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
  GhloVulkanProductShader scores, values;       /* of which neither is a shader by itself; their accesses are queries
                                                 * and keys, and values and the result */
  GhloVulkanEpilogue      logits;
  GhloSpirvAttention      shader;
  guint64                 n_groups;             /* of workgroups */
  VkPipeline              pipeline;
} GhloVulkanAttention;

/* Why the device does not do @ops, which end with the second product, as one step; static, or NULL. */
const char *ghlo_vulkan_attention_obstacle (const GhloVulkanDevice    *device,
                                            const GhloIrOp *const     *ops,
                                            guint                      n_ops);
/* NULL, or the reason, static, why the request is no attention that the device does. To be cleared in any case. */
const char *ghlo_vulkan_attention_init     (GhloVulkanAttention       *self,
                                            const GhloVulkanDevice    *device,
                                            const GhloStepRequest     *request);
void        ghlo_vulkan_attention_clear    (GhloVulkanAttention       *self);
gboolean    ghlo_vulkan_attention_compile  (GhloVulkanAttention       *self,
                                            GError                   **error);
void        ghlo_vulkan_attention_record   (const GhloVulkanAttention *self,
                                            const GhloStepPlace       *operands,
                                            const GhloStepPlace       *results,
                                            GhloStepPlace              scratch,
                                            GhloVulkanRecording       *recording);

G_END_DECLS
