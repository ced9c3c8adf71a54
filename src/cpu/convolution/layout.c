/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decides which convolutions prefer channels-last layout: those that oneDNN takes, since it would work on copies of
 * other layouts.
 */

#include "cpu/convolution/convolution-private.h"
#include "cpu/library/onednn.h"

static gboolean
is_narrow_float (const GhloIrValue *value)
{
  return ghlo_element_type_is_float (value->type->element_type)
         && ghlo_element_info (value->type->element_type)->bits <= 32;
}

/* Features of the result, with one group, up to which our own loops are as fast as transposes and the library. */
enum { FEW_OUTPUTS = 8 };

/* Whether our own loops for few features take it, which copy any layout. */
static gboolean
has_own_loops (const GhloIrOp *op)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dimension_numbers");
  const gint64 *kernel = ghlo_ir_op_operand (op, 1)->type->dimensions;
  const gint64 groups = ghlo_ir_op_get_int (op, "feature_group_count", 1);
  const gint64 features = kernel[ghlo_ir_struct_get_int (numbers, "kernel_input_feature_dimension")];
  const gint64 outputs = kernel[ghlo_ir_struct_get_int (numbers, "kernel_output_feature_dimension")];

  if (groups == 1 && outputs <= FEW_OUTPUTS
      && (ghlo_ir_op_operand (op, 0)->type->element_type != GHLO_ELEMENT_TYPE_BF16
          || ghlo_cpu_onednn_speed (GHLO_ELEMENT_TYPE_BF16) < 1))
    return TRUE;

  return ghlo_cpu_convolution_has_few_features (ghlo_ir_op_operand (op, 0)->type->element_type, groups, features,
                                                outputs)
         && (features > 1 || outputs > groups || op->results[0].type->rank > 4);
}

const char *
ghlo_cpu_convolution_declines_layout (const GhloIrOp *op)
{
  guint rank = op->results[0].type->rank;

  if (rank < 3 || rank > 2 + GHLO_CPU_MAX_SPATIAL)
    return "the CPU prefers no layout for convolutions of this rank";
  if (!is_narrow_float (ghlo_ir_op_operand (op, 0)) || !is_narrow_float (ghlo_ir_op_operand (op, 1))
      || !is_narrow_float (&op->results[0]))
    return "the CPU prefers no layout for convolutions of its element types";
  if (has_own_loops (op))
    return "the CPU prefers no layout for convolutions with few features";

  return NULL;
}
