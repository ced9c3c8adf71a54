/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Powers of f32: 2^(y log2 |x|), with the logarithm and the product as sums of two f32, since up to 8 of their bits
 * are before the point. A register holds twice as many f32 as f64. The dependency chain up to the exponential is
 * kept short: its integer part comes from a coarse logarithm, and nothing is clamped on the way; special results
 * are selected at the end. Coefficients are those of coefficients/power.sollya.
 */

#include "kernel/functions/vocabulary.h"

#include <math.h>

/* Adding it rounds to an integer and leaves that in the low bits. */
#define MAGIC      0x1.8p23
#define MAGIC_BITS 0x4b400000

#define F32 GHLO_ELEMENT_TYPE_F32
#define I32 GHLO_ELEMENT_TYPE_I32

/* x = 2^exponent × mantissa, with the mantissa within [√½, √2). */
static void
split (Builder *b,
       guint    x,
       guint   *exponent,
       guint   *mantissa)
{
  const guint64 half_root = 0x3f3504f3;
  guint is_low = less (b, x, real (b, x, 0x1p-126)), zero = real (b, x, 0), bits, shifted;

  bits = bits_as (b, I32, choose (b, is_low, multiply_real (b, x, 0x1p23), x));
  shifted = subtract (b, bits, whole (b, bits, half_root));
  *exponent = convert (b, F32, right_by (b, shifted, 23));
  *exponent = subtract (b, *exponent, choose (b, is_low, real (b, x, 23), zero));
  *mantissa = bits_as (b, F32,
                       add (b, and_bits (b, shifted, 0x7fffff), whole (b, bits, half_root)));
}

/* A logarithm as the sum of two numbers, and a coarse approximation of it. */
typedef struct
{
  guint high, low;
  guint coarse;
} Logarithm;

/* The quotient above / below as the sum of two numbers; @lost is the rounding error of below. */
static guint
precise_quotient (Builder *b,
                  guint    above,
                  guint    below,
                  guint    lost,
                  guint    inverse,
                  guint   *rest)
{
  guint s = divide (b, above, below), minus_s = negate (b, s);

  *rest = multiply (b, multiply_add (b, minus_s, lost, multiply_add (b, minus_s, below, above)), inverse);

  return s;
}

/* s³ as the sum of two numbers. */
static guint
precise_cube (Builder *b,
              guint    s,
              guint    square,
              guint   *rest)
{
  guint cube = multiply (b, s, square), of_square = multiply_add (b, s, s, negate (b, square));

  *rest = multiply_add (b, s, of_square, multiply_add (b, s, square, negate (b, cube)));

  return cube;
}

/* log2 x, x > 0: exponent + 2 / ln 2 s + s³ p (s²), s = (m - 1) / (m + 1). */
static Logarithm
precise_log2 (Builder *b,
              guint    x)
{
  static const double p[] = { 0x1.ec709ep-1, 0x1.2776b2p-1, 0x1.a5f2b4p-2, 0x1.558b3ep-2 };
  static const double reciprocal[] = { 0x1.be8cf8p-1, -0x1.f46f78p-2, 0x1.dea528p-4 };
  static const double coarse[] = { 0x1.71525cp1, 0x1.f55006p-1 };
  guint scale = real (b, x, 0x1.715476p1), scale_rest = real (b, x, 0x1.4ae0cp-25);
  guint exponent, m, below, s, square, rest, first, sum, low, cube, factor;
  Logarithm result;

  split (b, x, &exponent, &m);
  below = add_real (b, m, 1);
  s = precise_quotient (b, add_real (b, m, -1), below, subtract (b, m, add_real (b, below, -1)),
                        HORNER (b, m, reciprocal), &rest);
  square = multiply (b, s, s);
  result.coarse = multiply_add (b, s, HORNER (b, square, coarse), exponent);
  first = multiply (b, s, scale);
  low = multiply_add (b, s, scale_rest, multiply_add (b, s, scale, negate (b, first)));
  low = multiply_add (b, rest, multiply_add (b, square, scale, scale), low);
  cube = precise_cube (b, s, square, &rest);
  low = multiply_add (b, rest, real (b, x, p[0]), low);
  factor = ESTRIN (b, square, p);
  sum = multiply_add (b, cube, factor, first);
  low = add (b, low, multiply_add (b, cube, factor, subtract (b, first, sum)));
  result.high = add (b, exponent, sum);
  result.low = add (b, low, subtract (b, sum, subtract (b, result.high, exponent)));

  return result;
}

/* x 2^n in two steps; the second one may reach subnormal numbers. */
static guint
scaled (Builder *b,
        guint    x,
        guint    shifted)
{
  guint bits = subtract (b, bits_as (b, I32, shifted), whole (b, bits_as (b, I32, shifted), MAGIC_BITS));
  guint half = shift_right (b, bits, whole (b, bits, 1)), bias = whole (b, bits, 127);
  guint first = left_by (b, add (b, half, bias), 23), second = left_by (b, add (b, subtract (b, bits, half), bias), 23);

  return multiply (b, multiply (b, x, bits_as (b, F32, first)), bits_as (b, F32, second));
}

/* |x|^y for ordinary numbers and results that neither overflow nor underflow; *@t becomes the logarithm of the
 * result. */
static guint
power_of_size (Builder *b,
               guint    x,
               guint    y,
               guint   *t)
{
  static const double c[] = {
    0x1.62e43p-1, 0x1.ebfbdep-3, 0x1.c6af9ep-5, 0x1.3b2c58p-7, 0x1.5ef4acp-10, 0x1.427932p-13,
  };
  Logarithm logarithm = precise_log2 (b, x);
  guint low, shifted, r;

  *t = multiply (b, y, logarithm.high);
  low = multiply_add (b, y, logarithm.low, multiply_add (b, y, logarithm.high, negate (b, *t)));
  shifted = multiply_add_real (b, y, logarithm.coarse, MAGIC);
  r = add (b, subtract (b, *t, add_real (b, shifted, -MAGIC)), low);

  return scaled (b, multiply_add (b, r, ESTRIN (b, r, c), real (b, x, 1)), shifted);
}

/* x² + its rounding error, times x; rounded once but for that error's product. */
guint
ghlo_expand_cube (Builder         *b,
                  GhloElementType  type,
                  const guint     *operands)
{
  guint x = operands[0], square = multiply (b, x, x), lost = multiply_add (b, x, x, negate (b, square));
  guint product = multiply (b, square, x), cube = multiply_add (b, square, x, multiply (b, lost, x));

  return choose (b, less (b, magnitude (b, product), real (b, x, INFINITY)), cube, product);
}

/* The computation for ordinary numbers already yields 1 for y = 0 and NaN for a NaN operand. A cube has the bits that
 * it has where the exponent is constant, and which are then computed alone. */
guint
ghlo_expand_power (Builder         *b,
                   GhloElementType  type,
                   const guint     *operands)
{
  guint x = operands[0], y = operands[1], zero = real (b, x, 0), one = real (b, x, 1), size = magnitude (b, x);
  guint infinity = real (b, x, INFINITY), whole_y = is_whole (b, y), sign = sign_of (b, x), result, t, special;
  guint is_far, is_extreme, is_one, is_odd, is_invalid;

  result = power_of_size (b, size, y, &t);
  is_far = greater (b, magnitude (b, t), real (b, x, 151));
  is_extreme = bit_and (b, bit_not (b, less (b, size, add (b, size, size))), greater (b, magnitude (b, y), zero));
  is_one = equal (b, size, one);
  special = choose (b, greater (b, t, zero), infinity, zero);
  special = choose (b, is_extreme, choose (b, less (b, y, zero), divide (b, one, size), size), special);
  special = choose (b, is_one, one, special);
  result = choose (b, bit_or (b, bit_or (b, is_far, is_extreme), is_one), special, result);

  is_odd = bit_and (b, whole_y, bit_not (b, is_whole (b, multiply_real (b, y, 0.5))));
  sign = choose (b, is_odd, sign, whole (b, sign, 0));
  result = float_of (b, bit_or (b, bits_of (b, result), sign));
  is_invalid = bit_and (b, bit_and (b, less (b, x, zero), less (b, size, infinity)), bit_not (b, whole_y));
  result = choose (b, is_invalid, real (b, x, NAN), result);

  return choose (b, equal (b, y, real (b, x, 3)), ghlo_expand_cube (b, type, &x), result);
}
