/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lets steps write results directly in the order to which a copy would bring them, such as the result that attention
 * transposes for the next product. If the only use of a step's result is a copy of it with permuted dimensions, and the
 * step's implementation can write that order as well, the copy is removed. The step was selected for a dense result, so
 * it is selected once more, with its operands as they are.
 */

#include "plan/build.h"

#include "base/sizes.h"

typedef struct
{
  GhloStepPlan  *plan;
  guint         *n_uses;       /* of each buffer by steps and loops, including writes */
  GhloStep     **writers;      /* for each buffer, the COMPUTE step of the current body that wrote it last, or NULL */
} Strider;

static void
use (Strider *self,
     guint32  buffer)
{
  if (buffer != GHLO_STEP_NONE)
    self->n_uses[buffer]++;
}

static void
count_uses (GhloStep *step,
            gpointer  data)
{
  for (guint i = 0; i < step->n_operands; i++)
    use (data, step->operands[i].buffer);
  for (guint i = 0; i < step->n_results; i++)
    use (data, step->results[i].buffer);
  for (guint i = 0; i < step->n_swaps; i++)
    {
      use (data, step->swaps[i].read);
      use (data, step->swaps[i].written);
    }
  for (guint i = 0; i < step->n_bodies; i++)
    if (step->bodies[i].result.strides != NULL)
      use (data, step->bodies[i].result.buffer);
}

/* The dimensions of a copy except those of size 1, with the strides of its source and target. */
typedef struct
{
  guint  rank;
  gint64 dimensions[GHLO_MAX_RANK], from[GHLO_MAX_RANK], to[GHLO_MAX_RANK];
} Layout;

/* Reads the layout of @copy, with dimensions in the memory order of the source. */
static void
read_layout (Layout         *self,
             const GhloStep *copy)
{
  const GhloStepOperand *from = &copy->operands[0], *to = &copy->results[0];

  self->rank = 0;
  for (guint i = 0; i < from->type->rank; i++)
    {
      guint at = self->rank;

      if (from->type->dimensions[i] == 1)
        continue;
      for (; at > 0 && self->from[at - 1] < from->strides[i]; at--)
        {
          self->dimensions[at] = self->dimensions[at - 1];
          self->from[at] = self->from[at - 1];
          self->to[at] = self->to[at - 1];
        }
      self->dimensions[at] = from->type->dimensions[i];
      self->from[at] = from->strides[i];
      self->to[at] = to->strides[i];
      self->rank++;
    }
}

/* Whether @copy copies all of one buffer to all of another; gets its layout. */
static gboolean
is_reordering (const GhloStepPlan *plan,
               const GhloStep     *copy,
               Layout             *self)
{
  const GhloStepOperand *from = &copy->operands[0], *to = &copy->results[0];
  gint64 stride = ghlo_element_info (from->type->element_type)->size;

  if (from->buffer == to->buffer || from->offset != 0 || !ghlo_step_is_whole (plan, to)
      || plan->buffers[from->buffer].size != plan->buffers[to->buffer].size)
    return FALSE;
  read_layout (self, copy);
  for (guint i = self->rank; i > 0; i--)
    {
      if (self->from[i - 1] != stride)
        return FALSE;
      stride *= self->dimensions[i - 1];
    }

  return TRUE;
}

/* The step whose result is only used by @copy, and which may write to the target of the copy; or NULL. */
static GhloStep *
find_writer (Strider        *self,
             const GhloStep *copy)
{
  const GhloStepBuffer *from = &self->plan->buffers[copy->operands[0].buffer];
  const GhloStepBuffer *to = &self->plan->buffers[copy->results[0].buffer];
  GhloStep *writer = self->writers[copy->operands[0].buffer];

  if (writer == NULL || !writer->implementation->writes_strides || writer->n_results != 1
      || writer->results[0].offset != 0 || !ghlo_step_is_dense (&writer->results[0])
      || self->n_uses[copy->operands[0].buffer] != 2)
    return NULL;
  if (from->kind != GHLO_STEP_BUFFER_TEMPORARY || from->space != to->space || to->first != copy->number
      || ghlo_element_info (writer->results[0].type->element_type)->size
         != ghlo_element_info (copy->results[0].type->element_type)->size)
    return NULL;

  return writer;
}

/* Constants have their data, as in the first selection. */
static void
find_views (const GhloStepPlan *plan,
            const GhloStep     *step,
            GhloView           *views)
{
  for (guint i = 0; i < step->n_operands; i++)
    {
      GhloStepOperand operand = step->operands[i];

      operand.wants_data = operand.buffer != GHLO_STEP_NONE;
      views[i] = ghlo_step_compiled_view (plan, &operand);
    }
}

/* Whether the selection can use @step's operands as they are, and its scratch buffer. */
static gboolean
fits (const GhloStepPlan      *plan,
      const GhloStep          *step,
      const GhloStepSelection *selection)
{
  if (selection->scratch > 0 && step->scratch == GHLO_STEP_NONE)
    return FALSE;
  for (guint i = 0; i < step->n_operands; i++)
    if (selection->operands[i].dense && step->operands[i].buffer != GHLO_STEP_NONE
        && !ghlo_step_is_dense (&step->operands[i]))
      return FALSE;

  return TRUE;
}

/* Selects @step's implementation for @result; if it accepts, the step gets that result. */
static gboolean
select_result (Strider               *self,
               GhloStep              *step,
               const GhloStepOperand *result)
{
  g_autofree GhloView *views = g_new (GhloView, step->n_operands + 1);
  g_autofree GhloStepOperandSelection *selections = g_new (GhloStepOperandSelection, MAX (step->n_operands, 1));
  GhloStepSelection selection = { .operands = selections };
  const GhloStepRequest request = {
    .op = step->op, .body = step->body, .n_operands = step->n_operands, .n_results = 1,
    .operands = views, .results = views + step->n_operands,
  };

  find_views (self->plan, step, views);
  views[step->n_operands] = ghlo_step_view (result);
  for (guint i = 0; i < step->n_operands; i++)
    selections[i] = (GhloStepOperandSelection) { .in_place = GHLO_STEP_NONE };
  if (!ghlo_step_select (step->implementation, step->target, &request, &selection))
    return FALSE;
  if (!fits (self->plan, step, &selection))
    {
      ghlo_step_free (step->implementation, selection.selection_state);
      return FALSE;
    }
  ghlo_step_set_selection_state (self->plan, step, selection.selection_state);

  step->results[0] = *result;
  if (step->scratch != GHLO_STEP_NONE)
    self->plan->buffers[step->scratch].size = selection.scratch;
  for (guint i = 0; i < step->n_operands; i++)
    {
      step->operands[i].wants_data = selections[i].wants_data
                                     || ghlo_step_is_known_scalar (self->plan->buffers, &step->operands[i]);
      step->operands[i].in_place = selections[i].in_place;
    }

  return TRUE;
}

/* Whether @copy was made unnecessary. */
static gboolean
replace_copy (Strider        *self,
              const GhloStep *copy)
{
  Layout layout;
  GhloStepOperand result;
  GhloStep *writer;

  if (!is_reordering (self->plan, copy, &layout))
    return FALSE;
  writer = find_writer (self, copy);
  if (writer == NULL)
    return FALSE;
  result = writer->results[0];
  result.buffer = copy->results[0].buffer;
  result.strides = ghlo_step_reshape_strides (&self->plan->arena, layout.dimensions, layout.to, layout.rank,
                                              result.type);

  return result.strides != NULL && select_result (self, writer, &result);
}

/* Records @writer as the writer of @step's results. */
static void
record_writer (Strider  *self,
               GhloStep *step,
               GhloStep *writer)
{
  for (guint k = 0; k < step->n_results; k++)
    if (step->results[k].buffer != GHLO_STEP_NONE)
      self->writers[step->results[k].buffer] = writer;
}

/* Visits nested bodies first, so that they do not see writers of the enclosing bodies. */
static gboolean
visit_body (Strider      *self,
            GhloStepBody *body,
            GhloStepPoll *poll)
{
  guint n = 0;

  for (guint i = 0; i < body->n_steps; i++)
    for (guint k = 0; k < body->steps[i]->n_bodies; k++)
      if (!visit_body (self, &body->steps[i]->bodies[k], poll))
        return FALSE;
  for (guint i = 0; i < body->n_steps; i++)
    {
      GhloStep *step = body->steps[i];

      if (!ghlo_step_poll (poll))
        return FALSE;
      if (step->kind == GHLO_STEP_COMPUTE && step->op == NULL && replace_copy (self, step))
        continue;
      body->steps[n++] = step;
      record_writer (self, step, step->kind == GHLO_STEP_COMPUTE ? step : NULL);
    }
  body->n_steps = n;
  for (guint i = 0; i < n; i++)
    record_writer (self, body->steps[i], NULL);

  return TRUE;
}

gboolean
ghlo_step_plan_stride_results (GhloStepPlan *plan,
                               GhloStepPoll *poll)
{
  g_autofree guint *n_uses = g_new0 (guint, plan->n_buffers + 1);
  g_autofree GhloStep **writers = g_new0 (GhloStep *, plan->n_buffers + 1);
  Strider self = { .plan = plan, .n_uses = n_uses, .writers = writers };

  return ghlo_step_plan_find_liveness (plan, poll) && ghlo_step_plan_walk (plan, poll, count_uses, &self)
         && visit_body (&self, &plan->body, poll);
}
