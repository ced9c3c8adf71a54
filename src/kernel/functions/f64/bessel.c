/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * e^-|x| I1 (x) in f64: below 4 the product of e^-x and the power series, whose terms all have the same sign;
 * beyond, a polynomial in (x - 12) / (x + 4), over √x. Coefficients are those of coefficients/bessel.sollya.
 */

#include "kernel/functions/f64/double.h"

#include <math.h>

/* x e^-x p (x²). */
static Pair
near_zero (Builder *b,
           guint    x)
{
  static const double c[] = {
    0x1p-1, 0x1p-4, 0x1.5555555555556p-9, 0x1.c71c71c71c6fdp-15, 0x1.6c16c16c171aap-21, 0x1.845c8a0cd2232p-28,
    0x1.27e4fb7a1df4ep-35, 0x1.522a437e023dap-43, 0x1.2c9767d9e137cp-51, 0x1.ab7f5aa237d27p-60, 0x1.f1c208b7cf226p-69,
    0x1.dcd13c40b1a11p-78, 0x1.c86f0287d7731p-87,
  };
  guint square = multiply (b, x, x), scale, others;
  Exponential e = ghlo_expand_double_exponential (b, (Pair) { negate (b, x), real (b, x, 0) });
  Pair power = fast_sum (b, real (b, x, 1), e.p.high), sum;

  power.low = add (b, power.low, e.p.low);
  others = multiply (b, square, ghlo_expand_horner (b, square, c + 1, G_N_ELEMENTS (c) - 1));
  sum = exact_sum (b, real (b, x, c[0]), others);
  sum = pair_product (b, power, sum);
  scale = multiply (b, x, ghlo_expand_double_scale (b, e.n));

  return pair_product (b, (Pair) { scale, real (b, x, 0) }, sum);
}

static Pair
beyond (Builder *b,
        guint    x)
{
  static const double c[] = {
    0x1.8b640021ed0c8p-2, 0x1.2063881517822p-6, -0x1.b153df4a00959p-8, 0x1.4ea8b0249cf9fp-9, -0x1.0d67fda82e9ccp-10,
    0x1.d034112a754e9p-12, -0x1.c0afad0c50148p-13, 0x1.fac3bfcc0fe68p-14, -0x1.2feaa059506c3p-14,
    0x1.d8f63058f99a4p-16, 0x1.32bd47e64eb13p-16, -0x1.60e24481b53c3p-15, 0x1.4741fff7d261cp-16,
    0x1.87943d67a576dp-16, -0x1.bc18190738f9ep-16, -0x1.b9b8810c32ef9p-17, 0x1.a22046bd54f02p-16,
    0x1.82b23db6383f9p-17, -0x1.6cdb1718a27efp-16, -0x1.e195d17dc4e84p-17, 0x1.2990bff204584p-16,
    0x1.2ef0549d2736ep-16, -0x1.afdbc78813836p-17, -0x1.474a5368d5f51p-16, 0x1.078313f079caap-17,
    0x1.1dfb97bc1fbaep-16, -0x1.ffa3b8b3d001dp-19, -0x1.84d6f2e2d8c3p-17, 0x1.73af3e333c02bp-20,
    0x1.89ab593eb33c2p-18, -0x1.741ff385b88dcp-22, -0x1.161833264f809p-19, 0x1.beb772d895cf3p-25,
    0x1.e7c2a14358b5fp-22, -0x1.d0d6c627b9d7p-29, -0x1.8edfffe7a9749p-25,
  };
  const double first_rest = 0x1.71458df89fcfbp-56;
  guint t = divide (b, add_real (b, x, -12), add_real (b, x, 4));
  Pair sum = fast_sum (b, real (b, x, c[0]), multiply (b, t, ghlo_expand_estrin (b, t, c + 1, G_N_ELEMENTS (c) - 1)));

  sum.low = add_real (b, sum.low, first_rest);

  return pair_quotient (b, sum, pair_root (b, (Pair) { x, real (b, x, 0) }));
}

guint
ghlo_expand_bessel_i1e_f64 (Builder         *b,
                            GhloElementType  type,
                            const guint     *operands)
{
  guint x = magnitude (b, operands[0]), is_small = is_below (b, x, 4), result;
  Pair value = choose_pair (b, is_small, near_zero (b, at_most (b, x, 4)), beyond (b, x));

  result = choose (b, is_real (b, x, INFINITY), real (b, x, 0), add (b, value.high, value.low));

  return with_sign (b, result, operands[0]);
}
