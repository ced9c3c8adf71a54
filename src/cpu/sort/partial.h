/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorting with NaN where a comparator takes it for neither below nor above any number.
 * That is no order, and what comes out depends on which elements are compared: here
 * exactly those that the reference executor compares, so that both answer alike.
 */

#pragma once

#include "cpu/sort/comparator.h"

#include "base/monitor.h"

G_BEGIN_DECLS

/* @ranks holds @n for each of the comparator's keys. @order and @spare have room for @n
 * places, and *@sorted is one of them. FALSE when cancelled. */
gboolean ghlo_cpu_sort_partial (const GhloCpuSortComparator *comparator,
                                const guint64               *ranks,
                                guint32                     *order,
                                guint32                     *spare,
                                gsize                        n,
                                const GhloMonitor           *monitor,
                                guint32                    **sorted);

G_END_DECLS
