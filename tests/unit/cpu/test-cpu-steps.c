/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products, convolutions and factorizations as steps of plans.
 */

#include "cpu-steps.h"

static void
test_dot (void)
{
  g_autoptr (GhloValue) a = new_random ("tensor<3x5x4xf32>", -2, 2), b = new_random ("tensor<4x6x3xf32>", -2, 2);

  g_assert_true (step_check ("func.func @main(%a: tensor<3x5x4xf32>, %b: tensor<4x6x3xf32>) -> tensor<3x5x6xf32> {\n"
                             "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [2], "
                             "contracting_dims = [2] x [0] : (tensor<3x5x4xf32>, tensor<4x6x3xf32>) -> "
                             "tensor<3x5x6xf32>\n  return %0 : tensor<3x5x6xf32>\n}\n",
                             "product", (GhloValue *[]) { a, b }, 2, 1e-5));
}

/* Infinities affect only the products that they belong to, whatever else is in the registers. */
static void
test_dot_not_finite (void)
{
  static const char *const types[] = { "bf16", "f16", "f32", "f64" };
  static const gint sizes[] = { 1, 3, 8, 16, 17, 31, 33, 64, 100 };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (sizes) * G_N_ELEMENTS (types); i++)
    {
      const char *type = types[i / 2 % G_N_ELEMENTS (types)];
      gint k = sizes[i / 2 / G_N_ELEMENTS (types)];
      g_autofree char *lhs = g_strdup_printf ("tensor<37x%dx%s>", k, type);
      g_autofree char *rhs = g_strdup_printf (i % 2 ? "tensor<45x%2$dx%1$s>" : "tensor<%2$dx45x%1$s>", type, k);
      g_autofree char *text =
        g_strdup_printf ("func.func @main(%%a: %s, %%b: %s) -> tensor<37x45x%s> {\n"
                         "  %%0 = stablehlo.dot_general %%a, %%b, contracting_dims = [1] x [%u] : (%s, %s) -> "
                         "tensor<37x45x%s>\n  return %%0 : tensor<37x45x%s>\n}\n", lhs, rhs, type, i % 2, lhs, rhs,
                         type, type);
      g_autoptr (GhloValue) a = new_random (lhs, -2, 2), b = new_random (rhs, -2, 2);

      for (guint j = 0; j < 3; j++)
        {
          set_number (a, (gsize) g_test_rand_int_range (0, (gint) a->n_elements), INFINITY);
          set_number (b, (gsize) g_test_rand_int_range (0, (gint) b->n_elements), -INFINITY);
        }
      g_assert_true (step_check (text, "product", (GhloValue *[]) { a, b }, 2, 1));
    }
}

static void
test_convolution (void)
{
  g_autoptr (GhloValue) a = new_random ("tensor<2x9x7x4xf32>", -2, 2), b = new_random ("tensor<3x3x4x6xf32>", -2, 2);

  g_assert_true (step_check ("func.func @main(%a: tensor<2x9x7x4xf32>, %b: tensor<3x3x4x6xf32>) -> "
                             "tensor<2x9x7x6xf32> {\n  %0 = stablehlo.convolution(%a, %b) "
                             "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}"
                             " {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
                             "(tensor<2x9x7x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x9x7x6xf32>\n"
                             "  return %0 : tensor<2x9x7x6xf32>\n}\n",
                             "product", (GhloValue *[]) { a, b }, 2, 1e-5));
}

static void
test_triangular_solve (void)
{
  static const char *const transposes[] = { "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" };
  g_autoptr (GhloValue) a = new_random ("tensor<2x4x4xf64>", 1, 2), b = new_random ("tensor<2x4x4xf64>", -2, 2);

  for (guint i = 0; i < 4 * G_N_ELEMENTS (transposes); i++)
    {
      g_autofree char *text =
        g_strdup_printf ("func.func @main(%%a: tensor<2x4x4xf64>, %%b: tensor<2x4x4xf64>) -> tensor<2x4x4xf64> {\n"
                         "  %%0 = \"stablehlo.triangular_solve\"(%%a, %%b) {left_side = %s, lower = %s, "
                         "unit_diagonal = false, transpose_a = #stablehlo<transpose %s>} : (tensor<2x4x4xf64>, "
                         "tensor<2x4x4xf64>) -> tensor<2x4x4xf64>\n  return %%0 : tensor<2x4x4xf64>\n}\n",
                         i % 2 ? "true" : "false", i / 2 % 2 ? "true" : "false", transposes[i / 4]);

      if (!step_check (text, "triangular_solve", (GhloValue *[]) { a, b }, 2, 1e-9))
        g_test_skip ("there is no library for it");
    }
}

/* Solutions that temporarily or finally exceed the type's range, and quotients by nearly zero: an intermediate
 * overflow does not determine the solution. */
static void
test_triangular_solve_range (void)
{
  static const char *const types[] = { "f32", "f64", "complex<f32>", "complex<f64>", "f16", "bf16" };
  static const char *const transposes[] = { "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" };

  for (guint i = 0; i < 24 * G_N_ELEMENTS (types); i++)
    {
      const char *type = types[i % G_N_ELEMENTS (types)];
      guint n = i % 5 == 0 ? 127 : 3, way = i / G_N_ELEMENTS (types);
      gboolean left = way % 2, unit = way / 4 % 2;
      double size = strstr (type, "64") != NULL ? 1e200 : g_str_equal (type, "f16") ? 1e3 : 1e30;
      g_autofree char *matrix = g_strdup_printf ("tensor<%ux%ux%s>", n, n, type);
      g_autofree char *sides = left ? g_strdup_printf ("tensor<%ux5x%s>", n, type)
                                    : g_strdup_printf ("tensor<5x%ux%s>", n, type);
      g_autofree char *text =
        g_strdup_printf ("func.func @main(%%a: %s, %%b: %s) -> %s {\n  %%0 = \"stablehlo.triangular_solve\"(%%a, %%b) "
                         "{left_side = %s, lower = %s, unit_diagonal = %s, transpose_a = #stablehlo<transpose %s>} : "
                         "(%s, %s) -> %s\n  return %%0 : %s\n}\n", matrix, sides, sides, left ? "true" : "false",
                         way / 2 % 2 ? "true" : "false", unit ? "true" : "false", transposes[way / 8], matrix, sides,
                         sides, sides);
      g_autoptr (GhloValue) a = new_random (matrix, -size, size), b = new_random (sides, -size, size);

      for (guint d = 0; d < n; d++)
        set_number (a, d * (n + 1), d % 2 == 0 ? size : 1 / size);
      if (!step_check (text, "triangular_solve", (GhloValue *[]) { a, b }, 2, 1e-3))
        g_test_skip ("there is no library for it");
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/cpu-steps/dot", test_dot);
  g_test_add_func ("/cpu-steps/dot-not-finite", test_dot_not_finite);
  g_test_add_func ("/cpu-steps/convolution", test_convolution);
  g_test_add_func ("/cpu-steps/triangular-solve", test_triangular_solve);
  g_test_add_func ("/cpu-steps/triangular-solve/range", test_triangular_solve_range);

  return g_test_run ();
}
