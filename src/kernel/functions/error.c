/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The error function and its complement, computed in f32, and its inverse, computed in f64. Coefficients are those
 * of coefficients/error.sollya.
 */

#include "kernel/functions/wide.h"

#include <math.h>

#define MAGIC (0x1.8p23 + 127)

/* e^-g = 2^n (1 + p). */
typedef struct
{
  guint bits;           /* ui32; the low 9 bits are n + 127 */
  guint p;
} Exponential;

static Exponential
split_exponential (Builder *b,
                   guint    g)
{
  static const double q[] = { 0x1.fffffap-2, 0x1.555492p-3, 0x1.555a26p-5, 0x1.123988p-7, 0x1.694cd2p-10 };
  const double upper = 0x1.62e4p-1, lower = M_LN2 - upper;
  guint shifted = multiply_add_real (b, g, real (b, g, -M_LOG2E), MAGIC), n = add_real (b, shifted, -MAGIC), r;

  r = multiply_add (b, n, real (b, g, -lower), multiply_add (b, n, real (b, g, -upper), negate (b, g)));

  return (Exponential) { bits_of (b, shifted), multiply_add (b, HORNER (b, r, q), multiply (b, r, r), r) };
}

/* 1 - e^-g for g within [0, 60]. */
static guint
one_minus_exponential (Builder *b,
                       guint    g)
{
  Exponential e = split_exponential (b, g);
  guint minus_scale = negate (b, float_of (b, left_by (b, e.bits, 23)));

  return multiply_add (b, minus_scale, e.p, add_real (b, minus_scale, 1));
}

/* erf x = x + x p (x²), for x from 0 to 0.92. */
static guint
near_zero (Builder *b,
           guint    x,
           guint    square)
{
  static const double p[] = {
    0x1.06eba8p-3, -0x1.812742p-2, 0x1.ce2df6p-4, -0x1.b80e7p-6, 0x1.54cf76p-8, -0x1.aab11ep-11, 0x1.5eaacp-14,
  };

  return multiply_add (b, x, HORNER (b, square, p), x);
}

/* Beyond that, 1 - e^(log erfc |x|); 1 from where the result rounds to 1. */
guint
ghlo_expand_erf (Builder         *b,
                 GhloElementType  type,
                 const guint     *operands)
{
  static const double beyond[] = {
    -0x1.3e0ef4p-12, 0x1.2152c8p0, 0x1.438c2p-1, 0x1.c2852p-4, -0x1.b01b7cp-6, 0x1.36ea0cp-8, -0x1.374f7ap-11,
    0x1.7f9b2cp-15, -0x1.b3697ep-20,
  };
  guint x = operands[0], size = magnitude (b, x), z = multiply (b, x, x), limit = real (b, x, 3.95), small, large;

  small = near_zero (b, size, z);
  size = choose (b, greater (b, size, limit), limit, size);
  large = one_minus_exponential (b, HORNER (b, size, beyond));

  return with_sign (b, choose (b, less (b, z, real (b, x, 0.86)), small, large), x);
}

/* e^-x² p (t) / (1 + 2 x), t = (x - 2) / (x + 2), for x within [0.5, 10.25]. The rounding errors of p, of its product
 * with the exponential, of x² and of the quotient are compensated before the only scaling that may reach subnormal
 * numbers. */
static guint
scaled_complement (Builder *b,
                   guint    x,
                   guint    square)
{
  static const double c[] = {
    -0x1.7bf616p-4, -0x1.5407fap-3, 0x1.4ffc54p-3, -0x1.bc142ep-5, -0x1.082b66p-7, 0x1.1b4498p-7, 0x1.5a5f0ap-10,
    -0x1.45abdep-10, -0x1.adea2cp-12,
  };
  Exponential e = split_exponential (b, square);
  guint t = divide (b, add_real (b, x, -2), add_real (b, x, 2)), first = real (b, x, 0x1.46e80ep0);
  guint slope = HORNER (b, t, c);
  guint p = multiply_add (b, slope, t, first), p_lost = multiply_add (b, slope, t, subtract (b, first, p));
  guint top = multiply_add (b, p, e.p, p), lost = multiply_add (b, p, e.p, subtract (b, p, top));
  guint twice = add (b, x, x), inverse = divide (b, real (b, x, 1), add_real (b, twice, 1));
  guint result = multiply (b, top, inverse), is_low = greater (b, square, real (b, x, 86)), rest, scale, last;

  lost = add (b, lost, multiply_add (b, p_lost, e.p, p_lost));
  lost = multiply_add (b, multiply_add (b, x, x, negate (b, square)), negate (b, top), lost);
  rest = subtract (b, multiply_add (b, negate (b, result), twice, top), result);
  result = multiply_add (b, add (b, rest, lost), inverse, result);

  scale = add (b, e.bits, choose (b, is_low, whole (b, e.bits, 64), whole (b, e.bits, 0)));
  last = choose (b, is_low, real (b, x, 0x1p-64), real (b, x, 1));
  /* Multiplying by 0 avoids rounding to 0, which takes processors a hundred times as long. */
  last = choose (b, greater (b, x, real (b, x, 10.06)), real (b, x, 0), last);

  return multiply (b, multiply (b, result, float_of (b, left_by (b, scale, 23))), last);
}

guint
ghlo_expand_erfc (Builder         *b,
                  GhloElementType  type,
                  const guint     *operands)
{
  guint x = operands[0], size = magnitude (b, x), limit = real (b, x, 10.25), square, result;

  size = choose (b, greater (b, size, limit), limit, size);
  square = multiply (b, size, size);
  result = choose (b, less (b, size, real (b, x, 0.5)), subtract (b, real (b, x, 1), near_zero (b, size, square)),
                   scaled_complement (b, size, square));

  return choose (b, less (b, x, real (b, x, 0)), subtract (b, real (b, x, 2), result), result);
}

/* x p (w), w = -log (1 - x²); near 1, a polynomial in √w instead. */
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
