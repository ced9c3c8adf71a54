/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lines of numbers into one. Floats go into several vectors side by side, since each
 * addition waits for the one before; compilers do this for integers by themselves.
 * Compiled for each level.
 */

#include "cpu/kernels-elementwise-private.h"

#include <string.h>

enum { VECTORS = 8 };

#define INTEGER(name, T, expression) \
  static void \
  name (const guint8 *from, \
        gsize         n, \
        guint8       *accumulator) \
  { \
    const T##_there *a = (gconstpointer) from; \
    T y = *(T##_there *) (gpointer) accumulator; \
\
    for (gsize i = 0; i < n; i++) \
      { \
        const T x = a[i]; \
\
        y = (T) (expression); \
      } \
    *(T##_there *) (gpointer) accumulator = y; \
  }

#define INTEGERS(bits, W) \
  INTEGER (add_##bits, U##bits, (W) x + y) \
  INTEGER (and_##bits, U##bits, x & y) \
  INTEGER (multiply_##bits, U##bits, (W) x * y) \
  INTEGER (or_##bits, U##bits, x | y) \
  INTEGER (xor_##bits, U##bits, x ^ y) \
  INTEGER (maximum_s##bits, S##bits, x > y ? x : y) \
  INTEGER (minimum_s##bits, S##bits, x < y ? x : y) \
  INTEGER (maximum_u##bits, U##bits, x > y ? x : y) \
  INTEGER (minimum_u##bits, U##bits, x < y ? x : y)

INTEGERS (8, guint32)
INTEGERS (16, guint32)
INTEGERS (32, guint32)
INTEGERS (64, guint64)
INTEGER (boolean_and, I1, (x != 0) & y)
INTEGER (boolean_or, I1, (x != 0) | y)
INTEGER (boolean_xor, I1, (x != 0) ^ y)

/* As the elementwise loops have them (kernels-elementwise-float.c). */
#define EXTREMES(V, U) \
  static inline V \
  maximum_##V (V x, \
               V y) \
  { \
    U greater = (U) (x > y), less = (U) (x < y), equal = (U) (x == y); \
    U other = (equal & (U) x & (U) y) | (~(equal | less | greater) & (U) (x + y)); \
\
    return (V) (other | (greater & (U) x) | (less & (U) y)); \
  } \
\
  static inline V \
  minimum_##V (V x, \
               V y) \
  { \
    U greater = (U) (x > y), less = (U) (x < y), equal = (U) (x == y); \
    U other = (equal & ((U) x | (U) y)) | (~(equal | less | greater) & (U) (x + y)); \
\
    return (V) (other | (less & (U) x) | (greater & (U) y)); \
  }

#define SUMS(V) \
  static inline V \
  add_##V (V x, \
           V y) \
  { \
    return x + y; \
  } \
\
  static inline V \
  multiply_##V (V x, \
                V y) \
  { \
    return x * y; \
  }

EXTREMES (VF32, VU32)
EXTREMES (VF64, VU64)
SUMS (VF32)
SUMS (VF64)

/* @identity changes no number that it is combined with, the negative zero of a sum too.
 * The last numbers, fewer than a vector's, are filled up with it. */
#define FLOAT(name, T, V, combine, identity) \
  static void \
  name (const guint8 *from, \
        gsize         n, \
        guint8       *accumulator) \
  { \
    const T##_there *a = (gconstpointer) from; \
    const V none = identity - (V) { 0 }; \
    V sums[VECTORS], rest = none; \
    gsize i = 0; \
\
    UNROLL for (guint j = 0; j < VECTORS; j++) \
      sums[j] = none; \
    for (; i + VECTORS * LANES (T) <= n; i += VECTORS * LANES (T)) \
      UNROLL for (guint j = 0; j < VECTORS; j++) \
        sums[j] = combine (sums[j], *(const V##_any *) (a + i + j * LANES (T))); \
    for (; i + LANES (T) <= n; i += LANES (T)) \
      sums[0] = combine (sums[0], *(const V##_any *) (a + i)); \
    memcpy (&rest, a + i, (n - i) * sizeof (T)); \
    sums[1] = combine (sums[1], rest); \
    for (guint width = VECTORS / 2; width > 0; width /= 2) \
      UNROLL for (guint j = 0; j < width; j++) \
        sums[j] = combine (sums[j], sums[j + width]); \
    for (guint width = LANES (T) / 2; width > 0; width /= 2) \
      { \
        V half = none; \
\
        memcpy (&half, (const guint8 *) &sums[0] + width * sizeof (T), width * sizeof (T)); \
        sums[0] = combine (sums[0], half); \
      } \
    memcpy (&rest, accumulator, sizeof (T)); \
    sums[0] = combine (rest, sums[0]); \
    memcpy (accumulator, &sums[0], sizeof (T)); \
  }

#define FLOATS(T, V, suffix) \
  FLOAT (add_##suffix, T, V, add_##V, (T) -0.0) \
  FLOAT (multiply_##suffix, T, V, multiply_##V, (T) 1) \
  FLOAT (maximum_##suffix, T, V, maximum_##V, (T) -__builtin_inf ()) \
  FLOAT (minimum_##suffix, T, V, minimum_##V, (T) __builtin_inf ())

FLOATS (F32, VF32, f32)
FLOATS (F64, VF64, f64)

#define ROW(bits, sign) \
  { \
    [GHLO_CPU_FOLD_ADD] = add_##bits, \
    [GHLO_CPU_FOLD_AND] = and_##bits, \
    [GHLO_CPU_FOLD_MAXIMUM] = maximum_##sign##bits, \
    [GHLO_CPU_FOLD_MINIMUM] = minimum_##sign##bits, \
    [GHLO_CPU_FOLD_MULTIPLY] = multiply_##bits, \
    [GHLO_CPU_FOLD_OR] = or_##bits, \
    [GHLO_CPU_FOLD_XOR] = xor_##bits, \
  }

#define FLOAT_ROW(suffix) \
  { \
    [GHLO_CPU_FOLD_ADD] = add_##suffix, \
    [GHLO_CPU_FOLD_MAXIMUM] = maximum_##suffix, \
    [GHLO_CPU_FOLD_MINIMUM] = minimum_##suffix, \
    [GHLO_CPU_FOLD_MULTIPLY] = multiply_##suffix, \
  }

const GhloCpuFoldFunc NAME (folds)[GHLO_CPU_N_NUMBERS][GHLO_CPU_N_FOLDS] = {
  [GHLO_CPU_NUMBER_I1] = {
    [GHLO_CPU_FOLD_ADD] = boolean_or,
    [GHLO_CPU_FOLD_AND] = boolean_and,
    [GHLO_CPU_FOLD_MAXIMUM] = boolean_or,
    [GHLO_CPU_FOLD_MINIMUM] = boolean_and,
    [GHLO_CPU_FOLD_MULTIPLY] = boolean_and,
    [GHLO_CPU_FOLD_OR] = boolean_or,
    [GHLO_CPU_FOLD_XOR] = boolean_xor,
  },
  [GHLO_CPU_NUMBER_S8] = ROW (8, s),
  [GHLO_CPU_NUMBER_S16] = ROW (16, s),
  [GHLO_CPU_NUMBER_S32] = ROW (32, s),
  [GHLO_CPU_NUMBER_S64] = ROW (64, s),
  [GHLO_CPU_NUMBER_U8] = ROW (8, u),
  [GHLO_CPU_NUMBER_U16] = ROW (16, u),
  [GHLO_CPU_NUMBER_U32] = ROW (32, u),
  [GHLO_CPU_NUMBER_U64] = ROW (64, u),
  [GHLO_CPU_NUMBER_F32] = FLOAT_ROW (f32),
  [GHLO_CPU_NUMBER_F64] = FLOAT_ROW (f64),
};
