/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PJRT's events for pending work on a device. Callbacks for the end of an event hold a reference to the pending work
 * and not to the event, since callers may destroy the event before it ends.
 */

#include "pjrt/event.h"

#include "pjrt/error.h"
#include "pjrt/queue.h"

struct PJRT_Event
{
  GhloFence *fence;         /* owned; NULL: it has ended successfully */
};

PJRT_Event *
ghlo_pjrt_event_new (GhloFence *fence)
{
  PJRT_Event *self = g_new (PJRT_Event, 1);

  self->fence = fence != NULL ? ghlo_fence_ref (fence) : NULL;

  return self;
}

static PJRT_Error *
error_of (GhloFence *fence)
{
  const GError *error = ghlo_fence_get_error (fence);

  return error != NULL ? ghlo_pjrt_error_take (g_error_copy (error)) : NULL;
}

static PJRT_Error *
destroy (PJRT_Event_Destroy_Args *args)
{
  PJRT_NEEDS (args, event);
  if (args->event == NULL)
    return NULL;
  g_clear_pointer (&args->event->fence, ghlo_fence_unref);
  g_free (args->event);

  return NULL;
}

static PJRT_Error *
is_ready (PJRT_Event_IsReady_Args *args)
{
  PJRT_NEEDS (args, is_ready);
  /* Polled, since some devices only notice that work has ended when they are asked. */
  args->is_ready = args->event->fence == NULL || ghlo_fence_poll (args->event->fence);

  return NULL;
}

static PJRT_Error *
get_error (PJRT_Event_Error_Args *args)
{
  PJRT_NEEDS (args, event);

  return error_of (args->event->fence);
}

static PJRT_Error *
await (PJRT_Event_Await_Args *args)
{
  GError *error = NULL;

  PJRT_NEEDS (args, event);
  ghlo_pjrt_queue_run_ready (args->event->fence);
  if (ghlo_fence_wait (args->event->fence, NULL, &error))
    return NULL;

  return ghlo_pjrt_error_take (error);
}

typedef struct
{
  GhloFence                *fence;  /* owned */
  PJRT_Event_OnReadyCallback  callback;
  void                       *user_arg;
} Notice;

static void
call_back (gpointer data)
{
  Notice *notice = data;

  notice->callback (error_of (notice->fence), notice->user_arg);
  ghlo_fence_unref (notice->fence);
  g_free (notice);
}

static PJRT_Error *
on_ready (PJRT_Event_OnReady_Args *args)
{
  GhloFence *fence;
  Notice *notice;

  PJRT_NEEDS (args, user_arg);
  fence = args->event->fence;
  if (fence == NULL)
    {
      args->callback (NULL, args->user_arg);
      return NULL;
    }
  notice = g_new (Notice, 1);
  notice->fence = ghlo_fence_ref (fence);
  notice->callback = args->callback;
  notice->user_arg = args->user_arg;
  ghlo_fence_notify (fence, call_back, notice);

  return NULL;
}

static PJRT_Error *
create (PJRT_Event_Create_Args *args)
{
  g_autoptr (GhloFence) fence = NULL;

  PJRT_NEEDS (args, event);
  fence = ghlo_fence_new ();
  args->event = ghlo_pjrt_event_new (fence);

  return NULL;
}

static PJRT_Error *
set (PJRT_Event_Set_Args *args)
{
  PJRT_NEEDS (args, error_message_size);
  if (args->event->fence == NULL || ghlo_fence_is_done (args->event->fence))
    return ghlo_pjrt_error_new (PJRT_Error_Code_FAILED_PRECONDITION, "the event is set already");
  ghlo_fence_signal (args->event->fence, args->error_code == PJRT_Error_Code_OK
                    ? NULL : ghlo_pjrt_error_of_code (args->error_code, args->error_message, args->error_message_size));

  return NULL;
}

void
ghlo_pjrt_event_add_functions (PJRT_Api *api)
{
  api->PJRT_Event_Destroy = destroy;
  api->PJRT_Event_IsReady = is_ready;
  api->PJRT_Event_Error = get_error;
  api->PJRT_Event_Await = await;
  api->PJRT_Event_OnReady = on_ready;
  api->PJRT_Event_Create = create;
  api->PJRT_Event_Set = set;
}
