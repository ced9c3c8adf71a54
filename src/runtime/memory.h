/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory that is counted against the limit of the process, from the pool that keeps
 * what was freed (pool.h). With GHLO_DEBUG=guard every block is one that finds mistakes
 * instead (guard.h). Some of the counters are read and set through value.h.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gsize   used;               /* bytes, as asked for, in blocks that are in use */
  gsize   idle;               /* bytes of blocks that are kept for use again */
  gsize   peak;               /* the most that was ever used, or was since ghlo_memory_reset_peak () */
  guint64 n_allocations;      /* blocks that the system was asked for */
  guint64 n_reuses;           /* blocks that were used again instead */
} GhloMemoryStatistics;

/* Zeroed memory aligned to 64 bytes, never NULL on success (also for no bytes).
 * OUT_OF_MEMORY names @size when the limit or the system refuses it. Idle memory in
 * the pool is given back before the limit refuses anything. */
gpointer ghlo_memory_alloc               (gsize                  size,
                                          GError               **error);
/* The same with any content, for those who write all of it. */
gpointer ghlo_memory_alloc_uninitialized (gsize                  size,
                                          GError               **error);
/* To the pool; takes no time however large it is. @size is that of the allocation. */
void     ghlo_memory_free                (gpointer               memory,
                                          gsize                  size);
/* Counts @size bytes that the caller allocates by other means, or takes them back. OUT_OF_MEMORY names
 * @size when the limit refuses it. */
gboolean ghlo_memory_reserve             (gsize                  size,
                                          GError               **error);
void     ghlo_memory_unreserve           (gsize                  size);
/* Gives all that lies idle back to the system. Takes time; for a worker. */
void     ghlo_memory_trim                (void);

void     ghlo_memory_get_statistics      (GhloMemoryStatistics  *statistics);

/* "512", "64K", "16M", "2G" (powers of 1024, either case, "B" or "iB" may
 * follow); FALSE when @string is none of these or too large. */
gboolean ghlo_memory_parse_limit         (const char            *string,
                                          gsize                 *limit);

G_END_DECLS
