/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Interprets a kernel one node at a time: slow and straightforward, the oracle for all other executors. Every
 * access is checked against the bounds of its buffer, and every read of a temporary for being initialized.
 */

#pragma once

#include "base/monitor.h"
#include "kernel/kernel.h"

G_BEGIN_DECLS

/* The most memory for temporaries. */
#define GHLO_KERNEL_INTERPRET_BYTES ((gsize) 256 << 20)

typedef struct
{
  gpointer data;
  gsize    size;        /* bytes */
} GhloKernelMemory;

/* Runs the kernel. @extents are those of all axes, or NULL for those in the kernel; @memory is that of all buffers.
 * Functions are run as their expansions. Returns FALSE with INTERNAL where an access is out of bounds or a temporary is
 * read before it is written, which checked kernels do not do with their own extents; with INVALID_ARGUMENT where an
 * axis cannot have the given extent; with OUT_OF_MEMORY where temporaries are too large; with CANCELLED when @monitor
 * was cancelled, which is checked in each iteration of a WHILE and every few thousand points. */
gboolean ghlo_kernel_interpret (const GhloKernel       *self,
                                const gint64           *extents,
                                const GhloKernelMemory *memory,
                                const GhloMonitor      *monitor,
                                GError                **error);

G_END_DECLS
