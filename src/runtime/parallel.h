/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The threads that compute: one pool for the process, besides the callers' own.
 * The caller's thread always takes part, idle workers join it, and nobody waits
 * for a worker that is busy elsewhere; so any number of callers at once run on at
 * most callers + cores threads. Work inside of such work runs where it stands.
 */

#pragma once

#include "base/monitor.h"

G_BEGIN_DECLS

/* Does the part [begin, end). Called for each part once, on any thread. @worker is
 * below ghlo_parallel_n_workers () and no two calls at the same time share it. */
typedef void (*GhloParallelFunc) (gpointer data,
                                  gsize    begin,
                                  gsize    end,
                                  guint    worker);

/* Splits [0, n) into parts of @grain or more and has them done. @nanoseconds is what
 * all of it would take on one thread, or 0 when not known: below 100 µs nothing is
 * split, since waking a worker costs a third of that. Parts that have not begun when
 * @monitor (nullable) is cancelled are left out: FALSE then. */
gboolean ghlo_parallel_for       (gsize              n,
                                  gsize              grain,
                                  double             nanoseconds,
                                  GhloParallelFunc   func,
                                  gpointer           data,
                                  const GhloMonitor *monitor);

/* The most threads that one call may use, its caller's included. */
guint    ghlo_parallel_n_workers (void);
/* Limits that number; 0 is GHLO_THREADS, or one for each processor. */
void     ghlo_parallel_set_limit (guint              limit);

G_END_DECLS
