/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops that convert between number types. Integers wrap. A float beyond the range of the integer type becomes its
 * nearest value, and NaN becomes 0. Numbers that a float cannot represent are rounded once, to nearest even. Compiled
 * for each level.
 */

#include "base/bits.h"
#include "cpu/isa/elementwise-private.h"

#include <string.h>

/* Rounds to odd: truncates, and sets the last bit where the number was inexact. The bits of floats are ordered like
 * their magnitudes. */
static inline float
odd_from_f64 (double x)
{
  float nearest = (float) x;
  guint32 bits = ghlo_bits_of_float (nearest), is_inexact = (double) nearest != x && x == x;
  guint32 is_larger = __builtin_fabs ((double) nearest) > __builtin_fabs (x);

  return ghlo_float_of_bits ((bits - (is_inexact & is_larger)) | is_inexact);
}

/* Replaces all bits below the 53 that a double holds by a single one; rounding to odd gives the same for both. */
static inline float
odd_from_u64 (guint64 x)
{
  guint64 rest = x & 0xfff, kept = x >> 53 != 0 ? (x ^ rest) | (guint64) (rest != 0) << 12 : x;

  return odd_from_f64 ((double) kept);
}

static inline float
odd_from_s64 (gint64 x)
{
  float magnitude = odd_from_u64 (x < 0 ? -(guint64) x : (guint64) x);

  return x < 0 ? -magnitude : magnitude;
}

#define odd_from_s32(x) odd_from_f64 ((double) (x))
#define odd_from_u32(x) odd_from_f64 ((double) (x))

/* @limit is the smallest power of two that is out of range. */
#define SATURATED(From, To, limit, least, most) \
  (x != x ? (To) 0 : x >= (From) limit ? most : x <= -(From) limit ? least : (To) x)
#define SATURATED_UNSIGNED(From, To, limit, most) \
  (x >= (From) limit ? most : x > 0 ? (To) x : (To) 0)

#define FROM_INTEGER(T, name) \
  LOOP_1 (name##_i1, T, I1, x != 0) \
  LOOP_1 (name##_8, T, U8, x) \
  LOOP_1 (name##_16, T, U16, x) \
  LOOP_1 (name##_32, T, U32, x) \
  LOOP_1 (name##_64, T, U64, x) \
  LOOP_1 (name##_f32, T, F32, x) \
  LOOP_1 (name##_f64, T, F64, x)

#define FROM_FLOAT(T, name) \
  LOOP_1 (name##_i1, T, I1, x != 0) \
  LOOP_1 (name##_s8, T, S8, SATURATED (T, gint32, 0x1p7, G_MININT8, G_MAXINT8)) \
  LOOP_1 (name##_s16, T, S16, SATURATED (T, gint32, 0x1p15, G_MININT16, G_MAXINT16)) \
  LOOP_1 (name##_s32, T, S32, SATURATED (T, gint32, 0x1p31, G_MININT32, G_MAXINT32)) \
  LOOP_1 (name##_s64, T, S64, SATURATED (T, gint64, 0x1p63, G_MININT64, G_MAXINT64)) \
  LOOP_1 (name##_u8, T, U8, SATURATED_UNSIGNED (T, gint32, 0x1p8, G_MAXUINT8)) \
  LOOP_1 (name##_u16, T, U16, SATURATED_UNSIGNED (T, gint32, 0x1p16, G_MAXUINT16)) \
  LOOP_1 (name##_u32, T, U32, SATURATED_UNSIGNED (T, guint32, 0x1p32, G_MAXUINT32)) \
  LOOP_1 (name##_u64, T, U64, SATURATED_UNSIGNED (T, guint64, 0x1p64, G_MAXUINT64))

LOOP_1 (i1_8, I1, U8, x != 0)
LOOP_1 (i1_16, I1, U16, x != 0)
LOOP_1 (i1_32, I1, U32, x != 0)
LOOP_1 (i1_64, I1, U64, x != 0)
LOOP_1 (i1_f32, I1, F32, x != 0)
LOOP_1 (i1_f64, I1, F64, x != 0)
FROM_INTEGER (S8, s8)
FROM_INTEGER (S16, s16)
FROM_INTEGER (S32, s32)
FROM_INTEGER (S64, s64)
FROM_INTEGER (U8, u8)
FROM_INTEGER (U16, u16)
FROM_INTEGER (U32, u32)
FROM_INTEGER (U64, u64)
FROM_FLOAT (F32, f32)
FROM_FLOAT (F64, f64)
LOOP_1 (f32_f64, F32, F64, x)
LOOP_1 (f64_f32, F64, F32, x)
LOOP_1 (s32_odd, S32, F32, odd_from_s32 (x))
LOOP_1 (s64_odd, S64, F32, odd_from_s64 (x))
LOOP_1 (u32_odd, U32, F32, odd_from_u32 (x))
LOOP_1 (u64_odd, U64, F32, odd_from_u64 (x))
LOOP_1 (f64_odd, F64, F32, odd_from_f64 (x))

#define TO_INTEGERS(name) \
    [GHLO_CPU_NUMBER_S8] = name##_8, \
    [GHLO_CPU_NUMBER_S16] = name##_16, \
    [GHLO_CPU_NUMBER_S32] = name##_32, \
    [GHLO_CPU_NUMBER_S64] = name##_64, \
    [GHLO_CPU_NUMBER_U8] = name##_8, \
    [GHLO_CPU_NUMBER_U16] = name##_16, \
    [GHLO_CPU_NUMBER_U32] = name##_32, \
    [GHLO_CPU_NUMBER_U64] = name##_64, \
    [GHLO_CPU_NUMBER_F32] = name##_f32, \
    [GHLO_CPU_NUMBER_F64] = name##_f64

#define INTEGER_ROW(name, odd) \
  { [GHLO_CPU_NUMBER_I1] = name##_i1, TO_INTEGERS (name), [GHLO_CPU_NUMBER_F32_ODD] = odd }

#define FLOAT_ROW(name, ...) \
  { \
    [GHLO_CPU_NUMBER_I1] = name##_i1, \
    [GHLO_CPU_NUMBER_S8] = name##_s8, \
    [GHLO_CPU_NUMBER_S16] = name##_s16, \
    [GHLO_CPU_NUMBER_S32] = name##_s32, \
    [GHLO_CPU_NUMBER_S64] = name##_s64, \
    [GHLO_CPU_NUMBER_U8] = name##_u8, \
    [GHLO_CPU_NUMBER_U16] = name##_u16, \
    [GHLO_CPU_NUMBER_U32] = name##_u32, \
    [GHLO_CPU_NUMBER_U64] = name##_u64, \
    __VA_ARGS__ \
  }

const GhloCpuElementwiseFunc NAME (casts)[GHLO_CPU_N_NUMBERS][GHLO_CPU_N_TARGETS] = {
  [GHLO_CPU_NUMBER_I1] = { TO_INTEGERS (i1), [GHLO_CPU_NUMBER_F32_ODD] = i1_f32 },
  [GHLO_CPU_NUMBER_S8] = INTEGER_ROW (s8, s8_f32),
  [GHLO_CPU_NUMBER_S16] = INTEGER_ROW (s16, s16_f32),
  [GHLO_CPU_NUMBER_S32] = INTEGER_ROW (s32, s32_odd),
  [GHLO_CPU_NUMBER_S64] = INTEGER_ROW (s64, s64_odd),
  [GHLO_CPU_NUMBER_U8] = INTEGER_ROW (u8, u8_f32),
  [GHLO_CPU_NUMBER_U16] = INTEGER_ROW (u16, u16_f32),
  [GHLO_CPU_NUMBER_U32] = INTEGER_ROW (u32, u32_odd),
  [GHLO_CPU_NUMBER_U64] = INTEGER_ROW (u64, u64_odd),
  [GHLO_CPU_NUMBER_F32] = FLOAT_ROW (f32, [GHLO_CPU_NUMBER_F64] = f32_f64),
  [GHLO_CPU_NUMBER_F64] = FLOAT_ROW (f64, [GHLO_CPU_NUMBER_F32] = f64_f32, [GHLO_CPU_NUMBER_F32_ODD] = f64_odd),
};
