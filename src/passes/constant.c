/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How rules read constants.
 */

#include "passes/constant.h"

#include <math.h>

/* MAX_STEPS: the number of reshapes and broadcasts through which a splat is followed. MAX_INTS: the largest constant
 * that is read as integers. */
enum { MAX_STEPS = 8, MAX_INTS = 64 * 1024 };

gboolean
ghlo_type_is_plain (const GhloIrType *type)
{
  return type->kind == GHLO_IR_TYPE_TENSOR && type->element_type != GHLO_ELEMENT_TYPE_INVALID
         && type->element_type != GHLO_ELEMENT_TYPE_INDEX
         && type->quantization == NULL && type->encoding == NULL && type->bounds == NULL && type->text == NULL
         && ghlo_ir_type_has_static_shape (type);
}

gsize
ghlo_type_count (const GhloIrType *type)
{
  gsize count = 0;

  return ghlo_shape_count (type->dimensions, type->rank, &count) ? count : G_MAXSIZE;
}

gboolean
ghlo_type_is_ieee (const GhloIrType *type)
{
  const GhloElementInfo *info = ghlo_element_info (type->element_type);

  return ghlo_type_is_plain (type) && info->element_class == GHLO_ELEMENT_CLASS_FLOAT
         && (info->specials == GHLO_FLOAT_IEEE || info->specials == GHLO_FLOAT_FINITE);
}

gboolean
ghlo_type_is_integer (const GhloIrType *type)
{
  return ghlo_type_is_plain (type) && ghlo_element_type_is_integer (type->element_type);
}

gboolean
ghlo_type_is_boolean (const GhloIrType *type)
{
  return ghlo_type_is_plain (type) && type->element_type == GHLO_ELEMENT_TYPE_I1;
}

gboolean
ghlo_type_is_discrete (const GhloIrType *type)
{
  return ghlo_type_is_integer (type) || ghlo_type_is_boolean (type);
}

const GhloIrAttr *
ghlo_value_get_dense (const GhloIrValue *value)
{
  const GhloIrAttr *attr;

  if (value->op == NULL || value->op->kind != GHLO_OP_STABLEHLO_CONSTANT || !ghlo_type_is_plain (value->type))
    return NULL;
  attr = ghlo_ir_op_get (value->op, "value");

  return attr != NULL && attr->kind == GHLO_IR_ATTR_DENSE && attr->type == value->type && attr->dense.bytes != NULL
         ? attr : NULL;
}

gboolean
ghlo_value_get_splat (const GhloIrValue *value,
                      GhloScalar        *scalar)
{
  const GhloIrAttr *attr;

  for (guint i = 0; i < MAX_STEPS && value->op != NULL && (value->op->kind == GHLO_OP_STABLEHLO_RESHAPE
                                                          || value->op->kind == GHLO_OP_STABLEHLO_BROADCAST_IN_DIM);
       i++)
    {
      if (!ghlo_type_is_plain (value->type))
        return FALSE;
      value = ghlo_ir_op_operand (value->op, 0);
    }
  attr = ghlo_value_get_dense (value);
  if (attr == NULL || attr->dense.n_elements == 0 || (!attr->dense.splat && attr->dense.n_elements > 1))
    return FALSE;
  *scalar = ghlo_ir_dense_get (attr, 0);

  return TRUE;
}

gboolean
ghlo_value_is_number (const GhloIrValue *value,
                      double             number)
{
  GhloScalar scalar;

  if (!ghlo_value_get_splat (value, &scalar))
    return FALSE;
  switch (ghlo_element_info (value->type->element_type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_BOOLEAN:
    case GHLO_ELEMENT_CLASS_SIGNED:
      return scalar.i == (gint64) number;
    case GHLO_ELEMENT_CLASS_UNSIGNED:
      return number >= 0 && scalar.u == (guint64) number;
    case GHLO_ELEMENT_CLASS_FLOAT:
      return scalar.f == number && !signbit (scalar.f) == !signbit (number);
    case GHLO_ELEMENT_CLASS_COMPLEX:
    case GHLO_ELEMENT_CLASS_NONE:
      break;
    }

  return FALSE;
}

gboolean
ghlo_value_is_neutral (const GhloIrValue *value,
                       GhloIrOpKind       kind)
{
  GhloElementType type = value->type->element_type;
  GhloScalar scalar, neutral;

  if (!ghlo_ir_op_neutral (kind, type, &neutral) || !ghlo_value_get_splat (value, &scalar)
      || !ghlo_scalar_equal (type, scalar, neutral))
    return FALSE;
  if (ghlo_element_type_is_complex (type))
    return signbit (scalar.c.re) && signbit (scalar.c.im);

  return !ghlo_element_type_is_float (type) || !signbit (scalar.f) == !signbit (neutral.f);
}

static gboolean
is_limit (const GhloIrValue *value,
          gboolean           greatest)
{
  GhloElementType type = value->type->element_type;
  GhloScalar scalar;

  return !ghlo_element_type_is_complex (type) && ghlo_value_get_splat (value, &scalar)
         && ghlo_scalar_equal (type, scalar, ghlo_element_limit (type, greatest));
}

gboolean
ghlo_value_is_least (const GhloIrValue *value)
{
  return is_limit (value, FALSE);
}

gboolean
ghlo_value_is_greatest (const GhloIrValue *value)
{
  return is_limit (value, TRUE);
}

gboolean
ghlo_value_get_ints (const GhloIrValue *value,
                     gint64           **integers,
                     gsize             *n)
{
  const GhloIrAttr *attr = ghlo_value_get_dense (value);

  return attr != NULL && attr->dense.n_elements <= MAX_INTS && ghlo_ir_dense_to_int64 (attr, integers, n);
}
