/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the steps of a plan took in runs that were measured.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gint64  nanoseconds;      /* of all executions, those of a loop's or branch's bodies included */
  guint64 n_runs;
} GhloRunStepTime;

/* Written by one run at a time. */
typedef struct
{
  GhloRunStepTime *steps;   /* by the steps' numbers; one of the whole program that no plan runs; NULL before a run */
  guint            n_steps;
} GhloRunProfile;

GhloRunProfile  *ghlo_run_profile_new   (void);
void             ghlo_run_profile_free  (GhloRunProfile  *self);
/* Makes room for @n_steps steps, as often as the profile is used for one program. */
void             ghlo_run_profile_begin (GhloRunProfile  *self,
                                         guint            n_steps);
/* Nanoseconds of a clock that only goes forward. */
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
