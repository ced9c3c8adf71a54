/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rules of operations that map dimensions of operands to other dimensions of results: gather, scatter,
 * convolution and reshape.
 */

#include "pjrt/sharding/rule.h"

#include "base/sizes.h"

/* A gather or scatter: both have a tensor, indices, and slices of the tensor, which are the result or the updates. */
typedef struct
{
  GhloPjrtRule     *rule;
  guint             n_tensors;  /* the number of tensors, which have the same shape and come first; the indices
                                   follow them */
  guint             slices;     /* the index of the first tensor of slices */
  gboolean          is_scatter;
  const GhloIrType *tensor, *indices, *slice;
  const gint64     *offsets, *collapsed, *batching, *indices_batching;
  gsize             n_offsets, n_collapsed, n_batching, n_indices_batching;
  gint64            index_vector;
} Indexed;

/* Adds a factor of those dimensions that are not NO_DIMENSION. */
static void
add (const Indexed      *self,
     int                 tensor,
     int                 indices,
     int                 slice,
     gint64              size,
     GhloPjrtFactorKind  kind)
{
  int *by_tensor = ghlo_pjrt_rule_add (self->rule, size, kind);

  by_tensor[self->n_tensors] = indices;
  for (guint i = 0; i < self->n_tensors; i++)
    {
      by_tensor[i] = tensor;
      by_tensor[self->slices + i] = slice;
      if (self->is_scatter)
        by_tensor[self->rule->n_operands + i] = tensor;
    }
}

/* Adds factors for dimension @tensor of the tensor, which is dimension @slice of the slices. */
static void
add_window (const Indexed *self,
            int            tensor,
            int            slice)
{
  const gint64 size = self->tensor->dimensions[tensor], part = self->slice->dimensions[slice];

  if (size == part)
    add (self, tensor, GHLO_PJRT_NO_DIMENSION, slice, size, GHLO_PJRT_PASS_THROUGH);
  else if (self->is_scatter || part == 1)
    {
      add (self, tensor, GHLO_PJRT_NO_DIMENSION, GHLO_PJRT_NO_DIMENSION, size, GHLO_PJRT_NEEDS_COMMUNICATION);
      add (self, GHLO_PJRT_NO_DIMENSION, GHLO_PJRT_NO_DIMENSION, slice, part, GHLO_PJRT_NEEDS_COMMUNICATION);
    }
  else
    add (self, tensor, GHLO_PJRT_NO_DIMENSION, slice, size, GHLO_PJRT_BLOCKED);
}

/* Adds factors for dimension @slice of the slices, which is number @batch of those that do not come from the tensor. */
static void
add_batch (const Indexed *self,
           int            slice,
           gint64         batch)
{
  const int indices = (int) (batch < self->index_vector ? batch : batch + 1);
  const gint64 at = ghlo_dims_find (self->indices_batching, self->n_indices_batching, indices);
  const gboolean is_summed = self->is_scatter && at < 0;

  add (self, at >= 0 ? (int) self->batching[at] : GHLO_PJRT_NO_DIMENSION, indices, slice,
       self->slice->dimensions[slice], is_summed ? GHLO_PJRT_NEEDS_COMMUNICATION : GHLO_PJRT_PASS_THROUGH);
}

static void
add_all (const Indexed *self)
{
  gint64 batch = 0;
  int tensor = 0;

  for (guint i = 0; i < self->slice->rank; i++)
    if (!ghlo_dims_contain (self->offsets, self->n_offsets, i))
      add_batch (self, (int) i, batch++);
    else
      {
        while (ghlo_dims_contain (self->collapsed, self->n_collapsed, tensor)
               || ghlo_dims_contain (self->batching, self->n_batching, tensor))
          tensor++;
        add_window (self, tensor++, (int) i);
      }
  for (gsize i = 0; i < self->n_collapsed; i++)
    add (self, (int) self->collapsed[i], GHLO_PJRT_NO_DIMENSION, GHLO_PJRT_NO_DIMENSION,
         self->tensor->dimensions[self->collapsed[i]],
         self->is_scatter ? GHLO_PJRT_PASS_THROUGH : GHLO_PJRT_NEEDS_COMMUNICATION);
}

void
ghlo_pjrt_rule_gather (GhloPjrtRule   *self,
                       const GhloIrOp *op)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dimension_numbers");
  Indexed indexed = {
    .rule = self, .n_tensors = 1, .slices = 2, .tensor = ghlo_ir_op_operand (op, 0)->type,
    .indices = ghlo_ir_op_operand (op, 1)->type, .slice = op->results[0].type,
    .index_vector = ghlo_ir_struct_get_int (numbers, "index_vector_dim"),
  };

  indexed.offsets = ghlo_ir_struct_get_dims (numbers, "offset_dims", &indexed.n_offsets);
  indexed.collapsed = ghlo_ir_struct_get_dims (numbers, "collapsed_slice_dims", &indexed.n_collapsed);
  indexed.batching = ghlo_ir_struct_get_dims (numbers, "operand_batching_dims", &indexed.n_batching);
  indexed.indices_batching = ghlo_ir_struct_get_dims (numbers, "start_indices_batching_dims",
                                                      &indexed.n_indices_batching);
  add_all (&indexed);
}

void
ghlo_pjrt_rule_scatter (GhloPjrtRule   *self,
                        const GhloIrOp *op)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "scatter_dimension_numbers");
  const guint n = op->n_operands / 2;
  Indexed indexed = {
    .rule = self, .n_tensors = n, .slices = n + 1, .is_scatter = TRUE, .tensor = ghlo_ir_op_operand (op, 0)->type,
    .indices = ghlo_ir_op_operand (op, n)->type, .slice = ghlo_ir_op_operand (op, n + 1)->type,
    .index_vector = ghlo_ir_struct_get_int (numbers, "index_vector_dim"),
  };

  indexed.offsets = ghlo_ir_struct_get_dims (numbers, "update_window_dims", &indexed.n_offsets);
  indexed.collapsed = ghlo_ir_struct_get_dims (numbers, "inserted_window_dims", &indexed.n_collapsed);
  indexed.batching = ghlo_ir_struct_get_dims (numbers, "input_batching_dims", &indexed.n_batching);
  indexed.indices_batching = ghlo_ir_struct_get_dims (numbers, "scatter_indices_batching_dims",
                                                      &indexed.n_indices_batching);
  add_all (&indexed);
}

static void
add_three (GhloPjrtRule       *self,
           int                 lhs,
           int                 rhs,
           int                 result,
           gint64              size,
           GhloPjrtFactorKind  kind)
{
  int *by_tensor = ghlo_pjrt_rule_add (self, size, kind);

  by_tensor[0] = lhs;
  by_tensor[1] = rhs;
  by_tensor[2] = result;
}

/* A spatial dimension of the input consists of the windows and of the elements of a window; the larger one of the
 * two varies slowest. */
static void
add_spatial (GhloPjrtRule   *self,
             const GhloIrOp *op,
             int             input,
             int             kernel,
             int             output)
{
  const gint64 n_windows = op->results[0].type->dimensions[output];
  const gint64 window = ghlo_ir_op_operand (op, 1)->type->dimensions[kernel];
  gint64 rest = ghlo_ir_op_operand (op, 0)->type->dimensions[input];

  for (guint i = 0; i < 2; i++)
    {
      const gboolean is_windows = (i == 0) == (n_windows >= window);
      const gint64 size = MIN (rest, is_windows ? n_windows : window);

      if (size <= 1)
        continue;
      add_three (self, input, is_windows ? GHLO_PJRT_NO_DIMENSION : kernel,
                 is_windows ? output : GHLO_PJRT_NO_DIMENSION, size, GHLO_PJRT_NEEDS_COMMUNICATION);
      rest /= size;
    }
}

void
ghlo_pjrt_rule_convolution (GhloPjrtRule   *self,
                            const GhloIrOp *op)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dimension_numbers");
  const GhloIrType *kernel = ghlo_ir_op_operand (op, 1)->type, *result = op->results[0].type;
  const int input_batch = (int) ghlo_ir_struct_get_int (numbers, "input_batch_dimension");
  const int input_feature = (int) ghlo_ir_struct_get_int (numbers, "input_feature_dimension");
  const int kernel_input = (int) ghlo_ir_struct_get_int (numbers, "kernel_input_feature_dimension");
  const int kernel_output = (int) ghlo_ir_struct_get_int (numbers, "kernel_output_feature_dimension");
  const int output_batch = (int) ghlo_ir_struct_get_int (numbers, "output_batch_dimension");
  const int output_feature = (int) ghlo_ir_struct_get_int (numbers, "output_feature_dimension");
  const gint64 features = ghlo_ir_op_get_int (op, "feature_group_count", 1);
  const gint64 batches = ghlo_ir_op_get_int (op, "batch_group_count", 1);
  gsize n;
  const gint64 *input_spatial = ghlo_ir_struct_get_dims (numbers, "input_spatial_dimensions", &n);
  const gint64 *kernel_spatial = ghlo_ir_struct_get_dims (numbers, "kernel_spatial_dimensions", &n);
  const gint64 *output_spatial = ghlo_ir_struct_get_dims (numbers, "output_spatial_dimensions", &n);

  if (batches > 1)
    add_three (self, input_batch, kernel_output, output_feature, batches, GHLO_PJRT_PASS_THROUGH);
  add_three (self, input_batch, GHLO_PJRT_NO_DIMENSION, output_batch, result->dimensions[output_batch],
             GHLO_PJRT_PASS_THROUGH);
  for (gsize i = 0; i < n; i++)
    add_spatial (self, op, (int) input_spatial[i], (int) kernel_spatial[i], (int) output_spatial[i]);
  if (features > 1)
    add_three (self, input_feature, kernel_output, output_feature, features, GHLO_PJRT_PASS_THROUGH);
  add_three (self, input_feature, kernel_input, GHLO_PJRT_NO_DIMENSION, kernel->dimensions[kernel_input],
             GHLO_PJRT_NEEDS_COMMUNICATION);
  if (result->dimensions[output_feature] / (features * batches) > 1)
    add_three (self, GHLO_PJRT_NO_DIMENSION, kernel_output, output_feature,
               result->dimensions[output_feature] / (features * batches), GHLO_PJRT_PASS_THROUGH);
}

static gint64
greatest_common_divisor (gint64 a,
                         gint64 b)
{
  while (b != 0)
    {
      const gint64 rest = a % b;

      a = b;
      b = rest;
    }

  return a;
}

/* One side of a reshape. */
typedef struct
{
  const GhloIrType *type;
  guint             tensor;     /* its index: 0 for the operand, 1 for the result */
  guint             dimension;  /* the dimension that is being split */
  gint64            rest;       /* its size without its factors so far */
  gint64            before;     /* the product of all factors so far */
} Side;

/* Moves on to a dimension with a remaining size, adding a factor of its own for each dimension of size 1. Returns
 * FALSE when there are no more dimensions. */
static gboolean
find_dimension (GhloPjrtRule *self,
                Side         *side)
{
  while (side->rest == 1 && ++side->dimension < side->type->rank)
    {
      side->rest = side->type->dimensions[side->dimension];
      if (side->rest == 1)
        ghlo_pjrt_rule_add (self, 1, GHLO_PJRT_PASS_THROUGH)[side->tensor] = (int) side->dimension;
    }

  return side->rest > 1;
}

static void
take (Side   *side,
      int    *by_tensor,
      gint64  size)
{
  by_tensor[side->tensor] = (int) side->dimension;
  side->rest /= size;
  side->before *= size;
}

/* Adds a factor to @side only, whose product of factors is behind that of @other. The factor is the one that makes
 * the products equal or, where that is impossible, the part of the remaining size that the other side does not
 * share. */
static void
catch_up (GhloPjrtRule *self,
          Side         *side,
          const Side   *other)
{
  const gint64 common = greatest_common_divisor (side->rest, other->rest);
  gint64 size = side->rest > common ? side->rest / common : side->rest;

  if (other->before % side->before == 0 && side->rest % (other->before / side->before) == 0)
    size = other->before / side->before;
  take (side, ghlo_pjrt_rule_add (self, size, GHLO_PJRT_PASS_THROUGH), size);
}

/* Called when the products of both sides are equal: adds a common factor or, where there is none, what remains of
 * each dimension. */
static void
go_on (GhloPjrtRule *self,
       Side         *from,
       Side         *to)
{
  const gint64 common = greatest_common_divisor (from->rest, to->rest);
  int *by_tensor;

  if (common == 1)
    {
      take (from, ghlo_pjrt_rule_add (self, from->rest, GHLO_PJRT_PASS_THROUGH), from->rest);
      take (to, ghlo_pjrt_rule_add (self, to->rest, GHLO_PJRT_PASS_THROUGH), to->rest);
      return;
    }
  by_tensor = ghlo_pjrt_rule_add (self, common, GHLO_PJRT_PASS_THROUGH);
  take (from, by_tensor, common);
  take (to, by_tensor, common);
}

/* Tensors without elements have no rule. */
void
ghlo_pjrt_rule_reshape (GhloPjrtRule   *self,
                        const GhloIrOp *op)
{
  Side from = { ghlo_ir_op_operand (op, 0)->type, 0, G_MAXUINT, 1, 1 };
  Side to = { op->results[0].type, 1, G_MAXUINT, 1, 1 };

  for (guint i = 0; i < from.type->rank; i++)
    if (from.type->dimensions[i] == 0)
      return;
  while (TRUE)
    {
      const gboolean has_from = find_dimension (self, &from), has_to = find_dimension (self, &to);

      if (!has_from && !has_to)
        break;
      if (from.before == to.before)
        go_on (self, &from, &to);
      else if (from.before < to.before)
        catch_up (self, &from, &to);
      else
        catch_up (self, &to, &from);
    }
}
