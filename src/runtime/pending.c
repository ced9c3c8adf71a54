/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pending work: a flag, those who sleep until it is set, and those who are called back.
 */

#include "runtime/pending.h"

#include "base/new.h"
#include "runtime/parallel.h"

/* Microseconds for which a wait looks before it sleeps, which costs as much, where no source says how long. */
enum { SPIN = 50 };

/* Times that the processor is told to take it easy between two looks: the end is seen that much later. */
enum { RELAXED = 4 };

typedef struct
{
  GhloPendingFunc func;
  gpointer        data;
} Callback;

struct _GhloPending
{
  gatomicrefcount ref_count;
  const GhloPendingSource *source;  /* of what the device ends when somebody looks, with the next two; nullable */
  gpointer        data;
  guint64         number;
  gint64          begun;        /* when it was made, where there is a source */
  gint            done;         /* atomic */
  GError         *error;        /* set before done is */
  GMutex          lock;         /* guards what follows */
  GCond           changed;      /* done was set, or a waiter is to look at its cancellable */
  guint           n_asleep;     /* who wait for that: to wake nobody is a system call as well */
  GArray         *callbacks;    /* NULL where nobody asked */
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

/* The lock is held. */
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
  if (self->source != NULL && self->source->took != NULL)
    self->source->took (self->data, g_get_monotonic_time () - self->begun);
  g_atomic_int_set (&self->done, TRUE);
  if (self->n_asleep > 0)
    g_cond_broadcast (&self->changed);
}

void
ghlo_pending_end (GhloPending *self,
                  GError      *error)
{
  g_autoptr (GArray) callbacks = NULL;

  /* Whoever is told may give up the last reference. */
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

/* Whether it has ended. Whoever is to be called back is called by the device: the caller may have locks. */
static gboolean
look (GhloPending *self)
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
watch (GhloPending *self)
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

  if (look (self))
    return TRUE;
  end = g_get_monotonic_time () + (self->source == NULL ? SPIN : self->source->get_patience (self->data));
  while (g_get_monotonic_time () < end)
    {
      for (guint i = 0; i < RELAXED; i++)
        ghlo_parallel_relax ();
      if (look (self))
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

/* Whether the caller's thread may sleep in the device: what calls somebody back is ended by the device's thread. */
static gboolean
may_sleep (GhloPending *self)
{
  gboolean is_watched;

  g_mutex_lock (&self->lock);
  is_watched = self->callbacks != NULL;
  g_mutex_unlock (&self->lock);

  return !is_watched && self->source != NULL && self->source->sleep != NULL;
}

/* Or until the cancellable is cancelled, or for a moment. */
static void
sleep_until_done (GhloPending  *self,
                  GCancellable *cancellable)
{
  gulong handler = 0;

  if (may_sleep (self))
    {
      self->source->sleep (self->data, self->number);
      look (self);
      return;
    }
  watch (self);
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
        watch (self);
      ghlo_pending_unref (self);
    }
  if (done)
    func (data);
}
