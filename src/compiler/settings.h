/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The options of a compile as workers know them: what they were when the call was made.
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
  gboolean              wait_for_code;         /* no part of what is made, and not kept with it */
  char                **enabled_passes;        /* never NULL */
  char                **disabled_passes;       /* never NULL */
} GhloSettings;

/* The defaults, to be changed before anybody else sees them. */
GhloSettings *ghlo_settings_new   (void);
GhloSettings *ghlo_settings_ref   (GhloSettings *self);
void          ghlo_settings_unref (GhloSettings *self);

G_END_DECLS
