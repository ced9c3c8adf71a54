/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each call of ghlo_parallel_for () is a Call on its caller's stack, which is in the pool's list while it runs.
 * Its parts are divided into regions, one for each thread that may join. A thread takes parts by advancing the atomic
 * counter of a region: first of its own, and then of those that others have not finished. So in calls that follow each
 * other with equal sizes, as in the steps of a loop or in runs of a program, a thread mostly gets the same parts, which
 * may still be in its core's caches. Parts become smaller towards the end of a region, so that a thread that is
 * preempted delays no more than its last part. Nothing is allocated once the workers run, and the workers are never
 * joined.
 */

#include "runtime/parallel.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/relax.h"
#include "base/stack.h"

enum { MAX_THREADS = 256 };

/* In nanoseconds: the least work for each thread and, where the cost is known, the longest part, which bounds the time
 * to react to a cancellation. Costs are estimates: each thread begins with a part FIRST_PARTS times as short, and
 * doubles or halves the next by the time that it took. */
#define MIN_SHARE (GHLO_PARALLEL_MIN_WORK / 2)
#define MAX_PART  2e6
enum { FIRST_PARTS = 16 };

/* Microseconds for which an idle worker polls for the next call before it sleeps, and a caller for the end of a
 * worker's last part. Consecutive steps are a few µs apart: polling, two threads do 200 µs of work in 102 µs, and in
 * 125 µs where each step wakes a worker again (benchmarks/bench-storage.c). In a small loop, 20 µs of serial steps
 * separate products of 80 µs each; the loop takes 1.15 times as long if the worker sleeps in between. Of many threads
 * some are late by more than the length of a part, and those that sleep meanwhile are late in the next call: eight do
 * 400 µs of work in 93 µs in the mean with 60 µs of polling. */
enum { SPIN = 200 };

/* Attempts to take the lock before a thread sleeps on it. */
enum { LOCK_TRIES = 200 };

/* The least work, in nanoseconds, for which an isolated call wakes sleeping workers. Waking one costs the caller 6 to
 * 10 µs (benchmarks/bench-storage.c), and half of such a call is done before the worker runs. */
#define MIN_WAKING 100e3

/* Parts per thread where their cost is unknown. */
enum { PARTS = 16 };

/* Units that one thread takes before others do. */
typedef struct
{
  gsize next;      /* the first unit that no thread has taken; atomic */
  gsize end;
} Region;

typedef struct _Call Call;

struct _Call
{
  GhloParallelFunc   func;
  gpointer           data;
  const GhloMonitor *monitor;
  gsize              n;
  gsize              grain;
  gsize              n_units;      /* units of grain elements; the last one includes the remainder */
  gsize              most_units;   /* the most units in a part */
  gboolean           is_long;      /* parts follow the time that they take */
  guint              share;        /* a part is 1 / share of the remaining units of a region */
  guint              width;        /* the most threads, including the caller */
  Region            *regions;      /* one for each of them */
  gboolean           wakes;        /* also wakes sleeping workers for an isolated call */
  gsize              done;         /* units completed; atomic */
  gint               cancelled;    /* atomic */
  /* Guarded by the pool's lock: */
  guint              n_joined;     /* workers that have joined, each counted once */
  guint              n_working;    /* workers still at it; may be read without the lock */
  gboolean           is_awaited;   /* the caller sleeps until n_working is 0 */
  GCond              finished;     /* signalled then */
  Call              *newer;        /* links in the pool's list */
  Call              *older;
};

static struct
{
  GMutex lock;        /* guards the following fields */
  GCond  work;        /* signalled when there may be work for a worker */
  Call  *newest;
  Call  *oldest;
  guint  n_calls;     /* length of the list */
  guint  n_begun;     /* calls so far, modulo 2^32; may be read without the lock */
  guint  n_threads;   /* workers that exist */
  guint  n_idle;      /* workers asleep */
  guint  n_awake;     /* workers awake that are about to look for a call */
  guint  n_busy;
  gint64 last_end;    /* when the last call ended; g_get_monotonic_time () */
  gboolean full;      /* the system refused another thread */
} pool;

/* All atomic. */
static guint limit;          /* 0: no limit */
static gint  forked;         /* set in a forked child: it has no workers, and the lock may be held forever */
static gsize n_workers;      /* 0: not determined yet */
static gint  niceness_of_workers = 5;      /* nice value of workers relative to the process */

/* TRUE on a thread that is running a part. */
static _Thread_local gboolean inside;
/* The number of a worker, from 1 on. The region of a thread in a call is this number modulo the number of regions. */
static _Thread_local guint number;

static guint
count_workers (void)
{
  const char *wish = ghlo_environment_get ("GHLO_THREADS");
  guint64 n;

  if (wish != NULL && g_ascii_string_to_unsigned (wish, 10, 1, MAX_THREADS, &n, NULL))
    return (guint) n;

  return CLAMP (g_get_num_processors (), 1, MAX_THREADS);
}

guint
ghlo_parallel_n_workers (void)
{
  if (g_once_init_enter (&n_workers))
    g_once_init_leave (&n_workers, count_workers ());

  return (guint) __atomic_load_n (&n_workers, __ATOMIC_RELAXED);
}

void
ghlo_parallel_set_limit (guint new_limit)
{
  __atomic_store_n (&limit, new_limit, __ATOMIC_RELAXED);
}

guint
ghlo_parallel_get_limit (void)
{
  guint most = ghlo_parallel_n_workers ();
  guint set = __atomic_load_n (&limit, __ATOMIC_RELAXED);

  return set == 0 ? most : MIN (set, most);
}

void
ghlo_parallel_set_nice (int niceness)
{
  __atomic_store_n (&niceness_of_workers, niceness, __ATOMIC_RELAXED);
}

void
ghlo_parallel_lower_priority (int by)
{
  /* On Linux each thread has its own nice value and inherits that of its creator. */
  setpriority (PRIO_PROCESS, 0, getpriority (PRIO_PROCESS, getpid ()) + by);
}

/* Polls for at most SPIN while @number is @value or, with @is FALSE, while it is not. */
static void
spin_while (const guint *number,
            gboolean     is,
            guint        value)
{
  gint64 end = g_get_monotonic_time () + SPIN;

  do
    for (guint i = 0; i < 16; i++)
      {
        if ((__atomic_load_n (number, __ATOMIC_RELAXED) == value) != is)
          return;
        ghlo_relax ();
      }
  while (g_get_monotonic_time () < end);
}

/* The lock is held for less than a microsecond, whereas a thread that sleeps on it takes ten to go on. */
static void
lock_pool (void)
{
  for (guint i = 0; i < LOCK_TRIES; i++)
    {
      if (g_mutex_trylock (&pool.lock))
        return;
      ghlo_relax ();
    }
  g_mutex_lock (&pool.lock);
}

static gboolean
take_from (Call   *call,
           Region *region,
           gsize   most,
           gsize  *begin,
           gsize  *end)
{
  gsize from = __atomic_load_n (&region->next, __ATOMIC_RELAXED);
  gsize to;

  do
    {
      if (from >= region->end)
        return FALSE;
      to = from + CLAMP ((region->end - from) / call->share, 1, most);
    }
  while (!__atomic_compare_exchange_n (&region->next, &from, to, TRUE, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  *begin = from;
  *end = to;

  return TRUE;
}

static gboolean
take_part (Call  *call,
           gsize  most,
           gsize *begin,
           gsize *end)
{
  for (guint i = 0; i < call->width; i++)
    if (take_from (call, &call->regions[(number + i) % call->width], most, begin, end))
      return TRUE;

  return FALSE;
}

static gboolean
is_cancelled (Call *call)
{
  if (call->monitor == NULL || call->monitor->cancellable == NULL)
    return FALSE;
  if (g_cancellable_is_cancelled (call->monitor->cancellable))
    __atomic_store_n (&call->cancelled, TRUE, __ATOMIC_RELAXED);

  return __atomic_load_n (&call->cancelled, __ATOMIC_RELAXED);
}

/* Returns the most units of the part after one of @most that took @microseconds. */
static gsize
adapt_part (const Call *call,
            gsize       most,
            gint64      microseconds)
{
  if ((double) microseconds > MAX_PART / 1e3)
    return MAX (most / 2, 1);

  return (double) microseconds < MAX_PART / 2e3 ? MIN (most * 2, call->most_units) : most;
}

static void
run_parts (Call  *call,
           guint  worker)
{
  gsize most = call->is_long ? MAX (call->most_units / FIRST_PARTS, 1) : call->most_units, begin, end, done;

  while (!is_cancelled (call) && take_part (call, most, &begin, &end))
    {
      gint64 start = call->is_long ? g_get_monotonic_time () : 0;

      call->func (call->data, begin * call->grain, end == call->n_units ? call->n : end * call->grain, worker);
      if (call->is_long)
        most = adapt_part (call, most, g_get_monotonic_time () - start);
      done = __atomic_add_fetch (&call->done, end - begin, __ATOMIC_RELAXED);
      if (worker == 0)
        ghlo_monitor_progress (call->monitor, (double) done / (double) call->n_units, NULL);
    }
}

/* Whether there are units that no thread has taken. */
static gboolean
has_parts (const Call *call)
{
  for (guint i = 0; i < call->width; i++)
    if (__atomic_load_n (&call->regions[i].next, __ATOMIC_RELAXED) < call->regions[i].end)
      return TRUE;

  return FALSE;
}

/* This function and those up to work () are called with the lock held. */
static gboolean
may_join (const Call *call)
{
  return call->n_joined + 1 < call->width
         && !__atomic_load_n (&call->cancelled, __ATOMIC_RELAXED) && has_parts (call);
}

/* Returns how many more workers may become busy before the working threads, callers included, reach the limit. */
static guint
count_room (void)
{
  guint most = ghlo_parallel_get_limit ();

  return most - MIN (most, pool.n_calls + pool.n_busy);
}

static Call *
find_call (void)
{
  Call *call = count_room () > 0 ? pool.oldest : NULL;

  while (call != NULL && !may_join (call))
    call = call->newer;

  return call;
}

static void
join (Call *call)
{
  guint worker = ++call->n_joined;

  __atomic_add_fetch (&call->n_working, 1, __ATOMIC_RELAXED);
  pool.n_busy++;
  g_mutex_unlock (&pool.lock);
  run_parts (call, worker);
  lock_pool ();
  pool.n_busy--;
  if (__atomic_sub_fetch (&call->n_working, 1, __ATOMIC_RELAXED) == 0 && call->is_awaited)
    g_cond_signal (&call->finished);
}

/* Polls for a new call without the lock the first time, and sleeps the second time. Calls that are in the list have no
 * parts left, or are for no more threads. A worker that was woken polls again: the call that woke it may have ended,
 * and others follow. */
static void
wait_for_call (gboolean *looked)
{
  const guint n_begun = pool.n_begun;

  if (*looked)
    {
      pool.n_idle++;
      g_cond_wait (&pool.work, &pool.lock);
      pool.n_idle--;
      *looked = FALSE;
      return;
    }

  *looked = TRUE;
  pool.n_awake++;
  g_mutex_unlock (&pool.lock);
  spin_while (&pool.n_begun, TRUE, n_begun);
  lock_pool ();
  pool.n_awake--;
}

static gpointer
work (gpointer data)
{
  gboolean looked = FALSE;

  ghlo_parallel_lower_priority (__atomic_load_n (&niceness_of_workers, __ATOMIC_RELAXED));
  inside = TRUE;
  number = GPOINTER_TO_UINT (data);

  lock_pool ();
  for (;;)
    {
      Call *call = find_call ();

      if (call != NULL)
        join (call);
      else
        wait_for_call (&looked);
      looked &= call == NULL;
    }

  return NULL;
}

static void
mark_forked (void)
{
  __atomic_store_n (&forked, TRUE, __ATOMIC_RELAXED);
}

static void
start_workers (guint n)
{
  guint most = ghlo_parallel_n_workers () - 1;

  if (pool.n_threads == 0 && n > 0)
    pthread_atfork (NULL, NULL, mark_forked);
  for (; n > 0 && pool.n_threads < most && !pool.full; n--)
    {
      pool.full = !ghlo_thread_start ("ghlo-worker", work, GUINT_TO_POINTER (pool.n_threads + 1), NULL);
      if (pool.full)
        return;
      pool.n_threads++;
    }
}

/* Called with the lock held. Of calls that follow each other closely, all but the first find the workers awake. */
static gboolean
is_worth_waking (const Call *call)
{
  return call->wakes || g_get_monotonic_time () - pool.last_end < SPIN;
}

static void
begin_call (Call *call)
{
  guint n, n_idle;

  lock_pool ();
  call->older = pool.newest;
  *(pool.newest != NULL ? &pool.newest->newer : &pool.oldest) = call;
  pool.newest = call;
  pool.n_calls++;
  __atomic_add_fetch (&pool.n_begun, 1, __ATOMIC_RELAXED);
  n = is_worth_waking (call) ? MIN (count_room (), call->width - 1) : 0;
  n -= MIN (n, pool.n_awake);
  n_idle = pool.n_idle;
  if (n > n_idle)
    start_workers (n - n_idle);
  g_mutex_unlock (&pool.lock);

  for (n = MIN (n, n_idle); n > 0; n--)
    g_cond_signal (&pool.work);
}

/* Waits for workers that are still running their last part. Where another call has parts left, one worker may help
 * there in place of this caller. */
static void
end_call (Call *call)
{
  lock_pool ();
  *(call->older != NULL ? &call->older->newer : &pool.oldest) = call->newer;
  *(call->newer != NULL ? &call->newer->older : &pool.newest) = call->older;
  pool.n_calls--;
  if (pool.n_idle > 0 && find_call () != NULL)
    g_cond_signal (&pool.work);
  if (call->n_working > 0)
    {
      g_mutex_unlock (&pool.lock);
      spin_while (&call->n_working, FALSE, 0);
      lock_pool ();
    }
  call->is_awaited = TRUE;
  while (call->n_working > 0)
    g_cond_wait (&call->finished, &pool.lock);
  pool.last_end = g_get_monotonic_time ();
  g_mutex_unlock (&pool.lock);
}

/* The first unit of a region. */
static gsize
first_unit (const Call *call,
            guint       region)
{
  return call->n_units / call->width * region + MIN (call->n_units % call->width, region);
}

/* Chooses the number of threads, their regions and the largest size of a part. */
static void
plan_call (Call   *call,
           double  nanoseconds)
{
  guint width = ghlo_parallel_get_limit ();

  call->n_units = MAX (call->n / call->grain, 1);
  if (inside || __atomic_load_n (&forked, __ATOMIC_RELAXED))
    width = 1;
  width = (guint) MIN (width, call->n_units);
  if (nanoseconds > 0)
    width = (guint) MIN (width, MAX (nanoseconds / MIN_SHARE, 1));
  g_assert (width > 0);
  call->width = width;
  for (guint i = 0; i < width; i++)
    call->regions[i] = (Region) { .next = first_unit (call, i), .end = first_unit (call, i + 1) };
  call->wakes = nanoseconds <= 0 || nanoseconds >= MIN_WAKING;
  call->share = width > 1 ? 2 : 1;

  /* On one thread, with nobody to cancel or to receive progress, the work is done in one part. */
  if (width == 1 && call->monitor == NULL)
    call->most_units = call->n_units;
  else if (nanoseconds > MAX_PART)
    {
      call->is_long = TRUE;
      call->most_units = (gsize) MAX ((double) call->n_units * (MAX_PART / nanoseconds), 1);
    }
  else
    call->most_units = nanoseconds > 0 ? call->n_units : MAX (call->n_units / (PARTS * width), 1);
}

/* Not inlined, so that short calls need no stack for the regions. */
static __attribute__ ((noinline)) gboolean
run_call (gsize              n,
          gsize              grain,
          double             nanoseconds,
          GhloParallelFunc   func,
          gpointer           data,
          const GhloMonitor *monitor)
{
  Region regions[MAX_THREADS];
  Call call = { .func = func, .data = data, .monitor = monitor, .n = n, .grain = MAX (grain, 1), .regions = regions };

  plan_call (&call, nanoseconds);
  if (call.width == 1)
    {
      run_parts (&call, 0);
      return call.done == call.n_units;
    }

  g_cond_init (&call.finished);
  inside = TRUE;
  begin_call (&call);
  run_parts (&call, 0);
  end_call (&call);
  inside = FALSE;
  g_cond_clear (&call.finished);

  if (call.done != call.n_units)
    return FALSE;
  ghlo_monitor_progress (monitor, 1, NULL);

  return TRUE;
}

/* Whether plan_call () would choose one thread and one part. */
static inline gboolean
is_one_part (gsize  n,
             gsize  grain,
             double nanoseconds)
{
  return n / 2 < MAX (grain, 1) || (nanoseconds > 0 && nanoseconds < GHLO_PARALLEL_MIN_WORK);
}

gboolean
ghlo_parallel_for (gsize              n,
                   gsize              grain,
                   double             nanoseconds,
                   GhloParallelFunc   func,
                   gpointer           data,
                   const GhloMonitor *monitor)
{
  if (n == 0)
    return TRUE;
  /* The steps of a loop may take less than the planning of a call. */
  if (!is_one_part (n, grain, nanoseconds))
    return run_call (n, grain, nanoseconds, func, data, monitor);
  if (ghlo_monitor_cancelled (monitor, NULL))
    return FALSE;
  func (data, 0, n, 0);
  ghlo_monitor_progress (monitor, 1, NULL);

  return TRUE;
}
