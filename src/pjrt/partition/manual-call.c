/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Replaces computations that partitions do by themselves with custom calls.
 */

#include "pjrt/partition/manual-call.h"

#include "base/fail.h"
#include "ir/custom-call.h"
#include "passes/walk.h"

GhloPjrtManual *
ghlo_pjrt_manual_new (const GhloIrOp *op)
{
  GhloPjrtManual *self = g_new0 (GhloPjrtManual, 1);

  self->n_arguments = op->n_operands;
  self->arguments = g_new0 (GhloPjrtSharding *, op->n_operands);
  self->n_results = op->n_results;
  self->results = g_new0 (GhloPjrtSharding *, op->n_results);
  self->sources = g_new0 (GhloPjrtManualResult, op->n_results);

  return self;
}

/* Whether the future that @start returns is only used by its async_done and by scheduling hints. */
static gboolean
is_awaited (const GhloIrOp *start)
{
  for (const GhloIrUse *use = start->results[0].uses; use != NULL; use = use->next)
    if (use->op->kind != GHLO_OP_STABLEHLO_ASYNC_DONE && !ghlo_ir_custom_call_is_hint (use->op))
      return FALSE;

  return TRUE;
}

/* Replaces @start by its body, which then runs synchronously. Partitions have a thread each, and start such
 * operations in the same order. */
static void
make_synchronous (GhloIrOp *start)
{
  g_autofree GhloIrValue **operands = g_new (GhloIrValue *, start->n_operands + 1);
  GhloIrValue *future = &start->results[0], *result;
  const GhloIrUse *next;

  for (guint i = 0; i < start->n_operands; i++)
    operands[i] = ghlo_ir_op_operand (start, i);
  result = ghlo_ir_op_operand (ghlo_pass_splice (ghlo_ir_op_region_block (start, 0), start, operands), 0);
  for (const GhloIrUse *use = future->uses; use != NULL; use = next)
    {
      GhloIrOp *done = use->op;

      next = use->next;
      if (done->kind != GHLO_OP_STABLEHLO_ASYNC_DONE)
        continue;
      ghlo_ir_value_replace (&done->results[0], result);
      ghlo_pass_erase (done);
    }
  ghlo_ir_value_replace (future, result);
  ghlo_pass_erase (start);
}

/* Prepares everything in @module for a partition that runs by itself. Returns FALSE with @error set when that is not
 * possible. */
static gboolean
prepare_body (GhloIrModule  *module,
              GError       **error)
{
  g_autoptr (GPtrArray) starts = g_ptr_array_new ();

  for (GhloIrOp *op = module->op; op != NULL; op = ghlo_pass_next_op (op, module->op))
    {
      if (op->kind == GHLO_OP_SDY_MANUAL_COMPUTATION)
        return ghlo_unsupported (error, "manual computations are not supported in functions that the program calls");
      if (op->kind != GHLO_OP_STABLEHLO_ASYNC_START)
        continue;
      if (!is_awaited (op))
        return ghlo_unsupported (error, "expected the result of 'stablehlo.async_start' in a manual computation to be "
                                 "used by 'stablehlo.async_done' only");
      g_ptr_array_add (starts, op);
    }
  for (guint i = 0; i < starts->len; i++)
    make_synchronous (starts->pdata[i]);

  return TRUE;
}

gboolean
ghlo_pjrt_manual_compile (GhloPjrtManual            *self,
                          const GhloCompileRequest  *request,
                          GhloIrModule              *module,
                          GError                   **error)
{
  GhloCompileRequest body = *request;

  if (!prepare_body (module, error))
    return FALSE;
  body.module = module;
  self->body = ghlo_executable_core_new (&body, NULL, error);

  return self->body != NULL;
}

static GhloIrOp *
new_call (GhloIrModule *module,
          GhloIrOp     *op,
          const char   *target)
{
  g_autofree GhloIrValue **operands = g_new (GhloIrValue *, op->n_operands);
  g_autofree const GhloIrType **types = g_new (const GhloIrType *, op->n_results);
  /* Partitions may have side effects besides their results, and have to meet in a fixed order. */
  const GhloIrNamedAttr attributes[] = {
    { "call_target_name", ghlo_ir_attr_string (module, target, -1) },
    { "has_side_effect", ghlo_ir_attr_bool (module, TRUE) },
  };

  for (guint i = 0; i < op->n_operands; i++)
    operands[i] = ghlo_ir_op_operand (op, i);
  for (guint i = 0; i < op->n_results; i++)
    types[i] = op->results[i].type;

  return ghlo_ir_op_new (module, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_CUSTOM_CALL, .operands = operands, .n_operands = op->n_operands,
    .result_types = types, .n_results = op->n_results, .attributes = attributes,
    .n_attributes = G_N_ELEMENTS (attributes), .location = op->location, .line = op->line, .column = op->column,
  });
}

void
ghlo_pjrt_manual_replace_op (GhloPjrtManual     *self,
                             GhloCompileRequest *request,
                             GhloIrOp           *op,
                             const char         *name)
{
  g_autoptr (GhloCustomTarget) target = ghlo_custom_target_new (name, ghlo_pjrt_manual_run, self,
                                                                (GDestroyNotify) ghlo_pjrt_manual_free);
  GhloIrOp *call = new_call (request->module, op, name);
  GhloCustomTargets *targets = ghlo_custom_targets_with (request->custom_targets, target);

  ghlo_ir_op_insert_before (call, op);
  for (guint i = 0; i < op->n_results; i++)
    ghlo_ir_value_replace (&op->results[i], &call->results[i]);
  ghlo_pass_erase (op);
  g_clear_pointer (&request->custom_targets, ghlo_custom_targets_unref);
  request->custom_targets = targets;
}
