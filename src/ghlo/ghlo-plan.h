/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a device runs a program.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include <glib-object.h>

#include "ghlo-version-macros.h"

G_BEGIN_DECLS

#define GHLO_TYPE_PLAN (ghlo_plan_get_type ())

typedef struct _GhloPlan GhloPlan;

GHLO_AVAILABLE_IN_1_0
GType     ghlo_plan_get_type              (void) G_GNUC_CONST;
GHLO_AVAILABLE_IN_1_0
GhloPlan *ghlo_plan_ref                   (GhloPlan       *self);
GHLO_AVAILABLE_IN_1_0
void      ghlo_plan_unref                 (GhloPlan       *self);
GHLO_AVAILABLE_IN_1_0
guint     ghlo_plan_get_n_steps           (const GhloPlan *self);
GHLO_AVAILABLE_IN_1_0
guint     ghlo_plan_get_n_reference_steps (const GhloPlan *self);
GHLO_AVAILABLE_IN_1_0
gsize     ghlo_plan_get_memory            (const GhloPlan *self);
GHLO_AVAILABLE_IN_1_0
gsize     ghlo_plan_get_prepared_memory   (const GhloPlan *self);
GHLO_AVAILABLE_IN_1_0
char     *ghlo_plan_to_string             (const GhloPlan *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPlan, ghlo_plan_unref)

G_END_DECLS
