/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies tuples, casts between static and dynamic shapes, and the check operations that StableHLO's own tests use.
 */

#include "ir/verify/common.h"

gboolean
ghlo_ir_verify_tuple (GhloIrVerifier *verifier,
                      const GhloIrOp *op)
{
  const GhloIrType *tuple = ghlo_ir_result_type (op, 0);

  if (tuple->rank != op->n_operands)
    return ghlo_ir_verify_fail (verifier, op, "expected a tuple of %u members, one for each operand, found %u",
                                op->n_operands, tuple->rank);
  for (guint i = 0; i < op->n_operands; i++)
    if (tuple->members[i] != ghlo_ir_operand_type (op, i))
      return ghlo_ir_verify_fail_type (verifier, op, "a member of the operand's type,",
                                       ghlo_ir_operand_type (op, i), tuple->members[i]);

  return TRUE;
}

gboolean
ghlo_ir_verify_get_tuple_element (GhloIrVerifier *verifier,
                                  const GhloIrOp *op)
{
  const GhloIrType *tuple = ghlo_ir_operand_type (op, 0);
  gint64 index = ghlo_ir_op_get_int (op, "index", 0);

  return ghlo_ir_verify_dim_in_range (verifier, op, "index", index, tuple->rank)
         && ghlo_ir_verify_inferred_type (verifier, op, 0, tuple->members[index]);
}

gboolean
ghlo_ir_verify_tensor_cast (GhloIrVerifier *verifier,
                            const GhloIrOp *op)
{
  const GhloIrType *source = ghlo_ir_operand_type (op, 0);
  const GhloIrType *dest = ghlo_ir_result_type (op, 0);

  if (ghlo_ir_same_element (source, dest) && ghlo_ir_shapes_compatible (source, dest))
    return TRUE;

  return ghlo_ir_verify_fail_type (verifier, op, "a result that is statically or dynamically shaped like", source,
                                   dest);
}

/* Verifies check.expect_eq_const and similar operations: the constant has the operand's type or that of its storage. */
gboolean
ghlo_ir_verify_expect_const (GhloIrVerifier *verifier,
                             const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *value = ghlo_ir_op_get (op, "value")->type;

  if (value == operand)
    return TRUE;
  if (operand->quantization != NULL && operand->kind == value->kind && value->quantization == NULL
      && operand->quantization->storage == value->element_type && ghlo_ir_shapes_compatible (operand, value))
    return TRUE;

  return ghlo_ir_verify_fail_type (verifier, op, "a value of the operand's type,", operand, value);
}
