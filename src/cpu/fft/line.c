/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Transforms of one line by all threads. A line of n1 n2 numbers is a matrix of n1 rows. Blocks of columns are gathered
 * into rows of lanes, transformed, multiplied with the roots that remain, and written transposed, so that blocks of
 * the matrix's rows are rows of lanes, too, whose transforms are the results, in order.
 */

#include "cpu/fft/transform.h"

#include "base/sizes.h"
#include "runtime/parallel.h"

#include <string.h>

/* Nanoseconds for each number of a matrix in a pass over it, and in a loop over a line. */
#define MATRIX_COST 2.0
#define LINE_COST   1.0

/* The fewest numbers of a loop that a thread takes. */
enum { GRAIN = 1 << 13 };

/* Bytes of a page, and how many of them are worth a loop. */
enum { PAGE = 4096, MANY_PAGES = 4096 };

typedef struct
{
  const GhloCpuTransform *transform;
  const guint8           *from;
  guint8                 *to;
  gboolean                inverse;
  double                  scale;
  guint8                 *work;         /* blocks of lanes for all rows of the matrix */
  guint8                 *buffers;      /* a column of rows for each thread */
} Matrix;

static gsize
n_blocks_of (const GhloCpuTransform *self,
             gsize                   n)
{
  return ghlo_size_ceil_div (n, ghlo_cpu_transform_n_lanes (self));
}

/* Adds the room of a Matrix. */
static gboolean
lay_out (const GhloCpuTransform *self,
         gsize                  *size,
         gsize                  *work,
         gsize                  *buffers)
{
  gsize n, n_rows;

  return ghlo_size_mul (&n, n_blocks_of (self, self->columns.n), self->rows.n)
         && ghlo_size_reserve (size, work, n, GHLO_CPU_FOURIER_ROW)
         && ghlo_size_mul (&n_rows, self->columns.n, ghlo_parallel_n_workers ())
         && ghlo_size_reserve (size, buffers, n_rows, GHLO_CPU_FOURIER_ROW);
}

gboolean
ghlo_cpu_transform_find_matrix (const GhloCpuTransform *self,
                                gsize                  *scratch)
{
  gsize ignored;

  *scratch = 0;

  return lay_out (self, scratch, &ignored, &ignored);
}

/* Reads a block of columns; the last one may have fewer lanes. */
static void
read_columns (const Matrix *self,
              gsize         block,
              guint8       *rows)
{
  const GhloCpuTransform *transform = self->transform;
  const GhloCpuFourier *routines = &ghlo_cpu_routines ()->fourier[transform->is_f64];
  gsize size = ghlo_cpu_transform_size (transform), lanes = ghlo_cpu_transform_n_lanes (transform);
  gsize n_lanes = MIN (lanes, transform->rows.n - block * lanes);
  gint64 step = (gint64) (transform->rows.n * size);
  const guint8 *from = self->from + block * GHLO_CPU_FOURIER_ROW;
  guint8 row[GHLO_CPU_FOURIER_ROW] = { 0 };

  if (n_lanes == lanes)
    routines->split (from, step, rows, transform->columns.n);
  else
    for (gsize i = 0; i < transform->columns.n; i++)
      {
        memcpy (row, from + (gint64) i * step, n_lanes * size);
        routines->split (row, 0, rows + i * GHLO_CPU_FOURIER_ROW, 1);
      }
}

/* Writes squares of transformed columns transposed. */
static void
turn_columns (const Matrix *self,
              gsize         block,
              const guint8 *rows)
{
  const GhloCpuTransform *transform = self->transform;
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  gsize lanes = ghlo_cpu_transform_n_lanes (transform), size = ghlo_cpu_transform_size (transform);
  gsize n = transform->columns.n, n_lanes = MIN (lanes, transform->rows.n - block * lanes);
  gint64 real_size = (gint64) size / 2;
  GhloCpuPlaneFunc transpose = routines->transpose[transform->is_f64 ? 3 : 2];
  guint8 square[16 * GHLO_CPU_FOURIER_ROW] __attribute__ ((aligned (64)));

  for (gsize k = 0; k < n; k += lanes)
    {
      gsize n_rows = MIN (lanes, n - k);
      guint8 *to = self->work + (k / lanes * transform->rows.n + block * lanes) * GHLO_CPU_FOURIER_ROW;

      if (n_rows < lanes)
        memset (square, 0, lanes * GHLO_CPU_FOURIER_ROW);
      routines->fourier[transform->is_f64].twist (rows, transform->columns.order + k,
                                                  transform->lane_twists + k * GHLO_CPU_FOURIER_ROW,
                                                  transform->twists + (block * n + k) * size, square, n_rows,
                                                  self->inverse);
      for (guint part = 0; part < GHLO_CPU_FOURIER_ROW; part += GHLO_CPU_FOURIER_PART)
        transpose (square + part, real_size, GHLO_CPU_FOURIER_ROW, to + part, GHLO_CPU_FOURIER_ROW, real_size, n_lanes,
                   lanes);
    }
}

static void
run_columns (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  const Matrix *self = data;
  const GhloCpuTransform *transform = self->transform;
  const gsize lanes = ghlo_cpu_transform_n_lanes (transform);
  guint8 *rows = self->buffers + worker * transform->columns.n * GHLO_CPU_FOURIER_ROW;

  for (gsize block = begin; block < end; block++)
    {
      read_columns (self, block, rows);
      ghlo_cpu_radices_run (&transform->columns, rows, self->inverse,
                            (guint) MIN (lanes, transform->rows.n - block * lanes));
      turn_columns (self, block, rows);
    }
}

static void
run_rows (gpointer data,
          gsize    begin,
          gsize    end,
          guint    worker)
{
  const Matrix *self = data;
  const GhloCpuTransform *transform = self->transform;
  const GhloCpuFourier *routines = &ghlo_cpu_routines ()->fourier[transform->is_f64];
  gsize lanes = ghlo_cpu_transform_n_lanes (transform), size = ghlo_cpu_transform_size (transform);
  gsize n = transform->rows.n;
  gint64 step = (gint64) (transform->columns.n * size);
  guint8 row[GHLO_CPU_FOURIER_ROW];

  for (gsize block = begin; block < end; block++)
    {
      guint8 *rows = self->work + block * n * GHLO_CPU_FOURIER_ROW, *to = self->to + block * GHLO_CPU_FOURIER_ROW;
      gsize n_lanes = MIN (lanes, transform->columns.n - block * lanes);

      ghlo_cpu_radices_run (&transform->rows, rows, self->inverse, (guint) n_lanes);
      if (n_lanes == lanes)
        routines->join (rows, transform->rows.order, to, step, n, self->scale);
      else
        for (gsize i = 0; i < n; i++)
          {
            routines->join (rows, transform->rows.order + i, row, 0, 1, self->scale);
            memcpy (to + (gint64) i * step, row, n_lanes * size);
          }
    }
}

static void
touch_pages (gpointer data,
             gsize    begin,
             gsize    end,
             guint    worker)
{
  volatile guint8 *memory = data;

  for (gsize i = begin; i < end; i++)
    memory[i * PAGE] = 0;
}

/* Each part of a matrix writes to all of its pages. Those that the system has yet to provide may take it longer than
 * the transform does, in the first part, which cannot be cancelled; so they are written to in order before. */
static gboolean
provide_pages (guint8            *memory,
               gsize              size,
               const GhloMonitor *monitor)
{
  return size < MANY_PAGES * PAGE || ghlo_parallel_for (size / PAGE, 1, 0, touch_pages, memory, monitor);
}

gboolean
ghlo_cpu_transform_run_matrix (const GhloCpuTransform *self,
                               const guint8           *from,
                               guint8                 *to,
                               gboolean                inverse,
                               double                  scale,
                               guint8                 *scratch,
                               const GhloMonitor      *monitor)
{
  Matrix matrix = { .transform = self, .from = from, .inverse = inverse, .scale = scale };
  double nanoseconds = MATRIX_COST * (double) self->length;
  gsize size = 0, work = 0, buffers = 0;

  lay_out (self, &size, &work, &buffers);
  matrix.to = to;
  matrix.work = scratch + work;
  matrix.buffers = scratch + buffers;

  return provide_pages (matrix.work, buffers - work, monitor)
         && ghlo_parallel_for (n_blocks_of (self, self->rows.n), 1, nanoseconds, run_columns, &matrix, monitor)
         && provide_pages (to, self->length * ghlo_cpu_transform_size (self), monitor)
         && ghlo_parallel_for (n_blocks_of (self, self->columns.n), 1, nanoseconds, run_rows, &matrix, monitor);
}

/* A loop over a line that all threads share. */
typedef struct
{
  const GhloCpuTransform *transform;
  const guint8           *from, *factors;
  guint8                 *to;
  gsize                   n;
} Loop;

static void
multiply_part (gpointer data,
               gsize    begin,
               gsize    end,
               guint    worker)
{
  const Loop *self = data;
  gsize size = ghlo_cpu_transform_size (self->transform), until = CLAMP (self->n, begin, end);

  if (until > begin)
    ghlo_cpu_routines ()->fourier[self->transform->is_f64].multiply_line (self->from + begin * size,
                                                                          self->factors + begin * size,
                                                                          self->to + begin * size, until - begin);
  memset (self->to + until * size, 0, (end - until) * size);
}

/* Multiplies @n numbers, and clears the rest of @n_all. */
static gboolean
multiply (const GhloCpuTransform *self,
          const guint8           *from,
          const guint8           *factors,
          guint8                 *to,
          gsize                   n,
          gsize                   n_all,
          const GhloMonitor      *monitor)
{
  Loop loop = { .transform = self, .from = from, .factors = factors, .n = n };

  loop.to = to;
  return ghlo_parallel_for (n_all, GRAIN, LINE_COST * (double) n_all, multiply_part, &loop, monitor);
}

static void
untangle_part (gpointer data,
               gsize    begin,
               gsize    end,
               guint    worker)
{
  const Loop *self = data;
  const GhloCpuTransform *transform = self->transform;

  ghlo_cpu_routines ()->fourier[transform->is_f64].untangle_line (self->from, self->to, transform->core, self->factors,
                                                                  transform->form == GHLO_CPU_TRANSFORM_REAL, begin,
                                                                  end);
}

static gboolean
untangle (const GhloCpuTransform *self,
          const guint8           *from,
          guint8                 *to,
          const GhloMonitor      *monitor)
{
  Loop loop = { .transform = self, .from = from, .factors = self->halves };
  gsize n = self->core / 2 + 1;

  loop.to = to;
  return ghlo_parallel_for (n, GRAIN, 2 * LINE_COST * (double) n, untangle_part, &loop, monitor);
}

static gboolean
run_core (const GhloCpuTransform *self,
          const guint8           *from,
          guint8                 *to,
          guint8                 *matrix,
          guint8                 *line,
          const GhloMonitor      *monitor)
{
  double scale = self->inverse ? 1.0 / (double) self->core : 1.0;

  if (!self->chirps)
    return ghlo_cpu_transform_run_matrix (self, from, to, self->reverses, scale, matrix, monitor);

  return multiply (self, from, self->chirp, line, self->core, self->length, monitor)
         && ghlo_cpu_transform_run_matrix (self, line, line, FALSE, 1, matrix, monitor)
         && multiply (self, line, self->filter, line, self->length, self->length, monitor)
         && ghlo_cpu_transform_run_matrix (self, line, line, TRUE, scale, matrix, monitor)
         && multiply (self, line, self->chirp, to, self->core, self->core, monitor);
}

gboolean
ghlo_cpu_transform_run_line (const GhloCpuTransform *self,
                             const guint8           *from,
                             guint8                 *to,
                             guint8                 *scratch,
                             const GhloMonitor      *monitor)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  const GhloCpuFourier *fourier = &routines->fourier[self->is_f64];
  gsize size = ghlo_cpu_transform_size (self), half = self->n / 2 + 1, matrix_size, ignored, numbers_at, line_at;
  GhloCpuPlaneFunc move = routines->move[self->is_f64 ? 3 : 2];
  guint8 *numbers, *line;

  ghlo_cpu_transform_find_matrix (self, &matrix_size);
  numbers_at = line_at = matrix_size;
  if (self->form != GHLO_CPU_TRANSFORM_COMPLEX)
    ghlo_size_reserve (&line_at, &ignored, self->core, size);
  numbers = scratch + numbers_at;
  line = scratch + line_at;

  if (self->form == GHLO_CPU_TRANSFORM_COMPLEX)
    return run_core (self, from, to, scratch, line, monitor);
  if (self->pairs && self->form == GHLO_CPU_TRANSFORM_REAL)
    return run_core (self, from, numbers, scratch, line, monitor) && untangle (self, numbers, to, monitor);
  if (self->pairs)
    return untangle (self, from, numbers, monitor) && run_core (self, numbers, to, scratch, line, monitor);

  if (self->form == GHLO_CPU_TRANSFORM_REAL)
    {
      memset (numbers, 0, self->n * size);
      move (from, (gint64) size / 2, 0, numbers, (gint64) size, 0, self->n, 1);
      if (!run_core (self, numbers, numbers, scratch, line, monitor))
        return FALSE;
      memcpy (to, numbers, half * size);
      return TRUE;
    }
  memcpy (numbers, from, half * size);
  fourier->mirror_line (numbers, self->n);
  if (!run_core (self, numbers, numbers, scratch, line, monitor))
    return FALSE;
  move (numbers, (gint64) size, 0, to, (gint64) size / 2, 0, self->n, 1);

  return TRUE;
}
