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

/* The squares on the diagonal that are copied as wholes; and the least matrices of which the other triangle is not
 * copied. */
enum { SQUARE = 8, MIN_TRIANGLE = 4 * SQUARE };

static gboolean
is_by_columns (const GhloCpuMatrices *m)
{
  return ABS (m->row) < ABS (m->column);
}

/* Numbers of lanes that are adjacent in the tensor, and of such groups. */
static gsize
count_inner (const GhloCpuMatrices *m)
{
  return (gsize) (is_by_columns (m) ? m->rows : m->columns);
}

static gsize
count_outer (const GhloCpuMatrices *m)
{
  return (gsize) (is_by_columns (m) ? m->columns : m->rows);
}

/* Numbers from one group to the next, so that these do not share a few sets of the L1 cache. */
static gsize
find_step (const GhloCpuTriangular *self,
           const GhloCpuMatrices   *m)
{
  gsize step = count_inner (m);

  return step * self->routines->lanes * (gsize) self->size % CONFLICT_BYTES == 0 ? step + 1 : step;
}

/* Numbers have the order in lanes that they have in memory, so that matrices are copied as wholes. */
static void
find_order (const GhloCpuTriangular *self,
            const GhloCpuMatrices   *m,
            gint64                  *row,
            gint64                  *column)
{
  const gboolean by_columns = is_by_columns (m);
  const gint64 step = (gint64) find_step (self, m);

  *row = (by_columns ? 1 : step) * (m->row < 0 ? -1 : 1);
  *column = (by_columns ? step : 1) * (m->column < 0 ? -1 : 1);
}

/* Bytes of the lanes of such matrices. */
static gsize
lanes_size (const GhloCpuTriangular *self,
            const GhloCpuMatrices   *m)
{
  return ghlo_size_align (count_outer (m) * find_step (self, m) * self->routines->lanes * (gsize) self->size);
}

/* Whether matrices are copied by transposing numbers that are adjacent in memory. */
static gboolean
is_direct (const GhloCpuTriangular *self,
           const GhloCpuMatrices   *m)
{
  const gint64 inner = is_by_columns (m) ? m->row : m->column;

  return m->type == self->part && ABS (inner) == self->size && ghlo_cpu_axis_is_uniform (&m->batch);
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
  gint64 in_lanes[] = { self->part_size, 0, 0, lanes * self->part_size };

  find_order (self, m == &self->result ? &self->from : m, &in_lanes[1], &in_lanes[2]);
  in_lanes[1] *= number;
  in_lanes[2] *= number;
  ghlo_cpu_copy_init (copy, G_N_ELEMENTS (sizes), sizes, is_in ? type : self->part, is_in ? tensor : in_lanes,
                      is_in ? self->part : type, is_in ? in_lanes : tensor);
}

static gboolean
is_factored (const GhloCpuTriangular *self)
{
  return !self->is_solve && !self->is_lu;
}

/* Whether only triangles of matrices are copied: those of a factorization or a system, of more than a few numbers,
 * without gaps. */
static gboolean
is_triangle (const GhloCpuTriangular *self,
             const GhloCpuMatrices   *m)
{
  const gint64 sign = m->row < 0 ? -1 : 1;

  return (is_factored (self) ? sign > 0 : self->is_solve && m == &self->a) && self->n >= MIN_TRIANGLE
         && MIN (sign * m->row, sign * m->column) == self->size
         && MAX (sign * m->row, sign * m->column) == self->n * self->size;
}

/* Whether a tensor has numbers in the order of the lanes of @m. */
static gboolean
has_order (const GhloCpuMatrices *tensor,
           const GhloCpuMatrices *m)
{
  return is_by_columns (tensor) == is_by_columns (m) && (tensor->row < 0) == (m->row < 0)
         && (tensor->column < 0) == (m->column < 0);
}

/* Plans the copies of a tensor; those of the result are for lanes in the order of the operand. */
static void
init_copies (const GhloCpuTriangular *self,
             const GhloCpuMatrices   *m,
             gboolean                 is_in,
             GhloCpuLanesCopies      *copies)
{
  const GhloCpuMatrices *order = m == &self->result ? &self->from : m;
  const gint64 lanes = self->routines->lanes, number = lanes * self->size;

  find_order (self, order, &copies->row, &copies->column);
  copies->at = (MAX (-copies->row, 0) * (order->rows - 1) + MAX (-copies->column, 0) * (order->columns - 1)) * number;
  copies->transposes = is_direct (self, m) && has_order (m, order);
  copies->triangle = is_triangle (self, m);
  copies->n_lines = count_outer (m);
  copies->length = count_inner (m);
  copies->line = MAX (ABS (m->row), ABS (m->column));
  copies->step = (gint64) find_step (self, m) * number;
  copies->first = m->first + MIN (m->row, 0) * (m->rows - 1) + MIN (m->column, 0) * (m->columns - 1);
  /* Lines without gaps are one. */
  if (!copies->triangle && copies->line == (gint64) copies->length * self->size
      && copies->step == (gint64) copies->length * number)
    {
      copies->length *= copies->n_lines;
      copies->n_lines = 1;
    }
  init_copy (self, m, lanes, is_in, &copies->all);
  init_copy (self, m, m->n_batch % lanes, is_in, &copies->rest);
  init_copy (self, m, 1, is_in, &copies->one);
}

gboolean
ghlo_cpu_lanes_plan (GhloCpuTriangular *self)
{
  self->triangles_at = self->worker_size = lanes_size (self, &self->from);
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

  return TRUE;
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

/* The numbers [@begin, @end) of a group that are copied, as far as they are computed with: those of an upper factor, or
 * of a lower triangle that may be reversed. */
static void
find_range (const GhloCpuTriangular *self,
            const GhloCpuMatrices   *m,
            gsize                    group,
            gsize                   *begin,
            gsize                   *end)
{
  const gsize n = count_inner (m);
  const gboolean begins_there = (is_factored (self) || m->row < 0) != is_by_columns (m);

  *begin = begins_there ? group / SQUARE * SQUARE : 0;
  *end = begins_there ? n : MIN (group / SQUARE * SQUARE + SQUARE, n);
}

/* Transposes lines of numbers of @count matrices to registers, or from them. */
static void
transpose_lanes (const GhloCpuTriangular  *self,
                 const GhloCpuMatrices    *m,
                 const GhloCpuLanesCopies *copies,
                 gint64                    first,
                 gint64                    count,
                 const guint8             *from,
                 guint8                   *tensor,
                 guint8                   *registers)
{
  const gint64 size = self->size, number = self->routines->lanes * size, batch = m->batch.stride;
  const gint64 at = copies->first + first * batch;
  const GhloCpuPlaneFunc transpose = ghlo_cpu_routines ()->transpose[g_bit_storage ((gulong) size) - 1];
  gsize begin = 0, end = copies->length;

  for (gint64 i = 0; copies->triangle && tensor != NULL && i < count; i++)
    memset (tensor + at + i * batch, 0, copies->n_lines * end * (gsize) size);
  for (gsize line = 0; line < copies->n_lines; line++)
    {
      guint8 *lanes = registers + (gint64) line * copies->step;
      gint64 place = at + (gint64) line * copies->line;

      if (copies->triangle)
        find_range (self, m, line, &begin, &end);
      lanes += (gint64) begin * number;
      place += (gint64) begin * size;
      if (tensor == NULL)
        transpose (from + place, size, batch, lanes, number, size, end - begin, (gsize) count);
      else
        transpose (lanes, size, number, tensor + place, batch, size, (gsize) count, end - begin);
    }
}

/* Copies @count matrices from @first on to registers, or from there to @tensor. */
static void
copy_lanes (const GhloCpuTriangular  *self,
            const GhloCpuMatrices    *m,
            const GhloCpuLanesCopies *copies,
            gint64                    first,
            gint64                    count,
            const guint8             *from,
            guint8                   *tensor,
            guint8                   *registers)
{
  gboolean is_uniform = ghlo_cpu_axis_is_uniform (&m->batch);
  const GhloCpuCopy *copy = !is_uniform ? &copies->one : count == self->routines->lanes ? &copies->all : &copies->rest;
  guint8 *lanes = registers + copies->at;

  if (copies->transposes)
    {
      transpose_lanes (self, m, copies, first, count, from, tensor, registers);
      return;
    }
  for (gint64 i = 0; i < (is_uniform ? 1 : count); i++)
    {
      gint64 at = ghlo_cpu_matrices_at (m, first + i);

      if (tensor == NULL)
        ghlo_cpu_triangular_copy (copy, from + at, lanes + i * self->part_size);
      else
        ghlo_cpu_triangular_copy (copy, lanes + i * self->part_size, tensor + at);
    }
}

static GhloCpuMatrixLanes
find_lanes (const GhloCpuMatrices    *m,
            const GhloCpuLanesCopies *copies,
            guint8                   *registers)
{
  return (GhloCpuMatrixLanes) {
    .data = registers + copies->at, .n = (gsize) m->columns, .row = copies->row, .column = copies->column,
  };
}

/* The lanes in which a number is not finite. */
static guint32
find_not_finite (const GhloCpuTriangular *self,
                 gconstpointer            registers)
{
  const gsize parts = (gsize) ghlo_cpu_triangular_parts (self);

  return self->routines->find_not_finite (count_outer (&self->from), find_step (self, &self->from) * parts,
                                          count_inner (&self->from) * parts, registers);
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
solve_again (GhloCpuTriangularRun *run,
             gint64                first,
             gint64                count,
             guint8               *scratch)
{
  const GhloCpuTriangular *self = run->self;
  const guint32 lanes = find_not_finite (self, scratch);

  for (gint64 i = 0; i < count; i++)
    if ((lanes >> i & 1) != 0)
      ghlo_cpu_triangular_solve_again (run, first + i, 0, self->sides, scratch + self->substitute_at);
}

static void
run_group (GhloCpuTriangularRun *run,
           gint64                group,
           guint8               *scratch)
{
  const GhloCpuTriangular *self = run->self;
  gint64 lanes = self->routines->lanes, first = group * lanes, count = MIN (lanes, self->result.n_batch - first);
  const GhloCpuMatrixLanes sides = find_lanes (&self->from, &self->from_lanes, scratch);
  gboolean is_finite = TRUE;

  /* Lanes without a matrix have defined numbers, too. */
  if (count < lanes)
    memset (scratch, 0, self->worker_size - self->substitute_size);
  copy_lanes (self, &self->from, &self->from_lanes, first, count, run->from, NULL, scratch);
  if (self->is_solve)
    {
      guint8 *a = scratch + self->triangles_at;
      const GhloCpuMatrixLanes triangles = find_lanes (&self->a, &self->a_lanes, a);

      copy_lanes (self, &self->a, &self->a_lanes, first, count, run->a, NULL, a);
      is_finite = self->routines->solve_lanes (&triangles, self->unit, self->conjugate, &sides);
    }
  else if (self->is_lu)
    {
      self->routines->factor_rows_lanes (&sides, (gsize) self->from.rows, scratch + self->pivots_at);
      take_pivots (run, first, count, scratch + self->pivots_at);
    }
  else
    self->routines->factor_lanes (&sides);
  copy_lanes (self, &self->result, &self->result_lanes, first, count, NULL, run->result, scratch);
  if (!is_finite)
    solve_again (run, first, count, scratch);
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
