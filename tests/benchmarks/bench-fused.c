/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The cost of emulating a fused multiply-add bit for bit on a processor without one: sums of products in
 * registers, plain and exact, and their ratios. f32 is multiplied in f64, which is exact, and the sum is
 * rounded to odd; or, where that suffices, rounded to nearest with a check for sums half-way between two
 * numbers. In f64 the errors are computed too (Dekker's product, Knuth's sum). The result is why tiles of
 * the lowest level are not fused (docs/internals/numbers.md). Overflow and numbers near it, which would
 * cost more, are left out.
 */

#include <math.h>

#include "cpu/isa/routines-private.h"

enum { K = 512, ROWS = 4, REPEATS = 300, ROUNDS = 30 };

typedef float   F32x4 __attribute__ ((vector_size (16), may_alias));
typedef float   F32x2 __attribute__ ((vector_size (8), may_alias));
typedef double  F64x2 __attribute__ ((vector_size (16), may_alias));
typedef gint64  I64x2 __attribute__ ((vector_size (16), may_alias));
typedef gint32  I32x4 __attribute__ ((vector_size (16), may_alias));

static float  a32[K * ROWS], b32[K * 4] __attribute__ ((aligned (16)));
static double a64[K * ROWS], b64[K * 2] __attribute__ ((aligned (16)));

/* Receives results, so that the compiler does not remove their computation. */
static volatile double result;

static inline F64x2
twice (double x)
{
  return (F64x2) { x, x };
}

/* Returns @sum, which was rounded to nearest with the remainder @error, rounded to odd instead. */
static inline F64x2
to_odd (F64x2 sum,
        F64x2 error)
{
  I64x2 bits = (I64x2) sum, inexact = (I64x2) (error != twice (0)), apart = ((I64x2) error ^ bits) >> 63;

  return (F64x2) (bits + (inexact & ((bits & 1) - 1) & (apart | 1)));
}

static inline F64x2
sum_error (F64x2 x,
           F64x2 y,
           F64x2 sum)
{
  F64x2 part = sum - x;

  return (x - (sum - part)) + (y - part);
}

static inline F64x2
to_f32 (F64x2 x)
{
  return __builtin_convertvector (__builtin_convertvector (x, F32x2), F64x2);
}

static void
plain_f32 (void)
{
  F32x4 sums[ROWS] = { { 0 } };

  for (guint p = 0; p < K; p++)
    UNROLL for (guint i = 0; i < ROWS; i++)
      sums[i] += a32[p * ROWS + i] * *(const F32x4 *) (gconstpointer) (b32 + 4 * p);
  result = (double) (sums[0] + sums[1] + sums[2] + sums[3])[0];
}

#define EXACT_F32(name, ROUND) \
  static void \
  name (void) \
  { \
    F64x2 sums[ROWS][2] = { { { 0 } } }; \
    I32x4 middle = { 0 }; \
\
    for (guint p = 0; p < K; p++) \
      { \
        const float *b = b32 + 4 * p; \
        const F64x2 row[2] = { { b[0], b[1] }, { b[2], b[3] } }; \
\
        UNROLL for (guint i = 0; i < ROWS; i++) \
          UNROLL for (guint j = 0; j < 2; j++) \
            { \
              F64x2 product = twice (a32[p * ROWS + i]) * row[j], sum = product + sums[i][j]; \
\
              sums[i][j] = to_f32 (ROUND (product, sums[i][j], sum)); \
            } \
      } \
    result = (sums[0][0] + sums[1][0] + sums[2][0] + sums[3][1])[0] + middle[0]; \
  }

#define WATCHED(x, y, sum) \
  (middle |= ((I32x4) ((I64x2) sum & 0x1fffffff) == (I32x4) { 0x10000000, -1, 0x10000000, -1 }), sum)
#define ODD(x, y, sum) to_odd (sum, sum_error (x, y, sum))

EXACT_F32 (watched_f32, WATCHED)
EXACT_F32 (odd_f32, ODD)

static void
plain_f64 (void)
{
  F64x2 sums[ROWS] = { { 0 } };

  for (guint p = 0; p < K; p++)
    UNROLL for (guint i = 0; i < ROWS; i++)
      sums[i] += a64[p * ROWS + i] * *(const F64x2 *) (gconstpointer) (b64 + 2 * p);
  result = (sums[0] + sums[1] + sums[2] + sums[3])[0];
}

/* Returns the upper half of each number's significand. */
static inline F64x2
upper (F64x2 x)
{
  F64x2 scaled = x * 0x1.0000002p27;

  return scaled - (scaled - x);
}

static void
exact_f64 (void)
{
  F64x2 sums[ROWS] = { { 0 } };

  for (guint p = 0; p < K; p++)
    {
      F64x2 b = *(const F64x2 *) (gconstpointer) (b64 + 2 * p), b_upper = upper (b), b_lower = b - b_upper;

      UNROLL for (guint i = 0; i < ROWS; i++)
        {
          F64x2 a = twice (a64[p * ROWS + i]), a_upper = upper (a), a_lower = a - a_upper, product = a * b;
          F64x2 below = ((a_upper * b_upper - product) + a_upper * b_lower + a_lower * b_upper) + a_lower * b_lower;
          F64x2 sum = product + sums[i], error = sum_error (product, sums[i], sum), rest = below + error;

          sums[i] = sum + to_odd (rest, sum_error (below, error, rest));
        }
    }
  result = (sums[0] + sums[1] + sums[2] + sums[3])[0];
}

/* Returns the best of several rounds, in microseconds. */
static double
measure (void (*function) (void))
{
  double best = G_MAXDOUBLE;

  for (guint round = 0; round < ROUNDS; round++)
    {
      gint64 begin = g_get_monotonic_time ();

      for (guint i = 0; i < REPEATS; i++)
        function ();
      best = MIN (best, (double) (g_get_monotonic_time () - begin) / REPEATS);
    }

  return best;
}

int
main (void)
{
  double f32, f64;

  for (guint i = 0; i < K * ROWS; i++)
    a32[i] = (float) (a64[i] = sin (i + 0.5));
  for (guint i = 0; i < K * 4; i++)
    b32[i] = (float) cos (i * 1.7);
  for (guint i = 0; i < K * 2; i++)
    b64[i] = cos (i * 1.3) / 3;

  f32 = measure (plain_f32);
  f64 = measure (plain_f64);
  g_print ("f32: exact sums take %.1f times as long where rounding is watched, %.1f times where it is to odd\n",
           measure (watched_f32) / f32, measure (odd_f32) / f32);
  g_print ("f64: %.1f times\n", measure (exact_f64) / f64);

  return 0;
}
