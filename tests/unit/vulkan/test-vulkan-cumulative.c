/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cumulative reductions on a Vulkan device: every combiner on every element type, in both directions, over lines of all
 * lengths, with sums in the CPU's order.
 */

#include "shader-steps.h"

static const char *const all_types[] = {
  "i1", "i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64", "bf16", "f16", "f32", "f64", "complex<f32>",
};

static const struct
{
  const char *operation, *start;
} operations[] = {
  { "add", "0" }, { "multiply", "1" }, { "minimum", "0" }, { "maximum", "0" }, { "and", "-1" }, { "or", "0" },
  { "xor", "0" },
};

static gboolean
is_defined (guint       operation,
            const char *element)
{
  gboolean is_integer = element[0] == 'i' || element[0] == 'u';

  if (element[0] == 'c')
    return operation == 0;
  if (g_str_equal (element, "i1"))
    return operation > 3;

  return operation <= 3 || is_integer;
}

static char *
constant (guint       operation,
          const char *element)
{
  const char *number = operations[operation].start;

  if (g_str_equal (element, "i1"))
    return g_strdup (number[0] == '-' ? "true" : "false");
  if (element[0] == 'c')
    return g_strdup ("(0.0, 0.0)");
  if (element[0] == 'u' && number[0] == '-')
    return g_strdup_printf ("%" G_GUINT64_FORMAT, G_MAXUINT64 >> (64 - atoi (element + 2)));

  return g_strdup_printf (element[0] == 'i' || element[0] == 'u' ? "%s" : "%s.0", number);
}

/* Reduces along the second of three dimensions. */
static void
check_cumulative (guint       operation,
                  const char *element,
                  gint        outer,
                  gint        n,
                  gint        inner,
                  gboolean    backward)
{
  g_autofree char *type = g_strdup_printf ("tensor<%dx%dx%dx%s>", outer, n, inner, element);
  g_autofree char *start = constant (operation, element);
  g_autofree char *text = g_strdup_printf (
    "func.func @main(%%x: %1$s) -> %1$s {\n  %%c = stablehlo.constant dense<%2$s> : tensor<%3$s>\n"
    "  %%y = \"stablehlo.reduce_window\"(%%x, %%c) ({\n  ^bb0(%%a: tensor<%3$s>, %%b: tensor<%3$s>):\n"
    "    %%r = stablehlo.%4$s %%a, %%b : tensor<%3$s>\n    stablehlo.return %%r : tensor<%3$s>\n"
    "  }) {window_dimensions = array<i64: 1, %5$d, 1>, padding = dense<[[0, 0], [%6$d, %7$d], [0, 0]]> : "
    "tensor<3x2xi64>} : (%1$s, tensor<%3$s>) -> %1$s\n  return %%y : %1$s\n}\n",
    type, start, element, operations[operation].operation, n, backward ? 0 : n - 1, backward ? n - 1 : 0);
  gboolean is_float = element[0] == 'f' || element[0] == 'b' || element[0] == 'c';
  g_autoptr (GhloValue) input = !is_float || operation > 1 ? new_bits (type, g_test_rand_bit ())
                                : operation == 1 ? new_random (type, 0.5, 1.8) : new_random (type, -2, 2);

  check_computed (text, "cumulative", &input, 1, 1, TRUE);
}

static void
test_types (void)
{
  static const gint lengths[] = { 1, 5, 16, 17, 200, 300 };

  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (all_types); i++)
    for (guint j = 0; j < G_N_ELEMENTS (operations); j++)
      if (is_defined (j, all_types[i]))
        check_cumulative (j, all_types[i], g_test_rand_int_range (1, 4), lengths[(i + j) % G_N_ELEMENTS (lengths)],
                          g_test_rand_int_range (1, 3), g_test_rand_bit ());
}

/* Lengths around the sizes of segments, blocks and chunks. */
static void
test_lengths (void)
{
  static const gint lengths[] = { 256, 257, 2047, 2048, 2049, 2048 + 31, 2048 + 32, 4096 + 100, 5000, 65536, 65536 + 1,
                                  65536 + 2048 + 77, 140000 };
  static const char *const elements[] = { "f32", "f64", "f16", "i32" };

  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    for (guint j = 0; j < 2; j++)
      {
        check_cumulative (0, elements[(i + j) % G_N_ELEMENTS (elements)], 2, lengths[i], 1, j);
        check_cumulative (i % 2, "f32", 1, lengths[i], 1, !j);
      }
}

/* Adjacent lines are reduced sequentially, element by element. */
static void
test_columns (void)
{
  static const char *const elements[] = { "f32", "f64", "bf16", "f16", "complex<f64>", "ui16" };

  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < 2 * G_N_ELEMENTS (elements); i++)
    check_cumulative (0, elements[i / 2], 2, g_test_rand_int_range (1, 3000), g_test_rand_int_range (2, 6), i % 2);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/cumulative/types", test_types);
  g_test_add_func ("/vulkan/cumulative/lengths", test_lengths);
  g_test_add_func ("/vulkan/cumulative/columns", test_columns);

  return g_test_run ();
}
