/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Linear algebra: the results of solves and factorizations are checked by multiplying them.
 */

#include "kernel-programs.h"

enum { N = 6, M = 3 };

static const char *const parts[] = { "f32", "f64", "complex<f32>", "complex<f64>" };

static double
tolerance_of (const char *part)
{
  return strstr (part, "64") != NULL ? 1e-13 : 2e-5;
}

/* Random numbers with a dominant diagonal, so that the matrix is well conditioned. */
static GhloValue *
new_matrix (const char *part,
            gsize       rows,
            gsize       columns,
            double      diagonal)
{
  g_autofree char *type = g_strdup_printf ("tensor<%" G_GSIZE_FORMAT "x%" G_GSIZE_FORMAT "x%s>", rows, columns, part);
  GhloValue *value = new_random (type, -1, 1);

  for (gsize i = 0; i < MIN (rows, columns); i++)
    set_number (value, i * columns + i, number_at (value, i * columns + i) + diagonal);
  return value;
}

/* op (a), read from one triangle. */
static Number
triangle_at (const GhloValue *a,
             gboolean         lower,
             gboolean         unit,
             const char      *transpose,
             gsize            i,
             gsize            j)
{
  gboolean plain = g_str_equal (transpose, "NO_TRANSPOSE");
  gsize row = plain ? i : j, column = plain ? j : i;
  Number number = number_at (a, row * N + column);

  if (row == column && unit)
    return 1;
  if (lower ? column > row : column < row)
    return 0;
  return g_str_equal (transpose, "ADJOINT") ? conj (number) : number;
}

static void
check_solve (const char *part,
             gboolean    left,
             gboolean    lower,
             gboolean    unit,
             const char *transpose)
{
  gsize rows = left ? N : M, columns = left ? M : N;
  g_autofree char *b_type = g_strdup_printf ("tensor<%" G_GSIZE_FORMAT "x%" G_GSIZE_FORMAT "x%s>", rows, columns, part);
  g_autofree char *text =
    g_strdup_printf ("func.func @main(%%a: tensor<%dx%dx%s>, %%b: %s) -> %s {\n"
                     "  %%0 = \"stablehlo.triangular_solve\"(%%a, %%b) {left_side = %s, lower = %s, unit_diagonal = %s,"
                     " transpose_a = #stablehlo<transpose %s>} : (tensor<%dx%dx%s>, %s) -> %s\n  return %%0 : %s\n}\n",
                     N, N, part, b_type, b_type, left ? "true" : "false", lower ? "true" : "false",
                     unit ? "true" : "false", transpose, N, N, part, b_type, b_type, b_type);
  g_autoptr (GhloValue) a = new_matrix (part, N, N, 3);
  g_autoptr (GhloValue) b = new_random (b_type, -1, 1);
  g_autoptr (GhloValue) x = result_of (text, (GhloValue *[]) { a, b }, 2);

  for (gsize i = 0; i < rows; i++)
    for (gsize j = 0; j < columns; j++)
      {
        Number sum = 0;
        double scale = 1;

        for (gsize k = 0; k < N; k++)
          {
            Number term = left ? triangle_at (a, lower, unit, transpose, i, k) * number_at (x, k * columns + j)
                               : number_at (x, i * columns + k) * triangle_at (a, lower, unit, transpose, k, j);

            sum += term;
            scale += cabs (term);
          }
        assert_near (sum, number_at (b, i * columns + j), scale, tolerance_of (part));
      }
}

static void
test_solve (void)
{
  const char *const transposes[] = { "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" };

  for (guint p = 0; p < G_N_ELEMENTS (parts); p++)
    for (guint flags = 0; flags < 8; flags++)
      for (guint t = 0; t < G_N_ELEMENTS (transposes); t++)
        check_solve (parts[p], flags & 1, flags >> 1 & 1, flags >> 2 & 1, transposes[t]);
}

static void
check_cholesky (const char *part,
                gboolean    lower)
{
  g_autofree char *type = g_strdup_printf ("tensor<%dx%dx%s>", N, N, part);
  g_autofree char *text =
    g_strdup_printf ("func.func @main(%%a: %s) -> %s {\n  %%0 = stablehlo.cholesky %%a, lower = %s : %s\n"
                     "  return %%0 : %s\n}\n", type, type, lower ? "true" : "false", type, type);
  g_autoptr (GhloValue) root = new_random (type, -1, 1);
  g_autoptr (GhloValue) a = new_random (type, -1, 1);
  g_autoptr (GhloValue) f = NULL;

  for (gsize i = 0; i < N * N; i++)
    {
      Number sum = i / N == i % N;

      for (gsize k = 0; k < N; k++)
        sum += number_at (root, i / N * N + k) * conj (number_at (root, i % N * N + k));
      set_number (a, i, sum);
    }
  f = result_of (text, &a, 1);
  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j < N; j++)
      {
        Number sum = 0;

        for (gsize k = 0; k <= MIN (i, j); k++)
          sum += lower ? number_at (f, i * N + k) * conj (number_at (f, j * N + k))
                       : conj (number_at (f, k * N + i)) * number_at (f, k * N + j);
        assert_near (sum, number_at (a, i * N + j), N, tolerance_of (part));
        if (lower ? j > i : j < i)
          g_assert_true (number_at (f, i * N + j) == 0);
      }
}

static void
test_cholesky (void)
{
  const char *indefinite =
    "func.func @main() -> tensor<2x2xf32> {\n"
    "  %a = stablehlo.constant dense<[[1.0, 2.0], [2.0, 1.0]]> : tensor<2x2xf32>\n"
    "  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>\n  return %0 : tensor<2x2xf32>\n}\n";
  g_autoptr (GhloValue) nan = result_of (indefinite, NULL, 0);

  g_assert_true (isnan (creal (number_at (nan, 0))));
  for (guint p = 0; p < G_N_ELEMENTS (parts); p++)
    {
      check_cholesky (parts[p], TRUE);
      check_cholesky (parts[p], FALSE);
    }
}

static void
check_qr (const char *part,
          gsize       rows,
          gsize       columns)
{
  gsize k = MIN (rows, columns);
  g_autofree char *text =
    g_strdup_printf ("func.func @main(%%a: tensor<%1$zux%2$zux%4$s>) -> (tensor<%1$zux%2$zux%4$s>, "
                     "tensor<%1$zux%2$zux%4$s>) {\n"
                     "  %%0:2 = stablehlo.custom_call @Qr(%%a) : (tensor<%1$zux%2$zux%4$s>) -> "
                     "(tensor<%1$zux%2$zux%4$s>, tensor<%3$zux%4$s>)\n"
                     "  %%1 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%%0#0, %%0#1) : "
                     "(tensor<%1$zux%2$zux%4$s>, tensor<%3$zux%4$s>) -> tensor<%1$zux%2$zux%4$s>\n"
                     "  return %%0#0, %%1 : tensor<%1$zux%2$zux%4$s>, tensor<%1$zux%2$zux%4$s>\n}\n",
                     rows, columns, k, part);
  g_autoptr (GhloValue) a = new_matrix (part, rows, columns, 0);
  GhloValue *outputs[2] = { NULL };

  run_text (text, &a, 1, outputs);
  for (gsize i = 0; i < rows; i++)
    for (gsize j = 0; j < columns; j++)
      {
        Number sum = 0;

        for (gsize p = 0; p <= MIN (j, k - 1); p++)
          sum += number_at (outputs[1], i * columns + p) * number_at (outputs[0], p * columns + j);
        assert_near (sum, number_at (a, i * columns + j), N, tolerance_of (part));
      }
  for (gsize i = 0; i < k; i++)
    for (gsize j = 0; j < k; j++)
      {
        Number sum = 0;

        for (gsize p = 0; p < rows; p++)
          sum += conj (number_at (outputs[1], p * columns + i)) * number_at (outputs[1], p * columns + j);
        assert_near (sum, i == j, 1, tolerance_of (part));
      }
  ghlo_value_unref (outputs[0]);
  ghlo_value_unref (outputs[1]);
}

static void
test_qr (void)
{
  for (guint p = 0; p < G_N_ELEMENTS (parts); p++)
    {
      check_qr (parts[p], 7, 4);
      check_qr (parts[p], 5, 5);
    }
}

static void
check_lu (const char *part,
          gsize       rows,
          gsize       columns)
{
  gsize k = MIN (rows, columns);
  g_autofree char *text =
    g_strdup_printf ("func.func @main(%%a: tensor<%1$zux%2$zux%4$s>) -> (tensor<%1$zux%2$zux%4$s>, tensor<%3$zuxi32>, "
                     "tensor<%1$zuxi32>) {\n"
                     "  %%0:3 = stablehlo.custom_call @LuDecomposition(%%a) : (tensor<%1$zux%2$zux%4$s>) -> "
                     "(tensor<%1$zux%2$zux%4$s>, tensor<%3$zuxi32>, tensor<%1$zuxi32>)\n"
                     "  return %%0#0, %%0#1, %%0#2 : tensor<%1$zux%2$zux%4$s>, tensor<%3$zuxi32>, tensor<%1$zuxi32>\n"
                     "}\n",
                     rows, columns, k, part);
  g_autoptr (GhloValue) a = new_matrix (part, rows, columns, 0);
  g_autofree gsize *order = g_new (gsize, rows);
  GhloValue *outputs[3] = { NULL };

  run_text (text, &a, 1, outputs);
  for (gsize i = 0; i < rows; i++)
    order[i] = i;
  for (gsize i = 0; i < k; i++)
    {
      gsize pivot = (gsize) creal (number_at (outputs[1], i)), row = order[i];

      g_assert_cmpuint (pivot, >=, i);
      g_assert_cmpuint (pivot, <, rows);
      order[i] = order[pivot];
      order[pivot] = row;
    }
  for (gsize i = 0; i < rows; i++)
    {
      g_assert_cmpuint (order[i], ==, (gsize) creal (number_at (outputs[2], i)));
      for (gsize j = 0; j < columns; j++)
        {
          Number sum = 0;

          for (gsize p = 0; p <= MIN (MIN (i, j), k - 1); p++)
            sum += (p == i ? 1 : number_at (outputs[0], i * columns + p)) * number_at (outputs[0], p * columns + j);
          assert_near (sum, number_at (a, order[i] * columns + j), N, tolerance_of (part));
        }
    }
  for (guint i = 0; i < 3; i++)
    ghlo_value_unref (outputs[i]);
}

static void
test_lu (void)
{
  for (guint p = 0; p < G_N_ELEMENTS (parts); p++)
    {
      check_lu (parts[p], 6, 4);
      check_lu (parts[p], 5, 5);
      check_lu (parts[p], 3, 6);
    }
}

static void
check_eigh (const char *part,
            gboolean    lower)
{
  const char *real = strstr (part, "64") != NULL ? "f64" : "f32";
  g_autofree char *type = g_strdup_printf ("tensor<%dx%dx%s>", N, N, part);
  g_autofree char *text =
    g_strdup_printf ("func.func @main(%%a: %s) -> (%s, tensor<%dx%s>) {\n"
                     "  %%0:2 = stablehlo.custom_call @Eigh(%%a) {backend_config = \"%d,1,100,1e-6\"} : (%s) -> "
                     "(%s, tensor<%dx%s>)\n  return %%0#0, %%0#1 : %s, tensor<%dx%s>\n}\n",
                     type, type, N, real, lower, type, type, N, real, type, N, real);
  g_autoptr (GhloValue) a = new_random (type, -1, 1);
  GhloValue *outputs[2] = { NULL };

  run_text (text, &a, 1, outputs);
  for (gsize c = 0; c < N; c++)
    {
      Number value = number_at (outputs[1], c);

      if (c > 0)
        g_assert_cmpfloat (creal (number_at (outputs[1], c - 1)), <=, creal (value));
      for (gsize i = 0; i < N; i++)
        {
          Number sum = 0;

          for (gsize j = 0; j < N; j++)
            {
              gboolean given = lower ? j <= i : j >= i;
              Number entry = given ? number_at (a, i * N + j) : conj (number_at (a, j * N + i));

              sum += (i == j ? creal (entry) : entry) * number_at (outputs[0], j * N + c);
            }
          assert_near (sum, value * number_at (outputs[0], i * N + c), N, tolerance_of (part));
        }
    }
  ghlo_value_unref (outputs[0]);
  ghlo_value_unref (outputs[1]);
}

static void
test_eigh (void)
{
  for (guint p = 0; p < G_N_ELEMENTS (parts); p++)
    {
      check_eigh (parts[p], TRUE);
      check_eigh (parts[p], FALSE);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/linalg/triangular-solve", test_solve);
  g_test_add_func ("/kernels/linalg/cholesky", test_cholesky);
  g_test_add_func ("/kernels/linalg/qr", test_qr);
  g_test_add_func ("/kernels/linalg/lu", test_lu);
  g_test_add_func ("/kernels/linalg/eigh", test_eigh);
  return g_test_run ();
}
