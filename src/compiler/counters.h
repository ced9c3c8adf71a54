/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What statistics are taken from: counters that workers add to.
 */

#pragma once

#include "compiler/compilation.h"

G_BEGIN_DECLS

/* All but the first are read and written atomically, each for itself. */
typedef struct
{
  gatomicrefcount ref_count;
  guint64         n_compiles;
  guint64         n_runs;          /* that gave a result */
  guint64         n_failures;      /* runs that gave none, cancelled ones too */
  guint64         n_cache_hits;    /* of compiles that asked caches, as the next */
  guint64         n_cache_misses;
  guint64         compile_time;    /* microseconds, as the next */
  guint64         run_time;
} GhloCounters;

GhloCounters   *ghlo_counters_new         (void);
GhloCounters   *ghlo_counters_ref         (GhloCounters *self);
void            ghlo_counters_unref       (GhloCounters *self);
/* @start: of the monotonic clock; @time: what a run took, in microseconds. */
void            ghlo_counters_add_compile (GhloCounters *self,
                                           gint64        start,
                                           GhloCacheUse  use);
void            ghlo_counters_add_run     (GhloCounters *self,
                                           gint64        time,
                                           gboolean      success);

/* A copy of this moment, which nobody counts references of; all zero for NULL. */
GhloCounters    ghlo_counters_read        (GhloCounters *self);

G_END_DECLS
