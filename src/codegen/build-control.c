/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making a plan: loops and branches.
 *
 * Each value that a loop carries has a buffer that its body reads, and, where the
 * body makes a new one, a buffer that the body writes; the two change places after
 * each iteration. A value that is written in place, or only handed on, has one.
 */

#include "codegen/build.h"

#include <string.h>

#include "ir/loop.h"

/* A value that is carried. */
typedef struct
{
  guint32  read, written;     /* buffers; written GHLO_CODE_NO_BUFFER where there is none */
  gboolean token;
} Carried;

static void
open_want (GhloCodeBuilder   *self,
           const GhloIrValue *value,
           guint32            buffer)
{
  if (!g_hash_table_contains (self->wanted, value))
    g_hash_table_insert (self->wanted, (gpointer) value, GUINT_TO_POINTER (buffer + 1));
}

static guint32
add_temporary (GhloCodeBuilder  *self,
               const GhloIrType *type)
{
  return ghlo_code_add_buffer (self, GHLO_CODE_BUFFER_TEMPORARY, 0, ghlo_code_type_size (type));
}

/* Whether the buffer under a value that is used here for the last time can carry it. */
static gboolean
can_take_over (GhloCodeBuilder     *self,
               const GhloCodeValue *value)
{
  const GhloCodeOperand *operand = &value->operand;

  return ghlo_code_buffer (self, operand->buffer)->kind == GHLO_CODE_BUFFER_TEMPORARY
         && ghlo_code_buffer_state (self, operand->buffer)->uses == 0
         && ghlo_code_buffer_state (self, operand->buffer)->scope == self->scope
         && ghlo_code_is_whole (self, operand);
}

/* Puts the first value of a carried one where the body reads it. */
static void
begin_carried (GhloCodeBuilder   *self,
               const GhloIrOp    *op,
               guint              index,
               Carried           *carried)
{
  const GhloIrValue *init = ghlo_ir_op_operand (op, index);
  GhloCodeValue *value = ghlo_code_value (self, init);
  GhloCodeOperand to;
  gboolean taken = FALSE;

  *carried = (Carried) { GHLO_CODE_NO_BUFFER, GHLO_CODE_NO_BUFFER, init->type->kind == GHLO_IR_TYPE_TOKEN };
  if (carried->token)
    return;
  /* The same value may be carried twice: only one of them may have its buffer. */
  for (guint i = 0; i < op->n_operands && !taken; i++)
    taken = i != index && ghlo_ir_op_operand (op, i) == init;
  if (!taken && can_take_over (self, value))
    {
      carried->read = value->operand.buffer;
      return;
    }
  carried->read = add_temporary (self, init->type);
  to = ghlo_code_dense_operand (self, carried->read, init->type);
  ghlo_code_add_copy (self, op, &value->operand, &to);
}

static void
bind_arguments (GhloCodeBuilder   *self,
                const GhloIrBlock *block,
                const Carried     *carried)
{
  for (guint i = 0; i < block->n_arguments; i++)
    ghlo_code_bind (self, block->arguments[i],
                    ghlo_code_dense_operand (self, carried[i].read, block->arguments[i]->type));
}

/* Whether the body hands its argument @index on as it is. */
static gboolean
is_handed_on (const GhloIrBlock *body,
              guint              index)
{
  return ghlo_ir_op_operand (body->last, index) == body->arguments[index];
}

/* Makes the buffers that the body writes, and has its results written there. */
static void
want_results (GhloCodeBuilder   *self,
              const GhloIrBlock *body,
              Carried           *carried)
{
  for (guint i = 0; i < body->n_arguments; i++)
    {
      const GhloIrValue *result = ghlo_ir_op_operand (body->last, i);

      if (carried[i].token || is_handed_on (body, i))
        continue;
      carried[i].written = add_temporary (self, result->type);
      if (result->op != NULL && result->op->block == body)
        open_want (self, result, carried[i].written);
    }
}

/* At the body's end: each result in the buffer where the next iteration reads it,
 * after those that are elsewhere were copied. */
static void
end_iteration (GhloCodeBuilder   *self,
               const GhloIrBlock *body,
               Carried           *carried,
               GArray            *exchanges)
{
  for (guint i = 0; i < body->n_arguments; i++)
    {
      const GhloIrValue *result = ghlo_ir_op_operand (body->last, i);
      GhloCodeOperand to;
      const GhloCodeOperand *from;

      if (carried[i].written == GHLO_CODE_NO_BUFFER)
        continue;
      from = &ghlo_code_value (self, result)->operand;
      if (from->buffer == carried[i].read && ghlo_code_is_whole (self, from))
        continue;
      to = ghlo_code_dense_operand (self, carried[i].written, result->type);
      if (from->buffer != carried[i].written || !ghlo_code_is_whole (self, from))
        ghlo_code_add_copy (self, body->last, from, &to);
      g_array_append_val (exchanges, ((GhloCodeExchange) { carried[i].read, carried[i].written }));
    }
  ghlo_code_use_operands (self, body->last);
}

static gboolean
build_condition (GhloCodeBuilder  *self,
                 const GhloIrOp   *op,
                 const Carried    *carried,
                 GhloCodeBody     *body,
                 GError          **error)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);
  const GhloIrValue *predicate = ghlo_ir_op_operand (block->last, 0);

  ghlo_code_open_scope (self, TRUE);
  bind_arguments (self, block, carried);
  if (!ghlo_code_build_block (self, block, error))
    return FALSE;
  body->result = ghlo_code_value (self, predicate)->operand;
  ghlo_code_touch (self, body->result.buffer);
  ghlo_code_use_operands (self, block->last);
  ghlo_code_close_scope (self, body);

  return TRUE;
}

static gboolean
build_while (GhloCodeBuilder  *self,
             const GhloIrOp   *op,
             GError          **error)
{
  const GhloIrBlock *body = ghlo_ir_op_region_block (op, 1);
  g_autofree Carried *carried = g_new0 (Carried, op->n_operands + 1);
  g_autoptr (GArray) exchanges = g_array_new (FALSE, FALSE, sizeof (GhloCodeExchange));
  GhloIrCountedLoop counted;
  GhloCodeStep *step;

  ghlo_code_use_operands (self, op);
  for (guint i = 0; i < op->n_operands; i++)
    begin_carried (self, op, i, &carried[i]);
  step = ghlo_code_add_step (self, GHLO_CODE_STEP_LOOP, op, 0, 0);
  step->bodies = g_new0 (GhloCodeBody, 2);
  step->n_bodies = 2;
  step->trips = ghlo_ir_counted_loop (op, &counted) && counted.start_known ? counted.trips : -1;
  want_results (self, body, carried);
  for (guint i = 0; i < op->n_operands; i++)
    ghlo_code_touch (self, carried[i].read);

  if (step->trips < 0 && !build_condition (self, op, carried, &step->bodies[0], error))
    return FALSE;
  ghlo_code_open_scope (self, TRUE);
  bind_arguments (self, body, carried);
  if (!ghlo_code_build_block (self, body, error))
    return FALSE;
  end_iteration (self, body, carried, exchanges);
  /* What is carried lives for all of the loop, whether the body uses it or not. */
  for (guint i = 0; i < op->n_operands; i++)
    {
      ghlo_code_touch (self, carried[i].read);
      ghlo_code_touch (self, carried[i].written);
    }
  ghlo_code_close_scope (self, &step->bodies[1]);

  g_array_append_vals (self->pairs, exchanges->data, exchanges->len);
  step->n_exchanges = exchanges->len;
  step->exchanges = (GhloCodeExchange *) g_array_free (g_steal_pointer (&exchanges), FALSE);
  for (guint i = 0; i < op->n_results; i++)
    ghlo_code_bind (self, &op->results[i], ghlo_code_dense_operand (self, carried[i].read, op->results[i].type));

  return TRUE;
}

/* A branch's results, in the buffers that all branches write. */
static gboolean
build_branch_body (GhloCodeBuilder        *self,
                   const GhloIrBlock      *block,
                   const GhloCodeOperand  *results,
                   GhloCodeBody           *body,
                   GError                **error)
{
  ghlo_code_open_scope (self, FALSE);
  for (guint i = 0; i < block->last->n_operands; i++)
    {
      const GhloIrValue *value = ghlo_ir_op_operand (block->last, i);

      if (results[i].buffer != GHLO_CODE_NO_BUFFER && value->op != NULL && value->op->block == block)
        open_want (self, value, results[i].buffer);
    }
  if (!ghlo_code_build_block (self, block, error))
    return FALSE;
  for (guint i = 0; i < block->last->n_operands; i++)
    {
      const GhloCodeOperand *from = &ghlo_code_value (self, ghlo_ir_op_operand (block->last, i))->operand;

      if (results[i].buffer != GHLO_CODE_NO_BUFFER
          && (from->buffer != results[i].buffer || !ghlo_code_is_whole (self, from)))
        ghlo_code_add_copy (self, block->last, from, &results[i]);
    }
  ghlo_code_use_operands (self, block->last);
  ghlo_code_close_scope (self, body);

  return TRUE;
}

static gboolean
build_branch (GhloCodeBuilder  *self,
              const GhloIrOp   *op,
              GError          **error)
{
  g_autofree GhloCodeOperand *results = g_new0 (GhloCodeOperand, op->n_results + 1);
  GhloCodeStep *step;

  for (guint i = 0; i < op->n_results; i++)
    results[i] = ghlo_code_add_result (self, &op->results[i]);
  step = ghlo_code_add_step (self, GHLO_CODE_STEP_BRANCH, op, 1, op->n_results);
  step->operands[0] = ghlo_code_value (self, ghlo_ir_op_operand (op, 0))->operand;
  memcpy (step->results, results, op->n_results * sizeof *results);
  step->bodies = g_new0 (GhloCodeBody, MAX (op->n_regions, 1));
  step->n_bodies = op->n_regions;
  ghlo_code_touch_step (self, step);
  ghlo_code_use_operands (self, op);

  for (guint i = 0; i < op->n_regions; i++)
    if (!build_branch_body (self, ghlo_ir_op_region_block (op, i), results, &step->bodies[i], error))
      return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    {
      ghlo_code_touch (self, results[i].buffer);
      ghlo_code_bind (self, &op->results[i], results[i]);
    }

  return TRUE;
}

gboolean
ghlo_code_build_control (GhloCodeBuilder  *self,
                         const GhloIrOp   *op,
                         gboolean         *built,
                         GError          **error)
{
  *built = TRUE;
  if (op->kind == GHLO_OP_STABLEHLO_WHILE)
    return build_while (self, op, error);
  if (op->kind == GHLO_OP_STABLEHLO_IF || op->kind == GHLO_OP_STABLEHLO_CASE)
    return build_branch (self, op, error);
  *built = FALSE;

  return TRUE;
}
