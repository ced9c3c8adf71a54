/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plans: presents what a device prepared, and what a run of it measured, to people and
 * programs.
 */

#include "ghlo-plan-private.h"

#include "client/reclaim.h"
#include "compiler/auto.h"
#include "ghlo-plan-step.h"

/**
 * GhloPlan:
 *
 * How a device runs a program: a tree of steps over buffers, created once by the
 * compilation. Most steps are kernels of the device. Operations that it has no kernel
 * for are steps of the reference executor, which is slow.
 *
 * It is an immutable [iface@Gio.ListModel] of [class@Ghlo.PlanStep], in execution
 * order; loops and branches have lists of their own ([property@Ghlo.PlanStep:steps]).
 * [method@Ghlo.Executable.get_plan] returns a plan with estimates,
 * [method@Ghlo.Result.get_plan] one with measured times.
 *
 * The memory that a run needs is known in advance: [property@Ghlo.Plan:memory].
 *
 * Since: 1.0
 */
struct _GhloPlan
{
  GObject         parent_instance;

  GhloPlanSource *source;      /* NULL for a plan that neither an executable nor a result created; never changes;
                                * neither do figures */
  GhloRunFigures  figures;
  gsize           steps;       /* the GListModel, created when first requested */
};

enum
{
  PROP_0,
  PROP_N_STEPS,
  PROP_N_REFERENCE_STEPS,
  PROP_MEMORY,
  PROP_PREPARED_MEMORY,
  PROP_PROFILED,
  PROP_REASON,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void ghlo_plan_list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (GhloPlan, ghlo_plan, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, ghlo_plan_list_model_init))

GhloPlanSource *
ghlo_plan_source_ref (GhloPlanSource *self)
{
  return g_atomic_rc_box_acquire (self);
}

/* Freeing the compiled form of a large program is left to a worker. */
static void
source_clear (gpointer data)
{
  GhloPlanSource *self = data;

  g_clear_pointer (&self->profile, ghlo_run_profile_free);
  ghlo_reclaim_executable (self->core);
}

void
ghlo_plan_source_unref (GhloPlanSource *self)
{
  g_atomic_rc_box_release_full (self, source_clear);
}

GhloPlan *
ghlo_plan_new (GhloExecutableCore *core,
               GhloRunProfile     *profile)
{
  g_autoptr (GhloRunProfile) owned = profile;
  GhloPrepared *prepared = core->compilation->prepared;
  GhloRunFigures figures;
  GhloPlan *self;

  if (!ghlo_prepared_measure (prepared, &figures))
    return NULL;
  self = g_object_new (GHLO_TYPE_PLAN, NULL);
  self->source = g_atomic_rc_box_new0 (GhloPlanSource);
  self->source->core = ghlo_executable_core_ref (core);
  self->source->plan = ghlo_prepared_get_plan (prepared);
  self->source->profile = g_steal_pointer (&owned);
  self->figures = figures;

  return self;
}

static void
ghlo_plan_finalize (GObject *object)
{
  GhloPlan *self = GHLO_PLAN (object);

  if (self->steps != 0)
    g_object_unref (GSIZE_TO_POINTER (self->steps));
  g_clear_pointer (&self->source, ghlo_plan_source_unref);

  G_OBJECT_CLASS (ghlo_plan_parent_class)->finalize (object);
}

static void
ghlo_plan_get_property (GObject    *object,
                        guint       prop_id,
                        GValue     *value,
                        GParamSpec *pspec)
{
  GhloPlan *self = GHLO_PLAN (object);

  switch (prop_id)
    {
    case PROP_N_STEPS:
      g_value_set_uint (value, ghlo_plan_get_n_steps (self));
      break;
    case PROP_N_REFERENCE_STEPS:
      g_value_set_uint (value, ghlo_plan_get_n_reference_steps (self));
      break;
    case PROP_MEMORY:
      g_value_set_uint64 (value, ghlo_plan_get_memory (self));
      break;
    case PROP_PREPARED_MEMORY:
      g_value_set_uint64 (value, ghlo_plan_get_prepared_memory (self));
      break;
    case PROP_PROFILED:
      g_value_set_boolean (value, ghlo_plan_is_profiled (self));
      break;
    case PROP_REASON:
      g_value_set_string (value, ghlo_plan_get_reason (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
ghlo_plan_class_init (GhloPlanClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->finalize = ghlo_plan_finalize;
  object_class->get_property = ghlo_plan_get_property;

  /**
   * GhloPlan:n-steps: (getter get_n_steps)
   *
   * The number of steps, including those in loops and branches, each counted once.
   *
   * Since: 1.0
   */
  properties[PROP_N_STEPS] = g_param_spec_uint ("n-steps", NULL, NULL, 0, G_MAXUINT, 0, flags);

  /**
   * GhloPlan:n-reference-steps: (getter get_n_reference_steps)
   *
   * The number of steps that the reference executor runs.
   *
   * Since: 1.0
   */
  properties[PROP_N_REFERENCE_STEPS] = g_param_spec_uint ("n-reference-steps", NULL, NULL, 0, G_MAXUINT, 0, flags);

  /**
   * GhloPlan:memory: (getter get_memory)
   *
   * The memory that a run needs in addition to its inputs and the program's constants,
   * in bytes.
   *
   * Since: 1.0
   */
  properties[PROP_MEMORY] = g_param_spec_uint64 ("memory", NULL, NULL, 0, G_MAXUINT64, 0, flags);

  /**
   * GhloPlan:prepared-memory: (getter get_prepared_memory)
   *
   * The memory that is held as long as the executable exists, in bytes.
   *
   * Since: 1.0
   */
  properties[PROP_PREPARED_MEMORY] = g_param_spec_uint64 ("prepared-memory", NULL, NULL, 0, G_MAXUINT64, 0, flags);

  /**
   * GhloPlan:profiled: (getter is_profiled)
   *
   * Whether the steps have measured times of a run.
   *
   * Since: 1.0
   */
  properties[PROP_PROFILED] = g_param_spec_boolean ("profiled", NULL, NULL, FALSE, flags);

  /**
   * GhloPlan:reason: (getter get_reason)
   *
   * The reason for the choice of the device.
   *
   * Since: 1.0
   */
  properties[PROP_REASON] = g_param_spec_string ("reason", NULL, NULL, NULL, flags);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
ghlo_plan_init (GhloPlan *self)
{
}

static GListModel *
get_steps (GhloPlan *self)
{
  if (self->source != NULL && g_once_init_enter (&self->steps))
    g_once_init_leave (&self->steps, GPOINTER_TO_SIZE (ghlo_plan_steps_new (self->source, NULL)));

  return GSIZE_TO_POINTER (self->steps);
}

static GType
get_item_type (GListModel *model)
{
  return GHLO_TYPE_PLAN_STEP;
}

static guint
get_n_items (GListModel *model)
{
  GListModel *steps = get_steps (GHLO_PLAN (model));

  return steps != NULL ? g_list_model_get_n_items (steps) : 0;
}

static gpointer
get_item (GListModel *model,
          guint       position)
{
  GListModel *steps = get_steps (GHLO_PLAN (model));

  return steps != NULL ? g_list_model_get_item (steps, position) : NULL;
}

static void
ghlo_plan_list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

/**
 * ghlo_plan_get_n_steps: (get-property n-steps)
 * @self: a plan
 *
 * Gets the number of steps, including those in loops and branches, each counted
 * once.
 *
 * Returns: the number
 *
 * Since: 1.0
 */
guint
ghlo_plan_get_n_steps (GhloPlan *self)
{
  g_return_val_if_fail (GHLO_IS_PLAN (self), 0);

  return self->figures.n_steps;
}

/**
 * ghlo_plan_get_n_reference_steps: (get-property n-reference-steps)
 * @self: a plan
 *
 * Gets the number of steps that the reference executor runs because the device has
 * no kernel for them. A program that the device cannot plan at all, for example
 * because of dynamic shapes, is a single such step.
 *
 * Returns: the number
 *
 * Since: 1.0
 */
guint
ghlo_plan_get_n_reference_steps (GhloPlan *self)
{
  g_return_val_if_fail (GHLO_IS_PLAN (self), 0);

  return self->figures.n_fallback_steps;
}

/**
 * ghlo_plan_get_memory: (get-property memory)
 * @self: a plan
 *
 * Gets the memory that a run needs for its outputs and intermediate values, including
 * the results of steps of the reference executor. Its inputs and the program's
 * constants are not included.
 *
 * Returns: the number of bytes; 0 for a program that is a single step of the reference
 *   executor
 *
 * Since: 1.0
 */
guint64
ghlo_plan_get_memory (GhloPlan *self)
{
  g_return_val_if_fail (GHLO_IS_PLAN (self), 0);

  return self->figures.run_bytes;
}

/**
 * ghlo_plan_get_prepared_memory: (get-property prepared-memory)
 * @self: a plan
 *
 * Gets the memory of the program's constants and of data prepared for steps of the
 * reference executor, which is held as long as the executable exists.
 *
 * Returns: the number of bytes
 *
 * Since: 1.0
 */
guint64
ghlo_plan_get_prepared_memory (GhloPlan *self)
{
  g_return_val_if_fail (GHLO_IS_PLAN (self), 0);

  return self->figures.prepared_bytes;
}

/**
 * ghlo_plan_is_profiled: (get-property profiled)
 * @self: a plan
 *
 * Gets whether the steps have measured times of a run, like those of
 * [method@Ghlo.Result.get_plan].
 *
 * Returns: whether the steps were measured
 *
 * Since: 1.0
 */
gboolean
ghlo_plan_is_profiled (GhloPlan *self)
{
  g_return_val_if_fail (GHLO_IS_PLAN (self), FALSE);

  return self->source != NULL && self->source->profile != NULL;
}

/**
 * ghlo_plan_get_reason: (get-property reason)
 * @self: a plan
 *
 * Gets the reason why the library chose the device, if none was requested: the
 * available devices, and the expected time of the program on each. This is a
 * human-readable English sentence without a full stop.
 *
 * Returns: (nullable): the sentence; %NULL when the device was requested, and for a
 *   loaded executable
 *
 * Since: 1.0
 */
const char *
ghlo_plan_get_reason (GhloPlan *self)
{
  g_return_val_if_fail (GHLO_IS_PLAN (self), NULL);

  return self->source != NULL ? self->source->core->reason : NULL;
}

/**
 * ghlo_plan_to_string:
 * @self: a plan
 *
 * Formats the plan as human-readable text: a line with the
 * [property@Ghlo.Plan:reason], if there is one, and a line for each step.
 *
 * Returns: (transfer full): the text
 *
 * Since: 1.0
 */
char *
ghlo_plan_to_string (GhloPlan *self)
{
  g_return_val_if_fail (GHLO_IS_PLAN (self), NULL);

  if (self->source == NULL)
    return g_strdup ("");

  return ghlo_auto_describe (self->source->core->reason,
                             ghlo_prepared_describe (self->source->core->compilation->prepared));
}
