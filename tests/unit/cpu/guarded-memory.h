/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Buffers that end or begin at an inaccessible page. Machine code, which sanitizers do not instrument, thus faults
 * where it reads or writes out of bounds.
 */

#pragma once

#include "kernel/interpret.h"

#include <sys/mman.h>
#include <unistd.h>

typedef struct
{
  guint8   *pages;
  gsize     n_bytes;
  gpointer  data;
} GuardedMemory;

/* A copy of @from, at the end of its pages with @at_end, otherwise at their beginning. */
static inline GuardedMemory
guarded_memory_new (const GhloKernelMemory *from,
                    gboolean                at_end)
{
  const gsize page = (gsize) sysconf (_SC_PAGESIZE), n_pages = (from->size + page - 1) / page;
  GuardedMemory self = { .n_bytes = (n_pages + 2) * page };

  self.pages = mmap (NULL, self.n_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_assert_true (self.pages != MAP_FAILED);
  g_assert_no_errno (mprotect (self.pages + page, n_pages * page, PROT_READ | PROT_WRITE));
  self.data = self.pages + page + (at_end ? n_pages * page - from->size : 0);
  memcpy (self.data, from->data, from->size);

  return self;
}

/* Copies the memory's contents to @to. */
static inline void
guarded_memory_free (GuardedMemory          *self,
                     const GhloKernelMemory *to)
{
  memcpy (to->data, self->data, to->size);
  munmap (self->pages, self->n_bytes);
}
