/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Changes of a test program's @main, which keep its function type correct.
 */

#pragma once

#include "ir/module.h"

GhloIrBlock *random_main_block       (const GhloIrModule *module);
/* Derives the type of @main from its arguments and results, and removes the attributes of both. */
void         random_main_update      (GhloIrModule       *module);
/* Makes @main return @values, of GhloIrValue, and nothing else. */
void         random_main_return      (GhloIrModule       *module,
                                      GPtrArray          *values);
/* Removes unused operations except @kept, and unused arguments together with their values in @rounds, arrays of a
 * value for each argument. Both may be NULL. */
void         random_main_drop_unused (GhloIrModule       *module,
                                      const GhloIrOp     *kept,
                                      GPtrArray          *rounds);
