/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Computes the ranks of many elements at once.
 */

#pragma once

#include "cpu/isa/routines.h"
#include "kernel/sort-key.h"

G_BEGIN_DECLS

enum { GHLO_CPU_SORT_CHUNK = 256 };

/* How the elements of a key become ranks. */
GhloCpuRank ghlo_cpu_sort_key_rank   (const GhloSortKey *self);

/* Computes the ranks of @n elements, as numbers of 32 bits or, with @wide, of 64. Elements are @stride bytes apart, or
 * at @positions (nullable) times @stride. With @append, ranks are put below the previous contents of @ranks. Returns
 * what was found, of GHLO_CPU_RANK_ZEROS and GHLO_CPU_RANK_NANS; the latter also for bytes that are not ordered. */
guint       ghlo_cpu_sort_key_append (const GhloSortKey *self,
                                      const GhloCpuRank *rank,
                                      const guint8      *from,
                                      gint64             stride,
                                      const guint32     *positions,
                                      gsize              n,
                                      gboolean           append,
                                      gboolean           wide,
                                      gpointer           ranks);

G_END_DECLS
