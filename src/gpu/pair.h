/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Joins two kernels into one dispatch.
 */

#pragma once

#include "gpu/recording.h"

G_BEGIN_DECLS

/* Implements GhloCommandBufferClass.merge_dispatches. */
gboolean ghlo_gpu_pair_merge (GhloCommandBuffer  *commands,
                              guint               first,
                              GError            **error);

G_END_DECLS
