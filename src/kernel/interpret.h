/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs a kernel one node at a time: slow, obvious, and the oracle of every other executor.
 * Each access is checked against its buffer, and each temporary for having been written.
 */

#pragma once

#include "base/monitor.h"
#include "kernel/kernel.h"

G_BEGIN_DECLS

/* The most that it takes for temporaries. */
#define GHLO_KERNEL_INTERPRET_BYTES ((gsize) 256 << 20)

typedef struct
{
  gpointer data;
  gsize    size;        /* bytes */
} GhloKernelMemory;

/* @extents: of all axes, or NULL for those that the kernel states; @memory: of all buffers. Functions are
 * run through their expansions. FALSE with INTERNAL where an access leaves its buffer, or a temporary is read that
 * was not written, which no checked kernel does with its own extents; INVALID_ARGUMENT where an extent is none
 * that the kernel may have; OUT_OF_MEMORY where temporaries are too large; CANCELLED when @monitor says so, which is
 * asked in each iteration of a WHILE, and every few thousand points. */
gboolean ghlo_kernel_interpret (const GhloKernel       *self,
                                const gint64           *extents,
                                const GhloKernelMemory *memory,
                                const GhloMonitor      *monitor,
                                GError                **error);

G_END_DECLS
