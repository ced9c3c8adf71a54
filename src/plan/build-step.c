/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making a plan: an operation, alone or with what follows it, as a step of the first
 * implementation that does it. Nothing is added before one was selected.
 */

#include "plan/build.h"

#include <string.h>

/* Implementations know nothing of scales and tuples. */
static gboolean
is_plain (const GhloIrType *type)
{
  return type->kind != GHLO_IR_TYPE_TUPLE && type->quantization == NULL;
}

gboolean
ghlo_step_has_plain_types (const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (!is_plain (ghlo_ir_op_operand (op, i)->type))
      return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (!is_plain (op->results[i].type))
      return FALSE;

  return TRUE;
}

/* A request in the making, and where its views are. */
typedef struct
{
  GhloStepRequest           request;
  GhloStepOperand          *operands, *results;
  GhloView                 *views;        /* of operands, then of results */
  GhloStepOperandSelection *selections;
} Attempt;

static guint
count_operands (const GhloIrOp       *op,
                const GhloIrFollower *followers,
                guint                 n_followers)
{
  guint n = op->n_operands;

  for (guint i = 0; i < n_followers; i++)
    n += followers[i].op->n_operands - 1;

  return n;
}

/* A constant has its data. */
static GhloView
view_operand (GhloStepBuilder       *self,
              const GhloStepOperand *operand)
{
  GhloView view = ghlo_step_view (operand);
  const GhloStepBuffer *buffer;

  if (operand->buffer == GHLO_STEP_NONE)
    return view;
  buffer = &g_array_index (self->buffers, GhloStepBuffer, operand->buffer);
  if (buffer->kind == GHLO_STEP_BUFFER_CONSTANT && buffer->size > 0)
    view.data = (guint8 *) g_bytes_get_data (buffer->bytes, NULL) + operand->offset;

  return view;
}

/* FALSE where a follower's other operand is no view of the result's dimensions. */
static gboolean
find_others (GhloStepBuilder *self,
             Attempt         *attempt)
{
  const GhloStepRequest *request = &attempt->request;
  const GhloIrType *type = request->op->results[0].type;
  guint n = request->op->n_operands;

  for (guint f = 0; f < request->n_followers; f++)
    for (guint i = 0; i < request->followers[f].op->n_operands; i++)
      {
        const GhloIrValue *value = ghlo_ir_op_operand (request->followers[f].op, i);

        if (i != request->followers[f].position
            && !ghlo_step_view_as (self, &ghlo_step_value (self, value)->operand, type, &attempt->operands[n++]))
          return FALSE;
      }

  return TRUE;
}

/* Everything as it lies, or will when it is in @space; results have no buffers yet. */
static gboolean
find_views (GhloStepBuilder *self,
            Attempt         *attempt,
            guint32          space)
{
  GhloStepRequest *request = &attempt->request;
  const GhloIrOp *op = request->op;

  for (guint i = 0; i < op->n_operands; i++)
    {
      GhloStepOperand *operand = &attempt->operands[i];

      *operand = ghlo_step_value (self, ghlo_ir_op_operand (op, i))->operand;
      if (ghlo_step_is_cut (self, operand, space))
        *operand = ghlo_step_dense_operand (self, operand->buffer, operand->type);
    }
  if (!find_others (self, attempt))
    return FALSE;
  for (guint i = 0; i < request->n_operands; i++)
    attempt->views[i] = view_operand (self, &attempt->operands[i]);
  for (guint i = 0; i < op->n_results; i++)
    {
      attempt->results[i] = ghlo_step_dense_operand (self, GHLO_STEP_NONE, op->results[i].type);
      attempt->views[request->n_operands + i] = ghlo_step_view (&attempt->results[i]);
    }

  return TRUE;
}

static gboolean
try_implementation (Attempt                      *attempt,
                    const GhloStepTarget         *target,
                    const GhloStepImplementation *implementation,
                    GhloStepSelection            *selection)
{
  *selection = (GhloStepSelection) { .operands = attempt->selections };
  for (guint i = 0; i < attempt->request.n_operands; i++)
    attempt->selections[i] = (GhloStepOperandSelection) { .in_place = GHLO_STEP_NONE };

  return implementation->select (target->self, &attempt->request, selection);
}

/* The first of @target's that does what is attempted; NULL with the last one's reason. */
static const GhloStepImplementation *
select_implementation (Attempt               *attempt,
                       const GhloStepTarget  *target,
                       GhloStepSelection     *selection,
                       const char           **reason)
{
  const GhloStepRequest *request = &attempt->request;
  const GhloStepImplementation *implementation = NULL;

  *reason = target->lacks != NULL ? target->lacks (target->self, request->op) : NULL;
  if (*reason != NULL)
    return NULL;
  *reason = "there is no step for it";
  while ((implementation = target->find (target->self, request->op, implementation)) != NULL)
    {
      if (request->n_followers > 0 && implementation->follows == NULL)
        continue;
      if (try_implementation (attempt, target, implementation, selection))
        return implementation;
      *reason = selection->reason;
    }

  return NULL;
}

const GhloStepTarget *
ghlo_step_find_target (const GhloStepBuilder *self,
                       const GhloIrOp        *op)
{
  for (guint i = 0; i < self->plan->n_targets; i++)
    {
      const GhloStepTarget *target = self->plan->targets[i];

      if ((target->lacks == NULL || target->lacks (target->self, op) == NULL)
          && target->find (target->self, op, NULL) != NULL)
        return target;
    }

  return NULL;
}

/* The operands as they are wanted, in @space; those of followers are as they lie. */
static void
prepare_operands (GhloStepBuilder *self,
                  Attempt         *attempt,
                  guint32          space)
{
  for (guint i = 0; i < attempt->request.n_operands; i++)
    {
      GhloStepOperand *operand = &attempt->operands[i];

      if (i < attempt->request.op->n_operands)
        *operand = ghlo_step_take (self, ghlo_step_value (self, ghlo_ir_op_operand (attempt->request.op, i)), space,
                                   attempt->selections[i].dense);
      else
        *operand = ghlo_step_bring (self, operand, space);
      operand->wants_data = attempt->selections[i].wants_data;
      operand->in_place = attempt->selections[i].in_place;
    }
}

static void
add_step (GhloStepBuilder              *self,
          Attempt                      *attempt,
          guint                         target,
          const GhloStepImplementation *implementation,
          const GhloStepSelection      *selection)
{
  const GhloStepRequest *request = &attempt->request;
  const GhloIrOp *op = request->op;
  guint32 space = ghlo_step_target_space (self->plan, self->plan->targets[target]);
  GhloStep *step;

  prepare_operands (self, attempt, space);
  for (guint i = 0; i < op->n_results; i++)
    if (op->results[i].type->kind != GHLO_IR_TYPE_TOKEN)
      attempt->results[i].buffer = ghlo_step_add_buffer (self, GHLO_STEP_BUFFER_TEMPORARY, 0,
                                                         ghlo_step_type_size (op->results[i].type), space);
  step = ghlo_step_add (self, GHLO_STEP_COMPUTE, op, request->n_operands, op->n_results);
  step->target = self->plan->targets[target];
  step->reasons = ghlo_ir_arena_copy (&self->plan->arena, self->reasons, target * sizeof (const char *));
  step->implementation = implementation;
  step->followers = request->followers;
  step->n_followers = request->n_followers;
  step->nanoseconds = selection->nanoseconds;
  memcpy (step->operands, attempt->operands, request->n_operands * sizeof (GhloStepOperand));
  memcpy (step->results, attempt->results, op->n_results * sizeof (GhloStepOperand));
  if (selection->scratch > 0)
    step->scratch = ghlo_step_add_buffer (self, GHLO_STEP_BUFFER_TEMPORARY, 0, selection->scratch, space);
  if (request->n_followers > 0)
    {
      const GhloIrValue *last = &request->followers[request->n_followers - 1].op->results[0];

      ghlo_step_bind (self, last, ghlo_step_dense_operand (self, attempt->results[0].buffer, last->type));
      return;
    }
  for (guint i = 0; i < op->n_results; i++)
    ghlo_step_bind (self, &op->results[i], attempt->results[i]);
}

gboolean
ghlo_step_build_implementation (GhloStepBuilder      *self,
                                const GhloIrOp       *op,
                                const GhloIrFollower *followers,
                                guint                 n_followers)
{
  guint n = count_operands (op, followers, n_followers);
  guint n_values = MAX (n + op->n_results, 1);       /* there may be neither operands nor results */
  g_autofree GhloStepOperand *operands = g_new0 (GhloStepOperand, n_values);
  g_autofree GhloView *views = g_new0 (GhloView, n_values);
  g_autofree GhloStepOperandSelection *selections = g_new (GhloStepOperandSelection, n);
  GhloStepSelection selection;
  Attempt attempt = {
    .request = { .op = op, .followers = followers, .n_followers = n_followers, .n_operands = n,
                 .n_results = op->n_results, .operands = views, .results = views + n },
    .operands = operands, .results = operands + n, .views = views, .selections = selections,
  };

  for (guint i = 0; i < self->plan->n_targets; i++)
    {
      const GhloStepTarget *target = self->plan->targets[i];
      const GhloStepImplementation *implementation;

      if (n_followers > 0 && target != ghlo_step_find_target (self, op))
        continue;
      if (!find_views (self, &attempt, ghlo_step_target_space (self->plan, target)))
        return FALSE;
      implementation = select_implementation (&attempt, target, &selection, &self->reasons[i]);
      if (implementation != NULL)
        {
          add_step (self, &attempt, i, implementation, &selection);
          return TRUE;
        }
    }

  return FALSE;
}
