/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The compute threads: one pool of workers for the process, in addition to the callers' threads. The calling thread
 * always takes part and workers join it where processors are free. Nobody waits for a worker that is busy
 * elsewhere, so any number of concurrent callers run on at most callers + cores threads. Nested parallel work runs
 * on the thread that asks for it, and so does all work in a forked child of a process that used the pool.
 */

#pragma once

#include "base/monitor.h"

G_BEGIN_DECLS

/* The least work that is split, in nanoseconds of one thread. Workers stay awake between calls that follow each other
 * closely, and then join within 2 µs; sleeping ones, which take 35 to 50 µs to wake, are woken only for larger calls
 * (benchmarks/bench-storage.c). */
#define GHLO_PARALLEL_MIN_WORK 16e3

/* Computes the part [begin, end). Called once for each part, on any thread. @worker is less than
 * ghlo_parallel_n_workers (), and 0 on the caller's thread. Threads that work for the same ghlo_parallel_for () have
 * different numbers. */
typedef void (*GhloParallelFunc) (gpointer data,
                                  gsize    begin,
                                  gsize    end,
                                  guint    worker);

/* Splits [0, n) into parts of at least @grain and runs them; if @n is at least @grain, each part begins at a multiple
 * of @grain. @nanoseconds is the estimated time of all parts on one thread, or 0 when unknown; work below
 * GHLO_PARALLEL_MIN_WORK is not split. When @monitor (nullable) is cancelled, parts that have not begun are skipped and
 * the function returns FALSE. The progress function of @monitor receives the completed fraction after each part that
 * the caller runs and at the end, always on the caller's thread. */
gboolean ghlo_parallel_for            (gsize              n,
                                       gsize              grain,
                                       double             nanoseconds,
                                       GhloParallelFunc   func,
                                       gpointer           data,
                                       const GhloMonitor *monitor);

/* Returns the most threads that one call may ever use, including the caller's: GHLO_THREADS, or the number of
 * processors. The number never changes, so scratch memory per worker may be planned long before a call. */
guint    ghlo_parallel_n_workers      (void);

/* Sets how many of these threads calls use from now on; 0 means all. */
void     ghlo_parallel_set_limit      (guint              limit);
guint    ghlo_parallel_get_limit      (void);

/* Sets the nice value, relative to the process, of workers that start from now on. The default is 5, in favour of main
 * loops. Use 0 in processes without one, whose callers wait for the result. */
void     ghlo_parallel_set_nice       (int                niceness);

/* Sets the nice value of the calling thread to that of the process plus @by. A thread that inherited a higher value
 * keeps it where the system does not let a thread lower it. */
void     ghlo_parallel_lower_priority (int                by);

G_END_DECLS
