/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of chlo.top_k: the largest elements in the total order; equal ones are ordered by position. Short rows are
 * sorted side by side. While a long row is read, only elements that may still be among the k largest are kept.
 */

#include "base/sizes.h"
#include "cpu/finish.h"
#include "cpu/sort/columns.h"
#include "cpu/steps.h"
#include "runtime/parallel.h"

#include <string.h>

/* MIN_PART: fewest elements of a part of a row. CHECK_EVERY: chunks of ranks between two checks for cancellation.
 * TOGETHER: rows that are gathered at a time where their elements are not adjacent. */
enum { MIN_PART = 1 << 16, CHECK_EVERY = 4096, MAX_PARTS = 256, TOGETHER = 16 };

/* Nanoseconds to read an element, and to sort one of the k largest. */
#define LOOK_COST 0.3
#define SORT_COST 20.0

typedef struct _TopK TopK;
typedef struct _Run  Run;

/* The functions for numbers of one width. */
typedef struct
{
  guint size;
  /* Finds the k smallest numbers of a part of a row, and moves them to the front, in order. FALSE when cancelled. */
  gboolean (*select)    (const TopK            *self,
                         const GhloCpuSortRows *row,
                         gsize                  begin,
                         gsize                  end,
                         gpointer               numbers,
                         gpointer               spare,
                         const GhloMonitor     *monitor);
  /* Finds the k smallest of the k smallest of all parts, which are adjacent. */
  gboolean (*unite)     (const TopK            *self,
                         gpointer               numbers,
                         gpointer               spare,
                         const GhloMonitor     *monitor);
  guint32  (*position)  (gconstpointer          numbers,
                         gsize                  i);
} Width;

struct _TopK
{
  GhloCpuSortRow    row;
  GhloCpuSortBlocks blocks;
  const Width      *width;
  gsize             n, k;
  gsize             capacity;      /* numbers in a buffer of candidates */
  gboolean          columns;       /* the rows of a block are sorted side by side */
  gboolean          direct;        /* rows of the operand are adjacent elements */
  gboolean          threads_share_rows;    /* otherwise they share the parts of a row */
  gsize             n_parts;
  gsize             buffers, spare, stage, planes;      /* offsets in the scratch */
  gsize             scratch;       /* bytes for one thread or part */
  gsize             all_scratch;   /* bytes for all threads or parts, and for the numbers that they find */
  double            nanoseconds;   /* for a row */
};

struct _Run
{
  const TopK        *top_k;
  const GhloView    *operand, *values, *indices;
  guint8            *scratch;
  GhloCpuSortRows    row;                 /* the row that is split */
  const GhloMonitor *monitor;
  gint               stopped;             /* atomic */
};

#define DEFINE_WIDTH(NAME, NUMBER, RANK, LOW) \
  static gboolean \
  select_##NAME (const TopK            *self, \
                 const GhloCpuSortRows *row, \
                 gsize                  begin, \
                 gsize                  end, \
                 gpointer               numbers, \
                 gpointer               spare, \
                 const GhloMonitor     *monitor) \
  { \
    const GhloSortKey *key = &self->row.comparator.keys[0]; \
    const GhloCpuSort *routines = &ghlo_cpu_routines ()->sort; \
    NUMBER *kept = numbers; \
    RANK ranks[GHLO_CPU_SORT_CHUNK], limit = ~(RANK) 0; \
    gsize n_kept = 0, k = MIN (self->k, end - begin), checked = 0; \
    gboolean some = FALSE; \
    \
    for (gsize i = begin; i < end && !(some && limit == 0); i += GHLO_CPU_SORT_CHUNK) \
      { \
        gsize n = MIN (GHLO_CPU_SORT_CHUNK, end - i); \
        \
        if (++checked % CHECK_EVERY == 0 && ghlo_monitor_cancelled (monitor, NULL)) \
          return FALSE; \
        ghlo_cpu_sort_key_append (key, &self->row.ranks[0], row->data + (gint64) i * row->element, row->element, NULL, \
                                  n, FALSE, LOW == 64, ranks); \
        if (!some && k <= n) \
          { \
            RANK sorted[GHLO_CPU_SORT_CHUNK]; \
            \
            memcpy (sorted, ranks, n * sizeof (RANK)); \
            routines->block[LOW == 64 ? GHLO_CPU_SORT_64 : GHLO_CPU_SORT_32] (sorted, n); \
            limit = sorted[k - 1]; \
          } \
        /* Elements of the limit's rank come after the k smallest, if k are known. */ \
        n_kept += routines->filter[LOW == 64] (ranks, n, some ? limit - 1 : limit, i, kept + n_kept); \
        some = n_kept >= k; \
        if (n_kept + GHLO_CPU_SORT_CHUNK <= self->capacity) \
          continue; \
        if (!ghlo_cpu_select_##NAME (kept, spare, n_kept, k, monitor)) \
          return FALSE; \
        n_kept = k; \
        limit = 0; \
        for (gsize j = 0; j < k; j++) \
          limit = MAX (limit, (RANK) (kept[j] >> LOW)); \
      } \
    return ghlo_cpu_select_##NAME (kept, spare, n_kept, k, monitor) && ghlo_cpu_sort_##NAME (kept, spare, k, monitor); \
  } \
  \
  static gboolean \
  unite_##NAME (const TopK        *self, \
                gpointer           numbers, \
                gpointer           spare, \
                const GhloMonitor *monitor) \
  { \
    return ghlo_cpu_select_##NAME (numbers, spare, self->n_parts * self->k, self->k, monitor) \
           && ghlo_cpu_sort_##NAME (numbers, spare, self->k, monitor); \
  } \
  \
  static guint32 \
  position_##NAME (gconstpointer numbers, \
                   gsize         i) \
  { \
    return (guint32) ((const NUMBER *) numbers)[i]; \
  }

DEFINE_WIDTH (u64, guint64, guint32, 32)
DEFINE_WIDTH (u128, GhloCpuU128, guint64, 64)

static const Width widths[] = {
  { sizeof (guint64), select_u64, unite_u64, position_u64 },
  { sizeof (GhloCpuU128), select_u128, unite_u128, position_u128 },
};

/* A row is split where each part finds few numbers compared with how many it reads. */
static void
choose_parts (TopK *self)
{
  gsize n_workers = MIN (ghlo_parallel_n_workers (), MAX_PARTS);

  self->n_parts = 1;
  self->threads_share_rows = self->blocks.n_blocks >= n_workers || self->n / n_workers < MIN_PART
                             || self->k > self->n / n_workers / 8;
  if (!self->threads_share_rows)
    self->n_parts = n_workers;
}

/* How many rows are sorted, or gathered, together. */
static gboolean
choose_block (TopK *self)
{
  self->columns = ghlo_cpu_sort_columns_takes (&self->row, self->blocks.n_lanes * self->blocks.n_groups);
  if (self->columns)
    return ghlo_cpu_sort_blocks_divide (&self->blocks, ghlo_cpu_sort_columns_most (&self->row));

  return ghlo_cpu_sort_blocks_divide (&self->blocks, self->direct || self->n >= MIN_PART ? 1 : TOGETHER);
}

static gboolean
find_scratch (TopK *self)
{
  gsize bytes, planes = 0, *all = &self->all_scratch;
  gsize n_staged = self->columns || ghlo_cpu_sort_blocks_most (&self->blocks) == 1 ? 0
                   : ghlo_cpu_sort_blocks_most (&self->blocks) * self->n;

  self->scratch = 0;
  if ((self->columns && !ghlo_cpu_sort_columns_scratch (&self->row, ghlo_cpu_sort_blocks_most (&self->blocks),
                                                             &planes))
      || !ghlo_size_reserve (&self->scratch, &self->planes, planes, 1)
      || !ghlo_size_reserve (&self->scratch, &self->buffers, self->capacity, self->width->size)
      || !ghlo_size_reserve (&self->scratch, &self->spare, self->capacity, self->width->size)
      || !ghlo_size_reserve (&self->scratch, &self->stage, n_staged, self->row.most_size))
    return FALSE;
  bytes = self->threads_share_rows ? 0 : 2 * self->n_parts * self->k * self->width->size;

  return ghlo_size_mul (all, self->scratch, self->threads_share_rows ? ghlo_parallel_n_workers () : self->n_parts)
         && ghlo_size_add (all, *all, bytes);
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  static const guint sizes[] = { 1, 2, 4, 8 };
  TopK *self = step;
  const GhloView *operand = &request->operands[0], *values = &request->results[0];
  const GhloView *views[] = { values, operand, &request->results[1] };
  GhloSortKey *key = &self->row.comparator.keys[0];

  key->descending = TRUE;
  if (operand->rank == 0 || ghlo_element_type_is_complex (operand->element_type)
      || request->results[1].element_type != GHLO_ELEMENT_TYPE_I32 || values->element_type != operand->element_type
      || !ghlo_sort_key_init (key, operand->element_type))
    return "elements of its types cannot be sorted";
  self->row.comparator.n_keys = self->row.n_operands = 1;
  self->row.sizes = &sizes[g_bit_storage (key->size) - 1];
  self->row.n = self->n = (gsize) operand->dimensions[operand->rank - 1];
  self->k = (gsize) values->dimensions[values->rank - 1];
  self->direct = self->n == 1 || operand->strides[operand->rank - 1] == key->size;
  if (self->k > self->n || self->n > G_MAXINT32)
    return "its rows are too long, or have fewer than k elements";
  if (!ghlo_cpu_sort_blocks_init (&self->blocks, operand->rank - 1, views, G_N_ELEMENTS (views))
      || !ghlo_cpu_sort_row_init (&self->row, 1) || !choose_block (self))
    return "its results have too many elements";

  self->width = &widths[key->size > 4];
  choose_parts (self);
  self->capacity = 2 * self->k + 2 * GHLO_CPU_SORT_CHUNK;
  self->nanoseconds = LOOK_COST * (double) self->n + SORT_COST * (double) self->k;

  return find_scratch (self) ? NULL : "its rows are too long";
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const TopK *self = step;

  selection->scratch = self->all_scratch;
}

static void
store_row (const Run             *run,
           const GhloCpuSortRows *from,
           guint8                *to,
           guint8                *indices,
           gconstpointer          numbers)
{
  const TopK *self = run->top_k;

  for (gsize i = 0; i < self->k; i++)
    {
      guint32 position = self->width->position (numbers, i);

      memcpy (to + i * from->size, from->data + (gint64) position * from->element, from->size);
      memcpy (indices + 4 * i, &position, 4);
    }
}

static gboolean
run_block (const Run *run,
           gsize      block,
           guint8    *scratch)
{
  const TopK *self = run->top_k;
  GhloCpuSortRows from = ghlo_cpu_sort_blocks_find (&self->blocks, run->operand, block);
  GhloCpuSortRows to = ghlo_cpu_sort_blocks_find (&self->blocks, run->values, block);
  GhloCpuSortRows indices = ghlo_cpu_sort_blocks_find (&self->blocks, run->indices, block);
  gsize n_rows = ghlo_cpu_sort_blocks_length (&self->blocks, block);

  if (self->columns)
    return ghlo_cpu_sort_columns_run (&self->row, n_rows, self->k, &from, &to, &indices, scratch + self->planes);
  if (n_rows > 1)
    {
      const GhloCpuSortRows stage = {
        scratch + self->stage, (gint64) (self->n * from.size), from.size, from.size, n_rows, 0,
      };

      ghlo_cpu_sort_rows_copy (&from, &stage, n_rows, self->n);
      from = stage;
    }
  for (gsize row = 0; row < n_rows; row++)
    {
      GhloCpuSortRows one = from;

      one.data = ghlo_cpu_sort_rows_find (&from, row);
      if (!self->width->select (self, &one, 0, self->n, scratch + self->buffers, scratch + self->spare, run->monitor))
        return FALSE;
      store_row (run, &one, ghlo_cpu_sort_rows_find (&to, row), ghlo_cpu_sort_rows_find (&indices, row),
                 scratch + self->buffers);
    }

  return TRUE;
}

static void
run_blocks (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  Run *run = data;

  for (gsize block = begin; block < end && !g_atomic_int_get (&run->stopped); block++)
    if (!run_block (run, block, run->scratch + worker * run->top_k->scratch))
      g_atomic_int_set (&run->stopped, TRUE);
}

static void
run_parts (gpointer data,
           gsize    begin,
           gsize    end,
           guint    worker)
{
  Run *run = data;
  const TopK *self = run->top_k;

  for (gsize part = begin; part < end; part++)
    {
      guint8 *scratch = run->scratch + part * self->scratch;

      if (!self->width->select (self, &run->row, ghlo_cpu_sort_part_begin (self->n, self->n_parts, part),
                                ghlo_cpu_sort_part_begin (self->n, self->n_parts, part + 1), scratch + self->buffers,
                                scratch + self->spare, run->monitor))
        g_atomic_int_set (&run->stopped, TRUE);
    }
}

/* Blocks are single rows then. */
static gboolean
split_row (Run  *run,
           gsize row)
{
  const TopK *self = run->top_k;
  gsize bytes = self->k * self->width->size;
  guint8 *all = run->scratch + self->n_parts * self->scratch, *spare = all + self->n_parts * bytes;

  run->row = ghlo_cpu_sort_blocks_find (&self->blocks, run->operand, row);
  if (!ghlo_parallel_for (self->n_parts, 1, self->nanoseconds, run_parts, run, run->monitor) || run->stopped)
    return FALSE;
  for (gsize part = 0; part < self->n_parts; part++)
    memcpy (all + part * bytes, run->scratch + part * self->scratch + self->buffers, bytes);
  if (!self->width->unite (self, all, spare, run->monitor))
    return FALSE;
  store_row (run, &run->row, ghlo_cpu_sort_blocks_find (&self->blocks, run->values, row).data,
             ghlo_cpu_sort_blocks_find (&self->blocks, run->indices, row).data, all);

  return TRUE;
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const TopK *self = compiled;
  Run run = {
    .top_k = self, .operand = &operands[0], .values = &results[0], .indices = &results[1], .scratch = scratch,
    .monitor = monitor,
  };
  gsize n_blocks = self->k > 0 ? self->blocks.n_blocks : 0;
  double nanoseconds = self->nanoseconds * (double) ghlo_cpu_sort_blocks_most (&self->blocks) * (double) n_blocks;
  gboolean done = TRUE;

  if (self->threads_share_rows)
    done = ghlo_parallel_for (n_blocks, 1, nanoseconds, run_blocks, &run, monitor) && !run.stopped;
  else
    for (gsize row = 0; done && row < n_blocks; row++)
      done = split_row (&run, row);

  return ghlo_cpu_finish (done, monitor, error);
}

static char *
describe (gpointer compiled)
{
  const TopK *self = compiled;

  return g_strdup_printf ("%" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT "%s%s", self->k, self->n,
                          self->columns ? ", columns" : "", self->n_parts > 1 ? ", in parts" : "");
}

const GhloStepImplementation ghlo_cpu_step_top_k = {
  .name = "top_k",
  .size = sizeof (TopK),
  .read = read_request,
  .select = fill_selection,
  .run = run,
  .describe = describe,
};
