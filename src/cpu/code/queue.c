/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One lock, one list. Exit handlers run in the opposite order of being added, and LLVM adds destructors whenever it
 * comes by a new one of its static variables, so that no handler of ours would be sure to come before them. What
 * does are destructors of the variables of the thread that calls exit (), which is the main one as a rule.
 */

#include "cpu/code/queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/ghlo-error.h"
#include "runtime/parallel.h"

enum { MAX_THREADS = 4, PROCESSORS_EACH = 4, NICE = 10, EXIT_SECONDS = 30 };

static struct
{
  GMutex   lock;        /* guards what follows */
  GCond    changed;     /* a thread has ended a task */
  GQueue   tasks;
  guint    n_threads;
  guint    n_running;   /* tasks that have begun */
  gboolean is_over;     /* the process ends */
} queue;

static gint forked;     /* atomic */

static void
on_forked (void)
{
  g_atomic_int_set (&forked, TRUE);
}

static void
finish (void)
{
  gint64 end = g_get_monotonic_time () + EXIT_SECONDS * G_USEC_PER_SEC;

  if (ghlo_code_queue_is_forked ())
    return;
  g_mutex_lock (&queue.lock);
  queue.is_over = TRUE;
  while (queue.n_running > 0 && g_cond_wait_until (&queue.changed, &queue.lock, end))
    ;
  g_mutex_unlock (&queue.lock);
}

/* Of the C library's, for variables of threads that have destructors; not each has it. */
extern int   __cxa_thread_atexit_impl (void (*func) (void *), void *data, void *object) __attribute__ ((weak));
extern void *__dso_handle __attribute__ ((visibility ("hidden")));

static void
on_end_of_thread (void *data)
{
  finish ();
}

/* The thread that loads the library is the main one as a rule. A main thread that ends before its process costs
 * the code that is not made then. */
static void __attribute__ ((constructor))
watch_main_thread (void)
{
  if (__cxa_thread_atexit_impl != NULL && gettid () == getpid ())
    __cxa_thread_atexit_impl (on_end_of_thread, NULL, &__dso_handle);
}

void
ghlo_code_queue_init (void)
{
  static gsize done;

  if (!g_once_init_enter (&done))
    return;
  pthread_atfork (NULL, NULL, on_forked);
  /* Where another thread calls exit (): no more is begun then. */
  atexit (finish);
  g_once_init_leave (&done, 1);
}

gboolean
ghlo_code_queue_is_forked (void)
{
  return g_atomic_int_get (&forked);
}

static gpointer
work (gpointer data)
{
  GList *link;

  ghlo_parallel_lower_priority (NICE);
  g_mutex_lock (&queue.lock);
  while (!queue.is_over && (link = g_queue_pop_head_link (&queue.tasks)) != NULL)
    {
      GhloCodeTask *task = link->data;

      task->is_queued = FALSE;
      queue.n_running++;
      g_mutex_unlock (&queue.lock);
      task->run (task);
      g_mutex_lock (&queue.lock);
      queue.n_running--;
      g_cond_broadcast (&queue.changed);
    }
  queue.n_threads--;
  g_mutex_unlock (&queue.lock);

  return NULL;
}

/* Called with the lock held. */
static void
start_thread (void)
{
  guint most = CLAMP (ghlo_parallel_n_workers () / PROCESSORS_EACH, 1, MAX_THREADS);
  GThread *thread;

  if (queue.n_threads >= most)
    return;
  thread = g_thread_try_new ("ghlo-code", work, NULL, NULL);
  if (thread == NULL)
    return;
  queue.n_threads++;
  g_thread_unref (thread);
}

gboolean
ghlo_code_queue_push (GhloCodeTask  *task,
                      GError       **error)
{
  gboolean has_thread;

  if (ghlo_code_queue_is_forked ())
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_DEVICE,
                           "no machine code is made in a process that was forked after the library's first use");
      return FALSE;
    }
  g_mutex_lock (&queue.lock);
  if (!queue.is_over)
    start_thread ();
  has_thread = queue.n_threads > 0 && !queue.is_over;
  if (has_thread)
    {
      task->link = (GList) { .data = task };
      task->is_queued = TRUE;
      g_queue_push_tail_link (&queue.tasks, &task->link);
    }
  else
    g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_DEVICE, "no thread could be started to make machine code");
  g_mutex_unlock (&queue.lock);

  return has_thread;
}

gboolean
ghlo_code_queue_remove (GhloCodeTask *task)
{
  gboolean was_queued;

  g_mutex_lock (&queue.lock);
  was_queued = task->is_queued;
  if (was_queued)
    g_queue_unlink (&queue.tasks, &task->link);
  task->is_queued = FALSE;
  g_mutex_unlock (&queue.lock);

  return was_queued;
}
