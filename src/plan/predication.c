/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the steps that may be recorded under predicates (GhloCommandBufferClass) repeatedly: those of branches that a
 * device selects, and those of data-dependent loops if all steps of an iteration can be recorded. The host runs other
 * loops, and also the loops around such a loop; steps of those are never predicated. Steps that follow a loop may be
 * recorded under a predicate of the loop, but only once in a run, which does not count here.
 */

#include "plan/build.h"

/* Whether the step's target has command buffers that support data-dependent loops. */
static gboolean
is_step_recorded (const GhloStep *step)
{
  const GhloCommandBufferClass *commands = ghlo_step_get_commands (step);

  return commands != NULL && commands->count_iterations != NULL;
}

/* Whether all steps can be recorded. A body that contains another data-dependent loop cannot: only the innermost of
 * these loops are recorded. */
static gboolean
is_recorded (const GhloStepBody *body,
             guint               n_steps)
{
  for (guint i = 0; i < n_steps; i++)
    {
      const GhloStep *step = body->steps[i];
      const GhloStepBody *inner = step->kind == GHLO_STEP_LOOP ? &step->bodies[1] : NULL;

      if (inner != NULL ? step->trips < 0 || !is_recorded (inner, inner->n_steps)
          : step->kind == GHLO_STEP_BRANCH ? step->target == NULL : !is_step_recorded (step))
        return FALSE;
    }

  return TRUE;
}

/* Whether bodies of @step may be under predicates of its own. The last step of a condition, which transfers its
 * predicate to the host, is not counted. */
static gboolean
has_predicates (const GhloStep *step)
{
  if (step->kind == GHLO_STEP_BRANCH)
    return step->target != NULL;

  return step->kind == GHLO_STEP_LOOP && ghlo_step_get_predicate (step).buffer != GHLO_STEP_NONE
         && is_recorded (&step->bodies[0], step->bodies[0].n_steps - 1)
         && is_recorded (&step->bodies[1], step->bodies[1].n_steps);
}

static gboolean
mark_predicated (const GhloStepBody *body,
                 GhloStepPoll       *poll,
                 gboolean            is_predicated)
{
  for (guint i = 0; i < body->n_steps; i++)
    {
      GhloStep *step = body->steps[i];
      const gboolean is_inner_predicated = is_predicated || has_predicates (step);

      if (!ghlo_step_poll (poll))
        return FALSE;
      step->may_be_predicated = is_predicated && step->kind == GHLO_STEP_COMPUTE;
      for (guint k = 0; k < step->n_bodies; k++)
        if (!mark_predicated (&step->bodies[k], poll, is_inner_predicated))
          return FALSE;
    }

  return TRUE;
}

gboolean
ghlo_step_plan_find_predicated (GhloStepPlan *plan,
                                GhloStepPoll *poll)
{
  return mark_predicated (&plan->body, poll, FALSE);
}
