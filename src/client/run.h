/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Running a compiled program.
 */

#pragma once

#include "compiler/executable-core.h"

G_BEGIN_DECLS

/* The result of one run. */
typedef struct
{
  GhloFence          *run;             /* owned; the run's pending work; NULL once it has ended, like the next field */
  GhloFence          *last;            /* owned; the end of the run and of the copies that follow it */
  gint64              start;           /* by the monotonic clock, in microseconds */
  gint64              run_time;        /* microseconds, like the following times; run and reference time exclude upload
                                        * and download */
  gint64              reference_time;  /* the part of run_time spent in steps of the reference executor */
  gint64              upload_time, download_time;
  GhloRunProfile     *profile;         /* owned, as is the next; both NULL when no profile was requested */
  GhloExecutableCore *executable;      /* the executable that the profile is of */
  gpointer            public_result;   /* the object made from the outputs for the caller before the run ended;
                                        * nullable */
  GDestroyNotify      free_public_result;
  guint               n_outputs;
  GhloValue          *outputs[];       /* owned */
} GhloRunResult;

/* Begins a run. The inputs must have been accepted already. A profile in @options becomes the result's, even when
 * the call fails.
 *
 * Each output has memory of its own unless @options (nullable; its pointers to times are ignored) provides other
 * memory: that of an input which the caller then gives up, or memory that the caller brought. An output for which
 * the caller brought memory is always written there; its value in the result may still be another one, in which
 * case the run has already ended. Sets INVALID_ARGUMENT when such an output does not fit its memory. */
GhloRunResult *ghlo_run_start        (GhloExecutableCore    *executable,
                                      GhloValue *const      *inputs,
                                      const GhloRunOptions  *options,
                                      const GhloMonitor     *monitor,
                                      GError               **error);
/* Called when everything that @run_result waits for has ended. Returns FALSE with @error set when it failed. Adds the
 * run to the counters. */
gboolean       ghlo_run_finish       (GhloExecutableCore    *executable,
                                      GhloRunResult         *run_result,
                                      GError               **error);
/* Returns NULL when everything has ended. */
GhloFence     *ghlo_run_result_get_fence (GhloRunResult     *self);
/* Drops the references to outputs that the caller has taken, so that a run behind this one may have their memory while
 * this one still goes on. */
void           ghlo_run_result_release_outputs (GhloRunResult *self);
/* Waits for pending work first, since that work uses the run's arguments. */
void           ghlo_run_result_free  (GhloRunResult         *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloRunResult, ghlo_run_result_free)

G_END_DECLS
