/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which function computes an operation on scalars: by kind of operation and
 * class of element type. CHLO's broadcasting forms are, on scalars, the
 * operations that they broadcast.
 */

#include "reference/scalar.h"

enum { MAX_OPERANDS = 3 };

/* What the result's element type is to the operand's. */
typedef enum
{
  RESULT_SAME,
  RESULT_BOOLEAN,
  RESULT_REAL,      /* the real part's type of a complex operand */
  RESULT_COMPLEX,   /* complex with parts of the operand's type */
} ResultRule;

static GhloIrOpKind
plain_kind (GhloIrOpKind kind)
{
  GhloIrOpKind element_op = ghlo_ir_op_spec (kind)->element_op;

  return element_op != GHLO_OP_INVALID ? element_op : kind;
}

static ResultRule
result_rule (GhloIrOpKind    kind,
             GhloElementType operand_type)
{
  switch (kind)
    {
    case GHLO_OP_STABLEHLO_COMPARE:
    case GHLO_OP_STABLEHLO_IS_FINITE:
    case GHLO_OP_CHLO_IS_INF:
    case GHLO_OP_CHLO_IS_NEG_INF:
    case GHLO_OP_CHLO_IS_POS_INF:
      return RESULT_BOOLEAN;
    case GHLO_OP_STABLEHLO_ABS:
    case GHLO_OP_STABLEHLO_REAL:
    case GHLO_OP_STABLEHLO_IMAG:
      return ghlo_element_type_is_complex (operand_type) ? RESULT_REAL : RESULT_SAME;
    case GHLO_OP_STABLEHLO_COMPLEX:
      return RESULT_COMPLEX;
    default:
      return RESULT_SAME;
    }
}

static gboolean
result_fits (GhloIrOpKind    kind,
             GhloElementType operand_type,
             GhloElementType result_type)
{
  switch (result_rule (kind, operand_type))
    {
    case RESULT_BOOLEAN:
      return result_type == GHLO_ELEMENT_TYPE_I1;
    case RESULT_REAL:
      return result_type == ghlo_element_type_real_part (operand_type);
    case RESULT_COMPLEX:
      return ghlo_element_type_is_complex (result_type) && ghlo_element_type_real_part (result_type) == operand_type;
    default:
      return result_type == operand_type;
    }
}

static GhloScalar
select_value (const GhloRefScalarOp *op,
              const GhloScalar      *operands)
{
  return operands[0].i ? operands[1] : operands[2];
}

static GhloRefScalarFunc
func_for_class (GhloIrOpKind    kind,
                GhloElementType operand_type)
{
  GhloElementClass element_class = ghlo_element_info (operand_type)->element_class;

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
  kind = plain_kind (kind);
  *scalar_op = (GhloRefScalarOp) { .kind = kind, .operand_type = operand_type, .result_type = result_type };

  if (kind == GHLO_OP_STABLEHLO_CONVERT)
    return ghlo_ref_convert_func (operand_type, result_type);
  if (!result_fits (kind, operand_type, result_type))
    return NULL;
  if (kind == GHLO_OP_STABLEHLO_SELECT)
    return select_value;

  return func_for_class (kind, operand_type);
}

void
ghlo_ref_scalar_details (const GhloIrOp  *op,
                         GhloRefScalarOp *scalar_op)
{
  if (scalar_op->kind == GHLO_OP_STABLEHLO_COMPARE)
    {
      scalar_op->detail = ghlo_ir_op_get_int (op, "comparison_direction", GHLO_REF_COMPARE_EQ);
      scalar_op->detail2 = ghlo_ir_op_get_int (op, "compare_type", 0);
    }
  else if (scalar_op->kind == GHLO_OP_STABLEHLO_REDUCE_PRECISION)
    {
      scalar_op->detail = ghlo_ir_op_get_int (op, "exponent_bits", 0);
      scalar_op->detail2 = ghlo_ir_op_get_int (op, "mantissa_bits", 0);
    }
}

/* An element type that scalars of it can be computed with, or INVALID. */
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
  GhloIrOpKind kind = plain_kind (op->kind);
  GhloElementType first = GHLO_ELEMENT_TYPE_INVALID, result;
  guint values = kind == GHLO_OP_STABLEHLO_SELECT ? 1 : 0;
  GhloRefScalarFunc func;

  if (op->n_results != 1 || op->n_operands == 0 || op->n_operands > MAX_OPERANDS)
    return NULL;

  for (guint i = 0; i < op->n_operands; i++)
    {
      GhloElementType type = plain_element_type (ghlo_ir_op_operand (op, i)->type);

      if (type == GHLO_ELEMENT_TYPE_INVALID || (i > values && type != first))
        return NULL;
      if (i <= values)
        first = type;
    }

  result = plain_element_type (op->results[0].type);
  if (result == GHLO_ELEMENT_TYPE_INVALID)
    return NULL;

  func = ghlo_ref_scalar_func_for (kind, first, result, scalar_op);
  ghlo_ref_scalar_details (op, scalar_op);

  return func;
}
