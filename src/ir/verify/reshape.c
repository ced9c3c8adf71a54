/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies operations that return the same elements in another order or shape: reshape, transpose, reverse and the
 * broadcasts, including the rules for quantized types.
 */

#include "ir/verify/common.h"

/* Computes the product of the first @n dimensions. Returns FALSE on overflow. */
static gboolean
count_leading (const GhloIrType *type,
               guint             n,
               gsize            *count)
{
  return ghlo_shape_count (type->dimensions, n, count);
}

/* Checks that the quantized dimension keeps its size and its stride. */
static gboolean
reshaped_axis_fits (GhloIrVerifier   *verifier,
                    const GhloIrOp   *op,
                    const GhloIrType *operand,
                    const GhloIrType *result)
{
  guint from = operand->quantization->axis;
  guint to = result->quantization->axis;
  gsize before, after;

  if (!ghlo_ir_dims_compatible (operand->dimensions[from], result->dimensions[to]))
    return ghlo_ir_verify_fail (verifier, op, "expected the quantized dimension to keep its size %" G_GINT64_FORMAT
                                ", found %" G_GINT64_FORMAT, operand->dimensions[from], result->dimensions[to]);
  if (!ghlo_ir_type_has_static_shape (operand) || !ghlo_ir_type_has_static_shape (result))
    return TRUE;
  if (!count_leading (operand, from, &before) || !count_leading (result, to, &after) || before != after)
    return ghlo_ir_verify_fail_type (verifier, op, "as many elements before the quantized dimension as in",
                                     operand, result);

  return TRUE;
}

static gboolean
reshaped_quantization_fits (GhloIrVerifier   *verifier,
                            const GhloIrOp   *op,
                            const GhloIrType *operand,
                            const GhloIrType *result)
{
  if (!ghlo_ir_verify_same_quantization (verifier, op, operand, result))
    return FALSE;

  return !ghlo_ir_type_is_per_axis (operand) || !ghlo_ir_type_is_per_axis (result)
         || reshaped_axis_fits (verifier, op, operand, result);
}

/* Fails if both shapes are static and have different numbers of elements. */
static gboolean
counts_match (GhloIrVerifier   *verifier,
              const GhloIrOp   *op,
              const GhloIrType *operand,
              const GhloIrType *result)
{
  gsize before, after;

  if (!ghlo_ir_type_has_static_shape (operand) || !ghlo_ir_type_has_static_shape (result))
    return TRUE;
  if (!count_leading (operand, operand->rank, &before) || !count_leading (result, result->rank, &after))
    return ghlo_ir_verify_fail_type (verifier, op, "numbers of elements below 2^63 in", operand, result);
  if (before != after)
    return ghlo_ir_verify_fail (verifier, op, "expected a result of %" G_GSIZE_FORMAT " elements, as the operand has,"
                                " found %" G_GSIZE_FORMAT, before, after);

  return TRUE;
}

gboolean
ghlo_ir_verify_reshape (GhloIrVerifier *verifier,
                        const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);

  return counts_match (verifier, op, operand, result)
         && reshaped_quantization_fits (verifier, op, operand, result);
}

/* Checks that a constant shape operand has the operand's number of elements. */
static gboolean
shape_operand_counts (GhloIrVerifier *verifier,
                      const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  g_autofree gint64 *shape = NULL;
  g_autofree char *type = NULL, *text = NULL;
  gsize n, wanted, found;

  if (!ghlo_ir_type_has_static_shape (operand) || !ghlo_ir_match_ints (ghlo_ir_op_operand (op, 1), &shape, &n))
    return TRUE;
  if (count_leading (operand, operand->rank, &wanted) && ghlo_shape_count (shape, n, &found) && wanted == found)
    return TRUE;

  type = ghlo_ir_type_to_string (operand);
  text = ghlo_ir_ints_to_string (shape, n);

  return ghlo_ir_verify_fail (verifier, op, "expected an output shape of as many elements as %s, found %s", type, text);
}

gboolean
ghlo_ir_verify_dynamic_reshape (GhloIrVerifier *verifier,
                                const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *shape = ghlo_ir_operand_type (op, 1);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);

  if (!ghlo_ir_elements_compatible (operand, result))
    return ghlo_ir_verify_fail_type (verifier, op, "a result of the element type of", operand, result);
  if (!counts_match (verifier, op, operand, result))
    return FALSE;
  if (shape->dimensions[0] != result->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected a result of rank %" G_GINT64_FORMAT
                                ", the size of the output shape, found rank %u", shape->dimensions[0], result->rank);

  return ghlo_ir_verify_shape_operand (verifier, op, ghlo_ir_op_operand (op, 1))
         && shape_operand_counts (verifier, op)
         && reshaped_quantization_fits (verifier, op, operand, result);
}

gboolean
ghlo_ir_verify_transpose (GhloIrVerifier *verifier,
                          const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  GhloIrShape shape;
  const gint64 *permutation;
  gsize n;

  permutation = ghlo_ir_op_get_ints (op, "permutation", &n);
  if (n != operand->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected %u dimensions in permutation, the operand's rank,"
                                " found %" G_GSIZE_FORMAT, operand->rank, n);
  if (!ghlo_ir_verify_dims_in_range (verifier, op, "permutation", permutation, n, operand->rank)
      || !ghlo_ir_verify_dims_unique (verifier, op, "permutation", permutation, n))
    return FALSE;

  ghlo_ir_shape_init (&shape, operand->rank);
  for (guint i = 0; i < operand->rank; i++)
    {
      shape.dimensions[i] = operand->dimensions[permutation[i]];
      shape.bounds[i] = ghlo_ir_type_bound (operand, permutation[i]);
    }
  if (!ghlo_ir_verify_inferred (verifier, op, 0, &shape, operand)
      || !ghlo_ir_verify_same_quantization (verifier, op, operand, result))
    return FALSE;

  if (ghlo_ir_type_is_per_axis (result) && permutation[result->quantization->axis] != operand->quantization->axis)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected the result's quantized dimension to come from the operand's, %d,"
                                " found %" G_GINT64_FORMAT,
                                operand->quantization->axis, permutation[result->quantization->axis]);

  return TRUE;
}

gboolean
ghlo_ir_verify_reverse (GhloIrVerifier *verifier,
                        const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const gint64 *dimensions;
  gsize n;

  dimensions = ghlo_ir_op_get_ints (op, "dimensions", &n);

  return ghlo_ir_verify_dims_unique (verifier, op, "dimensions", dimensions, n)
         && ghlo_ir_verify_dims_in_range (verifier, op, "dimensions", dimensions, n, operand->rank)
         && ghlo_ir_verify_inferred_type (verifier, op, 0, operand);
}

gboolean
ghlo_ir_verify_broadcast (GhloIrVerifier *verifier,
                          const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  GhloIrShape shape;
  const gint64 *sizes;
  gsize n;

  sizes = ghlo_ir_op_get_ints (op, "broadcast_sizes", &n);
  if (n + operand->rank > GHLO_MAX_RANK)
    return ghlo_ir_verify_fail (verifier, op, "expected a rank of at most %d, found %" G_GSIZE_FORMAT,
                                GHLO_MAX_RANK, n + operand->rank);

  ghlo_ir_shape_init (&shape, (guint) n + operand->rank);
  for (gsize i = 0; i < n; i++)
    {
      if (sizes[i] < 0)
        return ghlo_ir_verify_fail (verifier, op, "expected broadcast_sizes of at least 0, found %" G_GINT64_FORMAT,
                                    sizes[i]);
      shape.dimensions[i] = sizes[i];
    }
  for (guint i = 0; i < operand->rank; i++)
    shape.dimensions[n + i] = operand->dimensions[i];

  return ghlo_ir_verify_inferred (verifier, op, 0, &shape, operand);
}

/* For broadcast_in_dim and dynamic_broadcast_in_dim: checks that
 * the operand's dimensions map to distinct result dimensions. */
static gboolean
broadcast_dimensions_fit (GhloIrVerifier *verifier,
                          const GhloIrOp *op,
                          const gint64   *dimensions,
                          gsize           n)
{
  guint operand_rank = ghlo_ir_operand_type (op, 0)->rank;
  guint result_rank = ghlo_ir_result_type (op, 0)->rank;

  if (n != operand_rank)
    return ghlo_ir_verify_fail (verifier, op, "expected %u broadcast_dimensions, the operand's rank,"
                                " found %" G_GSIZE_FORMAT, operand_rank, n);

  return ghlo_ir_verify_dims_unique (verifier, op, "broadcast_dimensions", dimensions, n)
         && ghlo_ir_verify_dims_in_range (verifier, op, "broadcast_dimensions", dimensions, n, result_rank);
}

/* Checks that a quantized axis maps like its dimension; for an axis of size 1, the result repeats its only scale. */
static gboolean
broadcast_axis_fits (GhloIrVerifier *verifier,
                     const GhloIrOp *op,
                     const gint64   *dimensions)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloQuantization *from = operand->quantization;
  const GhloQuantization *to = ghlo_ir_result_type (op, 0)->quantization;

  if (to == NULL || to->axis < 0)
    return TRUE;
  if (to->axis != dimensions[from->axis])
    return ghlo_ir_verify_fail (verifier, op, "expected the result's quantized dimension to be %" G_GINT64_FORMAT
                                ", found %d", dimensions[from->axis], to->axis);
  if (operand->dimensions[from->axis] != 1)
    return TRUE;

  for (guint i = 0; i < to->n_scales; i++)
    if (to->scales[i] != from->scales[0] || to->zero_points[i] != from->zero_points[0])
      return ghlo_ir_verify_fail (verifier, op, "expected scale and zero point %u to be the operand's, %g and %"
                                  G_GINT64_FORMAT ", found %g and %" G_GINT64_FORMAT, i, from->scales[0],
                                  from->zero_points[0], to->scales[i], to->zero_points[i]);

  return TRUE;
}

gboolean
ghlo_ir_verify_broadcast_in_dim (GhloIrVerifier *verifier,
                                 const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  const gint64 *dimensions;
  gsize n;

  dimensions = ghlo_ir_op_get_ints (op, "broadcast_dimensions", &n);
  if ((ghlo_ir_type_is_per_tensor (operand) && !ghlo_ir_verify_same_quantization (verifier, op, operand, result))
      || !broadcast_dimensions_fit (verifier, op, dimensions, n))
    return FALSE;

  for (guint i = 0; i < n; i++)
    if (operand->dimensions[i] >= 0 && operand->dimensions[i] != 1
        && operand->dimensions[i] != result->dimensions[dimensions[i]])
      return ghlo_ir_verify_fail (verifier, op, "expected size 1 or %" G_GINT64_FORMAT " (of result dimension %"
                                  G_GINT64_FORMAT ") for operand dimension %u, found %" G_GINT64_FORMAT,
                                  result->dimensions[dimensions[i]], dimensions[i], i, operand->dimensions[i]);

  return broadcast_axis_fits (verifier, op, dimensions);
}

/* Checks that each operand dimension occurs at most once in the two lists of hints together. */
static gboolean
expansion_hints_fit (GhloIrVerifier *verifier,
                     const GhloIrOp *op)
{
  static const char *const names[] = { "known_expanding_dimensions", "known_nonexpanding_dimensions" };
  guint rank = ghlo_ir_operand_type (op, 0)->rank;
  gboolean seen[GHLO_MAX_RANK] = { FALSE };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      gsize n;
      const gint64 *hints = ghlo_ir_op_get_ints (op, names[i], &n);

      if (!ghlo_ir_verify_dims_in_range (verifier, op, names[i], hints, n, rank))
        return FALSE;
      for (gsize j = 0; j < n; j++)
        {
          if (seen[hints[j]])
            return ghlo_ir_verify_fail (verifier, op, "expected at most one hint for operand dimension %"
                                        G_GINT64_FORMAT ", found two", hints[j]);
          seen[hints[j]] = TRUE;
        }
    }

  return TRUE;
}

/* Checks that a constant shape operand agrees with the operand's static dimensions. */
static gboolean
output_dimensions_fit (GhloIrVerifier *verifier,
                       const GhloIrOp *op,
                       const gint64   *dimensions,
                       gsize           n)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  g_autofree gint64 *shape = NULL;
  gsize n_shape;

  if (!ghlo_ir_match_ints (ghlo_ir_op_operand (op, 1), &shape, &n_shape))
    return TRUE;
  for (guint i = 0; i < n; i++)
    if ((gsize) dimensions[i] < n_shape && operand->dimensions[i] >= 0 && operand->dimensions[i] != 1
        && operand->dimensions[i] != shape[dimensions[i]])
      return ghlo_ir_verify_fail (verifier, op, "expected size 1 or %" G_GINT64_FORMAT " (of the output shape) for"
                                  " operand dimension %u, found %" G_GINT64_FORMAT,
                                  shape[dimensions[i]], i, operand->dimensions[i]);

  return TRUE;
}

gboolean
ghlo_ir_verify_dynamic_broadcast_in_dim (GhloIrVerifier *verifier,
                                         const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  const gint64 *dimensions;
  gsize n;

  if (!ghlo_ir_elements_compatible (operand, result))
    return ghlo_ir_verify_fail_type (verifier, op, "a result of the element type of", operand, result);
  if (ghlo_ir_type_is_per_tensor (operand) && !ghlo_ir_verify_same_quantization (verifier, op, operand, result))
    return FALSE;
  dimensions = ghlo_ir_op_get_ints (op, "broadcast_dimensions", &n);
  if (!broadcast_dimensions_fit (verifier, op, dimensions, n))
    return FALSE;
  if (ghlo_ir_operand_type (op, 1)->dimensions[0] != result->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected an output shape of %u sizes, the result's rank, found %"
                                G_GINT64_FORMAT, result->rank, ghlo_ir_operand_type (op, 1)->dimensions[0]);

  for (guint i = 0; i < n; i++)
    if (operand->dimensions[i] != 1
        && !ghlo_ir_dims_compatible (operand->dimensions[i], result->dimensions[dimensions[i]]))
      return ghlo_ir_verify_fail (verifier, op, "expected size 1 or %" G_GINT64_FORMAT " (of result dimension %"
                                  G_GINT64_FORMAT ") for operand dimension %u, found %" G_GINT64_FORMAT,
                                  result->dimensions[dimensions[i]], dimensions[i], i, operand->dimensions[i]);

  return ghlo_ir_verify_shape_operand (verifier, op, ghlo_ir_op_operand (op, 1))
         && expansion_hints_fit (verifier, op)
         && output_dimensions_fit (verifier, op, dimensions, n)
         && broadcast_axis_fits (verifier, op, dimensions);
}
