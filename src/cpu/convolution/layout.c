/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decides which convolutions prefer channels-last layout: those that oneDNN takes, since it would work on copies of
 * other layouts.
 */

#include "cpu/convolution/convolution.h"
#include "cpu/library/onednn.h"

static gboolean
is_narrow_float (const GhloIrValue *value)
{
  return ghlo_element_type_is_float (value->type->element_type)
         && ghlo_element_info (value->type->element_type)->bits <= 32;
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

  return NULL;
}
