/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attention and its gradients, as expansions write them: of queries [batch, heads, T, size], and keys and values
 * [batch, groups, S, size], where each group serves the same number of heads.
 */

#pragma once

#include "passes/expand/nn.h"

G_BEGIN_DECLS

typedef struct
{
  GhloIrValue *queries, *keys, *values;
  GhloIrValue *mask;                        /* nullable; broadcast to [batch, heads, T, S]: which keys a query has, or
                                               numbers that are added to the scores */
  gboolean     causal;                      /* position t has the keys up to t; T and S are equal */
  double       scale;                       /* of the scores */
} GhloExpandAttention;

/* Whether shapes and element types fit; else *@problem says what is expected. A mask of floats is converted. */
gboolean     ghlo_expand_attention_check     (GhloExpandAttention       *self,
                                              GhloRewriter              *rewriter,
                                              char                     **problem);
/* The sums of values, in f32 or f64. */
GhloIrValue *ghlo_expand_attention           (const GhloExpandAttention *self,
                                              GhloRewriter              *rewriter);
/* Given the gradient of that, sets @gradients to those of queries, keys and values. */
void         ghlo_expand_attention_gradients (const GhloExpandAttention *self,
                                              GhloRewriter              *rewriter,
                                              GhloIrValue               *gradient,
                                              GhloIrValue               *gradients[3]);

G_END_DECLS
