/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Selects the function that computes an operation on scalars, by operation kind and
 * class of element type.
 */

#include "reference/scalar/scalar.h"

enum { MAX_OPERANDS = 3 };

static GhloScalar
select_value (const GhloRefScalarOp *op,
              const GhloScalar      *operands)
{
  return operands[0].i ? operands[1] : operands[2];
}

static GhloRefScalarFunc
func_for_class (GhloScalarKind   kind,
                GhloElementType  operand_type,
                GhloElementClass element_class)
{
  switch (element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT:
      return ghlo_ref_float_func (kind, operand_type);
    case GHLO_ELEMENT_CLASS_COMPLEX:
      return ghlo_ref_complex_func (kind);
    default:
      return ghlo_ref_integer_func (kind, element_class);
    }
}

GhloRefScalarFunc
ghlo_ref_scalar_func_for (GhloIrOpKind     kind,
                          GhloElementType  operand_type,
                          GhloElementType  result_type,
                          GhloRefScalarOp *scalar_op)
{
  GhloElementClass element_class = ghlo_element_info (operand_type)->element_class;
  GhloScalarKind scalar = ghlo_scalar_on (ghlo_scalar_of (kind), element_class);

  *scalar_op = (GhloRefScalarOp) { .kind = scalar, .operand_type = operand_type, .result_type = result_type };

  if (scalar == GHLO_SCALAR_CONVERT)
    return ghlo_ref_convert_func (operand_type, result_type);
  if (!ghlo_scalar_gives (scalar, operand_type, result_type))
    return NULL;
  if (scalar == GHLO_SCALAR_SELECT)
    return select_value;

  return func_for_class (scalar, operand_type, element_class);
}

void
ghlo_ref_scalar_read_attributes (const GhloIrOp  *op,
                                 GhloRefScalarOp *scalar_op)
{
  if (scalar_op->kind == GHLO_SCALAR_COMPARE)
    {
      scalar_op->compare.direction = ghlo_ir_op_get_int (op, "comparison_direction", GHLO_REF_COMPARE_EQ);
      scalar_op->compare.type = ghlo_ir_op_get_int (op, "compare_type", 0);
    }
  else if (scalar_op->kind == GHLO_SCALAR_REDUCE_PRECISION)
    {
      scalar_op->reduce_precision.exponent_bits = ghlo_ir_op_get_int (op, "exponent_bits", 0);
      scalar_op->reduce_precision.mantissa_bits = ghlo_ir_op_get_int (op, "mantissa_bits", 0);
    }
}

/* The element type in which scalars of @type are computed, or INVALID. */
static GhloElementType
plain_element_type (const GhloIrType *type)
{
  gboolean shaped = type->kind == GHLO_IR_TYPE_TENSOR || type->kind == GHLO_IR_TYPE_UNRANKED;

  return shaped && type->quantization == NULL ? type->element_type : GHLO_ELEMENT_TYPE_INVALID;
}

GhloRefScalarFunc
ghlo_ref_scalar_func (const GhloIrOp  *op,
                      GhloRefScalarOp *scalar_op)
{
  GhloElementType first = GHLO_ELEMENT_TYPE_INVALID, result;
  guint first_value = ghlo_scalar_spec (ghlo_scalar_of (op->kind))->first_value;
  GhloRefScalarFunc func;

  if (op->n_results != 1 || op->n_operands == 0 || op->n_operands > MAX_OPERANDS)
    return NULL;

  for (guint i = 0; i < op->n_operands; i++)
    {
      GhloElementType type = plain_element_type (ghlo_ir_op_operand (op, i)->type);

      if (type == GHLO_ELEMENT_TYPE_INVALID || (i > first_value && type != first))
        return NULL;
      if (i <= first_value)
        first = type;
    }

  result = plain_element_type (op->results[0].type);
  if (result == GHLO_ELEMENT_TYPE_INVALID)
    return NULL;

  func = ghlo_ref_scalar_func_for (op->kind, first, result, scalar_op);
  ghlo_ref_scalar_read_attributes (op, scalar_op);

  return func;
}
