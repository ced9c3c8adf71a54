/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The routines for all instruction set levels that this processor supports give the same bits: elementwise loops,
 * functions, casts, reductions, scans, matrix-vector products, products with weights of four bits, small products,
 * conversions, random bits, windows and Fourier transforms. Inputs are random bits, random numbers and special values.
 * Where numbers are computed any NaN equals any other; where they are converted NaNs must have equal bits. Softmax and
 * products of bf16, which differ in bits, are compared with exact ones.
 */

#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu/isa/elementwise.h"
#include "cpu/isa/routines.h"
#include "base/sizes.h"
#include "kernel/kernel.h"
#include "kernel/scalar.h"

enum { MOST = 1400, MAX_SIZE = 16, ROUNDS = 12 };

typedef struct
{
  GhloCpuElementwiseRoutines elementwise;
  GhloCpuRoutines            routines;
} Level;

static Level levels[GHLO_CPU_N_LEVELS];
static guint n_levels;

static guint8 *operands[3];

static double
random_number (void)
{
  static const double special[] = {
    0.0, -0.0, INFINITY, -INFINITY, NAN, -NAN, 1, -1, 0.5, -2.5, 1e-40, -1e-40, 0x1p-24, 65519.996, 65520, 3e38, 1e300,
    2147483648.0, -2147483649.0, 4294967296.0, 9.3e18, 1.9e19,
  };

  return g_test_rand_int_range (0, 8) == 0 ? special[g_test_rand_int_range (0, G_N_ELEMENTS (special))]
         : ldexp (g_test_rand_double_range (-1, 1), g_test_rand_int_range (-6, 8));
}

/* Fills @to with @n numbers of @size bytes: floats if requested, otherwise arbitrary bits. */
static void
fill (guint8   *to,
      gsize     n,
      guint     size,
      gboolean  is_float)
{
  gboolean any_bits = !is_float || g_test_rand_int_range (0, 4) == 0;

  if (!any_bits && size == sizeof (float))
    for (gsize i = 0; i < n; i++)
      ((float *) (gpointer) to)[i] = (float) random_number ();
  else if (!any_bits)
    for (gsize i = 0; i < n; i++)
      ((double *) (gpointer) to)[i] = random_number ();
  else
    for (gsize i = 0; i < n * size; i++)
      to[i] = (guint8) g_test_rand_int_range (0, 256);
}

static gboolean
same_numbers (const guint8 *a,
              const guint8 *b,
              gsize         n_bytes,
              guint         float_size)     /* 0: not floats */
{
  if (memcmp (a, b, n_bytes) == 0)
    return TRUE;
  if (float_size == 0)
    return FALSE;
  for (gsize i = 0; i < n_bytes; i += float_size)
    {
      gconstpointer x = a + i, y = b + i;
      gboolean both_nan = float_size == sizeof (float) ? isnan (*(const float *) x) && isnan (*(const float *) y)
                          : isnan (*(const double *) x) && isnan (*(const double *) y);

      if (!both_nan && memcmp (a + i, b + i, float_size) != 0)
        return FALSE;
    }

  return TRUE;
}

/* The size of the floats that a number consists of, 0 where it is not made of floats. */
static guint
float_size_of (guint number)
{
  switch (number)
    {
    case GHLO_CPU_NUMBER_F32:
    case GHLO_CPU_NUMBER_F32_ODD:
    case GHLO_CPU_NUMBER_C64:
      return sizeof (float);
    case GHLO_CPU_NUMBER_F64:
    case GHLO_CPU_NUMBER_C128:
      return sizeof (double);
    default:
      return 0;
    }
}

static gsize
random_count (void)
{
  return (gsize) (g_test_rand_bit () ? g_test_rand_int_range (0, 70) : g_test_rand_int_range (0, MOST));
}

/* The bytes of a result: those of the first level, and those of another one to be compared. */
typedef struct
{
  guint8 *first, *other;
  gsize   n_bytes;
} Results;

static Results *
results_get (gsize n_bytes)
{
  static Results results;

  results.first = g_realloc (results.first, n_bytes + 1);
  results.other = g_realloc (results.other, n_bytes + 1);
  results.n_bytes = n_bytes;

  return &results;
}

static guint8 *
results_of (Results *self,
            guint    level)
{
  return memset (level == 0 ? self->first : self->other, 0xa5, self->n_bytes);
}

static void
results_check (const Results *self,
               guint          level,
               guint          float_size,
               const char    *what,
               guint          kind,
               guint          op,
               gsize          n)
{
  if (level > 0 && !same_numbers (self->first, self->other, self->n_bytes, float_size))
    g_error ("%s %u, %u of %" G_GSIZE_FORMAT " numbers: %s and %s differ", what, kind, op, n, ghlo_cpu_level_name (0),
             ghlo_cpu_level_name (level));
}

static void
check_loop (guint    number,
            guint    op,
            gboolean is_function)
{
  const GhloCpuPrecision precision = { .dropped = 13, .infinity = 0x7f800000, .most = 0x7f7fffff, .least = 1 };
  guint float_size = float_size_of (number), size = ghlo_cpu_number_size (number);
  gsize n = random_count ();
  Results *results = results_get (n * MAX_SIZE);

  for (guint i = 0; i < G_N_ELEMENTS (operands); i++)
    fill (operands[i], n * size / (float_size > 0 ? float_size : size), float_size > 0 ? float_size : size,
          float_size > 0);
  for (guint level = 0; level < n_levels; level++)
    {
      const GhloCpuElementwiseRoutines *routines = &levels[level].elementwise;
      const GhloCpuElementwiseFunc *loops = is_function ? routines->functions[number] : routines->loops[number];

      loops[op] ((const guint8 *const *) operands, results_of (results, level), n, &precision);
      results_check (results, level, float_size, is_function ? "function" : "loop", number, op, n);
    }
}

static void
test_loops (void)
{
  for (guint round = 0; round < ROUNDS; round++)
    for (guint number = 0; number < GHLO_CPU_N_NUMBERS; number++)
      for (guint op = 0; op < GHLO_CPU_N_ELEMENTWISE; op++)
        if (levels[0].elementwise.loops[number][op] != NULL)
          check_loop (number, op, FALSE);
}

static void
test_functions (void)
{
  for (guint round = 0; round < ROUNDS; round++)
    for (guint number = 0; number < GHLO_CPU_N_NUMBERS; number++)
      for (guint node = 0; levels[0].elementwise.functions[number] != NULL && node < GHLO_N_NODES; node++)
        if (levels[0].elementwise.functions[number][node] != NULL)
          check_loop (number, node, TRUE);
}

static void
test_casts (void)
{
  for (guint round = 0; round < ROUNDS; round++)
    for (guint from = 0; from < GHLO_CPU_N_NUMBERS; from++)
      for (guint to = 0; to < GHLO_CPU_N_TARGETS; to++)
        {
          gsize n = random_count ();
          Results *results = results_get (n * ghlo_cpu_number_size (to));

          if (levels[0].elementwise.casts[from][to] == NULL)
            continue;
          fill (operands[0], n, ghlo_cpu_number_size (from), float_size_of (from) > 0);
          for (guint level = 0; level < n_levels; level++)
            {
              levels[level].elementwise.casts[from][to] ((const guint8 *const *) operands, results_of (results, level),
                                                         n, NULL);
              results_check (results, level, 0, "cast", from, to, n);
            }
        }
}

/* Without special values, which would hide differences in the order of operations. */
static void
fill_plain (guint8 *to,
            gsize   n,
            guint   float_size)
{
  for (gsize i = 0; i < n; i++)
    if (float_size == sizeof (float))
      ((float *) (gpointer) to)[i] = (float) g_test_rand_double_range (-2, 2);
    else
      ((double *) (gpointer) to)[i] = g_test_rand_double_range (-2, 2);
}

static void
check_reduction (guint number,
                 guint combiner)
{
  guint float_size = float_size_of (number), size = ghlo_cpu_number_size (number);
  gsize n = random_count ();
  Results *results = results_get (size);

  if (float_size > 0 && g_test_rand_int_range (0, 4) > 0)
    fill_plain (operands[0], n + 1, float_size);
  else
    fill (operands[0], n + 1, size, float_size > 0);
  for (guint level = 0; level < n_levels; level++)
    {
      guint8 *accumulator = results_of (results, level);

      memcpy (accumulator, operands[0] + n * size, size);
      levels[level].elementwise.reductions[number][combiner] (operands[0], n, accumulator);
      results_check (results, level, float_size, "reduction", number, combiner, n);
    }
}

static void
test_reductions (void)
{
  for (guint round = 0; round < 20 * ROUNDS; round++)
    for (guint number = 0; number < GHLO_CPU_N_NUMBERS; number++)
      for (guint combiner = 0; combiner < GHLO_N_COMBINERS; combiner++)
        if (levels[0].elementwise.reductions[number][combiner] != NULL)
          check_reduction (number, combiner);
}

/* What a scan does, number by number, with the reductions of one number. */
static void
scan_plainly (const GhloCpuScan *scan,
              GhloCpuReduceFunc  reduce,
              guint              size)
{
  for (gsize i = 0; i < scan->rows; i++)
    for (gsize j = 0; j < scan->columns; j++)
      {
        guint8 *to = scan->to != NULL ? scan->to + (gint64) i * scan->to_row + j * size : NULL;

        reduce (scan->from + (gint64) i * scan->from_row + j * size, 1, scan->sums + j * size);
        if (to != NULL && scan->before != NULL)
          {
            memcpy (to, scan->before + j * size, size);
            reduce (scan->sums + j * size, 1, to);
          }
        else if (to != NULL)
          memcpy (to, scan->sums + j * size, size);
      }
}

/* Rows from the first to the last or back, in place or not, anywhere in memory; the first result is the plain one. */
static void
check_scan (guint number,
            guint combiner)
{
  guint float_size = float_size_of (number), size = ghlo_cpu_number_size (number);
  gboolean is_exact = ghlo_combiner_is_exact (combiner, float_size > 0 ? GHLO_ELEMENT_CLASS_FLOAT
                                                        : GHLO_ELEMENT_CLASS_SIGNED);
  gsize rows = (gsize) g_test_rand_int_range (0, 9), columns = (gsize) g_test_rand_int_range (1, 160);
  gboolean stores = g_test_rand_bit (), in_place = g_test_rand_bit (), backward = rows > 0 && g_test_rand_bit ();
  gboolean has_before = !is_exact && g_test_rand_bit ();
  gsize n = rows * columns;
  gint64 row = (gint64) (columns * size);
  Results *results = results_get ((n + columns) * size);

  for (guint i = 0; i < 2; i++)
    if (float_size > 0 && g_test_rand_bit ())
      fill_plain (operands[i], n + 2 * columns, float_size);
    else
      fill (operands[i], n + 2 * columns, size, float_size > 0);
  for (gsize i = 0; number == GHLO_CPU_NUMBER_I1 && i < n + 2 * columns; i++)
    {
      operands[0][i] &= 1;
      operands[1][i] &= 1;
    }
  for (guint i = 0; i <= n_levels; i++)
    {
      const GhloCpuElementwiseRoutines *routines = &levels[MAX (i, 1) - 1].elementwise;
      guint8 *sums = results_of (results, i), *first = sums + (gsize) row;
      gint64 last = backward ? (gint64) (rows - 1) * row : 0;
      GhloCpuScan scan = {
        .from = (in_place ? first : operands[0]) + last, .to = stores || in_place ? first + last : NULL,
        .from_row = backward ? -row : row, .to_row = backward ? -row : row, .rows = rows, .columns = columns,
        .sums = sums, .before = has_before ? operands[1] + columns * size : NULL,
      };

      memcpy (sums, operands[1], columns * size);
      memcpy (first, operands[0], n * size);
      if (i == 0)
        scan_plainly (&scan, routines->reductions[number][combiner], size);
      else
        routines->scans[number][combiner] (&scan);
      if (i > 0 && !same_numbers (results->first, results->other, results->n_bytes, float_size))
        g_error ("scan %u, %u of %" G_GSIZE_FORMAT " by %" G_GSIZE_FORMAT " numbers of %s differs", number, combiner,
                 rows, columns, ghlo_cpu_level_name (i - 1));
    }
}

static void
test_scans (void)
{
  for (guint round = 0; round < 20 * ROUNDS; round++)
    for (guint number = 0; number < GHLO_CPU_N_NUMBERS; number++)
      for (guint combiner = 0; combiner < GHLO_N_COMBINERS; combiner++)
        {
          g_assert_true ((levels[0].elementwise.scans[number][combiner] != NULL)
                         == (levels[0].elementwise.reductions[number][combiner] != NULL));
          if (levels[0].elementwise.scans[number][combiner] != NULL)
            check_scan (number, combiner);
        }
}

/* A matrix and a few vectors, which are padded with zeros. */
static void
check_vectors (GhloCpuVector kind,
               gboolean      adds)
{
  static const struct { guint size, number, sum; } sizes[] = {
    [GHLO_CPU_VECTOR_F32] = { 4, 4, 4 }, [GHLO_CPU_VECTOR_F64] = { 8, 8, 8 }, [GHLO_CPU_VECTOR_BF16] = { 2, 4, 4 },
    [GHLO_CPU_VECTOR_F16] = { 2, 4, 4 }, [GHLO_CPU_VECTOR_I8] = { 1, 2, 4 }, [GHLO_CPU_VECTOR_U8] = { 1, 2, 4 },
    [GHLO_CPU_VECTOR_I32] = { 4, 4, 4 },
  };
  const gboolean is_exact = kind >= GHLO_CPU_VECTOR_I32;
  guint size = sizes[kind].size, number = sizes[kind].number, sum = sizes[kind].sum;
  gsize m = (gsize) g_test_rand_int_range (1, GHLO_CPU_MAX_VECTORS + 1);
  gsize n = (gsize) g_test_rand_int_range (0, 100), k = (gsize) g_test_rand_int_range (0, 100);
  gsize rows = adds ? k : n, columns = adds ? n : k;
  gsize x_step = (gsize) ghlo_round_up ((gint64) (k * number), GHLO_CPU_VECTOR_PADDING) / number;
  gint64 stride = (gint64) ((columns + 3) * size);
  g_autofree guint8 *matrix = g_malloc ((gsize) stride * rows + 1);
  Results *results = results_get (m * n * sum);

  if (size == 2)
    for (gsize i = 0; i < rows * (columns + 3); i++)
      ((guint16 *) (gpointer) matrix)[i] = (guint16) (g_test_rand_int_range (0, 2) << 15
                                                      | g_test_rand_int_range (0x2c00, 0x3f80));
  else if (size == 1)
    fill (matrix, (gsize) stride * rows, 1, FALSE);
  else
    fill_plain (matrix, rows * (columns + 3), size);
  memset (operands[0], 0, m * x_step * number);
  for (gsize i = 0; i < m; i++)
    if (number == 2)
      fill (operands[0] + i * x_step * number, k, number, FALSE);
    else
      fill_plain (operands[0] + i * x_step * number, k, number);
  for (guint level = 0; level < n_levels; level++)
    {
      const GhloCpuRoutines *routines = &levels[level].routines;
      const GhloCpuVectors product = {
        .m = m, .n = n, .k = k, .matrix = matrix, .stride = stride, .x = operands[0], .x_step = x_step,
        .y = results_of (results, level), .y_step = n,
      };

      (adds ? routines->add : routines->dot)[kind] (&product);
      results_check (results, level, is_exact ? 0 : sum, "vectors", kind, adds, n * k);
    }
}

static void
test_vectors (void)
{
  for (guint round = 0; round < 20 * ROUNDS; round++)
    for (GhloCpuVector kind = 0; kind < GHLO_CPU_N_VECTORS; kind++)
      {
        check_vectors (kind, FALSE);
        check_vectors (kind, TRUE);
      }
}

/* Adds the product of dense matrices of f32 to @c, in the order of k. */
static void
multiply_in_order (gsize        m,
                   gsize        n,
                   gsize        k,
                   const float *a,
                   const float *b,
                   float       *c)
{
  for (gsize i = 0; i < m * n; i++)
    for (gsize p = 0; p < k; p++)
      {
        float product = a[i / n * k + p] * b[p * n + i % n];

        c[i] += product;
      }
}

static void
test_small (void)
{
  for (guint round = 0; round < 10 * ROUNDS; round++)
    for (GhloCpuOrderedGemm kind = 0; kind < GHLO_CPU_N_ORDERED_GEMMS; kind++)
      {
        gsize m = (gsize) g_test_rand_int_range (1, 9), n = (gsize) g_test_rand_int_range (1, 90);
        gsize k = (gsize) g_test_rand_int_range (1, 15);
        guint size = kind == GHLO_CPU_ORDERED_GEMM_F32 ? 4 : 8;
        Results *results = results_get (m * n * size);

        for (guint i = 0; i < G_N_ELEMENTS (operands); i++)
          if (kind == GHLO_CPU_ORDERED_GEMM_I64)
            fill (operands[i], MOST, size, FALSE);
          else
            fill_plain (operands[i], MOST, size);
        for (guint level = 0; level < n_levels; level++)
          {
            guint8 *c = results_of (results, level);

            memcpy (c, operands[2], m * n * size);
            levels[level].routines.order[kind] (m, n, k, operands[0], k, operands[1], n, c, n);
            results_check (results, level, 0, "small product", kind, 0, m * n);
          }
        if (kind == GHLO_CPU_ORDERED_GEMM_F32)
          {
            guint8 *c = memcpy (results_of (results, 0), operands[2], m * n * size);

            multiply_in_order (m, n, k, (gpointer) operands[0], (gpointer) operands[1], (gpointer) c);
            results_check (results, n_levels - 1, 0, "small product in order", kind, 0, m * n);
          }
      }
}

static void
test_conversions (void)
{
  for (guint round = 0; round < 2 * ROUNDS; round++)
    for (GhloCpuConversion kind = 0; kind < GHLO_CPU_N_CONVERSIONS; kind++)
      {
        gsize n = random_count ();
        Results *results = results_get (n * sizeof (guint64));
        gboolean is_float = kind == GHLO_CPU_F32_TO_BF16 || kind == GHLO_CPU_F32_TO_F16
                            || kind == GHLO_CPU_F32_TO_F64 || kind == GHLO_CPU_F64_TO_F32;

        fill (operands[0], n, is_float && kind != GHLO_CPU_F64_TO_F32 ? 4 : 8, is_float);
        for (guint level = 0; level < n_levels; level++)
          {
            levels[level].routines.convert[kind] (operands[0], results_of (results, level), n);
            results_check (results, level, 0, "conversion", kind, 0, n);
          }
      }
}

/* Every f16, at every position in a vector. */
static void
test_halves (void)
{
  g_autofree guint16 *halves = g_new (guint16, 65536 + 32);
  Results *results = results_get (65536 * sizeof (float));

  for (guint shift = 0; shift < 17; shift++)
    {
      for (guint i = 0; i < 65536; i++)
        halves[i] = (guint16) (i + shift);
      for (guint level = 0; level < n_levels; level++)
        {
          levels[level].routines.convert[GHLO_CPU_F16_TO_F32] (halves, results_of (results, level), 65536 - shift);
          results_check (results, level, 0, "halves", shift, 0, 65536);
        }
    }
}

static void
test_random (void)
{
  for (guint round = 0; round < 10 * ROUNDS; round++)
    {
      gsize n = random_count ();
      guint64 key = (guint64) g_test_rand_int () << 32 | (guint32) g_test_rand_int ();
      guint64 counter = (guint64) g_test_rand_int () << 32 | (guint32) g_test_rand_int ();
      Results *results = results_get (4 * n * sizeof (guint32));

      for (guint level = 0; level < n_levels; level++)
        {
          guint32 *words = (guint32 *) (gpointer) results_of (results, level);

          levels[level].routines.threefry (key, counter, n, words, words + n);
          results_check (results, level, 0, "threefry", 0, 0, n);
        }
      for (guint level = 0; level < n_levels; level++)
        {
          levels[level].routines.philox (key, counter >> 1, key ^ counter, n, results_of (results, level));
          results_check (results, level, 0, "philox", 0, 0, n);
        }
    }
}

/* A window of rows at any place in the first operand; the second operand is the source. */
static void
test_pools (void)
{
  for (guint round = 0; round < 40 * ROUNDS; round++)
    {
      guint type = round % 2, size = type == 0 ? sizeof (float) : sizeof (double);
      gsize n = (gsize) g_test_rand_int_range (1, 70);
      gint64 taps[9];
      GhloCpuPoolRow row = {
        .operand = operands[0], .source = operands[1], .operand_step = (gint64) (n * size),
        .source_step = (gint64) (n * size), .n_windows = 2, .n = n, .taps = taps,
        .n_taps = (guint) g_test_rand_int_range (1, 10), .adds = round / 2 % 2,
      };
      Results *results = results_get (11 * n * size);

      row.first = (guint) g_test_rand_int_range (0, (gint) row.n_taps);
      row.end = (guint) g_test_rand_int_range ((gint) row.first, (gint) row.n_taps + 1);
      for (guint i = 0; i < row.n_taps; i++)
        taps[i] = (gint64) (i * n * size);
      fill (operands[0], 11 * n, size, TRUE);
      fill (operands[1], 2 * n, size, TRUE);
      for (guint kind = 0; kind < GHLO_CPU_N_SELECTIONS; kind++)
        for (guint level = 0; level < n_levels; level++)
          {
            row.result = results_of (results, level);
            levels[level].routines.pool_gradient[type][kind] (&row);
            results_check (results, level, size, "gradient of a pool", type, kind, n);
          }
    }
}

/* One pass of each radix, over all lanes or the first, and what turns pairs of real numbers into complex ones. */
static void
test_fourier (void)
{
  static const guint radices[] = { 2, 3, 4, 5, 7, 8, 11 };
  enum { MAX_ROWS = 11 * 3 };
  guint8 rows[(MAX_ROWS + 1) * GHLO_CPU_FOURIER_ROW] __attribute__ ((aligned (64)));

  for (guint round = 0; round < 4 * ROUNDS; round++)
    for (guint i = 0; i < 2 * G_N_ELEMENTS (radices); i++)
      {
        gsize size = i % 2 == 0 ? sizeof (float) : sizeof (double), m = 1 + round % 3;
        gsize used = round / 6 % 2 == 0 ? GHLO_CPU_FOURIER_PART : size;
        guint radix = radices[i / 2];
        Results *results = results_get (sizeof rows);

        fill (operands[0], sizeof rows / size, (guint) size, TRUE);
        fill (operands[1], 2 * MAX_ROWS, (guint) size, TRUE);
        fill (operands[2], 2 * MAX_ROWS, (guint) size, TRUE);
        for (guint level = 0; level < n_levels; level++)
          {
            const GhloCpuFourier *routines = &levels[level].routines.fourier[i % 2];
            GhloCpuFourierPassFunc pass = radix < G_N_ELEMENTS (routines->pass) ? routines->pass[radix]
                                                                                 : routines->any_pass;

            memcpy (rows, operands[0], sizeof rows);
            pass (rows, 1, m, operands[1], radix, operands[2], round / 3 % 2 == 1, (guint) (used / size));
            routines->untangle (rows, NULL, MAX_ROWS, operands[1], round % 2 == 1);
            for (guint8 *part = rows; part < rows + sizeof rows; part += GHLO_CPU_FOURIER_PART)
              memset (part + used, 0, GHLO_CPU_FOURIER_PART - used);
            memcpy (results_of (results, level), rows, sizeof rows);
            results_check (results, level, (guint) size, "pass of a Fourier transform", i % 2, radix, m);
          }
      }
}

/* Rows of logits, some of which are minus infinity, NaN, or so low that their weights are 0 or subnormal. */
static void
test_softmax (void)
{
  enum { ROWS = 3 };
  static const float special[] = { -INFINITY, NAN, -360, -1e9f, -300 };
  static float logits[ROWS * MOST], weights[ROWS * MOST];
  const float factor = 0.3f;

  for (guint round = 0; round < ROUNDS * n_levels; round++)
    {
      const gsize n = 1 + random_count () % (MOST - 1);
      const gsize stride = n + (gsize) g_test_rand_int_range (0, (gint) (MOST - n));
      float maxima[ROWS] = { -FLT_MAX, 2, -FLT_MAX }, totals[ROWS];

      for (gsize i = 0; i < ROWS * stride; i++)
        logits[i] = (float) g_test_rand_double_range (-30, 30);
      for (guint i = 0; i < G_N_ELEMENTS (special); i++)
        logits[(gsize) g_test_rand_int_range (0, 2 * (gint) stride)] = special[i];
      memcpy (weights, logits, sizeof weights);
      levels[round % n_levels].routines.weigh (weights, ROWS, stride, n, factor, maxima, totals);
      for (guint row = 0; row < ROWS; row++)
        {
          double total = 0, most = row == 1 ? 2 : -INFINITY;

          for (gsize i = row * stride; i < row * stride + n; i++)
            most = fmax (most, factor * logits[i]);
          g_assert_true (maxima[row] == (isinf (most) ? -FLT_MAX : (float) most));
          for (gsize i = row * stride; i < row * stride + n; i++)
            {
              const double exponent = (double) factor * logits[i] - maxima[row], weight = exp (exponent);

              total += weight;
              /* A level without fused multiply-adds rounds the exponent. */
              g_assert_true (fabs (weights[i] - weight)
                             <= weight * (2 + fabs (exponent) + fabs (maxima[row])) * 0x1p-23 + 0x1p-149
                             || weights[i] == weight || (isnan (weights[i]) && isnan (logits[i])));
              g_assert_true (weight >= 0x1p-151 || weights[i] == 0 || isnan (weight));
            }
          g_assert_true (fabs (totals[row] - total) <= total * 0x1p-20 || (isnan (total) && isnan (totals[row])));
        }
    }
}

static guint16
random_bf16 (void)
{
  const float number = (float) g_test_rand_double_range (-1, 1);
  guint32 bits;

  memcpy (&bits, &number, sizeof bits);

  return (guint16) (bits >> 16);
}

static double
bf16_value (guint16 bits)
{
  const guint32 wide = (guint32) bits << 16;
  float number;

  memcpy (&number, &wide, sizeof number);

  return number;
}

/* Tiles of all sizes, where the processor has them. */
static void
test_bf16 (void)
{
  enum { MOST_PAIRS = 70, MOST_ROWS = 12, MOST_COLUMNS = 32 };
  static guint16 a[MOST_ROWS * 2 * MOST_PAIRS], b[MOST_PAIRS * MOST_COLUMNS * 2];
  static float c[MOST_ROWS * MOST_COLUMNS];

  for (guint level = 0; level < n_levels; level++)
    for (guint i = 0; levels[level].routines.bf16_row_tiles != NULL && i < 2 * GHLO_CPU_MAX_HEIGHTS; i++)
      {
        const GhloCpuRoutines *routines = &levels[level].routines;
        const guint rows = routines->tiles[GHLO_CPU_F32].heights[i / 2];
        const guint columns = routines->tiles[GHLO_CPU_F32].columns / (i % 2 == 0 ? 2 : 1);
        const gsize n = (gsize) g_test_rand_int_range (1, MOST_PAIRS + 1);
        const gboolean accumulate = g_test_rand_bit ();

        g_assert_cmpuint (columns, <=, MOST_COLUMNS);
        for (gsize k = 0; k < G_N_ELEMENTS (a); k++)
          a[k] = random_bf16 ();
        for (gsize k = 0; k < G_N_ELEMENTS (b); k++)
          b[k] = random_bf16 ();
        for (gsize k = 0; k < G_N_ELEMENTS (c); k++)
          c[k] = 3;
        routines->bf16_row_tiles[i / 2][i % 2] (n, a, MOST_PAIRS, b, MOST_COLUMNS * sizeof (float), c, MOST_COLUMNS,
                                                accumulate);
        for (guint row = 0; row < MOST_ROWS; row++)
          for (guint column = 0; column < MOST_COLUMNS; column++)
            {
              const gboolean is_inside = row < rows && column < columns;
              double sum = accumulate || !is_inside ? 3 : 0;

              for (gsize k = 0; k < 2 * n && is_inside; k++)
                sum += bf16_value (a[row * 2 * MOST_PAIRS + k])
                       * bf16_value (b[(k / 2 * MOST_COLUMNS + column) * 2 + k % 2]);
              g_assert_true (fabs (c[row * MOST_COLUMNS + column] - sum) <= 2e-5);
            }
      }
}

/* Products with weights of four bits, which are given as bytes in one of both orders. Sums are compared with exact ones
 * too: the error of a row is that of f32, and of 2^-29 of the largest number of each block. */
static void
test_nibbles (void)
{
  enum { MOST_K = 208, MOST_M = 5, N = GHLO_CPU_NIBBLE_COLUMNS, WORD = GHLO_CPU_NIBBLES_OF_WORD };
  static guint8 bytes[MOST_K * N];
  static guint32 words[GHLO_CPU_N_LEVELS][MOST_K / WORD * N];
  static gint8 digits[GHLO_CPU_N_LEVELS][MOST_M * MOST_K * GHLO_CPU_NIBBLE_DIGITS];
  static GhloCpuNibbleBlock blocks[GHLO_CPU_N_LEVELS][MOST_M * MOST_K / 16];
  static float x[MOST_M * MOST_K], scales[MOST_K / 16 * N], zeros[MOST_K / 16 * N];
  static float y[GHLO_CPU_N_LEVELS + 1][MOST_M * N];

  for (guint round = 0; round < 20 * ROUNDS; round++)
    {
      const gsize block = 16u << g_test_rand_int_range (0, 3), group_blocks = (gsize) g_test_rand_int_range (1, 4);
      const gsize k = (gsize) g_test_rand_int_range (1, MOST_K + 1), n = (gsize) g_test_rand_int_range (1, N + 1);
      const gsize padded = (gsize) ghlo_round_up ((gint64) k, 16), m = (gsize) g_test_rand_int_range (1, MOST_M + 1);
      const gsize n_blocks = (padded + block - 1) / block;
      const gboolean k_adjacent = g_test_rand_bit (), is_signed = g_test_rand_bit (), has_zeros = g_test_rand_bit ();
      const gint64 step = k_adjacent ? MOST_K : N;
      const double range = g_test_rand_bit () ? 1 : 12;

      for (gsize i = 0; i < G_N_ELEMENTS (bytes); i++)
        bytes[i] = (guint8) g_test_rand_int_range (is_signed ? -8 : 0, is_signed ? 8 : 16);
      for (gsize i = 0; i < G_N_ELEMENTS (x); i++)
        x[i] = i % padded < k ? (float) (g_test_rand_double_range (-1, 1) * exp2 (-g_test_rand_double_range (0, range)))
                              : 0;
      for (gsize i = 0; i < G_N_ELEMENTS (scales); i++)
        {
          scales[i] = (float) g_test_rand_double_range (1, 2);
          zeros[i] = (float) g_test_rand_int_range (0, 16);
        }
      for (guint level = 0; level < n_levels; level++)
        {
          const GhloCpuRoutines *routines = &levels[level].routines;
          GhloCpuNibbles p = {
            .m = m, .n_words = padded / WORD, .block_words = block / WORD, .group_blocks = group_blocks,
            .weights = words[level], .first = is_signed ? -8 : 0, .digits = digits[level],
            .digit_step = padded * GHLO_CPU_NIBBLE_DIGITS, .blocks = blocks[level], .n_blocks = n_blocks,
            .scales = scales, .zeros = has_zeros ? zeros : NULL, .scale_step = N, .zero_step = N,
            .y = y[level], .y_step = N,
          };

          memset (words[level], 0, sizeof words[level]);
          routines->pack_nibbles (bytes, step, k_adjacent, n, k, is_signed ? 0x88888888 : 0, words[level]);
          for (gsize row = 0; row < m; row++)
            g_assert_true (routines->split_digits (x + row * padded, padded, block, p.first,
                                                   digits[level] + row * p.digit_step,
                                                   blocks[level] + row * n_blocks));
          routines->multiply_nibbles (&p);
          g_assert_cmpmem (y[level], m * N * sizeof (float), y[0], m * N * sizeof (float));
          p.y = y[n_levels];
          p.m = 1;
          routines->multiply_nibbles_each (&p, x);
          for (gsize i = 0; i < m * n; i++)
            {
              const gsize row = i / n, column = i % n;
              double sum = 0, size = 0, largest = 0;

              for (gsize j = 0; j < k; j++)
                {
                  const gsize at = j / block / group_blocks * N + column;
                  const double weight = (gint8) bytes[k_adjacent ? column * MOST_K + j : j * N + column];
                  const double factor = (weight - (has_zeros ? zeros[at] : 0)) * scales[at];

                  sum += factor * x[row * padded + j];
                  size += fabs (factor * x[row * padded + j]);
                  largest = MAX (largest, fabs (x[row * padded + j]));
                }
              g_assert_cmpfloat (fabs (y[level][row * N + column] - sum), <=,
                                 size * 0x1p-21 + largest * (double) k * 48 * 0x1p-24);
              if (row == 0)
                g_assert_cmpfloat (fabs (y[n_levels][column] - sum), <=, size * 0x1p-17);
            }
        }
    }
  x[3] = INFINITY;
  g_assert_false (levels[0].routines.split_digits (x, 16, 16, 0, digits[0], blocks[0]));
  x[3] = 0x1p100f;
  g_assert_false (levels[0].routines.split_digits (x, 16, 16, 0, digits[0], blocks[0]));
}

int
main (int   argc,
      char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  n_levels = ghlo_cpu_level () + 1;
  for (guint level = 0; level < n_levels; level++)
    {
      ghlo_cpu_elementwise_routines_init (&levels[level].elementwise, level);
      ghlo_cpu_routines_init (&levels[level].routines, level);
    }
  for (guint i = 0; i < G_N_ELEMENTS (operands); i++)
    operands[i] = g_malloc ((MOST + 1) * MAX_SIZE);

  g_test_add_func ("/cpu-levels/loops", test_loops);
  g_test_add_func ("/cpu-levels/functions", test_functions);
  g_test_add_func ("/cpu-levels/casts", test_casts);
  g_test_add_func ("/cpu-levels/reductions", test_reductions);
  g_test_add_func ("/cpu-levels/scans", test_scans);
  g_test_add_func ("/cpu-levels/vectors", test_vectors);
  g_test_add_func ("/cpu-levels/small", test_small);
  g_test_add_func ("/cpu-levels/conversions", test_conversions);
  g_test_add_func ("/cpu-levels/halves", test_halves);
  g_test_add_func ("/cpu-levels/random", test_random);
  g_test_add_func ("/cpu-levels/pools", test_pools);
  g_test_add_func ("/cpu-levels/fourier", test_fourier);
  g_test_add_func ("/cpu-levels/softmax", test_softmax);
  g_test_add_func ("/cpu-levels/bf16", test_bf16);
  g_test_add_func ("/cpu-levels/nibbles", test_nibbles);

  status = g_test_run ();
  for (guint i = 0; i < G_N_ELEMENTS (operands); i++)
    g_free (operands[i]);

  return status;
}
