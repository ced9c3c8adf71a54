/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What machine code is called with (cpu/emit/emit.h): the scratch, and where each temporary lies in it.
 *
 * The scratch begins with GHLO_CODE_WASTE bytes. Then comes each temporary that spans axes, row-major in the order of
 * axes; where the lanes are those of a parallel axis, each of its elements is a vector of the schedule's width.
 * What a loop carries and its next value are in one place where they may be (kernel/places.h).
 * Behind it is room for 64 elements more, since whole vectors are loaded and stored, and a cache line, so that
 * temporaries of a power of two do not all begin at the same place of a page. Each is aligned to 64 bytes.
 */

#pragma once

#include "cpu/emit/emit.h"

G_BEGIN_DECLS

/* The bytes of one thread, a multiple of 64, G_MAXSIZE where they are too many. @extents: of all axes. */
gsize ghlo_code_scratch   (const GhloKernel           *kernel,
                           const GhloKernelSchedule   *schedule,
                           const gint64               *extents);
/* Fills in all but what asks whether to stop, which nothing does. @temporaries: room for one of each of the kernel's.
 * The call refers to it, to @extents, to @buffers and to @scratch. */
void  ghlo_code_call_init (GhloCodeCall               *call,
                           guint8                    **temporaries,
                           const GhloKernel           *kernel,
                           const GhloKernelSchedule   *schedule,
                           const gint64               *extents,
                           gpointer const             *buffers,
                           gpointer                    scratch);

G_END_DECLS
