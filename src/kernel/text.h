/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels as text, for people, golden files and fuzzers. What is printed is parsed to an equal
 * kernel with the same names.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

char       *ghlo_kernel_print (const GhloKernel *self);
/* PARSE with line and column where the text is no kernel; what ghlo_kernel_builder_end () says where the kernel is
 * wrong. */
GhloKernel *ghlo_kernel_parse (const char       *text,
                               gsize             size,
                               GError          **error);

G_END_DECLS
