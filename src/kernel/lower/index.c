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
  for (guint i = 0; i < GHLO_LOWER_MAX_AXES; i++)
    self->strides[i] += other->strides[i] * factor;
}

GhloIndex
ghlo_lower_no_index (void)
{
  GhloIndex index;

  /* Indices are compared as bytes. */
  memset (&index, 0, sizeof index);
  for (guint i = 0; i < GHLO_LOWER_MAX_RANK; i++)
    index.nodes[i] = GHLO_LOWER_NONE;

  return index;
}

/* What else there is of an index than its dimensions. */
static void
keep_guards (const GhloIndex *index,
             GhloIndex       *moved,
             guint            rank)
{
  *moved = ghlo_lower_no_index ();
  moved->rank = rank;
  moved->n_guards = index->n_guards;
  memcpy (moved->guards, index->guards, index->n_guards * sizeof index->guards[0]);
}

static void
copy_dimension (const GhloIndex *index,
                guint            from,
                GhloIndex       *moved,
                guint            to)
{
  moved->dimensions[to] = index->dimensions[from];
  moved->nodes[to] = index->nodes[from];
  moved->ends[to] = index->ends[from];
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
    copy_dimension (index, i, moved, permutation[i]);

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
      copy_dimension (index, dimensions[i], moved, i);

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
      copy_dimension (index, k++, moved, i);
    }

  return TRUE;
}

/* Of a dimension with an item nothing but the item itself is known. */
static gboolean
is_affine (const GhloIndex *index,
           guint            dimension)
{
  return index->nodes[dimension] == GHLO_LOWER_NONE;
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

      if (!is_affine (index, i))
        return FALSE;
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
    copy_dimension (index, i, moved, i);
  for (guint i = 0; i < n; i++)
    {
      guint dimension = dimensions[i];

      if (!is_affine (index, dimension))
        return FALSE;
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
  keep_guards (index, moved, type->rank);

  return moves[op->kind] (self, op, operand, index, moved);
}
