/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The text form of kernels, for people, golden files and fuzzers. Printed text parses to an equal kernel with the
 * same names; tests/kernels has examples of everything.
 *
 *   kernel softmax {
 *     parallel row 1536 runtime                    axes: extent
 *     axis column 128
 *     buffer x 786432                              bytes
 *     buffer y 786432 written                      or "shares 1": may have the memory of buffer 1
 *     temporary most f32
 *     temporary e f32 [column]                     the axes that it spans
 *     access @0 f32 x [row * 512 + column * 4 + 64 + 4 * clamp (%0 - 3, end 100) - 8 * guard (row, step 2, end 9)]
 *     points [column] chains 64 split 4096 {
 *       fold $0 most f32 from -inf
 *       %0 = load f32 @0                           or "load f32 @0 else %3"
 *       %1 = left f32 $0
 *       %2 = maximum f32 %1 %0                     the type is that of the result
 *       update $0 %2
 *       store %0 to e                              or "to @1"
 *       merge { … }                                nodes and updates
 *     }
 *     loop step { carry h from first by next … }
 *     while going { carry … } do { … }             blocks that compute the predicate, then the body
 *     when chosen { carry … }
 *     product c [row] [column] [inner] = @3 * weights
 *   }
 *
 * Nodes, accesses and folds are numbered through the kernel. Names that are not a word of letters, digits and "_"
 * are quoted. Where several axes, buffers or temporaries have the same name, its index among all of them follows:
 * most:1. Constants: true, -3, 0.125, -inf, 0x7fc00000. A comment goes from # to the end of the line.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

char       *ghlo_kernel_print (const GhloKernel *self);
/* Fails with PARSE, line and column where the text is not a kernel, and with the error of ghlo_kernel_builder_end ()
 * where the kernel is not well formed. */
GhloKernel *ghlo_kernel_parse (const char       *text,
                               gsize             size,
                               GError          **error);

G_END_DECLS
