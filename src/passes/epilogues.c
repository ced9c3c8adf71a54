/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "epilogues": marks products and convolutions whose result goes through
 * elementwise operations, which a plan then does to each finished panel of the result
 * while it is in the cache. What is computed stays the same to the bit.
 */

#include "passes/context.h"

#include "ir/followers.h"
#include "passes/walk.h"

gboolean
ghlo_pass_epilogues (GhloIrModule     *module,
                     GhloPassContext  *context,
                     GError          **error)
{
  g_autoptr (GPtrArray) functions = ghlo_pass_functions (module);

  for (guint i = 0; i < functions->len; i++)
    {
      GhloIrOp *func = g_ptr_array_index (functions, i);
      GhloIrFollower followers[GHLO_IR_MAX_FOLLOWERS];

      if (ghlo_monitor_cancelled (context->monitor, error))
        return FALSE;
      for (GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = ghlo_pass_next_op (op, func))
        if (ghlo_ir_find_followers (op, followers) > 0
            && ghlo_ir_op_get (op, GHLO_IR_EPILOGUE) == NULL)
          {
            ghlo_ir_op_set (module, op, GHLO_IR_EPILOGUE, ghlo_ir_attr_unit (module));
            context->n_changes++;
          }
    }

  return TRUE;
}
