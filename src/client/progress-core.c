/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The core of a progress object holds the newest report. A single source, scheduled at most every 34 ms, carries the
 * report to the context in which the object lives.
 */

#include "client/progress-core.h"

enum { INTERVAL_MS = 34 };

struct _GhloProgressCore
{
  gatomicrefcount      ref_count;
  GMainContext        *context;        /* where the object was created */
  GWeakRef             object;         /* resolved in that context only */
  GhloProgressShowFunc show;

  GMutex             lock;             /* guards the fields below */
  guint              call;             /* the call whose progress is shown */
  GhloProgressReport newest;
  GSource           *source;           /* attached to the context; NULL when there is none */
  gint64             last;             /* when the object was last notified, µs */
};

GhloProgressCore *
ghlo_progress_core_new (gpointer             object,
                        GhloProgressShowFunc show)
{
  GhloProgressCore *self = g_new0 (GhloProgressCore, 1);

  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);
  self->context = g_main_context_ref_thread_default ();
  g_weak_ref_init (&self->object, object);
  self->show = show;
  self->last = -(gint64) INTERVAL_MS * 1000;

  return self;
}

GhloProgressCore *
ghlo_progress_core_ref (GhloProgressCore *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_progress_core_unref (GhloProgressCore *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_weak_ref_clear (&self->object);
  g_main_context_unref (self->context);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static void
core_unref (gpointer data)
{
  ghlo_progress_core_unref (data);
}

/* Called in the object's context. */
static void
emit (GhloProgressCore *self)
{
  g_autoptr (GObject) object = g_weak_ref_get (&self->object);
  GhloProgressReport report;

  g_mutex_lock (&self->lock);
  report = self->newest;
  self->last = g_get_monotonic_time ();
  if (self->source != NULL)
    g_source_destroy (self->source);
  g_clear_pointer (&self->source, g_source_unref);
  g_mutex_unlock (&self->lock);

  if (object != NULL)
    self->show (object, &report);
}

static gboolean
on_source (gpointer data)
{
  emit (data);

  return G_SOURCE_REMOVE;
}

/* Called with the lock held. */
static void
schedule (GhloProgressCore *self,
          gboolean          at_once)
{
  gint64 wait = at_once ? 0 : self->last / 1000 + INTERVAL_MS - g_get_monotonic_time () / 1000;

  if (self->source != NULL && !at_once)
    return;
  if (self->source != NULL)
    g_source_destroy (self->source);
  g_clear_pointer (&self->source, g_source_unref);

  self->source = wait > 0 ? g_timeout_source_new ((guint) wait) : g_idle_source_new ();
  g_source_set_priority (self->source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (self->source, "[ghlo] progress");
  g_source_set_callback (self->source, on_source, ghlo_progress_core_ref (self), core_unref);
  g_source_attach (self->source, self->context);
}

/* Notifies from this thread where that is allowed: when it runs the progress' context, or when that is its own
 * thread-default context and no other thread runs it now. */
static void
emit_here (GhloProgressCore *self)
{
  g_autoptr (GMainContext) context = g_main_context_ref_thread_default ();

  if (g_main_context_is_owner (self->context))
    {
      emit (self);
    }
  else if (context == self->context && g_main_context_acquire (context))
    {
      emit (self);
      g_main_context_release (context);
    }
}

guint
ghlo_progress_core_begin (GhloProgressCore *self)
{
  guint call;

  g_mutex_lock (&self->lock);
  call = ++self->call;
  self->newest = (GhloProgressReport) { 0, GHLO_PROGRESS_STAGE_QUEUED, NULL };
  schedule (self, FALSE);
  g_mutex_unlock (&self->lock);

  return call;
}

void
ghlo_progress_core_update (GhloProgressCore *self,
                           guint             call,
                           double            fraction,
                           GhloProgressStage stage,
                           const char       *detail,
                           gboolean          direct)
{
  gboolean due = FALSE;

  g_mutex_lock (&self->lock);
  if (call == self->call)
    {
      self->newest.fraction = CLAMP (fraction, self->newest.fraction, 1.0);
      self->newest.stage = stage;
      self->newest.detail = detail;
      due = direct && g_get_monotonic_time () - self->last >= INTERVAL_MS * 1000;
      schedule (self, FALSE);
    }
  g_mutex_unlock (&self->lock);

  if (due)
    emit_here (self);
}

void
ghlo_progress_core_finish (GhloProgressCore *self,
                           guint             call,
                           gboolean          success,
                           gboolean          direct)
{
  gboolean mine;

  g_mutex_lock (&self->lock);
  mine = call == self->call;
  if (mine && success)
    self->newest = (GhloProgressReport) { 1.0, GHLO_PROGRESS_STAGE_DONE, NULL };
  if (mine)
    schedule (self, TRUE);
  g_mutex_unlock (&self->lock);

  if (mine && direct)
    emit_here (self);
}

void
ghlo_progress_core_close (GhloProgressCore *self)
{
  g_autoptr (GSource) source = NULL;

  g_mutex_lock (&self->lock);
  source = g_steal_pointer (&self->source);
  g_mutex_unlock (&self->lock);
  if (source != NULL)
    g_source_destroy (source);
  ghlo_progress_core_unref (self);
}
