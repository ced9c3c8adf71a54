/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Determines which steps of a plan are recorded, and how long the recordings are.
 */

#include "execute/run-segments.h"

#include "plan/cost.h"

GhloRunLength
ghlo_run_measure_iteration (const GhloStepPlan  *plan,
                            const GhloStep      *step,
                            GhloDeviceCore     **target)
{
  GhloRunLength length = { 0 };

  if (step->kind != GHLO_STEP_LOOP || step->trips < 0)
    return length;
  for (guint i = 0; i < step->bodies[1].n_steps; i++)
    if (!ghlo_run_is_recorded (plan, step->bodies[1].steps[i], target, &length))
      return (GhloRunLength) { 0 };
  length.n_steps = MAX (length.n_steps, 1);

  return length;
}

/* Returns whether no step after @end sees the buffers that loops in @body leave swapped after running @n times. In a
 * branch the swaps are made even if the branch is not taken. */
static gboolean
leaves_places (const GhloStepPlan *plan,
               const GhloStepBody *body,
               gint64              n,
               guint32             end)
{
  for (guint i = 0; n % 2 != 0 && i < body->n_steps; i++)
    {
      const GhloStep *step = body->steps[i];
      const gint64 trips = step->kind == GHLO_STEP_LOOP ? step->trips : 1;

      for (guint k = 0; trips % 2 != 0 && k < step->n_swaps; k++)
        if (plan->buffers[step->swaps[k].read].last > end || plan->buffers[step->swaps[k].written].last > end)
          return FALSE;
      for (guint k = 0; k < step->n_bodies; k++)
        if (!leaves_places (plan, &step->bodies[k], trips, end))
          return FALSE;
    }

  return TRUE;
}

/* Returns the length of a branch: the steps of all bodies, and the time of the longest one, since one of them runs. No
 * steps where the host has to choose. */
static GhloRunLength
measure_branch (const GhloStepPlan  *plan,
                const GhloStep      *step,
                GhloDeviceCore     **target)
{
  GhloRunLength all = { 1, 0 };

  if (step->target == NULL || (*target != NULL && *target != step->target))
    return (GhloRunLength) { 0 };
  *target = step->target;
  for (guint i = 0; i < step->n_bodies; i++)
    {
      GhloRunLength one = { 0 };

      if (!leaves_places (plan, &step->bodies[i], 1, step->end))
        return (GhloRunLength) { 0 };
      for (guint k = 0; k < step->bodies[i].n_steps; k++)
        if (!ghlo_run_is_recorded (plan, step->bodies[i].steps[k], target, &one))
          return (GhloRunLength) { 0 };
      all.n_steps += one.n_steps;
      all.seconds = MAX (all.seconds, one.seconds);
    }

  return all;
}

gboolean
ghlo_run_is_recorded (const GhloStepPlan  *plan,
                      const GhloStep      *step,
                      GhloDeviceCore     **target,
                      GhloRunLength       *length)
{
  GhloRunLength each = { 0 };
  gint64 trips = 1;

  if (step->kind == GHLO_STEP_LOOP)
    {
      each = ghlo_run_measure_iteration (plan, step, target);
      trips = step->trips;
    }
  else if (step->kind == GHLO_STEP_BRANCH)
    each = measure_branch (plan, step, target);
  else if (ghlo_step_get_commands (step) != NULL && (*target == NULL || *target == step->target))
    {
      GhloStepCost cost;

      ghlo_step_cost (plan, step, &cost);
      each = (GhloRunLength) { 1, MAX (cost.seconds, 0) };
      *target = step->target;
    }
  if (each.n_steps == 0)
    return FALSE;
  length->n_steps += trips > GHLO_RUN_MAX_LOOP_STEPS / each.n_steps ? GHLO_RUN_MAX_LOOP_STEPS + 1
                                                                    : trips * each.n_steps;
  length->seconds += (double) trips * each.seconds;

  return TRUE;
}
