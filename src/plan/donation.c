/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the outputs that may be written over inputs that the caller gives away: inputs of the same size whose last use
 * comes before the output is written, or is in the step that writes it in place.
 */

#include "plan/build.h"

static gboolean
is_read_once (const GhloStep *step,
              guint32         buffer)
{
  guint n = 0;

  for (guint i = 0; i < step->n_operands; i++)
    n += step->operands[i].buffer == buffer;

  return n == 1;
}

/* The output that operand @index, an input, may become in place; GHLO_STEP_NONE where there is none. */
static guint
find_output (const GhloStepPlan *plan,
             const GhloStep     *step,
             guint               index)
{
  const GhloStepOperand *operand = &step->operands[index], *result;
  const GhloStepBuffer *to;

  if (operand->buffer == GHLO_STEP_NONE || operand->in_place == GHLO_STEP_NONE
      || plan->buffers[operand->buffer].kind != GHLO_STEP_BUFFER_INPUT
      || plan->buffers[operand->buffer].last != step->number)
    return GHLO_STEP_NONE;
  result = &step->results[operand->in_place];
  to = &plan->buffers[result->buffer];
  if (to->kind != GHLO_STEP_BUFFER_OUTPUT || to->first != step->number || !ghlo_step_is_whole (plan, operand)
      || !ghlo_step_is_whole (plan, result) || to->size != plan->buffers[operand->buffer].size
      || !is_read_once (step, operand->buffer))
    return GHLO_STEP_NONE;

  return to->index;
}

static void
find_donations (GhloStep *step,
                gpointer  data)
{
  GhloStepPlan *plan = data;

  if (step->kind != GHLO_STEP_COMPUTE || step->op == NULL)
    return;
  for (guint i = 0; i < step->n_operands; i++)
    {
      guint output = find_output (plan, step, i);
      GhloStepDonation *donation;

      if (output == GHLO_STEP_NONE)
        continue;
      donation = &plan->donations[output];
      if (donation->inputs == NULL)
        donation->inputs = ghlo_ir_arena_alloc (&plan->arena, step->n_operands * sizeof (guint));
      donation->inputs[donation->n_inputs++] = plan->buffers[step->operands[i].buffer].index;
    }
}

gboolean
ghlo_step_plan_find_donations (GhloStepPlan *plan,
                               GhloStepPoll *poll)
{
  plan->donations = ghlo_ir_arena_alloc (&plan->arena, plan->n_outputs * sizeof (GhloStepDonation));
  plan->is_forwarded = ghlo_ir_arena_alloc (&plan->arena, plan->n_inputs * sizeof (gboolean));
  for (guint i = 0; i < plan->n_outputs; i++)
    if (plan->aliased_inputs[i] != GHLO_STEP_NONE)
      plan->is_forwarded[plan->aliased_inputs[i]] = TRUE;

  return ghlo_step_plan_walk (plan, poll, find_donations, plan);
}

gboolean
ghlo_step_plan_may_replace (const GhloStepPlan *self,
                            guint               output,
                            guint               input)
{
  const GhloStepDonation *donation = &self->donations[output];
  const GhloStepBuffer *from = &self->buffers[self->inputs[input]], *to;

  if (self->outputs[output] == GHLO_STEP_NONE || self->is_forwarded[input])
    return FALSE;
  to = &self->buffers[self->outputs[output]];
  if (from->size != to->size)
    return FALSE;
  if (from->first > from->last || from->last < to->first)
    return TRUE;
  for (guint i = 0; i < donation->n_inputs; i++)
    if (donation->inputs[i] == input)
      return TRUE;

  return FALSE;
}
