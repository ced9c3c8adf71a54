/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decides which groups of operations with reductions are worth a single kernel.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Returns why @ops, which have static shapes and are in the order of their block, are better split into several
 * kernels, or NULL if a single kernel is worth it. */
const char *ghlo_gpu_reduction_obstacle (const GhloIrOp *const *ops,
                                         guint                  n_ops);

G_END_DECLS
