/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls that say where values are to be, or how they are split between devices, and collectives of groups of one
 * process: they are the values themselves.
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

/* Whether every group is one process. A channel adds the partitions of each replica to a group of replicas, unless the
 * groups name processes. */
static gboolean
is_alone (const GhloIrOp *op)
{
  const GhloIrAttr *groups = ghlo_ir_op_get (op, "replica_groups"), *channel = ghlo_ir_op_get (op, "channel_handle");
  g_autofree gint64 *processes = NULL;
  gsize n;

  if (groups == NULL || groups->kind != GHLO_IR_ATTR_DENSE || groups->type->rank != 2
      || groups->type->dimensions[1] != 1
      || (channel != NULL && ghlo_ir_op_get (op, "use_global_device_ids") == NULL)
      || !ghlo_ir_dense_to_int64 (groups, &processes, &n))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (processes[i] < 0)
      return FALSE;

  return n > 0;
}

gboolean
ghlo_expand_collective (GhloRewriter    *self,
                        const GhloIrOp  *op,
                        GhloIrValue    **results,
                        char           **problem)
{
  return is_alone (op) && ghlo_expand_identity (self, op, results, problem);
}
