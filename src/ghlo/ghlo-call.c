/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls: completes a task with the answer of a job.
 */

#include "ghlo-call-private.h"

#define CANCELLABLE_KEY "ghlo-cancellable"
#define PROGRESS_KEY    "ghlo-progress"

static GhloProgressCore *
get_core (GhloProgress *progress)
{
  return GHLO_IS_PROGRESS (progress) ? ghlo_progress_get_core (progress) : NULL;
}

gpointer
ghlo_call_run (const GhloCallClass *klass,
               gpointer             data,
               GhloProgress        *progress,
               GCancellable        *cancellable,
               GError             **error)
{
  return ghlo_job_run (&klass->job, data, get_core (progress), cancellable, error);
}

/* @cancellable may be a pending call that receives the answer; @known is the cancellable that the task
 * itself checks. */
static GTask *
task_new (const GhloCallClass *klass,
          gpointer             source_object,
          GCancellable        *known,
          GCancellable        *cancellable,
          GAsyncReadyCallback  callback,
          gpointer             user_data)
{
  gboolean answers = callback == NULL && GHLO_IS_PENDING_CALL (cancellable);
  GTask *task = g_task_new (source_object, known, answers ? ghlo_pending_call_answer : callback,
                            answers ? cancellable : user_data);

  g_task_set_source_tag (task, (gpointer) klass);
  g_task_set_name (task, klass->job.name);

  return task;
}

GTask *
ghlo_call_task (const GhloCallClass *klass,
                gpointer             source_object,
                GCancellable        *cancellable,
                GAsyncReadyCallback  callback,
                gpointer             user_data)
{
  /* A task that knows a cancelled cancellable returns one main loop iteration late, after the answers of
   * later calls. The answer is therefore checked against the cancellable here, and the task does not know
   * it. */
  GTask *task = task_new (klass, source_object, NULL, cancellable, callback, user_data);

  if (cancellable != NULL)
    g_object_set_data_full (G_OBJECT (task), CANCELLABLE_KEY, g_object_ref (cancellable), g_object_unref);

  return task;
}

void
ghlo_call_answer_with (const GhloCallClass *klass,
                       gpointer             source_object,
                       gpointer             result,
                       GCancellable        *cancellable,
                       GAsyncReadyCallback  callback,
                       gpointer             user_data)
{
  g_autoptr (GTask) task = task_new (klass, source_object, cancellable, cancellable, callback, user_data);

  g_task_return_pointer (task, result, klass->job.free_result);
}

gboolean
ghlo_call_is_valid (const GhloCallClass *klass,
                    gpointer             source_object,
                    GAsyncResult        *result)
{
  return g_task_is_valid (result, source_object)
         && g_task_get_source_tag (G_TASK (result)) == (gpointer) klass;
}

/* Called in the caller's context. */
static void
answer (gpointer data,
        gpointer result,
        GError  *error,
        gboolean dropped)
{
  g_autoptr (GTask) task = data;
  const GhloCallClass *klass = g_task_get_source_tag (task);

  if (klass->ended != NULL)
    klass->ended (g_task_get_source_object (task), dropped);
  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, result, klass->job.free_result);
}

void
ghlo_call_start (const GhloCallClass *klass,
                 GTask               *task,
                 gpointer             data,
                 GhloProgress        *progress,
                 GError              *error)
{
  GhloProgressCore *core = get_core (progress);
  const GhloJobAnswer to = { answer, g_object_unref, task };

  /* An application may hold no reference to its progress, only bindings to its properties. The task keeps
   * it, and is itself freed in the caller's context. */
  if (core != NULL)
    g_object_set_data_full (G_OBJECT (task), PROGRESS_KEY, g_object_ref (progress), g_object_unref);
  if (data != NULL
      && ghlo_job_start (&klass->job, data, g_task_get_context (task), &to, core,
                         g_object_get_data (G_OBJECT (task), CANCELLABLE_KEY), &error))
    return;

  g_task_return_error (task, error);
  g_object_unref (task);
}
