/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the pass "reshape". Its rules work in one direction: operations that only change the layout of elements
 * move towards the results and merge with others on the way; a broadcast or an iota absorbs the layout changes on
 * either side of it.
 */

#pragma once

#include "passes/rewrite.h"

G_BEGIN_DECLS

enum { GHLO_RESHAPE_MAX_OPERANDS = 4 };

/* Whether @op is elementwise and has few operands, each of the result's shape, or of rank 0 where @op
 * accepts scalars. */
gboolean ghlo_reshape_is_simple (const GhloIrOp *op);
/* Moves the reshapes, transposes and broadcasts of all operands of an elementwise operation behind the operation. */
gboolean ghlo_reshape_sink      (GhloRewriter   *self,
                                 GhloIrOp       *op);
/* Removes the transpose of a reduction's operand and transposes the result instead. */
gboolean ghlo_reshape_reduce    (GhloRewriter   *self,
                                 GhloIrOp       *op);

G_END_DECLS
