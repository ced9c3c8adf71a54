/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Program text for readers that only know StableHLO, such as XLA's conversion to HLO. Sharding annotations are
 * removed, and manual computations are replaced by their bodies where these work on whole tensors, as on a mesh of
 * one device.
 */

#include "pjrt/program-text.h"

#include "ir/print/print.h"
#include "passes/walk.h"

static gboolean
is_of_shardy (const GhloIrOp *op)
{
  return op->kind == GHLO_OP_SDY_SHARDING_CONSTRAINT || op->kind == GHLO_OP_SDY_SHARDING_GROUP
         || op->kind == GHLO_OP_SDY_MANUAL_COMPUTATION;
}

static GPtrArray *
find (GhloIrModule *module)
{
  GPtrArray *found = g_ptr_array_new ();

  for (GhloIrOp *op = module->op; op != NULL; op = ghlo_pass_next_op (op, module->op))
    if (is_of_shardy (op))
      g_ptr_array_add (found, op);

  return found;
}

static gboolean
is_of_wholes (const GhloIrOp *op)
{
  const GhloIrBlock *body = ghlo_ir_op_region_block (op, 0);
  const GhloIrOp *end = body != NULL ? ghlo_pass_terminator (body) : NULL;

  if (end == NULL || body->n_arguments != op->n_operands || end->n_operands != op->n_results)
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    if (ghlo_ir_op_operand (op, i)->type != body->arguments[i]->type)
      return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (ghlo_ir_op_operand (end, i)->type != op->results[i].type)
      return FALSE;

  return TRUE;
}

static void
remove_op (GhloIrOp *op)
{
  g_autofree GhloIrValue **operands = g_new (GhloIrValue *, op->n_operands + 1);
  const GhloIrOp *gives = op;

  if (op->kind == GHLO_OP_SDY_MANUAL_COMPUTATION && !is_of_wholes (op))
    return;
  for (guint i = 0; i < op->n_operands; i++)
    operands[i] = ghlo_ir_op_operand (op, i);
  if (op->kind == GHLO_OP_SDY_MANUAL_COMPUTATION)
    gives = ghlo_pass_splice (ghlo_ir_op_region_block (op, 0), op, operands);
  for (guint i = 0; i < op->n_results; i++)
    ghlo_ir_value_replace (&op->results[i], ghlo_ir_op_operand (gives, i));
  ghlo_pass_erase (op);
}

char *
ghlo_pjrt_program_text (GhloIrModule  *module,
                        GError       **error)
{
  g_autoptr (GPtrArray) found = find (module);
  g_autoptr (GhloIrModule) copy = NULL;

  if (found->len > 0)
    {
      copy = ghlo_ir_module_copy (module);
      g_ptr_array_unref (found);
      found = find (copy);
      /* Nested operations before those that contain them. */
      for (guint i = found->len; i-- > 0;)
        remove_op (g_ptr_array_index (found, i));
    }

  return ghlo_ir_to_text (copy != NULL ? copy : module, GHLO_IR_PRINT_DEFAULT, error);
}
