/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What follows a product or a convolution: elementwise operations, one after the
 * other, each the only use of what came before it. So a plan may do them where the
 * product is made. The pass "epilogues" marks operations that have some.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

#define GHLO_IR_EPILOGUE "ghlo.epilogue"   /* the mark: a unit attribute */

enum { GHLO_IR_MAX_FOLLOWERS = 16 };

typedef struct
{
  const GhloIrOp *op;
  guint           position;   /* of what came before, among its operands */
} GhloIrFollower;

/* Fills in as many as there is room for, in their order. Each has one result, of the result's element
 * type and number of elements, stands in @op's block and has at most three operands; reshapes are
 * among them, but not at the end. None of the other operands depends on @op. 0 when @op is neither
 * a product nor a convolution. */
guint ghlo_ir_find_followers (const GhloIrOp *op,
                              GhloIrFollower  followers[GHLO_IR_MAX_FOLLOWERS]);

G_END_DECLS
