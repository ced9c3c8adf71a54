/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Systems of a few unknowns whose right-hand sides are adjacent in memory: rows of these are solved for where they are,
 * a strip of columns after the other, so that nothing is copied. Threads share matrices, and ranges of columns.
 */

#include "cpu/linalg/triangular-private.h"

/* The most unknowns: more rows than that, far from each other, would leave the L1 cache, as would more bytes of rows
 * that are close; and the most strips of these for which the triangle is read. */
enum { MAX_UNKNOWNS = 64, MAX_CLOSE_BYTES = 8 << 10, MAX_CLOSE_STRIPS = 2 };

/* Columns of a range, at least; and the unknowns of the systems that are solved by one call. */
enum { RANGE = 512, MAX_TOGETHER = 512 };

/* Whether the rows of one strip stay in the L1 cache, and the triangle, which does not, is read for a few only. */
static gboolean
are_few (const GhloCpuTriangular *self)
{
  const gint64 row = MAX (ABS (self->from.row), ABS (self->result.row));

  return self->n <= MAX_UNKNOWNS
         || (self->n <= MAX_CLOSE_BYTES / MAX (row, 1) && self->sides <= MAX_CLOSE_STRIPS * self->routines->lanes);
}

gboolean
ghlo_cpu_rows_accept (const GhloCpuTriangular *self)
{
  const GhloCpuMatrices *a = &self->a, *from = &self->from, *result = &self->result;

  return self->is_solve && self->number == self->part && are_few (self)
         && self->sides >= self->routines->lanes && a->type == self->number && from->type == self->number
         && from->column == self->size && result->column == self->size
         && (a->row | a->column | from->row | result->row) % self->size == 0;
}

static gint64
count_ranges (const GhloCpuTriangular *self)
{
  return MAX (self->sides / RANGE, 1);
}

/* Systems are solved by one call where each is one range, at strides of whole numbers. */
gboolean
ghlo_cpu_rows_plan (GhloCpuTriangular *self)
{
  const GhloCpuAxis *a = &self->a.batch, *from = &self->from.batch, *result = &self->result.batch;

  self->together = 1;
  if (count_ranges (self) == 1 && ghlo_cpu_axis_is_uniform (a) && ghlo_cpu_axis_is_uniform (from)
      && ghlo_cpu_axis_is_uniform (result) && (a->stride | from->stride | result->stride) % self->size == 0)
    self->together = CLAMP (MAX_TOGETHER / MAX (self->n, 1), 1, MAX (self->result.n_batch, 1));
  /* Reciprocals are whole registers. */
  self->substitute_at = ghlo_size_align ((gsize) (self->together * self->n * self->size));
  self->worker_size = self->substitute_at + self->substitute_size;

  return TRUE;
}

gsize
ghlo_cpu_rows_scratch_size (const GhloCpuTriangular *self)
{
  return self->worker_size * ghlo_parallel_n_workers ();
}

/* Solves for columns [@begin, @end) of matrices [@first, @last). */
static void
run_range (GhloCpuTriangularRun *run,
           gint64                first,
           gint64                last,
           gint64                begin,
           gint64                end,
           guint8               *scratch)
{
  const GhloCpuTriangular *self = run->self;
  const gint64 size = self->size, column = begin * size;
  const GhloCpuTriangleRows systems = {
    .n_systems = (gsize) (last - first), .n = (gsize) self->n, .columns = (gsize) (end - begin), .unit = self->unit,
    .inverses = scratch, .a_system = self->a.batch.stride / size, .b_system = self->from.batch.stride / size,
    .x_system = self->result.batch.stride / size,
    .a = run->a + ghlo_cpu_matrices_at (&self->a, first), .a_row = self->a.row / size,
    .a_column = self->a.column / size,
    .b = run->from + ghlo_cpu_matrices_at (&self->from, first) + column, .b_row = self->from.row / size,
    .x = run->result + ghlo_cpu_matrices_at (&self->result, first) + column, .x_row = self->result.row / size,
  };

  if (!ghlo_cpu_routines ()->solve_rows[size == sizeof (double)] (&systems))
    for (gint64 i = first; i < last; i++)
      ghlo_cpu_triangular_solve_again (run, i, begin, end, scratch + self->substitute_at);
}

static void
run_ranges (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  GhloCpuTriangularRun *run = data;
  const GhloCpuTriangular *self = run->self;
  const gint64 n = count_ranges (self);
  guint8 *scratch = run->scratch + worker * self->worker_size;

  for (gint64 i = (gint64) begin, last; i < (gint64) end && !ghlo_cpu_triangular_stopped (run); i = last)
    {
      last = MIN (i + self->together, (gint64) end);
      run_range (run, i / n, (last - 1) / n + 1, i % n * RANGE, i % n == n - 1 ? self->sides : (i % n + 1) * RANGE,
                 scratch);
    }
}

gboolean
ghlo_cpu_rows_run (GhloCpuTriangularRun *run)
{
  const GhloCpuTriangular *self = run->self;

  return ghlo_parallel_for ((gsize) (self->result.n_batch * count_ranges (self)), 1, self->nanoseconds, run_ranges, run,
                            run->monitor)
         && !run->stopped;
}
