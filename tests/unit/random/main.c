/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Changes of a test program's @main: its results, and operations that are removed.
 */

#include "main.h"
#include "passes/walk.h"

GhloIrBlock *
random_main_block (const GhloIrModule *module)
{
  return ghlo_ir_func_get_body (ghlo_ir_module_find (module, "main"));
}

void
random_main_update (GhloIrModule *module)
{
  GhloIrOp *function = ghlo_ir_module_find (module, "main");
  GhloIrBlock *block = random_main_block (module);
  guint n_inputs = block->n_arguments, n_results = block->last->n_operands;
  g_autofree const GhloIrType **inputs = g_new0 (const GhloIrType *, n_inputs + 1);
  g_autofree const GhloIrType **results = g_new0 (const GhloIrType *, n_results + 1);
  const GhloIrType *type;

  for (guint i = 0; i < n_inputs; i++)
    inputs[i] = block->arguments[i]->type;
  for (guint i = 0; i < n_results; i++)
    results[i] = ghlo_ir_op_operand (block->last, i)->type;
  type = ghlo_ir_type_function (module, inputs, n_inputs, results, n_results);
  ghlo_ir_op_set (module, function, "function_type", ghlo_ir_attr_type (module, type));
  ghlo_ir_op_set (module, function, "arg_attrs", NULL);
  ghlo_ir_op_set (module, function, "res_attrs", NULL);
}

void
random_main_return (GhloIrModule *module,
                    GPtrArray    *values)
{
  GhloIrOp *end = random_main_block (module)->last, *made;
  GhloIrOpState state = {
    .kind = GHLO_OP_FUNC_RETURN, .operands = (GhloIrValue *const *) values->pdata, .n_operands = values->len,
  };

  made = ghlo_ir_op_new (module, &state);
  ghlo_ir_op_insert_before (made, end);
  ghlo_ir_op_remove (end);
  random_main_update (module);
}

void
random_main_drop_unused (GhloIrModule   *module,
                         const GhloIrOp *kept,
                         GPtrArray      *rounds)
{
  GhloIrBlock *block = random_main_block (module);
  GhloIrOp *previous;

  for (GhloIrOp *op = block->last->previous; op != NULL; op = previous)
    {
      previous = op->previous;
      if (op != kept && ghlo_pass_is_unused (op))
        ghlo_pass_erase (op);
    }
  for (guint i = block->n_arguments; i > 0; i--)
    if (block->arguments[i - 1]->uses == NULL)
      {
        ghlo_ir_block_remove_argument (block, i - 1);
        for (guint j = 0; rounds != NULL && j < rounds->len; j++)
          g_ptr_array_remove_index (rounds->pdata[j], i - 1);
      }
  random_main_update (module);
}
