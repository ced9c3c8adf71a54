/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ranks of many elements at once.
 */

#pragma once

#include "kernel/sort-key.h"

G_BEGIN_DECLS

enum { GHLO_CPU_SORT_CHUNK = 256 };

/* The ranks of @n elements, at most GHLO_CPU_SORT_CHUNK, which are @stride bytes apart, or of
 * those at @positions (nullable) times @stride. Where @below is set, the ranks that are there
 * already become the upper bits. TRUE when an element is not ordered. */
gboolean ghlo_cpu_sort_key_rank   (const GhloSortKey *self,
                                   const guint8      *from,
                                   gint64             stride,
                                   const guint32     *positions,
                                   gsize              n,
                                   gboolean           below,
                                   guint64           *ranks);

/* The bits of a part of 2 bytes or more with this rank; where several have it, those of +0 or
 * nan_bits. */
guint64  ghlo_cpu_sort_key_unrank (const GhloSortKey *self,
                                   guint64            rank);

G_END_DECLS
