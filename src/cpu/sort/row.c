/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A row is sorted as numbers: the ranks of its elements, with their positions in the lower bits unless elements can
 * be reconstructed from their ranks. A long row is sorted in parts, which are then merged. Rows with NaN that is not
 * ordered are sorted by partial.h.
 */

#include "cpu/sort/row.h"

#include "base/sizes.h"
#include "cpu/sort/partial.h"
#include "cpu/sort/values.h"
#include "runtime/parallel.h"

#include <string.h>

enum { MAX_PARTS = 256 };

/* Numbers that a thread merges, or elements that it copies, at a time. */
#define GRAIN ((gsize) 1 << 16)

/* Nanoseconds to load and store a number, to sort it by one digit, to merge it, and to copy an element from any
 * position. */
#define LOAD_COST  2.0
#define DIGIT_COST 1.5
#define MERGE_COST 3.0
#define FETCH_COST 2.0

typedef struct _Job Job;

/* How numbers of one width are loaded, sorted and merged. */
typedef struct
{
  guint size;
  guint low;            /* lowest bit of the rank; the position is below it */
  gboolean (*load)  (Job   *job,
                     guint  part);
  gboolean (*sort)  (Job   *job,
                     guint  part);
  void     (*merge) (Job   *job,
                     gsize  begin,
                     gsize  end);
  void     (*store_positions) (Job   *job,
                               gsize  begin,
                               gsize  end);
} Width;

struct _Job
{
  const GhloCpuSortRow   *row;
  const GhloCpuSortGroup *group;
  const Width            *width;
  const guint8 *const    *from;
  guint8 *const          *to;
  const GhloMonitor      *monitor;
  guint8                 *numbers, *spare;      /* of width->size bytes each */
  guint32                *positions;            /* of elements, as sorted by previous groups, then by this one */
  guint32                *old_positions;        /* NULL in the first group */
  guint8                 *copy;                 /* copy of the row of one operand */
  GhloCpuSortValues       values[MAX_PARTS];
  GhloCpuRun              runs[MAX_PARTS];
  guint                   n_runs;
  guint                   operand;              /* the operand that is being permuted */
  gint                    unordered, failed;    /* atomic */
};

/* The element at position @i before this group is sorted. */
static inline guint32
element_of (const Job *job,
            gsize      i)
{
  if (job->old_positions != NULL)
    return job->old_positions[i];

  return (guint32) (job->row->comparator.reverses_equal ? job->row->n - 1 - i : i);
}

/* Computes the ranks of @n elements from position @i on. */
static void
load_ranks (Job     *job,
            gsize    i,
            gsize    n,
            guint64 *ranks)
{
  const GhloSortComparator *comparator = &job->row->comparator;
  const guint32 *positions = job->old_positions != NULL ? job->old_positions + i : NULL;

  g_assert (job->group->n > 0);
  for (guint k = 0; k < job->group->n; k++)
    {
      const GhloSortKey *key = &comparator->keys[job->group->first + k];
      const guint8 *from = job->from[key->operand];
      gint64 stride = key->element_size;

      if (positions == NULL)
        from += (gsize) element_of (job, i) * key->element_size;
      if (positions == NULL && comparator->reverses_equal)
        stride = -stride;
      if (ghlo_cpu_sort_key_rank (key, from, stride, positions, n, k > 0, ranks))
        g_atomic_int_set (&job->unordered, TRUE);
    }
}

#define DEFINE_RECORDS(NAME, NUMBER, LOW) \
  static gboolean \
  load_##NAME (Job   *job, \
               guint  part) \
  { \
    gsize begin = ghlo_cpu_sort_part_begin (job->row->n, job->row->n_parts, part); \
    gsize end = ghlo_cpu_sort_part_begin (job->row->n, job->row->n_parts, part + 1); \
    NUMBER *numbers = (gpointer) job->numbers; \
    guint64 ranks[GHLO_CPU_SORT_CHUNK]; \
    \
    job->runs[part] = (GhloCpuRun) { begin, end - begin }; \
    for (gsize i = begin; i < end; i += GHLO_CPU_SORT_CHUNK) \
      { \
        gsize n = MIN (GHLO_CPU_SORT_CHUNK, end - i); \
        \
        if (ghlo_cpu_sort_is_cancelled (i - begin, job->monitor)) \
          return FALSE; \
        load_ranks (job, i, n, ranks); \
        for (gsize j = 0; j < n; j++) \
          numbers[i + j] = (NUMBER) ranks[j] << LOW | (i + j); \
      } \
    return TRUE; \
  } \
  \
  static void \
  store_positions_##NAME (Job   *job, \
                          gsize  begin, \
                          gsize  end) \
  { \
    const NUMBER *numbers = (gconstpointer) job->numbers; \
    \
    for (gsize i = begin; i < end; i++) \
      job->positions[i] = element_of (job, (guint32) numbers[i]); \
  }

#define DEFINE_NUMBERS(NAME, NUMBER, LOW) \
  static gboolean \
  sort_##NAME (Job   *job, \
               guint  part) \
  { \
    const GhloCpuRun *run = &job->runs[part]; \
    NUMBER *numbers = (NUMBER *) (gpointer) job->numbers + run->begin, *sorted; \
    \
    if (!ghlo_cpu_sort_##NAME (numbers, (NUMBER *) (gpointer) job->spare + run->begin, run->n, LOW, \
                               job->group->bits, job->monitor, &sorted)) \
      return FALSE; \
    if (sorted != numbers && job->row->n_parts == 1) \
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
    ghlo_cpu_merge_##NAME ((gconstpointer) job->numbers, job->runs, job->n_runs, (gpointer) job->spare, begin, end); \
  }

DEFINE_RECORDS (u64, guint64, 32)
DEFINE_RECORDS (u128, GhloCpuU128, 64)
DEFINE_NUMBERS (u32, guint32, 0)
DEFINE_NUMBERS (u64, guint64, job->width->low)
DEFINE_NUMBERS (u128, GhloCpuU128, 64)

static gboolean
load_values (Job   *job,
             guint  part)
{
  const GhloCpuSortRow *row = job->row;
  gsize begin = ghlo_cpu_sort_part_begin (row->n, row->n_parts, part);
  gsize end = ghlo_cpu_sort_part_begin (row->n, row->n_parts, part + 1);

  if (!ghlo_cpu_sort_values_load (&job->values[part], &row->comparator, job->from[0], row->n, begin, end,
                                  job->numbers + begin * job->width->size, job->monitor))
    return FALSE;
  job->runs[part] = (GhloCpuRun) { begin, job->values[part].n_numbers };
  if (job->values[part].unordered)
    g_atomic_int_set (&job->unordered, TRUE);

  return TRUE;
}

enum { VALUES_32, VALUES_64, RECORDS_64, RECORDS_128 };

static const Width widths[] = {
  [VALUES_32] = { 4, 0, load_values, sort_u32, merge_u32, NULL },
  [VALUES_64] = { 8, 0, load_values, sort_u64, merge_u64, NULL },
  [RECORDS_64] = { 8, 32, load_u64, sort_u64, merge_u64, store_positions_u64 },
  [RECORDS_128] = { 16, 64, load_u128, sort_u128, merge_u128, store_positions_u128 },
};

static const Width *
choose_width (const GhloCpuSortRow   *row,
              const GhloCpuSortGroup *group)
{
  if (row->values)
    return &widths[group->bits > 32 ? VALUES_64 : VALUES_32];

  return &widths[group->bits > 32 ? RECORDS_128 : RECORDS_64];
}

/* Offsets in the scratch, and its size. */
typedef struct
{
  gsize numbers, spare, positions, old_positions, copy, signs, size;
} Layout;

static gboolean
find_layout (const GhloCpuSortRow *row,
             Layout               *layout)
{
  gsize width = 0, partial = 0;

  *layout = (Layout) { 0 };
  for (guint i = 0; i < row->n_groups; i++)
    width = MAX (width, choose_width (row, &row->groups[i])->size);
  for (guint i = 0; i < row->comparator.n_keys; i++)
    if (row->comparator.keys[i].partial)
      partial = 8 * row->comparator.n_keys;

  /* Numbers and the ranks of a partial key are not needed at the same time. */
  return ghlo_size_reserve (&layout->size, &layout->numbers, row->n, MAX (width, partial))
         && ghlo_size_reserve (&layout->size, &layout->spare, row->n, width)
         && ghlo_size_reserve (&layout->size, &layout->positions, row->n, row->values && partial == 0 ? 0 : 4)
         && ghlo_size_reserve (&layout->size, &layout->old_positions, row->n, row->n_groups > 1 || partial > 0 ? 4 : 0)
         && ghlo_size_reserve (&layout->size, &layout->copy, row->n, row->most_size)
         && ghlo_size_reserve (&layout->size, &layout->signs, row->n, row->values ? 1 : 0);
}

/* Groups keys, beginning with the last one, as many as fit into 64 bits. */
static void
find_groups (GhloCpuSortRow *row)
{
  GhloCpuSortGroup *group = NULL;

  row->n_groups = 0;
  for (guint i = row->comparator.n_keys; i > 0; i--)
    {
      guint bits = ghlo_sort_key_bits (&row->comparator.keys[i - 1]);

      if (group == NULL || group->bits + bits > 64)
        {
          group = &row->groups[row->n_groups++];
          *group = (GhloCpuSortGroup) { 0 };
        }
      group->first = i - 1;
      group->n++;
      group->bits += bits;
    }
}

gboolean
ghlo_cpu_sort_row_init (GhloCpuSortRow *self,
                        guint           n_parts)
{
  const GhloSortKey *key = &self->comparator.keys[0];
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
      if (!job->width->load (job, (guint) part)
          || (!g_atomic_int_get (&job->unordered) && !job->width->sort (job, (guint) part)))
        g_atomic_int_set (&job->failed, TRUE);
    }
}

static void
merge_range (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  Job *job = data;

  job->width->merge (job, begin, end);
}

/* Merges the sorted parts, which have @n numbers together. */
static gboolean
merge_parts (Job   *job,
             gsize  n)
{
  for (job->n_runs = job->row->n_parts; job->n_runs > 1; job->n_runs = (job->n_runs + 1) / 2)
    {
      guint8 *kept = job->numbers;
      gsize at = 0;

      if (!ghlo_parallel_for (n, GRAIN, MERGE_COST * (double) n, merge_range, job, job->monitor))
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
store_positions (gpointer data,
                 gsize    begin,
                 gsize    end,
                 guint    worker)
{
  Job *job = data;

  job->width->store_positions (job, begin, end);
}

#define DEFINE_FETCH(SIZE, UNIT) \
  static void \
  fetch_##SIZE (const guint8  *from, \
                guint8        *to, \
                const guint32 *positions, \
                gsize          n) \
  { \
    typedef UNIT Unit __attribute__ ((aligned (1), may_alias)); \
    \
    for (gsize i = 0; i < n; i++) \
      ((Unit *) to)[i] = ((const Unit *) from)[positions[i]]; \
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
                     const guint32 *positions,
                     gsize          n)
{
  static void (*const funcs[]) (const guint8 *, guint8 *, const guint32 *, gsize) = {
    [1] = fetch_1, [2] = fetch_2, [4] = fetch_4, [8] = fetch_8, [16] = fetch_16,
  };

  funcs[size] (from, to, positions, n);
}

static void
fetch_range (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  const Job *job = data;
  guint size = job->row->sizes[job->operand];
  const guint8 *from = job->from[job->operand];
  guint8 *to = job->to[job->operand];

  ghlo_cpu_sort_fetch (size, from == to ? job->copy : from, to + begin * size, job->positions + begin, end - begin);
}

/* Copies the elements of all operands to their new positions. */
static gboolean
fetch (Job *job)
{
  const GhloCpuSortRow *row = job->row;

  for (job->operand = 0; job->operand < row->n_operands; job->operand++)
    {
      guint i = job->operand;

      if (job->from[i] == job->to[i]
          && !ghlo_cpu_sort_copy (job->copy, job->from[i], row->n * row->sizes[i], job->monitor))
        return FALSE;
      if (!ghlo_parallel_for (row->n, GRAIN, FETCH_COST * (double) row->n, fetch_range, job, job->monitor))
        return FALSE;
    }

  return TRUE;
}

static gboolean
run_partial (Job     *job,
             guint32 *positions[2])
{
  const GhloCpuSortRow *row = job->row;
  guint64 *ranks = (gpointer) job->numbers;

  for (guint k = 0; k < row->comparator.n_keys; k++)
    {
      const GhloSortKey *key = &row->comparator.keys[k];

      for (gsize i = 0; i < row->n; i += GHLO_CPU_SORT_CHUNK)
        {
          if (ghlo_cpu_sort_is_cancelled (i, job->monitor))
            return FALSE;
          ghlo_cpu_sort_key_rank (key, job->from[key->operand] + i * key->element_size, key->element_size, NULL,
                                  MIN (GHLO_CPU_SORT_CHUNK, row->n - i), FALSE, ranks + k * row->n + i);
        }
    }

  return ghlo_cpu_sort_partial (&row->comparator, ranks, positions[0], positions[1], row->n, job->monitor,
                                &job->positions) && fetch (job);
}

static void
store_range (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  const Job *job = data;

  ghlo_cpu_sort_values_store (job->values, job->row->n_parts, &job->row->comparator.keys[0], job->numbers, begin, end,
                              job->to[0]);
}

static gboolean
store_values (Job   *job,
              gsize  n)
{
  const GhloCpuSortRow *row = job->row;

  if (!ghlo_parallel_for (n, GRAIN, LOAD_COST * (double) n, store_range, job, job->monitor))
    return FALSE;
  ghlo_cpu_sort_values_store_kept (job->values, row->n_parts, &row->comparator.keys[0], job->numbers, n, job->to[0]);

  return TRUE;
}

/* Sorts by one group of keys. FALSE when cancelled, or where an element is not ordered. */
static gboolean
sort_group (Job                    *job,
            const GhloCpuSortGroup *group)
{
  const GhloCpuSortRow *row = job->row;
  gsize n = 0;

  job->group = group;
  job->width = choose_width (row, group);
  if (!ghlo_parallel_for (row->n_parts, 1, row->nanoseconds, load_and_sort, job, job->monitor)
      || job->failed || job->unordered)
    return FALSE;
  for (guint i = 0; i < row->n_parts; i++)
    n += job->runs[i].n;
  if (!merge_parts (job, n))
    return FALSE;
  if (row->values)
    return store_values (job, n);

  return ghlo_parallel_for (n, GRAIN, LOAD_COST * (double) n, store_positions, job, job->monitor);
}

static gboolean
sort_groups (Job     *job,
             guint32 *other_positions)
{
  for (guint i = 0; i < job->row->n_groups; i++)
    {
      if (i > 0)
        {
          guint32 *kept = job->old_positions != NULL ? job->old_positions : other_positions;

          job->old_positions = job->positions;
          job->positions = kept;
        }
      if (!sort_group (job, &job->row->groups[i]))
        return FALSE;
    }

  return job->row->values || fetch (job);
}

gboolean
ghlo_cpu_sort_row_run (const GhloCpuSortRow *self,
                       const guint8 *const  *from,
                       guint8 *const        *to,
                       gpointer              scratch,
                       const GhloMonitor    *monitor)
{
  Layout layout;
  Job job;
  guint32 *positions[2];
  gboolean done;

  find_layout (self, &layout);
  /* The other fields stay uninitialized: sorting a short row takes less time than clearing the arrays for long
   * ones. */
  job.row = self;
  job.from = from;
  job.to = to;
  job.monitor = monitor;
  job.old_positions = NULL;
  job.unordered = job.failed = FALSE;
  positions[0] = (gpointer) ((guint8 *) scratch + layout.positions);
  positions[1] = (gpointer) ((guint8 *) scratch + layout.old_positions);
  job.numbers = (guint8 *) scratch + layout.numbers;
  job.spare = (guint8 *) scratch + layout.spare;
  job.copy = (guint8 *) scratch + layout.copy;
  job.positions = positions[0];
  for (guint i = 0; self->values && i < self->n_parts; i++)
    {
      job.values[i].signs = (guint8 *) scratch + layout.signs + ghlo_cpu_sort_part_begin (self->n, self->n_parts, i);
      job.values[i].nans = job.copy + ghlo_cpu_sort_part_begin (self->n, self->n_parts, i) * self->sizes[0];
    }

  if (self->values && self->sizes[0] == 1)
    done = ghlo_cpu_sort_bytes (&self->comparator, from[0], to[0], self->n, job.copy, monitor, &job.unordered);
  else
    done = sort_groups (&job, positions[1]);
  if (done || !job.unordered)
    return done;

  job.numbers = (guint8 *) scratch + layout.numbers;
  return run_partial (&job, positions);
}
