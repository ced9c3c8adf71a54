/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Creation of PJRT's buffers from host memory, and access to their memory for external readers.
 */

#include "pjrt/buffer.h"

#include <string.h>

#include "base/element.h"
#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "pjrt/error.h"
#include "pjrt/event.h"
#include "pjrt/queue.h"
#include "runtime/place.h"

/* Whether callers leave some bits of elements of that type undefined. */
static gboolean
has_undefined_bits (GhloElementType type)
{
  return ghlo_element_info (type)->bits < 8;
}

GhloValue *
ghlo_pjrt_value_for_result (const GhloIrType  *type,
                            GError           **error)
{
  g_autoptr (GhloTensorType) tensor_type = NULL;
  g_autofree char *text = NULL;

  if (type->kind == GHLO_IR_TYPE_TOKEN)
    return ghlo_value_new_token ();
  if (ghlo_ir_type_is_numbers (type) && ghlo_ir_type_has_static_shape (type))
    tensor_type = ghlo_ir_type_to_tensor_type (type);
  if (tensor_type != NULL)
    return ghlo_value_new_uninitialized (tensor_type, error);
  text = ghlo_ir_type_to_string (type);
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
               "expected tensors of static shapes or tokens as results of a callback, found %s", text);

  return NULL;
}

void
ghlo_pjrt_normalize_elements (GhloValue *value)
{
  GhloElementType type = ghlo_tensor_type_get_element_type (value->type);
  guint n_bits = ghlo_element_info (type)->bits;
  gboolean is_signed = ghlo_element_info (type)->element_class == GHLO_ELEMENT_CLASS_SIGNED;

  if (!has_undefined_bits (type))
    return;
  for (gsize i = 0; i < value->n_bytes; i++)
    {
      guint8 byte = value->data[i];

      if (type == GHLO_ELEMENT_TYPE_I1)
        value->data[i] = byte != 0;
      else if (is_signed)
        value->data[i] = (guint8) ((gint8) (byte << (8 - n_bits)) >> (8 - n_bits));
      else
        value->data[i] = byte & ((1u << n_bits) - 1);
    }
}

static GhloValue *
value_from_host (GhloTensorType  *type,
                 gconstpointer    data,
                 const int64_t   *byte_strides,
                 GDestroyNotify   release,
                 gpointer         release_data,
                 GError         **error)
{
  const gboolean undefined_bits = has_undefined_bits (ghlo_tensor_type_get_element_type (type));
  const gboolean dense = ghlo_tensor_type_is_dense (type, byte_strides);
  GhloValue *value;

  if (release != NULL && !undefined_bits && dense)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_with_free_func (data, (gsize) ghlo_tensor_type_get_size (type), release,
                                                             release_data);

      return ghlo_value_new_for_bytes (type, bytes, error);
    }
  value = ghlo_value_new_copied (type, data, dense ? NULL : byte_strides, error);
  if (value != NULL)
    ghlo_pjrt_normalize_elements (value);
  if (release != NULL)
    release (release_data);

  return value;
}

/* Computes the strides of @shape's stored tensor in host memory where its dimensions have @byte_strides (nullable:
 * row-major). */
static void
arrange_strides (const GhloPjrtShape *shape,
                 const int64_t       *byte_strides,
                 int64_t             *arranged)
{
  const GhloTensorType *type = shape->type;
  gint64 rows[GHLO_MAX_RANK];

  if (byte_strides == NULL)
    ghlo_shape_strides (type->dimensions, type->rank, (gint64) ghlo_element_type_get_size (type->element_type), rows);
  ghlo_pjrt_layout_arrange (shape->layout, byte_strides != NULL ? byte_strides : rows, arranged);
}

PJRT_Buffer *
ghlo_pjrt_buffer_new_from_host (PJRT_Device          *device,
                                const GhloPjrtShape  *shape,
                                gconstpointer         data,
                                const int64_t        *byte_strides,
                                GDestroyNotify        release,
                                gpointer              release_data,
                                GError              **error)
{
  int64_t arranged[GHLO_MAX_RANK];
  g_autoptr (GhloValue) value = NULL;
  GhloValue *placed = NULL;
  PJRT_Buffer *buffer;

  if (!ghlo_pjrt_layout_is_row_major (shape->layout))
    {
      arrange_strides (shape, byte_strides, arranged);
      byte_strides = arranged;
    }
  value = value_from_host (shape->stored, data, byte_strides, release, release_data, error);
  if (value != NULL)
    placed = ghlo_value_place (value, device->core, NULL, error);
  if (placed == NULL)
    return NULL;
  buffer = ghlo_pjrt_buffer_new_value (device, placed);
  ghlo_pjrt_buffer_lay_out (buffer, shape->type, shape->layout);

  return buffer;
}

/* Whether the bytes may be used in place, and are best used there. Code for rows of numbers is slower when these do
 * not begin at a cache line, as is mostly the case for NumPy's. Copying arrays that are larger than the caches takes
 * longer than that saves. */
static gboolean
is_shared (const PJRT_Client_BufferFromHostBuffer_Args *args,
           const PJRT_Device                           *device,
           const GhloTensorType                        *type)
{
  enum { LINE = 64, MAX_COPIED = 4 << 20 };

  if (args->host_buffer_semantics != PJRT_HostBufferSemantics_kImmutableZeroCopy
      && args->host_buffer_semantics != PJRT_HostBufferSemantics_kMutableZeroCopy)
    return FALSE;

  return (uintptr_t) args->data % LINE == 0 || ghlo_tensor_type_get_size (type) > MAX_COPIED
         || !ghlo_device_core_is_host (device->core);
}

static void
end_pending (gpointer data)
{
  GhloFence *fence = data;

  ghlo_fence_signal (fence, NULL);
  ghlo_fence_unref (fence);
}

static PJRT_Error *
from_host_buffer (PJRT_Client_BufferFromHostBuffer_Args *args)
{
  g_auto (GhloPjrtShape) shape = { NULL };
  g_autoptr (GhloFence) done = NULL;
  PJRT_Device *device;
  GError *error = NULL;

  PJRT_NEEDS (args, buffer);
  device = args->memory != NULL ? args->memory->device : args->device != NULL ? args->device : args->client->devices[0];
  if (args->num_byte_strides != 0 && args->num_byte_strides != args->num_dims)
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "expected %zu strides, found %zu", args->num_dims,
                                args->num_byte_strides);
  if (!ghlo_pjrt_shape_read (&shape, args->type, args->dims, args->num_dims, args->device_layout, &error))
    return ghlo_pjrt_error_take (error);
  if (is_shared (args, device, shape.type))
    done = ghlo_fence_new ();
  args->buffer = ghlo_pjrt_buffer_new_from_host (device, &shape, args->data,
                                                 args->num_byte_strides != 0 ? args->byte_strides : NULL,
                                                 done != NULL ? end_pending : NULL,
                                                 done != NULL ? ghlo_fence_ref (done) : NULL, &error);
  if (args->buffer == NULL)
    return ghlo_pjrt_error_take (error);
  if (args->memory != NULL)
    args->buffer->memory = args->memory;
  args->done_with_host_buffer = ghlo_pjrt_event_new (done);

  return NULL;
}

/* Returns the memory of a buffer in host memory, which stays valid until the last reader is gone. */
static PJRT_Error *
borrow (PJRT_Buffer  *self,
        gpointer     *memory)
{
  g_autoptr (GhloValue) value = NULL;
  GError *error = NULL;

  ghlo_wait_history_wait (&self->device->client->history, self->execution);
  value = ghlo_pjrt_buffer_get_value (self, &error);
  if (value == NULL || !ghlo_value_fetch (value, NULL, &error))
    return ghlo_pjrt_error_take (error);
  *memory = value->data;

  return NULL;
}

static PJRT_Error *
increase_external_reference_count (PJRT_Buffer_IncreaseExternalReferenceCount_Args *args)
{
  PJRT_Buffer *self;
  gboolean lent = FALSE;

  PJRT_NEEDS (args, buffer);
  self = args->buffer;
  g_mutex_lock (&self->lock);
  if (self->lent == NULL && self->future != NULL)
    self->lent = ghlo_pjrt_future_ref (self->future);
  if (self->lent != NULL)
    {
      self->n_readers++;
      lent = TRUE;
    }
  g_mutex_unlock (&self->lock);

  return lent ? NULL : ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "the buffer was deleted or donated");
}

static PJRT_Error *
decrease_external_reference_count (PJRT_Buffer_DecreaseExternalReferenceCount_Args *args)
{
  PJRT_Buffer *self;
  GhloPjrtFuture *unlent = NULL;
  gboolean read = FALSE;

  PJRT_NEEDS (args, buffer);
  self = args->buffer;
  g_mutex_lock (&self->lock);
  if (self->n_readers > 0)
    {
      read = TRUE;
      self->n_readers--;
      if (self->n_readers == 0)
        unlent = g_steal_pointer (&self->lent);
    }
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&unlent, ghlo_pjrt_future_unref);

  return read ? NULL : ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "the buffer has no external references");
}

static PJRT_Error *
opaque_device_memory_data_pointer (PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args *args)
{
  PJRT_NEEDS (args, device_memory_ptr);

  return borrow (args->buffer, &args->device_memory_ptr);
}

static PJRT_Error *
unsafe_pointer (PJRT_Buffer_UnsafePointer_Args *args)
{
  gpointer memory = NULL;
  PJRT_Error *error;

  PJRT_NEEDS (args, buffer_pointer);
  error = borrow (args->buffer, &memory);
  args->buffer_pointer = (uintptr_t) memory;

  return error;
}

void
ghlo_pjrt_host_buffer_add_functions (PJRT_Api *api)
{
  api->PJRT_Client_BufferFromHostBuffer = from_host_buffer;
  api->PJRT_Buffer_IncreaseExternalReferenceCount = increase_external_reference_count;
  api->PJRT_Buffer_DecreaseExternalReferenceCount = decrease_external_reference_count;
  api->PJRT_Buffer_OpaqueDeviceMemoryDataPointer = opaque_device_memory_data_pointer;
  api->PJRT_Buffer_UnsafePointer = unsafe_pointer;
}
