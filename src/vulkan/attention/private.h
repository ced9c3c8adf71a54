/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the parts of attention share.
 */

#pragma once

#include "vulkan/attention/attention.h"

G_BEGIN_DECLS

/* What a tile is chosen by. */
typedef struct
{
  GhloElementType type;                 /* of all operands */
  gint64          rows, length, features, columns, batches;
  gboolean        is_highest;           /* a product asks for HIGHEST */
} GhloVulkanAttentionSizes;

/* Sets all of @shader that says how it is done; NULL, or the reason, static, why it is not. */
const char *ghlo_vulkan_attention_cut (GhloSpirvAttention             *shader,
                                       const GhloVulkanAttentionSizes *sizes,
                                       const GhloVulkanDevice         *device);

G_END_DECLS
