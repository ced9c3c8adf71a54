/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Replaces a branch whose selector is constant by the selected region, and a loop whose condition is false at entry by
 * its initial values.
 */

#include "passes/fold.h"

#include "passes/constant.h"
#include "passes/effects.h"
#include "passes/walk.h"

/* The maximum number of operations of a condition that are evaluated at compile time. */
enum { MAX_CONDITION = 64 };

/* Replaces @op by the operations of @block. */
static gboolean
become_block (GhloFolding        *self,
              GhloIrOp           *op,
              GhloIrBlock        *block)
{
  const GhloIrOp *terminator = block != NULL ? ghlo_pass_terminator (block) : NULL;

  if (block == NULL || (terminator == NULL && op->n_results > 0)
      || (terminator != NULL && terminator->n_operands != op->n_results))
    return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (ghlo_ir_op_operand (terminator, i)->type != op->results[i].type)
      return FALSE;

  terminator = ghlo_pass_splice (block, op, NULL);
  for (guint i = 0; i < op->n_results; i++)
    ghlo_ir_value_replace (&op->results[i], ghlo_ir_op_operand (terminator, i));
  ghlo_pass_erase (op);
  self->context->n_changes++;

  return TRUE;
}

/* An index out of range selects the last branch. The first region of "if" is the true one. */
static gboolean
fold_branch (GhloFolding *self,
             GhloIrOp    *op)
{
  GhloScalar scalar = { 0 };
  guint region;

  if (!ghlo_value_get_splat (ghlo_ir_op_operand (op, 0), &scalar) && op->n_regions != 1)
    return FALSE;
  if (op->kind == GHLO_OP_STABLEHLO_IF)
    region = scalar.i ? 0 : 1;
  else
    region = scalar.i >= 0 && scalar.i < op->n_regions ? (guint) scalar.i : op->n_regions - 1;

  return become_block (self, op, ghlo_ir_op_region_block (op, region));
}

/* The value at loop entry of a value of the condition; NULL when it is not known. */
static const GhloIrAttr *
known_value (const GhloIrOp    *loop,
             const GhloIrBlock *condition,
             GhloIrValue       *value,
             GHashTable        *known)
{
  if (value->op == NULL && value->block == condition)
    value = ghlo_ir_op_operand (loop, value->index);
  if (value->op != NULL && value->op->block == condition && value->op->kind != GHLO_OP_STABLEHLO_CONSTANT)
    return g_hash_table_lookup (known, value);

  return ghlo_value_get_dense (value);
}

/* Evaluates @op where possible and adds the result to @known. FALSE only when cancelled. */
static gboolean
know_op (GhloFolding    *self,
         const GhloIrOp *loop,
         GhloIrOp       *op,
         GHashTable     *known,
         GError        **error)
{
  g_autofree const GhloIrAttr **operands = g_new (const GhloIrAttr *, op->n_operands + 1);
  g_autoptr (GPtrArray) results = g_ptr_array_new ();
  GError *cancelled = NULL;

  if (op->n_results != 1 || op->n_operands == 0 || !ghlo_type_is_plain (op->results[0].type))
    return TRUE;
  for (guint i = 0; i < op->n_operands; i++)
    if ((operands[i] = known_value (loop, op->block, ghlo_ir_op_operand (op, i), known)) == NULL)
      return TRUE;
  if (ghlo_fold_evaluate (self, op, operands, results, &cancelled))
    g_hash_table_insert (known, &op->results[0], g_ptr_array_index (results, 0));
  if (cancelled == NULL)
    return TRUE;
  g_propagate_error (error, cancelled);

  return FALSE;
}

static gboolean
fold_loop (GhloFolding  *self,
           GhloIrOp     *op,
           GError      **error)
{
  GhloIrBlock *condition = ghlo_ir_op_region_block (op, 0);
  const GhloIrOp *terminator = condition != NULL ? ghlo_pass_terminator (condition) : NULL;
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  const GhloIrAttr *value;
  guint n = 0;

  if (terminator == NULL || terminator->n_operands != 1)
    return FALSE;
  for (GhloIrOp *inner = condition->first; inner != terminator; inner = inner->next)
    if (++n > MAX_CONDITION || !ghlo_pass_is_pure (inner, NULL) || !know_op (self, op, inner, known, error))
      return FALSE;
  value = known_value (op, condition, ghlo_ir_op_operand (terminator, 0), known);
  if (value == NULL || value->dense.n_elements != 1 || ghlo_ir_dense_get (value, 0).i != 0)
    return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (op->results[i].type != ghlo_ir_op_operand (op, i)->type)
      return FALSE;

  for (guint i = 0; i < op->n_results; i++)
    ghlo_ir_value_replace (&op->results[i], ghlo_ir_op_operand (op, i));
  ghlo_pass_erase (op);
  self->context->n_changes++;

  return TRUE;
}

gboolean
ghlo_fold_control (GhloFolding  *self,
                   GhloIrOp     *op,
                   GError      **error)
{
  return op->kind == GHLO_OP_STABLEHLO_WHILE ? fold_loop (self, op, error) : fold_branch (self, op);
}
