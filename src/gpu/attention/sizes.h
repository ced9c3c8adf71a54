/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the parts of attention.
 */

#pragma once

#include "gpu/attention/attention.h"

G_BEGIN_DECLS

/* The parameters that a tile is chosen by. */
typedef struct
{
  GhloAttentionSizes all;
  gboolean           is_highest;        /* a product requests precision HIGHEST */
} GhloGpuAttentionSizes;

/* Chooses the tile: sets all fields of @shader that describe how it works. Returns NULL, or a static string that says
 * why the device does not do it. */
const char *ghlo_gpu_attention_choose_tile (GhloSpirvAttention          *shader,
                                            const GhloGpuAttentionSizes *sizes,
                                            const GhloGpuDevice         *device);

G_END_DECLS
