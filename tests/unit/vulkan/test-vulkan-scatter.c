/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scatter and dynamic_update_slice on a Vulkan device: every combiner on every element type, out-of-bounds indices, and
 * elements with many updates, which are applied in order.
 */

#include "shader-steps.h"

static const char *const all_types[] = {
  "i1", "i4", "i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64", "bf16", "f16", "f32", "f64", "f8E5M2",
  "complex<f32>", "complex<f64>",
};

static const char *const operations[] = { "assign", "add", "multiply", "minimum", "maximum", "and", "or", "xor" };

static gboolean
is_defined (const char *operation,
            const char *element)
{
  gboolean is_integer = element[0] == 'i' || element[0] == 'u';

  if (g_str_equal (operation, "assign"))
    return TRUE;
  if (g_str_equal (operation, "and") || g_str_equal (operation, "or") || g_str_equal (operation, "xor"))
    return is_integer && !g_str_equal (element, "i4");

  return !g_str_equal (element, "i4") && !g_str_equal (element, "f8E5M2") && element[0] != 'c';
}

static char *
body (const char *operation,
      const char *element)
{
  if (g_str_equal (operation, "assign"))
    return g_strdup_printf ("stablehlo.return %%b : tensor<%s>", element);

  return g_strdup_printf ("%%r = stablehlo.%s %%a, %%b : tensor<%s>\n    stablehlo.return %%r : tensor<%s>", operation,
                          element, element);
}

/* @numbers: the dimension numbers; the types of the operand, the indices and the updates lack their element types. */
static void
check_scatter (const char *operation,
               const char *element,
               const char *index,
               const char *shape,
               const char *index_shape,
               const char *update_shape,
               const char *numbers,
               gint        index_end)
{
  g_autofree char *operand = g_strdup_printf ("tensor<%s%s>", shape, element);
  g_autofree char *indices = g_strdup_printf ("tensor<%s%s>", index_shape, index);
  g_autofree char *updates = g_strdup_printf ("tensor<%s%s>", update_shape, element);
  g_autofree char *computation = body (operation, element);
  g_autofree char *text = g_strdup_printf (
    "func.func @main(%%x: %1$s, %%i: %2$s, %%u: %3$s) -> %1$s {\n"
    "  %%y = \"stablehlo.scatter\"(%%x, %%i, %%u) ({\n  ^bb0(%%a: tensor<%4$s>, %%b: tensor<%4$s>):\n"
    "    %5$s\n  }) {scatter_dimension_numbers = #stablehlo.scatter<%6$s>} : (%1$s, %2$s, %3$s) -> %1$s\n"
    "  return %%y : %1$s\n}\n", operand, indices, updates, element, computation, numbers);
  g_autoptr (GhloValue) x = new_bits (operand, g_test_rand_bit ()), i = new_tensor (indices);
  g_autoptr (GhloValue) u = new_bits (updates, g_test_rand_bit ());

  for (gsize k = 0; k < i->n_elements; k++)
    set_number (i, k, g_test_rand_int_range (index[0] == 'u' ? 0 : -2, index_end + 2));
  check_computed (text, "scatter", (GhloValue *[]) { x, i, u }, 3, 1, TRUE);
}

/* Rows of a matrix, with a row's elements as inner points. */
static void
test_rows (void)
{
  static const char *const index_types[] = { "i8", "ui8", "i32", "ui32", "i64", "ui64" };

  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (all_types); i++)
    for (guint j = 0; j < G_N_ELEMENTS (operations); j++)
      if (is_defined (operations[j], all_types[i]))
        check_scatter (operations[j], all_types[i], index_types[(i + j) % G_N_ELEMENTS (index_types)], "9x5x", "40x1x",
                       "40x5x", "update_window_dims = [1], inserted_window_dims = [0], "
                       "scatter_dims_to_operand_dims = [0], index_vector_dim = 1", 9);
}

/* More updates than can be sorted in shared memory, and more for one element than are applied in one turn. */
static void
test_many (void)
{
  static const char *const integers[] = { "i32", "ui32", "i64", "ui64" };
  static const char *const numbers = "update_window_dims = [], inserted_window_dims = [0], "
                                     "scatter_dims_to_operand_dims = [0], index_vector_dim = 1";

  if (find_vulkan () == NULL)
    return;
  check_scatter ("add", "f32", "i32", "300x", "5000x1x", "5000x", numbers, 300);
  check_scatter ("assign", "i16", "i32", "300x", "5000x1x", "5000x", numbers, 300);
  check_scatter ("add", "f32", "i32", "2x", "100000x1x", "100000x", numbers, 2);
  check_scatter ("multiply", "ui32", "i32", "70000x", "3000x1x", "3000x", numbers, 70000);
  check_scatter ("add", "bf16", "i64", "300x", "5000x1x", "5000x", numbers, 300);
  check_scatter ("multiply", "i8", "ui8", "200x", "5000x1x", "5000x", numbers, 200);
  check_scatter ("minimum", "f64", "i32", "7000x", "5000x1x", "5000x", numbers, 7000);
  /* Items with two dimensions, two parts, and windows of several updates that overlap. */
  check_scatter ("add", "f32", "i32", "40x30x", "50x60x2x", "50x60x", "update_window_dims = [], inserted_window_dims = "
                 "[0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 2", 30);
  check_scatter ("add", "f32", "i32", "90x80x", "700x2x", "700x3x2x", "update_window_dims = [1, 2], "
                 "inserted_window_dims = [], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1", 80);
  check_scatter ("maximum", "f16", "i32", "9x40x8x", "3000x1x", "9x3000x8x", "update_window_dims = [0, 2], "
                 "inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1", 40);
  /* Too many places for a number of each. */
  check_scatter ("assign", "i8", "i32", "2000000x", "100x1x", "100x", numbers, 70);
  check_scatter ("assign", "i8", "i32", "3000000x", "100000x1x", "100000x", numbers, 30000);
  /* Integers, in any order: in shared memory, or in memory. */
  for (guint i = 0; i < G_N_ELEMENTS (operations); i++)
    for (guint j = 0; j < G_N_ELEMENTS (integers); j++)
      {
        gboolean is_small = (i + j) % 2 != 0;

        check_scatter (operations[i], integers[j], "i32", is_small ? "40x" : "9000x", "50000x1x", "50000x", numbers,
                       g_test_rand_bit () ? is_small ? 40 : 9000 : 1);
      }
}

/* Windows that overlap and that cross the bounds, where each update is a separate item. */
static void
test_windows (void)
{
  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < 2 * G_N_ELEMENTS (operations); i++)
    {
      const char *element = i % 2 ? "f32" : "i16", *operation = operations[i / 2];

      if (!is_defined (operation, element))
        continue;
      check_scatter (operation, element, "i32", "8x6x", "30x2x", "30x3x2x", "update_window_dims = [1, 2], "
                     "inserted_window_dims = [], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1", 6);
      check_scatter (operation, element, "i32", "8x6x3x", "4x2x1x", "4x3x2x3x", "update_window_dims = [1, 3], "
                     "inserted_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 2", 6);
      check_scatter (operation, element, "i64", "7x", "1x", "4x", "update_window_dims = [0], "
                     "inserted_window_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 0", 7);
    }
}

enum { BLOCK = 256 };

/* Adds @n numbers at @stride to @start, which is NULL for a block other than the first, as the device does: in blocks,
 * and their sums in blocks again. */
static float
sum_in_blocks (float        start,
               const float *numbers,
               gsize        n)
{
  g_autofree float *sums = g_new (float, n / BLOCK + 1);
  gsize n_sums = 0;

  for (gsize i = 0; i < MIN (n, BLOCK); i++)
    start += numbers[i];
  for (gsize i = BLOCK; i < n; i += BLOCK, n_sums++)
    {
      sums[n_sums] = numbers[i];
      for (gsize j = i + 1; j < MIN (n, i + BLOCK); j++)
        sums[n_sums] += numbers[j];
    }

  return n_sums > 0 ? sum_in_blocks (start, sums, n_sums) : start;
}

typedef enum { SHUFFLED, SORTED, WRONGLY_SORTED } Indices;

/* Compares with the order of additions in docs/internals/numbers.md, which does not apply to WRONGLY_SORTED indices. Of
 * @n_rows rows, @n_hot get most updates. */
static void
check_order (gint    n,
             gint    n_rows,
             gint    window,
             gint    n_hot,
             Indices kind)
{
  g_autofree char *text = g_strdup_printf (
    "func.func @main(%%x: tensor<%1$dx%2$dxf32>, %%i: tensor<%3$dx1xi32>, %%u: tensor<%3$dx%2$dxf32>) -> "
    "tensor<%1$dx%2$dxf32> {\n  %%y = \"stablehlo.scatter\"(%%x, %%i, %%u) ({\n"
    "  ^bb0(%%a: tensor<f32>, %%b: tensor<f32>):\n    %%r = stablehlo.add %%a, %%b : tensor<f32>\n"
    "    stablehlo.return %%r : tensor<f32>\n  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = "
    "[1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = "
    "%4$s} : (tensor<%1$dx%2$dxf32>, tensor<%3$dx1xi32>, tensor<%3$dx%2$dxf32>) -> tensor<%1$dx%2$dxf32>\n"
    "  return %%y : tensor<%1$dx%2$dxf32>\n}\n", n_rows, window, n, kind == SHUFFLED ? "false" : "true");
  g_autofree char *operand = g_strdup_printf ("tensor<%dx%dxf32>", n_rows, window);
  g_autofree char *indices = g_strdup_printf ("tensor<%dx1xi32>", n);
  g_autofree char *updates = g_strdup_printf ("tensor<%dx%dxf32>", n, window);
  g_autoptr (GhloValue) x = new_random (operand, -2, 2), i = new_tensor (indices), u = new_random (updates, -2, 2);
  g_autofree float *numbers = g_new (float, n);
  g_autofree gint *places = g_new (gint, n);
  GhloValue *found[STEPS_MAX] = { NULL };
  StepSearch search;

  for (gint k = 0; k < n; k++)
    places[k] = kind == SORTED ? (gint) ((gint64) k * (n_rows + 2) / n) - 1
                : n_hot > 0 && g_test_rand_int_range (0, 10) > 0 ? g_test_rand_int_range (0, n_hot)
                : g_test_rand_int_range (-1, n_rows + 1);
  for (gint k = 0; k < n; k++)
    set_number (i, (gsize) k, places[k]);
  run_on (ghlo_devices_find ("vulkan"), text, "scatter", (GhloValue *[]) { x, i, u }, 3, found, &search);
  g_assert_true (search.found);
  /* A few rows. */
  for (gint row = 0; row < n_rows && kind != WRONGLY_SORTED; row += row < 4 ? 1 : 1 + n_rows / 7)
    for (gint column = 0; column < window; column += 1 + window / 5)
      {
        gsize count = 0, at = (gsize) (row * window + column);

        for (gint k = 0; k < n; k++)
          if (places[k] == row)
            numbers[count++] = ((const float *) u->data)[k * window + column];
        g_assert_cmpfloat (((const float *) found[0]->data)[at], ==,
                           sum_in_blocks (((const float *) x->data)[at], numbers, count));
      }
  ghlo_value_unref (found[0]);
}

static void
test_order (void)
{
  if (find_vulkan () == NULL)
    return;
  for (Indices kind = SHUFFLED; kind <= WRONGLY_SORTED; kind++)
    {
      check_order (1000000, 3, 1, 0, kind);
      check_order (200000, 1000, 1, 2, kind);
      check_order (200000, 200000, 1, 0, kind);
      check_order (70000, 300, 5, 1, kind);
      check_order (20000, 1, 64, 0, kind);
      check_order (3000, 50, 130, 3, kind);
      check_order (600, 2, 3000, 0, kind);
      check_order (257, 1, 1, 0, kind);
      check_order (1500, 700, 3, 1, kind);
    }
}

static void
test_batches (void)
{
  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (operations); i++)
    check_scatter (operations[i], "i32", "i32", "3x7x2x", "5x3x1x", "5x3x2x", "update_window_dims = [2], "
                   "inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], "
                   "scatter_dims_to_operand_dims = [1], index_vector_dim = 2", 7);
}

static void
test_empty (void)
{
  static const char *const numbers = "update_window_dims = [1], inserted_window_dims = [0], "
                                     "scatter_dims_to_operand_dims = [0], index_vector_dim = 1";

  if (find_vulkan () == NULL)
    return;
  check_scatter ("add", "f32", "i32", "4x3x", "0x1x", "0x3x", numbers, 4);
  check_scatter ("add", "f32", "i32", "4x3x", "5x1x", "5x0x", numbers, 4);
  check_scatter ("add", "f32", "i32", "0x3x", "5x1x", "5x3x", numbers, 4);
  /* All index vectors are empty, so that all updates apply to the same elements. */
  check_scatter ("add", "f32", "i32", "3x", "5x0x", "5x3x", "update_window_dims = [1], inserted_window_dims = [], "
                 "scatter_dims_to_operand_dims = [], index_vector_dim = 1", 4);
}

/* Indices that the program declares to be unique. */
static void
test_unique (void)
{
  static const char *const text =
    "func.func @main(%x: tensor<50x3xf32>, %i: tensor<50x1xi32>, %u: tensor<50x3xf32>) -> tensor<50x3xf32> {\n"
    "  %y = \"stablehlo.scatter\"(%x, %i, %u) ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %r = stablehlo.add %a, %b : tensor<f32>\n    stablehlo.return %r : tensor<f32>\n"
    "  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true} : (tensor<50x3xf32>, "
    "tensor<50x1xi32>, tensor<50x3xf32>) -> tensor<50x3xf32>\n  return %y : tensor<50x3xf32>\n}\n";
  g_autoptr (GhloValue) x = new_random ("tensor<50x3xf32>", -2, 2), i = new_tensor ("tensor<50x1xi32>");
  g_autoptr (GhloValue) u = new_random ("tensor<50x3xf32>", -2, 2);
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (GhloPrepared) prepared = NULL;
  g_autofree char *plan = NULL;

  if (find_vulkan () == NULL)
    return;
  for (gsize k = 0; k < 50; k++)
    set_number (i, k, (double) (k * 7 % 50));
  check_step (text, "scatter", (GhloValue *[]) { x, i, u }, 3, 1);
  module = parse (text);
  prepared = ghlo_devices_prepare (ghlo_devices_find ("vulkan"), module, ghlo_ir_module_get_entry (module), NULL, NULL);
  plan = ghlo_prepared_describe (prepared);
  g_assert_nonnull (strstr (plan, "\"direct\""));
}

static void
test_update_slice (void)
{
  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (all_types); i++)
    {
      const char *element = all_types[i], *index = i % 2 ? "i32" : "ui64";
      g_autofree char *operand = g_strdup_printf ("tensor<6x1x7x%s>", element);
      g_autofree char *update = g_strdup_printf ("tensor<%dx1x3x%s>", g_test_rand_int_range (0, 7), element);
      g_autofree char *start = g_strdup_printf ("tensor<%s>", index);
      g_autofree char *text = g_strdup_printf (
        "func.func @main(%%x: %1$s, %%u: %2$s, %%a: %3$s, %%b: %3$s, %%c: %3$s) -> (%1$s, %1$s) {\n"
        "  %%y = stablehlo.dynamic_update_slice %%x, %%u, %%a, %%b, %%c : (%1$s, %2$s, %3$s, %3$s, %3$s) -> %1$s\n"
        "  return %%y, %%x : %1$s, %1$s\n}\n", operand, update, start);
      g_autoptr (GhloValue) x = new_bits (operand, FALSE), u = new_bits (update, FALSE), a = new_tensor (start);
      g_autoptr (GhloValue) b = new_tensor (start), c = new_tensor (start);

      set_number (a, 0, g_test_rand_int_range (i % 2 ? -2 : 0, 9));
      set_number (b, 0, g_test_rand_int_range (0, 2));
      set_number (c, 0, g_test_rand_int_range (0, 9));
      check_step (text, "dynamic_update_slice", (GhloValue *[]) { x, u, a, b, c }, 5, 2);
    }
}

static void
test_declined (void)
{
  static const char *const text =
    "func.func @main(%x: tensor<4xf32>, %i: tensor<2x1xi32>, %u: tensor<2xf32>) -> tensor<4xf32> {\n"
    "  %y = \"stablehlo.scatter\"(%x, %i, %u) ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %r = stablehlo.subtract %a, %b : tensor<f32>\n    stablehlo.return %r : tensor<f32>\n"
    "  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> "
    "tensor<4xf32>\n  return %y : tensor<4xf32>\n}\n";
  g_autoptr (GhloValue) x = new_bits ("tensor<4xf32>", TRUE), i = new_tensor ("tensor<2x1xi32>");
  g_autoptr (GhloValue) u = new_bits ("tensor<2xf32>", TRUE);

  if (find_vulkan () == NULL)
    return;
  set_number (i, 0, 1);
  set_number (i, 1, 3);
  check_declined (text, "scatter", (GhloValue *[]) { x, i, u }, 3, 1, "no shader implements its update computation");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/scatter/rows", test_rows);
  g_test_add_func ("/vulkan/scatter/many", test_many);
  g_test_add_func ("/vulkan/scatter/windows", test_windows);
  g_test_add_func ("/vulkan/scatter/order", test_order);
  g_test_add_func ("/vulkan/scatter/batches", test_batches);
  g_test_add_func ("/vulkan/scatter/empty", test_empty);
  g_test_add_func ("/vulkan/scatter/unique", test_unique);
  g_test_add_func ("/vulkan/scatter/update-slice", test_update_slice);
  g_test_add_func ("/vulkan/scatter/declined", test_declined);

  return g_test_run ();
}
