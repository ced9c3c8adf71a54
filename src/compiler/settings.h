/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The options of a compile as workers use them: a snapshot from the time of the call.
 */

#pragma once

#include "base/ghlo-enums.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount       ref_count;
  GhloOptimizationLevel optimization_level;
  gboolean              debug_info;
  gboolean              caching;
  gboolean              excess_precision;
  gboolean              wait_for_code;         /* does not affect the result, and is not serialized with it */
  char                **enabled_passes;        /* never NULL */
  char                **disabled_passes;       /* never NULL */
} GhloSettings;

/* The default settings, which may be changed until they are shared. */
GhloSettings *ghlo_settings_new   (void);
GhloSettings *ghlo_settings_ref   (GhloSettings *self);
void          ghlo_settings_unref (GhloSettings *self);

G_END_DECLS
