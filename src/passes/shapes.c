/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Relations between two shapes.
 */

#include "passes/shapes.h"

#include "passes/constant.h"

/* Stands for an empty array, which is not NULL. */
static const gint64 no_dimension;

gboolean
ghlo_shape_equal (const GhloIrType *a,
                  const GhloIrType *b)
{
  if (a->rank != b->rank)
    return FALSE;
  for (guint i = 0; i < a->rank; i++)
    if (a->dimensions[i] != b->dimensions[i])
      return FALSE;

  return TRUE;
}

gboolean
ghlo_shape_match_ones (const GhloIrType *from,
                       const GhloIrType *to,
                       gint64           *map)
{
  guint j = 0;

  for (guint i = 0; i < from->rank; i++)
    {
      map[i] = -1;
      if (from->dimensions[i] == 1)
        continue;
      while (j < to->rank && to->dimensions[j] == 1)
        j++;
      if (j == to->rank || to->dimensions[j] != from->dimensions[i])
        return FALSE;
      map[i] = j++;
    }
  while (j < to->rank && to->dimensions[j] == 1)
    j++;

  return j == to->rank;
}

gboolean
ghlo_shape_is_split (const GhloIrType *from,
                     const GhloIrType *to,
                     guint            *first)
{
  guint j = 0;

  for (guint i = 0; i < from->rank; i++)
    {
      gint64 n = 1;

      if (first != NULL)
        first[i] = j;
      while (n < from->dimensions[i] && j < to->rank)
        n *= to->dimensions[j++];
      if (n != from->dimensions[i])
        return FALSE;
    }
  if (first != NULL)
    first[from->rank] = to->rank;

  return TRUE;
}

gboolean
ghlo_permutation_is_reshape (const gint64     *permutation,
                             const GhloIrType *operand)
{
  gint64 last = -1;

  for (guint i = 0; i < operand->rank; i++)
    if (operand->dimensions[permutation[i]] != 1)
      {
        if (permutation[i] < last)
          return FALSE;
        last = permutation[i];
      }

  return TRUE;
}

gboolean
ghlo_permutation_is_identity (const gint64 *permutation,
                              gsize         rank)
{
  for (gsize i = 0; i < rank; i++)
    if (permutation[i] != (gint64) i)
      return FALSE;

  return TRUE;
}

void
ghlo_permutation_invert (const gint64 *permutation,
                         gsize         rank,
                         gint64       *inverse)
{
  for (gsize i = 0; i < rank; i++)
    inverse[permutation[i]] = i;
}

gboolean
ghlo_shape_find_permutation (const GhloIrType *from,
                             const GhloIrType *to,
                             gint64           *permutation)
{
  guint j = 0;

  if (from->rank != to->rank || !ghlo_shape_match_ones (to, from, permutation))
    return FALSE;
  for (guint i = 0; i < to->rank; i++)
    if (permutation[i] < 0)
      {
        while (from->dimensions[j] != 1)
          j++;
        permutation[i] = j++;
      }

  return TRUE;
}

const gint64 *
ghlo_op_get_dims (const GhloIrOp *op,
                  const char     *name,
                  gsize           rank)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (op, name);
  gsize n;
  const gint64 *dimensions = ghlo_ir_op_get_ints (op, name, &n);

  if (attr == NULL || n != rank)
    return NULL;

  return n > 0 ? dimensions : &no_dimension;
}

/* The array attribute of a unary operation on plain types, with one entry per dimension of the operand. */
static const gint64 *
get_dimensions (const GhloIrOp *op,
                GhloIrOpKind    kind,
                const char     *name)
{
  if (op == NULL || op->kind != kind || !ghlo_type_is_plain (op->results[0].type)
      || !ghlo_type_is_plain (ghlo_ir_op_operand (op, 0)->type))
    return NULL;

  return ghlo_op_get_dims (op, name, ghlo_ir_op_operand (op, 0)->type->rank);
}

const gint64 *
ghlo_op_get_permutation (const GhloIrOp *op)
{
  return get_dimensions (op, GHLO_OP_STABLEHLO_TRANSPOSE, "permutation");
}

const gint64 *
ghlo_op_get_broadcast (const GhloIrOp *op)
{
  return get_dimensions (op, GHLO_OP_STABLEHLO_BROADCAST_IN_DIM, "broadcast_dimensions");
}

gboolean
ghlo_op_is_reshape (const GhloIrOp *op)
{
  return op != NULL && op->kind == GHLO_OP_STABLEHLO_RESHAPE && ghlo_type_is_plain (op->results[0].type)
         && ghlo_type_is_plain (ghlo_ir_op_operand (op, 0)->type);
}
