/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorts several short rows at once.
 */

#pragma once

#include "cpu/sort/blocks.h"
#include "cpu/sort/row.h"

G_BEGIN_DECLS

/* Whether rows like @row, of a block of @n_lanes, are sorted faster as columns. */
gboolean ghlo_cpu_sort_columns_takes   (const GhloCpuSortRow  *row,
                                        gsize                  n_lanes);
/* The most rows of a block, where there are @n_rows that threads may share. */
gsize    ghlo_cpu_sort_columns_most    (const GhloCpuSortRow  *row,
                                        gsize                  n_rows);
/* The size of the scratch for @n_rows of them, which is aligned to 64 bytes. */
gsize    ghlo_cpu_sort_columns_scratch (const GhloCpuSortRow  *row,
                                        gsize                  n_rows);
/* Sorts @n_rows rows of each operand, and writes the @k first elements of each. If @positions is not NULL, also their
 * positions are written there. @to may be @from. FALSE, with nothing written, where an element is not ordered. */
gboolean ghlo_cpu_sort_columns_run     (const GhloCpuSortRow  *row,
                                        gsize                  n_rows,
                                        gsize                  k,
                                        const GhloCpuSortRows *from,
                                        const GhloCpuSortRows *to,
                                        const GhloCpuSortRows *positions,
                                        gpointer               scratch);

G_END_DECLS
