/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rules of the pass "fold-transposes": an operation around a product or a convolution that only reorders dimensions
 * is folded into the dimension numbers. The sums keep the same terms in the same order.
 */

#pragma once

#include "passes/canonicalize.h"

G_BEGIN_DECLS

extern const GhloRuleGroup ghlo_fold_dot;
extern const GhloRuleGroup ghlo_fold_convolution;

/* If @value is a permutation of another value, gets the permutation and that value: @value is defined by a transpose,
 * or by a reshape that only moves ones and keeps the rank. FALSE otherwise. */
gboolean ghlo_find_permuted (const GhloIrValue  *value,
                             gint64             *permutation,
                             GhloIrValue       **operand);

G_END_DECLS
