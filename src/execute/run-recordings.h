/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recordings of a plan's steps, for devices that support them. Each segment of consecutive steps in a body is
 * recorded once, including its counted loops and branches, and replayed as a whole. Data-dependent loops are
 * recorded too where the device can run them by itself.
 */

#pragma once

#include "plan/plan.h"

G_BEGIN_DECLS

typedef struct _GhloRunRecordings GhloRunRecordings;

/* The addresses of a run after those of the plan's buffers; they belong to a data-dependent loop. */
enum { GHLO_RUN_LOOP_STATE, GHLO_RUN_LOOP_REPORT, GHLO_RUN_LOOP_PREDICATES, GHLO_RUN_N_LOOP_BUFFERS };

/* @plan is compiled, and must outlive the result. */
GhloRunRecordings *ghlo_run_recordings_new  (const GhloStepPlan        *plan,
                                             GError                   **error);
void               ghlo_run_recordings_free (GhloRunRecordings         *self);
/* Returns the bytes of device memory that a run needs besides the plan's buffers. Data-dependent loops that are
 * recorded at run time are not included. */
gsize              ghlo_run_recordings_get_size (const GhloRunRecordings *self);
/* Returns whether a segment begins with @step; with @alone, whether the step can be recorded by itself. */
gboolean           ghlo_run_recordings_begin_with (const GhloRunRecordings *self,
                                             const GhloStep            *step,
                                             gboolean                   alone);
/* Runs the segment that begins with step @first of @body, and possibly steps after it; with @alone, only that step.
 * Then swaps the @addresses that its loops swap. Returns the number of steps that were run; 0 with @error. */
guint              ghlo_run_recordings_run  (GhloRunRecordings         *self,
                                             const GhloStepBody        *body,
                                             guint                      first,
                                             gboolean                   alone,
                                             guint8                   **addresses,
                                             const GhloMonitor         *monitor,
                                             GError                   **error);

/* Makes the swaps at the end of an iteration of @loop. */
void               ghlo_run_swap            (const GhloStep            *loop,
                                             guint8                   **addresses);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRunRecordings, ghlo_run_recordings_free)

G_END_DECLS
