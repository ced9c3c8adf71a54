/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The threads that compute: one pool for the process, besides the callers' own.
 * The caller's thread always takes part, workers join it where processors are left,
 * and nobody waits for a worker that is busy elsewhere; so any number of callers at
 * once run on at most callers + cores threads. Work inside of a part of split work runs
 * where it stands, and so does all work in a child of a process that used the pool.
 */

#pragma once

#include "base/monitor.h"

G_BEGIN_DECLS

/* Nanoseconds of one thread from which work is split. Waking a worker takes 35 to 50 µs, in which the caller works on;
 * where split work follows split work the workers are awake, and those that sleep are woken for more work only
 * (benchmarks/bench-storage.c). */
#define GHLO_PARALLEL_MIN_WORK 45e3

/* Does the part [begin, end). Called for each part once, on any thread. @worker is
 * below ghlo_parallel_n_workers (), and 0 on the caller's thread; no two threads that
 * work for one ghlo_parallel_for () share it. */
typedef void (*GhloParallelFunc) (gpointer data,
                                  gsize    begin,
                                  gsize    end,
                                  guint    worker);

/* Splits [0, n) into parts of @grain or more and has them done; where @n is not below
 * @grain, each part begins at a multiple of it. @nanoseconds is what all of it would
 * take on one thread, or 0 when not known: nothing below GHLO_PARALLEL_MIN_WORK is split.
 * Parts that have not begun when @monitor (nullable) is cancelled are left out: FALSE
 * then. @monitor's progress, where it has one, is told the share of what is done, after
 * each part of the caller's and at the end, always on the caller's thread. */
gboolean ghlo_parallel_for            (gsize              n,
                                       gsize              grain,
                                       double             nanoseconds,
                                       GhloParallelFunc   func,
                                       gpointer           data,
                                       const GhloMonitor *monitor);

/* The most threads that one call may ever use, its caller's included: GHLO_THREADS, or
 * one for each processor. It never changes, so that scratch for each worker may be
 * planned long before a call. */
guint    ghlo_parallel_n_workers      (void);

/* How many of these a call uses from now on; 0 is all of them. */
void     ghlo_parallel_set_limit      (guint              limit);
guint    ghlo_parallel_get_limit      (void);

/* How much nicer than the process workers are that start from now on: 5 unless this says otherwise, for the sake of
 * main loops. 0 is for processes that have none, whose callers wait. */
void     ghlo_parallel_set_nicer      (int                new_nicer);

/* Makes the calling thread nicer than its process by @by, however nice that is. One
 * that a nicer thread started stays as that was, where the system takes nothing back. */
void     ghlo_parallel_lower_priority (int                by);

/* For loops that look until another thread has done something. */
static inline void
ghlo_parallel_relax (void)
{
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause ();
#elif defined __aarch64__
  __asm__ volatile ("yield");
#endif
}

G_END_DECLS
