/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Looks up the body of a fusion.
 */

#include "ir/fusion.h"

const GhloIrBlock *
ghlo_ir_fusion_get_body (const GhloIrOp *op)
{
  const char *name, *decomposition;
  const GhloIrOp *function;

  if (op->kind != GHLO_OP_STABLEHLO_COMPOSITE || op->n_regions > 0)
    return NULL;
  name = ghlo_ir_op_get_string (op, "name");
  decomposition = ghlo_ir_op_get_string (op, "decomposition");
  if (name == NULL || decomposition == NULL || !g_str_has_prefix (name, GHLO_IR_FUSION))
    return NULL;
  function = ghlo_ir_op_find_symbol (op, decomposition);

  return function != NULL ? ghlo_ir_func_get_body (function) : NULL;
}
