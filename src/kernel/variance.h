/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * On which axes the values of a kernel's nodes depend.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

/* Beside the axes: a loop carries it, so that it may be another in other iterations. */
enum { GHLO_KERNEL_TIME = 1 << GHLO_KERNEL_MAX_AXES };

/* For each node the axes, as bits, that its value may depend on, and GHLO_KERNEL_TIME; to be freed by g_free (). */
guint16 *ghlo_kernel_variance (const GhloKernel *kernel);

G_END_DECLS
