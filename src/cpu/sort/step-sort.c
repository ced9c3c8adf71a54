/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of sort, where the comparator compares keys (comparator.h). A row is the elements along the sorted
 * dimension. Short rows are sorted side by side. Long rows of adjacent elements are sorted in place; others are
 * gathered several at a time, so that memory is read in whole cache lines.
 */

#include "base/sizes.h"
#include "cpu/finish.h"
#include "cpu/sort/columns.h"
#include "cpu/steps.h"
#include "runtime/parallel.h"

/* Rows that are gathered at a time: as many as a cache line has elements of four bytes, or fewer where they would not
 * fit into the L2 cache. */
enum { MAX_TOGETHER = 16, MIN_TOGETHER = 4, TOGETHER_ELEMENTS = 1 << 17 };

/* The fewest elements of a part, and the fewest threads, for sorting a row in parts. Merging two parts takes about as
 * long as two threads save by sorting them. */
enum { MIN_PART = 1 << 15, MIN_THREADS = 4 };

typedef struct
{
  GhloCpuSortRow    row;
  GhloCpuSortBlocks blocks;
  gboolean          columns;         /* the rows of a block are sorted side by side */
  gboolean          threads_share_blocks;    /* otherwise they share the parts of a row */
  gboolean          result_direct;   /* rows of the results are adjacent elements */
  guint            *sizes;           /* owned; bytes of each operand's elements */
  gboolean         *direct;          /* owned; rows of each operand are adjacent elements */
  gsize            *stages;          /* owned; for each operand, the offset of its gathered rows in the scratch */
  gsize             rows;            /* offset of a block's Rows in the scratch */
  gsize             planes;          /* offset of the planes of columns in the scratch */
  gsize             scratch;         /* bytes for one thread */
} Sort;

typedef struct
{
  const Sort        *sort;
  const GhloView    *operands, *results;
  guint8            *scratch;
  const GhloMonitor *monitor;
  gint               failed;      /* atomic */
} Run;

/* Rows of each operand and result, and the addresses of one of them. */
typedef struct
{
  GhloCpuSortRows *from, *to;
  const guint8   **source;
  guint8         **target;
} Rows;

/* Lays out the scratch of each thread: for sorting a row, Rows, gathered rows, and planes. */
static gboolean
find_scratch (Sort *self)
{
  gsize ignored;

  if (!ghlo_size_reserve (&self->scratch, &ignored, self->row.scratch, 1)
      || !ghlo_size_reserve (&self->scratch, &self->rows, self->row.n_operands,
                             2 * (sizeof (GhloCpuSortRows) + sizeof (gpointer))))
    return FALSE;
  for (guint i = 0; i < self->row.n_operands; i++)
    {
      gsize n_rows = self->direct[i] && self->result_direct ? 0 : ghlo_cpu_sort_blocks_most (&self->blocks), n;

      if (!ghlo_size_mul (&n, n_rows, self->row.n)
          || !ghlo_size_reserve (&self->scratch, &self->stages[i], n, self->sizes[i]))
        return FALSE;
    }

  return !self->columns
         || ghlo_size_reserve (&self->scratch, &self->planes, 1,
                               ghlo_cpu_sort_columns_scratch (&self->row, ghlo_cpu_sort_blocks_most (&self->blocks)));
}

static gboolean
find_rows (Sort           *self,
           const GhloView *operands,
           const GhloView *results,
           guint           dimension)
{
  guint n_operands = self->row.n_operands;
  g_autofree const GhloView **views = g_new (const GhloView *, 2 * n_operands);
  gint64 n = results[0].dimensions[dimension];

  for (guint i = 0; i < n_operands; i++)
    {
      views[2 * i] = &operands[i];
      views[2 * i + 1] = &results[i];
      self->sizes[i] = ghlo_element_info (operands[i].element_type)->size;
      self->direct[i] = n == 1 || operands[i].strides[dimension] == self->sizes[i];
    }
  self->row.n = (gsize) n;
  self->result_direct = n == 1 || results[0].strides[dimension] == self->sizes[0];

  return ghlo_cpu_sort_blocks_init (&self->blocks, dimension, views, 2 * n_operands);
}

/* How many rows are sorted, or gathered, together. */
static gboolean
choose_block (Sort *self)
{
  gboolean all_direct = self->result_direct;
  gsize n_rows = self->blocks.n_lanes * self->blocks.n_groups, together;

  for (guint i = 0; i < self->row.n_operands; i++)
    all_direct &= self->direct[i];
  self->columns = ghlo_cpu_sort_columns_takes (&self->row, n_rows);
  if (self->columns)
    together = ghlo_cpu_sort_columns_most (&self->row, n_rows);
  else
    together = all_direct ? 1 : CLAMP (TOGETHER_ELEMENTS / MAX (self->row.n, 1), MIN_TOGETHER, MAX_TOGETHER);

  return ghlo_cpu_sort_blocks_divide (&self->blocks, together);
}

/* Where there are too few rows for all threads, they share the parts of one row at a time. */
static guint
choose_parts (Sort *self)
{
  guint n_workers = ghlo_parallel_n_workers (), parts = 1;

  self->threads_share_blocks = self->blocks.n_blocks >= n_workers || n_workers < MIN_THREADS
                               || self->row.n < 2 * MIN_PART;
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
  if (n == 0 || dimension < 0 || dimension >= operands[0].rank)
    return "its dimension is out of range";
  if (!ghlo_sort_comparator_read (&self->row.comparator, request->op))
    return "its comparator does not compare keys";
  if (!find_rows (self, operands, request->results, (guint) dimension)
      || !ghlo_cpu_sort_row_init (&self->row, choose_parts (self)) || !choose_block (self) || !find_scratch (self)
      || !find_all_scratch (self, &scratch))
    return "its rows are too long";

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

static void
find_block (const Run *run,
            gsize      block,
            guint8    *scratch,
            Rows      *rows)
{
  const Sort *self = run->sort;
  guint n = self->row.n_operands;

  rows->from = (gpointer) (scratch + self->rows);
  rows->to = rows->from + n;
  rows->source = (gpointer) (rows->to + n);
  rows->target = (gpointer) (rows->source + n);
  for (guint i = 0; i < n; i++)
    {
      rows->from[i] = ghlo_cpu_sort_blocks_find (&self->blocks, &run->operands[i], block);
      rows->to[i] = ghlo_cpu_sort_blocks_find (&self->blocks, &run->results[i], block);
    }
}

static GhloCpuSortRows
find_stage (const Sort *self,
            guint       operand,
            guint8     *scratch)
{
  guint size = self->sizes[operand];

  return (GhloCpuSortRows) {
    scratch + self->stages[operand], (gint64) (self->row.n * size), size, size,
    ghlo_cpu_sort_blocks_most (&self->blocks), 0,
  };
}

static gboolean
sort_block (const Run *run,
            gsize      block,
            guint8    *scratch)
{
  const Sort *self = run->sort;
  gsize n_rows = ghlo_cpu_sort_blocks_length (&self->blocks, block);
  guint n = self->row.n_operands;
  Rows rows;

  find_block (run, block, scratch, &rows);
  if (self->columns && ghlo_cpu_sort_columns_run (&self->row, n_rows, self->row.n, rows.from, rows.to, NULL,
                                                  scratch + self->planes))
    return TRUE;
  for (guint i = 0; i < n; i++)
    {
      GhloCpuSortRows stage = find_stage (self, i, scratch);

      if (!self->direct[i])
        {
          ghlo_cpu_sort_rows_copy (&rows.from[i], &stage, n_rows, self->row.n);
          rows.from[i] = stage;
        }
      if (!self->result_direct)
        rows.to[i] = stage;
    }
  for (gsize row = 0; row < n_rows; row++)
    {
      for (guint i = 0; i < n; i++)
        {
          rows.source[i] = ghlo_cpu_sort_rows_find (&rows.from[i], row);
          rows.target[i] = ghlo_cpu_sort_rows_find (&rows.to[i], row);
        }
      if (!ghlo_cpu_sort_row_run (&self->row, rows.source, rows.target, scratch, run->monitor))
        return FALSE;
    }
  for (guint i = 0; !self->result_direct && i < n; i++)
    {
      GhloCpuSortRows result = ghlo_cpu_sort_blocks_find (&self->blocks, &run->results[i], block);

      ghlo_cpu_sort_rows_copy (&rows.to[i], &result, n_rows, self->row.n);
    }

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
  double n_rows = (double) ghlo_cpu_sort_blocks_most (&self->blocks) * (double) self->blocks.n_blocks;
  double nanoseconds = self->row.nanoseconds * n_rows;

  gsize n_blocks = self->row.n > 0 ? self->blocks.n_blocks : 0;

  if (self->threads_share_blocks)
    {
      if (!ghlo_parallel_for (n_blocks, 1, nanoseconds, sort_blocks, &run, monitor))
        run.failed = TRUE;
    }
  else
    sort_blocks (&run, 0, n_blocks, 0);

  return ghlo_cpu_finish (!run.failed, monitor, error);
}

static char *
describe (gpointer compiled)
{
  const Sort *self = compiled;
  const char *rows = ghlo_cpu_sort_blocks_most (&self->blocks) > 1 ? "rows together" : "rows";

  return g_strdup_printf ("%s, %u key%s, %s%s", self->row.values ? "values" : "positions", self->row.comparator.n_keys,
                          self->row.comparator.n_keys == 1 ? "" : "s",
                          self->columns ? "columns" : rows,
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
