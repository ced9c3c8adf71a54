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
                             "dot", (GhloValue *[]) { a, b }, 2, 1e-5));
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
                             "convolution", (GhloValue *[]) { a, b }, 2, 1e-5));
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

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/cpu-steps/dot", test_dot);
  g_test_add_func ("/cpu-steps/convolution", test_convolution);
  g_test_add_func ("/cpu-steps/triangular-solve", test_triangular_solve);

  return g_test_run ();
}
