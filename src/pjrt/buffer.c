/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's buffers: what they are, and their lives.
 */

#include "pjrt/buffer.h"

#include "base/ghlo-error.h"
#include "base/new.h"
#include "pjrt/element-type.h"
#include "pjrt/error.h"
#include "pjrt/event.h"
#include "pjrt/layouts.h"
#include "runtime/place.h"

PJRT_Buffer *
ghlo_pjrt_buffer_new (PJRT_Device *device,
                      GhloValue   *value)
{
  PJRT_Buffer *self = ghlo_new0 (PJRT_Buffer);
  GhloPending *pending = ghlo_value_get_pending (value);

  self->device = device;
  ghlo_pjrt_client_ref (device->client);
  self->type = ghlo_tensor_type_ref (value->type);
  self->ready = pending != NULL ? ghlo_pending_ref (pending) : NULL;
  g_mutex_init (&self->lock);
  self->value = value;

  return self;
}

void
ghlo_pjrt_buffer_free (PJRT_Buffer *self)
{
  g_clear_pointer (&self->value, ghlo_value_unref);
  g_clear_pointer (&self->lent, ghlo_value_unref);
  g_clear_pointer (&self->ready, ghlo_pending_unref);
  ghlo_tensor_type_unref (self->type);
  g_mutex_clear (&self->lock);
  ghlo_pjrt_client_unref (self->device->client);
  g_free (self);
}

GhloValue *
ghlo_pjrt_buffer_take (PJRT_Buffer  *self,
                       gboolean      give_up,
                       GError      **error)
{
  GhloValue *value;

  g_mutex_lock (&self->lock);
  value = self->value;
  if (give_up)
    self->value = NULL;
  else if (value != NULL)
    ghlo_value_ref (value);
  g_mutex_unlock (&self->lock);
  if (value == NULL)
    g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "the buffer was deleted or donated");

  return value;
}

static gboolean
is_deleted (PJRT_Buffer *self)
{
  gboolean deleted;

  g_mutex_lock (&self->lock);
  deleted = self->value == NULL;
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
  args->type = ghlo_pjrt_element_type_to (ghlo_tensor_type_get_element_type (args->buffer->type));

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
  guint rank;

  PJRT_NEEDS (args, layout);
  rank = ghlo_tensor_type_get_rank (args->buffer->type);
  args->layout = (PJRT_Buffer_MemoryLayout) {
    .struct_size = sizeof args->layout,
    .type = PJRT_Buffer_MemoryLayout_Type_Tiled,
    .tiled = { .struct_size = sizeof args->layout.tiled, .minor_to_major_size = rank,
               .minor_to_major = ghlo_pjrt_layout_order (ghlo_pjrt_layout_get (rank)) },
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
  args->memory = &args->buffer->device->memory;

  return NULL;
}

/* Whoever reads its memory goes on doing so. */
static PJRT_Error *
delete (PJRT_Buffer_Delete_Args *args)
{
  GhloValue *value;

  PJRT_NEEDS (args, buffer);
  value = ghlo_pjrt_buffer_take (args->buffer, TRUE, NULL);
  if (value != NULL)
    ghlo_value_unref (value);

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
  args->event = ghlo_pjrt_event_new (args->buffer->ready);

  return NULL;
}

/* On another device, or where that is the same one, in other memory. */
static PJRT_Error *
copy_to (PJRT_Buffer  *self,
         PJRT_Device  *device,
         PJRT_Buffer **copy)
{
  g_autoptr (GhloValue) value = NULL;
  g_autoptr (GhloValue) placed = NULL;
  GError *error = NULL;

  value = ghlo_pjrt_buffer_take (self, FALSE, &error);
  if (value != NULL)
    placed = ghlo_value_place (value, device->core, NULL, &error);
  if (placed != NULL && placed == value)
    {
      ghlo_value_unref (placed);
      placed = ghlo_value_copy (value, device->core, &error);
    }
  if (placed == NULL)
    return ghlo_pjrt_error_take (error);
  *copy = ghlo_pjrt_buffer_new (device, g_steal_pointer (&placed));

  return NULL;
}

static PJRT_Error *
copy_to_device (PJRT_Buffer_CopyToDevice_Args *args)
{
  PJRT_NEEDS (args, dst_buffer);

  return copy_to (args->buffer, args->dst_device, &args->dst_buffer);
}

static PJRT_Error *
copy_to_memory (PJRT_Buffer_CopyToMemory_Args *args)
{
  PJRT_NEEDS (args, dst_buffer);

  return copy_to (args->buffer, args->dst_memory->device, &args->dst_buffer);
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
}
