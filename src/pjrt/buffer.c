/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's buffers: their properties, lifetimes and copies.
 */

#include "pjrt/buffer.h"

#include "base/ghlo-error.h"
#include "base/new.h"
#include "pjrt/element-type.h"
#include "pjrt/error.h"
#include "pjrt/event.h"
#include "pjrt/queue.h"
#include "runtime/place.h"

PJRT_Buffer *
ghlo_pjrt_buffer_new_future (PJRT_Device    *device,
                             GhloTensorType *type,
                             GhloPjrtFuture *future)
{
  PJRT_Buffer *self = ghlo_new0 (PJRT_Buffer);

  self->device = device;
  self->memory = device->memories[GHLO_PJRT_MEMORY_DEVICE];
  ghlo_pjrt_client_ref (device->client);
  self->type = ghlo_tensor_type_ref (type);
  self->layout = ghlo_pjrt_layout_row_major (ghlo_tensor_type_get_rank (type));
  self->ready = future->fence != NULL ? ghlo_fence_ref (future->fence) : NULL;
  g_mutex_init (&self->lock);
  self->future = future;

  return self;
}

PJRT_Buffer *
ghlo_pjrt_buffer_new_value (PJRT_Device *device,
                            GhloValue   *value)
{
  return ghlo_pjrt_buffer_new_future (device, value->type, ghlo_pjrt_future_new_value (value));
}

void
ghlo_pjrt_buffer_lay_out (PJRT_Buffer               *self,
                          GhloTensorType            *type,
                          PJRT_Layouts_MemoryLayout *layout)
{
  if (layout == self->layout)
    return;
  ghlo_tensor_type_unref (self->type);
  ghlo_pjrt_layout_unref (self->layout);
  self->type = ghlo_tensor_type_ref (type);
  self->layout = ghlo_pjrt_layout_ref (layout);
}

void
ghlo_pjrt_buffer_free (PJRT_Buffer *self)
{
  g_clear_pointer (&self->future, ghlo_pjrt_future_unref);
  g_clear_pointer (&self->lent, ghlo_pjrt_future_unref);
  g_clear_pointer (&self->ready, ghlo_fence_unref);
  ghlo_tensor_type_unref (self->type);
  ghlo_pjrt_layout_unref (self->layout);
  g_mutex_clear (&self->lock);
  ghlo_pjrt_client_unref (self->device->client);
  g_free (self);
}

GhloPjrtFuture *
ghlo_pjrt_buffer_hold (PJRT_Buffer  *self,
                       GError      **error)
{
  GhloPjrtFuture *future = NULL;

  g_mutex_lock (&self->lock);
  if (self->future != NULL)
    future = ghlo_pjrt_future_ref (self->future);
  g_mutex_unlock (&self->lock);
  if (future == NULL)
    g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "the buffer was deleted or donated");

  return future;
}

GhloPjrtFuture *
ghlo_pjrt_buffer_give_up (PJRT_Buffer *self)
{
  GhloPjrtFuture *future;

  g_mutex_lock (&self->lock);
  future = g_steal_pointer (&self->future);
  g_mutex_unlock (&self->lock);

  return future;
}

GhloValue *
ghlo_pjrt_buffer_get_value (PJRT_Buffer  *self,
                            GError      **error)
{
  g_autoptr (GhloPjrtFuture) future = ghlo_pjrt_buffer_hold (self, error);

  return future != NULL ? ghlo_pjrt_future_get (future, error) : NULL;
}

static gboolean
is_deleted (PJRT_Buffer *self)
{
  gboolean deleted;

  g_mutex_lock (&self->lock);
  deleted = self->future == NULL;
  g_mutex_unlock (&self->lock);

  return deleted;
}

static PJRT_Error *
destroy (PJRT_Buffer_Destroy_Args *args)
{
  PJRT_NEEDS (args, buffer);
  if (args->buffer != NULL)
    ghlo_pjrt_buffer_free (args->buffer);

  return NULL;
}

static PJRT_Error *
element_type (PJRT_Buffer_ElementType_Args *args)
{
  PJRT_NEEDS (args, type);
  args->type = args->buffer->is_token ? PJRT_Buffer_Type_TOKEN
               : ghlo_pjrt_element_type_to (ghlo_tensor_type_get_element_type (args->buffer->type));

  return NULL;
}

static PJRT_Error *
dimensions (PJRT_Buffer_Dimensions_Args *args)
{
  PJRT_NEEDS (args, num_dims);
  args->dims = ghlo_tensor_type_get_dimensions (args->buffer->type, &args->num_dims);

  return NULL;
}

static PJRT_Error *
unpadded_dimensions (PJRT_Buffer_UnpaddedDimensions_Args *args)
{
  PJRT_NEEDS (args, num_dims);
  args->unpadded_dims = ghlo_tensor_type_get_dimensions (args->buffer->type, &args->num_dims);

  return NULL;
}

static PJRT_Error *
dynamic_dimension_indices (PJRT_Buffer_DynamicDimensionIndices_Args *args)
{
  PJRT_NEEDS (args, num_dynamic_dims);
  args->dynamic_dim_indices = NULL;
  args->num_dynamic_dims = 0;

  return NULL;
}

static PJRT_Error *
get_memory_layout (PJRT_Buffer_GetMemoryLayout_Args *args)
{
  PJRT_NEEDS (args, layout);
  args->layout = (PJRT_Buffer_MemoryLayout) {
    .struct_size = sizeof args->layout,
    .type = PJRT_Buffer_MemoryLayout_Type_Tiled,
    .tiled = { .struct_size = sizeof args->layout.tiled,
               .minor_to_major_size = ghlo_tensor_type_get_rank (args->buffer->type),
               .minor_to_major = ghlo_pjrt_layout_get_order (args->buffer->layout) },
  };

  return NULL;
}

static PJRT_Error *
on_device_size_in_bytes (PJRT_Buffer_OnDeviceSizeInBytes_Args *args)
{
  PJRT_NEEDS (args, on_device_size_in_bytes);
  args->on_device_size_in_bytes = (gsize) ghlo_tensor_type_get_size (args->buffer->type);

  return NULL;
}

static PJRT_Error *
get_device (PJRT_Buffer_Device_Args *args)
{
  PJRT_NEEDS (args, device);
  args->device = args->buffer->device;

  return NULL;
}

static PJRT_Error *
get_memory (PJRT_Buffer_Memory_Args *args)
{
  PJRT_NEEDS (args, memory);
  args->memory = args->buffer->memory;

  return NULL;
}

/* External readers of the memory keep it alive. */
static PJRT_Error *
delete (PJRT_Buffer_Delete_Args *args)
{
  GhloPjrtFuture *future;

  PJRT_NEEDS (args, buffer);
  future = ghlo_pjrt_buffer_give_up (args->buffer);
  if (future != NULL)
    ghlo_pjrt_future_unref (future);

  return NULL;
}

static PJRT_Error *
get_is_deleted (PJRT_Buffer_IsDeleted_Args *args)
{
  PJRT_NEEDS (args, is_deleted);
  args->is_deleted = is_deleted (args->buffer);

  return NULL;
}

static PJRT_Error *
is_on_cpu (PJRT_Buffer_IsOnCpu_Args *args)
{
  PJRT_NEEDS (args, is_on_cpu);
  args->is_on_cpu = ghlo_device_core_is_host (args->buffer->device->core);

  return NULL;
}

static PJRT_Error *
ready_event (PJRT_Buffer_ReadyEvent_Args *args)
{
  PJRT_NEEDS (args, event);
  /* Counts as a wait: the caller may use the event to wait in any way. */
  ghlo_wait_history_wait (&args->buffer->device->client->history, args->buffer->execution);
  ghlo_pjrt_queue_run_ready (args->buffer->ready);
  args->event = ghlo_pjrt_event_new (args->buffer->ready);

  return NULL;
}

/* A copy that waits for its source. */
typedef struct
{
  PJRT_Client     *client;      /* owned, as are the fields below except for core; keeps the device alive */
  GhloDeviceCore  *core;        /* borrowed */
  GhloPjrtFuture *from, *to;
} Copy;

/* Copies to another device or, where that is the same device, to other memory. */
static GhloValue *
copy_value (GhloValue       *value,
            GhloDeviceCore  *core,
            GError         **error)
{
  g_autoptr (GhloValue) placed = ghlo_value_place (value, core, NULL, error);

  if (placed == NULL || placed != value)
    return g_steal_pointer (&placed);

  return ghlo_value_copy (value, core, error);
}

static void
make_copy (gpointer data)
{
  Copy *self = data;
  GError *error = NULL;
  g_autoptr (GhloValue) value = ghlo_pjrt_future_take (self->from, &error);
  GhloValue *copy = value != NULL ? copy_value (value, self->core, &error) : NULL;

  if (copy != NULL)
    ghlo_pjrt_future_set (self->to, copy);
  ghlo_fence_signal (self->to->fence, error);
  ghlo_pjrt_future_unref (self->to);
  ghlo_pjrt_client_unref (self->client);
  g_free (self);
}

/* The copy is made when the source is there. Takes over the reference to @from. */
static GhloPjrtFuture *
copy_late (GhloPjrtFuture *from,
           PJRT_Device    *device)
{
  g_autoptr (GhloFence) fence = ghlo_fence_new ();
  GhloPjrtFuture *to = ghlo_pjrt_future_new_unset (fence);
  Copy *self = g_new (Copy, 1);

  *self = (Copy) {
    .client = ghlo_pjrt_client_ref (device->client), .core = device->core, .from = from,
    .to = ghlo_pjrt_future_ref (to),
  };
  ghlo_fence_notify (from->fence, make_copy, self);

  return to;
}

/* Copies between PJRT devices that share one device, and between memories of one device, share the bytes, to which
 * nobody writes while two buffers hold them. */
static PJRT_Buffer *
copy_buffer (PJRT_Buffer  *self,
             PJRT_Memory  *memory,
             GError      **error)
{
  PJRT_Device *device = memory->device;
  g_autoptr (GhloPjrtFuture) future = NULL;
  g_autoptr (GhloValue) value = NULL;
  GhloValue *copied = NULL;

  future = ghlo_pjrt_buffer_hold (self, error);
  if (future == NULL)
    return NULL;
  if (memory != self->memory && device->core == self->device->core)
    return ghlo_pjrt_buffer_new_future (device, self->type, g_steal_pointer (&future));
  if (!ghlo_pjrt_future_is_ready (future))
    return ghlo_pjrt_buffer_new_future (device, self->type, copy_late (g_steal_pointer (&future), device));
  value = ghlo_pjrt_future_get (future, error);
  if (value != NULL)
    copied = copy_value (value, device->core, error);

  return copied != NULL ? ghlo_pjrt_buffer_new_value (device, copied) : NULL;
}

static PJRT_Error *
copy_to (PJRT_Buffer  *self,
         PJRT_Memory  *memory,
         PJRT_Buffer **copy)
{
  GError *error = NULL;
  PJRT_Buffer *copied = copy_buffer (self, memory, &error);

  if (copied == NULL)
    return ghlo_pjrt_error_take (error);
  ghlo_pjrt_buffer_lay_out (copied, self->type, self->layout);
  copied->is_token = self->is_token;
  copied->memory = memory;
  *copy = copied;

  return NULL;
}

static PJRT_Error *
copy_to_device (PJRT_Buffer_CopyToDevice_Args *args)
{
  PJRT_NEEDS (args, dst_buffer);

  return copy_to (args->buffer, args->dst_device->memories[GHLO_PJRT_MEMORY_DEVICE], &args->dst_buffer);
}

static PJRT_Error *
copy_to_memory (PJRT_Buffer_CopyToMemory_Args *args)
{
  PJRT_NEEDS (args, dst_buffer);

  return copy_to (args->buffer, args->dst_memory, &args->dst_buffer);
}

void
ghlo_pjrt_buffer_add_functions (PJRT_Api *api)
{
  api->PJRT_Buffer_Destroy = destroy;
  api->PJRT_Buffer_ElementType = element_type;
  api->PJRT_Buffer_Dimensions = dimensions;
  api->PJRT_Buffer_UnpaddedDimensions = unpadded_dimensions;
  api->PJRT_Buffer_DynamicDimensionIndices = dynamic_dimension_indices;
  api->PJRT_Buffer_GetMemoryLayout = get_memory_layout;
  api->PJRT_Buffer_OnDeviceSizeInBytes = on_device_size_in_bytes;
  api->PJRT_Buffer_Device = get_device;
  api->PJRT_Buffer_Memory = get_memory;
  api->PJRT_Buffer_Delete = delete;
  api->PJRT_Buffer_IsDeleted = get_is_deleted;
  api->PJRT_Buffer_IsOnCpu = is_on_cpu;
  api->PJRT_Buffer_ReadyEvent = ready_event;
  api->PJRT_Buffer_CopyToDevice = copy_to_device;
  api->PJRT_Buffer_CopyToMemory = copy_to_memory;
  ghlo_pjrt_host_buffer_add_functions (api);
  ghlo_pjrt_read_buffer_add_functions (api);
  ghlo_pjrt_make_buffer_add_functions (api);
  ghlo_pjrt_transfer_add_functions (api);
}
