/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory of the fake device (device/memory.h): blocks of the host's memory at addresses that the host cannot use. A
 * block remembers whether what was to write it has failed, so that what reads it fails as well.
 */

#include "calls.h"

#include <string.h>

#include "runtime/memory.h"
#include "runtime/value.h"

/* Bytes copied between two checks for cancellation. */
enum { PIECE = 1 << 20 };

typedef struct
{
  const guint8 *begin;
  gpointer      host;           /* what is there; without it, leak checkers would take the block for lost */
  gsize         size;
  GError       *error;          /* of the work that was to write it; NULL: it holds what it should */
} Block;

typedef struct
{
  GhloDeviceMemory  base;
  GhloDeviceCore   *device;
  GMutex            lock;       /* guards the blocks */
  GTree            *blocks;     /* of Block, owned, by their addresses */
} Memory;

static Memory *
memory_of (GhloDeviceMemory *self)
{
  return (Memory *) self;
}

static int
compare (gconstpointer a,
         gconstpointer b,
         gpointer      data)
{
  return a < b ? -1 : a > b;
}

static void
free_block (gpointer data)
{
  Block *block = data;

  g_clear_error (&block->error);
  g_free (block);
}

/* Called with the lock held: the block that contains @address. */
static Block *
find_block (Memory        *self,
            gconstpointer  address)
{
  GTreeNode *node = g_tree_upper_bound (self->blocks, address);
  Block *block;

  node = node != NULL ? g_tree_node_previous (node) : g_tree_node_last (self->blocks);
  block = node != NULL ? g_tree_node_value (node) : NULL;

  return block != NULL && (const guint8 *) address < block->begin + MAX (block->size, 1) ? block : NULL;
}

guint8 *
fake_memory_at (gconstpointer address)
{
  g_assert_true (((guintptr) address & FAKE_ADDRESS) != 0);

  return (guint8 *) ((guintptr) address & ~FAKE_ADDRESS);
}

void
fake_memory_set_error (GhloDeviceMemory *self,
                       gconstpointer     address,
                       const GError     *error)
{
  Memory *memory = memory_of (self);
  Block *block;

  g_mutex_lock (&memory->lock);
  block = find_block (memory, address);
  if (block != NULL)
    {
      g_clear_error (&block->error);
      block->error = error != NULL ? g_error_copy (error) : NULL;
    }
  g_mutex_unlock (&memory->lock);
}

gboolean
fake_memory_check (GhloDeviceMemory  *self,
                   gconstpointer      address,
                   GError           **error)
{
  Memory *memory = memory_of (self);
  const Block *block;
  gboolean ok;

  g_mutex_lock (&memory->lock);
  block = find_block (memory, address);
  ok = block == NULL || block->error == NULL;
  if (!ok)
    g_propagate_error (error, g_error_copy (block->error));
  g_mutex_unlock (&memory->lock);

  return ok;
}

/* Copies in pieces. Returns FALSE when cancelled. */
static gboolean
transfer (const guint8       *from,
          guint8             *to,
          gsize               size,
          const GhloMonitor  *monitor,
          GError            **error)
{
  for (gsize done = 0; done < size; done += PIECE)
    {
      if (ghlo_monitor_cancelled (monitor, error))
        return FALSE;
      memcpy (to + done, from + done, MIN (size - done, PIECE));
    }

  return TRUE;
}

static gpointer
alloc (GhloDeviceMemory  *self,
       GhloMemoryKind     kind,
       gsize              size,
       gpointer          *host,
       GError           **error)
{
  Memory *memory = memory_of (self);
  gpointer bytes = fake_begin (memory->device, FAKE_ALLOCATE, NULL, error)
                   ? ghlo_memory_alloc_uninitialized (size, error) : NULL;
  Block *block;

  if (host != NULL)
    *host = kind == GHLO_MEMORY_READBACK ? bytes : NULL;
  if (bytes == NULL)
    return NULL;
  block = g_new0 (Block, 1);
  block->begin = GSIZE_TO_POINTER ((guintptr) bytes | FAKE_ADDRESS);
  block->host = bytes;
  block->size = size;
  g_mutex_lock (&memory->lock);
  g_tree_insert (memory->blocks, (gpointer) block->begin, block);
  g_mutex_unlock (&memory->lock);
  fake_count (FAKE_STORAGES, 1);
  fake_count (FAKE_BYTES, size);

  return (gpointer) block->begin;
}

typedef struct
{
  Memory   *memory;
  gpointer  address;
  gsize     size;
} Freed;

static void
free_now (gpointer   data,
          GError   **error)
{
  g_autofree Freed *freed = data;

  g_mutex_lock (&freed->memory->lock);
  g_tree_remove (freed->memory->blocks, freed->address);
  g_mutex_unlock (&freed->memory->lock);
  ghlo_memory_free (fake_memory_at (freed->address), freed->size);
  fake_count (FAKE_STORAGES, -1);
  fake_count (FAKE_BYTES, -(gssize) freed->size);
}

/* What is in the queue may still use the block. */
static void
free_block_later (GhloDeviceMemory *self,
                  gpointer          address,
                  gsize             size)
{
  Memory *memory = memory_of (self);
  Freed *freed = g_new (Freed, 1);

  *freed = (Freed) { memory, address, size };
  if (fake_queue_is_idle (memory->device->queue))
    free_now (freed, NULL);
  else
    fake_queue_put (memory->device->queue, free_now, freed);
}

static gboolean
upload (GhloDeviceMemory   *self,
        gconstpointer       from,
        gpointer            to,
        gsize               size,
        gboolean            is_fresh,
        const GhloMonitor  *monitor,
        GError            **error)
{
  GhloDeviceCore *device = memory_of (self)->device;

  if (!fake_begin (device, FAKE_UPLOAD, monitor, error)
      || (!is_fresh && !fake_queue_finish (device->queue, monitor, error))
      || !transfer (from, fake_memory_at (to), size, monitor, error))
    return FALSE;
  fake_memory_set_error (self, to, NULL);

  return TRUE;
}

static gboolean
download (GhloDeviceMemory   *self,
          gconstpointer       from,
          gpointer            to,
          gsize               size,
          const GhloMonitor  *monitor,
          GError            **error)
{
  GhloDeviceCore *device = memory_of (self)->device;

  return fake_begin (device, FAKE_DOWNLOAD, monitor, error) && fake_queue_finish (device->queue, monitor, error)
         && fake_memory_check (self, from, error) && transfer (fake_memory_at (from), to, size, monitor, error);
}

typedef struct
{
  GhloDeviceMemory *memory;
  gconstpointer     from;
  gpointer          to;
  gsize             size;
} Copy;

/* The copy of a block that was not written fails when it is read. */
static void
copy_now (gpointer   data,
          GError   **error)
{
  g_autofree Copy *copy = data;
  g_autoptr (GError) problem = NULL;

  if (fake_memory_check (copy->memory, copy->from, &problem))
    memcpy (fake_memory_at (copy->to), fake_memory_at (copy->from), copy->size);
  fake_memory_set_error (copy->memory, copy->to, problem);
}

static gboolean
copy (GhloDeviceMemory  *self,
      gconstpointer      from,
      gpointer           to,
      gsize              size,
      GError           **error)
{
  GhloDeviceCore *device = memory_of (self)->device;
  Copy *copy;

  if (!fake_begin (device, FAKE_COPY, NULL, error))
    return FALSE;
  copy = g_new (Copy, 1);
  *copy = (Copy) { self, from, to, size };
  fake_queue_put (device->queue, copy_now, copy);

  return TRUE;
}

/* It counts as memory of the process, which the caller has filled in. */
static void
measure (GhloDeviceMemory *self,
         GhloMemoryUse    *use,
         gboolean          restarts)
{
  if (restarts)
    ghlo_memory_reset_peak ();
}

GhloDeviceMemory *
fake_memory_new (GhloDeviceCore *device)
{
  static const GhloDeviceMemoryClass klass = {
    .alloc = alloc, .free = free_block_later, .upload = upload, .download = download, .copy = copy, .measure = measure,
  };
  Memory *self = g_new0 (Memory, 1);

  self->base = (GhloDeviceMemory) { .klass = &klass, .name = "fake" };
  self->device = device;
  g_mutex_init (&self->lock);
  self->blocks = g_tree_new_full (compare, NULL, NULL, free_block);

  return &self->base;
}
