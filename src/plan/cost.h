/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What steps do at least, and how long that takes at the rates that their devices state: a roofline. The operations
 * are those of ir/cost.h, the bytes those of the views that a step has.
 */

#pragma once

#include "ir/cost.h"
#include "plan/plan.h"

G_BEGIN_DECLS

typedef struct
{
  double   operations;    /* products' and others', as in GhloIrCost */
  double   bytes;         /* read and written, in place where that may be; of a TRANSFER those that it moves */
  double   seconds;       /* below 0 where a rate or a number of iterations is not known */
} GhloStepCost;

/* Of one execution: of a LOOP all of its iterations, one where only the condition says how many there are; of a BRANCH
 * the dearest body. */
void ghlo_step_cost      (const GhloStepPlan *plan,
                          const GhloStep     *step,
                          GhloStepCost       *cost);
/* Of a run. */
void ghlo_step_plan_cost (const GhloStepPlan *plan,
                          GhloStepCost       *cost);

G_END_DECLS
