/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Arenas of runs. A cache keeps unused arenas without their memory, so that the pool may lend idle memory to
 * others.
 */

#include "runtime/arena.h"

#include "base/debug.h"
#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "runtime/memory.h"

enum { ALIGNMENT = 64 };

typedef struct
{
  guint  n;
  gsize  total;
  gsize *offsets;        /* n of them, owned, like sizes */
  gsize *sizes;
} Layout;

struct _GhloRunArena
{
  Layout       *layout;  /* owned by the cache, or by an arena outside of any cache */
  guint8       *memory;  /* layout->total bytes; NULL while the arena is unused, and where slots are separate */
  gpointer     *slots;   /* layout->n of them where slots are separate, NULL for those not allocated; else NULL */
  GhloRunArena *next;    /* in the cache's list */
};

struct _GhloRunArenaCache
{
  Layout       *layout;
  GMutex        lock;
  GhloRunArena *unused;  /* guarded by lock */
};

static void
layout_free (Layout *self)
{
  g_free (self->offsets);
  g_free (self->sizes);
  g_free (self);
}

static Layout *
layout_new (const gsize  *offsets,
            const gsize  *sizes,
            guint         n,
            gsize         total,
            GError      **error)
{
  Layout *self;
  gsize end;

  for (guint i = 0; i < n; i++)
    if (offsets[i] % ALIGNMENT != 0 || !ghlo_size_add (&end, offsets[i], sizes[i]) || end > total)
      {
        g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                     "expected slot %u at a multiple of %d within %" G_GSIZE_FORMAT " bytes, found %" G_GSIZE_FORMAT
                     " bytes at %" G_GSIZE_FORMAT, i, ALIGNMENT, total, sizes[i], offsets[i]);
        return NULL;
      }

  self = g_new0 (Layout, 1);
  self->n = n;
  self->total = total;
  self->offsets = g_memdup2 (offsets, n * sizeof *offsets);
  self->sizes = g_memdup2 (sizes, n * sizeof *sizes);

  return self;
}

/* Frees the memory and keeps the arena itself. */
static void
drop_memory (GhloRunArena *self)
{
  const Layout *layout = self->layout;

  if (self->memory != NULL)
    ghlo_memory_free (self->memory, layout->total);
  self->memory = NULL;
  for (guint i = 0; self->slots != NULL && i < layout->n; i++)
    {
      if (self->slots[i] != NULL)
        ghlo_memory_free (self->slots[i], layout->sizes[i]);
      self->slots[i] = NULL;
    }
}

static gboolean
get_memory (GhloRunArena  *self,
            GError       **error)
{
  const Layout *layout = self->layout;

  if (self->slots == NULL)
    {
      self->memory = ghlo_memory_alloc_uninitialized (layout->total, error);
      return self->memory != NULL;
    }

  for (guint i = 0; i < layout->n; i++)
    {
      self->slots[i] = ghlo_memory_alloc_uninitialized (layout->sizes[i], error);
      if (self->slots[i] == NULL)
        {
          drop_memory (self);
          return FALSE;
        }
    }

  return TRUE;
}

static GhloRunArena *
arena_new (Layout *layout)
{
  GhloRunArena *self = g_new0 (GhloRunArena, 1);

  self->layout = layout;
  if (ghlo_debug_has (GHLO_DEBUG_GUARD))
    self->slots = g_new0 (gpointer, layout->n + 1);

  return self;
}

static void
arena_free (GhloRunArena *self)
{
  drop_memory (self);
  g_free (self->slots);
  g_free (self);
}

GhloRunArena *
ghlo_run_arena_new (const gsize  *offsets,
                    const gsize  *sizes,
                    guint         n,
                    gsize         total,
                    GError      **error)
{
  Layout *layout = layout_new (offsets, sizes, n, total, error);
  GhloRunArena *self;

  if (layout == NULL)
    return NULL;
  self = arena_new (layout);
  if (get_memory (self, error))
    return self;
  ghlo_run_arena_free (self);

  return NULL;
}

void
ghlo_run_arena_free (GhloRunArena *self)
{
  Layout *layout = self->layout;

  arena_free (self);
  layout_free (layout);
}

gpointer
ghlo_run_arena_slot (const GhloRunArena *self,
                     guint               i)
{
  return self->slots != NULL ? self->slots[i] : self->memory + self->layout->offsets[i];
}

GhloRunArenaCache *
ghlo_run_arena_cache_new (const gsize  *offsets,
                          const gsize  *sizes,
                          guint         n,
                          gsize         total,
                          GError      **error)
{
  Layout *layout = layout_new (offsets, sizes, n, total, error);
  GhloRunArenaCache *self;

  if (layout == NULL)
    return NULL;
  self = g_new0 (GhloRunArenaCache, 1);
  self->layout = layout;
  g_mutex_init (&self->lock);

  return self;
}

void
ghlo_run_arena_cache_free (GhloRunArenaCache *self)
{
  while (self->unused != NULL)
    {
      GhloRunArena *arena = self->unused;

      self->unused = arena->next;
      arena_free (arena);
    }
  layout_free (self->layout);
  g_mutex_clear (&self->lock);
  g_free (self);
}

GhloRunArena *
ghlo_run_arena_cache_take (GhloRunArenaCache  *self,
                           GError            **error)
{
  GhloRunArena *arena;

  g_mutex_lock (&self->lock);
  arena = self->unused;
  if (arena != NULL)
    self->unused = arena->next;
  g_mutex_unlock (&self->lock);

  if (arena == NULL)
    arena = arena_new (self->layout);
  if (get_memory (arena, error))
    return arena;
  ghlo_run_arena_cache_give (self, arena);

  return NULL;
}

void
ghlo_run_arena_cache_give (GhloRunArenaCache *self,
                           GhloRunArena      *arena)
{
  drop_memory (arena);
  g_mutex_lock (&self->lock);
  arena->next = self->unused;
  self->unused = arena;
  g_mutex_unlock (&self->lock);
}
