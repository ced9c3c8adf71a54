/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operations that only move elements: where the element comes from that their result has at an
 * index.
 */

#include "kernel/lower/private.h"

#include "base/sizes.h"

#include <string.h>

static void
add_form (GhloAffine       *self,
          const GhloAffine *other,
          gint64            factor)
{
  self->offset += other->offset * factor;
  for (guint i = 0; i < GHLO_LOWER_MAX_VARIABLES; i++)
    self->strides[i] += other->strides[i] * factor;
}

GhloIndex
ghlo_lower_no_index (const GhloIndex *index)
{
  GhloIndex scalar;

  /* Indices are compared as bytes. */
  memset (&scalar, 0, sizeof scalar);
  if (index == NULL)
    return scalar;
  scalar.n_guards = index->n_guards;
  scalar.part = index->part;
  memcpy (scalar.guards, index->guards, index->n_guards * sizeof index->guards[0]);

  return scalar;
}

static gboolean
move_transpose (GhloLowering    *self,
                const GhloIrOp  *op,
                guint            operand,
                const GhloIndex *index,
                GhloIndex       *moved)
{
  gsize n;
  g_autofree gint64 *permutation = ghlo_ir_op_dup_ints (op, "permutation", &n);

  for (guint i = 0; i < n; i++)
    moved->dimensions[permutation[i]] = index->dimensions[i];

  return TRUE;
}

static gboolean
move_broadcast (GhloLowering    *self,
                const GhloIrOp  *op,
                guint            operand,
                const GhloIndex *index,
                GhloIndex       *moved)
{
  const GhloIrType *type = ghlo_ir_op_operand (op, operand)->type;
  gsize n;
  g_autofree gint64 *dimensions = ghlo_ir_op_dup_ints (op, "broadcast_dimensions", &n);

  for (guint i = 0; i < n; i++)
    if (type->dimensions[i] != 1)
      moved->dimensions[i] = index->dimensions[dimensions[i]];

  return TRUE;
}

/* Dimensions of one element come and go; others are where they were. */
static gboolean
move_reshape (GhloLowering    *self,
              const GhloIrOp  *op,
              guint            operand,
              const GhloIndex *index,
              GhloIndex       *moved)
{
  const GhloIrType *from = ghlo_ir_op_operand (op, operand)->type, *to = op->results[0].type;
  guint k = 0;

  for (guint i = 0; i < from->rank; i++)
    {
      if (from->dimensions[i] == 1)
        continue;
      while (k < to->rank && to->dimensions[k] == 1)
        k++;
      if (k == to->rank || to->dimensions[k] != from->dimensions[i])
        return FALSE;
      moved->dimensions[i] = index->dimensions[k++];
    }

  return TRUE;
}

static gboolean
move_slice (GhloLowering    *self,
            const GhloIrOp  *op,
            guint            operand,
            const GhloIndex *index,
            GhloIndex       *moved)
{
  gsize n;
  g_autofree gint64 *starts = ghlo_ir_op_dup_ints (op, "start_indices", &n);
  g_autofree gint64 *steps = ghlo_ir_op_dup_ints (op, "strides", &n);

  for (guint i = 0; i < n; i++)
    {
      gint64 step = op->results[0].type->dimensions[i] > 1 ? steps[i] : 1;

      moved->dimensions[i].offset = starts[i];
      add_form (&moved->dimensions[i], &index->dimensions[i], step);
    }

  return TRUE;
}

static gboolean
move_reverse (GhloLowering    *self,
              const GhloIrOp  *op,
              guint            operand,
              const GhloIndex *index,
              GhloIndex       *moved)
{
  const GhloIrType *type = ghlo_ir_op_operand (op, operand)->type;
  gsize n;
  g_autofree gint64 *dimensions = ghlo_ir_op_dup_ints (op, "dimensions", &n);

  for (guint i = 0; i < type->rank; i++)
    moved->dimensions[i] = index->dimensions[i];
  for (guint i = 0; i < n; i++)
    {
      guint dimension = dimensions[i];

      moved->dimensions[dimension] = (GhloAffine) { .offset = type->dimensions[dimension] - 1 };
      add_form (&moved->dimensions[dimension], &index->dimensions[dimension], -1);
    }

  return TRUE;
}

typedef gboolean (*Move) (GhloLowering    *self,
                          const GhloIrOp  *op,
                          guint            operand,
                          const GhloIndex *index,
                          GhloIndex       *moved);

static const Move moves[GHLO_N_OPS] = {
  [GHLO_OP_STABLEHLO_BROADCAST_IN_DIM] = move_broadcast,
  [GHLO_OP_STABLEHLO_RESHAPE] = move_reshape,
  [GHLO_OP_STABLEHLO_REVERSE] = move_reverse,
  [GHLO_OP_STABLEHLO_SLICE] = move_slice,
  [GHLO_OP_STABLEHLO_TRANSPOSE] = move_transpose,
};

gboolean
ghlo_lower_is_move (GhloIrOpKind op)
{
  return moves[op] != NULL;
}

gboolean
ghlo_lower_move (GhloLowering    *self,
                 const GhloIrOp  *op,
                 guint            operand,
                 const GhloIndex *index,
                 GhloIndex       *moved)
{
  const GhloIrType *type = ghlo_ir_op_operand (op, operand)->type;

  if (type->rank > GHLO_LOWER_MAX_RANK)
    return FALSE;
  *moved = ghlo_lower_no_index (index);
  moved->rank = type->rank;

  return moves[op->kind] (self, op, operand, index, moved);
}
