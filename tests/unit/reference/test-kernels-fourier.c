/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fft compared with directly evaluated sums, for lengths with small factors, primes, powers and others, in each of its
 * four types.
 */

#include "kernel-programs.h"

static const gsize lengths[] = { 1, 2, 3, 4, 5, 7, 8, 12, 16, 29, 31, 37, 60, 64, 101, 128, 210, 1009 };

/* The sum for coefficient @k, in long double. */
static Number
transform_at (const Number *line,
              gsize         n,
              gsize         k,
              int           sign)
{
  long double re = 0, im = 0;

  for (gsize j = 0; j < n; j++)
    {
      long double turn = 2 * 3.14159265358979323846264338327950288L;
      long double angle = sign * turn * (long double) (j * k % n) / (long double) n;
      long double c = cosl (angle), s = sinl (angle);

      re += creal (line[j]) * c - cimag (line[j]) * s;
      im += creal (line[j]) * s + cimag (line[j]) * c;
    }
  return CMPLX ((double) re, (double) im);
}

static void
check_complex (gsize    n,
               gboolean inverse,
               gboolean wide)
{
  const char *part = wide ? "f64" : "f32";
  g_autofree char *type = g_strdup_printf ("tensor<2x%" G_GSIZE_FORMAT "xcomplex<%s>>", n, part);
  g_autofree char *text = g_strdup_printf ("func.func @main(%%x: %s) -> %s {\n"
                                           "  %%0 = stablehlo.fft %%x, type = %s, length = [%" G_GSIZE_FORMAT
                                           "] : (%s) -> %s\n  return %%0 : %s\n}\n",
                                           type, type, inverse ? "IFFT" : "FFT", n, type, type, type);
  g_autoptr (GhloValue) input = new_random (type, -1, 1);
  g_autoptr (GhloValue) output = result_of (text, &input, 1);
  g_autofree Number *line = g_new (Number, n);

  for (gsize row = 0; row < 2; row++)
    {
      for (gsize i = 0; i < n; i++)
        line[i] = number_at (input, row * n + i);
      for (gsize k = 0; k < n; k++)
        {
          Number expected = transform_at (line, n, k, inverse ? 1 : -1) / (inverse ? (double) n : 1);

          assert_near (number_at (output, row * n + k), expected, cabs (expected) + (wide ? 0x1p-50 : 0),
                       wide ? 0x1p-51 : 0x1p-23);
        }
    }
}

static void
test_complex (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    for (guint kind = 0; kind < 4; kind++)
      check_complex (lengths[i], kind % 2 == 1, kind / 2 == 1);
}

/* The transform of a real line is the first half of the complex one, and the inverse restores the line. */
static void
test_real (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      gsize n = lengths[i], half = n / 2 + 1;
      g_autofree char *text =
        g_strdup_printf ("func.func @main(%%x: tensor<%1$" G_GSIZE_FORMAT "xf64>) -> (tensor<%2$" G_GSIZE_FORMAT
                         "xcomplex<f64>>, tensor<%1$" G_GSIZE_FORMAT "xf64>) {\n"
                         "  %%0 = stablehlo.fft %%x, type = RFFT, length = [%1$" G_GSIZE_FORMAT "] : (tensor<%1$"
                         G_GSIZE_FORMAT "xf64>) -> tensor<%2$" G_GSIZE_FORMAT "xcomplex<f64>>\n"
                         "  %%1 = stablehlo.fft %%0, type = IRFFT, length = [%1$" G_GSIZE_FORMAT "] : (tensor<%2$"
                         G_GSIZE_FORMAT "xcomplex<f64>>) -> tensor<%1$" G_GSIZE_FORMAT "xf64>\n"
                         "  return %%0, %%1 : tensor<%2$" G_GSIZE_FORMAT "xcomplex<f64>>, tensor<%1$" G_GSIZE_FORMAT
                         "xf64>\n}\n", n, half);
      g_autofree char *type = g_strdup_printf ("tensor<%" G_GSIZE_FORMAT "xf64>", n);
      g_autoptr (GhloValue) input = new_random (type, -1, 1);
      g_autofree Number *line = g_new (Number, n);
      GhloValue *outputs[2] = { NULL };

      for (gsize k = 0; k < n; k++)
        line[k] = number_at (input, k);
      run_text (text, &input, 1, outputs);
      for (gsize k = 0; k < half; k++)
        assert_near (number_at (outputs[0], k), transform_at (line, n, k, -1), sqrt ((double) n), 0x1p-51);
      for (gsize k = 0; k < n; k++)
        assert_near (number_at (outputs[1], k), line[k], 1, 0x1p-51);
      ghlo_value_unref (outputs[0]);
      ghlo_value_unref (outputs[1]);
    }
}

/* Three dimensions, forward and inverse. */
static void
test_dimensions (void)
{
  const char *text =
    "func.func @main(%x: tensor<2x3x5x6xf64>) -> tensor<2x3x5x6xf64> {\n"
    "  %0 = stablehlo.fft %x, type = RFFT, length = [3, 5, 6] : (tensor<2x3x5x6xf64>) -> tensor<2x3x5x4xcomplex<f64>>\n"
    "  %1 = stablehlo.fft %0, type = IRFFT, length = [3, 5, 6] : (tensor<2x3x5x4xcomplex<f64>>) -> "
    "tensor<2x3x5x6xf64>\n"
    "  return %1 : tensor<2x3x5x6xf64>\n}\n";
  g_autoptr (GhloValue) input = new_random ("tensor<2x3x5x6xf64>", -1, 1);
  g_autoptr (GhloValue) output = result_of (text, &input, 1);

  for (gsize i = 0; i < input->n_elements; i++)
    assert_near (number_at (output, i), number_at (input, i), 1, 0x1p-51);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernels/fourier/complex", test_complex);
  g_test_add_func ("/kernels/fourier/real", test_real);
  g_test_add_func ("/kernels/fourier/dimensions", test_dimensions);
  return g_test_run ();
}
