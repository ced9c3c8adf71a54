/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One matrix after the other: columns are cut into panels of two registers, in scratch, and rows into tiles, whose sums
 * stay in registers. The numbers that the rows of a tile are multiplied with are in bundles, in the order in which they
 * are read. A block of rows is solved first, and then subtracted from all rows below, so that its part of a panel stays
 * in the L1 cache. Threads share panels, which are independent of each other within a block.
 *
 * Bundles are made of the triangle of a system. In a factorization the rows to be solved are the matrix itself: the
 * square of the block is factored, and panels behind it become bundles as soon as their rows of the block are final.
 */

#include "cpu/linalg/triangular-private.h"

#include <math.h>
#include <string.h>

enum
{
  MAX_ORDER = 1 << 27, MAX_ROWS = 8,
  /* Rows of a block: a number of panels, and little of the work, since threads do not share its square. */
  MAX_BLOCK = 256, MIN_BLOCK = 64, BLOCKS = 8,
  /* Panels that read a bundle at the same time, where there are several for each of MIN_TASKS. */
  TOGETHER = 4, MIN_TASKS = 8,
  /* Matrices for each thread, at least, where threads do not share them. */
  MIN_MATRICES = 2,
};

/* A matrix that is being worked on. Threads that share it only read this. */
typedef struct
{
  GhloCpuTriangularRun    *run;
  const GhloCpuTriangular *self;
  gint64                   index;
  guint                    worker;       /* that has the matrix, if one has */
  guint8                  *bundles, *panels;
  gint64                   first, end;   /* rows of the block */
  gint64                   first_panel;  /* of those that are solved */
  gboolean                 failed;       /* there is no factor */
} Matrix;

static gint64
panel_columns (const GhloCpuTriangular *self)
{
  return 2 * self->routines->lanes;
}

/* Bytes of a row of a panel, and of a group of a bundle, which has a number for each row of a tile. */
static gint64
row_size (const GhloCpuTriangular *self)
{
  return panel_columns (self) * self->size;
}

static gint64
group_size (const GhloCpuTriangular *self)
{
  return (gint64) self->routines->rows * self->size;
}

static guint8 *
panel_at (const Matrix *m,
          gint64        panel,
          gint64        row)
{
  return m->panels + (panel * m->self->n + row) * row_size (m->self);
}

/* The bundle of the tile at @row, with a group for each row of the block. There is room for one wherever it begins. */
static guint8 *
bundle_at (const Matrix *m,
           gint64        row)
{
  return m->bundles + (row - m->first) * m->self->block * m->self->size;
}

/* The log2 of the rows of the tile at @row: as many as possible of those before @end. */
static guint
tile_height (const GhloCpuTriangular *self,
             gint64                   row,
             gint64                   end)
{
  guint height = (guint) g_bit_storage (self->routines->rows) - 1;

  while ((gint64) 1 << height > end - row)
    height--;

  return height;
}

static void
init_copy (const GhloCpuTriangular *self,
           const GhloCpuMatrices   *m,
           gint64                   columns,
           gboolean                 is_in,
           GhloCpuCopy             *copy)
{
  GhloElementType type = ghlo_element_type_real_part (m->type);
  const gint64 sizes[] = { m->rows, columns, ghlo_cpu_triangular_parts (self) };
  const gint64 tensor[] = { m->row, m->column, ghlo_element_info (type)->size };
  const gint64 panel[] = { row_size (self), self->part_size, panel_columns (self) * self->part_size };

  ghlo_cpu_copy_init (copy, G_N_ELEMENTS (sizes), sizes, is_in ? type : self->part, is_in ? tensor : panel,
                      is_in ? self->part : type, is_in ? panel : tensor);
}

gboolean
ghlo_cpu_panels_plan (GhloCpuTriangular *self)
{
  gint64 columns = panel_columns (self), n = self->n, n_workers = ghlo_parallel_n_workers ();
  gsize numbers, n_groups;

  if (n == 0 || self->sides == 0 || self->result.n_batch == 0)
    return TRUE;
  if (n > MAX_ORDER)
    return FALSE;
  self->n_panels = ghlo_ceil_div (self->sides, columns);
  self->by_matrix = self->result.n_batch >= MIN_MATRICES * n_workers
                    || self->nanoseconds / (double) self->result.n_batch < GHLO_PARALLEL_MIN_WORK;
  self->together = CLAMP (self->n_panels / MIN_TASKS, 1, TOGETHER);
  self->block = CLAMP (ghlo_round_up (n / BLOCKS, MIN_BLOCK), MIN_BLOCK, MAX_BLOCK);
  for (guint i = 0; i < 2; i++)
    {
      gint64 width = i == 0 ? columns : self->sides - (self->n_panels - 1) * columns;

      init_copy (self, &self->from, width, TRUE, &self->copy_in[i]);
      init_copy (self, &self->result, width, FALSE, &self->copy_out[i]);
    }
  self->a_is_direct = !self->is_solve || self->a.type == self->number;
  if (!self->a_is_direct)
    ghlo_cpu_copy_init (&self->copy_a, 2, (const gint64[]) { n, n }, self->a.type,
                        (const gint64[]) { self->a.row, self->a.column }, self->number,
                        (const gint64[]) { n * self->size, self->size });

  n_groups = (gsize) ((n / self->routines->rows + 2) * self->block);

  return ghlo_size_mul (&numbers, (gsize) n, (gsize) self->n_panels)
         && ghlo_size_reserve (&self->matrix_size, &self->bundles_at, n_groups, (gsize) group_size (self))
         && ghlo_size_reserve (&self->matrix_size, &self->panels_at, numbers, (gsize) row_size (self))
         && (self->a_is_direct
             || ghlo_size_reserve (&self->matrix_size, &self->copy_at, (gsize) (n * n), (gsize) self->size))
         && ghlo_size_reserve (&self->worker_size, &self->substitute_at, self->substitute_size, 1);
}

/* The matrices that are worked on at the same time. */
static gsize
count_matrices (const GhloCpuTriangular *self)
{
  return self->by_matrix ? MIN ((gsize) self->result.n_batch, ghlo_parallel_n_workers ()) : 1;
}

gsize
ghlo_cpu_panels_scratch_size (const GhloCpuTriangular *self)
{
  return self->matrix_size * count_matrices (self) + self->worker_size * ghlo_parallel_n_workers ();
}

/* Runs @n parts of the work on a matrix, that are @share of all of it. FALSE when cancelled. */
static gboolean
for_each (Matrix           *m,
          gint64            n,
          double            share,
          GhloParallelFunc  func)
{
  const GhloCpuTriangular *self = m->self;

  if (n <= 0)
    return TRUE;
  if (self->by_matrix)
    func (m, 0, (gsize) n, m->worker);
  else if (!ghlo_parallel_for ((gsize) n, 1, share * self->nanoseconds / (double) self->result.n_batch, func, m,
                               m->run->monitor))
    return FALSE;

  return !ghlo_cpu_triangular_stopped (m->run);
}

/* The columns that there are not must be finite. */
static void
begin_panels (gpointer data,
              gsize    begin,
              gsize    end,
              guint    worker)
{
  const Matrix *m = data;
  const GhloCpuTriangular *self = m->self;
  const guint8 *from = m->run->from + ghlo_cpu_matrices_at (&self->from, m->index);

  for (gint64 j = (gint64) begin; j < (gint64) end; j++)
    {
      gboolean is_last = j == self->n_panels - 1;

      if (is_last && self->sides % panel_columns (self) != 0)
        memset (panel_at (m, j, 0), 0, (gsize) (self->n * row_size (self)));
      ghlo_cpu_triangular_copy (&self->copy_in[is_last], from + j * panel_columns (self) * self->from.column,
                                panel_at (m, j, 0));
    }
}

/* Clears what is below the diagonal of a factor; what is above becomes NaN where there is none. */
static void
clear_panel (const Matrix *m,
             gint64        panel)
{
  const GhloCpuTriangular *self = m->self;
  const GhloScalar nan = { .f = NAN };
  gint64 columns = panel_columns (self), end = MIN ((panel + 1) * columns, self->n);

  for (gint64 i = m->failed ? 0 : panel * columns; i < end; i++)
    for (gint64 part = 0; part < ghlo_cpu_triangular_parts (self); part++)
      {
        guint8 *row = panel_at (m, panel, i) + part * columns * self->part_size;
        gint64 below = CLAMP (i - panel * columns, 0, columns);

        memset (row, 0, (gsize) (below * self->part_size));
        for (gint64 j = below; m->failed && j < columns; j++)
          ghlo_element_store (self->part, row + j * self->part_size, nan);
      }
  memset (panel_at (m, panel, end), 0, (gsize) ((self->n - end) * row_size (self)));
}

static void
end_panels (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  const Matrix *m = data;
  const GhloCpuTriangular *self = m->self;
  gint64 columns = panel_columns (self), n_registers = 2 * ghlo_cpu_triangular_parts (self) * self->n;
  guint8 *to = m->run->result + ghlo_cpu_matrices_at (&self->result, m->index);
  guint8 *scratch = m->run->scratch + self->matrix_size * count_matrices (self) + self->worker_size * worker;

  for (gint64 j = (gint64) begin; j < (gint64) end; j++)
    {
      if (!self->is_solve)
        clear_panel (m, j);
      ghlo_cpu_triangular_copy (&self->copy_out[j == self->n_panels - 1], panel_at (m, j, 0),
                                to + j * columns * self->result.column);
      if (self->is_solve && self->routines->find_not_finite (1, 0, (gsize) n_registers, panel_at (m, j, 0)) != 0)
        ghlo_cpu_triangular_solve_again (m->run, m->index, j * columns, MIN ((j + 1) * columns, self->sides), scratch);
    }
}

static void
conjugate (const GhloCpuTriangular *self,
           gpointer                 numbers,
           gint64                   n)
{
  if (self->part_size == sizeof (float))
    for (gint64 i = 0; i < n; i++)
      ((float *) numbers)[2 * i + 1] *= -1;
  else
    for (gint64 i = 0; i < n; i++)
      ((double *) numbers)[2 * i + 1] *= -1;
}

/* Whether bundles of a system have their groups in reversed order, since the columns are adjacent in that order. */
static gboolean
is_reversed (const GhloCpuTriangular *self)
{
  return self->is_solve && self->a_is_direct && self->a.column == -self->size;
}

/* Columns of the block that the tile at @row has numbers in, including those of its own triangle. */
static gint64
count_columns (const Matrix *m,
               gint64        row)
{
  gint64 rows = m->self->routines->rows;

  return MIN (row / rows * rows + rows, m->end) - m->first;
}

/* The group for column @at of the block in the bundle of the tile at @row. */
static guint8 *
group_at (const Matrix *m,
          gint64        row,
          gint64        at)
{
  gint64 rows = m->self->routines->rows;

  return bundle_at (m, row / rows * rows) + row % rows * m->self->size
         + (is_reversed (m->self) ? count_columns (m, row) - 1 - at : at) * group_size (m->self);
}

/* Makes bundles of the triangle of a system. */
static void
make_bundles (gpointer data,
              gsize    begin,
              gsize    end,
              guint    worker)
{
  const Matrix *m = data;
  const GhloCpuTriangular *self = m->self;
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  const GhloCpuInterleaveFunc interleave[] = { routines->interleave4, routines->interleave8, routines->interleave16 };
  const guint log2 = (guint) g_bit_storage ((gulong) self->size) - 1;
  const gint64 step = self->routines->rows;
  const gint64 row = self->a_is_direct ? self->a.row : self->n * self->size;
  const gint64 column = self->a_is_direct ? self->a.column : self->size;
  const guint8 *a = self->a_is_direct ? m->run->a + ghlo_cpu_matrices_at (&self->a, m->index)
                                      : m->bundles - self->bundles_at + self->copy_at;

  for (gint64 i = m->first + (gint64) begin * step; i < MIN (m->first + (gint64) end * step, self->n); i += step)
    {
      gint64 n = count_columns (m, i), rows = MIN (step, self->n - i);
      const guint8 *from = a + i * row + (m->first + (is_reversed (self) ? n - 1 : 0)) * column;
      guint8 *to = bundle_at (m, i);
      gconstpointer pointers[MAX_ROWS];

      for (gint64 r = 0; r < rows; r++)
        pointers[r] = from + r * row;
      if (ABS (column) == self->size)
        interleave[log2 - 2] (pointers, (guint) rows, (guint) step, (gsize) n, to);
      else
        routines->move[log2] (from, column, row, to, group_size (self), self->size, (gsize) n, (gsize) rows);
      if (self->conjugate)
        conjugate (self, to, n * step);
      if (!self->unit && i < m->end)
        self->routines->invert ((guint) rows, group_at (m, i, i - m->first), is_reversed (self) ? -step : step);
    }
}

/* Solves for rows of the block, or subtracts it from rows below. Where the first half of the tile is below the diagonal
 * of a factor, only the other one is computed. */
static void
run_tile (const Matrix   *m,
          GhloCpuTileEnd  tile_end,
          gint64          panel,
          gint64          row,
          guint           height)
{
  const GhloCpuTriangular *self = m->self;
  const gint64 rows = self->routines->rows, lanes = self->routines->lanes, column = panel * panel_columns (self);
  const gboolean is_right = !self->is_solve && row - column >= lanes, is_left = self->sides - column <= lanes;
  const gint64 at = is_right ? lanes * self->part_size : 0;

  self->routines->tiles[height][!is_right && !is_left] (tile_end, (gsize) (MIN (row, m->end) - m->first),
                                                        group_at (m, row, 0), is_reversed (self) ? -rows : rows,
                                                        panel_at (m, panel, m->first) + at,
                                                        panel_at (m, panel, row) + at);
}

/* The panels of groups [@begin, @end) of those that are solved. */
static void
find_panels (const Matrix *m,
             gsize         begin,
             gsize         end,
             gint64       *first,
             gint64       *last)
{
  *first = m->first_panel + (gint64) begin * m->self->together;
  *last = MIN (m->first_panel + (gint64) end * m->self->together, m->self->n_panels);
}

/* Runs the tiles of rows [@first, @end) in panels [@panel, @last), one group after the other. */
static void
run_tiles (const Matrix   *m,
           GhloCpuTileEnd  tile_end,
           gint64          panel,
           gint64          last,
           gint64          first,
           gint64          end)
{
  const GhloCpuTriangular *self = m->self;

  for (gint64 next; panel < last && !ghlo_cpu_triangular_stopped (m->run); panel = next)
    {
      next = MIN (panel + self->together, last);
      for (gint64 i = first, height; i < end; i += (gint64) 1 << height)
        {
          height = tile_height (self, i, end);
          for (gint64 j = panel; j < next; j++)
            if (self->is_solve || i < (j + 1) * panel_columns (self))
              run_tile (m, tile_end, j, i, (guint) height);
        }
    }
}

/* Solves for the rows of the block in panels, and, in a factorization, makes bundles of these. */
static void
solve_panels (gpointer data,
              gsize    begin,
              gsize    end,
              guint    worker)
{
  const Matrix *m = data;
  const GhloCpuTriangular *self = m->self;
  const gint64 columns = panel_columns (self), rows = self->routines->rows;
  gint64 first, last;

  find_panels (m, begin, end, &first, &last);
  run_tiles (m, self->unit ? GHLO_CPU_TILE_SOLVED_UNIT : GHLO_CPU_TILE_SOLVED, first, last, m->first, m->end);
  for (gint64 i = first * columns; !self->is_solve && i < MIN (last * columns, self->n); i += rows)
    self->routines->bundle ((gsize) self->block, (guint) MIN (rows, self->n - i),
                            panel_at (m, i / columns, m->first) + i % columns * self->part_size, bundle_at (m, i));
}

/* Subtracts the block from the rows below; in a factorization, from those that the factor has in each panel. */
static void
subtract_block (gpointer data,
                gsize    begin,
                gsize    end,
                guint    worker)
{
  const Matrix *m = data;
  gint64 first, last;

  find_panels (m, begin, end, &first, &last);
  run_tiles (m, GHLO_CPU_TILE_SUBTRACTED, first, last, m->end, m->self->n);
}

/* The same for a system, whose panels do not wait for each other. */
static void
solve_and_subtract (gpointer data,
                    gsize    begin,
                    gsize    end,
                    guint    worker)
{
  solve_panels (data, begin, end, worker);
  subtract_block (data, begin, end, worker);
}

/* Factors the square of a block, and makes bundles of it. */
static gboolean
factor_square (Matrix *m)
{
  const GhloCpuTriangles *routines = m->self->routines;
  gint64 columns = panel_columns (m->self);

  for (gint64 i = m->first, height; i < m->end; i += (gint64) 1 << height)
    {
      gint64 panel = i / columns, column = i % columns, at = column * m->self->part_size, k = i - m->first;
      guint8 *row = panel_at (m, panel, i), *bundle = group_at (m, i, 0), *triangle = group_at (m, i, k);
      guint rows;

      height = tile_height (m->self, i, m->end);
      rows = 1u << height;
      routines->bundle ((gsize) k, rows, panel_at (m, panel, m->first) + at, bundle);
      run_tile (m, GHLO_CPU_TILE_SUBTRACTED, panel, i, (guint) height);
      if (!routines->factor_tile (rows, (gsize) column, row))
        return FALSE;
      routines->bundle (rows, rows, row + at, triangle);
      routines->invert (rows, triangle, routines->rows);
      for (gint64 j = panel + 1; j < ghlo_ceil_div (m->end, columns); j++)
        run_tile (m, GHLO_CPU_TILE_SOLVED, j, i, (guint) height);
    }

  return TRUE;
}

static gboolean
run_block (Matrix *m)
{
  const GhloCpuTriangular *self = m->self;
  const double n = (double) self->n, rest = (n - (double) m->first) / n, step = (double) self->block / n;
  gint64 n_groups;

  if (self->is_solve)
    return for_each (m, ghlo_ceil_div (self->n - m->first, self->routines->rows), 1 / (1 + (double) self->sides),
                     make_bundles)
           && for_each (m, ghlo_ceil_div (self->n_panels, self->together), 2 * step * rest, solve_and_subtract);

  m->failed = !factor_square (m);
  m->first_panel = ghlo_ceil_div (m->end, panel_columns (self));
  n_groups = m->failed ? 0 : ghlo_ceil_div (self->n_panels - m->first_panel, self->together);

  return for_each (m, n_groups, 3 * step * step * rest, solve_panels)
         && for_each (m, n_groups, 3 * step * rest * rest, subtract_block);
}

static gboolean
run_matrix (GhloCpuTriangularRun *run,
            gint64                index,
            guint                 worker)
{
  const GhloCpuTriangular *self = run->self;
  guint8 *scratch = run->scratch + self->matrix_size * worker;
  Matrix m = { .run = run, .self = self, .index = index, .worker = worker };

  m.bundles = scratch + self->bundles_at;
  m.panels = scratch + self->panels_at;
  if (!self->a_is_direct
      && !ghlo_cpu_copy_run (&self->copy_a, run->a + ghlo_cpu_matrices_at (&self->a, index), scratch + self->copy_at,
                             run->monitor))
    return FALSE;
  if (!for_each (&m, self->n_panels, 1 / (double) self->n, begin_panels))
    return FALSE;
  for (; m.first < self->n && !m.failed; m.first = m.end)
    {
      m.end = MIN (m.first + self->block, self->n);
      if (!run_block (&m))
        return FALSE;
    }

  return for_each (&m, self->n_panels, 1 / (double) self->n, end_panels);
}

static void
run_matrices (gpointer data,
              gsize    begin,
              gsize    end,
              guint    worker)
{
  for (gsize i = begin; i < end; i++)
    if (!run_matrix (data, (gint64) i, worker))
      return;
}

gboolean
ghlo_cpu_panels_run (GhloCpuTriangularRun *run)
{
  const GhloCpuTriangular *self = run->self;

  if (self->by_matrix)
    return ghlo_parallel_for ((gsize) self->result.n_batch, 1, self->nanoseconds, run_matrices, run, run->monitor)
           && !run->stopped;
  for (gint64 i = 0; i < self->result.n_batch; i++)
    if (!run_matrix (run, i, 0))
      return FALSE;

  return TRUE;
}
