/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The copies of one storage form a list, to which any thread appends; nothing leaves it before the storage ends or is
 * written to again.
 */

#include "runtime/packed.h"

#include "base/new.h"
#include "runtime/memory.h"
#include "runtime/value.h"

/* Of the memory limit. */
enum { SHARE = 4 };

typedef enum { UNUSED, USED, MAKING, READY, REFUSED } State;

struct _GhloPackedCopy
{
  GhloPackedCopy *next;
  GBytes         *key;
  gsize           offset;
  gint            state;        /* State; atomic. Whoever moves it to MAKING owns data and size until it is READY. */
  gpointer        data;         /* owned; NULL before */
  gsize           size;
};

static gsize total;             /* bytes of all copies; atomic */

static void
free_copies (GhloPackedCopy *self)
{
  while (self != NULL)
    {
      GhloPackedCopy *next = self->next;

      if (self->data != NULL)
        {
          ghlo_memory_free (self->data, self->size);
          __atomic_fetch_sub (&total, self->size, __ATOMIC_RELAXED);
        }
      g_bytes_unref (self->key);
      g_free (self);
      self = next;
    }
}

static GhloPackedCopy *
find (GhloPackedCopy *first,
      GBytes         *key,
      gsize           offset)
{
  GhloPackedCopy *self = first;

  while (self != NULL && (self->offset != offset || (self->key != key && !g_bytes_equal (self->key, key))))
    self = self->next;

  return self;
}

/* Two threads may append equal entries at the same time; the later one is found from then on. */
static GhloPackedCopy *
append (GhloStorage *storage,
        GBytes      *key,
        gsize        offset)
{
  GhloPackedCopy *self = ghlo_new0 (GhloPackedCopy);

  self->key = g_bytes_ref (key);
  self->offset = offset;
  storage->free_packed = free_copies;
  do
    self->next = g_atomic_pointer_get (&storage->packed);
  while (!g_atomic_pointer_compare_and_exchange (&storage->packed, self->next, self));

  return self;
}

gconstpointer
ghlo_packed_use (GhloStorage     *storage,
                 GBytes          *key,
                 gsize            offset,
                 GhloPackedCopy **slot)
{
  GhloPackedCopy *self = find (g_atomic_pointer_get (&storage->packed), key, offset);

  if (self == NULL)
    self = append (storage, key, offset);
  *slot = self;

  return g_atomic_int_get (&self->state) == READY ? self->data : NULL;
}

/* Counts the bytes of a copy; FALSE where that would be too many. */
static gboolean
reserve (gsize size)
{
  gsize before = __atomic_fetch_add (&total, size, __ATOMIC_RELAXED), most = ghlo_memory_get_limit () / SHARE;

  if (size <= most && before <= most - size)
    return TRUE;
  __atomic_fetch_sub (&total, size, __ATOMIC_RELAXED);

  return FALSE;
}

gpointer
ghlo_packed_begin (GhloPackedCopy *slot,
                   gsize           size)
{
  if (g_atomic_int_compare_and_exchange (&slot->state, UNUSED, USED)
      || !g_atomic_int_compare_and_exchange (&slot->state, USED, MAKING))
    return NULL;
  if (reserve (size))
    {
      slot->size = size;
      slot->data = ghlo_memory_alloc_uninitialized (size, NULL);
      if (slot->data != NULL)
        return slot->data;
      __atomic_fetch_sub (&total, size, __ATOMIC_RELAXED);
    }
  /* There may be room for it later. */
  g_atomic_int_set (&slot->state, USED);

  return NULL;
}

gconstpointer
ghlo_packed_finish (GhloPackedCopy *slot,
                    gboolean        ok,
                    gboolean        may_retry)
{
  if (!ok)
    {
      ghlo_memory_free (g_steal_pointer (&slot->data), slot->size);
      __atomic_fetch_sub (&total, slot->size, __ATOMIC_RELAXED);
    }
  g_atomic_int_set (&slot->state, ok ? READY : may_retry ? USED : REFUSED);

  return ok ? slot->data : NULL;
}

void
ghlo_packed_drop (GhloStorage *storage)
{
  storage->is_rewritten = TRUE;
  free_copies (g_steal_pointer (&storage->packed));
}

gsize
ghlo_packed_get_size (void)
{
  return __atomic_load_n (&total, __ATOMIC_RELAXED);
}
