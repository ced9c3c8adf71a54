/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One slow call: its body, run on a worker for the async form and on the
 * caller's thread for the sync form, and what the body leaves pending on a device.
 *
 * The body sees inner, atomically counted things alone; the answer and the caller's
 * GCancellable are touched in the caller's context only. A cancelled async call is
 * answered at once; its body runs on until it notices, and what it gives is dropped.
 */

#pragma once

#include "base/monitor.h"
#include "client/progress-core.h"
#include "client/workers.h"
#include "runtime/pending.h"

G_BEGIN_DECLS

/* Returns the call's result, or NULL with @error set. */
typedef gpointer (*GhloJobFunc) (gpointer            data,
                                 const GhloMonitor  *monitor,
                                 GError            **error);

typedef struct
{
  const char       *name;          /* the call's name, for people who debug */
  GhloWorkers       workers;
  GhloProgressStage stage;         /* what a progress shows while the body runs */
  GhloJobFunc       run;
  GDestroyNotify    free_data;
  GDestroyNotify    free_result;
  /* Both or none, for a body that begins work which goes on after it: what the result waits for, NULL where all has
   * ended; and what is called when it has, well or not, with the data still there, on whatever thread, in little time.
   * FALSE, with @error set, where the result is of no use. */
  GhloPending     *(*get_pending) (gpointer   result);
  gboolean         (*finish)      (gpointer   data,
                                   gpointer   result,
                                   GError   **error);
  /* What can be done with the result while the caller of a sync call waits for the rest. Nullable. */
  void             (*meanwhile)   (gpointer   result);
  /* Before the caller of an async call is told that it was cancelled, after the body was told to stop, on any thread
   * and at any time: the body may have yet to begin, or give a result that nobody takes. Nullable. */
  void             (*refuse)      (gpointer   data);
  /* How an async call gets to a worker; NULL: it is simply the next one. */
  gboolean         (*push)  (gpointer   data,
                             GFunc      func,
                             gpointer   work,
                             GError   **error);
} GhloJobClass;

/* Who is told how an async call ended. */
typedef struct
{
  /* Takes @result or @error over, one of which is NULL. @dropped: there was a result, but
   * the caller had cancelled meanwhile. */
  void           (*func)    (gpointer  data,
                             gpointer  result,
                             GError   *error,
                             gboolean  dropped);
  GDestroyNotify dropped;          /* instead, where the context goes before it is told; nullable */
  gpointer       data;
} GhloJobAnswer;

/* The sync form. @data is taken over; NULL means that @error is set already,
 * which is then all that happens. @progress may be NULL. */
gpointer  ghlo_job_run      (const GhloJobClass *klass,
                             gpointer            data,
                             GhloProgressCore   *progress,
                             GCancellable       *cancellable,
                             GError            **error);

/* The async form. @data is taken over; the answer comes in @context, never from within
 * this call. FALSE, without an answer, when the library cannot work. */
gboolean  ghlo_job_start    (const GhloJobClass  *klass,
                             gpointer             data,
                             GMainContext        *context,
                             const GhloJobAnswer *to,
                             GhloProgressCore    *progress,
                             GCancellable        *cancellable,
                             GError             **error);

G_END_DECLS
