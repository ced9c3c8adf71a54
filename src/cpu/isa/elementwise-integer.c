/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops over booleans and integers. Arithmetic wraps. A quotient by zero has all bits set, the remainder by zero is
 * the dividend, and the least integer divided by -1 is itself (as in XLA; the specification leaves these open).
 * Compiled for each level.
 */

#include "cpu/isa/elementwise-private.h"

#include <string.h>

/* Unsigned types for arithmetic modulo 2^bits, at least as wide as int, so that promotion to int cannot overflow. */
typedef guint32 W8;
typedef guint32 W16;
typedef guint32 W32;
typedef guint64 W64;

/* Processors divide vectors of floats, but not of integers. @Float represents every integer, and truncated quotients
 * are exact: a quotient is further from the next integer than rounding can move it. */
#define QUOTIENTS(bits, Float) \
  static inline U##bits \
  quotient_u##bits (U##bits x, \
                    U##bits y) \
  { \
    U##bits divisor = y == 0 ? 1 : y; \
    U##bits quotient = (U##bits) ((Float) x / (Float) divisor); \
\
    return y == 0 ? (U##bits) -1 : quotient; \
  } \
\
  static inline S##bits \
  quotient_s##bits (S##bits x, \
                    S##bits y) \
  { \
    S##bits divisor = y == 0 || y == -1 ? 1 : y; \
    S##bits quotient = (S##bits) (gint32) ((Float) x / (Float) divisor); \
\
    quotient = y == -1 ? (S##bits) - (W##bits) x : quotient; \
\
    return y == 0 ? -1 : quotient; \
  }

QUOTIENTS (8, float)
QUOTIENTS (16, float)
QUOTIENTS (32, double)

static inline U64
quotient_u64 (U64 x,
              U64 y)
{
  return y == 0 ? G_MAXUINT64 : x / y;
}

static inline S64
quotient_s64 (S64 x,
              S64 y)
{
  if (y == 0)
    return -1;

  /* x / y would trap where x is the least integer. */
  return y == -1 ? (S64) - (U64) x : x / y;
}

/* Counts bits in increasingly large groups, since not every level has an instruction for it. */
static inline guint64
count_bits_64 (guint64 x)
{
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;

  return x * 0x0101010101010101 >> 56;
}

static inline guint32
count_bits_32 (guint32 x)
{
  x -= x >> 1 & 0x55555555;
  x = (x & 0x33333333) + (x >> 2 & 0x33333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f;

  return x * 0x01010101 >> 24;
}

static inline guint16
count_bits_16 (guint16 x)
{
  x = (guint16) (x - (x >> 1 & 0x5555));
  x = (guint16) ((x & 0x3333) + (x >> 2 & 0x3333));
  x = (guint16) ((x + (x >> 4)) & 0x0f0f);

  return (guint16) ((x + (x >> 8)) & 0x1f);
}

static inline guint8
count_bits_8 (guint8 x)
{
  x = (guint8) (x - (x >> 1 & 0x55));
  x = (guint8) ((x & 0x33) + (x >> 2 & 0x33));

  return (guint8) ((x + (x >> 4)) & 0x0f);
}

static inline guint64
power_unsigned (guint64 base,
                guint64 exponent)
{
  guint64 power = 1;

  for (; exponent != 0; exponent >>= 1, base *= base)
    if (exponent & 1)
      power *= base;

  return power;
}

/* A negative power is a fraction and truncates to 0, unless the base is 1 or -1. */
static inline guint64
power_signed (gint64 base,
              gint64 exponent)
{
  if (exponent >= 0)
    return power_unsigned ((guint64) base, (guint64) exponent);
  if (base == 1)
    return 1;

  return base != -1 ? 0 : exponent & 1 ? G_MAXUINT64 : 1;
}

/* Operations that give the same bits for signed and unsigned integers. */
#define MODULAR(bits, clz, Wide) \
  LOOP_2 (add_##bits, U##bits, U##bits, (W##bits) x + y) \
  LOOP_2 (subtract_##bits, U##bits, U##bits, (W##bits) x - y) \
  LOOP_2 (multiply_##bits, U##bits, U##bits, (W##bits) x * y) \
  LOOP_2 (and_##bits, U##bits, U##bits, x & y) \
  LOOP_2 (or_##bits, U##bits, U##bits, x | y) \
  LOOP_2 (xor_##bits, U##bits, U##bits, x ^ y) \
  LOOP_1 (not_##bits, U##bits, U##bits, ~x) \
  LOOP_1 (negate_##bits, U##bits, U##bits, -(W##bits) x) \
  LOOP_2 (eq_##bits, U##bits, I1, x == y) \
  LOOP_2 (ne_##bits, U##bits, I1, x != y) \
  LOOP_2 (shift_left_##bits, U##bits, U##bits, y >= bits ? 0 : (W##bits) x << (y & (bits - 1))) \
  LOOP_2 (shift_right_logical_##bits, U##bits, U##bits, y >= bits ? 0 : x >> (y & (bits - 1))) \
  LOOP_2 (shift_right_arithmetic_##bits, U##bits, U##bits, (S##bits) x >> (y >= bits ? bits - 1 : y)) \
  LOOP_1 (popcnt_##bits, U##bits, U##bits, count_bits_##bits (x)) \
  LOOP_1 (count_leading_zeros_##bits, U##bits, U##bits, \
          x == 0 ? bits : clz (x) - (int) (8 * sizeof (Wide) - bits)) \
  LOOP_3 (select_##bits, I1, U##bits, U##bits, x != 0 ? y : z) \
\
  static void \
  copy_##bits (const guint8 *const *operands, \
               guint8              *result, \
               gsize                n, \
               gconstpointer        detail) \
  { \
    if (result != operands[0]) \
      memcpy (result, operands[0], n * sizeof (U##bits)); \
  } \
\
  static inline U##bits \
  reduce_bits_##bits (U##bits                 x, \
                      const GhloCpuPrecision *to) \
  { \
    const U##bits sign = x & (U##bits) ((U##bits) 1 << (bits - 1)), infinity = (U##bits) to->infinity; \
    U##bits magnitude = x ^ sign, rounded = magnitude; \
\
    if (to->dropped > 0) \
      { \
        W##bits half = (W##bits) 1 << (to->dropped - 1); \
\
        rounded = (U##bits) ((magnitude + (half - 1) + (magnitude >> to->dropped & 1)) \
                             >> to->dropped << to->dropped); \
      } \
    rounded = rounded > (U##bits) to->most ? infinity : rounded < (U##bits) to->least ? 0 : rounded; \
    rounded = magnitude == infinity ? infinity : rounded; \
    if (magnitude > infinity) \
      return to->nan != 0 ? (U##bits) to->nan : x; \
\
    return sign | rounded; \
  } \
\
  static void \
  reduce_precision_##bits (const guint8 *const *operands, \
                           guint8              *result, \
                           gsize                n, \
                           gconstpointer        detail) \
  { \
    const U##bits##_there *a = (gconstpointer) operands[0]; \
    U##bits##_there *to = (gpointer) result; \
    const GhloCpuPrecision precision = *(const GhloCpuPrecision *) detail; \
\
    INDEPENDENT for (gsize i = 0; i < n; i++) \
      to[i] = reduce_bits_##bits (a[i], &precision); \
  }

MODULAR (8, __builtin_clz, guint32)
MODULAR (16, __builtin_clz, guint32)
MODULAR (32, __builtin_clz, guint32)
MODULAR (64, __builtin_clzll, guint64)

/* Operations that depend on signedness. @Wide holds any product. */
#define ORDERED(T, name, power, bits, Wide) \
  LOOP_2 (maximum_##name, T, T, x > y ? x : y) \
  LOOP_2 (minimum_##name, T, T, x < y ? x : y) \
  LOOP_2 (le_##name, T, I1, x <= y) \
  LOOP_2 (lt_##name, T, I1, x < y) \
  LOOP_3 (clamp_##name, T, T, T, MIN (MAX (y, x), z)) \
  LOOP_2 (divide_##name, T, T, quotient_##name (x, y)) \
  LOOP_2 (multiply_high_##name, T, T, (Wide) x * y >> bits) \
  LOOP_2 (power_##name, T, T, power (x, y))

#define SIGNED(bits, Wide) \
  ORDERED (S##bits, s##bits, power_signed, bits, Wide) \
  LOOP_1 (abs_s##bits, S##bits, S##bits, x < 0 ? -(W##bits) x : (W##bits) x) \
  LOOP_1 (sign_s##bits, S##bits, S##bits, (x > 0) - (x < 0)) \
  LOOP_2 (remainder_s##bits, S##bits, S##bits, \
          y == 0 ? x : (S##bits) ((W##bits) x - (W##bits) quotient_s##bits (x, y) * (W##bits) y)) \
  LOOP_2 (total_le_##bits, S##bits, I1, \
          (x < 0 ? x ^ G_MAXINT##bits : x) <= (y < 0 ? y ^ G_MAXINT##bits : y)) \
  LOOP_2 (total_lt_##bits, S##bits, I1, (x < 0 ? x ^ G_MAXINT##bits : x) < (y < 0 ? y ^ G_MAXINT##bits : y))

#define UNSIGNED(bits, Wide) \
  ORDERED (U##bits, u##bits, power_unsigned, bits, Wide) \
  LOOP_2 (remainder_u##bits, U##bits, U##bits, \
          y == 0 ? x : (W##bits) x - (W##bits) quotient_u##bits (x, y) * (W##bits) y)

SIGNED (8, gint32)
SIGNED (16, gint32)
SIGNED (32, gint64)
SIGNED (64, __int128)
UNSIGNED (8, guint32)
UNSIGNED (16, guint32)
UNSIGNED (32, guint64)
UNSIGNED (64, unsigned __int128)

#define ROWS(name, bits) \
    [GHLO_SCALAR_ADD] = add_##bits, \
    [GHLO_SCALAR_AND] = and_##bits, \
    [GHLO_SCALAR_CLAMP] = clamp_##name, \
    [GHLO_CPU_ELEMENTWISE_COPY] = copy_##bits, \
    [GHLO_SCALAR_COUNT_LEADING_ZEROS] = count_leading_zeros_##bits, \
    [GHLO_SCALAR_DIVIDE] = divide_##name, \
    [GHLO_CPU_ELEMENTWISE_EQ] = eq_##bits, \
    [GHLO_CPU_ELEMENTWISE_LE] = le_##name, \
    [GHLO_CPU_ELEMENTWISE_LT] = lt_##name, \
    [GHLO_SCALAR_MAXIMUM] = maximum_##name, \
    [GHLO_SCALAR_MINIMUM] = minimum_##name, \
    [GHLO_SCALAR_MULHI] = multiply_high_##name, \
    [GHLO_SCALAR_MULTIPLY] = multiply_##bits, \
    [GHLO_CPU_ELEMENTWISE_NE] = ne_##bits, \
    [GHLO_SCALAR_NEGATE] = negate_##bits, \
    [GHLO_SCALAR_NOT] = not_##bits, \
    [GHLO_SCALAR_OR] = or_##bits, \
    [GHLO_SCALAR_POPCNT] = popcnt_##bits, \
    [GHLO_SCALAR_POWER] = power_##name, \
    [GHLO_SCALAR_REDUCE_PRECISION] = reduce_precision_##bits, \
    [GHLO_SCALAR_REMAINDER] = remainder_##name, \
    [GHLO_SCALAR_SELECT] = select_##bits, \
    [GHLO_SCALAR_SHIFT_LEFT] = shift_left_##bits, \
    [GHLO_SCALAR_SHIFT_RIGHT_ARITHMETIC] = shift_right_arithmetic_##bits, \
    [GHLO_SCALAR_SHIFT_RIGHT_LOGICAL] = shift_right_logical_##bits, \
    [GHLO_SCALAR_SUBTRACT] = subtract_##bits, \
    [GHLO_SCALAR_XOR] = xor_##bits,

#define TABLES(bits) \
  const GhloCpuElementwiseFunc NAME (loops_u##bits)[GHLO_CPU_N_ELEMENTWISE] = { ROWS (u##bits, bits) }; \
  const GhloCpuElementwiseFunc NAME (loops_s##bits)[GHLO_CPU_N_ELEMENTWISE] = { \
    ROWS (s##bits, bits) \
    [GHLO_SCALAR_ABS] = abs_s##bits, \
    [GHLO_SCALAR_SIGN] = sign_s##bits, \
    [GHLO_CPU_ELEMENTWISE_TOTAL_LE] = total_le_##bits, \
    [GHLO_CPU_ELEMENTWISE_TOTAL_LT] = total_lt_##bits, \
  };

TABLES (8)
TABLES (16)
TABLES (32)
TABLES (64)

LOOP_2 (boolean_and, I1, I1, (x != 0) & (y != 0))
LOOP_2 (boolean_or, I1, I1, (x | y) != 0)
LOOP_2 (boolean_xor, I1, I1, (x != 0) ^ (y != 0))
LOOP_1 (boolean_not, I1, I1, x == 0)
LOOP_2 (boolean_eq, I1, I1, (x != 0) == (y != 0))
LOOP_2 (boolean_le, I1, I1, (x == 0) | (y != 0))
LOOP_2 (boolean_lt, I1, I1, (x == 0) & (y != 0))
LOOP_3 (boolean_clamp, I1, I1, I1, ((x | y) != 0) & (z != 0))

const GhloCpuElementwiseFunc NAME (loops_i1)[GHLO_CPU_N_ELEMENTWISE] = {
  [GHLO_SCALAR_AND] = boolean_and,
  [GHLO_SCALAR_CLAMP] = boolean_clamp,
  [GHLO_CPU_ELEMENTWISE_EQ] = boolean_eq,
  [GHLO_CPU_ELEMENTWISE_LE] = boolean_le,
  [GHLO_CPU_ELEMENTWISE_LT] = boolean_lt,
  [GHLO_CPU_ELEMENTWISE_NE] = boolean_xor,
  [GHLO_SCALAR_NOT] = boolean_not,
  [GHLO_SCALAR_OR] = boolean_or,
  [GHLO_SCALAR_XOR] = boolean_xor,
};
