/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the pass "dce".
 */

#pragma once

#include "passes/context.h"

G_BEGIN_DECLS

typedef struct
{
  GhloIrModule    *module;
  GhloPassContext *context;
  GHashTable      *pure;         /* functions without effects */
} GhloDeadCode;

/* Removes the operations of @block that nothing uses, from the last to the first. */
void ghlo_dead_sweep     (GhloDeadCode *self,
                          GhloIrBlock  *block);
/* Removes carried values of a loop, or results of a branch, that nothing uses. This may replace @op; returns the
 * operation that stands in its place. */
GhloIrOp *ghlo_dead_trim (GhloDeadCode *self,
                          GhloIrOp     *op);
/* Removes private functions that nothing refers to. */
void ghlo_dead_functions (GhloDeadCode *self);

G_END_DECLS
