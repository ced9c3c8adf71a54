/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One operation as a program of its own.
 */

#pragma once

#include "ir/module.h"

G_BEGIN_DECLS

/* A new module whose first function does what @op of @source does; @op is left as it is. The
 * function takes the values that @op uses from outside of itself, each once, which are
 * appended to @inputs (of GhloIrValue, borrowed), and gives @op's results. Functions
 * that @op refers to come along. */
GhloIrModule *ghlo_ir_outline (const GhloIrModule *source,
                               const GhloIrOp     *op,
                               GPtrArray          *inputs);

G_END_DECLS
