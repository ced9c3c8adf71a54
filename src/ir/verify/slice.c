/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies operations that extract parts of tensors, concatenate them, or pad them. Starts, limits and paddings may
 * be any 64-bit numbers, so sizes are computed with overflow checks.
 */

#include "ir/verify/common.h"

/* Reads three attributes and checks that each has @n values, one for each dimension of the operand. */
static gboolean
three_lists (GhloIrVerifier    *verifier,
             const GhloIrOp    *op,
             const char *const *names,
             const gint64     **lists)
{
  guint rank = ghlo_ir_operand_type (op, 0)->rank;

  for (guint i = 0; i < 3; i++)
    {
      gsize n;

      lists[i] = ghlo_ir_op_get_ints (op, names[i], &n);
      if (n != rank)
        return ghlo_ir_verify_fail (verifier, op, "expected %u elements in %s, the operand's rank, found %"
                                    G_GSIZE_FORMAT, rank, names[i], n);
    }

  return TRUE;
}

/* The number of steps from @start to @limit in dimension @i; -1 after an error. */
static gint64
slice_extent (GhloIrVerifier *verifier,
              const GhloIrOp *op,
              guint           i,
              gint64          start,
              gint64          limit,
              gint64          stride)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  gboolean is_static = operand->dimensions[i] >= 0;
  gint64 size = is_static ? operand->dimensions[i] : ghlo_ir_type_bound (operand, i);

  if (start < 0)
    ghlo_ir_verify_fail (verifier, op, "expected a start index of at least 0 in dimension %u, found %" G_GINT64_FORMAT,
                         i, start);
  else if (size >= 0 && limit > size)
    ghlo_ir_verify_fail (verifier, op, "expected a limit index in dimension %u of at most its %s %" G_GINT64_FORMAT
                         ", found %" G_GINT64_FORMAT, i, is_static ? "size" : "bound", size, limit);
  else if (start > limit)
    ghlo_ir_verify_fail (verifier, op, "expected a start index of at most the limit index %" G_GINT64_FORMAT
                         " in dimension %u, found %" G_GINT64_FORMAT, limit, i, start);
  else if (stride <= 0)
    ghlo_ir_verify_fail (verifier, op, "expected a stride of at least 1 in dimension %u, found %" G_GINT64_FORMAT,
                         i, stride);
  else
    return (limit - start) / stride + ((limit - start) % stride != 0);

  return -1;
}

gboolean
ghlo_ir_verify_slice (GhloIrVerifier *verifier,
                      const GhloIrOp *op)
{
  static const char *const names[] = { "start_indices", "limit_indices", "strides" };
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const gint64 *lists[3];
  GhloIrShape shape;

  if (!three_lists (verifier, op, names, lists))
    return FALSE;

  ghlo_ir_shape_init (&shape, operand->rank);
  for (guint i = 0; i < operand->rank; i++)
    {
      shape.dimensions[i] = slice_extent (verifier, op, i, lists[0][i], lists[1][i], lists[2][i]);
      if (shape.dimensions[i] < 0)
        return FALSE;
    }

  return ghlo_ir_verify_inferred (verifier, op, 0, &shape, operand);
}

/* Checks the start indices from operand @first on: one for each dimension, all of the same type. */
static gboolean
start_indices_fit (GhloIrVerifier *verifier,
                   const GhloIrOp *op,
                   guint           first)
{
  guint rank = ghlo_ir_operand_type (op, 0)->rank;

  if (op->n_operands - first != rank)
    return ghlo_ir_verify_fail (verifier, op, "expected %u start indices, the operand's rank, found %u",
                                rank, op->n_operands - first);
  for (guint i = first + 1; i < op->n_operands; i++)
    if (!ghlo_ir_same_element (ghlo_ir_operand_type (op, first), ghlo_ir_operand_type (op, i)))
      return ghlo_ir_verify_fail_type (verifier, op, "start indices of the same element type, like",
                                       ghlo_ir_operand_type (op, first), ghlo_ir_operand_type (op, i));

  return TRUE;
}

gboolean
ghlo_ir_verify_dynamic_slice (GhloIrVerifier *verifier,
                              const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  const gint64 *sizes;
  GhloIrShape shape;
  gsize n;

  sizes = ghlo_ir_op_get_ints (op, "slice_sizes", &n);
  if (n != operand->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected %u slice sizes, the operand's rank, found %" G_GSIZE_FORMAT,
                                operand->rank, n);
  if (!start_indices_fit (verifier, op, 1))
    return FALSE;

  ghlo_ir_shape_init (&shape, operand->rank);
  for (guint i = 0; i < operand->rank; i++)
    {
      if (sizes[i] < 0)
        return ghlo_ir_verify_fail (verifier, op, "expected a slice size of at least 0 in dimension %u, found %"
                                    G_GINT64_FORMAT, i, sizes[i]);
      if (operand->dimensions[i] >= 0 && sizes[i] > operand->dimensions[i])
        return ghlo_ir_verify_fail (verifier, op, "expected a slice size of at most %" G_GINT64_FORMAT
                                    " in dimension %u, found %" G_GINT64_FORMAT, operand->dimensions[i], i, sizes[i]);
      shape.dimensions[i] = sizes[i];
    }
  if (!ghlo_ir_same_element (operand, result))
    return ghlo_ir_verify_fail_type (verifier, op, "a result of the element type of", operand, result);

  return ghlo_ir_verify_inferred (verifier, op, 0, &shape, operand);
}

gboolean
ghlo_ir_verify_dynamic_update_slice (GhloIrVerifier *verifier,
                                     const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *update = ghlo_ir_operand_type (op, 1);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);

  if (!ghlo_ir_same_element (operand, update))
    return ghlo_ir_verify_fail_type (verifier, op, "an update of the element type of", operand, update);
  if (!ghlo_ir_same_element (operand, result))
    return ghlo_ir_verify_fail_type (verifier, op, "a result of the element type of", operand, result);
  if (update->rank != operand->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected an update of the operand's rank %u, found rank %u",
                                operand->rank, update->rank);
  if (!start_indices_fit (verifier, op, 2))
    return FALSE;
  for (guint i = 0; i < operand->rank; i++)
    if (operand->dimensions[i] >= 0 && update->dimensions[i] > operand->dimensions[i])
      return ghlo_ir_verify_fail (verifier, op, "expected an update of at most size %" G_GINT64_FORMAT
                                  " in dimension %u, found %" G_GINT64_FORMAT,
                                  operand->dimensions[i], i, update->dimensions[i]);

  return ghlo_ir_verify_inferred_type (verifier, op, 0, operand);
}

gboolean
ghlo_ir_verify_real_dynamic_slice (GhloIrVerifier *verifier,
                                   const GhloIrOp *op)
{
  static const char *const names[] = { "operand", "start_indices", "limit_indices", "strides" };
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);

  if (!ghlo_ir_same_element (operand, result))
    return ghlo_ir_verify_fail_type (verifier, op, "a result of the element type of", operand, result);
  for (guint i = 1; i < 4; i++)
    {
      const GhloIrType *type = ghlo_ir_operand_type (op, i);

      if (type != ghlo_ir_operand_type (op, 1))
        return ghlo_ir_verify_fail_type (verifier, op, "starts, limits and strides of the same type, like",
                                         ghlo_ir_operand_type (op, 1), type);
      if (type->dimensions[0] != operand->rank)
        return ghlo_ir_verify_fail (verifier, op, "expected %u elements in '%s', the operand's rank, found %"
                                    G_GINT64_FORMAT, operand->rank, names[i], type->dimensions[0]);
    }
  if (result->rank != operand->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected a result of the operand's rank %u, found rank %u",
                                operand->rank, result->rank);

  return TRUE;
}

/* Adds an input of type @type to the concatenated shape, along @dimension. */
static gboolean
concatenate_one (GhloIrVerifier   *verifier,
                 const GhloIrOp   *op,
                 GhloIrShape      *shape,
                 const GhloIrType *type,
                 guint             dimension)
{
  gint64 size = shape->dimensions[dimension];
  gint64 limit = size >= 0 ? size : shape->bounds[dimension];
  gint64 more, sum = -1;

  if (type->rank != shape->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected operands of the same rank, found ranks %u and %u",
                                shape->rank, type->rank);
  more = type->dimensions[dimension] >= 0 ? type->dimensions[dimension] : ghlo_ir_type_bound (type, dimension);
  if (limit >= 0 && more >= 0 && __builtin_add_overflow (limit, more, &sum))
    return ghlo_ir_verify_fail (verifier, op, "expected a concatenated size below 2^63 in dimension %u, found more",
                                dimension);
  /* The sizes in this dimension are added, those in the others merged. */
  shape->dimensions[dimension] = type->dimensions[dimension];
  shape->bounds[dimension] = -1;
  if (!ghlo_ir_shape_merge (verifier, op, shape, type))
    return FALSE;
  shape->dimensions[dimension] = size >= 0 && type->dimensions[dimension] >= 0 ? sum : -1;
  shape->bounds[dimension] = shape->dimensions[dimension] >= 0 ? -1 : sum;

  return TRUE;
}

gboolean
ghlo_ir_verify_concatenate (GhloIrVerifier *verifier,
                            const GhloIrOp *op)
{
  gint64 dimension = ghlo_ir_op_get_int (op, "dimension", 0);
  const GhloIrType *first;
  GhloIrShape shape;

  if (op->n_operands == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected at least one operand, found none");
  first = ghlo_ir_operand_type (op, 0);
  if (first->rank == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected operands of at least rank 1, found rank 0");
  if (!ghlo_ir_verify_dim_in_range (verifier, op, "dimension", dimension, first->rank))
    return FALSE;

  ghlo_ir_shape_from_type (&shape, first);
  for (guint i = 1; i < op->n_operands; i++)
    if (!concatenate_one (verifier, op, &shape, ghlo_ir_operand_type (op, i), (guint) dimension))
      return FALSE;

  return ghlo_ir_verify_inferred (verifier, op, 0, &shape, first);
}

/* Computes a size after padding by low, high and interior. Returns FALSE on overflow. */
static gboolean
padded_size (gint64  size,
             gint64  low,
             gint64  high,
             gint64  interior,
             gint64 *result)
{
  gint64 inner;

  return !__builtin_mul_overflow (MAX (size - 1, 0), interior, &inner)
         && !__builtin_add_overflow (inner, size, result)
         && !__builtin_add_overflow (*result, low, result)
         && !__builtin_add_overflow (*result, high, result);
}

gboolean
ghlo_ir_verify_pad (GhloIrVerifier *verifier,
                    const GhloIrOp *op)
{
  static const char *const names[] = { "edge_padding_low", "edge_padding_high", "interior_padding" };
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const gint64 *lists[3];
  GhloIrShape shape;

  if (!three_lists (verifier, op, names, lists))
    return FALSE;

  ghlo_ir_shape_init (&shape, operand->rank);
  for (guint i = 0; i < operand->rank; i++)
    {
      gboolean is_static = operand->dimensions[i] >= 0;
      gint64 size = is_static ? operand->dimensions[i] : ghlo_ir_type_bound (operand, i);
      gint64 unpadded = size;

      if (lists[2][i] < 0)
        return ghlo_ir_verify_fail (verifier, op, "expected an interior padding of at least 0 in dimension %u, found %"
                                    G_GINT64_FORMAT, i, lists[2][i]);
      if (size < 0)
        continue;
      if (!padded_size (size, lists[0][i], lists[1][i], lists[2][i], &size) || size < 0)
        return ghlo_ir_verify_fail (verifier, op, "expected a padded %s of at least 0 and below 2^63 in dimension %u,"
                                    " found %" G_GINT64_FORMAT " padded by %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                                    " and %" G_GINT64_FORMAT " between elements", is_static ? "size" : "bound", i,
                                    unpadded, lists[0][i], lists[1][i], lists[2][i]);
      (is_static ? shape.dimensions : shape.bounds)[i] = size;
    }

  return ghlo_ir_verify_inferred (verifier, op, 0, &shape, operand);
}

/* Checks the padded sizes if all padding is constant and all shapes are static. */
static gboolean
constant_padding_fits (GhloIrVerifier *verifier,
                       const GhloIrOp *op,
                       const gint64   *interior)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  g_autofree gint64 *low = NULL;
  g_autofree gint64 *high = NULL;
  gsize n_low, n_high;

  if (!ghlo_ir_type_has_static_shape (operand) || !ghlo_ir_type_has_static_shape (result)
      || !ghlo_ir_match_ints (ghlo_ir_op_operand (op, 2), &low, &n_low)
      || !ghlo_ir_match_ints (ghlo_ir_op_operand (op, 3), &high, &n_high)
      || n_low != operand->rank || n_high != operand->rank)
    return TRUE;

  for (guint i = 0; i < operand->rank; i++)
    {
      gint64 size;

      if (!padded_size (operand->dimensions[i], low[i], high[i], interior[i], &size))
        return ghlo_ir_verify_fail (verifier, op, "expected a padded size below 2^63 in dimension %u, found more", i);
      if (size != result->dimensions[i])
        return ghlo_ir_verify_fail (verifier, op, "expected size %" G_GINT64_FORMAT " of result dimension %u, found %"
                                    G_GINT64_FORMAT, size, i, result->dimensions[i]);
    }

  return TRUE;
}

gboolean
ghlo_ir_verify_dynamic_pad (GhloIrVerifier *verifier,
                            const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *padding = ghlo_ir_operand_type (op, 2);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  g_autofree gint64 *interior = NULL;
  gsize n;

  if (!ghlo_ir_same_element (operand, ghlo_ir_operand_type (op, 1)))
    return ghlo_ir_verify_fail_type (verifier, op, "a padding value of the element type of", operand,
                                     ghlo_ir_operand_type (op, 1));
  if (!ghlo_ir_same_element (operand, result))
    return ghlo_ir_verify_fail_type (verifier, op, "a result of the element type of", operand, result);
  for (guint i = 3; i < 5; i++)
    if (ghlo_ir_operand_type (op, i) != padding)
      return ghlo_ir_verify_fail_type (verifier, op, "paddings of the same type, like", padding,
                                       ghlo_ir_operand_type (op, i));
  if (result->rank != operand->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected a result of the operand's rank %u, found rank %u",
                                operand->rank, result->rank);
  if (padding->dimensions[0] != operand->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected %u elements in each padding, the operand's rank, found %"
                                G_GINT64_FORMAT, operand->rank, padding->dimensions[0]);

  if (!ghlo_ir_match_ints (ghlo_ir_op_operand (op, 4), &interior, &n) || n != operand->rank)
    return TRUE;
  for (guint i = 0; i < n; i++)
    if (interior[i] < 0)
      return ghlo_ir_verify_fail (verifier, op, "expected an interior padding of at least 0 in dimension %u, found %"
                                  G_GINT64_FORMAT, i, interior[i]);

  return constant_padding_fits (verifier, op, interior);
}
