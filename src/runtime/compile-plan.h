/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The last stage of planning: making what the steps of a plan run.
 */

#pragma once

#include "plan/plan.h"

G_BEGIN_DECLS

/* Compiles all of @plan's codes, on the caller's thread and the workers that are free. Of several
 * errors that of the first step is told. @monitor's progress is called on the caller's thread. */
gboolean ghlo_compile_plan (GhloStepPlan       *plan,
                            const GhloMonitor  *monitor,
                            GError            **error);

G_END_DECLS
