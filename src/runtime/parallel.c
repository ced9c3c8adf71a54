/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One call is one Call on its caller's stack, listed while it has parts that nobody
 * has begun. Parts are taken from an atomic counter, large ones first, so that a
 * thread that is held up holds up no more than its last part. Nothing is allocated
 * once the workers run. The workers are never joined.
 */

#include "runtime/parallel.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAX_THREADS = 256 };

/* Nanoseconds: the least for each thread, and the longest part, where the cost is known,
 * which bounds the time to a cancel. */
#define MIN_SHARE (GHLO_PARALLEL_MIN_WORK / 2)
#define MAX_PART  5e6

/* Microseconds for which a worker looks out for the next call before it sleeps, and a
 * caller for the end of a worker's last part. Steps follow each other within a few of
 * them: two threads do 200 µs of work in 102 so, and in 125 where each step wakes a
 * worker anew (benchmarks/bench-storage.c). Between the products of a small loop, 80 µs
 * each, lie 20 µs of steps that are not split: the loop takes 1.15 times as long where
 * the worker sleeps meanwhile. */
enum { SPIN = 60 };

/* Nanoseconds from which workers that sleep are woken for a call that stands alone. To wake one takes the caller 6 to
 * 10 µs (benchmarks/bench-storage.c), and half of such a call is done before it is up. */
#define MIN_WAKING 100e3

/* Parts for each thread where it is not known how long they take. */
enum { PARTS = 16 };

typedef struct _Call Call;

struct _Call
{
  GhloParallelFunc   func;
  gpointer           data;
  const GhloMonitor *monitor;
  gsize              n;
  gsize              grain;
  gsize              n_units;      /* of grain each, the last one with what is left over */
  gsize              most_units;   /* of one part */
  guint              share;        /* a part is one in so many of the units left */
  guint              width;        /* the most threads */
  gboolean           wakes;        /* workers that sleep, though it stand alone */
  gsize              next;         /* the first unit that nobody has begun; atomic */
  gsize              done;         /* units; atomic */
  gint               cancelled;    /* atomic */
  /* Guarded by the pool's lock: */
  guint              n_joined;     /* workers that ever took part, each once */
  guint              n_working;    /* those that still do; may be read without */
  GCond              finished;     /* n_working fell to 0 */
  Call              *newer;        /* in the pool's list, as the next */
  Call              *older;
};

static struct
{
  GMutex lock;        /* guards what follows */
  GCond  work;        /* there may be a part for a worker */
  Call  *newest;
  Call  *oldest;
  guint  n_calls;     /* in the list; may be read without the lock */
  guint  n_threads;   /* workers */
  guint  n_idle;      /* of them, asleep */
  guint  n_awake;     /* about to look whether there is a call */
  guint  n_busy;
  gint64 last_end;    /* of a call; g_get_monotonic_time () */
  gboolean full;      /* the system has no more threads */
} pool;

/* All atomic. */
static guint limit;          /* 0: none */
static gint  forked;         /* in a child: the workers stayed behind, and maybe the lock with them */
static gsize n_workers;      /* 0: not known yet */
static gint  nicer = 5;      /* how much nicer workers are than the process */

/* TRUE on a thread that does a part. */
static _Thread_local gboolean inside;

static guint
count_workers (void)
{
  const char *wish = g_getenv ("GHLO_THREADS");
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
ghlo_parallel_set_nicer (int new_nicer)
{
  __atomic_store_n (&nicer, new_nicer, __ATOMIC_RELAXED);
}

void
ghlo_parallel_lower_priority (int by)
{
  /* On Linux a thread's nice value is its own, and that of its maker at first. */
  setpriority (PRIO_PROCESS, 0, getpriority (PRIO_PROCESS, getpid ()) + by);
}

/* Until @number is zero, or is no more, for a short while at most. */
static void
spin_until (const guint *number,
            gboolean     zero)
{
  gint64 end = g_get_monotonic_time () + SPIN;

  do
    for (guint i = 0; i < 16; i++)
      {
        if ((__atomic_load_n (number, __ATOMIC_RELAXED) == 0) == zero)
          return;
        ghlo_parallel_relax ();
      }
  while (g_get_monotonic_time () < end);
}

static gboolean
take_part (Call  *call,
           gsize *begin,
           gsize *end)
{
  gsize from = __atomic_load_n (&call->next, __ATOMIC_RELAXED);
  gsize to;

  do
    {
      if (from >= call->n_units)
        return FALSE;
      to = from + CLAMP ((call->n_units - from) / call->share, 1, call->most_units);
    }
  while (!__atomic_compare_exchange_n (&call->next, &from, to, TRUE, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  *begin = from;
  *end = to;

  return TRUE;
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

static void
do_parts (Call  *call,
          guint  worker)
{
  gsize begin, end, done;

  while (!is_cancelled (call) && take_part (call, &begin, &end))
    {
      call->func (call->data, begin * call->grain, end == call->n_units ? call->n : end * call->grain, worker);
      done = __atomic_add_fetch (&call->done, end - begin, __ATOMIC_RELAXED);
      if (worker == 0)
        ghlo_monitor_progress (call->monitor, (double) done / (double) call->n_units, NULL);
    }
}

/* Called with the lock held, as all that follow up to the worker's own function. */
static gboolean
may_join (const Call *call)
{
  return call->n_joined + 1 < call->width
         && __atomic_load_n (&call->next, __ATOMIC_RELAXED) < call->n_units
         && !__atomic_load_n (&call->cancelled, __ATOMIC_RELAXED);
}

/* How many more workers may be busy before there are more threads that work, callers
 * included, than the limit says. */
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
  do_parts (call, worker);
  g_mutex_lock (&pool.lock);
  pool.n_busy--;
  if (__atomic_sub_fetch (&call->n_working, 1, __ATOMIC_RELAXED) == 0)
    g_cond_signal (&call->finished);
}

/* Looks out for a call without the lock, and sleeps when none comes. */
static void
wait_for_call (gboolean *looked)
{
  if (*looked)
    {
      pool.n_idle++;
      g_cond_wait (&pool.work, &pool.lock);
      pool.n_idle--;
      return;
    }

  *looked = TRUE;
  pool.n_awake++;
  g_mutex_unlock (&pool.lock);
  spin_until (&pool.n_calls, FALSE);
  g_mutex_lock (&pool.lock);
  pool.n_awake--;
}

static gpointer
work (gpointer data)
{
  gboolean looked = FALSE;

  ghlo_parallel_lower_priority (__atomic_load_n (&nicer, __ATOMIC_RELAXED));
  inside = TRUE;

  g_mutex_lock (&pool.lock);
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
on_forked (void)
{
  __atomic_store_n (&forked, TRUE, __ATOMIC_RELAXED);
}

static void
start_workers (guint n)
{
  guint most = ghlo_parallel_n_workers () - 1;

  if (pool.n_threads == 0 && n > 0)
    pthread_atfork (NULL, NULL, on_forked);
  for (; n > 0 && pool.n_threads < most && !pool.full; n--)
    {
      GThread *thread = g_thread_try_new ("ghlo-worker", work, NULL, NULL);

      pool.full = thread == NULL;
      if (thread == NULL)
        return;
      g_thread_unref (thread);
      pool.n_threads++;
    }
}

/* Called with the lock held. Where calls follow each other, they have the workers awake from the second one on. */
static gboolean
is_worth_waking (const Call *call)
{
  return call->wakes || g_get_monotonic_time () - pool.last_end < SPIN;
}

static void
begin_call (Call *call)
{
  guint n, n_idle;

  g_mutex_lock (&pool.lock);
  call->older = pool.newest;
  *(pool.newest != NULL ? &pool.newest->newer : &pool.oldest) = call;
  pool.newest = call;
  __atomic_add_fetch (&pool.n_calls, 1, __ATOMIC_RELAXED);
  n = is_worth_waking (call) ? MIN (count_room (), call->width - 1) : 0;
  n -= MIN (n, pool.n_awake);
  n_idle = pool.n_idle;
  if (n > n_idle)
    start_workers (n - n_idle);
  g_mutex_unlock (&pool.lock);

  for (n = MIN (n, n_idle); n > 0; n--)
    g_cond_signal (&pool.work);
}

/* Waits for the workers that do a last part. Where other calls have parts left, one
 * worker may help with them in this caller's place. */
static void
end_call (Call *call)
{
  g_mutex_lock (&pool.lock);
  *(call->older != NULL ? &call->older->newer : &pool.oldest) = call->newer;
  *(call->newer != NULL ? &call->newer->older : &pool.newest) = call->older;
  __atomic_sub_fetch (&pool.n_calls, 1, __ATOMIC_RELAXED);
  if (pool.n_idle > 0 && find_call () != NULL)
    g_cond_signal (&pool.work);
  if (call->n_working > 0)
    {
      g_mutex_unlock (&pool.lock);
      spin_until (&call->n_working, TRUE);
      g_mutex_lock (&pool.lock);
    }
  while (call->n_working > 0)
    g_cond_wait (&call->finished, &pool.lock);
  pool.last_end = g_get_monotonic_time ();
  g_mutex_unlock (&pool.lock);
}

/* How many threads are worth having, and how large a part may be. */
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
  call->width = width;
  call->wakes = nanoseconds <= 0 || nanoseconds >= MIN_WAKING;
  call->share = width > 1 ? 2 * width : 1;

  /* Alone, without anyone to stop or to tell, there is nothing to split for. */
  if (width == 1 && call->monitor == NULL)
    call->most_units = call->n_units;
  else if (nanoseconds > MAX_PART)
    call->most_units = (gsize) MAX ((double) call->n_units * (MAX_PART / nanoseconds), 1);
  else
    call->most_units = nanoseconds > 0 ? call->n_units : MAX (call->n_units / (PARTS * width), 1);
}

gboolean
ghlo_parallel_for (gsize              n,
                   gsize              grain,
                   double             nanoseconds,
                   GhloParallelFunc   func,
                   gpointer           data,
                   const GhloMonitor *monitor)
{
  Call call = { .func = func, .data = data, .monitor = monitor, .n = n, .grain = MAX (grain, 1) };

  if (n == 0)
    return TRUE;
  plan_call (&call, nanoseconds);
  if (call.width == 1)
    {
      do_parts (&call, 0);
      return call.done == call.n_units;
    }

  g_cond_init (&call.finished);
  inside = TRUE;
  begin_call (&call);
  do_parts (&call, 0);
  end_call (&call);
  inside = FALSE;
  g_cond_clear (&call.finished);

  if (call.done != call.n_units)
    return FALSE;
  ghlo_monitor_progress (monitor, 1, NULL);

  return TRUE;
}
