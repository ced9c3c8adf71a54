/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products and convolutions on a Vulkan device compared with the reference executor: all element types, any order and
 * number of dimensions, operands with any strides, results in any order, and sizes around those of tiles. Shaders are
 * validated where a validator is installed, and calls where the validation layer is. test-vulkan-matrices.c has those
 * that cooperative matrices compute.
 *
 *   test-vulkan-product --seed SEED            makes the same cases again
 *   GHLO_TEST_COUNT=N test-vulkan-product      as many at random
 */

#include "../samples.h"
#include "../sanitized.h"
#include "vulkan-convolution.h"
#include "vulkan-product.h"

#include "plan/build.h"

static const Types all_types[] = {
  SAME (F32), SAME (F64), SAME (BF16), SAME (F16), SAME (F8E5M2), SAME (F8E4M3FN),
  SAME (I1), SAME (I8), SAME (I16), SAME (I32), SAME (I64), SAME (UI8), SAME (UI16), SAME (UI32), SAME (UI64),
  MIXED (BF16, BF16, F32), MIXED (F16, F16, F32), MIXED (F32, BF16, F32), MIXED (BF16, F32, BF16),
  MIXED (F32, F32, F64), MIXED (F64, F32, F64), MIXED (F8E4M3FN, F8E5M2, F32),
  MIXED (I8, I8, I32), MIXED (UI8, I8, I32), MIXED (I8, I8, I64), MIXED (I16, UI8, I16), MIXED (I1, I1, I32),
};

static gint64
count_role (const Shape *shape,
            guint        role)
{
  gint64 count = 1;

  for (guint i = 0; i < shape->n[role]; i++)
    count *= shape->sizes[role][i];

  return count;
}

static void
fill_real (GhloValue *value)
{
  for (gsize i = 0; i < value->n_elements; i++)
    set_number (value, i, g_test_rand_double_range (-1, 1));
}

/* Zeros of both signs, infinities, NaN, and large numbers. No product overflows, as then the sum would depend on
 * whether the product is rounded before it is added. */
static void
fill_from (GhloValue    *value,
           const double *numbers,
           guint         n_numbers)
{
  for (gsize i = 0; i < value->n_elements; i++)
    {
      const gint n = g_test_rand_int_range (0, 4) == 0 ? (gint) n_numbers : 7;

      set_number (value, i, numbers[g_test_rand_int_range (0, n)]);
    }
}

#define SPECIAL 0, -0.0, 1, -1, 0, -0.0, 2, INFINITY, -INFINITY, NAN

static void
fill_special (GhloValue *value)
{
  static const double numbers[] = { SPECIAL, 0x1p60, -0x1p60 };

  fill_from (value, numbers, G_N_ELEMENTS (numbers));
}

/* The same for sums whose terms are added in another order than the reference device's, where the bits may differ. */
static void
fill_unordered (GhloValue *value)
{
  static const double numbers[] = { SPECIAL };

  fill_from (value, numbers, G_N_ELEMENTS (numbers));
}

static gint64
draw_size (gint64 most)
{
  static const gint64 sizes[] = { 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 67, 127, 128, 129, 131 };
  guint n = 0;

  if (g_test_rand_int_range (0, 60) == 0)
    return 0;
  while (n < G_N_ELEMENTS (sizes) && sizes[n] <= most)
    n++;

  return sizes[g_test_rand_int_range (0, (gint) n)];
}

/* Kinds of products that have their own tile shapes. */
static Shape
draw_shape (void)
{
  static const struct { gint64 most[GHLO_SPIRV_N_ROLES]; } kinds[] = {
    { { 3, 131, 131, 65 } }, { { 17, 33, 33, 33 } }, { { 3, 131, 1, 131 } }, { { 3, 1, 131, 131 } },
    { { 3, 131, 8, 131 } }, { { 3, 8, 131, 131 } }, { { 3, 8, 8, 131 } },
  };
  const gint64 *most = kinds[g_test_rand_int_range (0, G_N_ELEMENTS (kinds))].most;
  Shape shape;

  do
    for (guint role = 0; role < GHLO_SPIRV_N_ROLES; role++)
      {
        shape.n[role] = (guint) g_test_rand_int_range (0, 4);
        for (guint i = 0; i < shape.n[role]; i++)
          shape.sizes[role][i] = draw_size (shape.n[role] == 1 ? most[role] : MIN (most[role], 17));
      }
  while (count_role (&shape, GHLO_SPIRV_BATCH) * count_role (&shape, GHLO_SPIRV_ROWS)
         * count_role (&shape, GHLO_SPIRV_COLUMNS) * MAX (count_role (&shape, GHLO_SPIRV_INNER), 1) > 1 << 20
         || count_role (&shape, GHLO_SPIRV_INNER) > 20000);

  return shape;
}

/* Narrow floats are rounded once, from exact sums. */
static void
test_random (void)
{
  GhloGpuDevice *device = get_device ();
  const char *count = g_getenv ("GHLO_TEST_COUNT");
  guint n = count != NULL ? (guint) g_ascii_strtoull (count, NULL, 0) : SANITIZED ? 4 : G_N_ELEMENTS (all_types);

  for (guint i = 0; device != NULL && i < n; i++)
    {
      Shape shape = draw_shape ();
      g_autofree char *text = print_product (&shape, &all_types[i % G_N_ELEMENTS (all_types)]);

      check_product (device, text, fill_exact, STEP_SAME, g_test_rand_bit ());
    }
}

/* Sums over few steps have the CPU's bits, whatever the operands are. */
static void
test_few_steps (void)
{
  static const Types f32 = SAME (F32), f64 = SAME (F64);
  GhloGpuDevice *device = get_device ();

  for (gint64 k = 1; device != NULL && k <= 8; k++)
    check_shape (device, 3, 20, 30, k, k % 3 == 0 ? &f64 : &f32, fill_real, STEP_SAME);
}

/* Products with enough tiles for the large tile shapes. */
static void
test_large (void)
{
  static const Types f32 = SAME (F32), f64 = SAME (F64), i8 = MIXED (I8, I8, I32);
  GhloGpuDevice *device = get_device ();

  if (device == NULL)
    return;
  check_shape (device, 96, 128, 127, 17, &f32, fill_exact, STEP_SAME);
  check_shape (device, 1, 1281, 1290, 16, &f32, fill_exact, STEP_SAME);
  check_shape (device, 97, 125, 128, 9, &f64, fill_exact, STEP_SAME);
  check_shape (device, 64, 63, 64, 33, &i8, fill_exact, STEP_SAME);
  check_shape (device, 64, 64, 62, 15, &f32, fill_exact, STEP_SAME);
}

/* k is split into pieces, in all tile shapes, with the pieces' sums in each type. */
static void
test_pieces (void)
{
  static const gint64 sizes[][3] = { { 1, 1, 100003 }, { 5, 3, 4097 }, { 300, 1, 2048 }, { 1, 130, 1023 },
                                     { 70, 7, 1500 }, { 33, 65, 3000 }, { 128, 128, 513 } };
  GhloGpuDevice *device = get_device ();

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (sizes); i++)
    for (guint j = i; j < G_N_ELEMENTS (all_types); j += 2 * G_N_ELEMENTS (sizes))
      check_shape (device, 1 + i % 2, sizes[i][0], sizes[i][1], sizes[i][2], &all_types[j], fill_exact, STEP_SAME);
}

/* Products with few rows or columns stream the other operand, in both layouts of each, in wide loads where these are
 * aligned: one and several rows, a last load that k does not fill, k in pieces, and odd sizes. */
static void
test_streams (void)
{
  static const struct { Types types; gint64 size[3]; gboolean is_wide; } cases[] = {
    { SAME (BF16), { 1, 512, 528 }, TRUE }, { SAME (F32), { 3, 96, 1044 }, TRUE }, { SAME (F16), { 8, 64, 264 }, TRUE },
    { MIXED (I8, I8, I32), { 13, 80, 208 }, TRUE }, { SAME (I8), { 2, 32, 48 }, TRUE },
    { MIXED (BF16, F32, F32), { 4, 48, 136 }, TRUE }, { SAME (F32), { 1, 64, 20000 }, TRUE },
    { SAME (BF16), { 5, 67, 333 }, FALSE }, { SAME (F64), { 16, 33, 77 }, FALSE }, { SAME (I1), { 7, 130, 65 }, FALSE },
  };
  GhloGpuDevice *device = get_device ();

  for (guint i = 0; device != NULL && i < (SANITIZED ? 4 : 2 * G_N_ELEMENTS (cases)); i++)
    {
      const gint64 *size = cases[i / 2].size;
      const gboolean is_swapped = i % 3 == 0;
      g_autofree char *text = print_matrices (size[is_swapped], size[!is_swapped], size[2], &cases[i / 2].types,
                                              "DEFAULT", i % 2, i / 2 % 2);
      g_autofree GhloGpuProduct *product = g_new (GhloGpuProduct, 1);
      Question question;

      question_init (&question, text);
      g_assert_null (ghlo_gpu_product_read (product, device, &question.request, TRUE));
      g_assert_cmpuint (product->shader.stream.n_inner_threads, >, 0);
      g_assert_cmpint (product->shader.stream.widths[GHLO_SPIRV_LHS] > 1, ==, cases[i / 2].is_wide);
      question_clear (&question);
      check_product (device, text, fill_exact, STEP_SAME, i % 8 != 7);
    }
}

/* For f32, fewer steps than those for which devices with matrices split operands. */
static void
test_real (void)
{
  static const Types types[] = { SAME (F32), SAME (F64), MIXED (BF16, BF16, F32), MIXED (F16, F16, F32) };
  GhloGpuDevice *device = get_device ();

  for (guint i = 0; device != NULL && i < 8; i++)
    {
      const Types *type = &types[i % G_N_ELEMENTS (types)];
      const gint64 inner = g_test_rand_int_range (1, 2048), columns = g_test_rand_int_range (1, 40);
      const double unit = type->result == GHLO_ELEMENT_TYPE_F64 ? 0x1p-52 : 0x1p-23;

      check_shape (device, 1, g_test_rand_int_range (1, 40), columns, inner, type, fill_real, unit * (double) inner);
    }
}

/* Nothing beyond the last row, column or step of k affects the result, whatever numbers there are. Streams add in
 * another order. */
static void
test_special (void)
{
  static const Types types[] = { SAME (F32), SAME (BF16), SAME (F16), SAME (F64), MIXED (F16, F16, F32) };
  GhloGpuDevice *device = get_device ();

  for (guint i = 0; device != NULL && i < 15; i++)
    {
      Shape shape = draw_shape ();
      gboolean is_streamed;
      g_autofree char *text = NULL;

      shape.n[GHLO_SPIRV_INNER] = 1;
      shape.sizes[GHLO_SPIRV_INNER][0] = g_test_rand_int_range (0, 20);
      text = print_product (&shape, &types[i % G_N_ELEMENTS (types)]);
      is_streamed = MIN (count_role (&shape, GHLO_SPIRV_ROWS), count_role (&shape, GHLO_SPIRV_COLUMNS)) <= 16;
      check_product (device, text, is_streamed ? fill_unordered : fill_special, STEP_SAME, g_test_rand_bit ());
    }
}

/* All layouts, windows, dilations and groups. */
static void
test_convolutions (void)
{
  static const char *const types[] = { "f32", "f32", "bf16", "f64", "i32", "i8" };
  GhloGpuDevice *device = get_device ();
  const char *count = g_getenv ("GHLO_TEST_COUNT");
  guint n = count != NULL ? (guint) g_ascii_strtoull (count, NULL, 0) : SANITIZED ? 3 : choose_samples (12, 24);

  for (guint i = 0; device != NULL && i < n; i++)
    {
      Convolution convolution = {
        .n_spatial = (guint) g_test_rand_int_range (0, 4), .feature_groups = 1, .batch_groups = 1,
        .images = g_test_rand_int_range (1, 4), .in = g_test_rand_int_range (1, 9),
        .out = g_test_rand_int_range (1, 20),
      };
      g_autofree char *text = NULL;

      if (g_test_rand_int_range (0, 3) == 0)
        *(g_test_rand_bit () ? &convolution.feature_groups : &convolution.batch_groups) = g_test_rand_int_range (2, 4);
      for (guint d = 0; d < convolution.n_spatial; d++)
        draw_spatial (&convolution, d);
      text = print_convolution (&convolution, types[i % G_N_ELEMENTS (types)]);
      check_product (device, text, i % 6 == 0 ? fill_unordered : fill_exact, STEP_SAME, g_test_rand_bit ());
    }
}

static void
check_reason (GhloGpuDevice *device,
              const char    *text,
              const char    *reason)
{
  Question question;
  GhloStepSelection selection;

  question_init (&question, text);
  selection = (GhloStepSelection) { .operands = question.operands };
  g_assert_true (ghlo_step_select (&ghlo_gpu_step_product, &device->vulkan.core, &question.request, &selection)
                 == (reason == NULL));
  if (reason != NULL)
    g_assert_cmpstr (selection.reason, ==, reason);
  question_clear (&question);
}

/* A product with a named algorithm is computed by that algorithm or by another device. */
static void
test_algorithm (void)
{
  static const struct { const char *type, *precision, *accumulation; guint n; gboolean is_done; } cases[] = {
    { "f32", "f32", "f32", 1, TRUE }, { "f64", "f64", "f64", 1, TRUE }, { "f32", "tf32", "f32", 1, FALSE },
    { "f32", "bf16", "f32", 1, TRUE }, { "f32", "bf16", "f32", 3, TRUE }, { "f32", "bf16", "f32", 6, FALSE },
    { "f32", "bf16", "bf16", 1, FALSE }, { "bf16", "bf16", "f32", 1, TRUE }, { "bf16", "bf16", "f32", 3, FALSE },
    { "f16", "f16", "f32", 1, TRUE },
    { "f16", "f16", "f16", 1, FALSE },
  };
  GhloGpuDevice *device = get_device ();

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf (
        "func.func @main(%%a: tensor<4x5x%s>, %%b: tensor<5x3x%s>) -> tensor<4x3x%s> {\n"
        "  %%0 = stablehlo.dot_general %%a, %%b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = %s, "
        "rhs_precision_type = %s, accumulation_type = %s, lhs_component_count = 1, rhs_component_count = 1, "
        "num_primitive_operations = %u, allow_imprecise_accumulation = false> : "
        "(tensor<4x5x%s>, tensor<5x3x%s>) -> tensor<4x3x%s>\n  return %%0 : tensor<4x3x%s>\n}\n",
        cases[i].type, cases[i].type, cases[i].type, cases[i].precision, cases[i].precision, cases[i].accumulation,
        cases[i].n, cases[i].type, cases[i].type, cases[i].type, cases[i].type);

      check_reason (device, text, cases[i].is_done ? NULL : "no shader implements the dot algorithm that it names");
    }
}

/* A product that the device declines. */
static void
test_declined (void)
{
  GhloGpuDevice *device = get_device ();

  if (device != NULL)
    check_reason (device, "func.func @main(%a: tensor<4x5xcomplex<f32>>, %b: tensor<5x3xcomplex<f32>>) -> "
                  "tensor<4x3xcomplex<f32>> {\n"
                  "  %0 = stablehlo.dot %a, %b : (tensor<4x5xcomplex<f32>>, tensor<5x3xcomplex<f32>>) -> "
                  "tensor<4x3xcomplex<f32>>\n  return %0 : tensor<4x3xcomplex<f32>>\n}\n",
                  "no shader multiplies its element types");
}

/* Attention as exported by frameworks: neither copies nor steps of the CPU, and all operands are aligned like
 * pieces. */
static void
test_attention (void)
{
  static const char text[] =
    "func.func @main(%q: tensor<2x6x24xf32>, %k: tensor<2x6x24xf32>, %v: tensor<2x6x24xf32>) -> tensor<2x6x24xf32> {\n"
    "  %0 = stablehlo.reshape %q : (tensor<2x6x24xf32>) -> tensor<2x6x3x8xf32>\n"
    "  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<2x6x3x8xf32>) -> tensor<2x3x6x8xf32>\n"
    "  %2 = stablehlo.reshape %k : (tensor<2x6x24xf32>) -> tensor<2x6x3x8xf32>\n"
    "  %3 = stablehlo.transpose %2, dims = [0, 2, 3, 1] : (tensor<2x6x3x8xf32>) -> tensor<2x3x8x6xf32>\n"
    "  %4 = stablehlo.dot_general %1, %3, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : "
    "(tensor<2x3x6x8xf32>, tensor<2x3x8x6xf32>) -> tensor<2x3x6x6xf32>\n"
    "  %5 = stablehlo.reshape %v : (tensor<2x6x24xf32>) -> tensor<2x6x3x8xf32>\n"
    "  %6 = stablehlo.transpose %5, dims = [0, 2, 1, 3] : (tensor<2x6x3x8xf32>) -> tensor<2x3x6x8xf32>\n"
    "  %7 = stablehlo.dot_general %4, %6, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : "
    "(tensor<2x3x6x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x3x6x8xf32>\n"
    "  %8 = stablehlo.transpose %7, dims = [0, 2, 1, 3] : (tensor<2x3x6x8xf32>) -> tensor<2x6x3x8xf32>\n"
    "  %9 = stablehlo.reshape %8 : (tensor<2x6x3x8xf32>) -> tensor<2x6x24xf32>\n"
    "  return %9 : tensor<2x6x24xf32>\n}\n";
  GhloGpuDevice *device = get_device ();
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = NULL;
  const GhloStepPlan *steps;
  g_autofree char *plan = NULL;

  if (device == NULL)
    return;
  prepared = ghlo_devices_prepare (&device->vulkan.core, module, ghlo_ir_module_get_entry (module), NULL, &error);
  g_assert_no_error (error);
  plan = ghlo_prepared_describe (prepared);
  if (!g_str_has_prefix (plan, "plan: 2 steps, 0 of them on the fallback executor; 0 transfers"))
    g_error ("expected two products alone in\n%s", plan);
  steps = ghlo_prepared_get_plan (prepared);
  for (guint i = 0; i < steps->body.n_steps; i++)
    for (guint j = 0; j < 2; j++)
      g_assert_cmpuint (ghlo_step_alignment (steps, &steps->body.steps[i]->operands[j]), >=, GHLO_SPIRV_PIECE_BYTES);
}

int
main (int    argc,
      char **argv)
{
  g_setenv ("GHLO_DEBUG", "vulkan", FALSE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/product/random", test_random);
  g_test_add_func ("/vulkan/product/few-steps", test_few_steps);
  g_test_add_func ("/vulkan/product/large", test_large);
  g_test_add_func ("/vulkan/product/pieces", test_pieces);
  g_test_add_func ("/vulkan/product/streams", test_streams);
  g_test_add_func ("/vulkan/product/real", test_real);
  g_test_add_func ("/vulkan/product/special", test_special);
  g_test_add_func ("/vulkan/product/convolutions", test_convolutions);
  g_test_add_func ("/vulkan/product/algorithm", test_algorithm);
  g_test_add_func ("/vulkan/product/declined", test_declined);
  g_test_add_func ("/vulkan/product/attention", test_attention);

  return g_test_run ();
}
