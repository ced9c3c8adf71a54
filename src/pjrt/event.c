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
  GhloPending *pending;         /* owned; NULL: it has ended successfully */
};

PJRT_Event *
ghlo_pjrt_event_new (GhloPending *pending)
{
  PJRT_Event *self = g_new (PJRT_Event, 1);

  self->pending = pending != NULL ? ghlo_pending_ref (pending) : NULL;

  return self;
}

static PJRT_Error *
error_of (GhloPending *pending)
{
  const GError *error = ghlo_pending_get_error (pending);

  return error != NULL ? ghlo_pjrt_error_take (g_error_copy (error)) : NULL;
}

static PJRT_Error *
destroy (PJRT_Event_Destroy_Args *args)
{
  PJRT_NEEDS (args, event);
  if (args->event == NULL)
    return NULL;
  g_clear_pointer (&args->event->pending, ghlo_pending_unref);
  g_free (args->event);

  return NULL;
}

static PJRT_Error *
is_ready (PJRT_Event_IsReady_Args *args)
{
  PJRT_NEEDS (args, is_ready);
  /* Polled, since some devices only notice that work has ended when they are asked. */
  args->is_ready = args->event->pending == NULL || ghlo_pending_poll (args->event->pending);

  return NULL;
}

static PJRT_Error *
get_error (PJRT_Event_Error_Args *args)
{
  PJRT_NEEDS (args, event);

  return error_of (args->event->pending);
}

static PJRT_Error *
await (PJRT_Event_Await_Args *args)
{
  GError *error = NULL;

  PJRT_NEEDS (args, event);
  ghlo_pjrt_queue_help (args->event->pending);
  if (ghlo_pending_wait (args->event->pending, NULL, &error))
    return NULL;

  return ghlo_pjrt_error_take (error);
}

typedef struct
{
  GhloPending                *pending;  /* owned */
  PJRT_Event_OnReadyCallback  callback;
  void                       *user_arg;
} Notice;

static void
call_back (gpointer data)
{
  Notice *notice = data;

  notice->callback (error_of (notice->pending), notice->user_arg);
  ghlo_pending_unref (notice->pending);
  g_free (notice);
}

static PJRT_Error *
on_ready (PJRT_Event_OnReady_Args *args)
{
  GhloPending *pending;
  Notice *notice;

  PJRT_NEEDS (args, user_arg);
  pending = args->event->pending;
  if (pending == NULL)
    {
      args->callback (NULL, args->user_arg);
      return NULL;
    }
  notice = g_new (Notice, 1);
  notice->pending = ghlo_pending_ref (pending);
  notice->callback = args->callback;
  notice->user_arg = args->user_arg;
  ghlo_pending_notify (pending, call_back, notice);

  return NULL;
}

static PJRT_Error *
create (PJRT_Event_Create_Args *args)
{
  g_autoptr (GhloPending) pending = NULL;

  PJRT_NEEDS (args, event);
  pending = ghlo_pending_new ();
  args->event = ghlo_pjrt_event_new (pending);

  return NULL;
}

static PJRT_Error *
set (PJRT_Event_Set_Args *args)
{
  PJRT_NEEDS (args, error_message_size);
  if (args->event->pending == NULL || ghlo_pending_is_done (args->event->pending))
    return ghlo_pjrt_error_new (PJRT_Error_Code_FAILED_PRECONDITION, "the event is set already");
  ghlo_pending_end (args->event->pending, args->error_code == PJRT_Error_Code_OK
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
