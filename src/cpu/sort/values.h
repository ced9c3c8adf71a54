/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Converts elements to the numbers that they are sorted by, and back, for rows of one operand whose only key is the
 * whole element. Ranks do not hold the signs of equal zeros and the bits of equal NaN; these are stored separately,
 * in order.
 */

#pragma once

#include "kernel/sort-comparator.h"

G_BEGIN_DECLS

/* The signs of zeros, and the NaN, of one part of a row. */
typedef struct
{
  guint8  *signs;           /* of zeros; borrowed, with room for all elements of the part */
  guint8  *nans;            /* not among the numbers; borrowed, with room for all elements of the part */
  gsize    n_numbers, n_zeros, n_nans;
  gboolean negative;        /* some zero is -0 */
  gboolean unordered;       /* some element is not ordered */
} GhloCpuSortValues;

/* Loads the numbers for elements [@begin, @end) of a row of @n elements of 2 bytes or more. They have 64 bits where
 * the key has more than 32, else 32. FALSE when cancelled. */
gboolean ghlo_cpu_sort_values_load     (GhloCpuSortValues        *self,
                                        const GhloSortComparator *comparator,
                                        const guint8             *from,
                                        gsize                     n,
                                        gsize                     begin,
                                        gsize                     end,
                                        gpointer                  numbers,
                                        const GhloMonitor        *monitor);
/* Writes the elements for numbers [@begin, @end). @parts are those of the whole row. */
void     ghlo_cpu_sort_values_store    (const GhloCpuSortValues *parts,
                                        guint                    n_parts,
                                        const GhloSortKey       *key,
                                        gconstpointer            numbers,
                                        gsize                    begin,
                                        gsize                    end,
                                        guint8                  *to);
/* Writes the zeros and NaN of all @parts, after the elements of all @n numbers were stored. */
void     ghlo_cpu_sort_values_store_kept (const GhloCpuSortValues   *parts,
                                        guint                        n_parts,
                                        const GhloSortKey        *key,
                                        gconstpointer                numbers,
                                        gsize                        n,
                                        guint8                      *to);

/* Sorts a row of one-byte elements. @copy has room for @n of them, and is used where @to is @from. FALSE when
 * cancelled, or where an element is not ordered; *@unordered is TRUE then. */
gboolean ghlo_cpu_sort_bytes           (const GhloSortComparator *comparator,
                                        const guint8             *from,
                                        guint8                   *to,
                                        gsize                     n,
                                        guint8                   *copy,
                                        const GhloMonitor        *monitor,
                                        gboolean                 *unordered);

G_END_DECLS
