/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "passes/dot/dot.h"

#include "passes/constant.h"

static const char *const batch_fields[] = { "lhs_batching_dimensions", "rhs_batching_dimensions" };
static const char *const contracting_fields[] = { "lhs_contracting_dimensions", "rhs_contracting_dimensions" };

gboolean
ghlo_dot_read (const GhloIrOp *op,
               GhloDot        *dot)
{
  const GhloIrAttr *numbers;

  if (op == NULL || op->kind != GHLO_OP_STABLEHLO_DOT_GENERAL || !ghlo_type_is_plain (op->results[0].type)
      || !ghlo_type_is_plain (ghlo_ir_op_operand (op, 0)->type)
      || !ghlo_type_is_plain (ghlo_ir_op_operand (op, 1)->type))
    return FALSE;
  numbers = ghlo_ir_op_get (op, "dot_dimension_numbers");
  *dot = (GhloDot) { .operands = { ghlo_ir_op_operand (op, 0), ghlo_ir_op_operand (op, 1) } };
  for (guint side = GHLO_DOT_LHS; side <= GHLO_DOT_RHS; side++)
    {
      gsize n_batch, n_contracting;
      const gint64 *batch = ghlo_ir_struct_get_dims (numbers, batch_fields[side], &n_batch);
      const gint64 *contracting = ghlo_ir_struct_get_dims (numbers, contracting_fields[side], &n_contracting);

      for (gsize i = 0; i < n_batch; i++)
        dot->batch[side][i] = batch[i];
      for (gsize i = 0; i < n_contracting; i++)
        dot->contracting[side][i] = contracting[i];
      dot->n_batch = n_batch;
      dot->n_contracting = n_contracting;
    }

  return TRUE;
}

gboolean
ghlo_dot_is_free (const GhloDot *dot,
                  guint          side,
                  gint64         dimension)
{
  return !ghlo_dims_contain (dot->batch[side], dot->n_batch, dimension)
         && !ghlo_dims_contain (dot->contracting[side], dot->n_contracting, dimension);
}

guint
ghlo_dot_n_free (const GhloDot *dot,
                 guint          side)
{
  return dot->operands[side]->type->rank - dot->n_batch - dot->n_contracting;
}
