/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of functions that handlers call. Memory is host memory, threads are in a pool of this file, and there are
 * no streams. A future has two owners: the thread that sets it and the thread that waits for it.
 */

#include "pjrt/ffi/functions.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "base/tensor-type.h"
#include "pjrt/context.h"
#include "pjrt/error.h"
#include "pjrt/ffi/ffi.h"
#include "runtime/storage.h"
#include "runtime/value.h"

/* The alignment of allocated blocks, in bytes. */
enum { ALIGNMENT = 64 };

struct XLA_FFI_Error
{
  GError *error;        /* owned */
};

struct XLA_FFI_Future
{
  gatomicrefcount ref_count;
  GMutex          lock;
  GCond           changed;
  gboolean        is_set;
  GError         *error;        /* owned; NULL on success */
};

static XLA_FFI_Error *
error_take (GError *error)
{
  XLA_FFI_Error *self;

  if (error == NULL)
    return NULL;
  self = g_new (XLA_FFI_Error, 1);
  self->error = error;

  return self;
}

static XLA_FFI_Error *fail (GhloError   code,
                            const char *format,
                            ...) G_GNUC_PRINTF (2, 3);

static XLA_FFI_Error *
fail (GhloError   code,
      const char *format,
      ...)
{
  va_list arguments;
  GError *error;

  va_start (arguments, format);
  error = g_error_new_valist (GHLO_ERROR, code, format, arguments);
  va_end (arguments);

  return error_take (error);
}

/* Returns an error from the calling function unless the caller's structure includes all of @field. */
#define NEEDS(args, field) \
  G_STMT_START { \
    if (!PJRT_HAS (args, field)) \
      return fail (GHLO_ERROR_INVALID_ARGUMENT, "%s: expected at least %" G_GSIZE_FORMAT " bytes of arguments, " \
                   "found %" G_GSIZE_FORMAT, G_STRFUNC, \
                   offsetof (__typeof__ (*(args)), field) + sizeof ((args)->field), (args)->struct_size); \
  } G_STMT_END

/* Errors. */

static XLA_FFI_Error *
error_create (XLA_FFI_Error_Create_Args *args)
{
  const char *message;

  NEEDS (args, errc);
  message = args->message != NULL ? args->message : "";

  return error_take (ghlo_pjrt_error_of_code ((PJRT_Error_Code) args->errc, message, strlen (message)));
}

static void
error_get_message (XLA_FFI_Error_GetMessage_Args *args)
{
  if (PJRT_HAS (args, message))
    args->message = args->error->error->message;
}

static void
error_free (XLA_FFI_Error *self)
{
  if (self == NULL)
    return;
  g_error_free (self->error);
  g_free (self);
}

static void
error_destroy (XLA_FFI_Error_Destroy_Args *args)
{
  if (PJRT_HAS (args, error))
    error_free (args->error);
}

void
ghlo_pjrt_ffi_propagate (GError        **error,
                         XLA_FFI_Error  *problem)
{
  if (problem != NULL)
    g_propagate_error (error, g_steal_pointer (&problem->error));
  g_free (problem);
}

/* Handlers and types. */

static XLA_FFI_Error *
handler_register (XLA_FFI_Handler_Register_Args *args)
{
  GError *error = NULL;

  NEEDS (args, bundle);
  ghlo_pjrt_ffi_register (args->name, args->bundle, &error);

  return error_take (error);
}

static XLA_FFI_Error *
type_register (XLA_FFI_Type_Register_Args *args)
{
  GError *error = NULL;

  /* In XLA's headers, struct_size ends before type_info. */
  NEEDS (args, type_id);
  ghlo_pjrt_ffi_register_type (args->name, &args->type_id->type_id,
                               args->type_info != NULL ? args->type_info->deleter : NULL, &error);

  return error_take (error);
}

static XLA_FFI_Error *
stream_get (G_GNUC_UNUSED XLA_FFI_Stream_Get_Args *args)
{
  return fail (GHLO_ERROR_UNSUPPORTED, "FFI handlers run on the host and have no stream");
}

static XLA_FFI_Error *
context_get (XLA_FFI_ExecutionContext_Get_Args *args)
{
  const GhloCustomCallFrame *frame;

  NEEDS (args, data);
  frame = args->ctx->frame;
  if (frame != NULL && ghlo_pjrt_context_find (frame->context, args->type_id->type_id, &args->data))
    return NULL;

  return fail (GHLO_ERROR_INVALID_ARGUMENT, "the execution context has no user data of type ID %" G_GINT64_FORMAT,
               (gint64) args->type_id->type_id);
}

static XLA_FFI_Error *
run_id_get (G_GNUC_UNUSED XLA_FFI_RunId_Get_Args *args)
{
  return fail (GHLO_ERROR_UNSUPPORTED, "GHLO does not implement XLA_FFI_RunId_Get");
}

static XLA_FFI_Error *
device_ordinal_get (XLA_FFI_DeviceOrdinal_Get_Args *args)
{
  NEEDS (args, device_ordinal);
  args->device_ordinal = 0;

  return NULL;
}

/* States. */

void
ghlo_pjrt_ffi_state_clear (GhloPjrtFfiState *self)
{
  ghlo_pjrt_ffi_delete (self->type, self->object);
  *self = (GhloPjrtFfiState) { 0, NULL };
}

/* Returns NULL when the stage has no state. */
static GhloPjrtFfiState *
find_state (const XLA_FFI_ExecutionContext *context,
            XLA_FFI_ExecutionStage          stage)
{
  return (guint) stage < G_N_ELEMENTS (context->states) ? context->states[stage] : NULL;
}

static XLA_FFI_Error *
state_set (XLA_FFI_State_Set_Args *args)
{
  GhloPjrtFfiState *state;

  NEEDS (args, state);
  state = find_state (args->ctx, args->stage);
  if (state == NULL || state->object != NULL)
    return fail (GHLO_ERROR_INVALID_ARGUMENT, "stage %d %s", (int) args->stage,
                 state == NULL ? "has no state" : "has a state already");
  *state = (GhloPjrtFfiState) { args->type_id->type_id, args->state };

  return NULL;
}

static XLA_FFI_Error *
state_get (XLA_FFI_State_Get_Args *args)
{
  const GhloPjrtFfiState *state;

  NEEDS (args, state);
  state = find_state (args->ctx, args->stage);
  if (state == NULL || state->object == NULL || state->type != args->type_id->type_id)
    return fail (GHLO_ERROR_INVALID_ARGUMENT, "stage %d has no state of type ID %" G_GINT64_FORMAT, (int) args->stage,
                 (gint64) args->type_id->type_id);
  args->state = state->object;

  return NULL;
}

/* Memory. */

static XLA_FFI_Error *
memory_allocate (XLA_FFI_DeviceMemory_Allocate_Args *args)
{
  g_autoptr (GhloTensorType) type = NULL;
  GhloValue *block;
  gint64 size;
  GError *error = NULL;

  NEEDS (args, data);
  args->data = NULL;
  size = args->size <= G_MAXINT64 ? (gint64) args->size : -1;
  if (args->alignment > ALIGNMENT)
    return fail (GHLO_ERROR_UNSUPPORTED, "expected an alignment of at most %d bytes, found %" G_GSIZE_FORMAT,
                 ALIGNMENT, args->alignment);
  type = size > 0 ? ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_UI8, &size, 1) : NULL;
  if (type == NULL)
    return size == 0 ? NULL : fail (GHLO_ERROR_OUT_OF_MEMORY, "cannot allocate %" G_GSIZE_FORMAT " bytes", args->size);
  block = ghlo_value_new_uninitialized (type, &error);
  if (block == NULL)
    return error_take (error);
  g_mutex_lock (&args->ctx->lock);
  if (args->ctx->blocks == NULL)
    args->ctx->blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);
  g_ptr_array_add (args->ctx->blocks, block);
  g_mutex_unlock (&args->ctx->lock);
  args->data = block->data;

  return NULL;
}

static XLA_FFI_Error *
memory_free (XLA_FFI_DeviceMemory_Free_Args *args)
{
  g_autoptr (GhloValue) found = NULL;
  GPtrArray *blocks;

  NEEDS (args, data);
  if (args->data == NULL)
    return NULL;
  g_mutex_lock (&args->ctx->lock);
  blocks = args->ctx->blocks;
  for (guint i = 0; blocks != NULL && i < blocks->len && found == NULL; i++)
    if (((GhloValue *) blocks->pdata[i])->data == args->data)
      found = g_ptr_array_steal_index_fast (blocks, i);
  g_mutex_unlock (&args->ctx->lock);

  return found != NULL ? NULL : fail (GHLO_ERROR_INVALID_ARGUMENT, "the memory was not allocated by this call");
}

void
ghlo_pjrt_ffi_context_init (XLA_FFI_ExecutionContext  *self,
                            const GhloCustomCallFrame *frame)
{
  *self = (XLA_FFI_ExecutionContext) { .frame = frame };
  g_mutex_init (&self->lock);
}

void
ghlo_pjrt_ffi_context_clear (XLA_FFI_ExecutionContext *self)
{
  g_mutex_clear (&self->lock);
  g_clear_pointer (&self->blocks, g_ptr_array_unref);
}

/* Threads. */

typedef struct
{
  XLA_FFI_Task *task;
  void         *data;
} Work;

static void
work (gpointer               given,
      G_GNUC_UNUSED gpointer data)
{
  g_autofree Work *self = given;

  self->task (self->data);
}

/* Returns the pool, which is never freed; NULL when the system cannot start a thread for it. */
static GThreadPool *
get_pool (void)
{
  static GThreadPool *pool;
  static gsize made;

  if (g_once_init_enter (&made))
    {
      /* Start all threads now, so that no later work has to wait for a thread. */
      GThreadPool *found = g_thread_pool_new (work, NULL, (int) g_get_num_processors (), TRUE, NULL);

      if (found != NULL && g_thread_pool_get_num_threads (found) > 0)
        pool = found;
      g_once_init_leave (&made, 1);
    }

  return pool;
}

static XLA_FFI_Error *
schedule (XLA_FFI_ThreadPool_Schedule_Args *args)
{
  GThreadPool *pool = get_pool ();

  NEEDS (args, data);
  if (pool == NULL)
    {
      args->task (args->data);
      return NULL;
    }
  g_thread_pool_push (pool, g_memdup2 (&(Work) { args->task, args->data }, sizeof (Work)), NULL);

  return NULL;
}

static XLA_FFI_Error *
n_threads (XLA_FFI_ThreadPool_NumThreads_Args *args)
{
  NEEDS (args, num_threads);
  *args->num_threads = get_pool () != NULL ? g_thread_pool_get_num_threads (get_pool ()) : 1;

  return NULL;
}

/* Futures. */

static void
future_unref (XLA_FFI_Future *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_clear_error (&self->error);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static XLA_FFI_Error *
future_create (XLA_FFI_Future_Create_Args *args)
{
  /* In XLA's headers, struct_size ends before future. */
  NEEDS (args, extension_start);
  args->future = g_new0 (XLA_FFI_Future, 1);
  g_atomic_ref_count_init (&args->future->ref_count);
  g_atomic_ref_count_inc (&args->future->ref_count);
  g_mutex_init (&args->future->lock);
  g_cond_init (&args->future->changed);

  return NULL;
}

/* Takes over @error and the setter's reference to @future. */
static void
future_set (XLA_FFI_Future *future,
            GError         *error)
{
  g_mutex_lock (&future->lock);
  future->is_set = TRUE;
  future->error = error;
  g_cond_signal (&future->changed);
  g_mutex_unlock (&future->lock);
  future_unref (future);
}

static XLA_FFI_Error *
future_set_available (XLA_FFI_Future_SetAvailable_Args *args)
{
  NEEDS (args, future);
  future_set (args->future, NULL);

  return NULL;
}

static XLA_FFI_Error *
future_set_error (XLA_FFI_Future_SetError_Args *args)
{
  GError *error = NULL;

  NEEDS (args, error);
  ghlo_pjrt_ffi_propagate (&error, args->error);
  future_set (args->future, error);

  return NULL;
}

gboolean
ghlo_pjrt_ffi_await (XLA_FFI_Future  *future,
                     GError         **error)
{
  GError *problem;

  g_mutex_lock (&future->lock);
  while (!future->is_set)
    g_cond_wait (&future->changed, &future->lock);
  problem = g_steal_pointer (&future->error);
  g_mutex_unlock (&future->lock);
  future_unref (future);
  if (problem != NULL)
    g_propagate_error (error, problem);

  return problem == NULL;
}

const XLA_FFI_Api *
ghlo_pjrt_ffi_api (void)
{
  static const XLA_FFI_Api api = {
    .struct_size = sizeof api,
    .api_version = { sizeof (XLA_FFI_Api_Version), NULL, XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR },
    .XLA_FFI_Error_Create = error_create, .XLA_FFI_Error_GetMessage = error_get_message,
    .XLA_FFI_Error_Destroy = error_destroy, .XLA_FFI_Handler_Register = handler_register,
    .XLA_FFI_Stream_Get = stream_get, .XLA_FFI_Type_Register = type_register,
    .XLA_FFI_ExecutionContext_Get = context_get, .XLA_FFI_State_Set = state_set, .XLA_FFI_State_Get = state_get,
    .XLA_FFI_DeviceMemory_Allocate = memory_allocate, .XLA_FFI_DeviceMemory_Free = memory_free,
    .XLA_FFI_ThreadPool_Schedule = schedule, .XLA_FFI_ThreadPool_NumThreads = n_threads,
    .XLA_FFI_Future_Create = future_create, .XLA_FFI_Future_SetAvailable = future_set_available,
    .XLA_FFI_Future_SetError = future_set_error, .XLA_FFI_RunId_Get = run_id_get,
    .XLA_FFI_DeviceOrdinal_Get = device_ordinal_get,
  };

  return &api;
}
