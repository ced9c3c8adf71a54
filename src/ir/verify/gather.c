/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies gather and dynamic_gather: dimension numbers, slice sizes and the shape inferred from both.
 */

#include "base/sizes.h"
#include "ir/verify/structured.h"

typedef struct
{
  const gint64 *offset, *collapsed, *operand_batch, *indices_batch, *index_map;
  gsize         n_offset, n_collapsed, n_operand_batch, n_indices_batch, n_index_map;
  gint64        index_vector_dim;
  guint64       skipped;         /* bit mask of the operand's dimensions without an offset dimension in the result */
} Gather;

static void
read_gather (const GhloIrOp *op,
             Gather         *gather)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dimension_numbers");

  gather->offset = ghlo_ir_struct_get_dims (numbers, "offset_dims", &gather->n_offset);
  gather->collapsed = ghlo_ir_struct_get_dims (numbers, "collapsed_slice_dims", &gather->n_collapsed);
  gather->operand_batch = ghlo_ir_struct_get_dims (numbers, "operand_batching_dims", &gather->n_operand_batch);
  gather->indices_batch = ghlo_ir_struct_get_dims (numbers, "start_indices_batching_dims", &gather->n_indices_batch);
  gather->index_map = ghlo_ir_struct_get_dims (numbers, "start_index_map", &gather->n_index_map);
  gather->index_vector_dim = ghlo_ir_struct_get_int (numbers, "index_vector_dim");
  gather->skipped = 0;
}

/* Checks that the batching dimensions of operand and indices are paired and have compatible sizes. */
static gboolean
verify_batching (GhloIrVerifier *verifier,
                 const GhloIrOp *op,
                 const Gather   *gather)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *indices = ghlo_ir_operand_type (op, 1);
  guint64 seen = 0;

  if (!ghlo_ir_verify_dim_set (verifier, op, "start_indices_batching_dims", gather->indices_batch,
                               gather->n_indices_batch, indices->rank, &seen))
    return FALSE;
  if (ghlo_dims_contain (gather->indices_batch, gather->n_indices_batch, gather->index_vector_dim))
    return ghlo_ir_verify_fail (verifier, op,
                                "expected start_indices_batching_dims without index_vector_dim, found %"
                                G_GINT64_FORMAT, gather->index_vector_dim);
  if (gather->n_operand_batch != gather->n_indices_batch)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected as many start_indices_batching_dims as operand_batching_dims, found %"
                                G_GSIZE_FORMAT " and %" G_GSIZE_FORMAT,
                                gather->n_indices_batch, gather->n_operand_batch);

  for (gsize i = 0; i < gather->n_operand_batch; i++)
    {
      gint64 left = operand->dimensions[gather->operand_batch[i]];
      gint64 right = indices->dimensions[gather->indices_batch[i]];

      if (!ghlo_ir_dims_compatible (left, right))
        return ghlo_ir_verify_fail (verifier, op,
                                    "expected equal sizes of batching dimensions %" G_GINT64_FORMAT " of the operand"
                                    " and %" G_GINT64_FORMAT " of start_indices, found %" G_GINT64_FORMAT
                                    " and %" G_GINT64_FORMAT,
                                    gather->operand_batch[i], gather->indices_batch[i], left, right);
    }

  return TRUE;
}

static gboolean
verify_numbers (GhloIrVerifier *verifier,
                const GhloIrOp *op,
                Gather         *gather)
{
  guint rank = ghlo_ir_operand_type (op, 0)->rank;
  gsize covered = gather->n_offset + gather->n_collapsed + gather->n_operand_batch;
  guint64 mapped = 0;

  if (covered != rank)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected offset_dims, collapsed_slice_dims and operand_batching_dims for %u dimensions"
                                " of the operand together, found %" G_GSIZE_FORMAT, rank, covered);
  if (!ghlo_ir_verify_index_vector (verifier, op, ghlo_ir_operand_type (op, 1), "start_index_map",
                                    gather->n_index_map, gather->index_vector_dim)
      || !ghlo_ir_verify_dims_sorted (verifier, op, "offset_dims", gather->offset, gather->n_offset)
      || !ghlo_ir_verify_dims_sorted (verifier, op, "collapsed_slice_dims", gather->collapsed, gather->n_collapsed)
      || !ghlo_ir_verify_dims_sorted (verifier, op, "operand_batching_dims", gather->operand_batch,
                                      gather->n_operand_batch)
      || !ghlo_ir_verify_dim_set (verifier, op, "operand_batching_dims", gather->operand_batch,
                                  gather->n_operand_batch, rank, &gather->skipped))
    return FALSE;
  mapped = gather->skipped;

  return ghlo_ir_verify_dim_set (verifier, op, "collapsed_slice_dims", gather->collapsed, gather->n_collapsed, rank,
                                 &gather->skipped)
         && verify_batching (verifier, op, gather)
         && ghlo_ir_verify_dim_set (verifier, op, "start_index_map", gather->index_map, gather->n_index_map, rank,
                                    &mapped);
}

/* Checks known slice sizes: they are within the operand, and at most 1 for dimensions that the result lacks. */
static gboolean
verify_slice_sizes (GhloIrVerifier *verifier,
                    const GhloIrOp *op,
                    const Gather   *gather,
                    const gint64   *sizes)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);

  for (guint i = 0; i < operand->rank; i++)
    {
      gint64 limit = operand->dimensions[i];

      if ((gather->skipped & (G_GUINT64_CONSTANT (1) << i)) != 0 && sizes[i] > 1)
        return ghlo_ir_verify_fail (verifier, op,
                                    "expected a slice size of at most 1 along collapsed or batching dimension %u,"
                                    " found %" G_GINT64_FORMAT, i, sizes[i]);
      if (sizes[i] < 0 || (limit >= 0 && sizes[i] > limit))
        return ghlo_ir_verify_fail (verifier, op,
                                    "expected a slice size from 0 to %" G_GINT64_FORMAT " along dimension %u,"
                                    " found %" G_GINT64_FORMAT, limit, i, sizes[i]);
    }

  return TRUE;
}

/* Checks the result: offset dimensions have the slice sizes, the others have the sizes of the indices without the
 * index vector. @sizes is NULL if unknown. */
static gboolean
verify_result (GhloIrVerifier *verifier,
               const GhloIrOp *op,
               const Gather   *gather,
               const gint64   *sizes)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *indices = ghlo_ir_operand_type (op, 1);
  gsize n_batch = indices->rank - (gather->index_vector_dim == indices->rank ? 0 : 1);
  gsize rank = gather->n_offset + n_batch;
  guint64 offsets = 0;
  guint slice = 0, index = 0;
  GhloIrShape shape;

  if (rank > GHLO_MAX_RANK)
    return ghlo_ir_verify_fail (verifier, op, "expected a result of at most rank %u, found rank %" G_GSIZE_FORMAT,
                                GHLO_MAX_RANK, rank);
  if (!ghlo_ir_verify_dim_set (verifier, op, "offset_dims", gather->offset, gather->n_offset, rank, &offsets))
    return FALSE;

  ghlo_ir_shape_init (&shape, rank);
  for (guint i = 0; i < rank; i++)
    if ((offsets & (G_GUINT64_CONSTANT (1) << i)) != 0)
      {
        while ((gather->skipped & (G_GUINT64_CONSTANT (1) << slice)) != 0)
          slice++;
        shape.dimensions[i] = sizes != NULL ? sizes[slice] : GHLO_DYNAMIC;
        slice++;
      }
    else
      {
        if (index == gather->index_vector_dim)
          index++;
        shape.dimensions[i] = indices->dimensions[index];
        shape.bounds[i] = ghlo_ir_type_bound (indices, index);
        index++;
      }

  return ghlo_ir_verify_inferred (verifier, op, 0, &shape, operand);
}

static gboolean
verify_slice_rank (GhloIrVerifier *verifier,
                   const GhloIrOp *op,
                   gint64          n)
{
  guint rank = ghlo_ir_operand_type (op, 0)->rank;

  if (n == rank)
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op,
                              "expected slice_sizes for %u dimensions of the operand, found %" G_GINT64_FORMAT,
                              rank, n);
}

gboolean
ghlo_ir_verify_gather (GhloIrVerifier *verifier,
                       const GhloIrOp *op)
{
  Gather gather;
  gsize n;
  const gint64 *sizes = ghlo_ir_op_get_ints (op, "slice_sizes", &n);

  read_gather (op, &gather);

  return verify_numbers (verifier, op, &gather)
         && verify_slice_rank (verifier, op, (gint64) n)
         && verify_slice_sizes (verifier, op, &gather, sizes)
         && verify_result (verifier, op, &gather, sizes);
}

gboolean
ghlo_ir_verify_dynamic_gather (GhloIrVerifier *verifier,
                               const GhloIrOp *op)
{
  g_autofree gint64 *sizes = NULL;
  Gather gather;
  gsize n;

  read_gather (op, &gather);
  if (!verify_numbers (verifier, op, &gather)
      || !verify_slice_rank (verifier, op, ghlo_ir_operand_type (op, 2)->dimensions[0]))
    return FALSE;
  if (!ghlo_ir_match_ints (ghlo_ir_op_operand (op, 2), &sizes, &n))
    return verify_result (verifier, op, &gather, NULL);

  return verify_slice_rank (verifier, op, (gint64) n)
         && verify_slice_sizes (verifier, op, &gather, sizes)
         && verify_result (verifier, op, &gather, sizes);
}
