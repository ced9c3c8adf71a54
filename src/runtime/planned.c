/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prepared programs of a device that makes plans.
 */

#include "runtime/planned.h"

#include "base/ghlo-error.h"
#include "runtime/place.h"
#include "runtime/run-plan.h"

typedef struct
{
  GhloPrepared  base;
  GhloRunPlan  *plan;       /* NULL where the fallback runs the whole program */
  GhloPrepared *whole;      /* the whole program, prepared by the fallback */
  char         *reason;     /* why there is no plan */
} Program;

void
ghlo_planned_release (GhloPrepared *prepared)
{
  Program *self = (Program *) prepared;

  g_clear_pointer (&self->plan, ghlo_run_plan_free);
  g_clear_pointer (&self->whole, ghlo_prepared_free);
  g_free (self->reason);
  g_free (self);
}

GhloPrepared *
ghlo_planned_prepare (GhloDeviceCore            *device,
                      GhloIrModule              *module,
                      GhloIrOp                  *function,
                      const GhloPrepareOptions  *options,
                      const GhloMonitor         *monitor,
                      GError                   **error)
{
  Program *self = g_new0 (Program, 1);
  GError *problem = NULL;

  self->plan = ghlo_run_plan_new (device, module, function, options, monitor, &problem);
  if (self->plan == NULL && options->fallback != NULL
      && g_error_matches (problem, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED))
    {
      self->reason = g_strdup (problem->message);
      g_clear_error (&problem);
      self->whole = ghlo_device_core_prepare (options->fallback, module, function,
                                              &(GhloPrepareOptions) { .custom_targets = options->custom_targets },
                                              monitor, &problem);
    }
  if (problem == NULL)
    return &self->base;
  g_propagate_error (error, problem);
  ghlo_planned_release (&self->base);

  return NULL;
}

/* Moves the fallback's outputs, which are in host memory, to the device. */
static gboolean
place_outputs (const Program      *self,
               GhloValue         **outputs,
               const GhloMonitor  *monitor,
               GError            **error)
{
  guint n = self->whole->n_outputs;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GhloValue) output = outputs[i];

      outputs[i] = ghlo_value_place (output, self->base.device, monitor, error);
      if (outputs[i] == NULL)
        {
          ghlo_values_clear (outputs, n);
          return FALSE;
        }
    }

  return TRUE;
}

static gboolean
run_whole (const Program         *self,
           const GhloRunOptions  *options,
           GhloValue *const      *inputs,
           gsize                  n_inputs,
           GhloValue            **outputs,
           const GhloMonitor     *monitor,
           GError               **error)
{
  gint64 start = ghlo_run_profile_now (), nanoseconds;
  gboolean ok = ghlo_prepared_run (self->whole, options, inputs, n_inputs, outputs, monitor, error);

  nanoseconds = ghlo_run_profile_now () - start;
  if (options != NULL && options->fallback_time != NULL)
    *options->fallback_time += nanoseconds / 1000;
  if (options != NULL && options->profile != NULL)
    {
      ghlo_run_profile_begin (options->profile, 1);
      ghlo_run_profile_add (options->profile, 0, nanoseconds);
    }

  return ok && (ghlo_device_core_is_host (self->base.device) || place_outputs (self, outputs, monitor, error));
}

gboolean
ghlo_planned_start (GhloPrepared          *prepared,
                    const GhloRunOptions  *options,
                    GhloValue *const      *inputs,
                    gsize                  n_inputs,
                    GhloValue            **outputs,
                    GhloPending          **pending,
                    const GhloMonitor     *monitor,
                    GError               **error)
{
  Program *self = (Program *) prepared;

  if (self->plan != NULL)
    return ghlo_run_plan_run (self->plan, options, inputs, n_inputs, outputs, monitor, error);

  return run_whole (self, options, inputs, n_inputs, outputs, monitor, error);
}

const GhloStepPlan *
ghlo_planned_get_plan (const GhloPrepared *prepared)
{
  const Program *self = (const Program *) prepared;

  return self->plan != NULL ? ghlo_run_plan_get_plan (self->plan) : NULL;
}

char *
ghlo_planned_describe (GhloPrepared *prepared)
{
  Program *self = (Program *) prepared;

  if (self->plan != NULL)
    return ghlo_step_plan_print (ghlo_run_plan_get_plan (self->plan));

  return g_strdup_printf ("the %s executor runs the whole program: %s\n", self->whole->device->klass->name,
                          self->reason);
}

void
ghlo_planned_measure (GhloPrepared   *prepared,
                      GhloRunFigures *figures)
{
  Program *self = (Program *) prepared;

  if (self->plan != NULL)
    ghlo_run_plan_measure (self->plan, figures);
  else
    *figures = (GhloRunFigures) { .n_steps = 1, .n_fallback_steps = 1,
                                  .prepared_bytes = ghlo_prepared_get_size (self->whole) };
}
