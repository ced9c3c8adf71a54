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

/* Removes from @block, the last operations first, what nothing uses. */
void ghlo_dead_sweep     (GhloDeadCode *self,
                          GhloIrBlock  *block);
/* Leaves out what a loop carries, or a branch gives, for nobody. @op may be replaced:
 * gives the operation that stands for it. */
GhloIrOp *ghlo_dead_trim (GhloDeadCode *self,
                          GhloIrOp     *op);
/* Removes private functions that nothing names. */
void ghlo_dead_functions (GhloDeadCode *self);

G_END_DECLS
