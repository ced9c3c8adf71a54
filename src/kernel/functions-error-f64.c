/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The error function and its complement in f64: x p (x²) near 0, and e^-x² p ((x - 4) / (x + 4)) / (1 + 2 x) beyond,
 * in which all but p is kept in pairs. Coefficients are those of coefficients/error-f64.sollya.
 */

#include "kernel/functions-double.h"

#include <math.h>

/* erf x for |x| up to 1. */
static Pair
near_zero (Builder *b,
           guint    x)
{
  static const double c[] = {
    -0x1.812746b0379e7p-2, 0x1.ce2f21a042c2cp-4, -0x1.b82ce3128a4c9p-6, 0x1.565bcd0ea67d7p-8, -0x1.c02db408b8baap-11,
    0x1.f9a3276769cf3p-14, -0x1.f4d2534b767f9p-17, 0x1.b9e4f730330b4p-20, -0x1.5f51a795cbe3ap-23,
    0x1.f9e3fe9332aebp-27, -0x1.3f7b3bb54f369p-30, 0x1.18d068a616316p-34,
  };
  /* 2 / √π. */
  const double slope = 0x1.20dd750429b6dp0, slope_rest = 0x1.1ae3a914fed8p-56;
  guint z = multiply (b, x, x), p = multiply_add_real (b, z, ESTRIN (b, z, c), slope_rest);
  Pair product = exact_product (b, x, real (b, x, slope));

  return fast_sum (b, product.high, multiply_add (b, x, p, product.low));
}

/* erfc x for x from ½ on. */
static guint
beyond (Builder *b,
        guint    x)
{
  static const double c[] = {
    0x1.3ba5916e9fd7fp0, -0x1.1df1ad154a28ep-3, 0x1.f7f5df66fd7bfp-7, 0x1.16ecefcfa5396p-4, -0x1.9ddb23c3e911ep-4,
    0x1.7fee004e1253bp-4, -0x1.0fb06dfe487a8p-4, 0x1.3079edf682defp-5, -0x1.0962388557259p-6, 0x1.49c67285feb7fp-8,
    -0x1.8d4a997fc8ef1p-11, -0x1.a1df251203c0fp-13, 0x1.3be0314abc48p-13, -0x1.99595f7a8f3d1p-16,
    -0x1.78812661695dcp-17, 0x1.7f2b20b55c59bp-18, 0x1.383a16b27aabap-22, -0x1.bb56b09a59ad6p-21,
    0x1.540361a158edap-24, 0x1.dde17c253cbbbp-24, -0x1.7dc6286a08819p-26, -0x1.0fad38c88b587p-26,
    0x1.24810bac6d46ap-28, 0x1.57afd1cccb9a6p-29, -0x1.87c58335b1d79p-31, -0x1.dbfc074062467p-32,
    0x1.bfcca8220c5d4p-34, 0x1.3b9206764b2e1p-34, -0x1.4b544cbef5cdep-37, -0x1.144aa68dc57c6p-37,
  };
  guint p = ESTRIN (b, divide (b, add_real (b, x, -4), add_real (b, x, 4)), c), rest, result;
  Pair square = exact_product (b, x, x), below = exact_sum (b, add (b, x, x), real (b, x, 1));
  Exponential e = ghlo_expand_double_exponential (b, (Pair) { negate (b, square.high), negate (b, square.low) });

  result = divide (b, p, below.high);
  rest = multiply_add (b, negate (b, result), below.high, p);
  rest = divide (b, multiply_add (b, negate (b, result), below.low, rest), p);
  result = multiply_add (b, result, add (b, e.p.high, add (b, e.p.low, rest)), result);

  return ghlo_expand_double_scaled (b, result, e.n);
}

guint
ghlo_expand_erf_f64 (Builder         *b,
                     GhloElementType  type,
                     const guint     *operands)
{
  guint x = operands[0], size = at_most (b, magnitude (b, x), 6);
  Pair small = near_zero (b, size);
  guint large = subtract (b, real (b, x, 1), beyond (b, size));

  return with_sign (b, choose (b, is_below (b, size, 1), add (b, small.high, small.low), large), x);
}

guint
ghlo_expand_erfc_f64 (Builder         *b,
                      GhloElementType  type,
                      const guint     *operands)
{
  guint x = operands[0], size = at_most (b, magnitude (b, x), 28), is_negative = is_below (b, x, 0);
  guint large = beyond (b, size), small;
  Pair part = near_zero (b, choose (b, is_negative, negate (b, size), size)), sum;

  sum = exact_sum (b, real (b, x, 1), negate (b, part.high));
  small = add (b, sum.high, subtract (b, sum.low, part.low));
  large = choose (b, is_negative, subtract (b, real (b, x, 2), large), large);

  return choose (b, and (b, is_below (b, x, 0.5), is_above (b, x, -1)), small, large);
}
