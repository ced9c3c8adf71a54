/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each guarded block is a mapping of its own:
 *
 *   | protected page | pattern … block, pattern to 64 bytes | protected page |
 *
 * Freed mappings stay protected until QUARANTINE others were freed, so that a late access does not hit a newer
 * block at the same address. There are no locks, so a fork cannot find one held.
 */

#include "runtime/guard.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sizes.h"

enum { ALIGNMENT = 64, QUARANTINE = 512 };

typedef struct
{
  guint8 *start;      /* of the mapping */
  gsize   length;     /* of the mapping, both protected pages included */
  guint8 *first;      /* first writable byte */
  guint8 *end;        /* first byte of the upper protected page */
} Extent;

/* Mappings that were freed but are still reserved: a ring of pointers, exchanged atomically. */
static Extent *freed[QUARANTINE];
static guint   n_freed;

static gboolean
measure (gsize   size,
         gsize  *padded,
         gsize  *writable,
         gsize  *page)
{
  *page = (gsize) sysconf (_SC_PAGESIZE);
  if (!ghlo_size_add (padded, size, ALIGNMENT - 1) || !ghlo_size_add (writable, size, 4 * *page))
    return FALSE;
  *padded &= ~(gsize) (ALIGNMENT - 1);
  *writable = (*padded + *page - 1) & ~(*page - 1);

  return TRUE;
}

gpointer
ghlo_guard_alloc (gsize    size,
                  gboolean zeroed)
{
  gsize padded, writable, page;
  guint8 *start, *memory;

  if (!measure (size, &padded, &writable, &page))
    return NULL;
  start = mmap (NULL, writable + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED)
    return NULL;
  if (writable > 0 && mprotect (start + page, writable, PROT_READ | PROT_WRITE) != 0)
    {
      munmap (start, writable + 2 * page);
      return NULL;
    }

  memory = start + page + writable - padded;
  if (!zeroed)
    memset (start + page, GHLO_GUARD_PATTERN, writable);
  else
    {
      memset (start + page, GHLO_GUARD_PATTERN, writable - padded);
      memset (memory + size, GHLO_GUARD_PATTERN, padded - size);
    }

  return memory;
}

static void
check_pattern (const guint8 *from,
               const guint8 *to,
               const guint8 *memory,
               gsize         size)
{
  for (; from < to; from++)
    if (*from != GHLO_GUARD_PATTERN)
      {
        g_critical ("the block of %" G_GSIZE_FORMAT " bytes at %p was written out of bounds, at byte %"
                    G_GSSIZE_FORMAT, size, (gconstpointer) memory, (gssize) (from - memory));
        return;
      }
}

/* Releases the memory but keeps the address range reserved. */
static void
protect (Extent extent)
{
  Extent *newest, *oldest;

  if (mmap (extent.start, extent.length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    {
      munmap (extent.start, extent.length);
      return;
    }

  newest = g_memdup2 (&extent, sizeof extent);
  oldest = __atomic_exchange_n (&freed[__atomic_fetch_add (&n_freed, 1, __ATOMIC_RELAXED) % QUARANTINE], newest,
                                __ATOMIC_ACQ_REL);
  if (oldest != NULL)
    munmap (oldest->start, oldest->length);
  g_free (oldest);
}

void
ghlo_guard_free (gpointer memory,
                 gsize    size)
{
  gsize padded, writable, page;
  guint8 *data = memory;
  Extent extent;

  /* Cannot fail: the block was allocated with this size. */
  if (!measure (size, &padded, &writable, &page))
    return;
  extent.end = data + padded;
  extent.first = extent.end - writable;
  extent.start = extent.first - page;
  extent.length = writable + 2 * page;

  check_pattern (extent.first, data, data, size);
  check_pattern (data + size, extent.end, data, size);
  protect (extent);
}
