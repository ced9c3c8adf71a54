/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Public calls as jobs: the task that completes an async call, and the handling of
 * public objects that both forms share. Objects stay on the caller's side.
 */

#pragma once

#include "client/job.h"
#include "ghlo-pending-call.h"
#include "ghlo-progress-private.h"

G_BEGIN_DECLS

typedef struct
{
  GhloJobClass  job;
  /* Optional. Called in the caller's context before its callback. @dropped: the call produced a result, but
   * was cancelled in the meantime. */
  void        (*ended) (gpointer  source_object,
                        gboolean  dropped);
} GhloCallClass;

/* The synchronous form. Takes ownership of @data. When @data is NULL, @error must be set already, and
 * nothing else happens. @progress is nullable. */
gpointer  ghlo_call_run      (const GhloCallClass *klass,
                              gpointer             data,
                              GhloProgress        *progress,
                              GCancellable        *cancellable,
                              GError             **error);

/* The asynchronous form: creates the task of a call, whose task data belong to the caller, and starts it.
 * ghlo_call_start () takes ownership of @task and @data. When @data is NULL, the callback receives @error,
 * of which it takes ownership, too. */
GTask    *ghlo_call_task     (const GhloCallClass *klass,
                              gpointer             source_object,
                              GCancellable        *cancellable,
                              GAsyncReadyCallback  callback,
                              gpointer             user_data);
void      ghlo_call_start    (const GhloCallClass *klass,
                              GTask               *task,
                              gpointer             data,
                              GhloProgress        *progress,
                              GError              *error);

/* The asynchronous form for a result that exists already: completes without a worker. Takes ownership of @result. */
void      ghlo_call_answer_with (const GhloCallClass *klass,
                                 gpointer             source_object,
                                 gpointer             result,
                                 GCancellable        *cancellable,
                                 GAsyncReadyCallback  callback,
                                 gpointer             user_data);

/* The callback that is used when a pending call takes the place of the caller's callback. @call is the
 * pending call; the task keeps it alive. */
void      ghlo_pending_call_answer (GObject      *source_object,
                                    GAsyncResult *result,
                                    gpointer      call);

/* Whether @result is the task of such a call on @source_object. */
gboolean  ghlo_call_is_valid (const GhloCallClass *klass,
                              gpointer             source_object,
                              GAsyncResult        *result);

G_END_DECLS
