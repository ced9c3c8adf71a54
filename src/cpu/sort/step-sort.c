/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sort as a step of a plan, where its comparator compares keys (sort-comparator.h).
 * Lines whose elements lie adjacent are sorted where they are; others are brought
 * together some at a time, so that memory is read in whole lines of the cache.
 */

#include "cpu/isa/routines.h"
#include "cpu/sort/columns.h"
#include "cpu/steps.h"
#include "runtime/parallel.h"

#include <string.h>

/* Lines that are brought together: as many as a line of the cache has elements of four
 * bytes, or fewer where they would take more than the second cache. */
enum { MAX_TOGETHER = 16, MIN_TOGETHER = 4, TOGETHER_ELEMENTS = 1 << 17 };

/* Lines that are worth sorting side by side, and their length. */
enum { MIN_COLUMNS = 4, MAX_COLUMN = 256 };

/* A line that is worth sorting in parts: elements for each of them, and threads. Merging
 * two parts takes about as long as two threads gain before. */
enum { MIN_PART = 1 << 15, MIN_THREADS = 4 };

typedef struct
{
  GhloCpuSortLine line;
  guint           dimension;
  gint            lane;           /* the last other dimension; -1 when there is none */
  gsize           n_lanes;        /* its size */
  gsize           together;       /* lines in a block */
  gboolean        columns;        /* they are sorted at once */
  gsize           blocks_each;    /* for all lanes */
  gsize           n_blocks;
  gboolean        apart;          /* blocks are split over threads, else parts of a line */
  gboolean        result_direct;  /* lines of results are adjacent elements */
  guint          *sizes;          /* owned; of operands' elements */
  gboolean       *direct;         /* owned; whether lines of operands are */
  gsize          *stages;         /* owned; offsets in the scratch where they are brought together */
  gsize           pointers;       /* offset of two for each operand, and of two strides */
  gsize           scratch;        /* of one thread */
} Sort;

typedef struct
{
  const Sort        *sort;
  const GhloView    *operands, *results;
  guint8            *scratch;
  const GhloMonitor *monitor;
  gint               failed;      /* atomic */
} Run;

static void
release (gpointer prepared)
{
  Sort *self = prepared;

  g_free (self->sizes);
  g_free (self->direct);
  g_free (self->stages);
  g_free (self);
}

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

/* What each thread wants: the line's own, pointers, and lines brought together. */
static gboolean
find_scratch (Sort *self)
{
  gsize ignored;

  if (!reserve (&self->scratch, &ignored, self->line.scratch, 1)
      || !reserve (&self->scratch, &self->pointers, self->line.n_operands, 2 * (sizeof (gpointer) + sizeof (gint64))))
    return FALSE;
  for (guint i = 0; i < self->line.n_operands; i++)
    {
      gsize lines = self->direct[i] && self->result_direct ? 0 : self->together, n;

      if (!ghlo_size_mul (&n, lines, self->line.n) || !reserve (&self->scratch, &self->stages[i], n, self->sizes[i]))
        return FALSE;
    }

  return TRUE;
}

static gboolean
find_lines (Sort           *self,
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
  self->line.n = (gsize) n;
  self->result_direct = all_direct = self->dimension == result->rank - 1 || self->n_lanes * others == 1;
  for (guint i = 0; i < self->line.n_operands; i++)
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
  self->blocks_each = (self->n_lanes + self->together - 1) / self->together;
  if (n == 0)
    others = 0;

  return ghlo_size_mul (&self->n_blocks, self->blocks_each, others);
}

/* One line after the other where there are too few for all threads. */
static guint
choose_parts (Sort *self)
{
  guint n_workers = ghlo_parallel_n_workers (), parts = 1;

  self->apart = self->n_blocks >= n_workers || n_workers < MIN_THREADS || self->line.n < 2 * MIN_PART;
  while (!self->apart && parts < n_workers && self->line.n / (2 * parts) >= MIN_PART)
    parts *= 2;

  return parts;
}

static gpointer
prepare (const GhloIrOp  *op,
         const GhloView  *operands,
         const GhloView  *results,
         gsize           *scratch,
         GError         **error)
{
  gint64 dimension = ghlo_ir_op_get_int (op, "dimension", -1);
  Sort *self = g_new0 (Sort, 1);

  self->line.n_operands = op->n_operands;
  self->sizes = g_new0 (guint, op->n_operands);
  self->direct = g_new0 (gboolean, op->n_operands);
  self->stages = g_new0 (gsize, op->n_operands);
  self->line.sizes = self->sizes;
  if (op->n_operands > 0 && dimension < 0)
    dimension += operands[0].rank;
  self->dimension = (guint) dimension;
  if (op->n_operands > 0 && dimension >= 0 && dimension < operands[0].rank
      && ghlo_cpu_sort_comparator_read (&self->line.comparator, op) && find_lines (self, operands, &results[0])
      && ghlo_cpu_sort_line_init (&self->line, choose_parts (self)) && find_scratch (self)
      && ghlo_size_mul (scratch, self->scratch, self->apart ? ghlo_parallel_n_workers () : 1))
    {
      self->columns = self->columns && ghlo_cpu_sort_columns_takes (&self->line);
      return self;
    }

  release (self);
  return NULL;
}

/* The first line of a block. */
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

/* Brings lines of an operand together. */
static void
gather_lines (const Sort     *self,
              const GhloView *view,
              const guint8   *from,
              guint8         *to,
              gsize           lines)
{
  const GhloCpuRoutines *kernels = ghlo_cpu_routines ();
  gsize size = ghlo_element_info (view->element_type)->size, n = self->line.n;
  gint64 lane = lane_stride (self, view);
  GhloCpuPlaneFunc move = (lane == (gint64) size ? kernels->turn : kernels->move)[g_bit_storage (size) - 1];

  move (from, lane, view->strides[self->dimension], to, (gint64) (n * size), (gint64) size, lines, n);
}

static void
scatter_lines (const Sort     *self,
               const GhloView *view,
               const guint8   *from,
               guint8         *to,
               gsize           lines)
{
  const GhloCpuRoutines *kernels = ghlo_cpu_routines ();
  gsize size = ghlo_element_info (view->element_type)->size, n = self->line.n;
  gint64 lane = lane_stride (self, view);
  GhloCpuPlaneFunc move = (lane == (gint64) size ? kernels->turn : kernels->move)[g_bit_storage (size) - 1];

  move (from, (gint64) size, (gint64) (n * size), to, view->strides[self->dimension], lane, n, lines);
}

/* Where a block's lines are read and written, and the bytes from one to the next. */
typedef struct
{
  const guint8 **from;
  guint8       **to;
  gint64        *from_steps, *to_steps;
} Lines;

static void
find_block (const Run *run,
            gsize      block,
            guint8    *scratch,
            Lines     *lines)
{
  const Sort *self = run->sort;
  guint n = self->line.n_operands;

  lines->from = (gpointer) (scratch + self->pointers);
  lines->to = (gpointer) (lines->from + n);
  lines->from_steps = (gpointer) (lines->to + n);
  lines->to_steps = lines->from_steps + n;
  for (guint i = 0; i < n; i++)
    {
      guint8 *stage = scratch + self->stages[i];
      gint64 step = (gint64) (self->line.n * self->sizes[i]);

      lines->from[i] = self->direct[i] ? block_of (self, &run->operands[i], block) : stage;
      lines->from_steps[i] = self->direct[i] ? lane_stride (self, &run->operands[i]) : step;
      lines->to[i] = self->result_direct ? block_of (self, &run->results[i], block) : stage;
      lines->to_steps[i] = self->result_direct ? lane_stride (self, &run->results[i]) : step;
    }
}

static gboolean
sort_lines (const Run *run,
            Lines     *lines,
            gsize      n,
            guint8    *scratch)
{
  const Sort *self = run->sort;

  if (self->columns
      && ghlo_cpu_sort_columns_run (&self->line, (guint) n, lines->from, lines->from_steps, lines->to, lines->to_steps))
    return TRUE;
  for (gsize line = 0; line < n; line++)
    {
      if (!ghlo_cpu_sort_line_run (&self->line, lines->from, lines->to, scratch, run->monitor))
        return FALSE;
      for (guint i = 0; i < self->line.n_operands; i++)
        {
          lines->from[i] += lines->from_steps[i];
          lines->to[i] += lines->to_steps[i];
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
  Lines lines;

  for (guint i = 0; i < self->line.n_operands; i++)
    if (!self->direct[i])
      gather_lines (self, &run->operands[i], block_of (self, &run->operands[i], block), scratch + self->stages[i], n);
  find_block (run, block, scratch, &lines);
  if (!sort_lines (run, &lines, n, scratch))
    return FALSE;
  for (guint i = 0; !self->result_direct && i < self->line.n_operands; i++)
    scatter_lines (self, &run->results[i], scratch + self->stages[i], block_of (self, &run->results[i], block), n);

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
run (gpointer            prepared,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Sort *self = prepared;
  Run run = { self, operands, results, scratch, monitor, FALSE };
  double nanoseconds = self->line.nanoseconds * (double) self->together * (double) self->n_blocks;

  if (self->apart)
    {
      if (!ghlo_parallel_for (self->n_blocks, 1, nanoseconds, sort_blocks, &run, monitor))
        run.failed = TRUE;
    }
  else
    sort_blocks (&run, 0, self->n_blocks, 0);

  if (!run.failed)
    return TRUE;

  if (!ghlo_monitor_cancelled (monitor, error))
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "the sort was cancelled");

  return FALSE;
}

/* Each line is written after all of it was read. */
static gboolean
in_place (const GhloIrOp *op,
          guint           operand,
          guint           result)
{
  return operand == result;
}

static char *
describe (gpointer prepared)
{
  const Sort *self = prepared;

  return g_strdup_printf ("%s, %u key%s, %s%s", self->line.values ? "values" : "places", self->line.comparator.n_keys,
                          self->line.comparator.n_keys == 1 ? "" : "s",
                          self->columns ? "columns" : self->together > 1 ? "lines together" : "lines",
                          self->line.n_parts > 1 ? ", in parts" : "");
}

const GhloStepImplementation ghlo_cpu_step_sort = {
  .name = "sort",
  .takes = ghlo_cpu_takes_any,
  .in_place = in_place,
  .prepare = prepare,
  .run = run,
  .release = release,
  .describe = describe,
};
