/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the pass "fold": computing what depends on constants alone.
 */

#pragma once

#include "passes/context.h"

G_BEGIN_DECLS

typedef struct
{
  GhloIrModule    *module;
  GhloPassContext *context;
} GhloFolding;

/* The value of a result of @op that only moves elements, out of its constant operands
 * and without computing; NULL where that cannot be said. */
const GhloIrAttr *ghlo_fold_moved      (GhloFolding             *self,
                                        const GhloIrOp          *op);
/* What @op gives for @operands, one DENSE attribute each; FALSE where it is not to be
 * computed ahead of time, or cannot be. @error is set only when cancelled. */
gboolean          ghlo_fold_evaluate   (GhloFolding             *self,
                                        const GhloIrOp          *op,
                                        const GhloIrAttr *const *operands,
                                        GPtrArray               *results,
                                        GError                 **error);
/* Branches that are known, loops that do not begin. TRUE when @op is gone. */
gboolean          ghlo_fold_control    (GhloFolding             *self,
                                        GhloIrOp                *op,
                                        GError                 **error);

G_END_DECLS
