/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU's executor: a plan over its kernels, or the fallback executor for a program
 * that is none (dynamic shapes, tuples at its borders).
 */

#include "cpu/executor.h"

#include "base/ghlo-error.h"
#include "cpu/target.h"
#include "runtime/run-plan.h"

struct _GhloPrepared
{
  GhloRunPlan  *plan;       /* NULL where the fallback runs all of it */
  GhloPrepared *whole;      /* the fallback's, of the whole program */
  char         *reason;     /* why there is no plan */
};

static const GhloExecutor *fallback;   /* set once, by the first call */

static void
release (GhloPrepared *prepared)
{
  g_clear_pointer (&prepared->plan, ghlo_run_plan_free);
  g_clear_pointer (&prepared->whole, fallback->release);
  g_free (prepared->reason);
  g_free (prepared);
}

static GhloPrepared *
prepare (GhloIrModule       *module,
         GhloIrOp           *function,
         const GhloMonitor  *monitor,
         GError            **error)
{
  GhloPrepared *self = g_new0 (GhloPrepared, 1);
  GError *problem = NULL;
  GhloStepPlan *plan = ghlo_step_plan_new (module, function, ghlo_cpu_target (), monitor, &problem);

  if (plan != NULL)
    self->plan = ghlo_run_plan_new (plan, fallback, monitor, &problem);
  if (self->plan == NULL && g_error_matches (problem, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED))
    {
      self->reason = g_strdup (problem->message);
      g_clear_error (&problem);
      self->whole = fallback->prepare (module, function, monitor, &problem);
    }
  if (problem == NULL)
    return self;
  g_propagate_error (error, problem);
  release (self);

  return NULL;
}

static gboolean
run_whole (GhloPrepared          *prepared,
           const GhloRunOptions  *options,
           GhloValue *const      *inputs,
           gsize                  n_inputs,
           GhloValue            **outputs,
           const GhloMonitor     *monitor,
           GError               **error)
{
  gint64 start = g_get_monotonic_time ();
  gboolean ok = fallback->run (prepared->whole, options, inputs, n_inputs, outputs, monitor, error);

  if (options != NULL && options->fallback_time != NULL)
    *options->fallback_time += g_get_monotonic_time () - start;

  return ok;
}

static gboolean
run (GhloPrepared          *prepared,
     const GhloRunOptions  *options,
     GhloValue *const      *inputs,
     gsize                  n_inputs,
     GhloValue            **outputs,
     const GhloMonitor     *monitor,
     GError               **error)
{
  if (prepared->plan != NULL)
    return ghlo_run_plan_run (prepared->plan, options, inputs, n_inputs, outputs, monitor, error);

  return run_whole (prepared, options, inputs, n_inputs, outputs, monitor, error);
}

static char *
describe (GhloPrepared *prepared)
{
  if (prepared->plan != NULL)
    return ghlo_step_plan_print (ghlo_run_plan_get_plan (prepared->plan));

  return g_strdup_printf ("the %s executor runs all of it: %s\n", fallback->name, prepared->reason);
}

static void
measure (GhloPrepared   *prepared,
         GhloRunFigures *figures)
{
  if (prepared->plan != NULL)
    ghlo_run_plan_measure (prepared->plan, figures);
  else
    *figures = (GhloRunFigures) { .n_steps = 1, .n_fallback_steps = 1,
                                  .prepared_bytes = fallback->prepared_size (prepared->whole) };
}

const GhloExecutor *
ghlo_cpu_executor (const GhloExecutor *new_fallback)
{
  static const GhloExecutor executor = {
    .name = "cpu",
    .prepare = prepare,
    .run = run,
    .release = release,
    .describe = describe,
    .measure = measure,
  };

  g_atomic_pointer_set (&fallback, new_fallback);

  return &executor;
}
