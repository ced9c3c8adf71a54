/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The cores of exponentials and logarithms in f64. Coefficients are those of coefficients/exponential-f64.sollya
 * and coefficients/logarithm-f64.sollya.
 */

#include "kernel/functions/f64/double.h"

#include <math.h>

/* Adding it rounds to an integer and leaves that, plus the exponent's bias, in the low bits. */
#define MAGIC (0x1.8p52 + 1023)

/* ln 2 in two parts: n × the first one is exact for n of 11 bits. */
#define LN2_HIGH 0x1.62e42fefa38p-1
#define LN2_LOW  0x1.ef35793c7673p-45

/* r² q (r) is e^r - 1 - r. */
Exponential
ghlo_expand_double_exponential (Builder *b,
                                Pair     x)
{
  static const double q[] = {
    0x1.000000000000ap-1, 0x1.55555555554fep-3, 0x1.55555555506acp-5, 0x1.1111111126b2ep-7, 0x1.6c16c1847c94ap-10,
    0x1.a01a012ffa326p-13, 0x1.a019994c13175p-16, 0x1.71df18b9a1c48p-19, 0x1.28ae10fc98046p-22, 0x1.ad93720982344p-26,
  };
  guint n = add_real (b, multiply_add_real (b, x.high, real (b, x.high, M_LOG2E), MAGIC), -MAGIC);
  guint high = multiply_add (b, n, real (b, n, -LN2_HIGH), x.high), low, r;

  low = multiply_add (b, n, real (b, n, -LN2_LOW), x.low);
  r = add (b, high, low);
  low = add (b, subtract (b, high, r), low);
  low = multiply_add (b, multiply (b, r, r), ESTRIN (b, r, q), low);

  return (Exponential) { n, { r, low } };
}

guint
ghlo_expand_double_scale (Builder *b,
                          guint    n)
{
  return float_of (b, left_by (b, bits_of (b, add_real (b, n, MAGIC)), 52));
}

/* Results that are 0 come from a factor of 0: rounding to 0 takes processors a hundred times as long as other
 * results. */
guint
ghlo_expand_double_scaled (Builder *b,
                           guint    x,
                           guint    n)
{
  guint half = add_real (b, multiply_add_real (b, n, real (b, n, 0.5), MAGIC), -MAGIC);
  guint rest = ghlo_expand_double_scale (b, subtract (b, n, half));

  rest = choose (b, is_below (b, n, -1075), real (b, n, 0), rest);

  return multiply (b, multiply (b, x, ghlo_expand_double_scale (b, half)), rest);
}

Pair
ghlo_expand_double_exponential_minus_one (Builder *b,
                                          Pair     x)
{
  Exponential e = ghlo_expand_double_exponential (b, x);
  guint half = ghlo_expand_double_scale (b, add_real (b, e.n, -1)), is_zero = is_real (b, e.n, 0);
  Pair sum = fast_sum (b, add_real (b, half, -0.5), multiply (b, half, e.p.high));

  sum = fast_sum (b, sum.high, multiply_add (b, half, e.p.low, sum.low));
  sum.high = choose (b, is_zero, e.p.high, add (b, sum.high, sum.high));
  sum.low = choose (b, is_zero, e.p.low, add (b, sum.low, sum.low));

  return fast_sum (b, sum.high, sum.low);
}

Split
ghlo_expand_double_split (Builder *b,
                          guint    x)
{
  guint is_low = is_below (b, x, 0x1p-1022);
  Split split = ghlo_expand_wide_split (b, choose (b, is_low, multiply_real (b, x, 0x1p54), x));

  split.exponent = subtract (b, split.exponent, choose (b, is_low, real (b, x, 54), real (b, x, 0)));

  return split;
}

/* exponent × ln 2 + log (1 + f) by log (1 + f) = 2 s + s³ p (s²), s = f / (2 + f); 2 s = f - s f. The sum
 * is f - (f² / 2 - s (f² / 2 + s² p)), in which only f is not small (the form of FreeBSD's libm). */
static Pair
log_of (Builder *b,
        guint    exponent,
        guint    f,
        guint    rest)
{
  static const double c[] = {
    0x1.5555555555555p-1, 0x1.9999999999d59p-2, 0x1.249249242ee17p-2, 0x1.c71c725c5fa92p-3, 0x1.745cdb74b755fp-3,
    0x1.3b21594e67499p-3, 0x1.0f4a12284778fp-3, 0x1.1023dbad0586ap-3,
  };
  guint s = divide (b, f, add_real (b, f, 2)), z = multiply (b, s, s);
  guint half = multiply (b, multiply_real (b, f, 0.5), f);
  Pair sum = fast_sum (b, multiply_real (b, exponent, LN2_HIGH), f), difference;

  rest = multiply_add (b, s, multiply_add (b, z, ESTRIN (b, z, c), half), rest);
  rest = multiply_add (b, exponent, real (b, f, LN2_LOW), rest);
  difference = exact_sum (b, sum.high, negate (b, half));

  return (Pair) { difference.high, add (b, add (b, difference.low, sum.low), rest) };
}

Pair
ghlo_expand_double_log (Builder *b,
                        guint    x)
{
  Split split = ghlo_expand_double_split (b, x);

  return log_of (b, split.exponent, add_real (b, split.mantissa, -1), real (b, x, 0));
}

Pair
ghlo_expand_double_log_plus_one (Builder *b,
                                 Pair     t)
{
  Pair first = exact_sum (b, real (b, t.high, 1), t.high), sum = fast_sum (b, first.high, add (b, first.low, t.low));
  Split split = ghlo_expand_wide_split (b, sum.high);
  /* For large exponents the rounding error of the sum is negligible. */
  guint scale = ghlo_expand_double_scale (b, negate (b, at_most (b, split.exponent, 1000)));
  guint is_small = is_real (b, split.exponent, 0), f, rest;

  rest = multiply (b, sum.low, scale);
  f = choose (b, is_small, t.high, add_real (b, split.mantissa, -1));
  rest = choose (b, is_small, t.low, rest);
  /* Approximately rest / (1 + f). */
  rest = multiply (b, rest, multiply_add_real (b, f, add_real (b, f, -1), 1));

  return log_of (b, split.exponent, f, rest);
}

/* All significant terms are pairs: s, 2/3 s³, and the remaining series in one. */
Pair
ghlo_expand_double_log_precise (Builder *b,
                                guint    x)
{
  static const double c[] = {
    0x1.999999999999ep-2, 0x1.249249248e6e8p-2, 0x1.c71c71d7aeef6p-3, 0x1.745d0a0a1217cp-3, 0x1.3b18b34c460ddp-3,
    0x1.101946e9e03d1p-3, 0x1.08724f7076d24p-3,
  };
  const double third = 0x1.5555555555555p-1, third_rest = 0x1.5555555555555p-55;
  Split split = ghlo_expand_double_split (b, x);
  guint zero = real (b, x, 0), f = add_real (b, split.mantissa, -1);
  Pair s = pair_quotient (b, (Pair) { f, zero }, fast_sum (b, real (b, x, 2), f));
  Pair square = pair_product (b, s, s), factor, cubic, sum, exponent;

  factor = fast_sum (b, real (b, x, third),
                     multiply_add_real (b, square.high, ESTRIN (b, square.high, c), third_rest));
  cubic = pair_product (b, pair_product (b, s, square), factor);
  sum = fast_sum (b, add (b, s.high, s.high), cubic.high);
  sum.low = add (b, add (b, sum.low, cubic.low), add (b, s.low, s.low));
  exponent = fast_sum (b, multiply_real (b, split.exponent, LN2_HIGH), sum.high);
  exponent.low = add (b, exponent.low, multiply_add (b, split.exponent, real (b, x, LN2_LOW), sum.low));

  return fast_sum (b, exponent.high, exponent.low);
}
