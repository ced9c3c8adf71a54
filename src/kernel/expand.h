/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions (exponentials, logarithms, conversions of small floats, …) made of the nodes that
 * every executor has an instruction for. They are stated here once, for all executors: machine
 * code is made of the expanded kernel, and the loops that take a whole function at once
 * are C code that is printed from the same nodes when the library is built.
 */

#pragma once

#include "kernel/build.h"

G_BEGIN_DECLS

/* Adds the nodes of the function @kind of @operands, of type @type; gives the node of its result. All
 * expansions have this form. */
typedef guint (*GhloKernelExpansion) (GhloKernelBuilder *builder,
                                      GhloElementType    type,
                                      const guint       *operands);

/* NULL where @kind is none, or there is none for operands of @type. */
GhloKernelExpansion ghlo_kernel_expansion (GhloNodeKind      kind,
                                           GhloElementType   type);

/* A kernel without functions, which computes the same bits; UNSUPPORTED where it would be too large, or
 * where a function has no expansion for a type. */
GhloKernel         *ghlo_kernel_expand    (const GhloKernel *self,
                                           GError          **error);

/* The same by a fast path: roundings of f32 to bf16 take half of the operations, but may make NaN of numbers of 2^111
 * and more and of products with these, and round subnormal ones to too many digits. All results that such a rounding
 * goes into are NaN then, and so is the kernel's node *sentinel; where that is not, they are right. NULL where it is
 * not one block of points, or nothing in it would be faster. */
GhloKernel         *ghlo_kernel_expand_fast (const GhloKernel *self,
                                             guint            *sentinel);
/* Whether all results that @buffer's elements go into are NaN where these are, so that a fast path may make these. */
gboolean            ghlo_kernel_passes_nan_on (const GhloKernel *self,
                                               guint             buffer);

G_END_DECLS
