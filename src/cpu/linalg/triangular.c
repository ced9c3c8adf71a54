/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads a factorization or a system, and chooses its algorithm. Right-hand sides whose intermediate results overflowed
 * are solved again in long doubles, which need the operands unchanged.
 */

#include "cpu/linalg/triangular-private.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "cpu/finish.h"

/* Approximate nanoseconds for one matrix beside its operations, and the share of the rate of products that triangles
 * run at. */
#define MATRIX_TIME 10
#define SHARE       0.4

/* Of lanes: the most bytes of matrices side by side, which then stay in the L2 cache, or of those that one thread takes
 * while others have none; and the least matrices that take longer one after the other in panels, if there are more
 * lanes than that. LAPACK exchanges the rows of large matrices in less time, and does nothing for lanes without a
 * matrix. */
enum { MAX_BYTES = 768 << 10, MAX_LU_BYTES = 256 << 10, MAX_LONE_BYTES = 128 << 10, MIN_BATCH = 4 };

static gboolean
fail_shape (GError **error)
{
  g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                       "expected batches of square matrices, and right-hand sides that fit them");

  return FALSE;
}

static gboolean
matrices_init (GhloCpuMatrices  *self,
               const GhloView   *view,
               gboolean          transposed,
               GError          **error)
{
  gint64 sizes[GHLO_MAX_RANK], strides[GHLO_MAX_RANK];
  guint inner = view->rank - 2, n = 0;
  gsize count;

  if (view->rank < 2 || !ghlo_shape_count (view->dimensions, inner, &count) || count > G_MAXINT64)
    return fail_shape (error);
  for (guint i = 0; i < inner; i++)
    if (view->dimensions[i] != 1)
      {
        sizes[n] = view->dimensions[i];
        strides[n++] = view->strides[i];
      }
  ghlo_cpu_axis_init (&self->batch, sizes, strides, n);
  self->n_batch = (gint64) count;
  self->type = view->element_type;
  self->rows = view->dimensions[inner + transposed];
  self->columns = view->dimensions[inner + !transposed];
  self->row = view->strides[inner + transposed];
  self->column = view->strides[inner + !transposed];

  return TRUE;
}

static void
reverse_rows (GhloCpuMatrices *self)
{
  self->first += (self->rows - 1) * self->row;
  self->row = -self->row;
}

static gboolean
same_batch (const GhloView *a,
            const GhloView *b)
{
  return a->rank == b->rank && a->rank >= 2
         && memcmp (a->dimensions, b->dimensions, (a->rank - 2) * sizeof (gint64)) == 0;
}

/* Narrow floats are computed in f32. */
static gboolean
choose_type (GhloCpuTriangular *self,
             GError           **error)
{
  static const GhloElementType types[] = {
    GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F64, GHLO_ELEMENT_TYPE_COMPLEX_F32, GHLO_ELEMENT_TYPE_COMPLEX_F64,
  };
  GhloElementType type = self->result.type;

  if (ghlo_element_type_is_float (type) && ghlo_element_info (type)->bits < 32)
    type = GHLO_ELEMENT_TYPE_F32;
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (types[i] == type)
      {
        self->routines = &ghlo_cpu_routines ()->triangles[i];
        self->number = type;
        self->part = ghlo_element_type_real_part (type);
        self->size = ghlo_element_info (type)->size;
        self->part_size = ghlo_element_info (self->part)->size;
        return TRUE;
      }
  g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "matrices of this element type are not supported");

  return FALSE;
}

/* Bytes of one matrix that is copied. */
static double
matrix_bytes (const GhloCpuTriangular *self,
              const GhloCpuMatrices   *m)
{
  return (double) m->rows * (double) m->columns * (double) self->size;
}

static gboolean
prefers_lanes (const GhloCpuTriangular *self)
{
  const GhloCpuTriangles *routines = self->routines;
  const double bytes = (matrix_bytes (self, &self->a) + matrix_bytes (self, &self->from)) * routines->lanes;
  const gint64 used = MIN (self->result.n_batch, routines->lanes);

  /* Right-hand sides fill panels and triangles fill tiles, so that hardly anything is transposed. */
  if (self->is_solve && self->sides > routines->lanes && self->n >= 4 * routines->rows)
    return FALSE;
  if (!self->is_lu && bytes > MAX_LONE_BYTES
      && self->result.n_batch <= routines->lanes * ((gint64) ghlo_parallel_n_workers () - 1))
    return FALSE;

  return used >= MIN (routines->lanes, MIN_BATCH)
         && bytes <= (self->is_lu ? MAX_LU_BYTES * (double) used / routines->lanes : MAX_BYTES);
}

static const struct
{
  const char *name;
  gboolean  (*plan)         (GhloCpuTriangular       *self);
  gsize     (*scratch_size) (const GhloCpuTriangular *self);
  gboolean  (*run)          (GhloCpuTriangularRun    *run);
} ways[] = {
  [GHLO_CPU_TRIANGULAR_LANES] = { "lanes", ghlo_cpu_lanes_plan, ghlo_cpu_lanes_scratch_size, ghlo_cpu_lanes_run },
  [GHLO_CPU_TRIANGULAR_ROWS] = { "rows", ghlo_cpu_rows_plan, ghlo_cpu_rows_scratch_size, ghlo_cpu_rows_run },
  [GHLO_CPU_TRIANGULAR_PANELS] = { "panels", ghlo_cpu_panels_plan, ghlo_cpu_panels_scratch_size,
                                   ghlo_cpu_panels_run },
};

static GhloCpuTriangularWay
choose_way (const GhloCpuTriangular *self)
{
  if (ghlo_cpu_rows_accept (self))
    return GHLO_CPU_TRIANGULAR_ROWS;

  return prefers_lanes (self) ? GHLO_CPU_TRIANGULAR_LANES : GHLO_CPU_TRIANGULAR_PANELS;
}

static gboolean
plan (GhloCpuTriangular *self,
      GError           **error)
{
  double n = (double) self->n, columns = (double) self->sides;
  double operations = self->is_lu ? n * columns * (double) self->from.rows : n * n * (self->is_solve ? columns : n / 3);
  double rate = ghlo_cpu_rate () * SHARE * 4 / (double) self->part_size;
  gint64 parts = ghlo_cpu_triangular_parts (self);
  double bytes = matrix_bytes (self, &self->a) + matrix_bytes (self, &self->from) + matrix_bytes (self, &self->result);

  self->nanoseconds = (double) self->result.n_batch * (operations * (double) (parts * parts) / rate * 1e9
                                                       + bytes * GHLO_CPU_BYTE_TIME + MATRIX_TIME);
  self->way = choose_way (self);
  if (!ways[self->way].plan (self))
    return fail_shape (error);
  self->description = g_strdup_printf ("%s of %s%s, %s", ways[self->way].name,
                                       parts > 1 ? "complex " : "", ghlo_element_type_to_string (self->part),
                                       ghlo_cpu_level_name (ghlo_cpu_level ()));

  return TRUE;
}

GhloCpuTriangular *
ghlo_cpu_cholesky_prepare (const GhloView *a,
                           const GhloView *result,
                           gboolean        lower,
                           GError        **error)
{
  g_autoptr (GhloCpuTriangular) self = g_new0 (GhloCpuTriangular, 1);

  /* A lower factor is the transpose of the upper one of the transpose. */
  if (!matrices_init (&self->from, a, lower, error) || !matrices_init (&self->result, result, lower, error)
      || !choose_type (self, error))
    return NULL;
  if (self->from.rows != self->from.columns || self->result.rows != self->from.rows
      || self->result.columns != self->from.rows || self->from.type != self->result.type || !same_batch (a, result))
    {
      fail_shape (error);
      return NULL;
    }
  self->n = self->sides = self->from.rows;

  return plan (self, error) ? g_steal_pointer (&self) : NULL;
}

GhloCpuTriangular *
ghlo_cpu_triangular_solve_prepare (const GhloCpuSolve *solve,
                                   const GhloView     *a,
                                   const GhloView     *b,
                                   const GhloView     *result,
                                   GError            **error)
{
  g_autoptr (GhloCpuTriangular) self = g_new0 (GhloCpuTriangular, 1);
  /* x op (a) = b is op (a)ᵀ xᵀ = bᵀ. */
  gboolean transposed = (solve->transpose != GHLO_CPU_AS_IS) != !solve->left, lower = solve->lower != transposed;

  if (!matrices_init (&self->a, a, transposed, error) || !matrices_init (&self->from, b, !solve->left, error)
      || !matrices_init (&self->result, result, !solve->left, error) || !choose_type (self, error))
    return NULL;
  if (self->a.rows != self->a.columns || self->a.rows != self->from.rows || self->result.rows != self->from.rows
      || self->result.columns != self->from.columns || self->a.type != self->from.type
      || self->from.type != self->result.type || !same_batch (a, b) || !same_batch (a, result))
    {
      fail_shape (error);
      return NULL;
    }
  self->is_solve = TRUE;
  self->unit = solve->unit;
  self->conjugate = solve->transpose == GHLO_CPU_ADJOINT && ghlo_cpu_triangular_parts (self) > 1;
  self->n = self->a.rows;
  self->sides = self->from.columns;
  self->substitute_size = ghlo_cpu_substitute_scratch_size (self->n);
  self->substituted = (GhloCpuTriangle) {
    .type = self->a.type, .n = self->n, .row = self->a.row, .column = self->a.column,
    .lower = lower, .unit = self->unit, .conjugate = self->conjugate,
  };
  /* An upper triangle, walked from its end, is a lower one. */
  if (!lower)
    {
      reverse_rows (&self->a);
      reverse_rows (&self->from);
      reverse_rows (&self->result);
      self->a.first += (self->n - 1) * self->a.column;
      self->a.column = -self->a.column;
    }

  return plan (self, error) ? g_steal_pointer (&self) : NULL;
}

GhloCpuTriangular *
ghlo_cpu_lu_prepare (const GhloView *a,
                     const GhloView *result)
{
  g_autoptr (GhloCpuTriangular) self = g_new0 (GhloCpuTriangular, 1);

  if (!matrices_init (&self->from, a, FALSE, NULL) || !matrices_init (&self->result, result, FALSE, NULL)
      || !choose_type (self, NULL))
    return NULL;
  self->is_lu = TRUE;
  self->n = MIN (self->from.rows, self->from.columns);
  self->sides = self->from.columns;

  return prefers_lanes (self) && plan (self, NULL) ? g_steal_pointer (&self) : NULL;
}

void
ghlo_cpu_triangular_free (GhloCpuTriangular *self)
{
  if (self == NULL)
    return;
  ghlo_cpu_axis_clear (&self->a.batch);
  ghlo_cpu_axis_clear (&self->from.batch);
  ghlo_cpu_axis_clear (&self->result.batch);
  g_free (self->description);
  g_free (self);
}

gsize
ghlo_cpu_triangular_scratch_size (const GhloCpuTriangular *self)
{
  return ways[self->way].scratch_size (self);
}

const char *
ghlo_cpu_triangular_describe (const GhloCpuTriangular *self)
{
  return self->description;
}

gboolean
ghlo_cpu_triangular_stopped (GhloCpuTriangularRun *run)
{
  if (run->monitor != NULL && run->monitor->cancellable != NULL
      && g_cancellable_is_cancelled (run->monitor->cancellable))
    g_atomic_int_set (&run->stopped, TRUE);

  return g_atomic_int_get (&run->stopped);
}

void
ghlo_cpu_triangular_solve_again (GhloCpuTriangularRun *run,
                                 gint64                index,
                                 gint64                first,
                                 gint64                end,
                                 gpointer              scratch)
{
  const GhloCpuTriangular *self = run->self;
  const GhloCpuTriangle *triangle = &self->substituted;
  const GhloCpuMatrices *from = &self->from, *result = &self->result;
  gboolean is_reversed = !triangle->lower, is_checked = FALSE;
  const gint64 last = is_reversed ? self->n - 1 : 0, sign = is_reversed ? -1 : 1;
  const guint8 *a = run->a + ghlo_cpu_matrices_at (&self->a, index) + last * (self->a.row + self->a.column);
  const guint8 *b = run->from + ghlo_cpu_matrices_at (from, index) + last * from->row;
  guint8 *x = run->result + ghlo_cpu_matrices_at (result, index) + last * result->row;

  for (gint64 side = first; side < end && !ghlo_cpu_triangular_stopped (run); side++)
    {
      guint8 *at = x + side * result->column;

      if (ghlo_cpu_vector_is_finite (result->type, self->n, at, sign * result->row))
        continue;
      if (!is_checked && !ghlo_cpu_triangle_is_finite (triangle, a))
        return;
      is_checked = TRUE;
      ghlo_cpu_substitute (triangle, a, b + side * from->column, sign * from->row, at, sign * result->row, scratch);
    }
}

static gboolean
run_prepared (GhloCpuTriangularRun  *run,
              const GhloMonitor     *monitor,
              GError               **error)
{
  return ghlo_cpu_finish (ways[run->self->way].run (run), monitor, error);
}

gboolean
ghlo_cpu_triangular_run (const GhloCpuTriangular *self,
                         const guint8            *a,
                         const guint8            *b,
                         guint8                  *result,
                         gpointer                 scratch,
                         const GhloMonitor       *monitor,
                         GError                 **error)
{
  GhloCpuTriangularRun run = {
    .self = self, .a = a, .from = self->is_solve ? b : a, .scratch = scratch, .monitor = monitor,
  };

  if (self->n == 0 || self->sides == 0 || self->result.n_batch == 0)
    return TRUE;
  run.result = result;

  return run_prepared (&run, monitor, error);
}

gboolean
ghlo_cpu_lu_run (const GhloCpuTriangular *self,
                 const guint8            *a,
                 const GhloCpuLuResults  *results,
                 gpointer                 scratch,
                 const GhloMonitor       *monitor,
                 GError                 **error)
{
  GhloCpuTriangularRun run = {
    .self = self, .from = a, .result = results->factors, .lu = results, .scratch = scratch, .monitor = monitor,
  };

  return run_prepared (&run, monitor, error);
}
