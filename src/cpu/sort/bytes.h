/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorts rows of one operand of one-byte elements.
 */

#pragma once

#include "base/monitor.h"
#include "kernel/sort-key.h"

G_BEGIN_DECLS

/* Sorts a row of bytes; @to may be @from. FALSE when cancelled, or with nothing written where an element is not ordered
 * or different ones have the same rank; *@unordered or *@ambiguous is TRUE then. */
gboolean ghlo_cpu_sort_bytes (const GhloSortKey *key,
                              const guint8      *from,
                              guint8            *to,
                              gsize              n,
                              const GhloMonitor *monitor,
                              gboolean          *unordered,
                              gboolean          *ambiguous);

G_END_DECLS
