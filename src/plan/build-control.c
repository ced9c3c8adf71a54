/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Building a plan: loops, branches and calls.
 *
 * Each value that a loop carries has a buffer that the body reads and one that it writes; the two are swapped after
 * each iteration. A value that the body returns unchanged stays where it was before the loop. Carried values, and
 * results of branches, are in the memory of the device that is expected to compute them. Predicates of loops and
 * indices of branches are in the host's memory, except for branches that a device selects. A call is replaced by the
 * operations of its function.
 */

#include "plan/build.h"

#include <math.h>

#include "ir/loop.h"

/* The number of operations that are followed to find what computes a value. */
enum { MAX_FOLLOWED = 64 };

/* The maximum number of steps of the branches that are not taken, if a device selects the branch and skips them; with
 * more, it is faster to let the host wait. Waiting took 13 µs on a server's card, a skipped step 1 to 2 µs. */
enum { MAX_SKIPPED_STEPS = 16 };

/* A carried value; a buffer is GHLO_STEP_NONE for a token, and where nothing is written. */
typedef struct
{
  GhloStepOperand read, written;
} Carried;

gboolean
(ghlo_step_unsupported) (const GhloIrOp *op,
                         const char     *reason,
                         GError        **error)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "%s cannot be planned: %s", ghlo_ir_op_get_name (op), reason);

  return FALSE;
}

/* Binds the block's arguments to the buffers of carried values. */
static void
bind_arguments (GhloStepBuilder   *self,
                const GhloIrBlock *block,
                const Carried     *carried)
{
  for (guint i = 0; i < block->n_arguments; i++)
    ghlo_step_bind (self, block->arguments[i], carried[i].read);
}

static const GhloIrBlock *
find_callee (const GhloIrOp   *op,
             const GhloIrAttr *callee)
{
  const GhloIrOp *function = callee != NULL ? ghlo_ir_op_find_symbol (op, callee->text) : NULL;
  const GhloIrBlock *body = function != NULL && function->kind == GHLO_OP_FUNC_FUNC ? ghlo_ir_func_get_body (function)
                                                                                    : NULL;

  return body != NULL && function->regions[0].first == function->regions[0].last ? body : NULL;
}

/* The block that computes @op's results; NULL where there is none. */
static const GhloIrBlock *
find_block (const GhloIrOp *op)
{
  switch (op->kind)
    {
    case GHLO_OP_STABLEHLO_WHILE:
      return ghlo_ir_op_region_block (op, 1);
    case GHLO_OP_STABLEHLO_IF:
    case GHLO_OP_STABLEHLO_CASE:
      return ghlo_ir_op_region_block (op, 0);
    case GHLO_OP_FUNC_CALL:
      return find_callee (op, ghlo_ir_op_get (op, "callee"));
    case GHLO_OP_STABLEHLO_COMPOSITE:
      return find_callee (op, ghlo_ir_op_get (op, "decomposition"));
    default:
      return NULL;
    }
}

/* The memory of the device that is expected to compute @value, which need not be built yet; @otherwise where no
 * operation computes it. A wrong guess costs a transfer. */
static guint32
expect_space (const GhloStepBuilder *self,
              const GhloIrValue     *value,
              guint32                otherwise)
{
  for (guint n = 0; self->plan->n_arenas > 1 && value->op != NULL && n < MAX_FOLLOWED; n++)
    {
      const GhloIrBlock *block = find_block (value->op);

      if (ghlo_step_is_placed (self, value->op))
        return self->plan->host;
      if (block != NULL)
        value = ghlo_ir_op_operand (block->last, value->index);
      else if (value->op->kind == GHLO_OP_STABLEHLO_CONSTANT)
        return otherwise;
      else if (ghlo_step_is_view (value->op))
        value = ghlo_ir_op_operand (value->op, 0);
      else
        {
          GhloDeviceCore *target = ghlo_step_find_target (self, value->op);

          return target != NULL ? ghlo_step_target_space (self->plan, target) : self->plan->host;
        }
    }

  return otherwise;
}

/* Whether the body reads carried value @index, which it returns unchanged, directly from where it is. A value that is
 * not dense is copied once instead, since steps of the body might copy it in each iteration. A counter that nothing
 * reads stays as it is. */
static gboolean
keeps_initial_buffer (const GhloIrBlock     *body,
                      guint                  index,
                      const GhloStepOperand *init)
{
  const GhloIrValue *next = ghlo_ir_op_operand (body->last, index);

  if (next->op != NULL && ghlo_ir_counts_only (next->op))
    return TRUE;

  return next == body->arguments[index]
         && (init->buffer == GHLO_STEP_NONE || ghlo_step_is_dense (init));
}

/* Copies the initial value of each carried value to where the body reads it, and adds the buffers that the
 * body writes. */
static void
begin_loop (GhloStepBuilder   *self,
            const GhloIrOp    *op,
            const GhloIrBlock *body,
            Carried           *carried)
{
  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloStepValue *init = ghlo_step_value (self, ghlo_ir_op_operand (op, i));
      const GhloIrValue *next = ghlo_ir_op_operand (body->last, i);
      guint32 space = expect_space (self, next, ghlo_step_get_space (self, &init->operand));

      carried[i] = (Carried) { init->operand, ghlo_step_dense_operand (self, GHLO_STEP_NONE, init->type) };
      if (keeps_initial_buffer (body, i, &init->operand))
        continue;
      carried[i].read = ghlo_step_add_result (self, init->type, space);
      if (next != body->arguments[i])
        carried[i].written = ghlo_step_add_result (self, init->type, space);
      if (carried[i].read.buffer != GHLO_STEP_NONE)
        ghlo_step_add_copy (self, &init->operand, &carried[i].read);
    }
}

/* At the end of the body, copies each result to the buffer that is swapped. */
static void
end_iteration (GhloStepBuilder   *self,
               const GhloIrBlock *body,
               const Carried     *carried,
               GhloStep          *step)
{
  step->swaps = ghlo_ir_arena_alloc (&self->plan->arena, body->n_arguments * sizeof (GhloBufferSwap));
  for (guint i = 0; i < body->n_arguments; i++)
    if (carried[i].written.buffer != GHLO_STEP_NONE)
      {
        ghlo_step_add_copy (self, &ghlo_step_value (self, ghlo_ir_op_operand (body->last, i))->operand,
                            &carried[i].written);
        step->swaps[step->n_swaps++] =
          (GhloBufferSwap) { carried[i].read.buffer, carried[i].written.buffer };
      }
}

static gboolean
build_condition (GhloStepBuilder *self,
                 const GhloIrOp  *op,
                 const Carried   *carried,
                 guint32          n_before,
                 GhloStepBody    *body,
                 GError         **error)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);

  ghlo_step_open_scope (self, n_before, TRUE);
  bind_arguments (self, block, carried);
  if (!ghlo_step_build_ops (self, block->first, error))
    return FALSE;
  body->result = ghlo_step_materialize (self, ghlo_step_value (self, ghlo_ir_op_operand (block->last, 0)), 0, FALSE);
  ghlo_step_close_scope (self, body);

  return TRUE;
}

static gboolean
build_while (GhloStepBuilder *self,
             const GhloIrOp  *op,
             GError         **error)
{
  const GhloIrBlock *body = ghlo_ir_op_region_block (op, 1);
  g_autofree Carried *carried = g_new0 (Carried, op->n_operands + 1);
  guint32 n_before = self->buffers->len;
  GhloIrCountedLoop counted;
  GhloStep *step;

  begin_loop (self, op, body, carried);
  step = ghlo_step_add (self, GHLO_STEP_LOOP, op, 0, 0);
  step->bodies = ghlo_ir_arena_alloc (&self->plan->arena, 2 * sizeof (GhloStepBody));
  step->n_bodies = 2;
  if (ghlo_ir_counted_loop (op, &counted) && counted.start_known)
    step->trips = counted.trips;

  if (step->trips < 0 && !build_condition (self, op, carried, n_before, &step->bodies[0], error))
    return FALSE;
  ghlo_step_open_scope (self, n_before, TRUE);
  bind_arguments (self, body, carried);
  if (!ghlo_step_build_ops (self, body->first, error))
    return FALSE;
  end_iteration (self, body, carried, step);
  ghlo_step_close_scope (self, &step->bodies[1]);

  for (guint i = 0; i < op->n_results; i++)
    ghlo_step_bind (self, &op->results[i], carried[i].read);

  return TRUE;
}

/* Builds a branch and copies its results to the buffers that all branches write. */
static gboolean
build_branch_body (GhloStepBuilder       *self,
                   const GhloIrBlock     *block,
                   const GhloStepOperand *results,
                   guint32                n_before,
                   GhloStepBody          *body,
                   GError               **error)
{
  ghlo_step_open_scope (self, n_before, FALSE);
  if (!ghlo_step_build_ops (self, block->first, error))
    return FALSE;
  for (guint i = 0; i < block->last->n_operands; i++)
    if (results[i].buffer != GHLO_STEP_NONE)
      ghlo_step_add_copy (self, &ghlo_step_value (self, ghlo_ir_op_operand (block->last, i))->operand, &results[i]);
  ghlo_step_close_scope (self, body);

  return TRUE;
}

/* The state of a search for a device that can select the branch. */
typedef struct
{
  const GhloStepBuilder *builder;
  guint32                n_before;      /* buffers with lower numbers existed before the branch */
  GhloDeviceCore  *target;        /* the target of all steps; NULL before the first one */
} Choice;

/* Whether @target records steps, can select branches, and is the target of all previous steps. */
static gboolean
may_choose (Choice         *self,
            GhloDeviceCore *target)
{
  if (target == NULL || target->command_buffers == NULL || target->command_buffers->select_branch == NULL
      || (self->target != NULL && self->target != target))
    return FALSE;
  self->target = target;

  return TRUE;
}

/* Whether @step is a copy of a value computed in the branch, which coalesce.c will mostly remove. */
static gboolean
is_forwarding_copy (const Choice   *self,
                    const GhloStep *step)
{
  guint32 from = step->op == NULL ? step->operands[0].buffer : 0;

  return from >= self->n_before
         && g_array_index (self->builder->buffers, GhloStepBuffer, from).kind == GHLO_STEP_BUFFER_TEMPORARY;
}

/* The number of steps to skip, each counted as often as it runs; INFINITY where the host has to handle one. */
static double
count_steps (Choice             *self,
             const GhloStepBody *body)
{
  double n = 0;

  for (guint i = 0; i < body->n_steps; i++)
    {
      const GhloStep *step = body->steps[i];

      if (step->kind == GHLO_STEP_LOOP)
        n += step->trips >= 0 ? (double) step->trips * count_steps (self, &step->bodies[1]) : INFINITY;
      else if (!may_choose (self, step->target))
        return INFINITY;
      else
        n += !is_forwarding_copy (self, step);
      for (guint k = 0; step->kind == GHLO_STEP_BRANCH && k < step->n_bodies; k++)
        n += count_steps (self, &step->bodies[k]);
    }

  return n;
}

/* The target that selects among the bodies of @branch, which are built already; NULL: the host does. */
static GhloDeviceCore *
find_chooser (const GhloStepBuilder *self,
              const GhloStep        *branch,
              guint32                n_before)
{
  Choice choice = { self, n_before, NULL };
  double all = 0, least = INFINITY;

  for (guint i = 0; i < branch->n_bodies; i++)
    {
      double n = count_steps (&choice, &branch->bodies[i]);

      all += n;
      least = MIN (least, n);
    }

  return isfinite (all) && all - least <= MAX_SKIPPED_STEPS ? choice.target : NULL;
}

/* Brings the index to the device that selects. The steps for that are inserted before @step, which was
 * added already. */
static void
materialize_index (GhloStepBuilder *self,
                   GhloStep        *step,
                   guint32          n_before)
{
  GhloStepValue *index = ghlo_step_value (self, ghlo_ir_op_operand (step->op, 0));
  guint32 space = 0;

  step->target = find_chooser (self, step, n_before);
  if (step->target != NULL)
    space = ghlo_step_target_space (self->plan, step->target);
  if (ghlo_step_get_space (self, &index->operand) != space)
    {
      step->target = NULL;
      space = 0;
    }
  g_ptr_array_set_size (self->scope->steps, (int) self->scope->steps->len - 1);
  step->operands[0] = ghlo_step_materialize (self, index, space, FALSE);
  g_ptr_array_add (self->scope->steps, step);
}

static gboolean
build_branch (GhloStepBuilder *self,
              const GhloIrOp  *op,
              GError         **error)
{
  GhloStep *step = ghlo_step_add (self, GHLO_STEP_BRANCH, op, 1, op->n_results);
  guint32 n_before = self->buffers->len;

  for (guint i = 0; i < op->n_results; i++)
    {
      step->results[i] = ghlo_step_add_result (self, op->results[i].type,
                                               expect_space (self, &op->results[i], self->plan->io_arena));
      ghlo_step_bind (self, &op->results[i], step->results[i]);
    }
  step->bodies = ghlo_ir_arena_alloc (&self->plan->arena, op->n_regions * sizeof (GhloStepBody));
  step->n_bodies = op->n_regions;
  for (guint i = 0; i < op->n_regions; i++)
    if (!build_branch_body (self, ghlo_ir_op_region_block (op, i), step->results, n_before, &step->bodies[i], error))
      return FALSE;
  materialize_index (self, step, n_before);

  return TRUE;
}

gboolean
ghlo_step_build_called (GhloStepBuilder   *self,
                        const GhloIrOp    *op,
                        const GhloIrBlock *body,
                        GError           **error)
{
  self->depth++;
  for (guint i = 0; i < body->n_arguments; i++)
    ghlo_step_bind_same (self, body->arguments[i], ghlo_step_value (self, ghlo_ir_op_operand (op, i)));
  if (!ghlo_step_build_ops (self, body->first, error))
    return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    ghlo_step_bind_same (self, &op->results[i], ghlo_step_value (self, ghlo_ir_op_operand (body->last, i)));
  self->depth--;

  return TRUE;
}

static gboolean
build_call (GhloStepBuilder *self,
            const GhloIrOp  *op,
            GError         **error)
{
  const GhloIrBlock *body = find_block (op);

  if (body == NULL)
    return ghlo_step_unsupported (op, "its callee is not in the module, or does not have a body of exactly one block",
                                  error);

  return ghlo_step_build_called (self, op, body, error);
}

gboolean
ghlo_step_is_control (GhloIrOpKind kind)
{
  return kind == GHLO_OP_STABLEHLO_WHILE || kind == GHLO_OP_STABLEHLO_IF || kind == GHLO_OP_STABLEHLO_CASE
         || kind == GHLO_OP_FUNC_CALL || kind == GHLO_OP_STABLEHLO_COMPOSITE;
}

gboolean
ghlo_step_build_control (GhloStepBuilder *self,
                         const GhloIrOp  *op,
                         gboolean        *built,
                         GError         **error)
{
  *built = TRUE;
  switch (op->kind)
    {
    case GHLO_OP_STABLEHLO_WHILE:
      return build_while (self, op, error);
    case GHLO_OP_STABLEHLO_IF:
    case GHLO_OP_STABLEHLO_CASE:
      return build_branch (self, op, error);
    case GHLO_OP_FUNC_CALL:
    case GHLO_OP_STABLEHLO_COMPOSITE:
      return build_call (self, op, error);
    default:
      *built = FALSE;
      return TRUE;
    }
}
