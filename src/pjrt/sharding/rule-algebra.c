/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rules of products, reductions and decompositions. A dimension that is summed over may be sharded, since a sum
 * over partitions can follow.
 */

#include "pjrt/sharding/rule.h"

#include "base/sizes.h"

void
ghlo_pjrt_rule_reduce (GhloPjrtRule   *self,
                       const GhloIrOp *op)
{
  const GhloIrType *type = ghlo_pjrt_operand_type (op, 0);
  const guint n_inputs = op->n_operands / 2;
  gsize n;
  g_autofree gint64 *dimensions = ghlo_ir_op_dup_ints (op, "dimensions", &n);
  int out = 0;

  for (guint i = 0; i < type->rank; i++)
    {
      const gboolean is_reduced = ghlo_dims_contain (dimensions, n, i);
      int *by_tensor = ghlo_pjrt_rule_add (self, type->dimensions[i],
                                           is_reduced ? GHLO_PJRT_NEEDS_COMMUNICATION : GHLO_PJRT_PASS_THROUGH);

      for (guint j = 0; j < n_inputs; j++)
        {
          by_tensor[j] = (int) i;
          if (!is_reduced)
            by_tensor[op->n_operands + j] = out;
        }
      out += !is_reduced;
    }
}

/* One factor per dimension, of the number of windows along it. */
void
ghlo_pjrt_rule_reduce_window (GhloPjrtRule   *self,
                              const GhloIrOp *op)
{
  const GhloIrType *type = ghlo_pjrt_operand_type (op, 0), *result = op->results[0].type;

  for (guint i = 0; i < result->rank; i++)
    {
      const gboolean is_same = type->dimensions[i] == result->dimensions[i];

      ghlo_pjrt_rule_add_everywhere (self, i, result->dimensions[i],
                                     is_same ? GHLO_PJRT_PASS_THROUGH : GHLO_PJRT_NEEDS_COMMUNICATION);
    }
}

/* Batch dimensions correspond; the last two dimensions, those of the matrices, are not computed in parts. */
void
ghlo_pjrt_rule_matrices (GhloPjrtRule   *self,
                         const GhloIrOp *op)
{
  const GhloIrType *type = op->results[0].type;

  for (guint i = 0; i < type->rank; i++)
    ghlo_pjrt_rule_add_everywhere (self, i, type->dimensions[i],
                                   i + 2 < type->rank ? GHLO_PJRT_PASS_THROUGH : GHLO_PJRT_NEEDS_COMMUNICATION);
}

/* a x = b or x a = b, where a may be transposed: the dimension of a that is summed over corresponds to the result,
 * the other one to b. */
void
ghlo_pjrt_rule_triangular_solve (GhloPjrtRule   *self,
                                 const GhloIrOp *op)
{
  const GhloIrType *a = ghlo_pjrt_operand_type (op, 0), *b = ghlo_pjrt_operand_type (op, 1);
  const GhloIrAttr *transpose_a = ghlo_ir_op_get (op, "transpose_a");
  const gboolean is_left = ghlo_ir_op_get_int (op, "left_side", 1) != 0;
  const gboolean is_transposed = transpose_a != NULL
                                 && g_strcmp0 (ghlo_ir_enum_word (transpose_a), "NO_TRANSPOSE") != 0;
  const int row = (int) a->rank - 2, column = (int) a->rank - 1;
  const int solved = is_left ? row : column, kept = is_left ? column : row;
  const int summed = is_left != is_transposed ? column : row;
  int *by_tensor;

  for (int i = 0; i < row; i++)
    ghlo_pjrt_rule_add_everywhere (self, (guint) i, a->dimensions[i], GHLO_PJRT_PASS_THROUGH);
  by_tensor = ghlo_pjrt_rule_add (self, a->dimensions[row], GHLO_PJRT_NEEDS_COMMUNICATION);
  by_tensor[0] = row + column - summed;
  by_tensor[1] = solved;
  by_tensor = ghlo_pjrt_rule_add (self, b->dimensions[kept], GHLO_PJRT_NEEDS_COMMUNICATION);
  by_tensor[1] = by_tensor[2] = kept;
  by_tensor = ghlo_pjrt_rule_add (self, a->dimensions[row], GHLO_PJRT_NEEDS_COMMUNICATION);
  by_tensor[0] = summed;
  by_tensor[2] = solved;
}

void
ghlo_pjrt_rule_fft (GhloPjrtRule   *self,
                    const GhloIrOp *op)
{
  const GhloIrType *type = ghlo_pjrt_operand_type (op, 0), *result = op->results[0].type;
  gsize n;

  /* Only the number of transformed dimensions matters here. */
  g_free (ghlo_ir_op_dup_ints (op, "fft_length", &n));
  for (guint i = 0; i < type->rank; i++)
    {
      const gboolean is_same = type->dimensions[i] == result->dimensions[i];
      const GhloPjrtFactorKind transformed = is_same ? GHLO_PJRT_NEEDS_COMMUNICATION : GHLO_PJRT_BLOCKED;

      ghlo_pjrt_rule_add_everywhere (self, i, type->dimensions[i],
                                     i + n < type->rank ? GHLO_PJRT_PASS_THROUGH : transformed);
    }
}

void
ghlo_pjrt_rule_batch_norm (GhloPjrtRule   *self,
                           const GhloIrOp *op)
{
  const GhloIrType *type = ghlo_pjrt_operand_type (op, 0);
  const gint64 feature = ghlo_ir_op_get_int (op, "feature_index", 0);

  for (guint i = 0; i < type->rank; i++)
    {
      int *by_tensor = ghlo_pjrt_rule_add (self, type->dimensions[i], GHLO_PJRT_PASS_THROUGH);

      by_tensor[0] = by_tensor[op->n_operands] = (int) i;
      for (guint j = 1; j < op->n_operands && (gint64) i == feature; j++)
        by_tensor[j] = 0;
    }
}

/* Adds factors for the dimensions of operand @side that are in neither list; they correspond to the result's
 * dimensions from *@out on. */
static void
add_free (GhloPjrtRule     *self,
          guint             side,
          const GhloIrType *type,
          const gint64     *batch,
          gsize             n_batch,
          const gint64     *contracting,
          gsize             n_contracting,
          int              *out)
{
  for (guint i = 0; i < type->rank; i++)
    if (!ghlo_dims_contain (batch, n_batch, i) && !ghlo_dims_contain (contracting, n_contracting, i))
      {
        int *by_tensor = ghlo_pjrt_rule_add (self, type->dimensions[i], GHLO_PJRT_PASS_THROUGH);

        by_tensor[side] = (int) i;
        by_tensor[2] = (*out)++;
      }
}

void
ghlo_pjrt_rule_dot_general (GhloPjrtRule   *self,
                            const GhloIrOp *op)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dot_dimension_numbers");
  const GhloIrType *lhs = ghlo_pjrt_operand_type (op, 0), *rhs = ghlo_pjrt_operand_type (op, 1);
  gsize n_batch, n_contracting;
  const gint64 *lhs_batch = ghlo_ir_struct_get_dims (numbers, "lhs_batching_dimensions", &n_batch);
  const gint64 *rhs_batch = ghlo_ir_struct_get_dims (numbers, "rhs_batching_dimensions", &n_batch);
  const gint64 *lhs_contracting = ghlo_ir_struct_get_dims (numbers, "lhs_contracting_dimensions", &n_contracting);
  const gint64 *rhs_contracting = ghlo_ir_struct_get_dims (numbers, "rhs_contracting_dimensions", &n_contracting);
  int out = 0;

  for (gsize i = 0; i < n_batch; i++)
    {
      int *by_tensor = ghlo_pjrt_rule_add (self, lhs->dimensions[lhs_batch[i]], GHLO_PJRT_PASS_THROUGH);

      by_tensor[0] = (int) lhs_batch[i];
      by_tensor[1] = (int) rhs_batch[i];
      by_tensor[2] = out++;
    }
  add_free (self, 0, lhs, lhs_batch, n_batch, lhs_contracting, n_contracting, &out);
  add_free (self, 1, rhs, rhs_batch, n_batch, rhs_contracting, n_contracting, &out);
  for (gsize i = 0; i < n_contracting; i++)
    {
      int *by_tensor = ghlo_pjrt_rule_add (self, lhs->dimensions[lhs_contracting[i]], GHLO_PJRT_NEEDS_COMMUNICATION);

      by_tensor[0] = (int) lhs_contracting[i];
      by_tensor[1] = (int) rhs_contracting[i];
    }
}

void
ghlo_pjrt_rule_dot (GhloPjrtRule   *self,
                    const GhloIrOp *op)
{
  const GhloIrType *lhs = ghlo_pjrt_operand_type (op, 0), *rhs = ghlo_pjrt_operand_type (op, 1);
  const gint64 contracting[2] = { (gint64) lhs->rank - 1, 0 };
  int out = 0, *by_tensor;

  add_free (self, 0, lhs, NULL, 0, &contracting[0], 1, &out);
  add_free (self, 1, rhs, NULL, 0, &contracting[1], 1, &out);
  by_tensor = ghlo_pjrt_rule_add (self, lhs->dimensions[contracting[0]], GHLO_PJRT_NEEDS_COMMUNICATION);
  by_tensor[0] = (int) contracting[0];
  by_tensor[1] = 0;
}
