/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks of memory by size class, kept when they are freed and handed out again
 * without a page fault. Classes are an eighth apart, from 64 bytes on, so that a block
 * is larger than what was asked for by at most an eighth (or by less than 64 bytes).
 * Who counts what is in use is memory.c; what lies idle is counted here.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A block for @size bytes, aligned to 64 bytes, of the pages' size from 64 KiB on and of
 * huge pages' from 2 MiB on: an idle one, or NULL when there is none of its class. */
gpointer ghlo_pool_take        (gsize     size);
/* One from the system, NULL when that refuses. @zeroed: whether it is known to be. */
gpointer ghlo_pool_make        (gsize     size,
                                gboolean *zeroed);
/* Keeps a block for the next. Takes no time: more than @most idle bytes are given back
 * to the system by a thread of the pool's own, the longest unused first, and so is what
 * was idle for GHLO_POOL_IDLE_TIME. */
void     ghlo_pool_give        (gpointer  memory,
                                gsize     size,
                                gsize     most);
/* Gives back to the system, on this thread, until at most @most bytes lie idle. */
void     ghlo_pool_shrink      (gsize     most);

/* The block that these bytes are of, where it is one of GHLO_POOL_HUGE_SIZE bytes at least, and its size; FALSE: they
 * are not the pool's, or of a small one. It is the system's again no sooner than the caller gives it back. */
gboolean ghlo_pool_find        (gconstpointer  memory,
                                gsize          size,
                                gpointer      *block,
                                gsize         *capacity);
/* @leaving is told of each such block before the system gets it, on any thread, but not in children of the process.
 * One at a time; NULL: nobody is. */
void     ghlo_pool_watch       (void         (*leaving) (gpointer block));
/* How many children the process has had: what knows pages of blocks by where they are in the machine has others then
 * than the process, which writes to copies. */
guint    ghlo_pool_get_forks   (void);

/* Bytes in idle blocks. */
gsize    ghlo_pool_get_idle    (void);
/* How many blocks came from the system so far, and how many were used again. */
void     ghlo_pool_get_counts  (guint64  *n_made,
                                guint64  *n_taken);

/* Microseconds; a test may have it shorter. */
#define GHLO_POOL_IDLE_TIME ((gint64) 10 * G_USEC_PER_SEC)
void     ghlo_pool_set_idle_time (gint64 time);

/* The size of the blocks that @size bytes get. */
gsize    ghlo_pool_get_capacity (gsize    size);

/* The least size of blocks that are aligned to huge pages. */
#define GHLO_POOL_HUGE_SIZE ((gsize) 2 << 20)

/* The largest size that has a class. */
#define GHLO_POOL_MAX_SIZE ((gsize) 1 << 46)

G_END_DECLS
