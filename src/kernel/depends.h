/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Determines which nodes of a block of points depend on its folds, and therefore, at each point, on all earlier
 * points.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

/* Returns, for each node of the kernel, whether it depends on the accumulators of the folds of @block; free it with
 * g_free (). */
guint8   *ghlo_kernel_depends          (const GhloKernel      *kernel,
                                        const GhloKernelBlock *block);
/* Returns whether an index of @access (may be GHLO_KERNEL_NONE) is one of the nodes @depends. */
gboolean  ghlo_kernel_index_depends    (const GhloKernel      *kernel,
                                        const guint8          *depends,
                                        guint                  access);
/* Returns whether the folds of the block have one chain, which visits all points in order, and nothing else in the
 * block depends on them. The rest may then be computed for many points at once in advance. */
gboolean  ghlo_kernel_folds_in_order   (const GhloKernel      *kernel,
                                        const GhloKernelBlock *block);

G_END_DECLS
