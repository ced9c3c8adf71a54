/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A progress is two things. The core is shared with workers: it holds the newest
 * report and sees to it that one source, no more often than every 34 ms, carries
 * it over. The object lives in the context where it was made; its fields change
 * and its notifications happen there alone.
 */

#include "ghlo-progress-private.h"

#include "ghlo-enum-types.h"

enum { INTERVAL_MS = 34 };

typedef struct
{
  double             fraction;
  GhloProgressStage  stage;
  const char        *detail;      /* static or interned, or NULL */
} Report;

struct _GhloProgressCore
{
  gatomicrefcount  ref_count;
  GMainContext    *context;       /* where the object was made */
  GWeakRef         object;        /* resolved in that context only */

  GMutex           lock;          /* guards what follows */
  guint            call;          /* the call that the progress shows */
  Report           newest;
  GSource         *source;        /* on its way to the context, or NULL */
  gint64           last;          /* when the object was last notified, µs */
};

/**
 * GhloProgress:
 *
 * How far a slow call is.
 *
 * A progress is made by the application and given to a call, as a
 * [class@Gio.Cancellable] is. Its properties then follow the call: bind
 * [property@Ghlo.Progress:fraction] to a progress bar.
 *
 * It belongs to the thread-default main context where it was made: there, and
 * nowhere else, its properties change and are notified, at most 30 times a
 * second. [property@Ghlo.Progress:fraction] never falls during a call. Before the
 * callback of a call in that same context runs, the last change has been
 * notified, so that a call that succeeds is seen at 1.0 first. A call that fails
 * leaves the progress where it was.
 *
 * A progress shows the call that it was given to last; given to another one, it
 * starts at 0 again.
 *
 * Since: 1.0
 */
struct _GhloProgress
{
  GObject           parent_instance;

  GhloProgressCore *core;
  Report            shown;
};

enum
{
  PROP_0,
  PROP_FRACTION,
  PROP_STAGE,
  PROP_DETAIL,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (GhloProgress, ghlo_progress, G_TYPE_OBJECT)

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

static void
show (GhloProgress *self,
      const Report *report)
{
  Report old = self->shown;

  self->shown = *report;
  g_object_freeze_notify (G_OBJECT (self));
  if (old.stage != report->stage)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STAGE]);
  if (g_strcmp0 (old.detail, report->detail) != 0)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_DETAIL]);
  if (old.fraction != report->fraction)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FRACTION]);
  g_object_thaw_notify (G_OBJECT (self));
}

/* In the object's context. */
static void
emit (GhloProgressCore *self)
{
  g_autoptr (GhloProgress) object = g_weak_ref_get (&self->object);
  Report report;

  g_mutex_lock (&self->lock);
  report = self->newest;
  self->last = g_get_monotonic_time ();
  if (self->source != NULL)
    g_source_destroy (self->source);
  g_clear_pointer (&self->source, g_source_unref);
  g_mutex_unlock (&self->lock);

  if (object != NULL)
    show (object, &report);
}

static gboolean
on_source (gpointer data)
{
  emit (data);

  return G_SOURCE_REMOVE;
}

/* With the lock held. */
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

/* Notifies from this thread where it may: it runs the progress' context, or that
 * is its own context and nobody runs it now. */
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
  self->newest = (Report) { 0, GHLO_PROGRESS_STAGE_QUEUED, NULL };
  schedule (self, FALSE);
  g_mutex_unlock (&self->lock);

  return call;
}

void
ghlo_progress_core_update (GhloProgressCore  *self,
                           guint              call,
                           double             fraction,
                           GhloProgressStage  stage,
                           const char        *detail,
                           gboolean           direct)
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
    self->newest = (Report) { 1.0, GHLO_PROGRESS_STAGE_DONE, NULL };
  if (mine)
    schedule (self, TRUE);
  g_mutex_unlock (&self->lock);

  if (mine && direct)
    emit_here (self);
}

GhloProgressCore *
ghlo_progress_get_core (GhloProgress *self)
{
  return self->core;
}

static void
ghlo_progress_finalize (GObject *object)
{
  GhloProgress *self = GHLO_PROGRESS (object);
  g_autoptr (GSource) source = NULL;

  g_mutex_lock (&self->core->lock);
  source = g_steal_pointer (&self->core->source);
  g_mutex_unlock (&self->core->lock);
  if (source != NULL)
    g_source_destroy (source);
  ghlo_progress_core_unref (self->core);

  G_OBJECT_CLASS (ghlo_progress_parent_class)->finalize (object);
}

static void
ghlo_progress_get_property (GObject    *object,
                            guint       prop_id,
                            GValue     *value,
                            GParamSpec *pspec)
{
  GhloProgress *self = GHLO_PROGRESS (object);

  switch (prop_id)
    {
    case PROP_FRACTION:
      g_value_set_double (value, self->shown.fraction);
      break;
    case PROP_STAGE:
      g_value_set_enum (value, self->shown.stage);
      break;
    case PROP_DETAIL:
      g_value_set_static_string (value, self->shown.detail);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
ghlo_progress_class_init (GhloProgressClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->finalize = ghlo_progress_finalize;
  object_class->get_property = ghlo_progress_get_property;

  /**
   * GhloProgress:fraction: (getter get_fraction)
   *
   * How much is done, from 0 to 1.
   *
   * Since: 1.0
   */
  properties[PROP_FRACTION] = g_param_spec_double ("fraction", NULL, NULL, 0, 1, 0, flags);

  /**
   * GhloProgress:stage: (getter get_stage)
   *
   * What the call is doing.
   *
   * Since: 1.0
   */
  properties[PROP_STAGE] = g_param_spec_enum ("stage", NULL, NULL, GHLO_TYPE_PROGRESS_STAGE,
                                              GHLO_PROGRESS_STAGE_IDLE, flags);

  /**
   * GhloProgress:detail: (getter get_detail)
   *
   * What exactly the call is doing: the name of a pass, say.
   *
   * Since: 1.0
   */
  properties[PROP_DETAIL] = g_param_spec_string ("detail", NULL, NULL, NULL, flags);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
ghlo_progress_init (GhloProgress *self)
{
  GhloProgressCore *core = g_new0 (GhloProgressCore, 1);

  g_atomic_ref_count_init (&core->ref_count);
  g_mutex_init (&core->lock);
  core->context = g_main_context_ref_thread_default ();
  g_weak_ref_init (&core->object, self);
  core->last = -(gint64) INTERVAL_MS * 1000;
  self->core = core;
}

/**
 * ghlo_progress_new:
 *
 * Makes a progress that belongs to the thread-default main context of this thread.
 *
 * Returns: (transfer full): a new progress
 *
 * Since: 1.0
 */
GhloProgress *
ghlo_progress_new (void)
{
  return g_object_new (GHLO_TYPE_PROGRESS, NULL);
}

/**
 * ghlo_progress_get_fraction: (get-property fraction)
 * @self: a progress
 *
 * Gets how much of the call is done.
 *
 * Returns: a number from 0 to 1
 *
 * Since: 1.0
 */
double
ghlo_progress_get_fraction (GhloProgress *self)
{
  g_return_val_if_fail (GHLO_IS_PROGRESS (self), 0);

  return self->shown.fraction;
}

/**
 * ghlo_progress_get_stage: (get-property stage)
 * @self: a progress
 *
 * Gets what the call is doing.
 *
 * Returns: the stage
 *
 * Since: 1.0
 */
GhloProgressStage
ghlo_progress_get_stage (GhloProgress *self)
{
  g_return_val_if_fail (GHLO_IS_PROGRESS (self), GHLO_PROGRESS_STAGE_IDLE);

  return self->shown.stage;
}

/**
 * ghlo_progress_get_detail: (get-property detail)
 * @self: a progress
 *
 * Gets what exactly the call is doing, for people: the name of a pass, say.
 *
 * Returns: (nullable): a short text, or %NULL
 *
 * Since: 1.0
 */
const char *
ghlo_progress_get_detail (GhloProgress *self)
{
  g_return_val_if_fail (GHLO_IS_PROGRESS (self), NULL);

  return self->shown.detail;
}
