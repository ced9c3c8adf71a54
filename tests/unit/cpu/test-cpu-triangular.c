/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Factorizations and solves on the CPU, checked by multiplying the results: all types, triangles, sides, transposes and
 * layouts.
 */

#include <complex.h>

#include "cpu-tensors.h"

#include "cpu/linalg/triangular.h"

/* glibc defines CMPLX for gcc only; clang has the same builtin. */
#ifndef CMPLX
#define CMPLX(re, im) __builtin_complex ((double) (re), (double) (im))
#endif

typedef double _Complex Number;

static const GhloElementType types[] = {
  GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F64, GHLO_ELEMENT_TYPE_COMPLEX_F32, GHLO_ELEMENT_TYPE_COMPLEX_F64,
  GHLO_ELEMENT_TYPE_BF16, GHLO_ELEMENT_TYPE_F16,
};

static Number
number_at (const Tensor *tensor,
           gint64        batch,
           gint64        i,
           gint64        j)
{
  GhloScalar scalar = tensor_get (tensor, (gint64[]) { batch, i, j });

  return ghlo_element_type_is_complex (tensor->type) ? CMPLX (scalar.c.re, scalar.c.im) : scalar.f;
}

static void
set_number (Tensor *tensor,
            gint64  batch,
            gint64  i,
            gint64  j,
            Number  number)
{
  GhloScalar scalar = { .f = creal (number) };

  if (ghlo_element_type_is_complex (tensor->type))
    scalar = (GhloScalar) { .c = { creal (number), cimag (number) } };
  ghlo_element_store (tensor->type, tensor_at (tensor, (gint64[]) { batch, i, j }), scalar);
}

static GhloView
view_of (const Tensor *tensor)
{
  return (GhloView) { tensor->data, tensor->type, tensor->rank, tensor->dimensions, tensor->strides };
}

static double
tolerance_of (GhloElementType type,
              gint64          n)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  int digits = (int) MIN (info->mantissa_bits, info->bits > 32 ? 50 : 20);

  return ldexp (info->bits > 32 ? 1 : 4, -digits) * (double) (n + 4);
}

static void
assert_near (Number      found,
             Number      expected,
             double      limit,
             const char *what)
{
  if (!(cabs (found - expected) <= limit))
    g_error ("%s: expected %.9g%+.9gi, found %.9g%+.9gi", what, creal (expected), cimag (expected), creal (found),
             cimag (found));
}

static void
run (const GhloCpuTriangular *triangular,
     const Tensor        *a,
     const Tensor        *b,
     const Tensor        *result)
{
  gpointer scratch = g_aligned_alloc (1, MAX (ghlo_cpu_triangular_scratch_size (triangular), 64), 64);
  g_autoptr (GError) error = NULL;

  ghlo_cpu_triangular_run (triangular, a->data, b != NULL ? b->data : NULL, result->data, scratch, NULL, &error);
  g_assert_no_error (error);
  g_aligned_free (scratch);
}

/* Random numbers with a dominant diagonal, so that the matrix is well conditioned; elements that must not be read
 * are NaN. */
static void
fill_triangle (Tensor  *a,
               gint64   n,
               gboolean lower,
               gboolean unit)
{
  tensor_fill (a);
  for (gint64 batch = 0; batch < a->dimensions[0]; batch++)
    for (gint64 i = 0; i < n; i++)
      for (gint64 j = 0; j < n; j++)
        {
          gboolean inside = lower ? j <= i : j >= i;

          if (!inside || (i == j && unit))
            set_number (a, batch, i, j, CMPLX (NAN, NAN));
          else if (i == j)
            set_number (a, batch, i, j, number_at (a, batch, i, j) + 4);
          else
            set_number (a, batch, i, j, number_at (a, batch, i, j) / (double) n);
        }
}

/* The element of op (a) at an index. */
static Number
triangle_at (const Tensor       *a,
             const GhloCpuSolve *solve,
             gint64              batch,
             gint64              i,
             gint64              j)
{
  gint64 row = solve->transpose == GHLO_CPU_AS_IS ? i : j, column = solve->transpose == GHLO_CPU_AS_IS ? j : i;
  Number number;

  if (row == column && solve->unit)
    return 1;
  if (solve->lower ? column > row : column < row)
    return 0;
  number = number_at (a, batch, row, column);

  return solve->transpose == GHLO_CPU_ADJOINT ? conj (number) : number;
}

static void
check_solve (GhloElementType     type,
             const GhloCpuSolve *solve,
             gint64              n_batch,
             gint64              n,
             gint64              sides,
             guint               flags)
{
  g_auto (Tensor) a = { 0 }, b = { 0 }, x = { 0 };
  gint64 rows = solve->left ? n : sides, columns = solve->left ? sides : n;
  g_autoptr (GhloCpuTriangular) triangular = NULL;
  g_autoptr (GError) error = NULL;
  GhloView a_view, b_view, x_view;

  tensor_init (&a, type, 3, (gint64[]) { n_batch, n, n }, flags);
  tensor_init (&b, type, 3, (gint64[]) { n_batch, rows, columns }, flags);
  tensor_init (&x, type, 3, (gint64[]) { n_batch, rows, columns }, flags);
  fill_triangle (&a, n, solve->lower, solve->unit);
  tensor_fill (&b);
  a_view = view_of (&a);
  b_view = view_of (&b);
  x_view = view_of (&x);
  triangular = ghlo_cpu_triangular_solve_prepare (solve, &a_view, &b_view, &x_view, &error);
  g_assert_no_error (error);
  run (triangular, &a, &b, &x);
  assert_untouched (&x);

  for (gint64 batch = 0; batch < n_batch; batch++)
    for (gint64 i = 0; i < rows; i++)
      for (gint64 j = 0; j < columns; j++)
        {
          Number sum = 0;
          double scale = 1;

          for (gint64 k = 0; k < n; k++)
            {
              Number term = solve->left ? triangle_at (&a, solve, batch, i, k) * number_at (&x, batch, k, j)
                                        : number_at (&x, batch, i, k) * triangle_at (&a, solve, batch, k, j);

              sum += term;
              scale += cabs (term);
            }
          assert_near (sum, number_at (&b, batch, i, j), scale * tolerance_of (type, n),
                       ghlo_cpu_triangular_describe (triangular));
        }
}

static void
test_solve (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint flags = 0; flags < 8; flags++)
      for (guint transpose = 0; transpose < 3; transpose++)
        {
          GhloCpuSolve solve = { flags & 1, (flags & 2) != 0, (flags & 4) != 0, (GhloCpuTranspose) transpose };

          check_solve (types[t], &solve, 2, 7, 5, 0);
          for (guint i = 0; i < 4; i++)
            check_solve (types[t], &solve, 2, 6, 4, TENSOR_PERMUTED | TENSOR_GAPS | TENSOR_REVERSED);
          check_solve (types[t], &solve, 1, 1, 3, 0);
          check_solve (types[t], &solve, 1, 4, 1, TENSOR_PERMUTED);
          check_solve (types[t], &solve, 0, 4, 1, 0);
          check_solve (types[t], &solve, 1, 0, 3, 0);
          check_solve (types[t], &solve, 1, 3, 0, 0);
        }
}

/* Many right-hand sides, which are split among threads. */
static void
test_sides (void)
{
  for (guint t = 0; t < 4; t++)
    for (guint left = 0; left < 2; left++)
      {
        GhloCpuSolve solve = { left, TRUE, FALSE, GHLO_CPU_AS_IS };

        check_solve (types[t], &solve, 1, 60, 300, 0);
      }
}

/* Lanes that are full, and not; tiles, panels and blocks that are whole, and not. */
static void
test_sizes (void)
{
  static const struct
  {
    gint64 n_batch, n, sides;
  } sizes[] = {
    { 16, 2, 5 }, { 17, 3, 1 }, { 33, 1, 2 }, { 5, 32, 17 }, { 37, 9, 9 }, { 4, 12, 40 }, { 1, 13, 1 }, { 1, 33, 70 },
    { 9, 35, 33 }, { 2, 64, 16 }, { 1, 65, 15 }, { 1, 110, 8 }, { 2, 259, 3 }, { 1, 267, 35 },
    { 1, 531, 2 }, { 3, 4, 16 }, { 2, 5, 23 }, { 2, 7, 1100 }, { 3, 64, 25 },
    /* Few sides, of which more rows are solved at the same time; rows of many systems, and rows that are close. */
    { 40, 23, 1 }, { 40, 15, 2 }, { 40, 13, 3 }, { 40, 9, 4 }, { 700, 3, 16 }, { 70, 19, 8 }, { 1, 150, 8 },
    /* Triangles of which the other half is not copied. */
    { 40, 33, 1 }, { 21, 45, 2 }, { 18, 40, 3 }, { 33, 34, 4 },
  };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      for (guint flags = 0; flags < 4; flags++)
        {
          GhloCpuSolve solve = { flags & 1, (flags & 2) != 0, i % 3 == 1, (GhloCpuTranspose) ((flags + i) % 3) };
          guint layout = (i + flags) % 2 == 0 ? 0 : TENSOR_PERMUTED | TENSOR_GAPS | TENSOR_REVERSED;

          check_solve (types[t], &solve, sizes[i].n_batch, sizes[i].n, sizes[i].sides, layout);
        }
}

/* Small systems with adjacent right-hand sides are solved where these are; others are copied. */
static void
test_rows (void)
{
  for (guint t = 0; t < 4; t++)
    for (guint left = 0; left < 2; left++)
      {
        GhloCpuSolve solve = { left, TRUE, FALSE, GHLO_CPU_AS_IS };
        g_auto (Tensor) a = { 0 }, b = { 0 };
        g_autoptr (GhloCpuTriangular) triangular = NULL;
        GhloView a_view, b_view;

        tensor_init (&a, types[t], 3, (gint64[]) { 2, 40, 40 }, 0);
        tensor_init (&b, types[t], 3, (gint64[]) { 2, 40, 40 }, 0);
        a_view = view_of (&a);
        b_view = view_of (&b);
        triangular = ghlo_cpu_triangular_solve_prepare (&solve, &a_view, &b_view, &b_view, NULL);
        g_assert_true (g_str_has_prefix (ghlo_cpu_triangular_describe (triangular), "rows ")
                       == (left && !ghlo_element_type_is_complex (types[t])));
      }
}

/* Intermediate results out of range, though the solution of the last row is not. */
static void
test_range (void)
{
  for (gint64 n_batch = 1; n_batch <= 21; n_batch += 20)
    for (guint t = 0; t < 4; t++)
      for (guint lower = 0; lower < 2; lower++)
        {
          g_auto (Tensor) a = { 0 }, b = { 0 }, x = { 0 };
          GhloCpuSolve solve = { TRUE, lower, FALSE, GHLO_CPU_AS_IS };
          g_autoptr (GhloCpuTriangular) triangular = NULL;
          /* Few right-hand sides, or, for the larger batch, as many as a register holds, and more. */
          gint64 first = lower ? 0 : 1, last = 1 - first, bad = n_batch / 2, sides = n_batch > 1 ? 19 : 3;
          gboolean is_single = ghlo_element_info (ghlo_element_type_real_part (types[t]))->bits == 32;
          double large = is_single ? 1e30 : 1e300;
          GhloView a_view, b_view, x_view;

          tensor_init (&a, types[t], 3, (gint64[]) { n_batch, 2, 2 }, 0);
          tensor_init (&b, types[t], 3, (gint64[]) { n_batch, 2, sides }, 0);
          tensor_init (&x, types[t], 3, (gint64[]) { n_batch, 2, sides }, 0);
          memset (b.memory, 0, b.n_bytes);
          fill_triangle (&a, 2, lower, FALSE);
          set_number (&a, bad, first, first, 1 / large);
          set_number (&a, bad, last, first, 1 / large);
          set_number (&a, bad, last, last, 1);
          set_number (&b, bad, first, 1, large);
          a_view = view_of (&a);
          b_view = view_of (&b);
          x_view = view_of (&x);
          triangular = ghlo_cpu_triangular_solve_prepare (&solve, &a_view, &b_view, &x_view, NULL);
          run (triangular, &a, &b, &x);
          g_assert_true (isinf (creal (number_at (&x, bad, first, 1))));
          assert_near (number_at (&x, bad, last, 1), -large, large * 1e-6, "range");
          g_assert_true (number_at (&x, bad, first, 0) == 0 && number_at (&x, bad, last, 2) == 0);
        }
}

/* What a matrix gives does not depend on the matrices beside it, nor on how many there are. */
static void
test_same_bits (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (gint64 n = 1; n <= 32; n += 3)
      {
        const GhloElementInfo *info = ghlo_element_info (types[t]);
        GhloCpuSolve solve = { TRUE, n % 2 == 0, FALSE, GHLO_CPU_AS_IS };
        g_auto (Tensor) a = { 0 }, b = { 0 }, x = { 0 };
        g_autoptr (GhloCpuTriangular) all = NULL, one = NULL, factor = NULL, factor_one = NULL;
        gint64 rows[] = { n, n }, sides[] = { n, 7 }, a_one[] = { n * info->size, info->size };
        gint64 b_one[] = { 7 * info->size, info->size };
        gsize a_size = (gsize) (n * n) * info->size, b_size = (gsize) (n * 7) * info->size;
        g_autofree guint8 *found = g_malloc (MAX (a_size, b_size));
        gpointer scratch = g_aligned_alloc (1, 1 << 20, 64);
        GhloView a_view, b_view, x_view, view_a = { NULL, types[t], 2, rows, a_one };
        GhloView view_b = { NULL, types[t], 2, sides, b_one };

        tensor_init (&a, types[t], 3, (gint64[]) { 19, n, n }, 0);
        tensor_init (&b, types[t], 3, (gint64[]) { 19, n, 7 }, 0);
        tensor_init (&x, types[t], 3, (gint64[]) { 19, n, 7 }, 0);
        fill_triangle (&a, n, solve.lower, FALSE);
        tensor_fill (&b);
        a_view = view_of (&a);
        b_view = view_of (&b);
        x_view = view_of (&x);
        all = ghlo_cpu_triangular_solve_prepare (&solve, &a_view, &b_view, &x_view, NULL);
        one = ghlo_cpu_triangular_solve_prepare (&solve, &view_a, &view_b, &view_b, NULL);
        g_assert_cmpuint (ghlo_cpu_triangular_scratch_size (one), <=, 1 << 20);
        run (all, &a, &b, &x);
        for (gsize i = 0; i < 19; i++)
          {
            ghlo_cpu_triangular_run (one, a.data + i * a_size, b.data + i * b_size, found, scratch, NULL, NULL);
            g_assert_cmpmem (found, b_size, x.data + i * b_size, b_size);
          }
        for (gint64 i = 0; i < 19; i++)
          for (gint64 j = 0; j < n; j++)
            set_number (&a, i, j, j, n + i);
        factor = ghlo_cpu_cholesky_prepare (&a_view, &a_view, solve.lower, NULL);
        factor_one = ghlo_cpu_cholesky_prepare (&view_a, &view_a, solve.lower, NULL);
        ghlo_cpu_triangular_run (factor_one, a.data + 17 * a_size, NULL, found, scratch, NULL, NULL);
        run (factor, &a, NULL, &a);
        g_assert_cmpmem (found, a_size, a.data + 17 * a_size, a_size);
        g_aligned_free (scratch);
      }
}

/* A batch of two dimensions that are not one run. */
static void
test_batches (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (gint64 n = 5; n <= 45; n += 40)
      {
        const gint64 size = ghlo_element_info (types[t])->size, matrix = n * n * size;
        gint64 sizes[] = { 3, 7, n, n }, strides[] = { matrix, 3 * matrix, n * size, size };
        g_auto (Tensor) a = { 0 }, plain = { 0 }, found = { 0 };
        g_autoptr (GhloCpuTriangular) flat = NULL, batch = NULL;
        GhloView a_view, view = { NULL, types[t], 4, sizes, strides };

        tensor_init (&a, types[t], 3, (gint64[]) { 21, n, n }, 0);
        tensor_init (&plain, types[t], 3, (gint64[]) { 21, n, n }, 0);
        tensor_init (&found, types[t], 3, (gint64[]) { 21, n, n }, 0);
        tensor_fill (&a);
        for (gint64 i = 0; i < 21; i++)
          for (gint64 j = 0; j < n; j++)
            set_number (&a, i, j, j, 2 * n + i);
        a_view = view_of (&a);
        flat = ghlo_cpu_cholesky_prepare (&a_view, &a_view, TRUE, NULL);
        batch = ghlo_cpu_cholesky_prepare (&view, &view, TRUE, NULL);
        run (flat, &a, NULL, &plain);
        run (batch, &a, NULL, &found);
        g_assert_cmpmem (found.memory, found.n_bytes, plain.memory, plain.n_bytes);
      }
}

static void
check_cholesky (GhloElementType type,
                gint64          n_batch,
                gint64          n,
                gboolean        lower,
                guint           flags)
{
  g_auto (Tensor) root = { 0 }, a = { 0 }, f = { 0 };
  g_autoptr (GhloCpuTriangular) triangular = NULL;
  g_autoptr (GError) error = NULL;
  GhloView a_view, f_view;
  gint64 dimensions[] = { n_batch, n, n };

  tensor_init (&root, type, 3, dimensions, 0);
  tensor_init (&a, type, 3, dimensions, flags);
  tensor_init (&f, type, 3, dimensions, flags);
  tensor_fill (&root);
  for (gint64 batch = 0; batch < n_batch; batch++)
    for (gint64 i = 0; i < n; i++)
      for (gint64 j = 0; j < n; j++)
        {
          Number sum = i == j ? n : 0;

          for (gint64 k = 0; k < n; k++)
            sum += number_at (&root, batch, i, k) * conj (number_at (&root, batch, j, k));
          /* Elements that must not be read. */
          set_number (&a, batch, i, j, (lower ? j > i : j < i) ? CMPLX (NAN, NAN) : sum / n);
        }
  a_view = view_of (&a);
  f_view = view_of (&f);
  triangular = ghlo_cpu_cholesky_prepare (&a_view, &f_view, lower, &error);
  g_assert_no_error (error);
  run (triangular, &a, NULL, &f);
  assert_untouched (&f);

  for (gint64 batch = 0; batch < n_batch; batch++)
    for (gint64 i = 0; i < n; i++)
      for (gint64 j = 0; j < n; j++)
        {
          Number sum = 0;

          if (lower ? j > i : j < i)
            {
              g_assert_true (number_at (&f, batch, i, j) == 0);
              continue;
            }
          for (gint64 k = 0; k <= MIN (i, j); k++)
            sum += lower ? number_at (&f, batch, i, k) * conj (number_at (&f, batch, j, k))
                         : conj (number_at (&f, batch, k, i)) * number_at (&f, batch, k, j);
          assert_near (sum, number_at (&a, batch, i, j), 8 * tolerance_of (type, n),
                       ghlo_cpu_triangular_describe (triangular));
        }
}

static void
test_cholesky (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint lower = 0; lower < 2; lower++)
      {
        check_cholesky (types[t], 3, 6, lower, 0);
        for (guint i = 0; i < 6; i++)
          check_cholesky (types[t], 2, 5, lower, TENSOR_PERMUTED | TENSOR_GAPS | TENSOR_REVERSED);
        check_cholesky (types[t], 1, 1, lower, 0);
        check_cholesky (types[t], 1, 0, lower, 0);
        check_cholesky (types[t], 0, 3, lower, 0);
        check_cholesky (types[t], 20, 40, lower, 0);
        check_cholesky (types[t], 37, 11, lower, 0);
        check_cholesky (types[t], 5, 32, lower, TENSOR_PERMUTED | TENSOR_REVERSED);
        check_cholesky (types[t], 2, 77, lower, TENSOR_PERMUTED | TENSOR_GAPS | TENSOR_REVERSED);
        check_cholesky (types[t], 1, 128 + 13, lower, 0);
      }
}

/* A matrix without a factorization gives NaN in the triangle, without affecting other matrices of the batch. */
static void
test_indefinite (void)
{
  static const double bad[] = { -1, 0, NAN, INFINITY };

  for (guint i = 0; i < G_N_ELEMENTS (bad) * 2; i++)
    for (gint64 n = 2; n <= 100; n += 49)
      {
        const double number = bad[i / 2];
        const gint64 n_batch = i % 2 == 0 ? 2 : 18;
        g_auto (Tensor) a = { 0 }, f = { 0 };
        g_autoptr (GhloCpuTriangular) triangular = NULL;
        GhloView a_view, f_view;

        tensor_init (&a, GHLO_ELEMENT_TYPE_F32, 3, (gint64[]) { n_batch, n, n }, 0);
        tensor_init (&f, GHLO_ELEMENT_TYPE_F32, 3, (gint64[]) { n_batch, n, n }, 0);
        memset (a.memory, 0, a.n_bytes);
        for (gint64 k = 0; k < n; k++)
          {
            set_number (&a, 0, k, k, k == n - 1 ? number : 4);
            set_number (&a, 1, k, k, 9);
          }
        a_view = view_of (&a);
        f_view = view_of (&f);
        triangular = ghlo_cpu_cholesky_prepare (&a_view, &f_view, TRUE, NULL);
        run (triangular, &a, NULL, &f);
        g_assert_true (isnan (creal (number_at (&f, 0, 0, 0))));
        g_assert_true (isnan (creal (number_at (&f, 0, n - 1, 0))));
        g_assert_true (number_at (&f, 0, 0, n - 1) == 0);
        g_assert_true (number_at (&f, 1, n - 1, n - 1) == 3);
      }
}

/* LU with partial pivoting of one matrix, in place, as LAPACK's documentation says. Returns info. */
static int
factor (Number *a,
        gint64  rows,
        gint64  columns,
        int    *pivots)
{
  int info = 0;

  for (gint64 k = 0; k < MIN (rows, columns); k++)
    {
      gint64 best = k;

      for (gint64 i = k + 1; i < rows; i++)
        if (fabs (creal (a[i * columns + k])) + fabs (cimag (a[i * columns + k]))
            > fabs (creal (a[best * columns + k])) + fabs (cimag (a[best * columns + k])))
          best = i;
      pivots[k] = (int) best + 1;
      for (gint64 j = 0; j < columns; j++)
        {
          Number number = a[k * columns + j];

          a[k * columns + j] = a[best * columns + j];
          a[best * columns + j] = number;
        }
      if (a[k * columns + k] == 0 && info == 0)
        info = (int) k + 1;
      for (gint64 i = k + 1; i < rows; i++)
        {
          if (a[k * columns + k] != 0)
            a[i * columns + k] /= a[k * columns + k];
          for (gint64 j = k + 1; j < columns; j++)
            a[i * columns + j] -= a[i * columns + k] * a[k * columns + j];
        }
    }

  return info;
}

/* All numbers of the steps are small multiples of 1, 1/2 and the like, so that they are exact and there are many ties
 * and zeros; @scale is a power of two. */
static void
fill_units (Tensor *a,
            double  scale)
{
  static const Number units[] = { 0, 1, -1, 0, 1.0i, -1.0i };
  const gint32 n = ghlo_element_type_is_complex (a->type) ? 6 : 3;

  for (gint64 batch = 0; batch < a->dimensions[0]; batch++)
    for (gint64 i = 0; i < a->dimensions[1]; i++)
      for (gint64 j = 0; j < a->dimensions[2]; j++)
        set_number (a, batch, i, j, units[g_test_rand_int_range (0, n)] * scale);
}

static void
run_lu (const Tensor *a,
        const Tensor *result,
        int          *pivots,
        int          *info)
{
  const gint64 n_batch = a->dimensions[0], n_pivots = n_batch * MIN (a->dimensions[1], a->dimensions[2]);
  const GhloView a_view = view_of (a), result_view = view_of (result);
  const GhloCpuLuResults results = { result->data, pivots, info, NULL };
  g_autoptr (GhloCpuTriangular) lu = ghlo_cpu_lu_prepare (&a_view, &result_view);
  gpointer scratch;

  g_assert_nonnull (lu);
  scratch = g_aligned_alloc (1, ghlo_cpu_triangular_scratch_size (lu), 64);
  pivots[n_pivots] = info[n_batch] = -1;
  g_assert_true (ghlo_cpu_lu_run (lu, a->data, &results, scratch, NULL, NULL));
  g_aligned_free (scratch);
  assert_untouched (result);
  g_assert_cmpint (pivots[n_pivots], ==, -1);
  g_assert_cmpint (info[n_batch], ==, -1);
}

/* @bad is a number of one matrix that is not finite, or 0. */
static void
check_exact_lu (GhloElementType type,
                gint64          n_batch,
                gint64          rows,
                gint64          columns,
                double          scale,
                double          bad,
                guint           flags)
{
  const gint64 dimensions[] = { n_batch, rows, columns }, k = MIN (rows, columns);
  g_auto (Tensor) a = { 0 }, result = { 0 };
  g_autofree Number *expected = g_new (Number, rows * columns);
  g_autofree int *pivots = g_new (int, n_batch * k + 1), *info = g_new (int, n_batch + 1), *rule = g_new (int, k);

  tensor_init (&a, type, 3, dimensions, flags);
  tensor_init (&result, type, 3, dimensions, flags & ~(guint) TENSOR_REPEATED);
  fill_units (&a, scale);
  if (bad != 0)
    set_number (&a, n_batch / 2, rows / 2, columns / 3, bad);
  run_lu (&a, &result, pivots, info);
  for (gint64 batch = 0; batch < n_batch; batch++)
    {
      for (gint64 i = 0; i < rows * columns; i++)
        expected[i] = number_at (&a, batch, i / columns, i % columns) / scale;
      g_assert_cmpint (info[batch], ==, factor (expected, rows, columns, rule));
      g_assert_cmpmem (pivots + batch * k, (gsize) k * sizeof (int), rule, (gsize) k * sizeof (int));
      for (gint64 i = 0; i < rows; i++)
        for (gint64 j = 0; j < columns; j++)
          {
            Number found = number_at (&result, batch, i, j) / (j < i ? 1 : scale), other = expected[i * columns + j];

            if (isfinite (creal (other)))
              assert_near (found, other, 2 * tolerance_of (type, rows), "LU");
            else
              g_assert_false (isfinite (creal (found)));
          }
    }
}

static void
test_lu (void)
{
  static const gint64 shapes[][2] = { { 1, 1 }, { 1, 7 }, { 3, 3 }, { 9, 3 }, { 2, 20 }, { 3, 17 }, { 21, 2 } };
  static const double bad[] = { 0, NAN, INFINITY, -INFINITY };
  const guint any = TENSOR_PERMUTED | TENSOR_GAPS | TENSOR_REVERSED | TENSOR_REPEATED;

  for (guint t = 0; t < 4; t++)
    for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
      {
        const gint64 *n = shapes[s];
        const gboolean single = t % 2 == 0;

        for (guint i = 0; i < 3; i++)
          {
            /* Reciprocals of the smallest numbers are infinite. */
            const double scale = i == 0 ? 1 : i == 1 ? ldexp (1, single ? -140 : -1060) : 0x1p100;

            check_exact_lu (types[t], 37, n[0], n[1], scale, 0, 0);
            check_exact_lu (types[t], 5, n[0], n[1], scale, 0, any);
            check_exact_lu (types[t], 16, n[0], n[1], scale, 0, any);
          }
        for (guint i = 0; i < G_N_ELEMENTS (bad) && t < 2; i++)
          check_exact_lu (types[t], 9, n[0], n[1], 1, bad[i], TENSOR_PERMUTED);
      }
}

/* Multiplies the factors out. */
static void
check_lu (GhloElementType type,
          gint64          n_batch,
          gint64          rows,
          gint64          columns,
          guint           flags)
{
  const gint64 dimensions[] = { n_batch, rows, columns }, k = MIN (rows, columns);
  g_auto (Tensor) a = { 0 }, result = { 0 };
  g_autofree int *pivots = g_new (int, n_batch * k + 1), *info = g_new (int, n_batch + 1);
  g_autofree gint64 *order = g_new (gint64, rows);

  tensor_init (&a, type, 3, dimensions, flags);
  tensor_init (&result, type, 3, dimensions, flags);
  tensor_fill (&a);
  run_lu (&a, &result, pivots, info);
  for (gint64 batch = 0; batch < n_batch; batch++)
    {
      for (gint64 i = 0; i < rows; i++)
        order[i] = i;
      for (gint64 i = 0; i < k; i++)
        {
          const gint64 other = pivots[batch * k + i] - 1, row = order[i];

          g_assert_true (other >= i && other < rows);
          order[i] = order[other];
          order[other] = row;
        }
      g_assert_cmpint (info[batch], ==, 0);
      for (gint64 i = 0; i < rows; i++)
        for (gint64 j = 0; j < columns; j++)
          {
            Number sum = i <= j ? number_at (&result, batch, i, j) : 0;

            if (i > j)
              g_assert_cmpfloat (cabs (number_at (&result, batch, i, j)), <, 1.5);
            for (gint64 p = 0; p < MIN (i, j + 1); p++)
              sum += number_at (&result, batch, i, p) * number_at (&result, batch, p, j);
            assert_near (sum, number_at (&a, batch, order[i], j), 16 * tolerance_of (type, k), "LU");
          }
    }
}

/* As many columns as are factored at a time, and fewer and more. */
static void
test_lu_sizes (void)
{
  static const gint64 sizes[] = { 4, 8, 9, 17, 32, 40 };

  for (guint t = 0; t < 4; t++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      for (guint j = 0; j < G_N_ELEMENTS (sizes); j++)
        check_lu (types[t], 19, sizes[i], sizes[j], TENSOR_PERMUTED | TENSOR_GAPS);
}

/* Few or large matrices, and those of other types, are left to LAPACK. */
static void
test_lu_refused (void)
{
  static const struct
  {
    GhloElementType type;
    gint64          dimensions[3];
  } cases[] = {
    { GHLO_ELEMENT_TYPE_F32, { 1, 8, 8 } },
    { GHLO_ELEMENT_TYPE_F64, { 1000, 200, 200 } },
    { GHLO_ELEMENT_TYPE_I32, { 100, 8, 8 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const gint64 *n = cases[i].dimensions, size = ghlo_element_info (cases[i].type)->size;
      const gint64 strides[] = { n[1] * n[2] * size, n[2] * size, size };
      GhloView view = { NULL, cases[i].type, 3, n, strides };

      g_assert_null (ghlo_cpu_lu_prepare (&view, &view));
    }
}

typedef struct
{
  const GhloCpuTriangular *triangular;
  const Tensor        *a;
  Tensor               f;
} Runner;

static gpointer
run_often (gpointer data)
{
  Runner *runner = data;

  for (guint i = 0; i < 10; i++)
    run (runner->triangular, runner->a, NULL, &runner->f);

  return NULL;
}

static void
test_threads (void)
{
  for (guint t = 0; t < 4; t++)
    {
      gint64 dimensions[] = { 4, 50, 50 };
      g_auto (Tensor) a = { 0 };
      g_autoptr (GhloCpuTriangular) triangular = NULL;
      Runner runners[8];
      GThread *threads[8];
      GhloView view;

      tensor_init (&a, types[t], 3, dimensions, 0);
      tensor_fill (&a);
      for (gint64 batch = 0; batch < 4; batch++)
        for (gint64 i = 0; i < 50; i++)
          set_number (&a, batch, i, i, 200);
      view = view_of (&a);
      triangular = ghlo_cpu_cholesky_prepare (&view, &view, TRUE, NULL);
      for (guint i = 0; i < 8; i++)
        {
          runners[i] = (Runner) { .triangular = triangular, .a = &a };
          tensor_init (&runners[i].f, types[t], 3, dimensions, 0);
          threads[i] = g_thread_new ("run", run_often, &runners[i]);
        }
      for (guint i = 0; i < 8; i++)
        {
          g_thread_join (threads[i]);
          g_assert_cmpmem (runners[i].f.memory, a.n_bytes, runners[0].f.memory, a.n_bytes);
          if (i > 0)
            tensor_clear (&runners[i].f);
        }
      tensor_clear (&runners[0].f);
    }
}

static void
test_unsupported (void)
{
  gint64 dimensions[] = { 2, 2 }, strides[] = { 8, 4 };
  GhloView view = { NULL, GHLO_ELEMENT_TYPE_I32, 2, dimensions, strides };
  g_autoptr (GError) error = NULL;

  g_assert_null (ghlo_cpu_cholesky_prepare (&view, &view, TRUE, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  /* Several threads on any machine, so that work is split. */
  g_setenv ("GHLO_THREADS", "4", FALSE);

  g_test_add_func ("/cpu-triangular/unsupported", test_unsupported);
  g_test_add_func ("/cpu-triangular/solve", test_solve);
  g_test_add_func ("/cpu-triangular/sides", test_sides);
  g_test_add_func ("/cpu-triangular/sizes", test_sizes);
  g_test_add_func ("/cpu-triangular/rows", test_rows);
  g_test_add_func ("/cpu-triangular/range", test_range);
  g_test_add_func ("/cpu-triangular/same-bits", test_same_bits);
  g_test_add_func ("/cpu-triangular/batches", test_batches);
  g_test_add_func ("/cpu-triangular/cholesky", test_cholesky);
  g_test_add_func ("/cpu-triangular/indefinite", test_indefinite);
  g_test_add_func ("/cpu-triangular/lu", test_lu);
  g_test_add_func ("/cpu-triangular/lu-sizes", test_lu_sizes);
  g_test_add_func ("/cpu-triangular/lu-refused", test_lu_refused);
  g_test_add_func ("/cpu-triangular/threads", test_threads);

  return g_test_run ();
}
