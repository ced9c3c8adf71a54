/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lock order: all_lock, then the lock of one GhloVulkanImports, then that of the pool or of the device's memory.
 */

#include "vulkan/imports.h"

#include "runtime/memory.h"
#include "runtime/pool.h"
#include "runtime/value.h"
#include "vulkan/handles.h"
#include "vulkan/memory.h"

/* Imported memory is pinned, so at most 1 / LIMIT_DIVISOR of the library's memory limit is imported. */
enum { LIMIT_DIVISOR = 4 };

typedef struct
{
  gpointer block;
  gsize    capacity;
  guint64  address;     /* device address; 0: the driver declined to import the block */
  guint    n_forks;     /* ghlo_pool_get_forks () at the time of the import */
  guint    n_users;     /* transfers under way, and storage over the block */
} Import;

struct _GhloVulkanImports
{
  GhloVulkanDevice *device;
  GMutex            lock;       /* guards the fields below */
  GHashTable       *of_block;   /* block → Import */
  gsize             size;       /* bytes of all imported blocks */
};

static GMutex all_lock;         /* guards @all */
static GPtrArray *all;          /* GhloVulkanImports */

/* Called with the lock held. */
static void
drop (GhloVulkanImports *self,
      gpointer           block)
{
  const Import *import = g_hash_table_lookup (self->of_block, block);

  if (import == NULL)
    return;
  if (import->address != 0)
    {
      ghlo_vulkan_memory_unimport (self->device->memory, import->address);
      self->size -= import->capacity;
    }
  g_hash_table_remove (self->of_block, block);
}

static void
leaving (gpointer block)
{
  g_mutex_lock (&all_lock);
  for (guint i = 0; i < all->len; i++)
    {
      GhloVulkanImports *self = all->pdata[i];

      g_mutex_lock (&self->lock);
      drop (self, block);
      g_mutex_unlock (&self->lock);
    }
  g_mutex_unlock (&all_lock);
}

GhloVulkanImports *
ghlo_vulkan_imports_new (GhloVulkanDevice *device)
{
  GhloVulkanImports *self;

  if (!device->handles->has_host_memory || device->handles->vk->GetMemoryHostPointerPropertiesEXT == NULL)
    return NULL;
  self = g_new0 (GhloVulkanImports, 1);
  self->device = device;
  self->of_block = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_mutex_init (&self->lock);
  g_mutex_lock (&all_lock);
  if (all == NULL)
    {
      all = g_ptr_array_new ();
      ghlo_pool_watch (leaving);
    }
  g_ptr_array_add (all, self);
  g_mutex_unlock (&all_lock);

  return self;
}

void
ghlo_vulkan_imports_free (GhloVulkanImports *self)
{
  g_mutex_lock (&all_lock);
  g_ptr_array_remove_fast (all, self);
  g_mutex_unlock (&all_lock);
  g_hash_table_unref (self->of_block);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Records a block that the driver declined as well, so as not to try it again. */
static void
import_block (GhloVulkanImports *self,
              gpointer           block,
              gsize              capacity,
              guint              n_forks)
{
  const gsize most = ghlo_memory_get_limit () / LIMIT_DIVISOR;
  const Import import = { block, capacity, 0, n_forks };
  g_autoptr (GError) error = NULL;
  Import *made;

  if (capacity > most - MIN (most, self->size))
    return;
  made = g_memdup2 (&import, sizeof import);
  made->address = ghlo_vulkan_memory_import (self->device->memory, block, capacity, &error);
  if (made->address != 0)
    self->size += capacity;
  else
    g_debug ("%" G_GSIZE_FORMAT " bytes of host memory are copied instead of imported: %s", capacity, error->message);
  g_hash_table_insert (self->of_block, block, made);
}

guint64
ghlo_vulkan_imports_take (GhloVulkanImports *self,
                          gconstpointer      host,
                          gsize              size)
{
  const guint n_forks = ghlo_pool_get_forks ();
  Import *import;
  gpointer block;
  gsize capacity;
  guint64 address = 0;

  if (self == NULL || !ghlo_pool_find (host, size, &block, &capacity))
    return 0;
  g_mutex_lock (&self->lock);
  import = g_hash_table_lookup (self->of_block, block);
  if (import != NULL && import->n_forks != n_forks && import->n_users == 0)
    drop (self, block);
  if (!g_hash_table_contains (self->of_block, block))
    import_block (self, block, capacity, n_forks);
  import = g_hash_table_lookup (self->of_block, block);
  if (import != NULL && import->address != 0 && import->n_forks == n_forks)
    {
      import->n_users++;
      address = import->address + (guint64) ((const guint8 *) host - (const guint8 *) block);
    }
  g_mutex_unlock (&self->lock);

  return address;
}

void
ghlo_vulkan_imports_give (GhloVulkanImports *self,
                          gconstpointer      host)
{
  gpointer block;
  gsize capacity;

  g_mutex_lock (&self->lock);
  if (ghlo_pool_find (host, 0, &block, &capacity))
    ((Import *) g_hash_table_lookup (self->of_block, block))->n_users--;
  g_mutex_unlock (&self->lock);
}
