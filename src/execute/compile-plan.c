/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compiles steps one after the other for a short while and the remaining ones on all threads: most plans are compiled
 * before a worker would have woken up.
 */

#include "execute/compile-plan.h"

#include "runtime/parallel.h"

/* The time in µs after which waking workers pays. */
enum { ALONE = 100 };

typedef struct
{
  GhloStepPlan      *plan;
  guint              first;       /* the first compiled step that is compiled in parallel */
  const GhloMonitor *quiet;       /* only for cancellation; nullable */
  GError           **errors;      /* of each compiled step; NULL for success */
  guint              failed;      /* the first that failed, or the number of compiled steps; atomic */
} Compiler;

/* Skips compiled steps after one that failed: their errors would not be reported. */
static void
compile_step (Compiler *self,
              guint     i)
{
  guint failed = __atomic_load_n (&self->failed, __ATOMIC_RELAXED);

  if (i > failed || ghlo_step_compile (self->plan->compiled_steps[i], self->quiet, &self->errors[i]))
    return;
  while (i < failed && !__atomic_compare_exchange_n (&self->failed, &failed, i, FALSE, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED))
    ;
}

static void
compile_steps (gpointer data,
               gsize    begin,
               gsize    end,
               guint    worker)
{
  Compiler *self = data;

  for (gsize i = begin; i < end && !ghlo_monitor_cancelled (self->quiet, NULL); i++)
    compile_step (self, self->first + (guint) i);
}

static gboolean
compile_all (Compiler           *self,
             const GhloMonitor  *monitor,
             GError            **error)
{
  gint64 start = g_get_monotonic_time ();

  for (; self->first < self->plan->n_compiled_steps && g_get_monotonic_time () - start < ALONE; self->first++)
    {
      if (ghlo_monitor_cancelled (self->quiet, error))
        return FALSE;
      compile_step (self, self->first);
    }
  ghlo_parallel_for (self->plan->n_compiled_steps - self->first, 1, 0, compile_steps, self, monitor);

  return !ghlo_monitor_cancelled (self->quiet, error);
}

static gboolean
compile (GhloStepPlan       *plan,
         const GhloMonitor  *monitor,
         GError            **error)
{
  const GhloMonitor quiet = { .cancellable = monitor->cancellable };
  g_autofree GError **errors = g_new0 (GError *, plan->n_compiled_steps);
  Compiler self = {
    .plan = plan, .quiet = quiet.cancellable != NULL ? &quiet : NULL, .errors = errors,
    .failed = plan->n_compiled_steps,
  };
  gboolean ok = compile_all (&self, monitor, error);

  if (ok && self.failed < plan->n_compiled_steps)
    {
      g_propagate_error (error, g_steal_pointer (&errors[self.failed]));
      ok = FALSE;
    }
  for (guint i = 0; i < plan->n_compiled_steps; i++)
    g_clear_error (&errors[i]);

  return ok;
}

typedef struct
{
  GhloFallback      *fallback;
  const GhloMonitor *monitor;
  GError           **error;
  gboolean           ok;
} Preparer;

static void
add_fallback (GhloStep *step,
              gpointer  data)
{
  Preparer *self = data;

  if (step->kind != GHLO_STEP_REFERENCE || !self->ok)
    return;
  if (!ghlo_monitor_cancelled (self->monitor, self->error))
    step->fallback = ghlo_fallback_add (self->fallback, step->op, self->error);
  self->ok = step->fallback != NULL;
}

static gboolean
prepare_fallback (GhloStepPlan             *plan,
                  GhloFallback             *fallback,
                  const GhloCustomTargets  *custom_targets,
                  const GhloMonitor        *monitor,
                  GError                  **error)
{
  Preparer self = { fallback, monitor, error, TRUE };

  ghlo_step_plan_foreach (plan, add_fallback, &self);

  return self.ok && ghlo_fallback_prepare (fallback, custom_targets, monitor, error);
}

gboolean
ghlo_compile_plan (GhloStepPlan             *plan,
                   GhloFallback             *fallback,
                   const GhloCustomTargets  *custom_targets,
                   const GhloMonitor        *monitor,
                   GError                  **error)
{
  double share = plan->n_compiled_steps / MAX ((double) plan->n_compiled_steps + plan->n_reference, 1);
  GhloMonitorPart steps = { monitor, 0, share }, rest = { monitor, share, 1 };
  const GhloMonitor of_steps = ghlo_monitor_of_part (&steps), of_rest = ghlo_monitor_of_part (&rest);

  return compile (plan, &of_steps, error) && prepare_fallback (plan, fallback, custom_targets, &of_rest, error);
}
