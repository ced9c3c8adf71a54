/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of chlo.top_k: the largest elements in the total order; equal ones are ordered by position. Rows that are
 * short, or of which much is kept, are sorted side by side. Others are searched: the row is divided into groups, of
 * which k have an element among the k first of their first elements, so that only elements up to the last of those may
 * be among the k first of all. These are few, and are sorted.
 */

#include "base/sizes.h"
#include "cpu/finish.h"
#include "cpu/sort/columns.h"
#include "cpu/steps.h"
#include "runtime/parallel.h"

#include <string.h>

/* MIN_PART: fewest elements of a part of a row. CHUNK: elements between two looks at how many were found. CHECK_EVERY:
 * chunks between two checks for cancellation. LEAD: the most elements of a row that are divided into groups, unless
 * these would be smaller than GROUP. SHORT_ROW: the most elements of a row that is not searched where rows can be
 * sorted side by side, and of narrower elements. TOGETHER: rows that are gathered at a time where their elements are
 * not adjacent; LONG_ROW: elements of a row that is gathered alone. */
enum
{
  MIN_PART = 1 << 14, CHUNK = 512, CHECK_EVERY = 2048, LEAD = 4096, GROUP = 8, MAX_PARTS = 256, SHORT_ROW = 256,
  SHORT_NARROW_ROW = 384, TOGETHER = 16, LONG_ROW = 2 * MIN_PART,
};

/* The most ranks that are ordered by counting how many are less, and those that are counted together. */
enum { FEW = 64, BLOCK = 16 };

typedef gint32 Lanes __attribute__ ((vector_size (16)));

/* Nanoseconds to read an element, and to sort one of the k largest. */
#define LOOK_COST 0.3
#define SORT_COST 20.0

/* Elements of a row that may be among the k largest, in the order of their positions. */
typedef struct
{
  gpointer ranks;             /* numbers of the key's width */
  gpointer spare;             /* room for twice as many numbers */
  guint32 *positions;
  gsize    n;
  guint64  limit;             /* the rank of the last of the k, where some are known; elements behind it are not */
} Candidates;

typedef struct
{
  GhloCpuSortRow    row;
  GhloCpuSortRow    order;         /* of the k ranks, with positions */
  GhloCpuSortBlocks blocks;
  guint             width;         /* of ranks: GHLO_CPU_SORT_32 or GHLO_CPU_SORT_64 */
  guint             unit;          /* elements have 1 << unit bytes */
  gsize             n, k;
  gsize             capacity;      /* candidates that there is room for */
  gboolean          columns;       /* the rows of a block are sorted side by side */
  gboolean          direct;        /* rows of the operand are adjacent elements */
  gboolean          threads_share_rows;    /* otherwise they share the parts of a row */
  gsize             n_parts;
  gsize             ranks, spare, positions, sort, stage, planes;     /* offsets in the scratch */
  gsize             scratch;       /* bytes for one thread or part */
  gsize             all_scratch;   /* bytes for all threads or parts */
  double            nanoseconds;   /* for a row */
} TopK;

typedef struct
{
  const TopK        *top_k;
  const GhloView    *operand, *values, *indices;
  guint8            *scratch;
  GhloCpuSortRows    row;                 /* the row that is split */
  const GhloMonitor *monitor;
  gint               stopped;             /* atomic */
} Run;

/* Counts for each of @n ranks, at most FEW, how many are less. There is room for whole blocks. */
static void
count_less (const guint32 *ranks,
            gsize          n,
            guint32       *counts)
{
  Lanes flipped[FEW / 4];
  gint32 *numbers = (gpointer) flipped;

  memset (flipped, 0x7F, ghlo_size_ceil_div (n, BLOCK) * BLOCK * sizeof (*numbers));
  for (gsize i = 0; i < n; i++)
    numbers[i] = (gint32) (ranks[i] ^ 0x80000000);
  for (gsize block = 0; block < n; block += BLOCK)
    {
      const Lanes *own = flipped + block / 4;
      Lanes less[BLOCK / 4] = { { 0 } };

      for (gsize i = 0; i < n; i++)
        {
          const Lanes number = { numbers[i], numbers[i], numbers[i], numbers[i] };

          for (guint j = 0; j < BLOCK / 4; j++)
            less[j] -= number < own[j];
        }
      memcpy (counts + block, less, sizeof (less));
    }
}

static gsize
number_size (const TopK *self)
{
  return self->width == GHLO_CPU_SORT_32 ? 4 : 8;
}

/* Keeps the first @k candidates. FALSE when cancelled. select_limit: finds the last of the first @k ranks of @n
 * groups, of which some are joined if there are many more. */
#define DEFINE_KEEP(BITS) \
  static gboolean \
  select_limit_##BITS (Candidates        *self, \
                       gsize              n, \
                       gsize              k, \
                       const GhloMonitor *monitor) \
  { \
    guint##BITS *ranks = self->ranks, limit = 0; \
    guint32 counts[FEW]; \
    gboolean counted = FALSE; \
    \
    for (; (n > BLOCK || k == 1) && n % 2 == 0 && n / 2 >= (k == 1 ? 1 : 2 * k); n /= 2) \
      for (gsize i = 0; i < n / 2; i++) \
        ranks[i] = MIN (ranks[i], ranks[n / 2 + i]); \
    if (k == 1) \
      for (gsize i = 1; i < n; i++) \
        ranks[0] = MIN (ranks[0], ranks[i]); \
    else if (BITS == 32 && n <= FEW / 2) \
      count_less ((const guint32 *) ranks, n, counts), counted = TRUE; \
    else if (!ghlo_cpu_select_u##BITS (ranks, self->spare, n, k, monitor)) \
      return FALSE; \
    for (gsize i = 0; i < (counted ? n : k); i++) \
      if (!counted || counts[i] < k) \
        limit = MAX (limit, ranks[i]); \
    self->limit = limit; \
    return TRUE; \
  } \
  \
  static gboolean \
  keep_##BITS (Candidates        *self, \
               gsize              k, \
               const GhloMonitor *monitor) \
  { \
    guint##BITS *ranks = self->ranks, *copy = self->spare, limit = 0; \
    gsize n = 0, n_below = 0; \
    \
    memcpy (copy, ranks, self->n * sizeof (*ranks)); \
    if (!ghlo_cpu_select_u##BITS (copy, copy + self->n, self->n, k, monitor)) \
      return FALSE; \
    for (gsize i = 0; i < k; i++) \
      limit = MAX (limit, copy[i]); \
    for (gsize i = 0; i < k; i++) \
      n_below += copy[i] < limit; \
    /* Of those of the limit's rank, the first ones, as many as there is room for. */ \
    for (gsize i = 0; i < self->n; i++) \
      { \
        gboolean equal = ranks[i] == limit && n_below < k, keeps = equal || ranks[i] < limit; \
        \
        n_below += equal; \
        ranks[n] = ranks[i]; \
        self->positions[n] = self->positions[i]; \
        n += keeps; \
      } \
    self->n = k; \
    self->limit = limit; \
    return TRUE; \
  }

DEFINE_KEEP (32)
DEFINE_KEEP (64)

static gboolean
keep (const TopK        *self,
      Candidates        *candidates,
      const GhloMonitor *monitor)
{
  if (candidates->n <= self->k)
    return TRUE;

  return (self->width == GHLO_CPU_SORT_32 ? keep_32 : keep_64) (candidates, self->k, monitor);
}

/* Whether the elements of a row are adjacent, and their bits order them. */
static gboolean
is_plain (const TopK            *self,
          const GhloCpuSortRows *row)
{
  return row->element == row->size && !self->row.ranks[0].table;
}

/* Where @n elements of a row are so: in their place, or copied to @buffer, which has room for a chunk. */
static const guint8 *
read_elements (const TopK            *self,
               const GhloCpuSortRows *row,
               gsize                  begin,
               gsize                  n,
               guint8                *buffer)
{
  const guint8 *from = row->data + (gint64) begin * row->element;

  if (is_plain (self, row))
    return from;
  ghlo_cpu_routines ()->move[self->unit] (from, 0, row->element, buffer, 0, row->size, 1, n);
  for (gsize i = 0; self->row.ranks[0].table && i < n; i++)
    buffer[i] = self->row.comparator.keys[0].ranks[buffer[i]];

  return buffer;
}

/* Finds a rank that the k first of @n elements do not exceed, from the first ranks of twice as many groups. FALSE when
 * cancelled. */
static gboolean
find_limit (const TopK        *self,
            const guint8      *from,
            gsize              n,
            Candidates        *kept,
            const GhloMonitor *monitor)
{
  gsize per_piece = 4 * ghlo_cpu_routines ()->register_bytes >> self->unit, size = number_size (self);
  gsize n_pieces = ghlo_size_ceil_div (2 * self->k, per_piece), length = n / n_pieces, n_groups = 0;

  kept->limit = self->width == GHLO_CPU_SORT_32 ? G_MAXUINT32 : G_MAXUINT64;
  if (length < per_piece)
    return TRUE;
  for (gsize i = 0; i < n_pieces; i++)
    n_groups += ghlo_cpu_routines ()->top_k.lead[self->unit] (&self->row.ranks[0], from + (i * length << self->unit),
                                                              length, (guint8 *) kept->ranks + n_groups * size);

  return (self->width == GHLO_CPU_SORT_32 ? select_limit_32 : select_limit_64) (kept, n_groups, self->k, monitor);
}

/* Finds elements of a part of a row among which the k largest are: at most as many as there is room for. FALSE when
 * cancelled. */
static gboolean
select_part (const TopK            *self,
             const GhloCpuSortRows *row,
             gsize                  begin,
             gsize                  end,
             Candidates            *kept,
             const GhloMonitor     *monitor)
{
  const gsize n_lead = MIN (is_plain (self, row) ? MAX (LEAD, 2 * GROUP * self->k) : CHUNK, end - begin);
  const gsize step = 4 * ghlo_cpu_routines ()->register_bytes >> self->unit;
  gsize checked = 0, n;
  guint64 buffer[CHUNK];

  kept->n = 0;
  if (!find_limit (self, read_elements (self, row, begin, n_lead, (guint8 *) buffer), n_lead, kept, monitor))
    return FALSE;
  for (gsize i = begin; i < end; i += n)
    {
      gboolean some = kept->n >= self->k;

      /* Once k are known, elements of the limit's rank come after them. There may be many. */
      n = MIN (some ? CHUNK : MIN (CHUNK, step * self->k), end - i);
      if (some && self->k == 1 && i + n < begin + n_lead / step * step)
        {
          /* The limit is the least rank of those that were divided into groups. */
          n = begin + n_lead / step * step - i;
          continue;
        }
      if (some && kept->limit == 0)
        break;
      if (++checked % CHECK_EVERY == 0 && ghlo_monitor_cancelled (monitor, NULL))
        return FALSE;
      kept->n += ghlo_cpu_routines ()->top_k.filter[self->unit] (
        &self->row.ranks[0], read_elements (self, row, i, n, (guint8 *) buffer), n, kept->limit - (some ? 1 : 0),
        (guint32) i, (guint8 *) kept->ranks + kept->n * number_size (self), kept->positions + kept->n);
      if (kept->n + CHUNK > self->capacity && !keep (self, kept, monitor))
        return FALSE;
    }

  return TRUE;
}

static Candidates
find_candidates (const TopK *self,
                 guint8     *scratch)
{
  return (Candidates) {
    scratch + self->ranks, scratch + self->spare, (gpointer) (scratch + self->positions), 0, 0,
  };
}

/* A row is split where each part finds few numbers compared with how many it reads. */
static void
choose_parts (TopK *self)
{
  gsize n_workers = MIN (ghlo_parallel_n_workers (), MAX_PARTS);
  gsize n_parts = MIN (n_workers, self->n / MAX (MIN_PART, 8 * self->k));

  self->threads_share_rows = self->blocks.n_blocks >= n_workers || n_parts < 2;
  self->n_parts = self->threads_share_rows ? 1 : n_parts;
}

/* How many rows are sorted, or gathered, together. */
static gboolean
choose_block (TopK *self)
{
  gsize n_rows = self->blocks.n_lanes * self->blocks.n_groups;

  self->columns = ghlo_cpu_sort_columns_takes (&self->row, n_rows)
                  && (self->n <= (self->unit < 2 ? SHORT_NARROW_ROW : SHORT_ROW)
                      || self->n < (self->unit < 3 ? 4 : 8) * self->k);
  if (self->columns)
    return ghlo_cpu_sort_blocks_divide (&self->blocks, ghlo_cpu_sort_columns_most (&self->row, n_rows));

  return ghlo_cpu_sort_blocks_divide (&self->blocks, self->direct || self->n >= LONG_ROW ? 1 : TOGETHER);
}

/* Lays out the scratch of each thread or part. The candidates of the first part have room for those of all. */
static gboolean
find_scratch (TopK *self)
{
  gsize size = number_size (self);
  gsize most = ghlo_cpu_sort_blocks_most (&self->blocks), n_staged = self->columns || most == 1 ? 0 : most * self->n;
  gsize room = MAX (self->capacity, self->n_parts * self->k);

  self->scratch = 0;

  return (!self->columns || ghlo_size_reserve (&self->scratch, &self->planes, 1,
                                               ghlo_cpu_sort_columns_scratch (&self->row, most)))
         && ghlo_size_reserve (&self->scratch, &self->ranks, room, size)
         && ghlo_size_reserve (&self->scratch, &self->spare, room, 2 * size)
         && ghlo_size_reserve (&self->scratch, &self->positions, room, 4)
         && ghlo_size_reserve (&self->scratch, &self->sort, self->order.scratch, 1)
         && ghlo_size_reserve (&self->scratch, &self->stage, n_staged, self->row.most_size)
         && ghlo_size_mul (&self->all_scratch, self->scratch,
                           self->threads_share_rows ? ghlo_parallel_n_workers () : self->n_parts);
}

/* How the k largest are sorted: by their ranks, which are numbers. */
static gboolean
init_order (TopK *self)
{
  static const guint sizes[][2] = { { 4, 4 }, { 8, 4 } };
  GhloCpuSortRow *order = &self->order;

  order->n = self->k;
  order->n_operands = 2;
  order->sizes = sizes[self->width == GHLO_CPU_SORT_32 ? 0 : 1];
  order->comparator.n_keys = 1;

  return ghlo_sort_key_init (&order->comparator.keys[0], self->width == GHLO_CPU_SORT_32 ? GHLO_ELEMENT_TYPE_UI32
                                                                                        : GHLO_ELEMENT_TYPE_UI64)
         && ghlo_cpu_sort_row_init (order, 1);
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
  self->unit = g_bit_storage (key->size) - 1;
  self->row.sizes = &sizes[self->unit];
  self->row.n = self->n = (gsize) operand->dimensions[operand->rank - 1];
  self->k = (gsize) values->dimensions[values->rank - 1];
  self->direct = self->n == 1 || operand->strides[operand->rank - 1] == key->size;
  if (self->k > self->n || self->n > G_MAXINT32)
    return "its rows are too long, or have fewer than k elements";
  if (!ghlo_cpu_sort_blocks_init (&self->blocks, operand->rank - 1, views, G_N_ELEMENTS (views))
      || !ghlo_cpu_sort_row_init (&self->row, 1) || !choose_block (self))
    return "its results have too many elements";

  self->width = key->size > 4 ? GHLO_CPU_SORT_64 : GHLO_CPU_SORT_32;
  choose_parts (self);
  self->capacity = 2 * self->k + 2 * CHUNK;
  self->nanoseconds = LOOK_COST * (double) self->n + SORT_COST * (double) self->k;

  return init_order (self) && find_scratch (self) ? NULL : "its rows are too long";
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const TopK *self = step;

  selection->scratch = self->all_scratch;
}

/* Moves the positions of the first k candidates to @sorted. */
static void
order_few (const TopK       *self,
           const Candidates *candidates,
           guint32          *sorted)
{
  guint32 counts[FEW];
  guint8 equal[FEW] = { 0 };

  count_less (candidates->ranks, candidates->n, counts);
  for (gsize i = 0; i < candidates->n; i++)
    {
      gsize place = counts[i] + equal[counts[i]]++;

      if (place < self->k)
        sorted[place] = candidates->positions[i];
    }
}

/* The same for at most GHLO_CPU_SORT_BLOCK candidates: sorts numbers with the place of each below its rank. */
static void
order_some (const TopK       *self,
            const Candidates *candidates,
            guint32          *sorted)
{
  const GhloCpuSort *routines = &ghlo_cpu_routines ()->sort;
  guint64 wide[GHLO_CPU_SORT_BLOCK];
  guint32 *narrow = (gpointer) wide;
  const guint32 *ranks = candidates->ranks;
  guint width = self->unit < 2 ? GHLO_CPU_SORT_32 : GHLO_CPU_SORT_64;

  for (gsize i = 0; i < candidates->n; i++)
    if (width == GHLO_CPU_SORT_32)
      narrow[i] = ranks[i] << 8 | (guint32) i;
    else
      wide[i] = (guint64) ranks[i] << 8 | i;
  routines->block[width] (wide, candidates->n);
  for (gsize i = 0; i < self->k; i++)
    sorted[i] = candidates->positions[(width == GHLO_CPU_SORT_32 ? narrow[i] : wide[i]) & 0xFF];
}

/* The same for wide ranks, of which few registers hold many: the first of each two is found. */
static void
order_wide (const TopK       *self,
            const Candidates *candidates,
            guint32          *sorted)
{
  const guint64 *ranks = candidates->ranks;
  guint32 places[FEW] = { 0 };

  for (gsize i = 1; i < candidates->n; i++)
    for (gsize j = 0; j < i; j++)
      {
        guint32 is_first = ranks[j] <= ranks[i];

        places[i] += is_first;
        places[j] += is_first ^ 1;
      }
  for (gsize i = 0; i < candidates->n; i++)
    if (places[i] < self->k)
      sorted[places[i]] = candidates->positions[i];
}

/* Sorts the k first candidates, and writes their elements and positions. */
static gboolean
store_row (const Run             *run,
           const GhloCpuSortRows *from,
           guint8                *to,
           guint8                *indices,
           Candidates            *candidates,
           guint8                *scratch)
{
  const TopK *self = run->top_k;
  guint8 *const both[] = { candidates->ranks, (guint8 *) candidates->positions };
  guint32 few[GHLO_CPU_SORT_BLOCK], *positions = candidates->positions;

  if (self->width == GHLO_CPU_SORT_64 && candidates->n <= FEW / 2)
    order_wide (self, candidates, positions = few);
  else if (candidates->n <= GHLO_CPU_SORT_BLOCK && self->width == GHLO_CPU_SORT_32)
    (candidates->n <= (self->unit < 2 ? FEW / 2 : FEW) ? order_few : order_some) (self, candidates, positions = few);
  else if (!keep (self, candidates, run->monitor)
           || !ghlo_cpu_sort_row_run (&self->order, (const guint8 *const *) both, both, scratch + self->sort,
                                      run->monitor))
    return FALSE;
  memcpy (indices, positions, 4 * self->k);
  if (from->element == from->size)
    ghlo_cpu_sort_fetch (from->size, from->data, to, positions, self->k);
  else
    for (gsize i = 0; i < self->k; i++)
      memcpy (to + i * from->size, from->data + (gint64) positions[i] * from->element, from->size);

  return TRUE;
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
      Candidates candidates = find_candidates (self, scratch);

      one.data = ghlo_cpu_sort_rows_find (&from, row);
      if (!select_part (self, &one, 0, self->n, &candidates, run->monitor)
          || !store_row (run, &one, ghlo_cpu_sort_rows_find (&to, row), ghlo_cpu_sort_rows_find (&indices, row),
                         &candidates, scratch))
        return FALSE;
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
      Candidates candidates = find_candidates (self, run->scratch + part * self->scratch);

      if (!select_part (self, &run->row, ghlo_cpu_sort_part_begin (self->n, self->n_parts, part),
                        ghlo_cpu_sort_part_begin (self->n, self->n_parts, part + 1), &candidates, run->monitor)
          || !keep (self, &candidates, run->monitor))
        g_atomic_int_set (&run->stopped, TRUE);
    }
}

/* Blocks are single rows then, and parts longer than k. */
static gboolean
split_row (Run  *run,
           gsize row)
{
  const TopK *self = run->top_k;
  gsize size = number_size (self);
  Candidates all = find_candidates (self, run->scratch);

  run->row = ghlo_cpu_sort_blocks_find (&self->blocks, run->operand, row);
  if (!ghlo_parallel_for (self->n_parts, 1, self->nanoseconds, run_parts, run, run->monitor) || run->stopped)
    return FALSE;
  for (all.n = self->k; all.n < self->n_parts * self->k; all.n += self->k)
    {
      Candidates part = find_candidates (self, run->scratch + all.n / self->k * self->scratch);

      memcpy ((guint8 *) all.ranks + all.n * size, part.ranks, self->k * size);
      memcpy (all.positions + all.n, part.positions, self->k * sizeof (guint32));
    }

  return store_row (run, &run->row, ghlo_cpu_sort_blocks_find (&self->blocks, run->values, row).data,
                    ghlo_cpu_sort_blocks_find (&self->blocks, run->indices, row).data, &all, run->scratch);
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
