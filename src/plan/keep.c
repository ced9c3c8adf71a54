/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What implementations read to be selected is kept until their steps are compiled: lowering a group takes most of the
 * time of planning, and would otherwise be done twice. In large plans, only the first steps keep it, which bounds the
 * memory.
 */

#include "plan/build.h"

enum { MAX_SELECTION_STATES = 256 };

static void
release (GhloStep *step)
{
  ghlo_step_free (step->implementation, g_steal_pointer (&step->selection_state));
}

void
ghlo_step_keep (GhloStepPlan *plan,
                GhloStep     *step,
                gpointer      selection_state)
{
  release (step);
  step->selection_state = selection_state;
  if (selection_state == NULL)
    return;
  if (plan->kept_steps == NULL)
    plan->kept_steps = g_ptr_array_new ();
  if (plan->kept_steps->len < MAX_SELECTION_STATES)
    g_ptr_array_add (plan->kept_steps, step);
  else
    release (step);
}

void
ghlo_step_plan_drop_kept (GhloStepPlan *plan)
{
  for (guint i = 0; plan->kept_steps != NULL && i < plan->kept_steps->len; i++)
    {
      GhloStep *step = g_ptr_array_index (plan->kept_steps, i);

      if (step->code == NULL || step->code->step != step)
        release (step);
    }
}

void
ghlo_step_plan_clear_kept (GhloStepPlan *plan)
{
  for (guint i = 0; plan->kept_steps != NULL && i < plan->kept_steps->len; i++)
    release (g_ptr_array_index (plan->kept_steps, i));
  g_clear_pointer (&plan->kept_steps, g_ptr_array_unref);
}
