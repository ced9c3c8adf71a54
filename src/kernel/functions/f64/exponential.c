/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The exponential and functions derived from it, in f64. Values that cancel or are divided stay pairs up to the
 * last sum. Coefficients are those of coefficients/exponential-f64.sollya.
 */

#include "kernel/functions/f64/double.h"

#include <math.h>

/* e^x / 2^n = 1 + p. */
static Pair
fraction (Builder     *b,
          Exponential  e)
{
  Pair sum = fast_sum (b, real (b, e.n, 1), e.p.high);

  return fast_sum (b, sum.high, add (b, sum.low, e.p.low));
}

static Pair
single (Builder *b,
        guint    x)
{
  return (Pair) { x, real (b, x, 0) };
}

guint
ghlo_expand_exponential_f64 (Builder         *b,
                             GhloElementType  type,
                             const guint     *operands)
{
  Exponential e = ghlo_expand_double_exponential (b, single (b, clamped (b, operands[0], -746, 710)));

  return ghlo_expand_double_scaled (b, add_real (b, add (b, e.p.high, e.p.low), 1), e.n);
}

guint
ghlo_expand_exponential_minus_one_f64 (Builder         *b,
                                       GhloElementType  type,
                                       const guint     *operands)
{
  Pair x = single (b, clamped (b, operands[0], -40, 710));

  return with_sign (b, ghlo_expand_double_exponential_minus_one (b, x).high, operands[0]);
}

/* (e^2x - 1) / (e^2x + 1); 1 from where the result rounds to 1. */
guint
ghlo_expand_tanh_f64 (Builder         *b,
                      GhloElementType  type,
                      const guint     *operands)
{
  guint x = at_most (b, magnitude (b, operands[0]), 20);
  Pair above = ghlo_expand_double_exponential_minus_one (b, single (b, add (b, x, x))), below, result;

  below = exact_sum (b, above.high, real (b, x, 2));
  below.low = add (b, below.low, above.low);
  result = pair_quotient (b, above, below);

  return with_sign (b, add (b, result.high, result.low), operands[0]);
}

/* 1 / (1 + e^-x), or e^x / (1 + e^x) for negative numbers. */
guint
ghlo_expand_logistic_f64 (Builder         *b,
                          GhloElementType  type,
                          const guint     *operands)
{
  guint x = operands[0], is_negative = is_below (b, x, 0), zero = real (b, x, 0), scale, n;
  Exponential e = ghlo_expand_double_exponential (b, single (b, negate (b, at_most (b, magnitude (b, x), 746))));
  Pair above = fraction (b, e), below, result;

  n = choose (b, is_below (b, e.n, -100), real (b, x, -100), e.n);
  scale = ghlo_expand_double_scale (b, n);
  below = fast_sum (b, real (b, x, 1), multiply (b, above.high, scale));
  below.low = multiply_add (b, above.low, scale, below.low);
  result = pair_quotient (b, choose_pair (b, is_negative, above, single (b, real (b, x, 1))), below);

  return ghlo_expand_double_scaled (b, add (b, result.high, result.low), choose (b, is_negative, e.n, zero));
}

/* 2^(n - 1) (1 + p + sign × 2^(-2 n) / (1 + p)), for x >= 0. */
static guint
half_sum (Builder *b,
          guint    x,
          double   sign)
{
  Exponential e = ghlo_expand_double_exponential (b, single (b, at_most (b, x, 711)));
  Pair rising = fraction (b, e), sum;
  guint n = multiply_real (b, e.n, -2), falling;

  n = choose (b, is_below (b, n, -1000), real (b, n, -1000), n);
  falling = multiply (b, divide (b, real (b, x, sign), rising.high), ghlo_expand_double_scale (b, n));
  sum = fast_sum (b, rising.high, falling);
  sum.low = add (b, sum.low, rising.low);

  return ghlo_expand_double_scaled (b, add (b, sum.high, sum.low), add_real (b, e.n, -1));
}

guint
ghlo_expand_sinh_f64 (Builder         *b,
                      GhloElementType  type,
                      const guint     *operands)
{
  static const double c[] = {
    0x1.5555555555555p-3, 0x1.11111111111d9p-7, 0x1.a01a019ff8236p-13, 0x1.71de3a7de0352p-19, 0x1.ae6424ea2ee6cp-26,
    0x1.6144eac704373p-33, 0x1.98c01cbe639f9p-41, 0x1.d9ba549a31967p-47,
  };
  guint x = magnitude (b, operands[0]), z = multiply (b, x, x), small;

  small = multiply_add (b, multiply (b, x, z), HORNER (b, z, c), x);

  return with_sign (b, choose (b, is_below (b, x, 1), small, half_sum (b, x, -1)), operands[0]);
}

guint
ghlo_expand_cosh_f64 (Builder         *b,
                      GhloElementType  type,
                      const guint     *operands)
{
  return half_sum (b, magnitude (b, operands[0]), 1);
}
