/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "channels-last": where the device prefers it, a convolution gets its images with the features innermost, and
 * returns them so, with transposes around it. A transpose behind a convolution then moves down past every operation
 * that can work in the other order as well, until it meets the one before the next convolution, and both cancel. Other
 * operands of such operations are transposed to match.
 *
 * This is a fusion pass because other passes fold transposes into dimension numbers. Each element is computed from the
 * same elements as before, and sums keep their order.
 */

#include <string.h>

#include "passes/canonicalize.h"
#include "passes/constant.h"
#include "passes/layout/convolution.h"
#include "passes/reshape.h"
#include "passes/shapes.h"
#include "passes/walk.h"

enum { INPUT = GHLO_CONVOLUTION_INPUT, KERNEL = GHLO_CONVOLUTION_KERNEL, OUTPUT = GHLO_CONVOLUTION_OUTPUT };

/* Operations with attributes that have one entry for each dimension of their first operands and their result. */
static const struct
{
  GhloIrOpKind kind;
  guint        n_moved;          /* the number of operands that are transposed */
  const char  *attributes[6];
} kinds[] = {
  { GHLO_OP_STABLEHLO_PAD, 1, { "edge_padding_low", "edge_padding_high", "interior_padding" } },
  { GHLO_OP_STABLEHLO_REDUCE_WINDOW, 1, { "window_dimensions", "window_strides", "base_dilations", "window_dilations",
                                          "padding" } },
  { GHLO_OP_STABLEHLO_SELECT_AND_SCATTER, 2, { "window_dimensions", "window_strides", "padding" } },
  { GHLO_OP_STABLEHLO_SLICE, 1, { "start_indices", "limit_indices", "strides" } },
};

/* A transpose that is moved down past an operation. */
typedef struct
{
  GhloRewriter     *rewriter;
  const GhloIrOp   *layout;
  const gint64     *permutation;            /* of @layout: dimension i of its result is permutation[i] of its
                                               operand */
  gint64            order[GHLO_MAX_RANK];   /* the inverse */
} Layout;

static const GhloIrType *
permute_type (GhloRewriter     *self,
              const GhloIrType *type,
              const gint64     *order)
{
  gint64 dimensions[GHLO_MAX_RANK];

  for (guint i = 0; i < type->rank; i++)
    dimensions[i] = type->dimensions[order[i]];

  return ghlo_make_type (self, type, dimensions, type->rank);
}

/* Permutes the rows of an attribute that has one row for each dimension. */
static const GhloIrAttr *
permute_attr (GhloIrModule     *module,
              const GhloIrAttr *attr,
              const gint64     *order,
              guint             rank)
{
  gint64 numbers[GHLO_MAX_RANK];
  const guint8 *from;
  guint8 *to;
  gsize size;

  if (attr->kind == GHLO_IR_ATTR_DENSE_ARRAY)
    {
      for (guint i = 0; i < rank; i++)
        numbers[i] = attr->integers[order[i]];
      return ghlo_ir_attr_i64s (module, numbers, rank);
    }
  if (attr->dense.splat)
    return attr;
  from = g_bytes_get_data (attr->dense.bytes, &size);
  to = g_malloc (size);
  size /= rank;
  for (guint i = 0; i < rank; i++)
    memcpy (to + i * size, from + (gsize) order[i] * size, size);

  return ghlo_ir_attr_dense (module, attr->type, g_bytes_new_take (to, rank * size), FALSE, NULL);
}

/* Whether the convolution computes the weight gradient of another one: its window is larger than its result, and it
 * sums over images and positions. */
static gboolean
is_gradient (const GhloIrOp   *op,
             const GhloIrAttr *numbers)
{
  gint64 kernel[GHLO_MAX_RANK], output[GHLO_MAX_RANK];
  guint rank = ghlo_convolution_get_order (numbers, GHLO_CONVOLUTION_KERNEL, kernel);
  double taps = 1, places = 1;

  ghlo_convolution_get_order (numbers, GHLO_CONVOLUTION_OUTPUT, output);
  for (guint i = 1; i + 1 < rank; i++)
    {
      taps *= (double) ghlo_ir_op_operand (op, 1)->type->dimensions[kernel[i]];
      places *= (double) op->results[0].type->dimensions[output[i]];
    }

  return taps > places && ghlo_ir_op_ints_are (op, "window_strides", 1);
}

static void
swap_ends (gint64 *order,
           guint   rank)
{
  gint64 first = order[0];

  order[0] = order[rank - 1];
  order[rank - 1] = first;
}

/* Gets the order in which each tensor's dimensions should lie, and whether the tensor has to be transposed for it.
 * A small image under a large window is not taken for a gradient if it is channels-last already when it is seen as
 * an image. */
static gboolean
find_orders (const GhloIrOp *op,
             gint64          orders[][GHLO_MAX_RANK],
             gboolean       *moves)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dimension_numbers");
  const GhloIrType *types[] = { ghlo_ir_op_operand (op, 0)->type, ghlo_ir_op_operand (op, 1)->type,
                                op->results[0].type };
  guint rank = types[INPUT]->rank;

  for (guint i = 0; i < GHLO_CONVOLUTION_N_TENSORS; i++)
    {
      ghlo_convolution_get_order (numbers, i, orders[i]);
      moves[i] = i != KERNEL && !ghlo_permutation_is_reshape (orders[i], types[i]);
    }
  if ((!moves[INPUT] && !moves[OUTPUT]) || !is_gradient (op, numbers))
    return moves[INPUT] || moves[OUTPUT];
  swap_ends (orders[INPUT], rank);
  moves[OUTPUT] = FALSE;
  for (guint i = INPUT; i <= KERNEL; i++)
    moves[i] = !ghlo_permutation_is_reshape (orders[i], types[i]);

  return moves[INPUT] || moves[KERNEL];
}

/* Elements of the innermost dimension from which on positions fill registers. */
enum { MIN_ROW = 24 };

/* Whether each feature of the image is convolved by itself: where rows are not short, no order is better than another,
 * and the one of the image is kept. */
static gboolean
keeps_order (const GhloRewriter *self,
             const GhloIrOp     *op,
             const GhloIrAttr   *numbers)
{
  const gint64 dimension = ghlo_ir_struct_get_int (numbers, "kernel_input_feature_dimension");
  const GhloIrValue *image = ghlo_ir_op_operand (op, INPUT);

  return ghlo_ir_op_get_int (op, "feature_group_count", 1) > 1
         && ghlo_ir_op_operand (op, KERNEL)->type->dimensions[dimension] == 1
         && image->type->dimensions[image->type->rank - 1] >= MIN_ROW
         && (image->op == NULL || !g_hash_table_contains (self->layouts, image->op));
}

static GhloIrValue *
make_layout (GhloRewriter *self,
             GhloIrValue  *value,
             const gint64 *permutation)
{
  GhloIrValue *result = ghlo_make_transpose (self, value, permutation);

  g_hash_table_add (self->layouts, result->op);

  return result;
}

static gboolean
lay_convolution (GhloRewriter *self,
                 GhloIrOp     *op)
{
  gint64 orders[GHLO_CONVOLUTION_N_TENSORS][GHLO_MAX_RANK], inverse[GHLO_MAX_RANK];
  gboolean moves[GHLO_CONVOLUTION_N_TENSORS];
  const GhloIrType *type = op->results[0].type;
  GhloIrValue *operands[2], *result;
  const GhloIrAttr *numbers;

  if (!ghlo_convolution_is_plain (op) || ghlo_type_count (type) == 0 || !find_orders (op, orders, moves)
      || keeps_order (self, op, ghlo_ir_op_get (op, "dimension_numbers"))
      || ghlo_rewrite_is_declined (self, GHLO_FUSION_CHANNELS_LAST, op))
    return FALSE;
  numbers = ghlo_ir_op_get (op, "dimension_numbers");
  for (guint i = 0; i < GHLO_CONVOLUTION_N_TENSORS; i++)
    {
      if (i != OUTPUT)
        operands[i] = ghlo_ir_op_operand (op, i);
      if (!moves[i])
        continue;
      ghlo_permutation_invert (orders[i], type->rank, inverse);
      numbers = ghlo_convolution_map_numbers (self->module, numbers, i, inverse);
      if (i != OUTPUT)
        operands[i] = ghlo_make_transpose (self, operands[i], orders[i]);
      else
        type = permute_type (self, type, orders[i]);
    }
  result = ghlo_make_like (self, op, operands, type);
  ghlo_ir_op_set (self->module, result->op, "dimension_numbers", numbers);

  return ghlo_rewrite_replace (self, op, moves[OUTPUT] ? make_layout (self, result, inverse) : result);
}

/* @value as the operand of an operation above the transpose; recreated where that costs nothing. */
static GhloIrValue *
move_operand (const Layout *self,
              GhloIrValue  *value)
{
  const gint64 *dimensions = ghlo_op_get_broadcast (value->op);
  gint64 map[GHLO_MAX_RANK];
  GhloScalar scalar;

  if (value->type->rank == 0)
    return value;
  if (value->op != NULL && g_hash_table_contains (self->rewriter->layouts, value->op)
      && value->op->attributes[0] == self->layout->attributes[0])
    return ghlo_ir_op_operand (value->op, 0);
  if (ghlo_value_get_splat (value, &scalar))
    return ghlo_make_splat (self->rewriter, permute_type (self->rewriter, value->type, self->order), scalar);
  if (dimensions == NULL)
    return ghlo_make_transpose (self->rewriter, value, self->order);
  g_assert (value->op != NULL);
  for (guint i = 0; i < ghlo_ir_op_operand (value->op, 0)->type->rank; i++)
    map[i] = self->permutation[dimensions[i]];

  return ghlo_make_broadcast (self->rewriter, ghlo_ir_op_operand (value->op, 0), map,
                              permute_type (self->rewriter, value->type, self->order));
}

/* Finds the layout transpose among the definers of @op's first @n_operands operands. */
static gboolean
find_layout (Layout         *self,
             const GhloIrOp *op,
             guint           n_operands)
{
  for (guint i = 0; i < n_operands && self->layout == NULL; i++)
    {
      const GhloIrOp *definer = ghlo_ir_op_operand (op, i)->op;

      if (definer != NULL && g_hash_table_contains (self->rewriter->layouts, definer))
        self->layout = definer;
    }
  if (self->layout == NULL)
    return FALSE;
  self->permutation = ghlo_op_get_permutation (self->layout);
  ghlo_permutation_invert (self->permutation, self->layout->results[0].type->rank, self->order);

  return TRUE;
}

/* Replaces @op by @made, which works above the layout transpose, followed by the transpose. */
static gboolean
replace (const Layout *self,
         GhloIrOp     *op,
         GhloIrOp     *made)
{
  return ghlo_rewrite_replace (self->rewriter, op,
                               make_layout (self->rewriter, &made->results[0], self->permutation));
}

static gboolean
sink_elementwise (GhloRewriter *rewriter,
                  GhloIrOp     *op)
{
  GhloIrValue *operands[GHLO_RESHAPE_MAX_OPERANDS];
  Layout self = { .rewriter = rewriter };
  const GhloIrType *type;

  if (!ghlo_reshape_is_simple (op) || !find_layout (&self, op, op->n_operands))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    operands[i] = move_operand (&self, ghlo_ir_op_operand (op, i));
  type = permute_type (rewriter, op->results[0].type, self.order);

  return replace (&self, op, ghlo_make_like (rewriter, op, operands, type)->op);
}

/* All operands of a concatenation must have the same layout. */
static gboolean
sink_concatenate (GhloRewriter *rewriter,
                  GhloIrOp     *op)
{
  g_autofree GhloIrValue **operands = g_new (GhloIrValue *, op->n_operands);
  Layout self = { .rewriter = rewriter };
  gint64 dimension = ghlo_ir_op_get_int (op, "dimension", 0);
  GhloIrValue *made;

  if (!ghlo_type_is_plain (op->results[0].type) || !find_layout (&self, op, MIN (op->n_operands, 1)))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloIrOp *definer = ghlo_ir_op_operand (op, i)->op;

      if (definer == NULL || !g_hash_table_contains (rewriter->layouts, definer)
          || definer->attributes[0] != self.layout->attributes[0])
        return FALSE;
      operands[i] = ghlo_ir_op_operand (definer, 0);
    }
  made = ghlo_make_like (rewriter, op, operands, permute_type (rewriter, op->results[0].type, self.order));
  ghlo_ir_op_set (rewriter->module, made->op, "dimension",
                  ghlo_ir_attr_i64 (rewriter->module, self.permutation[dimension]));

  return replace (&self, op, made->op);
}

/* Operations of the table @kinds; their regions move to the new operation. */
static gboolean
sink_row (GhloRewriter *rewriter,
          GhloIrOp     *op)
{
  const GhloIrType *type = op->results[0].type;
  GhloIrNamedAttr attributes[G_N_ELEMENTS (kinds[0].attributes)];
  Layout self = { .rewriter = rewriter };
  GhloIrValue *operands[3];
  guint row = 0, n = 0;
  GhloIrOp *made;

  while (kinds[row].kind != op->kind)
    row++;
  if (op->n_results != 1 || op->n_operands > G_N_ELEMENTS (operands) || op->n_operands < kinds[row].n_moved
      || !ghlo_type_is_plain (type) || !find_layout (&self, op, kinds[row].n_moved))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    operands[i] = i < kinds[row].n_moved ? move_operand (&self, ghlo_ir_op_operand (op, i))
                                         : ghlo_ir_op_operand (op, i);
  for (guint i = 0; kinds[row].attributes[i] != NULL; i++)
    {
      const GhloIrAttr *attr = ghlo_ir_op_get (op, kinds[row].attributes[i]);

      if (attr != NULL)
        attributes[n++] = (GhloIrNamedAttr) { kinds[row].attributes[i],
                                              permute_attr (rewriter->module, attr, self.order, type->rank) };
    }
  type = permute_type (rewriter, type, self.order);
  made = ghlo_make_op (rewriter, &(GhloIrOpState) {
    .kind = op->kind, .operands = operands, .n_operands = op->n_operands, .result_types = &type, .n_results = 1,
    .n_regions = op->n_regions, .attributes = attributes, .n_attributes = n,
  });
  for (guint i = 0; i < op->n_regions; i++)
    ghlo_pass_move_region (&op->regions[i], &made->regions[i]);

  return replace (&self, op, made);
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_CONVOLUTION, lay_convolution },
  { GHLO_OP_STABLEHLO_CONCATENATE, sink_concatenate },
  { GHLO_OP_STABLEHLO_PAD, sink_row },
  { GHLO_OP_STABLEHLO_REDUCE, ghlo_reshape_reduce },
  { GHLO_OP_STABLEHLO_REDUCE_WINDOW, sink_row },
  { GHLO_OP_STABLEHLO_SELECT_AND_SCATTER, sink_row },
  { GHLO_OP_STABLEHLO_SLICE, sink_row },
  { GHLO_OP_INVALID, sink_elementwise },
};

static gboolean
has_convolutions (const GhloIrModule *module)
{
  for (const GhloIrOp *op = module->op; op != NULL; op = ghlo_pass_next_op (op, module->op))
    if (op->kind == GHLO_OP_STABLEHLO_CONVOLUTION)
      return TRUE;

  return FALSE;
}

gboolean
ghlo_pass_channels_last (GhloIrModule     *module,
                         GhloPassContext  *context,
                         GError          **error)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (GhloRuleRow));

  if (!has_convolutions (module))
    return TRUE;
  g_array_append_vals (all, ghlo_canonicalize_moves.rows, ghlo_canonicalize_moves.n_rows);
  g_array_append_vals (all, rows, G_N_ELEMENTS (rows));

  if (!ghlo_rewrite_module (module, context, (gconstpointer) all->data, all->len, error))
    return FALSE;
  /* Values that were transposed or recreated for several users exist several times. */
  if (context->n_changes == 0 || !ghlo_passes_choose (context->options, (guint) ghlo_pass_find ("cse")))
    return TRUE;

  return ghlo_pass_cse (module, context, error);
}
