/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorting of short lines, several at once.
 */

#pragma once

#include "cpu/sort/row.h"

G_BEGIN_DECLS

/* Whether lines are sorted so, where there are enough of them. */
gboolean ghlo_cpu_sort_columns_takes (const GhloCpuSortLine *line);
/* As ghlo_cpu_sort_line_run() for up to GHLO_CPU_SORT_COLUMNS lines, each @from_steps and
 * @to_steps bytes after the one before. FALSE, and nothing is written, when an element is
 * not ordered. */
gboolean ghlo_cpu_sort_columns_run   (const GhloCpuSortLine *line,
                                      guint                  n_lines,
                                      const guint8 *const   *from,
                                      const gint64          *from_steps,
                                      guint8 *const         *to,
                                      const gint64          *to_steps);

G_END_DECLS
