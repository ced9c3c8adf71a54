/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Determines on which axes the values of a kernel's nodes depend.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

/* A bit in addition to the axes: a loop carries the value, so it may differ between iterations. */
enum { GHLO_KERNEL_TIME = 1 << GHLO_KERNEL_MAX_AXES };

/* Returns, for each node, the axes that its value may depend on, as bits including GHLO_KERNEL_TIME; free it with
 * g_free (). */
guint16 *ghlo_kernel_variance (const GhloKernel *kernel);

G_END_DECLS
