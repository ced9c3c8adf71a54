/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A row is sorted as numbers: the ranks of its elements, with their positions in the lower bits unless elements can
 * be told from their ranks. Where a row turns out to have elements that cannot (-0 that equals +0, or NaN), it is
 * sorted again with positions. A long row is sorted in parts, which are then merged. Rows with NaN that is not ordered
 * are sorted by partial.h.
 */

#include "cpu/sort/row.h"

#include "base/sizes.h"
#include "cpu/sort/bytes.h"
#include "cpu/sort/partial.h"
#include "runtime/parallel.h"

#include <string.h>

enum { MAX_PARTS = 256 };

/* Numbers that a thread merges, or elements that it copies, at a time. */
#define GRAIN ((gsize) 1 << 16)

/* Nanoseconds to load and store a number, to sort it, for each halving of the row, to merge it, and to copy an element
 * from any position. */
#define LOAD_COST  1.0
#define SORT_COST  0.2
#define MERGE_COST 3.0
#define FETCH_COST 2.0

typedef struct _Job Job;

/* How numbers of one width are sorted and merged. */
typedef struct
{
  guint size;
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
  GhloCpuSortNumbers      kind;
  const Width            *width;
  const guint8 *const    *from;
  guint8 *const          *to;
  const GhloMonitor      *monitor;
  guint8                 *numbers, *spare;      /* of width->size bytes each */
  guint32                *positions;            /* of elements, as sorted by previous groups, then by this one */
  guint32                *old_positions;        /* NULL in the first group */
  guint8                 *copy;                 /* copy of the row of one operand */
  GhloCpuRun              runs[MAX_PARTS];
  guint                   n_runs;
  guint                   operand;              /* the operand that is being permuted */
  /* Atomic; some element is not ordered, or cannot be told from its rank, or the work was cancelled: */
  gint                    unordered, ambiguous, failed;
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
load_ranks (Job      *job,
            gsize     i,
            gsize     n,
            gboolean  wide,
            gpointer  ranks)
{
  const GhloCpuSortRow *row = job->row;
  const guint32 *positions = job->old_positions != NULL ? job->old_positions + i : NULL;
  gboolean backward = row->comparator.reverses_equal && job->kind.records && positions == NULL;

  g_assert (job->group->n > 0);
  for (guint k = job->group->first; k < job->group->first + job->group->n; k++)
    {
      const GhloSortKey *key = &row->comparator.keys[k];
      const guint8 *from = job->from[key->operand];
      gint64 stride = backward ? -(gint64) key->element_size : key->element_size;
      guint found;

      if (positions == NULL)
        from += (backward ? element_of (job, i) : i) * key->element_size;
      found = ghlo_cpu_sort_key_append (key, &row->ranks[k], from, stride, positions, n, k > job->group->first,
                                        wide, ranks);
      if (found & GHLO_CPU_RANK_NANS && key->partial)
        g_atomic_int_set (&job->unordered, TRUE);
      else if (found != 0 && !job->kind.records)
        g_atomic_int_set (&job->ambiguous, TRUE);
    }
}

/* Takes the bits of a group from ranks of 64 bits. */
static void
cut_ranks (const Job     *job,
           const guint64 *ranks,
           gsize          n,
           guint8        *numbers)
{
  guint64 mask = G_MAXUINT64 >> (64 - job->group->bits);

  if (job->kind.width == GHLO_CPU_SORT_32)
    for (gsize i = 0; i < n; i++)
      ((guint32 *) (gpointer) numbers)[i] = (guint32) (ranks[i] >> job->group->shift & mask);
  else
    for (gsize i = 0; i < n; i++)
      ((guint64 *) (gpointer) numbers)[i] = ranks[i] >> job->group->shift & mask;
}

static gboolean
load_part (Job   *job,
           guint  part)
{
  const GhloCpuSortRow *row = job->row;
  gsize begin = ghlo_cpu_sort_part_begin (row->n, row->n_parts, part);
  gsize end = ghlo_cpu_sort_part_begin (row->n, row->n_parts, part + 1);
  gboolean cut = job->group->n == 1
                 && job->group->bits < ghlo_sort_key_bits (&row->comparator.keys[job->group->first]);

  job->runs[part] = (GhloCpuRun) { begin, end - begin };
  for (gsize i = begin; i < end; i += GHLO_CPU_SORT_CHUNK)
    {
      gsize n = MIN (GHLO_CPU_SORT_CHUNK, end - i);
      guint8 *numbers = job->numbers + i * job->width->size;
      guint64 chunk[GHLO_CPU_SORT_CHUNK];

      if (ghlo_cpu_sort_is_cancelled (i - begin, job->monitor))
        return FALSE;
      load_ranks (job, i, n, cut || job->kind.width != GHLO_CPU_SORT_32, cut ? chunk : (gpointer) numbers);
      if (cut)
        cut_ranks (job, chunk, n, numbers);
      if (job->kind.records)
        ghlo_cpu_routines ()->sort.place[job->kind.width] (numbers, n, job->kind.low, i);
    }

  return TRUE;
}

#define DEFINE_NUMBERS(NAME, NUMBER) \
  static gboolean \
  sort_##NAME (Job   *job, \
               guint  part) \
  { \
    const GhloCpuRun *run = &job->runs[part]; \
    \
    return ghlo_cpu_sort_##NAME ((NUMBER *) (gpointer) job->numbers + run->begin, \
                                 (NUMBER *) (gpointer) job->spare + run->begin, run->n, job->monitor); \
  } \
  \
  static void \
  merge_##NAME (Job   *job, \
                gsize  begin, \
                gsize  end) \
  { \
    ghlo_cpu_merge_##NAME ((gconstpointer) job->numbers, job->runs, job->n_runs, (gpointer) job->spare, begin, end); \
  } \
  \
  static void \
  store_positions_##NAME (Job   *job, \
                          gsize  begin, \
                          gsize  end) \
  { \
    const NUMBER *numbers = (gconstpointer) job->numbers; \
    const guint32 mask = job->kind.low < 32 ? (1u << job->kind.low) - 1 : G_MAXUINT32; \
    \
    for (gsize i = begin; i < end; i++) \
      job->positions[i] = element_of (job, (guint32) numbers[i] & mask); \
  }

DEFINE_NUMBERS (u32, guint32)
DEFINE_NUMBERS (u64, guint64)

static const Width widths[] = {
  { sizeof (guint32), sort_u32, merge_u32, store_positions_u32 },
  { sizeof (guint64), sort_u64, merge_u64, store_positions_u64 },
};

/* The bits of the position among @n elements. */
static guint
position_bits (gsize n)
{
  return g_bit_storage (MAX (n, 2) - 1);
}

GhloCpuSortNumbers
ghlo_cpu_sort_numbers (const GhloCpuSortGroup *group,
                       gboolean                records,
                       gsize                   n)
{
  guint low = records ? position_bits (n) : 0;

  return (GhloCpuSortNumbers) { group->bits + low <= 32 ? GHLO_CPU_SORT_32 : GHLO_CPU_SORT_64, low, records };
}

static gboolean
find_layout (GhloCpuSortRow *self)
{
  GhloCpuSortLayout *layout = &self->layout;
  /* Also elements that may turn out not to be told from their ranks are sorted by position. */
  gboolean records = !self->values || ghlo_sort_key_is_lossy (&self->comparator.keys[0]) || self->ranks[0].table;
  gsize width = 0, partial = 0;

  if (self->values)
    width = widths[ghlo_cpu_sort_numbers (&self->all, FALSE, self->n).width].size;
  for (guint i = 0; records && i < self->n_groups; i++)
    width = MAX (width, widths[ghlo_cpu_sort_numbers (&self->groups[i], TRUE, self->n).width].size);
  for (guint i = 0; i < self->comparator.n_keys; i++)
    if (self->comparator.keys[i].partial)
      partial = 8 * self->comparator.n_keys;
  self->scratch = 0;

  /* Numbers and the ranks of a partial key are not needed at the same time. */
  return ghlo_size_reserve (&self->scratch, &layout->numbers, self->n, MAX (width, partial))
         && ghlo_size_reserve (&self->scratch, &layout->spare, self->n, width)
         && ghlo_size_reserve (&self->scratch, &layout->positions, self->n, records ? 4 : 0)
         && ghlo_size_reserve (&self->scratch, &layout->old_positions, self->n,
                               self->n_groups > 1 || partial > 0 ? 4 : 0)
         && ghlo_size_reserve (&self->scratch, &layout->copy, self->n, self->most_size);
}

/* Groups keys, beginning with the last one, as many as fit into 64 bits with positions. A key that does not fit is
 * split. */
static void
find_groups (GhloCpuSortRow *row)
{
  GhloCpuSortGroup *group = NULL;
  guint most = 64 - position_bits (row->n);

  row->n_groups = 0;
  row->all = (GhloCpuSortGroup) { .n = row->comparator.n_keys };
  for (guint i = row->comparator.n_keys; i > 0; i--)
    {
      guint bits = ghlo_sort_key_bits (&row->comparator.keys[i - 1]), cut = bits > most ? bits - most : 0;

      row->all.bits += bits;
      if (group != NULL && group->bits + bits <= most)
        {
          group->first--;
          group->n++;
          group->bits += bits;
          continue;
        }
      if (cut > 0)
        row->groups[row->n_groups++] = (GhloCpuSortGroup) { i - 1, 1, cut, 0 };
      group = &row->groups[row->n_groups++];
      *group = (GhloCpuSortGroup) { i - 1, 1, bits - cut, cut };
    }
}

gboolean
ghlo_cpu_sort_row_counts (const GhloCpuSortRow *self)
{
  return self->values && self->sizes[0] == 1 && (self->n > GHLO_CPU_SORT_BLOCK || self->ranks[0].table);
}

gboolean
ghlo_cpu_sort_row_init (GhloCpuSortRow *self,
                        guint           n_parts)
{
  const GhloSortKey *key = &self->comparator.keys[0];
  double cost = 0;

  if (self->n > G_MAXUINT32)
    return FALSE;
  self->values = self->n_operands == 1 && self->comparator.n_keys == 1 && key->size == key->element_size;
  self->n_parts = MIN (n_parts, MAX_PARTS);
  self->most_size = 0;
  for (guint i = 0; i < self->comparator.n_keys; i++)
    self->ranks[i] = ghlo_cpu_sort_key_rank (&self->comparator.keys[i]);
  for (guint i = 0; i < self->n_operands; i++)
    {
      self->most_size = MAX (self->most_size, self->sizes[i]);
      cost += self->values ? 0 : FETCH_COST;
    }
  find_groups (self);
  for (guint i = 0; i < self->n_groups; i++)
    cost += LOAD_COST + SORT_COST * (self->groups[i].bits > 32 ? 2 : 1) * g_bit_storage (self->n);
  self->nanoseconds = cost * (double) self->n;

  return find_layout (self);
}

/* Calls @func for all of [0, n), whose parts several threads may compute; short rows are not worth that. */
static gboolean
run_parts (Job              *job,
           gsize             n,
           gsize             grain,
           double            nanoseconds,
           GhloParallelFunc  func)
{
  if (n > grain)
    return ghlo_parallel_for (n, grain, nanoseconds, func, job, job->monitor);
  func (job, 0, n, 0);

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
      if (!load_part (job, (guint) part)
          || (!g_atomic_int_get (&job->unordered) && !g_atomic_int_get (&job->ambiguous)
              && !job->width->sort (job, (guint) part)))
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

      if (!run_parts (job, n, GRAIN, MERGE_COST * (double) n, merge_range))
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

typedef guint64 Pair __attribute__ ((vector_size (16)));

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
DEFINE_FETCH (16, Pair)

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
      if (!run_parts (job, row->n, GRAIN, FETCH_COST * (double) row->n, fetch_range))
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
          ghlo_cpu_sort_key_append (key, &row->ranks[k], job->from[key->operand] + i * key->element_size,
                                    key->element_size, NULL, MIN (GHLO_CPU_SORT_CHUNK, row->n - i), FALSE, TRUE,
                                    ranks + k * row->n + i);
        }
    }

  return ghlo_cpu_sort_partial (&row->comparator, ranks, positions[0], positions[1], row->n, job->monitor,
                                &job->positions) && fetch (job);
}

static void
store_values (gpointer data,
              gsize    begin,
              gsize    end,
              guint    worker)
{
  const Job *job = data;
  guint size = job->row->sizes[0];

  ghlo_cpu_routines ()->sort.unrank[job->kind.width][g_bit_storage (size) - 1] (
    &job->row->ranks[0], job->numbers + begin * job->width->size, end - begin, 0, 0, job->to[0] + begin * size);
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

/* Sorts by one group of keys. FALSE when cancelled, or where elements are not ordered or ambiguous. */
static gboolean
sort_group (Job                    *job,
            const GhloCpuSortGroup *group,
            gboolean                records)
{
  const GhloCpuSortRow *row = job->row;

  job->group = group;
  job->kind = ghlo_cpu_sort_numbers (group, records, row->n);
  job->width = &widths[job->kind.width];

  return run_parts (job, row->n_parts, 1, row->nanoseconds, load_and_sort)
         && !job->failed && !job->unordered && !job->ambiguous && merge_parts (job, row->n)
         && run_parts (job, row->n, GRAIN, LOAD_COST * (double) row->n, records ? store_positions : store_values);
}

static gboolean
sort_records (Job     *job,
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
      if (!sort_group (job, &job->row->groups[i], TRUE))
        return FALSE;
    }

  return fetch (job);
}

gboolean
ghlo_cpu_sort_row_run (const GhloCpuSortRow *self,
                       const guint8 *const  *from,
                       guint8 *const        *to,
                       gpointer              scratch,
                       const GhloMonitor    *monitor)
{
  const GhloCpuSortLayout *layout = &self->layout;
  Job job;
  guint32 *positions[2];
  gboolean done = FALSE;

  /* The other fields stay uninitialized: sorting a short row takes less time than clearing the arrays for long
   * ones. */
  job.row = self;
  job.from = from;
  job.to = to;
  job.monitor = monitor;
  job.old_positions = NULL;
  job.unordered = job.failed = job.ambiguous = FALSE;
  positions[0] = (gpointer) ((guint8 *) scratch + layout->positions);
  positions[1] = (gpointer) ((guint8 *) scratch + layout->old_positions);
  job.numbers = (guint8 *) scratch + layout->numbers;
  job.spare = (guint8 *) scratch + layout->spare;
  job.copy = (guint8 *) scratch + layout->copy;
  job.positions = positions[0];

  if (ghlo_cpu_sort_row_counts (self))
    done = ghlo_cpu_sort_bytes (&self->comparator.keys[0], from[0], to[0], self->n, monitor, &job.unordered,
                                &job.ambiguous);
  else if (self->values)
    done = sort_group (&job, &self->all, FALSE);
  if (!self->values || job.ambiguous)
    {
      job.ambiguous = FALSE;
      done = sort_records (&job, positions[1]);
    }
  if (done || !job.unordered)
    return done;

  job.numbers = (guint8 *) scratch + layout->numbers;
  return run_partial (&job, positions);
}
