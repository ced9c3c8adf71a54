/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "expand": replaces operations and custom calls that devices have no steps for by operations that have some
 * and that fuse, so that a program costs the same however its exporter wrote it. A table for each of the two names what
 * is expanded. An expansion makes nothing that has an expansion, and may compute its results in a wider element type.
 *
 * Calls of other libraries, which no executor has, are expanded at every level.
 */

#include "passes/expand/expand.h"

#include <string.h>

#include "passes/expand/build.h"
#include "passes/expand/check.h"
#include "passes/walk.h"

static const struct
{
  GhloIrOpKind   kind;
  GhloExpandFunc func;
} kinds[] = {
  { GHLO_OP_STABLEHLO_ALL_GATHER, ghlo_expand_collective },
  { GHLO_OP_STABLEHLO_ALL_REDUCE, ghlo_expand_collective },
  { GHLO_OP_STABLEHLO_ALL_TO_ALL, ghlo_expand_collective },
  { GHLO_OP_STABLEHLO_BATCH_NORM_GRAD, ghlo_expand_batch_norm_grad },
  { GHLO_OP_STABLEHLO_BATCH_NORM_INFERENCE, ghlo_expand_batch_norm_inference },
  { GHLO_OP_STABLEHLO_BATCH_NORM_TRAINING, ghlo_expand_batch_norm_training },
  { GHLO_OP_STABLEHLO_COLLECTIVE_BROADCAST, ghlo_expand_collective },
  { GHLO_OP_STABLEHLO_CROSS_REPLICA_SUM, ghlo_expand_collective },
  { GHLO_OP_STABLEHLO_EINSUM, ghlo_expand_einsum },
  { GHLO_OP_STABLEHLO_REDUCE_SCATTER, ghlo_expand_collective },
  { GHLO_OP_STABLEHLO_TORCH_INDEX_SELECT, ghlo_expand_index_select },
  { GHLO_OP_STABLEHLO_UNARY_EINSUM, ghlo_expand_unary_einsum },
};

static const struct
{
  const char     *target;
  GhloExpandFunc  func;
  gboolean        is_required;    /* no executor has the call itself */
} targets[] = {
  { "LayoutConstraint", ghlo_expand_identity, FALSE },
  { "MoveToDevice", ghlo_expand_identity, FALSE },
  { "MoveToHost", ghlo_expand_identity, FALSE },
  { "SPMDFullToShardShape", ghlo_expand_identity, FALSE },
  { "SPMDShardToFullShape", ghlo_expand_identity, FALSE },
  { "Sharding", ghlo_expand_identity, FALSE },
  { "TopK", ghlo_expand_top_k, FALSE },
  { "annotate_device_placement", ghlo_expand_identity, FALSE },
  { "fused_batch_norm", ghlo_expand_fused_batch_norm, TRUE },
  { "fused_conv_bias_act", ghlo_expand_fused_convolution, TRUE },
  { "fused_depth_attention", ghlo_expand_fused_depth_attention, TRUE },
  { "fused_elementwise", ghlo_expand_fused_elementwise, TRUE },
  { "fused_ffn", ghlo_expand_fused_ffn, TRUE },
  { "fused_gelu", ghlo_expand_fused_gelu, TRUE },
  { "fused_layer_norm", ghlo_expand_fused_layer_norm, TRUE },
  { "fused_matmul_bias_activation", ghlo_expand_fused_matmul, TRUE },
  { "fused_residual_chain", ghlo_expand_fused_residual_chain, TRUE },
  { "fused_rms_norm", ghlo_expand_fused_rms_norm, TRUE },
  { "fused_rope", ghlo_expand_fused_rope, TRUE },
  { "fused_scaled_dot_product_attention", ghlo_expand_fused_attention, TRUE },
  { "fused_softmax", ghlo_expand_mps_softmax, TRUE },
  { "fused_transformer_block", ghlo_expand_fused_transformer_block, TRUE },
  { "mhlo.acos", ghlo_expand_mhlo_elementwise, FALSE },
  { "mhlo.acosh", ghlo_expand_mhlo_elementwise, FALSE },
  { "mhlo.asin", ghlo_expand_mhlo_elementwise, FALSE },
  { "mhlo.asinh", ghlo_expand_mhlo_elementwise, FALSE },
  { "mhlo.atan", ghlo_expand_mhlo_elementwise, FALSE },
  { "mhlo.atanh", ghlo_expand_mhlo_elementwise, FALSE },
  { "mhlo.cosh", ghlo_expand_mhlo_elementwise, FALSE },
  { "mhlo.erf", ghlo_expand_mhlo_elementwise, FALSE },
  { "mhlo.erf_inv", ghlo_expand_mhlo_elementwise, FALSE },
  { "mhlo.sinh", ghlo_expand_mhlo_elementwise, FALSE },
  { "mhlo.tan", ghlo_expand_mhlo_elementwise, FALSE },
  { "mhlo.topk", ghlo_expand_top_k, FALSE },
  { "mps.addmm", ghlo_expand_mps_addmm, TRUE },
  { "mps.dequantize", ghlo_expand_mps_dequantize, TRUE },
  { "mps.gelu", ghlo_expand_mps_gelu, TRUE },
  { "mps.gelu_bwd", ghlo_expand_mps_gelu_bwd, TRUE },
  { "mps.layer_norm", ghlo_expand_mps_layer_norm, TRUE },
  { "mps.layer_norm_bwd", ghlo_expand_mps_layer_norm_bwd, TRUE },
  { "mps.quantized_matmul", ghlo_expand_mps_quantized_matmul, TRUE },
  { "mps.rms_norm", ghlo_expand_mps_rms_norm, TRUE },
  { "mps.rms_norm_bwd", ghlo_expand_mps_rms_norm_bwd, TRUE },
  { "mps.rope", ghlo_expand_mps_rope, TRUE },
  { "mps.rope_bwd", ghlo_expand_mps_rope_bwd, TRUE },
  { "mps.sdpa", ghlo_expand_mps_sdpa, TRUE },
  { "mps.sdpa_bwd", ghlo_expand_mps_sdpa_bwd, TRUE },
  { "mps.sdpa_causal", ghlo_expand_mps_sdpa_causal, TRUE },
  { "mps.sdpa_causal_bwd", ghlo_expand_mps_sdpa_causal_bwd, TRUE },
  { "mps.softmax", ghlo_expand_mps_softmax, TRUE },
  { "stablehlo.shape_refinement_operand_wrapper", ghlo_expand_identity, FALSE },
  { "xla.sdy.FuncResultSharding", ghlo_expand_identity, FALSE },
  { "xla.sdy.GlobalToLocalShape", ghlo_expand_identity, FALSE },
  { "xla.sdy.LocalToGlobalShape", ghlo_expand_identity, FALSE },
};

typedef struct
{
  GhloRewriter rewriter;
  gboolean     only_required;
} Expander;

static gboolean
is_registered (const GhloPassOptions *options,
               const char            *target)
{
  return options->is_registered != NULL && options->is_registered (options->registered_data, target);
}

/* The row of a call's target. -1 where there is none, and for targets that the application answers. */
static int
find_target (const GhloIrOp        *op,
             const GhloPassOptions *options)
{
  const char *target = op->kind == GHLO_OP_STABLEHLO_CUSTOM_CALL ? ghlo_ir_op_get_string (op, "call_target_name")
                                                                 : NULL;

  for (guint i = 0; target != NULL && i < G_N_ELEMENTS (targets); i++)
    if (strcmp (targets[i].target, target) == 0)
      return is_registered (options, target) ? -1 : (int) i;

  return -1;
}

static GhloExpandFunc
find_expansion (const Expander *self,
                const GhloIrOp *op,
                gboolean       *is_required)
{
  int row = find_target (op, self->rewriter.context->options);

  *is_required = row >= 0 && targets[row].is_required;
  if (self->only_required)
    return *is_required ? targets[row].func : NULL;
  if (row >= 0)
    return targets[row].func;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].kind == op->kind)
      return kinds[i].func;

  return NULL;
}

/* Brings the results to the types that the program states. */
static gboolean
fit_results (GhloRewriter    *self,
             const GhloIrOp  *op,
             GhloIrValue    **results,
             char           **problem)
{
  for (guint i = 0; i < op->n_results; i++)
    {
      g_autofree char *expected = NULL, *found = NULL;

      results[i] = ghlo_expand_result (self, op, i, results[i]);
      if (results[i]->type == op->results[i].type)
        continue;
      expected = ghlo_ir_type_to_string (results[i]->type);
      found = ghlo_ir_type_to_string (op->results[i].type);
      return ghlo_expand_refuse (problem, "expected %s as result %u, found %s", expected, i, found);
    }

  return TRUE;
}

static gboolean
fail (const GhloIrModule  *module,
      const GhloIrOp      *op,
      const char          *problem,
      GError             **error)
{
  g_autoptr (GString) place = g_string_new (NULL);

  if (ghlo_ir_op_append_place (op, module, place))
    g_string_append (place, ": ");

  return ghlo_unsupported (error, "%s'%s @%s': %s", place->str, ghlo_ir_op_get_name (op),
                           ghlo_ir_op_get_string (op, "call_target_name"), problem);
}

static gboolean
expand (Expander  *self,
        GhloIrOp  *op,
        GError   **error)
{
  g_autofree GhloIrValue **results = g_new0 (GhloIrValue *, op->n_results + 1);
  g_autofree char *problem = NULL;
  gboolean is_required;
  GhloExpandFunc func = find_expansion (self, op, &is_required);

  self->rewriter.op = op;
  if (!func (&self->rewriter, op, results, &problem) || !fit_results (&self->rewriter, op, results, &problem))
    return !is_required || fail (self->rewriter.module, op, problem, error);
  for (guint i = 0; i < op->n_results; i++)
    ghlo_ir_value_replace (&op->results[i], results[i]);
  ghlo_pass_erase (op);
  self->rewriter.context->n_changes++;

  return TRUE;
}

/* The region of an asynchronous operation is one operation. */
static gboolean
is_asynchronous (const GhloIrOp *op)
{
  const GhloIrOp *parent = ghlo_ir_op_get_parent (op);

  return parent != NULL && parent->kind == GHLO_OP_STABLEHLO_ASYNC_START;
}

/* In program order: an operation precedes those inside it. */
static void
find_all (const Expander *self,
          GPtrArray      *found)
{
  g_autoptr (GPtrArray) functions = ghlo_pass_functions (self->rewriter.module);
  gboolean is_required;

  for (guint i = 0; i < functions->len; i++)
    {
      GhloIrOp *func = g_ptr_array_index (functions, i);

      for (GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = ghlo_pass_next_op (op, func))
        if (find_expansion (self, op, &is_required) != NULL && !is_asynchronous (op))
          g_ptr_array_add (found, op);
    }
}

static gboolean
expand_all (GhloIrModule     *module,
            GhloPassContext  *context,
            gboolean          only_required,
            GError          **error)
{
  Expander self = { .rewriter = { .module = module, .context = context }, .only_required = only_required };
  g_autoptr (GPtrArray) found = g_ptr_array_new ();

  find_all (&self, found);
  for (guint i = found->len; i > 0; i--)
    if (ghlo_monitor_cancelled (context->monitor, error) || !expand (&self, g_ptr_array_index (found, i - 1), error))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_pass_expand (GhloIrModule     *module,
                  GhloPassContext  *context,
                  GError          **error)
{
  return expand_all (module, context, FALSE, error);
}

gboolean
ghlo_pass_expand_required (GhloIrModule     *module,
                           GhloPassContext  *context,
                           GError          **error)
{
  return expand_all (module, context, TRUE, error);
}

gboolean
ghlo_passes_required (GhloIrModule          *module,
                      const GhloPassOptions *options)
{
  GhloPassContext context = { .options = options };
  const Expander self = { .rewriter = { .module = module, .context = &context }, .only_required = TRUE };
  g_autoptr (GPtrArray) found = g_ptr_array_new ();

  find_all (&self, found);

  return found->len > 0;
}
