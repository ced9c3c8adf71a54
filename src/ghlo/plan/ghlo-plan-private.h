/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plans as executables and results make them, and what plans and their steps share.
 */

#pragma once

#include "compiler/executable-core.h"
#include "ghlo-plan.h"
#include "plan/plan.h"

G_BEGIN_DECLS

/* What a plan and all of its steps tell of. Immutable, counted atomically. */
typedef struct
{
  GhloExecutableCore *core;
  const GhloStepPlan *plan;        /* the core's; NULL where the reference executor runs all of the program */
  GhloRunProfile     *profile;     /* owned; NULL where nothing was measured */
} GhloPlanSource;

GhloPlanSource *ghlo_plan_source_ref     (GhloPlanSource      *self);
void            ghlo_plan_source_unref   (GhloPlanSource      *self);

/* Of what @core prepared, to which it keeps a reference. Takes @profile (nullable), of a run of it, over. NULL when the
 * device has no plans. */
GhloPlan       *ghlo_plan_new            (GhloExecutableCore  *core,
                                          GhloRunProfile      *profile);
/* Takes an array of GhloPlanStep over. */
GListModel     *ghlo_step_list_new       (GPtrArray           *steps);
/* A list of GhloPlanStep: the steps of the function, or else those of @step's bodies. */
GListModel     *ghlo_plan_steps_new      (GhloPlanSource      *source,
                                          const GhloStep      *step);

G_END_DECLS
