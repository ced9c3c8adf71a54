/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What of a block of points waits for its folds: at each point for all points before it.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

/* Whether nodes of @block depend on what its folds have come to, by the number of the node, for all of the kernel; to
 * be freed by g_free (). */
guint8   *ghlo_kernel_depends          (const GhloKernel      *kernel,
                                        const GhloKernelBlock *block);
/* Whether its folds have one chain, which goes through all points in order, and everything else of it is done without
 * them: it may be for many points at once, before. */
gboolean  ghlo_kernel_folds_in_order   (const GhloKernel      *kernel,
                                        const GhloKernelBlock *block);

G_END_DECLS
