/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps of a plan whose device records them: each stretch of them that follow each other in a body is recorded once,
 * and run as one.
 */

#pragma once

#include "plan/plan.h"

G_BEGIN_DECLS

typedef struct _GhloRunRecordings GhloRunRecordings;

/* Of a plan that is compiled, and lives as long as the result. */
GhloRunRecordings *ghlo_run_recordings_new  (const GhloStepPlan        *plan,
                                             GError                   **error);
void               ghlo_run_recordings_free (GhloRunRecordings         *self);
/* Runs the stretch that begins at step @first of @body, of a device that records, or with @alone that step of it. How
 * many steps that were; 0 with @error. */
guint              ghlo_run_recordings_run  (GhloRunRecordings         *self,
                                             const GhloStepBody        *body,
                                             guint                      first,
                                             gboolean                   alone,
                                             guint8 *const             *addresses,
                                             const GhloMonitor         *monitor,
                                             GError                   **error);

static inline const GhloStepRecorder *
ghlo_run_recorder_of (const GhloStep *step)
{
  return step->kind == GHLO_STEP_COMPUTE && step->target->space != NULL ? step->target->space->recorder : NULL;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRunRecordings, ghlo_run_recordings_free)

G_END_DECLS
