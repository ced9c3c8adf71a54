/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The internal interface of timings, for runs. All times are in seconds.
 */

#pragma once

#include "ghlo-timing.h"

G_BEGIN_DECLS

/* Creates a timing of zeros. */
GhloTiming *ghlo_timing_new (void);
/* Called before anybody else has access to the timing. */
void        ghlo_timing_set (GhloTiming *self,
                             double      compile,
                             double      upload,
                             double      run,
                             double      reference,
                             double      download);

G_END_DECLS
