/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Changes of a test program's @main, after which its type is right again.
 */

#pragma once

#include "ir/module.h"

GhloIrBlock *random_main_block       (const GhloIrModule *module);
/* The type of @main out of its arguments and results; attributes of both go. */
void         random_main_update      (GhloIrModule       *module);
/* Has @main give @values, of GhloIrValue, and nothing else. */
void         random_main_return      (GhloIrModule       *module,
                                      GPtrArray          *values);
/* Drops operations but @kept and arguments that nothing uses. What @rounds, arrays of a
 * value for each argument, have for an argument goes with it. Both may be NULL. */
void         random_main_drop_unused (GhloIrModule       *module,
                                      const GhloIrOp     *kept,
                                      GPtrArray          *rounds);
