/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operations that move elements, compared with explicit loops, and runtime indices that point anywhere.
 */

#include "kernel-programs.h"

static const char *const types[] = { "i1", "i8", "bf16", "f32", "f64", "complex<f64>" };

static gboolean
same_bytes (const GhloValue *a,
            gsize            i,
            const GhloValue *b,
            gsize            j)
{
  gsize size = ghlo_element_info (a->type->element_type)->size;

  return memcmp (a->data + i * size, b->data + j * size, size) == 0;
}

static void
check_transpose (const char  *type,
                 const gsize *sizes,
                 const guint *order)
{
  g_autofree char *x_type = g_strdup_printf ("tensor<%zux%zux%zux%s>", sizes[0], sizes[1], sizes[2], type);
  g_autofree char *r_type = g_strdup_printf ("tensor<%zux%zux%zux%s>", sizes[order[0]], sizes[order[1]],
                                             sizes[order[2]], type);
  g_autofree char *text =
    g_strdup_printf ("func.func @main(%%x: %1$s) -> (%2$s, %1$s) {\n"
                     "  %%0 = stablehlo.transpose %%x, dims = [%3$u, %4$u, %5$u] : (%1$s) -> %2$s\n"
                     "  %%1 = stablehlo.reverse %%x, dims = [2, 0] : %1$s\n  return %%0, %%1 : %2$s, %1$s\n}\n",
                     x_type, r_type, order[0], order[1], order[2]);
  g_autoptr (GhloValue) x = new_random (x_type, -100, 100);
  GhloValue *r[2] = { NULL };
  gsize i[3];

  run_text (text, &x, 1, r);
  for (i[0] = 0; i[0] < sizes[0]; i[0]++)
    for (i[1] = 0; i[1] < sizes[1]; i[1]++)
      for (i[2] = 0; i[2] < sizes[2]; i[2]++)
        {
          gsize from = (i[0] * sizes[1] + i[1]) * sizes[2] + i[2];
          gsize to = (i[order[0]] * sizes[order[1]] + i[order[1]]) * sizes[order[2]] + i[order[2]];
          gsize mirror = ((sizes[0] - 1 - i[0]) * sizes[1] + i[1]) * sizes[2] + sizes[2] - 1 - i[2];

          g_assert_true (same_bytes (x, from, r[0], to));
          g_assert_true (same_bytes (x, from, r[1], mirror));
        }
  ghlo_value_unref (r[0]);
  ghlo_value_unref (r[1]);
}

static void
test_transpose (void)
{
  static const guint orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
  static const gsize shapes[][3] = { { 3, 4, 5 }, { 1, 37, 18 }, { 33, 1, 17 }, { 2, 40, 35 }, { 5, 2, 1 } };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
      for (guint o = 0; o < G_N_ELEMENTS (orders); o++)
        check_transpose (types[t], shapes[s], orders[o]);
}

/* Padding of one of three dimensions, with all combinations of small amounts. */
static void
check_pad (int low,
           int high,
           int interior)
{
  const int extent = 4;
  int size = extent + (extent - 1) * interior + low + high;
  g_autofree char *text = NULL;
  g_autoptr (GhloValue) x = new_random ("tensor<2x4x3xi16>", -100, 100);
  g_autoptr (GhloValue) z = new_random ("tensor<i16>", 200, 300);
  g_autoptr (GhloValue) r = NULL;

  if (size < 0)
    return;
  text = g_strdup_printf ("func.func @main(%%x: tensor<2x4x3xi16>, %%z: tensor<i16>) -> tensor<2x%1$dx3xi16> {\n"
                          "  %%0 = stablehlo.pad %%x, %%z, low = [0, %2$d, 0], high = [0, %3$d, 0], "
                          "interior = [0, %4$d, 0] : (tensor<2x4x3xi16>, tensor<i16>) -> tensor<2x%1$dx3xi16>\n"
                          "  return %%0 : tensor<2x%1$dx3xi16>\n}\n", size, low, high, interior);
  r = result_of (text, (GhloValue *[]) { x, z }, 2);
  for (int a = 0; a < 2; a++)
    for (int i = 0; i < size; i++)
      for (int b = 0; b < 3; b++)
        {
          int place = i - low;
          gboolean inside = place >= 0 && place % (interior + 1) == 0 && place / (interior + 1) < extent;
          gsize from = inside ? (gsize) ((a * extent + place / (interior + 1)) * 3 + b) : 0;

          g_assert_true (same_bytes (r, (gsize) ((a * size + i) * 3 + b), inside ? x : z, from));
        }
}

static void
test_pad (void)
{
  for (int low = -6; low <= 3; low++)
    for (int high = -6; high <= 3; high++)
      for (int interior = 0; interior <= 2; interior++)
        check_pad (low, high, interior);
}

static void
test_slices (void)
{
  expect_ok ("func.func @main() {\n"
             "  %x = stablehlo.iota dim = 0 : tensor<10xi32>\n"
             "  %0 = stablehlo.slice %x [1:9:3] : (tensor<10xi32>) -> tensor<3xi32>\n"
             "  check.expect_eq_const %0, dense<[1, 4, 7]> : tensor<3xi32>\n"
             "  %a = stablehlo.constant dense<-9223372036854775808> : tensor<i64>\n"
             "  %b = stablehlo.constant dense<18446744073709551615> : tensor<ui64>\n"
             "  %1 = stablehlo.dynamic_slice %x, %a, sizes = [2] : (tensor<10xi32>, tensor<i64>) -> tensor<2xi32>\n"
             "  %2 = stablehlo.dynamic_slice %x, %b, sizes = [2] : (tensor<10xi32>, tensor<ui64>) -> tensor<2xi32>\n"
             "  check.expect_eq_const %1, dense<[0, 1]> : tensor<2xi32>\n"
             "  check.expect_eq_const %2, dense<[8, 9]> : tensor<2xi32>\n"
             "  %u = stablehlo.constant dense<[100, 101, 102]> : tensor<3xi32>\n"
             "  %3 = stablehlo.dynamic_update_slice %x, %u, %b : (tensor<10xi32>, tensor<3xi32>, tensor<ui64>) -> "
             "tensor<10xi32>\n"
             "  check.expect_eq_const %3, dense<[0, 1, 2, 3, 4, 5, 6, 100, 101, 102]> : tensor<10xi32>\n"
             "  %c = stablehlo.concatenate %u, %0, %u, dim = 0 : (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> "
             "tensor<9xi32>\n"
             "  check.expect_eq_const %c, dense<[100, 101, 102, 1, 4, 7, 100, 101, 102]> : tensor<9xi32>\n"
             "  return\n}\n");
}

static char *
dynamic_pad_text (const char *low,
                  const char *interior)
{
  return g_strdup_printf ("func.func @main() {\n"
                          "  %%x = stablehlo.constant dense<1.0> : tensor<5xf32>\n"
                          "  %%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                          "  %%l = stablehlo.constant dense<%s> : tensor<1xi64>\n"
                          "  %%h = stablehlo.constant dense<9223372036854775807> : tensor<1xi64>\n"
                          "  %%i = stablehlo.constant dense<%s> : tensor<1xi64>\n"
                          "  %%0 = stablehlo.dynamic_pad %%x, %%z, %%l, %%h, %%i : (tensor<5xf32>, tensor<f32>, "
                          "tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>\n"
                          "  %%1 = stablehlo.get_dimension_size %%0, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
                          "  check.expect_eq_const %%1, dense<4> : tensor<i32>\n  return\n}\n", low, interior);
}

static void
test_dynamic_limits (void)
{
  g_autofree char *emptied = dynamic_pad_text ("-9223372036854775808", "0");
  g_autofree char *overflow = dynamic_pad_text ("-3", "9223372036854775807");

  expect_ok (emptied);
  expect_failure (overflow, GHLO_ERROR_DATA, "*padded size*overflows*");
  expect_failure ("func.func @main() {\n"
                  "  %x = stablehlo.constant dense<1.0> : tensor<5xf32>\n"
                  "  %l = stablehlo.constant dense<-1> : tensor<1xi64>\n"
                  "  %h = stablehlo.constant dense<3> : tensor<1xi64>\n"
                  "  %0 = stablehlo.real_dynamic_slice %x, %l, %h, %h : (tensor<5xf32>, tensor<1xi64>, "
                  "tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>\n  return\n}\n",
                  GHLO_ERROR_DATA, "*slice inside dimension 0*");
  expect_failure ("func.func @main() {\n"
                  "  %s = stablehlo.constant dense<[4611686018427387904, 8]> : tensor<2xi64>\n"
                  "  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>\n  return\n}\n",
                  GHLO_ERROR_OUT_OF_MEMORY, "*4611686018427387904x8xf32*");
}

/* A bounded dimension is shortened, queried, and extended again with zeros. */
static void
test_dimension_size (void)
{
  expect_ok ("func.func @main() {\n"
             "  %x = stablehlo.constant dense<1> : tensor<4x3xi32>\n"
             "  %s = stablehlo.constant dense<2> : tensor<i32>\n"
             "  %f = stablehlo.constant dense<4> : tensor<i32>\n"
             "  %0 = stablehlo.set_dimension_size %x, %s, dim = 0 : (tensor<4x3xi32>, tensor<i32>) -> "
             "tensor<?x3xi32, #stablehlo.bounds<4, ?>>\n"
             "  %1 = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?x3xi32, #stablehlo.bounds<4, ?>>) -> "
             "tensor<i32>\n"
             "  %2 = stablehlo.set_dimension_size %0, %f, dim = 0 : (tensor<?x3xi32, #stablehlo.bounds<4, ?>>, "
             "tensor<i32>) -> tensor<4x3xi32>\n"
             "  check.expect_eq_const %1, dense<2> : tensor<i32>\n"
             "  check.expect_eq_const %2, dense<[[1, 1, 1], [1, 1, 1], [0, 0, 0], [0, 0, 0]]> : tensor<4x3xi32>\n"
             "  return\n}\n");
}

static void
test_gather (void)
{
  expect_ok ("func.func @main() {\n"
             "  %x = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]> : tensor<4x3xi32>\n"
             "  %i = stablehlo.constant dense<[[-9223372036854775808, 9223372036854775807], [1, 0], [3, 1]]> : "
             "tensor<3x2xi64>\n"
             "  %0 = \"stablehlo.gather\"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], "
             "start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 2>} : "
             "(tensor<4x3xi32>, tensor<3x2xi64>) -> tensor<2x3x2xi32>\n"
             "  check.expect_eq_const %0, dense<[[[1, 2], [3, 4], [7, 8]], [[4, 5], [6, 7], [10, 11]]]> : "
             "tensor<2x3x2xi32>\n"
             "  %b = stablehlo.constant dense<[[2], [0], [5], [1]]> : tensor<4x1xui8>\n"
             "  %1 = \"stablehlo.gather\"(%x, %b) {dimension_numbers = #stablehlo.gather<operand_batching_dims = [0], "
             "start_indices_batching_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = "
             "1>, "
             "slice_sizes = array<i64: 1, 1>} : (tensor<4x3xi32>, tensor<4x1xui8>) -> tensor<4xi32>\n"
             "  check.expect_eq_const %1, dense<[2, 3, 8, 10]> : tensor<4xi32>\n"
             "  %t = stablehlo.constant dense<[2, 0, 7]> : tensor<3xi32>\n"
             "  %2 = \"stablehlo.torch_index_select\"(%x, %t) {dim = 0 : i64, batch_dims = 0 : i64} : "
             "(tensor<4x3xi32>, tensor<3xi32>) -> tensor<3x3xi32>\n"
             "  check.expect_eq_const %2, dense<[[6, 7, 8], [0, 1, 2], [9, 10, 11]]> : tensor<3x3xi32>\n"
             "  return\n}\n");
}

/* Out-of-bounds elements are skipped one by one; later updates see earlier ones. */
static void
test_scatter (void)
{
  expect_ok ("func.func @main() {\n"
             "  %x = stablehlo.constant dense<1> : tensor<5xi32>\n"
             "  %i = stablehlo.constant dense<[[-9223372036854775808], [9223372036854775807], [3], [-1], [3]]> : "
             "tensor<5x1xi64>\n"
             "  %u = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]> : "
             "tensor<5x3xi32>\n"
             "  %0 = \"stablehlo.scatter\"(%x, %i, %u) ({\n"
             "  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
             "    %d = stablehlo.multiply %a, %b : tensor<i32>\n"
             "    %e = stablehlo.add %d, %b : tensor<i32>\n"
             "    stablehlo.return %e : tensor<i32>\n"
             "  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
             "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<5xi32>, tensor<5x1xi64>, "
             "tensor<5x3xi32>) -> tensor<5xi32>\n"
             "  check.expect_eq_const %0, dense<[22, 24, 1, 195, 238]> : tensor<5xi32>\n"
             "  return\n}\n");
}

static void
test_sort (void)
{
  expect_ok ("func.func @main() {\n"
             "  %k = stablehlo.constant dense<[[3, 1, 2, 1, 3, 0, 2, 2, 1, 0, 3, 1]]> : tensor<1x12xi8>\n"
             "  %i = stablehlo.iota dim = 1 : tensor<1x12xi32>\n"
             "  %0:2 = \"stablehlo.sort\"(%k, %i) ({\n"
             "  ^bb0(%a: tensor<i8>, %b: tensor<i8>, %c: tensor<i32>, %d: tensor<i32>):\n"
             "    %p = stablehlo.compare GT, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>\n"
             "    stablehlo.return %p : tensor<i1>\n"
             "  }) {dimension = -1 : i64} : (tensor<1x12xi8>, tensor<1x12xi32>) -> (tensor<1x12xi8>, "
             "tensor<1x12xi32>)\n"
             "  check.expect_eq_const %0#0, dense<[[3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0, 0]]> : tensor<1x12xi8>\n"
             "  check.expect_eq_const %0#1, dense<[[0, 4, 10, 2, 6, 7, 1, 3, 8, 11, 5, 9]]> : tensor<1x12xi32>\n"
             "  %f = stablehlo.constant dense<[1.0, 0x7FC00000, -0.0, 0xFF800000, 0.0, 0xFFC00000, 0x7F800000]> : "
             "tensor<7xf32>\n"
             "  %1 = \"stablehlo.sort\"(%f) ({\n"
             "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
             "    %p = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
             "    stablehlo.return %p : tensor<i1>\n"
             "  }) {dimension = 0 : i64} : (tensor<7xf32>) -> tensor<7xf32>\n"
             "  %2 = stablehlo.bitcast_convert %1 : (tensor<7xf32>) -> tensor<7xui32>\n"
             "  check.expect_eq_const %2, dense<[4290772992, 4286578688, 2147483648, 0, 1065353216, 2139095040, "
             "2143289344]> : tensor<7xui32>\n"
             "  %v, %j = chlo.top_k(%k, k = 4) : tensor<1x12xi8> -> (tensor<1x4xi8>, tensor<1x4xi32>)\n"
             "  check.expect_eq_const %v, dense<[[3, 3, 3, 2]]> : tensor<1x4xi8>\n"
             "  check.expect_eq_const %j, dense<[[0, 4, 10, 2]]> : tensor<1x4xi32>\n"
             "  return\n}\n");
}

/* A long sort by a comparator that is more than a comparison, compared with a sort by one that is not. */
static void
test_sort_long (void)
{
  const char *text =
    "func.func @main(%x: tensor<5000x2xf32>) -> (tensor<5000x2xf32>, tensor<5000x2xf32>) {\n"
    "  %0 = \"stablehlo.sort\"(%x) ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n"
    "  }) {dimension = 0 : i64} : (tensor<5000x2xf32>) -> tensor<5000x2xf32>\n"
    "  %1 = \"stablehlo.sort\"(%x) ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %c = stablehlo.negate %a : tensor<f32>\n"
    "    %d = stablehlo.negate %b : tensor<f32>\n"
    "    %p = stablehlo.compare LT, %d, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n"
    "  }) {dimension = 0 : i64} : (tensor<5000x2xf32>) -> tensor<5000x2xf32>\n"
    "  return %0, %1 : tensor<5000x2xf32>, tensor<5000x2xf32>\n}\n";
  g_autoptr (GhloValue) x = new_random ("tensor<5000x2xf32>", -1, 1);
  GhloValue *r[2] = { NULL };

  run_text (text, &x, 1, r);
  g_assert_cmpmem (r[0]->data, r[0]->n_bytes, r[1]->data, r[1]->n_bytes);
  for (gsize i = 2; i < x->n_elements; i++)
    g_assert_cmpfloat (creal (number_at (r[0], i - 2)), <=, creal (number_at (r[0], i)));
  ghlo_value_unref (r[0]);
  ghlo_value_unref (r[1]);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/moves/transpose", test_transpose);
  g_test_add_func ("/kernels/moves/pad", test_pad);
  g_test_add_func ("/kernels/moves/slices", test_slices);
  g_test_add_func ("/kernels/moves/dynamic-limits", test_dynamic_limits);
  g_test_add_func ("/kernels/moves/dimension-size", test_dimension_size);
  g_test_add_func ("/kernels/moves/gather", test_gather);
  g_test_add_func ("/kernels/moves/scatter", test_scatter);
  g_test_add_func ("/kernels/moves/sort", test_sort);
  g_test_add_func ("/kernels/moves/sort-long", test_sort_long);
  return g_test_run ();
}
