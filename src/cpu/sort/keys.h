/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Computes the ranks of many elements at once.
 */

#pragma once

#include "kernel/sort-key.h"

G_BEGIN_DECLS

enum { GHLO_CPU_SORT_CHUNK = 256 };

/* Computes the ranks of @n elements, at most GHLO_CPU_SORT_CHUNK. They are @stride bytes apart, or at @positions
 * (nullable) times @stride. With @below, the previous contents of @ranks become the upper bits. Returns TRUE where an
 * element is not ordered. */
gboolean ghlo_cpu_sort_key_rank   (const GhloSortKey *self,
                                   const guint8      *from,
                                   gint64             stride,
                                   const guint32     *positions,
                                   gsize              n,
                                   gboolean           below,
                                   guint64           *ranks);

/* Returns the bits of a part of 2 bytes or more that has this rank. Where several have it, they are those of +0 or
 * nan_bits. */
guint64  ghlo_cpu_sort_key_unrank (const GhloSortKey *self,
                                   guint64            rank);

G_END_DECLS
