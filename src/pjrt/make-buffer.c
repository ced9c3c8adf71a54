/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's buffers that are not created from host data: uninitialized ones, errors, views of memory of others, aliases
 * of buffers that come later, and bitcasts.
 */

#include "pjrt/buffer.h"

#include "base/ghlo-error.h"
#include "pjrt/error.h"
#include "runtime/place.h"

/* Reads the fields of a PJRT_SHAPE. */
#define READ_SHAPE(self, args, error) \
  ghlo_pjrt_shape_read (self, (args)->shape_element_type, (args)->shape_dims, (args)->shape_num_dims, \
                        (args)->shape_layout, error)

static PJRT_Device *
choose_device (PJRT_Client *client,
               PJRT_Device *device,     /* nullable, as is the next */
               PJRT_Memory *memory)
{
  return memory != NULL ? memory->device : device != NULL ? device : client->devices[0];
}

static void
set_memory (PJRT_Buffer *buffer,
            PJRT_Memory *memory)         /* nullable: the buffer stays in the default memory */
{
  if (memory != NULL)
    buffer->memory = memory;
}

static PJRT_Error *
create_uninitialized_buffer (PJRT_Client_CreateUninitializedBuffer_Args *args)
{
  g_auto (GhloPjrtShape) shape = { NULL };
  g_autoptr (GhloValue) value = NULL;
  GhloValue *placed = NULL;
  GError *error = NULL;
  PJRT_Device *device;

  PJRT_NEEDS (args, buffer);
  device = choose_device (args->client, args->device, args->memory);
  if (READ_SHAPE (&shape, args, &error))
    value = ghlo_value_new_uninitialized (shape.stored, &error);
  if (value != NULL)
    {
      ghlo_pjrt_normalize_elements (value);
      placed = ghlo_value_place (value, device->core, NULL, &error);
    }
  if (placed == NULL)
    return ghlo_pjrt_error_take (error);
  args->buffer = ghlo_pjrt_buffer_new_value (device, placed);
  ghlo_pjrt_buffer_lay_out (args->buffer, shape.type, shape.layout);
  set_memory (args->buffer, args->memory);

  return NULL;
}

static PJRT_Error *
create_error_buffer (PJRT_Client_CreateErrorBuffer_Args *args)
{
  g_auto (GhloPjrtShape) shape = { NULL };
  g_autoptr (GhloFence) fence = NULL;
  GError *error = NULL;

  PJRT_NEEDS (args, buffer);
  if (args->error_code == PJRT_Error_Code_OK)
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "expected an error code for the buffer, found OK");
  if (!READ_SHAPE (&shape, args, &error))
    return ghlo_pjrt_error_take (error);
  fence = ghlo_fence_new ();
  ghlo_fence_signal (fence, ghlo_pjrt_error_of_code (args->error_code, args->error_message,
                                                      args->error_message_size));
  args->buffer = ghlo_pjrt_buffer_new_future (choose_device (args->client, NULL, args->memory), shape.type,
                                              ghlo_pjrt_future_new_unset (fence));
  ghlo_pjrt_buffer_lay_out (args->buffer, shape.type, shape.layout);
  set_memory (args->buffer, args->memory);

  return NULL;
}

/* The callback for when a view is no longer needed. */
typedef struct
{
  PJRT_ViewDeleter  deleter;    /* nullable */
  void             *memory, *data;
} View;

static void
end_view (gpointer data)
{
  View *self = data;

  if (self->deleter != NULL)
    self->deleter (self->memory, self->data);
  g_free (self);
}

/* Only host memory can be viewed. It is never written to, even if the buffer is donated. */
static PJRT_Error *
create_view_of_device_buffer (PJRT_Client_CreateViewOfDeviceBuffer_Args *args)
{
  g_auto (GhloPjrtShape) shape = { NULL };
  GhloPjrtShape rows;
  GError *error = NULL;
  PJRT_Device *device;
  View *view;

  PJRT_NEEDS (args, buffer);
  device = choose_device (args->client, args->device, PJRT_HAS (args, memory) ? args->memory : NULL);
  if (!ghlo_device_core_is_host (device->core))
    return ghlo_pjrt_error_new (PJRT_Error_Code_UNIMPLEMENTED, "%s does not support views of external memory",
                                device->description.name);
  if (!ghlo_pjrt_shape_read (&shape, args->element_type, args->dims, args->num_dims, args->layout, &error))
    return ghlo_pjrt_error_take (error);
  view = g_new (View, 1);
  *view = (View) { args->on_delete_callback, args->device_buffer_ptr, args->on_delete_callback_arg };
  /* The memory already has the stored layout. */
  rows = (GhloPjrtShape) { shape.stored, shape.stored, ghlo_pjrt_layout_row_major (args->num_dims) };
  args->buffer = ghlo_pjrt_buffer_new_from_host (device, &rows, args->device_buffer_ptr, NULL, end_view, view, &error);
  if (args->buffer == NULL)
    return ghlo_pjrt_error_take (error);
  ghlo_pjrt_buffer_lay_out (args->buffer, shape.type, shape.layout);
  if (PJRT_HAS (args, memory))
    set_memory (args->buffer, args->memory);

  return NULL;
}

/* A future that another buffer's content will set. */
struct PJRT_FulfillAliasBufferCallback
{
  PJRT_Client     *client;      /* owned, as are all fields */
  GhloPjrtFuture *alias;
  GhloTensorType  *type;
  PJRT_Layouts_MemoryLayout *layout;
};

/* Creates a buffer of @type in @layout that will get the content of another buffer. The caller fulfils the alias
 * through the returned object (transfer full). */
static PJRT_FulfillAliasBufferCallback *
begin_alias (PJRT_Device                *device,
             GhloTensorType             *type,
             PJRT_Layouts_MemoryLayout  *layout,
             PJRT_Buffer               **buffer)
{
  g_autoptr (GhloFence) fence = ghlo_fence_new ();
  PJRT_FulfillAliasBufferCallback *self = g_new (PJRT_FulfillAliasBufferCallback, 1);

  self->client = ghlo_pjrt_client_ref (device->client);
  self->alias = ghlo_pjrt_future_new_unset (fence);
  self->type = ghlo_tensor_type_ref (type);
  self->layout = ghlo_pjrt_layout_ref (layout);
  *buffer = ghlo_pjrt_buffer_new_future (device, type, ghlo_pjrt_future_ref (self->alias));
  ghlo_pjrt_buffer_lay_out (*buffer, type, layout);

  return self;
}

static PJRT_Error *
create_alias_buffer (PJRT_Client_CreateAliasBuffer_Args *args)
{
  g_auto (GhloPjrtShape) shape = { NULL };
  GError *error = NULL;

  PJRT_NEEDS (args, fulfill_alias_buffer_cb);
  if (!READ_SHAPE (&shape, args, &error))
    return ghlo_pjrt_error_take (error);
  args->fulfill_alias_buffer_cb = begin_alias (choose_device (args->client, NULL, args->memory), shape.type,
                                               shape.layout, &args->alias_buffer);
  set_memory (args->alias_buffer, args->memory);

  return NULL;
}

static void
end_alias (PJRT_FulfillAliasBufferCallback *self,
           GError                          *error)
{
  ghlo_fence_signal (self->alias->fence, error);
  ghlo_pjrt_future_unref (self->alias);
  ghlo_tensor_type_unref (self->type);
  ghlo_pjrt_layout_unref (self->layout);
  ghlo_pjrt_client_unref (self->client);
  g_free (self);
}

typedef struct
{
  PJRT_FulfillAliasBufferCallback *alias;       /* owned, as is the next */
  GhloPjrtFuture                 *from;
} Alias;

static void
fulfill (gpointer data)
{
  g_autofree Alias *self = data;
  GError *error = NULL;
  GhloValue *value = ghlo_pjrt_future_take (self->from, &error);

  if (value != NULL)
    ghlo_pjrt_future_set (self->alias->alias, value);
  end_alias (self->alias, error);
}

/* Fulfils the alias as soon as the source's value is there. */
static void
fulfill_later (Alias *self)
{
  ghlo_fence_notify (self->from->is_unset ? self->from->fence : NULL, fulfill, self);
}

/* May be called once: the callback object is consumed. */
static PJRT_Error *
fulfill_alias_buffer (PJRT_Client_FulfillAliasBuffer_Args *args)
{
  PJRT_FulfillAliasBufferCallback *callback;
  GhloPjrtFuture *from = NULL;
  GError *error = NULL;
  Alias *alias;

  PJRT_NEEDS (args, fulfill_alias_buffer_cb);
  callback = args->fulfill_alias_buffer_cb;
  if (args->status_code != PJRT_Error_Code_OK)
    error = ghlo_pjrt_error_of_code (args->status_code, args->error_message, args->error_message_size);
  else if (!ghlo_tensor_type_equal (args->buffer->type, callback->type))
    {
      g_autofree char *expected = ghlo_tensor_type_to_string (callback->type);
      g_autofree char *found = ghlo_tensor_type_to_string (args->buffer->type);

      return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "expected %s for the alias, found %s", expected,
                                  found);
    }
  else if (!ghlo_pjrt_layout_equal (args->buffer->layout, callback->layout))
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "expected the layout %s for the alias, found %s",
                                ghlo_pjrt_layout_get_text (callback->layout),
                                ghlo_pjrt_layout_get_text (args->buffer->layout));
  else
    from = ghlo_pjrt_buffer_hold (args->buffer, &error);
  if (from == NULL)
    {
      end_alias (callback, error);
      return NULL;
    }
  alias = g_new (Alias, 1);
  *alias = (Alias) { callback, from };
  fulfill_later (alias);

  return NULL;
}

/* Called once. */
static void
dependency_ready (PJRT_Buffer_DonateWithControlDependency_Callback_Args *args)
{
  Alias *self = args->callback_data;

  if (args->error_code == PJRT_Error_Code_OK)
    {
      fulfill_later (self);
      return;
    }
  ghlo_pjrt_future_unref (self->from);
  end_alias (self->alias, ghlo_pjrt_error_of_code (args->error_code, args->error_message, args->error_message_size));
  g_free (self);
}

/* Moves the buffer's content to a new buffer, which gets it when the caller signals the dependency. */
static PJRT_Error *
donate_with_control_dependency (PJRT_Buffer_DonateWithControlDependency_Args *args)
{
  GhloPjrtFuture *from;
  Alias *alias;

  PJRT_NEEDS (args, out_buffer);
  from = ghlo_pjrt_buffer_give_up (args->buffer);
  if (from == NULL)
    return ghlo_pjrt_error_new (PJRT_Error_Code_INVALID_ARGUMENT, "the buffer was deleted or donated");
  alias = g_new (Alias, 1);
  alias->from = from;
  alias->alias = begin_alias (args->buffer->device, args->buffer->type, args->buffer->layout, &args->out_buffer);
  set_memory (args->out_buffer, args->buffer->memory);
  args->callback_data = alias;
  args->dependency_ready_callback = dependency_ready;

  return NULL;
}

/* Creates a view of the same bytes as another type. Waits for the value of a queued execution. */
static PJRT_Error *
bitcast (PJRT_Buffer_Bitcast_Args *args)
{
  g_auto (GhloPjrtShape) shape = { NULL };
  g_autoptr (GhloValue) value = NULL;
  GhloValue *view = NULL;
  GError *error = NULL;

  PJRT_NEEDS (args, out_buffer);
  if (ghlo_pjrt_shape_read (&shape, args->element_type, args->dims, args->num_dims, args->device_layout, &error))
    value = ghlo_pjrt_buffer_get_value (args->buffer, &error);
  if (value != NULL)
    view = ghlo_value_new_over (shape.stored, value->storage, &error);
  if (view == NULL)
    return ghlo_pjrt_error_take (error);
  args->out_buffer = ghlo_pjrt_buffer_new_value (args->buffer->device, view);
  ghlo_pjrt_buffer_lay_out (args->out_buffer, shape.type, shape.layout);

  return NULL;
}

/* Nothing to map: devices can read all of the host's memory. */
static PJRT_Error *
dma_map (PJRT_Client_DmaMap_Args *args)
{
  PJRT_NEEDS (args, size);

  return NULL;
}

static PJRT_Error *
dma_unmap (PJRT_Client_DmaUnmap_Args *args)
{
  PJRT_NEEDS (args, data);

  return NULL;
}

void
ghlo_pjrt_make_buffer_add_functions (PJRT_Api *api)
{
  api->PJRT_Client_CreateUninitializedBuffer = create_uninitialized_buffer;
  api->PJRT_Client_CreateErrorBuffer = create_error_buffer;
  api->PJRT_Client_CreateViewOfDeviceBuffer = create_view_of_device_buffer;
  api->PJRT_Client_CreateAliasBuffer = create_alias_buffer;
  api->PJRT_Client_FulfillAliasBuffer = fulfill_alias_buffer;
  api->PJRT_Buffer_DonateWithControlDependency = donate_with_control_dependency;
  api->PJRT_Buffer_Bitcast = bitcast;
  api->PJRT_Client_DmaMap = dma_map;
  api->PJRT_Client_DmaUnmap = dma_unmap;
}
