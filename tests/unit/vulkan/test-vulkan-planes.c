/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The planes of f16 that a device makes of operands of products, and their scale factors, bit by bit: for operands with
 * adjacent k and others, padded and unpadded, with short and long rows.
 */

#include "../sanitized.h"
#include "vulkan-product.h"

#include <math.h>

#include "base/bits.h"
#include "gpu/product/plane-kernels.h"
#include "gpu/recording.h"

typedef struct
{
  const char *precision;
  gint64      m, n, k;
  gboolean    is_lhs_transposed, is_rhs_transposed;
  guint       n_dispatches, n_barriers;
} Case;

static const Case cases[] = {
  { "DEFAULT", 70, 72, 300, FALSE, FALSE, 4, 1 },
  { "DEFAULT", 65, 64, 4100, FALSE, TRUE, 3, 1 },
  { "DEFAULT", 64, 64, 8192, FALSE, TRUE, 3, 1 },
  { "DEFAULT", 64, 80, 2048, TRUE, FALSE, 7, 2 },
  { "DEFAULT", 64, 64, 64, FALSE, FALSE, 4, 1 },
  /* Rows that do not fit into registers. */
  { "DEFAULT", 64, 66, 8256, FALSE, TRUE, 5, 1 },
  { "HIGH", 66, 64, 1030, FALSE, FALSE, 6, 2 },
  { "HIGHEST", 64, 71, 70, TRUE, TRUE, 5, 1 },
};

/* A program of one product by planes, and the location of its operands. */
typedef struct
{
  Question          question;
  GhloGpuProduct of_planes, fallback, operands;      /* the last one makes the operands' planes */
  GhloGpuPlanes  planes;
  gsize             sizes[3];                           /* bytes of the operands and of the scratch */
  float            *elements[2];
  guint8           *scratch;
} Product;

static Product *
product_new (GhloGpuDevice *device,
             const Case    *self)
{
  static const Types f32 = SAME (F32);
  g_autofree char *text = print_matrices (self->m, self->n, self->k, &f32, self->precision, self->is_lhs_transposed,
                                          self->is_rhs_transposed);
  Product *product = g_new0 (Product, 1);
  g_autoptr (GError) error = NULL;

  question_init (&product->question, text);
  g_assert_null (ghlo_gpu_product_read (&product->of_planes, device, &product->question.request, TRUE));
  g_assert_true (ghlo_gpu_planes_init (&product->planes, &product->of_planes, &product->fallback, device));
  g_assert_true (ghlo_gpu_planes_compile (&product->planes, FALSE, &error));
  product->operands = product->fallback;
  product->operands.shader.split = product->of_planes.shader.split;
  for (guint i = 0; i < 2; i++)
    {
      product->sizes[i] = product->question.tensors[product->fallback.operands[i]].n_bytes;
      product->elements[i] = g_malloc0 (product->sizes[i]);
    }
  product->sizes[2] = product->planes.size;
  product->scratch = g_malloc0 (product->sizes[2]);

  return product;
}

static void
product_free (Product *self)
{
  ghlo_gpu_planes_clear (&self->planes);
  question_clear (&self->question);
  for (guint i = 0; i < 2; i++)
    g_free (self->elements[i]);
  g_free (self->scratch);
  g_free (self);
}

/* The index of the element at step @k of row or column @outer. */
static gsize
place_of (const Product *self,
          guint          tensor,
          gint64         outer,
          gint64         k)
{
  const GhloSpirvProductDimension *rows = &self->operands.dimensions[ghlo_gpu_product_outer (tensor)][0];
  const GhloSpirvProductDimension *inner = &self->operands.dimensions[GHLO_SPIRV_INNER][0];

  return (gsize) (outer * rows->strides[tensor] + k * inner->strides[tensor]) / sizeof (float);
}

/* The numbers in each row and column are within 2^29 of each other; some of them are 0, and in one all are. */
static void
fill (Product *self,
      guint    tensor)
{
  const gint64 n = self->operands.counts[ghlo_gpu_product_outer (tensor)];

  for (gint64 i = 0; i < n; i++)
    for (gint64 k = 0; k < self->operands.counts[GHLO_SPIRV_INNER]; k++)
      self->elements[tensor][place_of (self, tensor, i, k)]
        = i == 5 || g_test_rand_int_range (0, 20) == 0
          ? (g_test_rand_bit () ? 0.0f : -0.0f)
          : (float) ldexp (g_test_rand_double_range (-1, 1) + (g_test_rand_bit () ? 0.5 : -0.5) * 0x1p-9,
                           (int) (i % 7) * 9 - 30 - g_test_rand_int_range (0, 12));
}

/* Makes the planes. */
static void
run (Product       *self,
     GhloGpuDevice *device,
     const Case    *expected)
{
  GhloDeviceMemory *memory = device->vulkan.core.memory;
  const GhloBufferRef places[] = { { 0, self->fallback.starts[0] }, { 1, self->fallback.starts[1] }, { 2, 0 } };
  const gconstpointer data[] = { self->elements[0], self->elements[1], self->scratch };
  GhloBufferExtent extents[3];
  g_autoptr (GhloGpuRecording) recording = NULL;
  g_autoptr (GError) error = NULL;
  guint8 *addresses[3];
  guint n_barriers = 0;

  for (guint i = 0; i < 3; i++)
    {
      extents[i] = (GhloBufferExtent) { i, 0, G_MAXUINT32, i };
      addresses[i] = memory->klass->alloc (memory, GHLO_MEMORY_DEVICE, self->sizes[i], NULL, &error);
      g_assert_no_error (error);
      memory->klass->upload (memory, data[i], addresses[i], self->sizes[i], FALSE, NULL, &error);
      g_assert_no_error (error);
    }
  recording = ghlo_gpu_recording_new (device, extents);
  ghlo_gpu_planes_record (&self->planes, places, places[2], recording);
  ghlo_gpu_recording_end (recording, 0);
  for (guint i = 0; i < ((GhloCommandBuffer *) recording)->n_commands; i++)
    n_barriers += ghlo_gpu_recording_waits (recording, i);
  g_assert_cmpuint (((GhloCommandBuffer *) recording)->n_commands, ==, expected->n_dispatches);
  g_assert_cmpuint (n_barriers, ==, expected->n_barriers);
  g_assert_null (ghlo_gpu_recording_check (recording, addresses, G_MAXUINT));
  ghlo_gpu_recording_replay (recording, addresses, NULL, &error);
  g_assert_no_error (error);
  memory->klass->download (memory, addresses[2], self->scratch, self->sizes[2], NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    memory->klass->free (memory, addresses[i], self->sizes[i]);
}

/* The bits of the factor that undoes the scaling of the row by a power of two. */
static guint32
find_factor (const Product *self,
             guint          tensor,
             gint64         outer)
{
  float most = 0;
  int exponent;

  for (gint64 k = 0; k < self->operands.counts[GHLO_SPIRV_INNER]; k++)
    most = fmaxf (most, fabsf (self->elements[tensor][place_of (self, tensor, outer, k)]));
  frexpf (most, &exponent);

  return ghlo_bits_of_float (most == 0 ? 1 : ldexpf (1, exponent - 15));
}

static void
check_row (const Product *self,
           guint          tensor,
           gint64         outer)
{
  const GhloGpuPlanesSide *side = &self->planes.sides[tensor];
  const guint n_planes = ghlo_gpu_n_planes (&self->operands);
  const guint32 factor = find_factor (self, tensor, outer);
  gint64 of_inner, of_outer, of_batch;

  ghlo_gpu_plane_strides (&self->operands, tensor, &of_inner, &of_outer, &of_batch);
  g_assert_cmphex (((const guint32 *) (gpointer) (self->scratch + side->factors_at))[outer], ==, factor);
  for (gint64 k = 0; k < ghlo_gpu_plane_steps (&self->operands); k++)
    {
      const gint64 step = k / GHLO_SPIRV_MATRIX * GHLO_SPIRV_MATRIX * n_planes + k % GHLO_SPIRV_MATRIX;
      const guint8 *found = self->scratch + side->planes_at + outer * of_outer + step * of_inner;
      double number = 0;

      if (k < self->operands.counts[GHLO_SPIRV_INNER])
        number = self->elements[tensor][place_of (self, tensor, outer, k)] / (double) ghlo_float_of_bits (factor);
      for (guint i = 0; i < n_planes; i++)
        {
          const guint64 bits = ghlo_float_to_bits (GHLO_ELEMENT_TYPE_F16, number);

          g_assert_cmphex (*(const guint16 *) (gconstpointer) (found + i * side->low_at), ==, bits);
          number -= ghlo_float_from_bits (GHLO_ELEMENT_TYPE_F16, bits);
        }
    }
}

/* The device with pretended matrices: the multiplication of planes is not run. */
static GhloGpuDevice *
get_with_planes (void)
{
  static GhloGpuDevice device;
  const GhloGpuDevice *found = get_device ();

  if (found == NULL)
    return NULL;
  device = *found;
  device.vulkan.matrices = OF (F16);
  device.vulkan.subgroup_size = 32;
  device.forced_splits = PLANES;

  return &device;
}

static guint32
get_flag (const Product *self)
{
  return *(const guint32 *) (gpointer) (self->scratch + self->planes.flag_at);
}

static void
test_planes (void)
{
  GhloGpuDevice *device = get_with_planes ();

  for (guint i = 0; device != NULL && i < G_N_ELEMENTS (cases); i++)
    {
      Product *product = product_new (device, &cases[i]);

      for (guint tensor = 0; tensor < 2; tensor++)
        fill (product, tensor);
      run (product, device, &cases[i]);
      for (guint tensor = 0; tensor < 2; tensor++)
        for (gint64 k = 0; k < product->operands.counts[ghlo_gpu_product_outer (tensor)]; k++)
          check_row (product, tensor, k);
      g_assert_cmpuint (get_flag (product), ==, 0);
      product_free (product);
    }
}

/* One number that is not finite, in either operand, sets the flag. */
static void
test_flag (void)
{
  GhloGpuDevice *device = get_with_planes ();

  for (guint i = 0; device != NULL && i < (SANITIZED ? 2 : 2 * G_N_ELEMENTS (cases)); i++)
    {
      const Case *one = &cases[i / 2];
      Product *product = product_new (device, one);
      const guint tensor = i % 2;
      const gint64 outer = product->operands.counts[ghlo_gpu_product_outer (tensor)] - 1;

      for (guint k = 0; k < 2; k++)
        fill (product, k);
      product->elements[tensor][place_of (product, tensor, outer, one->k - 1)] = INFINITY;
      run (product, device, one);
      g_assert_cmpuint (get_flag (product), ==, 1);
      product_free (product);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/planes", test_planes);
  g_test_add_func ("/vulkan/planes/flag", test_flag);

  return g_test_run ();
}
