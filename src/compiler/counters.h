/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The counters behind statistics; workers add to them.
 */

#pragma once

#include "compiler/compilation.h"

G_BEGIN_DECLS

/* All fields except the first are read and written atomically, but independently of each other. */
typedef struct
{
  gatomicrefcount ref_count;
  guint64         n_compiles;
  guint64         n_runs;          /* successful runs */
  guint64         n_failures;      /* failed and cancelled runs */
  guint64         n_cache_hits;    /* of compiles that used the caches, as is the next one */
  guint64         n_cache_misses;
  guint64         compile_time;    /* microseconds, as is the next one */
  guint64         run_time;
} GhloCounters;

GhloCounters   *ghlo_counters_new         (void);
GhloCounters   *ghlo_counters_ref         (GhloCounters *self);
void            ghlo_counters_unref       (GhloCounters *self);
/* @start: when the compile began, on the monotonic clock; @time: duration of the run in microseconds. */
void            ghlo_counters_add_compile (GhloCounters *self,
                                           gint64        start,
                                           GhloCacheUse  use);
void            ghlo_counters_add_run     (GhloCounters *self,
                                           gint64        time,
                                           gboolean      success);

/* A copy of the current values, which is not reference-counted; all zero for NULL. */
GhloCounters    ghlo_counters_read        (GhloCounters *self);

G_END_DECLS
