/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The last stage of planning: making what the steps of a plan run.
 */

#pragma once

#include "plan/plan.h"
#include "runtime/fallback.h"

G_BEGIN_DECLS

/* Compiles all of @plan's codes, on the caller's thread and the workers that are free, and has
 * @fallback prepare the reference steps. Of several errors that of the first code is told.
 * @monitor's progress is called on the caller's thread. */
gboolean ghlo_compile_plan (GhloStepPlan             *plan,
                            GhloFallback             *fallback,
                            const GhloCustomTargets  *custom_targets,     /* of the reference steps; nullable */
                            const GhloMonitor        *monitor,
                            GError                  **error);

G_END_DECLS
