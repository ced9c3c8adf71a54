/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls wait in one queue. Each is run by a source in its context or by the context's thread while that waits itself,
 * whichever comes first. Calls are few and rare, so one lock and one condition variable serve all of them.
 */

#include "client/context-calls.h"

typedef enum { CALL_WAITS, CALL_RUNS, CALL_IS_OVER } CallState;

typedef struct
{
  gatomicrefcount  ref_count;
  GMainContext    *context;     /* owned */
  GThread         *owner;       /* borrowed from the waiting thread; only compared, before that thread's call returns */
  GhloContextFunc  func;
  gpointer         data;        /* of the waiting thread */
  CallState        state;       /* guarded by the lock */
  gboolean         ok;          /* like the next field, written while the call runs */
  GError          *error;
} Call;

static struct
{
  GMutex lock;        /* guards the fields below */
  GQueue waiting;     /* of Call, borrowed from the waiting threads */
  GCond  changed;
} calls;

static void
call_unref (gpointer data)
{
  Call *call = data;

  if (!g_atomic_ref_count_dec (&call->ref_count))
    return;

  g_main_context_unref (call->context);
  g_clear_error (&call->error);
  g_free (call);
}

static Call *
call_ref (Call *call)
{
  g_atomic_ref_count_inc (&call->ref_count);

  return call;
}

/* Called with the lock held, which is released during the call. */
static void
run (Call *call)
{
  g_queue_remove (&calls.waiting, call);
  call->state = CALL_RUNS;
  g_mutex_unlock (&calls.lock);
  call->ok = call->func (call->data, &call->error);
  g_mutex_lock (&calls.lock);
  call->state = CALL_IS_OVER;
  g_cond_broadcast (&calls.changed);
}

static gboolean
dispatch (gpointer data)
{
  Call *call = data;

  g_mutex_lock (&calls.lock);
  if (call->state == CALL_WAITS)
    run (call);
  g_mutex_unlock (&calls.lock);

  return G_SOURCE_REMOVE;
}

static GSource *
attach (Call *call)
{
  GSource *source = g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (source, "[ghlo] custom call");
  g_source_set_callback (source, dispatch, call_ref (call), call_unref);
  g_source_attach (source, call->context);

  return source;
}

void
ghlo_context_wake (void)
{
  g_mutex_lock (&calls.lock);
  g_cond_broadcast (&calls.changed);
  g_mutex_unlock (&calls.lock);
}

static void
on_cancelled (GCancellable *cancellable,
              gpointer      data)
{
  ghlo_context_wake ();
}

/* Returns TRUE when @call was run. Otherwise it was cancelled and will not be run. */
static gboolean
wait_for (Call         *call,
          GCancellable *cancellable)
{
  gboolean called;

  g_mutex_lock (&calls.lock);
  if (call->state == CALL_WAITS)
    g_queue_push_tail (&calls.waiting, call);
  g_cond_broadcast (&calls.changed);
  while (call->state == CALL_RUNS || (call->state == CALL_WAITS && !g_cancellable_is_cancelled (cancellable)))
    g_cond_wait (&calls.changed, &calls.lock);
  called = call->state == CALL_IS_OVER;
  if (!called)
    g_queue_remove (&calls.waiting, call);
  call->state = CALL_IS_OVER;
  g_mutex_unlock (&calls.lock);

  return called;
}

gboolean
ghlo_context_call (GMainContext     *context,
                   GThread          *owner,
                   GhloContextFunc   func,
                   gpointer          data,
                   GCancellable     *cancellable,
                   GError          **error)
{
  g_autoptr (GSource) source = NULL;
  gulong handler = 0;
  gboolean ok;
  Call *call;

  if (owner == g_thread_self () || g_main_context_is_owner (context))
    return func (data, error);

  call = g_new0 (Call, 1);
  g_atomic_ref_count_init (&call->ref_count);
  call->context = g_main_context_ref (context);
  call->owner = owner;
  call->func = func;
  call->data = data;
  source = attach (call);
  /* Not g_cancellable_disconnect (), which waits for other handlers: one of them may be running the main loop that
   * this call waits for. */
  if (cancellable != NULL)
    handler = g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), NULL, NULL);
  ok = wait_for (call, cancellable);
  if (handler != 0)
    g_signal_handler_disconnect (cancellable, handler);
  g_source_destroy (source);
  if (!ok)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "the call was cancelled");
  else if (call->error != NULL)
    g_propagate_error (error, g_steal_pointer (&call->error));
  ok = ok && call->ok;
  call_unref (call);

  return ok;
}

/* Returns a call that this thread may run, or NULL. Called with the lock held. */
static Call *
find_own (void)
{
  for (GList *link = calls.waiting.head; link != NULL; link = link->next)
    {
      Call *call = link->data;

      if (call->owner == g_thread_self () || g_main_context_is_owner (call->context))
        return call;
    }

  return NULL;
}

void
ghlo_context_serve (gboolean (*is_over) (gpointer data),
                    gpointer   data)
{
  g_mutex_lock (&calls.lock);
  while (!is_over (data))
    {
      Call *call = find_own ();

      if (call == NULL)
        {
          g_cond_wait (&calls.changed, &calls.lock);
          continue;
        }
      call_ref (call);
      run (call);
      call_unref (call);
    }
  g_mutex_unlock (&calls.lock);
}
