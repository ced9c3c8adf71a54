/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernels of tests/kernels compute what their names say: each is run by the interpreter and compared with the same
 * computation in C, over values that include NaNs, infinities, ties and out-of-range indices.
 */

#include "base/bits.h"
#include "kernel/interpret.h"
#include "kernel/text.h"

#include <math.h>
#include <string.h>

/* Runs tests/kernels/NAME.kernel on memory of the kernel's own sizes, which is returned; the first buffers are
 * @inputs. */
static GPtrArray *
run_file (const char          *name,
          const gconstpointer *inputs,
          guint                n_inputs)
{
  g_autofree char *file = g_strconcat (name, ".kernel", NULL);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "kernels", file, NULL);
  g_autofree char *text = NULL;
  g_autofree GhloKernel *kernel = NULL;
  g_autoptr (GError) error = NULL;
  GPtrArray *memory = g_ptr_array_new_with_free_func (g_free);
  GhloKernelMemory places[GHLO_KERNEL_MAX_BUFFERS];

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  kernel = ghlo_kernel_parse (text, strlen (text), &error);
  g_assert_no_error (error);
  for (guint i = 0; i < kernel->n_buffers; i++)
    {
      gsize size = kernel->buffers[i].size;

      g_ptr_array_add (memory, i < n_inputs ? g_memdup2 (inputs[i], size) : g_malloc0 (size));
      places[i] = (GhloKernelMemory) { memory->pdata[i], size };
    }
  ghlo_kernel_interpret (kernel, NULL, places, NULL, &error);
  g_assert_no_error (error);

  return memory;
}

#define RUN(name, ...) \
  run_file (name, (const gconstpointer[]) { __VA_ARGS__ }, \
            sizeof ((gconstpointer[]) { __VA_ARGS__ }) / sizeof (gconstpointer))

static void
assert_floats (const float *a,
               const float *b,
               guint        n)
{
  for (guint i = 0; i < n; i++)
    g_assert_true (ghlo_bits_of_float (a[i]) == ghlo_bits_of_float (b[i]) || (isnan (a[i]) && isnan (b[i])));
}

static float *
draw_floats (guint n)
{
  float *values = g_new (float, n);

  for (guint i = 0; i < n; i++)
    values[i] = (float) g_test_rand_double_range (-4, 4);

  return values;
}

static void
test_pad (void)
{
  guint16 x[4][5], fill = 7;
  g_autoptr (GPtrArray) memory = NULL;
  const guint16 *y;

  for (guint i = 0; i < 20; i++)
    x[i / 5][i % 5] = 100 + i;
  memory = RUN ("pad", x, &fill);
  y = memory->pdata[2];
  for (int row = 0; row < 9; row++)
    for (int column = 0; column < 12; column++)
      {
        gboolean is_inside = row % 2 == 1 && row < 8 && column >= 2 && column < 7;

        g_assert_cmpuint (y[row * 12 + column], ==, is_inside ? x[(row - 1) / 2][column - 2] : fill);
      }
}

static void
test_gather (void)
{
  g_autofree float *table = draw_floats (3200);
  const gint32 indices[16] = { 0, 99, 50, -1, 100, G_MININT32, G_MAXINT32, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
  g_autoptr (GPtrArray) memory = RUN ("gather", table, indices);

  for (guint i = 0; i < 16; i++)
    assert_floats ((const float *) memory->pdata[2] + i * 32, table + CLAMP (indices[i], 0, 99) * 32, 32);
}

static void
test_slices (void)
{
  g_autofree float *x = draw_floats (800), *update = draw_floats (160);
  const gint32 starts[] = { -3, 0, 17, 80, 81, G_MAXINT32 };

  for (guint i = 0; i < G_N_ELEMENTS (starts); i++)
    {
      const gint32 start[] = { starts[i], starts[i] };
      const gint64 long_start = (gint64) starts[i] * 4096;
      g_autoptr (GPtrArray) slice = RUN ("dynamic-slice", x, start);
      g_autoptr (GPtrArray) whole = RUN ("dynamic-update-slice", update, &long_start, x);
      guint from = CLAMP (long_start, 0, 80) * 8;

      assert_floats (slice->pdata[2], x + CLAMP (starts[i], 0, 80) * 8, 160);
      assert_floats (whole->pdata[2], x, from);
      assert_floats ((const float *) whole->pdata[2] + from, update, 160);
      assert_floats ((const float *) whole->pdata[2] + from + 160, x + from + 160, 640 - from);
    }
}

static void
test_concatenate (void)
{
  const double all[12] = { 1, -0.0, 3, 4, INFINITY, 6, 7, 8, 9, 10, 11, 12 };
  g_autoptr (GPtrArray) memory = RUN ("concatenate", all, all + 4, all + 10);

  g_assert_cmpmem (memory->pdata[3], sizeof all, all, sizeof all);
}

static void
test_reduce_window (void)
{
  g_autofree float *x = draw_floats (28 * 28);
  g_autoptr (GPtrArray) memory = NULL;
  float y[14 * 14];

  x[0] = -INFINITY;
  for (int row = 0; row < 14; row++)
    for (int column = 0; column < 14; column++)
      {
        float *most = &y[row * 14 + column];

        *most = -INFINITY;
        for (int i = MAX (row * 2 - 1, 0); i <= row * 2 + 1; i++)
          for (int j = MAX (column * 2 - 1, 0); j <= column * 2 + 1; j++)
            *most = MAX (*most, x[i * 28 + j]);
      }
  memory = RUN ("reduce-window", x);
  assert_floats (memory->pdata[1], y, 14 * 14);
}

/* The index of the first NaN, or else of the first maximum. */
static int
find_most (const float *x,
           int          n)
{
  int place = 0;

  for (int i = 1; i < n && !isnan (x[place]); i++)
    if (x[i] > x[place] || isnan (x[i]))
      place = i;

  return place;
}

static void
test_argmax (void)
{
  g_autofree float *x = draw_floats (32 * 1000);
  g_autoptr (GPtrArray) memory = NULL;

  for (guint i = 0; i < 1000; i++)
    {
      x[i] = -INFINITY;
      x[1000 + i] = i % 2 == 1 ? 0.0f : -0.0f;
      x[2000 + i] = (float) (i % 37);
    }
  x[3000 + 700] = x[3000 + 33] = NAN;
  x[4000 + 999] = x[4000 + 998] = INFINITY;
  memory = RUN ("argmax", x);
  for (int row = 0; row < 32; row++)
    {
      int place = find_most (x + row * 1000, 1000);

      g_assert_cmpint (((const gint32 *) memory->pdata[2])[row], ==, place);
      assert_floats ((const float *) memory->pdata[1] + row, x + row * 1000 + place, 1);
    }
}

/* In the order that the kernel states: 8 chains in each part of 256 rows. */
static float
sum_column (const float *x)
{
  float sum = 0;

  for (guint part = 0; part < 1000; part += 256)
    {
      float chains[8] = { -0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f, -0.0f };

      for (guint row = part; row < MIN (part + 256, 1000); row++)
        chains[row % 8] += x[row * 256];
      for (guint n = 4; n > 0; n /= 2)
        for (guint i = 0; i < n; i++)
          chains[i] += chains[i + n];
      sum = part == 0 ? chains[0] : sum + chains[0];
    }

  return sum;
}

static void
test_column_sum (void)
{
  g_autofree float *x = draw_floats (256 * 1000);
  g_autoptr (GPtrArray) memory = RUN ("column-sum", x);

  for (guint column = 0; column < 256; column++)
    {
      float sum = sum_column (x + column);

      assert_floats ((const float *) memory->pdata[1] + column, &sum, 1);
    }
}

static void
test_collatz (void)
{
  gint64 x[100];
  g_autoptr (GPtrArray) memory = NULL;

  for (guint i = 0; i < 100; i++)
    x[i] = i == 50 ? -17 : i;
  memory = RUN ("collatz", x);
  for (guint i = 0; i < 100; i++)
    {
      int count = 0;

      for (gint64 n = x[i]; n > 1 && count < 200; count++)
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
      g_assert_cmpint (((const gint32 *) memory->pdata[1])[i], ==, count);
    }
}

static void
test_when (void)
{
  const guint8 chosen[10] = { 0, 1, 1, 0, 0, 1, 0, 1, 1, 0 };
  g_autofree float *x = draw_floats (240);
  g_autoptr (GPtrArray) memory = RUN ("when", chosen, x);

  for (guint i = 0; i < 240; i++)
    {
      float y = chosen[i / 24] ? sqrtf (fabsf (x[i])) : x[i];

      assert_floats ((const float *) memory->pdata[2] + i, &y, 1);
    }
}

static void
test_softmax (void)
{
  g_autofree float *x = draw_floats (1536 * 128);
  g_autoptr (GPtrArray) memory = RUN ("softmax", x);
  const float *y = memory->pdata[1];

  for (guint row = 0; row < 1536; row++)
    {
      double sum = 0;

      for (guint i = 0; i < 128; i++)
        sum += exp (x[row * 128 + i] * 0.125);
      for (guint i = 0; i < 128; i++)
        {
          double exact = exp (x[row * 128 + i] * 0.125) / sum;

          g_assert_cmpfloat_with_epsilon (y[row * 128 + i], exact, exact * 1e-6);
        }
    }
}

static void
test_exponential (void)
{
  g_autofree float *x = draw_floats (65536);
  g_autoptr (GPtrArray) memory = RUN ("exponential", x);

  for (guint i = 0; i < 65536; i++)
    g_assert_cmpfloat_with_epsilon (((const float *) memory->pdata[1])[i], exp (x[i]), exp (x[i]) * 3e-7);
}

static void
test_layer_norm (void)
{
  enum { N_ROWS = 64, N = 768 };
  g_autofree float *x = draw_floats (N_ROWS * N), *scale = draw_floats (N), *shift = draw_floats (N);
  g_autoptr (GPtrArray) memory = RUN ("layer-norm", x, scale, shift);

  for (guint row = 0; row < N_ROWS; row++)
    {
      double mean = 0, squares = 0;

      for (guint i = 0; i < N; i++)
        mean += (double) x[row * N + i] / N;
      for (guint i = 0; i < N; i++)
        squares += (x[row * N + i] - mean) * (x[row * N + i] - mean);
      for (guint i = 0; i < N; i++)
        g_assert_cmpfloat_with_epsilon (((const float *) memory->pdata[3])[row * N + i],
                                        (x[row * N + i] - mean) / sqrt (squares / N + 1e-5) * scale[i] + shift[i],
                                        1e-5);
    }
}

/* The sum of @n products; right factors are @right_stride apart. */
static double
multiply (const float *left,
          const float *right,
          guint        right_stride,
          guint        n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += (double) left[i] * right[i * right_stride];

  return sum;
}

static double
logistic (double x)
{
  return 1 / (1 + exp (-x));
}

static void
test_recurrence (void)
{
  enum { STEPS = 20, BATCH = 3, UNITS = 16, INNER = 8, WEIGHTS = INNER * UNITS };
  g_autofree float *x = draw_floats (STEPS * BATCH * INNER), *w = draw_floats (3 * WEIGHTS);
  g_autofree float *bias = draw_floats (2 * UNITS), *c0 = draw_floats (BATCH * UNITS);
  g_autoptr (GPtrArray) memory = RUN ("recurrence", x, w, bias, c0);

  for (guint i = 0; i < BATCH * UNITS; i++)
    {
      guint unit = i % UNITS;
      double c = c0[i];

      for (guint step = 0; step < STEPS; step++)
        {
          const float *row = x + (step * BATCH + i / UNITS) * INNER;
          double input = multiply (row, w + unit, UNITS, INNER);
          double forget = logistic (multiply (row, w + WEIGHTS + unit, UNITS, INNER) + bias[unit]);
          double output = logistic (multiply (row, w + 2 * WEIGHTS + unit, UNITS, INNER) + bias[UNITS + unit]);

          c = forget * c + (1 - forget) * input;
          g_assert_cmpfloat_with_epsilon (((const float *) memory->pdata[4])[step * BATCH * UNITS + i],
                                          output * tanh (c), 1e-4);
        }
      g_assert_cmpfloat_with_epsilon (((const float *) memory->pdata[5])[i], c, 1e-4);
    }
}

static void
test_rnn (void)
{
  enum { N = 16 };
  g_autofree float *h0 = draw_floats (3 * N), *w = draw_floats (N * N);
  g_autoptr (GPtrArray) memory = NULL;

  /* Small enough that differences do not grow from step to step. */
  for (guint i = 0; i < N * N; i++)
    w[i] *= 0.05f;
  memory = RUN ("rnn", h0, w);
  for (guint sequence = 0; sequence < 3; sequence++)
    {
      float h[N], next[N];

      memcpy (h, h0 + sequence * N, sizeof h);
      for (guint step = 0; step < 20; step++)
        {
          for (guint i = 0; i < N; i++)
            next[i] = (float) tanh (multiply (h, w + i, N, N));
          memcpy (h, next, sizeof h);
        }
      for (guint i = 0; i < N; i++)
        g_assert_cmpfloat_with_epsilon (((const float *) memory->pdata[2])[sequence * N + i], h[i], 1e-5);
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/kernel-files/pad", test_pad);
  g_test_add_func ("/kernel-files/gather", test_gather);
  g_test_add_func ("/kernel-files/slices", test_slices);
  g_test_add_func ("/kernel-files/concatenate", test_concatenate);
  g_test_add_func ("/kernel-files/reduce-window", test_reduce_window);
  g_test_add_func ("/kernel-files/argmax", test_argmax);
  g_test_add_func ("/kernel-files/column-sum", test_column_sum);
  g_test_add_func ("/kernel-files/collatz", test_collatz);
  g_test_add_func ("/kernel-files/when", test_when);
  g_test_add_func ("/kernel-files/softmax", test_softmax);
  g_test_add_func ("/kernel-files/exponential", test_exponential);
  g_test_add_func ("/kernel-files/layer-norm", test_layer_norm);
  g_test_add_func ("/kernel-files/recurrence", test_recurrence);
  g_test_add_func ("/kernel-files/rnn", test_rnn);

  return g_test_run ();
}
