/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Building a plan: adds an operation or a fusion as a step of the first implementation that supports it. Nothing is
 * added before one is selected.
 */

#include "plan/build.h"

#include <string.h>

#include "ir/equal.h"
#include "ir/fusion.h"

/* Implementations support neither quantization nor tuples. */
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

/* A request for an implementation, with the memory for its views. */
typedef struct
{
  GhloStepRequest           request;
  GhloStepOperand          *operands, *results;
  GhloView                 *views;        /* of operands, then of results */
  GhloStepOperandSelection *selections;
} Attempt;

/* The view of an operand; a constant has its data. */
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

/* Whether the operand is in memory that stays from run to run. */
static gboolean
is_persistent (const GhloStepBuilder *self,
               const GhloStepOperand *operand)
{
  const GhloStepBuffer *buffer;

  if (operand->buffer == GHLO_STEP_NONE)
    return FALSE;
  buffer = &g_array_index (self->buffers, GhloStepBuffer, operand->buffer);

  return buffer->kind == GHLO_STEP_BUFFER_CONSTANT || buffer->kind == GHLO_STEP_BUFFER_INPUT;
}

/* Sets the views of operands as they are, or will be once they are in @space. Results have no buffers yet. */
static void
find_views (GhloStepBuilder *self,
            Attempt         *attempt,
            guint32          space)
{
  const GhloIrOp *op = attempt->request.op;

  for (guint i = 0; i < op->n_operands; i++)
    {
      GhloStepOperand *operand = &attempt->operands[i];

      *operand = ghlo_step_value (self, ghlo_ir_op_operand (op, i))->operand;
      if (ghlo_step_needs_packing (self, operand, space))
        *operand = ghlo_step_dense_operand (self, operand->buffer, operand->type);
      operand->is_persistent = is_persistent (self, operand);
      attempt->views[i] = view_operand (self, operand);
    }
  for (guint i = 0; i < op->n_results; i++)
    {
      attempt->results[i] = ghlo_step_dense_operand (self, GHLO_STEP_NONE, op->results[i].type);
      attempt->views[op->n_operands + i] = ghlo_step_view (&attempt->results[i]);
    }
}

static gboolean
try_implementation (Attempt                      *attempt,
                    GhloDeviceCore               *target,
                    const GhloStepImplementation *implementation,
                    GhloStepSelection            *selection)
{
  *selection = (GhloStepSelection) { .operands = attempt->selections };
  for (guint i = 0; i < attempt->request.n_operands; i++)
    attempt->selections[i] = (GhloStepOperandSelection) { .in_place = GHLO_STEP_NONE };

  return ghlo_step_select (implementation, target, &attempt->request, selection);
}

/* The first implementation of @target that supports the request; NULL with the reason of the last one. */
static const GhloStepImplementation *
select_implementation (Attempt            *attempt,
                       GhloDeviceCore     *target,
                       GhloStepSelection  *selection,
                       const char        **reason)
{
  const GhloStepRequest *request = &attempt->request;
  const GhloStepImplementation *implementation = NULL;

  *reason = "it is not implemented";
  while ((implementation = ghlo_device_core_find_step (target, request->op, implementation)) != NULL)
    {
      if (try_implementation (attempt, target, implementation, selection))
        return implementation;
      *reason = selection->reason;
    }

  return NULL;
}

gboolean
ghlo_step_is_placed (const GhloStepBuilder *self,
                     const GhloIrOp        *op)
{
  return self->placed != NULL && g_hash_table_contains (self->placed, op);
}

GhloDeviceCore *
ghlo_step_find_target (const GhloStepBuilder *self,
                       const GhloIrOp        *op)
{
  for (guint i = 0; i < self->plan->n_devices; i++)
    {
      GhloDeviceCore *target = self->plan->devices[i];

      if (ghlo_device_core_find_step (target, op, NULL) != NULL)
        return target;
    }

  return NULL;
}

/* Gets the operands in @space as the selection wants them. */
static void
prepare_operands (GhloStepBuilder *self,
                  Attempt         *attempt,
                  guint32          space)
{
  for (guint i = 0; i < attempt->request.n_operands; i++)
    {
      GhloStepOperand *operand = &attempt->operands[i];
      const gboolean was_persistent = operand->is_persistent;

      *operand = ghlo_step_materialize (self, ghlo_step_value (self, ghlo_ir_op_operand (attempt->request.op, i)),
                                        space, attempt->selections[i].dense);
      operand->is_persistent = was_persistent;
      operand->wants_data = attempt->selections[i].wants_data
                            || ghlo_step_is_known_scalar ((gconstpointer) self->buffers->data, operand);
      operand->in_place = attempt->selections[i].in_place;
    }
}

/* Copies operands to the results that begin with their elements, and takes the results instead. Returns whether there
 * were any. */
static gboolean
begin_results (GhloStepBuilder *self,
               Attempt         *attempt)
{
  gboolean any = FALSE;

  for (guint i = 0; i < attempt->request.n_operands; i++)
    {
      const guint32 in_place = attempt->selections[i].in_place;

      if (!attempt->selections[i].begins)
        continue;
      ghlo_step_add_copy (self, &attempt->operands[i], &attempt->results[in_place]);
      attempt->operands[i] = attempt->results[in_place];
      attempt->operands[i].in_place = in_place;
      any = TRUE;
    }

  return any;
}

/* Whether the operand is taken with the same view that the implementation saw when it was selected. */
static gboolean
is_as_selected (const Attempt *attempt,
                guint          operand)
{
  const GhloView *view = &attempt->views[operand];
  const GhloStepOperand *taken = &attempt->operands[operand];

  return taken->strides == NULL
         || (view->strides != NULL && memcmp (taken->strides, view->strides, view->rank * sizeof (gint64)) == 0);
}

/* Whether all operands are taken as selected. */
static gboolean
save_selection_state (GhloStepBuilder         *self,
                      const Attempt           *attempt,
                      GhloStep                *step,
                      const GhloStepSelection *selection)
{
  guint n = 0;

  while (n < step->n_operands && is_as_selected (attempt, n))
    n++;
  if (n == step->n_operands)
    ghlo_step_set_selection_state (self->plan, step, selection->selection_state);
  else
    ghlo_step_free (step->implementation, selection->selection_state);

  return n == step->n_operands;
}

/* Returns the step, or NULL where it takes an operand otherwise than selected, or as no equal step does. */
static GhloStep *
add_step (GhloStepBuilder              *self,
          Attempt                      *attempt,
          guint                         target,
          const GhloStepImplementation *implementation,
          const GhloStepSelection      *selection)
{
  const GhloStepRequest *request = &attempt->request;
  const GhloIrOp *op = request->op;
  guint32 space = ghlo_step_target_space (self->plan, self->plan->devices[target]);
  gboolean as_selected, begins;
  GhloStep *step;

  prepare_operands (self, attempt, space);
  for (guint i = 0; i < op->n_results; i++)
    {
      const GhloIrType *type = op->results[i].type;

      if (type->kind != GHLO_IR_TYPE_TOKEN)
        attempt->results[i].buffer = ghlo_step_add_buffer (self, GHLO_STEP_BUFFER_TEMPORARY, 0,
                                                           ghlo_step_type_size (type), space);
      ghlo_step_bind (self, &op->results[i], attempt->results[i]);
    }
  begins = begin_results (self, attempt);
  step = ghlo_step_add (self, GHLO_STEP_COMPUTE, op, request->n_operands, op->n_results);
  step->target = self->plan->devices[target];
  step->reasons = ghlo_ir_arena_copy (&self->plan->arena, self->reasons, target * sizeof (const char *));
  step->implementation = implementation;
  step->body = request->body;
  memcpy (step->operands, attempt->operands, request->n_operands * sizeof (GhloStepOperand));
  memcpy (step->results, attempt->results, op->n_results * sizeof (GhloStepOperand));
  as_selected = save_selection_state (self, attempt, step, selection);
  if (selection->scratch > 0)
    step->scratch = ghlo_step_add_buffer (self, GHLO_STEP_BUFFER_TEMPORARY, 0, selection->scratch, space);

  return as_selected && !begins ? step : NULL;
}

guint
ghlo_step_hash_alike (gconstpointer step)
{
  const GhloStep *self = step;

  return self->body != NULL ? g_direct_hash (self->body) : ghlo_ir_op_hash_like (self->op);
}

gboolean
ghlo_step_is_alike (gconstpointer a,
                    gconstpointer b)
{
  const GhloStep *x = a, *y = b;

  if (x->body != NULL || y->body != NULL)
    return x->body == y->body;

  return ghlo_ir_op_is_like (x->op, y->op) && ghlo_step_same_values (x->op, y->op);
}

static gboolean
has_views_of (GhloStepBuilder *self,
              const Attempt   *attempt,
              const GhloStep  *step)
{
  for (guint i = 0; i < step->n_operands; i++)
    {
      const GhloView *view = &attempt->views[i], like = view_operand (self, &step->operands[i]);

      if (view->data != like.data
          || (step->implementation->get_packing != NULL && view->is_persistent != like.is_persistent)
          || (view->rank > 0 && memcmp (view->strides, like.strides, view->rank * sizeof (gint64)) != 0))
        return FALSE;
    }

  return TRUE;
}

/* Repeats the step of an equal fusion or operation whose operands have the same views: selection is pure, so the result
 * is the same. Both steps usually share one compiled step, which uses the selection_state of the first one. */
static gboolean
repeat_step (GhloStepBuilder *self,
             Attempt         *attempt)
{
  const GhloStep wanted = { .op = attempt->request.op, .body = attempt->request.body };
  const GhloStep *like = g_hash_table_lookup (self->alike, &wanted);
  GhloStepSelection selection = { .operands = attempt->selections };
  guint target = 0;

  if (like == NULL || ghlo_step_is_placed (self, like->op) != ghlo_step_is_placed (self, attempt->request.op))
    return FALSE;
  find_views (self, attempt, ghlo_step_target_space (self->plan, like->target));
  if (!has_views_of (self, attempt, like))
    return FALSE;
  while (self->plan->devices[target] != like->target)
    {
      self->reasons[target] = like->reasons[target];
      target++;
    }
  for (guint i = 0; i < like->n_operands; i++)
    attempt->selections[i] = (GhloStepOperandSelection) {
      .wants_data = like->operands[i].wants_data, .in_place = like->operands[i].in_place,
    };
  if (like->scratch != GHLO_STEP_NONE)
    selection.scratch = g_array_index (self->buffers, GhloStepBuffer, like->scratch).size;
  add_step (self, attempt, target, like->implementation, &selection);

  return TRUE;
}

/* Adds a step of target @i, if it supports the request. */
static gboolean
try_target (GhloStepBuilder *self,
            Attempt         *attempt,
            guint            i)
{
  GhloDeviceCore *target = self->plan->devices[i];
  const GhloStepImplementation *implementation;
  GhloStepSelection selection;
  GhloStep *step;

  find_views (self, attempt, ghlo_step_target_space (self->plan, target));
  implementation = select_implementation (attempt, target, &selection, &self->reasons[i]);
  if (implementation == NULL)
    return FALSE;
  step = add_step (self, attempt, i, implementation, &selection);
  if (step != NULL)
    g_hash_table_add (self->alike, step);

  return TRUE;
}

gboolean
ghlo_step_build_implementation (GhloStepBuilder   *self,
                                const GhloIrOp    *op,
                                const GhloIrBlock *body)
{
  guint n = op->n_operands;
  guint n_values = MAX (n + op->n_results, 1);       /* there may be neither operands nor results */
  g_autofree GhloStepOperand *operands = g_new0 (GhloStepOperand, n_values);
  g_autofree GhloView *views = g_new0 (GhloView, n_values);
  g_autofree GhloStepOperandSelection *selections = g_new0 (GhloStepOperandSelection, n);
  gboolean placed = ghlo_step_is_placed (self, op);
  GhloDeviceCore *first;
  Attempt attempt = {
    .request = { .op = op, .body = body, .n_operands = n, .n_results = op->n_results, .operands = views,
                 .results = views + n },
    .operands = operands, .results = operands + n, .views = views, .selections = selections,
  };

  if (repeat_step (self, &attempt))
    return TRUE;
  for (guint i = 0; i < self->plan->n_devices && placed; i++)
    {
      self->reasons[i] = "running it on the CPU is estimated to be faster";
      if (self->plan->devices[i]->memory == NULL && try_target (self, &attempt, i))
        return TRUE;
    }
  first = body != NULL ? ghlo_step_find_target (self, ghlo_ir_fusion_get_lead (body)) : NULL;
  /* A fusion whose lead operation no target supports may still be a kernel of any target. */
  for (guint i = 0; i < self->plan->n_devices; i++)
    if ((first == NULL || self->plan->devices[i] == first) && try_target (self, &attempt, i))
      return TRUE;

  return FALSE;
}
