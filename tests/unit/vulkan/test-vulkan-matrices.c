/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products and convolutions by cooperative matrices, which the device has or which are emulated: which of them matrices
 * compute, how operands of f32 are split into f16 or bf16 for them, the numbers compared with the reference executor's,
 * and the modules.
 *
 *   GHLO_TEST_MODULES=FOLDER test-vulkan-matrices -p /vulkan/product/modules
 *                                              writes modules there
 */

#include <float.h>

#include "../sanitized.h"
#include "vulkan-convolution.h"
#include "vulkan-product.h"

#include "gpu/product/planes.h"
#include "gpu/spirv/builder.h"
#include "kernel/expand.h"
#include "kernel/text.h"

/* Like fill_exact, with a few infinities. */
static void
fill_infinite (GhloValue *value)
{
  fill_exact (value);
  set_number (value, (gsize) g_test_rand_int_range (0, (gint) value->n_elements), INFINITY);
  set_number (value, (gsize) g_test_rand_int_range (0, (gint) value->n_elements), NAN);
}

/* Checks that matrices compute the program. */
static void
expect_matrices (GhloGpuDevice *device,
                 const char    *text)
{
  g_autofree GhloGpuProduct *product = g_new (GhloGpuProduct, 1);
  Question question;

  question_init (&question, text);
  g_assert_null (ghlo_gpu_product_read (product, device, &question.request, TRUE));
  if (product->shader.subgroup == 0)
    g_error ("expected matrices for\n%s", text);
  question_clear (&question);
}

/* Convolutions by matrices: features are adjacent, as in most programs, and fill whole pieces. */
static void
check_wide_convolutions (GhloGpuDevice *device)
{
  static const guint8 forwards[][5] = { { 0, 2, 3, 1 }, { 2, 3, 0, 1 }, { 0, 2, 3, 1 } };
  static const guint8 of_weights[][5] = { { 1, 2, 3, 0 }, { 0, 2, 3, 1 }, { 2, 3, 0, 1 } };
  static const struct { const char *type; Convolution convolution; } cases[] = {
    { "f32", { .image = { 7, 6 }, .window = { 3, 3 }, .step = { 1, 1 }, .low = { 1, 1 }, .high = { 1, 1 },
               .images = 1, .in = 8, .out = 40, .orders = forwards } },
    /* More padding than the window's size, and negative padding. */
    { "bf16", { .image = { 5, 9 }, .window = { 2, 3 }, .step = { 1, 2 }, .low = { 3, -1 }, .high = { 2, 4 },
                .images = 2, .in = 8, .out = 32, .orders = forwards } },
    /* A gradient of images, and steps of two matrices along k. */
    { "f32", { .image = { 4, 3 }, .window = { 2, 1 }, .step = { 1, 1 }, .low = { 2, 1 }, .high = { 1, 2 },
               .image_dilation = { 2, 3 }, .images = 1, .in = 64, .out = 32, .orders = forwards } },
    { "i8", { .image = { 6, 6 }, .window = { 3, 3 }, .step = { 1, 1 }, .low = { 2, 2 }, .high = { 2, 2 },
              .window_dilation = { 2, 2 }, .images = 1, .in = 16, .out = 32, .orders = forwards } },
    /* Gradients of weights: pieces extend along images, which take the role of features. */
    { "f32", { .image = { 6, 5 }, .window = { 6, 5 }, .step = { 1, 1 }, .low = { 1, 1 }, .high = { 1, 1 },
               .images = 16, .in = 2, .out = 40, .orders = of_weights } },
    { "f16", { .image = { 6, 5 }, .window = { 3, 3 }, .step = { 1, 1 }, .low = { 1, 1 }, .high = { 0, 1 },
               .window_dilation = { 2, 2 }, .images = 8, .in = 3, .out = 32, .orders = of_weights } },
  };

  for (guint i = 0; device != NULL && i < (SANITIZED ? 1 : G_N_ELEMENTS (cases)); i++)
    {
      Convolution convolution = cases[i].convolution;
      g_autofree char *text = NULL;

      convolution.n_spatial = 2;
      convolution.feature_groups = convolution.batch_groups = 1;
      for (guint d = 0; d < 2; d++)
        {
          convolution.image_dilation[d] = MAX (convolution.image_dilation[d], 1);
          convolution.window_dilation[d] = MAX (convolution.window_dilation[d], 1);
          convolution.output[d] = count_places (&convolution, d);
        }
      text = print_convolution (&convolution, cases[i].type);
      expect_matrices (device, text);
      check_product (device, text, fill_exact, STEP_SAME, TRUE);
      if (i % 2 == 0)
        check_product (device, text, fill_infinite, STEP_SAME, TRUE);
    }
}

static void
test_emulated_convolutions (void)
{
  check_wide_convolutions (get_emulated (X3));
}

static void
test_wide_convolutions (void)
{
  check_wide_convolutions (get_with_matrices (OF (BF16) | OF (F16) | OF (I8), X3));
}

/* Tiles for few rows or few columns, in both layouts of either operand: whole ones, ones with rows or steps that do not
 * exist, and k in pieces. */
static void
check_thin (GhloGpuDevice *device)
{
  static const Types types[] = { MIXED (BF16, BF16, F32), SAME (F16), MIXED (I8, I8, I32) };
  static const gint64 sizes[][3] = { { 16, 256, 528 }, { 32, 272, 96 }, { 48, 288, 80 }, { 64, 320, 64 },
                                     { 8, 256, 192 }, { 24, 256, 128 } };

  for (guint i = 0; device != NULL && i < (SANITIZED ? 2 : 2 * G_N_ELEMENTS (sizes)); i++)
    {
      const gint64 *size = sizes[i / 2];
      const gboolean is_swapped = i % 2 != 0;
      g_autofree char *text = print_matrices (size[is_swapped], size[!is_swapped], size[2], &types[i % 3], "DEFAULT",
                                              i % 4 == 1 || i % 4 == 2, i % 4 > 1);

      expect_matrices (device, text);
      check_product (device, text, fill_exact, STEP_SAME, TRUE);
    }
  if (device != NULL)
    {
      check_shape (device, 2, 12, 300, 72, &types[0], fill_exact, STEP_SAME);
      check_shape (device, 2, 12, 296, 128, &types[0], fill_exact, STEP_SAME);
    }
}

static void
test_emulated_thin (void)
{
  check_thin (get_emulated (0));
}

static void
test_thin (void)
{
  check_thin (get_with_matrices (OF (BF16) | OF (F16) | OF (I8), 0));
}

/* By cooperative matrices where the device has them: dimensions of whole pieces, in any order, and tiles at edges. */
static void
check_matrices (GhloGpuDevice *device)
{
  static const Types types[] = {
    SAME (BF16), SAME (F16), MIXED (BF16, BF16, F32), MIXED (F16, F16, F32), MIXED (I8, I8, I32), SAME (I8),
    MIXED (UI8, UI8, UI32),
  };
  static const gint64 sizes[][4] = {
    { 1, 128, 128, 64 }, { 2, 144, 48, 16 }, { 3, 32, 272, 80 }, { 1, 48, 64, 1040 }, { 1, 160, 128, 528 },
    { 2, 128, 128, 384 },
  };

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (types); i++)
    for (guint j = i % 2; j < G_N_ELEMENTS (sizes); j += 2)
      check_shape (device, sizes[j][0], sizes[j][1], sizes[j][2], sizes[j][3], &types[i], fill_exact, STEP_SAME);
}

static void
test_matrices (void)
{
  check_matrices (get_device ());
}

/* Either operand transposed, whole tiles and others, inside and at edges, inner and last rounds, and lines of four
 * steps or fewer. */
static void
test_emulated (void)
{
  static const Types types[] = {
    MIXED (BF16, BF16, F32), SAME (F16), MIXED (I8, I8, I32), SAME (BF16), MIXED (F16, F16, F32),
  };
  static const gint64 sizes[][3] = {
    { 48, 128, 400 }, { 64, 80, 256 }, { 32, 64, 416 }, { 80, 64, 64 }, { 45, 128, 192 },
  };
  GhloGpuDevice *device = get_emulated (PLANES);

  for (guint i = 0; device != NULL && i < (SANITIZED ? 1 : G_N_ELEMENTS (types)); i++)
    {
      g_autofree char *text = print_matrices (sizes[i][0], sizes[i][1], sizes[i][2], &types[i], "DEFAULT", i / 2 % 2,
                                              i % 2);

      check_product (device, text, fill_exact, STEP_SAME, TRUE);
    }
}

/* Any number of columns, where k is adjacent: the last tiles are whole as well, and begin at any column. */
static void
test_emulated_odd (void)
{
  static const Types types[] = { MIXED (BF16, BF16, F32), SAME (F32) };
  GhloGpuDevice *device = get_emulated (X3);

  for (guint i = 0; device != NULL && i < (SANITIZED ? 1 : G_N_ELEMENTS (types)); i++)
    {
      g_autofree char *text = print_matrices (45, 67 + 2 * i, 128, &types[i], "DEFAULT", FALSE, TRUE);
      g_autofree GhloGpuProduct *product = g_new (GhloGpuProduct, 1);
      Question question;

      question_init (&question, text);
      g_assert_null (ghlo_gpu_product_read (product, device, &question.request, TRUE));
      g_assert_true (product->shader.subgroup > 0 && product->shader.has_whole_tiles);
      question_clear (&question);
      check_product (device, text, fill_exact, STEP_SAME, TRUE);
    }
}

/* The numbers of each row and column are of different magnitude, within a factor of 2^20 of each other. */
static void
fill_sizes (GhloValue *value)
{
  const gsize n = (gsize) value->type->dimensions[1];

  for (gsize i = 0; i < value->n_elements; i++)
    set_number (value, i, ldexp (g_test_rand_double_range (0.125, 1) * (g_test_rand_bit () ? 1 : -1),
                                 (int) (i / n % 3) * 4 + (int) (i % n % 3) * 4 - 30));
}

/* 2^-40, 1 and 0: an operand of f16 loses the first next to the second, whatever its row is scaled by. */
static void
fill_far (GhloValue *value)
{
  for (gsize i = 0; i < value->n_elements; i++)
    set_number (value, i, (const double[]) { 0x1p-40, 1, 0 }[g_test_rand_int_range (0, 3)]);
}

/* The element at (@outer, @inner) of a matrix, which may be stored transposed. */
static double
element_of (const GhloValue *value,
            gboolean         is_transposed,
            gsize            outer,
            gsize            inner)
{
  const gsize n = (gsize) value->type->dimensions[1], i = is_transposed ? inner * n + outer : outer * n + inner;

  return ((const float *) (gpointer) value->data)[i];
}

/* The error of the product of two matrices of f32, measured on some elements of the result. */
static double
measure_error (GhloGpuDevice *device,
               const char    *text,
               gboolean       is_lhs_transposed,
               gboolean       is_rhs_transposed)
{
  GhloValue *values[2];
  g_autoptr (GhloValue) found = compute_product (device, text, fill_sizes, TRUE, NULL, values);
  const gsize m = (gsize) found->type->dimensions[0], n = (gsize) found->type->dimensions[1];
  const gsize k = (gsize) values[0]->type->dimensions[is_lhs_transposed ? 0 : 1];
  double errors = 0, squares = 0;

  for (guint sample = 0; sample < 1000; sample++)
    {
      const gsize row = (gsize) g_test_rand_int_range (0, (gint) m);
      const gsize column = (gsize) g_test_rand_int_range (0, (gint) n);
      double sum = 0, error;

      for (gsize i = 0; i < k; i++)
        sum += element_of (values[0], is_lhs_transposed, row, i)
               * element_of (values[1], !is_rhs_transposed, column, i);
      error = element_of (found, FALSE, row, column) - sum;
      errors += error * error;
      squares += sum * sum;
    }
  for (guint i = 0; i < 2; i++)
    ghlo_value_unref (values[i]);

  return sqrt (errors / squares);
}

/* f32 as planes of f16, in each precision: exact where the numbers allow it, otherwise within the promised error;
 * and computed directly where planes cannot represent the operands. */
static void
check_planes (GhloGpuDevice *device)
{
  static const Types f32 = SAME (F32);
  static const struct
  {
    const char *precision;
    gint64      m, n, k;
    gboolean    is_lhs_transposed, is_rhs_transposed;
    FillFunc    beyond;           /* fills in numbers that planes cannot represent */
    double      error;
  } cases[] = {
    { "DEFAULT", 70, 65, 45, FALSE, FALSE, fill_infinite, 0x1p-11 },
    { "HIGH", 64, 64, 20, TRUE, TRUE, fill_infinite, 0x1p-20 },
    { "HIGHEST", 66, 72, 70, FALSE, TRUE, fill_far, 0x1p-21 },
    { "HIGHEST", 128, 64, 530, FALSE, FALSE, fill_infinite, 0x1p-21 },
  };

  for (guint i = 0; device != NULL && i < (SANITIZED ? 1 : G_N_ELEMENTS (cases)); i++)
    {
      g_autofree char *text = print_matrices (cases[i].m, cases[i].n, cases[i].k, &f32, cases[i].precision,
                                              cases[i].is_lhs_transposed, cases[i].is_rhs_transposed);
      double error;

      check_product (device, text, fill_exact, STEP_SAME, i % 2 == 0);
      check_product (device, text, cases[i].beyond, STEP_SAME, TRUE);
      error = measure_error (device, text, cases[i].is_lhs_transposed, cases[i].is_rhs_transposed);
      g_test_message ("%s: relative error %g", cases[i].precision, error);
      if (!(error <= cases[i].error))
        g_error ("%s: expected an error of %g at most, found %g", text, cases[i].error, error);
    }
}

static void
test_emulated_planes (void)
{
  check_planes (get_emulated (PLANES));
}

/* Matrices with fewer columns than rows have in each row one number that is not finite, near the limit of the
 * finite, or barely normal; other matrices have factors that make it overflow, or keep it as it is. */
static void
fill_extreme (GhloValue *value)
{
  static const double extremes[] = { INFINITY, -INFINITY, NAN, FLT_MAX, -FLT_MAX, 0x1.fep127, 0x1.ffp127, 0x1p-126,
                                     -0x1.fffffep-126, 0x1p-149 };
  static const double factors[] = { 0, 1, -1, 0.5, 300.3, -300.3, 2, 0x1.01p-100 };
  const gsize m = (gsize) value->type->dimensions[0], n = (gsize) value->type->dimensions[1];

  for (gsize i = 0; i < value->n_elements; i++)
    set_number (value, i, m > n ? 0 : factors[g_test_rand_int_range (0, G_N_ELEMENTS (factors))]);
  for (gsize i = 0; i < m && m > n; i++)
    set_number (value, i * n + (gsize) g_test_rand_int_range (0, (gint) n), extremes[i % G_N_ELEMENTS (extremes)]);
}

/* f32 as two numbers of bf16 each: exact where the two represent the number, and like f32 for numbers that are not
 * finite. */
static void
check_halves (GhloGpuDevice *device)
{
  static const Types f32 = SAME (F32);
  static const struct { gint64 m, n, k; gboolean is_rhs_transposed; } cases[] = {
    { 72, 64, 48, FALSE }, { 48, 72, 128, TRUE },
  };

  for (guint i = 0; device != NULL && i < (SANITIZED ? 1 : G_N_ELEMENTS (cases)); i++)
    {
      g_autofree char *text = print_matrices (cases[i].m, cases[i].n, cases[i].k, &f32,
                                              i % 2 == 0 ? "DEFAULT" : "HIGH", FALSE, cases[i].is_rhs_transposed);
      double error;

      check_product (device, text, fill_exact, STEP_SAME, TRUE);
      check_product (device, text, fill_infinite, STEP_SAME, TRUE);
      if (cases[i].m > cases[i].k)
        check_product (device, text, fill_extreme, 0x1p-12, TRUE);
      error = measure_error (device, text, FALSE, cases[i].is_rhs_transposed);
      g_test_message ("relative error %g", error);
      if (!(error <= 0x1p-15))
        g_error ("%s: expected an error of %g at most, found %g", text, 0x1p-15, error);
    }
}

static void
test_emulated_halves (void)
{
  check_halves (get_emulated (X3));
}

/* By the device's own matrices, whose sums may be truncated. */
static void
test_halves (void)
{
  check_halves (get_with_matrices (OF (BF16), X3));
}

/* The same by the device's own matrices, and for large products: with no larger error than a product in f32. */
static void
test_planes (void)
{
  static const Types f32 = SAME (F32);
  GhloGpuDevice *split = get_with_matrices (OF (F16), PLANES), plain;
  double errors[2];

  if (split == NULL)
    return;
  plain = *split;
  plain.vulkan.matrices = 0;
  check_planes (split);
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *text = print_matrices (1504, 1544, 4096, &f32, "HIGHEST", i == 1, i == 2);

      errors[0] = measure_error (split, text, i == 1, i == 2);
      errors[1] = measure_error (&plain, text, i == 1, i == 2);
      g_test_message ("relative error %g by planes, %g as f32", errors[0], errors[1]);
      g_assert_cmpfloat (errors[0], <=, errors[1]);
    }
}

/* The number of instructions @op; all of them have the length that belongs to @op. */
static guint
count_instructions (GBytes *bytes,
                    guint   op)
{
  gsize size;
  const guint32 *words = g_bytes_get_data (bytes, &size);
  const gsize n_words = size / sizeof *words;
  guint n = 0;

  g_assert_cmpuint (words[0], ==, SpvMagicNumber);
  for (gsize i = 5; i < n_words; i += words[i] >> SpvWordCountShift)
    {
      g_assert_cmpuint (words[i] >> SpvWordCountShift, >, 0);
      g_assert_cmpuint (i + (words[i] >> SpvWordCountShift), <=, n_words);
      n += (words[i] & SpvOpCodeMask) == op;
    }

  return n;
}

/* A product by cooperative matrices with subgroups of size @subgroup; @variant is from 0 to 3. */
static GhloSpirvProduct
describe_matrices (GhloElementType type,
                   guint           subgroup,
                   guint           variant)
{
  const gboolean is_float = ghlo_element_type_is_float (type), is_split = type == GHLO_ELEMENT_TYPE_F32;
  const guint most = is_split ? 1 : 4, distances[] = { 1, 2, 2 * GHLO_SPIRV_ROUND, GHLO_SPIRV_MAX_DISTANCE };
  GhloSpirvProduct product = {
    .tile = { 2, 2, 64, 64, 0 }, .subgroup = subgroup,
    .types = { type, type, variant % 2 == 0 ? type : is_float ? GHLO_ELEMENT_TYPE_F32 : GHLO_ELEMENT_TYPE_UI32 },
    .accumulator = is_float ? GHLO_ELEMENT_TYPE_F32 : GHLO_ELEMENT_TYPE_UI32,
    .n_dimensions = { 1, 1, 1 + variant % 2, 1 }, .is_inner_adjacent = { variant / 2, variant % 2 },
    .n_steps = { variant / 2 == 0 ? 1 : MIN (variant % 2 == 0 ? 4 : 2, most), variant % 2 == 0 ? 1 : MIN (2, most) },
    .distance = distances[variant], .n_matrices = 1, .split = is_split ? GHLO_SPIRV_BF16_X3 : GHLO_SPIRV_UNSPLIT,
  };

  product.tile.n_inner = GHLO_SPIRV_ROUND * ghlo_spirv_step (&product);

  return product;
}

/* Modules with cooperative matrices, which old validators do not know: they are written to the folder
 * GHLO_TEST_MODULES, if that is set, to be validated elsewhere. */
static void
test_modules (void)
{
  static const GhloElementType types[] = { GHLO_ELEMENT_TYPE_F16, GHLO_ELEMENT_TYPE_BF16, GHLO_ELEMENT_TYPE_I8,
                                           GHLO_ELEMENT_TYPE_UI8, GHLO_ELEMENT_TYPE_F32 };
  static const GhloSpirvFloats floats = { .keeps_nan = { TRUE, TRUE }, .folds_exactly = TRUE };
  const char *folder = g_getenv ("GHLO_TEST_MODULES");

  for (guint i = 0; i < 4 * G_N_ELEMENTS (types); i++)
    {
      const GhloSpirvProduct product = describe_matrices (types[i / 4], 16u << i / 4 % 3, i % 4);
      const guint n_products = product.split == GHLO_SPIRV_BF16_X3 ? 3 : 1;
      const guint n_steps = MAX (product.distance, GHLO_SPIRV_ROUND);
      g_autoptr (GBytes) words = ghlo_spirv_emit_product (&product, &floats);
      g_autofree char *name = g_strdup_printf ("product-%u.spv", i);
      g_autofree char *path = folder != NULL ? g_build_filename (folder, name, NULL) : NULL;

      /* The steps of a body, with 4 by 4 matrices each, and the same again for inner tiles where addresses are
       * linear. */
      g_assert_cmpuint (count_instructions (words, 4459), ==, n_products * (i % 2 == 0 ? 2 : 1) * n_steps * 16);
      g_assert_cmpuint (ghlo_spirv_product_shared (&product), <=, 48 << 10);
      if (path != NULL)
        g_assert_true (g_file_set_contents (path, g_bytes_get_data (words, NULL), (gssize) g_bytes_get_size (words),
                                            NULL));
    }
}

/* Counts the loads of four 16-bit elements from memory. */
static guint
count_fours (GBytes *bytes)
{
  gsize size;
  const guint32 *words = g_bytes_get_data (bytes, &size);
  g_autofree guint8 *kinds = g_new0 (guint8, words[3]);         /* kinds of ids: 1 is u32, 2 a vector of two u32, 3
                                                                 * an address */
  guint n = 0;

  for (gsize i = 5; i < size / sizeof *words; i += words[i] >> SpvWordCountShift)
    switch (words[i] & SpvOpCodeMask)
      {
      case SpvOpTypeInt:
        kinds[words[i + 1]] = words[i + 2] == 32 ? 1 : 0;
        break;
      case SpvOpTypeVector:
        kinds[words[i + 1]] = kinds[words[i + 2]] == 1 && words[i + 3] == 2 ? 2 : 0;
        break;
      case SpvOpConvertUToPtr:
        kinds[words[i + 2]] = 3;
        break;
      case SpvOpLoad:
        n += kinds[words[i + 1]] == 2 && kinds[words[i + 3]] == 3;
        break;
      default:
        break;
      }

  return n;
}

/* An epilogue that reads another tensor: the operands of an iteration's rows are loaded before the first row is
 * written; an iteration has all eight rows of an invocation or, where the epilogue has many nodes, two. */
static void
test_rows_together (void)
{
  static const char *head =
    "kernel residual {\n  parallel row 64\n  parallel column 64\n  buffer x 8192\n  buffer r 8192\n"
    "  buffer y 8192 written\n  access @0 ui16 x [row * 128 + column * 2]\n"
    "  access @1 ui16 r [row * 128 + column * 2]\n  access @2 ui16 y [row * 128 + column * 2]\n  points {\n"
    "    %0 = load ui16 @0\n    %1 = load ui16 @1\n";
  static const struct { const char *nodes; guint n_together; } cases[] = {
    { "    %2 = xor ui16 %0 %1\n    store %2 to @2\n", 8 },
    { "    %2 = from_bf16 f32 %0\n    %3 = from_bf16 f32 %1\n    %4 = add f32 %2 %3\n    %5 = to_bf16 ui16 %4\n"
      "    %6 = from_bf16 f32 %5\n    %7 = multiply f32 %6 %3\n    %8 = to_bf16 ui16 %7\n    %9 = from_bf16 f32 %8\n"
      "    %10 = add f32 %9 %3\n    %11 = to_bf16 ui16 %10\n    store %11 to @2\n", 2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const GhloSpirvFloats floats = { .folds_exactly = TRUE };
      g_autofree char *text = g_strconcat (head, cases[i].nodes, "  }\n}\n", NULL);
      g_autoptr (GError) error = NULL;
      g_autofree GhloKernel *kernel = ghlo_kernel_parse (text, strlen (text), &error);
      g_autofree GhloKernel *expanded = kernel != NULL ? ghlo_kernel_expand (kernel, NULL) : NULL;
      const GhloSpirvEpilogue epilogue = { .kernel = expanded, .n_dimensions = { 0, 1, 1 }, .spans = { 0, 6, 6 },
                                           .adjacent = 6 };
      GhloSpirvProduct product = describe_matrices (GHLO_ELEMENT_TYPE_BF16, 32, 2);
      g_autoptr (GBytes) words = NULL;

      g_assert_no_error (error);
      product.epilogue = &epilogue;
      product.is_dropped = product.has_whole_vectors = TRUE;
      words = ghlo_spirv_emit_product (&product, &floats);
      /* A subgroup has four rows of matrices, which are in shared memory one after the other. */
      g_assert_cmpuint (count_fours (words), ==, 4 * cases[i].n_together);
    }
}

/* Which products are computed by cooperative matrices, on a device that has them. */
static void
test_choice (void)
{
  static const struct { const char *lhs, *rhs, *result; gint64 m, n, k; gboolean is_for_matrices; } cases[] = {
    { "bf16", "bf16", "f32", 64, 72, 40, TRUE }, { "f16", "f16", "f16", 33, 40, 8, TRUE },
    { "i8", "i8", "i32", 64, 64, 32, TRUE }, { "ui8", "ui8", "ui8", 40, 48, 16, TRUE },
    /* No whole pieces, too small a size, other types, other accumulation. */
    { "bf16", "bf16", "f32", 64, 72, 39, FALSE }, { "bf16", "bf16", "f32", 64, 71, 40, FALSE },
    { "i8", "i8", "i32", 64, 72, 32, FALSE }, { "bf16", "bf16", "f32", 4, 4096, 4096, FALSE },
    { "bf16", "bf16", "f32", 8, 4096, 4096, TRUE }, { "i8", "i8", "i32", 16, 128, 128, FALSE },
    { "f32", "f32", "f32", 16, 4096, 4096, FALSE },
    { "bf16", "f32", "f32", 64, 64, 64, FALSE }, { "i8", "ui8", "i32", 64, 64, 64, FALSE },
    { "f32", "f32", "f32", 64, 64, 64, FALSE }, { "i8", "i8", "i64", 64, 64, 64, FALSE },
  };
  const GhloGpuDevice *device = get_device ();
  g_autofree GhloGpuProduct *product = g_new (GhloGpuProduct, 1);
  GhloGpuDevice other;

  if (device == NULL)
    return;
  other = *device;
  other.vulkan.subgroup_size = 32;
  other.vulkan.shared_memory = 48 << 10;
  other.vulkan.matrices = OF (BF16) | OF (F16) | OF (I8) | OF (UI8);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const gint64 m = cases[i].m, n = cases[i].n, k = cases[i].k;
      g_autofree char *types = g_strdup_printf (
        "(tensor<%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%s>, tensor<%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%s>)",
        m, k, cases[i].lhs, k, n, cases[i].rhs);
      g_autofree char *result = g_strdup_printf ("tensor<%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%s>", m, n,
                                                 cases[i].result);
      g_autofree char *text = g_strdup_printf (
        "func.func @main(%%a: tensor<%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%s>, %%b: tensor<%" G_GINT64_FORMAT "x%"
        G_GINT64_FORMAT "x%s>) -> %s {\n"
        "  %%0 = stablehlo.dot_general %%a, %%b, contracting_dims = [1] x [0] : %s -> %s\n"
        "  return %%0 : %s\n}\n", m, k, cases[i].lhs, k, n, cases[i].rhs, result, types, result, result);
      Question question;

      question_init (&question, text);
      g_assert_null (ghlo_gpu_product_read (product, &other, &question.request, TRUE));
      if ((product->shader.subgroup > 0) != cases[i].is_for_matrices)
        g_error ("expected %s for\n%s", cases[i].is_for_matrices ? "matrices" : "numbers", text);
      g_assert_null (ghlo_gpu_product_read (product, &other, &question.request, FALSE));
      g_assert_cmpuint (product->shader.subgroup, ==, 0);
      question_clear (&question);
    }
}

/* Views of matrices of f32 that are nowhere in memory, of the largest permitted size. */
static void
view_matrices (const GhloIrOp *op,
               GhloView       *views,
               gint64          strides[3][2])
{
  for (guint i = 0; i < 3; i++)
    {
      const GhloIrType *type = i < 2 ? ghlo_ir_op_operand (op, i)->type : op->results[0].type;

      strides[i][1] = (gint64) sizeof (float);
      strides[i][0] = type->dimensions[1] * strides[i][1];
      views[i] = (GhloView) { .element_type = GHLO_ELEMENT_TYPE_F32, .rank = 2, .dimensions = type->dimensions,
                              .strides = strides[i] };
    }
}

/* Which products of f32 are split, and how, on devices with subgroups of all sizes and different sizes of shared
 * memory. */
static void
test_split (void)
{
  static const Types f32 = SAME (F32);
  static const struct { const char *precision; gint64 m, n, k; GhloSpirvSplit split; } cases[] = {
    { "DEFAULT", 2048, 2048, 2048, GHLO_SPIRV_ONE_PLANE }, { "HIGH", 4096, 2048, 2048, GHLO_SPIRV_TWO_PLANES },
    { "HIGHEST", 4096, 4095, 4097, GHLO_SPIRV_TWO_PLANES_STEPWISE },
    /* Too small, or too little work for each element. */
    { "DEFAULT", 512, 512, 512, GHLO_SPIRV_UNSPLIT }, { "HIGHEST", 64, 65536, 4096, GHLO_SPIRV_UNSPLIT },
  };
  GhloGpuDevice *device = get_device (), other;
  g_autofree GhloGpuProduct *product = g_new (GhloGpuProduct, 1), *fallback = g_new (GhloGpuProduct, 1);

  for (guint i = 0; device != NULL && i < 9 * G_N_ELEMENTS (cases); i++)
    {
      const guint k = i / 9;
      g_autofree char *text = print_matrices (cases[k].m, cases[k].n, cases[k].k, &f32, cases[k].precision, i % 2 == 0,
                                              i % 4 < 2);
      g_autofree GhloGpuPlanes *planes = g_new0 (GhloGpuPlanes, 1);
      g_autoptr (GhloIrModule) module = parse (text);
      const GhloIrOp *op = step_find_op (module);
      gint64 strides[3][2];
      GhloView views[3];
      const GhloStepRequest request = { .op = op, .n_operands = 2, .n_results = 1, .operands = views,
                                        .results = views + 2 };

      other = *device;
      other.vulkan.subgroup_size = 16u << i % 3;
      other.vulkan.shared_memory = (48u << 10) << i / 3 % 3;
      other.vulkan.matrices = OF (F16);
      view_matrices (op, views, strides);
      g_assert_null (ghlo_gpu_product_read (product, &other, &request, TRUE));
      g_assert_true (ghlo_gpu_planes_init (planes, product, fallback, &other)
                     == (cases[k].split != GHLO_SPIRV_UNSPLIT));
      g_assert_cmpint (product->shader.split, ==, cases[k].split);
      if (cases[k].split != GHLO_SPIRV_UNSPLIT)
        {
          g_autoptr (GBytes) words = ghlo_spirv_emit_product (&product->shader, &device->measured.floats);

          g_assert_cmpuint (product->shader.subgroup, ==, other.vulkan.subgroup_size);
          g_assert_cmpuint (fallback->shader.subgroup, ==, 0);
          g_assert_cmpuint (count_instructions (words, 4459), >, 0);
        }
      ghlo_gpu_planes_clear (planes);
    }
}

/* The best way to compute products of f32, depending on the device's features. */
static void
test_ways (void)
{
  static const Types f32 = SAME (F32);
  static const struct { const char *precision; gint64 m, n, k; guint64 matrices; GhloSpirvSplit split; } cases[] = {
    { "DEFAULT", 512, 768, 768, OF (F16) | OF (BF16), GHLO_SPIRV_BF16_X3 },
    { "DEFAULT", 2048, 2048, 2048, OF (F16) | OF (BF16), GHLO_SPIRV_BF16_X3 },
    { "HIGH", 2048, 2048, 2048, OF (F16) | OF (BF16), GHLO_SPIRV_BF16_X3 },
    { "DEFAULT", 4096, 4096, 4096, OF (F16) | OF (BF16), GHLO_SPIRV_ONE_PLANE },
    { "HIGH", 4096, 4096, 4096, OF (F16) | OF (BF16), GHLO_SPIRV_TWO_PLANES },
    { "DEFAULT", 4096, 4096, 4096, OF (BF16), GHLO_SPIRV_BF16_X3 },
    { "DEFAULT", 2048, 2047, 2046, OF (F16) | OF (BF16), GHLO_SPIRV_ONE_PLANE },
    { "HIGHEST", 4096, 4096, 4096, OF (F16) | OF (BF16), GHLO_SPIRV_TWO_PLANES_STEPWISE },
    { "HIGHEST", 512, 768, 768, OF (F16) | OF (BF16), GHLO_SPIRV_UNSPLIT },
    /* Too small; too few rows, or steps of k; no whole pieces. */
    { "DEFAULT", 64, 128, 128, OF (BF16), GHLO_SPIRV_UNSPLIT },
    { "DEFAULT", 16, 4096, 4096, OF (BF16), GHLO_SPIRV_UNSPLIT },
    { "DEFAULT", 4096, 4096, 8, OF (BF16), GHLO_SPIRV_UNSPLIT },
    { "DEFAULT", 512, 768, 764, OF (BF16), GHLO_SPIRV_UNSPLIT },
  };
  GhloGpuDevice *device = get_device (), other;
  g_autofree GhloGpuProduct *product = g_new (GhloGpuProduct, 1);

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = print_matrices (cases[i].m, cases[i].n, cases[i].k, &f32, cases[i].precision, FALSE,
                                              FALSE);
      g_autoptr (GhloIrModule) module = parse (text);
      gint64 strides[3][2];
      GhloView views[3];
      const GhloStepRequest request = { .op = step_find_op (module), .n_operands = 2, .n_results = 1, .operands = views,
                                        .results = views + 2 };

      other = *device;
      other.vulkan.subgroup_size = 32;
      other.vulkan.shared_memory = 48 << 10;
      other.vulkan.matrices = cases[i].matrices;
      view_matrices (request.op, views, strides);
      g_assert_null (ghlo_gpu_product_read (product, &other, &request, TRUE));
      if (product->split != cases[i].split)
        g_error ("expected split %d, found %d for\n%s", cases[i].split, product->split, text);
      g_assert_true ((product->shader.subgroup > 0) == (product->split == GHLO_SPIRV_BF16_X3));
      g_assert_null (ghlo_gpu_product_read (product, &other, &request, FALSE));
      g_assert_cmpint (product->shader.split, ==, GHLO_SPIRV_UNSPLIT);
    }
}

/* Numbers that bf16 represents, that are rounded down or up, and that are ties. */
static void
fill_rounded (GhloValue *value)
{
  for (gsize i = 0; i < value->n_elements; i++)
    set_number (value, i, (g_test_rand_bit () ? 1 : -1) * (1 + g_test_rand_int_range (0, 16) * 0x1p-9));
}

/* Rounds to bf16, ties to even; no number may overflow. */
static void
round_value (GhloValue *value)
{
  guint32 *words = (gpointer) value->data;

  for (gsize i = 0; i < value->n_elements; i++)
    words[i] = (words[i] + 0x7fff + (words[i] >> 16 & 1)) & 0xffff0000u;
}

/* bf16_bf16_f32 of operands of f32: with and without matrices, with either operand in either order. */
static void
check_rounded (GhloGpuDevice *device,
               gint64         m,
               gint64         n,
               gint64         k,
               gboolean       is_transposed)
{
  static const Types f32 = SAME (F32);
  g_autofree char *plain = print_matrices (m, n, k, &f32, "DEFAULT", is_transposed, !is_transposed);
  static const char algorithm[] =
    "algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, "
    "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
    "allow_imprecise_accumulation = false>";
  g_auto (GStrv) parts = g_strsplit (plain, "precision = [DEFAULT, DEFAULT]", 2);
  g_autofree char *named = g_strjoin (NULL, parts[0], algorithm, parts[1], NULL);
  GhloValue *values[2];
  g_autoptr (GhloValue) expected = NULL, found = compute_product (device, named, fill_rounded, TRUE, NULL, values);

  for (guint i = 0; i < 2; i++)
    round_value (values[i]);
  expected = result_of (plain, values, 2);
  step_compare (&(GhloView) { .data = found->data, .element_type = GHLO_ELEMENT_TYPE_F32 }, expected, STEP_SAME, named);
  for (guint i = 0; i < 2; i++)
    ghlo_value_unref (values[i]);
}

static void
test_rounded (void)
{
  GhloGpuDevice *device = get_device ();

  if (device == NULL)
    return;
  check_rounded (device, 33, 20, 100, FALSE);
  check_rounded (device, 7, 64, 5, TRUE);
  check_rounded (get_emulated (0), 40, 72, 24, FALSE);
  check_rounded (get_emulated (0), 40, 72, 40, TRUE);
}

int
main (int    argc,
      char **argv)
{
  g_setenv ("GHLO_DEBUG", "vulkan", FALSE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/matrices/emulated-thin", test_emulated_thin);
  g_test_add_func ("/vulkan/matrices/thin", test_thin);
  g_test_add_func ("/vulkan/product/matrices", test_matrices);
  g_test_add_func ("/vulkan/product/emulated", test_emulated);
  g_test_add_func ("/vulkan/product/emulated-odd", test_emulated_odd);
  g_test_add_func ("/vulkan/product/planes", test_planes);
  g_test_add_func ("/vulkan/product/emulated-planes", test_emulated_planes);
  g_test_add_func ("/vulkan/product/halves", test_halves);
  g_test_add_func ("/vulkan/product/emulated-halves", test_emulated_halves);
  g_test_add_func ("/vulkan/product/wide-convolutions", test_wide_convolutions);
  g_test_add_func ("/vulkan/product/emulated-convolutions", test_emulated_convolutions);
  g_test_add_func ("/vulkan/product/choice", test_choice);
  g_test_add_func ("/vulkan/product/split", test_split);
  g_test_add_func ("/vulkan/product/ways", test_ways);
  g_test_add_func ("/vulkan/product/modules", test_modules);
  g_test_add_func ("/vulkan/product/rows-together", test_rows_together);
  g_test_add_func ("/vulkan/product/rounded", test_rounded);

  return g_test_run ();
}
