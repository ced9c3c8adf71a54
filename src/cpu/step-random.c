/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * rng_bit_generator as a step of a plan. Counters and words are laid out as XLA does it:
 * Philox gives four words for each count, taken in turn; Threefry gives two, which an
 * element of 64 bits takes both, while of smaller ones they go to the two halves of one
 * dimension. DEFAULT is Philox.
 */

#include "base/sizes.h"
#include "cpu/finish.h"
#include "cpu/isa/routines.h"
#include "cpu/steps.h"
#include "runtime/parallel.h"

#include <string.h>

/* Counts that are done at once, and that make a part worth its own thread. */
enum { CHUNK = 512, GRAIN = 4096 };

/* Approximate nanoseconds for a counter. */
#define COST 1.5

typedef struct
{
  gboolean is_threefry;
  gboolean is_wide;           /* an element takes two words */
  guint    size;              /* of an element */
  gsize    n, n_counts;
  gsize    extent, inner;     /* of the dimension that Threefry's words are split over, and of those after it */
  gsize    state_size;
  gboolean is_narrow;         /* elements of one byte hold fewer bits */
  guint8   narrow[256];       /* them by the word's lowest byte */
} Random;

typedef struct
{
  const Random *random;
  guint64       key, low, high;
  guint8       *to;
} Run;

static void
init_narrow (Random          *self,
             GhloElementType  type)
{
  const GhloElementInfo *info = ghlo_element_info (type);

  self->is_narrow = info->bits < 8;
  for (guint i = 0; self->is_narrow && i < 256; i++)
    if (info->element_class == GHLO_ELEMENT_CLASS_FLOAT)
      self->narrow[i] = (guint8) (i & ((1u << info->bits) - 1));
    else
      ghlo_element_store (type, &self->narrow[i], (GhloScalar) { .u = i });
}

/* The first dimension of an even size, or else the first of the largest. */
static void
find_split (Random         *self,
            const GhloView *output)
{
  guint split = 0;

  self->extent = self->inner = 1;
  if (output->rank == 0)
    return;
  for (guint i = 1; i < output->rank; i++)
    if (output->dimensions[i] > output->dimensions[split])
      split = i;
  for (guint i = output->rank; i > 0; i--)
    if (output->dimensions[i - 1] % 2 == 0)
      split = i - 1;
  self->extent = (gsize) output->dimensions[split];
  for (guint i = split + 1; i < output->rank; i++)
    self->inner *= (gsize) output->dimensions[i];
}

static void
count_counts (Random *self)
{
  if (self->n == 0)
    self->n_counts = 0;
  else if (!self->is_threefry)
    self->n_counts = self->is_wide ? self->n / 2 + self->n % 2 : self->n / 4 + (self->n % 4 != 0);
  else if (self->is_wide)
    self->n_counts = self->n;
  else
    self->n_counts = self->n / self->extent * (self->extent / 2 + self->extent % 2);
}

static const char *
read_request (Random                *self,
              const GhloStepRequest *request)
{
  const char *algorithm = ghlo_ir_enum_word (ghlo_ir_op_get (request->op, "rng_algorithm"));
  const GhloView *state = &request->operands[0], *output = &request->results[1];

  self->state_size = (gsize) ghlo_view_count (state) * ghlo_element_info (state->element_type)->size;
  self->is_threefry = g_strcmp0 (algorithm, "THREE_FRY") == 0;
  if (self->state_size != 16 && (self->state_size != 24 || self->is_threefry))
    return "its state is not of a size that its algorithm has";
  self->size = ghlo_element_info (output->element_type)->size;
  self->is_wide = ghlo_element_info (output->element_type)->bits > 32;
  if (self->size > 8)
    return "its elements have more than 64 bits";
  if (!ghlo_shape_count (output->dimensions, output->rank, &self->n))
    return "it has too many results";
  init_narrow (self, output->element_type);
  if (self->n > 0)
    find_split (self, output);
  count_counts (self);

  return NULL;
}

static void
fill_selection (const Random          *self,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  selection->operands[0].dense = TRUE;
  selection->operands[0].in_place = 0;
}

GHLO_CPU_DEFINE_STEP (Random, ghlo_cpu_step_clear_nothing)

/* Words as elements of 32 bits or less, from the element @at on. */
static void
put (const Run     *run,
     gsize          at,
     const guint32 *words,
     gsize          n)
{
  const Random *self = run->random;
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

/* Pairs that are adjacent; where the last one is odd, only its first word. */
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

/* Threefry's words for counts from @count on where they belong. */
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

/* Four words for each of @n counts. */
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
  const Random *self = run->random;
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
  const Random *self = compiled;
  guint64 words[3] = { 0 };
  Run run = { .random = self, .to = results[1].data };

  memcpy (words, operands[0].data, self->state_size);
  run.key = words[0];
  run.low = words[1];
  /* Philox with two words begins with the state reversed. */
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
  const Random *self = compiled;

  return g_strdup (self->is_threefry ? "threefry" : "philox");
}

const GhloStepImplementation ghlo_cpu_step_random = {
  .name = "random",
  .select = select_step,
  .compile = compile,
  .run = run,
  .release = release,
  .describe = describe,
};
