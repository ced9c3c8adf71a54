/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements that lie apart, side by side, and back: what loops over adjacent numbers are
 * fed with. Sizes of elements are 1, 2, 4, 8 or 16 bytes.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @n elements @stride bytes apart, of each of @n_lines lines. */
void ghlo_cpu_pack_strided (guint         size,
                            const guint8 *from,
                            gint64        line_stride,
                            gint64        stride,
                            guint8       *to,
                            gsize         n_lines,
                            gsize         n);
/* One element @n times. */
void ghlo_cpu_fill      (guint         size,
                         const guint8 *from,
                         guint8       *to,
                         gsize         n);
/* Adjacent ones to places @stride bytes apart. */
void ghlo_cpu_unpack_strided      (guint         size,
                                   const guint8 *from,
                                   guint8       *to,
                                   gint64        stride,
                                   gsize         n);

G_END_DECLS
