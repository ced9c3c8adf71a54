/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A line is sorted as numbers: the ranks of its elements, with their places below where
 * other things than the ranks move along. A long line is sorted in parts, which are then
 * merged. NaN that is not ordered takes another way (sort-partial.h).
 */

#include "cpu/sort/row.h"

#include "base/sizes.h"
#include "cpu/sort/partial.h"
#include "cpu/sort/values.h"
#include "runtime/parallel.h"

#include <string.h>

enum { MAX_PARTS = 256 };

/* Numbers that a thread merges, or elements that it moves, at once. */
#define PIECE ((gsize) 1 << 16)

/* Nanoseconds for a number: to load and store it, to move it by a digit, to merge it,
 * and to fetch an element from anywhere. */
#define LOAD_COST  2.0
#define DIGIT_COST 1.5
#define MERGE_COST 3.0
#define FETCH_COST 2.0

typedef struct _Job Job;

/* How numbers of one width are made, sorted and merged. */
typedef struct
{
  guint size;
  guint low;            /* where the rank begins, above the place */
  void     (*load)  (Job   *job,
                     guint  part);
  gboolean (*sort)  (Job   *job,
                     guint  part);
  void     (*merge) (Job   *job,
                     gsize  begin,
                     gsize  end);
  void     (*place) (Job   *job,
                     gsize  begin,
                     gsize  end);
} Width;

struct _Job
{
  const GhloCpuSortLine  *line;
  const GhloCpuSortGroup *group;
  const Width            *width;
  const guint8 *const    *from;
  guint8 *const          *to;
  const GhloMonitor      *monitor;
  guint8                 *numbers, *spare;      /* of a width */
  guint32                *places;               /* of elements; those of the groups before, and then of this one */
  guint32                *old_places;           /* NULL in the first group */
  guint8                 *copy;                 /* of a line of one operand */
  GhloCpuSortValues       values[MAX_PARTS];
  GhloCpuRun              runs[MAX_PARTS];
  guint                   n_runs;
  guint                   operand;              /* that is moved */
  gint                    unordered, failed;    /* atomic */
};

static gsize
part_begin (const GhloCpuSortLine *line,
            guint                  part)
{
  return line->n / line->n_parts * part + MIN (part, line->n % line->n_parts);
}

/* The element at the place @i of what is sorted. */
static inline guint32
element_of (const Job *job,
            gsize      i)
{
  if (job->old_places != NULL)
    return job->old_places[i];

  return (guint32) (job->line->comparator.reverses_equal ? job->line->n - 1 - i : i);
}

/* The ranks of @n elements from the place @i on. */
static void
load_ranks (Job     *job,
            gsize    i,
            gsize    n,
            guint64 *ranks)
{
  const GhloCpuSortComparator *comparator = &job->line->comparator;
  const guint32 *places = job->old_places != NULL ? job->old_places + i : NULL;

  for (guint k = 0; k < job->group->n; k++)
    {
      const GhloCpuSortKey *key = &comparator->keys[job->group->first + k];
      const guint8 *from = job->from[key->operand];
      gint64 stride = key->element_size;

      if (places == NULL)
        from += (gsize) element_of (job, i) * key->element_size;
      if (places == NULL && comparator->reverses_equal)
        stride = -stride;
      if (ghlo_cpu_sort_key_rank (key, from, stride, places, n, k > 0, ranks))
        g_atomic_int_set (&job->unordered, TRUE);
    }
}

#define DEFINE_RECORDS(NAME, NUMBER, LOW) \
  static void \
  load_##NAME (Job   *job, \
               guint  part) \
  { \
    gsize begin = part_begin (job->line, part), end = part_begin (job->line, part + 1); \
    NUMBER *numbers = (NUMBER *) job->numbers; \
    guint64 ranks[GHLO_CPU_SORT_CHUNK]; \
    \
    job->runs[part] = (GhloCpuRun) { begin, end - begin }; \
    for (gsize i = begin; i < end; i += GHLO_CPU_SORT_CHUNK) \
      { \
        gsize n = MIN (GHLO_CPU_SORT_CHUNK, end - i); \
        \
        load_ranks (job, i, n, ranks); \
        for (gsize j = 0; j < n; j++) \
          numbers[i + j] = (NUMBER) ranks[j] << LOW | (i + j); \
      } \
  } \
  \
  static void \
  place_##NAME (Job   *job, \
                gsize  begin, \
                gsize  end) \
  { \
    const NUMBER *numbers = (const NUMBER *) job->numbers; \
    \
    for (gsize i = begin; i < end; i++) \
      job->places[i] = element_of (job, (guint32) numbers[i]); \
  }

#define DEFINE_NUMBERS(NAME, NUMBER, LOW) \
  static gboolean \
  sort_##NAME (Job   *job, \
               guint  part) \
  { \
    const GhloCpuRun *run = &job->runs[part]; \
    NUMBER *numbers = (NUMBER *) job->numbers + run->begin, *sorted; \
    \
    if (!ghlo_cpu_sort_##NAME (numbers, (NUMBER *) job->spare + run->begin, run->n, LOW, job->group->bits, \
                               job->monitor, &sorted)) \
      return FALSE; \
    if (sorted != numbers && job->line->n_parts == 1) \
      { \
        job->spare = job->numbers; \
        job->numbers = (guint8 *) sorted; \
      } \
    else if (sorted != numbers) \
      memcpy (numbers, sorted, run->n * sizeof (NUMBER)); \
    return TRUE; \
  } \
  \
  static void \
  merge_##NAME (Job   *job, \
                gsize  begin, \
                gsize  end) \
  { \
    ghlo_cpu_merge_##NAME ((const NUMBER *) job->numbers, job->runs, job->n_runs, (NUMBER *) job->spare, begin, end); \
  }

DEFINE_RECORDS (u64, guint64, 32)
DEFINE_RECORDS (u128, GhloCpuU128, 64)
DEFINE_NUMBERS (u32, guint32, 0)
DEFINE_NUMBERS (u64, guint64, job->width->low)
DEFINE_NUMBERS (u128, GhloCpuU128, 64)

static void
load_values (Job   *job,
             guint  part)
{
  const GhloCpuSortLine *line = job->line;
  gsize begin = part_begin (line, part), end = part_begin (line, part + 1);

  job->runs[part].begin = begin;
  job->runs[part].n = ghlo_cpu_sort_values_load (&job->values[part], &line->comparator, job->from[0], line->n, begin,
                                                 end, job->numbers + begin * job->width->size);
  if (job->values[part].unordered)
    g_atomic_int_set (&job->unordered, TRUE);
}

enum { VALUES_32, VALUES_64, RECORDS_64, RECORDS_128 };

static const Width widths[] = {
  [VALUES_32] = { 4, 0, load_values, sort_u32, merge_u32, NULL },
  [VALUES_64] = { 8, 0, load_values, sort_u64, merge_u64, NULL },
  [RECORDS_64] = { 8, 32, load_u64, sort_u64, merge_u64, place_u64 },
  [RECORDS_128] = { 16, 64, load_u128, sort_u128, merge_u128, place_u128 },
};

static const Width *
choose_width (const GhloCpuSortLine  *line,
              const GhloCpuSortGroup *group)
{
  if (line->values)
    return &widths[group->bits > 32 ? VALUES_64 : VALUES_32];

  return &widths[group->bits > 32 ? RECORDS_128 : RECORDS_64];
}

/* Where things lie in the scratch: offsets, and the size at last. */
typedef struct
{
  gsize numbers, spare, places, old_places, copy, signs, size;
} Layout;

static gboolean
reserve (gsize *size,
         gsize *offset,
         gsize  n,
         gsize  each)
{
  gsize bytes;

  *offset = *size;

  return ghlo_size_mul (&bytes, n, each) && ghlo_size_add (&bytes, bytes, 63)
         && ghlo_size_add (size, *size, bytes & ~(gsize) 63);
}

static gboolean
find_layout (const GhloCpuSortLine *line,
             Layout                *layout)
{
  gsize width = 0, partial = 0;

  *layout = (Layout) { 0 };
  for (guint i = 0; i < line->n_groups; i++)
    width = MAX (width, choose_width (line, &line->groups[i])->size);
  for (guint i = 0; i < line->comparator.n_keys; i++)
    if (line->comparator.keys[i].partial)
      partial = 8 * line->comparator.n_keys;

  /* Numbers and ranks are never wanted at once. */
  return reserve (&layout->size, &layout->numbers, line->n, MAX (width, partial))
         && reserve (&layout->size, &layout->spare, line->n, width)
         && reserve (&layout->size, &layout->places, line->n, line->values && partial == 0 ? 0 : 4)
         && reserve (&layout->size, &layout->old_places, line->n, line->n_groups > 1 || partial > 0 ? 4 : 0)
         && reserve (&layout->size, &layout->copy, line->n, line->most_size)
         && reserve (&layout->size, &layout->signs, line->n, line->values ? 1 : 0);
}

/* From the last key on, as many as fit. */
static void
find_groups (GhloCpuSortLine *line)
{
  GhloCpuSortGroup *group = NULL;

  line->n_groups = 0;
  for (guint i = line->comparator.n_keys; i > 0; i--)
    {
      guint bits = ghlo_cpu_sort_key_bits (&line->comparator.keys[i - 1]);

      if (group == NULL || group->bits + bits > 64)
        {
          group = &line->groups[line->n_groups++];
          *group = (GhloCpuSortGroup) { 0 };
        }
      group->first = i - 1;
      group->n++;
      group->bits += bits;
    }
}

gboolean
ghlo_cpu_sort_line_init (GhloCpuSortLine *self,
                         guint            n_parts)
{
  const GhloCpuSortKey *key = &self->comparator.keys[0];
  Layout layout;
  double cost = 0;

  if (self->n > G_MAXUINT32)
    return FALSE;
  self->values = self->n_operands == 1 && self->comparator.n_keys == 1 && key->size == key->element_size;
  self->n_parts = MIN (n_parts, MAX_PARTS);
  self->most_size = 0;
  for (guint i = 0; i < self->n_operands; i++)
    {
      self->most_size = MAX (self->most_size, self->sizes[i]);
      cost += self->values ? 0 : FETCH_COST;
    }
  find_groups (self);
  for (guint i = 0; i < self->n_groups; i++)
    cost += LOAD_COST + MAX (DIGIT_COST * self->groups[i].bits / 8, 4);
  if (!find_layout (self, &layout))
    return FALSE;
  self->scratch = layout.size;
  self->nanoseconds = cost * (double) self->n;

  return TRUE;
}

static void
load_and_sort (gpointer data,
               gsize    begin,
               gsize    end,
               guint    worker)
{
  Job *job = data;

  for (gsize part = begin; part < end; part++)
    {
      job->width->load (job, (guint) part);
      if (!g_atomic_int_get (&job->unordered) && !job->width->sort (job, (guint) part))
        g_atomic_int_set (&job->failed, TRUE);
    }
}

static void
merge_piece (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  Job *job = data;

  job->width->merge (job, begin, end);
}

/* Numbers in order, from the first on. */
static gboolean
merge_parts (Job   *job,
             gsize  n)
{
  for (job->n_runs = job->line->n_parts; job->n_runs > 1; job->n_runs = (job->n_runs + 1) / 2)
    {
      guint8 *kept = job->numbers;
      gsize at = 0;

      if (!ghlo_parallel_for (n, PIECE, MERGE_COST * (double) n, merge_piece, job, job->monitor))
        return FALSE;
      job->numbers = job->spare;
      job->spare = kept;
      for (guint i = 0; i < job->n_runs; i += 2)
        {
          gsize both = job->runs[i].n + (i + 1 < job->n_runs ? job->runs[i + 1].n : 0);

          job->runs[i / 2] = (GhloCpuRun) { at, both };
          at += both;
        }
    }

  return TRUE;
}

static void
place_piece (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  Job *job = data;

  job->width->place (job, begin, end);
}

#define DEFINE_FETCH(SIZE, UNIT) \
  static void \
  fetch_##SIZE (const guint8  *from, \
                guint8        *to, \
                const guint32 *places, \
                gsize          n) \
  { \
    typedef UNIT Unit __attribute__ ((aligned (1), may_alias)); \
    \
    for (gsize i = 0; i < n; i++) \
      ((Unit *) to)[i] = ((const Unit *) from)[places[i]]; \
  }

DEFINE_FETCH (1, guint8)
DEFINE_FETCH (2, guint16)
DEFINE_FETCH (4, guint32)
DEFINE_FETCH (8, guint64)
DEFINE_FETCH (16, GhloCpuU128)

void
ghlo_cpu_sort_fetch (guint          size,
                     const guint8  *from,
                     guint8        *to,
                     const guint32 *places,
                     gsize          n)
{
  static void (*const funcs[]) (const guint8 *, guint8 *, const guint32 *, gsize) = {
    [1] = fetch_1, [2] = fetch_2, [4] = fetch_4, [8] = fetch_8, [16] = fetch_16,
  };

  funcs[size] (from, to, places, n);
}

static void
fetch_piece (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  const Job *job = data;
  guint size = job->line->sizes[job->operand];
  const guint8 *from = job->from[job->operand];
  guint8 *to = job->to[job->operand];

  ghlo_cpu_sort_fetch (size, from == to ? job->copy : from, to + begin * size, job->places + begin, end - begin);
}

/* Moves the elements of all operands. */
static gboolean
fetch (Job *job)
{
  const GhloCpuSortLine *line = job->line;

  for (job->operand = 0; job->operand < line->n_operands; job->operand++)
    {
      guint i = job->operand;

      if (job->from[i] == job->to[i])
        memcpy (job->copy, job->from[i], line->n * line->sizes[i]);
      if (!ghlo_parallel_for (line->n, PIECE, FETCH_COST * (double) line->n, fetch_piece, job, job->monitor))
        return FALSE;
    }

  return TRUE;
}

static gboolean
run_partial (Job     *job,
             guint32 *places[2])
{
  const GhloCpuSortLine *line = job->line;
  guint64 *ranks = (guint64 *) job->numbers;

  for (guint k = 0; k < line->comparator.n_keys; k++)
    {
      const GhloCpuSortKey *key = &line->comparator.keys[k];

      for (gsize i = 0; i < line->n; i += GHLO_CPU_SORT_CHUNK)
        ghlo_cpu_sort_key_rank (key, job->from[key->operand] + i * key->element_size, key->element_size, NULL,
                                MIN (GHLO_CPU_SORT_CHUNK, line->n - i), FALSE, ranks + k * line->n + i);
    }

  return ghlo_cpu_sort_partial (&line->comparator, ranks, places[0], places[1], line->n, job->monitor,
                                &job->places) && fetch (job);
}

static void
store_piece (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  const Job *job = data;

  ghlo_cpu_sort_values_store (job->values, job->line->n_parts, &job->line->comparator.keys[0], job->numbers, begin, end,
                              job->to[0]);
}

static gboolean
store_values (Job   *job,
              gsize  n)
{
  const GhloCpuSortLine *line = job->line;

  if (!ghlo_parallel_for (n, PIECE, LOAD_COST * (double) n, store_piece, job, job->monitor))
    return FALSE;
  ghlo_cpu_sort_values_store_kept (job->values, line->n_parts, &line->comparator.keys[0], job->numbers, n, job->to[0]);

  return TRUE;
}

/* One group's sort. FALSE when cancelled, or when an element is not ordered. */
static gboolean
sort_group (Job                    *job,
            const GhloCpuSortGroup *group)
{
  const GhloCpuSortLine *line = job->line;
  gsize n = 0;

  job->group = group;
  job->width = choose_width (line, group);
  if (!ghlo_parallel_for (line->n_parts, 1, line->nanoseconds, load_and_sort, job, job->monitor)
      || job->failed || job->unordered)
    return FALSE;
  for (guint i = 0; i < line->n_parts; i++)
    n += job->runs[i].n;
  if (!merge_parts (job, n))
    return FALSE;
  if (line->values)
    return store_values (job, n);

  return ghlo_parallel_for (n, PIECE, LOAD_COST * (double) n, place_piece, job, job->monitor);
}

static gboolean
sort_groups (Job     *job,
             guint32 *other_places)
{
  for (guint i = 0; i < job->line->n_groups; i++)
    {
      if (i > 0)
        {
          guint32 *kept = job->old_places != NULL ? job->old_places : other_places;

          job->old_places = job->places;
          job->places = kept;
        }
      if (!sort_group (job, &job->line->groups[i]))
        return FALSE;
    }

  return job->line->values || fetch (job);
}

gboolean
ghlo_cpu_sort_line_run (const GhloCpuSortLine *self,
                        const guint8 *const   *from,
                        guint8 *const         *to,
                        gpointer               scratch,
                        const GhloMonitor     *monitor)
{
  Layout layout;
  Job job;
  guint32 *places[2];

  find_layout (self, &layout);
  /* Not all of it: short lines take less time than clearing what long ones want. */
  job.line = self;
  job.from = from;
  job.to = to;
  job.monitor = monitor;
  job.old_places = NULL;
  job.unordered = job.failed = FALSE;
  places[0] = (gpointer) ((guint8 *) scratch + layout.places);
  places[1] = (gpointer) ((guint8 *) scratch + layout.old_places);
  job.numbers = (guint8 *) scratch + layout.numbers;
  job.spare = (guint8 *) scratch + layout.spare;
  job.copy = (guint8 *) scratch + layout.copy;
  job.places = places[0];
  for (guint i = 0; self->values && i < self->n_parts; i++)
    {
      job.values[i].signs = (guint8 *) scratch + layout.signs + part_begin (self, i);
      job.values[i].nans = job.copy + part_begin (self, i) * self->sizes[0];
    }

  if (self->values && self->sizes[0] == 1)
    {
      if (ghlo_cpu_sort_bytes (&self->comparator, from[0], to[0], self->n, job.copy))
        return TRUE;
    }
  else if (sort_groups (&job, places[1]))
    return TRUE;
  else if (!job.unordered)
    return FALSE;

  job.numbers = (guint8 *) scratch + layout.numbers;
  return run_partial (&job, places);
}
