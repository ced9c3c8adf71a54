/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Refuses kernels that are not well formed: numbers that refer to nothing, types that do not
 * fit, temporaries that are read before they are there, accesses beyond their buffer at any point
 * of the axes' extents, stores that two points make at one place. What passes can be run without
 * looking at any of this again.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

gboolean ghlo_kernel_check (const GhloKernel  *self,
                            GError           **error);

G_END_DECLS
