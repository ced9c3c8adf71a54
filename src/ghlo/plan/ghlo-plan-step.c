/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps: views of a plan's tree. Since a plan may have very many steps, an object is created only when its list is
 * accessed, and its texts only when they are requested.
 */

#include "ghlo-plan-step.h"

#include "base/stack.h"
#include "ghlo-plan-private.h"
#include "plan/cost.h"

/**
 * GhloPlanStep:
 *
 * One step of a [class@Ghlo.Plan]: what executes it, what it reads and writes, an
 * estimate of its time and, in the plan of a result, its measured time.
 *
 * A loop or a branch has the steps of its bodies in [property@Ghlo.PlanStep:steps], so
 * that a `GtkTreeListModel` shows a plan as a tree. Times are in seconds. It is
 * immutable.
 *
 * Since: 1.0
 */
struct _GhloPlanStep
{
  GObject         parent_instance;

  GhloPlanSource *source;      /* NULL for a step that was not created by a plan; never changes; neither do the next
                                * three */
  const GhloStep *step;        /* belongs to the source's plan; NULL for a whole program without a plan */
  GhloStepCost    cost;
  guint           body;
  gsize           detail;      /* the text, created when first requested, like the next two */
  gsize           place;       /* "" when not known */
  gsize           steps;       /* the GListModel */
};

enum
{
  PROP_0,
  PROP_OPERATION,
  PROP_UNIT,
  PROP_IMPLEMENTATION,
  PROP_DETAIL,
  PROP_PLACE,
  PROP_BODY,
  PROP_BYTES,
  PROP_ESTIMATE,
  PROP_MEASUREMENT,
  PROP_N_RUNS,
  PROP_STEPS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (GhloPlanStep, ghlo_plan_step, G_TYPE_OBJECT)

static gpointer
compute_cost (gpointer data)
{
  GhloPlanStep *self = data;

  ghlo_step_cost (self->source->plan, self->step, &self->cost);

  return NULL;
}

static void
append_step (GPtrArray      *list,
             GhloPlanSource *source,
             const GhloStep *step,
             guint           body)
{
  GhloPlanStep *self = g_object_new (GHLO_TYPE_PLAN_STEP, NULL);

  self->source = ghlo_plan_source_ref (source);
  self->step = step;
  self->body = body;
  if (step != NULL)
    ghlo_stack_call (compute_cost, self);
  g_ptr_array_add (list, self);
}

static void
append_body (GPtrArray          *list,
             GhloPlanSource     *source,
             const GhloStepBody *body,
             guint               number)
{
  for (guint i = 0; i < body->n_steps; i++)
    append_step (list, source, body->steps[i], number);
}

GListModel *
ghlo_plan_steps_new (GhloPlanSource *source,
                     const GhloStep *step)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_object_unref);

  if (source->plan == NULL)
    append_step (list, source, NULL, 0);
  else if (step == NULL)
    append_body (list, source, &source->plan->body, 0);
  for (guint i = 0; step != NULL && i < step->n_bodies; i++)
    if (ghlo_step_runs_body (step, i))
      append_body (list, source, &step->bodies[i], i);

  return ghlo_step_list_new (list);
}

static void
ghlo_plan_step_finalize (GObject *object)
{
  GhloPlanStep *self = GHLO_PLAN_STEP (object);

  g_free (GSIZE_TO_POINTER (self->detail));
  g_free (GSIZE_TO_POINTER (self->place));
  if (self->steps != 0)
    g_object_unref (GSIZE_TO_POINTER (self->steps));
  g_clear_pointer (&self->source, ghlo_plan_source_unref);

  G_OBJECT_CLASS (ghlo_plan_step_parent_class)->finalize (object);
}

static void
ghlo_plan_step_get_property (GObject    *object,
                             guint       prop_id,
                             GValue     *value,
                             GParamSpec *pspec)
{
  GhloPlanStep *self = GHLO_PLAN_STEP (object);

  switch (prop_id)
    {
    case PROP_OPERATION:
      g_value_set_string (value, ghlo_plan_step_get_operation (self));
      break;
    case PROP_UNIT:
      g_value_set_string (value, ghlo_plan_step_get_unit (self));
      break;
    case PROP_IMPLEMENTATION:
      g_value_set_string (value, ghlo_plan_step_get_implementation (self));
      break;
    case PROP_DETAIL:
      g_value_set_string (value, ghlo_plan_step_get_detail (self));
      break;
    case PROP_PLACE:
      g_value_set_string (value, ghlo_plan_step_get_place (self));
      break;
    case PROP_BODY:
      g_value_set_uint (value, ghlo_plan_step_get_body (self));
      break;
    case PROP_BYTES:
      g_value_set_uint64 (value, ghlo_plan_step_get_bytes (self));
      break;
    case PROP_ESTIMATE:
      g_value_set_double (value, ghlo_plan_step_get_estimate (self));
      break;
    case PROP_MEASUREMENT:
      g_value_set_double (value, ghlo_plan_step_get_measurement (self));
      break;
    case PROP_N_RUNS:
      g_value_set_uint64 (value, ghlo_plan_step_get_n_runs (self));
      break;
    case PROP_STEPS:
      g_value_set_object (value, ghlo_plan_step_get_steps (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
install_texts (GParamFlags flags)
{
  /**
   * GhloPlanStep:operation: (getter get_operation)
   *
   * What the step does: an operation of the program, a fusion, "copy" or
   * "transfer".
   *
   * Since: 1.0
   */
  properties[PROP_OPERATION] = g_param_spec_string ("operation", NULL, NULL, "", flags);

  /**
   * GhloPlanStep:unit: (getter get_unit)
   *
   * The unit that executes the step, such as "cpu", "reference" or "host".
   *
   * Since: 1.0
   */
  properties[PROP_UNIT] = g_param_spec_string ("unit", NULL, NULL, "", flags);

  /**
   * GhloPlanStep:implementation: (getter get_implementation)
   *
   * The unit's implementation that executes the step.
   *
   * Since: 1.0
   */
  properties[PROP_IMPLEMENTATION] = g_param_spec_string ("implementation", NULL, NULL, NULL, flags);

  /**
   * GhloPlanStep:detail: (getter get_detail)
   *
   * The line of the step in the plan's text.
   *
   * Since: 1.0
   */
  properties[PROP_DETAIL] = g_param_spec_string ("detail", NULL, NULL, "", flags);

  /**
   * GhloPlanStep:place: (getter get_place)
   *
   * The place of the operation in the program.
   *
   * Since: 1.0
   */
  properties[PROP_PLACE] = g_param_spec_string ("place", NULL, NULL, NULL, flags);
}

static void
install_numbers (GParamFlags flags)
{
  /**
   * GhloPlanStep:body: (getter get_body)
   *
   * The body of the enclosing loop or branch that the step belongs to.
   *
   * Since: 1.0
   */
  properties[PROP_BODY] = g_param_spec_uint ("body", NULL, NULL, 0, G_MAXUINT, 0, flags);

  /**
   * GhloPlanStep:bytes: (getter get_bytes)
   *
   * The number of bytes that one execution reads and writes.
   *
   * Since: 1.0
   */
  properties[PROP_BYTES] = g_param_spec_uint64 ("bytes", NULL, NULL, 0, G_MAXUINT64, 0, flags);

  /**
   * GhloPlanStep:estimate: (getter get_estimate)
   *
   * The estimated time of one execution in seconds; negative when not known.
   *
   * Since: 1.0
   */
  properties[PROP_ESTIMATE] = g_param_spec_double ("estimate", NULL, NULL, -1, G_MAXDOUBLE, -1, flags);

  /**
   * GhloPlanStep:measurement: (getter get_measurement)
   *
   * The time of all executions in the run in seconds; negative when not measured.
   *
   * Since: 1.0
   */
  properties[PROP_MEASUREMENT] = g_param_spec_double ("measurement", NULL, NULL, -1, G_MAXDOUBLE, -1, flags);

  /**
   * GhloPlanStep:n-runs: (getter get_n_runs)
   *
   * How often the run executed the step.
   *
   * Since: 1.0
   */
  properties[PROP_N_RUNS] = g_param_spec_uint64 ("n-runs", NULL, NULL, 0, G_MAXUINT64, 0, flags);

  /**
   * GhloPlanStep:steps: (getter get_steps)
   *
   * The steps of the bodies of a loop or branch.
   *
   * Since: 1.0
   */
  properties[PROP_STEPS] = g_param_spec_object ("steps", NULL, NULL, G_TYPE_LIST_MODEL, flags);
}

static void
ghlo_plan_step_class_init (GhloPlanStepClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->finalize = ghlo_plan_step_finalize;
  object_class->get_property = ghlo_plan_step_get_property;
  install_texts (flags);
  install_numbers (flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
ghlo_plan_step_init (GhloPlanStep *self)
{
  self->cost.seconds = -1;
}

/**
 * ghlo_plan_step_get_operation: (get-property operation)
 * @self: a step
 *
 * Gets what the step does: the name of an operation of the program, such as
 * `stablehlo.dot_general`; the name of a fusion of several operations, such as
 * `ghlo.fusion.epilogue`; `copy`; or `transfer` for a transfer between memories. A
 * program without a plan is a single step, `func.func`.
 *
 * Returns: (transfer none): a name
 *
 * Since: 1.0
 */
const char *
ghlo_plan_step_get_operation (GhloPlanStep *self)
{
  g_return_val_if_fail (GHLO_IS_PLAN_STEP (self), NULL);

  if (self->step != NULL)
    return ghlo_step_get_operation (self->step);

  return self->source != NULL ? ghlo_ir_op_spec (GHLO_OP_FUNC_FUNC)->name : "";
}

/**
 * ghlo_plan_step_get_unit: (get-property unit)
 * @self: a step
 *
 * Gets the unit that executes the step: `cpu` or the name of another executor;
 * `reference` when the device has no kernel for the step and the reference executor
 * runs it; or `host` for transfers, loops, and branches that the host rather than a
 * device controls.
 *
 * Returns: (transfer none): a name
 *
 * Since: 1.0
 */
const char *
ghlo_plan_step_get_unit (GhloPlanStep *self)
{
  g_return_val_if_fail (GHLO_IS_PLAN_STEP (self), NULL);

  if (self->step != NULL)
    return ghlo_step_get_unit (self->step);

  return self->source != NULL ? "reference" : "";
}

/**
 * ghlo_plan_step_get_implementation: (get-property implementation)
 * @self: a step
 *
 * Gets the unit's implementation that executes the step, such as `dot` or
 * `elementwise`.
 *
 * Returns: (transfer none) (nullable): a name; %NULL for a step of the reference
 *   executor or of the host
 *
 * Since: 1.0
 */
const char *
ghlo_plan_step_get_implementation (GhloPlanStep *self)
{
  g_return_val_if_fail (GHLO_IS_PLAN_STEP (self), NULL);

  return self->step != NULL && self->step->implementation != NULL ? self->step->implementation->name : NULL;
}

/**
 * ghlo_plan_step_get_detail: (get-property detail)
 * @self: a step
 *
 * Gets the line of the step in [method@Ghlo.Plan.to_string]: the implementation,
 * its choices, and the buffers that it reads and writes.
 *
 * Returns: (transfer none): the text
 *
 * Since: 1.0
 */
const char *
ghlo_plan_step_get_detail (GhloPlanStep *self)
{
  g_return_val_if_fail (GHLO_IS_PLAN_STEP (self), NULL);

  if (self->source == NULL)
    return "";
  if (g_once_init_enter (&self->detail))
    {
      char *text = self->step != NULL ? ghlo_step_print (self->source->plan, self->step)
                   : g_strchomp (ghlo_prepared_describe (self->source->core->compilation->prepared));

      g_once_init_leave (&self->detail, GPOINTER_TO_SIZE (text));
    }

  return GSIZE_TO_POINTER (self->detail);
}

static char *
make_place (const GhloPlanStep *self)
{
  const GhloIrOp *op = self->step != NULL ? ghlo_step_get_op (self->step) : NULL;
  GString *text = g_string_new (NULL);

  if (op != NULL)
    ghlo_ir_op_append_place (op, self->source->plan->module, text);

  return g_string_free (text, FALSE);
}

/**
 * ghlo_plan_step_get_place: (get-property place)
 * @self: a step
 *
 * Gets the place of the operation in the program, or of a fusion's first operation,
 * as `FILE:LINE:COLUMN`: in the text that the program was read from, or according
 * to the locations in an artifact. A program that was compiled without
 * #GhloCompileOptions:debug-info may come from the cache, which has no places for it.
 *
 * Returns: (transfer none) (nullable): a place; %NULL when not known
 *
 * Since: 1.0
 */
const char *
ghlo_plan_step_get_place (GhloPlanStep *self)
{
  const char *place;

  g_return_val_if_fail (GHLO_IS_PLAN_STEP (self), NULL);

  if (self->source == NULL)
    return NULL;
  if (g_once_init_enter (&self->place))
    g_once_init_leave (&self->place, GPOINTER_TO_SIZE (make_place (self)));
  place = GSIZE_TO_POINTER (self->place);

  return *place != '\0' ? place : NULL;
}

/**
 * ghlo_plan_step_get_body: (get-property body)
 * @self: a step
 *
 * Gets the body of the enclosing loop or branch that the step belongs to. In a loop, 0
 * is the condition and 1 the repeated body. In a branch it is the index of the case;
 * for an `if`, the case for true is 0.
 *
 * Returns: the number; 0 for a step that is not nested
 *
 * Since: 1.0
 */
guint
ghlo_plan_step_get_body (GhloPlanStep *self)
{
  g_return_val_if_fail (GHLO_IS_PLAN_STEP (self), 0);

  return self->body;
}

/**
 * ghlo_plan_step_get_bytes: (get-property bytes)
 * @self: a step
 *
 * Gets the number of bytes that one execution reads and writes. For slices and
 * updates, only the part that they touch counts, even when a run first copies the rest
 * because its caller keeps the input. A transfer counts the bytes that it moves, and a
 * branch those of its most expensive body. A loop counts all of its iterations, or one
 * if the number is known only to its condition.
 *
 * Returns: the number of bytes; 0 for the single step of a program without a plan
 *
 * Since: 1.0
 */
guint64
ghlo_plan_step_get_bytes (GhloPlanStep *self)
{
  g_return_val_if_fail (GHLO_IS_PLAN_STEP (self), 0);

  return self->cost.bytes < (double) G_MAXINT64 ? (guint64) self->cost.bytes : G_MAXINT64;
}

/**
 * ghlo_plan_step_get_estimate: (get-property estimate)
 * @self: a step
 *
 * Gets an estimate of the time of one execution. It is a roofline estimate: the longer
 * of moving [property@Ghlo.PlanStep:bytes] and of executing the operations, at the
 * peak rates of the device. The rates of the CPU are, per core, 20 GB/s from memory
 * (on up to 8 cores), 4 billion elementwise operations per second, and the peak rate
 * of its vector instructions in matrix products. Steps that do not fill the device
 * take longer; steps that find their operands in a cache may take less.
 *
 * Returns: the time in seconds; negative when not known, for example for a loop whose
 *   number of iterations is known only to its condition
 *
 * Since: 1.0
 */
double
ghlo_plan_step_get_estimate (GhloPlanStep *self)
{
  g_return_val_if_fail (GHLO_IS_PLAN_STEP (self), -1);

  return self->cost.seconds;
}

/* NULL when nothing was measured. */
static const GhloRunStepTime *
get_time (const GhloPlanStep *self)
{
  const GhloRunProfile *profile = self->source != NULL ? self->source->profile : NULL;
  guint number = self->step != NULL ? self->step->number : 0;

  return profile != NULL && number < profile->n_steps ? &profile->steps[number] : NULL;
}

/**
 * ghlo_plan_step_get_measurement: (get-property measurement)
 * @self: a step
 *
 * Gets the total time of all executions of the step in the run, including the steps
 * nested in a loop or branch.
 *
 * Returns: the time in seconds; 0 for a step that the run did not reach; negative
 *   when not measured
 *
 * Since: 1.0
 */
double
ghlo_plan_step_get_measurement (GhloPlanStep *self)
{
  const GhloRunStepTime *time;

  g_return_val_if_fail (GHLO_IS_PLAN_STEP (self), -1);

  time = get_time (self);

  return time != NULL ? (double) time->nanoseconds / 1e9 : -1;
}

/**
 * ghlo_plan_step_get_n_runs: (get-property n-runs)
 * @self: a step
 *
 * Gets how often the run executed the step.
 *
 * Returns: the number; 0 when not measured
 *
 * Since: 1.0
 */
guint64
ghlo_plan_step_get_n_runs (GhloPlanStep *self)
{
  const GhloRunStepTime *time;

  g_return_val_if_fail (GHLO_IS_PLAN_STEP (self), 0);

  time = get_time (self);

  return time != NULL ? time->n_runs : 0;
}

/**
 * ghlo_plan_step_get_steps: (get-property steps)
 * @self: a step
 *
 * Gets the steps of the bodies of a loop or branch, as a list of [class@Ghlo.PlanStep]:
 * one body after the other ([property@Ghlo.PlanStep:body]), each in execution order.
 * The condition of a loop with a known number of iterations is never executed and not
 * included.
 *
 * Returns: (transfer none) (nullable): the steps; %NULL for a step that is neither
 *   loop nor branch
 *
 * Since: 1.0
 */
GListModel *
ghlo_plan_step_get_steps (GhloPlanStep *self)
{
  g_return_val_if_fail (GHLO_IS_PLAN_STEP (self), NULL);

  if (self->step == NULL || self->step->n_bodies == 0)
    return NULL;
  if (g_once_init_enter (&self->steps))
    g_once_init_leave (&self->steps, GPOINTER_TO_SIZE (ghlo_plan_steps_new (self->source, self->step)));

  return GSIZE_TO_POINTER (self->steps);
}

/**
 * ghlo_plan_step_to_string:
 * @self: a step
 *
 * Formats the step as human-readable text: [property@Ghlo.PlanStep:detail] and, if
 * it was measured, its time.
 *
 * Returns: (transfer full): the text
 *
 * Since: 1.0
 */
char *
ghlo_plan_step_to_string (GhloPlanStep *self)
{
  const GhloRunStepTime *time;

  g_return_val_if_fail (GHLO_IS_PLAN_STEP (self), NULL);

  time = get_time (self);
  if (time == NULL)
    return g_strdup (ghlo_plan_step_get_detail (self));

  return g_strdup_printf ("%.3f ms, %" G_GUINT64_FORMAT " times: %s", (double) time->nanoseconds / 1e6, time->n_runs,
                          ghlo_plan_step_get_detail (self));
}
