/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Settings: reference-counted, and immutable once a call has them.
 */

#include "compiler/settings.h"

GhloSettings *
ghlo_settings_new (void)
{
  GhloSettings *self = g_new0 (GhloSettings, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->optimization_level = GHLO_OPTIMIZATION_LEVEL_O2;
  self->caching = TRUE;
  self->excess_precision = TRUE;
  self->enabled_passes = g_new0 (char *, 1);
  self->disabled_passes = g_new0 (char *, 1);

  return self;
}

GhloSettings *
ghlo_settings_ref (GhloSettings *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_settings_unref (GhloSettings *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_strfreev (self->enabled_passes);
  g_strfreev (self->disabled_passes);
  g_free (self);
}
