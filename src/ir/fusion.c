/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The names of fusions, and their bodies.
 */

#include "ir/fusion.h"

#define PREFIX    "ghlo.fusion."
#define ROW(name) { name, PREFIX name }

const GhloFusionSpec ghlo_fusion_specs[] = {
  [GHLO_FUSION_LOOP] = ROW ("loop"),
  [GHLO_FUSION_ATTENTION] = ROW ("attention"),
  [GHLO_FUSION_EPILOGUE] = ROW ("epilogue"),
  [GHLO_FUSION_REDUCTION] = ROW ("reduction"),
  [GHLO_FUSION_MAP] = ROW ("map"),
};

const GhloIrBlock *
ghlo_ir_fusion_get_body (const GhloIrOp *op)
{
  const char *name, *decomposition;
  const GhloIrOp *function;

  if (op->kind != GHLO_OP_STABLEHLO_COMPOSITE || op->n_regions > 0)
    return NULL;
  name = ghlo_ir_op_get_string (op, "name");
  decomposition = ghlo_ir_op_get_string (op, "decomposition");
  if (name == NULL || decomposition == NULL || !g_str_has_prefix (name, PREFIX))
    return NULL;
  function = ghlo_ir_op_find_symbol (op, decomposition);

  return function != NULL ? ghlo_ir_func_get_body (function) : NULL;
}

gboolean
ghlo_ir_op_is_product (const GhloIrOp *op)
{
  return op->kind == GHLO_OP_STABLEHLO_DOT_GENERAL || op->kind == GHLO_OP_STABLEHLO_DOT
         || op->kind == GHLO_OP_STABLEHLO_CONVOLUTION;
}

const GhloIrOp *
ghlo_ir_fusion_get_lead (const GhloIrBlock *body)
{
  for (const GhloIrOp *op = body->first; op != body->last; op = op->next)
    if (ghlo_ir_op_is_product (op))
      return op;

  return body->first;
}
