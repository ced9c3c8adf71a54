/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The arena and the interning tables.
 */

#include "ir/arena.h"

#include <string.h>

struct _GhloIrChunk
{
  GhloIrChunk *next;
  gsize        size;          /* of the data */
  guint8       data[] __attribute__ ((aligned (16)));
};

enum { FIRST_CHUNK = 2 * 1024, LARGEST_CHUNK = 1024 * 1024 };

gpointer
ghlo_ir_arena_alloc (GhloIrArena *self,
                     gsize        size)
{
  gpointer result;

  size = (MAX (size, 1) + 15) & ~(gsize) 15;

  if (self->chunks == NULL || self->chunks->size - self->used < size)
    {
      gsize chunk_size = self->chunks == NULL ? FIRST_CHUNK : MIN (self->chunks->size * 2, LARGEST_CHUNK);
      GhloIrChunk *chunk;

      chunk_size = MAX (chunk_size, size);
      chunk = g_malloc0 (sizeof (GhloIrChunk) + chunk_size);
      chunk->size = chunk_size;
      chunk->next = self->chunks;
      self->chunks = chunk;
      self->used = 0;
      self->total += chunk_size;
    }

  result = self->chunks->data + self->used;
  self->used += size;

  return result;
}

gpointer
ghlo_ir_arena_copy (GhloIrArena  *self,
                    gconstpointer data,
                    gsize         size)
{
  gpointer copy;

  if (size == 0)
    return NULL;
  copy = ghlo_ir_arena_alloc (self, size);
  memcpy (copy, data, size);

  return copy;
}

void
ghlo_ir_arena_clear (GhloIrArena *self)
{
  GhloIrChunk *chunk = self->chunks;

  while (chunk != NULL)
    {
      GhloIrChunk *next = chunk->next;

      g_free (chunk);
      chunk = next;
    }
  *self = (GhloIrArena) { 0 };
}

gpointer
ghlo_ir_intern_find (const GhloIrInternTable *self,
                     guint32                  hash,
                     GhloIrInternEqual        equal,
                     gconstpointer            key)
{
  if (self->capacity == 0)
    return NULL;

  for (gsize slot = hash & (self->capacity - 1);
       self->items[slot] != NULL;
       slot = (slot + 1) & (self->capacity - 1))
    if (self->hashes[slot] == hash && equal (self->items[slot], key))
      return self->items[slot];

  return NULL;
}

static gboolean
always_equal (gconstpointer item,
              gconstpointer key)
{
  return TRUE;
}

gboolean
ghlo_ir_intern_has (const GhloIrInternTable *self,
                    guint32                  hash)
{
  return ghlo_ir_intern_find (self, hash, always_equal, NULL) != NULL;
}

static void
insert (GhloIrInternTable *self,
        guint32            hash,
        gpointer           item)
{
  gsize slot = hash & (self->capacity - 1);

  while (self->items[slot] != NULL)
    slot = (slot + 1) & (self->capacity - 1);
  self->items[slot] = item;
  self->hashes[slot] = hash;
}

void
ghlo_ir_intern_add (GhloIrInternTable *self,
                    guint32            hash,
                    gpointer           item)
{
  if ((self->n_items + 1) * 2 > self->capacity)
    {
      GhloIrInternTable old = *self;

      self->capacity = MAX (old.capacity * 2, 64);
      self->items = g_new0 (gpointer, self->capacity);
      self->hashes = g_new (guint32, self->capacity);
      for (gsize i = 0; i < old.capacity; i++)
        if (old.items[i] != NULL)
          insert (self, old.hashes[i], old.items[i]);
      ghlo_ir_intern_clear (&old);
    }

  insert (self, hash, item);
  self->n_items++;
}

void
ghlo_ir_intern_clear (GhloIrInternTable *self)
{
  g_free (self->items);
  g_free (self->hashes);
}
