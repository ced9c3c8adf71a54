/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reductions of a transposed value: reducing the value before the transpose gives the same numbers with their
 * dimensions in another order, so that the result needs a smaller transpose, or none.
 */

#include "passes/reshape.h"

#include "passes/constant.h"
#include "passes/shapes.h"
#include "passes/walk.h"

/* How to reduce the transpose's operand instead of its result. */
typedef struct
{
  gint64 reduced[GHLO_MAX_RANK];    /* dimensions of the operand, ascending */
  gint64 kept[GHLO_MAX_RANK];       /* the other dimensions, in the order of the result */
  guint  n_reduced, n_kept;
} Untransposed;

/* FALSE where the order of the reduced dimensions would change: sums would be computed in another order and
 * round differently. */
static gboolean
untranspose (const GhloIrOp *op,
             const gint64   *permutation,
             Untransposed   *self)
{
  gboolean reduced[GHLO_MAX_RANK] = { FALSE };
  gsize n;
  const gint64 *dimensions = ghlo_ir_op_get_ints (op, "dimensions", &n);

  *self = (Untransposed) { .n_reduced = 0 };
  for (gsize i = 0; i < n; i++)
    reduced[dimensions[i]] = TRUE;
  for (guint i = 0; i < ghlo_ir_op_operand (op, 0)->type->rank; i++)
    if (!reduced[i])
      self->kept[self->n_kept++] = permutation[i];
    else if (self->n_reduced > 0 && permutation[i] < self->reduced[self->n_reduced - 1])
      return FALSE;
    else
      self->reduced[self->n_reduced++] = permutation[i];

  return TRUE;
}

/* Gets the position of each kept dimension among the kept dimensions of the operand. */
static void
order_kept (const Untransposed *self,
            gint64             *order)
{
  for (guint i = 0; i < self->n_kept; i++)
    {
      order[i] = 0;
      for (guint j = 0; j < self->n_kept; j++)
        order[i] += self->kept[j] < self->kept[i];
    }
}

static GhloIrOp *
make_reduce (GhloRewriter       *self,
             GhloIrOp           *op,
             const Untransposed *how,
             GhloIrValue        *source,
             const gint64       *order)
{
  gint64 dimensions[GHLO_MAX_RANK];
  const GhloIrType *type;
  GhloIrOp *reduce;

  for (guint i = 0; i < how->n_kept; i++)
    dimensions[order[i]] = source->type->dimensions[how->kept[i]];
  type = ghlo_make_type (self, op->results[0].type, dimensions, how->n_kept);
  reduce = ghlo_make_op (self, &(GhloIrOpState) {
    .kind = op->kind,
    .operands = (GhloIrValue *[]) { source, ghlo_ir_op_operand (op, 1) },
    .n_operands = 2,
    .result_types = &type,
    .n_results = 1,
    .n_regions = 1,
    .attributes = &(GhloIrNamedAttr) { "dimensions", ghlo_ir_attr_i64s (self->module, how->reduced, how->n_reduced) },
    .n_attributes = 1,
  });
  ghlo_pass_move_region (&op->regions[0], &reduce->regions[0]);

  return reduce;
}

gboolean
ghlo_reshape_reduce (GhloRewriter *self,
                     GhloIrOp     *op)
{
  const GhloIrOp *transpose = op->n_results == 1 && op->n_operands == 2 ? ghlo_ir_op_operand (op, 0)->op : NULL;
  const gint64 *permutation = ghlo_op_get_permutation (transpose);
  gint64 order[GHLO_MAX_RANK];
  Untransposed how;
  GhloIrValue *result;

  if (permutation == NULL || !ghlo_type_is_plain (op->results[0].type) || !untranspose (op, permutation, &how))
    return FALSE;
  g_assert (transpose != NULL);
  order_kept (&how, order);
  result = &make_reduce (self, op, &how, ghlo_ir_op_operand (transpose, 0), order)->results[0];
  if (!ghlo_permutation_is_identity (order, how.n_kept))
    result = ghlo_make_transpose (self, result, order);

  return ghlo_rewrite_replace (self, op, result);
}
