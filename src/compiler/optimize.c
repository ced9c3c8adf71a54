/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs passes over a copy of a program, with a device that evaluates constants.
 */

#include "compiler/optimize.h"

#include "base/environment.h"
#include "base/ghlo-error.h"
#include "compiler/evaluate.h"

static gboolean
is_registered (gpointer    data,
               const char *target)
{
  return ghlo_custom_targets_find (data, target) != NULL;
}

static GhloPassOptions
pass_options (const GhloOptimizeOptions *options)
{
  /* An empty list would count as a request for one round at O0. */
  gboolean any = options->enabled != NULL && options->enabled[0] != NULL;

  return (GhloPassOptions) {
    .level = options->level,
    .on = any ? options->enabled : NULL,
    .off = options->disabled,
    .use_environment = TRUE,
    .excess_precision = options->excess_precision,
    .is_registered = is_registered,
    .registered_data = (gpointer) options->custom_targets,
  };
}

static gboolean
is_known (const char *name)
{
  /* An empty name is between two commas; "help" is a question, and disables nothing. */
  return *name == '\0' || g_str_equal (name, "help") || ghlo_passes_has_switch (name)
         || ghlo_pass_find (name) >= 0;
}

/* Returns "'inline', 'fold'" and so on. */
static char *
list_passes (void)
{
  GString *known = g_string_new (NULL);

  for (guint pass = 0; pass < ghlo_passes_count (); pass++)
    g_string_append_printf (known, "%s'%s'", pass > 0 ? ", " : "", ghlo_pass_get_name (pass));

  return g_string_free (known, FALSE);
}

/* Unknown names of passes are ignored, so that GHLO_DISABLE and the options of serialized programs remain valid after a
 * pass is removed; a debug message tells users about them. */
static void
log_unknown (const char        *where,
             const char *const *names)
{
  g_autofree char *known = NULL;

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      if (is_known (names[i]))
        continue;
      if (known == NULL)
        known = list_passes ();
      g_debug ("%s names '%s', but no pass is called that; the passes are %s", where, names[i], known);
    }
}

static void
log_all_unknown (const GhloOptimizeOptions *options)
{
  const char *variable = ghlo_environment_get ("GHLO_DISABLE");
  g_auto (GStrv) names = g_strsplit_set (variable != NULL ? variable : "", ", ", -1);

  log_unknown ("GHLO_DISABLE", (const char *const *) names);
  log_unknown ("the option enabled-passes", options->enabled);
  log_unknown ("the option disabled-passes", options->disabled);
}

gboolean
ghlo_optimize_check_names (const char         *what,
                           const char *const  *names,
                           GError            **error)
{
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    if (ghlo_pass_find (names[i]) < 0)
      {
        g_autofree char *known = list_passes ();
        g_autofree char *valid = g_utf8_make_valid (names[i], -1);

        g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                     "expected names of passes in the option %s, which are %s, found '%s'", what, known, valid);
        return FALSE;
      }

  return TRUE;
}

GhloIrModule *
ghlo_optimize (GhloIrModule               *module,
               const GhloOptimizeOptions  *options,
               const GhloMonitor          *monitor,
               GhloPassReport             *report,
               GError                    **error)
{
  GhloDeviceEvaluator evaluator = { .device = options->evaluator, .monitor = monitor };
  GhloPassOptions passes = pass_options (options);
  g_autoptr (GhloIrModule) copy = NULL;

  log_all_unknown (options);
  if (ghlo_monitor_cancelled (monitor, error))
    return NULL;
  if (options->evaluator != NULL)
    passes.evaluator = ghlo_device_evaluator (&evaluator);

  copy = ghlo_ir_module_copy (module);
  if (!ghlo_passes_run (copy, &passes, monitor, report, error))
    return NULL;

  return g_steal_pointer (&copy);
}

GhloIrModule *
ghlo_optimize_required (GhloIrModule             *module,
                        const GhloCustomTargets  *custom_targets,
                        const GhloMonitor        *monitor,
                        GError                  **error)
{
  const GhloOptimizeOptions options = { .custom_targets = custom_targets };
  const GhloPassOptions passes = pass_options (&options);

  if (!ghlo_passes_required (module, &passes))
    return ghlo_ir_module_ref (module);

  return ghlo_optimize (module, &options, monitor, NULL, error);
}

static const char *
device_declines (gpointer               data,
                 GhloFusionKind         kind,
                 const GhloIrOp *const *ops,
                 guint                  n_ops)
{
  GhloDeviceCore *device = data;

  return device->klass->unsupported_reason (device, kind, ops, n_ops);
}

gboolean
ghlo_fuse (GhloIrModule               *module,
           GhloDeviceCore             *device,
           const GhloOptimizeOptions  *options,
           GhloFusionReportFunc        report_candidate,
           gpointer                    report_data,
           const GhloMonitor          *monitor,
           GhloPassReport             *report,
           GError                    **error)
{
  GhloPassOptions passes = pass_options (options);
  g_autoptr (GError) problem = NULL;
  guint max_merges;

  if (device->klass->unsupported_reason == NULL)
    return TRUE;
  if (!ghlo_passes_read_fuse (&max_merges, &problem))
    g_debug ("%s", problem->message);
  passes.fusion = (GhloPassFusion) { device_declines, device, report_candidate, report_data };

  return ghlo_passes_fuse (module, &passes, monitor, report, error);
}

char **
ghlo_optimize_dup_passes (const GhloOptimizeOptions *options)
{
  const GhloPassOptions passes = pass_options (options);
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  for (guint pass = 0; pass < ghlo_passes_count (); pass++)
    if (ghlo_passes_choose (&passes, pass))
      g_strv_builder_add (names, ghlo_pass_get_name (pass));

  return g_strv_builder_end (names);
}
