/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From a program to code: the passes, where the device wants them, then the device's
 * executor.
 */

#include "ghlo-code-private.h"

#include "ghlo-compile-report-private.h"
#include "ghlo-error.h"
#include "ghlo-job-private.h"
#include "ghlo-program-private.h"
#include "passes/walk.h"
#include "reference/reference.h"
#include "runtime/optimize.h"

/* What part of a compile's progress the passes are, where there are any. */
#define PASSES_SHARE 0.5

/* A part of a larger piece of work. */
typedef struct
{
  const GhloMonitor *whole;
  double             from, to;     /* of the whole */
} Part;

static void
on_part_progress (gpointer    data,
                  double      fraction,
                  const char *detail)
{
  Part *part = data;

  ghlo_monitor_progress (part->whole, part->from + fraction * (part->to - part->from), detail);
}

/* @part is borrowed by the result. */
static GhloMonitor
part_monitor (Part *part)
{
  return (GhloMonitor) {
    .cancellable = part->whole != NULL ? part->whole->cancellable : NULL,
    .progress = on_part_progress,
    .progress_data = part,
  };
}

/* The module that the executor gets, with what is to say of it in @report. */
static GhloIrModule *
run_passes (GhloIrModule          *module,
            const GhloSettings    *settings,
            const GhloMonitor     *monitor,
            GhloPassReport        *report,
            GError               **error)
{
  const GhloOptimizeOptions options = {
    .level = settings->optimization_level,
    .enabled = (const char *const *) settings->enabled_passes,
    .disabled = (const char *const *) settings->disabled_passes,
    .excess_precision = settings->excess_precision,
    .evaluator = ghlo_reference_executor (),
  };
  Part part = { monitor, 0, PASSES_SHARE };
  const GhloMonitor part_of = part_monitor (&part);

  ghlo_job_set_stage (monitor, GHLO_PROGRESS_STAGE_PASSES);

  return ghlo_optimize (module, &options, &part_of, report, error);
}

static GhloPrepared *
prepare (GhloIrModule        *module,
         const GhloExecutor  *executor,
         double               from,
         const GhloMonitor   *monitor,
         GError             **error)
{
  GhloIrOp *function = ghlo_ir_module_get_entry (module);
  Part part = { monitor, from, 1 };
  const GhloMonitor part_of = part_monitor (&part);

  ghlo_job_set_stage (monitor, GHLO_PROGRESS_STAGE_CODEGEN);
  if (function != NULL)
    return executor->prepare (module, function, &part_of, error);

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "%s: the passes removed the function to run",
               module->file_name);

  return NULL;
}

GhloCode *
ghlo_code_new (GhloIrModule          *module,
               const GhloDeviceCore  *device,
               const GhloSettings    *settings,
               const GhloMonitor     *monitor,
               GError               **error)
{
  const GhloExecutor *executor = device->get_executor ();
  g_autoptr (GhloPassReport) report = ghlo_pass_report_new ();
  g_autoptr (GhloIrModule) made = NULL;
  GhloPrepared *prepared;
  GhloCode *self;

  if (device->wants_passes)
    made = run_passes (module, settings, monitor, report, error);
  else
    {
      made = ghlo_ir_module_ref (module);
      report->n_ops_before = report->n_ops_after = ghlo_pass_count_ops (module);
    }
  if (made == NULL)
    return NULL;
  prepared = prepare (made, executor, device->wants_passes ? PASSES_SHARE : 0, monitor, error);
  if (prepared == NULL)
    return NULL;

  self = g_new0 (GhloCode, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->module = g_steal_pointer (&made);
  self->executor = executor;
  self->prepared = prepared;
  self->report = ghlo_compile_report_new (g_steal_pointer (&report));

  return self;
}

GhloCode *
ghlo_code_ref (GhloCode *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

static void
code_free (gpointer data)
{
  GhloCode *self = data;

  self->executor->release (self->prepared);
  ghlo_ir_module_unref (self->module);
  ghlo_compile_report_unref (self->report);
  g_free (self);
}

void
ghlo_code_unref (GhloCode *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  if (ghlo_program_is_large (self->module))
    ghlo_workers_free (self, code_free);
  else
    code_free (self);
}
