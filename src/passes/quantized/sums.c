/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums of quantized values by reduce and reduce_window. The specification leaves the order of additions open, each of
 * which saturates. Where each element lies within the range, and zero does, there is an order in which no partial sum
 * leaves the range unless the exact sum does: one that adds negative numbers to positive partial sums, and the reverse,
 * as long as there are any. So the result is the exact sum of integers, saturated once.
 */

#include "passes/quantized/quantized.h"

#include <math.h>

#include "ir/window.h"
#include "passes/constant.h"
#include "passes/expand/build.h"
#include "passes/walk.h"

/* Whether the region adds its two arguments, all of the operands' type. */
static gboolean
is_sum (const GhloIrOp *op)
{
  const GhloQuantization *quantization = op->results[0].type->quantization;
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);
  const GhloIrOp *add = block->first, *end = ghlo_pass_terminator (block);

  if (op->n_operands != 2 || quantization->axis >= 0 || block->n_arguments != 2
      || add->kind != GHLO_OP_STABLEHLO_ADD || end != add->next || ghlo_ir_op_operand (end, 0) != &add->results[0]
      || ghlo_ir_op_operand (add, 0)->block != block || ghlo_ir_op_operand (add, 1)->block != block
      || ghlo_ir_op_operand (add, 0) == ghlo_ir_op_operand (add, 1)
      || add->results[0].type->quantization != quantization)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (ghlo_ir_op_operand (op, i)->type->quantization != quantization
        || block->arguments[i]->type->quantization != quantization)
      return FALSE;

  return quantization->storage_min <= quantization->zero_points[0]
         && quantization->zero_points[0] <= quantization->storage_max && ghlo_quantized_is_exact (quantization);
}

/* A type that holds the sums, with a zero point added to them: of at most all elements of the operand, or of a
 * window. */
static GhloElementType
choose_type (const GhloIrOp *op)
{
  const GhloIrType *type = ghlo_ir_op_operand (op, 0)->type;
  double count = (double) ghlo_type_count (type);

  if (op->kind == GHLO_OP_STABLEHLO_REDUCE_WINDOW)
    {
      GhloIrWindow window;

      if (ghlo_ir_window_read (&window, op) != NULL)
        return GHLO_ELEMENT_TYPE_I64;
      count = 1;
      for (guint i = 0; i < window.rank; i++)
        count *= (double) window.dims[i].size;
    }

  return ldexp (count + 2, ghlo_element_info (type->element_type)->bits + 1) <= G_MAXINT32 ? GHLO_ELEMENT_TYPE_I32
                                                                                           : GHLO_ELEMENT_TYPE_I64;
}

/* The operation on integers of @element_type, with the region of @op. */
static GhloIrValue *
make_reduction (GhloRewriter       *self,
                const GhloIrOp     *op,
                GhloIrValue *const *operands,
                GhloElementType     element_type)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  g_autofree GhloIrNamedAttr *attributes = g_new (GhloIrNamedAttr, spec->n_attributes);
  const GhloIrType *scalar = operands[1]->type;
  GhloIrOpState state = {
    .kind = op->kind, .operands = operands, .n_operands = 2,
    .result_types = (const GhloIrType *[]) { ghlo_make_type_of (self, element_type, op->results[0].type) },
    .n_results = 1, .n_regions = 1, .attributes = attributes,
  };
  GhloIrBlock *block;
  GhloIrOp *made;

  for (guint i = 0; i < spec->n_attributes; i++)
    if (op->attributes[i] != NULL)
      attributes[state.n_attributes++] = (GhloIrNamedAttr) { spec->attributes[i].name, op->attributes[i] };
  made = ghlo_make_op (self, &state);
  ghlo_pass_move_region (&op->regions[0], &made->regions[0]);
  block = ghlo_ir_op_region_block (made, 0);
  for (guint i = 0; i < 2; i++)
    block->arguments[i]->type = scalar;
  block->first->results[0].type = scalar;

  return &made->results[0];
}

GhloIrValue *
ghlo_quantized_lower_sum (GhloRewriter       *self,
                          const GhloIrOp     *op,
                          GhloIrValue *const *stored)
{
  const GhloQuantization *quantization = op->results[0].type->quantization;
  GhloIrValue *shifted[2], *sums;
  GhloElementType element_type;

  if (quantization == NULL || !is_sum (op))
    return NULL;
  element_type = choose_type (op);
  for (guint i = 0; i < 2; i++)
    shifted[i] = ghlo_quantized_shift (self, stored[i], quantization, element_type);
  sums = make_reduction (self, op, shifted, element_type);
  if (ghlo_quantized_has_zero_points (quantization))
    sums = ghlo_expand_with (self, GHLO_OP_STABLEHLO_ADD, sums, (double) quantization->zero_points[0]);

  return ghlo_quantized_saturate (self, sums, quantization);
}
