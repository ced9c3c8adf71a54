/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds operations that add over dimensions which are sharded along the axes of an unreduced output, and values that
 * are sums of their results.
 */

#include "pjrt/partition/unreduced-private.h"

#include <string.h>

#include "base/sizes.h"
#include "ir/attr.h"
#include "passes/constant.h"
#include "pjrt/sharding/rule.h"

/* The depth to which a chain of operations is followed. */
enum { MAX_DEPTH = 64 };

guint
ghlo_pjrt_unreduced_count (const GhloPjrtUnreduced *self,
                           guint                    first,
                           guint                    n)
{
  guint count = 1;

  for (guint i = first; i < first + n; i++)
    count *= (guint) self->mesh.primes[self->axes.primes[i]].size;

  return count;
}

static gboolean
is_plain (const GhloIrValue *value)
{
  return ghlo_type_is_plain (value->type) && value->type->rank <= GHLO_MAX_RANK;
}

/* Whether dimension @dimension of @value is sharded along some consecutive ones of the axes, and along no others. */
static gboolean
find_slice (const GhloPjrtUnreduced *self,
            const GhloIrValue       *value,
            guint                    dimension,
            GhloPjrtSlice           *slice)
{
  const GhloPjrtAxes *axes = ghlo_pjrt_propagation_get_axes (self->propagation, value, dimension, &self->mesh);

  if (axes == NULL || axes->n == 0 || !is_plain (value))
    return FALSE;
  for (guint i = 0; i + axes->n <= self->axes.n; i++)
    {
      if (memcmp (axes->primes, self->axes.primes + i, axes->n) != 0)
        continue;
      slice->size = ghlo_pjrt_unreduced_count (self, i, axes->n);
      slice->stride = ghlo_pjrt_unreduced_count (self, i + axes->n, self->axes.n - i - axes->n);
      slice->axes = ((1u << axes->n) - 1) << i;

      return value->type->dimensions[dimension] % slice->size == 0;
    }

  return FALSE;
}

static void
add_slice (GhloPjrtSlices *slices,
           GhloPjrtSlice   slice,
           guint           operand,
           guint           dimension)
{
  slice.operand = operand;
  slice.dimension = dimension;
  if (slices->n < G_N_ELEMENTS (slices->slices))
    slices->slices[slices->n++] = slice;
}

/* Called once for each dimension, however many operands it occurs in. */
static void
take_axes (GhloPjrtSlices      *slices,
           const GhloPjrtSlice *slice)
{
  slices->is_wrong |= (slices->axes & slice->axes) != 0;
  slices->axes |= slice->axes;
}

/* Whether there is a part for each addend. */
static gboolean
are_all (const GhloPjrtUnreduced *self,
         const GhloPjrtSlices    *slices)
{
  return !slices->is_wrong && slices->axes == (1u << self->axes.n) - 1;
}

/* Adds slices along a dimension that two operands share; either operand may be the one that is sharded. */
static void
slice_both (const GhloPjrtUnreduced *self,
            const GhloIrOp          *op,
            const guint              operands[2],
            const guint              dimensions[2],
            GhloPjrtSlices          *slices)
{
  GhloPjrtSlice slice;

  if (!find_slice (self, ghlo_ir_op_operand (op, operands[0]), dimensions[0], &slice)
      && !find_slice (self, ghlo_ir_op_operand (op, operands[1]), dimensions[1], &slice))
    return;
  for (guint i = 0; i < 2; i++)
    add_slice (slices, slice, operands[i], dimensions[i]);
  take_axes (slices, &slice);
}

gboolean
ghlo_pjrt_unreduced_find_parts (const GhloPjrtUnreduced *self,
                                const GhloIrValue       *value,
                                GhloPjrtSlices          *slices)
{
  GhloPjrtSlice slice;

  *slices = (GhloPjrtSlices) { .only_first = -1 };
  for (guint i = 0; is_plain (value) && i < value->type->rank; i++)
    if (find_slice (self, value, i, &slice))
      {
        add_slice (slices, slice, 0, i);
        take_axes (slices, &slice);
      }

  return are_all (self, slices);
}

/* Whether @op's region adds its two arguments. */
static gboolean
adds (const GhloIrOp *op)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);
  const GhloIrOp *sum = block != NULL ? block->first : NULL;

  return sum != NULL && sum->kind == GHLO_OP_STABLEHLO_ADD && sum->next == block->last && block->n_arguments == 2
         && block->last->n_operands == 1 && ghlo_ir_op_operand (block->last, 0) == &sum->results[0]
         && ghlo_ir_op_operand (sum, 0)->block == block && ghlo_ir_op_operand (sum, 1)->block == block
         && ghlo_ir_op_operand (sum, 0) != ghlo_ir_op_operand (sum, 1);
}

static void
slice_product (const GhloPjrtUnreduced *self,
               const GhloIrOp          *op,
               GhloPjrtSlices          *slices)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dot_dimension_numbers");
  gsize n;
  const gint64 *lhs = ghlo_ir_struct_get_dims (numbers, "lhs_contracting_dimensions", &n);
  const gint64 *rhs = ghlo_ir_struct_get_dims (numbers, "rhs_contracting_dimensions", &n);

  for (gsize i = 0; i < n; i++)
    slice_both (self, op, (const guint[]) { 0, 1 }, (const guint[]) { (guint) lhs[i], (guint) rhs[i] }, slices);
}

static void
slice_reduction (const GhloPjrtUnreduced *self,
                 const GhloIrOp          *op,
                 GhloPjrtSlices          *slices)
{
  gsize n;
  const gint64 *dimensions = ghlo_ir_op_get_ints (op, "dimensions", &n);
  GhloPjrtSlice slice;

  if (op->n_operands != 2 || !adds (op))
    return;
  slices->only_first = 1;
  for (gsize i = 0; i < n; i++)
    if (find_slice (self, ghlo_ir_op_operand (op, 0), (guint) dimensions[i], &slice))
      {
        add_slice (slices, slice, 0, (guint) dimensions[i]);
        take_axes (slices, &slice);
      }
}

/* Slices the dimensions that indices and updates have in common and the operand does not have. */
static void
slice_scatter (const GhloPjrtUnreduced *self,
               const GhloIrOp          *op,
               GhloPjrtSlices          *slices)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "scatter_dimension_numbers");
  const guint vector = (guint) ghlo_ir_struct_get_int (numbers, "index_vector_dim");
  gsize n_windows, n_batching;
  const gint64 *windows = ghlo_ir_struct_get_dims (numbers, "update_window_dims", &n_windows);
  const gint64 *batching = ghlo_ir_struct_get_dims (numbers, "scatter_indices_batching_dims", &n_batching);
  guint index = 0;

  if (op->n_operands != 3 || !adds (op))
    return;
  slices->only_first = 0;
  for (guint i = 0; i < ghlo_ir_op_operand (op, 2)->type->rank; i++)
    {
      if (ghlo_dims_contain (windows, n_windows, i))
        continue;
      index += index == vector;
      if (!ghlo_dims_contain (batching, n_batching, index))
        slice_both (self, op, (const guint[]) { 1, 2 }, (const guint[]) { index, i }, slices);
      index++;
    }
}

gboolean
ghlo_pjrt_unreduced_find_slices (const GhloPjrtUnreduced *self,
                                 const GhloIrOp          *op,
                                 GhloPjrtSlices          *slices)
{
  *slices = (GhloPjrtSlices) { .only_first = -1 };
  for (guint i = 0; i < op->n_operands; i++)
    if (!is_plain (ghlo_ir_op_operand (op, i)))
      return FALSE;
  if (op->kind == GHLO_OP_STABLEHLO_DOT_GENERAL)
    slice_product (self, op, slices);
  else if (op->kind == GHLO_OP_STABLEHLO_REDUCE)
    slice_reduction (self, op, slices);
  else if (op->kind == GHLO_OP_STABLEHLO_SCATTER)
    slice_scatter (self, op, slices);

  return are_all (self, slices);
}

gboolean
ghlo_pjrt_unreduced_read_axes (const GhloPjrtMesh *mesh,
                               const GhloSdyAttr  *sharding,
                               GhloPjrtAxes       *axes)
{
  *axes = (GhloPjrtAxes) { 0 };
  for (guint i = 0; i < ghlo_sdy_field_n_attrs (&sharding->fields[3]); i++)
    if (!ghlo_pjrt_mesh_append (mesh, ghlo_pjrt_sdy_get (sharding, 3, i), axes))
      return FALSE;

  return axes->n > 0;
}

/* Whether @op, a constraint, leaves its value unreduced along the axes. */
static gboolean
leaves_unreduced (const GhloPjrtUnreduced *self,
                  const GhloIrOp          *op)
{
  g_auto (GhloSdyAttr) sharding = { 0 };
  g_auto (GhloPjrtMesh) mesh = { 0 };
  GhloPjrtAxes axes;

  return ghlo_pjrt_read_sdy (self->maker.module, ghlo_ir_op_get (op, "sharding"), GHLO_SDY_SHARDING, &sharding, NULL)
         && ghlo_pjrt_mesh_read (&mesh, self->maker.module, op, &sharding, self->mesh.n_partitions, NULL)
         && ghlo_pjrt_mesh_equal (&mesh, &self->mesh) && ghlo_pjrt_unreduced_read_axes (&mesh, &sharding, &axes)
         && ghlo_pjrt_axes_equal (&axes, &self->axes);
}

static gboolean
find_known (GhloPjrtUnreduced *self,
            const GhloIrOp    *op)
{
  const GhloIrValue *operand = op->n_operands > 0 ? ghlo_ir_op_operand (op, 0) : NULL;
  GhloPjrtSlices slices;

  if (operand == NULL || op->block != self->maker.op->block || op->n_results != 1)
    return FALSE;
  switch (op->kind)
    {
    case GHLO_OP_SDY_SHARDING_CONSTRAINT:
      return leaves_unreduced (self, op)
             && (ghlo_pjrt_unreduced_has_addends (self, operand)
                 || ghlo_pjrt_unreduced_find_parts (self, operand, &slices));
    case GHLO_OP_STABLEHLO_NEGATE:
      return ghlo_pjrt_unreduced_has_addends (self, operand);
    case GHLO_OP_STABLEHLO_ADD:
    case GHLO_OP_STABLEHLO_SUBTRACT:
      return ghlo_pjrt_unreduced_has_addends (self, operand)
             && ghlo_pjrt_unreduced_has_addends (self, ghlo_ir_op_operand (op, 1));
    default:
      return ghlo_pjrt_unreduced_find_slices (self, op, &slices);
    }
}

gboolean
ghlo_pjrt_unreduced_has_addends (GhloPjrtUnreduced *self,
                                 const GhloIrValue *value)
{
  gpointer known;

  if (value->op == NULL || self->depth == MAX_DEPTH)
    return FALSE;
  if (!g_hash_table_lookup_extended (self->known, value, NULL, &known))
    {
      self->depth++;
      known = GINT_TO_POINTER (find_known (self, value->op));
      self->depth--;
      g_hash_table_insert (self->known, (gpointer) value, known);
    }

  return GPOINTER_TO_INT (known);
}
