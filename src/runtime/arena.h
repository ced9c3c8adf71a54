/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The memory of one run of a plan: one block from the pool, with a slot for each buffer at the offset that the
 * memory plan assigned. Slots overlap where their buffers are never in use at the same time. With GHLO_DEBUG=guard
 * each slot is a guarded block of its own, so that a wrong memory plan is caught.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _GhloRunArena GhloRunArena;
typedef struct _GhloRunArenaCache GhloRunArenaCache;

/* Returns an arena of @total bytes with arbitrary content, with @n slots of @sizes bytes at @offsets, which must be
 * multiples of 64. The arrays are copied. Fails with INVALID_ARGUMENT when a slot does not fit, and with OUT_OF_MEMORY
 * like ghlo_memory_alloc (). */
GhloRunArena      *ghlo_run_arena_new        (const gsize        *offsets,
                                              const gsize        *sizes,
                                              guint               n,
                                              gsize               total,
                                              GError            **error);
void               ghlo_run_arena_free       (GhloRunArena       *self);
/* Returns the memory of slot @i, aligned to 64 bytes; never NULL, even for 0 bytes. */
gpointer           ghlo_run_arena_slot       (const GhloRunArena *self,
                                              guint               i);

/* The arenas of one plan, for any number of concurrent runs: each run takes an arena and gives it back. Between runs
 * the memory belongs to the pool, so a run allocates nothing if as many runs were in progress at once before. */
GhloRunArenaCache *ghlo_run_arena_cache_new  (const gsize        *offsets,
                                              const gsize        *sizes,
                                              guint               n,
                                              gsize               total,
                                              GError            **error);
/* Every arena must have been given back. */
void               ghlo_run_arena_cache_free (GhloRunArenaCache  *self);
GhloRunArena      *ghlo_run_arena_cache_take (GhloRunArenaCache  *self,
                                              GError            **error);
void               ghlo_run_arena_cache_give (GhloRunArenaCache  *self,
                                              GhloRunArena       *arena);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRunArena, ghlo_run_arena_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRunArenaCache, ghlo_run_arena_cache_free)

G_END_DECLS
