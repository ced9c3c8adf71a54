/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Running a compiled program.
 */

#pragma once

#include "compiler/executable-core.h"

G_BEGIN_DECLS

/* What one run gives. */
typedef struct
{
  GhloPending *run;             /* owned; what goes on of it; NULL for what has ended, as the next */
  GhloPending *last;            /* owned; the end of the run and of the copies behind it */
  gint64       start;           /* of the monotonic clock */
  gint64       run_time;        /* microseconds, as the next; run and reference without upload and download */
  gint64       reference_time;  /* of these in steps of the reference executor */
  gint64       upload_time, download_time;
  GhloRunProfile     *profile;     /* owned, as the next; both NULL where nobody asks */
  GhloExecutableCore *executable;  /* what the profile is of */
  GhloRunWatch       *watch;       /* the executable's, while it has not been told of the end; nullable */
  guint64             watched;     /* the number of the run there */
  gsize               uploaded;    /* bytes */
  gpointer        face;            /* what was made of the outputs for the caller before their end; NULL: nothing */
  GDestroyNotify  free_face;
  guint        n_outputs;
  GhloValue   *outputs[];       /* owned */
} GhloOutcome;

/* Begins a run. Every input was accepted. A profile in @options becomes the outcome's, also when the call fails.
 * Outputs have memory of their own, or, as @options (nullable, less its times) allows, that of an input which the
 * caller then gives up, or what the caller brought; in that an output always is, though its value may be another, and
 * then the run has ended. INVALID_ARGUMENT when it does not fit there. */
GhloOutcome *ghlo_run_start      (GhloExecutableCore    *executable,
                                  GhloValue *const      *inputs,
                                  const GhloRunOptions  *options,
                                  const GhloMonitor     *monitor,
                                  GError               **error);
/* When what @outcome waits for has ended: FALSE with what went wrong. Counts the run. */
gboolean     ghlo_run_finish     (GhloExecutableCore    *executable,
                                  GhloOutcome           *outcome,
                                  GError               **error);
/* NULL where all has ended. */
GhloPending *ghlo_outcome_get_pending (GhloOutcome      *self);
/* Waits for what goes on, which needs what the run was given. */
void         ghlo_outcome_free   (GhloOutcome           *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloOutcome, ghlo_outcome_free)

G_END_DECLS
