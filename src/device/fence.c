/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A fence is a flag, the threads that sleep until it is set, and callbacks.
 */

#include "device/fence.h"

#include "base/new.h"
#include "base/relax.h"
#include "device/queue.h"

/* Microseconds for which a thread polls before it sleeps, where there is no queue; going to sleep costs about as
 * much. */
enum { SPIN = 50 };

/* Pause instructions between two polls; the end is noticed that much later. */
enum { RELAXED = 4 };

typedef struct
{
  GhloFenceFunc func;
  gpointer        data;
} Callback;

struct _GhloFence
{
  gatomicrefcount ref_count;
  GhloDeviceQueue *queue;       /* NULL: only ghlo_fence_signal () signals it; value, wait and begun are unused then */
  guint64         value;        /* that the queue reaches */
  GhloWait        wait;
  gint64          begun;        /* time of creation */
  gint            done;         /* atomic */
  GError         *error;        /* set before done */
  GMutex          lock;         /* guards the following fields */
  GCond           changed;      /* done was set, or a waiter's cancellable may have been cancelled */
  guint           n_asleep;     /* number of waiters for changed; signalling without one is a system call, too */
  GArray         *callbacks;    /* NULL where there are none */
};

GhloFence *
ghlo_fence_new (void)
{
  GhloFence *self = ghlo_new0 (GhloFence);

  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);

  return self;
}

GhloFence *
ghlo_fence_new_at (GhloDeviceQueue *queue,
                   guint64          value,
                   int              wait)
{
  GhloFence *self = ghlo_fence_new ();

  self->queue = queue;
  self->value = value;
  self->wait = wait;
  self->begun = g_get_monotonic_time ();

  return self;
}

GhloFence *
ghlo_fence_ref (GhloFence *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_fence_unref (GhloFence *self)
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
set_done (GhloFence *self,
          GError    *error)
{
  if (g_atomic_int_get (&self->done))
    {
      g_clear_error (&error);
      return;
    }
  self->error = error;
  if (self->queue != NULL)
    ghlo_device_queue_record_wait (self->queue, self->wait, g_get_monotonic_time () - self->begun);
  g_atomic_int_set (&self->done, TRUE);
  if (self->n_asleep > 0)
    g_cond_broadcast (&self->changed);
}

void
ghlo_fence_signal (GhloFence *self,
                   GError    *error)
{
  g_autoptr (GArray) callbacks = NULL;

  /* A callback may release the last reference. */
  ghlo_fence_ref (self);
  g_mutex_lock (&self->lock);
  set_done (self, error);
  callbacks = g_steal_pointer (&self->callbacks);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; callbacks != NULL && i < callbacks->len; i++)
    {
      const Callback *callback = &g_array_index (callbacks, Callback, i);

      callback->func (callback->data);
    }
  ghlo_fence_unref (self);
}

/* Returns whether the work has ended. Leaves work with callbacks to the device, since this caller may hold locks. */
static gboolean
check_ended (GhloFence *self)
{
  GError *error = NULL;

  if (g_atomic_int_get (&self->done) || self->queue == NULL
      || !self->queue->klass->has_reached (self->queue, self->value, &error))
    return g_atomic_int_get (&self->done);
  g_mutex_lock (&self->lock);
  if (self->callbacks == NULL)
    set_done (self, g_steal_pointer (&error));
  g_mutex_unlock (&self->lock);
  g_clear_error (&error);

  return g_atomic_int_get (&self->done);
}

/* Returns whether the caller has slept instead. */
static gboolean
watch (GhloFence *self,
       gboolean   may_sleep)
{
  return self->queue != NULL && self->queue->klass->watch (self->queue, self->value, may_sleep);
}

gboolean
ghlo_fence_is_done (GhloFence *self)
{
  return self == NULL || g_atomic_int_get (&self->done);
}

gboolean
ghlo_fence_has_ended (GhloFence *self)
{
  return self == NULL || check_ended (self);
}

const GError *
ghlo_fence_get_error (GhloFence *self)
{
  return self != NULL && g_atomic_int_get (&self->done) ? self->error : NULL;
}

gboolean
ghlo_fence_poll (GhloFence *self)
{
  gint64 end;

  if (check_ended (self))
    return TRUE;
  end = g_get_monotonic_time ()
        + (self->queue == NULL ? SPIN : ghlo_device_queue_get_polling_time (self->queue, self->wait));
  while (g_get_monotonic_time () < end)
    {
      for (guint i = 0; i < RELAXED; i++)
        ghlo_relax ();
      if (check_ended (self))
        return TRUE;
    }

  return FALSE;
}

static void
wake (GCancellable *cancellable,
      gpointer      data)
{
  GhloFence *self = data;

  g_mutex_lock (&self->lock);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static gboolean
has_callbacks (GhloFence *self)
{
  gboolean has;

  g_mutex_lock (&self->lock);
  has = self->callbacks != NULL;
  g_mutex_unlock (&self->lock);

  return has;
}

/* Returns when the work has ended, when the cancellable is cancelled, or after a moment. */
static void
sleep_until_done (GhloFence    *self,
                  GCancellable *cancellable)
{
  gulong handler = 0;

  /* Where there are callbacks, the device's thread has to end the work. */
  if (watch (self, !has_callbacks (self)))
    {
      check_ended (self);
      return;
    }
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
ghlo_fence_wait_end (GhloFence          *self,
                     const GhloMonitor  *monitor,
                     GError            **error)
{
  ghlo_fence_poll (self);
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
ghlo_fence_notify (GhloFence     *self,
                   GhloFenceFunc  func,
                   gpointer       data)
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
      ghlo_fence_ref (self);
      g_mutex_unlock (&self->lock);
      if (!done)
        watch (self, FALSE);
      ghlo_fence_unref (self);
    }
  if (done)
    func (data);
}
