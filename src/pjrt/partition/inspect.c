/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reports the shardings of values to the application.
 */

#include "pjrt/partition/inspect.h"

#include "base/fail.h"
#include "ir/custom-call.h"
#include "passes/walk.h"
#include "pjrt/callbacks.h"

#define TARGET "ghlo_inspect_sharding"
/* The target that JAX itself emits. */
#define TARGET_OF_ADDRESSES "InspectSharding"

static gboolean
calls (const GhloIrOp *op,
       const char     *target)
{
  return op->kind == GHLO_OP_STABLEHLO_CUSTOM_CALL && op->n_operands == 1
         && g_strcmp0 (ghlo_ir_op_get_string (op, "call_target_name"), target) == 0;
}

gboolean
ghlo_pjrt_has_inspections (const GhloIrModule *module)
{
  for (const GhloIrOp *op = module->op; op != NULL; op = ghlo_pass_next_op (op, module->op))
    if (calls (op, TARGET) || calls (op, TARGET_OF_ADDRESSES))
      return TRUE;

  return FALSE;
}

static gboolean
report (const GhloIrOp       *op,
        GhloPjrtPropagation  *propagation,
        GError              **error)
{
  const GhloIrValue *value = ghlo_ir_op_operand (op, 0);
  g_autoptr (GhloTensorType) type = NULL;
  g_autoptr (GhloPjrtSharding) sharding = NULL;
  g_autoptr (GBytes) whole = g_bytes_new_static ("", 0);
  g_autofree char *problem = NULL;
  gint64 index = -1;

  if (calls (op, TARGET_OF_ADDRESSES))
    return ghlo_unsupported (error, "the program calls '" TARGET_OF_ADDRESSES "' with the address of a function, which "
                             "is unsafe: use the package jax-ghlo, which passes the index of the function instead");
  if (op->n_results > 0)
    return ghlo_invalid (error, "expected custom call '" TARGET "' to have no results");
  if (!ghlo_ir_custom_call_read_integer (op, "index", &index, &problem))
    return ghlo_invalid (error, "%s", problem);
  if (ghlo_ir_type_is_numbers (value->type))
    type = ghlo_ir_type_to_tensor_type (value->type);
  if (type != NULL)
    sharding = ghlo_pjrt_propagation_get_value (propagation, value, type);

  return ghlo_pjrt_callbacks_tell (index, sharding != NULL ? sharding->bytes : whole, error);
}

gboolean
ghlo_pjrt_inspect_shardings (GhloIrModule         *module,
                             GhloPjrtPropagation  *propagation,
                             GError              **error)
{
  const GhloIrOp *entry = ghlo_ir_module_get_entry (module);
  GhloIrOp *next;

  for (GhloIrOp *op = ghlo_pass_next_op (entry, entry); op != NULL; op = next)
    {
      next = ghlo_pass_next_op (op, entry);
      if (!calls (op, TARGET) && !calls (op, TARGET_OF_ADDRESSES))
        continue;
      if (!report (op, propagation, error))
        return FALSE;
      ghlo_pass_erase (op);
    }

  return TRUE;
}
