/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a device runs a program.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include <gio/gio.h>

#include "ghlo-version-macros.h"

G_BEGIN_DECLS

#define GHLO_TYPE_PLAN (ghlo_plan_get_type ())

GHLO_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (GhloPlan, ghlo_plan, GHLO, PLAN, GObject)

GHLO_AVAILABLE_IN_1_0
guint     ghlo_plan_get_n_steps           (GhloPlan *self);
GHLO_AVAILABLE_IN_1_0
guint     ghlo_plan_get_n_reference_steps (GhloPlan *self);
GHLO_AVAILABLE_IN_1_0
guint64   ghlo_plan_get_memory            (GhloPlan *self);
GHLO_AVAILABLE_IN_1_0
guint64   ghlo_plan_get_prepared_memory   (GhloPlan *self);
GHLO_AVAILABLE_IN_1_0
gboolean  ghlo_plan_is_profiled           (GhloPlan *self);
GHLO_AVAILABLE_IN_1_0
const char *ghlo_plan_get_reason          (GhloPlan *self);
GHLO_AVAILABLE_IN_1_0
char     *ghlo_plan_to_string             (GhloPlan *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
