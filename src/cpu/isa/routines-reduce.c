/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reductions of a row of numbers to one. Sums and products of floats use several vectors at once, since each addition
 * waits for the previous one; they have the same number of bytes at every level. Compilers vectorize the other
 * reductions by themselves. Compiled for each level.
 */

#include "cpu/isa/combiners-private.h"
#include "cpu/isa/elementwise-private.h"

#include <string.h>

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

/* Floats that are not NaN are ordered like their bits as signed integers, after all bits but the sign of negative
 * ones are flipped; -0 is below +0. The magnitude of NaN is above that of infinity. */
#define EXTREME(name, S, U, better, most, infinity) \
  static void \
  name (const guint8 *from, \
        gsize         n, \
        guint8       *accumulator) \
  { \
    const S##_there *a = (gconstpointer) from; \
    const S first = *(S##_there *) (gpointer) accumulator; \
    S best = first < 0 ? first ^ most : first; \
    U largest = (U) (first & most); \
\
    for (gsize i = 0; i < n; i++) \
      { \
        const S x = a[i], key = x < 0 ? x ^ most : x; \
        const U magnitude = (U) (x & most); \
\
        best = key better best ? key : best; \
        largest = magnitude > largest ? magnitude : largest; \
      } \
    best = best < 0 ? best ^ most : best; \
    *(S##_there *) (gpointer) accumulator = largest > infinity ? (S) largest : best; \
  }

EXTREME (maximum_f32, S32, U32, >, G_MAXINT32, 0x7f800000u)
EXTREME (minimum_f32, S32, U32, <, G_MAXINT32, 0x7f800000u)
EXTREME (maximum_f64, S64, U64, >, G_MAXINT64, 0x7ff0000000000000u)
EXTREME (minimum_f64, S64, U64, <, G_MAXINT64, 0x7ff0000000000000u)

#define SUMS(T) \
  static inline T \
  add_##T (T x, \
           T y) \
  { \
    return x + y; \
  } \
\
  static inline T \
  multiply_##T (T x, \
                T y) \
  { \
    return x * y; \
  }

#define QUARTER(T, name) \
  typedef T name __attribute__ ((vector_size (16), may_alias)); \
  typedef T name##_any __attribute__ ((vector_size (16), aligned (1), may_alias))

QUARTER (float, QF32);
QUARTER (double, QF64);

SUMS (VF32)
SUMS (VF64)
SUMS (QF32)
SUMS (QF64)
SUMS (F32)
SUMS (F64)

/* Bytes of the accumulators of a row, and of the remainder: the same at every level, so that all levels give the same
 * sums. A register, which has 16 bytes or more, divides both. */
#define ROW_BYTES  256
#define REST_BYTES 64

/* @identity changes no number that it is combined with; for sums it is negative zero. Accumulator i of a row gets
 * elements i, i + n, i + 2 n and so on, where n is the number of accumulators. At the end the upper half of them is
 * repeatedly combined with the lower half. The remainder is taken in steps of 64 bytes, of 16 bytes and of one
 * element. @V is a whole register, and @Q one of 16 bytes. */
#define FLOAT(name, T, V, Q, combine, identity) \
  static void \
  name (const guint8 *from, \
        gsize         n, \
        guint8       *accumulator) \
  { \
    enum { ROW = ROW_BYTES / sizeof (V), REST = REST_BYTES / sizeof (V), QUARTERS = sizeof (V) / sizeof (Q) }; \
    const T##_there *a = (gconstpointer) from; \
    Q quarters[QUARTERS]; \
    Q total = identity - (Q) { 0 }; \
    T lanes[sizeof (Q) / sizeof (T)], rest = *(T##_there *) (gpointer) accumulator; \
    gsize i = 0; \
\
    if (n >= REST_BYTES / sizeof (T)) \
      { \
        V sums[ROW]; \
\
        UNROLL for (guint j = 0; j < ROW; j++) \
          sums[j] = identity - (V) { 0 }; \
        for (; i + ROW_BYTES / sizeof (T) <= n; i += ROW_BYTES / sizeof (T)) \
          UNROLL for (guint j = 0; j < ROW; j++) \
            sums[j] = combine##_##V (sums[j], *(const V##_any *) (a + i + j * LANES (T))); \
        UNROLL for (guint width = ROW / 2; width >= REST; width /= 2) \
          UNROLL for (guint j = 0; j < width; j++) \
            sums[j] = combine##_##V (sums[j], sums[j + width]); \
        for (; i + REST_BYTES / sizeof (T) <= n; i += REST_BYTES / sizeof (T)) \
          UNROLL for (guint j = 0; j < REST; j++) \
            sums[j] = combine##_##V (sums[j], *(const V##_any *) (a + i + j * LANES (T))); \
        UNROLL for (guint width = REST / 2; width > 0; width /= 2) \
          UNROLL for (guint j = 0; j < width; j++) \
            sums[j] = combine##_##V (sums[j], sums[j + width]); \
        memcpy (quarters, &sums[0], sizeof (V)); \
        UNROLL for (guint width = QUARTERS / 2; width > 0; width /= 2) \
          UNROLL for (guint j = 0; j < width; j++) \
            quarters[j] = combine##_##Q (quarters[j], quarters[j + width]); \
        total = quarters[0]; \
      } \
    for (; i + sizeof (Q) / sizeof (T) <= n; i += sizeof (Q) / sizeof (T)) \
      total = combine##_##Q (total, *(const Q##_any *) (a + i)); \
    for (; i < n; i++) \
      rest = combine##_##T (rest, a[i]); \
    memcpy (lanes, &total, sizeof (lanes)); \
    UNROLL for (guint width = sizeof (Q) / sizeof (T) / 2; width > 0; width /= 2) \
      UNROLL for (guint j = 0; j < width; j++) \
        lanes[j] = combine##_##T (lanes[j], lanes[j + width]); \
    *(T##_there *) (gpointer) accumulator = combine##_##T (rest, lanes[0]); \
  }

#define FLOATS(T, V, Q, suffix) \
  FLOAT (add_##suffix, T, V, Q, add, (T) -0.0) \
  FLOAT (multiply_##suffix, T, V, Q, multiply, (T) 1)

FLOATS (F32, VF32, QF32, f32)
FLOATS (F64, VF64, QF64, f64)

const GhloCpuReduceFunc NAME (reductions)[GHLO_CPU_N_NUMBERS][GHLO_N_COMBINERS] = {
  [GHLO_CPU_NUMBER_I1] = {
    [GHLO_COMBINER_AND] = boolean_and,
    [GHLO_COMBINER_OR] = boolean_or,
    [GHLO_COMBINER_XOR] = boolean_xor,
  },
  NUMBER_COMBINERS (),
};
