/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Dynamic slices and gathers: moves of elements by integers that the program computes. Each such integer is a
 * dynamic offset, a variable that indices add like a coordinate and that accesses clamp. Nothing needs to be copied;
 * slices are read in place. In a counted loop, integers derived from the counter are affine functions of its coordinate
 * instead.
 */

#include "kernel/lower/lowering.h"

#include "base/fail.h"
#include "base/sizes.h"

/* Returns the number of the dynamic offset @expr, clamped to [0, end); GHLO_LOWER_NONE where there is no room. */
static guint32
add_dynamic_offset (GhloLowering *self,
                    guint32       expr,
                    gint64        end)
{
  guint i = 0;

  while (i < self->n_dynamic_offsets && (self->dynamic_offsets[i].expr != expr || self->dynamic_offsets[i].end != end))
    i++;
  if (i == GHLO_LOWER_MAX_DYNAMIC_OFFSETS)
    return ghlo_lower_refuse (self, "it has too many start indices known only at run time");
  if (i == self->n_dynamic_offsets)
    self->dynamic_offsets[self->n_dynamic_offsets++] = (GhloDynamicOffset) { expr, end };

  return i;
}

/* Limits a dynamic offset to 63 bits, as accesses require. */
static guint32
cut_off (GhloLowering *self,
         guint32       expr)
{
  GhloElementType type = ghlo_expr (self, expr)->type;

  if (type != GHLO_ELEMENT_TYPE_UI64)
    return expr;

  return ghlo_lower_node (self, GHLO_NODE_MINIMUM, type, expr, ghlo_lower_constant (self, type, G_MAXINT64),
                          GHLO_LOWER_NONE);
}

static gint64
get_constant (const GhloExpr *expr)
{
  guint64 bits = expr->bits;
  GhloScalar value;

  if (ghlo_node_types (expr->type) == GHLO_NODE_TYPES_U)
    return (gint64) MIN (bits, G_MAXINT64);
  bits = GUINT64_TO_LE (bits);
  value = ghlo_element_load (expr->type, &bits);

  return value.i;
}

/* Returns @affine plus the start index @value at @index, which may have @room + 1 values; NULL on failure. */
static const GhloAffine *
add_to_affine (GhloLowering      *self,
               const GhloAffine  *affine,
               const GhloIrValue *value,
               const GhloIndex   *index,
               gint64             room)
{
  GhloAffine sum = *affine, counted;
  guint32 expr, dynamic_offset;

  if (room == 0)
    return affine;
  if (ghlo_lower_is_counted (self) && value->type->rank == 0
      && ghlo_lower_slice_start (self->loop, value, room + 1, &counted))
    return ghlo_lower_add_affine (self, affine, &counted, 1);
  expr = ghlo_lower_value (self, value, index);
  if (expr == GHLO_LOWER_NONE)
    return NULL;
  if (ghlo_expr (self, expr)->kind == GHLO_NODE_CONSTANT)
    return ghlo_lower_shift (self, affine, CLAMP (get_constant (ghlo_expr (self, expr)), 0, room));
  expr = cut_off (self, expr);
  dynamic_offset = expr != GHLO_LOWER_NONE ? add_dynamic_offset (self, expr, room + 1) : GHLO_LOWER_NONE;
  if (dynamic_offset == GHLO_LOWER_NONE)
    return NULL;
  sum.strides[GHLO_LOWER_MAX_AXES + dynamic_offset]++;

  return ghlo_lower_affine (self, &sum);
}

/* Adds to @index, of an element of @slice, where the slice begins: the operands of @op from @first on. */
static gboolean
add_starts (GhloLowering     *self,
            const GhloIrOp   *op,
            guint             first,
            const GhloIrType *slice,
            const GhloIndex  *index,
            GhloIndex        *moved)
{
  const GhloIrType *type = ghlo_ir_op_operand (op, 0)->type;
  const GhloIndex scalar = ghlo_lower_origin (self, 0, index);

  *moved = *index;
  if (type->rank != slice->rank || op->n_operands != first + type->rank)
    return GHLO_FALSE_AFTER (ghlo_lower_refuse (self, "its start indices are not scalars"));
  for (guint i = 0; i < type->rank; i++)
    {
      moved->dimensions[i] = add_to_affine (self, index->dimensions[i], ghlo_ir_op_operand (op, first + i), &scalar,
                                            type->dimensions[i] - slice->dimensions[i]);
      if (moved->dimensions[i] == NULL)
        return FALSE;
    }

  return TRUE;
}

static guint32
make_dynamic_slice (GhloLowering    *self,
                    const GhloIrOp  *op,
                    const GhloIndex *index)
{
  GhloIndex moved;

  return add_starts (self, op, 1, op->results[0].type, index, &moved)
         ? ghlo_lower_value (self, ghlo_ir_op_operand (op, 0), &moved) : GHLO_LOWER_NONE;
}

gboolean
ghlo_lower_update_index (GhloLowering    *self,
                         const GhloIrOp  *op,
                         const GhloIndex *index,
                         GhloIndex       *moved)
{
  return add_starts (self, op, 2, ghlo_ir_op_operand (op, 1)->type, index, moved);
}

/* The dimension numbers of a gather, and the sizes of its slices. */
typedef struct
{
  const gint64 *offset, *collapsed, *map, *batching, *starts_batching;
  gsize         n_offset, n_collapsed, n_map, n_batching, n_starts_batching;
  const gint64 *sizes;
  gsize         n_sizes;
  gint64        vector;         /* index_vector_dim */
} Gather;

static gboolean
read_gather (Gather         *self,
             const GhloIrOp *op)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dimension_numbers");

  if (numbers == NULL)
    return FALSE;
  self->offset = ghlo_ir_struct_get_dims (numbers, "offset_dims", &self->n_offset);
  self->collapsed = ghlo_ir_struct_get_dims (numbers, "collapsed_slice_dims", &self->n_collapsed);
  self->map = ghlo_ir_struct_get_dims (numbers, "start_index_map", &self->n_map);
  self->batching = ghlo_ir_struct_get_dims (numbers, "operand_batching_dims", &self->n_batching);
  self->starts_batching = ghlo_ir_struct_get_dims (numbers, "start_indices_batching_dims", &self->n_starts_batching);
  self->vector = ghlo_ir_struct_get_int (numbers, "index_vector_dim");
  self->sizes = ghlo_ir_op_get_ints (op, "slice_sizes", &self->n_sizes);

  return self->n_sizes == ghlo_ir_op_operand (op, 0)->type->rank && self->n_batching == self->n_starts_batching;
}

/* Returns the index into the start indices for the result at @index: its dimensions, other than that of the vectors,
 * are the dimensions of the result that are not offset dimensions, in order. */
static GhloIndex
find_vector (const Gather     *self,
             GhloLowering     *lowering,
             const GhloIrOp   *op,
             const GhloIndex  *index)
{
  GhloIndex starts = ghlo_lower_origin (lowering, ghlo_ir_op_operand (op, 1)->type->rank, index);
  guint result = 0;

  for (guint i = 0; i < starts.rank; i++)
    {
      if (i == self->vector)
        continue;
      while (ghlo_dims_contain (self->offset, self->n_offset, result))
        result++;
      starts.dimensions[i] = index->dimensions[result++];
    }

  return starts;
}

/* Returns dimension @dimension of the operand's index, without its start index. */
static const GhloAffine *
find_affine (const Gather    *self,
             GhloLowering    *lowering,
             guint            dimension,
             const GhloIndex *index,
             const GhloIndex *starts,
             guint           *n_offset)
{
  gint64 batching = ghlo_dims_find (self->batching, self->n_batching, dimension);

  if (batching >= 0)
    return starts->dimensions[self->starts_batching[batching]];
  if (ghlo_dims_contain (self->collapsed, self->n_collapsed, dimension))
    return lowering->zero;

  return index->dimensions[self->offset[(*n_offset)++]];
}

static guint32
make_gather (GhloLowering    *self,
             const GhloIrOp  *op,
             const GhloIndex *index)
{
  const GhloIrValue *operand = ghlo_ir_op_operand (op, 0), *vectors = ghlo_ir_op_operand (op, 1);
  GhloIndex moved, starts;
  guint n_offset = 0;
  Gather gather;

  if (!read_gather (&gather, op))
    return ghlo_lower_refuse (self, "its dimension numbers do not fit its operands");
  if (MAX (vectors->type->rank, operand->type->rank) > GHLO_LOWER_MAX_RANK)
    return ghlo_lower_refuse (self, "it has too many dimensions");
  starts = find_vector (&gather, self, op, index);
  moved = ghlo_lower_origin (self, operand->type->rank, index);
  for (guint i = 0; i < moved.rank; i++)
    {
      gint64 position = ghlo_dims_find (gather.map, gather.n_map, i);

      moved.dimensions[i] = find_affine (&gather, self, i, index, &starts, &n_offset);
      if (position < 0)
        continue;
      if (gather.vector < starts.rank)
        starts.dimensions[gather.vector] = ghlo_lower_shift (self, self->zero, position);
      moved.dimensions[i] = add_to_affine (self, moved.dimensions[i], vectors, &starts,
                                           operand->type->dimensions[i] - gather.sizes[i]);
      if (moved.dimensions[i] == NULL)
        return GHLO_LOWER_NONE;
    }

  return ghlo_lower_value (self, operand, &moved);
}

gboolean
ghlo_lower_has_dynamic_offsets (const GhloAffine *affine)
{
  for (guint i = GHLO_LOWER_MAX_AXES; i < GHLO_LOWER_MAX_VARIABLES; i++)
    if (affine->strides[i] != 0)
      return TRUE;

  return FALSE;
}

gboolean
ghlo_lower_uses_dynamic_offset (const GhloIndex *index,
                                guint            number)
{
  for (guint i = 0; i < index->rank; i++)
    if (index->dimensions[i]->strides[GHLO_LOWER_MAX_AXES + number] != 0)
      return TRUE;

  return FALSE;
}

guint32
ghlo_lower_gather (GhloLowering    *self,
                   const GhloIrOp  *op,
                   const GhloIndex *index)
{
  return op->kind == GHLO_OP_STABLEHLO_GATHER ? make_gather (self, op, index) : make_dynamic_slice (self, op, index);
}
