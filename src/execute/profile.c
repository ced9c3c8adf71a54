/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Profiles. Times are in nanoseconds, since many steps take less than a microsecond.
 */

#include "execute/profile.h"

#include <time.h>

GhloRunProfile *
ghlo_run_profile_new (void)
{
  return g_new0 (GhloRunProfile, 1);
}

void
ghlo_run_profile_free (GhloRunProfile *self)
{
  g_free (self->steps);
  g_free (self);
}

void
ghlo_run_profile_begin (GhloRunProfile *self,
                        guint           n_steps)
{
  if (self->steps == NULL)
    self->steps = g_new0 (GhloRunStepTime, n_steps + 1);
  self->n_steps = n_steps;
}

gint64
ghlo_run_profile_now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);

  return time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
}
