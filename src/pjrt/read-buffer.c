/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading PJRT's buffers to host memory: whole tensors in a given layout, or ranges of raw bytes. The output of a
 * queued execution is read when it is there.
 */

#include "pjrt/buffer.h"

#include <string.h>

#include "base/element.h"
#include "base/sizes.h"
#include "pjrt/error.h"
#include "pjrt/event.h"
#include "pjrt/queue.h"
#include "runtime/place.h"

/* The source range and the destination of a read. */
typedef struct
{
  gpointer                   to;
  gsize                      offset, size;      /* bytes */
  GhloTensorType            *type;              /* owned, as are the next two; NULL: copy the raw bytes */
  PJRT_Layouts_MemoryLayout *from, *layout;     /* of the buffer, and at the destination */
} Reading;

static void
reading_clear (Reading *self)
{
  g_clear_pointer (&self->type, ghlo_tensor_type_unref);
  g_clear_pointer (&self->from, ghlo_pjrt_layout_unref);
  g_clear_pointer (&self->layout, ghlo_pjrt_layout_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Reading, reading_clear)

static gboolean
read_value (GhloValue      *value,
            const Reading  *reading,
            GError        **error)
{
  g_autoptr (GhloValue) ordered = NULL;

  if (!ghlo_value_fetch (value, NULL, error))
    return FALSE;
  if (reading->type != NULL)
    {
      ordered = ghlo_pjrt_layout_convert (reading->type, value->data, reading->from, reading->layout, error);
      if (ordered == NULL)
        return FALSE;
      value = ordered;
    }
  if (reading->size > 0)
    memcpy (reading->to, value->data + reading->offset, reading->size);

  return TRUE;
}

/* A read that waits for the buffer's value, or for the caller to provide the destination. */
typedef struct
{
  Reading          reading;     /* owned, as are all fields */
  GhloPjrtFuture *from;
  GhloFence     *end;
} LateReading;

static void
end_late (LateReading *self,
          GError      *error)
{
  g_clear_pointer (&self->from, ghlo_pjrt_future_unref);
  reading_clear (&self->reading);
  ghlo_fence_signal (self->end, error);
  ghlo_fence_unref (self->end);
  g_free (self);
}

static void
read_late (gpointer data)
{
  LateReading *self = data;
  GError *error = NULL;
  g_autoptr (GhloValue) value = ghlo_pjrt_future_take (g_steal_pointer (&self->from), &error);

  if (value != NULL)
    read_value (value, &self->reading, &error);
  end_late (self, error);
}

/* Takes over the reference to @future and the members of @reading. */
static GhloFence *
begin_late_reading (GhloPjrtFuture *future,
                    Reading        *reading)
{
  LateReading *self = g_new (LateReading, 1);
  GhloFence *end = ghlo_fence_new ();

  *self = (LateReading) { *reading, future, ghlo_fence_ref (end) };
  *reading = (Reading) { NULL };
  ghlo_fence_notify (future->fence, read_late, self);

  return end;
}

/* Begins a read. *@end (transfer full) becomes its end, or NULL when it has been done within the call, which is
 * always so unless the value comes from an execution in the queue. */
static gboolean
begin_reading (PJRT_Buffer  *buffer,
               Reading      *reading,
               GhloFence   **end,
               GError      **error)
{
  g_autoptr (GhloPjrtFuture) future = ghlo_pjrt_buffer_hold (buffer, error);
  g_autoptr (GhloValue) value = NULL;

  *end = NULL;
  if (future == NULL)
    return FALSE;
  ghlo_wait_history_wait (&buffer->device->client->history, buffer->execution);
  ghlo_pjrt_queue_run_ready (future->fence);
  if (!ghlo_pjrt_future_is_ready (future))
    {
      *end = begin_late_reading (g_steal_pointer (&future), reading);
      return TRUE;
    }
  value = ghlo_pjrt_future_get (future, error);

  return value != NULL && read_value (value, reading, error);
}

/* The same, with an event for the caller. */
static PJRT_Error *
read_buffer (PJRT_Buffer  *buffer,
             Reading      *reading,
             PJRT_Event  **event)
{
  g_autoptr (GhloFence) end = NULL;
  GError *error = NULL;

  if (!begin_reading (buffer, reading, &end, &error))
    return ghlo_pjrt_error_take (error);
  *event = ghlo_pjrt_event_new (end);

  return NULL;
}

/* Reads the host layout that the caller wants; NULL means the layout of the buffer. */
static gboolean
read_layout (PJRT_Buffer                     *buffer,
             const PJRT_Buffer_MemoryLayout  *specified,
             Reading                         *reading,
             GError                         **error)
{
  g_autoptr (PJRT_Layouts_MemoryLayout) layout = NULL;

  if (specified == NULL)
    return TRUE;
  layout = ghlo_pjrt_layout_read (specified, ghlo_tensor_type_get_rank (buffer->type), error);
  if (layout == NULL)
    return FALSE;
  if (ghlo_pjrt_layout_equal (layout, buffer->layout))
    return TRUE;
  reading->type = ghlo_tensor_type_ref (buffer->type);
  reading->from = ghlo_pjrt_layout_ref (buffer->layout);
  reading->layout = g_steal_pointer (&layout);

  return TRUE;
}

static PJRT_Error *
to_host_buffer (PJRT_Buffer_ToHostBuffer_Args *args)
{
  g_auto (Reading) reading = { .to = args->dst };
  GError *error = NULL;

  PJRT_NEEDS (args, event);
  reading.size = (gsize) ghlo_tensor_type_get_size (args->src->type);
  if (args->dst == NULL)
    {
      args->dst_size = reading.size;
      return NULL;
    }
  if (args->dst_size < reading.size)
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "expected room for %zu bytes, found %zu",
                                reading.size, args->dst_size);
  if (!read_layout (args->src, args->host_layout, &reading, &error))
    return ghlo_pjrt_error_take (error);

  return read_buffer (args->src, &reading, &args->event);
}

/* Sets a range of raw bytes of @buffer. */
static PJRT_Error *
read_range (PJRT_Buffer *buffer,
            int64_t      offset,
            int64_t      size,
            Reading     *reading)
{
  PJRT_Error *refusal = ghlo_pjrt_error_of_range (offset, size, ghlo_tensor_type_get_size (buffer->type));

  if (refusal != NULL)
    return refusal;
  reading->offset = (gsize) offset;
  reading->size = (gsize) size;

  return NULL;
}

static PJRT_Error *
copy_raw_to_host (PJRT_Buffer_CopyRawToHost_Args *args)
{
  Reading reading = { .to = args->dst };
  PJRT_Error *refusal;

  PJRT_NEEDS (args, event);
  refusal = read_range (args->buffer, args->offset, args->transfer_size, &reading);

  return refusal != NULL ? refusal : read_buffer (args->buffer, &reading, &args->event);
}

static void
on_place_known (PJRT_Buffer_CopyRawToHostFuture_Callback_Args *args)
{
  LateReading *self = args->callback_data;

  if (args->error_code == PJRT_Error_Code_OK)
    {
      self->reading.to = args->dst;
      ghlo_fence_notify (self->from->is_unset ? self->from->fence : NULL, read_late, self);
    }
  else
    end_late (self, ghlo_pjrt_error_of_code (args->error_code, args->error_message, args->error_message_size));
}

static PJRT_Error *
copy_raw_to_host_future (PJRT_Buffer_CopyRawToHostFuture_Args *args)
{
  g_autoptr (GhloFence) end = NULL;
  Reading reading = { NULL };
  GError *error = NULL;
  GhloPjrtFuture *from;
  LateReading *self;
  PJRT_Error *refusal;

  PJRT_NEEDS (args, future_ready_callback);
  refusal = read_range (args->buffer, args->offset, args->transfer_size, &reading);
  if (refusal != NULL)
    return refusal;
  from = ghlo_pjrt_buffer_hold (args->buffer, &error);
  if (from == NULL)
    return ghlo_pjrt_error_take (error);
  end = ghlo_fence_new ();
  self = g_new (LateReading, 1);
  *self = (LateReading) { reading, from, ghlo_fence_ref (end) };
  args->event = ghlo_pjrt_event_new (end);
  args->callback_data = self;
  args->future_ready_callback = on_place_known;

  return NULL;
}

void
ghlo_pjrt_read_buffer_add_functions (PJRT_Api *api)
{
  api->PJRT_Buffer_ToHostBuffer = to_host_buffer;
  api->PJRT_Buffer_CopyRawToHost = copy_raw_to_host;
  api->PJRT_Buffer_CopyRawToHostFuture = copy_raw_to_host_future;
}
