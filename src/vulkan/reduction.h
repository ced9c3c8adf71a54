/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which groups with reductions are worth a kernel.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Why @ops, of types with static shapes and in their block's order, had better be several kernels; NULL where one is
 * worth it. */
const char *ghlo_vulkan_reduction_obstacle (const GhloIrOp *const *ops,
                                            guint                  n_ops);

G_END_DECLS
