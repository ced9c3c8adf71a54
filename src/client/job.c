/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From a call to its answer. An async job is answered exactly once, by whichever comes first: the thread that
 * finished it (a worker or a thread of the device), or the caller's cancellable. The answer is a source in the
 * caller's context; when it is dispatched, the progress is flushed, the task returns, and the last public references
 * are dropped.
 */

#include "client/job.h"

#include <stdlib.h>

#include "base/stack.h"
#include "client/context-calls.h"

typedef struct
{
  gatomicrefcount     ref_count;
  const GhloJobClass *klass;
  gpointer            data;          /* the body's argument; freed by whoever finishes the body */
  gpointer            begun;         /* the body's result while it is pending */
  GCancellable       *stop;          /* private; the cancellable that the body polls */
  GhloMonitor         monitor;       /* for the body and the work that it leaves pending */
  GhloProgressCore   *progress;      /* nullable */
  guint               serial;        /* the number of this call in progress */
  GhloProgressStage   stage;         /* set by the body, read by the work that it leaves pending */
  GThread            *caller;        /* of a sync call with progress: the thread from which the body may emit
                                        progress; otherwise NULL */

  /* The caller's side: touched only by the call itself and by the answer. */
  GhloJobAnswer answer;
  GCancellable *cancellable;         /* nullable */
  gulong        cancel_handler;

  GMutex              lock;          /* guards the fields below */
  GMainContext       *context;       /* where the answer is delivered; NULL during ghlo_job_start () and again once
                                        the answer is attached */
  gboolean            claimed;       /* by whoever is going to answer */
  gboolean            answered;
  gpointer            result;        /* owned until the answer takes it over */
  GError             *error;
} Job;

/* Jobs from their start until their bodies have ended, to be stopped when the process exits. */
static struct
{
  GMutex      lock;
  GCond       ended;     /* signalled when the last one ends */
  GHashTable *jobs;      /* of Job, borrowed; NULL before the first one */
} started;

static void
job_clear (Job *job)
{
  if (job->data != NULL)
    job->klass->free_data (job->data);
  if (job->result != NULL)
    job->klass->free_result (job->result);
  g_clear_error (&job->error);
  g_clear_object (&job->stop);
  g_clear_pointer (&job->progress, ghlo_progress_core_unref);
  g_clear_pointer (&job->context, g_main_context_unref);
  g_mutex_clear (&job->lock);
}

static void
job_unref (gpointer data)
{
  Job *job = data;

  if (!g_atomic_ref_count_dec (&job->ref_count))
    return;

  job_clear (job);
  g_free (job);
}

static Job *
job_ref (Job *job)
{
  g_atomic_ref_count_inc (&job->ref_count);

  return job;
}

gboolean
ghlo_job_stop_all (gint64 deadline)
{
  g_autoptr (GPtrArray) stops = g_ptr_array_new_with_free_func (g_object_unref);
  GHashTableIter iter;
  gpointer job;
  gboolean in_time = TRUE;

  /* A forked child has none of the threads, and possibly a lock that nobody will release. */
  if (!ghlo_workers_is_owner ())
    return TRUE;

  g_mutex_lock (&started.lock);
  if (started.jobs != NULL)
    {
      g_hash_table_iter_init (&iter, started.jobs);
      while (g_hash_table_iter_next (&iter, &job, NULL))
        g_ptr_array_add (stops, g_object_ref (((Job *) job)->stop));
    }
  g_mutex_unlock (&started.lock);
  for (guint i = 0; i < stops->len; i++)
    g_cancellable_cancel (stops->pdata[i]);

  g_mutex_lock (&started.lock);
  while (started.jobs != NULL && g_hash_table_size (started.jobs) > 0 && in_time)
    in_time = g_cond_wait_until (&started.ended, &started.lock, deadline);
  g_mutex_unlock (&started.lock);

  return in_time;
}

/* Tells workers to stop without waiting for them: an exit waits for nobody. */
static void
stop_at_exit (void)
{
  ghlo_job_stop_all (0);
}

static void
job_set_started (Job      *job,
                 gboolean  is_started)
{
  g_mutex_lock (&started.lock);
  if (started.jobs == NULL)
    {
      started.jobs = g_hash_table_new (NULL, NULL);
      atexit (stop_at_exit);
    }
  if (is_started)
    g_hash_table_add (started.jobs, job);
  else
    g_hash_table_remove (started.jobs, job);
  if (g_hash_table_size (started.jobs) == 0)
    g_cond_broadcast (&started.ended);
  g_mutex_unlock (&started.lock);
}

static void
on_body_progress (gpointer    data,
                  double      fraction,
                  const char *detail)
{
  Job *job = data;

  ghlo_progress_core_update (job->progress, job->serial, fraction, job->stage, detail,
                             job->caller == g_thread_self ());
}

static void
on_body_stage (gpointer          data,
               GhloProgressStage stage)
{
  Job *job = data;

  if (job->stage == stage)
    return;
  job->stage = stage;
  /* A fraction never decreases, so 0 leaves it unchanged. */
  on_body_progress (job, 0, NULL);
}

/* A message may contain names from a program, which may be any bytes. */
static void
make_valid (GError *error)
{
  char *message;

  if (g_utf8_validate (error->message, -1, NULL))
    return;
  message = g_utf8_make_valid (error->message, -1);
  g_free (error->message);
  error->message = message;
}

/* Runs the body. A result counts even when the monitor was cancelled. */
static gpointer
job_run_body (Job           *job,
              GCancellable  *cancellable,
              GError       **error)
{
  job->monitor = (GhloMonitor) {
    .cancellable = cancellable,
    .progress = job->progress != NULL ? on_body_progress : NULL,
    .stage = job->progress != NULL ? on_body_stage : NULL,
    .progress_data = job,
  };
  if (ghlo_monitor_cancelled (&job->monitor, error))
    return NULL;
  if (job->progress != NULL)
    on_body_progress (job, 0, NULL);

  return job->klass->run (job->data, &job->monitor, error);
}

static GhloFence *
get_fence (const Job *job,
           gpointer   result)
{
  return result != NULL && job->klass->get_fence != NULL ? job->klass->get_fence (result) : NULL;
}

static gboolean
is_done (gpointer fence)
{
  return ghlo_fence_is_done (fence);
}

static void
on_waited_ended (gpointer data)
{
  ghlo_context_wake ();
}

/* Called on the caller's thread, which may be the thread that has to run a custom call of the run. */
static void
wait_for_end (GhloFence *fence)
{
  if (fence == NULL || ghlo_fence_poll (fence))
    return;
  ghlo_fence_notify (fence, on_waited_ended, NULL);
  ghlo_context_serve (is_done, fence);
}

/* Called when the body, which returned @result or set @error, and the work that it left pending have ended. */
static gpointer
job_finish_body (Job      *job,
                 gpointer  result,
                 GError  **error)
{
  if (result != NULL && job->klass->finish != NULL && !job->klass->finish (job->data, result, error))
    g_clear_pointer (&result, job->klass->free_result);
  if (result == NULL && error != NULL && *error != NULL)
    make_valid (*error);
  g_clear_pointer (&job->data, job->klass->free_data);

  return result;
}

static void
job_init (Job                *job,
          const GhloJobClass *klass,
          gpointer            data,
          GhloProgressCore   *progress)
{
  *job = (Job) { .klass = klass, .stage = klass->stage, .data = data };
  g_atomic_ref_count_init (&job->ref_count);
  g_mutex_init (&job->lock);
  if (progress != NULL)
    {
      job->progress = ghlo_progress_core_ref (progress);
      job->serial = ghlo_progress_core_begin (job->progress);
    }
}

/* The whole of a sync call, on a thread whose stack suffices. */
static gpointer
job_complete (Job           *job,
              GCancellable  *cancellable,
              GError       **error)
{
  gpointer result = job_run_body (job, cancellable, error);

  if (result != NULL && job->klass->meanwhile != NULL)
    job->klass->meanwhile (result);
  /* A sync call returns when its work has really stopped; the monitor passes a cancellation on to the device. */
  wait_for_end (get_fence (job, result));

  return job_finish_body (job, result, error);
}

typedef struct
{
  Job          *job;
  GCancellable *cancellable;
  GError      **error;
  gint          is_over;        /* atomic */
} Continuation;

static gpointer
continue_call (gpointer data)
{
  Continuation *self = data;
  gpointer result = job_complete (self->job, self->cancellable, self->error);

  g_atomic_int_set (&self->is_over, TRUE);
  ghlo_context_wake ();

  return result;
}

static gboolean
call_is_over (gpointer data)
{
  return g_atomic_int_get (&((Continuation *) data)->is_over);
}

/* Completes the call on another thread, and meanwhile runs the custom calls that belong to this one. */
static gpointer
job_complete_elsewhere (Job           *job,
                        GCancellable  *cancellable,
                        GError       **error)
{
  Continuation continuation = { job, cancellable, error, FALSE };
  GhloThread *thread = ghlo_stack_continue (continue_call, &continuation, error);

  if (thread == NULL)
    return NULL;
  ghlo_context_serve (call_is_over, &continuation);

  return ghlo_thread_join (thread);
}

gpointer
ghlo_job_run (const GhloJobClass *klass,
              gpointer            data,
              GhloProgressCore   *progress,
              GCancellable       *cancellable,
              GError            **error)
{
  Job job;                      /* never shared: no other references exist */
  gpointer result = NULL;

  if (data == NULL)
    return NULL;

  job_init (&job, klass, data, progress);
  job.caller = progress != NULL ? g_thread_self () : NULL;
  if (ghlo_workers_check (error))
    result = ghlo_stack_has (GHLO_STACK_NEED) ? job_complete (&job, cancellable, error)
                                              : job_complete_elsewhere (&job, cancellable, error);
  if (job.progress != NULL)
    ghlo_progress_core_finish (job.progress, job.serial, result != NULL, TRUE);
  job_clear (&job);

  return result;
}

/* Called on the caller's side. Does not use g_cancellable_disconnect (), which waits until every handler has been
 * told of the cancellation: one of the application's handlers may be running the main loop that dispatches this. The
 * handler holds a reference to the job. */
static void
stop_listening (Job *job)
{
  if (job->cancel_handler != 0)
    g_signal_handler_disconnect (job->cancellable, job->cancel_handler);
  job->cancel_handler = 0;
}

/* Called in the caller's context. */
static gboolean
answer (gpointer data)
{
  Job *job = data;
  const GhloJobAnswer to = job->answer;
  GError *error;
  gpointer result;
  gboolean dropped;

  stop_listening (job);
  job->answer = (GhloJobAnswer) { NULL };

  g_mutex_lock (&job->lock);
  result = g_steal_pointer (&job->result);
  error = g_steal_pointer (&job->error);
  g_mutex_unlock (&job->lock);

  /* A caller that cancelled before the callback never gets a result. */
  dropped = error == NULL && g_cancellable_set_error_if_cancelled (job->cancellable, &error);
  if (dropped)
    g_clear_pointer (&result, job->klass->free_result);
  g_clear_object (&job->cancellable);

  if (job->progress != NULL)
    ghlo_progress_core_finish (job->progress, job->serial, result != NULL, TRUE);
  to.func (to.data, result, error, dropped);

  return G_SOURCE_REMOVE;
}

/* The source is destroyed without being dispatched when its context is destroyed: nobody is left to be called back. */
static void
answer_dropped (gpointer data)
{
  Job *job = data;

  stop_listening (job);
  g_clear_object (&job->cancellable);
  if (job->answer.dropped != NULL)
    job->answer.dropped (job->answer.data);
  job_unref (job);
}

static void
attach_answer (Job          *job,
               GMainContext *context)
{
  g_autoptr (GSource) source = g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (source, "[ghlo] answer");
  g_source_set_callback (source, answer, job_ref (job), answer_dropped);
  g_source_attach (source, context);
}

/* Called with the lock held, by whoever claimed the job. Takes over @result or @error. */
static void
set_answer (Job      *job,
            gpointer  result,
            GError   *error)
{
  job->answered = TRUE;
  job->result = result;
  job->error = error;
  if (job->context != NULL)
    attach_answer (job, job->context);
  g_clear_pointer (&job->context, g_main_context_unref);
}

/* Answers the call with @error, which it takes over, without a result. The answer is attached as soon as the job is
 * claimed: a worker that finds the job claimed knows that the answer is on its way, so whatever follows this job
 * also follows its answer. The job's data stays valid until the worker claims the job. */
static void
answer_ahead (Job    *job,
              GError *error)
{
  gboolean first;

  g_mutex_lock (&job->lock);
  first = !job->claimed;
  job->claimed = TRUE;
  if (first)
    {
      if (job->klass->on_cancelled != NULL)
        job->klass->on_cancelled (job->data);
      set_answer (job, NULL, error);
    }
  g_mutex_unlock (&job->lock);

  if (!first)
    g_error_free (error);
}

/* Ends the setup of the call: from here on the answer may be dispatched, on whatever thread runs the context. */
static void
job_open (Job          *job,
          GMainContext *context)
{
  g_mutex_lock (&job->lock);
  if (job->answered)
    attach_answer (job, context);
  else
    job->context = g_main_context_ref (context);
  g_mutex_unlock (&job->lock);
}

static void
on_cancelled (GCancellable *cancellable,
              gpointer      data)
{
  Job *job = data;

  g_cancellable_cancel (job->stop);
  answer_ahead (job, g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "the call was cancelled"));
}

/* Takes over the worker's reference. */
static void
job_end (Job      *job,
         gpointer  result,
         GError   *error)
{
  gboolean wanted;

  g_mutex_lock (&job->lock);
  wanted = !job->claimed;
  job->claimed = TRUE;
  g_mutex_unlock (&job->lock);
  result = job_finish_body (job, result, &error);
  job_set_started (job, FALSE);
  if (wanted)
    {
      g_mutex_lock (&job->lock);
      set_answer (job, result, error);
      g_mutex_unlock (&job->lock);
    }
  else
    {
      g_clear_pointer (&result, job->klass->free_result);
      g_clear_error (&error);
    }
  job_unref (job);
}

/* Called on the thread that ended the pending work. */
static void
on_pending_ended (gpointer data)
{
  Job *job = data;

  job_end (job, g_steal_pointer (&job->begun), NULL);
}

/* Runs on a worker. */
static void
job_work (gpointer data,
          gpointer user_data)
{
  Job *job = data;
  GError *error = NULL;
  GhloFence *fence;
  gpointer result;

  result = job_run_body (job, job->stop, &error);
  fence = get_fence (job, result);
  if (fence == NULL)
    {
      job_end (job, result, error);
      return;
    }
  job->begun = result;
  ghlo_fence_notify (fence, on_pending_ended, job);
}

/* When this fails, the reference meant for the worker belongs to the caller again. */
static gboolean
job_push (Job     *job,
          GError **error)
{
  const GhloJobClass *klass = job->klass;

  return klass->push != NULL ? klass->push (job->data, job_work, job_ref (job), error)
                             : ghlo_workers_push (klass->workers, job_work, job_ref (job), error);
}

gboolean
ghlo_job_start (const GhloJobClass  *klass,
                gpointer             data,
                GMainContext        *context,
                const GhloJobAnswer *to,
                GhloProgressCore    *progress,
                GCancellable        *cancellable,
                GError             **error)
{
  GError *problem = NULL;
  Job *job;

  if (!ghlo_workers_check (error))
    {
      klass->free_data (data);
      return FALSE;
    }

  job = g_new (Job, 1);
  job_init (job, klass, data, progress);
  job->stop = g_cancellable_new ();
  job->answer = *to;
  job->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
  if (job->progress != NULL)
    ghlo_progress_core_update (job->progress, job->serial, 0, GHLO_PROGRESS_STAGE_QUEUED, NULL, FALSE);

  if (cancellable != NULL)
    job->cancel_handler = g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), job_ref (job), job_unref);
  job_set_started (job, TRUE);
  if (!job_push (job, &problem))
    {
      job_set_started (job, FALSE);
      answer_ahead (job, problem);
      job_unref (job);
    }
  job_open (job, context);
  job_unref (job);

  return TRUE;
}
