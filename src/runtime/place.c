/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fetches values to the host, places them on devices, and copies them where they are.
 */

#include "runtime/place.h"

#include <string.h>

#include "base/stack.h"

gboolean
ghlo_value_has_host_members (const GhloValue *self)
{
  for (guint i = 0; i < self->n_members; i++)
    if (!ghlo_value_is_on_host (self->members[i]))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_value_is_on (const GhloValue *self,
                  GhloDeviceCore  *device)
{
  if (ghlo_device_core_is_host (device))
    return ghlo_value_is_on_host (self);
  if (self->kind == GHLO_VALUE_TENSOR)
    return self->storage->device == device;
  for (guint i = 0; i < self->n_members; i++)
    if (!ghlo_value_is_on (self->members[i], device))
      return FALSE;

  return TRUE;
}

GhloDeviceCore *
ghlo_value_get_device (const GhloValue *self)
{
  GhloDeviceCore *device = NULL;

  if (self->kind == GHLO_VALUE_TENSOR)
    return self->storage->device;
  for (guint i = 0; i < self->n_members && device == NULL; i++)
    device = ghlo_value_get_device (self->members[i]);

  return device;
}

GhloFence *
ghlo_value_get_fence (const GhloValue *self)
{
  GhloFence *fence = NULL;

  if (self->kind == GHLO_VALUE_TENSOR)
    {
      fence = self->storage->fence;
      return ghlo_fence_is_done (fence) && ghlo_fence_get_error (fence) == NULL ? NULL : fence;
    }
  for (guint i = 0; i < self->n_members && fence == NULL; i++)
    fence = ghlo_value_get_fence (self->members[i]);

  return fence;
}

static gboolean
fetch (GhloValue          *self,
       const GhloMonitor  *monitor,
       GError            **error)
{
  GhloStorage *storage;

  if (self->kind == GHLO_VALUE_TENSOR)
    {
      if (g_atomic_pointer_get (&self->data) != NULL)
        return TRUE;
      storage = ghlo_storage_fetch (self->storage, monitor, error);
      if (storage != NULL)
        g_atomic_pointer_set (&self->data, storage->host);
      return storage != NULL;
    }
  for (guint i = 0; i < self->n_members; i++)
    if (!fetch (self->members[i], monitor, error))
      return FALSE;

  return TRUE;
}

typedef struct
{
  GhloValue         *value;
  const GhloMonitor *monitor;
  GError           **error;
} Fetch;

static gpointer
run_fetch (gpointer data)
{
  const Fetch *self = data;

  return GINT_TO_POINTER (fetch (self->value, self->monitor, self->error));
}

gboolean
ghlo_value_fetch (GhloValue          *self,
                  const GhloMonitor  *monitor,
                  GError            **error)
{
  return (self->kind == GHLO_VALUE_TENSOR && g_atomic_pointer_get (&self->data) != NULL)
         || ghlo_stack_call (run_fetch, &(Fetch) { self, monitor, error }) != NULL;
}

/* Applied to each tensor of a value. */
typedef GhloValue *(*TensorFunc) (GhloValue          *tensor,
                                  GhloDeviceCore     *device,
                                  const GhloMonitor  *monitor,
                                  GError            **error);

static GhloValue *
apply (GhloValue          *self,
       TensorFunc          func,
       GhloDeviceCore     *device,
       const GhloMonitor  *monitor,
       GError            **error)
{
  g_autoptr (GPtrArray) members = NULL;

  if (self->kind == GHLO_VALUE_TENSOR)
    return func (self, device, monitor, error);
  if (self->kind != GHLO_VALUE_TUPLE)
    return ghlo_value_ref (self);

  members = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);
  for (guint i = 0; i < self->n_members; i++)
    {
      GhloValue *member = apply (self->members[i], func, device, monitor, error);

      if (member == NULL)
        return NULL;
      g_ptr_array_add (members, member);
    }

  return ghlo_value_new_tuple ((GhloValue *const *) members->pdata, members->len);
}

/* Returns a value that reads a device's memory in place, without permission to write to it. */
static GhloValue *
new_on_host (GhloTensorType  *type,
             GhloStorage     *storage,
             GError         **error)
{
  g_autoptr (GhloStorage) seen = storage->kind == GHLO_MEMORY_HOST
                                 ? ghlo_storage_ref (storage)
                                 : ghlo_storage_new_lent (storage->host, storage->size,
                                                          (GDestroyNotify) ghlo_storage_unref,
                                                          ghlo_storage_ref (storage));

  return ghlo_value_new_over (type, seen, error);
}

static GhloValue *
place_tensor (GhloValue          *tensor,
              GhloDeviceCore     *device,
              const GhloMonitor  *monitor,
              GError            **error)
{
  g_autoptr (GhloStorage) storage = NULL;
  GhloStorage *on_host;

  if (tensor->storage->device == (ghlo_device_core_is_host (device) ? NULL : device))
    return ghlo_value_ref (tensor);
  on_host = ghlo_storage_fetch (tensor->storage, monitor, error);
  if (on_host == NULL)
    return NULL;
  if (ghlo_device_core_is_host (device))
    return new_on_host (tensor->type, on_host, error);
  storage = ghlo_storage_new_on (device, GHLO_MEMORY_UPLOAD, tensor->n_bytes, error);
  if (storage == NULL || !ghlo_storage_upload (storage, on_host->host, monitor, error))
    return NULL;

  return ghlo_value_new_over (tensor->type, storage, error);
}

static GhloValue *
show_tensor (GhloValue          *tensor,
             GhloDeviceCore     *device,
             const GhloMonitor  *monitor,
             GError            **error)
{
  g_autoptr (GhloStorage) seen = ghlo_storage_new_view (device, tensor->storage);

  return seen != NULL ? ghlo_value_new_over (tensor->type, seen, error)
                      : place_tensor (tensor, device, monitor, error);
}

GhloValue *
ghlo_value_place (GhloValue          *self,
                  GhloDeviceCore     *device,
                  const GhloMonitor  *monitor,
                  GError            **error)
{
  return apply (self, place_tensor, device, monitor, error);
}

GhloValue *
ghlo_value_place_read_only (GhloValue          *self,
                            GhloDeviceCore     *device,
                            const GhloMonitor  *monitor,
                            GError            **error)
{
  return apply (self, show_tensor, device, monitor, error);
}

static GhloValue *
copy_tensor (GhloValue          *tensor,
             GhloDeviceCore     *device,
             const GhloMonitor  *monitor,
             GError            **error)
{
  g_autoptr (GhloStorage) storage = NULL;
  GhloValue *copy;

  if (!ghlo_device_core_is_host (device))
    {
      storage = ghlo_storage_new_on (device, GHLO_MEMORY_DEVICE, tensor->n_bytes, error);
      if (storage == NULL || !ghlo_storage_copy (tensor->storage, storage, error))
        return NULL;
      return ghlo_value_new_over (tensor->type, storage, error);
    }
  copy = ghlo_value_new_uninitialized (tensor->type, error);
  if (copy != NULL && tensor->n_bytes > 0)
    memcpy (copy->data, tensor->data, tensor->n_bytes);

  return copy;
}

GhloValue *
ghlo_value_copy (GhloValue       *self,
                 GhloDeviceCore  *device,
                 GError         **error)
{
  return apply (self, copy_tensor, device, NULL, error);
}
