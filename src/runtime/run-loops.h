/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops that data ends, on a device that goes through them by itself: the host hears now and then whether they go on.
 */

#pragma once

#include "runtime/run-recordings-private.h"

G_BEGIN_DECLS

/* Lives as long as @recordings. NULL with @error, and without where the host has to go through @loop. */
GhloRunLoop *ghlo_run_loop_new  (GhloRunRecordings  *recordings,
                                 const GhloStep     *loop,
                                 GError            **error);
void         ghlo_run_loop_free (GhloRunLoop        *self);
/* The @n_steps ahead of it, which are @recording, of its target, and that each run of it begins with from now on. All
 * are borrowed. FALSE where it leaves them to others. */
gboolean     ghlo_run_loop_follow (GhloRunLoop      *self,
                                 GhloStep *const    *steps,
                                 guint               n_steps,
                                 gpointer            recording);
/* The @n_steps behind it, which are one recording and borrowed. */
void         ghlo_run_loop_precede (GhloRunLoop     *self,
                                 GhloStep *const    *steps,
                                 guint               n_steps);
/* Returns when the loop has ended but for what the device does without any effect, with the loop's exchanges made. The
 * addresses behind those of the plan's buffers are its own meanwhile. How many steps that were: those ahead of the
 * loop, the loop, and perhaps those behind it; 0 with @error. */
guint        ghlo_run_loop_run  (GhloRunLoop        *self,
                                 guint8            **addresses,
                                 const GhloMonitor  *monitor,
                                 GError            **error);

G_END_DECLS
