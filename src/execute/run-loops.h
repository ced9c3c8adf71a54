/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Data-dependent loops on a device that runs them by itself. The host only learns from time to time whether the
 * loop continues.
 */

#pragma once

#include "execute/run-segments.h"

G_BEGIN_DECLS

/* Returns the loop, which must not outlive @recordings. Returns NULL without an error where the host has to run @loop
 * itself. */
GhloRunLoop *ghlo_run_loop_new              (GhloRunRecordings  *recordings,
                                             const GhloStep     *loop,
                                             GError            **error);
void         ghlo_run_loop_free             (GhloRunLoop        *self);
/* Lets every run of the loop begin with the @n_steps before it. @recording is the loop's target's recording of these
 * steps. All arguments are borrowed. Returns FALSE where the loop leaves the steps to others. */
gboolean     ghlo_run_loop_set_steps_before (GhloRunLoop        *self,
                                             GhloStep *const    *steps,
                                             guint               n_steps,
                                             GhloCommandBuffer  *recording);
/* Offers the loop the @n_steps after it, which are one recording; borrowed. */
void         ghlo_run_loop_set_steps_after  (GhloRunLoop        *self,
                                             GhloStep *const    *steps,
                                             guint               n_steps);
/* Runs the loop and makes its swaps. Returns when it has ended, though the device may still be running iterations
 * without any effect. The addresses after those of the plan's buffers belong to the loop meanwhile. Returns the number
 * of steps that were run: those before the loop, the loop, and perhaps those after it; 0 with @error. */
guint        ghlo_run_loop_run              (GhloRunLoop        *self,
                                             guint8            **addresses,
                                             const GhloMonitor  *monitor,
                                             GError            **error);

G_END_DECLS
