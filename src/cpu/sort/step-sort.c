/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of sort, where the comparator compares keys (comparator.h). A row is the elements along the sorted
 * dimension. Rows of adjacent elements are sorted in place. Others are gathered several at a time, so that memory is
 * read in whole cache lines.
 */

#include "base/sizes.h"
#include "cpu/finish.h"
#include "cpu/isa/routines.h"
#include "cpu/sort/columns.h"
#include "cpu/steps.h"
#include "runtime/parallel.h"

#include <string.h>

/* Rows that are gathered at a time: as many as a cache line has elements of four bytes, or fewer where they would not
 * fit into the L2 cache. */
enum { MAX_TOGETHER = 16, MIN_TOGETHER = 4, TOGETHER_ELEMENTS = 1 << 17 };

/* The fewest rows that are sorted side by side, and their greatest length. */
enum { MIN_COLUMNS = 4, MAX_COLUMN = 256 };

/* The fewest elements of a part, and the fewest threads, for sorting a row in parts. Merging two parts takes about as
 * long as two threads save by sorting them. */
enum { MIN_PART = 1 << 15, MIN_THREADS = 4 };

typedef struct
{
  GhloCpuSortRow row;
  guint          dimension;
  gint           lane;            /* the last other dimension; -1 where there is none */
  gsize          n_lanes;         /* its size */
  gsize          together;        /* rows of a block; they are gathered together */
  gboolean       columns;         /* the rows of a block are sorted side by side */
  gsize          blocks_each;     /* blocks that cover all lanes */
  gsize          n_blocks;
  gboolean       threads_share_blocks;    /* otherwise they share the parts of a row */
  gboolean       result_direct;   /* rows of the results are adjacent elements */
  guint         *sizes;           /* owned; bytes of each operand's elements */
  gboolean      *direct;          /* owned; rows of each operand are adjacent elements */
  gsize         *stages;          /* owned; for each operand, the offset of its gathered rows in the scratch */
  gsize          pointers;        /* offset of a block's Rows in the scratch */
  gsize          scratch;         /* bytes for one thread */
} Sort;

typedef struct
{
  const Sort        *sort;
  const GhloView    *operands, *results;
  guint8            *scratch;
  const GhloMonitor *monitor;
  gint               failed;      /* atomic */
} Run;

/* Lays out the scratch of each thread: for sorting a row, pointers, and gathered rows. */
static gboolean
find_scratch (Sort *self)
{
  gsize ignored;

  if (!ghlo_size_reserve (&self->scratch, &ignored, self->row.scratch, 1)
      || !ghlo_size_reserve (&self->scratch, &self->pointers, self->row.n_operands,
                             2 * (sizeof (gpointer) + sizeof (gint64))))
    return FALSE;
  for (guint i = 0; i < self->row.n_operands; i++)
    {
      gsize n_rows = self->direct[i] && self->result_direct ? 0 : self->together, n;

      if (!ghlo_size_mul (&n, n_rows, self->row.n)
          || !ghlo_size_reserve (&self->scratch, &self->stages[i], n, self->sizes[i]))
        return FALSE;
    }

  return TRUE;
}

static gboolean
find_rows (Sort           *self,
           const GhloView *operands,
           const GhloView *result)
{
  gboolean all_direct;
  gsize others = 1;
  gint64 n = result->dimensions[self->dimension];

  self->lane = result->rank < 2 ? -1 : (gint) (self->dimension == result->rank - 1 ? result->rank - 2
                                                                                   : result->rank - 1);
  self->n_lanes = self->lane < 0 ? 1 : (gsize) result->dimensions[self->lane];
  for (guint i = 0; i < result->rank; i++)
    if (i != self->dimension && (gint) i != self->lane
        && !ghlo_size_mul (&others, others, (gsize) result->dimensions[i]))
      return FALSE;
  self->row.n = (gsize) n;
  self->result_direct = all_direct = self->dimension == result->rank - 1 || self->n_lanes * others == 1;
  for (guint i = 0; i < self->row.n_operands; i++)
    {
      self->sizes[i] = ghlo_element_info (operands[i].element_type)->size;
      self->direct[i] = n == 1 || operands[i].strides[self->dimension] == self->sizes[i];
      all_direct &= self->direct[i];
    }

  self->together = all_direct ? 1 : CLAMP (TOGETHER_ELEMENTS / MAX (n, 1), MIN_TOGETHER, MAX_TOGETHER);
  self->columns = self->n_lanes >= MIN_COLUMNS && n <= MAX_COLUMN;
  if (self->columns)
    self->together = GHLO_CPU_SORT_COLUMNS;
  self->together = MAX (MIN (self->together, self->n_lanes), 1);
  self->blocks_each = ghlo_size_ceil_div (self->n_lanes, self->together);
  if (n == 0)
    others = 0;

  return ghlo_size_mul (&self->n_blocks, self->blocks_each, others);
}

/* Where there are too few blocks for all threads, they share the parts of one row at a time. */
static guint
choose_parts (Sort *self)
{
  guint n_workers = ghlo_parallel_n_workers (), parts = 1;

  self->threads_share_blocks = self->n_blocks >= n_workers || n_workers < MIN_THREADS || self->row.n < 2 * MIN_PART;
  while (!self->threads_share_blocks && parts < n_workers && self->row.n / (2 * parts) >= MIN_PART)
    parts *= 2;

  return parts;
}

static gboolean
find_all_scratch (const Sort *self,
                  gsize      *scratch)
{
  return ghlo_size_mul (scratch, self->scratch, self->threads_share_blocks ? ghlo_parallel_n_workers () : 1);
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  Sort *self = step;
  gint64 dimension = ghlo_ir_op_get_int (request->op, "dimension", -1);
  const GhloView *operands = request->operands;
  guint n = request->n_operands;
  gsize scratch;

  self->row.n_operands = n;
  self->sizes = g_new0 (guint, n);
  self->direct = g_new0 (gboolean, n);
  self->stages = g_new0 (gsize, n);
  self->row.sizes = self->sizes;
  if (n > 0 && dimension < 0)
    dimension += operands[0].rank;
  self->dimension = (guint) dimension;
  if (n == 0 || dimension < 0 || dimension >= operands[0].rank)
    return "its dimension is out of range";
  if (!ghlo_sort_comparator_read (&self->row.comparator, request->op))
    return "its comparator does not compare keys";
  if (!find_rows (self, operands, &request->results[0]) || !ghlo_cpu_sort_row_init (&self->row, choose_parts (self))
      || !find_scratch (self) || !find_all_scratch (self, &scratch))
    return "its rows are too long";
  self->columns = self->columns && ghlo_cpu_sort_columns_takes (&self->row);

  return NULL;
}

/* Each row is written after all of it was read, so the step may run in place. */
static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const Sort *self = step;

  for (guint i = 0; i < request->n_operands; i++)
    selection->operands[i].in_place = i;
  find_all_scratch (self, &selection->scratch);
}

static void
clear (gpointer step)
{
  Sort *self = step;

  g_free (self->sizes);
  g_free (self->direct);
  g_free (self->stages);
}

/* The address of the first row of a block. */
static guint8 *
block_of (const Sort     *self,
          const GhloView *view,
          gsize           block)
{
  guint8 *data = view->data;
  gsize rest = block / self->blocks_each;

  if (self->lane >= 0)
    data += (gint64) (block % self->blocks_each * self->together) * view->strides[self->lane];
  for (guint i = view->rank; i > 0; i--)
    if (i - 1 != self->dimension && (gint) i - 1 != self->lane)
      {
        data += (gint64) (rest % (gsize) view->dimensions[i - 1]) * view->strides[i - 1];
        rest /= (gsize) view->dimensions[i - 1];
      }

  return data;
}

static gint64
lane_stride (const Sort     *self,
             const GhloView *view)
{
  return self->lane < 0 ? 0 : view->strides[self->lane];
}

/* Gathers rows of an operand into adjacent elements. */
static void
gather_rows (const Sort     *self,
             const GhloView *view,
             const guint8   *from,
             guint8         *to,
             gsize           n_rows)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  gsize size = ghlo_element_info (view->element_type)->size, n = self->row.n;
  gint64 lane = lane_stride (self, view);
  GhloCpuPlaneFunc move = (lane == (gint64) size ? routines->transpose : routines->move)[g_bit_storage (size) - 1];

  move (from, lane, view->strides[self->dimension], to, (gint64) (n * size), (gint64) size, n_rows, n);
}

static void
scatter_rows (const Sort     *self,
              const GhloView *view,
              const guint8   *from,
              guint8         *to,
              gsize           n_rows)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  gsize size = ghlo_element_info (view->element_type)->size, n = self->row.n;
  gint64 lane = lane_stride (self, view);
  GhloCpuPlaneFunc move = (lane == (gint64) size ? routines->transpose : routines->move)[g_bit_storage (size) - 1];

  move (from, (gint64) size, (gint64) (n * size), to, view->strides[self->dimension], lane, n, n_rows);
}

/* For each operand, the addresses of a block's first row in the source and in the destination, and the bytes from one
 * row to the next. */
typedef struct
{
  const guint8 **from;
  guint8       **to;
  gint64        *from_steps, *to_steps;
} Rows;

static void
find_block (const Run *run,
            gsize      block,
            guint8    *scratch,
            Rows      *rows)
{
  const Sort *self = run->sort;
  guint n = self->row.n_operands;

  rows->from = (gpointer) (scratch + self->pointers);
  rows->to = (gpointer) (rows->from + n);
  rows->from_steps = (gpointer) (rows->to + n);
  rows->to_steps = rows->from_steps + n;
  for (guint i = 0; i < n; i++)
    {
      guint8 *stage = scratch + self->stages[i];
      gint64 step = (gint64) (self->row.n * self->sizes[i]);

      rows->from[i] = self->direct[i] ? block_of (self, &run->operands[i], block) : stage;
      rows->from_steps[i] = self->direct[i] ? lane_stride (self, &run->operands[i]) : step;
      rows->to[i] = self->result_direct ? block_of (self, &run->results[i], block) : stage;
      rows->to_steps[i] = self->result_direct ? lane_stride (self, &run->results[i]) : step;
    }
}

static gboolean
sort_rows (const Run *run,
           Rows      *rows,
           gsize      n,
           guint8    *scratch)
{
  const Sort *self = run->sort;

  if (self->columns
      && ghlo_cpu_sort_columns_run (&self->row, (guint) n, rows->from, rows->from_steps, rows->to, rows->to_steps))
    return TRUE;
  for (gsize row = 0; row < n; row++)
    {
      if (!ghlo_cpu_sort_row_run (&self->row, rows->from, rows->to, scratch, run->monitor))
        return FALSE;
      for (guint i = 0; i < self->row.n_operands; i++)
        {
          rows->from[i] += rows->from_steps[i];
          rows->to[i] += rows->to_steps[i];
        }
    }

  return TRUE;
}

static gboolean
sort_block (const Run *run,
            gsize      block,
            guint8    *scratch)
{
  const Sort *self = run->sort;
  gsize n = MIN (self->n_lanes - block % self->blocks_each * self->together, self->together);
  Rows rows;

  for (guint i = 0; i < self->row.n_operands; i++)
    if (!self->direct[i])
      gather_rows (self, &run->operands[i], block_of (self, &run->operands[i], block), scratch + self->stages[i], n);
  find_block (run, block, scratch, &rows);
  if (!sort_rows (run, &rows, n, scratch))
    return FALSE;
  for (guint i = 0; !self->result_direct && i < self->row.n_operands; i++)
    scatter_rows (self, &run->results[i], scratch + self->stages[i], block_of (self, &run->results[i], block), n);

  return TRUE;
}

static void
sort_blocks (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  Run *run = data;

  for (gsize block = begin; block < end && !g_atomic_int_get (&run->failed); block++)
    if (!sort_block (run, block, run->scratch + worker * run->sort->scratch))
      g_atomic_int_set (&run->failed, TRUE);
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Sort *self = compiled;
  Run run = { self, operands, results, scratch, monitor, FALSE };
  double nanoseconds = self->row.nanoseconds * (double) self->together * (double) self->n_blocks;

  if (self->threads_share_blocks)
    {
      if (!ghlo_parallel_for (self->n_blocks, 1, nanoseconds, sort_blocks, &run, monitor))
        run.failed = TRUE;
    }
  else
    sort_blocks (&run, 0, self->n_blocks, 0);

  return ghlo_cpu_finish (!run.failed, monitor, error);
}

static char *
describe (gpointer compiled)
{
  const Sort *self = compiled;

  return g_strdup_printf ("%s, %u key%s, %s%s", self->row.values ? "values" : "positions", self->row.comparator.n_keys,
                          self->row.comparator.n_keys == 1 ? "" : "s",
                          self->columns ? "columns" : self->together > 1 ? "rows together" : "rows",
                          self->row.n_parts > 1 ? ", in parts" : "");
}

const GhloStepImplementation ghlo_cpu_step_sort = {
  .name = "sort",
  .size = sizeof (Sort),
  .read = read_request,
  .select = fill_selection,
  .clear = clear,
  .run = run,
  .describe = describe,
};
