/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making a plan: an operation, alone or with what follows it, by a kernel of the target.
 */

#include "plan/build.h"

#include <string.h>

/* Kernels know nothing of scales and tuples. */
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

/* What is tried: a kernel for @op and the first of what follows it. */
typedef struct
{
  const GhloStepImplementation *kernel;
  const GhloIrOp               *op;
  const GhloIrFollower         *followers;
  guint                         n_followers;
  GhloStepOperand              *operands, *results;
  GhloView                     *views;    /* of operands, then of results */
  guint                         n_operands;
} Attempt;

static guint
count_operands (const Attempt *attempt)
{
  guint n = attempt->op->n_operands;

  for (guint i = 0; i < attempt->n_followers; i++)
    n += attempt->followers[i].op->n_operands - 1;

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

/* The operand as the kernel sees it: as it lies, or made dense. */
static void
give_operand (GhloStepBuilder *self,
              Attempt         *attempt,
              guint            index)
{
  GhloStepValue *value = ghlo_step_value (self, ghlo_ir_op_operand (attempt->op, index));
  GhloStepOperand *operand = &attempt->operands[index];
  const GhloStepImplementation *kernel = attempt->kernel;
  GhloView view;

  *operand = value->operand;
  view = ghlo_step_view (operand);
  if (operand->buffer != GHLO_STEP_NONE && !ghlo_step_is_dense (operand)
      && (kernel->takes == NULL || !kernel->takes (attempt->op, index, &view)))
    *operand = ghlo_step_densify (self, value);
  attempt->views[index] = view_operand (self, operand);
}

/* FALSE where a follower's other operand is no view of the result's dimensions. */
static gboolean
give_others (GhloStepBuilder *self,
             Attempt         *attempt)
{
  const GhloIrType *type = attempt->op->results[0].type;
  guint n = attempt->op->n_operands;

  for (guint f = 0; f < attempt->n_followers; f++)
    for (guint i = 0; i < attempt->followers[f].op->n_operands; i++)
      {
        const GhloIrValue *value = ghlo_ir_op_operand (attempt->followers[f].op, i);

        if (i == attempt->followers[f].position)
          continue;
        if (!ghlo_step_view_as (self, &ghlo_step_value (self, value)->operand, type, &attempt->operands[n]))
          return FALSE;
        attempt->views[n] = view_operand (self, &attempt->operands[n]);
        n++;
      }

  return TRUE;
}

static void
give_results (GhloStepBuilder *self,
              Attempt         *attempt)
{
  for (guint i = 0; i < attempt->op->n_results; i++)
    {
      attempt->results[i] = ghlo_step_add_result (self, attempt->op->results[i].type);
      attempt->views[attempt->n_operands + i] = ghlo_step_view (&attempt->results[i]);
    }
}

/* What was added before the kernel declined goes again. */
static void
take_back (GhloStepBuilder *self,
           const Attempt   *attempt,
           guint            n_steps,
           guint32          n_buffers)
{
  GPtrArray *steps = self->scope->steps;

  while (steps->len > n_steps)
    ghlo_step_free (g_ptr_array_steal_index (steps, steps->len - 1));
  for (guint i = 0; i < attempt->op->n_operands; i++)
    {
      GhloStepValue *value = ghlo_step_value (self, ghlo_ir_op_operand (attempt->op, i));

      if (value->dense_scope != NULL && value->dense.buffer >= n_buffers)
        value->dense_scope = NULL;
    }
  g_array_set_size (self->buffers, n_buffers);
}

static gpointer
prepare (const Attempt  *attempt,
         gsize          *scratch,
         GError        **error)
{
  const GhloView *results = attempt->views + attempt->n_operands;

  if (attempt->n_followers == 0)
    return attempt->kernel->prepare (attempt->op, attempt->views, results, scratch, error);

  return attempt->kernel->prepare_with (attempt->op, attempt->followers, attempt->n_followers, attempt->views, results,
                                        scratch, error);
}

static void
add_step (GhloStepBuilder *self,
          const Attempt   *attempt,
          gpointer         prepared,
          gsize            scratch)
{
  const GhloIrOp *op = attempt->op;
  GhloStep *step = ghlo_step_add (self, GHLO_STEP_COMPUTE, op, attempt->n_operands, op->n_results);

  step->kernel = attempt->kernel;
  step->prepared = prepared;
  step->followers = attempt->followers;
  step->n_followers = attempt->n_followers;
  memcpy (step->operands, attempt->operands, attempt->n_operands * sizeof (GhloStepOperand));
  memcpy (step->results, attempt->results, op->n_results * sizeof (GhloStepOperand));
  if (scratch > 0)
    step->scratch = ghlo_step_add_buffer (self, GHLO_STEP_BUFFER_TEMPORARY, 0, scratch);
  if (attempt->n_followers > 0)
    {
      const GhloIrValue *last = &attempt->followers[attempt->n_followers - 1].op->results[0];

      ghlo_step_bind (self, last, ghlo_step_dense_operand (self, attempt->results[0].buffer, last->type));
      return;
    }
  for (guint i = 0; i < op->n_results; i++)
    ghlo_step_bind (self, &op->results[i], attempt->results[i]);
}

static gboolean
try_kernel (GhloStepBuilder *self,
            Attempt         *attempt,
            gboolean        *built,
            GError         **error)
{
  guint n_steps = self->scope->steps->len, n_buffers = self->buffers->len;
  GError *problem = NULL;
  gpointer prepared = NULL;
  gsize scratch = 0;

  for (guint i = 0; i < attempt->op->n_operands; i++)
    give_operand (self, attempt, i);
  if (give_others (self, attempt))
    {
      give_results (self, attempt);
      prepared = prepare (attempt, &scratch, &problem);
    }
  *built = prepared != NULL;
  if (prepared != NULL)
    add_step (self, attempt, prepared, scratch);
  else
    take_back (self, attempt, n_steps, n_buffers);
  if (problem != NULL)
    g_propagate_error (error, problem);

  return problem == NULL;
}

gboolean
ghlo_step_build_implementation (GhloStepBuilder      *self,
                                const GhloIrOp       *op,
                                const GhloIrFollower *followers,
                                guint                 n_followers,
                                gboolean             *built,
                                GError              **error)
{
  Attempt attempt = { .op = op, .followers = followers, .n_followers = n_followers };
  guint n = attempt.n_operands = count_operands (&attempt);
  g_autofree GhloStepOperand *operands = g_new0 (GhloStepOperand, n + op->n_results + 1);
  g_autofree GhloView *views = g_new0 (GhloView, n + op->n_results + 1);

  attempt.operands = operands;
  attempt.results = operands + n;
  attempt.views = views;
  *built = FALSE;
  while (!*built && (attempt.kernel = self->target->find (op, attempt.kernel)) != NULL)
    if ((n_followers == 0 || attempt.kernel->prepare_with != NULL) && !try_kernel (self, &attempt, built, error))
      return FALSE;

  return TRUE;
}
