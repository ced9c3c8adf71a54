/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The building blocks of the function loops that kernel/print-loops.c generates: the bits of floats, multiply-adds
 * that are rounded once on every processor, and loops around a function of one point.
 *
 * Without an FMA instruction, a multiply-add of f32 is computed in double and rounded to odd first, so that rounding
 * it again gives what rounding once would (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums"). A
 * multiply-add of f64 works likewise, by error-free transformations, which are exact unless something overflows or
 * underflows: *unsafe is set then, and the C library's fma () has to be used.
 */

#pragma once

#include "cpu/isa/elementwise-private.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

#define BITCAST(From, To, name) \
  static inline To \
  name (From x) \
  { \
    To result; \
\
    memcpy (&result, &x, sizeof result); \
\
    return result; \
  }

BITCAST (F32, S32, s32_of_f32)
BITCAST (F32, U32, u32_of_f32)
BITCAST (S32, F32, f32_of_s32)
BITCAST (U32, F32, f32_of_u32)
BITCAST (F64, S64, s64_of_f64)
BITCAST (F64, U64, u64_of_f64)
BITCAST (S64, F64, f64_of_s64)
BITCAST (U64, F64, f64_of_u64)

/* x + y rounded to odd: truncated, with the last bit set where it was inexact. */
static inline F64
add_to_odd (F64 x,
            F64 y)
{
  F64 sum = x + y, part = sum - x, error = (x - (sum - part)) + (y - part);
  U64 bits = u64_of_f64 (sum), is_even = (bits & 1) - 1;
  F64 outwards = sum < 0 ? -error : error;
  /* The neighbour in the direction of the error is odd where the sum is even. */
  U64 inwards = outwards < 0 ? ~(U64) 0 : 0, step = outwards > 0 ? 1 : inwards;

  return f64_of_u64 (bits + (step & is_even));
}

static inline F32
fma_f32 (F32 x,
         F32 y,
         F32 z)
{
#if defined (FP_FAST_FMAF)
  return __builtin_fmaf (x, y, z);
#else
  return (F32) add_to_odd ((F64) x * (F64) y, (F64) z);
#endif
}

#if defined (FP_FAST_FMA)
#define HAS_FMA 1
#define fma_f64(x, y, z, is_exact, unsafe) __builtin_fma (x, y, z)
#else
#define HAS_FMA 0

/* The upper half of the significant bits. */
static inline F64
upper (F64 x)
{
  F64 scaled = x * 0x8000001p0;

  return scaled - (scaled - x);
}

static inline F64
fma_f64 (F64      x,
         F64      y,
         F64      z,
         gboolean is_exact,
         U64     *unsafe)
{
  F64 product = x * y, x_upper = upper (x), y_upper = upper (y), x_lower = x - x_upper, y_lower = y - y_upper;
  F64 rest = ((x_upper * y_upper - product) + x_upper * y_lower + x_lower * y_upper) + x_lower * y_lower;
  F64 lower = z + rest, lower_part = lower - z, lower_rest = (z - (lower - lower_part)) + (rest - lower_part);
  F64 sum = product + lower, part = sum - product, sum_rest = (product - (sum - part)) + (lower - part);
  F64 size = __builtin_fabs (product);
  U64 is_small = (__builtin_fabs (x) < 0x1p900) & (__builtin_fabs (y) < 0x1p900) & (__builtin_fabs (z) < 0x1p1000);
  U64 is_normal = ((size > 0x1p-900) & (size < 0x1p1000)) | (x == 0) | (y == 0);

  if (is_exact)
    return fma (x, y, z);
  *unsafe |= (is_small & is_normal) ^ 1;

  return sum + add_to_odd (sum_rest, lower_rest);
}
#endif

/* A loop around @point, a function of one element of each operand; OPERANDS_n lists its arguments. */
#define OPERANDS_1(i) a[i]
#define OPERANDS_2(i) a[i], b[i]

#define DIRECT_LOOP(name, n_operands, From, To, point) \
  static void \
  name (const guint8 *const *operands, \
        guint8              *result, \
        gsize                n, \
        gconstpointer        detail) \
  { \
    const From##_there *a = (gconstpointer) operands[0]; \
    const From##_there *b G_GNUC_UNUSED = (gconstpointer) operands[n_operands - 1]; \
    To##_there *to = (gpointer) result; \
    U64 unsafe = 0; \
\
    INDEPENDENT for (gsize i = 0; i < n; i++) \
      to[i] = point (OPERANDS_##n_operands (i), FALSE, &unsafe); \
  }

/* For functions with multiply-adds of f64: repeats a chunk with exact ones where something was unsafe. */
#if HAS_FMA
#define GUARDED_LOOP DIRECT_LOOP
#else
#define GUARDED_LOOP(name, n_operands, From, To, point) \
  static void \
  name (const guint8 *const *operands, \
        guint8              *result, \
        gsize                n, \
        gconstpointer        detail) \
  { \
    enum { CHUNK = 64 }; \
    const From##_there *a = (gconstpointer) operands[0]; \
    const From##_there *b G_GNUC_UNUSED = (gconstpointer) operands[n_operands - 1]; \
    To##_there *to = (gpointer) result; \
\
    for (gsize begin = 0; begin < n; begin += CHUNK) \
      { \
        gsize end = MIN (n, begin + CHUNK); \
        To results[CHUNK]; \
        U64 unsafe = 0; \
\
        INDEPENDENT for (gsize i = begin; i < end; i++) \
          results[i - begin] = point (OPERANDS_##n_operands (i), FALSE, &unsafe); \
        for (gsize i = begin; unsafe != 0 && i < end; i++) \
          results[i - begin] = point (OPERANDS_##n_operands (i), TRUE, &unsafe); \
        memcpy (to + begin, results, (end - begin) * sizeof *results); \
      } \
  }
#endif
