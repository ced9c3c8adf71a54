/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prepares a program for a device that compiles: makes a copy, runs the passes on it, and then makes its fusions. The
 * program itself stays unchanged, for other users and for `ghlo dump`.
 */

#pragma once

#include "execute/program.h"
#include "passes/pass.h"

G_BEGIN_DECLS

/* The options of a compile that concern passes. Everything is borrowed. */
typedef struct
{
  guint               level;               /* 0 … 3 */
  const char *const  *enabled;             /* nullable; names of passes */
  const char *const  *disabled;            /* nullable */
  gboolean            excess_precision;
  GhloDeviceCore     *evaluator;           /* evaluates constants; nullable */
  const GhloCustomTargets *custom_targets; /* functions of the application, whose calls stay; nullable */
} GhloOptimizeOptions;

/* Whether all of @names (nullable) are names of passes. Otherwise, the error INVALID_ARGUMENT names the option @what,
 * and lists all passes. */
gboolean      ghlo_optimize_check_names (const char             *what,
                                         const char *const      *names,
                                         GError                **error);

/* Returns a new module; GHLO_DISABLE applies too. NULL when cancelled. @report may be NULL. */
GhloIrModule *ghlo_optimize          (GhloIrModule              *module,
                                      const GhloOptimizeOptions *options,
                                      const GhloMonitor         *monitor,
                                      GhloPassReport            *report,
                                      GError                   **error);

/* Returns what a device without passes runs: @module itself, or a copy in which calls that no executor has are
 * expanded, where there are any. NULL where one of these calls is malformed. */
GhloIrModule *ghlo_optimize_required (GhloIrModule              *module,
                                      const GhloCustomTargets   *custom_targets,
                                      const GhloMonitor         *monitor,
                                      GError                   **error);

/* Makes the fusions that @device supports in @module, in place; @module is a result of ghlo_optimize (). GHLO_DISABLE
 * and GHLO_FUSE apply. FALSE when cancelled. @report (nullable) gets the passes' records; @report_candidate (nullable)
 * is called with @report_data, as in GhloPassFusion. */
gboolean      ghlo_fuse              (GhloIrModule              *module,
                                      GhloDeviceCore            *device,
                                      const GhloOptimizeOptions *options,
                                      GhloFusionReportFunc       report_candidate,
                                      gpointer                   report_data,
                                      const GhloMonitor         *monitor,
                                      GhloPassReport            *report,
                                      GError                   **error);

/* The names of the passes that would run, in order, given @options with its level, and GHLO_DISABLE. */
char        **ghlo_optimize_dup_passes (const GhloOptimizeOptions *options);

G_END_DECLS
