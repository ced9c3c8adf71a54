/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The threads that work for the library. They belong to the process: they are created when first needed and never
 * joined. Compiles have workers of their own, at a lower priority than runs, so that no run waits for a compile. Runs
 * have a lower priority than the process, whose main loop continues beside them; only runs that a caller waits for as
 * for a function call have the priority of the process.
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  GHLO_WORKERS_COMPILE,   /* load, parse, check, compile */
  GHLO_WORKERS_RUN,
  GHLO_WORKERS_CALL,      /* runs that take the place of a caller's thread */
  GHLO_N_WORKERS
} GhloWorkers;

/* Returns FALSE with a DEVICE error in a forked child of the process that first used the library, since a fork does
 * not copy threads. Every slow call checks this first. */
gboolean ghlo_workers_check (GError      **error);
/* Returns TRUE in the process that first used the library. */
gboolean ghlo_workers_is_owner (void);

/* Sets the maximum number of threads for runs in the whole process; 0 means GHLO_THREADS, or one for each processor.
 * Busy workers above the limit end when their work is done. The limit also applies to the threads that compute
 * (runtime/parallel.h). A run is one of their callers, and they join it only where processors are free, so that runs
 * and their helpers together never use more threads than the limit, or than there are callers. */
void     ghlo_workers_set_limit (guint     limit);
guint    ghlo_workers_get_limit (void);

/* Makes a worker call @func with @data. Work of one kind starts in the order of these calls. */
gboolean ghlo_workers_push  (GhloWorkers   kind,
                             GFunc         func,
                             gpointer      data,
                             GError      **error);

/* Frees a large object on a worker where there are workers, and immediately otherwise. */
void     ghlo_workers_free  (gpointer       data,
                             GDestroyNotify destroy);

G_END_DECLS
