/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A program for readers that know StableHLO alone, as XLA's conversion to HLO does: without marks of shardings, and
 * with the bodies of manual computations in their places where each is of whole tensors, as on a mesh of one device.
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

/* What is in others comes before them. */
static void
find (const GhloIrOp *op,
      GPtrArray      *found)
{
  for (guint i = 0; i < op->n_regions; i++)
    for (const GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
        {
          find (inner, found);
          if (is_of_shardy (inner))
            g_ptr_array_add (found, inner);
        }
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
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  g_autoptr (GhloIrModule) copy = NULL;

  find (module->op, found);
  if (found->len > 0)
    {
      copy = ghlo_ir_module_copy (module);
      g_ptr_array_set_size (found, 0);
      find (copy->op, found);
      for (guint i = 0; i < found->len; i++)
        remove_op (g_ptr_array_index (found, i));
    }

  return ghlo_ir_to_text (copy != NULL ? copy : module, GHLO_IR_PRINT_DEFAULT, error);
}
