/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rules about tuples, tokens, branches, and operations that return their operand.
 */

#include "passes/canonicalize.h"

#include "passes/constant.h"
#include "passes/walk.h"

static gboolean
element_of_tuple (GhloRewriter *self,
                  GhloIrOp     *op)
{
  const GhloIrOp *tuple = ghlo_ir_op_operand (op, 0)->op;
  gint64 index = ghlo_ir_op_get_int (op, "index", -1);

  return tuple != NULL && tuple->kind == GHLO_OP_STABLEHLO_TUPLE && index >= 0 && index < tuple->n_operands
         && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (tuple, (guint) index));
}

/* A tuple made of all elements of another tuple, in order. */
static gboolean
tuple_of_elements (GhloRewriter *self,
                   GhloIrOp     *op)
{
  GhloIrValue *whole = NULL;

  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloIrOp *element = ghlo_ir_op_operand (op, i)->op;

      if (element == NULL || element->kind != GHLO_OP_STABLEHLO_GET_TUPLE_ELEMENT
          || ghlo_ir_op_get_int (element, "index", -1) != i
          || (whole != NULL && ghlo_ir_op_operand (element, 0) != whole))
        return FALSE;
      whole = ghlo_ir_op_operand (element, 0);
    }

  return whole != NULL && ghlo_rewrite_replace (self, op, whole);
}

/* The value that branch @index returns as result @result; NULL where there is none. */
static GhloIrValue *
returned (const GhloIrOp *op,
          guint           index,
          guint           result)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, index);
  const GhloIrOp *terminator = block != NULL ? ghlo_pass_terminator (block) : NULL;

  return terminator != NULL && result < terminator->n_operands ? ghlo_ir_op_operand (terminator, result) : NULL;
}

/* A result for which every branch returns the same value from outside is that value. */
static gboolean
branches_return_same (GhloRewriter *self,
                      GhloIrOp     *op)
{
  gboolean changed = FALSE;

  for (guint i = 0; i < op->n_results; i++)
    {
      GhloIrValue *value = op->n_regions > 0 && op->results[i].uses != NULL ? returned (op, 0, i) : NULL;

      if (value == NULL || value->type != op->results[i].type || ghlo_pass_is_inside (value, op))
        continue;
      for (guint j = 1; j < op->n_regions && value != NULL; j++)
        value = returned (op, j, i) == value ? value : NULL;
      if (value == NULL)
        continue;
      for (const GhloIrUse *use = op->results[i].uses; use != NULL; use = use->next)
        ghlo_rewrite_again (self, use->op);
      ghlo_ir_value_replace (&op->results[i], value);
      changed = TRUE;
    }

  return changed;
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_GET_TUPLE_ELEMENT, element_of_tuple },
  { GHLO_OP_STABLEHLO_TUPLE, tuple_of_elements },
  /* after_all of one token is that token; a sharding constraint or a cast keeps the elements. */
  { GHLO_OP_STABLEHLO_AFTER_ALL, ghlo_rewrite_to_operand },
  { GHLO_OP_SDY_SHARDING_CONSTRAINT, ghlo_rewrite_to_operand },
  { GHLO_OP_BUILTIN_UNREALIZED_CONVERSION_CAST, ghlo_rewrite_to_operand },
  { GHLO_OP_TENSOR_CAST, ghlo_rewrite_to_operand },
  { GHLO_OP_STABLEHLO_IF, branches_return_same },
  { GHLO_OP_STABLEHLO_CASE, branches_return_same },
};

const GhloRuleGroup ghlo_canonicalize_structure = { rows, G_N_ELEMENTS (rows) };
