/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Drops the values that a function returns beyond its results. The function gets the func.return that its type
 * requires, which is also what an artifact would contain for either operation.
 */

#include "import/returns.h"

static guint
count_results (const GhloIrOp *function)
{
  const GhloIrAttr *type = ghlo_ir_op_get (function, "function_type");

  return type != NULL && type->kind == GHLO_IR_ATTR_TYPE && type->type != NULL
         && type->type->kind == GHLO_IR_TYPE_FUNCTION ? type->type->n_results : G_MAXUINT;
}

static void
drop_from (GhloIrModule *module,
           GhloIrOp     *function)
{
  GhloIrBlock *body = ghlo_ir_func_get_body (function);
  GhloIrOp *last = body != NULL ? body->last : NULL, *fewer;
  g_autofree GhloIrValue **values = NULL;
  guint n = count_results (function);

  if (last == NULL || last->kind != GHLO_OP_STABLEHLO_RETURN || last->n_operands <= n)
    return;
  values = g_new (GhloIrValue *, n + 1);
  for (guint i = 0; i < n; i++)
    values[i] = ghlo_ir_op_operand (last, i);
  fewer = ghlo_ir_op_new (module, &(GhloIrOpState) {
    .kind = GHLO_OP_FUNC_RETURN, .operands = values, .n_operands = n, .attributes = last->discardable,
    .n_attributes = last->n_discardable, .location = last->location, .line = last->line, .column = last->column,
  });
  ghlo_ir_op_insert_before (fewer, last);
  ghlo_ir_op_remove (last);
}

/* The recursion is bounded, since readers limit the nesting of modules. */
static void
drop_inside (GhloIrModule *module,
             GhloIrOp     *op)
{
  if (op->kind == GHLO_OP_FUNC_FUNC)
    drop_from (module, op);
  if (op->kind != GHLO_OP_BUILTIN_MODULE)
    return;
  for (guint i = 0; i < op->n_regions; i++)
    for (GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
        drop_inside (module, inner);
}

void
ghlo_import_drop_returns (GhloIrModule *module)
{
  drop_inside (module, module->op);
}
