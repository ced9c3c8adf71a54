/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The prefetch distance of products by cooperative matrices does not change the result's bits: each row of the table of
 * tiles gives, with each distance, the bits of the shortest distance, which other tests check. A software device takes
 * seconds to compile a shader, so by default not all distances are combined with everything else:
 *
 *   GHLO_TEST_ALL=1 test-vulkan-prefetch       they do; half an hour
 */

#include "../sanitized.h"
#include "vulkan-convolution.h"
#include "vulkan-product.h"

#include "gpu/product/planes.h"

/* The types and the precision of a product. */
typedef struct
{
  Types       types;
  const char *precision;
  guint32     splits;
  guint       row;              /* in the table of emulated tiles: of the first three, which are thin, of the sixth,
                                 * or of the others, which are the same */
} Kind;

static const Kind kinds[] = {
  { MIXED (BF16, BF16, F32), "DEFAULT", 0, 6 }, { SAME (F32), "HIGH", X3, 5 }, { SAME (F32), "DEFAULT", PLANES, 6 },
  { SAME (F16), "DEFAULT", 0, 1 }, { SAME (F32), "HIGHEST", PLANES, 7 }, { MIXED (I8, I8, I32), "DEFAULT", 0, 6 },
};

/* Rows of the table of tiles. */
enum { N_ROWS = 7 };

/* The number of kinds to test by default. */
enum { N_FEW = SANITIZED ? 1 : 4 };

/* The least first. */
static const guint distances[] = { 1, 2, GHLO_SPIRV_ROUND, 2 * GHLO_SPIRV_ROUND, GHLO_SPIRV_MAX_DISTANCE };

/* Whole tiles, with k of one round or two, and a larger k in pieces. */
static const gint64 whole[][3] = { { 128, 128, 128 }, { 128, 160, 384 } };

/* Tiles with remainders: k shorter than a round, pieces of k of which the last is incomplete, and, in one piece,
 * inner rounds before the others. */
static const gint64 guarded[][3] = { { 48, 80, 48 }, { 80, 64, 720 }, { 288, 288, 592 } };

/* The same numbers for each distance, as the bits of a sum depend on the order. */
static void
fill_same (GhloValue *value)
{
  g_autoptr (GRand) random = g_rand_new_with_seed ((guint32) value->n_elements);
  const gsize size = ghlo_element_info (value->type->element_type)->size;

  for (gsize i = 0; i < value->n_elements; i++)
    if (ghlo_element_type_is_float (value->type->element_type))
      set_number (value, i, g_rand_double_range (random, -1, 1));
    else
      for (gsize j = 0; j < size; j++)
        value->data[i * size + j] = (guint8) g_rand_int (random);
}

/* Checks that the product is computed by matrices with the requested distance. */
static void
expect_distance (GhloGpuDevice *device,
                 const char    *text)
{
  g_autofree GhloGpuProduct *product = g_new (GhloGpuProduct, 1), *whole = g_new (GhloGpuProduct, 1);
  g_autofree GhloGpuPlanes *planes = g_new0 (GhloGpuPlanes, 1);
  Question question;

  question_init (&question, text);
  g_assert_null (ghlo_gpu_product_read (product, device, &question.request, TRUE));
  ghlo_gpu_planes_init (planes, product, whole, device);
  if (product->shader.subgroup == 0 || product->shader.distance != device->forced_matrices.distance)
    g_error ("expected matrices, and distance %u, found %u for\n%s", device->forced_matrices.distance,
             product->shader.distance, text);
  ghlo_gpu_planes_clear (planes);
  question_clear (&question);
}

static gboolean
tests_all (void)
{
  return g_getenv ("GHLO_TEST_ALL") != NULL;
}

/* Tests the distances whose bits are set in @which, and the shortest. */
static void
check_distances (GhloGpuDevice *device,
                 guint          row,
                 guint          which,
                 const char    *text)
{
  g_autoptr (GhloValue) least = NULL;

  device->forced_matrices.row = row;
  for (guint i = 0; i < G_N_ELEMENTS (distances); i++)
    {
      g_autoptr (GhloValue) found = NULL;
      g_autofree char *how = g_strdup_printf ("row %u, distance %u:\n%s", row, distances[i], text);
      GhloValue *values[2];

      if (i > 0 && (which >> i & 1) == 0 && !tests_all ())
        continue;
      device->forced_matrices.distance = distances[i];
      expect_distance (device, text);
      found = compute_product (device, text, fill_same, TRUE, NULL, values);
      for (guint v = 0; v < 2; v++)
        ghlo_value_unref (values[v]);
      if (least == NULL)
        least = g_steal_pointer (&found);
      else
        step_compare (&(GhloView) { .data = found->data, .element_type = least->type->element_type }, least,
                      STEP_SAME_BITS, how);
    }
}

/* The device or the emulated one. */
static GhloGpuDevice *
get_one (gboolean is_emulated,
         guint32  splits)
{
  return is_emulated ? get_emulated (splits) : get_with_matrices (OF (BF16) | OF (F16) | OF (I8), splits);
}

static void
check_sizes (GhloGpuDevice    *device,
             const Kind       *kind,
             guint             row,
             guint             which,
             const gint64      sizes[][3],
             guint             n_sizes)
{
  for (guint i = 0; i < n_sizes; i++)
    {
      g_autofree char *text = print_matrices (sizes[i][0], sizes[i][1], sizes[i][2], &kind->types, kind->precision,
                                              row % 4 > 1, row % 2 == 0);

      check_distances (device, row, which, text);
    }
}

/* All types and precisions with each row. */
static void
check_rows (gboolean is_emulated)
{
  for (guint k = 0; k < (is_emulated && !tests_all () ? N_FEW : G_N_ELEMENTS (kinds)); k++)
    for (guint row = 1; row <= N_ROWS; row++)
      {
        GhloGpuDevice *device = get_one (is_emulated, kinds[k].splits);

        if (device == NULL)
          return;
        if (is_emulated && row != kinds[k].row && !tests_all ())
          continue;
        check_sizes (device, &kinds[k], row, 2u << k % 4, whole, G_N_ELEMENTS (whole));
        if (tests_all ())
          check_sizes (device, &kinds[k], row, 0, guarded, G_N_ELEMENTS (guarded) - 1);
      }
}

static void
check_guarded (gboolean is_emulated)
{
  GhloGpuDevice *device = get_one (is_emulated, 0);

  if (device != NULL)
    check_sizes (device, &kinds[0], 6, is_emulated ? 1 << 2 : 1 << 2 | 1 << 3, guarded, G_N_ELEMENTS (guarded));
}

/* Batches, and windows that reach beyond the image, with two matrices along k in a step. */
static void
check_others (gboolean is_emulated)
{
  static const char batches[] =
    "func.func @main(%a: tensor<3x48x128xbf16>, %b: tensor<3x128x64xbf16>) -> tensor<3x48x64xf32> {\n"
    "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
    "(tensor<3x48x128xbf16>, tensor<3x128x64xbf16>) -> tensor<3x48x64xf32>\n  return %0 : tensor<3x48x64xf32>\n}\n";
  static const guint8 orders[][5] = { { 0, 2, 3, 1 }, { 2, 3, 0, 1 }, { 0, 2, 3, 1 } };
  Convolution convolution = {
    .n_spatial = 2, .image = { 6, 5 }, .window = { 3, 3 }, .step = { 1, 1 }, .low = { 1, 2 }, .high = { 1, 0 },
    .image_dilation = { 1, 1 }, .window_dilation = { 1, 1 }, .feature_groups = 1, .batch_groups = 1, .images = 2,
    .in = 64, .out = 32, .orders = orders,
  };
  GhloGpuDevice *device = get_one (is_emulated, X3);
  g_autofree char *text = NULL;

  if (device == NULL)
    return;
  for (guint i = 0; i < 2; i++)
    convolution.output[i] = count_places (&convolution, i);
  text = print_convolution (&convolution, "f32");
  check_distances (device, 6, 1 << 2, text);
  if (!SANITIZED)
    check_distances (device, 4, 1 << 3, batches);
}

static void
test_rows (gconstpointer is_emulated)
{
  check_rows (is_emulated != NULL);
}

static void
test_guarded (gconstpointer is_emulated)
{
  check_guarded (is_emulated != NULL);
}

static void
test_others (gconstpointer is_emulated)
{
  check_others (is_emulated != NULL);
}

int
main (int    argc,
      char **argv)
{
  g_setenv ("GHLO_DEBUG", "vulkan", FALSE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/vulkan/prefetch/emulated-rows", "", test_rows);
  g_test_add_data_func ("/vulkan/prefetch/emulated-guarded", "", test_guarded);
  g_test_add_data_func ("/vulkan/prefetch/emulated-others", "", test_others);
  g_test_add_data_func ("/vulkan/prefetch/rows", NULL, test_rows);
  g_test_add_data_func ("/vulkan/prefetch/guarded", NULL, test_guarded);
  g_test_add_data_func ("/vulkan/prefetch/others", NULL, test_others);

  return g_test_run ();
}
