/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Options as workers know them: what they were when the call was made.
 */

#pragma once

#include "ghlo-compile-options.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount         ref_count;
  GhloOptimizationLevel   optimization_level;
  gboolean                debug_info;
  gboolean                caching;
  gboolean                excess_precision;
  char                  **enabled_passes;      /* never NULL */
  char                  **disabled_passes;     /* never NULL */
} GhloSettings;

/* With the defaults where @options is NULL. The device is not among them. */
GhloSettings *ghlo_settings_new   (GhloCompileOptions *options);
GhloSettings *ghlo_settings_ref   (GhloSettings       *self);
void          ghlo_settings_unref (GhloSettings       *self);

G_END_DECLS
