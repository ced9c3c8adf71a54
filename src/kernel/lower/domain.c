/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The points of a group: first the dimensions that reductions keep, which are parallel, then those that they
 * reduce. For windows, the dimensions of the result are kept and those of the window are reduced.
 */

#include "kernel/lower/lowering.h"

#include "base/fail.h"

#include <string.h>

static void
add_axis (GhloLowering *self,
          guint         dimension)
{
  self->axes[dimension] = -1;
  if (self->dimensions[dimension] == 0)
    ghlo_lower_refuse (self, "it has no elements");
  if (self->dimensions[dimension] <= 1)
    return;
  if (__builtin_mul_overflow (self->n_points, self->dimensions[dimension], &self->n_points))
    ghlo_lower_refuse (self, "it has too many points");
  if (self->n_axes == GHLO_LOWER_MAX_AXES)
    {
      ghlo_lower_refuse (self, "it has too many dimensions");
      return;
    }
  self->axes[dimension] = self->n_axes;
  self->extents[self->n_axes++] = self->dimensions[dimension];
}

static gboolean
add_dimensions (GhloLowering *self,
                const gint64 *dimensions,
                guint         n)
{
  if (self->rank + n > GHLO_LOWER_MAX_RANK)
    {
      ghlo_lower_refuse (self, "it has too many dimensions");
      return FALSE;
    }
  /* A scalar's pointer may be NULL. */
  if (n > 0)
    memcpy (self->dimensions + self->rank, dimensions, n * sizeof *dimensions);
  self->rank += n;

  return TRUE;
}

/* Sets the axes from the dimensions that were added, of which @reduced (bits) are reduced. */
static gboolean
set_axes (GhloLowering *self,
          guint64       reduced)
{
  const guint *order = reduced == 0 ? self->group->order : NULL;

  self->is_reduced = reduced;
  for (guint i = 0; i < self->rank; i++)
    if ((reduced >> i & 1) == 0)
      add_axis (self, order != NULL ? order[i] : i);
  self->n_parallel = self->n_axes;
  for (guint i = 0; i < self->rank; i++)
    if ((reduced >> i & 1) != 0)
      add_axis (self, i);

  return self->reason == NULL;
}

guint64
ghlo_lower_reduced_dimensions (const GhloIrOp *op)
{
  guint64 bits = 0;
  gsize n;
  g_autofree gint64 *dimensions = ghlo_ir_op_dup_ints (op, "dimensions", &n);

  for (gsize i = 0; i < n; i++)
    bits |= (guint64) 1 << (dimensions[i] & 63);

  return bits;
}

static gboolean
set_window (GhloLowering   *self,
            const GhloIrOp *op)
{
  const GhloIrType *type = op->results[0].type;
  gint64 sizes[GHLO_MAX_RANK];
  GhloIrWindow window;
  const char *reason = ghlo_ir_window_read (&window, op);

  self->window = op;
  if (reason != NULL)
    return GHLO_FALSE_AFTER (ghlo_lower_refuse (self, reason));
  for (guint i = 0; i < window.rank; i++)
    sizes[i] = window.dims[i].size;
  if (!add_dimensions (self, type->dimensions, type->rank) || !add_dimensions (self, sizes, window.rank))
    return FALSE;

  return set_axes (self, (((guint64) 1 << window.rank) - 1) << type->rank);
}

gboolean
ghlo_lower_set_domain (GhloLowering     *self,
                       const GhloIrType *type,
                       guint64           reduced)
{
  return add_dimensions (self, type->dimensions, type->rank) && set_axes (self, reduced);
}

/* Returns the first reduction in the group that is not its input, or NULL. */
static const GhloIrOp *
find_reduction (const GhloKernelGroup *group)
{
  const GhloIrOp *op = group->body != NULL ? group->body->first : group->op;

  if (group->output_value != NULL)
    return NULL;
  for (; op != NULL && (group->body == NULL || op != group->body->last); op = op->next)
    if (op != group->input_op && (op->kind == GHLO_OP_STABLEHLO_REDUCE || op->kind == GHLO_OP_STABLEHLO_REDUCE_WINDOW
                                  || op->kind == GHLO_OP_STABLEHLO_CONVOLUTION))
      return op;
    else if (group->body == NULL)
      break;

  return NULL;
}

static gboolean
has_static_shapes (const GhloKernelGroup *group)
{
  for (const GhloIrOp *op = group->body != NULL ? group->body->first : group->op; op != NULL; op = op->next)
    {
      for (guint i = 0; i < op->n_operands; i++)
        if (!ghlo_ir_type_has_static_shape (ghlo_ir_op_operand (op, i)->type))
          return FALSE;
      if (group->body == NULL)
        break;
    }

  return TRUE;
}

gboolean
ghlo_lower_find_domain (GhloLowering *self)
{
  const GhloKernelGroup *group = self->group;
  const GhloIrOp *reduction = find_reduction (group);

  if (!has_static_shapes (group) || group->n_results == 0)
    {
      ghlo_lower_refuse (self, "its shapes are not static");
      return FALSE;
    }
  if (reduction != NULL && reduction->kind != GHLO_OP_STABLEHLO_REDUCE)
    return set_window (self, reduction);
  if (reduction != NULL)
    return ghlo_lower_set_domain (self, ghlo_ir_op_operand (reduction, 0)->type,
                                  ghlo_lower_reduced_dimensions (reduction));

  return ghlo_lower_set_domain (self, ghlo_lower_get_result (group, 0)->type, 0);
}

gboolean
ghlo_lower_identity (GhloLowering     *self,
                     const GhloIrType *type,
                     gboolean          is_row,
                     GhloIndex        *index)
{
  guint k = 0;

  if (type->rank > GHLO_LOWER_MAX_RANK)
    return FALSE;
  *index = ghlo_lower_origin (self, type->rank, NULL);
  for (guint i = 0; i < self->rank; i++)
    {
      GhloAffine affine = { 0 };

      if (self->axes[i] < 0 || (is_row && (self->is_reduced >> i & 1) != 0))
        continue;
      while (k < type->rank && type->dimensions[k] == 1)
        k++;
      if (k == type->rank || type->dimensions[k] != self->dimensions[i])
        return FALSE;
      affine.strides[self->axes[i]] = 1;
      index->dimensions[k++] = ghlo_lower_affine (self, &affine);
    }
  while (k < type->rank && type->dimensions[k] == 1)
    k++;

  return k == type->rank;
}
