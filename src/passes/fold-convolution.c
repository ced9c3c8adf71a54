/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Folds transposes around a convolution, and reversals of its kernel's window: the dimension numbers can express any
 * order of dimensions, and window_reversal the reversals.
 */

#include "passes/fold-transposes.h"

#include "passes/layout/convolution.h"
#include "passes/shapes.h"
#include "passes/walk.h"

/* The convolution on @operands with the attribute @name set to @attr. */
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

/* The convolution on @operands, where dimension d of @tensor is now map[d]. */
static GhloIrValue *
make_mapped (GhloRewriter          *self,
             const GhloIrOp        *like,
             GhloIrValue *const    *operands,
             const GhloIrType      *type,
             GhloConvolutionTensor  tensor,
             const gint64          *map)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (like, "dimension_numbers");

  return make_convolution (self, like, operands, type, "dimension_numbers",
                           ghlo_convolution_map_numbers (self->module, numbers, tensor, map));
}

static gboolean
permuted_operand (GhloRewriter *self,
                  GhloIrOp     *op)
{
  gint64 permutation[GHLO_MAX_RANK];

  if (!ghlo_convolution_is_plain (op))
    return FALSE;
  for (guint i = GHLO_CONVOLUTION_INPUT; i <= GHLO_CONVOLUTION_KERNEL; i++)
    {
      GhloIrValue *operands[] = { ghlo_ir_op_operand (op, 0), ghlo_ir_op_operand (op, 1) };

      if (ghlo_find_permuted (operands[i], permutation, &operands[i]))
        return ghlo_rewrite_replace (self, op, make_mapped (self, op, operands, op->results[0].type, i, permutation));
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

  if (convolution == NULL || !ghlo_convolution_is_plain (convolution)
      || !ghlo_pass_only_user (&convolution->results[0], op))
    return FALSE;
  ghlo_permutation_invert (permutation, op->results[0].type->rank, inverse);

  return ghlo_rewrite_replace (self, op,
                               make_mapped (self, convolution,
                                            (GhloIrValue *[]) { ghlo_ir_op_operand (convolution, 0),
                                                                ghlo_ir_op_operand (convolution, 1) },
                                            op->results[0].type, GHLO_CONVOLUTION_OUTPUT, inverse));
}

/* A kernel that is reversed along its window is the same as a reversed window. */
static gboolean
reversed_kernel (GhloRewriter *self,
                 GhloIrOp     *op)
{
  const GhloIrOp *reverse = ghlo_convolution_is_plain (op) ? ghlo_ir_op_operand (op, 1)->op : NULL;
  gint64 reversal[GHLO_MAX_RANK] = { 0 };
  const gint64 *before, *spatial, *dimensions;
  gint64 order[GHLO_MAX_RANK];
  gsize n_before, n_spatial, n;

  if (reverse == NULL || reverse->kind != GHLO_OP_STABLEHLO_REVERSE)
    return FALSE;
  n_spatial = ghlo_convolution_get_order (ghlo_ir_op_get (op, "dimension_numbers"), GHLO_CONVOLUTION_KERNEL, order) - 2;
  spatial = order + 1;
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
