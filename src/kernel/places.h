/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds temporaries that share memory so that loop-carried values need not be copied: the next value may be written
 * in place if nothing reads the current one afterwards.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

/* Fills @places, with one entry per temporary: the temporary whose memory it may share, or its own index. A temporary
 * that shares is the next value of the one that it shares with, and nothing else reads it. A block of points that
 * writes it must read everything that it needs for a point before it writes that point. */
void ghlo_kernel_find_places (const GhloKernel *kernel,
                              guint16          *places);

G_END_DECLS
