/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fused multiply-adds that shaders compose of separately rounded operations, square roots after the shaders'
 * correction, and the device's own versions where they were measured to round once, all compared with the C library's.
 *
 *   GHLO_TEST_COUNT=N test-spirv-fma      N × 65,536 of either type
 */

#include "base/bits.h"
#include "kernel/evaluate.h"
#include "kernel/text.h"

#include "shader-kernel.h"

#include <locale.h>
#include <math.h>
#include <string.h>

#define F32 GHLO_ELEMENT_TYPE_F32
#define F64 GHLO_ELEMENT_TYPE_F64

/* The number of points, each of which multiplies and adds three numbers of one type. */
enum { POINTS = 65536 };

static guint64
draw_word (GRand *rand)
{
  return (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);
}

/* An f64: any; near 1; subnormal; with few bits; or with the exponent @exponent. */
static double
draw_double (GRand *rand,
             gint   exponent)
{
  static const double special[] = { 0, 1, 1.5, 2, INFINITY, NAN, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp-1023,
                                    0x1.fffffffffffffp1023, 0x1.0000000000001p0, 0x1p-537, 0x1p512 };
  const guint64 word = draw_word (rand), sign_and_fraction = word & G_GUINT64_CONSTANT (0x800fffffffffffff);

  switch (g_rand_int_range (rand, 0, 6))
    {
    case 0:
      return ghlo_double_of_bits (word);
    case 1:
      return ghlo_double_of_bits (sign_and_fraction | (guint64) g_rand_int_range (rand, 993, 1053) << 52);
    case 2:
      return ghlo_double_of_bits (sign_and_fraction >> g_rand_int_range (rand, 0, 40));
    case 3:
      return ghlo_double_of_bits (word & G_GUINT64_CONSTANT (0xfff8000000000003));
    case 4:
      return copysign (special[g_rand_int_range (rand, 0, G_N_ELEMENTS (special))], (double) (gint64) word);
    default:
      return ghlo_double_of_bits (sign_and_fraction | (guint64) (exponent + 1023) << 52);
    }
}

/* Three numbers whose result is often near 0, a tie, subnormal or near infinity. */
static void
draw_doubles (GRand  *rand,
              double *x)
{
  const gint total = g_rand_boolean (rand) ? g_rand_int_range (rand, -1080, -960) : g_rand_int_range (rand, 1015, 1026);
  const gint exponent = CLAMP (g_rand_int_range (rand, -1000, 1000), total - 1023, total + 1022);

  x[0] = draw_double (rand, exponent);
  x[1] = draw_double (rand, total - exponent);
  x[2] = draw_double (rand, g_rand_int_range (rand, -1022, 1024));
  switch (g_rand_int_range (rand, 0, 4))
    {
    case 0:
      x[2] = ghlo_double_of_bits (ghlo_bits_of_double (-(x[0] * x[1])) + (guint64) g_rand_int_range (rand, -2, 3));
      break;
    case 1:
      x[2] = ldexp (x[0] * x[1], g_rand_int_range (rand, -120, 120));
      break;
    case 2:
      x[0] = ghlo_double_of_bits (ghlo_bits_of_double (x[0]) & ~(guint64) 0x3ffffff);
      x[2] = ldexp (x[0] * x[1], -g_rand_int_range (rand, 50, 110));
      break;
    default:
      break;
    }
}

static void
draw_floats (GRand *rand,
             float *x)
{
  for (guint i = 0; i < 3; i++)
    x[i] = ghlo_float_of_bits (g_rand_boolean (rand) ? g_rand_int (rand) : g_rand_int (rand) & 0xffc00003);
  if (g_rand_boolean (rand))
    x[1] = ldexpf (x[1], CLAMP (-ilogbf (x[0]), -200, 200) - g_rand_int_range (rand, 100, 160));
  if (g_rand_boolean (rand))
    x[2] = ldexpf (x[0] * x[1], g_rand_int_range (rand, -60, 60));
}

/* Fills buffers with numbers and with the C library's results for them. */
static void
fill (GRand                  *rand,
      GhloElementType         type,
      const GhloKernelMemory *memory,
      gpointer                expected)
{
  for (guint i = 0; i < POINTS; i++)
    if (type == F64)
      {
        double x[3];

        draw_doubles (rand, x);
        for (guint j = 0; j < 3; j++)
          ((double *) memory[j].data)[i] = x[j];
        ((double *) expected)[i] = fma (x[0], x[1], x[2]);
      }
    else
      {
        float x[3];

        draw_floats (rand, x);
        for (guint j = 0; j < 3; j++)
          ((float *) memory[j].data)[i] = x[j];
        ((float *) expected)[i] = fmaf (x[0], x[1], x[2]);
      }
}

static guint64
element_of (gconstpointer   data,
            GhloElementType type,
            gsize           at)
{
  return ghlo_node_load (type, (const guint8 *) data + at * ghlo_element_info (type)->size);
}

/* Compares bits; any NaN equals any other. */
static gboolean
is_same (GhloElementType type,
         guint64         a,
         guint64         b)
{
  if (type == F64)
    return a == b || (isnan (ghlo_double_of_bits (a)) && isnan (ghlo_double_of_bits (b)));

  return a == b || (isnan (ghlo_float_of_bits (a)) && isnan (ghlo_float_of_bits (b)));
}

static void
check_sums (GhloElementType         type,
            const GhloKernelMemory *memory,
            gpointer                expected)
{
  for (guint i = 0; i < POINTS; i++)
    {
      guint64 a = element_of (expected, type, i), b = element_of (memory[3].data, type, i);

      if (!is_same (type, a, b))
        g_error ("fma %s 0x%" G_GINT64_MODIFIER "x 0x%" G_GINT64_MODIFIER "x 0x%" G_GINT64_MODIFIER "x: expected 0x%"
                 G_GINT64_MODIFIER "x, found 0x%" G_GINT64_MODIFIER "x", ghlo_element_info (type)->name,
                 element_of (memory[0].data, type, i), element_of (memory[1].data, type, i),
                 element_of (memory[2].data, type, i), a, b);
    }
}

static GhloKernel *
make_sum (GhloElementType type)
{
  const char *name = ghlo_element_info (type)->name;
  const guint size = ghlo_element_info (type)->size;
  g_autofree char *text = g_strdup_printf (
    "kernel sum {\n  parallel i %u\n  buffer x %u\n  buffer y %u\n  buffer z %u\n  buffer r %u written\n"
    "  access @0 %s x [i * %u]\n  access @1 %s y [i * %u]\n  access @2 %s z [i * %u]\n  access @3 %s r [i * %u]\n"
    "  points {\n    %%0 = load %s @0\n    %%1 = load %s @1\n    %%2 = load %s @2\n    %%3 = fma %s %%0 %%1 %%2\n"
    "    store %%3 to @3\n  }\n}\n", POINTS, POINTS * size, POINTS * size, POINTS * size, POINTS * size, name, size,
    name, size, name, size, name, size, name, name, name, name);
  g_autoptr (GError) error = NULL;
  GhloKernel *kernel = ghlo_kernel_parse (text, strlen (text), &error);

  g_assert_no_error (error);

  return kernel;
}

static void
check_fma (ShaderRunner          *runner,
           const GhloSpirvFloats *floats,
           GhloElementType        type,
           guint                  seed)
{
  const GhloSpirvSchedule schedule = { .workgroup_per_point = FALSE };
  const gint64 extents[] = { POINTS };
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_autofree GhloKernel *kernel = make_sum (type);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) words = ghlo_spirv_emit (kernel, floats, &schedule, &error);
  g_autofree gpointer expected = g_malloc (POINTS * sizeof (double));
  GhloKernelMemory memory[4];

  g_assert_no_error (error);
  for (guint i = 0; i < 4; i++)
    memory[i] = (GhloKernelMemory) { g_malloc0 ((gsize) kernel->buffers[i].size), (gsize) kernel->buffers[i].size };
  fill (rand, type, memory, expected);
  shader_kernel_run (runner, kernel, words, GHLO_SPIRV_GROUP, extents, memory, &error);
  g_assert_no_error (error);
  check_sums (type, memory, expected);
  for (guint i = 0; i < 4; i++)
    g_free (memory[i].data);
}

static void
test_fma (void)
{
  const char *count = g_getenv ("GHLO_TEST_COUNT");
  const guint n = count != NULL ? (guint) g_ascii_strtoull (count, NULL, 0) : 4;
  GhloSpirvDevice device = { 0 };
  g_autoptr (ShaderRunner) runner = shader_kernel_open (&device);
  GhloSpirvFloats composed = device.floats;

  composed.fuses[0] = composed.fuses[1] = FALSE;
  for (guint i = 0; runner != NULL && i < n; i++)
    for (guint is_f64 = 0; is_f64 < 2; is_f64++)
      {
        check_fma (runner, &composed, is_f64 ? F64 : F32, i);
        if (device.floats.fuses[is_f64])
          check_fma (runner, &device.floats, is_f64 ? F64 : F32, i);
      }
}

/* Any number, or a square, or a neighbour of a square. */
static void
draw_squares (GRand           *rand,
              GhloElementType  type,
              gpointer         numbers,
              gpointer         roots)
{
  for (guint i = 0; i < POINTS; i++)
    {
      gint step = g_rand_int_range (rand, -1, 2);
      double x = draw_double (rand, g_rand_int_range (rand, -1000, 1000));
      float y = ghlo_float_of_bits (g_rand_int (rand));

      if (type == F64)
        {
          double root = ghlo_double_of_bits (ghlo_bits_of_double (x) & ~(guint64) 0x3ffffff);

          if (g_rand_boolean (rand))
            x = ghlo_double_of_bits (ghlo_bits_of_double (root * root) + (guint64) (gint64) step);
          ((double *) numbers)[i] = x;
          ((double *) roots)[i] = sqrt (x);
        }
      else
        {
          float root = ghlo_float_of_bits (ghlo_bits_of_float (y) & ~0xfffu);

          if (g_rand_boolean (rand))
            y = ghlo_float_of_bits (ghlo_bits_of_float (root * root) + (guint32) step);
          ((float *) numbers)[i] = y;
          ((float *) roots)[i] = sqrtf (y);
        }
    }
}

static void
check_roots (ShaderRunner          *runner,
             const GhloSpirvFloats *floats,
             GhloElementType        type,
             guint                  seed)
{
  const char *name = ghlo_element_info (type)->name;
  const guint size = ghlo_element_info (type)->size;
  const GhloSpirvSchedule schedule = { .workgroup_per_point = FALSE };
  const gint64 extents[] = { POINTS };
  g_autofree char *text = g_strdup_printf (
    "kernel root {\n  parallel i %u\n  buffer x %u\n  buffer r %u written\n  access @0 %s x [i * %u]\n"
    "  access @1 %s r [i * %u]\n  points {\n    %%0 = load %s @0\n    %%1 = sqrt %s %%0\n    store %%1 to @1\n"
    "  }\n}\n", POINTS, POINTS * size, POINTS * size, name, size, name, size, name, name);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_autoptr (GError) error = NULL;
  g_autofree GhloKernel *kernel = ghlo_kernel_parse (text, strlen (text), &error);
  g_autofree gpointer numbers = g_malloc0 (POINTS * size), found = g_malloc0 (POINTS * size);
  g_autofree gpointer expected = g_malloc0 (POINTS * size);
  const GhloKernelMemory memory[2] = { { numbers, POINTS * size }, { found, POINTS * size } };
  g_autoptr (GBytes) words = NULL;

  g_assert_no_error (error);
  words = ghlo_spirv_emit (kernel, floats, &schedule, &error);
  g_assert_no_error (error);
  draw_squares (rand, type, numbers, expected);
  shader_kernel_run (runner, kernel, words, GHLO_SPIRV_GROUP, extents, memory, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < POINTS; i++)
    {
      guint64 a = element_of (expected, type, i), b = element_of (found, type, i);

      if (!is_same (type, a, b))
        g_error ("sqrt %s 0x%" G_GINT64_MODIFIER "x: expected 0x%" G_GINT64_MODIFIER "x, found 0x%" G_GINT64_MODIFIER
                 "x", name, element_of (numbers, type, i), a, b);
    }
}

static void
test_roots (void)
{
  GhloSpirvDevice device = { 0 };
  g_autoptr (ShaderRunner) runner = shader_kernel_open (&device);
  GhloSpirvFloats corrected = device.floats;

  corrected.takes_roots[0] = corrected.takes_roots[1] = FALSE;
  for (guint i = 0; runner != NULL && i < 2; i++)
    for (guint is_f64 = 0; is_f64 < 2; is_f64++)
      {
        check_roots (runner, &corrected, is_f64 ? F64 : F32, i);
        if (device.floats.takes_roots[is_f64])
          check_roots (runner, &device.floats, is_f64 ? F64 : F32, i);
      }
}

int
main (int    argc,
      char **argv)
{
  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/spirv/fma", test_fma);
  g_test_add_func ("/spirv/sqrt", test_roots);

  return g_test_run ();
}
