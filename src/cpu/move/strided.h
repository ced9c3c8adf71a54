/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies of strided elements to adjacent ones, and of one element to many, for loops over adjacent numbers. Elements
 * have 1, 2, 4, 8 or 16 bytes; strides are in bytes.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Copies @n strided elements from each of @n_rows rows to adjacent elements. */
void ghlo_cpu_pack_strided   (guint         size,
                              const guint8 *from,
                              gint64        row_stride,
                              gint64        stride,
                              guint8       *to,
                              gsize         n_rows,
                              gsize         n);
/* Writes @n copies of one element. */
void ghlo_cpu_fill           (guint         size,
                              const guint8 *from,
                              guint8       *to,
                              gsize         n);

G_END_DECLS
