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

/* The same in haste: roundings of f32 to bf16 take half of the operations, but may make NaN of numbers of 2^111 and
 * more and of products with these, and round subnormal ones to too many digits. All results that such a rounding goes
 * into are NaN then, and so is the node *teller of the kernel: where that is none, results are right. NULL where it is
 * not one block of points, or nothing in it would be quicker. */
GhloKernel         *ghlo_kernel_expand_hastily (const GhloKernel *self,
                                                guint            *teller);
/* Of such a kernel whether what is loaded from @buffer may be made in haste as well: all results that it goes into are
 * NaN where it is. */
gboolean            ghlo_kernel_tells_haste (const GhloKernel *self,
                                             guint             buffer);

G_END_DECLS
