/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fusions: groups of operations that one step does. A group is a stablehlo.composite named
 * "ghlo.fusion.KIND"; its decomposition is a private function of the group's operations, and
 * equal groups share one. So whatever reads, writes, verifies or runs programs knows fusions.
 *
 * Programs from elsewhere may hold composites of such names too, decomposed into anything: a
 * name promises nothing.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

#define GHLO_IR_FUSION "ghlo.fusion."

/* Of a fusion, the block that says what it does: its arguments are the operands, and the first
 * operands of its terminator are the results. NULL for any other operation. */
const GhloIrBlock *ghlo_ir_fusion_get_body (const GhloIrOp *op);

G_END_DECLS
