/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The least work of steps, and the time that it takes at the rates that their devices state: a roofline model.
 * Operations are counted as in ir/cost.h, bytes from the views of the step.
 */

#pragma once

#include "ir/cost.h"
#include "plan/plan.h"

G_BEGIN_DECLS

typedef struct
{
  double   operations;    /* in products and others, as in GhloIrCost */
  double   bytes;         /* read and written, counting in-place updates as such; for a TRANSFER, those transferred */
  double   seconds;       /* negative where a rate or a number of iterations is not known */
} GhloStepCost;

/* The cost of one execution. A LOOP counts all of its iterations, or one where only the condition determines their
 * number; a BRANCH counts its most expensive body. */
void ghlo_step_cost      (const GhloStepPlan *plan,
                          const GhloStep     *step,
                          GhloStepCost       *cost);
/* The cost of one run. */
void ghlo_step_plan_cost (const GhloStepPlan *plan,
                          GhloStepCost       *cost);

G_END_DECLS
