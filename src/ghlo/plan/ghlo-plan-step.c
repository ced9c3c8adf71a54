/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps: views of a plan's tree. An object is made when somebody looks at the list that it is in, and its texts when
 * somebody asks for them, since plans may have very many steps.
 */

#include "ghlo-plan-step.h"

#include "ghlo-plan-private.h"
#include "plan/cost.h"

/**
 * GhloPlanStep:
 *
 * One step of a [class@Ghlo.Plan]: what does it, what it reads and writes, how long
 * that may take, and, in the plan of a result, how long it took.
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

  GhloPlanSource *source;      /* NULL for what no plan made; never changes, as the next three */
  const GhloStep *step;        /* of the source's plan; NULL for all of a program without one */
  GhloStepCost    cost;
  guint           body;
  gsize           detail;      /* the text, made when first asked for, as the next two */
  gsize           place;       /* "" where there is none */
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
    ghlo_step_cost (source->plan, step, &self->cost);
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
   * What is done: an operation of the program, a fusion, "copy" or "transfer".
   *
   * Since: 1.0
   */
  properties[PROP_OPERATION] = g_param_spec_string ("operation", NULL, NULL, "", flags);

  /**
   * GhloPlanStep:unit: (getter get_unit)
   *
   * Who does it: "cpu", "reference", "host" and their kin.
   *
   * Since: 1.0
   */
  properties[PROP_UNIT] = g_param_spec_string ("unit", NULL, NULL, "", flags);

  /**
   * GhloPlanStep:implementation: (getter get_implementation)
   *
   * Which of the unit's implementations does it.
   *
   * Since: 1.0
   */
  properties[PROP_IMPLEMENTATION] = g_param_spec_string ("implementation", NULL, NULL, NULL, flags);

  /**
   * GhloPlanStep:detail: (getter get_detail)
   *
   * The step's line of the plan as text.
   *
   * Since: 1.0
   */
  properties[PROP_DETAIL] = g_param_spec_string ("detail", NULL, NULL, "", flags);

  /**
   * GhloPlanStep:place: (getter get_place)
   *
   * Where the program has the operation.
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
   * Which body of the loop or branch around it the step is in.
   *
   * Since: 1.0
   */
  properties[PROP_BODY] = g_param_spec_uint ("body", NULL, NULL, 0, G_MAXUINT, 0, flags);

  /**
   * GhloPlanStep:bytes: (getter get_bytes)
   *
   * How many bytes one execution reads and writes.
   *
   * Since: 1.0
   */
  properties[PROP_BYTES] = g_param_spec_uint64 ("bytes", NULL, NULL, 0, G_MAXUINT64, 0, flags);

  /**
   * GhloPlanStep:estimate: (getter get_estimate)
   *
   * How many seconds one execution may take; below 0 where that is not known.
   *
   * Since: 1.0
   */
  properties[PROP_ESTIMATE] = g_param_spec_double ("estimate", NULL, NULL, -1, G_MAXDOUBLE, -1, flags);

  /**
   * GhloPlanStep:measurement: (getter get_measurement)
   *
   * How many seconds all executions in the run took; below 0 where nothing was measured.
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
 * Gets what is done: the name of an operation of the program, as
 * `stablehlo.dot_general`; of several that are done at once that of their fusion, as
 * `ghlo.fusion.epilogue`; `copy`, or `transfer` for what is moved between memories.
 * A program without a plan of its own is one step, `func.func`.
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
 * Gets who does the step: `cpu` or another executor's name, `reference` where the
 * device has no kernel and the reference executor does it, or `host` for transfers,
 * loops, and branches that no device chooses between by itself, which are steered
 * from the host.
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
 * Gets which of the unit's implementations does the step, as `dot` or `elementwise`.
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
 * Gets the step's line of [method@Ghlo.Plan.to_string]: the implementation, what it
 * chose, and the buffers that it reads and writes.
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
 * Gets where the program has the operation, of a fusion its first one, as
 * `FILE:LINE:COLUMN`: in the text that it was read from, or as the locations of an
 * artifact say it.
 *
 * Returns: (transfer none) (nullable): a place; %NULL where it is not known
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
 * Gets which body of the loop or branch around it the step is in: of a loop, 0 is the
 * condition and 1 what is repeated; of a branch, the number of the case, where that of
 * an `if` that is true is 0.
 *
 * Returns: a number; 0 where nothing is around the step
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
 * Gets how many bytes one execution reads and writes. Of what is only cut or updated
 * the part that is touched counts, even where a run copies the rest first since its
 * caller keeps the input; of a transfer the bytes that it moves, and of a branch those
 * of the dearest body. A loop counts all of its iterations, or one where only its
 * condition says how many there are.
 *
 * Returns: bytes; 0 for all of a program that has no plan of its own
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
 * Gets how long one execution may take. It is a roofline: the longer of moving
 * [property@Ghlo.PlanStep:bytes] and of doing the operations, at rates that the device
 * has at its best. Those of the CPU are, for each core, 20 GB a second from memory, on
 * up to 8 cores, 4 thousand million operations on single elements, and what its vector
 * instructions give in products of matrices. Steps that do not fill the device take
 * longer; those that find their operands in a cache may take less.
 *
 * Returns: seconds; below 0 where that is not known, as for a loop whose iterations
 *   only its condition says
 *
 * Since: 1.0
 */
double
ghlo_plan_step_get_estimate (GhloPlanStep *self)
{
  g_return_val_if_fail (GHLO_IS_PLAN_STEP (self), -1);

  return self->cost.seconds;
}

/* NULL where nothing was measured. */
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
 * Gets how long all executions of the step took in the run, those of the steps inside
 * of a loop or branch included.
 *
 * Returns: seconds; 0 for a step that the run did not come to, below 0 where nothing
 *   was measured
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
 * Returns: a number; 0 where nothing was measured
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
 * Gets the steps of the bodies of a loop or branch, as a list of
 * [class@Ghlo.PlanStep]: one body after the other ([property@Ghlo.PlanStep:body]), each
 * in the order in which it runs. The condition of a loop whose iterations are known is
 * never run, and not among them.
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
 * Writes the step for people: [property@Ghlo.PlanStep:detail], and where it was
 * measured how long that took.
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
