/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Buffers whose content the caller provides later, in chunks: futures that are set when the last chunk arrives.
 * Chunks are copied to host memory within their calls; the complete content is then moved to the device.
 */

#include <string.h>

#include "base/ghlo-error.h"
#include "pjrt/buffer.h"
#include "pjrt/error.h"
#include "pjrt/event.h"
#include "runtime/place.h"

typedef struct
{
  GhloPjrtShape    shape;       /* owned, as are all fields */
  GhloPjrtFuture *future;
  GhloValue       *value;       /* the content so far; NULL once the future is set or has failed; guarded by the lock,
                                   as is the next */
  PJRT_Buffer     *buffer;      /* NULL once it has been retrieved */
} Entry;

struct PJRT_AsyncHostToDeviceTransferManager
{
  PJRT_Device *device;
  GMutex       lock;
  Entry       *entries;         /* owned */
  gsize        n_entries;
};

/* Takes the content out of the entry (transfer full): the caller is then the only one that may set the future. */
static GhloValue *
take_value (PJRT_AsyncHostToDeviceTransferManager *self,
            Entry                                 *entry)
{
  GhloValue *value;

  g_mutex_lock (&self->lock);
  value = g_steal_pointer (&entry->value);
  g_mutex_unlock (&self->lock);

  return value;
}

/* Fails the future unless it has been set already. Takes over @error. */
static void
fail_future (PJRT_AsyncHostToDeviceTransferManager *self,
               Entry                                 *entry,
               GError                                *error)
{
  g_autoptr (GhloValue) value = take_value (self, entry);

  if (value != NULL)
    ghlo_fence_signal (entry->future->fence, error);
  else
    g_error_free (error);
}

static void
manager_free (PJRT_AsyncHostToDeviceTransferManager *self)
{
  for (gsize i = 0; i < self->n_entries; i++)
    {
      Entry *entry = &self->entries[i];

      if (entry->future != NULL)
        fail_future (self, entry, g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED,
                                                         "the transfer to the buffer was abandoned"));
      g_clear_pointer (&entry->buffer, ghlo_pjrt_buffer_free);
      g_clear_pointer (&entry->future, ghlo_pjrt_future_unref);
      ghlo_pjrt_shape_clear (&entry->shape);
    }
  g_free (self->entries);
  g_mutex_clear (&self->lock);
  ghlo_pjrt_client_unref (self->device->client);
  g_free (self);
}

static gboolean
init_entry (Entry                           *self,
            PJRT_Device                     *device,
            const PJRT_ShapeSpec            *spec,
            const PJRT_Buffer_MemoryLayout  *layout,
            GError                         **error)
{
  g_autoptr (GhloFence) fence = NULL;

  if (ghlo_pjrt_shape_read (&self->shape, spec->element_type, spec->dims, spec->num_dims, layout, error))
    self->value = ghlo_value_new_uninitialized (self->shape.stored, error);
  if (self->value == NULL)
    return FALSE;
  fence = ghlo_fence_new ();
  self->future = ghlo_pjrt_future_new_unset (fence);
  self->buffer = ghlo_pjrt_buffer_new_future (device, self->shape.type, ghlo_pjrt_future_ref (self->future));
  ghlo_pjrt_buffer_lay_out (self->buffer, self->shape.type, self->shape.layout);

  return TRUE;
}

static PJRT_Error *
create_buffers (PJRT_Client_CreateBuffersForAsyncHostToDevice_Args *args)
{
  PJRT_AsyncHostToDeviceTransferManager *self;
  GError *error = NULL;

  PJRT_NEEDS (args, transfer_manager);
  self = g_new0 (PJRT_AsyncHostToDeviceTransferManager, 1);
  self->device = args->memory != NULL ? args->memory->device : args->client->devices[0];
  ghlo_pjrt_client_ref (self->device->client);
  g_mutex_init (&self->lock);
  self->n_entries = args->num_shape_specs;
  self->entries = g_new0 (Entry, self->n_entries);
  for (gsize i = 0; i < self->n_entries; i++)
    if (!init_entry (&self->entries[i], self->device, &args->shape_specs[i],
                     args->device_layouts != NULL && i < args->num_device_layouts ? args->device_layouts[i] : NULL,
                     &error))
      {
        manager_free (self);
        return ghlo_pjrt_error_take (error);
      }
  for (gsize i = 0; args->memory != NULL && i < self->n_entries; i++)
    self->entries[i].buffer->memory = args->memory;
  args->transfer_manager = self;

  return NULL;
}

static PJRT_Error *
destroy (PJRT_AsyncHostToDeviceTransferManager_Destroy_Args *args)
{
  PJRT_NEEDS (args, transfer_manager);
  if (args->transfer_manager != NULL)
    manager_free (args->transfer_manager);

  return NULL;
}

static Entry *
find_entry (PJRT_AsyncHostToDeviceTransferManager  *self,
            int                                     index,
            PJRT_Error                            **refusal)
{
  if (index >= 0 && (gsize) index < self->n_entries)
    return &self->entries[index];
  *refusal = ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "expected a buffer index below %zu, found %d",
                                  self->n_entries, index);

  return NULL;
}

/* Called when the content is complete. */
static void
set_future (PJRT_AsyncHostToDeviceTransferManager *self,
              Entry                                 *entry)
{
  g_autoptr (GhloValue) value = take_value (self, entry);
  GError *error = NULL;
  GhloValue *placed;

  if (value == NULL)
    return;
  ghlo_pjrt_normalize_elements (value);
  placed = ghlo_value_place (value, self->device->core, NULL, &error);
  /* Released, so that only the future holds the value. */
  g_clear_pointer (&value, ghlo_value_unref);
  if (placed != NULL)
    ghlo_pjrt_future_set (entry->future, placed);
  ghlo_fence_signal (entry->future->fence, error);
}

/* Copies a range of bytes, in their final layout, to the buffer. The last chunk completes it. */
static PJRT_Error *
transfer (PJRT_AsyncHostToDeviceTransferManager *self,
          Entry                                 *entry,
          const void                            *data,
          int64_t                                offset,
          int64_t                                size,
          gboolean                               is_last,
          PJRT_Event                           **done)
{
  PJRT_Error *refusal = ghlo_pjrt_error_of_range (offset, size, ghlo_tensor_type_get_size (entry->shape.type));
  g_autoptr (GhloValue) value = NULL;

  if (refusal != NULL)
    return refusal;
  g_mutex_lock (&self->lock);
  if (entry->value != NULL)
    value = ghlo_value_ref (entry->value);
  g_mutex_unlock (&self->lock);
  if (value == NULL)
    return ghlo_pjrt_error_new (PJRT_Error_Code_FAILED_PRECONDITION, "the transfer to the buffer is complete already");
  if (size > 0)
    memcpy (value->data + offset, data, (gsize) size);
  g_clear_pointer (&value, ghlo_value_unref);
  if (is_last)
    set_future (self, entry);
  *done = ghlo_pjrt_event_new (NULL);

  return NULL;
}

static PJRT_Error *
transfer_data (PJRT_AsyncHostToDeviceTransferManager_TransferData_Args *args)
{
  PJRT_Error *refusal = NULL;
  Entry *entry;

  PJRT_NEEDS (args, done_with_h2d_transfer);
  entry = find_entry (args->transfer_manager, args->buffer_index, &refusal);
  if (entry == NULL)
    return refusal;

  return transfer (args->transfer_manager, entry, args->data, args->offset, args->transfer_size,
                   args->is_last_transfer, &args->done_with_h2d_transfer);
}

static PJRT_Error *
transfer_literal (PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args *args)
{
  g_auto (GhloPjrtShape) shape = { NULL };
  g_autoptr (GhloValue) laid_out = NULL;
  PJRT_Error *refusal = NULL;
  GError *error = NULL;
  Entry *entry;

  PJRT_NEEDS (args, done_with_h2d_transfer);
  entry = find_entry (args->transfer_manager, args->buffer_index, &refusal);
  if (entry == NULL)
    return refusal;
  if (!ghlo_pjrt_shape_read (&shape, args->shape_element_type, args->shape_dims, args->shape_num_dims,
                             args->shape_layout, &error))
    return ghlo_pjrt_error_take (error);
  if (!ghlo_tensor_type_equal (shape.type, entry->shape.type))
    {
      g_autofree char *expected = ghlo_tensor_type_to_string (entry->shape.type);
      g_autofree char *found = ghlo_tensor_type_to_string (shape.type);

      return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "expected %s for the buffer, found %s", expected,
                                  found);
    }
  if (!ghlo_pjrt_layout_equal (shape.layout, entry->shape.layout))
    {
      laid_out = ghlo_pjrt_layout_convert (shape.type, args->data, shape.layout, entry->shape.layout, &error);
      if (laid_out == NULL)
        return ghlo_pjrt_error_take (error);
    }

  return transfer (args->transfer_manager, entry, laid_out != NULL ? laid_out->data : args->data, 0,
                   ghlo_tensor_type_get_size (shape.type), TRUE, &args->done_with_h2d_transfer);
}

/* Each buffer can be retrieved once. */
static PJRT_Error *
retrieve_buffer (PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args *args)
{
  PJRT_Error *refusal = NULL;
  Entry *entry;

  PJRT_NEEDS (args, buffer_out);
  entry = find_entry (args->transfer_manager, args->buffer_index, &refusal);
  if (entry == NULL)
    return refusal;
  g_mutex_lock (&args->transfer_manager->lock);
  args->buffer_out = g_steal_pointer (&entry->buffer);
  g_mutex_unlock (&args->transfer_manager->lock);
  if (args->buffer_out == NULL)
    return ghlo_pjrt_error_new (PJRT_Error_Code_FAILED_PRECONDITION, "the buffer was retrieved already");

  return NULL;
}

static PJRT_Error *
get_device (PJRT_AsyncHostToDeviceTransferManager_Device_Args *args)
{
  PJRT_NEEDS (args, device_out);
  args->device_out = args->transfer_manager->device;

  return NULL;
}

static PJRT_Error *
buffer_count (PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args *args)
{
  PJRT_NEEDS (args, buffer_count);
  args->buffer_count = args->transfer_manager->n_entries;

  return NULL;
}

static PJRT_Error *
buffer_size (PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args *args)
{
  PJRT_Error *refusal = NULL;
  const Entry *entry;

  PJRT_NEEDS (args, buffer_size);
  entry = find_entry (args->transfer_manager, args->buffer_index, &refusal);
  if (entry != NULL)
    args->buffer_size = (gsize) ghlo_tensor_type_get_size (entry->shape.type);

  return refusal;
}

static PJRT_Error *
set_buffer_error (PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args *args)
{
  PJRT_Error *refusal = NULL;
  Entry *entry;

  PJRT_NEEDS (args, error_message_size);
  entry = find_entry (args->transfer_manager, args->buffer_index, &refusal);
  if (entry != NULL)
    fail_future (args->transfer_manager, entry, ghlo_pjrt_error_of_code (args->error_code, args->error_message,
                                                                           args->error_message_size));

  return refusal;
}

/* Nothing is traced. */
static PJRT_Error *
add_metadata (PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args *args)
{
  PJRT_NEEDS (args, num_metadata);

  return NULL;
}

void
ghlo_pjrt_transfer_add_functions (PJRT_Api *api)
{
  api->PJRT_Client_CreateBuffersForAsyncHostToDevice = create_buffers;
  api->PJRT_AsyncHostToDeviceTransferManager_Destroy = destroy;
  api->PJRT_AsyncHostToDeviceTransferManager_TransferData = transfer_data;
  api->PJRT_AsyncHostToDeviceTransferManager_TransferLiteral = transfer_literal;
  api->PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer = retrieve_buffer;
  api->PJRT_AsyncHostToDeviceTransferManager_Device = get_device;
  api->PJRT_AsyncHostToDeviceTransferManager_BufferCount = buffer_count;
  api->PJRT_AsyncHostToDeviceTransferManager_BufferSize = buffer_size;
  api->PJRT_AsyncHostToDeviceTransferManager_SetBufferError = set_buffer_error;
  api->PJRT_AsyncHostToDeviceTransferManager_AddMetadata = add_metadata;
}
