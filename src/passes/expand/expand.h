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
EXPAND (mhlo_elementwise);
EXPAND (top_k);
#undef EXPAND

G_END_DECLS
