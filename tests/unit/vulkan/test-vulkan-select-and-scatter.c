/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * select_and_scatter on a Vulkan device, as in the gradients of pooling: windows with and without overlap, with
 * padding.
 */

#include "shader-steps.h"

static void
check_gradient (const char *element,
                const char *direction,
                gint        window,
                gint        stride,
                gint        padding)
{
  gint n = g_test_rand_int_range (window, 14), n_windows = (n + 2 * padding - window) / stride + 1;
  gboolean is_float = element[0] != 'i';
  g_autofree char *operand = g_strdup_printf ("tensor<2x%1$dx%1$dx3x%2$s>", n, element);
  g_autofree char *source = g_strdup_printf ("tensor<2x%1$dx%1$dx3x%2$s>", n_windows, element);
  g_autofree char *text = g_strdup_printf (
    "func.func @main(%%x: %1$s, %%y: %2$s) -> %1$s {\n"
    "  %%c = stablehlo.constant dense<%3$s> : tensor<%4$s>\n"
    "  %%z = \"stablehlo.select_and_scatter\"(%%x, %%y, %%c) ({\n"
    "  ^bb0(%%a: tensor<%4$s>, %%b: tensor<%4$s>):\n"
    "    %%p = stablehlo.compare %5$s, %%a, %%b, %9$s : (tensor<%4$s>, tensor<%4$s>) -> tensor<i1>\n"
    "    stablehlo.return %%p : tensor<i1>\n  }, {\n  ^bb0(%%a: tensor<%4$s>, %%b: tensor<%4$s>):\n"
    "    %%s = stablehlo.add %%a, %%b : tensor<%4$s>\n    stablehlo.return %%s : tensor<%4$s>\n"
    "  }) {window_dimensions = array<i64: 1, %6$d, %6$d, 1>, window_strides = array<i64: 1, %7$d, %7$d, 1>, "
    "padding = dense<[[0, 0], [%8$d, %8$d], [%8$d, %8$d], [0, 0]]> : tensor<4x2xi64>} : "
    "(%1$s, %2$s, tensor<%4$s>) -> %1$s\n  return %%z : %1$s\n}\n", operand, source, is_float ? "0.0" : "0", element,
    direction, window, stride, padding, is_float ? "FLOAT" : "SIGNED");
  g_autoptr (GhloValue) x = new_random (operand, -9, 9), y = new_random (source, -2, 2);

  check_computed (text, "select_and_scatter", (GhloValue *[]) { x, y }, 2, 1, TRUE);
}

static void
test_gradients (void)
{
  static const char *const elements[] = { "f32", "f64", "bf16", "i32" }, *const directions[] = { "GE", "GT", "LE" };

  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    for (guint j = 0; j < G_N_ELEMENTS (directions); j++)
      {
        check_gradient (elements[i], directions[j], 2, 2, 0);
        check_gradient (elements[i], directions[j], 3, 1 + g_test_rand_bit (), 1);
      }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/select-and-scatter/gradients", test_gradients);

  return g_test_run ();
}
