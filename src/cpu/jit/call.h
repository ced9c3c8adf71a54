/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The arguments that machine code is called with (cpu/llvm/emit.h): its scratch, and where each temporary lies in it.
 *
 * The scratch begins with the dummy area, GHLO_CODE_DUMMY_BYTES long, which takes loads and stores out of bounds. It
 * is followed by each temporary that spans axes, row-major in the order of the axes; where the lanes are points of a
 * parallel axis, each of its elements is a vector of the schedule's width. Where the schedule has columns, a temporary
 * has an element for each of them, followed by the partial results of a fold (cpu/llvm/columns.c). A loop-carried
 * temporary and its next value share one place where possible (kernel/places.h). Each temporary is followed by room for
 * 64 more elements, since whole vectors are loaded and stored, and by one cache line, so that temporaries whose sizes
 * are powers of two do not all begin at the same offset of a page. Each is aligned to 64 bytes.
 */

#pragma once

#include "cpu/llvm/emit.h"

G_BEGIN_DECLS

/* Returns the scratch bytes of one thread, a multiple of 64, or G_MAXSIZE where that is too much. @extents has all
 * axes. */
gsize ghlo_code_scratch   (const GhloKernel           *kernel,
                           const GhloKernelSchedule   *schedule,
                           const gint64               *extents);
/* Initializes a call; its stops () always returns FALSE, which the caller may replace. @temporaries has room for one
 * entry per temporary of the kernel. The call keeps pointers to @temporaries, @extents, @buffers and @scratch. */
void  ghlo_code_call_init (GhloCodeCall               *call,
                           guint8                    **temporaries,
                           const GhloKernel           *kernel,
                           const GhloKernelSchedule   *schedule,
                           const gint64               *extents,
                           gpointer const             *buffers,
                           gpointer                    scratch);

G_END_DECLS
