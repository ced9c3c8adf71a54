/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ways of PJRT's buffers from host memory and back.
 */

#include "pjrt/buffer.h"

#include <string.h>

#include "base/element.h"
#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "pjrt/element-type.h"
#include "pjrt/error.h"
#include "pjrt/event.h"
#include "pjrt/queue.h"
#include "runtime/place.h"

/* Whether callers leave bits of elements of that type undefined. */
static gboolean
is_loose (GhloElementType type)
{
  return ghlo_element_info (type)->bits < 8;
}

/* As a buffer of ours has them: NumPy's booleans may be any byte, and short integers have anything in front. */
static void
tidy (GhloValue *value)
{
  GhloElementType type = ghlo_tensor_type_get_element_type (value->type);
  guint n_bits = ghlo_element_info (type)->bits;
  gboolean is_signed = ghlo_element_info (type)->element_class == GHLO_ELEMENT_CLASS_SIGNED;

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
  const gboolean loose = is_loose (ghlo_tensor_type_get_element_type (type));
  const gboolean dense = ghlo_tensor_type_is_dense (type, byte_strides);
  GhloValue *value;

  if (release != NULL && !loose && dense)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_with_free_func (data, (gsize) ghlo_tensor_type_get_size (type), release,
                                                             release_data);

      return ghlo_value_new_for_bytes (type, bytes, error);
    }
  value = ghlo_value_new_copied (type, data, dense ? NULL : byte_strides, error);
  if (value != NULL && loose)
    tidy (value);
  if (release != NULL)
    release (release_data);

  return value;
}

PJRT_Buffer *
ghlo_pjrt_buffer_new_from_host (PJRT_Device     *device,
                                GhloTensorType  *type,
                                gconstpointer    data,
                                const int64_t   *byte_strides,
                                GDestroyNotify   release,
                                gpointer         release_data,
                                GError         **error)
{
  g_autoptr (GhloValue) value = value_from_host (type, data, byte_strides, release, release_data, error);
  GhloValue *placed = value != NULL ? ghlo_value_place (value, device->core, NULL, error) : NULL;

  return placed != NULL ? ghlo_pjrt_buffer_new_value (device, placed) : NULL;
}

/* INVALID_ARGUMENT for what is no tensor that fits into memory. */
static GhloTensorType *
tensor_type_new (const PJRT_Client_BufferFromHostBuffer_Args  *args,
                 GError                                      **error)
{
  GhloElementType element = ghlo_pjrt_element_type_from (args->type);
  GhloTensorType *type = NULL;

  if (element == GHLO_ELEMENT_TYPE_INVALID)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "PJRT's element type %d has no counterpart",
                 (int) args->type);
  else if (args->num_byte_strides != 0 && args->num_byte_strides != args->num_dims)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT, "expected %zu strides, found %zu", args->num_dims,
                 args->num_byte_strides);
  else
    type = ghlo_tensor_type_new (element, args->dims, args->num_dims);
  if (type != NULL && ghlo_tensor_type_get_size (type) < 0)
    g_clear_pointer (&type, ghlo_tensor_type_unref);
  if (type == NULL && (error == NULL || *error == NULL))
    g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                         "expected dimensions of a tensor that fits into memory, found others");

  return type;
}

/* The dimensions of @layout from the outermost to the innermost one; FALSE where it is no order of all of them. */
static gboolean
read_order (const PJRT_Buffer_MemoryLayout *layout,
            gsize                           rank,
            gsize                          *order)
{
  gboolean seen[GHLO_MAX_RANK] = { FALSE };

  if (layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled || layout->tiled.num_tiles != 0
      || layout->tiled.minor_to_major_size != rank)
    return FALSE;
  for (gsize i = 0; i < rank; i++)
    {
      const int64_t axis = layout->tiled.minor_to_major[rank - 1 - i];

      if (axis < 0 || axis >= (int64_t) rank || seen[axis])
        return FALSE;
      seen[axis] = TRUE;
      order[i] = (gsize) axis;
    }

  return TRUE;
}

/* A layout on the device is rows without gaps, as all of ours, or none. */
static gboolean
check_layout (const PJRT_Buffer_MemoryLayout  *layout,
              gsize                            rank,
              GError                         **error)
{
  gsize order[GHLO_MAX_RANK];
  gboolean same = layout == NULL || read_order (layout, rank, order);

  for (gsize i = 0; same && layout != NULL && i < rank; i++)
    same = order[i] == i;
  if (!same)
    g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                         "expected a layout of rows without gaps on the device, found another");

  return same;
}

static void
end_pending (gpointer data)
{
  GhloPending *pending = data;

  ghlo_pending_end (pending, NULL);
  ghlo_pending_unref (pending);
}

static PJRT_Error *
from_host_buffer (PJRT_Client_BufferFromHostBuffer_Args *args)
{
  g_autoptr (GhloTensorType) type = NULL;
  g_autoptr (GhloPending) done = NULL;
  PJRT_Device *device;
  GError *error = NULL;

  PJRT_NEEDS (args, buffer);
  device = args->memory != NULL ? args->memory->device : args->device != NULL ? args->device : args->client->devices[0];
  type = tensor_type_new (args, &error);
  if (type == NULL || !check_layout (args->device_layout, args->num_dims, &error))
    return ghlo_pjrt_error_take (error);
  if (args->host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy
      || args->host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy)
    done = ghlo_pending_new ();
  args->buffer = ghlo_pjrt_buffer_new_from_host (device, type, args->data,
                                                 args->num_byte_strides != 0 ? args->byte_strides : NULL,
                                                 done != NULL ? end_pending : NULL,
                                                 done != NULL ? ghlo_pending_ref (done) : NULL, &error);
  if (args->buffer == NULL)
    return ghlo_pjrt_error_take (error);
  args->done_with_host_buffer = ghlo_pjrt_event_new (done);

  return NULL;
}

/* What is to be read, and where to. */
typedef struct
{
  gpointer  to;
  gboolean  is_ordered;                 /* the dimensions are in another order there, the next */
  gsize     order[GHLO_MAX_RANK];       /* from the outermost to the innermost one */
} Reading;

/* @value, which is on the host, with its dimensions in the order that is wanted. */
static GhloValue *
reorder (GhloValue      *value,
         const Reading  *reading,
         GError        **error)
{
  const guint rank = value->type->rank;
  const gint64 *dims = value->type->dimensions;
  const GhloElementType element = value->type->element_type;
  gint64 dense[GHLO_MAX_RANK], sizes[GHLO_MAX_RANK], strides[GHLO_MAX_RANK];
  g_autoptr (GhloTensorType) type = NULL;

  ghlo_shape_strides (dims, rank, (gint64) ghlo_element_type_get_size (element), dense);
  for (guint i = 0; i < rank; i++)
    {
      sizes[i] = dims[reading->order[i]];
      strides[i] = dense[reading->order[i]];
    }
  type = ghlo_tensor_type_new (element, sizes, rank);

  return type != NULL ? ghlo_value_new_copied (type, value->data, strides, error) : NULL;
}

static gboolean
read_value (GhloValue      *value,
            const Reading  *reading,
            GError        **error)
{
  g_autoptr (GhloValue) ordered = NULL;

  if (!ghlo_value_fetch (value, NULL, error))
    return FALSE;
  if (reading->is_ordered)
    {
      ordered = reorder (value, reading, error);
      if (ordered == NULL)
        return FALSE;
      value = ordered;
    }
  if (value->n_bytes > 0)
    memcpy (reading->to, value->data, value->n_bytes);

  return TRUE;
}

/* A reading that waits for what is to be read. */
typedef struct
{
  Reading          reading;
  GhloPjrtPromise *from;        /* owned, as the next */
  GhloPending     *end;
} LateReading;

static void
read_late (gpointer data)
{
  LateReading *self = data;
  GError *error = NULL;
  g_autoptr (GhloValue) value = ghlo_pjrt_promise_take (self->from, &error);

  if (value != NULL)
    read_value (value, &self->reading, &error);
  ghlo_pending_end (self->end, error);
  ghlo_pending_unref (self->end);
  g_free (self);
}

/* Takes over the reference to @promise. */
static GhloPending *
begin_late_reading (GhloPjrtPromise *promise,
                    const Reading   *reading)
{
  LateReading *self = g_new (LateReading, 1);
  GhloPending *end = ghlo_pending_new ();

  *self = (LateReading) { *reading, promise, ghlo_pending_ref (end) };
  ghlo_pending_notify (promise->pending, read_late, self);

  return end;
}

/* The event has ended when the call returns, unless an execution in the queue has yet to give what is read. */
static PJRT_Error *
to_host_buffer (PJRT_Buffer_ToHostBuffer_Args *args)
{
  Reading reading = { args->dst, args->host_layout != NULL, { 0 } };
  g_autoptr (GhloPjrtPromise) promise = NULL;
  g_autoptr (GhloPending) end = NULL;
  g_autoptr (GhloValue) value = NULL;
  GError *error = NULL;
  gsize size;

  PJRT_NEEDS (args, event);
  size = (gsize) ghlo_tensor_type_get_size (args->src->type);
  if (args->dst == NULL)
    {
      args->dst_size = size;
      return NULL;
    }
  if (args->dst_size < size)
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "expected room for %zu bytes, found %zu", size,
                                args->dst_size);
  if (reading.is_ordered && !read_order (args->host_layout, ghlo_tensor_type_get_rank (args->src->type), reading.order))
    return ghlo_pjrt_error_new (PJRT_Error_Code_UNIMPLEMENTED,
                                "expected a host layout that is an order of the dimensions, found another");
  promise = ghlo_pjrt_buffer_hold (args->src, &error);
  if (promise != NULL)
    ghlo_pjrt_queue_help (promise->pending);
  if (promise != NULL && !ghlo_pjrt_promise_is_ready (promise))
    end = begin_late_reading (g_steal_pointer (&promise), &reading);
  else if (promise != NULL && (value = ghlo_pjrt_promise_get (promise, &error)) != NULL)
    read_value (value, &reading, &error);
  if (error != NULL)
    return ghlo_pjrt_error_take (error);
  args->event = ghlo_pjrt_event_new (end);

  return NULL;
}

/* The memory of a buffer in host memory, which stays until the last reader has gone. */
static PJRT_Error *
borrow (PJRT_Buffer  *self,
        gpointer     *memory)
{
  g_autoptr (GhloValue) value = NULL;
  GError *error = NULL;

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
  if (self->lent == NULL && self->promise != NULL)
    self->lent = ghlo_pjrt_promise_ref (self->promise);
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
  g_autoptr (GhloPjrtPromise) unlent = NULL;
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

  return read ? NULL : ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "nobody reads the buffer's memory");
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
  api->PJRT_Buffer_ToHostBuffer = to_host_buffer;
  api->PJRT_Buffer_IncreaseExternalReferenceCount = increase_external_reference_count;
  api->PJRT_Buffer_DecreaseExternalReferenceCount = decrease_external_reference_count;
  api->PJRT_Buffer_OpaqueDeviceMemoryDataPointer = opaque_device_memory_data_pointer;
  api->PJRT_Buffer_UnsafePointer = unsafe_pointer;
}
