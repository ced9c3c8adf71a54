/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies elementwise operations whose element types are not all equal: add (quantization), parts of complex
 * numbers, predicates, select and clamp, bitcasts, and the requested accuracy of transcendental functions.
 */

#include "ir/verify/common.h"

gboolean
ghlo_ir_verify_add (GhloIrVerifier *verifier,
                    const GhloIrOp *op)
{
  const GhloIrType *lhs = ghlo_ir_operand_type (op, 0);
  const GhloIrType *rhs = ghlo_ir_operand_type (op, 1);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  GhloIrShape shape;

  if (lhs == rhs && lhs == result)
    return TRUE;

  if (ghlo_ir_type_is_quantized (lhs) || ghlo_ir_type_is_quantized (rhs) || ghlo_ir_type_is_quantized (result))
    {
      if (!ghlo_ir_verify_quantized_binary (verifier, op, lhs, rhs, result))
        return FALSE;
    }
  else if (!ghlo_ir_same_element (lhs, rhs))
    return ghlo_ir_verify_fail_type (verifier, op, "operands of the same element type, like", lhs, rhs);
  else if (!ghlo_ir_same_element (lhs, result))
    return ghlo_ir_verify_fail_type (verifier, op, "a result of the operands' element type, like", lhs, result);

  ghlo_ir_shape_from_type (&shape, lhs);

  return ghlo_ir_shape_merge (verifier, op, &shape, rhs) && ghlo_ir_verify_inferred (verifier, op, 0, &shape, NULL);
}

/* Tolerances must be zero unless the mode is TOLERANCE. */
gboolean
ghlo_ir_verify_accuracy (GhloIrVerifier *verifier,
                         const GhloIrOp *op)
{
  const GhloIrAttr *accuracy = ghlo_ir_op_get (op, "result_accuracy");
  const GhloIrAttr *mode, *atol, *rtol, *ulps;
  double absolute, relative;
  gint64 units;

  if (accuracy == NULL)
    return TRUE;

  mode = ghlo_ir_struct_get (accuracy, "mode");
  if (mode == NULL || mode->kind != GHLO_IR_ATTR_ENUM || mode->subkind != GHLO_IR_ENUM_RESULT_ACCURACY_MODE)
    return ghlo_ir_verify_fail (verifier, op, "expected a mode of accuracy in result_accuracy, found none");

  atol = ghlo_ir_struct_get (accuracy, "atol");
  rtol = ghlo_ir_struct_get (accuracy, "rtol");
  ulps = ghlo_ir_struct_get (accuracy, "ulps");
  absolute = atol != NULL ? atol->real : 0;
  relative = rtol != NULL ? rtol->real : 0;
  units = ulps != NULL ? ulps->integer : 0;
  if (absolute < 0 || relative < 0 || units < 0)
    return ghlo_ir_verify_fail (verifier, op, "expected tolerances of at least 0, found atol = %g, rtol = %g,"
                                " ulps = %" G_GINT64_FORMAT, absolute, relative, units);
  if (g_strcmp0 (ghlo_ir_enum_word (mode), "TOLERANCE") != 0 && (absolute != 0 || relative != 0 || units != 0))
    return ghlo_ir_verify_fail (verifier, op, "expected tolerances of 0 with mode %s, found atol = %g, rtol = %g,"
                                " ulps = %" G_GINT64_FORMAT, ghlo_ir_enum_word (mode), absolute, relative, units);

  return TRUE;
}

/* Checks that the result has the shape of operand 0 and elements of type @element. */
static gboolean
shaped_like_operand (GhloIrVerifier  *verifier,
                     const GhloIrOp  *op,
                     GhloElementType  element)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  GhloIrShape shape;

  if (operand->kind != GHLO_IR_TYPE_TENSOR)
    return result->element_type == element
           || ghlo_ir_verify_fail (verifier, op, "expected a result of element type %s, found %s",
                                   ghlo_element_info (element)->name, ghlo_element_info (result->element_type)->name);
  ghlo_ir_shape_from_type (&shape, operand);

  return ghlo_ir_verify_inferred_element (verifier, op, 0, &shape, element);
}

/* Verifies is_finite, compare and similar operations: the result has booleans in the shape of the operand. */
gboolean
ghlo_ir_verify_predicate (GhloIrVerifier *verifier,
                          const GhloIrOp *op)
{
  return shaped_like_operand (verifier, op, GHLO_ELEMENT_TYPE_I1);
}

gboolean
ghlo_ir_verify_abs (GhloIrVerifier *verifier,
                    const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);

  if (ghlo_ir_type_is_quantized (operand))
    return ghlo_ir_verify_inferred_type (verifier, op, 0, operand);

  return shaped_like_operand (verifier, op, ghlo_element_type_real_part (operand->element_type));
}

/* Verifies real and imag, which also accept real numbers. */
gboolean
ghlo_ir_verify_complex_part (GhloIrVerifier *verifier,
                             const GhloIrOp *op)
{
  return shaped_like_operand (verifier, op, ghlo_element_type_real_part (ghlo_ir_operand_type (op, 0)->element_type));
}

gboolean
ghlo_ir_verify_complex (GhloIrVerifier *verifier,
                        const GhloIrOp *op)
{
  const GhloIrType *lhs = ghlo_ir_operand_type (op, 0);
  const GhloIrType *rhs = ghlo_ir_operand_type (op, 1);

  if (lhs->element_type != rhs->element_type)
    return ghlo_ir_verify_fail_type (verifier, op, "operands of the same element type, like", lhs, rhs);

  return shaped_like_operand (verifier, op, lhs->element_type == GHLO_ELEMENT_TYPE_F64
                                            ? GHLO_ELEMENT_TYPE_COMPLEX_F64 : GHLO_ELEMENT_TYPE_COMPLEX_F32);
}

gboolean
ghlo_ir_verify_convert (GhloIrVerifier *verifier,
                        const GhloIrOp *op)
{
  GhloIrShape shape;

  ghlo_ir_shape_from_type (&shape, ghlo_ir_operand_type (op, 0));

  return ghlo_ir_verify_inferred (verifier, op, 0, &shape, NULL);
}

gboolean
ghlo_ir_verify_select (GhloIrVerifier *verifier,
                       const GhloIrOp *op)
{
  const GhloIrType *pred = ghlo_ir_operand_type (op, 0);
  const GhloIrType *on_true = ghlo_ir_operand_type (op, 1);
  const GhloIrType *on_false = ghlo_ir_operand_type (op, 2);
  GhloIrShape shape;

  if (!ghlo_ir_same_element (on_true, on_false) || !ghlo_ir_shapes_compatible (on_true, on_false))
    return ghlo_ir_verify_fail_type (verifier, op, "'on_false' compatible with 'on_true' of type", on_true, on_false);
  if (pred->rank != 0 && !ghlo_ir_shapes_compatible (pred, on_true))
    return ghlo_ir_verify_fail_type (verifier, op, "a predicate that is a scalar or has the shape of", on_true, pred);

  ghlo_ir_shape_from_type (&shape, on_true);

  return ghlo_ir_shape_merge (verifier, op, &shape, on_false)
         && ghlo_ir_verify_inferred (verifier, op, 0, &shape, on_true);
}

gboolean
ghlo_ir_verify_clamp (GhloIrVerifier *verifier,
                      const GhloIrOp *op)
{
  static const char *const limits[] = { "'min' that is a scalar or has the shape of", NULL,
                                        "'max' that is a scalar or has the shape of" };
  const GhloIrType *operand = ghlo_ir_operand_type (op, 1);

  for (guint i = 0; i < 3; i += 2)
    {
      const GhloIrType *limit = ghlo_ir_operand_type (op, i);

      if (limit->rank != 0 && !ghlo_ir_shapes_compatible (limit, operand))
        return ghlo_ir_verify_fail_type (verifier, op, limits[i], operand, limit);
    }

  return ghlo_ir_verify_inferred_type (verifier, op, 0, operand);
}

/* If the elements have equal width, the shape stays the same. Otherwise the type with the narrower elements has an
 * additional innermost dimension, whose size is the ratio of the widths. */
gboolean
ghlo_ir_verify_bitcast_convert (GhloIrVerifier *verifier,
                                const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  guint operand_bits = ghlo_ir_element_bits (operand);
  guint result_bits = ghlo_ir_element_bits (result);
  const GhloIrType *small = operand_bits < result_bits ? operand : result;
  const GhloIrType *big = operand_bits < result_bits ? result : operand;
  guint small_bits = MIN (operand_bits, result_bits);
  guint big_bits = MAX (operand_bits, result_bits);
  guint rank = small->rank;

  if (ghlo_element_type_is_complex (operand->element_type) != ghlo_element_type_is_complex (result->element_type))
    return ghlo_ir_verify_fail_type (verifier, op, "a result that is complex exactly when the operand is, of type",
                                     operand, result);
  if (small_bits != big_bits)
    {
      gint64 last;

      if (small->rank != big->rank + 1)
        return ghlo_ir_verify_fail (verifier, op, "expected rank %u for the type with the smaller elements,"
                                    " one more than the other's, found %u", big->rank + 1, small->rank);
      rank--;
      last = small->dimensions[rank];
      if (last >= 0 && (big_bits % small_bits != 0 || last != big_bits / small_bits))
        return ghlo_ir_verify_fail (verifier, op,
                                    "expected an innermost dimension that makes elements of %u bits out of"
                                    " elements of %u bits, found %" G_GINT64_FORMAT, big_bits, small_bits, last);
    }
  if (!ghlo_ir_extents_compatible (small->dimensions, rank, big->dimensions, big->rank))
    return ghlo_ir_verify_fail_type (verifier, op, "a result with the operand's outer dimensions, of",
                                     operand, result);

  return TRUE;
}

gboolean
ghlo_ir_verify_uniform_quantize (GhloIrVerifier *verifier,
                                 const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  GhloElementType wanted = operand->quantization != NULL ? operand->quantization->expressed : operand->element_type;
  GhloElementType found = ghlo_ir_result_type (op, 0)->quantization->expressed;

  if (wanted == found)
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op, "expected a result with expressed type %s, as the operand's, found %s",
                              ghlo_element_info (wanted)->name, ghlo_element_info (found)->name);
}

gboolean
ghlo_ir_verify_uniform_dequantize (GhloIrVerifier *verifier,
                                   const GhloIrOp *op)
{
  return shaped_like_operand (verifier, op, ghlo_ir_operand_type (op, 0)->quantization->expressed);
}
