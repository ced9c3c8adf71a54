/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Turns elements into the numbers that they are sorted by, and back, for rows of one operand
 * whose single key is the whole element. A rank does not hold the signs of equal zeros and
 * the bits of equal NaN; these are stored separately, in order.
 */

#pragma once

#include "kernel/sort-comparator.h"

G_BEGIN_DECLS

/* The zeros' signs and the NaN of a part of a row. */
typedef struct
{
  guint8  *signs;           /* of zeros; borrowed, with room for all of the part's elements */
  guint8  *nans;            /* left out of the numbers; borrowed, with room for all of the part's elements */
  gsize    n_numbers, n_zeros, n_nans;
  gboolean negative;        /* one of the zeros is -0 */
  gboolean unordered;       /* an element is not ordered */
} GhloCpuSortValues;

/* The numbers for elements [begin, end) of a row of @n elements of 2 bytes or more: of 64 bits
 * where the key has more than 32, else of 32. FALSE when cancelled. */
gboolean ghlo_cpu_sort_values_load     (GhloCpuSortValues        *self,
                                        const GhloSortComparator *comparator,
                                        const guint8             *from,
                                        gsize                     n,
                                        gsize                     begin,
                                        gsize                     end,
                                        gpointer                  numbers,
                                        const GhloMonitor        *monitor);
/* Writes the elements that numbers [begin, end) stand for. @parts are those of the whole row. */
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

/* Sorts a row of elements of one byte; @copy has room for @n of them, and is used where @to is
 * @from. FALSE when cancelled, or when one of them is not ordered: *@unordered then. */
gboolean ghlo_cpu_sort_bytes           (const GhloSortComparator *comparator,
                                        const guint8             *from,
                                        guint8                   *to,
                                        gsize                     n,
                                        guint8                   *copy,
                                        const GhloMonitor        *monitor,
                                        gboolean                 *unordered);

G_END_DECLS
