/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorts several short rows at once.
 */

#pragma once

#include "cpu/sort/row.h"

G_BEGIN_DECLS

/* Whether rows like @row can be sorted as columns. */
gboolean ghlo_cpu_sort_columns_takes (const GhloCpuSortRow *row);
/* As ghlo_cpu_sort_row_run(), for up to GHLO_CPU_SORT_COLUMNS rows, each @from_steps and @to_steps bytes behind the
 * previous one. FALSE, with nothing written, where an element is not ordered. */
gboolean ghlo_cpu_sort_columns_run   (const GhloCpuSortRow *row,
                                      guint                 n_columns,
                                      const guint8 *const  *from,
                                      const gint64         *from_steps,
                                      guint8 *const        *to,
                                      const gint64         *to_steps);

G_END_DECLS
