/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory blocks by size class, kept when they are freed and handed out again without page faults. There are eight
 * classes for each power of two, from 64 bytes up, so a block exceeds the requested size by at most an eighth, or
 * by less than 64 bytes. memory.c counts the bytes in use; the pool counts the idle ones.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns an idle block for @size bytes, or NULL when its class has none. Blocks are aligned to 64 bytes, those of 64
 * KiB or more to pages, and those of 2 MiB or more to huge pages. */
gpointer ghlo_pool_take        (gsize     size);
/* Returns a block from the system, or NULL when that refuses. *@zeroed is set to whether it is known to be zeroed. */
gpointer ghlo_pool_make        (gsize     size,
                                gboolean *zeroed);
/* Keeps a block for reuse, in a short time. A thread of the pool returns idle memory to the system, the longest unused
 * blocks first, when it exceeds @most bytes or was idle for GHLO_POOL_IDLE_TIME. */
void     ghlo_pool_give        (gpointer  memory,
                                gsize     size,
                                gsize     most);
/* Returns blocks to the system, on the calling thread, until at most @most bytes are idle. */
void     ghlo_pool_shrink      (gsize     most);

/* Finds the block that contains these bytes, and its size, if that is at least GHLO_POOL_HUGE_SIZE. Returns FALSE if
 * the bytes are in a smaller block or not in the pool's memory. The block returns to the system only after its owner
 * has given it back. */
gboolean ghlo_pool_find        (gconstpointer  memory,
                                gsize          size,
                                gpointer      *block,
                                gsize         *capacity);
/* @leaving is called for each such block before it returns to the system, on any thread, but not in forked children. It
 * replaces an earlier function; NULL removes it. */
void     ghlo_pool_watch       (void         (*leaving) (gpointer block));
/* Returns how often the process has forked. Somebody who knows the physical pages of blocks must ask: after a fork the
 * process writes to copies, and its blocks have other pages. */
guint    ghlo_pool_get_forks   (void);

/* Returns the bytes in idle blocks. */
gsize    ghlo_pool_get_idle    (void);
/* Returns how many blocks came from the system so far, and how many were reused. */
void     ghlo_pool_get_counts  (guint64  *n_made,
                                guint64  *n_taken);

/* Microseconds; tests may set a shorter time. */
#define GHLO_POOL_IDLE_TIME ((gint64) 10 * G_USEC_PER_SEC)
void     ghlo_pool_set_idle_time (gint64 time);

/* Returns the size of the blocks that serve requests for @size bytes. */
gsize    ghlo_pool_get_capacity (gsize    size);

/* The smallest size of blocks that are aligned to huge pages. */
#define GHLO_POOL_HUGE_SIZE ((gsize) 2 << 20)

/* The largest size that has a size class. */
#define GHLO_POOL_MAX_SIZE ((gsize) 1 << 46)

G_END_DECLS
