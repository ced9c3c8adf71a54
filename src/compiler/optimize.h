/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A program as a device that compiles is to get it: a copy with the passes run
 * over it, and then its fusions made. The program itself stays as it is, for others
 * and for `ghlo dump`.
 */

#pragma once

#include "passes/pass.h"
#include "runtime/device.h"

G_BEGIN_DECLS

/* What a compile asks of passes. All borrowed. */
typedef struct
{
  guint               level;               /* 0 … 3 */
  const char *const  *enabled;             /* nullable; names of passes, as the next */
  const char *const  *disabled;            /* nullable */
  gboolean            excess_precision;
  GhloDeviceCore     *evaluator;           /* computes constants; nullable */
} GhloOptimizeOptions;

/* Whether passes are called as @names, nullable, says; INVALID_ARGUMENT with @what, the option, and all names that
 * there are. */
gboolean      ghlo_optimize_check_names (const char             *what,
                                         const char *const      *names,
                                         GError                **error);

/* A new module; GHLO_DISABLE counts too. NULL when cancelled. @report may be NULL. */
GhloIrModule *ghlo_optimize          (GhloIrModule              *module,
                                      const GhloOptimizeOptions *options,
                                      const GhloMonitor         *monitor,
                                      GhloPassReport            *report,
                                      GError                   **error);

/* Makes the fusions that @device does of @module, which came from the above, in place; GHLO_DISABLE and
 * GHLO_FUSE count. FALSE when cancelled. @report, nullable, gets the passes' records; @tell, nullable, is
 * called with @tell_data as GhloPassFusion has it. */
gboolean      ghlo_fuse              (GhloIrModule              *module,
                                      GhloDeviceCore            *device,
                                      const GhloOptimizeOptions *options,
                                      GhloFusionTellFunc         tell,
                                      gpointer                   tell_data,
                                      const GhloMonitor         *monitor,
                                      GhloPassReport            *report,
                                      GError                   **error);

/* The names of the passes that would run, in their order: what @options, the level
 * and GHLO_DISABLE come to. */
char        **ghlo_optimize_dup_passes (const GhloOptimizeOptions *options);

G_END_DECLS
