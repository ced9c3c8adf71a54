/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels that tests change: a copy of the block of memory, whose tables may be written.
 */

#pragma once

#include "kernel/kernel.h"

/* Freed by g_free (), before the original, whose names it has. */
static inline GhloKernel *
kernel_copy (const GhloKernel *kernel)
{
  GhloKernel *copy = g_memdup2 (kernel, kernel->size);

#define MOVE(table) copy->table = (gconstpointer) ((guint8 *) copy + ((guint8 *) kernel->table - (guint8 *) kernel))
  MOVE (axes);
  MOVE (buffers);
  MOVE (accesses);
  MOVE (terms);
  MOVE (temporaries);
  MOVE (blocks);
  MOVE (stores);
  MOVE (folds);
  MOVE (carries);
  MOVE (nodes);
#undef MOVE

  return copy;
}
