/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Indices, and operations that only move elements: they map an index of the result to the index of the operand's
 * element.
 */

#include "kernel/lower/lowering.h"

#include "base/hash.h"
#include "base/sizes.h"

#include <string.h>

/* Affine functions */

/* Only non-zero strides are hashed; most are 0. */
static guint32
hash_affine (const GhloAffine *affine)
{
  GhloHash hash = ghlo_hash_begin ();

  ghlo_hash_add (&hash, (guint64) affine->offset);
  for (guint i = 0; i < GHLO_LOWER_MAX_VARIABLES; i++)
    if (affine->strides[i] != 0)
      {
        ghlo_hash_add (&hash, i);
        ghlo_hash_add (&hash, (guint64) affine->strides[i]);
      }

  return (guint32) ghlo_hash_end (&hash);
}

static gboolean
same_affine (gconstpointer affine,
             gconstpointer key)
{
  return memcmp (affine, key, sizeof (GhloAffine)) == 0;
}

gboolean
ghlo_lower_add_magnitude (const GhloLowering *self,
                          const GhloAffine   *affine,
                          gint64              factor,
                          gint64             *sum)
{
  gint64 magnitude = 0;

  for (guint i = 0; i < GHLO_LOWER_MAX_VARIABLES; i++)
    {
      gint64 extent = i < GHLO_LOWER_MAX_AXES ? self->extents[i] : self->dynamic_offsets[i - GHLO_LOWER_MAX_AXES].end;

      if (affine->strides[i] != 0
          && (affine->strides[i] == G_MININT64
              || !ghlo_int_add_product (&magnitude, ABS (affine->strides[i]), MAX (extent, 1))))
        return FALSE;
    }

  return affine->offset != G_MININT64 && ghlo_int_add_product (&magnitude, ABS (affine->offset), 1)
         && ghlo_int_add_product (sum, magnitude, ABS (factor)) && *sum <= GHLO_LOWER_MAX_MAGNITUDE;
}

const GhloAffine *
ghlo_lower_affine (GhloLowering     *self,
                   const GhloAffine *affine)
{
  guint32 hash = hash_affine (affine);
  GhloAffine *found = ghlo_ir_intern_find (&self->affines, hash, same_affine, affine);
  gint64 magnitude = 0;

  if (found == NULL && !ghlo_lower_add_magnitude (self, affine, 1, &magnitude))
    {
      ghlo_lower_refuse (self, "its indices are too large");
      return self->zero;
    }
  if (found == NULL)
    {
      found = ghlo_ir_arena_copy (&self->arena, affine, sizeof *affine);
      ghlo_ir_intern_add (&self->affines, hash, found);
    }

  return found;
}

const GhloAffine *
ghlo_lower_shift (GhloLowering     *self,
                  const GhloAffine *affine,
                  gint64            distance)
{
  const GhloAffine constant = { .offset = distance };

  return ghlo_lower_add_affine (self, &constant, affine, 1);
}

const GhloAffine *
ghlo_lower_add_affine (GhloLowering     *self,
                       const GhloAffine *affine,
                       const GhloAffine *other,
                       gint64            factor)
{
  GhloAffine sum = *affine;
  gboolean fits = ghlo_int_add_product (&sum.offset, other->offset, factor);

  for (guint i = 0; i < GHLO_LOWER_MAX_VARIABLES; i++)
    fits = fits && ghlo_int_add_product (&sum.strides[i], other->strides[i], factor);
  if (fits)
    return ghlo_lower_affine (self, &sum);
  ghlo_lower_refuse (self, "its indices are too large");

  return self->zero;
}

/* Indices */

GhloIndex
ghlo_lower_origin (GhloLowering    *self,
                   guint            rank,
                   const GhloIndex *index)
{
  GhloIndex origin = { .rank = rank };

  for (guint i = 0; i < rank; i++)
    origin.dimensions[i] = self->zero;
  if (index != NULL)
    {
      origin.n_guards = index->n_guards;
      origin.part = index->part;
      memcpy (origin.guards, index->guards, index->n_guards * sizeof index->guards[0]);
    }

  return origin;
}

gboolean
ghlo_lower_same_element (const GhloIndex *a,
                         const GhloIndex *b)
{
  return a->rank == b->rank && memcmp (a->dimensions, b->dimensions, a->rank * sizeof a->dimensions[0]) == 0;
}

gboolean
ghlo_lower_same_index (const GhloIndex *a,
                       const GhloIndex *b)
{
  return ghlo_lower_same_element (a, b) && a->part == b->part && a->n_guards == b->n_guards
         && memcmp (a->guards, b->guards, a->n_guards * sizeof a->guards[0]) == 0;
}

/* Moves */

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

/* Dimensions of one element may come and go, and others may be split; all keep their order. */
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
      const GhloAffine *at = self->zero;
      gint64 n = 1;

      for (; n < from->dimensions[i] && k < to->rank; n *= to->dimensions[k++])
        at = ghlo_lower_add_affine (self, index->dimensions[k], at, to->dimensions[k]);
      if (n != from->dimensions[i])
        return FALSE;
      moved->dimensions[i] = at;
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
      const GhloAffine constant = { .offset = starts[i] };

      moved->dimensions[i] = ghlo_lower_add_affine (self, &constant, index->dimensions[i], step);
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
      const GhloAffine last = { .offset = type->dimensions[dimension] - 1 };

      moved->dimensions[dimension] = ghlo_lower_add_affine (self, &last, index->dimensions[dimension], -1);
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
  *moved = ghlo_lower_origin (self, type->rank, index);

  return moves[op->kind] (self, op, operand, index, moved);
}
