/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "expand": replaces operations and custom calls that devices have no steps for by operations that have some
 * and that fuse, so that a program costs the same however its exporter wrote it. A table for each of the two names what
 * is expanded. An expansion makes nothing that has an expansion, and may compute its results in a wider element type.
 */

#include "passes/expand/expand.h"

#include "passes/expand/build.h"

#include "passes/walk.h"

static const struct
{
  GhloIrOpKind   kind;
  GhloExpandFunc func;
} kinds[] = {
  { GHLO_OP_STABLEHLO_BATCH_NORM_GRAD, ghlo_expand_batch_norm_grad },
  { GHLO_OP_STABLEHLO_BATCH_NORM_INFERENCE, ghlo_expand_batch_norm_inference },
  { GHLO_OP_STABLEHLO_BATCH_NORM_TRAINING, ghlo_expand_batch_norm_training },
};

static const struct
{
  const char    *target;
  GhloExpandFunc func;
} targets[] = {
  { "TopK", ghlo_expand_top_k },
  { "mhlo.acos", ghlo_expand_mhlo_elementwise },
  { "mhlo.acosh", ghlo_expand_mhlo_elementwise },
  { "mhlo.asin", ghlo_expand_mhlo_elementwise },
  { "mhlo.asinh", ghlo_expand_mhlo_elementwise },
  { "mhlo.atan", ghlo_expand_mhlo_elementwise },
  { "mhlo.atanh", ghlo_expand_mhlo_elementwise },
  { "mhlo.cosh", ghlo_expand_mhlo_elementwise },
  { "mhlo.erf", ghlo_expand_mhlo_elementwise },
  { "mhlo.erf_inv", ghlo_expand_mhlo_elementwise },
  { "mhlo.sinh", ghlo_expand_mhlo_elementwise },
  { "mhlo.tan", ghlo_expand_mhlo_elementwise },
  { "mhlo.topk", ghlo_expand_top_k },
};

static GhloExpandFunc
find_expansion (const GhloIrOp *op)
{
  const char *target;

  if (op->kind != GHLO_OP_STABLEHLO_CUSTOM_CALL)
    {
      for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
        if (kinds[i].kind == op->kind)
          return kinds[i].func;
      return NULL;
    }
  target = ghlo_ir_op_get_string (op, "call_target_name");
  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    if (g_strcmp0 (targets[i].target, target) == 0)
      return targets[i].func;

  return NULL;
}

static void
expand (GhloRewriter *self,
        GhloIrOp     *op)
{
  g_autofree GhloIrValue **results = g_new0 (GhloIrValue *, op->n_results + 1);
  g_autofree char *problem = NULL;

  self->op = op;
  if (!find_expansion (op) (self, op, results, &problem))
    return;
  for (guint i = 0; i < op->n_results; i++)
    results[i] = ghlo_expand_result (self, op, i, results[i]);
  for (guint i = 0; i < op->n_results; i++)
    ghlo_ir_value_replace (&op->results[i], results[i]);
  ghlo_pass_erase (op);
  self->context->n_changes++;
}

gboolean
ghlo_pass_expand (GhloIrModule     *module,
                  GhloPassContext  *context,
                  GError          **error)
{
  g_autoptr (GPtrArray) functions = ghlo_pass_functions (module);
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  GhloRewriter self = { .module = module, .context = context };

  for (guint i = 0; i < functions->len; i++)
    {
      GhloIrOp *func = g_ptr_array_index (functions, i);

      for (GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = ghlo_pass_next_op (op, func))
        if (find_expansion (op) != NULL)
          g_ptr_array_add (found, op);
    }
  for (guint i = 0; i < found->len; i++)
    {
      if (ghlo_monitor_cancelled (context->monitor, error))
        return FALSE;
      expand (&self, g_ptr_array_index (found, i));
    }

  return TRUE;
}
