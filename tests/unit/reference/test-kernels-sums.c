/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products, convolutions and reductions compared with explicit loops, over element types and over sizes on both sides
 * of every block size and of the step limit.
 */

#include "kernel-programs.h"

static const struct
{
  const char *type;
  double      low, high, tolerance;
} kinds[] = {
  { "f32", -1, 1, 1e-5 },
  { "f64", -1, 1, 1e-14 },
  { "bf16", -1, 1, 8e-3 },
  { "complex<f32>", -1, 1, 1e-5 },
  { "complex<f64>", -1, 1, 1e-14 },
  { "i32", -1000, 1000, 0 },
  { "ui64", 0, 1000, 0 },
};

static void
check_product (guint kind,
               gsize batch,
               gsize m,
               gsize n,
               gsize k)
{
  const char *type = kinds[kind].type;
  g_autofree char *a_type = g_strdup_printf ("tensor<%zux%zux%zux%s>", k, batch, m, type);
  g_autofree char *b_type = g_strdup_printf ("tensor<%zux%zux%zux%s>", batch, n, k, type);
  g_autofree char *r_type = g_strdup_printf ("tensor<%zux%zux%zux%s>", batch, m, n, type);
  g_autofree char *text =
    g_strdup_printf ("func.func @main(%%a: %1$s, %%b: %2$s) -> %3$s {\n"
                     "  %%0 = stablehlo.dot_general %%a, %%b, batching_dims = [1] x [0], contracting_dims = [0] x [2] "
                     ": "
                     "(%1$s, %2$s) -> %3$s\n  return %%0 : %3$s\n}\n", a_type, b_type, r_type);
  g_autoptr (GhloValue) a = new_random (a_type, kinds[kind].low, kinds[kind].high);
  g_autoptr (GhloValue) b = new_random (b_type, kinds[kind].low, kinds[kind].high);
  g_autoptr (GhloValue) r = result_of (text, (GhloValue *[]) { a, b }, 2);

  for (gsize g = 0; g < batch; g++)
    for (gsize i = 0; i < m; i++)
      for (gsize j = 0; j < n; j++)
        {
          Number sum = 0;
          double scale = 0;

          for (gsize p = 0; p < k; p++)
            {
              Number term = number_at (a, (p * batch + g) * m + i) * number_at (b, (g * n + j) * k + p);

              sum += term;
              scale += cabs (term);
            }
          assert_near (number_at (r, (g * m + i) * n + j), sum, scale, kinds[kind].tolerance);
        }
}

static void
test_product (void)
{
  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    {
      check_product (kind, 2, 3, 5, 4);
      check_product (kind, 1, 1, 1, 1);
      check_product (kind, 3, 2, 4, 0);
      check_product (kind, 1, 37, 29, 70);
      check_product (kind, 1, 7, 9, 300);
    }
  check_product (0, 1, 101, 523, 261);
}

/* Integers wrap at the result's width. */
static void
test_wrap (void)
{
  expect_ok ("func.func @main() {\n"
             "  %a = stablehlo.constant dense<[[100, 100], [-128, 1]]> : tensor<2x2xi8>\n"
             "  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : "
             "(tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi8>\n"
             "  %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : "
             "(tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi32>\n"
             "  check.expect_eq_const %0, dense<[[32, 100], [100, 1]]> : tensor<2x2xi8>\n"
             "  check.expect_eq_const %1, dense<[[20000, -12700], [-12700, 16385]]> : tensor<2x2xi32>\n"
             "  %u = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : "
             "(tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xui32>\n"
             "  check.expect_eq_const %u, dense<[[20000, 4294954596], [4294954596, 16385]]> : tensor<2x2xui32>\n"
             "  %x = stablehlo.constant dense<[[[-8], [7], [-3]]]> : tensor<1x3x1xi4>\n"
             "  %w = stablehlo.constant dense<[[[7]], [[-8]]]> : tensor<2x1x1xi4>\n"
             "  %d = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
             "window = {pad = [[0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
             "(tensor<1x3x1xi4>, tensor<2x1x1xi4>) -> tensor<1x3x1xui8>\n"
             "  check.expect_eq_const %d, dense<[[[144], [73], [235]]]> : tensor<1x3x1xui8>\n"
             "  %b = stablehlo.constant dense<[6148914691236517205, 3]> : tensor<2xi64>\n"
             "  %2 = stablehlo.dot_general %b, %b, contracting_dims = [0] x [0] : "
             "(tensor<2xi64>, tensor<2xi64>) -> tensor<i64>\n"
             "  check.expect_eq_const %2, dense<-8198552921648689598> : tensor<i64>\n"
             "  %c = stablehlo.constant dense<[[true, false], [false, false]]> : tensor<2x2xi1>\n"
             "  %3 = stablehlo.dot_general %c, %c, contracting_dims = [1] x [0] : "
             "(tensor<2x2xi1>, tensor<2x2xi1>) -> tensor<2x2xi1>\n"
             "  check.expect_eq_const %3, dense<[[true, false], [false, false]]> : tensor<2x2xi1>\n"
             "  return\n}\n");
}

static void
test_einsum (void)
{
  expect_ok ("func.func @main() {\n"
             "  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>\n"
             "  %v = stablehlo.constant dense<[10.0, 100.0]> : tensor<2xf32>\n"
             "  %0 = stablehlo.einsum %a, %a, config = \"ij,kj->ki\" : (tensor<2x2xf32>, tensor<2x2xf32>) -> "
             "tensor<2x2xf32>\n"
             "  %1 = stablehlo.einsum %a, %v, config = \"ij,j->i\" : (tensor<2x2xf32>, tensor<2xf32>) -> "
             "tensor<2xf32>\n"
             "  %2 = stablehlo.unary_einsum %a, config = \"ii->i\" : (tensor<2x2xf32>) -> tensor<2xf32>\n"
             "  %3 = stablehlo.unary_einsum %a, config = \"ij->j\" : (tensor<2x2xf32>) -> tensor<2xf32>\n"
             "  %4 = stablehlo.einsum %v, %v, config = \"i,j->ij\" : (tensor<2xf32>, tensor<2xf32>) -> "
             "tensor<2x2xf32>\n"
             "  check.expect_eq_const %0, dense<[[5.0, 11.0], [11.0, 25.0]]> : tensor<2x2xf32>\n"
             "  check.expect_eq_const %1, dense<[210.0, 430.0]> : tensor<2xf32>\n"
             "  check.expect_eq_const %2, dense<[1.0, 4.0]> : tensor<2xf32>\n"
             "  check.expect_eq_const %3, dense<[4.0, 6.0]> : tensor<2xf32>\n"
             "  check.expect_eq_const %4, dense<[[100.0, 1000.0], [1000.0, 10000.0]]> : tensor<2x2xf32>\n"
             "  return\n}\n");
}

/* A two-dimensional convolution, [b, f, 0, 1] x [0, 1, i, o] -> [b, 0, 1, f]. */
typedef struct
{
  gint64   batch, features, outputs;
  gint64   input[2], kernel[2], step[2], low[2], high[2], dilation[2], kernel_dilation[2];
  gboolean reversed[2];
  gint64   feature_groups, batch_groups;
} Case;

static const Case cases[] = {
  { 2, 3, 4, { 7, 6 }, { 3, 2 }, { 1, 1 }, { 0, 0 }, { 0, 0 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, 1, 1 },
  { 1, 2, 3, { 5, 8 }, { 3, 3 }, { 2, 1 }, { 1, 2 }, { 1, 0 }, { 1, 1 }, { 1, 2 }, { 1, 0 }, 1, 1 },
  { 2, 4, 6, { 6, 5 }, { 2, 3 }, { 1, 2 }, { 2, -1 }, { -1, 2 }, { 2, 3 }, { 1, 1 }, { 0, 1 }, 2, 1 },
  { 6, 2, 6, { 4, 4 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, { 1, 1 }, { 2, 1 }, { 0, 0 }, 1, 3 },
  { 1, 8, 8, { 9, 9 }, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, 8, 1 },
  { 3, 17, 19, { 10, 11 }, { 5, 4 }, { 2, 3 }, { 2, 2 }, { 2, 2 }, { 1, 1 }, { 1, 1 }, { 0, 0 }, 1, 1 },
};

static gint64
output_size (const Case *c,
             guint       d)
{
  gint64 padded = (c->input[d] - 1) * c->dilation[d] + 1 + c->low[d] + c->high[d];

  return (padded - ((c->kernel[d] - 1) * c->kernel_dilation[d] + 1)) / c->step[d] + 1;
}

/* The input element under tap @k of window @o in dimension @d, or -1. */
static gint64
place_of (const Case *c,
          guint       d,
          gint64      o,
          gint64      k)
{
  gint64 tap = c->reversed[d] ? c->kernel[d] - 1 - k : k;
  gint64 position = o * c->step[d] + tap * c->kernel_dilation[d] - c->low[d];

  if (position < 0 || position % c->dilation[d] != 0 || position / c->dilation[d] >= c->input[d])
    return -1;
  return position / c->dilation[d];
}

static Number
convolve_at (const Case      *c,
             const GhloValue *x,
             const GhloValue *k,
             gint64           n,
             const gint64    *o,
             gint64           f,
             double          *scale)
{
  gint64 features = c->features / c->feature_groups;
  gint64 first = f / (c->outputs / c->feature_groups) * features;
  gint64 image = n + f / (c->outputs / c->batch_groups) * (c->batch / c->batch_groups);
  Number sum = 0;

  *scale = 0;
  for (gint64 u = 0; u < c->kernel[0]; u++)
    for (gint64 v = 0; v < c->kernel[1]; v++)
      for (gint64 i = 0; i < features; i++)
        {
          gint64 y = place_of (c, 0, o[0], u), z = place_of (c, 1, o[1], v);
          Number term;

          if (y < 0 || z < 0)
            continue;
          term = number_at (x, (gsize) (((image * c->features + first + i) * c->input[0] + y) * c->input[1] + z))
                 * number_at (k, (gsize) (((u * c->kernel[1] + v) * features + i) * c->outputs + f));
          sum += term;
          *scale += cabs (term);
        }
  return sum;
}

static char *
convolution_text (const Case *c,
                  const char *x_type,
                  const char *k_type,
                  const char *r_type)
{
  return g_strdup_printf ("func.func @main(%%x: %1$s, %%k: %2$s) -> %3$s {\n"
                          "  %%0 = stablehlo.convolution(%%x, %%k) dim_numbers = [b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, "
                          "f], "
                          "window = {stride = [%4$d, %5$d], pad = [[%6$d, %7$d], [%8$d, %9$d]], "
                          "lhs_dilate = [%10$d, %11$d], rhs_dilate = [%12$d, %13$d], reverse = [%14$s, %15$s]} "
                          "{feature_group_count = %16$d : i64, batch_group_count = %17$d : i64} : (%1$s, %2$s) -> "
                          "%3$s\n"
                          "  return %%0 : %3$s\n}\n", x_type, k_type, r_type,
                          (int) c->step[0], (int) c->step[1], (int) c->low[0], (int) c->high[0],
                          (int) c->low[1], (int) c->high[1], (int) c->dilation[0], (int) c->dilation[1],
                          (int) c->kernel_dilation[0], (int) c->kernel_dilation[1],
                          c->reversed[0] ? "true" : "false", c->reversed[1] ? "true" : "false",
                          (int) c->feature_groups, (int) c->batch_groups);
}

static void
check_convolution (const Case *c,
                   guint       kind)
{
  const char *type = kinds[kind].type;
  gint64 images = c->batch / c->batch_groups, o[2], out[2] = { output_size (c, 0), output_size (c, 1) };
  g_autofree char *x_type = g_strdup_printf ("tensor<%dx%dx%dx%dx%s>", (int) c->batch, (int) c->features,
                                             (int) c->input[0], (int) c->input[1], type);
  g_autofree char *k_type = g_strdup_printf ("tensor<%dx%dx%dx%dx%s>", (int) c->kernel[0], (int) c->kernel[1],
                                             (int) (c->features / c->feature_groups), (int) c->outputs, type);
  g_autofree char *r_type = g_strdup_printf ("tensor<%dx%dx%dx%dx%s>", (int) images, (int) out[0], (int) out[1],
                                             (int) c->outputs, type);
  g_autofree char *text = convolution_text (c, x_type, k_type, r_type);
  g_autoptr (GhloValue) x = new_random (x_type, kinds[kind].low, kinds[kind].high);
  g_autoptr (GhloValue) k = new_random (k_type, kinds[kind].low, kinds[kind].high);
  g_autoptr (GhloValue) r = result_of (text, (GhloValue *[]) { x, k }, 2);

  for (gint64 n = 0; n < images; n++)
    for (o[0] = 0; o[0] < out[0]; o[0]++)
      for (o[1] = 0; o[1] < out[1]; o[1]++)
        for (gint64 f = 0; f < c->outputs; f++)
          {
            double scale;
            Number sum = convolve_at (c, x, k, n, o, f, &scale);

            assert_near (number_at (r, (gsize) (((n * out[0] + o[0]) * out[1] + o[1]) * c->outputs + f)), sum,
                         scale, kinds[kind].tolerance);
          }
}

static void
test_convolution (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
      check_convolution (&cases[i], kind);
}

static void
check_reduce (guint       kind,
              const char *dimensions,
              const char *result,
              guint       reduced)
{
  const char *type = kinds[kind].type;
  gsize sizes[3] = { 5, 71, 6 };
  g_autofree char *x_type = g_strdup_printf ("tensor<5x71x6x%s>", type);
  g_autofree char *text =
    g_strdup_printf ("func.func @main(%%x: %1$s, %%z: tensor<%2$s>) -> tensor<%3$s%2$s> {\n"
                     "  %%0 = stablehlo.reduce(%%x init: %%z) applies stablehlo.add across dimensions = [%4$s] : "
                     "(%1$s, tensor<%2$s>) -> tensor<%3$s%2$s>\n  return %%0 : tensor<%3$s%2$s>\n}\n",
                     x_type, type, result, dimensions);
  g_autofree char *z_type = g_strdup_printf ("tensor<%s>", type);
  g_autoptr (GhloValue) x = new_random (x_type, kinds[kind].low, kinds[kind].high);
  g_autoptr (GhloValue) z = new_random (z_type, kinds[kind].low, kinds[kind].high);
  g_autoptr (GhloValue) r = result_of (text, (GhloValue *[]) { x, z }, 2);
  g_autofree Number *sums = g_new0 (Number, r->n_elements);

  for (gsize i = 0; i < x->n_elements; i++)
    {
      gsize index[3] = { i / 6 / 71, i / 6 % 71, i % 6 }, at = 0;

      for (guint d = 0; d < 3; d++)
        if ((reduced >> d & 1) == 0)
          at = at * sizes[d] + index[d];
      sums[at] += number_at (x, i);
    }
  for (gsize i = 0; i < r->n_elements; i++)
    assert_near (number_at (r, i), sums[i] + number_at (z, 0), (double) (x->n_elements / r->n_elements),
                 kinds[kind].tolerance);
}

static void
test_reduce (void)
{
  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    {
      check_reduce (kind, "2", "5x71x", 4);
      check_reduce (kind, "0", "71x6x", 1);
      check_reduce (kind, "1", "5x6x", 2);
      check_reduce (kind, "0, 2", "71x", 5);
      check_reduce (kind, "0, 1, 2", "", 7);
      check_reduce (kind, "", "5x71x6x", 0);
    }
}

/* NaN, signed zeros, empty reductions, and bodies with two inputs. */
static void
test_reduce_corners (void)
{
  expect_ok ("func.func @main() {\n"
             "  %x = stablehlo.constant dense<[[0.0, -0.0], [0x7FC00000, 1.0], [-1.0, 0xFF800000]]> : tensor<3x2xf32>\n"
             "  %l = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
             "  %h = stablehlo.constant dense<0x7F800000> : tensor<f32>\n"
             "  %0 = stablehlo.reduce(%x init: %l) applies stablehlo.maximum across dimensions = [1] : "
             "(tensor<3x2xf32>, tensor<f32>) -> tensor<3xf32>\n"
             "  %1 = stablehlo.reduce(%x init: %h) applies stablehlo.minimum across dimensions = [1] : "
             "(tensor<3x2xf32>, tensor<f32>) -> tensor<3xf32>\n"
             "  %most = stablehlo.bitcast_convert %0 : (tensor<3xf32>) -> tensor<3xi32>\n"
             "  %least = stablehlo.bitcast_convert %1 : (tensor<3xf32>) -> tensor<3xi32>\n"
             "  check.expect_eq_const %most, dense<[0, 2143289344, -1082130432]> : tensor<3xi32>\n"
             "  check.expect_eq_const %least, dense<[-2147483648, 2143289344, -8388608]> : tensor<3xi32>\n"
             "  %e = stablehlo.constant dense<> : tensor<2x0xi32>\n"
             "  %s = stablehlo.constant dense<7> : tensor<i32>\n"
             "  %2 = stablehlo.reduce(%e init: %s) applies stablehlo.add across dimensions = [1] : "
             "(tensor<2x0xi32>, tensor<i32>) -> tensor<2xi32>\n"
             "  check.expect_eq_const %2, dense<7> : tensor<2xi32>\n"
             "  %i = stablehlo.iota dim = 0 : tensor<4xi32>\n"
             "  %v = stablehlo.constant dense<[3.0, 9.0, -2.0, 9.0]> : tensor<4xf32>\n"
             "  %z = stablehlo.constant dense<-1> : tensor<i32>\n"
             "  %3:2 = stablehlo.reduce(%v init: %l), (%i init: %z) across dimensions = [0] : "
             "(tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)\n"
             "   reducer(%a: tensor<f32>, %b: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {\n"
             "    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
             "    %p = stablehlo.select %c, %a, %b : tensor<i1>, tensor<f32>\n"
             "    %q = stablehlo.select %c, %j, %k : tensor<i1>, tensor<i32>\n"
             "    stablehlo.return %p, %q : tensor<f32>, tensor<i32>\n"
             "  }\n"
             "  check.expect_eq_const %3#0, dense<9.0> : tensor<f32>\n"
             "  check.expect_eq_const %3#1, dense<1> : tensor<i32>\n"
             "  return\n}\n");
}

/* A window over a dilated and padded line, compared with the sum over its taps. */
static void
test_window (void)
{
  const char *text =
    "func.func @main(%x: tensor<3x9xf64>, %z: tensor<f64>) -> tensor<3x8xf64> {\n"
    "  %0 = \"stablehlo.reduce_window\"(%x, %z) ({\n"
    "  ^bb0(%a: tensor<f64>, %b: tensor<f64>):\n"
    "    %s = stablehlo.add %a, %b : tensor<f64>\n"
    "    stablehlo.return %s : tensor<f64>\n"
    "  }) {window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 1, 2>,"
    " window_dilations = array<i64: 1, 3>, padding = dense<[[0, 0], [5, -1]]> : tensor<2x2xi64>}"
    " : (tensor<3x9xf64>, tensor<f64>) -> tensor<3x8xf64>\n"
    "  return %0 : tensor<3x8xf64>\n}\n";
  g_autoptr (GhloValue) x = new_random ("tensor<3x9xf64>", -1, 1);
  g_autoptr (GhloValue) z = new_random ("tensor<f64>", -1, 1);
  g_autoptr (GhloValue) r = result_of (text, (GhloValue *[]) { x, z }, 2);

  for (gint64 row = 0; row < 3; row++)
    for (gint64 o = 0; o < 8; o++)
      {
        Number sum = number_at (z, 0);

        for (gint64 w = 0; w < 3; w++)
          {
            gint64 position = o * 2 + w * 3 - 5;
            gboolean inside = position >= 0 && position % 2 == 0 && position / 2 < 9;

            sum += inside ? number_at (x, (gsize) (row * 9 + position / 2)) : number_at (z, 0);
          }
        assert_near (number_at (r, (gsize) (row * 8 + o)), sum, 4, 1e-15);
      }
}

/* Groups of rows with a matrix each, and groups of summed columns. */
static void
test_ragged (void)
{
  expect_ok ("func.func @main() {\n"
             "  %l = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "
             "[[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]]> : tensor<2x3x2xf32>\n"
             "  %r = stablehlo.constant dense<[[[[1.0], [1.0]], [[2.0], [2.0]]], [[[10.0], [10.0]], [[20.0], [20.0]]]]>"
             " : tensor<2x2x2x1xf32>\n"
             "  %g = stablehlo.constant dense<[[1, 2], [2, 0]]> : tensor<2x2xi32>\n"
             "  %0 = \"chlo.ragged_dot\"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<"
             "lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], "
             "rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>} : "
             "(tensor<2x3x2xf32>, tensor<2x2x2x1xf32>, tensor<2x2xi32>) -> tensor<2x3x1xf32>\n"
             "  check.expect_eq_const %0, dense<[[[3.0], [70.0], [110.0]], [[30.0], [38.0], [0.0]]]> : "
             "tensor<2x3x1xf32>\n"
             "  %a = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>\n"
             "  %b = stablehlo.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.0]]> : tensor<4x2xf32>\n"
             "  %h = stablehlo.constant dense<[3, 9]> : tensor<2xi32>\n"
             "  %1 = \"chlo.ragged_dot\"(%a, %b, %h) {ragged_dot_dimension_numbers = #chlo.ragged_dot<"
             "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1]>} : "
             "(tensor<2x4xf32>, tensor<4x2xf32>, tensor<2xi32>) -> tensor<2x2x2xf32>\n"
             "  check.expect_eq_const %1, dense<[[[4.0, 5.0], [12.0, 13.0]], [[8.0, 0.0], [16.0, 0.0]]]> : "
             "tensor<2x2x2xf32>\n"
             "  return\n}\n");
}

/* The examples of the specification. */
static void
test_batch_norm (void)
{
  expect_ok ("func.func @main() {\n"
             "  %x = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]]> : "
             "tensor<2x2x2xf64>\n"
             "  %one = stablehlo.constant dense<1.0> : tensor<2xf64>\n"
             "  %m = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf64>\n"
             "  %g = stablehlo.constant dense<0.1> : tensor<2x2x2xf64>\n"
             "  %n = stablehlo.constant dense<[[[0.0, 0.0], [2.0, 2.0]], [[2.0, 2.0], [0.0, 0.0]]]> : "
             "tensor<2x2x2xf64>\n"
             "  %0:3 = \"stablehlo.batch_norm_training\"(%x, %one, %one) {epsilon = 0.0 : f32, feature_index = 2 : i64}"
             " : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x2x2xf64>, tensor<2xf64>, "
             "tensor<2xf64>)\n"
             "  check.expect_eq %0#0, %n : tensor<2x2x2xf64>\n"
             "  check.expect_eq %0#1, %m : tensor<2xf64>\n"
             "  check.expect_eq %0#2, %one : tensor<2xf64>\n"
             "  %1 = \"stablehlo.batch_norm_inference\"(%x, %one, %one, %m, %one) {epsilon = 0.0 : f32, "
             "feature_index = 2 : i64} : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, "
             "tensor<2xf64>)"
             " -> tensor<2x2x2xf64>\n"
             "  check.expect_eq %1, %n : tensor<2x2x2xf64>\n"
             "  %2:3 = \"stablehlo.batch_norm_grad\"(%x, %one, %m, %one, %g) {epsilon = 0.0 : f32, feature_index = 2 : "
             "i64}"
             " : (tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2x2x2xf64>) -> "
             "(tensor<2x2x2xf64>, tensor<2xf64>, tensor<2xf64>)\n"
             "  check.expect_almost_eq_const %2#0, dense<0.0> : tensor<2x2x2xf64>\n"
             "  check.expect_almost_eq_const %2#1, dense<0.0> : tensor<2xf64>\n"
             "  check.expect_almost_eq_const %2#2, dense<0.4> : tensor<2xf64>\n"
             "  return\n}\n");
}

/* Quantized sums, a kernel with a scale for each output, and bodies with a wider type than the input's. */
static void
test_quantized (void)
{
  expect_ok ("func.func @main() {\n"
             "  %a = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>\n"
             "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
             "  %q = stablehlo.uniform_quantize %a : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:-10>>\n"
             "  %i = stablehlo.uniform_quantize %z : (tensor<f32>) -> tensor<!quant.uniform<i8:f32, 0.5:-10>>\n"
             "  %0 = stablehlo.reduce(%q init: %i) applies stablehlo.add across dimensions = [1] : "
             "(tensor<2x3x!quant.uniform<i8:f32, 0.5:-10>>, tensor<!quant.uniform<i8:f32, 0.5:-10>>) -> "
             "tensor<2x!quant.uniform<i8:f32, 0.5:-10>>\n"
             "  %1 = stablehlo.uniform_dequantize %0 : (tensor<2x!quant.uniform<i8:f32, 0.5:-10>>) -> tensor<2xf32>\n"
             "  check.expect_eq_const %1, dense<[6.0, 15.0]> : tensor<2xf32>\n"
             "  %w = stablehlo.uniform_quantize %a : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32:0, {0.5, "
             "0.25}>>\n"
             "  %2 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [1] : "
             "(tensor<2x3xf32>, tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<2x2xf32>\n"
             "  check.expect_eq_const %2, dense<[[14.0, 32.0], [32.0, 77.0]]> : tensor<2x2xf32>\n"
             "  %b = stablehlo.constant dense<1.0> : tensor<1000xbf16>\n"
             "  %y = stablehlo.constant dense<0.0> : tensor<bf16>\n"
             "  %3 = \"stablehlo.reduce\"(%b, %y) ({\n"
             "  ^bb0(%c: tensor<f32>, %d: tensor<f32>):\n"
             "    %s = stablehlo.add %c, %d : tensor<f32>\n"
             "    stablehlo.return %s : tensor<f32>\n"
             "  }) {dimensions = array<i64: 0>} : (tensor<1000xbf16>, tensor<bf16>) -> tensor<f32>\n"
             "  check.expect_eq_const %3, dense<1000.0> : tensor<f32>\n"
             "  return\n}\n");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/sums/product", test_product);
  g_test_add_func ("/kernels/sums/wrap", test_wrap);
  g_test_add_func ("/kernels/sums/einsum", test_einsum);
  g_test_add_func ("/kernels/sums/convolution", test_convolution);
  g_test_add_func ("/kernels/sums/reduce", test_reduce);
  g_test_add_func ("/kernels/sums/reduce-corners", test_reduce_corners);
  g_test_add_func ("/kernels/sums/window", test_window);
  g_test_add_func ("/kernels/sums/ragged", test_ragged);
  g_test_add_func ("/kernels/sums/batch-norm", test_batch_norm);
  g_test_add_func ("/kernels/sums/quantized", test_quantized);
  return g_test_run ();
}
