/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls that say where values are to be, or how they are split between devices: here they are the values themselves.
 */

#include "passes/expand/expand.h"

/* Further operands only describe shapes. */
gboolean
ghlo_expand_identity (G_GNUC_UNUSED GhloRewriter *self,
                      const GhloIrOp             *op,
                      GhloIrValue               **results,
                      G_GNUC_UNUSED char        **problem)
{
  if (op->n_results == 0 || op->n_results > op->n_operands)
    return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    {
      results[i] = ghlo_ir_op_operand (op, i);
      if (results[i]->type != op->results[i].type)
        return FALSE;
    }

  return TRUE;
}
