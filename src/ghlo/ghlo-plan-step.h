/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One step of a plan.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include <gio/gio.h>

#include "ghlo-version-macros.h"

G_BEGIN_DECLS

#define GHLO_TYPE_PLAN_STEP (ghlo_plan_step_get_type ())

GHLO_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (GhloPlanStep, ghlo_plan_step, GHLO, PLAN_STEP, GObject)

GHLO_AVAILABLE_IN_1_0
const char  *ghlo_plan_step_get_operation      (GhloPlanStep *self);
GHLO_AVAILABLE_IN_1_0
const char  *ghlo_plan_step_get_unit           (GhloPlanStep *self);
GHLO_AVAILABLE_IN_1_0
const char  *ghlo_plan_step_get_implementation (GhloPlanStep *self);
GHLO_AVAILABLE_IN_1_0
const char  *ghlo_plan_step_get_detail         (GhloPlanStep *self);
GHLO_AVAILABLE_IN_1_0
const char  *ghlo_plan_step_get_place          (GhloPlanStep *self);
GHLO_AVAILABLE_IN_1_0
guint        ghlo_plan_step_get_body           (GhloPlanStep *self);
GHLO_AVAILABLE_IN_1_0
guint64      ghlo_plan_step_get_bytes          (GhloPlanStep *self);
GHLO_AVAILABLE_IN_1_0
double       ghlo_plan_step_get_estimate       (GhloPlanStep *self);
GHLO_AVAILABLE_IN_1_0
double       ghlo_plan_step_get_measurement    (GhloPlanStep *self);
GHLO_AVAILABLE_IN_1_0
guint64      ghlo_plan_step_get_n_runs         (GhloPlanStep *self);
GHLO_AVAILABLE_IN_1_0
GListModel  *ghlo_plan_step_get_steps          (GhloPlanStep *self);
GHLO_AVAILABLE_IN_1_0
char        *ghlo_plan_step_to_string          (GhloPlanStep *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
