/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an implementation read to be selected, its selection state, is cached until the step is compiled: lowering a
 * group takes most of the time of planning, and would otherwise be done twice. In large plans, only the states of the
 * first steps are cached, which bounds the memory.
 */

#include "plan/build.h"

enum { MAX_SELECTION_STATES = 256 };

static void
release (GhloStep *step)
{
  ghlo_step_free (step->implementation, g_steal_pointer (&step->selection_state));
}

void
ghlo_step_set_selection_state (GhloStepPlan *plan,
                               GhloStep     *step,
                               gpointer      selection_state)
{
  release (step);
  step->selection_state = selection_state;
  if (selection_state == NULL)
    return;
  if (plan->steps_with_state == NULL)
    plan->steps_with_state = g_ptr_array_new ();
  if (plan->steps_with_state->len < MAX_SELECTION_STATES)
    g_ptr_array_add (plan->steps_with_state, step);
  else
    release (step);
}

void
ghlo_step_plan_drop_selection_states (GhloStepPlan *plan)
{
  for (guint i = 0; plan->steps_with_state != NULL && i < plan->steps_with_state->len; i++)
    {
      GhloStep *step = g_ptr_array_index (plan->steps_with_state, i);

      if (step->compiled_step == NULL || step->compiled_step->step != step)
        release (step);
    }
}

void
ghlo_step_plan_clear_selection_states (GhloStepPlan *plan)
{
  for (guint i = 0; plan->steps_with_state != NULL && i < plan->steps_with_state->len; i++)
    release (g_ptr_array_index (plan->steps_with_state, i));
  g_clear_pointer (&plan->steps_with_state, g_ptr_array_unref);
}
