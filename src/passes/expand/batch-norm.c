/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The three batch normalizations, by the formulas of StableHLO's specification. What has one number for each feature is
 * computed on vectors; the elements are traversed only where that is necessary. Narrow floats are computed in f32 and
 * rounded once, at the end.
 */

#include "passes/expand/build.h"
#include "passes/expand/expand.h"

/* The features are the rows. FALSE where a type is not plain. */
static gboolean
find_axes (const GhloIrOp *op,
           GhloExpandAxes *axes)
{
  const GhloIrType *type = ghlo_ir_op_operand (op, 0)->type;
  gint64 feature = ghlo_ir_op_get_int (op, "feature_index", 0), others[GHLO_MAX_RANK];
  guint n_others = 0;

  if (!ghlo_expand_is_plain (op) || feature < 0 || feature >= type->rank)
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    if (i != feature)
      others[n_others++] = i;
  ghlo_expand_axes_init (axes, type, others, n_others);

  return TRUE;
}

/* The variances with the epsilon added. */
static GhloIrValue *
make_spread (GhloRewriter   *self,
             const GhloIrOp *op,
             GhloIrValue    *variance)
{
  return ghlo_expand_with (self, GHLO_OP_STABLEHLO_ADD, variance, ghlo_ir_op_get_real (op, "epsilon", 0));
}

/* Scales the distances from the mean, and adds the offset. */
static GhloIrValue *
normalize (GhloRewriter         *self,
           const GhloIrOp       *op,
           const GhloExpandAxes *axes,
           GhloIrValue          *distances,
           GhloIrValue          *variance)
{
  GhloIrValue *inverse = ghlo_make_unary (self, GHLO_OP_STABLEHLO_RSQRT, make_spread (self, op, variance));
  GhloIrValue *factor = ghlo_make_binary (self, GHLO_OP_STABLEHLO_MULTIPLY, ghlo_expand_operand (self, op, 1), inverse);
  GhloIrValue *scaled = ghlo_expand_with_rows (self, GHLO_OP_STABLEHLO_MULTIPLY, distances, factor, axes);

  return ghlo_expand_with_rows (self, GHLO_OP_STABLEHLO_ADD, scaled, ghlo_expand_operand (self, op, 2), axes);
}

gboolean
ghlo_expand_batch_norm_inference (GhloRewriter    *self,
                                  const GhloIrOp  *op,
                                  GhloIrValue    **results,
                                  G_GNUC_UNUSED char **problem)
{
  GhloIrValue *distances;
  GhloExpandAxes axes;

  if (!find_axes (op, &axes))
    return FALSE;
  distances = ghlo_expand_with_rows (self, GHLO_OP_STABLEHLO_SUBTRACT, ghlo_expand_operand (self, op, 0),
                                     ghlo_expand_operand (self, op, 3), &axes);
  results[0] = normalize (self, op, &axes, distances, ghlo_expand_operand (self, op, 4));

  return TRUE;
}

gboolean
ghlo_expand_batch_norm_training (GhloRewriter    *self,
                                 const GhloIrOp  *op,
                                 GhloIrValue    **results,
                                 G_GNUC_UNUSED char **problem)
{
  GhloIrValue *elements, *mean, *distances, *variance;
  GhloExpandAxes axes;

  if (!find_axes (op, &axes))
    return FALSE;
  elements = ghlo_expand_operand (self, op, 0);
  mean = ghlo_expand_mean (self, elements, &axes);
  distances = ghlo_expand_with_rows (self, GHLO_OP_STABLEHLO_SUBTRACT, elements, mean, &axes);
  variance = ghlo_expand_mean (self, ghlo_make_binary (self, GHLO_OP_STABLEHLO_MULTIPLY, distances, distances), &axes);
  results[0] = normalize (self, op, &axes, distances, variance);
  results[1] = mean;
  results[2] = variance;

  return TRUE;
}

gboolean
ghlo_expand_batch_norm_grad (GhloRewriter    *self,
                             const GhloIrOp  *op,
                             GhloIrValue    **results,
                             G_GNUC_UNUSED char **problem)
{
  GhloIrValue *gradients, *distances, *spread, *inverse, *offset, *product, *slope, *centered, *factor;
  GhloExpandAxes axes;

  if (!find_axes (op, &axes))
    return FALSE;
  gradients = ghlo_expand_operand (self, op, 4);
  distances = ghlo_expand_with_rows (self, GHLO_OP_STABLEHLO_SUBTRACT, ghlo_expand_operand (self, op, 0),
                                     ghlo_expand_operand (self, op, 2), &axes);
  spread = make_spread (self, op, ghlo_expand_operand (self, op, 3));
  inverse = ghlo_make_unary (self, GHLO_OP_STABLEHLO_RSQRT, spread);
  offset = ghlo_expand_sum (self, gradients, &axes);
  product = ghlo_expand_sum (self, ghlo_make_binary (self, GHLO_OP_STABLEHLO_MULTIPLY, gradients, distances), &axes);
  slope = ghlo_expand_with (self, GHLO_OP_STABLEHLO_DIVIDE,
                            ghlo_make_binary (self, GHLO_OP_STABLEHLO_DIVIDE, product, spread), axes.count);
  centered = ghlo_expand_with_rows (self, GHLO_OP_STABLEHLO_SUBTRACT, gradients,
                                    ghlo_expand_with (self, GHLO_OP_STABLEHLO_DIVIDE, offset, axes.count), &axes);
  centered = ghlo_make_binary (self, GHLO_OP_STABLEHLO_SUBTRACT, centered,
                               ghlo_expand_with_rows (self, GHLO_OP_STABLEHLO_MULTIPLY, distances, slope, &axes));
  factor = ghlo_make_binary (self, GHLO_OP_STABLEHLO_MULTIPLY, ghlo_expand_operand (self, op, 1), inverse);
  results[0] = ghlo_expand_with_rows (self, GHLO_OP_STABLEHLO_MULTIPLY, centered, factor, &axes);
  results[1] = ghlo_make_binary (self, GHLO_OP_STABLEHLO_MULTIPLY, product, inverse);
  results[2] = offset;

  return TRUE;
}
