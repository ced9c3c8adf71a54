/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Expansions: operations and custom calls written in terms of operations that devices have fast steps for and that
 * fuse. Private to the pass "expand".
 */

#pragma once

#include "passes/rewrite.h"

G_BEGIN_DECLS

/* Makes operations before @op, and sets @results to the values that replace its results. FALSE where the expansion does
 * not apply; what it has made by then is unused, and *@problem may be set to a sentence that the caller frees. */
typedef gboolean (*GhloExpandFunc) (GhloRewriter    *self,
                                    const GhloIrOp  *op,
                                    GhloIrValue    **results,
                                    char           **problem);

#define EXPAND(word) \
  gboolean ghlo_expand_##word (GhloRewriter *self, const GhloIrOp *op, GhloIrValue **results, char **problem)
EXPAND (batch_norm_inference);
EXPAND (batch_norm_training);
EXPAND (batch_norm_grad);
EXPAND (collective);
EXPAND (einsum);
EXPAND (identity);
EXPAND (index_select);
EXPAND (fused_attention);
EXPAND (fused_batch_norm);
EXPAND (fused_convolution);
EXPAND (fused_depth_attention);
EXPAND (fused_elementwise);
EXPAND (fused_ffn);
EXPAND (fused_gelu);
EXPAND (fused_layer_norm);
EXPAND (fused_matmul);
EXPAND (fused_residual_chain);
EXPAND (fused_rms_norm);
EXPAND (fused_rope);
EXPAND (fused_transformer_block);
EXPAND (mhlo_elementwise);
EXPAND (mps_addmm);
EXPAND (mps_dequantize);
EXPAND (mps_gelu);
EXPAND (mps_gelu_bwd);
EXPAND (mps_layer_norm);
EXPAND (mps_layer_norm_bwd);
EXPAND (mps_quantized_matmul);
EXPAND (mps_rms_norm);
EXPAND (mps_rms_norm_bwd);
EXPAND (mps_rope);
EXPAND (mps_rope_bwd);
EXPAND (mps_sdpa);
EXPAND (mps_sdpa_bwd);
EXPAND (mps_sdpa_causal);
EXPAND (mps_sdpa_causal_bwd);
EXPAND (mps_softmax);
EXPAND (top_k);
EXPAND (unary_einsum);
#undef EXPAND

G_END_DECLS
