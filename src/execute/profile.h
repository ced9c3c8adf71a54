/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measured times of a plan's steps.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gint64  nanoseconds;      /* of all executions; steps with bodies include those */
  guint64 n_runs;
} GhloRunStepTime;

/* Written by one run at a time. */
typedef struct
{
  GhloRunStepTime *steps;   /* by step number; one entry for a program without a plan; NULL before the first run */
  guint            n_steps;
} GhloRunProfile;

GhloRunProfile  *ghlo_run_profile_new   (void);
void             ghlo_run_profile_free  (GhloRunProfile  *self);
/* Makes room for @n_steps steps; may be called again for runs of the same program. */
void             ghlo_run_profile_begin (GhloRunProfile  *self,
                                         guint            n_steps);
/* Returns nanoseconds of a monotonic clock. */
gint64           ghlo_run_profile_now   (void);

static inline void
ghlo_run_profile_add (GhloRunProfile *self,
                      guint           step,
                      gint64          nanoseconds)
{
  self->steps[step].nanoseconds += nanoseconds;
  self->steps[step].n_runs++;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRunProfile, ghlo_run_profile_free)

G_END_DECLS
