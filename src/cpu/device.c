/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The processor as a device: a plan over its kernels, or the fallback for a program
 * that is none (dynamic shapes, tuples at its borders). It works in host memory.
 */

#include "cpu/device.h"

#include "base/ghlo-error.h"
#include "cpu/gemm/fusion.h"
#include "cpu/target.h"
#include "runtime/run-plan.h"

typedef struct
{
  GhloPrepared  base;
  GhloRunPlan  *plan;       /* NULL where the fallback runs all of it */
  GhloPrepared *whole;      /* the fallback's, of the whole program */
  char         *reason;     /* why there is no plan */
} Program;

static void
release (GhloPrepared *prepared)
{
  Program *self = (Program *) prepared;

  g_clear_pointer (&self->plan, ghlo_run_plan_free);
  g_clear_pointer (&self->whole, ghlo_prepared_free);
  g_free (self->reason);
  g_free (self);
}

static GhloPrepared *
prepare (GhloDeviceCore            *device,
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
      self->whole = ghlo_device_core_prepare (options->fallback, module, function, NULL, monitor, &problem);
    }
  if (problem == NULL)
    return &self->base;
  g_propagate_error (error, problem);
  release (&self->base);

  return NULL;
}

static gboolean
run_whole (Program               *self,
           const GhloRunOptions  *options,
           GhloValue *const      *inputs,
           gsize                  n_inputs,
           GhloValue            **outputs,
           const GhloMonitor     *monitor,
           GError               **error)
{
  gint64 start = g_get_monotonic_time ();
  gboolean ok = ghlo_prepared_run (self->whole, options, inputs, n_inputs, outputs, monitor, error);

  if (options != NULL && options->fallback_time != NULL)
    *options->fallback_time += g_get_monotonic_time () - start;

  return ok;
}

static gboolean
start (GhloPrepared          *prepared,
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

static const GhloStepTarget *
get_target (GhloDeviceCore *self)
{
  return ghlo_cpu_target ();
}

static char *
describe (GhloPrepared *prepared)
{
  Program *self = (Program *) prepared;

  if (self->plan != NULL)
    return ghlo_step_plan_print (ghlo_run_plan_get_plan (self->plan));

  return g_strdup_printf ("the %s executor runs all of it: %s\n", self->whole->device->klass->name, self->reason);
}

static void
measure (GhloPrepared   *prepared,
         GhloRunFigures *figures)
{
  Program *self = (Program *) prepared;

  if (self->plan != NULL)
    ghlo_run_plan_measure (self->plan, figures);
  else
    *figures = (GhloRunFigures) { .n_steps = 1, .n_fallback_steps = 1,
                                  .prepared_bytes = ghlo_prepared_get_size (self->whole) };
}

static const char *
declines (GhloDeviceCore        *self,
          const char            *kind,
          const GhloIrOp *const *ops,
          guint                  n_ops)
{
  return ghlo_cpu_declines (kind, ops, n_ops);
}

static guint64
get_memory (GhloDeviceCore *self)
{
  return ghlo_memory_get_limit ();
}

GhloDeviceCore *
ghlo_cpu_device (void)
{
  static const GhloDeviceCoreClass klass = {
    .name = "cpu",
    .get_memory = get_memory,
    .declines = declines,
    .prepare = prepare,
    .release = release,
    .start = start,
    .get_target = get_target,
    .describe = describe,
    .measure = measure,
  };
  static const char *const names[] = { "cpu", NULL };
  static const char *const features[] = { "every-operation", "every-element-type", NULL };
  static GhloDeviceCore device = {
    .klass = &klass,
    .kind = GHLO_DEVICE_KIND_CPU,
    .names = names,
    .title = "CPU",
    .driver = "ghlo " GHLO_VERSION,
    .features = features,
    .wants_passes = TRUE,
  };

  return &device;
}

void
ghlo_cpu_find_devices (GPtrArray *devices)
{
  GhloDeviceCore *device = ghlo_cpu_device ();

  if (!g_ptr_array_find (devices, device, NULL))
    g_ptr_array_add (devices, device);
}
