/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "whole-scatter-windows": a scatter window that is partly out of bounds is dropped as a whole, as XLA does
 * and JAX relies on. StableHLO's specification drops each out-of-bounds element by itself, so this pass is for programs
 * that were written for XLA, and runs only on request. The start indices of such windows are replaced by ones that are
 * out of bounds by more than the length of any window.
 */

#include "passes/rewrite.h"

#include "passes/constant.h"

typedef struct
{
  const GhloIrAttr *numbers;
  const gint64     *index_map;  /* for each component of an index, the dimension that it indexes */
  gsize             n_components;
  guint             vector_dim; /* of the indices; equal to their rank where each index is a scalar */
  guint             n_inputs;
} Scatter;

/* The number of starts along the dimension of @component whose whole window is in bounds. -1 where the window has one
 * element there, so that it is never partly out of bounds. */
static gint64
count_starts (const Scatter  *scatter,
              const GhloIrOp *op,
              gsize           component)
{
  gint64 dimension = scatter->index_map[component];
  gsize n_inserted, n_batching, n_window, place = 0;
  const gint64 *inserted = ghlo_ir_struct_get_dims (scatter->numbers, "inserted_window_dims", &n_inserted);
  const gint64 *batching = ghlo_ir_struct_get_dims (scatter->numbers, "input_batching_dims", &n_batching);
  const gint64 *window = ghlo_ir_struct_get_dims (scatter->numbers, "update_window_dims", &n_window);
  gint64 length;

  if (ghlo_dims_contain (inserted, n_inserted, dimension) || ghlo_dims_contain (batching, n_batching, dimension))
    return -1;
  for (gint64 i = 0; i < dimension; i++)
    if (!ghlo_dims_contain (inserted, n_inserted, i) && !ghlo_dims_contain (batching, n_batching, i))
      place++;
  length = ghlo_ir_op_operand (op, scatter->n_inputs + 1)->type->dimensions[window[place]];

  return length > 1 ? ghlo_ir_op_operand (op, 0)->type->dimensions[dimension] - length + 1 : -1;
}

static GhloIrValue *
make_compare (GhloRewriter *self,
              GhloIrValue  *value,
              const char   *direction,
              gint64        bound)
{
  GhloIrValue *operands[] = { value, ghlo_make_splat (self, value->type, (GhloScalar) { .i = bound }) };
  const GhloIrNamedAttr attribute = {
    "comparison_direction", ghlo_ir_attr_enum (self->module, GHLO_IR_ENUM_COMPARISON_DIRECTION,
                                               ghlo_ir_enum_from_word (GHLO_IR_ENUM_COMPARISON_DIRECTION, direction)),
  };

  return ghlo_make (self, GHLO_OP_STABLEHLO_COMPARE, ghlo_make_type_of (self, GHLO_ELEMENT_TYPE_I1, value->type),
                    operands, 2, &attribute, 1);
}

/* Component @component of each index; the component dimension becomes one of size 1. */
static GhloIrValue *
make_component (GhloRewriter  *self,
                const Scatter *scatter,
                GhloIrValue   *indices,
                gsize          component)
{
  guint rank = indices->type->rank;
  g_autofree gint64 *start = g_new0 (gint64, rank + 1), *limit = g_new (gint64, rank + 1);
  g_autofree gint64 *strides = g_new (gint64, rank + 1);

  if (scatter->vector_dim == rank)
    return indices;
  for (guint i = 0; i < rank; i++)
    {
      limit[i] = indices->type->dimensions[i];
      strides[i] = 1;
    }
  start[scatter->vector_dim] = (gint64) component;
  limit[scatter->vector_dim] = (gint64) component + 1;

  return ghlo_make_slice (self, indices, start, limit, strides);
}

/* Whether each window is in bounds, by index, with a component dimension of size 1; NULL where no window can be partly
 * out of bounds. */
static GhloIrValue *
make_is_inside (GhloRewriter   *self,
                const Scatter  *scatter,
                const GhloIrOp *op,
                GhloIrValue    *indices)
{
  GhloIrValue *is_inside = NULL;

  for (gsize i = 0; i < scatter->n_components; i++)
    {
      gint64 n_starts = count_starts (scatter, op, i);
      GhloIrValue *component, *bounds[2];

      if (n_starts < 0)
        continue;
      component = make_component (self, scatter, indices, i);
      bounds[0] = make_compare (self, component, "GE", 0);
      bounds[1] = make_compare (self, component, "LT", n_starts);
      for (guint j = 0; j < G_N_ELEMENTS (bounds); j++)
        is_inside = is_inside == NULL ? bounds[j]
                                      : ghlo_make_binary (self, GHLO_OP_STABLEHLO_AND, is_inside, bounds[j]);
    }

  return is_inside;
}

static GhloIrValue *
broadcast_to (GhloRewriter     *self,
              GhloIrValue      *value,
              const GhloIrType *shape)
{
  const GhloIrType *type = ghlo_make_type_of (self, GHLO_ELEMENT_TYPE_I1, shape);
  g_autofree gint64 *dimensions = g_new (gint64, shape->rank + 1);

  if (value->type == type)
    return value;
  for (guint i = 0; i < shape->rank; i++)
    dimensions[i] = i;

  return ghlo_make_broadcast (self, value, dimensions, type);
}

static gboolean
needs_whole_windows (const Scatter  *scatter,
                     const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (!ghlo_type_is_plain (ghlo_ir_op_operand (op, i)->type))
      return FALSE;
  for (gsize i = 0; i < scatter->n_components; i++)
    if (count_starts (scatter, op, i) >= 0)
      return TRUE;

  return FALSE;
}

/* Always returns FALSE: if the driver were told of the change, it would visit the scatter again and find the same thing
 * to do. */
static gboolean
guard_scatter (GhloRewriter *self,
               GhloIrOp     *op)
{
  Scatter scatter = {
    .numbers = ghlo_ir_op_get (op, "scatter_dimension_numbers"),
    .n_inputs = (op->n_operands - 1) / 2,
  };
  GhloIrValue *indices = ghlo_ir_op_operand (op, scatter.n_inputs), *operands[3];
  const GhloIrType *wide;

  scatter.index_map = ghlo_ir_struct_get_dims (scatter.numbers, "scatter_dims_to_operand_dims", &scatter.n_components);
  scatter.vector_dim = (guint) ghlo_ir_struct_get_int (scatter.numbers, "index_vector_dim");
  if (!needs_whole_windows (&scatter, op))
    return FALSE;
  /* With 64 bits, the least number is out of bounds for any window. */
  wide = ghlo_make_type_of (self, GHLO_ELEMENT_TYPE_I64, indices->type);
  if (indices->type != wide)
    indices = ghlo_make (self, GHLO_OP_STABLEHLO_CONVERT, wide, &indices, 1, NULL, 0);
  operands[0] = broadcast_to (self, make_is_inside (self, &scatter, op, indices), wide);
  operands[1] = indices;
  operands[2] = ghlo_make_splat (self, wide, (GhloScalar) { .i = G_MININT64 });
  ghlo_ir_op_set_operand (op, scatter.n_inputs, ghlo_make (self, GHLO_OP_STABLEHLO_SELECT, wide, operands, 3, NULL, 0));
  ghlo_ir_op_set (self->module, op, "indices_are_sorted", ghlo_ir_attr_bool (self->module, FALSE));
  self->context->n_changes++;

  return FALSE;
}

gboolean
ghlo_pass_whole_scatter_windows (GhloIrModule     *module,
                                 GhloPassContext  *context,
                                 GError          **error)
{
  static const GhloRuleRow rows[] = { { GHLO_OP_STABLEHLO_SCATTER, guard_scatter } };

  return ghlo_rewrite_module (module, context, rows, G_N_ELEMENTS (rows), error);
}
