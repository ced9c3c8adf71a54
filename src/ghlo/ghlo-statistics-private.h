/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The constructor of statistics, from counters.
 */

#pragma once

#include "compiler/counters.h"
#include "ghlo-statistics.h"

G_BEGIN_DECLS

/* Where @counters is NULL, everything except the memory is zero. */
GhloStatistics *ghlo_statistics_new (GhloCounters *counters);

G_END_DECLS
