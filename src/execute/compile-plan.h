/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The last stage of planning: compiles the steps of a plan.
 */

#pragma once

#include "execute/fallback.h"
#include "plan/plan.h"

G_BEGIN_DECLS

/* Compiles the steps of @plan, on the caller's thread and on idle workers, and lets @fallback prepare the reference
 * steps. Where several fail, the error of the first one is reported. The progress function of @monitor is called
 * on the caller's thread. */
gboolean ghlo_compile_plan (GhloStepPlan             *plan,
                            GhloFallback             *fallback,
                            const GhloCustomTargets  *custom_targets,     /* for the reference steps; nullable */
                            const GhloMonitor        *monitor,
                            GError                  **error);

G_END_DECLS
