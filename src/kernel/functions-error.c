/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The error function, in f32, and its complement and inverse, in f64. Coefficients are those of
 * coefficients/error.sollya.
 */

#include "kernel/functions-wide.h"

#include <math.h>

#define MAGIC (0x1.8p23 + 127)

/* 1 - e^-g for g within [0, 60]. */
static guint
one_minus_exponential (Builder *b,
                       guint    g)
{
  static const double q[] = { 0x1.fffffap-2, 0x1.555492p-3, 0x1.555a26p-5, 0x1.123988p-7, 0x1.694cd2p-10 };
  const double upper = 0x1.62e4p-1, lower = M_LN2 - upper;
  guint shifted = multiply_add_real (b, g, real (b, g, -M_LOG2E), MAGIC), n = add_real (b, shifted, -MAGIC), r, p;
  guint minus_scale;

  r = multiply_add (b, n, real (b, g, -lower), multiply_add (b, n, real (b, g, -upper), negate (b, g)));
  p = multiply_add (b, HORNER (b, r, q), multiply (b, r, r), r);
  minus_scale = negate (b, float_of (b, left_by (b, bits_of (b, shifted), 23)));

  return multiply_add (b, minus_scale, p, add_real (b, minus_scale, 1));
}

/* x p (x²) near 0, 1 - e^(log erfc |x|) beyond, and 1 from where it rounds to it. */
guint
ghlo_expand_erf (Builder         *b,
                 GhloElementType  type,
                 const guint     *operands)
{
  static const double near[] = {
    0x1.06eba8p-3, -0x1.812742p-2, 0x1.ce2df6p-4, -0x1.b80e7p-6, 0x1.54cf76p-8, -0x1.aab11ep-11, 0x1.5eaacp-14,
  };
  static const double beyond[] = {
    -0x1.3e0ef4p-12, 0x1.2152c8p0, 0x1.438c2p-1, 0x1.c2852p-4, -0x1.b01b7cp-6, 0x1.36ea0cp-8, -0x1.374f7ap-11,
    0x1.7f9b2cp-15, -0x1.b3697ep-20,
  };
  guint x = operands[0], size = magnitude (b, x), z = multiply (b, x, x), limit = real (b, x, 3.95), small, large;

  small = multiply_add (b, size, HORNER (b, z, near), size);
  size = choose (b, greater (b, size, limit), limit, size);
  large = one_minus_exponential (b, HORNER (b, size, beyond));

  return with_sign (b, choose (b, less (b, z, real (b, x, 0.86)), small, large), x);
}

/* e^-x² p ((x - 4) / (x + 4)). */
guint
ghlo_expand_erfc (Builder         *b,
                  GhloElementType  type,
                  const guint     *operands)
{
  static const double c[] = {
    0x1.18932bf08e161p-3, -0x1.09492273743edp-2, 0x1.bff01a5f8f59dp-3, -0x1.506666f692b03p-3, 0x1.be502c36fda2ep-4,
    -0x1.027d57475503dp-4, 0x1.0066e0e088da2p-5, -0x1.a4ded35aaa496p-7, 0x1.0a17fa7da028ap-8,
    -0x1.a2f8da7b1272ep-11, -0x1.6d7a1fab6082bp-16, 0x1.4b2629fd566c9p-14, -0x1.79880e85646ffp-16,
    -0x1.d43120d4d3e53p-20, 0x1.935042676b89fp-19, -0x1.4f11cc311af05p-21, -0x1.4b77ecc97605ep-21,
    -0x1.8fcdf49452bd8p-24,
  };
  guint x = widen (b, operands[0]), size = magnitude (b, x), limit = real (b, x, 10.25), t, result;

  size = choose (b, greater (b, size, limit), limit, size);
  t = divide (b, add_real (b, size, -4), add_real (b, size, 4));
  result = ghlo_expand_wide_exp2 (b, multiply_real (b, multiply (b, size, size), -M_LOG2E));
  result = multiply (b, ESTRIN (b, t, c), result);

  return narrow (b, choose (b, less (b, x, real (b, x, 0)), subtract (b, real (b, x, 2), result), result));
}

/* x p (w), w = -log (1 - x²), and of √w where x is near 1. */
guint
ghlo_expand_erf_inv (Builder         *b,
                     GhloElementType  type,
                     const guint     *operands)
{
  static const double middle[] = {
    0x1.c5bf891b1cd2cp-1, 0x1.db29fb6d57f45p-3, 0x1.7a72b54d5bc9dp-7, -0x1.320d0658889afp-9, -0x1.0d308ba706eb9p-13,
    0x1.8b39d0de1ac22p-15, 0x1.93e233ae62b26p-20, -0x1.6153fcdc0541ep-21, -0x1.b5513e85bfcf6p-23,
    0x1.4472b9bd7e594p-24, -0x1.553e2d2c5834fp-27, 0x1.4e2d0f67465b2p-31, -0x1.9234c05a611b4p-37,
    -0x1.3acd7af9ea163p-42,
  };
  static const double end[] = {
    -0x1.71ef023bd45fp1, 0x1.85d65166ed6bfp3, -0x1.0c6568824b54ap4, 0x1.aaa741a87cd8cp3, -0x1.955f0d3e91ae3p2,
    0x1.d3303fe2a5f98p0, -0x1.1dc9633692595p-2, 0x1.b2cb92cbdbe6dp-10, 0x1.0e9642342a596p-7, -0x1.ac996a660a937p-10,
    0x1.2cc7d6cb6ed07p-13, -0x1.52c072fb67f2ap-18,
  };
  guint x = operands[0], size = magnitude (b, x), one = real (b, x, 1), wide = widen (b, x), w, p, result;

  w = multiply (b, subtract (b, real (b, wide, 1), wide), add_real (b, wide, 1));
  w = negate (b, ghlo_expand_wide_log (b, w));
  p = choose (b, less (b, w, real (b, w, 5)), ESTRIN (b, w, middle), ESTRIN (b, square_root (b, w), end));
  result = with_sign (b, magnitude (b, narrow (b, multiply (b, wide, p))), x);

  return choose (b, less (b, size, one), result,
                 choose (b, equal (b, size, one), with_sign (b, real (b, x, INFINITY), x), real (b, x, NAN)));
}
