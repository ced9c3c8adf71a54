/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From a program to what runs: the passes, if the device wants them, then the device.
 */

#include "compiler/compilation.h"

#include "base/ghlo-error.h"
#include "compiler/cache-entry.h"
#include "compiler/devices.h"
#include "compiler/optimize.h"
#include "passes/walk.h"
#include "reference/device.h"
#include "runtime/cache.h"

/* The share of the passes in a compile's progress, where they run. */
#define PASSES_SHARE 0.5
/* The share of looking for an earlier result within that, which goes through large constants. */
#define LOOKUP_SHARE 0.1

/* The share of the compile in the progress, where it waits for machine code afterwards. */
#define COMPILE_SHARE 0.3

/* The result of passes that took less time is not stored: running them again is faster than looking it up (measured: a
 * key takes 0.9 µs per operation, reading 0.15, and passes 1.5 where they fold little). */
#define MIN_MICROSECONDS 2000

static GhloOptimizeOptions
optimize_options (const GhloSettings      *settings,
                  const GhloCustomTargets *custom_targets)
{
  return (GhloOptimizeOptions) {
    .level = settings->optimization_level,
    .enabled = (const char *const *) settings->enabled_passes,
    .disabled = (const char *const *) settings->disabled_passes,
    .excess_precision = settings->excess_precision,
    .evaluator = ghlo_reference_device (),
    .custom_targets = custom_targets,
  };
}

/* Returns the module that the cache keeps, and sets its @report. */
static GhloIrModule *
run_passes (GhloIrModule             *module,
            const GhloSettings       *settings,
            const GhloCustomTargets  *custom_targets,
            const GhloMonitor        *monitor,
            GhloPassReport           *report,
            GError                  **error)
{
  const GhloOptimizeOptions options = optimize_options (settings, custom_targets);
  GhloMonitorPart part = { monitor, 0, PASSES_SHARE };
  const GhloMonitor part_of = ghlo_monitor_of_part (&part);

  ghlo_monitor_stage (monitor, GHLO_PROGRESS_STAGE_PASSES);

  return ghlo_optimize (module, &options, &part_of, report, error);
}

static GhloPrepared *
prepare (GhloIrModule             *module,
         GhloDeviceCore           *device,
         const GhloCustomTargets  *custom_targets,
         gboolean                  may_use_host,
         double                    from,
         const GhloMonitor        *monitor,
         GError                  **error)
{
  GhloPrepareOptions options = ghlo_devices_get_options ();
  GhloIrOp *function = ghlo_ir_module_get_entry (module);
  GhloMonitorPart part = { monitor, from, 1 };
  const GhloMonitor part_of = ghlo_monitor_of_part (&part);

  ghlo_monitor_stage (monitor, GHLO_PROGRESS_STAGE_CODEGEN);
  if (function != NULL)
    {
      options.custom_targets = custom_targets;
      options.may_use_host = may_use_host;
      return ghlo_device_core_prepare (device, module, function, &options, &part_of, error);
    }

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "%s: the passes removed the function to run",
               module->file_name);

  return NULL;
}

/* Stored programs have no positions in the source text, which errors from the application's functions should give. */
static gboolean
may_store (const GhloCompileKey *key)
{
  return key->functions == NULL;
}

/* The result that passes made of the same program in another process or at another time. NULL where there is none, with
 * @error set only when cancelled. */
static GhloIrModule *
read_stored (GhloCompileKey    *key,
             GhloPassReport    *report,
             const GhloMonitor *monitor,
             GError           **error)
{
  g_autoptr (GBytes) bytes = ghlo_cache_read (key->name);
  const char *digest = bytes != NULL ? ghlo_compile_key_get_digest (key, monitor, error) : NULL;

  return digest != NULL ? ghlo_cache_entry_read (bytes, key->module, digest, monitor, report) : NULL;
}

static void
write_stored (GhloCompileKey       *key,
              GhloIrModule         *made,
              const GhloPassReport *report)
{
  const char *digest;
  g_autoptr (GBytes) bytes = NULL;
  GhloCacheMode mode = ghlo_cache_get_mode ();

  if (!may_store (key) || mode < GHLO_CACHE_ON || (mode == GHLO_CACHE_ON && report->microseconds < MIN_MICROSECONDS))
    return;
  digest = ghlo_compile_key_get_digest (key, NULL, NULL);
  if (digest != NULL)
    bytes = ghlo_cache_entry_write (key->module, made, report, digest, key->device->klass->name,
                                    key->keep_locations);
  if (bytes != NULL)
    ghlo_cache_write (key->name, bytes);
}

/* The program after the passes, from the cache or by running them. *@report describes the run that made it. */
static GhloIrModule *
make_module (GhloIrModule             *module,
             GhloCompileKey           *key,
             const GhloSettings       *settings,
             const GhloCustomTargets  *custom_targets,
             GhloPassReport          **report,
             GhloCacheUse             *use,
             const GhloMonitor        *monitor,
             GError                  **error)
{
  GhloMonitorPart part = { monitor, 0, LOOKUP_SHARE };
  const GhloMonitor lookup = ghlo_monitor_of_part (&part);
  g_autoptr (GError) local_error = NULL;
  GhloIrModule *made = NULL;

  if (key != NULL && may_store (key) && ghlo_cache_get_mode () >= GHLO_CACHE_ON)
    made = read_stored (key, *report, &lookup, &local_error);
  if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return NULL;
    }
  if (made != NULL)
    {
      *use = GHLO_CACHE_USE_HIT;
      return made;
    }

  /* An unusable file may have left something in the report. */
  ghlo_pass_report_unref (*report);
  *report = ghlo_pass_report_new ();
  made = run_passes (module, settings, custom_targets, monitor, *report, error);
  if (made != NULL && key != NULL)
    write_stored (key, made, *report);

  return made;
}

/* Returns the module for the device. */
static GhloIrModule *
make_fused (GhloIrModule             *module,
            GhloCompileKey           *key,
            GhloDeviceCore           *device,
            const GhloSettings       *settings,
            const GhloCustomTargets  *custom_targets,
            GhloPassReport          **report,
            GhloCacheUse             *use,
            const GhloMonitor        *monitor,
            GError                  **error)
{
  const GhloOptimizeOptions options = optimize_options (settings, custom_targets);
  g_autoptr (GhloIrModule) made = make_module (module, key, settings, custom_targets, report, use, monitor, error);

  if (made == NULL || !ghlo_fuse (made, device, &options, NULL, NULL, monitor, *report, error))
    return NULL;

  return g_steal_pointer (&made);
}

/* Takes ownership of module and report, which are freed where it returns NULL. */
static GhloCompilation *
compilation_new (GhloIrModule             *made,
                 GhloPassReport           *report,
                 GhloDeviceCore           *device,
                 const GhloCustomTargets  *custom_targets,
                 gboolean                  may_use_host,
                 double                    from,
                 const GhloMonitor        *monitor,
                 GError                  **error)
{
  GhloPrepared *prepared = prepare (made, device, custom_targets, may_use_host, from, monitor, error);
  GhloCompilation *self;

  if (prepared == NULL)
    {
      ghlo_ir_module_unref (made);
      ghlo_pass_report_unref (report);
      return NULL;
    }

  self = g_new0 (GhloCompilation, 1);
  self->ref_count = 1;
  self->module = made;
  self->prepared = prepared;
  self->report = report;

  return self;
}

/* Compiles for a device that wants passes. */
static GhloCompilation *
compile_with_passes (GhloIrModule             *module,
                     GhloDeviceCore           *device,
                     const GhloSettings       *settings,
                     const GhloCustomTargets  *custom_targets,
                     gboolean                  may_use_host,
                     GhloCacheUse             *use,
                     const GhloMonitor        *monitor,
                     GError                  **error)
{
  gboolean caching = settings->caching && ghlo_cache_get_mode () != GHLO_CACHE_OFF;
  g_autoptr (GhloCompileKey) key =
    caching ? ghlo_compile_key_new (module, device, settings, custom_targets, may_use_host) : NULL;
  GhloMonitorPart part = { monitor, 0, LOOKUP_SHARE };
  const GhloMonitor lookup = ghlo_monitor_of_part (&part);
  g_autoptr (GhloPassReport) report = NULL;
  g_autoptr (GError) local_error = NULL;
  GhloIrModule *made;
  GhloCompilation *self;

  if (key != NULL)
    {
      *use = GHLO_CACHE_USE_HIT;
      self = ghlo_compilation_find (key, &lookup, &local_error);
      if (self != NULL)
        return self;
      *use = GHLO_CACHE_USE_MISS;
    }
  if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return NULL;
    }

  report = ghlo_pass_report_new ();
  made = make_fused (module, key, device, settings, custom_targets, &report, use, monitor, error);
  if (made == NULL)
    return NULL;
  self = compilation_new (made, g_steal_pointer (&report), device, custom_targets, may_use_host, PASSES_SHARE, monitor,
                          error);
  if (self != NULL && key != NULL)
    {
      self->key = g_steal_pointer (&key);
      ghlo_compilation_register (self);
    }

  return self;
}

/* Reports stages of a part of the work as stages of the whole. */
static void
pass_stage (gpointer          data,
            GhloProgressStage stage)
{
  const GhloMonitorPart *part = data;

  ghlo_monitor_stage (part->whole, stage);
}

static GhloCompilation *
compile (GhloIrModule             *module,
         GhloDeviceCore           *device,
         const GhloSettings       *settings,
         const GhloCustomTargets  *custom_targets,
         gboolean                  may_use_host,
         GhloCacheUse             *use,
         const GhloMonitor        *monitor,
         GError                  **error)
{
  GhloIrModule *made;
  GhloPassReport *report;

  *use = GHLO_CACHE_USE_NONE;
  if (device->wants_passes)
    return compile_with_passes (module, device, settings, custom_targets, may_use_host, use, monitor, error);

  made = ghlo_optimize_required (module, custom_targets, monitor, error);
  if (made == NULL)
    return NULL;
  report = ghlo_pass_report_new ();
  report->n_ops_before = ghlo_pass_count_ops (module);
  report->n_ops_after = ghlo_pass_count_ops (made);

  return compilation_new (made, report, device, custom_targets, may_use_host, 0, monitor, error);
}

GhloCompilation *
ghlo_compilation_new (GhloIrModule             *module,
                      GhloDeviceCore           *device,
                      const GhloSettings       *settings,
                      const GhloCustomTargets  *custom_targets,
                      gboolean                  may_use_host,
                      GhloCacheUse             *use,
                      const GhloMonitor        *monitor,
                      GError                  **error)
{
  GhloMonitorPart first = { monitor, 0, COMPILE_SHARE }, second = { monitor, COMPILE_SHARE, 1 };
  const GhloMonitor waits = ghlo_monitor_of_part (&second);
  GhloMonitor compiles = ghlo_monitor_of_part (&first);
  g_autoptr (GhloCompilation) self = NULL;

  if (!settings->wait_for_code)
    return compile (module, device, settings, custom_targets, may_use_host, use, monitor, error);

  if (monitor != NULL && monitor->stage != NULL)
    {
      compiles.stage = pass_stage;
      compiles.progress_data = &first;
    }
  self = compile (module, device, settings, custom_targets, may_use_host, use, &compiles, error);
  if (self == NULL || !ghlo_prepared_wait_for_code (self->prepared, &waits, error))
    return NULL;

  return g_steal_pointer (&self);
}

GhloCompilation *
ghlo_compilation_ref (GhloCompilation *self)
{
  g_atomic_int_inc (&self->ref_count);

  return self;
}

static void
compilation_free (gpointer data)
{
  GhloCompilation *self = data;

  ghlo_prepared_free (self->prepared);
  ghlo_ir_module_unref (self->module);
  ghlo_pass_report_unref (self->report);
  g_clear_pointer (&self->key, ghlo_compile_key_free);
  g_free (self);
}

void
ghlo_compilation_unref (GhloCompilation *self)
{
  if (!g_atomic_int_dec_and_test (&self->ref_count))
    return;

  if (self->key != NULL)
    ghlo_compilation_unregister (self);
  compilation_free (self);
}
