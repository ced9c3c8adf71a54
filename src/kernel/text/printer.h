/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the files of the kernel printer.
 */

#pragma once

#include "kernel/kernel.h"

G_BEGIN_DECLS

typedef struct
{
  const GhloKernel *kernel;
  GString          *text;
  guint             depth;      /* nesting of the current line */
} GhloKernelPrinter;

/* Prints a name, quoted if necessary. */
void ghlo_kernel_print_name         (GhloKernelPrinter *self,
                                     const char        *name);
/* Print references to the axis, buffer or temporary @number. */
void ghlo_kernel_print_axis         (GhloKernelPrinter *self,
                                     guint              number);
void ghlo_kernel_print_buffer       (GhloKernelPrinter *self,
                                     guint              number);
void ghlo_kernel_print_temporary    (GhloKernelPrinter *self,
                                     guint              number);
/* Prints axes (bits) as " [row, column]". */
void ghlo_kernel_print_axes         (GhloKernelPrinter *self,
                                     guint              axes);
void ghlo_kernel_print_type         (GhloKernelPrinter *self,
                                     guint              type);
/* Prints one line for each declaration, which is everything but the blocks. */
void ghlo_kernel_print_declarations (GhloKernelPrinter *self);

G_END_DECLS
