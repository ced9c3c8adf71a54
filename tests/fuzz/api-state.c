/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See api-state.h.
 */

#include "api-state.h"

struct _Call
{
  State   *state;
  GObject *self;                /* referenced; NULL for functions */
  void   (*finish) (State *state, gpointer self, GAsyncResult *result);
  guint    answers;
};

/* Programs may run forever: a watchdog cancels the cancellables of runs when the time for an input is over. */
static struct
{
  GMutex     lock;          /* guards what follows */
  GPtrArray *cancellables;  /* of GCancellable, owned */
  gint64     deadline;      /* monotonic */
} watched;

static gpointer
watch (gpointer data)
{
  while (TRUE)
    {
      g_usleep (50000);
      g_mutex_lock (&watched.lock);
      if (g_get_monotonic_time () > watched.deadline)
        for (guint i = 0; i < watched.cancellables->len; i++)
          g_cancellable_cancel (watched.cancellables->pdata[i]);
      g_mutex_unlock (&watched.lock);
    }

  return NULL;
}

void
api_start_watchdog (void)
{
  watched.cancellables = g_ptr_array_new_with_free_func (g_object_unref);
  api_set_watch (0);
  g_thread_unref (g_thread_new ("watchdog", watch, NULL));
}

void
api_set_watch (gint64 deadline)
{
  g_mutex_lock (&watched.lock);
  g_ptr_array_set_size (watched.cancellables, 0);
  watched.deadline = deadline > 0 ? deadline : G_MAXINT64;
  g_mutex_unlock (&watched.lock);
}

GCancellable *
api_pick_watched (State *state)
{
  GCancellable *cancellable = pick_cancellable (state);

  cancellable = cancellable != NULL ? g_object_ref (cancellable) : g_cancellable_new ();
  g_mutex_lock (&watched.lock);
  g_ptr_array_add (watched.cancellables, cancellable);
  g_mutex_unlock (&watched.lock);

  return cancellable;
}

void
api_ready (GObject      *source,
           GAsyncResult *result,
           gpointer      data)
{
  Call *call = data;

  if (call->answers++ > 0 || source != call->self)
    abort ();
  call->state->pending--;
  call->finish (call->state, call->self, result);
  g_clear_object (&call->self);
  g_free (call);
}

Call *
api_call_new (State    *state,
              gpointer  self,
              void    (*finish) (State *state, gpointer self, GAsyncResult *result))
{
  Call *call = g_new0 (Call, 1);

  call->state = state;
  call->self = self != NULL ? g_object_ref (self) : NULL;
  call->finish = finish;
  state->pending++;

  return call;
}
