/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One slow call. Its body runs on a worker in the async form and on the caller's thread in the sync form, and may
 * leave work pending on a device.
 *
 * The body sees only internal, atomically counted objects; the answer and the caller's GCancellable are touched in
 * the caller's context only. A cancelled async call is answered at once; its body runs on until it notices, and its
 * result is dropped.
 */

#pragma once

#include "base/monitor.h"
#include "client/progress-core.h"
#include "client/workers.h"
#include "device/fence.h"

G_BEGIN_DECLS

/* Returns the call's result, or NULL with @error set. */
typedef gpointer (*GhloJobFunc) (gpointer            data,
                                 const GhloMonitor  *monitor,
                                 GError            **error);

typedef struct
{
  const char       *name;          /* the call's name, for debugging */
  GhloWorkers       workers;
  GhloProgressStage stage;         /* the stage that a progress object shows while the body runs */
  GhloJobFunc       run;
  GDestroyNotify    free_data;
  GDestroyNotify    free_result;
  /* For a body that starts work which outlives the body; both are set, or neither. get_fence returns what the
   * result waits for, or NULL when all work has ended. finish is called when the work has ended, successfully or
   * not, while @data is still valid, on any thread; it must be quick. It returns FALSE with @error set when the
   * result is of no use. */
  GhloFence       *(*get_fence)   (gpointer   result);
  gboolean         (*finish)      (gpointer   data,
                                   gpointer   result,
                                   GError   **error);
  /* Work that can be done with the result while the caller of a sync call waits for the pending work. Nullable. */
  void             (*meanwhile)   (gpointer   result);
  /* Called before the caller of an async call is told of the cancellation and after the body was told to stop, on
   * any thread and at any time: the body may not have begun, or may still return a result, which is dropped.
   * Nullable. */
  void             (*on_cancelled) (gpointer data);
  /* Hands an async call to a worker. NULL: the call goes to the end of the workers' queue. */
  gboolean         (*push)  (gpointer   data,
                             GFunc      func,
                             gpointer   work,
                             GError   **error);
} GhloJobClass;

/* How the end of an async call is reported. */
typedef struct
{
  /* Takes over @result or @error; the other one is NULL. @dropped: there was a result, but the caller had cancelled
   * in the meantime. */
  void           (*func)    (gpointer  data,
                             gpointer  result,
                             GError   *error,
                             gboolean  dropped);
  GDestroyNotify dropped;          /* called instead when the context is destroyed before func could be called;
                                      nullable */
  gpointer       data;
} GhloJobAnswer;

/* The sync form. Takes over @data. When @data is NULL, @error is set already and the call only returns NULL.
 * @progress is nullable. */
gpointer  ghlo_job_run      (const GhloJobClass *klass,
                             gpointer            data,
                             GhloProgressCore   *progress,
                             GCancellable       *cancellable,
                             GError            **error);

/* The async form. Takes over @data. The answer arrives in @context, never from within this call. Returns FALSE,
 * without an answer, when the library cannot be used (in a forked child). */
gboolean  ghlo_job_start    (const GhloJobClass  *klass,
                             gpointer             data,
                             GMainContext        *context,
                             const GhloJobAnswer *to,
                             GhloProgressCore    *progress,
                             GCancellable        *cancellable,
                             GError             **error);

/* Cancels all jobs that have been started, and waits until their bodies have ended or until @deadline, in
 * g_get_monotonic_time (). Returns whether they have ended. */
gboolean  ghlo_job_stop_all (gint64              deadline);

G_END_DECLS
