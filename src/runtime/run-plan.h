/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Running plans on host memory.
 */

#pragma once

#include "plan/plan.h"
#include "runtime/executor.h"

G_BEGIN_DECLS

typedef struct _GhloRunPlan GhloRunPlan;

/* Takes @plan over, also when it fails. @fallback runs the steps that the plan has no
 * kernel for, and is prepared for each of them here. */
GhloRunPlan        *ghlo_run_plan_new      (GhloStepPlan       *plan,
                                            const GhloExecutor *fallback,
                                            const GhloMonitor  *monitor,
                                            GError            **error);
void                ghlo_run_plan_free     (GhloRunPlan          *self);
const GhloStepPlan *ghlo_run_plan_get_plan (const GhloRunPlan    *self);
/* As the functions of GhloExecutor. */
void                ghlo_run_plan_measure  (const GhloRunPlan    *self,
                                            GhloRunFigures       *figures);
gboolean            ghlo_run_plan_run      (GhloRunPlan          *self,
                                            const GhloRunOptions *options,
                                            GhloValue *const     *inputs,
                                            gsize                 n_inputs,
                                            GhloValue           **outputs,
                                            const GhloMonitor    *monitor,
                                            GError              **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRunPlan, ghlo_run_plan_free)

G_END_DECLS
