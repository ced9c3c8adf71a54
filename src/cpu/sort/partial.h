/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorting with NaN where the comparator is FALSE for NaN and any number. That is not an order, so the result depends
 * on which elements are compared. This sort makes exactly the comparisons of the reference executor, so that both
 * give the same result.
 */

#pragma once

#include "base/monitor.h"
#include "kernel/sort-comparator.h"

G_BEGIN_DECLS

/* @ranks holds @n ranks for each of the comparator's keys. @order and @spare have room for @n positions; *@sorted
 * becomes one of the two. FALSE when cancelled. */
gboolean ghlo_cpu_sort_partial (const GhloSortComparator *comparator,
                                const guint64            *ranks,
                                guint32                  *order,
                                guint32                  *spare,
                                gsize                     n,
                                const GhloMonitor        *monitor,
                                guint32                 **sorted);

G_END_DECLS
