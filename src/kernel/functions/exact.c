/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions whose results are exact or rounded once: remainders of f32, and conversions between f32 or f64 and the
 * 16-bit floats, whose bits are integers here.
 */

#include "kernel/functions/vocabulary.h"

#include <math.h>

#define F32  GHLO_ELEMENT_TYPE_F32
#define UI16 GHLO_ELEMENT_TYPE_UI16
#define UI32 GHLO_ELEMENT_TYPE_UI32

/* Returns a number congruent to @x modulo @m, of magnitude slightly above m / 2 at most. Both are integers in f64,
 * below 2^51 and 2^24. */
static guint
modulo (Builder *b,
        guint    x,
        guint    m,
        guint    inverse)
{
  guint quotient = rounded (b, multiply (b, x, inverse));

  return multiply_add (b, negate (b, quotient), m, x);
}

/* With integers as mantissas, the remainder is (mx × 2^d) mod my. 2^d is computed by repeated squaring, from the
 * highest bits of d down. */
guint
ghlo_expand_remainder_float (Builder         *b,
                             GhloElementType  type,
                             const guint     *operands)
{
  enum { LOW_BITS = 4 };
  const guint64 mantissa = G_GUINT64_CONSTANT (0x000fffffffffffff), one = G_GUINT64_CONSTANT (0x4160000000000000);
  guint x = operands[0], y = operands[1], ax = widen (b, magnitude (b, x)), ay = widen (b, magnitude (b, y));
  guint x_bits = bits_of (b, ax), y_bits = bits_of (b, ay), mx, my, d, power, inverse, result, is_valid;

  /* The mantissas as numbers within [2^23, 2^24). */
  mx = float_of (b, bit_or (b, and_bits (b, x_bits, mantissa), whole (b, x_bits, one)));
  my = float_of (b, bit_or (b, and_bits (b, y_bits, mantissa), whole (b, y_bits, one)));
  inverse = divide (b, real (b, my, 1), my);
  d = subtract (b, right_by (b, x_bits, 52), right_by (b, y_bits, 52));
  power = float_of (b, left_by (b, add (b, right_by (b, d, LOW_BITS), whole (b, d, 1023)), 52));
  for (guint i = LOW_BITS; i > 0; i--)
    {
      guint has_bit = unequal (b, and_bits (b, d, (guint64) 1 << (i - 1)), whole (b, d, 0));

      power = modulo (b, multiply (b, power, power), my, inverse);
      power = choose (b, has_bit, add (b, power, power), power);
    }
  result = modulo (b, multiply (b, mx, power), my, inverse);
  result = choose (b, less (b, result, real (b, my, 0)), add (b, result, my), result);
  result = narrow (b, multiply (b, result, divide (b, ay, my)));
  result = choose (b, less (b, ax, ay), magnitude (b, x), result);
  is_valid = bit_and (b, less (b, ax, real (b, ax, INFINITY)), greater (b, ay, real (b, ay, 0)));

  return with_sign (b, choose (b, is_valid, result, real (b, x, NAN)), x);
}

guint
ghlo_expand_from_bf16 (Builder         *b,
                       GhloElementType  type,
                       const guint     *operands)
{
  return float_of (b, left_by (b, convert (b, UI32, operands[0]), 16));
}

/* A multiplication, which is exact, normalizes subnormal numbers. */
guint
ghlo_expand_from_f16 (Builder         *b,
                      GhloElementType  type,
                      const guint     *operands)
{
  guint bits = convert (b, UI32, operands[0]), size = and_bits (b, bits, 0x7fff), result, is_special;

  result = bits_of (b, multiply_real (b, float_of (b, left_by (b, size, 13)), 0x1p112));
  is_special = greater_equal (b, size, whole (b, size, 0x7c00));
  result = choose (b, is_special, bit_or (b, result, whole (b, result, 0x7f800000)), result);

  return float_of (b, bit_or (b, result, left_by (b, and_bits (b, bits, 0x8000), 16)));
}

guint
ghlo_expand_odd_bits (Builder         *b,
                      GhloElementType  type,
                      guint            x)
{
  guint nearest, back, bits, one, is_larger, odd;

  if (type == F32)
    return bits_of (b, x);
  nearest = narrow (b, x);
  back = widen (b, nearest);
  bits = bits_of (b, nearest);
  one = whole (b, bits, 1);
  is_larger = greater (b, magnitude (b, back), magnitude (b, x));
  odd = bit_or (b, choose (b, is_larger, subtract (b, bits, one), bits), one);

  return choose (b, bit_or (b, equal (b, back, x), unequal (b, x, x)), bits, odd);
}

guint
ghlo_expand_shift_rounded (Builder *b,
                           guint    x,
                           guint    count)
{
  guint is_odd = and_bits (b, right_by (b, x, count), 1);

  x = add (b, add (b, x, whole (b, x, ((guint64) 1 << (count - 1)) - 1)), is_odd);

  return right_by (b, x, count);
}

guint
ghlo_expand_to_bf16 (Builder         *b,
                     GhloElementType  type,
                     const guint     *operands)
{
  guint x = operands[0], bits = ghlo_expand_odd_bits (b, type, x), result = ghlo_expand_shift_rounded (b, bits, 16);

  return convert (b, UI16, choose (b, unequal (b, x, x), whole (b, bits, 0x7fc0), result));
}

/* Subnormal results are rounded by an addition that aligns their last place with that of f32. */
guint
ghlo_expand_to_f16 (Builder         *b,
                    GhloElementType  type,
                    const guint     *operands)
{
  guint x = operands[0], bits = ghlo_expand_odd_bits (b, type, x), size = and_bits (b, bits, 0x7fffffff), normal;
  guint low, result;

  normal = ghlo_expand_shift_rounded (b, subtract (b, size, whole (b, size, 112 << 23)), 13);
  low = subtract (b, bits_of (b, add_real (b, float_of (b, size), 0.5)), whole (b, size, 0x3f000000));
  result = choose (b, less (b, size, whole (b, size, 0x38800000)), low, normal);
  result = choose (b, greater_equal (b, size, whole (b, size, 0x477ff000)), whole (b, size, 0x7c00), result);
  result = choose (b, unequal (b, x, x), whole (b, size, 0x7e00), result);

  return convert (b, UI16, bit_or (b, result, right_by (b, and_bits (b, bits, 0x80000000), 16)));
}
