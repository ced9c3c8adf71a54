/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a step's implementation is told when it is compiled: its final views, which operands and results alias, and the
 * alignment of addresses.
 */

#include "base/mapped.h"
#include "plan/build.h"

/* ARENA_ALIGNMENT: alignment of buffers in an arena or in a device's memory, and of constants that are copied there.
 * OUTPUT_ALIGNMENT: alignment of outputs, which the caller may provide. Inputs in the host's memory are only aligned to
 * the size of an element. */
enum { ARENA_ALIGNMENT = 64, OUTPUT_ALIGNMENT = 16 };

guint32
ghlo_step_alignment (const GhloStepPlan    *plan,
                     const GhloStepOperand *operand)
{
  const GhloStepBuffer *buffer;
  gsize address;

  if (operand->buffer == GHLO_STEP_NONE)
    return 1;
  buffer = &plan->buffers[operand->buffer];
  switch (buffer->kind)
    {
    case GHLO_STEP_BUFFER_TEMPORARY:
      address = ARENA_ALIGNMENT;
      break;
    case GHLO_STEP_BUFFER_OUTPUT:
      address = buffer->space == 0 ? OUTPUT_ALIGNMENT : ARENA_ALIGNMENT;
      break;
    case GHLO_STEP_BUFFER_CONSTANT:
      address = ARENA_ALIGNMENT;
      if (buffer->space == 0)
        address |= (gsize) g_bytes_get_data (buffer->bytes, NULL);
      break;
    default:
      address = buffer->space == 0 ? ghlo_element_info (operand->type->element_type)->size : ARENA_ALIGNMENT;
    }
  address |= operand->offset;

  return (guint32) (address & -address);
}

GhloView
ghlo_step_compiled_view (const GhloStepPlan    *plan,
                         const GhloStepOperand *operand)
{
  GhloView view = ghlo_step_view (operand);

  if (operand->wants_data && plan->buffers[operand->buffer].kind == GHLO_STEP_BUFFER_CONSTANT
      && plan->buffers[operand->buffer].size > 0)
    view.data = (guint8 *) g_bytes_get_data (plan->buffers[operand->buffer].bytes, NULL) + operand->offset;

  return view;
}

guint32
ghlo_step_alias (const GhloStepPlan *plan,
                 const GhloStep     *step,
                 guint               index)
{
  const GhloStepOperand *operand = &step->operands[index], *result;
  const GhloStepBuffer *from, *to;

  if (operand->buffer == GHLO_STEP_NONE || operand->in_place == GHLO_STEP_NONE)
    return GHLO_STEP_NONE;
  result = &step->results[operand->in_place];
  from = &plan->buffers[operand->buffer];
  to = &plan->buffers[result->buffer];
  if (from == to
      || (from->kind == GHLO_STEP_BUFFER_INPUT && to->kind == GHLO_STEP_BUFFER_OUTPUT && to->first == step->number
          && ghlo_step_plan_may_replace (plan, to->index, from->index)))
    return operand->in_place;

  return GHLO_STEP_NONE;
}

gboolean
ghlo_step_compile (GhloCompiledStep   *self,
                   const GhloMonitor  *monitor,
                   GError            **error)
{
  const GhloStepPlan *plan = self->plan;
  GhloStep *step = (GhloStep *) self->step;     /* no other step uses its selection_state */
  guint n = step->n_operands + step->n_results;
  g_autofree GhloView *views = g_new (GhloView, MAX (n, 1));
  g_autofree guint32 *aliases = g_new (guint32, step->n_operands), *alignments = g_new (guint32, n);
  const GhloStepRequest request = {
    .op = step->op, .body = step->body, .n_operands = step->n_operands,
    .n_results = step->n_results, .operands = views, .results = views + step->n_operands, .aliases = aliases,
    .alignments = alignments, .scratch = step->scratch != GHLO_STEP_NONE ? plan->buffers[step->scratch].size : 0,
    .may_be_predicated = step->may_be_predicated, .selection_state = g_steal_pointer (&step->selection_state),
  };

  for (guint i = 0; i < n; i++)
    {
      const GhloStepOperand *operand = i < step->n_operands ? &step->operands[i] : &step->results[i - step->n_operands];

      views[i] = ghlo_step_compiled_view (plan, operand);
      alignments[i] = ghlo_step_alignment (plan, operand);
      if (i < step->n_operands)
        aliases[i] = ghlo_step_alias (plan, step, i);
    }

  self->compiled = ghlo_step_compile_request (step->implementation, step->target, &request, monitor, error);
  if (self->compiled != NULL && step->implementation->get_packing != NULL)
    {
      step->implementation->get_packing (self->compiled, &self->packing);
      /* A constant that has been packed is not read any more, at least not by this step. */
      if (self->packing.constant_size > 0 && self->packing.operand < step->n_operands
          && views[self->packing.operand].data != NULL)
        ghlo_mapped_release_view (&views[self->packing.operand]);
    }

  return self->compiled != NULL;
}

gboolean
ghlo_step_plan_wait (const GhloStepPlan  *self,
                     const GhloMonitor   *monitor,
                     GError             **error)
{
  /* Hurries all compiled steps before waiting for the first one, so that threads compile them in parallel. */
  for (guint i = 0; i < self->n_compiled_steps; i++)
    if (self->compiled_steps[i]->step->implementation->wait != NULL && self->compiled_steps[i]->compiled != NULL)
      self->compiled_steps[i]->step->implementation->wait (self->compiled_steps[i]->compiled, TRUE, NULL, NULL);

  for (guint i = 0; i < self->n_compiled_steps; i++)
    {
      const GhloStepImplementation *implementation = self->compiled_steps[i]->step->implementation;

      if (implementation->wait != NULL && self->compiled_steps[i]->compiled != NULL
          && !implementation->wait (self->compiled_steps[i]->compiled, FALSE, monitor, error))
        return FALSE;
      ghlo_monitor_progress (monitor, (i + 1.0) / self->n_compiled_steps, NULL);
    }

  return TRUE;
}
