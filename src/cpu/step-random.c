/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of rng_bit_generator.
 */

#include "cpu/finish.h"
#include "cpu/isa/routines.h"
#include "cpu/steps.h"
#include "kernel/random.h"
#include "runtime/parallel.h"

#include <string.h>

/* Counters that are computed at once, and counters that are worth a thread. */
enum { CHUNK = 512, GRAIN = 4096 };

/* Approximate nanoseconds per counter. */
#define COST 1.5

typedef struct
{
  const GhloRandom *random;
  guint64           key, low, high;
  guint8           *to;
} Run;

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  return ghlo_random_init (step, request->op, &request->operands[0], &request->results[1]);
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  selection->operands[0].dense = TRUE;
  selection->operands[0].in_place = 0;
}

/* Stores words as elements of 32 bits or less, from element @at on. */
static void
put (const Run     *run,
     gsize          at,
     const guint32 *words,
     gsize          n)
{
  const GhloRandom *self = run->random;
  guint8 *to = run->to + at * self->size;

  if (self->size == 4)
    memcpy (to, words, 4 * n);
  else if (self->size == 2)
    for (gsize i = 0; i < n; i++)
      memcpy (to + 2 * i, &(guint16) { (guint16) words[i] }, 2);
  else if (self->is_narrow)
    for (gsize i = 0; i < n; i++)
      to[i] = self->narrow[(guint8) words[i]];
  else
    for (gsize i = 0; i < n; i++)
      to[i] = (guint8) words[i];
}

static void
put_wide (const Run     *run,
          gsize          at,
          const guint32 *first,
          const guint32 *second,
          gsize          n)
{
  guint8 *to = run->to + 8 * at;

  for (gsize i = 0; i < n; i++)
    memcpy (to + 8 * i, &(guint64) { first[i] | (guint64) second[i] << 32 }, 8);
}

/* Stores pairs as adjacent elements; if @odd, only the first word of the last pair. */
static void
put_pairs (const Run     *run,
           gsize          at,
           const guint32 *first,
           const guint32 *second,
           gsize          n,
           gboolean       odd)
{
  guint32 words[2 * CHUNK];

  for (gsize i = 0; i < n; i++)
    {
      words[2 * i] = first[i];
      words[2 * i + 1] = second[i];
    }
  put (run, at, words, 2 * n - odd);
}

/* Stores Threefry's words for the counters from @count on at their places. */
static void
put_halves (const Run     *run,
            gsize          count,
            const guint32 *first,
            const guint32 *second,
            gsize          n)
{
  gsize extent = run->random->extent, inner = run->random->inner, half = extent / 2 + extent % 2;

  while (n > 0)
    {
      gsize row = count / inner, i = count % inner, outer = row / half, h = row % half;
      gsize at = (outer * extent + 2 * h) * inner + i, length;

      if (inner == 1)
        {
          length = MIN (n, half - h);
          put_pairs (run, at, first, second, length, 2 * (h + length) > extent);
        }
      else
        {
          length = MIN (n, inner - i);
          put (run, at, first, length);
          if (2 * h + 1 < extent)
            put (run, at + inner, second, length);
        }
      first += length;
      second += length;
      count += length;
      n -= length;
    }
}

static void
run_threefry (gpointer data,
              gsize    begin,
              gsize    end,
              guint    worker)
{
  const Run *run = data;
  guint32 first[CHUNK], second[CHUNK];

  for (gsize count = begin; count < end; count += CHUNK)
    {
      gsize n = MIN (CHUNK, end - count);

      ghlo_cpu_routines ()->threefry (run->key, run->low + count, n, first, second);
      if (run->random->is_wide)
        put_wide (run, count, first, second, n);
      else
        put_halves (run, count, first, second, n);
    }
}

/* Computes four words for each of @n counters. */
static void
philox (const Run *run,
        gsize      count,
        gsize      n,
        guint8    *words)
{
  guint64 low = run->low + count, high = run->high + (low < run->low);
  gsize before = low + (n - 1) < low ? (gsize) -low : n;

  ghlo_cpu_routines ()->philox (run->key, low, high, before, words);
  if (before < n)
    ghlo_cpu_routines ()->philox (run->key, 0, high + 1, n - before, words + 16 * before);
}

static void
run_philox (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  const Run *run = data;
  const GhloRandom *self = run->random;
  gsize each = self->is_wide ? 2 : 4;
  guint32 words[4 * CHUNK];

  for (gsize count = begin; count < end; count += CHUNK)
    {
      gsize n = MIN (CHUNK, end - count), at = count * each;

      if (G_BYTE_ORDER == G_LITTLE_ENDIAN && self->size >= 4 && at + n * each <= self->n)
        {
          philox (run, count, n, run->to + at * self->size);
          continue;
        }
      philox (run, count, n, (guint8 *) words);
      for (gsize i = 0; self->is_wide && i < MIN (n * each, self->n - at); i++)
        put_wide (run, at + i, &words[2 * i], &words[2 * i + 1], 1);
      if (!self->is_wide)
        put (run, at, words, MIN (n * each, self->n - at));
    }
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const GhloRandom *self = compiled;
  guint64 words[3] = { 0 };
  Run run = { .random = self, .to = results[1].data };

  memcpy (words, operands[0].data, self->state_size);
  run.key = words[0];
  run.low = words[1];
  /* With a state of two words, Philox's counter begins with the words swapped. */
  run.high = self->state_size == 16 ? words[0] : words[2];
  if (!ghlo_parallel_for (self->n_counts, GRAIN, COST * (double) self->n_counts,
                          self->is_threefry ? run_threefry : run_philox, &run, monitor))
    return ghlo_cpu_finish (FALSE, monitor, error);

  words[1] = run.low + self->n_counts;
  words[2] = run.high + (words[1] < run.low);
  memcpy (results[0].data, words, self->state_size);

  return TRUE;
}

static char *
describe (gpointer compiled)
{
  const GhloRandom *self = compiled;

  return g_strdup (self->is_threefry ? "threefry" : "philox");
}

const GhloStepImplementation ghlo_cpu_step_random = {
  .name = "random",
  .size = sizeof (GhloRandom),
  .read = read_request,
  .select = fill_selection,
  .run = run,
  .describe = describe,
};
