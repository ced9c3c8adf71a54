/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Transposes around a convolution, and reversals of its kernel's window: the dimension
 * numbers say any order of dimensions, window_reversal the rest.
 */

#include "passes/fold-transposes.h"

#include "passes/constant.h"
#include "passes/shapes.h"
#include "passes/walk.h"

/* The fields of #stablehlo.conv for the two operands and the result. */
enum { INPUT, KERNEL, OUTPUT, N_TENSORS };

static const struct
{
  const char *single[2], *spatial;
} fields[N_TENSORS] = {
  [INPUT] = { { "input_batch_dimension", "input_feature_dimension" }, "input_spatial_dimensions" },
  [KERNEL] = { { "kernel_input_feature_dimension", "kernel_output_feature_dimension" }, "kernel_spatial_dimensions" },
  [OUTPUT] = { { "output_batch_dimension", "output_feature_dimension" }, "output_spatial_dimensions" },
};

static gboolean
is_plain_convolution (const GhloIrOp *op)
{
  return op != NULL && op->kind == GHLO_OP_STABLEHLO_CONVOLUTION && ghlo_type_is_plain (op->results[0].type)
         && ghlo_type_is_plain (ghlo_ir_op_operand (op, 0)->type)
         && ghlo_type_is_plain (ghlo_ir_op_operand (op, 1)->type);
}

/* The numbers with those of one tensor mapped: dimension d becomes map[d]. */
static const GhloIrAttr *
map_numbers (GhloRewriter     *self,
             const GhloIrAttr *numbers,
             guint             tensor,
             const gint64     *map)
{
  gsize n_spatial;
  const gint64 *spatial = ghlo_ir_struct_get_dims (numbers, fields[tensor].spatial, &n_spatial);
  const GhloIrStructSpec *spec = &ghlo_ir_struct_specs[GHLO_IR_STRUCT_CONV];
  const GhloIrAttr *children[16];
  gint64 mapped[GHLO_MAX_RANK];

  for (gsize i = 0; i < n_spatial; i++)
    mapped[i] = map[spatial[i]];
  for (guint i = 0; i < spec->n_fields; i++)
    {
      const char *name = spec->fields[i].name;

      children[i] = numbers->children[i];
      if (g_str_equal (name, fields[tensor].spatial))
        children[i] = ghlo_ir_attr_i64s (self->module, mapped, n_spatial);
      else if (g_str_equal (name, fields[tensor].single[0]) || g_str_equal (name, fields[tensor].single[1]))
        children[i] = ghlo_ir_attr_i64 (self->module, map[ghlo_ir_struct_get_int (numbers, name)]);
    }

  return ghlo_ir_attr_struct (self->module, GHLO_IR_STRUCT_CONV, children);
}

/* The convolution on @operands with @name set to @attr. */
static GhloIrValue *
make_convolution (GhloRewriter       *self,
                  const GhloIrOp     *like,
                  GhloIrValue *const *operands,
                  const GhloIrType   *type,
                  const char         *name,
                  const GhloIrAttr   *attr)
{
  GhloIrValue *result = ghlo_make_like (self, like, operands, type);

  ghlo_ir_op_set (self->module, result->op, name, attr);

  return result;
}

static gboolean
permuted_operand (GhloRewriter *self,
                  GhloIrOp     *op)
{
  gint64 permutation[GHLO_MAX_RANK];

  if (!is_plain_convolution (op))
    return FALSE;
  for (guint i = INPUT; i <= KERNEL; i++)
    {
      GhloIrValue *operands[] = { ghlo_ir_op_operand (op, 0), ghlo_ir_op_operand (op, 1) };

      if (ghlo_find_permuted (operands[i], permutation, &operands[i]))
        return ghlo_rewrite_replace (self, op,
                                     make_convolution (self, op, operands, op->results[0].type, "dimension_numbers",
                                                       map_numbers (self, ghlo_ir_op_get (op, "dimension_numbers"), i,
                                                                    permutation)));
    }

  return FALSE;
}

static gboolean
transposed_result (GhloRewriter *self,
                   GhloIrOp     *op)
{
  const gint64 *permutation = ghlo_op_get_permutation (op);
  const GhloIrOp *convolution = permutation != NULL ? ghlo_ir_op_operand (op, 0)->op : NULL;
  gint64 inverse[GHLO_MAX_RANK];

  if (!is_plain_convolution (convolution) || !ghlo_pass_only_user (&convolution->results[0], op))
    return FALSE;
  ghlo_permutation_invert (permutation, op->results[0].type->rank, inverse);

  return ghlo_rewrite_replace (self, op,
                               make_convolution (self, convolution,
                                                 (GhloIrValue *[]) { ghlo_ir_op_operand (convolution, 0),
                                                                     ghlo_ir_op_operand (convolution, 1) },
                                                 op->results[0].type, "dimension_numbers",
                                                 map_numbers (self, ghlo_ir_op_get (convolution, "dimension_numbers"),
                                                              OUTPUT, inverse)));
}

/* A kernel reversed along its window is a window that is read the other way round. */
static gboolean
reversed_kernel (GhloRewriter *self,
                 GhloIrOp     *op)
{
  const GhloIrOp *reverse = is_plain_convolution (op) ? ghlo_ir_op_operand (op, 1)->op : NULL;
  gint64 reversal[GHLO_MAX_RANK] = { 0 };
  const gint64 *before, *spatial, *dimensions;
  gsize n_before, n_spatial, n;

  if (reverse == NULL || reverse->kind != GHLO_OP_STABLEHLO_REVERSE)
    return FALSE;
  spatial = ghlo_ir_struct_get_dims (ghlo_ir_op_get (op, "dimension_numbers"), fields[KERNEL].spatial, &n_spatial);
  before = ghlo_ir_op_get_ints (op, "window_reversal", &n_before);
  dimensions = ghlo_ir_op_get_ints (reverse, "dimensions", &n);
  for (gsize i = 0; i < n_before; i++)
    reversal[i] = before[i] != 0;
  for (gsize i = 0; i < n; i++)
    {
      gsize place = 0;

      while (place < n_spatial && spatial[place] != dimensions[i])
        place++;
      if (place == n_spatial)
        return FALSE;
      reversal[place] = !reversal[place];
    }

  return ghlo_rewrite_replace (self, op,
                               make_convolution (self, op,
                                                 (GhloIrValue *[]) { ghlo_ir_op_operand (op, 0),
                                                                     ghlo_ir_op_operand (reverse, 0) },
                                                 op->results[0].type, "window_reversal",
                                                 ghlo_ir_attr_integers (self->module, GHLO_ELEMENT_TYPE_I1, reversal,
                                                                        n_spatial)));
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_CONVOLUTION, permuted_operand },
  { GHLO_OP_STABLEHLO_CONVOLUTION, reversed_kernel },
  { GHLO_OP_STABLEHLO_TRANSPOSE, transposed_result },
};

const GhloRuleGroup ghlo_fold_convolution = { rows, G_N_ELEMENTS (rows) };
