/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps of a plan whose device records them: each stretch of them that follow each other in a body is recorded once,
 * with the counted loops and branches among them, and run as one; so are loops that data ends, where the device goes
 * through them.
 */

#pragma once

#include "plan/plan.h"

G_BEGIN_DECLS

typedef struct _GhloRunRecordings GhloRunRecordings;

/* Addresses of a run behind those of the plan's buffers, of a loop that data ends. */
enum { GHLO_RUN_LOOP_STATE, GHLO_RUN_LOOP_REPORT, GHLO_RUN_LOOP_GATES, GHLO_RUN_N_LOOP_BUFFERS };

/* Of a plan that is compiled, and lives as long as the result. */
GhloRunRecordings *ghlo_run_recordings_new  (const GhloStepPlan        *plan,
                                             GError                   **error);
void               ghlo_run_recordings_free (GhloRunRecordings         *self);
/* Bytes of devices' memory that a run takes besides the plan's buffers; of loops that data ends what is recorded when
 * they run is not among them. */
gsize              ghlo_run_recordings_get_size (const GhloRunRecordings *self);
/* Whether a stretch begins with @step, or with @alone, whether it is recorded by itself. */
gboolean           ghlo_run_recordings_begin_with (const GhloRunRecordings *self,
                                             const GhloStep            *step,
                                             gboolean                   alone);
/* Runs the stretch that begins with step @first of @body, and perhaps some behind it, or with @alone that step of it,
 * and exchanges the @addresses of what changes places in its loops. How many steps that were; 0 with @error. */
guint              ghlo_run_recordings_run  (GhloRunRecordings         *self,
                                             const GhloStepBody        *body,
                                             guint                      first,
                                             gboolean                   alone,
                                             guint8                   **addresses,
                                             const GhloMonitor         *monitor,
                                             GError                   **error);

/* The exchanges behind an iteration of @loop. */
void               ghlo_run_exchange        (const GhloStep            *loop,
                                             guint8                   **addresses);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRunRecordings, ghlo_run_recordings_free)

G_END_DECLS
