/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reference counting of storage, and copies on the host.
 */

#include "runtime/storage.h"

#include "base/new.h"
#include "runtime/device.h"
#include "runtime/memory.h"

void
ghlo_storage_init_host (GhloStorage *self,
                        gpointer     memory,
                        gsize        size)
{
  g_atomic_ref_count_init (&self->ref_count);
  self->space = GHLO_MEMORY_HOST;
  self->address = (guintptr) memory;
  self->size = size;
  self->host = memory;
}

void
ghlo_storage_clear_host (GhloStorage *self)
{
  if (self->release != NULL)
    self->release (self->lender);
  else
    ghlo_memory_free (self->host, self->size);
}

static void
destroy_host (GhloStorage *self)
{
  ghlo_storage_clear_host (self);
  g_free (self);
}

GhloStorage *
ghlo_storage_new_host (gsize    size,
                       GError **error)
{
  gpointer memory = ghlo_memory_alloc_uninitialized (size, error);
  GhloStorage *self;

  if (memory == NULL)
    return NULL;

  self = ghlo_new0 (GhloStorage);
  ghlo_storage_init_host (self, memory, size);
  self->destroy = destroy_host;

  return self;
}

/* The address of empty lent memory. */
static guint8 nothing[1];

/* The release function where the lender gave none. */
static void
do_nothing (gpointer data)
{
}

GhloStorage *
ghlo_storage_new_lent (gpointer       memory,
                       gsize          size,
                       GDestroyNotify release,
                       gpointer       data)
{
  GhloStorage *self = ghlo_new0 (GhloStorage);

  ghlo_storage_init_host (self, memory != NULL ? memory : nothing, size);
  self->release = release != NULL ? release : do_nothing;
  self->lender = data;
  self->destroy = destroy_host;

  return self;
}

GhloStorage *
ghlo_storage_ref (GhloStorage *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_storage_unref (GhloStorage *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_clear_pointer (&self->pending, ghlo_pending_unref);
  g_clear_pointer (&self->copy, ghlo_storage_unref);
  self->destroy (self);
}

void
ghlo_storage_rewrite (GhloStorage *self,
                      GhloPending *pending)
{
  g_clear_pointer (&self->copy, ghlo_storage_unref);
  g_clear_pointer (&self->pending, ghlo_pending_unref);
  self->pending = pending != NULL ? ghlo_pending_ref (pending) : NULL;
}

static GhloStorage *
download (GhloStorage        *self,
          const GhloMonitor  *monitor,
          GError            **error)
{
  g_autoptr (GhloStorage) copy = ghlo_storage_new_host (self->size, error);

  if (copy == NULL || !ghlo_device_core_download (self->device, self, copy->host, monitor, error))
    return NULL;

  return g_steal_pointer (&copy);
}

/* Guards is_copying and copying of all storages. */
static GMutex copy_lock;

/* Returns NULL if the caller is to make the copy; else the pending copy of another thread, transfer full. */
static GhloPending *
begin_copy (GhloStorage *self)
{
  GhloPending *copying = NULL;

  g_mutex_lock (&copy_lock);
  if (self->is_copying && self->copying == NULL)
    self->copying = ghlo_pending_new ();
  if (self->is_copying)
    copying = ghlo_pending_ref (self->copying);
  self->is_copying = TRUE;
  g_mutex_unlock (&copy_lock);

  return copying;
}

static void
end_copy (GhloStorage *self)
{
  g_autoptr (GhloPending) copying = NULL;

  g_mutex_lock (&copy_lock);
  self->is_copying = FALSE;
  copying = g_steal_pointer (&self->copying);
  g_mutex_unlock (&copy_lock);
  if (copying != NULL)
    ghlo_pending_end (copying, NULL);
}

/* Copies storage of a device that is written. If another thread's copy fails or is cancelled, a waiting thread makes
 * the copy itself. */
static GhloStorage *
fetch_once (GhloStorage        *self,
            const GhloMonitor  *monitor,
            GError            **error)
{
  GhloStorage *copy = g_atomic_pointer_get (&self->copy);

  while (copy == NULL)
    {
      g_autoptr (GhloPending) copying = begin_copy (self);

      if (!ghlo_pending_wait (copying, monitor, error))
        return NULL;
      copy = g_atomic_pointer_get (&self->copy);
      if (copying != NULL)
        continue;
      if (copy == NULL)
        copy = download (self, monitor, error);
      g_atomic_pointer_set (&self->copy, copy);
      end_copy (self);
      if (copy == NULL)
        return NULL;
    }

  return copy;
}

GhloStorage *
ghlo_storage_fetch (GhloStorage        *self,
                    const GhloMonitor  *monitor,
                    GError            **error)
{
  GhloStorage *copy = g_atomic_pointer_get (&self->copy);

  if (copy != NULL)
    return copy;
  if (!ghlo_pending_wait (self->pending, monitor, error))
    return NULL;
  if (self->host == NULL)
    return fetch_once (self, monitor, error);

  return self->device == NULL || ghlo_device_core_check (self->device, error) ? self : NULL;
}
