/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The threads that work for the library. They belong to the process: made on
 * first need, never joined. Compiles have workers of their own, at a lower
 * priority than runs, so that no run waits for a compile. Runs have a lower one
 * than the process, whose main loop goes on beside them; those that callers
 * wait for as for a call have the process's own.
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  GHLO_WORKERS_COMPILE,   /* load, parse, check, compile */
  GHLO_WORKERS_RUN,
  GHLO_WORKERS_CALL,      /* runs in place of a caller's thread */
  GHLO_N_WORKERS
} GhloWorkers;

/* FALSE, with a DEVICE error, in a child of the process that used the library
 * first: a fork takes no threads along. Every slow call asks this first. */
gboolean ghlo_workers_check (GError      **error);
/* TRUE in the process that used the library first. */
gboolean ghlo_workers_is_owner (void);

/* The most threads for runs, for the whole process; 0 is GHLO_THREADS, or one for
 * each processor. A worker that is busy ends when its work does. It is the limit of the
 * threads that compute (runtime/parallel.h) as well: a run is one of their callers, and
 * they join it only where processors are left, so that runs and their helpers together
 * are no more than this at work, or as many as there are callers. */
void     ghlo_workers_set_limit (guint     limit);
guint    ghlo_workers_get_limit (void);

/* Has a worker call @func with @data; in the order of the calls. */
gboolean ghlo_workers_push  (GhloWorkers   kind,
                             GFunc         func,
                             gpointer      data,
                             GError      **error);

/* Frees something large off the caller's thread, where there are workers;
 * here and now otherwise. */
void     ghlo_workers_free  (gpointer       data,
                             GDestroyNotify destroy);

G_END_DECLS
