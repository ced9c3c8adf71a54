/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Refuses kernels that are not well formed: numbers that refer to nothing, types that do not
 * fit, temporaries that are read before they are there, accesses beyond their buffer at any point
 * of the axes' extents, stores that two points make at one place. What passes can be run without
 * looking at any of this again. What a kernel has to be is said in kernel/kernel.h; here is what
 * is decided by a rule that is simpler than the truth, and so refuses a few kernels that would do no harm.
 *
 * Tables. Blocks have their parts of the tables of nodes, stores, folds and carries one after the other, and
 * accesses theirs of the table of terms; fields that are not used are 0, or GHLO_KERNEL_NONE, so equal
 * kernels are equal bytes. Extents are at least 1, and all of them multiplied fit 63 bits.
 *
 * Scope. An axis is in scope in its own block, in all within its loop, and everywhere if it is parallel. An
 * access is used where all axes of which it has strides are in scope. EXTENT may be that of any axis.
 *
 * Temporaries. Each is written by one block: by a store of points whose axes it all spans, by a fold, by a product
 * whose rows and columns it spans, or by a carry; what it spans besides are axes of loops around. It can be
 * read in later blocks: in all that are within the same WHEN, WHILE and LOOP, and behind a LOOP whose axis it
 * spans. What a loop carries can be read within the loop, and behind it; what a WHEN carries, behind it.
 *
 * Bounds. The magnitudes of the parts of an access's address, or of a term's position, add up to
 * at most 63 bits, so that no order of adding them overflows. The place is within the buffer for the least and
 * the greatest of each part: an axis' stride at its ends; a term that clamps, or that has a node, at 0 and
 * end - 1; any other guard at those of [0, end) that its position reaches. A guard does not narrow the
 * range of axes in other parts.
 *
 * Stores. Only buffers that say so are written, by accesses that take any two points to different places: sorted by
 * magnitude, each stride is at least what the smaller ones reach together, with the element. That is asked of
 * the axes of the block and the parallel ones, but for those of extent 1; and where there are parallel points, of
 * axes of loops around whose stride is not 0. (Iterations come one after the other: the last one's value stays.)
 * Guards count as the strides that they add. A term that clamps has no strides, or never has to clamp. A
 * term with a node, and a stride other than 0, counts as an axis of extent end and has no strides; unless the node's
 * value is the same at all points of the block, and, where there are parallel points, at all of them in all iterations.
 *
 * Of two stores to one buffer the ranges of bytes are disjoint; or their terms are equal, and they fit beside each
 * other between the strides that they have in common (halves of a row; the parts of complex numbers). What is
 * written is loaded only through an access that is, but for its number, that of a store in the same
 * block, so that a point sees what was there before; and it is no factor of a product.
 *
 * Folds. A block with folds has axes. Where it has more than one chain or a split, no store depends on LEFT.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

gboolean ghlo_kernel_check (const GhloKernel  *self,
                            GError           **error);

G_END_DECLS
