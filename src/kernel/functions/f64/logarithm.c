/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Logarithms and the inverse hyperbolic functions in f64; the latter are logarithms of 1 + t, where t is a pair.
 */

#include "kernel/functions/f64/double.h"

#include <math.h>

static guint
rounded_sum (Builder *b,
             Pair     x)
{
  return add (b, x.high, x.low);
}

/* @result where @x is above @pole; otherwise the values at the pole, below it, at infinity, and for NaN. */
static guint
with_special (Builder *b,
              guint    x,
              double   pole,
              guint    result)
{
  guint other = choose (b, is_real (b, x, pole), real (b, x, -INFINITY), real (b, x, NAN));

  return choose (b, is_above (b, x, pole), choose (b, is_below (b, x, INFINITY), result, x), other);
}

guint
ghlo_expand_log_f64 (Builder         *b,
                     GhloElementType  type,
                     const guint     *operands)
{
  guint x = operands[0];

  return with_special (b, x, 0, rounded_sum (b, ghlo_expand_double_log (b, x)));
}

guint
ghlo_expand_log_plus_one_f64 (Builder         *b,
                              GhloElementType  type,
                              const guint     *operands)
{
  guint x = operands[0], result;

  result = rounded_sum (b, ghlo_expand_double_log_plus_one (b, (Pair) { x, real (b, x, 0) }));

  return with_sign (b, with_special (b, x, -1, result), x);
}

/* log (1 + t), or log (2 x) where x is so large that both are equal. */
static guint
log_of_sum (Builder *b,
            Pair     t,
            guint    x)
{
  const double ln2 = 0x1.62e42fefa39efp-1, ln2_rest = 0x1.abc9e3b39803fp-56;
  guint zero = real (b, x, 0), is_large = is_above (b, x, 0x1p60);
  Pair result = ghlo_expand_double_log_plus_one (b, choose_pair (b, is_large, (Pair) { x, zero }, t)), sum;

  sum = exact_sum (b, result.high, choose (b, is_large, real (b, x, ln2), zero));
  sum.low = add (b, add (b, sum.low, result.low), choose (b, is_large, real (b, x, ln2_rest), zero));

  return choose (b, is_below (b, x, INFINITY), rounded_sum (b, sum), x);
}

/* log (x + √(x² + 1)) as log (1 + (x + x² / (1 + √(x² + 1)))). */
guint
ghlo_expand_asinh_f64 (Builder         *b,
                       GhloElementType  type,
                       const guint     *operands)
{
  guint x = magnitude (b, operands[0]), limited = at_most (b, x, 0x1p60), one = real (b, x, 1);
  Pair square = exact_product (b, limited, limited), sum = exact_sum (b, square.high, one), t;

  sum.low = add (b, sum.low, square.low);
  sum = pair_root (b, sum);
  t = exact_sum (b, sum.high, one);
  t.low = add (b, t.low, sum.low);
  t = pair_quotient (b, square, t);
  sum = fast_sum (b, limited, t.high);
  sum.low = add (b, sum.low, t.low);

  return with_sign (b, log_of_sum (b, sum, x), operands[0]);
}

/* log (1 + (t + √(t (t + 2)))), t = x - 1. */
guint
ghlo_expand_acosh_f64 (Builder         *b,
                       GhloElementType  type,
                       const guint     *operands)
{
  guint x = operands[0], limited = at_most (b, x, 0x1p60);
  Pair t = exact_sum (b, limited, real (b, x, -1)), root, sum;

  root = pair_root (b, pair_product (b, t, exact_sum (b, limited, real (b, x, 1))));
  sum = exact_sum (b, t.high, root.high);
  sum.low = add (b, sum.low, add (b, t.low, root.low));

  return choose (b, is_real (b, x, 1), real (b, x, 0),
                 choose (b, is_above (b, x, 1), log_of_sum (b, sum, x), real (b, x, NAN)));
}

/* log (1 + 2 x / (1 - x)) / 2. */
guint
ghlo_expand_atanh_f64 (Builder         *b,
                       GhloElementType  type,
                       const guint     *operands)
{
  guint x = magnitude (b, operands[0]), result;
  Pair t = pair_quotient (b, (Pair) { add (b, x, x), real (b, x, 0) }, exact_sum (b, real (b, x, 1), negate (b, x)));

  result = multiply_real (b, rounded_sum (b, ghlo_expand_double_log_plus_one (b, t)), 0.5);
  result = choose (b, is_below (b, x, 1), result,
                   choose (b, is_real (b, x, 1), real (b, x, INFINITY), real (b, x, NAN)));

  return with_sign (b, result, operands[0]);
}
