/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements as the numbers that they are sorted by, and back, for lines of one operand
 * whose elements are their key. What a rank does not tell, the signs of zeros that are
 * equal and the bits of NaN that are, is kept aside in order.
 */

#pragma once

#include "cpu/sort/comparator.h"

G_BEGIN_DECLS

/* What was kept aside of a part of a line. */
typedef struct
{
  guint8   *signs;          /* of zeros; borrowed, with room for the part's elements, as is: */
  guint8   *nans;           /* elements, which are left out of the numbers */
  gsize     n_zeros, n_nans;
  gboolean  negative;       /* a zero is */
  gboolean  unordered;      /* an element is */
} GhloCpuSortValues;

/* The numbers of what stands at the places [begin, end) of a line of @n elements of 2
 * bytes or more: of 32 bits, or 64 where the key has more. How many they are. */
gsize    ghlo_cpu_sort_values_load     (GhloCpuSortValues           *self,
                                        const GhloCpuSortComparator *comparator,
                                        const guint8                *from,
                                        gsize                        n,
                                        gsize                        begin,
                                        gsize                        end,
                                        gpointer                     numbers);
/* Writes the line's elements that numbers [begin, end) stand for. @parts are all of it. */
void     ghlo_cpu_sort_values_store    (const GhloCpuSortValues     *parts,
                                        guint                        n_parts,
                                        const GhloCpuSortKey        *key,
                                        gconstpointer                numbers,
                                        gsize                        begin,
                                        gsize                        end,
                                        guint8                      *to);
/* And then those that were kept aside; @n numbers are there. */
void     ghlo_cpu_sort_values_store_kept (const GhloCpuSortValues   *parts,
                                        guint                        n_parts,
                                        const GhloCpuSortKey        *key,
                                        gconstpointer                numbers,
                                        gsize                        n,
                                        guint8                      *to);

/* A line of elements of one byte, all of it; @copy is as large, for where @to is @from.
 * FALSE when one of them is not ordered. */
gboolean ghlo_cpu_sort_bytes           (const GhloCpuSortComparator *comparator,
                                        const guint8                *from,
                                        guint8                      *to,
                                        gsize                        n,
                                        guint8                      *copy);

G_END_DECLS
