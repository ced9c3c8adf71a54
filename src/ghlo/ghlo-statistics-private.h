/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Statistics out of counters.
 */

#pragma once

#include "compiler/counters.h"
#include "ghlo-statistics.h"

G_BEGIN_DECLS

/* All zero where @counters is NULL, but for the memory. */
GhloStatistics *ghlo_statistics_new (GhloCounters *counters);

G_END_DECLS
