/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compiled plans and their runs.
 */

#pragma once

#include "execute/program.h"
#include "plan/plan.h"

G_BEGIN_DECLS

typedef struct _GhloRunPlan GhloRunPlan;

/* Plans @function of @module for the target of @device and those of @options, and compiles the plan. The memory of the
 * plan is counted in that of the process. Fails like ghlo_step_plan_new (), and with UNSUPPORTED where the plan needs a
 * fallback and there is none. */
GhloRunPlan        *ghlo_run_plan_new      (GhloDeviceCore           *device,
                                            const GhloIrModule       *module,
                                            const GhloIrOp           *function,
                                            const GhloPrepareOptions *options,
                                            const GhloMonitor        *monitor,
                                            GError                  **error);
void                ghlo_run_plan_free     (GhloRunPlan          *self);
const GhloStepPlan *ghlo_run_plan_get_plan (const GhloRunPlan    *self);
/* These correspond to the functions of GhloDeviceCoreClass. */
void                ghlo_run_plan_measure  (const GhloRunPlan    *self,
                                            GhloRunFigures       *figures);
gboolean            ghlo_run_plan_run      (GhloRunPlan          *self,
                                            const GhloRunOptions *options,
                                            GhloValue *const     *inputs,
                                            GhloValue           **outputs,
                                            const GhloMonitor    *monitor,
                                            GError              **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRunPlan, ghlo_run_plan_free)

G_END_DECLS
