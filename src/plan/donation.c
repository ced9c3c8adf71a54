/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Outputs over inputs. When buffers are in use decides nearly all; where an input's last
 * step is an output's first, that step does, which is looked up once for each output.
 */

#include "plan/donation.h"

#include "plan/build.h"

struct _GhloStepDonation
{
  const GhloStepPlan *plan;
  const GhloStep    **writers;     /* by output: its first step, where that may work in place; else NULL */
  gboolean           *is_output;   /* by input: whether it is an output as it is */
};

static void
find_writer (GhloStep *step,
             gpointer  data)
{
  GhloStepDonation *self = data;

  if (step->kind != GHLO_STEP_COMPUTE || step->op == NULL || step->kernel->in_place == NULL || step->n_followers > 0)
    return;
  for (guint i = 0; i < step->n_results; i++)
    {
      const GhloStepBuffer *buffer = step->results[i].buffer != GHLO_STEP_NONE
                                     ? &self->plan->buffers[step->results[i].buffer] : NULL;

      if (buffer != NULL && buffer->kind == GHLO_STEP_BUFFER_OUTPUT && buffer->first == step->number)
        self->writers[buffer->index] = step;
    }
}

GhloStepDonation *
ghlo_step_donation_new (const GhloStepPlan *plan)
{
  GhloStepDonation *self = g_new0 (GhloStepDonation, 1);

  self->plan = plan;
  self->writers = g_new0 (const GhloStep *, plan->n_outputs + 1);
  self->is_output = g_new0 (gboolean, plan->n_inputs + 1);
  for (guint i = 0; i < plan->n_outputs; i++)
    if (plan->shared[i] != GHLO_STEP_NONE)
      self->is_output[plan->shared[i]] = TRUE;
  ghlo_step_plan_foreach (plan, find_writer, self);

  return self;
}

void
ghlo_step_donation_free (GhloStepDonation *self)
{
  g_free (self->writers);
  g_free (self->is_output);
  g_free (self);
}

static gboolean
works_in_place (const GhloStep *step,
                guint32         input,
                guint32         output)
{
  guint n_reads = 0, read = 0, written = 0;

  for (guint i = 0; i < step->n_operands; i++)
    if (step->operands[i].buffer == input)
      {
        n_reads++;
        read = i;
      }
  while (step->results[written].buffer != output)
    written++;

  return n_reads == 1 && step->operands[read].offset == 0 && ghlo_step_is_dense (&step->operands[read])
         && step->results[written].offset == 0
         && ghlo_step_type_size (step->operands[read].type) == ghlo_step_type_size (step->results[written].type)
         && step->kernel->in_place (step->op, read, written);
}

gboolean
ghlo_step_donation_allows (const GhloStepDonation *self,
                           guint                   output,
                           guint                   input)
{
  const GhloStepPlan *plan = self->plan;
  guint32 read = plan->inputs[input], written = plan->outputs[output];
  const GhloStepBuffer *from = &plan->buffers[read], *to;

  if (written == GHLO_STEP_NONE || self->is_output[input])
    return FALSE;
  to = &plan->buffers[written];
  if (from->size != to->size)
    return FALSE;
  if (from->first > from->last || from->last < to->first)
    return TRUE;

  return from->last == to->first && self->writers[output] != NULL
         && works_in_place (self->writers[output], read, written);
}
