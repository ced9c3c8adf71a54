/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One slow call: its body, run on a worker for the async form and on the
 * caller's thread for the sync form.
 *
 * Public objects stay on the caller's side. The body sees inner, atomically
 * counted things alone; the task, the caller's GCancellable and the GhloProgress
 * are touched in the caller's context only. A cancelled async call is answered
 * at once; its body runs on until it notices, and what it gives is dropped.
 */

#pragma once

#include "base/monitor.h"
#include "ghlo-progress-private.h"
#include "ghlo-workers-private.h"

G_BEGIN_DECLS

/* Returns the call's result, or NULL with @error set. */
typedef gpointer (*GhloJobFunc) (gpointer            data,
                                 const GhloMonitor  *monitor,
                                 GError            **error);

typedef struct
{
  const char        *name;         /* the call's name, for the task */
  GhloWorkers        workers;
  GhloProgressStage  stage;        /* what a progress shows while the body runs */
  GhloJobFunc        run;
  GDestroyNotify     free_data;
  GDestroyNotify     free_result;
  /* Both optional: how an async call gets to a worker, where it is not simply the
   * next one; and what is called in the caller's context before its callback
   * (@dropped: there was a result, but the caller had cancelled meanwhile). */
  gboolean         (*push)  (gpointer   data,
                             GFunc      func,
                             gpointer   work,
                             GError   **error);
  void             (*ended) (gpointer   source_object,
                             gboolean   dropped);
} GhloJobClass;

/* The sync form. @data is taken over; NULL means that @error is set already,
 * which is then all that happens. @progress may be NULL. */
gpointer  ghlo_job_run      (const GhloJobClass   *klass,
                             gpointer              data,
                             GhloProgress         *progress,
                             GCancellable         *cancellable,
                             GError              **error);

/* The async form: a task for the call (whose task data are the caller's to
 * set), and its start. @task and @data are taken over; where @data is NULL the
 * callback is given @error, which is taken over too. */
GTask    *ghlo_job_task     (const GhloJobClass   *klass,
                             gpointer              source_object,
                             GCancellable         *cancellable,
                             GAsyncReadyCallback   callback,
                             gpointer              user_data);
void      ghlo_job_start    (const GhloJobClass   *klass,
                             GTask                *task,
                             gpointer              data,
                             GhloProgress         *progress,
                             GError               *error);

/* From a body, with the monitor that it was given (nullable): its progress is of
 * @stage from now on, and the fraction stays where it is. Nothing for other monitors. */
void      ghlo_job_set_stage (const GhloMonitor   *monitor,
                             GhloProgressStage     stage);

/* TRUE when @result is the task of such a call on @source_object. */
gboolean  ghlo_job_is_valid (const GhloJobClass   *klass,
                             gpointer              source_object,
                             GAsyncResult         *result);

G_END_DECLS
