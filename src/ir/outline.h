/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Outlines operations into a function: one that is run alone, or a group that becomes one
 * step.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* The values that the operations, which are in the order of one block, use and do not define:
 * operands first, then what regions capture, both in the order of first use. @inputs (of GhloIrValue,
 * borrowed) is empty before. */
void          ghlo_ir_outline_inputs     (const GhloIrOp *const *ops,
                                          gsize                  n_ops,
                                          GPtrArray             *inputs);
/* An empty module for functions outlined from @source, where errors name @source's places. */
GhloIrModule *ghlo_ir_outline_module_new (const GhloIrModule    *source);
/* Adds to @module a private function that does what the operations do, and leaves them as they are.
 * @module is their own, or one made by ghlo_ir_outline_module_new (); to the latter what they refer
 * to is copied, unless it is there. The function takes the @inputs above and gives @results (of
 * GhloIrValue, borrowed), which the caller may have chosen. Where there are none yet, or it is NULL, these are those
 * that have no use, or one outside of the group; of a single operation all. The function's name is @name and a
 * number. */
GhloIrOp     *ghlo_ir_outline            (GhloIrModule          *module,
                                          const GhloIrOp *const *ops,
                                          gsize                  n_ops,
                                          const char            *name,
                                          GPtrArray             *inputs,
                                          GPtrArray             *results);

G_END_DECLS
