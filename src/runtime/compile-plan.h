/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The last stage of planning: what the steps of a plan run is made.
 */

#pragma once

#include "plan/plan.h"

G_BEGIN_DECLS

gboolean ghlo_compile_plan (GhloStepPlan       *plan,
                            const GhloMonitor  *monitor,
                            GError            **error);

G_END_DECLS
