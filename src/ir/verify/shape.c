/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies operations of MLIR's dialect "shape" by that dialect's rules: a shape is a vector of index or
 * !shape.shape, a size is an index or !shape.size. Values of the dialect's own types may be errors, so results
 * computed from them must have such types too.
 */

#include "ir/verify/common.h"

static gboolean
is_own_type (const GhloIrType *type,
             const char       *name)
{
  return type->kind == GHLO_IR_TYPE_OPAQUE && g_str_equal (type->text, name);
}

static gboolean
is_extents (const GhloIrType *type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR && type->rank == 1 && type->quantization == NULL
         && type->element_type == GHLO_ELEMENT_TYPE_INDEX;
}

static gboolean
fail_found (GhloIrVerifier   *verifier,
            const GhloIrOp   *op,
            const char       *expected,
            const GhloIrType *type)
{
  g_autofree char *found = ghlo_ir_type_to_string (type);

  return ghlo_ir_verify_fail (verifier, op, "expected %s, found %s", expected, found);
}

/* Checks that every operand is a shape. */
static gboolean
operands_are_shapes (GhloIrVerifier *verifier,
                     const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (!is_extents (ghlo_ir_operand_type (op, i)) && !is_own_type (ghlo_ir_operand_type (op, i), "shape.shape"))
      return fail_found (verifier, op, "tensor<?xindex> or !shape.shape as each operand",
                         ghlo_ir_operand_type (op, i));

  return TRUE;
}

static gboolean
has_own_operand (const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (ghlo_ir_operand_type (op, i)->kind == GHLO_IR_TYPE_OPAQUE)
      return TRUE;

  return FALSE;
}

/* Checks that the result is a shape of @n dimensions (-1 if unknown). */
static gboolean
result_is_shape (GhloIrVerifier *verifier,
                 const GhloIrOp *op,
                 gint64          n)
{
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  GhloIrShape shape;

  if (is_own_type (result, "shape.shape"))
    return TRUE;
  if (has_own_operand (op))
    return fail_found (verifier, op, "a result of type !shape.shape, as an operand has a type of 'shape'", result);
  if (!is_extents (result))
    return fail_found (verifier, op, "a result of type tensor<?xindex> or !shape.shape", result);

  ghlo_ir_shape_init (&shape, 1);
  shape.dimensions[0] = n;

  return ghlo_ir_verify_inferred (verifier, op, 0, &shape, NULL);
}

gboolean
ghlo_ir_verify_const_shape (GhloIrVerifier *verifier,
                            const GhloIrOp *op)
{
  const GhloIrType *type = ghlo_ir_op_get (op, "shape")->type;

  if (!is_extents (type))
    return fail_found (verifier, op, "a shape of type tensor<?xindex>", type);

  return result_is_shape (verifier, op, type->dimensions[0]);
}

gboolean
ghlo_ir_verify_shape_of (GhloIrVerifier *verifier,
                         const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);

  if (!ghlo_ir_type_is_shaped (operand) && !is_own_type (operand, "shape.value_shape"))
    return fail_found (verifier, op, "a tensor or !shape.value_shape as operand", operand);

  return result_is_shape (verifier, op, operand->kind == GHLO_IR_TYPE_TENSOR || operand->kind == GHLO_IR_TYPE_MEMREF
                                        ? operand->rank : -1);
}

gboolean
ghlo_ir_verify_num_elements (GhloIrVerifier *verifier,
                             const GhloIrOp *op)
{
  const GhloIrType *result = ghlo_ir_result_type (op, 0);

  if (!operands_are_shapes (verifier, op))
    return FALSE;
  if (is_own_type (result, "shape.size")
      || (result->kind == GHLO_IR_TYPE_ELEMENT && result->element_type == GHLO_ELEMENT_TYPE_INDEX
          && !has_own_operand (op)))
    return TRUE;

  return fail_found (verifier, op, has_own_operand (op) ? "a result of type !shape.size, as the operand is !shape.shape"
                                                        : "a result of type index or !shape.size", result);
}

gboolean
ghlo_ir_verify_shape_broadcast (GhloIrVerifier *verifier,
                                const GhloIrOp *op)
{
  return operands_are_shapes (verifier, op) && result_is_shape (verifier, op, -1);
}
