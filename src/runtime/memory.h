/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory that counts against the limit of the process. It comes from the pool that keeps freed blocks (pool.h), or,
 * with GHLO_DEBUG=guard, from guarded blocks (guard.h). Some of the counters are read and set through value.h.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gsize   used;               /* bytes in use, as requested */
  gsize   idle;               /* bytes in blocks that are kept for reuse */
  gsize   peak;               /* the maximum of used, ever or since ghlo_memory_reset_peak () */
  guint64 n_allocations;      /* blocks that came from the system */
  guint64 n_reuses;           /* blocks that were reused instead */
} GhloMemoryStatistics;

/* Returns zeroed memory aligned to 64 bytes, never NULL on success, even for 0 bytes. OUT_OF_MEMORY names @size when
 * the limit or the system refuses it. The pool's idle memory is returned to the system before the limit refuses
 * anything. */
gpointer ghlo_memory_alloc               (gsize                  size,
                                          GError               **error);
/* The same with arbitrary content, for callers that write all of it. */
gpointer ghlo_memory_alloc_uninitialized (gsize                  size,
                                          GError               **error);
/* Returns the block to the pool, in a short time whatever its size. @size is the size of the allocation. */
void     ghlo_memory_free                (gpointer               memory,
                                          gsize                  size);
/* Counts @size bytes that the caller allocates by other means, and undoes that. OUT_OF_MEMORY names @size when the
 * limit refuses it. */
gboolean ghlo_memory_reserve             (gsize                  size,
                                          GError               **error);
void     ghlo_memory_unreserve           (gsize                  size);
/* Returns whether the system would give the process @size more bytes of address space at the moment; otherwise sets
 * OUT_OF_MEMORY, which says that @user needs them. Asked before calls of libraries that end the process, or wait
 * forever, when they get no memory. */
gboolean ghlo_memory_check_room          (gsize                  size,
                                          const char            *user,
                                          GError               **error);
/* Returns all idle memory to the system. May take long; call it on a worker thread. */
void     ghlo_memory_trim                (void);

void     ghlo_memory_get_statistics      (GhloMemoryStatistics  *statistics);

/* Parses "512", "64K", "16M", "2G": powers of 1024 in either case, optionally followed by "B" or "iB". Returns FALSE
 * when @string is something else or the number is too large. */
gboolean ghlo_memory_parse_limit         (const char            *string,
                                          gsize                 *limit);

G_END_DECLS
