/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * LAPACK reads a row-major matrix as its transpose; so triangles and sides are swapped instead of transposing
 * matrices. A result with a layout that LAPACK supports is computed in place, any other in scratch. A call for one
 * matrix, or for some of its right-hand sides, is not interrupted. Right-hand sides whose intermediate results
 * overflowed are solved again in long doubles, which need the operands unchanged.
 */

#include "cpu/linalg/lapack.h"

#include <math.h>
#include <string.h>

#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "cpu/finish.h"
#include "cpu/library/blas.h"
#include "cpu/move/copy.h"
#include "cpu/isa/level.h"
#include "cpu/linalg/substitute.h"
#include "runtime/parallel.h"

/* Fewest nanoseconds of a task. */
#define MIN_TASK 30e3

/* The most tasks for right-hand sides. It does not depend on the number of threads, since sums may depend on the
 * number of sides. */
enum { MAX_TASKS = 16 };

/* The matrices of a tensor: its last two dimensions. */
typedef struct
{
  GhloElementType type;
  gint64          rows, columns;
  gint64          row, column;            /* strides in bytes */
  guint           n_batch;
  gint64          sizes[GHLO_MAX_RANK];   /* of the batch */
  gint64          strides[GHLO_MAX_RANK];
} Matrices;

/* The layout of a matrix for LAPACK: in its tensor, or in scratch. */
typedef struct
{
  gboolean is_direct;
  gboolean transposed;      /* rows are adjacent in memory: LAPACK sees the transpose */
  gint64   leading;         /* leading dimension, in numbers */
  gint64   row, column;     /* strides in bytes */
  gsize    size;            /* bytes of the copy in scratch */
} Layout;

struct _GhloCpuLapack
{
  const GhloCpuBlas *blas;
  GhloCpuBlasKind    kind;
  gsize              number;              /* bytes of a number */
  gboolean           is_solve;
  GhloCpuSolve       solve;
  gboolean           lower;               /* for cholesky */
  Matrices           a, b, result;
  gint64             n;                   /* size of the triangle */
  gint64             n_batch;
  gint64             n_parts, part;       /* of right-hand sides: number of parts, and sides of each */
  /* The triangle, and the right-hand sides or the matrix to factorize, as LAPACK gets them. */
  Layout             triangle, x;
  GhloCpuCopy        copy_triangle, copy_in, copy_out;
  GhloCpuTriangle    substituted;         /* op (a), or its transpose where x is on the left */
  gsize              vector_size;         /* bytes of scratch for substitution */
  double             nanoseconds;
  char              *description;
};

static const struct
{
  GhloElementType   type;
  GhloCpuBlasKind   kind;
  gsize             number;
} kinds[] = {
  { GHLO_ELEMENT_TYPE_F32, GHLO_CPU_BLAS_S, 4 },
  { GHLO_ELEMENT_TYPE_F64, GHLO_CPU_BLAS_D, 8 },
  { GHLO_ELEMENT_TYPE_COMPLEX_F32, GHLO_CPU_BLAS_C, 8 },
  { GHLO_ELEMENT_TYPE_COMPLEX_F64, GHLO_CPU_BLAS_Z, 16 },
};

static gboolean
is_complex (const GhloCpuLapack *self)
{
  return self->kind == GHLO_CPU_BLAS_C || self->kind == GHLO_CPU_BLAS_Z;
}

static gboolean
fail_shape (GError **error)
{
  g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                       "expected batches of square matrices, and right-hand sides that fit them");

  return FALSE;
}

static gboolean
matrices_init (Matrices        *self,
               const GhloView  *view,
               GError         **error)
{
  if (view->rank < 2 || !ghlo_cpu_blas_fits (view->dimensions[view->rank - 2])
      || !ghlo_cpu_blas_fits (view->dimensions[view->rank - 1]))
    return fail_shape (error);
  self->type = view->element_type;
  self->n_batch = view->rank - 2;
  self->rows = view->dimensions[self->n_batch];
  self->columns = view->dimensions[self->n_batch + 1];
  self->row = view->strides[self->n_batch];
  self->column = view->strides[self->n_batch + 1];
  memcpy (self->sizes, view->dimensions, self->n_batch * sizeof (gint64));
  memcpy (self->strides, view->strides, self->n_batch * sizeof (gint64));

  return TRUE;
}

/* Narrow floats are computed in f32. */
static gboolean
find_kind (GhloCpuLapack *self,
           GError       **error)
{
  GhloElementType type = self->result.type;

  self->blas = ghlo_cpu_blas ();
  if (ghlo_element_type_is_float (type) && ghlo_element_info (type)->bits < 32)
    type = GHLO_ELEMENT_TYPE_F32;
  for (guint i = 0; self->blas != NULL && i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].type == type)
      {
        self->kind = kinds[i].kind;
        self->number = kinds[i].number;
        return TRUE;
      }
  g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                       "no library that factorizes matrices of this element type was found");

  return FALSE;
}

/* Whether LAPACK can work on the matrices in place. Vectors that are contiguous in memory are columns for LAPACK. */
static gboolean
find_layout (const GhloCpuLapack *self,
             const Matrices      *m,
             Layout              *layout)
{
  gint64 size = (gint64) self->number, vector, across;

  layout->transposed = m->column == size || m->columns == 1;
  layout->row = m->row;
  layout->column = m->column;
  vector = layout->transposed ? m->columns : m->rows;
  across = layout->transposed ? m->row : m->column;
  /* A single vector has no successor, so its stride does not matter. */
  if ((layout->transposed ? m->rows : m->columns) == 1)
    across = MAX (vector, 1) * size;
  layout->leading = across / size;

  return kinds[self->kind].type == m->type && (vector == 1 || (layout->transposed ? m->column : m->row) == size)
         && across % size == 0 && layout->leading >= MAX (vector, 1) && ghlo_cpu_blas_fits (layout->leading);
}

static void
plan_copy (const GhloCpuLapack *self,
           const Matrices      *m,
           gboolean             transposed,
           Layout              *layout)
{
  gint64 size = (gint64) self->number;

  layout->transposed = transposed;
  layout->leading = MAX (transposed ? m->columns : m->rows, 1);
  layout->row = transposed ? layout->leading * size : size;
  layout->column = transposed ? size : layout->leading * size;
  layout->size = ghlo_size_align ((gsize) (m->rows * m->columns * size));
}

/* Sets up a copy of matrices with the size of @m from one layout to another. */
static void
copy_init (GhloCpuCopy     *copy,
           const Matrices  *m,
           GhloElementType  from_type,
           gint64           from_row,
           gint64           from_column,
           GhloElementType  to_type,
           gint64           to_row,
           gint64           to_column)
{
  ghlo_cpu_copy_init (copy, 2, (const gint64[]) { m->rows, m->columns }, from_type,
                      (const gint64[]) { from_row, from_column }, to_type, (const gint64[]) { to_row, to_column });
}

static void
plan_layouts (GhloCpuLapack *self)
{
  const Matrices *from = self->is_solve ? &self->b : &self->a;
  GhloElementType number = kinds[self->kind].type;
  Layout *x = &self->x, *triangle = &self->triangle;

  x->is_direct = find_layout (self, &self->result, x);
  if (!x->is_direct)
    plan_copy (self, &self->result, TRUE, x);
  copy_init (&self->copy_in, from, from->type, from->row, from->column, number, x->row, x->column);
  if (!x->is_direct)
    copy_init (&self->copy_out, &self->result, number, x->row, x->column, self->result.type, self->result.row,
               self->result.column);
  if (!self->is_solve)
    return;

  triangle->is_direct = find_layout (self, &self->a, triangle);
  /* LAPACK can conjugate only together with a transposition. */
  if (triangle->transposed != x->transposed && self->solve.transpose == GHLO_CPU_ADJOINT && is_complex (self))
    triangle->is_direct = FALSE;
  if (!triangle->is_direct)
    {
      plan_copy (self, &self->a, x->transposed, triangle);
      copy_init (&self->copy_triangle, &self->a, self->a.type, self->a.row, self->a.column, number, triangle->row,
                 triangle->column);
    }
}

static gboolean
plan (GhloCpuLapack *self,
      GError       **error)
{
  double operations, wanted;
  gint64 sides = 1;
  gsize count;

  if (!ghlo_shape_count (self->result.sizes, self->result.n_batch, &count) || count > G_MAXINT64)
    return fail_shape (error);
  self->n_batch = (gint64) count;
  plan_layouts (self);
  operations = (double) self->n * (double) self->n * (double) self->n / 3;
  if (self->is_solve)
    {
      sides = self->solve.left ? self->b.columns : self->b.rows;
      operations = (double) self->n * (double) self->n * (double) sides;
    }
  if (is_complex (self))
    operations *= 4;
  /* Small matrices are far from the speed of products. */
  self->nanoseconds = (double) self->n_batch * (operations / (ghlo_cpu_rate () / 4) * 1e9 + 500);

  /* Right-hand sides are independent of each other; but in scratch, where all of them are copied, they stay
   * together. */
  self->n_parts = 1;
  wanted = MIN (MAX_TASKS, self->nanoseconds / MIN_TASK);
  if (self->is_solve && self->x.is_direct && self->triangle.is_direct && wanted > (double) self->n_batch
      && self->n_batch > 0)
    self->n_parts = (gint64) CLAMP (wanted / (double) self->n_batch, 1, (double) MAX (sides / 16, 1));
  self->part = ghlo_ceil_div (sides, self->n_parts);
  self->description = g_strdup_printf ("openblas %c%s, %s", "sdcz"[self->kind], self->is_solve ? "trsm" : "potrf",
                                       self->blas->core);

  return TRUE;
}

static gboolean
same_batch (const Matrices *a,
            const Matrices *b)
{
  return a->n_batch == b->n_batch && memcmp (a->sizes, b->sizes, a->n_batch * sizeof (gint64)) == 0;
}

GhloCpuLapack *
ghlo_cpu_cholesky_prepare (const GhloView *a,
                           const GhloView *result,
                           gboolean        lower,
                           GError        **error)
{
  g_autoptr (GhloCpuLapack) self = g_new0 (GhloCpuLapack, 1);

  if (!matrices_init (&self->a, a, error) || !matrices_init (&self->result, result, error)
      || !find_kind (self, error))
    return NULL;
  if (self->a.rows != self->a.columns || self->result.rows != self->a.rows || self->result.columns != self->a.rows
      || self->a.type != self->result.type || !same_batch (&self->a, &self->result))
    {
      fail_shape (error);
      return NULL;
    }
  self->lower = lower;
  self->n = self->a.rows;

  return plan (self, error) ? g_steal_pointer (&self) : NULL;
}

/* x op (a) = b is op (a)ᵀ xᵀ = bᵀ. */
static void
plan_substitution (GhloCpuLapack *self)
{
  const GhloCpuSolve *solve = &self->solve;
  gboolean transposed = (solve->transpose != GHLO_CPU_AS_IS) != !solve->left;

  self->substituted = (GhloCpuTriangle) {
    .type = self->a.type, .n = self->n,
    .row = transposed ? self->a.column : self->a.row, .column = transposed ? self->a.row : self->a.column,
    .lower = solve->lower != transposed, .unit = solve->unit, .conjugate = solve->transpose == GHLO_CPU_ADJOINT,
  };
}

GhloCpuLapack *
ghlo_cpu_triangular_solve_prepare (const GhloCpuSolve *solve,
                                   const GhloView     *a,
                                   const GhloView     *b,
                                   const GhloView     *result,
                                   GError            **error)
{
  g_autoptr (GhloCpuLapack) self = g_new0 (GhloCpuLapack, 1);

  if (!matrices_init (&self->a, a, error) || !matrices_init (&self->b, b, error)
      || !matrices_init (&self->result, result, error) || !find_kind (self, error))
    return NULL;
  if (self->a.rows != self->a.columns || self->a.rows != (solve->left ? self->b.rows : self->b.columns)
      || self->b.rows != self->result.rows || self->b.columns != self->result.columns
      || self->a.type != self->b.type || self->b.type != self->result.type
      || !same_batch (&self->a, &self->b) || !same_batch (&self->a, &self->result))
    {
      fail_shape (error);
      return NULL;
    }
  self->is_solve = TRUE;
  self->solve = *solve;
  self->n = self->a.rows;
  self->vector_size = ghlo_cpu_substitute_scratch_size (self->n);
  plan_substitution (self);

  return plan (self, error) ? g_steal_pointer (&self) : NULL;
}

void
ghlo_cpu_lapack_free (GhloCpuLapack *self)
{
  if (self == NULL)
    return;
  g_free (self->description);
  g_free (self);
}

static gsize
count_tasks (const GhloCpuLapack *self)
{
  return (gsize) (self->n_batch * self->n_parts);
}

/* Bytes for one worker. */
static gsize
own_scratch_size (const GhloCpuLapack *self)
{
  return self->triangle.size + self->x.size + self->vector_size;
}

gsize
ghlo_cpu_lapack_scratch_size (const GhloCpuLapack *self)
{
  return own_scratch_size (self) * MIN (count_tasks (self), ghlo_parallel_n_workers ());
}

const char *
ghlo_cpu_lapack_describe (const GhloCpuLapack *self)
{
  return self->description;
}

static gint64
find_batch (const Matrices *m,
            gint64          index)
{
  gint64 at = 0;

  for (guint i = m->n_batch; i > 0; i--)
    {
      at += index % m->sizes[i - 1] * m->strides[i - 1];
      index /= m->sizes[i - 1];
    }

  return at;
}

/* Element (@i, @i) of the matrix at @x; of complex ones the real part. */
static double
diagonal_at (const GhloCpuLapack *self,
             const guint8        *x,
             gint64               i)
{
  const guint8 *at = x + i * (self->x.row + self->x.column);
  float single;
  double number;

  if (self->kind == GHLO_CPU_BLAS_S || self->kind == GHLO_CPU_BLAS_C)
    {
      memcpy (&single, at, sizeof (single));
      return single;
    }
  memcpy (&number, at, sizeof (number));

  return number;
}

static void
set_nan (const GhloCpuLapack *self,
         guint8              *at)
{
  guint n = is_complex (self) ? 2 : 1;
  float single = NAN;
  double number = NAN;

  for (guint i = 0; i < n; i++)
    if (self->number / n == sizeof (single))
      memcpy (at + i * sizeof (single), &single, sizeof (single));
    else
      memcpy (at + i * sizeof (number), &number, sizeof (number));
}

/* Clears the other triangle, and fills the factor with NaN where the matrix is not positive definite, which OpenBLAS
 * does not always report. */
static void
finish_factor (const GhloCpuLapack *self,
               guint8              *x,
               gboolean             failed)
{
  /* Of each contiguous vector, the part before or behind the diagonal is cleared. */
  gboolean is_before = self->lower != self->x.transposed;
  gint64 across = self->x.transposed ? self->x.row : self->x.column, size = (gint64) self->number;

  for (gint64 i = 0; i < self->n && !failed; i++)
    {
      double number = diagonal_at (self, x, i);

      failed = !(number > 0) || isinf (number);
    }
  for (gint64 i = 0; i < self->n; i++)
    {
      guint8 *vector = x + i * across;

      if (is_before)
        memset (vector, 0, (gsize) (i * size));
      else
        memset (vector + (i + 1) * size, 0, (gsize) ((self->n - 1 - i) * size));
      for (gint64 j = is_before ? i : 0; failed && j < (is_before ? self->n : i + 1); j++)
        set_nan (self, vector + j * size);
    }
}

/* The lower triangle is the upper one of the transpose. The transpose of a Hermitian matrix is its conjugate, and so
 * are the factors. */
static void
factorize (const GhloCpuLapack *self,
           guint8              *x)
{
  int n = ghlo_cpu_blas_int (self->n), leading = ghlo_cpu_blas_int (self->x.leading), info = 0;

  if (n > 0)
    {
      ghlo_cpu_blas_begin ();
      self->blas->potrf[self->kind] (self->lower != self->x.transposed ? "L" : "U", &n, x, &leading, &info, 1);
      ghlo_cpu_blas_end ();
    }
  finish_factor (self, x, info != 0);
}

/* Where LAPACK sees xᵀ, op (a) x = b becomes xᵀ op (a)ᵀ = bᵀ. Where it sees aᵀ, the triangle is the other one. */
static void
solve_sides (const GhloCpuLapack *self,
             const guint8        *a,
             guint8              *x,
             gint64               first,
             gint64               count)
{
  static const double double_one[2] = { 1, 0 };
  static const float float_one[2] = { 1, 0 };
  gboolean left = self->solve.left != self->x.transposed;
  gboolean transposed = (self->solve.transpose != GHLO_CPU_AS_IS) != (self->x.transposed != self->triangle.transposed);
  gboolean conjugate = self->solve.transpose == GHLO_CPU_ADJOINT && is_complex (self);
  gboolean is_single = self->kind == GHLO_CPU_BLAS_S || self->kind == GHLO_CPU_BLAS_C;
  int n = ghlo_cpu_blas_int (self->n), n_sides = ghlo_cpu_blas_int (count);
  int a_leading = ghlo_cpu_blas_int (self->triangle.leading), x_leading = ghlo_cpu_blas_int (self->x.leading);

  if (n == 0 || n_sides == 0)
    return;
  x += first * (self->solve.left ? self->x.column : self->x.row);
  ghlo_cpu_blas_begin ();
  self->blas->trsm[self->kind] (left ? "L" : "R", self->solve.lower != self->triangle.transposed ? "L" : "U",
                                conjugate ? "C" : transposed ? "T" : "N", self->solve.unit ? "U" : "N",
                                left ? &n : &n_sides, left ? &n_sides : &n,
                                is_single ? (gconstpointer) float_one : double_one, a, &a_leading, x, &x_leading,
                                1, 1, 1, 1);
  ghlo_cpu_blas_end ();
}

typedef struct
{
  const GhloCpuLapack *lapack;
  const guint8        *a, *b;
  guint8              *result, *scratch;
  const GhloMonitor   *monitor;
  gint                 stopped;      /* atomic */
} Run;

/* Copies the operand that is overwritten to the memory that LAPACK works on. */
static void
fetch (const Run *run,
       gint64     batch,
       guint8    *x)
{
  const GhloCpuLapack *self = run->lapack;
  const guint8 *from = self->is_solve ? run->b + find_batch (&self->b, batch) : run->a + find_batch (&self->a, batch);

  if (from != x)
    ghlo_cpu_copy_run (&self->copy_in, from, x, NULL);
}

static gboolean
is_stopped (Run *run)
{
  if (run->monitor != NULL && run->monitor->cancellable != NULL
      && g_cancellable_is_cancelled (run->monitor->cancellable))
    g_atomic_int_set (&run->stopped, TRUE);

  return g_atomic_int_get (&run->stopped);
}

/* Whether all @n numbers of a vector are finite. They are @step bytes apart and have @parts parts of @size bytes. */
static gboolean
vector_is_finite (const guint8 *vector,
                  gint64        n,
                  gint64        step,
                  guint         parts,
                  guint         size)
{
  gboolean found = FALSE;

  for (gint64 i = 0; i < n; i++)
    for (guint part = 0; part < parts; part++)
      {
        const guint8 *at = vector + i * step + part * size;
        guint32 single;
        guint64 number;

        if (size == sizeof (single))
          {
            memcpy (&single, at, sizeof (single));
            found |= (single & 0x7f800000u) == 0x7f800000u;
          }
        else
          {
            memcpy (&number, at, sizeof (number));
            found |= (number & 0x7ff0000000000000u) == 0x7ff0000000000000u;
          }
      }

  return !found;
}

/* Whether right-hand side @side of LAPACK's result is finite. */
static gboolean
side_is_finite (const GhloCpuLapack *self,
                const guint8        *x,
                gint64               side)
{
  guint parts = is_complex (self) ? 2 : 1;
  gint64 across = self->solve.left ? self->x.column : self->x.row;

  return vector_is_finite (x + side * across, self->n, self->solve.left ? self->x.row : self->x.column, parts,
                           (guint) self->number / parts);
}

/* Solves again those right-hand sides whose solution is not finite, though they and the triangle are: only the
 * intermediate results may be out of range, and not the solution. */
static void
solve_again (Run          *run,
             gint64        batch,
             gint64        first,
             gint64        count,
             const guint8 *x,
             guint8       *place,
             gpointer      scratch)
{
  const GhloCpuLapack *self = run->lapack;
  const Matrices *b = &self->b, *result = &self->result;
  const guint8 *a = run->a + find_batch (&self->a, batch), *from = run->b + find_batch (b, batch);
  gboolean left = self->solve.left, is_checked = FALSE;

  for (gint64 side = first; side < first + count && !is_stopped (run); side++)
    {
      if (side_is_finite (self, x, side))
        continue;
      if (!is_checked && !ghlo_cpu_triangle_is_finite (&self->substituted, a))
        return;
      is_checked = TRUE;
      ghlo_cpu_substitute (&self->substituted, a, from + side * (left ? b->column : b->row),
                           left ? b->row : b->column, place + side * (left ? result->column : result->row),
                           left ? result->row : result->column, scratch);
    }
}

static void
run_task (Run    *run,
          gint64  task,
          guint   worker)
{
  const GhloCpuLapack *self = run->lapack;
  gint64 batch = task / self->n_parts, first = task % self->n_parts * self->part;
  guint8 *scratch = run->scratch + worker * own_scratch_size (self);
  guint8 *place = run->result + find_batch (&self->result, batch), *x = place;
  gint64 sides = self->solve.left ? self->result.columns : self->result.rows;
  gint64 count = MAX (MIN (self->part, sides - first), 0);
  const guint8 *a;

  if (!self->x.is_direct)
    x = scratch + self->triangle.size;
  if (self->n_parts == 1)
    fetch (run, batch, x);
  if (self->is_solve)
    {
      a = run->a + find_batch (&self->a, batch);
      if (!self->triangle.is_direct)
        {
          ghlo_cpu_copy_run (&self->copy_triangle, a, scratch, NULL);
          a = scratch;
        }
      solve_sides (self, a, x, first, count);
    }
  else
    factorize (self, x);
  if (!self->x.is_direct)
    ghlo_cpu_copy_run (&self->copy_out, x, place, NULL);
  if (self->is_solve)
    solve_again (run, batch, first, count, x, place, scratch + self->triangle.size + self->x.size);
}

static void
run_tasks (gpointer data,
           gsize    begin,
           gsize    end,
           guint    worker)
{
  Run *run = data;

  for (gsize task = begin; task < end && !is_stopped (run); task++)
    run_task (run, (gint64) task, worker);
}

static void
fetch_batches (gpointer data,
               gsize    begin,
               gsize    end,
               guint    worker)
{
  Run *run = data;

  for (gsize batch = begin; batch < end && !is_stopped (run); batch++)
    fetch (run, (gint64) batch, run->result + find_batch (&run->lapack->result, (gint64) batch));
}

gboolean
ghlo_cpu_lapack_run (const GhloCpuLapack *self,
                     const guint8        *a,
                     const guint8        *b,
                     guint8              *result,
                     gpointer             scratch,
                     const GhloMonitor   *monitor,
                     GError             **error)
{
  Run run = { .lapack = self, .a = a, .b = b, .scratch = scratch, .monitor = monitor };
  double bytes = (double) self->n_batch * (double) self->result.rows * (double) self->result.columns
                 * (double) self->number;
  gboolean done;

  if (self->n_batch == 0)
    return TRUE;
  run.result = result;
  /* The parts of one matrix work on operands that are copied beforehand. */
  done = (self->n_parts == 1 || ghlo_parallel_for ((gsize) self->n_batch, 1, bytes, fetch_batches, &run, monitor))
         && ghlo_parallel_for (count_tasks (self), 1, self->nanoseconds, run_tasks, &run, monitor) && !run.stopped;

  return ghlo_cpu_finish (done, monitor, error);
}
