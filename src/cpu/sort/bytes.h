/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorts rows of one operand of one-byte elements.
 */

#pragma once

#include "base/monitor.h"
#include "kernel/sort-comparator.h"

G_BEGIN_DECLS

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
