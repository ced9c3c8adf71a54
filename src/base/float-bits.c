/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The codec between doubles and the bits of float formats. One conversion serves every format: its parameters are in
 * the table of element types, and it rounds once, from the bits of the double.
 *
 * A value beyond the finite range of its format becomes what LLVM's APFloat gives: infinity where the format has one,
 * otherwise NaN, otherwise (the formats under 8 bits have neither) the largest finite number.
 */

#include "base/bits.h"
#include "element.h"

#include <math.h>
#include <string.h>

/* The format of double, and constants of F8E8M0FNU. */
enum
{
  DOUBLE_MANTISSA_BITS = 52,
  DOUBLE_BIAS = 1023,
  DOUBLE_EXPONENT_MASK = 0x7ff,
  E8M0_NAN = 0xff,
  E8M0_BIAS = 127,
};

/* Returns 2 to the power of @exponent, which must be within the normal range of double. */
static inline double
power_of_two (int exponent)
{
  return ghlo_double_of_bits ((guint64) (exponent + DOUBLE_BIAS) << DOUBLE_MANTISSA_BITS);
}

/* Returns @value / 2^shift, rounded to nearest even. */
static inline guint64
shift_right_even (guint64 value,
                  gint64  shift)
{
  guint64 quotient, rest, half;

  /* The significand has 53 bits: with a larger shift the quotient is less than a half. */
  if (shift > DOUBLE_MANTISSA_BITS + 2)
    return 0;
  if (shift <= 0)
    return value << -shift;

  quotient = value >> shift;
  rest = value & ghlo_low_bits (shift);
  half = (guint64) 1 << (shift - 1);

  return quotient + (rest > half || (rest == half && (quotient & 1)));
}

/* Returns the greatest bits, without the sign, that encode a finite number. */
static guint64
largest_finite (const GhloElementInfo *info)
{
  guint64 ones = ghlo_low_bits (info->exponent_bits + info->mantissa_bits);

  switch (info->specials)
    {
    case GHLO_FLOAT_IEEE:
      return (ghlo_low_bits (info->exponent_bits) << info->mantissa_bits) - 1;
    case GHLO_FLOAT_FINITE:
      return info->bits < 8 ? ones : ones - 1;
    default:
      return ones;
    }
}

/* Returns the bits of NaN. IEEE formats keep the upper bits of the double's payload. */
static guint64
nan_to_bits (const GhloElementInfo *info,
             guint64                bits,
             guint64                sign)
{
  guint64 payload;

  switch (info->specials)
    {
    case GHLO_FLOAT_IEEE:
      payload = (bits & ghlo_low_bits (DOUBLE_MANTISSA_BITS)) >> (DOUBLE_MANTISSA_BITS - info->mantissa_bits);
      if (payload == 0)
        payload = (guint64) 1 << (info->mantissa_bits - 1);
      return sign | (ghlo_low_bits (info->exponent_bits) << info->mantissa_bits) | payload;
    case GHLO_FLOAT_FINITE:
      /* Formats under 8 bits have no NaN; negative zero stands in for it. */
      return info->bits < 8 ? (guint64) 1 << (info->bits - 1) : sign | ghlo_low_bits (info->bits - 1);
    default:
      return (guint64) 1 << (info->bits - 1);
    }
}

static guint64
overflow_to_bits (const GhloElementInfo *info,
                  guint64                sign)
{
  if (info->specials == GHLO_FLOAT_IEEE)
    return sign | (ghlo_low_bits (info->exponent_bits) << info->mantissa_bits);
  if (info->specials == GHLO_FLOAT_FINITE && info->bits < 8)
    return sign | largest_finite (info);

  return nan_to_bits (info, 0, sign);
}

/* The format has powers of two only, without a sign and without zero: values below the smallest one become the
 * smallest one. All significands are 1, which is odd, so ties round up. */
static guint64
e8m0_to_bits (double value)
{
  int exponent;
  double fraction;

  if (isnan (value) || value < 0 || isinf (value))
    return E8M0_NAN;
  if (value == 0)
    return 0;

  fraction = frexp (value, &exponent);   /* in [0.5, 1) */
  exponent += E8M0_BIAS - 1 + (fraction >= 0.75);

  return exponent < 0 ? 0 : MIN (exponent, E8M0_NAN);
}

/* Rounds the bits of a double to a narrower format. */
static guint64
narrow_bits (const GhloElementInfo *info,
             guint64                bits)
{
  guint64 sign = (bits >> 63) << (info->bits - 1);
  int exponent = (int) ((bits >> DOUBLE_MANTISSA_BITS) & DOUBLE_EXPONENT_MASK);
  guint64 significand = bits & ghlo_low_bits (DOUBLE_MANTISSA_BITS);
  int least_exponent = 1 - info->bias, unit;
  guint64 magnitude;

  if (exponent == DOUBLE_EXPONENT_MASK)
    return significand != 0 ? nan_to_bits (info, bits, sign) : overflow_to_bits (info, sign);

  if (exponent == 0)
    exponent = 1;
  else
    significand |= (guint64) 1 << DOUBLE_MANTISSA_BITS;
  exponent -= DOUBLE_BIAS;

  /* The significand in units of the format's last place. For a subnormal number this is its encoding; the hidden bit
   * of a normal number counts as one more in the exponent. A carry out of the significand moves into the exponent
   * without further work. */
  unit = MAX (exponent, least_exponent);
  magnitude = shift_right_even (significand,
                                (gint64) DOUBLE_MANTISSA_BITS - info->mantissa_bits + unit - exponent);
  magnitude += (guint64) (unit - least_exponent) << info->mantissa_bits;

  if (magnitude > largest_finite (info))
    return overflow_to_bits (info, sign);
  if (magnitude == 0 && info->specials == GHLO_FLOAT_FNUZ)
    return 0;

  return sign | magnitude;
}

/* Uses the hardware's conversion except for NaNs: the hardware would turn signalling NaNs into quiet ones. */
static guint64
f32_to_bits (double value)
{
  float narrow = (float) value;
  guint32 bits;

  if (G_UNLIKELY (isnan (value)))
    return narrow_bits (ghlo_element_info (GHLO_ELEMENT_TYPE_F32), ghlo_bits_of_double (value));
  memcpy (&bits, &narrow, sizeof bits);

  return bits;
}

guint64
ghlo_float_to_bits (GhloElementType type,
                    double          value)
{
  const GhloElementInfo *info = ghlo_element_info (ghlo_element_type_real_part (type));

  switch (type)
    {
    case GHLO_ELEMENT_TYPE_F64:
    case GHLO_ELEMENT_TYPE_COMPLEX_F64:
      return ghlo_bits_of_double (value);
    case GHLO_ELEMENT_TYPE_F32:
    case GHLO_ELEMENT_TYPE_COMPLEX_F32:
      return f32_to_bits (value);
    case GHLO_ELEMENT_TYPE_F8E8M0FNU:
      return e8m0_to_bits (value);
    default:
      return narrow_bits (info, ghlo_bits_of_double (value));
    }
}

static gboolean
is_nan_bits (const GhloElementInfo *info,
             guint64                bits,
             guint64                magnitude)
{
  switch (info->specials)
    {
    case GHLO_FLOAT_IEEE:
      return magnitude > (ghlo_low_bits (info->exponent_bits) << info->mantissa_bits);
    case GHLO_FLOAT_FINITE:
      return info->bits == 8 && magnitude == ghlo_low_bits (7);
    default:
      return bits != 0 && magnitude == 0;
    }
}

static double
widen_bits (const GhloElementInfo *info,
            guint64                bits)
{
  guint64 sign = (bits >> (info->bits - 1)) & 1;
  guint64 magnitude = bits & ghlo_low_bits (info->bits - 1);
  guint64 mantissa = magnitude & ghlo_low_bits (info->mantissa_bits);
  guint64 exponent = magnitude >> info->mantissa_bits;
  guint64 wide;
  double value;

  if (is_nan_bits (info, bits & ghlo_low_bits (info->bits), magnitude))
    {
      guint64 quiet = (guint64) 1 << (DOUBLE_MANTISSA_BITS - 1);

      wide = info->specials == GHLO_FLOAT_IEEE ? mantissa << (DOUBLE_MANTISSA_BITS - info->mantissa_bits) : quiet;
      if (info->specials == GHLO_FLOAT_FNUZ)
        sign = 0;
      return ghlo_double_of_bits (sign << 63 | (guint64) DOUBLE_EXPONENT_MASK << DOUBLE_MANTISSA_BITS | wide);
    }

  if (exponent == 0)
    {
      value = (double) mantissa * power_of_two (1 - info->bias - info->mantissa_bits);
      return sign ? -value : value;
    }

  if (info->specials == GHLO_FLOAT_IEEE && exponent == ghlo_low_bits (info->exponent_bits))
    exponent = DOUBLE_EXPONENT_MASK;
  else
    exponent += DOUBLE_BIAS - info->bias;
  wide = sign << 63 | exponent << DOUBLE_MANTISSA_BITS | mantissa << (DOUBLE_MANTISSA_BITS - info->mantissa_bits);

  return ghlo_double_of_bits (wide);
}

static double
f32_from_bits (guint32 bits)
{
  float narrow;

  memcpy (&narrow, &bits, sizeof narrow);
  if (G_UNLIKELY (isnan (narrow)))
    return widen_bits (ghlo_element_info (GHLO_ELEMENT_TYPE_F32), bits);

  return narrow;
}

double
ghlo_float_from_bits (GhloElementType type,
                      guint64         bits)
{
  switch (type)
    {
    case GHLO_ELEMENT_TYPE_F64:
    case GHLO_ELEMENT_TYPE_COMPLEX_F64:
      return ghlo_double_of_bits (bits);
    case GHLO_ELEMENT_TYPE_F32:
    case GHLO_ELEMENT_TYPE_COMPLEX_F32:
      return f32_from_bits ((guint32) bits);
    case GHLO_ELEMENT_TYPE_BF16:
      return f32_from_bits ((guint32) bits << 16);
    case GHLO_ELEMENT_TYPE_F8E8M0FNU:
      return (bits & 0xff) == E8M0_NAN ? NAN : power_of_two ((int) (bits & 0xff) - E8M0_BIAS);
    default:
      return widen_bits (ghlo_element_info (type), bits);
    }
}

double
ghlo_float_limit (GhloElementType type,
                  gboolean        greatest)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  double largest;

  if (info->specials == GHLO_FLOAT_E8M0)
    return ghlo_float_from_bits (type, greatest ? E8M0_NAN - 1 : 0);
  largest = info->specials == GHLO_FLOAT_IEEE ? INFINITY : ghlo_float_from_bits (type, largest_finite (info));

  return greatest ? largest : -largest;
}
