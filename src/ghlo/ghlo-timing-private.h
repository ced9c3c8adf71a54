/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Timings as a run makes them. All times are in seconds.
 */

#pragma once

#include "ghlo-timing.h"

G_BEGIN_DECLS

/* All of it 0. */
GhloTiming *ghlo_timing_new (void);
/* Before anybody else has it. */
void        ghlo_timing_set (GhloTiming *self,
                             double      compile,
                             double      upload,
                             double      run,
                             double      reference,
                             double      download);

G_END_DECLS
