/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Progress objects. The core is shared with workers and delivers their reports. The
 * object lives in the context in which it was created; only there its fields change and
 * are notified.
 */

#include "ghlo-progress-private.h"

#include "ghlo-enum-types.h"

/**
 * GhloProgress:
 *
 * The progress of a slow call.
 *
 * The application creates a progress and passes it to a call, like a
 * [class@Gio.Cancellable]. Its properties then follow the call: bind
 * [property@Ghlo.Progress:fraction] to a progress bar.
 *
 * It belongs to the thread-default main context in which it was created. Its
 * properties change and are notified only there, at most 30 times a second.
 * [property@Ghlo.Progress:fraction] never decreases during a call. The last change
 * is notified before the callback of a call in that context runs, so that a
 * successful call is first seen to reach 1.0. A call that fails leaves the progress
 * where it was.
 *
 * A progress follows the call that it was passed to last. When it is passed to
 * another call, it starts at 0 again.
 *
 * Since: 1.0
 */
struct _GhloProgress
{
  GObject             parent_instance;

  GhloProgressCore  *core;
  GhloProgressReport shown;
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

static void
show (gpointer                  object,
      const GhloProgressReport *report)
{
  GhloProgress *self = object;
  const GhloProgressReport old = self->shown;

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

GhloProgressCore *
ghlo_progress_get_core (GhloProgress *self)
{
  return self->core;
}

static void
ghlo_progress_finalize (GObject *object)
{
  ghlo_progress_core_close (GHLO_PROGRESS (object)->core);

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
   * The completed fraction, from 0 to 1.
   *
   * Since: 1.0
   */
  properties[PROP_FRACTION] = g_param_spec_double ("fraction", NULL, NULL, 0, 1, 0, flags);

  /**
   * GhloProgress:stage: (getter get_stage)
   *
   * The current stage of the call.
   *
   * Since: 1.0
   */
  properties[PROP_STAGE] = g_param_spec_enum ("stage", NULL, NULL, GHLO_TYPE_PROGRESS_STAGE,
                                              GHLO_PROGRESS_STAGE_IDLE, flags);

  /**
   * GhloProgress:detail: (getter get_detail)
   *
   * A detail of the current stage, such as the name of a pass.
   *
   * Since: 1.0
   */
  properties[PROP_DETAIL] = g_param_spec_string ("detail", NULL, NULL, NULL, flags);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
ghlo_progress_init (GhloProgress *self)
{
  self->core = ghlo_progress_core_new (self, show);
}

/**
 * ghlo_progress_new:
 *
 * Creates a progress that belongs to the thread-default main context of this
 * thread.
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
 * Gets the completed fraction of the call.
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
 * Gets the current stage of the call.
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
 * Gets a human-readable detail of the current stage, such as the name of a pass.
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
