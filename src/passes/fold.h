/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the pass "fold", which computes at compile time what depends on constants alone.
 */

#pragma once

#include "passes/context.h"

G_BEGIN_DECLS

typedef struct
{
  GhloIrModule    *module;
  GhloPassContext *context;
} GhloFolding;

/* The result of an @op that only moves elements, taken from its constant operands without computing; NULL where this is
 * not possible. */
const GhloIrAttr *ghlo_fold_moved      (GhloFolding             *self,
                                        const GhloIrOp          *op);
/* Evaluates @op on @operands, one DENSE attribute each. FALSE where @op should not or cannot be computed ahead of time;
 * @error is set only when cancelled. */
gboolean          ghlo_fold_evaluate   (GhloFolding             *self,
                                        const GhloIrOp          *op,
                                        const GhloIrAttr *const *operands,
                                        GPtrArray               *results,
                                        GError                 **error);
/* Resolves branches whose selector is known and loops that never begin. TRUE when @op was removed. */
gboolean          ghlo_fold_control    (GhloFolding             *self,
                                        GhloIrOp                *op,
                                        GError                 **error);

G_END_DECLS
