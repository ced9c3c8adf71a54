/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops over floats and complex numbers, except for functions, which are generated from nodes (functions-private.h).
 * No multiplication is fused with an addition, except by FMA. +0 is greater than -0, and NaN wins in minimum and
 * maximum. Compiled for each level.
 */

#include "cpu/isa/extremes-private.h"

#include <math.h>
#include <string.h>

#define FLOATS(T, U, suffix, signs) \
  static inline T \
  away_from_zero_##suffix (T x) \
  { \
    T magnitude = from_bits_##suffix (bits_##suffix (x) & ~(U) signs); \
    T whole = __builtin_trunc##suffix (magnitude); \
\
    whole += magnitude - whole >= (T) 0.5 ? (T) 1 : (T) 0; \
\
    return from_bits_##suffix (bits_##suffix (whole) | (bits_##suffix (x) & signs)); \
  }

#define __builtin_truncf32 __builtin_truncf
#define __builtin_truncf64 __builtin_trunc

FLOATS (F32, U32, f32, 0x80000000u)
FLOATS (F64, U64, f64, 0x8000000000000000u)

#define LOOPS(T, suffix, f, signs, infinity) \
  LOOP_1 (abs_##suffix, T, T, from_bits_##suffix (bits_##suffix (x) & ~signs)) \
  LOOP_2 (add_##suffix, T, T, x + y) \
  LOOP_1 (ceil_##suffix, T, T, __builtin_ceil##f (x)) \
  LOOP_3 (clamp_##suffix, T, T, T, smaller_##suffix (larger_##suffix (y, x), z)) \
  LOOP_2 (divide_##suffix, T, T, x / y) \
  LOOP_2 (eq_##suffix, T, I1, x == y) \
  LOOP_3 (fma_##suffix, T, T, T, __builtin_fma##f (x, y, z)) \
  LOOP_1 (floor_##suffix, T, T, __builtin_floor##f (x)) \
  LOOP_1 (is_finite_##suffix, T, I1, (bits_##suffix (x) & infinity) != infinity) \
  LOOP_2 (le_##suffix, T, I1, x <= y) \
  LOOP_2 (lt_##suffix, T, I1, x < y) \
  LOOP_2 (maximum_##suffix, T, T, larger_##suffix (x, y)) \
  LOOP_2 (minimum_##suffix, T, T, smaller_##suffix (x, y)) \
  LOOP_2 (multiply_##suffix, T, T, x * y) \
  LOOP_2 (ne_##suffix, T, I1, x != y) \
  LOOP_1 (negate_##suffix, T, T, -x) \
  LOOP_1 (round_nearest_afz_##suffix, T, T, away_from_zero_##suffix (x)) \
  LOOP_1 (round_nearest_even_##suffix, T, T, __builtin_rint##f (x)) \
  LOOP_1 (sign_##suffix, T, T, x > 0 ? (T) 1 : x < 0 ? (T) -1 : x) \
  LOOP_1 (sqrt_##suffix, T, T, __builtin_sqrt##f (x)) \
  LOOP_2 (subtract_##suffix, T, T, x - y) \
  LOOP_1 (truncate_##suffix, T, T, __builtin_trunc##f (x))

LOOPS (F32, f32, f, 0x80000000u, 0x7f800000u)
LOOPS (F64, f64, , 0x8000000000000000u, 0x7ff0000000000000u)
LOOP_2 (remainder_f64, F64, F64, fmod (x, y))
#define PAIRS(T, Part, suffix, part) \
  static void \
  complex_##part (const guint8 *const *operands, \
                  guint8              *result, \
                  gsize                n, \
                  gconstpointer        detail) \
  { \
    const Part##_there *re = (gconstpointer) operands[0], *im = (gconstpointer) operands[1]; \
    Part##_there *to = (gpointer) result; \
\
    for (gsize i = 0; i < n; i++) \
      { \
        to[2 * i] = re[i]; \
        to[2 * i + 1] = im[i]; \
      } \
  } \
\
  static void \
  add_##suffix (const guint8 *const *operands, \
                guint8              *result, \
                gsize                n, \
                gconstpointer        detail) \
  { \
    add_##part (operands, result, 2 * n, NULL); \
  } \
\
  static void \
  subtract_##suffix (const guint8 *const *operands, \
                     guint8              *result, \
                     gsize                n, \
                     gconstpointer        detail) \
  { \
    subtract_##part (operands, result, 2 * n, NULL); \
  } \
\
  static void \
  negate_##suffix (const guint8 *const *operands, \
                   guint8              *result, \
                   gsize                n, \
                   gconstpointer        detail) \
  { \
    negate_##part (operands, result, 2 * n, NULL); \
  } \
\
  LOOP_2 (eq_##suffix, T, I1, (x.re == y.re) & (x.im == y.im)) \
  LOOP_2 (ne_##suffix, T, I1, (x.re != y.re) | (x.im != y.im))

PAIRS (C64, F32, c64, f32)
PAIRS (C128, F64, c128, f64)

/* Products of two f32 are exact in double. */
static inline C64
product_c64 (C64 x,
             C64 y)
{
  double a = x.re, b = x.im, c = y.re, d = y.im;

  return (C64) { (float) (a * c - b * d), (float) (a * d + b * c) };
}

static void
multiply_c64 (const guint8 *const *operands,
              guint8              *result,
              gsize                n,
              gconstpointer        detail)
{
  const C64_there *a = (gconstpointer) operands[0], *b = (gconstpointer) operands[1];
  C64_there *to = (gpointer) result;

  INDEPENDENT for (gsize i = 0; i < n; i++)
    to[i] = product_c64 (a[i], b[i]);
}

static void
select_c128 (const guint8 *const *operands,
             guint8              *result,
             gsize                n,
             gconstpointer        detail)
{
  const C128_there *a = (gconstpointer) operands[1], *b = (gconstpointer) operands[2];
  C128_there *to = (gpointer) result;

  for (gsize i = 0; i < n; i++)
    to[i] = operands[0][i] != 0 ? a[i] : b[i];
}

static void
copy_c128 (const guint8 *const *operands,
           guint8              *result,
           gsize                n,
           gconstpointer        detail)
{
  if (result != operands[0])
    memcpy (result, operands[0], n * sizeof (C128));
}

#define ROWS(suffix) \
    [GHLO_SCALAR_ABS] = abs_##suffix, \
    [GHLO_SCALAR_ADD] = add_##suffix, \
    [GHLO_SCALAR_CEIL] = ceil_##suffix, \
    [GHLO_SCALAR_CLAMP] = clamp_##suffix, \
    [GHLO_SCALAR_COMPLEX] = complex_##suffix, \
    [GHLO_SCALAR_DIVIDE] = divide_##suffix, \
    [GHLO_CPU_ELEMENTWISE_EQ] = eq_##suffix, \
    [GHLO_CPU_ELEMENTWISE_FMA] = fma_##suffix, \
    [GHLO_SCALAR_FLOOR] = floor_##suffix, \
    [GHLO_SCALAR_IS_FINITE] = is_finite_##suffix, \
    [GHLO_CPU_ELEMENTWISE_LE] = le_##suffix, \
    [GHLO_CPU_ELEMENTWISE_LT] = lt_##suffix, \
    [GHLO_SCALAR_MAXIMUM] = maximum_##suffix, \
    [GHLO_SCALAR_MINIMUM] = minimum_##suffix, \
    [GHLO_SCALAR_MULTIPLY] = multiply_##suffix, \
    [GHLO_CPU_ELEMENTWISE_NE] = ne_##suffix, \
    [GHLO_SCALAR_NEGATE] = negate_##suffix, \
    [GHLO_SCALAR_ROUND_NEAREST_AFZ] = round_nearest_afz_##suffix, \
    [GHLO_SCALAR_ROUND_NEAREST_EVEN] = round_nearest_even_##suffix, \
    [GHLO_SCALAR_SIGN] = sign_##suffix, \
    [GHLO_SCALAR_SQRT] = sqrt_##suffix, \
    [GHLO_SCALAR_SUBTRACT] = subtract_##suffix, \
    [GHLO_CPU_ELEMENTWISE_TRUNCATE] = truncate_##suffix,

const GhloCpuElementwiseFunc NAME (loops_f32)[GHLO_CPU_N_ELEMENTWISE] = {
  ROWS (f32)
};

/* Remainders of f32 are composed of nodes; f64 would need too many. */
const GhloCpuElementwiseFunc NAME (loops_f64)[GHLO_CPU_N_ELEMENTWISE] = {
  ROWS (f64)
  [GHLO_SCALAR_REMAINDER] = remainder_f64,
};

const GhloCpuElementwiseFunc NAME (loops_c64)[GHLO_CPU_N_ELEMENTWISE] = {
  [GHLO_SCALAR_ADD] = add_c64,
  [GHLO_CPU_ELEMENTWISE_EQ] = eq_c64,
  [GHLO_SCALAR_MULTIPLY] = multiply_c64,
  [GHLO_CPU_ELEMENTWISE_NE] = ne_c64,
  [GHLO_SCALAR_NEGATE] = negate_c64,
  [GHLO_SCALAR_SUBTRACT] = subtract_c64,
};

const GhloCpuElementwiseFunc NAME (loops_c128)[GHLO_CPU_N_ELEMENTWISE] = {
  [GHLO_SCALAR_ADD] = add_c128,
  [GHLO_CPU_ELEMENTWISE_COPY] = copy_c128,
  [GHLO_CPU_ELEMENTWISE_EQ] = eq_c128,
  [GHLO_CPU_ELEMENTWISE_NE] = ne_c128,
  [GHLO_SCALAR_NEGATE] = negate_c128,
  [GHLO_SCALAR_SELECT] = select_c128,
  [GHLO_SCALAR_SUBTRACT] = subtract_c128,
};
