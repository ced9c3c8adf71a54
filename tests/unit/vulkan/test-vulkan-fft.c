/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fft on a Vulkan device: the four types, over one to three dimensions, of lengths of all kinds. The reference
 * executor's long doubles and the device's f64 round to the same f32, or to adjacent ones where both are near the
 * midpoint.
 */

#include "shader-steps.h"

#include <float.h>

/* Each part is within one ULP of the expected value, or within the resolution of f64 for such numbers. */
static void
assert_close (const GhloValue *found,
              const GhloValue *expected,
              const char      *text)
{
  double most = 0;

  for (gsize i = 0; i < expected->n_elements; i++)
    most = MAX (most, cabs (number_at (expected, i)));
  for (gsize i = 0; i < expected->n_elements; i++)
    {
      Number f = number_at (found, i), e = number_at (expected, i);
      double rest = most * 64 * DBL_EPSILON;

      if (!(fabs (creal (f - e)) <= fabs (creal (e)) * FLT_EPSILON + rest
            && fabs (cimag (f - e)) <= fabs (cimag (e)) * FLT_EPSILON + rest))
        g_error ("element %" G_GSIZE_FORMAT " is %.9g%+.9gi, expected %.9g%+.9gi, in\n%s", i, creal (f), cimag (f),
                 creal (e), cimag (e), text);
    }
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
           const gint *dims,
           guint       n_lengths)
{
  gint last = dims[n_lengths], half = last / 2 + 1;
  gboolean from_real = g_str_equal (kind, "RFFT"), to_real = g_str_equal (kind, "IRFFT");
  g_autofree char *from_shape = new_shape (dims, n_lengths + 1, to_real ? half : last);
  g_autofree char *to_shape = new_shape (dims, n_lengths + 1, from_real ? half : last);
  g_autofree char *from = g_strdup_printf ("tensor<%s%s>", from_shape, from_real ? "f32" : "complex<f32>");
  g_autofree char *to = g_strdup_printf ("tensor<%s%s>", to_shape, to_real ? "f32" : "complex<f32>");
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
  assert_close (found, expected, text);
}

static const char *const kinds[] = { "FFT", "IFFT", "RFFT", "IRFFT" };

static void
test_lengths (void)
{
  static const gint lengths[] = { 1, 2, 3, 4, 7, 8, 12, 15, 16, 17, 30, 64, 97, 100, 128, 257, 360, 1024, 4096 };

  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    for (guint j = 0; j < G_N_ELEMENTS (kinds); j++)
      check_fft (kinds[j], (const gint[]) { g_test_rand_int_range (1, 4), lengths[i] }, 1);
}

static void
test_dimensions (void)
{
  if (find_vulkan () == NULL)
    return;
  for (guint i = 0; i < 3 * G_N_ELEMENTS (kinds); i++)
    {
      gint dims[4] = { 2 };

      for (guint d = 1; d < 4; d++)
        dims[d] = g_test_rand_int_range (1, 21);
      check_fft (kinds[i / 3], dims, 2 + g_test_rand_bit ());
    }
}

static void
test_declined (void)
{
  static const char *const text =
    "func.func @main(%x: tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>> {\n"
    "  %y = \"stablehlo.fft\"(%x) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>} : "
    "(tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>\n  return %y : tensor<4xcomplex<f64>>\n}\n";
  g_autoptr (GhloValue) input = new_random ("tensor<4xcomplex<f64>>", -1, 1);

  if (find_vulkan () == NULL)
    return;
  check_declined (text, "fft", &input, 1, 1, "only f32 and complex<f32> are supported");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/fft/lengths", test_lengths);
  g_test_add_func ("/vulkan/fft/dimensions", test_dimensions);
  g_test_add_func ("/vulkan/fft/declined", test_declined);

  return g_test_run ();
}
