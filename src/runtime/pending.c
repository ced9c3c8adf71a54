/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pending work: a flag, the threads that sleep until it is set, and callbacks.
 */

#include "runtime/pending.h"

#include "base/new.h"
#include "runtime/parallel.h"

/* Microseconds for which a thread polls before it sleeps, where no source says how long; going to sleep costs about as
 * much. */
enum { SPIN = 50 };

/* Pause instructions between two polls; the end is noticed that much later. */
enum { RELAXED = 4 };

typedef struct
{
  GhloPendingFunc func;
  gpointer        data;
} Callback;

struct _GhloPending
{
  gatomicrefcount ref_count;
  const GhloPendingSource *source;  /* of work whose end is noticed by polling, with data and number; nullable */
  gpointer        data;
  guint64         number;
  gint64          begun;        /* time of creation, where there is a source */
  gint            done;         /* atomic */
  GError         *error;        /* set before done */
  GMutex          lock;         /* guards the following fields */
  GCond           changed;      /* done was set, or a waiter's cancellable may have been cancelled */
  guint           n_asleep;     /* number of waiters for changed; signalling without one is a system call, too */
  GArray         *callbacks;    /* NULL where there are none */
};

GhloPending *
ghlo_pending_new (void)
{
  GhloPending *self = ghlo_new0 (GhloPending);

  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);

  return self;
}

GhloPending *
ghlo_pending_new_of (const GhloPendingSource *source,
                     gpointer                 data,
                     guint64                  number)
{
  GhloPending *self = ghlo_pending_new ();

  self->source = source;
  self->data = data;
  self->number = number;
  self->begun = g_get_monotonic_time ();

  return self;
}

GhloPending *
ghlo_pending_ref (GhloPending *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_pending_unref (GhloPending *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_clear_error (&self->error);
  g_clear_pointer (&self->callbacks, g_array_unref);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

/* Called with the lock held. */
static void
set_done (GhloPending *self,
          GError      *error)
{
  if (g_atomic_int_get (&self->done))
    {
      g_clear_error (&error);
      return;
    }
  self->error = error;
  if (self->source != NULL && self->source->record_time != NULL)
    self->source->record_time (self->data, g_get_monotonic_time () - self->begun);
  g_atomic_int_set (&self->done, TRUE);
  if (self->n_asleep > 0)
    g_cond_broadcast (&self->changed);
}

void
ghlo_pending_end (GhloPending *self,
                  GError      *error)
{
  g_autoptr (GArray) callbacks = NULL;

  /* A callback may release the last reference. */
  ghlo_pending_ref (self);
  g_mutex_lock (&self->lock);
  set_done (self, error);
  callbacks = g_steal_pointer (&self->callbacks);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; callbacks != NULL && i < callbacks->len; i++)
    {
      const Callback *callback = &g_array_index (callbacks, Callback, i);

      callback->func (callback->data);
    }
  ghlo_pending_unref (self);
}

/* Returns whether the work has ended. Leaves work with callbacks to the device, since this caller may hold locks. */
static gboolean
check_ended (GhloPending *self)
{
  GError *error = NULL;

  if (g_atomic_int_get (&self->done) || self->source == NULL
      || !self->source->has_ended (self->data, self->number, &error))
    return g_atomic_int_get (&self->done);
  g_mutex_lock (&self->lock);
  if (self->callbacks == NULL)
    set_done (self, g_steal_pointer (&error));
  g_mutex_unlock (&self->lock);
  g_clear_error (&error);

  return g_atomic_int_get (&self->done);
}

static void
request_notification (GhloPending *self)
{
  if (self->source != NULL)
    self->source->watch (self->data, self->number);
}

gboolean
ghlo_pending_is_done (GhloPending *self)
{
  return self == NULL || g_atomic_int_get (&self->done);
}

const GError *
ghlo_pending_get_error (GhloPending *self)
{
  return self != NULL && g_atomic_int_get (&self->done) ? self->error : NULL;
}

gboolean
ghlo_pending_poll (GhloPending *self)
{
  gint64 end;

  if (check_ended (self))
    return TRUE;
  end = g_get_monotonic_time () + (self->source == NULL ? SPIN : self->source->get_patience (self->data));
  while (g_get_monotonic_time () < end)
    {
      for (guint i = 0; i < RELAXED; i++)
        ghlo_parallel_relax ();
      if (check_ended (self))
        return TRUE;
    }

  return FALSE;
}

static void
wake (GCancellable *cancellable,
      gpointer      data)
{
  GhloPending *self = data;

  g_mutex_lock (&self->lock);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* Returns whether the caller's thread may sleep in the device. Not where there are callbacks: the device's thread ends
 * such work. */
static gboolean
may_sleep (GhloPending *self)
{
  gboolean is_watched;

  g_mutex_lock (&self->lock);
  is_watched = self->callbacks != NULL;
  g_mutex_unlock (&self->lock);

  return !is_watched && self->source != NULL && self->source->sleep != NULL;
}

/* Returns when the work has ended, when the cancellable is cancelled, or after a moment. */
static void
sleep_until_done (GhloPending  *self,
                  GCancellable *cancellable)
{
  gulong handler = 0;

  if (may_sleep (self))
    {
      self->source->sleep (self->data, self->number);
      check_ended (self);
      return;
    }
  request_notification (self);
  if (cancellable != NULL)
    handler = g_cancellable_connect (cancellable, G_CALLBACK (wake), self, NULL);
  g_mutex_lock (&self->lock);
  self->n_asleep++;
  while (!g_atomic_int_get (&self->done) && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait (&self->changed, &self->lock);
  self->n_asleep--;
  g_mutex_unlock (&self->lock);
  if (handler != 0)
    g_cancellable_disconnect (cancellable, handler);
}

gboolean
ghlo_pending_wait_end (GhloPending        *self,
                       const GhloMonitor  *monitor,
                       GError            **error)
{
  ghlo_pending_poll (self);
  while (!g_atomic_int_get (&self->done))
    {
      if (ghlo_monitor_cancelled (monitor, error))
        return FALSE;
      sleep_until_done (self, monitor != NULL ? monitor->cancellable : NULL);
    }
  if (self->error == NULL)
    return TRUE;
  g_propagate_error (error, g_error_copy (self->error));

  return FALSE;
}

void
ghlo_pending_notify (GhloPending     *self,
                     GhloPendingFunc  func,
                     gpointer         data)
{
  const Callback callback = { func, data };
  gboolean done = self == NULL;

  if (!done)
    {
      g_mutex_lock (&self->lock);
      done = g_atomic_int_get (&self->done);
      if (!done && self->callbacks == NULL)
        self->callbacks = g_array_new (FALSE, FALSE, sizeof callback);
      if (!done)
        g_array_append_val (self->callbacks, callback);
      ghlo_pending_ref (self);
      g_mutex_unlock (&self->lock);
      if (!done)
        request_notification (self);
      ghlo_pending_unref (self);
    }
  if (done)
    func (data);
}
