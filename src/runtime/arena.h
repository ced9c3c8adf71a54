/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The memory of one run of a plan: one block from the pool with a slot for each buffer
 * at the offset that the memory plan gave it. Slots that lie over each other are for
 * buffers that are never in use at the same time; with GHLO_DEBUG=guard each slot is a
 * guarded block of its own, so that a plan that is wrong about this shows.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _GhloRunArena GhloRunArena;
typedef struct _GhloRunArenaCache GhloRunArenaCache;

/* An arena of @total bytes, any content, with @n slots of @sizes bytes at @offsets, which
 * are multiples of 64; the arrays are copied. INVALID_ARGUMENT when a slot does not fit,
 * OUT_OF_MEMORY as of ghlo_memory_alloc (). */
GhloRunArena      *ghlo_run_arena_new        (const gsize        *offsets,
                                              const gsize        *sizes,
                                              guint               n,
                                              gsize               total,
                                              GError            **error);
void               ghlo_run_arena_free       (GhloRunArena       *self);
/* The memory of slot @i, aligned to 64 bytes; never NULL, also for no bytes. */
gpointer           ghlo_run_arena_slot       (const GhloRunArena *self,
                                              guint               i);

/* The arenas of one plan, for any number of runs at once: a run takes one and gives it
 * back. Between runs the memory is the pool's; so from the second run on, with no more
 * runs at once than before, taking one allocates nothing. */
GhloRunArenaCache *ghlo_run_arena_cache_new  (const gsize        *offsets,
                                              const gsize        *sizes,
                                              guint               n,
                                              gsize               total,
                                              GError            **error);
/* No arena is out any more. */
void               ghlo_run_arena_cache_free (GhloRunArenaCache  *self);
GhloRunArena      *ghlo_run_arena_cache_take (GhloRunArenaCache  *self,
                                              GError            **error);
void               ghlo_run_arena_cache_give (GhloRunArenaCache  *self,
                                              GhloRunArena       *arena);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRunArena, ghlo_run_arena_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRunArenaCache, ghlo_run_arena_cache_free)

G_END_DECLS
