/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies dot and dot_general: dimension numbers, the inferred shape, and quantization.
 */

#include "base/sizes.h"
#include "ir/verify/structured.h"

/* One side of a product. */
typedef struct
{
  const GhloIrType *type;
  const gint64     *batch;
  const gint64     *contracting;
  gsize             n_batch;
  gsize             n_contracting;
  guint64           used;           /* bit mask of the dimensions above */
} Side;

static gboolean
verify_algorithm (GhloIrVerifier *verifier,
                  const GhloIrOp *op)
{
  const GhloIrAttr *precision = ghlo_ir_op_get (op, "precision_config");

  if (ghlo_ir_op_get (op, "algorithm") == NULL)
    return TRUE;

  for (gsize i = 0; precision != NULL && i < precision->length; i++)
    if (precision->children[i]->integer != 0)
      return ghlo_ir_verify_fail (verifier, op, "expected precision DEFAULT with an algorithm, found %s",
                                  ghlo_ir_enum_word (precision->children[i]));

  return TRUE;
}

static void
read_side (Side             *side,
           const GhloIrType *type,
           const GhloIrAttr *numbers,
           const char       *batch,
           const char       *contracting)
{
  side->type = type;
  side->used = 0;
  side->batch = ghlo_ir_struct_get_dims (numbers, batch, &side->n_batch);
  side->contracting = ghlo_ir_struct_get_dims (numbers, contracting, &side->n_contracting);
}

static gboolean
verify_sizes (GhloIrVerifier *verifier,
              const GhloIrOp *op,
              const char     *what,
              const Side     *lhs,
              const Side     *rhs,
              const gint64   *lhs_dims,
              const gint64   *rhs_dims,
              gsize           n)
{
  for (gsize i = 0; i < n; i++)
    {
      gint64 left = lhs->type->dimensions[lhs_dims[i]];
      gint64 right = rhs->type->dimensions[rhs_dims[i]];

      if (!ghlo_ir_dims_compatible (left, right))
        return ghlo_ir_verify_fail (verifier, op,
                                    "expected equal sizes of %s dimensions %" G_GINT64_FORMAT " of lhs and %"
                                    G_GINT64_FORMAT " of rhs, found %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT,
                                    what, lhs_dims[i], rhs_dims[i], left, right);
    }

  return TRUE;
}

static gboolean
verify_numbers (GhloIrVerifier *verifier,
                const GhloIrOp *op,
                Side           *lhs,
                Side           *rhs)
{
  if (lhs->n_batch != rhs->n_batch)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected as many batching dimensions of rhs as of lhs, found %" G_GSIZE_FORMAT
                                " and %" G_GSIZE_FORMAT, rhs->n_batch, lhs->n_batch);
  if (lhs->n_contracting != rhs->n_contracting)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected as many contracting dimensions of rhs as of lhs, found %" G_GSIZE_FORMAT
                                " and %" G_GSIZE_FORMAT, rhs->n_contracting, lhs->n_contracting);

  return ghlo_ir_verify_dim_set (verifier, op, "lhs_batching_dimensions",
                                 lhs->batch, lhs->n_batch, lhs->type->rank, &lhs->used)
         && ghlo_ir_verify_dim_set (verifier, op, "lhs_contracting_dimensions",
                                    lhs->contracting, lhs->n_contracting, lhs->type->rank, &lhs->used)
         && ghlo_ir_verify_dim_set (verifier, op, "rhs_batching_dimensions",
                                    rhs->batch, rhs->n_batch, rhs->type->rank, &rhs->used)
         && ghlo_ir_verify_dim_set (verifier, op, "rhs_contracting_dimensions",
                                    rhs->contracting, rhs->n_contracting, rhs->type->rank, &rhs->used)
         && verify_sizes (verifier, op, "batching", lhs, rhs, lhs->batch, rhs->batch, lhs->n_batch)
         && verify_sizes (verifier, op, "contracting", lhs, rhs, lhs->contracting, rhs->contracting,
                          lhs->n_contracting);
}

/* Merges the sizes and bounds of a batching dimension of both sides. */
static gboolean
merge_batch (GhloIrVerifier *verifier,
             const GhloIrOp *op,
             const Side     *lhs,
             const Side     *rhs,
             GhloIrShape    *shape,
             gsize           i)
{
  gint64 left = lhs->type->dimensions[lhs->batch[i]];
  gint64 right = rhs->type->dimensions[rhs->batch[i]];
  gint64 left_bound = ghlo_ir_type_bound (lhs->type, lhs->batch[i]);
  gint64 right_bound = ghlo_ir_type_bound (rhs->type, rhs->batch[i]);
  gint64 size = MAX (left, right);
  gint64 bound = left_bound < 0 ? right_bound : right_bound < 0 ? left_bound : MIN (left_bound, right_bound);

  if (size >= 0 && bound >= 0 && size > bound)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected batching dimension %" G_GSIZE_FORMAT " of at most its bound %"
                                G_GINT64_FORMAT ", found size %" G_GINT64_FORMAT, i, bound, size);
  shape->dimensions[i] = size;
  shape->bounds[i] = size >= 0 ? -1 : bound;

  return TRUE;
}

static void
append_free (GhloIrShape *shape,
             const Side  *side)
{
  for (guint i = 0; i < side->type->rank; i++)
    if ((side->used & (G_GUINT64_CONSTANT (1) << i)) == 0)
      {
        shape->dimensions[shape->rank] = side->type->dimensions[i];
        shape->bounds[shape->rank] = ghlo_ir_type_bound (side->type, i);
        shape->rank++;
      }
}

static gboolean
verify_result (GhloIrVerifier *verifier,
               const GhloIrOp *op,
               const Side     *lhs,
               const Side     *rhs)
{
  gsize rank = lhs->type->rank + rhs->type->rank - lhs->n_batch - 2 * lhs->n_contracting;
  GhloIrShape shape;

  if (rank > GHLO_MAX_RANK)
    return ghlo_ir_verify_fail (verifier, op, "expected a result of at most rank %u, found rank %" G_GSIZE_FORMAT,
                                GHLO_MAX_RANK, rank);

  ghlo_ir_shape_init (&shape, lhs->n_batch);
  for (gsize i = 0; i < lhs->n_batch; i++)
    if (!merge_batch (verifier, op, lhs, rhs, &shape, i))
      return FALSE;
  append_free (&shape, lhs);
  append_free (&shape, rhs);

  return ghlo_ir_verify_inferred (verifier, op, 0, &shape, NULL);
}

static gboolean
verify_quantization (GhloIrVerifier *verifier,
                     const GhloIrOp *op,
                     const Side     *lhs,
                     const Side     *rhs)
{
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  const GhloQuantization *quantization = rhs->type->quantization;

  if (lhs->type->quantization == NULL && quantization == NULL && result->quantization == NULL)
    return TRUE;

  for (guint i = 0; quantization != NULL && i < quantization->n_scales; i++)
    if (quantization->zero_points[i] != 0)
      return ghlo_ir_verify_fail (verifier, op, "expected zero points of 0 in rhs, found %" G_GINT64_FORMAT,
                                  quantization->zero_points[i]);
  if (quantization != NULL && quantization->axis >= 0
      && ghlo_dims_contain (rhs->contracting, rhs->n_contracting, quantization->axis))
    return ghlo_ir_verify_fail (verifier, op, "expected rhs to be quantized along no contracting dimension, found %d",
                                quantization->axis);

  return ghlo_ir_verify_quantized_dot (verifier, op, lhs->type, rhs->type, result);
}

gboolean
ghlo_ir_verify_dot_general (GhloIrVerifier *verifier,
                            const GhloIrOp *op)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dot_dimension_numbers");
  Side lhs, rhs;

  read_side (&lhs, ghlo_ir_operand_type (op, 0), numbers, "lhs_batching_dimensions", "lhs_contracting_dimensions");
  read_side (&rhs, ghlo_ir_operand_type (op, 1), numbers, "rhs_batching_dimensions", "rhs_contracting_dimensions");

  return ghlo_ir_verify_precision (verifier, op)
         && verify_numbers (verifier, op, &lhs, &rhs)
         && verify_result (verifier, op, &lhs, &rhs)
         && verify_algorithm (verifier, op)
         && verify_quantization (verifier, op, &lhs, &rhs);
}

/* dot contracts the last dimension of a vector or matrix with the first of another. */
gboolean
ghlo_ir_verify_dot (GhloIrVerifier *verifier,
                    const GhloIrOp *op)
{
  static const gint64 numbers[] = { 0, 1 };
  Side lhs = { .type = ghlo_ir_operand_type (op, 0), .n_contracting = 1 };
  Side rhs = { .type = ghlo_ir_operand_type (op, 1), .n_contracting = 1, .contracting = numbers };

  if (lhs.type->rank < 1 || lhs.type->rank > 2 || rhs.type->rank < 1 || rhs.type->rank > 2)
    return ghlo_ir_verify_fail (verifier, op, "expected operands of rank 1 or 2, found ranks %u and %u",
                                lhs.type->rank, rhs.type->rank);
  lhs.contracting = &numbers[lhs.type->rank - 1];

  return ghlo_ir_verify_precision (verifier, op)
         && verify_numbers (verifier, op, &lhs, &rhs)
         && verify_result (verifier, op, &lhs, &rhs);
}

gboolean
ghlo_ir_verify_dot_dimensions (GhloIrVerifier   *verifier,
                               const GhloIrOp   *op,
                               const GhloIrAttr *numbers)
{
  Side lhs, rhs;

  read_side (&lhs, ghlo_ir_operand_type (op, 0), numbers, "lhs_batching_dimensions", "lhs_contracting_dimensions");
  read_side (&rhs, ghlo_ir_operand_type (op, 1), numbers, "rhs_batching_dimensions", "rhs_contracting_dimensions");

  return ghlo_ir_verify_precision (verifier, op) && verify_numbers (verifier, op, &lhs, &rhs);
}
