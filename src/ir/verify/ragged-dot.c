/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies chlo.ragged_dot: a dot_general in which one dimension of lhs is divided into groups. The kind of that
 * dimension (free, contracting, batching) determines the shapes of the group sizes, of rhs and of the result.
 */

#include "base/sizes.h"
#include "ir/verify/common.h"

typedef enum
{
  RAGGED_FREE,
  RAGGED_CONTRACTING,
  RAGGED_BATCHING,
} Mode;

typedef struct
{
  const GhloIrType *lhs, *rhs, *sizes;
  const gint64     *lhs_batch, *rhs_batch, *lhs_contracting, *rhs_contracting, *group;
  gsize             n_lhs_batch, n_rhs_batch, n_lhs_contracting, n_rhs_contracting, n_group;
  gint64            ragged;
  Mode              mode;
} Ragged;

static gboolean
read_ragged (GhloIrVerifier *verifier,
             const GhloIrOp *op,
             Ragged         *self)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "ragged_dot_dimension_numbers");
  const gint64 *ragged;
  gsize n;

  self->lhs = ghlo_ir_operand_type (op, 0);
  self->rhs = ghlo_ir_operand_type (op, 1);
  self->sizes = ghlo_ir_operand_type (op, 2);
  if (self->lhs->kind != GHLO_IR_TYPE_TENSOR || self->rhs->kind != GHLO_IR_TYPE_TENSOR)
    {
      g_autofree char *lhs = ghlo_ir_type_to_string (self->lhs), *rhs = ghlo_ir_type_to_string (self->rhs);

      return ghlo_ir_verify_fail (verifier, op, "expected ranked operands, found %s and %s", lhs, rhs);
    }
  if (!ghlo_ir_verify_dot_dimensions (verifier, op, numbers))
    return FALSE;

  self->lhs_batch = ghlo_ir_struct_get_dims (numbers, "lhs_batching_dimensions", &self->n_lhs_batch);
  self->rhs_batch = ghlo_ir_struct_get_dims (numbers, "rhs_batching_dimensions", &self->n_rhs_batch);
  self->lhs_contracting = ghlo_ir_struct_get_dims (numbers, "lhs_contracting_dimensions", &self->n_lhs_contracting);
  self->rhs_contracting = ghlo_ir_struct_get_dims (numbers, "rhs_contracting_dimensions", &self->n_rhs_contracting);
  self->group = ghlo_ir_struct_get_dims (numbers, "rhs_group_dimensions", &self->n_group);
  ragged = ghlo_ir_struct_get_dims (numbers, "lhs_ragged_dimensions", &n);
  if (n != 1)
    return ghlo_ir_verify_fail (verifier, op, "expected one ragged dimension of lhs, found %" G_GSIZE_FORMAT, n);
  if (!ghlo_ir_verify_dims_in_range (verifier, op, "lhs_ragged_dimensions", ragged, n, self->lhs->rank))
    return FALSE;

  self->ragged = ragged[0];
  self->mode = ghlo_dims_contain (self->lhs_batch, self->n_lhs_batch, self->ragged) ? RAGGED_BATCHING
               : ghlo_dims_contain (self->lhs_contracting, self->n_lhs_contracting, self->ragged)
               ? RAGGED_CONTRACTING : RAGGED_FREE;

  return TRUE;
}

static gboolean
lhs_is_free (const Ragged *self,
             gint64        dimension)
{
  return !ghlo_dims_contain (self->lhs_batch, self->n_lhs_batch, dimension)
         && !ghlo_dims_contain (self->lhs_contracting, self->n_lhs_contracting, dimension);
}

static void
push (GhloIrShape *shape,
      gint64       size)
{
  if (shape->rank < GHLO_MAX_RANK)
    {
      shape->dimensions[shape->rank] = size;
      shape->bounds[shape->rank] = -1;
    }
  shape->rank++;
}

/* Appends the sizes of the listed dimensions of lhs, up to the ragged one. */
static void
push_until_ragged (GhloIrShape  *shape,
                   const Ragged *self,
                   const gint64 *dimensions,
                   gsize         n)
{
  for (gsize i = 0; i < n && dimensions[i] != self->ragged; i++)
    push (shape, self->lhs->dimensions[dimensions[i]]);
}

/* Checks that the group sizes have shape [g], or g preceded by the dimensions of lhs that come before the ragged one:
 * batching dimensions, then those of the ragged dimension's own kind. */
static gboolean
group_sizes_fit (GhloIrVerifier *verifier,
                 const GhloIrOp *op,
                 const Ragged   *self)
{
  g_autofree char *wanted = NULL;
  g_autofree char *found = NULL;
  GhloIrShape prefix;

  if (self->sizes->rank == 1)
    return TRUE;

  ghlo_ir_shape_init (&prefix, 0);
  push_until_ragged (&prefix, self, self->lhs_batch, self->n_lhs_batch);
  if (self->mode == RAGGED_CONTRACTING)
    push_until_ragged (&prefix, self, self->lhs_contracting, self->n_lhs_contracting);
  for (gint64 i = 0; i < self->ragged && self->mode == RAGGED_FREE; i++)
    if (lhs_is_free (self, i))
      push (&prefix, self->lhs->dimensions[i]);

  if (self->sizes->rank != prefix.rank + 1)
    return ghlo_ir_verify_fail (verifier, op, "expected group sizes of rank 1 or %u, found rank %u",
                                prefix.rank + 1, self->sizes->rank);
  if (ghlo_ir_extents_compatible (prefix.dimensions, prefix.rank, self->sizes->dimensions, prefix.rank))
    return TRUE;
  wanted = ghlo_ir_ints_to_string (prefix.dimensions, prefix.rank);
  found = ghlo_ir_ints_to_string (self->sizes->dimensions, prefix.rank);

  return ghlo_ir_verify_fail (verifier, op, "expected group sizes whose outer dimensions are %s, found %s", wanted,
                              found);
}

static gint64
n_groups (const Ragged *self)
{
  return self->sizes->dimensions[self->sizes->rank - 1];
}

/* Checks that rhs has a group dimension, with one entry for each group, if and only if the ragged dimension is free. */
static gboolean
group_dimension_fits (GhloIrVerifier *verifier,
                      const GhloIrOp *op,
                      const Ragged   *self)
{
  guint wanted = self->mode == RAGGED_FREE ? 1 : 0;

  if (!ghlo_ir_verify_dims_in_range (verifier, op, "rhs_group_dimensions", self->group, self->n_group, self->rhs->rank)
      || !ghlo_ir_verify_dims_unique (verifier, op, "rhs_group_dimensions", self->group, self->n_group))
    return FALSE;
  for (gsize i = 0; i < self->n_group; i++)
    if (ghlo_dims_contain (self->rhs_batch, self->n_rhs_batch, self->group[i])
        || ghlo_dims_contain (self->rhs_contracting, self->n_rhs_contracting, self->group[i]))
      return ghlo_ir_verify_fail (verifier, op, "expected a group dimension of rhs that neither batches nor contracts,"
                                  " found %" G_GINT64_FORMAT, self->group[i]);
  if (self->n_group != wanted)
    return ghlo_ir_verify_fail (verifier, op, "expected %u group dimensions of rhs with this ragged dimension, found %"
                                G_GSIZE_FORMAT, wanted, self->n_group);
  if (wanted == 1 && !ghlo_ir_dims_compatible (n_groups (self), self->rhs->dimensions[self->group[0]]))
    return ghlo_ir_verify_fail (verifier, op,
                                "expected size %" G_GINT64_FORMAT " of the group dimension of rhs, found %"
                                G_GINT64_FORMAT, n_groups (self), self->rhs->dimensions[self->group[0]]);

  return TRUE;
}

gboolean
ghlo_ir_verify_ragged_dot (GhloIrVerifier *verifier,
                           const GhloIrOp *op)
{
  GhloIrShape shape;
  Ragged self;

  if (!read_ragged (verifier, op, &self))
    return FALSE;
  if (self.sizes->rank == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected group sizes of at least rank 1, found rank 0");
  if (!group_sizes_fit (verifier, op, &self) || !group_dimension_fits (verifier, op, &self))
    return FALSE;

  ghlo_ir_shape_init (&shape, 0);
  if (self.mode == RAGGED_CONTRACTING)
    push (&shape, n_groups (&self));
  for (gsize i = 0; i < self.n_lhs_batch; i++)
    push (&shape, self.lhs->dimensions[self.lhs_batch[i]]);
  for (guint i = 0; i < self.lhs->rank; i++)
    if (lhs_is_free (&self, i))
      push (&shape, self.lhs->dimensions[i]);
  for (guint i = 0; i < self.rhs->rank; i++)
    if (!ghlo_dims_contain (self.rhs_batch, self.n_rhs_batch, i)
        && !ghlo_dims_contain (self.rhs_contracting, self.n_rhs_contracting, i)
        && !ghlo_dims_contain (self.group, self.n_group, i))
      push (&shape, self.rhs->dimensions[i]);
  if (shape.rank > GHLO_MAX_RANK)
    return ghlo_ir_verify_fail (verifier, op, "expected a result of at most rank %d, found rank %u",
                                GHLO_MAX_RANK, shape.rank);

  return ghlo_ir_verify_inferred (verifier, op, 0, &shape, NULL);
}
