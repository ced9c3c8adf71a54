/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the printer of kernels share.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

typedef struct
{
  const GhloKernel *kernel;
  GString          *text;
  guint             depth;      /* of the line, in blocks */
} GhloKernelPrinter;

/* A name, in quotes where it needs them. */
void ghlo_kernel_print_name         (GhloKernelPrinter *self,
                                     const char        *name);
/* What refers to the axis, buffer or temporary @number. */
void ghlo_kernel_print_axis         (GhloKernelPrinter *self,
                                     guint              number);
void ghlo_kernel_print_buffer       (GhloKernelPrinter *self,
                                     guint              number);
void ghlo_kernel_print_temporary    (GhloKernelPrinter *self,
                                     guint              number);
/* " [row, column]", of bits. */
void ghlo_kernel_print_axes         (GhloKernelPrinter *self,
                                     guint              axes);
void ghlo_kernel_print_type         (GhloKernelPrinter *self,
                                     guint              type);
/* A line for each thing that is not a block. */
void ghlo_kernel_print_declarations (GhloKernelPrinter *self);

G_END_DECLS
