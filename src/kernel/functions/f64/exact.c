/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Remainders of f64, which are exact: mx 2^d mod my, where mx and my are integers of 53 bits. The power of two is
 * computed by repeated squaring, from the highest bits of d down.
 */

#include "kernel/functions/f64/double.h"

#include <math.h>

/* The modulus, and the number with which quotients are estimated. */
typedef struct
{
  guint m;              /* an integer within [2^52, 2^53) */
  guint inverse;
} Modulus;

/* A number congruent to @x, of magnitude slightly above m / 2 at most; exact for |x| up to a few multiples of m. */
static guint
reduced (Builder *b,
         Modulus  modulus,
         guint    x)
{
  return multiply_add (b, negate (b, rounded (b, multiply (b, x, modulus.inverse))), modulus.m, x);
}

/* A number congruent to x y, of magnitude m at most, for operands of magnitude up to slightly above m / 2. The
 * estimated quotient is below 2^51 and off by 0.875 at most. The remainder of the product's upper part, plus the lower
 * part, is therefore below 2^53. */
static guint
product (Builder *b,
         Modulus  modulus,
         guint    x,
         guint    y)
{
  Pair exact = exact_product (b, x, y);

  return add (b, reduced (b, modulus, exact.high), exact.low);
}

/* Splits a positive number into an integer of 53 bits and an exponent. */
static guint
split_whole (Builder *b,
             guint    x,
             guint   *exponent)
{
  const guint64 mantissa = G_GUINT64_CONSTANT (0x000fffffffffffff), one = G_GUINT64_CONSTANT (0x4330000000000000);
  guint is_low = is_below (b, x, 0x1p-1022), bits;

  bits = bits_of (b, choose (b, is_low, multiply_real (b, x, 0x1p54), x));
  *exponent = subtract (b, right_by (b, bits, 52), choose (b, is_low, whole (b, bits, 54), whole (b, bits, 0)));

  return float_of (b, bit_or (b, and_bits (b, bits, mantissa), whole (b, bits, one)));
}

guint
ghlo_expand_remainder_float_f64 (Builder         *b,
                                 GhloElementType  type,
                                 const guint     *operands)
{
  /* The difference of exponents is below 2^12. Starting with one more bit would make the first power, 2^2^6, too
   * large. */
  enum { LOW_BITS = 7 };
  guint x = operands[0], y = operands[1], ax = magnitude (b, x), ay = magnitude (b, y), x_exponent, y_exponent;
  guint mx = split_whole (b, ax, &x_exponent), my = split_whole (b, ay, &y_exponent), d, power, result, is_valid;
  Modulus modulus = { my, divide (b, real (b, my, 1), my) };

  d = subtract (b, x_exponent, y_exponent);
  power = float_of (b, left_by (b, add (b, right_by (b, d, LOW_BITS), whole (b, d, 1023)), 52));
  for (guint i = LOW_BITS; i > 0; i--)
    {
      guint has_bit = unequal (b, and_bits (b, d, (guint64) 1 << (i - 1)), whole (b, d, 0));

      power = product (b, modulus, power, power);
      power = reduced (b, modulus, choose (b, has_bit, add (b, power, power), power));
    }
  result = reduced (b, modulus, product (b, modulus, reduced (b, modulus, mx), power));
  result = choose (b, is_below (b, result, 0), add (b, result, my), result);
  /* Multiplies by 2^-52 first, because the quotient may be subnormal. */
  result = multiply (b, multiply_real (b, result, 0x1p-52), divide (b, ay, multiply_real (b, my, 0x1p-52)));
  result = choose (b, less (b, ax, ay), ax, result);
  is_valid = bit_and (b, is_below (b, ax, INFINITY), is_above (b, ay, 0));

  return with_sign (b, choose (b, is_valid, result, real (b, x, NAN)), x);
}
