/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Building a plan: operations that are views, and so need no step.
 */

#include "plan/build.h"

#include "base/bytes.h"
#include "base/mapped.h"
#include "base/sizes.h"

static gint64 *
new_strides (GhloStepBuilder *self,
             guint            rank)
{
  return ghlo_ir_arena_alloc (&self->plan->arena, MAX (rank, 1) * sizeof (gint64));
}

/* Splits both lists of dimensions into the shortest runs with equal element counts, as NumPy does. The old dimensions
 * of a run must be contiguous relative to each other. */
const gint64 *
ghlo_step_reshape_strides (GhloIrArena      *arena,
                           const gint64     *dimensions,
                           const gint64     *strides,
                           guint             rank,
                           const GhloIrType *to)
{
  gint64 *made = ghlo_ir_arena_alloc (arena, MAX (to->rank, 1) * sizeof (gint64));
  gint64 old[GHLO_MAX_RANK], old_strides[GHLO_MAX_RANK];
  guint n_old = 0, i = 0, j = 0;

  for (guint k = 0; k < rank; k++)
    if (dimensions[k] != 1)
      {
        old[n_old] = dimensions[k];
        old_strides[n_old++] = strides[k];
      }

  while (i < n_old)
    {
      guint first_new = j;
      gint64 old_count = old[i++], new_count = to->dimensions[j++], stride;

      while (old_count != new_count)
        if (new_count < old_count)
          new_count *= to->dimensions[j++];
        else
          {
            g_assert (i < n_old);
            if (old_strides[i - 1] != old[i] * old_strides[i])
              return NULL;
            old_count *= old[i++];
          }
      stride = old_strides[i - 1];
      for (guint k = j; k > first_new; k--)
        {
          made[k - 1] = stride;
          stride *= to->dimensions[k - 1];
        }
    }

  return made;
}

static void
view_reshape (GhloStepBuilder *self,
              const GhloIrOp  *op,
              GhloStepValue   *value,
              GhloStepOperand *view)
{
  const GhloStepOperand *from = &value->operand;

  view->strides = NULL;
  if (ghlo_step_type_size (view->type) > 0)
    view->strides = ghlo_step_reshape_strides (&self->plan->arena, from->type->dimensions, from->strides,
                                               from->type->rank, view->type);
  if (view->strides == NULL)
    {
      const GhloIrType *type = view->type;
      GhloStepOperand dense = ghlo_step_densify (self, value);

      *view = ghlo_step_dense_operand (self, dense.buffer, type);
      view->offset = dense.offset;
    }
}

static void
view_transpose (GhloStepBuilder *self,
                const GhloIrOp  *op,
                GhloStepValue   *value,
                GhloStepOperand *view)
{
  gint64 *strides = new_strides (self, view->type->rank);
  gsize n;
  g_autofree gint64 *permutation = ghlo_ir_op_dup_ints (op, "permutation", &n);

  for (gsize i = 0; i < n; i++)
    strides[i] = value->operand.strides[permutation[i]];
  view->strides = strides;
}

static void
view_broadcast (GhloStepBuilder *self,
                const GhloIrOp  *op,
                GhloStepValue   *value,
                GhloStepOperand *view)
{
  gint64 *strides = new_strides (self, view->type->rank);
  gsize n;
  g_autofree gint64 *dimensions = ghlo_ir_op_dup_ints (op, "broadcast_dimensions", &n);

  for (gsize i = 0; i < n; i++)
    if (value->operand.type->dimensions[i] != 1)
      strides[dimensions[i]] = value->operand.strides[i];
  view->strides = strides;
}

/* The broadcast operation: adds leading dimensions. */
static void
view_prefix (GhloStepBuilder *self,
             const GhloIrOp  *op,
             GhloStepValue   *value,
             GhloStepOperand *view)
{
  gint64 *strides = new_strides (self, view->type->rank);
  guint more = view->type->rank - value->operand.type->rank;

  for (guint i = 0; i < value->operand.type->rank; i++)
    strides[more + i] = value->operand.strides[i];
  view->strides = strides;
}

static void
view_slice (GhloStepBuilder *self,
            const GhloIrOp  *op,
            GhloStepValue   *value,
            GhloStepOperand *view)
{
  gint64 *new = new_strides (self, view->type->rank);
  gsize n;
  g_autofree gint64 *starts = ghlo_ir_op_dup_ints (op, "start_indices", &n);
  g_autofree gint64 *steps = ghlo_ir_op_dup_ints (op, "strides", &n);

  /* The stride of a dimension with one element does not matter, and may overflow. */
  for (guint i = 0; i < view->type->rank; i++)
    {
      new[i] = value->operand.strides[i] * (view->type->dimensions[i] > 1 ? steps[i] : 1);
      if (ghlo_step_type_size (view->type) > 0)
        view->offset += starts[i] * value->operand.strides[i];
    }
  view->strides = new;
}

static void
view_reverse (GhloStepBuilder *self,
              const GhloIrOp  *op,
              GhloStepValue   *value,
              GhloStepOperand *view)
{
  gint64 *strides = new_strides (self, view->type->rank);
  gsize n;
  g_autofree gint64 *dimensions = ghlo_ir_op_dup_ints (op, "dimensions", &n);

  for (guint i = 0; i < view->type->rank; i++)
    strides[i] = value->operand.strides[i];
  for (gsize i = 0; i < n && ghlo_step_type_size (view->type) > 0; i++)
    {
      view->offset += (view->type->dimensions[dimensions[i]] - 1) * strides[dimensions[i]];
      strides[dimensions[i]] = -strides[dimensions[i]];
    }
  view->strides = strides;
}

/* The first or the second half of each complex number; a real number is its own real part. */
static void
view_part (GhloStepBuilder *self,
           const GhloIrOp  *op,
           GhloStepValue   *value,
           GhloStepOperand *view)
{
  view->strides = value->operand.strides;
  if (op->kind == GHLO_OP_STABLEHLO_IMAG && ghlo_step_type_size (view->type) > 0)
    view->offset += ghlo_element_info (view->type->element_type)->size;
}

static void
view_same (GhloStepBuilder *self,
           const GhloIrOp  *op,
           GhloStepValue   *value,
           GhloStepOperand *view)
{
  view->strides = value->operand.strides;
}

/* A bitcast of elements of whole bytes: between types of the same size, any strides are possible; otherwise, the value
 * must be dense. */
static void
view_bits (GhloStepBuilder *self,
           const GhloIrOp  *op,
           GhloStepValue   *value,
           GhloStepOperand *view)
{
  const GhloIrType *type = view->type;
  GhloStepOperand dense;

  if (type->rank == value->type->rank)
    {
      view->strides = value->operand.strides;
      return;
    }
  dense = ghlo_step_densify (self, value);
  *view = ghlo_step_dense_operand (self, dense.buffer, type);
  view->offset = dense.offset;
}

typedef void (*View) (GhloStepBuilder *self,
                      const GhloIrOp  *op,
                      GhloStepValue   *value,
                      GhloStepOperand *view);

static const View views[GHLO_N_OPS] = {
  [GHLO_OP_STABLEHLO_RESHAPE] = view_reshape,
  [GHLO_OP_STABLEHLO_TRANSPOSE] = view_transpose,
  [GHLO_OP_STABLEHLO_BROADCAST_IN_DIM] = view_broadcast,
  [GHLO_OP_STABLEHLO_BROADCAST] = view_prefix,
  [GHLO_OP_STABLEHLO_SLICE] = view_slice,
  [GHLO_OP_STABLEHLO_REVERSE] = view_reverse,
  [GHLO_OP_STABLEHLO_REAL] = view_part,
  [GHLO_OP_STABLEHLO_IMAG] = view_part,
  [GHLO_OP_STABLEHLO_CONVERT] = view_same,
  [GHLO_OP_STABLEHLO_BITCAST_CONVERT] = view_bits,
  [GHLO_OP_SDY_SHARDING_CONSTRAINT] = view_same,
};

/* Whether @op, which has a row in the table above, is a view with these types. */
static gboolean
can_view (const GhloIrOp *op)
{
  const GhloIrType *from = ghlo_ir_op_operand (op, 0)->type, *to = op->results[0].type;
  gboolean is_complex = ghlo_element_type_is_complex (from->element_type);

  /* Quantized values as their storage, and the reverse. */
  if (op->kind == GHLO_OP_STABLEHLO_BITCAST_CONVERT && from->element_type == to->element_type)
    return TRUE;
  /* The dimensions in quantization parameters would have to be adapted. */
  if (from->quantization != to->quantization)
    return FALSE;
  switch (op->kind)
    {
    case GHLO_OP_STABLEHLO_REAL:
      return is_complex || from->element_type == to->element_type;
    case GHLO_OP_STABLEHLO_IMAG:
      return is_complex;
    case GHLO_OP_STABLEHLO_CONVERT:
      return from->element_type == to->element_type;
    case GHLO_OP_STABLEHLO_BITCAST_CONVERT:
      return ghlo_element_info (from->element_type)->bits % 8 == 0
             && ghlo_element_info (to->element_type)->bits % 8 == 0 && from->quantization == NULL;
    default:
      return TRUE;
    }
}

/* Results that are the operands themselves. */
static gboolean
build_identity (GhloStepBuilder *self,
                const GhloIrOp  *op)
{
  gboolean same = op->kind == GHLO_OP_STABLEHLO_OPTIMIZATION_BARRIER
                  || op->kind == GHLO_OP_BUILTIN_UNREALIZED_CONVERSION_CAST;

  for (guint i = 0; same && i < op->n_results; i++)
    same = op->n_operands == op->n_results && op->results[i].type == ghlo_ir_op_operand (op, i)->type;
  for (guint i = 0; same && i < op->n_results; i++)
    ghlo_step_bind_same (self, &op->results[i], ghlo_step_value (self, ghlo_ir_op_operand (op, i)));

  return same;
}

static gboolean
build_tuple (GhloStepBuilder *self,
             const GhloIrOp  *op)
{
  GhloStepValue *value;

  if (op->kind == GHLO_OP_STABLEHLO_GET_TUPLE_ELEMENT)
    {
      value = ghlo_step_value (self, ghlo_ir_op_operand (op, 0));
      ghlo_step_bind_same (self, &op->results[0], value->members[ghlo_ir_op_get_int (op, "index", 0)]);
      return TRUE;
    }
  if (op->kind != GHLO_OP_STABLEHLO_TUPLE)
    return FALSE;
  value = ghlo_ir_arena_alloc (&self->arena, sizeof *value);
  value->type = op->results[0].type;
  value->members = ghlo_ir_arena_alloc (&self->arena, MAX (op->n_operands, 1) * sizeof (GhloStepValue *));
  for (guint i = 0; i < op->n_operands; i++)
    value->members[i] = ghlo_step_value (self, ghlo_ir_op_operand (op, i));
  ghlo_step_bind_same (self, &op->results[0], value);

  return TRUE;
}

/* The elements, where plans can use them: at a multiple of their size. Files need not have them there. */
static GBytes *
align_elements (GhloStepPoll     *poll,
                const GhloIrAttr *attr,
                gsize             size)
{
  gsize n_bytes;
  gconstpointer data = g_bytes_get_data (attr->dense.bytes, &n_bytes);
  GBytes *bytes;

  if ((gsize) data % MAX (size, 1) == 0)
    return g_bytes_ref (attr->dense.bytes);
  bytes = ghlo_bytes_copy (data, n_bytes, NULL);
  ghlo_mapped_release (data, n_bytes);
  ghlo_step_report (poll);

  return bytes;
}

/* FALSE where memory does not suffice; then the fallback makes the constant in each run, or reports the error. */
static gboolean
build_constant (GhloStepBuilder *self,
                const GhloIrOp  *op)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (op, "value");
  const GhloIrType *type = op->results[0].type;
  gsize size = ghlo_element_info (type->element_type)->size;
  GhloStepOperand operand;
  guint32 buffer;

  if (attr->kind != GHLO_IR_ATTR_DENSE)
    return FALSE;
  buffer = GPOINTER_TO_UINT (g_hash_table_lookup (self->constants, attr));
  if (buffer == 0)
    {
      GBytes *bytes = align_elements (self->poll, attr, size);

      if (bytes == NULL)
        return FALSE;
      buffer = ghlo_step_add_buffer (self, GHLO_STEP_BUFFER_CONSTANT, 0, g_bytes_get_size (bytes),
                                     self->plan->io_arena) + 1;
      g_array_index (self->buffers, GhloStepBuffer, buffer - 1).bytes = bytes;
      g_hash_table_insert (self->constants, (gpointer) attr, GUINT_TO_POINTER (buffer));
    }
  operand = ghlo_step_dense_operand (self, buffer - 1, type);
  if (attr->dense.splat)
    operand.strides = new_strides (self, type->rank);
  ghlo_step_bind (self, &op->results[0], operand);

  return TRUE;
}

gboolean
ghlo_step_plan_implements (GhloIrOpKind kind)
{
  switch (kind)
    {
    case GHLO_OP_BUILTIN_UNREALIZED_CONVERSION_CAST:
    case GHLO_OP_STABLEHLO_CONSTANT:
    case GHLO_OP_STABLEHLO_GET_TUPLE_ELEMENT:
    case GHLO_OP_STABLEHLO_OPTIMIZATION_BARRIER:
    case GHLO_OP_STABLEHLO_TUPLE:
      return TRUE;
    default:
      return views[kind] != NULL || ghlo_step_is_control (kind);
    }
}

gboolean
ghlo_step_is_view (const GhloIrOp *op)
{
  if (op->kind == GHLO_OP_STABLEHLO_CONSTANT)
    return ghlo_ir_op_get (op, "value")->kind == GHLO_IR_ATTR_DENSE;

  return views[op->kind] != NULL && can_view (op);
}

gboolean
ghlo_step_build_view (GhloStepBuilder *self,
                      const GhloIrOp  *op)
{
  GhloStepValue *value;
  GhloStepOperand view;

  if (op->kind == GHLO_OP_STABLEHLO_CONSTANT)
    return build_constant (self, op);
  if (build_identity (self, op) || build_tuple (self, op))
    return TRUE;
  if (views[op->kind] == NULL || !can_view (op))
    return FALSE;
  value = ghlo_step_value (self, ghlo_ir_op_operand (op, 0));
  view = value->operand;
  view.type = op->results[0].type;
  views[op->kind] (self, op, value, &view);
  ghlo_step_bind (self, &op->results[0], view);

  return TRUE;
}
