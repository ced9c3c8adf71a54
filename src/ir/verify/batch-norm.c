/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies batch_norm_grad, batch_norm_inference and batch_norm_training: the operand keeps its shape, and statistics
 * have one value for each feature.
 */

#include "ir/verify/structured.h"

/* Operand 0 is the input; @n_features vectors follow it. */
static gboolean
verify_operands (GhloIrVerifier *verifier,
                 const GhloIrOp *op,
                 guint           n_features,
                 gint64         *feature)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  gint64 n_vector = ghlo_ir_operand_type (op, 1)->dimensions[0];
  gint64 n_operand;

  *feature = ghlo_ir_op_get_int (op, "feature_index", 0);
  if (!ghlo_ir_verify_same_shapes (verifier, op, 1, n_features, "scale, offset, mean and variance"))
    return FALSE;
  if (*feature >= (gint64) operand->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected feature_index in [0, %u), found %" G_GINT64_FORMAT,
                                operand->rank, *feature);
  n_operand = operand->dimensions[*feature];
  if (!ghlo_ir_dims_compatible (n_vector, n_operand))
    return ghlo_ir_verify_fail (verifier, op,
                                "expected one value of scale for each of %" G_GINT64_FORMAT
                                " features, found %" G_GINT64_FORMAT, n_operand, n_vector);

  return TRUE;
}

static gboolean
verify_results (GhloIrVerifier *verifier,
                const GhloIrOp *op,
                gint64          feature)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  GhloIrShape vector;

  ghlo_ir_shape_init (&vector, 1);
  vector.dimensions[0] = operand->dimensions[feature];
  vector.bounds[0] = ghlo_ir_type_bound (operand, feature);
  if (!ghlo_ir_verify_inferred_type (verifier, op, 0, operand))
    return FALSE;
  for (guint i = 1; i < op->n_results; i++)
    if (!ghlo_ir_verify_inferred (verifier, op, i, &vector, operand))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ir_verify_batch_norm_grad (GhloIrVerifier *verifier,
                                const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *gradient = ghlo_ir_operand_type (op, 4);
  gint64 feature;

  if (!ghlo_ir_shapes_compatible (operand, gradient))
    return ghlo_ir_fail_type (verifier, op, "operand", 4, operand, gradient);

  return verify_operands (verifier, op, 3, &feature) && verify_results (verifier, op, feature);
}

gboolean
ghlo_ir_verify_batch_norm_inference (GhloIrVerifier *verifier,
                                     const GhloIrOp *op)
{
  gint64 feature;

  return verify_operands (verifier, op, 4, &feature) && verify_results (verifier, op, feature);
}

gboolean
ghlo_ir_verify_batch_norm_training (GhloIrVerifier *verifier,
                                    const GhloIrOp *op)
{
  gint64 feature;

  return verify_operands (verifier, op, 2, &feature) && verify_results (verifier, op, feature);
}
