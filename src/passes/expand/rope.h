/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rotary position embedding: pairs of elements of the last dimension are rotated by an angle each.
 */

#pragma once

#include "passes/expand/nn.h"

G_BEGIN_DECLS

/* Rotates the first 2·n elements, where @cosines and @sines, which are broadcast, have a last dimension of n. The
 * pairs are neighbours if @neighbours, and otherwise n elements apart. */
GhloIrValue *ghlo_expand_rotate (GhloRewriter *self,
                                 GhloIrValue  *x,
                                 GhloIrValue  *cosines,
                                 GhloIrValue  *sines,
                                 gboolean      neighbours);

G_END_DECLS
