/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rules of the pass "fold-transposes": what stands around a product or a
 * convolution and only says which dimension is which goes into its dimension numbers.
 * The sums are made of the same terms in the same order.
 */

#pragma once

#include "passes/canonicalize.h"

G_BEGIN_DECLS

extern const GhloRuleGroup ghlo_fold_dot;
extern const GhloRuleGroup ghlo_fold_convolution;

/* The permutation that @value is of its operand, and that operand: a transpose, or a
 * reshape that moves ones alone and keeps the rank. FALSE when it is neither. */
gboolean ghlo_find_permuted (const GhloIrValue  *value,
                             gint64             *permutation,
                             GhloIrValue       **operand);

G_END_DECLS
