/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conversions between f32 or f64 and floats of 8, 6 and 4 bits, which are represented as ui8. One function in each
 * direction serves all formats and takes their widths, bias and special values from the table of element types. The
 * exception is the format of powers of two, which has neither signs nor a zero. The bits are those of
 * base/float-bits.c: numbers that are too large become infinity if the format has it, else NaN if it has that, else
 * the largest number.
 */

#include "kernel/functions/vocabulary.h"

#include "base/bits.h"

#include <math.h>

#define F32  GHLO_ELEMENT_TYPE_F32
#define UI8  GHLO_ELEMENT_TYPE_UI8
#define UI32 GHLO_ELEMENT_TYPE_UI32

/* Of f32. */
enum { MANTISSA_BITS = 23, BIAS = 127, INFINITE = 0x7f800000 };

static guint64
sign_bit (const GhloElementInfo *info)
{
  return (guint64) 1 << (info->bits - 1);
}

/* The bits of infinity where the format has one: all exponent bits set. */
static guint64
infinite_bits (const GhloElementInfo *info)
{
  return ghlo_low_bits (info->exponent_bits) << info->mantissa_bits;
}

/* The bits of the greatest number. */
static guint64
greatest_bits (const GhloElementInfo *info)
{
  if (info->specials == GHLO_FLOAT_IEEE)
    return infinite_bits (info) - 1;

  return ghlo_low_bits (info->bits - 1) - (info->specials == GHLO_FLOAT_FINITE && info->bits == 8);
}

/* A multiplication, which is exact, normalizes subnormal numbers. */
static guint
decode (Builder         *b,
        GhloElementType  format,
        guint            x)
{
  const GhloElementInfo *info = ghlo_element_info (format);
  guint bits = convert (b, UI32, x), size = and_bits (b, bits, sign_bit (info) - 1), number, sign, is_nan;

  number = float_of (b, left_by (b, size, MANTISSA_BITS - info->mantissa_bits));
  number = bits_of (b, multiply_real (b, number, ldexp (1, BIAS - info->bias)));
  sign = left_by (b, and_bits (b, bits, sign_bit (info)), 32 - info->bits);
  if (info->specials == GHLO_FLOAT_IEEE)
    number = choose (b, greater_equal (b, size, whole (b, size, infinite_bits (info))),
                     bit_or (b, number, whole (b, number, INFINITE)), number);
  number = float_of (b, bit_or (b, number, sign));
  if (info->specials == GHLO_FLOAT_IEEE || info->bits < 8)
    return number;
  is_nan = info->specials == GHLO_FLOAT_FINITE ? equal (b, size, whole (b, size, sign_bit (info) - 1))
           : equal (b, and_bits (b, bits, 0xff), whole (b, bits, sign_bit (info)));

  return choose (b, is_nan, real (b, number, NAN), number);
}

/* Replaces magnitudes that are too large, and NaN, in @result, whose bits have no sign, and adds the sign. */
static guint
add_specials (Builder               *b,
              const GhloElementInfo *info,
              guint                  result,
              guint                  sign,
              guint                  is_nan)
{
  guint is_large = greater (b, result, whole (b, result, greatest_bits (info)));

  switch (info->specials)
    {
    case GHLO_FLOAT_IEEE:
      result = choose (b, is_large, whole (b, result, infinite_bits (info)), result);
      result = choose (b, is_nan, whole (b, result, infinite_bits (info) | (guint64) 1 << (info->mantissa_bits - 1)),
                       result);
      return bit_or (b, result, sign);
    case GHLO_FLOAT_FINITE:
      if (info->bits == 8)
        return bit_or (b, choose (b, bit_or (b, is_large, is_nan), whole (b, result, sign_bit (info) - 1), result),
                       sign);
      result = bit_or (b, choose (b, is_large, whole (b, result, greatest_bits (info)), result), sign);
      return choose (b, is_nan, whole (b, result, sign_bit (info)), result);
    default:
      sign = choose (b, equal (b, result, whole (b, result, 0)), result, sign);
      return choose (b, bit_or (b, is_large, is_nan), whole (b, result, sign_bit (info)), bit_or (b, result, sign));
    }
}

/* Subnormal results are rounded by an addition that aligns their last place with that of f32. */
static guint
encode (Builder         *b,
        GhloElementType  format,
        GhloElementType  type,
        guint            x)
{
  const GhloElementInfo *info = ghlo_element_info (format);
  const double even = ldexp (1, 1 + MANTISSA_BITS - info->bias - info->mantissa_bits);
  const guint64 least = (guint64) (BIAS + 1 - info->bias) << MANTISSA_BITS;
  guint bits = ghlo_expand_odd_bits (b, type, x), size = and_bits (b, bits, G_MAXINT32), normal, low, sign;

  normal = subtract (b, size, whole (b, size, (guint64) (BIAS - info->bias) << MANTISSA_BITS));
  normal = ghlo_expand_shift_rounded (b, normal, MANTISSA_BITS - info->mantissa_bits);
  low = subtract (b, bits_of (b, add_real (b, float_of (b, size), even)),
                  whole (b, size, ghlo_float_to_bits (F32, even)));
  normal = choose (b, less (b, size, whole (b, size, least)), low, normal);
  sign = right_by (b, and_bits (b, bits, (guint64) 1 << 31), 32 - info->bits);

  return convert (b, UI8, add_specials (b, info, normal, sign, unequal (b, x, x)));
}

guint
ghlo_expand_from_f8e8m0fnu (Builder         *b,
                            GhloElementType  type,
                            const guint     *operands)
{
  guint bits = convert (b, UI32, operands[0]), number = left_by (b, bits, MANTISSA_BITS);

  number = choose (b, equal (b, bits, whole (b, bits, 0)), whole (b, bits, 1 << (MANTISSA_BITS - 1)), number);

  return choose (b, equal (b, bits, whole (b, bits, 0xff)), real (b, float_of (b, number), NAN), float_of (b, number));
}

/* The result is the exponent. Halves are rounded up, since the mantissa, always 1, is odd. */
guint
ghlo_expand_to_f8e8m0fnu (Builder         *b,
                          GhloElementType  type,
                          const guint     *operands)
{
  const guint64 one = (guint64) 1 << MANTISSA_BITS;
  guint bits = ghlo_expand_odd_bits (b, type, operands[0]), size = and_bits (b, bits, G_MAXINT32), result, low, is_nan;

  result = right_by (b, add (b, size, whole (b, size, one / 2)), MANTISSA_BITS);
  low = choose (b, less (b, size, whole (b, size, one / 4 * 3)), whole (b, size, 0), whole (b, size, 1));
  result = choose (b, less (b, size, whole (b, size, one)), low, result);
  is_nan = bit_or (b, greater (b, size, whole (b, size, INFINITE)),
                   bit_and (b, greater_equal (b, bits, whole (b, bits, (guint64) 1 << 31)),
                            unequal (b, operands[0], real (b, operands[0], 0))));

  return convert (b, UI8, choose (b, is_nan, whole (b, result, 0xff), result));
}

#define FORMAT(ID, name) \
  guint \
  ghlo_expand_from_##name (Builder         *b, \
                           GhloElementType  type, \
                           const guint     *operands) \
  { \
    return decode (b, GHLO_ELEMENT_TYPE_##ID, operands[0]); \
  } \
\
  guint \
  ghlo_expand_to_##name (Builder         *b, \
                         GhloElementType  type, \
                         const guint     *operands) \
  { \
    return encode (b, GHLO_ELEMENT_TYPE_##ID, type, operands[0]); \
  }

FORMAT (F4E2M1FN, f4e2m1fn)
FORMAT (F6E2M3FN, f6e2m3fn)
FORMAT (F6E3M2FN, f6e3m2fn)
FORMAT (F8E3M4, f8e3m4)
FORMAT (F8E4M3, f8e4m3)
FORMAT (F8E4M3FN, f8e4m3fn)
FORMAT (F8E4M3FNUZ, f8e4m3fnuz)
FORMAT (F8E4M3B11FNUZ, f8e4m3b11fnuz)
FORMAT (F8E5M2, f8e5m2)
FORMAT (F8E5M2FNUZ, f8e5m2fnuz)
