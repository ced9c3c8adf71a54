/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One lock, two lanes of tasks. A thread can raise its nice value but not lower it again. Background threads
 * therefore leave urgent tasks to threads that the waiting thread starts and that inherit its priority. The waiting
 * thread does not compile by itself, because LLVM does not check for cancellation, and needs more stack than some
 * threads have.
 *
 * Exit handlers run in the reverse order of registration, and LLVM registers a destructor whenever it initializes
 * another static variable. No exit handler of ours would therefore be sure to run before them. Destructors of
 * thread-local variables of the thread that calls exit (), usually the main thread, do run before them.
 */

#include "cpu/jit/compile-queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/ghlo-error.h"
#include "base/stack.h"
#include "runtime/background.h"
#include "runtime/parallel.h"

enum { MAX_THREADS = 4, PROCESSORS_EACH = 4, MAX_URGENT = 8, NICE = 10, EXIT_SECONDS = 30 };

struct _GhloCodeQueueLane
{
  GQueue tasks;
  guint  n_threads;     /* threads that take tasks of this lane only */
  guint  n_running;     /* those of them that are running a task */
};

static struct
{
  GMutex            lock;       /* guards the other members */
  GCond             changed;    /* signalled when a thread has finished a task */
  GhloCodeQueueLane background;
  GhloCodeQueueLane urgent;     /* tasks that somebody waits for */
  gboolean          is_over;    /* the process is exiting */
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
  while (queue.background.n_running + queue.urgent.n_running > 0
         && g_cond_wait_until (&queue.changed, &queue.lock, end))
    ;
  g_mutex_unlock (&queue.lock);
}

/* From the C library; registers destructors of thread-local variables. Not every C library has it. */
extern int   __cxa_thread_atexit_impl (void (*func) (void *), void *data, void *object) __attribute__ ((weak));
extern void *__dso_handle __attribute__ ((visibility ("hidden")));

static void
on_end_of_thread (void *data)
{
  finish ();
}

/* The library is usually loaded by the main thread. Where the main thread ends before its process, code that is not
 * made by then is lost. */
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
  /* For the case that another thread calls exit (): no more tasks start then. */
  atexit (finish);
  g_once_init_leave (&done, 1);
}

gboolean
ghlo_code_queue_is_forked (void)
{
  return g_atomic_int_get (&forked);
}

gboolean
ghlo_code_queue_check (GError **error)
{
  if (!ghlo_code_queue_is_forked ())
    return TRUE;
  g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_DEVICE,
                       "machine code cannot be generated in a process forked after the first use of the library");

  return FALSE;
}

static gpointer
work (gpointer data)
{
  GhloCodeQueueLane *lane = data;
  GList *link;

  if (lane == &queue.background)
    {
      ghlo_parallel_lower_priority (NICE);
      ghlo_background_await ();
    }
  g_mutex_lock (&queue.lock);
  while (!queue.is_over && (link = g_queue_pop_head_link (&lane->tasks)) != NULL)
    {
      GhloCodeTask *task = link->data;

      task->lane = NULL;
      lane->n_running++;
      g_mutex_unlock (&queue.lock);
      task->run (task);
      g_mutex_lock (&queue.lock);
      lane->n_running--;
      g_cond_broadcast (&queue.changed);
    }
  lane->n_threads--;
  g_mutex_unlock (&queue.lock);

  return NULL;
}

/* Called with the lock held, as the next two functions are. Starts no thread where there are @most already; returns
 * FALSE where the lane has no thread at all. */
static gboolean
start_thread (GhloCodeQueueLane *lane,
              guint              most)
{
  if (queue.is_over)
    return FALSE;
  if (lane->n_threads < most && ghlo_thread_start ("ghlo-code", work, lane, NULL))
    lane->n_threads++;

  return lane->n_threads > 0;
}

static void
enter (GhloCodeTask      *task,
       GhloCodeQueueLane *lane)
{
  task->link = (GList) { .data = task };
  task->lane = lane;
  g_queue_push_tail_link (&lane->tasks, &task->link);
}

static void
leave (GhloCodeTask *task)
{
  g_queue_unlink (&task->lane->tasks, &task->link);
  task->lane = NULL;
}

gboolean
ghlo_code_queue_push (GhloCodeTask  *task,
                      GError       **error)
{
  const guint most = CLAMP (ghlo_parallel_n_workers () / PROCESSORS_EACH, 1, MAX_THREADS);
  gboolean has_thread;

  if (!ghlo_code_queue_check (error))
    return FALSE;
  g_mutex_lock (&queue.lock);
  if (queue.background.n_threads == 0)
    ghlo_background_hold ();
  has_thread = start_thread (&queue.background, most);
  if (has_thread)
    enter (task, &queue.background);
  else
    g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_DEVICE, "no thread could be started to generate machine code");
  g_mutex_unlock (&queue.lock);

  return has_thread;
}

void
ghlo_code_queue_prioritize (GhloCodeTask *task)
{
  const guint n_processors = ghlo_parallel_n_workers ();
  GhloCodeQueueLane *lane = &queue.urgent;
  guint most;

  if (ghlo_code_queue_is_forked ())
    return;
  g_mutex_lock (&queue.lock);
  most = n_processors - MIN (n_processors - 1, queue.background.n_running);
  /* Idle threads are each about to take a task. */
  if (lane->tasks.length + (task->lane == &queue.background) > lane->n_threads - lane->n_running)
    start_thread (lane, MIN (most, MAX_URGENT));
  if (task->lane == &queue.background && lane->n_threads > 0)
    {
      leave (task);
      enter (task, lane);
    }
  g_mutex_unlock (&queue.lock);
}

gboolean
ghlo_code_queue_remove (GhloCodeTask *task)
{
  gboolean was_queued;

  g_mutex_lock (&queue.lock);
  was_queued = task->lane != NULL;
  if (was_queued)
    leave (task);
  g_mutex_unlock (&queue.lock);

  return was_queued;
}
