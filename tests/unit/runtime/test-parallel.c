/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The thread pool: every index is visited once, in parts of the promised form, whatever the sizes; cancelling, nesting,
 * concurrent callers, forks; the number of threads and their nice value, and that they do not allocate.
 */

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../count-allocations.h"
#include "runtime/parallel.h"

/* Set by GHLO_THREADS, so that machines with one processor test this, too. */
enum { N_WORKERS = 4, N_CALLERS = 8 };

/* Nanoseconds on one thread for calls that are worth waking workers, worth splitting, and neither. */
#define LONG   10e6
#define MEDIUM (GHLO_PARALLEL_MIN_WORK * 1.5)
#define SHORT  (GHLO_PARALLEL_MIN_WORK * 0.9)

typedef struct
{
  gsize         n;
  gsize         grain;
  guint         times;             /* rounds of busy work for each part */
  guint8       *marks;             /* of each index; atomic; NULL when there are too many */
  gsize         sum;               /* of the parts' sizes; atomic */
  guint         n_parts;           /* atomic */
  guint         n_small;           /* parts below the grain; atomic */
  guint         busy[N_WORKERS];   /* concurrent calls with this worker number; atomic */
  guint         n_shared;          /* times that this exceeded 1; atomic */
  GThread      *first;             /* who called */
  guint         n_elsewhere;       /* parts on other threads; atomic */
  GCancellable *cancellable;       /* to cancel in a part */
} Work;

static guint
add (guint *counter)
{
  return __atomic_add_fetch (counter, 1, __ATOMIC_RELAXED);
}

static void
do_work (gpointer data,
         gsize    begin,
         gsize    end,
         guint    worker)
{
  Work *self = data;

  g_assert_cmpuint (worker, <, N_WORKERS);
  g_assert_cmpuint (begin, <, end);
  g_assert_cmpuint (end, <=, self->n);
  g_assert_cmpuint (begin % MAX (self->grain, 1), ==, 0);
  if (add (&self->busy[worker]) > 1)
    add (&self->n_shared);
  if (g_thread_self () != self->first)
    add (&self->n_elsewhere);
  else
    g_assert_cmpuint (worker, ==, 0);

  add (&self->n_parts);
  if (end - begin < self->grain)
    add (&self->n_small);
  __atomic_add_fetch (&self->sum, end - begin, __ATOMIC_RELAXED);
  for (gsize i = begin; self->marks != NULL && i < end; i++)
    __atomic_add_fetch (&self->marks[i], 1, __ATOMIC_RELAXED);
  for (guint i = 0; i < self->times; i++)
    sched_yield ();
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  __atomic_sub_fetch (&self->busy[worker], 1, __ATOMIC_RELAXED);
}

static void
check_all (gsize  n,
           gsize  grain,
           double nanoseconds,
           guint  times)
{
  g_autofree guint8 *marks = g_new0 (guint8, n + 1);
  Work work = { .n = n, .grain = grain, .times = times, .marks = marks, .first = g_thread_self () };

  g_assert_true (ghlo_parallel_for (n, grain, nanoseconds, do_work, &work, NULL));
  for (gsize i = 0; i < n; i++)
    g_assert_cmpuint (marks[i], ==, 1);
  g_assert_cmpuint (marks[n], ==, 0);
  g_assert_cmpuint (work.n_shared, ==, 0);
  g_assert_cmpuint (work.n_small, <=, n < grain ? 1 : 0);
  if (n == 0)
    g_assert_cmpuint (work.n_parts, ==, 0);
  if (nanoseconds == SHORT)
    g_assert_cmpuint (work.n_elsewhere, ==, 0);
}

static void
test_all (void)
{
  static const gsize sizes[] = { 0, 1, 2, 7, 64, 1000, 100003 };
  static const gsize grains[] = { 0, 1, 3, 64, 999, G_MAXSIZE };
  static const double times[] = { 0, SHORT, LONG, 1e30 };

  for (guint round = 0; round < 3; round++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      for (guint j = 0; j < G_N_ELEMENTS (grains); j++)
        for (guint k = 0; k < G_N_ELEMENTS (times); k++)
          check_all (sizes[i], grains[j], times[k], 0);
}

/* The number of threads: all, or only workers, which have a higher nice value than the process. */
static guint
count_threads (gboolean workers)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/task", 0, NULL);
  int own = getpriority (PRIO_PROCESS, getpid ());
  const char *number;
  guint n = 0;

  while ((number = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc/self/task", number, "comm", NULL);
      g_autofree char *name = NULL;

      n += !workers || (g_file_get_contents (path, &name, NULL, NULL) && g_str_equal (name, "ghlo-worker\n")
                        && getpriority (PRIO_PROCESS, atoi (number)) == MIN (own + 5, 19));
    }

  return n;
}

/* Makes calls with longer and longer parts until workers join one. */
static void
call_until_joined (double nanoseconds)
{
  Work work = { .n = 64, .grain = 1, .first = g_thread_self () };

  for (guint i = 0; i < 10000 && work.n_elsewhere == 0; i++)
    {
      work.times = i;
      g_assert_true (ghlo_parallel_for (64, 1, nanoseconds, do_work, &work, NULL));
    }
  g_assert_cmpuint (work.n_elsewhere, >, 0);
}

static void
test_workers_join (void)
{
  call_until_joined (LONG);
}

/* Workers are started for calls in succession, not for a single call. */
static void
test_alone (void)
{
  Work work = { .n = 64, .grain = 1, .first = g_thread_self () };
  guint before = count_threads (FALSE);

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
      g_test_trap_assert_passed ();
      return;
    }
  g_assert_true (ghlo_parallel_for (64, 1, MEDIUM, do_work, &work, NULL));
  g_assert_cmpuint (work.n_elsewhere, ==, 0);
  g_assert_cmpuint (count_threads (FALSE), ==, before);
  call_until_joined (MEDIUM);
}

static void
test_huge (void)
{
  static const gsize sizes[] = { G_MAXSIZE, G_MAXSIZE - 1, (gsize) 1 << 63, (gsize) 1 << 40 };
  static const gsize grains[] = { 1, 4096, G_MAXSIZE / 3, G_MAXSIZE };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint j = 0; j < G_N_ELEMENTS (grains); j++)
      for (guint k = 0; k < 3; k++)
        {
          Work work = { .n = sizes[i], .grain = grains[j], .first = g_thread_self () };

          g_assert_true (ghlo_parallel_for (sizes[i], grains[j], k == 0 ? 0 : k == 1 ? LONG : 1e10, do_work, &work,
                                            NULL));
          g_assert_cmpuint (work.sum, ==, sizes[i]);
          g_assert_cmpuint (work.n_parts, <=, 10000);
        }
}

typedef struct
{
  gsize largest;     /* units of the largest part; atomic */
} SlowWork;

/* A millisecond for each unit. */
static void
do_slow_work (gpointer data,
              gsize    begin,
              gsize    end,
              guint    worker)
{
  SlowWork *self = data;
  gsize largest = __atomic_load_n (&self->largest, __ATOMIC_RELAXED);

  while (end - begin > largest
         && !__atomic_compare_exchange_n (&self->largest, &largest, end - begin, TRUE, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED))
    ;
  g_usleep (1000 * (end - begin));
}

/* Where work takes a hundred times as long as it was estimated, no part becomes as long as the estimate allows. */
static void
test_slow (void)
{
  enum { UNITS = 1000, ESTIMATED = 200 };     /* ESTIMATED: the units of 2 ms, the longest part, if LONG were true */
  SlowWork work = { 0 };

  g_assert_true (ghlo_parallel_for (UNITS, 1, LONG, do_slow_work, &work, NULL));
  g_assert_cmpuint (work.largest, <=, ESTIMATED / 10);
}

/* A cancel before the call: nothing is done. A cancel in a part: parts in progress finish, and at most one more per
 * thread begins. The same where nothing is split. */
static void
test_cancel (void)
{
  g_autoptr (GCancellable) before = g_cancellable_new ();
  GhloMonitor monitor = { .cancellable = before };
  Work work = { .n = 1000, .grain = 1, .first = g_thread_self () };

  g_cancellable_cancel (before);
  g_assert_false (ghlo_parallel_for (1000, 1, 0, do_work, &work, &monitor));
  g_assert_false (ghlo_parallel_for (1000, 1, SHORT, do_work, &work, &monitor));
  g_assert_false (ghlo_parallel_for (1000, 1000, 0, do_work, &work, &monitor));
  g_assert_cmpuint (work.n_parts, ==, 0);
  g_assert_true (ghlo_parallel_for (0, 1, 0, do_work, &work, &monitor));

  for (guint limit = 0; limit <= 1; limit++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      Work stopped = { .n = 1000, .grain = 1, .first = g_thread_self (), .cancellable = cancellable };

      monitor.cancellable = cancellable;
      ghlo_parallel_set_limit (limit);
      g_assert_false (ghlo_parallel_for (1000, 1, 1e9, do_work, &stopped, &monitor));
      g_assert_cmpuint (stopped.n_parts, >=, 1);
      g_assert_cmpuint (stopped.n_parts, <=, limit == 1 ? 1 : 2 * N_WORKERS);
    }
  ghlo_parallel_set_limit (0);

  /* A cancel in the only part is too late. */
  {
    g_autoptr (GCancellable) cancellable = g_cancellable_new ();
    Work whole = { .n = 10, .grain = 10, .first = g_thread_self (), .cancellable = cancellable };

    monitor.cancellable = cancellable;
    g_assert_true (ghlo_parallel_for (10, 10, 0, do_work, &whole, &monitor));
  }
}

typedef struct
{
  guint n_inner;       /* indices done in inner calls; atomic */
  guint n_elsewhere;   /* on another thread than the part that made the call; atomic */
} Nested;

typedef struct
{
  Nested  *nested;
  GThread *thread;
} Inner;

static void
do_inner (gpointer data,
          gsize    begin,
          gsize    end,
          guint    worker)
{
  Inner *inner = data;

  g_assert_cmpuint (worker, ==, 0);
  __atomic_add_fetch (&inner->nested->n_inner, (guint) (end - begin), __ATOMIC_RELAXED);
  if (g_thread_self () != inner->thread)
    add (&inner->nested->n_elsewhere);
}

static void
do_outer (gpointer data,
          gsize    begin,
          gsize    end,
          guint    worker)
{
  Inner inner = { data, g_thread_self () };

  for (gsize i = begin; i < end; i++)
    g_assert_true (ghlo_parallel_for (100, 1, LONG, do_inner, &inner, NULL));
}

static void
test_nested (void)
{
  Nested nested = { 0, 0 };

  g_assert_true (ghlo_parallel_for (200, 1, LONG, do_outer, &nested, NULL));
  g_assert_cmpuint (nested.n_inner, ==, 20000);
  g_assert_cmpuint (nested.n_elsewhere, ==, 0);
}

typedef struct
{
  GThread *thread;
  double   last;
  guint    n;
} Told;

static void
on_progress (gpointer    data,
             double      fraction,
             const char *detail)
{
  Told *told = data;

  g_assert_true (g_thread_self () == told->thread);
  g_assert_cmpfloat (fraction, >=, told->last);
  g_assert_cmpfloat (fraction, <=, 1);
  told->last = fraction;
  told->n++;
}

static void
test_progress (void)
{
  Told told = { g_thread_self (), 0, 0 };
  GhloMonitor monitor = { .progress = on_progress, .progress_data = &told };

  for (guint i = 0; i < 100; i++)
    {
      Work work = { .n = 1000, .grain = 1, .first = g_thread_self () };

      told.last = 0;
      g_assert_true (ghlo_parallel_for (1000, 1, 1e9, do_work, &work, &monitor));
    }
  g_assert_cmpuint (told.n, >, 0);

  /* Calls of one part tell that they have ended, once. */
  for (gsize n = 1; n < 8; n++)
    for (gsize grain = n / 2 + 1; grain < 9; grain++)
      {
        Work work = { .n = n, .grain = grain, .first = g_thread_self () };

        told = (Told) { g_thread_self (), 0, 0 };
        g_assert_true (ghlo_parallel_for (n, grain, 0, do_work, &work, &monitor));
        g_assert_cmpuint (work.n_parts, ==, 1);
        g_assert_cmpuint (told.n, ==, 1);
        g_assert_cmpfloat (told.last, ==, 1);
      }
}

static guint most_threads;     /* seen; atomic */
static guint n_callers_left;   /* atomic */

static gpointer
call_often (gpointer data)
{
  for (guint i = 0; i < 400; i++)
    {
      check_all (1000, 1 + i % 7, LONG, 1);
      if (i % 50 == 0)
        {
          guint n = count_threads (FALSE);
          guint most = __atomic_load_n (&most_threads, __ATOMIC_RELAXED);

          while (n > most && !__atomic_compare_exchange_n (&most_threads, &most, n, FALSE, __ATOMIC_RELAXED,
                                                           __ATOMIC_RELAXED))
            ;
        }
    }
  __atomic_sub_fetch (&n_callers_left, 1, __ATOMIC_RELAXED);

  return NULL;
}

/* Eight concurrent callers: results are right, and there are no more threads than the callers and one for each
 * processor, while another thread changes the limit. */
static void
test_callers (void)
{
  GThread *threads[N_CALLERS];
  guint before = count_threads (FALSE) - count_threads (TRUE);
  guint round = 0;

  n_callers_left = N_CALLERS;
  for (guint i = 0; i < N_CALLERS; i++)
    threads[i] = g_thread_new ("caller", call_often, NULL);
  while (__atomic_load_n (&n_callers_left, __ATOMIC_RELAXED) > 0)
    {
      ghlo_parallel_set_limit (round++ % (N_WORKERS + 3));
      g_usleep (500);
    }
  ghlo_parallel_set_limit (0);
  for (guint i = 0; i < N_CALLERS; i++)
    g_thread_join (threads[i]);

  g_assert_cmpuint (most_threads, >=, N_CALLERS);
  g_assert_cmpuint (most_threads, <=, before + N_CALLERS + N_WORKERS);
  while (count_threads (TRUE) != N_WORKERS - 1)
    g_usleep (1000);
}

static void
test_limit (void)
{
  g_assert_cmpuint (ghlo_parallel_n_workers (), ==, N_WORKERS);
  g_assert_cmpuint (ghlo_parallel_get_limit (), ==, N_WORKERS);
  ghlo_parallel_set_limit (100);
  g_assert_cmpuint (ghlo_parallel_get_limit (), ==, N_WORKERS);
  g_assert_cmpuint (ghlo_parallel_n_workers (), ==, N_WORKERS);
  ghlo_parallel_set_limit (1);
  g_assert_cmpuint (ghlo_parallel_get_limit (), ==, 1);
  g_assert_cmpuint (ghlo_parallel_n_workers (), ==, N_WORKERS);
  for (guint i = 0; i < 100; i++)
    {
      Work work = { .n = 1000, .grain = 1, .first = g_thread_self () };

      g_assert_true (ghlo_parallel_for (1000, 1, LONG, do_work, &work, NULL));
      g_assert_cmpuint (work.n_elsewhere, ==, 0);
    }
  ghlo_parallel_set_limit (0);
}

/* Workers do not exist after a fork, even if it happens while they work. */
static void
test_fork (void)
{
  GThread *thread;

  check_all (1000, 1, LONG, 1);
  n_callers_left = 1;
  thread = g_thread_new ("caller", call_often, NULL);
  for (guint i = 0; i < 20; i++)
    {
      pid_t child = fork ();
      int status;

      if (child == 0)
        {
          Work work = { .n = 1000, .grain = 1, .first = g_thread_self () };

          alarm (30);
          for (guint j = 0; j < 10; j++)
            if (!ghlo_parallel_for (1000, 1, LONG, do_work, &work, NULL))
              _exit (1);
          _exit (work.sum == 10000 && work.n_elsewhere == 0 ? 0 : 2);
        }
      g_assert_cmpint (waitpid (child, &status, 0), ==, child);
      g_assert_true (WIFEXITED (status));
      g_assert_cmpint (WEXITSTATUS (status), ==, 0);
    }
  g_thread_join (thread);
}

/* The threads of a call's parts. Each waits for all of them, so that nobody takes two. */
typedef struct
{
  GThread *threads[N_WORKERS];
  guint    n_begun;                /* atomic */
} Meeting;

static void
meet (gpointer data,
      gsize    begin,
      gsize    end,
      guint    worker)
{
  Meeting *self = data;

  g_assert_cmpuint (end, ==, begin + 1);
  self->threads[begin] = g_thread_self ();
  add (&self->n_begun);
  while (__atomic_load_n (&self->n_begun, __ATOMIC_RELAXED) < N_WORKERS)
    g_thread_yield ();
}

/* In calls of the same size a thread gets the same parts. */
static void
test_same_parts (void)
{
  Meeting first = { .n_begun = 0 };

  g_assert_true (ghlo_parallel_for (N_WORKERS, 1, LONG, meet, &first, NULL));
  for (guint i = 0; i < 20; i++)
    {
      Meeting next = { .n_begun = 0 };

      g_assert_true (ghlo_parallel_for (N_WORKERS, 1, LONG, meet, &next, NULL));
      g_assert_cmpmem (next.threads, sizeof next.threads, first.threads, sizeof first.threads);
    }
}

static void
do_nothing (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
}

static void
test_allocates_nothing (void)
{
  guint before;

  for (guint i = 0; i < 100; i++)
    ghlo_parallel_for (1000, 1, LONG, do_nothing, NULL, NULL);
  while (count_threads (TRUE) != N_WORKERS - 1)
    g_usleep (1000);
  before = count_allocations ();
  for (guint i = 0; i < 1000; i++)
    ghlo_parallel_for (1000, 1, LONG, do_nothing, NULL, NULL);
  g_assert_cmpuint (count_allocations (), ==, before);
}

int
main (int    argc,
      char **argv)
{
  g_autofree char *n = g_strdup_printf ("%d", N_WORKERS);

  g_test_init (&argc, &argv, NULL);
  g_setenv ("GHLO_THREADS", n, TRUE);

  g_test_add_func ("/parallel/all", test_all);
  g_test_add_func ("/parallel/alone", test_alone);
  g_test_add_func ("/parallel/workers-join", test_workers_join);
  g_test_add_func ("/parallel/same-parts", test_same_parts);
  g_test_add_func ("/parallel/huge", test_huge);
  g_test_add_func ("/parallel/slow", test_slow);
  g_test_add_func ("/parallel/cancel", test_cancel);
  g_test_add_func ("/parallel/nested", test_nested);
  g_test_add_func ("/parallel/progress", test_progress);
  g_test_add_func ("/parallel/callers", test_callers);
  g_test_add_func ("/parallel/limit", test_limit);
  g_test_add_func ("/parallel/fork", test_fork);
  g_test_add_func ("/parallel/allocates-nothing", test_allocates_nothing);

  return g_test_run ();
}
