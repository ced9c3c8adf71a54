/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Constraints between quantized types (specification: quantized types, add, convolution, dot_general): storage and
 * expressed types agree, axes correspond, and scales and zero points are equal where data is only moved.
 */

#include "ir/verify/common.h"

static const char *
granularity (const GhloIrType *type)
{
  if (type->quantization == NULL)
    return "not quantized";

  return type->quantization->axis < 0 ? "quantized per tensor" : "quantized per axis";
}

/* Checks that the storage types of two quantized types are equal. */
static gboolean
same_storage (GhloIrVerifier   *verifier,
              const GhloIrOp   *op,
              const GhloIrType *a,
              const GhloIrType *b)
{
  if (a->quantization->storage == b->quantization->storage)
    return TRUE;

  return ghlo_ir_verify_fail_type (verifier, op, "the storage type of", a, b);
}

static gboolean
same_expressed (GhloIrVerifier   *verifier,
                const GhloIrOp   *op,
                const GhloIrType *a,
                const GhloIrType *b)
{
  if (a->quantization->expressed == b->quantization->expressed)
    return TRUE;

  return ghlo_ir_verify_fail_type (verifier, op, "the expressed type of", a, b);
}

/* Checks that an operand quantized per axis has the axis of the result. */
static gboolean
same_axis (GhloIrVerifier   *verifier,
           const GhloIrOp   *op,
           const char       *name,
           const GhloIrType *operand,
           const GhloIrType *result)
{
  if (operand->quantization->axis < 0 || operand->quantization->axis == result->quantization->axis)
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op, "expected the quantized dimension of '%s' to be the result's, %d, found %d",
                              name, result->quantization->axis, operand->quantization->axis);
}

gboolean
ghlo_ir_verify_quantized_binary (GhloIrVerifier   *verifier,
                                 const GhloIrOp   *op,
                                 const GhloIrType *lhs,
                                 const GhloIrType *rhs,
                                 const GhloIrType *result)
{
  gboolean per_axis;

  if (!ghlo_ir_type_is_quantized (lhs) || !ghlo_ir_type_is_quantized (rhs) || !ghlo_ir_type_is_quantized (result))
    return ghlo_ir_verify_fail (verifier, op, "expected all of operands and result quantized or none,"
                                " found lhs %s, rhs %s, result %s",
                                granularity (lhs), granularity (rhs), granularity (result));
  if (!same_storage (verifier, op, lhs, rhs) || !same_storage (verifier, op, lhs, result)
      || !same_expressed (verifier, op, lhs, rhs) || !same_expressed (verifier, op, lhs, result))
    return FALSE;

  per_axis = ghlo_ir_type_is_per_axis (lhs) || ghlo_ir_type_is_per_axis (rhs);
  if (per_axis != ghlo_ir_type_is_per_axis (result))
    return ghlo_ir_verify_fail (verifier, op, "expected a result quantized %s, as the operands are, found one %s",
                                per_axis ? "per axis" : "per tensor", granularity (result));

  return same_axis (verifier, op, "lhs", lhs, result) && same_axis (verifier, op, "rhs", rhs, result);
}

gboolean
ghlo_ir_verify_quantized_dot (GhloIrVerifier   *verifier,
                              const GhloIrOp   *op,
                              const GhloIrType *lhs,
                              const GhloIrType *rhs,
                              const GhloIrType *result)
{
  GhloIrType expressed = { .kind = GHLO_IR_TYPE_ELEMENT };

  if (!ghlo_ir_type_is_quantized (rhs) || ghlo_ir_type_is_quantized (lhs) != ghlo_ir_type_is_quantized (result))
    return ghlo_ir_verify_fail (verifier, op, "expected a quantized rhs, and lhs and result both quantized or neither,"
                                " found lhs %s, rhs %s, result %s",
                                granularity (lhs), granularity (rhs), granularity (result));

  if (ghlo_ir_type_is_quantized (lhs))
    {
      if (!same_storage (verifier, op, lhs, rhs) || !same_expressed (verifier, op, lhs, rhs)
          || !same_expressed (verifier, op, lhs, result))
        return FALSE;
      if (ghlo_ir_type_is_per_tensor (rhs) && !ghlo_ir_type_is_per_tensor (result))
        return ghlo_ir_verify_fail (verifier, op, "expected a result quantized per tensor, as rhs is, found one %s",
                                    granularity (result));
      return TRUE;
    }

  /* A hybrid product of floats and quantized weights. */
  expressed.element_type = rhs->quantization->expressed;
  if (lhs->element_type != expressed.element_type || lhs->text != NULL)
    return ghlo_ir_verify_fail_type (verifier, op, "lhs of rhs' expressed type,", &expressed, lhs);
  if (result->element_type != expressed.element_type || result->text != NULL)
    return ghlo_ir_verify_fail_type (verifier, op, "a result of rhs' expressed type,", &expressed, result);

  return TRUE;
}

static gboolean
same_scales (const GhloQuantization *a,
             const GhloQuantization *b)
{
  if (a->n_scales != b->n_scales)
    return FALSE;
  for (guint i = 0; i < a->n_scales; i++)
    if (a->scales[i] != b->scales[i] || a->zero_points[i] != b->zero_points[i])
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ir_verify_same_quantization (GhloIrVerifier   *verifier,
                                  const GhloIrOp   *op,
                                  const GhloIrType *a,
                                  const GhloIrType *b)
{
  if (a->quantization == b->quantization || a->quantization == NULL || b->quantization == NULL)
    return TRUE;
  /* Only like granularities are compared: per-tensor quantization
   * must be equal; per-axis quantization may move to another axis. */
  if ((a->quantization->axis < 0) != (b->quantization->axis < 0))
    return TRUE;
  if (a->quantization->axis >= 0 && same_scales (a->quantization, b->quantization))
    return TRUE;

  return ghlo_ir_verify_fail_type (verifier, op, "scales and zero points of", a, b);
}
