/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gather, dynamic_gather and torch_index_select: copies one box for each index
 * vector. Starts are clamped so that the slice is always in bounds.
 */

#include "base/sizes.h"
#include "reference/move/box.h"
#include "reference/move/indexing.h"
#include "reference/kernels.h"
#include "reference/scalar/numbers.h"

#include <string.h>

typedef struct
{
  const gint64 *offset;           /* offset_dims: the result dimensions of the slices */
  gsize         n_offset;
  const gint64 *collapsed;
  gsize         n_collapsed;
  GhloRefIndexNumbers indices;
} Numbers;

static void
read_numbers (const GhloIrAttr *attr,
              Numbers          *self)
{
  gsize n;

  self->offset = ghlo_ir_struct_get_dims (attr, "offset_dims", &self->n_offset);
  self->collapsed = ghlo_ir_struct_get_dims (attr, "collapsed_slice_dims", &self->n_collapsed);
  self->indices.map = ghlo_ir_struct_get_dims (attr, "start_index_map", &self->indices.n_map);
  self->indices.batching = ghlo_ir_struct_get_dims (attr, "operand_batching_dims", &self->indices.n_batching);
  self->indices.index_batching = ghlo_ir_struct_get_dims (attr, "start_indices_batching_dims", &n);
  self->indices.n_batching = MIN (self->indices.n_batching, n);
  self->indices.vector_dimension = ghlo_ir_struct_get_int (attr, "index_vector_dim");
}

/* The result's shape, and the strides with which positions and slices are laid out in it. */
typedef struct
{
  guint  rank;
  gint64 dimensions[GHLO_MAX_RANK];
  gint64 strides[GHLO_MAX_RANK];
  gint64 position_strides[GHLO_MAX_RANK];
  gint64 slice_strides[GHLO_MAX_RANK];        /* by dimension of the operand; 0 where collapsed */
  gint64 last_start[GHLO_MAX_RANK];           /* the greatest start that is in bounds, for each dimension of the
                                               * operand */
} Layout;

static gboolean
is_dropped (const Numbers *numbers,
            gint64         dimension)
{
  return ghlo_dims_contain (numbers->collapsed, numbers->n_collapsed, dimension)
         || ghlo_dims_contain (numbers->indices.batching, numbers->indices.n_batching, dimension);
}

static gboolean
check_slices (GhloRefCall   *call,
              const Numbers *numbers,
              const gint64  *sizes,
              Layout        *layout,
              GError       **error)
{
  const GhloValue *operand = call->operands[0];
  gsize kept = 0;

  for (guint d = 0; d < ghlo_ref_rank (operand); d++)
    {
      gint64 extent = ghlo_ref_dims (operand)[d];

      if (sizes[d] < 0 || sizes[d] > extent || (is_dropped (numbers, d) && sizes[d] > 1))
        return ghlo_ref_fail (call, error, "expected a slice size of at most %" G_GINT64_FORMAT
                              " in dimension %u, found %" G_GINT64_FORMAT,
                              is_dropped (numbers, d) ? 1 : extent, d, sizes[d]);
      layout->last_start[d] = extent - MAX (sizes[d], is_dropped (numbers, d) ? 1 : 0);
      kept += !is_dropped (numbers, d);
    }
  if (kept != numbers->n_offset)
    return ghlo_ref_fail (call, error, "expected %" G_GSIZE_FORMAT " offset dimensions, found %" G_GSIZE_FORMAT,
                          kept, numbers->n_offset);
  return TRUE;
}

static gboolean
make_layout (GhloRefCall          *call,
             const Numbers        *numbers,
             const GhloRefIndices *indices,
             const gint64         *sizes,
             Layout               *layout,
             GError              **error)
{
  guint position = 0, kept = 0;
  gint64 slices[GHLO_MAX_RANK];

  if (!check_slices (call, numbers, sizes, layout, error))
    return FALSE;
  for (guint d = 0; d < ghlo_ref_rank (call->operands[0]); d++)
    if (!is_dropped (numbers, d))
      slices[kept++] = sizes[d];
  layout->rank = indices->rank + kept;
  if (layout->rank > GHLO_MAX_RANK)
    return ghlo_ref_fail (call, error, "expected a result of a rank of at most %d, found %u", GHLO_MAX_RANK,
                          layout->rank);

  for (guint r = 0, slice = 0; r < layout->rank; r++)
    if (ghlo_dims_contain (numbers->offset, numbers->n_offset, r) && slice < kept)
      layout->dimensions[r] = slices[slice++];
    else if (position < indices->rank)
      layout->dimensions[r] = indices->dimensions[position++];
    else
      return ghlo_ref_fail (call, error, "expected different offset dimensions below %u", layout->rank);
  return TRUE;
}

static void
set_strides (GhloRefCall   *call,
             const Numbers *numbers,
             Layout        *layout)
{
  guint position = 0, d = 0;

  ghlo_ref_strides (layout->dimensions, layout->rank, layout->strides);
  memset (layout->slice_strides, 0, sizeof (layout->slice_strides));
  for (guint r = 0; r < layout->rank; r++)
    if (ghlo_dims_contain (numbers->offset, numbers->n_offset, r))
      {
        while (d < ghlo_ref_rank (call->operands[0]) && is_dropped (numbers, d))
          d++;
        layout->slice_strides[d++] = layout->strides[r];
      }
    else
      layout->position_strides[position++] = layout->strides[r];
}

static gboolean
copy_slices (GhloRefCall          *call,
             const GhloRefIndices *indices,
             const Layout         *layout,
             const gint64         *sizes,
             GhloValue            *result,
             GError              **error)
{
  const GhloValue *operand = call->operands[0];
  gint64 size = ghlo_element_info (operand->type->element_type)->size;
  gint64 position[GHLO_MAX_RANK] = { 0 }, strides[GHLO_MAX_RANK], start[GHLO_MAX_RANK];
  guint rank = ghlo_ref_rank (operand);
  gsize between_checks;
  GhloRefBox box;

  ghlo_ref_strides (ghlo_ref_dims (operand), rank, strides);
  ghlo_ref_box_init (&box, (gsize) size, rank, sizes, layout->slice_strides, strides);
  between_checks = MAX (1, ((gsize) 1 << 20) / MAX (box.run, 256));
  for (gsize count = 0;; count++)
    {
      gint64 from = 0, to = 0;

      ghlo_ref_indices_get (indices, position, rank, start);
      for (guint d = 0; d < rank; d++)
        from += CLAMP (start[d], 0, layout->last_start[d]) * strides[d];
      for (guint i = 0; i < indices->rank; i++)
        to += position[i] * layout->position_strides[i];
      if (count % between_checks == 0 && !ghlo_ref_continue (call, error))
        return FALSE;
      if (!ghlo_ref_box_copy (&box, call, result->data + to * size, operand->data + from * size, error))
        return FALSE;
      if (!ghlo_ref_next_index (position, indices->dimensions, indices->rank))
        return TRUE;
    }
}

static gboolean
gather (GhloRefCall   *call,
        const Numbers *numbers,
        const gint64  *sizes,
        gsize          n_sizes,
        GError       **error)
{
  const GhloValue *operand = call->operands[0];
  g_auto (GhloRefIndices) indices = { 0 };
  Layout layout = { 0 };
  GhloValue *result;

  if (n_sizes != ghlo_ref_rank (operand))
    return ghlo_ref_fail (call, error, "expected %u slice sizes, found %" G_GSIZE_FORMAT,
                          ghlo_ref_rank (operand), n_sizes);
  if (!ghlo_ref_indices_init (&indices, call, &numbers->indices, operand, call->operands[1], error)
      || !make_layout (call, numbers, &indices, sizes, &layout, error))
    return FALSE;
  result = ghlo_ref_result (call, 0, layout.dimensions, layout.rank, error);
  if (result == NULL)
    return FALSE;
  if (result->n_elements == 0)
    return TRUE;
  if (operand->n_elements == 0)
    return ghlo_ref_fail (call, error, "expected elements to gather from, found none");

  set_strides (call, numbers, &layout);
  return copy_slices (call, &indices, &layout, sizes, result, error);
}

gboolean
ghlo_ref_gather (GhloRefCall *call,
                 GError     **error)
{
  gsize n;
  g_autofree gint64 *sizes = ghlo_ir_op_dup_ints (call->op, "slice_sizes", &n);
  Numbers numbers;

  read_numbers (ghlo_ir_op_get (call->op, "dimension_numbers"), &numbers);
  return gather (call, &numbers, sizes, n, error);
}

gboolean
ghlo_ref_dynamic_gather (GhloRefCall *call,
                         GError     **error)
{
  g_autofree gint64 *sizes = ghlo_ref_read_indices (call, call->operands[2], error);
  Numbers numbers;

  if (sizes == NULL)
    return FALSE;
  read_numbers (ghlo_ir_op_get (call->op, "dimension_numbers"), &numbers);
  return gather (call, &numbers, sizes, call->operands[2]->n_elements, error);
}

/* Gathers whole slices along one dimension, in batches of the leading dimensions: result[b, p, i, s] =
 * operand[b, p, index[b, i], s]. */
gboolean
ghlo_ref_torch_index_select (GhloRefCall *call,
                             GError     **error)
{
  const GhloValue *operand = call->operands[0];
  gint64 sizes[GHLO_MAX_RANK] = { 0 }, batching[GHLO_MAX_RANK], offset[GHLO_MAX_RANK];
  gint64 dim = ghlo_ir_op_get_int (call->op, "dim", 0);
  gint64 batch = ghlo_ir_op_get_int (call->op, "batch_dims", 0);
  gint64 rank = ghlo_ref_rank (operand), index_rank = ghlo_ref_rank (call->operands[1]);
  Numbers numbers = { .offset = offset };

  dim = dim < 0 ? dim + rank : dim;
  batch = batch < 0 ? batch + index_rank : batch;
  if (dim < 0 || dim >= rank || batch < 0 || batch > index_rank || batch > dim
      || rank + index_rank > GHLO_MAX_RANK)
    return ghlo_ref_fail (call, error, "expected a dimension below %" G_GINT64_FORMAT
                          " that is not among the batch dimensions", rank);
  for (gint64 d = 0; d < rank; d++)
    {
      sizes[d] = d < batch || d == dim ? 1 : ghlo_ref_dims (operand)[d];
      if (d < batch)
        batching[d] = d;
      else if (d < dim)
        offset[numbers.n_offset++] = d;
      else if (d > dim)
        offset[numbers.n_offset++] = d - 1 + index_rank - batch;
    }
  if (ghlo_ref_dims (operand)[dim] == 0)
    sizes[dim] = 0;
  for (gint64 d = 0; d < batch; d++)
    sizes[d] = MIN (sizes[d], ghlo_ref_dims (operand)[d]);

  numbers.collapsed = &dim;
  numbers.n_collapsed = 1;
  numbers.indices = (GhloRefIndexNumbers) {
    .map = &dim, .n_map = 1, .batching = batching, .index_batching = batching,
    .n_batching = (gsize) batch, .vector_dimension = index_rank,
  };
  return gather (call, &numbers, sizes, (gsize) rank, error);
}
