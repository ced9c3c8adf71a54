/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the pass "reshape". Its rules know one direction: what only changes
 * the way elements are laid out moves towards the results, and merges with what it
 * meets; a broadcast or an iota takes in whatever stands on either side.
 */

#pragma once

#include "passes/rewrite.h"

G_BEGIN_DECLS

enum { GHLO_RESHAPE_MAX_OPERANDS = 4 };

/* An elementwise operation of a few operands of the result's shape, or of rank 0 where it takes such. */
gboolean ghlo_reshape_is_simple (const GhloIrOp *op);
/* Moves reshapes, transposes and broadcasts of all operands of an elementwise
 * operation behind it. */
gboolean ghlo_reshape_sink      (GhloRewriter   *self,
                                 GhloIrOp       *op);
/* Takes the transpose away from a reduction's operand, and transposes the result. */
gboolean ghlo_reshape_reduce    (GhloRewriter   *self,
                                 GhloIrOp       *op);

G_END_DECLS
