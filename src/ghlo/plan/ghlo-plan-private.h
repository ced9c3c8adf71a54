/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The constructors of plans, for executables and results, and the state that a plan
 * and its steps share.
 */

#pragma once

#include "compiler/executable-core.h"
#include "ghlo-plan.h"
#include "plan/plan.h"

G_BEGIN_DECLS

/* The data behind a plan and all of its steps. Immutable, with an atomic reference count. */
typedef struct
{
  GhloExecutableCore *core;
  const GhloStepPlan *plan;        /* belongs to the core; NULL when the reference executor runs the whole program */
  GhloRunProfile     *profile;     /* owned; NULL when nothing was measured */
} GhloPlanSource;

GhloPlanSource *ghlo_plan_source_ref     (GhloPlanSource      *self);
void            ghlo_plan_source_unref   (GhloPlanSource      *self);

/* The plan of the program that @core prepared; keeps a reference to @core. Takes ownership of @profile
 * (nullable), which belongs to one run. NULL when the device has no plans. */
GhloPlan       *ghlo_plan_new            (GhloExecutableCore  *core,
                                          GhloRunProfile      *profile);
/* Takes ownership of an array of GhloPlanStep. */
GListModel     *ghlo_step_list_new       (GPtrArray           *steps);
/* A list of GhloPlanStep: the steps of the bodies of @step or, when it is NULL, those of the function. */
GListModel     *ghlo_plan_steps_new      (GhloPlanSource      *source,
                                          const GhloStep      *step);

G_END_DECLS
