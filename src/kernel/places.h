/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where what a loop carries need not be copied: its next value may be written where it is, if nothing reads it
 * behind that.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

/* Fills @places, one for each temporary: the temporary that it may share its memory with, or its own number. Each
 * that shares is the next value of what it shares with, and read by nothing else. A block of points that writes it
 * reads all it needs of a point before it writes there. */
void ghlo_kernel_find_places (const GhloKernel *kernel,
                              guint16          *places);

G_END_DECLS
