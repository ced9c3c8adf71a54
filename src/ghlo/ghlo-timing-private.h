/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Timings as a run makes them. All times are in seconds.
 */

#pragma once

#include "ghlo-timing.h"

G_BEGIN_DECLS

GhloTiming *ghlo_timing_new (double compile,
                             double upload,
                             double run,
                             double reference,
                             double download);

G_END_DECLS
