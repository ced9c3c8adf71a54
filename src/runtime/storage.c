/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Storage in host memory and on devices, and copies on the host that are made once.
 */

#include "runtime/storage.h"

#include <string.h>

#include "base/new.h"
#include "runtime/memory.h"
#include "runtime/value.h"

/* Alignment in bytes of what devices read in place. */
enum { VIEW_ALIGNMENT = 64 };

void
ghlo_storage_init_host (GhloStorage *self,
                        gpointer     memory,
                        gsize        size)
{
  g_atomic_ref_count_init (&self->ref_count);
  self->kind = GHLO_MEMORY_HOST;
  self->address = (guintptr) memory;
  self->size = size;
  self->host = memory;
}

void
ghlo_storage_clear_host (GhloStorage *self)
{
  if (self->is_discarded)
    return;
  if (self->release != NULL)
    self->release (self->owner_data);
  else
    ghlo_memory_free (self->host, self->size);
}

void
ghlo_storage_discard (GhloStorage *self)
{
  ghlo_storage_clear_host (self);
  self->is_discarded = TRUE;
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

/* The release function of lent memory whose owner gave none. */
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
  self->owner_data = data;
  self->destroy = destroy_host;

  return self;
}

static gpointer
address_of (const GhloStorage *self)
{
  return GSIZE_TO_POINTER (self->address);
}

static void
destroy_on_device (GhloStorage *self)
{
  GhloDeviceMemory *memory = self->device->memory;

  memory->klass->free (memory, address_of (self), self->size);
  g_free (self);
}

GhloStorage *
ghlo_storage_new_on (GhloDeviceCore  *device,
                     GhloMemoryKind   kind,
                     gsize            size,
                     GError         **error)
{
  GhloDeviceMemory *memory = device->memory;
  gpointer address, host = NULL;
  GhloStorage *self;

  if (!ghlo_device_core_check (device, error))
    return NULL;
  if (size > memory->max_host_visible)
    kind = GHLO_MEMORY_DEVICE;
  address = memory->klass->alloc (memory, kind, size, &host, error);
  if (address == NULL)
    return NULL;
  self = ghlo_new0 (GhloStorage);
  g_atomic_ref_count_init (&self->ref_count);
  self->kind = kind;
  self->device = device;
  self->address = GPOINTER_TO_SIZE (address);
  self->size = size;
  self->host = kind != GHLO_MEMORY_UPLOAD ? host : NULL;
  self->destroy = destroy_on_device;

  return self;
}

static void
free_view (gpointer data)
{
  g_autofree GhloStorage *self = data;
  GhloDeviceMemory *memory = self->device->memory;

  memory->klass->free (memory, address_of (self), self->size);
  ghlo_storage_clear_host (self);
}

/* What is in the device's queue may still read the memory. */
static void
destroy_view (GhloStorage *self)
{
  GhloDeviceQueue *queue = self->device->queue;
  g_autoptr (GhloFence) fence = queue != NULL ? queue->klass->add_fence (queue, GHLO_WAIT_FOR_RUN) : NULL;

  ghlo_fence_notify (ghlo_fence_has_ended (fence) ? NULL : fence, free_view, self);
}

/* The view is lent storage, so the holder of its last reference does not write to it. */
GhloStorage *
ghlo_storage_new_view (GhloDeviceCore *device,
                       GhloStorage    *host)
{
  GhloDeviceMemory *memory = device->memory;
  const gboolean may = memory != NULL && memory->klass->wrap != NULL && host->kind == GHLO_MEMORY_HOST
                       && host->address % VIEW_ALIGNMENT == 0;
  gpointer address = may ? memory->klass->wrap (memory, host->host, host->size) : NULL;
  GhloStorage *self;

  if (address == NULL)
    return NULL;
  self = ghlo_storage_new_lent (host->host, host->size, (GDestroyNotify) ghlo_storage_unref, ghlo_storage_ref (host));
  self->kind = GHLO_MEMORY_DEVICE;
  self->device = device;
  self->address = GPOINTER_TO_SIZE (address);
  self->destroy = destroy_view;

  return self;
}

gboolean
ghlo_storage_upload (GhloStorage        *self,
                     gconstpointer       from,
                     const GhloMonitor  *monitor,
                     GError            **error)
{
  GhloDeviceMemory *memory = self->device->memory;

  return ghlo_device_core_check (self->device, error)
         && memory->klass->upload (memory, from, address_of (self), self->size, TRUE, monitor, error);
}

gboolean
ghlo_storage_download (GhloStorage        *self,
                       gpointer            to,
                       const GhloMonitor  *monitor,
                       GError            **error)
{
  GhloDeviceMemory *memory = self->device->memory;

  if (!ghlo_device_core_check (self->device, error))
    return FALSE;
  if (self->host == NULL)
    return memory->klass->download (memory, address_of (self), to, self->size, monitor, error);
  if (!ghlo_fence_wait (self->fence, monitor, error))
    return FALSE;
  if (self->size > 0)
    memcpy (to, self->host, self->size);

  return TRUE;
}

gboolean
ghlo_storage_copy (GhloStorage  *from,
                   GhloStorage  *to,
                   GError      **error)
{
  GhloDeviceCore *device = from->device;
  GhloDeviceMemory *memory = device->memory;

  if (!ghlo_device_core_check (device, error))
    return FALSE;
  if (from->size == 0)
    return TRUE;
  if (!memory->klass->copy (memory, address_of (from), address_of (to), from->size, error))
    return FALSE;
  if (device->queue != NULL)
    to->fence = device->queue->klass->add_fence (device->queue, GHLO_WAIT_FOR_RUN);

  return TRUE;
}

void
ghlo_device_core_measure_memory (GhloDeviceCore *self,
                                 GhloMemoryUse  *use)
{
  *use = (GhloMemoryUse) { ghlo_memory_get_used (), ghlo_memory_get_peak (), ghlo_memory_get_limit () };
  if (self->memory != NULL)
    self->memory->klass->measure (self->memory, use, FALSE);
}

void
ghlo_device_core_reset_memory_peak (GhloDeviceCore *self)
{
  GhloMemoryUse use;

  if (self->memory != NULL)
    self->memory->klass->measure (self->memory, &use, TRUE);
  else
    ghlo_memory_reset_peak ();
}

static GhloStorage *
download (GhloStorage        *self,
          const GhloMonitor  *monitor,
          GError            **error)
{
  g_autoptr (GhloStorage) copy = ghlo_storage_new_host (self->size, error);

  if (copy == NULL || !ghlo_storage_download (self, copy->host, monitor, error))
    return NULL;

  return g_steal_pointer (&copy);
}

/* Guards is_copying and copying of all storages. */
static GMutex copy_lock;

/* Returns NULL if the caller is to make the copy; else the pending copy of another thread, transfer full. */
static GhloFence *
begin_copy (GhloStorage *self)
{
  GhloFence *copying = NULL;

  g_mutex_lock (&copy_lock);
  if (self->is_copying && self->copying == NULL)
    self->copying = ghlo_fence_new ();
  if (self->is_copying)
    copying = ghlo_fence_ref (self->copying);
  self->is_copying = TRUE;
  g_mutex_unlock (&copy_lock);

  return copying;
}

static void
end_copy (GhloStorage *self)
{
  g_autoptr (GhloFence) copying = NULL;

  g_mutex_lock (&copy_lock);
  self->is_copying = FALSE;
  copying = g_steal_pointer (&self->copying);
  g_mutex_unlock (&copy_lock);
  if (copying != NULL)
    ghlo_fence_signal (copying, NULL);
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
      g_autoptr (GhloFence) copying = begin_copy (self);

      if (!ghlo_fence_wait (copying, monitor, error))
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
  if (!ghlo_fence_wait (self->fence, monitor, error))
    return NULL;
  if (self->host == NULL)
    return fetch_once (self, monitor, error);

  return self->device == NULL || ghlo_device_core_check (self->device, error) ? self : NULL;
}
