/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Small matrices side by side: each register has a number of as many matrices as it has room for. They are transposed
 * on their way in and out, so any loop over matrices is one over whole registers, however small they are.
 */

#include "cpu/linalg/triangular-private.h"

#include <string.h>

#include "cpu/linalg/complete.h"

/* Bytes between rows whose multiples share a few sets of the L1 cache. */
enum { CONFLICT_BYTES = 2048 };

static gboolean
is_by_columns (const GhloCpuMatrices *m)
{
  return ABS (m->row) < ABS (m->column);
}

/* Rows and columns have the order in lanes that they have in the tensor, so that matrices are copied as wholes; except
 * that those which would share a few sets of the L1 cache are further apart. */
static GhloCpuMatrixLanes
find_lanes (const GhloCpuTriangular *self,
            const GhloCpuMatrices   *m,
            gpointer                 data)
{
  const gboolean by_columns = is_by_columns (m);
  gsize step = (gsize) (by_columns ? m->rows : m->columns);

  if (step * self->routines->lanes * (gsize) self->size % CONFLICT_BYTES == 0)
    step++;

  return (GhloCpuMatrixLanes) {
    .data = data, .n = (gsize) m->columns, .row = by_columns ? 1 : step, .column = by_columns ? step : 1,
  };
}

/* Bytes of the lanes of such matrices. */
static gsize
lanes_size (const GhloCpuTriangular *self,
            const GhloCpuMatrices   *m)
{
  const GhloCpuMatrixLanes lanes = find_lanes (self, m, NULL);
  const gsize n = is_by_columns (m) ? (gsize) m->columns * lanes.column : (gsize) m->rows * lanes.row;

  return ghlo_size_align (n * self->routines->lanes * (gsize) self->size);
}

/* Sets up a copy of @count matrices to lanes, or from them. Those of the result are laid out as the operand's. */
static void
init_copy (const GhloCpuTriangular *self,
           const GhloCpuMatrices   *m,
           gint64                   count,
           gboolean                 is_in,
           GhloCpuCopy             *copy)
{
  const gint64 parts = ghlo_cpu_triangular_parts (self), lanes = self->routines->lanes;
  GhloElementType type = ghlo_element_type_real_part (m->type);
  const gint64 sizes[] = { count, m->rows, m->columns, parts };
  const gint64 tensor[] = { m->batch.stride, m->row, m->column, ghlo_element_info (type)->size };
  const gint64 number = parts * lanes * self->part_size;
  const GhloCpuMatrixLanes order = find_lanes (self, m == &self->result ? &self->from : m, NULL);
  const gint64 in_lanes[] = {
    self->part_size, (gint64) order.row * number, (gint64) order.column * number, lanes * self->part_size,
  };

  ghlo_cpu_copy_init (copy, G_N_ELEMENTS (sizes), sizes, is_in ? type : self->part, is_in ? tensor : in_lanes,
                      is_in ? self->part : type, is_in ? in_lanes : tensor);
}

static void
init_copies (const GhloCpuTriangular *self,
             const GhloCpuMatrices   *m,
             gboolean                 is_in,
             GhloCpuLanesCopies      *copies)
{
  gint64 lanes = self->routines->lanes;

  init_copy (self, m, lanes, is_in, &copies->all);
  init_copy (self, m, m->n_batch % lanes, is_in, &copies->rest);
  init_copy (self, m, 1, is_in, &copies->one);
}

void
ghlo_cpu_lanes_plan (GhloCpuTriangular *self)
{
  self->worker_size = lanes_size (self, &self->from);
  if (self->is_solve)
    {
      self->substitute_at = self->worker_size + lanes_size (self, &self->a);
      self->worker_size = self->substitute_at + self->substitute_size;
      init_copies (self, &self->a, TRUE, &self->a_lanes);
    }
  if (self->is_lu)
    {
      self->pivots_at = self->worker_size;
      self->worker_size += ghlo_size_align ((gsize) (self->n + 1) * self->routines->lanes * (gsize) self->part_size);
    }
  init_copies (self, &self->from, TRUE, &self->from_lanes);
  init_copies (self, &self->result, FALSE, &self->result_lanes);
}

static gint64
count_groups (const GhloCpuTriangular *self)
{
  return ghlo_ceil_div (self->result.n_batch, self->routines->lanes);
}

gsize
ghlo_cpu_lanes_scratch_size (const GhloCpuTriangular *self)
{
  return self->worker_size * MIN ((gsize) count_groups (self), ghlo_parallel_n_workers ());
}

/* Copies @count matrices from @first on to @lanes, or from there to @tensor. */
static void
copy_lanes (const GhloCpuTriangular  *self,
            const GhloCpuMatrices    *m,
            const GhloCpuLanesCopies *copies,
            gint64                    first,
            gint64                    count,
            const guint8             *from,
            guint8                   *tensor,
            guint8                   *lanes)
{
  gboolean is_uniform = ghlo_cpu_axis_is_uniform (&m->batch);
  const GhloCpuCopy *copy = !is_uniform ? &copies->one : count == self->routines->lanes ? &copies->all : &copies->rest;

  for (gint64 i = 0; i < (is_uniform ? 1 : count); i++)
    {
      gint64 at = ghlo_cpu_matrices_at (m, first + i);

      if (tensor == NULL)
        ghlo_cpu_triangular_copy (copy, from + at, lanes + i * self->part_size);
      else
        ghlo_cpu_triangular_copy (copy, lanes + i * self->part_size, tensor + at);
    }
}

/* The lanes in which a number is not finite. */
static guint32
find_not_finite (const GhloCpuTriangular  *self,
                 const GhloCpuMatrixLanes *sides)
{
  const gsize parts = (gsize) ghlo_cpu_triangular_parts (self), n = (gsize) self->n;
  const gboolean by_columns = is_by_columns (&self->from);

  return self->routines->find_not_finite (by_columns ? sides->n : n,
                                          (by_columns ? sides->column : sides->row) * parts,
                                          (by_columns ? n : sides->n) * parts, sides->data);
}

/* Number @i of registers, which are of the type of the matrices. */
static int
integer_at (const GhloCpuTriangular *self,
            gconstpointer            registers,
            gint64                   i)
{
  return (int) (self->part_size == sizeof (float) ? ((const float *) registers)[i] : ((const double *) registers)[i]);
}

static void
take_pivots (const GhloCpuTriangularRun *run,
             gint64                      first,
             gint64                      count,
             gconstpointer               registers)
{
  const GhloCpuTriangular *self = run->self;
  const GhloCpuLuResults *to = run->lu;
  const gint64 n = self->n, rows = self->from.rows, lanes = self->routines->lanes;

  for (gint64 i = 0; i < count; i++)
    {
      int *pivots = to->pivots + (first + i) * n;

      for (gint64 k = 0; k < n; k++)
        pivots[k] = integer_at (self, registers, k * lanes + i) + 1;
      if (to->info != NULL)
        to->info[first + i] = integer_at (self, registers, n * lanes + i);
      if (to->permutation != NULL)
        ghlo_cpu_lapack_permute (pivots, (gsize) n, to->permutation + (first + i) * rows, (gsize) rows);
    }
}

static void
run_group (GhloCpuTriangularRun *run,
           gint64                group,
           guint8               *scratch)
{
  const GhloCpuTriangular *self = run->self;
  gint64 lanes = self->routines->lanes, first = group * lanes, count = MIN (lanes, self->result.n_batch - first);
  const GhloCpuMatrixLanes sides = find_lanes (self, &self->from, scratch);
  const GhloCpuMatrixLanes triangles = find_lanes (self, &self->a, scratch + lanes_size (self, &self->from));
  guint32 not_finite = 0;

  /* Lanes without a matrix have defined numbers, too. */
  if (count < lanes)
    memset (scratch, 0, self->worker_size - self->substitute_size);
  copy_lanes (self, &self->from, &self->from_lanes, first, count, run->from, NULL, sides.data);
  if (self->is_solve)
    {
      copy_lanes (self, &self->a, &self->a_lanes, first, count, run->a, NULL, triangles.data);
      self->routines->solve_lanes (&triangles, self->unit, self->conjugate, &sides);
      not_finite = find_not_finite (self, &sides);
    }
  else if (self->is_lu)
    {
      self->routines->factor_rows_lanes (&sides, (gsize) self->from.rows, scratch + self->pivots_at);
      take_pivots (run, first, count, scratch + self->pivots_at);
    }
  else
    self->routines->factor_lanes (&sides);
  copy_lanes (self, &self->result, &self->result_lanes, first, count, NULL, run->result, sides.data);
  for (gint64 i = 0; i < count; i++)
    if ((not_finite >> i & 1) != 0)
      ghlo_cpu_triangular_solve_again (run, first + i, 0, self->sides, scratch + self->substitute_at);
}

static void
run_groups (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  GhloCpuTriangularRun *run = data;

  for (gsize group = begin; group < end && !ghlo_cpu_triangular_stopped (run); group++)
    run_group (run, (gint64) group, run->scratch + worker * run->self->worker_size);
}

gboolean
ghlo_cpu_lanes_run (GhloCpuTriangularRun *run)
{
  return ghlo_parallel_for ((gsize) count_groups (run->self), 1, run->self->nanoseconds, run_groups, run, run->monitor)
         && !run->stopped;
}
