/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Moves operations into a function of their own: a single operation
 * that is to run alone, or a group that is to become one step.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* Collects the values that the operations use but do not define: operands first,
 * then values that their regions capture, each in the order of first use. @ops are
 * in the order of one block. @inputs (of GhloIrValue, borrowed) must be empty. */
void          ghlo_ir_outline_inputs     (const GhloIrOp *const *ops,
                                          gsize                  n_ops,
                                          GPtrArray             *inputs);
/* Returns an empty module for functions outlined from @source. Errors in it refer to positions in @source. */
GhloIrModule *ghlo_ir_outline_module_new (const GhloIrModule    *source);
/* Adds a private function to @module that computes the same as the operations, which stay as they are. @module is
 * their own module, or one made by ghlo_ir_outline_module_new (); symbols that the operations refer to are copied to
 * the latter unless they are there already. The function takes the @inputs above and returns @results (of
 * GhloIrValue, borrowed). The caller may choose @results; if the array is empty or NULL, the results are the values
 * that have no use or a use outside the group (for a single operation, all of its results). The function's name is
 * @name followed by a number. */
GhloIrOp     *ghlo_ir_outline            (GhloIrModule          *module,
                                          const GhloIrOp *const *ops,
                                          gsize                  n_ops,
                                          const char            *name,
                                          GPtrArray             *inputs,
                                          GPtrArray             *results);

G_END_DECLS
