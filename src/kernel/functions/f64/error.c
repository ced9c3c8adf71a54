/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The error function, its complement and its inverse in f64: x p (x²) near 0, and e^-x² p ((x - 4) / (x + 4)) / (1
 * + 2 x) beyond. Everything but p is computed in pairs. Coefficients are those of coefficients/error-f64.sollya.
 */

#include "kernel/functions/f64/double.h"

#include <math.h>

/* The first coefficient is added last; a pairwise scheme would round its sum several times. */
static guint
series (Builder      *b,
        guint         x,
        const double *c,
        guint         n)
{
  return multiply_add_real (b, x, ghlo_expand_estrin (b, x, c + 1, n - 1), c[0]);
}

/* The same in x - center, as a pair; the lower part of x matters in the second term only. */
static Pair
precise_series (Builder      *b,
                Pair          x,
                double        center,
                const double *c,
                guint         n)
{
  guint t = add_real (b, x.high, -center);
  Pair sum = fast_sum (b, real (b, t, c[0]), multiply (b, t, ghlo_expand_horner (b, t, c + 1, n - 1)));

  return (Pair) { sum.high, multiply_add (b, x.low, real (b, t, c[1]), sum.low) };
}

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
  guint z = multiply (b, x, x), p = multiply_add_real (b, z, series (b, z, c, G_N_ELEMENTS (c)), slope_rest);
  Pair product = exact_product (b, x, real (b, x, slope));

  return fast_sum (b, product.high, multiply_add (b, x, p, product.low));
}

/* erfc x for x >= ½. */
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
  const double first_rest = -0x1.aa9c415679e6fp-55;
  guint t = divide (b, add_real (b, x, -4), add_real (b, x, 4)), rest, result;
  Pair square = exact_product (b, x, x), below = exact_sum (b, add (b, x, x), real (b, x, 1)), p;
  Exponential e = ghlo_expand_double_exponential (b, (Pair) { negate (b, square.high), negate (b, square.low) });

  p = fast_sum (b, real (b, x, c[0]), multiply (b, t, series (b, t, c + 1, G_N_ELEMENTS (c) - 1)));
  result = divide (b, p.high, below.high);
  rest = add (b, multiply_add (b, negate (b, result), below.high, p.high), add_real (b, p.low, first_rest));
  rest = divide (b, multiply_add (b, negate (b, result), below.low, rest), p.high);
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

  return choose (b, bit_and (b, is_below (b, x, 0.5), is_above (b, x, -1)), small, large);
}

/* x p (w), w = -log (1 - x²); near 1, a polynomial in √w instead. */
guint
ghlo_expand_erf_inv_f64 (Builder         *b,
                         GhloElementType  type,
                         const guint     *operands)
{
  static const double middle[] = {
    0x1.c5bf891b4ef6bp-1, 0x1.db29fb2fee5e3p-3, 0x1.7a72e72c1ef67p-7, -0x1.3211025e02deep-9, -0x1.0c86b857f17dfp-13,
    0x1.87014ded2a0c1p-15, 0x1.0f1e641bd1e34p-19, -0x1.0fcec3665c446p-20, -0x1.403a1e390e50bp-25,
    0x1.87310924399cp-26, 0x1.acc2f0c7b19e5p-31, -0x1.2bf6f153c84f3p-31, -0x1.6715106d80084p-39,
    0x1.898706453aaebp-38, 0x1.8b64054b68e85p-39, -0x1.09247b8d2ccbcp-40, 0x1.df9419c9469efp-44,
    -0x1.8e403adf14484p-49, -0x1.e2597e7964b8p-52, 0x1.0929d6f2aba61p-55,
  };
  static const double near_one[] = {
    0x1.2b0041f767b3cp1, 0x1.f6ec8142e5fc8p-1, 0x1.2047a3b78c0d1p-5, -0x1.fe91f1c1c3af7p-6, 0x1.32715ea81e307p-6,
    -0x1.510b9766e038p-8, -0x1.0e168c476faa7p-9, 0x1.4277cdc83d15ep-9, -0x1.1a68d0d221e6fp-11, -0x1.de7d9a93e653p-12,
    0x1.5ba14e9731f73p-12, -0x1.be03e2094336fp-18, -0x1.64afc2f775bbfp-14, 0x1.1b7b5a49b4d3ep-15,
    0x1.374723c1bdf2dp-17, -0x1.98b8243684975p-17, 0x1.25c0e88892024p-19, 0x1.3699c21d559bdp-19,
    -0x1.72b1715e3aa17p-20, -0x1.c9137752a7556p-24, 0x1.6f23c4286cd69p-22, -0x1.1f0433189a295p-24,
    -0x1.45a3a0066b9d1p-25, 0x1.d7d56f480b6c2p-27,
  };
  static const double nearest_one[] = {
    0x1.263a980ea57dcp2, 0x1.02a49dbf7fecep0, 0x1.c87558141ed2fp-15, -0x1.3fb38271c65d5p-12, 0x1.ba51186433fe7p-14,
    -0x1.d60cebc5a6249p-16, 0x1.c76adc7ce62b4p-18, -0x1.c452ef0d2a7f4p-20, 0x1.18953a2e9ec9p-21,
    -0x1.f2bde496ffcdap-23, 0x1.0cfdf020b66dfp-23, -0x1.19ee2a8b794bep-24, 0x1.00423f407db03p-25,
    -0x1.75cb399cf5785p-27, 0x1.795b255219746p-29, -0x1.bf58367d8deb6p-33, -0x1.f57603fb6299ep-33,
    0x1.7cda9adf5ba08p-33, -0x1.478e3ac7eed38p-34, 0x1.69b17489d889ep-37, 0x1.868a06a9e96cfp-38,
    -0x1.04e054b37533fp-39,
  };
  guint x = operands[0], size = magnitude (b, x), result;
  Pair square = exact_product (b, x, x), w, root, p, far;

  w = ghlo_expand_double_log_plus_one (b, (Pair) { negate (b, square.high), negate (b, square.low) });
  w = fast_sum (b, negate (b, w.high), negate (b, w.low));
  root = pair_root (b, w);
  far = choose_pair (b, is_below (b, root.high, 3.5),
                     precise_series (b, root, 2.5, near_one, G_N_ELEMENTS (near_one)),
                     precise_series (b, root, 4.75, nearest_one, G_N_ELEMENTS (nearest_one)));
  p = choose_pair (b, is_below (b, w.high, 3), precise_series (b, w, 0, middle, G_N_ELEMENTS (middle)), far);
  p = pair_product (b, (Pair) { size, real (b, x, 0) }, p);
  result = with_sign (b, add (b, p.high, p.low), x);

  return choose (b, is_below (b, size, 1), result,
                 choose (b, is_real (b, size, 1), with_sign (b, real (b, x, INFINITY), x), real (b, x, NAN)));
}
