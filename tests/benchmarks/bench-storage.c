/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Costs and savings of the thread pool and the memory pool: calls of ghlo_parallel_for ()
 * by the amount of work, back to back and with the workers asleep; a sum of two 4096² f32
 * matrices into memory from the pool and into fresh memory, compared with copies of the
 * same bytes; freeing 256 MiB. Medians.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "runtime/memory.h"
#include "runtime/parallel.h"
#include "runtime/pool.h"

enum { CALLS = 400, ROUNDS = 15, N_CALLERS = 8, SIDE = 4096 };

#define N     ((gsize) SIDE * SIDE)
#define BYTES (N * sizeof (float))

typedef struct
{
  float       *out;
  const float *a, *b;
} Sum;

/* Returns nanoseconds. */
static double
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);

  return (double) time.tv_sec * 1e9 + (double) time.tv_nsec;
}

static int
compare (const void *a,
         const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (double *times,
        guint   n)
{
  qsort (times, n, sizeof *times, compare);

  return times[n / 2];
}

static void
do_nothing (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
}

/* Works *@data nanoseconds for each index. */
static void
keep_busy (gpointer data,
           gsize    begin,
           gsize    end,
           guint    worker)
{
  double until = now () + *(const double *) data * (double) (end - begin);

  while (now () < until)
    ;
}

/* Returns the median time of calls with @work nanoseconds of work, @pause microseconds apart. */
static double
time_calls (double work,
            gulong pause)
{
  double times[CALLS], each = work / 1000;

  for (guint i = 0; i < CALLS; i++)
    {
      double start;

      if (pause > 0)
        g_usleep (pause);
      start = now ();
      ghlo_parallel_for (1000, 1, work, work > 0 ? keep_busy : do_nothing, &each, NULL);
      times[i] = now () - start;
    }

  return median (times, CALLS);
}

static gpointer
call_often (gpointer data)
{
  double each = 400;

  for (guint i = 0; i < CALLS / 4; i++)
    ghlo_parallel_for (1000, 1, 400e3, keep_busy, &each, NULL);

  return NULL;
}

static void
report_calls (void)
{
  static const double works[] = { 0, 50e3, 100e3, 200e3, 500e3, 2e6 };
  GThread *threads[N_CALLERS];
  double start;

  time_calls (500e3, 0);
  printf ("%u threads at most\n", ghlo_parallel_n_workers ());
  for (guint i = 0; i < G_N_ELEMENTS (works); i++)
    printf ("call with %6.0f µs of work: %8.2f µs back to back, %8.2f µs with the workers asleep\n", works[i] / 1e3,
            time_calls (works[i], 0) / 1e3, time_calls (works[i], 200) / 1e3);

  start = now ();
  for (guint i = 0; i < N_CALLERS; i++)
    threads[i] = g_thread_new ("caller", call_often, NULL);
  for (guint i = 0; i < N_CALLERS; i++)
    g_thread_join (threads[i]);
  printf ("%d callers at once, each %d calls with 400 µs of work: %.1f ms\n", N_CALLERS, CALLS / 4,
          (now () - start) / 1e6);
}

static void
add_part (gpointer data,
          gsize    begin,
          gsize    end,
          guint    worker)
{
  const Sum *sum = data;

#ifdef __SSE2__
  for (gsize i = begin; i < end; i += 4)
    _mm_stream_ps (sum->out + i, _mm_add_ps (_mm_loadu_ps (sum->a + i), _mm_loadu_ps (sum->b + i)));
  _mm_sfence ();
#else
  for (gsize i = begin; i < end; i++)
    sum->out[i] = sum->a[i] + sum->b[i];
#endif
}

static void
copy_part (gpointer data,
           gsize    begin,
           gsize    end,
           guint    worker)
{
  const Sum *sum = data;

  memcpy (sum->out + begin, sum->a + begin, (end - begin) * sizeof (float));
}

static double
time_part (GhloParallelFunc  func,
           Sum              *sum)
{
  double start = now ();

  ghlo_parallel_for (N, 1 << 16, 1e7, func, sum, NULL);

  return now () - start;
}

/* Times a sum into memory of the pool, after @trim. */
static double
time_sum (Sum      *sum,
          gboolean  trim)
{
  double start, time;

  if (trim)
    ghlo_memory_trim ();
  start = now ();
  sum->out = ghlo_memory_alloc_uninitialized (BYTES, NULL);
  time_part (add_part, sum);
  time = now () - start;
  ghlo_memory_free (sum->out, BYTES);

  return time;
}

static void
report_sums (void)
{
  float *a = ghlo_memory_alloc (BYTES, NULL), *b = ghlo_memory_alloc (BYTES, NULL);
  double pooled[ROUNDS], fresh[ROUNDS], copies[ROUNDS], copy;
  Sum sum = { NULL, a, b };

  memset (a, 1, BYTES);
  memset (b, 1, BYTES);
  for (guint i = 0; i < ROUNDS; i++)
    {
      fresh[i] = time_sum (&sum, TRUE);
      pooled[i] = time_sum (&sum, FALSE);
      sum.out = ghlo_memory_alloc_uninitialized (BYTES, NULL);
      copies[i] = time_part (copy_part, &sum);
      ghlo_memory_free (sum.out, BYTES);
    }
  /* A sum moves three bytes for every two of a copy. */
  copy = median (copies, ROUNDS) * 1.5;
  printf ("sum of two 4096² f32: %.2f ms into pooled memory (%.2f of the copying of its bytes, %.2f ms), "
          "%.2f ms into fresh\n", median (pooled, ROUNDS) / 1e6, median (pooled, ROUNDS) / copy, copy / 1e6,
          median (fresh, ROUNDS) / 1e6);
  ghlo_memory_free (a, BYTES);
  ghlo_memory_free (b, BYTES);
}

static void
report_frees (void)
{
  gsize size = (gsize) 256 << 20;
  double pooled[ROUNDS], unmapped[ROUNDS];

  for (guint i = 0; i < ROUNDS; i++)
    {
      guint8 *memory = ghlo_memory_alloc_uninitialized (size, NULL);
      double start;

      memset (memory, 1, size);
      start = now ();
      ghlo_memory_free (memory, size);
      pooled[i] = now () - start;

      start = now ();
      ghlo_memory_trim ();
      unmapped[i] = now () - start;
    }
  printf ("giving up 256 MiB: %.3f ms to the pool, %.2f ms to the system\n", median (pooled, ROUNDS) / 1e6,
          median (unmapped, ROUNDS) / 1e6);
}

int
main (void)
{
  report_calls ();
  report_sums ();
  report_frees ();

  return 0;
}
