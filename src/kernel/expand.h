/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Expands functions (exponentials, logarithms, conversions of small floats, …) into nodes that every executor has
 * an instruction for. These expansions are the only definition of the functions: machine code is generated from the
 * expanded kernel, and loops that compute one function over arrays are C code printed from the same nodes when the
 * library is built.
 */

#pragma once

#include "kernel/build.h"

G_BEGIN_DECLS

/* Adds the nodes of a function of @operands, of type @type, and returns the node of its result. All expansions have
 * this signature. */
typedef guint (*GhloKernelExpansion) (GhloKernelBuilder *builder,
                                      GhloElementType    type,
                                      const guint       *operands);

/* Returns the expansion, or NULL where @kind is not a function or has no expansion for operands of @type. */
GhloKernelExpansion ghlo_kernel_expansion (GhloNodeKind      kind,
                                           GhloElementType   type);

/* Returns a kernel without functions that computes the same bits. Fails with UNSUPPORTED where it would be too large,
 * or where a function has no expansion for a type. */
GhloKernel         *ghlo_kernel_expand    (const GhloKernel *self,
                                           GError          **error);
/* The same, but FROM_F16, and TO_F16 and TO_BF16 of f32, stay, for executors that have instructions for them. */
GhloKernel         *ghlo_kernel_expand_but_narrow (const GhloKernel *self,
                                                   GError          **error);

/* The same with a fast path: roundings of f32 to bf16 take half as many operations, but may yield NaN for numbers of
 * 2^111 or more and for products with such numbers, and keep too many digits of subnormal numbers. Where that happens,
 * all results that depend on the rounding are NaN, and so is node *@sentinel of the kernel; where *@sentinel is not
 * NaN, the results are correct. Returns NULL where the kernel is not a single block of points, or where nothing would
 * be faster. */
GhloKernel         *ghlo_kernel_expand_fast (const GhloKernel *self,
                                             guint            *sentinel);
/* Returns whether a NaN in @buffer makes all results NaN that depend on it. If so, a fast path may produce @buffer. */
gboolean            ghlo_kernel_passes_nan_on (const GhloKernel *self,
                                               guint             buffer);

G_END_DECLS
