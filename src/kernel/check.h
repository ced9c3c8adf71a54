/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rejects kernels that are not well formed: indices that refer to nothing, types that do not match, temporaries
 * that are read before they are written, accesses out of bounds at some point of the axes' extents, two points that
 * store to the same place. A kernel that passes may be run without checking any of this again. kernel/kernel.h
 * defines what a kernel is. The rules below are simpler than the exact conditions, and so reject a few kernels that
 * would do no harm.
 *
 * Tables. Blocks occupy consecutive ranges of the tables of nodes, stores, folds and carries, and accesses of the
 * table of terms. Unused fields are 0, or GHLO_KERNEL_NONE, so that equal kernels are equal bytes. Extents are at
 * least 1, and their product fits 63 bits.
 *
 * Scope. An axis is in scope in its own block, in all blocks inside its loop, and everywhere if it is parallel. An
 * access may be used where all axes with non-zero strides are in scope. EXTENT may refer to any axis.
 *
 * Temporaries. Each is written by one block: by a store of points all of whose axes it spans, by a fold, by a
 * product whose rows and columns it spans, or by a carry. Its other axes are those of loops around. It can be read
 * in later blocks that are inside the same IF, WHILE and LOOP, and after a LOOP whose axis it spans. Values
 * carried by a loop can be read inside and after the loop, those carried by an IF after it.
 *
 * Bounds. The magnitudes of the parts of an access's address, or of a term's position, add up to at most 63 bits,
 * so no order of additions overflows. The address is within the buffer for the minimum and the maximum of each
 * part: for an axis, its stride at both ends; for a term that clamps or has a node, 0 and end - 1; for any other
 * guard, those values of [0, end) that its position reaches. A guard does not narrow the range of axes in other
 * parts.
 *
 * Stores. Only buffers marked as written are written, through accesses that map any two points to different places:
 * sorted by magnitude, each stride is at least the distance that the smaller ones reach together, plus the element.
 * This applies to the axes of the block and to parallel axes, except those of extent 1; where there are several
 * parallel points, it also applies to axes of loops around with non-zero strides. (Iterations run in order: the
 * value of the last one stays.) Guards count as the strides that they add. A term that clamps has no strides, or
 * never has to clamp. A term with a node and a non-zero stride counts as an axis of extent end and has no strides,
 * unless the node has the same value at all points of the block and, where there are several parallel points, at
 * all of them in all iterations.
 *
 * Two stores to one buffer write disjoint ranges of bytes; or their terms are equal, and they fit beside each other
 * between the strides that they share (halves of a row; the parts of complex numbers). A buffer that is written is
 * loaded only through accesses equal, except for their index, to that of a store in the same block, so that each
 * point sees the old value. It is not a factor of a product.
 *
 * Folds. A block with folds has axes. Where it has several chains or a split, no store depends on LEFT.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

gboolean ghlo_kernel_check (const GhloKernel  *self,
                            GError           **error);

G_END_DECLS
