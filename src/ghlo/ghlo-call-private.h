/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Public calls as jobs: the task that an async call answers through, and what both forms
 * take of public objects. Objects stay on the caller's side.
 */

#pragma once

#include "client/job.h"
#include "ghlo-pending-call.h"
#include "ghlo-progress-private.h"

G_BEGIN_DECLS

typedef struct
{
  GhloJobClass  job;
  /* Optional: called in the caller's context before its callback (@dropped: there was a
   * result, but the caller had cancelled meanwhile). */
  void        (*ended) (gpointer  source_object,
                        gboolean  dropped);
} GhloCallClass;

/* The sync form. @data is taken over; NULL means that @error is set already,
 * which is then all that happens. @progress may be NULL. */
gpointer  ghlo_call_run      (const GhloCallClass *klass,
                              gpointer             data,
                              GhloProgress        *progress,
                              GCancellable        *cancellable,
                              GError             **error);

/* The async form: a task for the call (whose task data are the caller's to
 * set), and its start. @task and @data are taken over; where @data is NULL the
 * callback is given @error, which is taken over too. */
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

/* The async form where the result, which is taken over, is there already: no worker is kept waiting. */
void      ghlo_call_answer_with (const GhloCallClass *klass,
                                 gpointer             source_object,
                                 gpointer             result,
                                 GCancellable        *cancellable,
                                 GAsyncReadyCallback  callback,
                                 gpointer             user_data);

/* What calls back where a pending call stands for the callback; @call is the data, and the task keeps it. */
void      ghlo_pending_call_answer (GObject      *source_object,
                                    GAsyncResult *result,
                                    gpointer      call);

/* TRUE when @result is the task of such a call on @source_object. */
gboolean  ghlo_call_is_valid (const GhloCallClass *klass,
                              gpointer             source_object,
                              GAsyncResult        *result);

G_END_DECLS
