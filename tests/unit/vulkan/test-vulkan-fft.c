/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fft on a Vulkan device: the four types, in f32 and f64, over one to three dimensions, of lengths of all kinds. Errors
 * are relative to the norm of the whole result.
 */

#include "shader-steps.h"

#include <float.h>

/* The greatest prime factor. */
static gint
greatest_factor (gint n)
{
  gint factor = 1;

  for (gint d = 2; n > 1; d++)
    for (; n % d == 0; n /= d)
      factor = d;

  return factor;
}

/* A rounding for each level of the transforms, most of which cancel out; a chirp takes two transforms of more than
 * twice the length. */
static void
assert_close (const GhloValue *found,
              const GhloValue *expected,
              gboolean         wide,
              const gint      *lengths,
              guint            rank,
              const char      *text)
{
  double error = 0, norm = 0, tolerance = 1.5;

  for (guint i = 0; i < rank; i++)
    tolerance += (greatest_factor (lengths[i]) > 13 ? 1.0 : 0.5) * log2 (lengths[i]);
  tolerance *= wide ? DBL_EPSILON / 2 : FLT_EPSILON / 2;
  for (gsize i = 0; i < expected->n_elements; i++)
    {
      Number e = number_at (expected, i), difference = number_at (found, i) - e;

      error += creal (difference * conj (difference));
      norm += creal (e * conj (e));
    }
  if (!(sqrt (error) <= tolerance * sqrt (norm)))
    g_error ("expected a relative error of at most %g, found %g:\n%s", tolerance, sqrt (error / norm), text);
}

static char *
new_shape (const gint *dims,
           guint       n,
           gint        last)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%dx", i + 1 < n ? dims[i] : last);

  return g_strdup (text->str);
}

/* @dims: one batch dimension, then the @n_lengths that are transformed. */
static void
check_fft (const char *kind,
           gboolean    wide,
           const gint *dims,
           guint       n_lengths)
{
  const char *part = wide ? "f64" : "f32";
  gint last = dims[n_lengths], half = last / 2 + 1;
  gboolean from_real = g_str_equal (kind, "RFFT"), to_real = g_str_equal (kind, "IRFFT");
  g_autofree char *from_shape = new_shape (dims, n_lengths + 1, to_real ? half : last);
  g_autofree char *to_shape = new_shape (dims, n_lengths + 1, from_real ? half : last);
  g_autofree char *pair = g_strdup_printf ("complex<%s>", part);
  g_autofree char *from = g_strdup_printf ("tensor<%s%s>", from_shape, from_real ? part : pair);
  g_autofree char *to = g_strdup_printf ("tensor<%s%s>", to_shape, to_real ? part : pair);
  g_autofree char *lengths = new_shape (dims + 1, n_lengths, last);
  g_autofree char *text = NULL;
  g_autoptr (GhloValue) input = new_random (from, -2, 2), found = NULL, expected = NULL;
  StepSearch search;

  lengths[strlen (lengths) - 1] = '\0';
  g_strdelimit (lengths, "x", ',');
  text = g_strdup_printf ("func.func @main(%%x: %1$s) -> %2$s {\n"
                          "  %%y = \"stablehlo.fft\"(%%x) {fft_type = #stablehlo<fft_type %3$s>, "
                          "fft_length = array<i64: %4$s>} : (%1$s) -> %2$s\n  return %%y : %2$s\n}\n", from, to, kind,
                          lengths);
  run_on (ghlo_devices_find ("reference"), text, "fft", &input, 1, &expected, &search);
  run_on (ghlo_devices_find ("vulkan"), text, "fft", &input, 1, &found, &search);
  g_assert_true (search.found);
  assert_close (found, expected, wide, dims + 1, n_lengths, text);
}

static const char *const kinds[] = { "FFT", "IFFT", "RFFT", "IRFFT" };

static void
check_kinds (gboolean    wide,
             const gint *dims,
             guint       n_lengths)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    check_fft (kinds[i], wide, dims, n_lengths);
}

static void
test_lengths (void)
{
  static const gint lengths[] = { 1, 2, 3, 8, 15, 17, 34, 91, 97, 176, 1024, 2187 };

  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    check_kinds (i % 4 == 3, (const gint[]) { g_test_rand_int_range (1, 40), lengths[i] }, 1);
}

static void
test_dimensions (void)
{
  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < 3; i++)
    {
      gint dims[4] = { 2 };

      for (guint d = 1; d < 4; d++)
        dims[d] = g_test_rand_int_range (1, 21);
      check_kinds (i == 2, dims, 2 + g_test_rand_bit ());
    }
}

/* With little shared memory, lines are transformed in up to three passes over memory, and planes are exchanged one
 * after the other. */
static void
test_passes (void)
{
  static const gint dims[][3] = { { 1, 16384 }, { 2, 1202 }, { 1, 360, 5 } };
  GhloGpuDevice *device = find_vulkan ();
  gsize shared_memory;

  if (device == NULL)
    return;
  shared_memory = device->vulkan.shared_memory;
  device->vulkan.shared_memory = 3072;
  for (guint i = 0; i < G_N_ELEMENTS (dims); i++)
    check_kinds (i == 1, dims[i], dims[i][2] > 0 ? 2 : 1);
  device->vulkan.shared_memory = shared_memory;
}

/* Pairs of real numbers that are aligned as single ones are. */
static void
test_alignment (void)
{
  static const char *const text =
    "func.func @main(%x: tensor<3x17xf32>) -> tensor<16xf32> {\n"
    "  %a = stablehlo.slice %x [1:2, 0:16] : (tensor<3x17xf32>) -> tensor<1x16xf32>\n"
    "  %b = stablehlo.reshape %a : (tensor<1x16xf32>) -> tensor<16xf32>\n"
    "  %y = stablehlo.fft %b, type = RFFT, length = [16] : (tensor<16xf32>) -> tensor<9xcomplex<f32>>\n"
    "  %z = stablehlo.fft %y, type = IRFFT, length = [16] : (tensor<9xcomplex<f32>>) -> tensor<16xf32>\n"
    "  return %z : tensor<16xf32>\n}\n";
  g_autoptr (GhloValue) input = new_random ("tensor<3x17xf32>", -1, 1), found = NULL;
  StepSearch search;

  if (find_vulkan () == NULL)
    return;
  run_on (ghlo_devices_find ("vulkan"), text, "fft", &input, 1, &found, &search);
  g_assert_true (search.found);
  for (guint i = 0; i < 16; i++)
    g_assert_cmpfloat_with_epsilon (creal (number_at (found, i)), creal (number_at (input, 17 + i)), 4 * FLT_EPSILON);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/fft/lengths", test_lengths);
  g_test_add_func ("/vulkan/fft/dimensions", test_dimensions);
  g_test_add_func ("/vulkan/fft/passes", test_passes);
  g_test_add_func ("/vulkan/fft/alignment", test_alignment);

  return g_test_run ();
}
