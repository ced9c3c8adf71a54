/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Circular functions of f32. Arguments of any magnitude are reduced in f64 without a table: products with 28-bit
 * pieces of 1 / 2π are exact, and whole turns are removed from each. Sums in which terms cancel are exact (after
 * Payne and Hanek). Coefficients are those of coefficients/circular.sollya.
 */

#include "kernel/functions/vocabulary.h"

#include <math.h>

typedef struct
{
  guint r;              /* f64, within π / 4 */
  guint quarters;       /* f32, a small integer */
} Reduced;

/* x = r + quarters × π / 2, modulo whole turns. */
static Reduced
reduce (Builder *b,
        guint    operand)
{
  static const double pieces[] = {
    0x1.45f3068p-3, 0x1.727220ap-29, 0x1.29fc274p-58, 0x1.7d1f534p-86, 0x1.bb81b68p-115,
  };
  const double tail = 0x1.14acc9e21c821p-139;
  guint x = widen (b, operand), rest = real (b, x, 0), quarters = rest;

  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++)
    {
      guint turns = multiply_real (b, x, pieces[i]), near;

      turns = subtract (b, turns, rounded (b, turns));
      rest = i == 0 ? multiply_real (b, turns, 4) : multiply_add (b, turns, real (b, x, 4), rest);
      near = rounded (b, rest);
      rest = subtract (b, rest, near);
      quarters = i == 0 ? near : add (b, quarters, near);
    }
  /* The remaining product is too small to change the nearest integer. */
  rest = multiply_add (b, x, real (b, x, tail), rest);

  return (Reduced) { multiply_real (b, rest, M_PI_2), narrow (b, quarters) };
}

/* The low bits of a small integer, as ui32. */
static guint
low_bits (Builder *b,
          guint    number)
{
  return bits_of (b, add_real (b, number, 0x1.8p23));
}

static guint
is_odd (Builder *b,
        guint    number)
{
  guint bits = low_bits (b, number);

  return unequal (b, and_bits (b, bits, 1), whole (b, bits, 0));
}

/* The sine of the reduced argument, in f32. */
static guint
sine_of (Builder *b,
         Reduced  reduced)
{
  static const double sine[] = { -0x1.555556p-3, 0x1.111198p-7, -0x1.a082bep-13, 0x1.874ad8p-19 };
  static const double cosine[] = { 0x1.555554p-5, -0x1.6c1296p-10, 0x1.9bc284p-16 };
  guint r = narrow (b, reduced.r), z = multiply (b, r, r), s, c, result;

  s = multiply_add (b, multiply (b, r, z), HORNER (b, z, sine), r);
  c = multiply_add (b, multiply (b, z, z), HORNER (b, z, cosine), multiply_add_real (b, z, real (b, z, -0.5), 1));
  result = choose (b, is_odd (b, reduced.quarters), c, s);

  return float_of (b, bit_xor (b, bits_of (b, result),
                               left_by (b, and_bits (b, low_bits (b, reduced.quarters), 2), 30)));
}

/* @result, or @x where that is zero. */
static guint
but_of_zero (Builder *b,
             guint    x,
             guint    result)
{
  return choose (b, equal (b, x, real (b, x, 0)), x, result);
}

guint
ghlo_expand_sine (Builder         *b,
                  GhloElementType  type,
                  const guint     *operands)
{
  return but_of_zero (b, operands[0], sine_of (b, reduce (b, operands[0])));
}

guint
ghlo_expand_cosine (Builder         *b,
                    GhloElementType  type,
                    const guint     *operands)
{
  Reduced reduced = reduce (b, operands[0]);

  reduced.quarters = add_real (b, reduced.quarters, 1);

  return sine_of (b, reduced);
}

guint
ghlo_expand_tan (Builder         *b,
                 GhloElementType  type,
                 const guint     *operands)
{
  static const double sine[] = {
    0x1.fffffffffffd6p-1, -0x1.5555555550a8p-3, 0x1.1111110ba0f23p-7, -0x1.a019f858799d1p-13, 0x1.71d70d970809p-19,
    -0x1.a9444373e1ef1p-26,
  };
  static const double cosine[] = {
    0x1.fffffffffffffp-1, -0x1.fffffffffff39p-2, 0x1.555555554ca3ep-5, -0x1.6c16c16259e9bp-10,
    0x1.a019f6f4702efp-16, -0x1.27dee49b0f2a5p-22, 0x1.1b72ef474da76p-29,
  };
  Reduced reduced = reduce (b, operands[0]);
  guint z = multiply (b, reduced.r, reduced.r), s = multiply (b, reduced.r, HORNER (b, z, sine));
  guint c = HORNER (b, z, cosine), turned = is_odd (b, reduced.quarters);
  guint result = divide (b, choose (b, turned, negate (b, c), s), choose (b, turned, s, c));

  return but_of_zero (b, operands[0], narrow (b, result));
}

/* atan (above / below) in f64, for both within [0, infinity). */
static guint
arctangent (Builder *b,
            guint    above,
            guint    below)
{
  static const double c[] = {
    0x1.ffffffffd26dbp-1, -0x1.55555487463b3p-2, 0x1.999900fd817c3p-3, -0x1.247cf8a3c998fp-3, 0x1.c43ef1bbf6375p-4,
    -0x1.5a81b86db11edp-4, 0x1.822b9135f751ap-5,
  };
  guint is_steep = greater (b, above, below), least = choose (b, is_steep, below, above);
  guint most = choose (b, is_steep, above, below), is_large, t, result;

  /* Beyond tan (π / 8), expand around π / 4. */
  is_large = greater (b, least, multiply_real (b, most, 0x1.a827999fcef32p-2));
  t = divide (b, choose (b, is_large, subtract (b, least, most), least),
              choose (b, is_large, add (b, least, most), most));
  result = multiply (b, t, HORNER (b, multiply (b, t, t), c));
  result = add (b, result, choose (b, is_large, real (b, t, M_PI_4), real (b, t, 0)));

  return choose (b, is_steep, subtract (b, real (b, t, M_PI_2), result), result);
}

guint
ghlo_expand_atan (Builder         *b,
                  GhloElementType  type,
                  const guint     *operands)
{
  guint size = widen (b, magnitude (b, operands[0]));
  /* Avoids infinity / infinity. */
  guint limited = choose (b, greater (b, size, real (b, size, 0x1p200)), real (b, size, 0x1p200), size);

  return with_sign (b, narrow (b, arctangent (b, limited, real (b, size, 1))), operands[0]);
}

guint
ghlo_expand_atan2 (Builder         *b,
                   GhloElementType  type,
                   const guint     *operands)
{
  guint y = operands[0], x = operands[1], limit, above, below, result, sign = sign_of (b, x);

  above = widen (b, magnitude (b, y));
  below = widen (b, magnitude (b, x));
  /* Infinities are replaced by equal numbers, and 0 / 0 by 0. */
  limit = real (b, above, 0x1p400);
  above = choose (b, greater (b, above, limit), limit, above);
  below = choose (b, greater (b, below, limit), limit, below);
  below = choose (b, bit_and (b, equal (b, above, real (b, above, 0)), equal (b, below, above)), limit, below);
  result = arctangent (b, above, below);
  result = choose (b, unequal (b, sign, whole (b, sign, 0)), subtract (b, real (b, result, M_PI), result), result);

  return with_sign (b, narrow (b, result), y);
}

/* The asin of a number of at most ½: the operand, or √((1 - |x|) / 2), from which asin and acos are computed. */
typedef struct
{
  guint x, is_large, angle;
} Arc;

static Arc
arc (Builder *b,
     guint    operand)
{
  static const double c[] = {
    0x1.0000000001018p0, 0x1.555555416504dp-3, 0x1.3333436fd0f2dp-4, 0x1.6db1c8c44af52p-5, 0x1.f2912967c9569p-6,
    0x1.65cdce1575c9cp-6, 0x1.542c8f6912448p-6, 0x1.c191e28164909p-10, 0x1.0fa3066bd1168p-5,
  };
  guint x = widen (b, operand), size = magnitude (b, x), half = real (b, x, 0.5);
  guint is_large = greater (b, size, half), z, t;

  z = choose (b, is_large, multiply_add (b, size, negate (b, half), half), multiply (b, x, x));
  t = choose (b, is_large, square_root (b, z), size);

  return (Arc) { x, is_large, multiply (b, t, ESTRIN (b, z, c)) };
}

guint
ghlo_expand_asin (Builder         *b,
                  GhloElementType  type,
                  const guint     *operands)
{
  Arc part = arc (b, operands[0]);
  guint turned = subtract (b, real (b, part.x, M_PI_2), add (b, part.angle, part.angle));

  return with_sign (b, narrow (b, choose (b, part.is_large, turned, part.angle)), operands[0]);
}

guint
ghlo_expand_acos (Builder         *b,
                  GhloElementType  type,
                  const guint     *operands)
{
  Arc part = arc (b, operands[0]);
  guint is_negative = less (b, part.x, real (b, part.x, 0)), twice = add (b, part.angle, part.angle), large, small;

  large = choose (b, is_negative, subtract (b, real (b, part.x, M_PI), twice), twice);
  small = choose (b, is_negative, part.angle, negate (b, part.angle));
  small = add_real (b, small, M_PI_2);

  return narrow (b, choose (b, part.is_large, large, small));
}
