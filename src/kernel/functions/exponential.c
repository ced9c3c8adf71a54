/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The exponential and functions derived from it, in f32: e^x = 2^n e^r, n = round (x / ln 2), |r| <= ln 2 / 2, and
 * e^r - 1 = r + r² q (r). ln 2 is split so that n × its upper part is exact. NaN propagates, because comparisons
 * with it are false. Coefficients are those of coefficients/exponential.sollya.
 */

#include "kernel/functions/wide.h"

#include <math.h>

/* Adding it rounds to an integer and leaves that in the low bits. */
#define MAGIC 0x1.8p23

typedef struct
{
  guint bits;           /* ui32; the low 9 bits are n + 127 + bias */
  guint p;              /* e^r - 1 */
  guint is_zero;        /* n = 0 */
} Parts;

static Parts
split (Builder *b,
       guint    x,
       double   bias)
{
  static const double q[] = { 0x1.fffffap-2, 0x1.555492p-3, 0x1.555a26p-5, 0x1.123988p-7, 0x1.694cd2p-10 };
  const double upper = 0x1.62e4p-1, lower = M_LN2 - upper;
  guint shifted = multiply_add_real (b, x, real (b, x, M_LOG2E), MAGIC + 127 + bias);
  guint n = add_real (b, shifted, -(MAGIC + 127 + bias));
  guint r = multiply_add (b, n, real (b, x, -lower), multiply_add (b, n, real (b, x, -upper), x));
  guint p = multiply_add (b, HORNER (b, r, q), multiply (b, r, r), r);

  return (Parts) { bits_of (b, shifted), p, equal (b, n, real (b, n, 0)) };
}

/* 2^(n + bias). */
static guint
power_of_two (Builder *b,
              guint    bits)
{
  return float_of (b, left_by (b, bits, 23));
}

/* For x <= 89. Using half of 2^n avoids overflow before the result is infinite, and two factors reach the
 * subnormals. Results that are 0 come from a factor of 0: rounding to 0 takes processors a hundred times as long as
 * other results. */
static guint
exponential (Builder *b,
             guint    x)
{
  Parts parts;
  guint is_none = less (b, x, real (b, x, -104)), is_low, bits, two, result, last;

  x = choose (b, is_none, real (b, x, -104), x);
  is_low = less (b, x, real (b, x, -86));
  parts = split (b, x, -1);
  two = real (b, x, 2);
  bits = add (b, parts.bits, choose (b, is_low, whole (b, parts.bits, 64), whole (b, parts.bits, 0)));
  result = multiply (b, multiply_add (b, parts.p, two, two), power_of_two (b, bits));

  last = choose (b, is_low, real (b, x, 0x1p-64), real (b, x, 1));

  return multiply (b, result, choose (b, is_none, real (b, x, 0), last));
}

static guint
limited (Builder *b,
         guint    x,
         double   most)
{
  guint limit = real (b, x, most);

  return choose (b, greater (b, x, limit), limit, x);
}

guint
ghlo_expand_exponential (Builder         *b,
                         GhloElementType  type,
                         const guint     *operands)
{
  return exponential (b, limited (b, operands[0], 89));
}

/* 2 (2^(n - 1) (e^r - 1) + 2^(n - 1) - 1/2). */
guint
ghlo_expand_exponential_minus_one (Builder         *b,
                                   GhloElementType  type,
                                   const guint     *operands)
{
  Parts parts = split (b, clamped (b, operands[0], -18, 89), -1);
  guint half = power_of_two (b, parts.bits), result;

  result = multiply_add (b, half, parts.p, add_real (b, half, -0.5));
  result = choose (b, parts.is_zero, parts.p, add (b, result, result));

  return with_sign (b, result, operands[0]);
}

/* x + x³ p (x²) near 0, (e^2x - 1) / (e^2x - 1 + 2) beyond, and 1 from where the result rounds to 1. */
guint
ghlo_expand_tanh (Builder         *b,
                  GhloElementType  type,
                  const guint     *operands)
{
  static const double c[] = { -0x1.555554p-2, 0x1.110fc2p-3, -0x1.b99898p-5, 0x1.5cdce4p-6, -0x1.af959cp-8 };
  guint size = magnitude (b, operands[0]), z = multiply (b, size, size), x = limited (b, size, 9.02);
  Parts parts = split (b, add (b, x, x), 0);
  guint scale = power_of_two (b, parts.bits);
  guint above = multiply_add (b, scale, parts.p, add_real (b, scale, -1));
  guint large = divide_bounded (b, above, add_real (b, above, 2));
  guint small = multiply_add (b, multiply (b, size, z), HORNER (b, z, c), size);

  return with_sign (b, choose (b, less (b, size, real (b, size, 0.55)), small, large), operands[0]);
}

/* The exponential of -|x| does not overflow. The rounding error of 1 + e^-|x| is compensated. */
guint
ghlo_expand_logistic (Builder         *b,
                      GhloElementType  type,
                      const guint     *operands)
{
  guint x = operands[0], e = exponential (b, negate (b, magnitude (b, x))), sum = add_real (b, e, 1);
  guint lost = subtract (b, e, add_real (b, sum, -1));
  guint result = divide (b, choose (b, less (b, x, real (b, x, 0)), e, real (b, x, 1)), sum);

  return multiply_add (b, negate (b, lost), result, result);
}

/* CHLO's decompositions, exp (x - log 2) and exp (-x - log 2), whose roundings the official tests expect. If an
 * exponential is rounded to the other neighbour, the result may be 3 ULP off the expected one. */
static guint
rounded_exponential (Builder *b,
                     guint    x)
{
  return narrow (b, ghlo_expand_wide_exp2_precise (b, multiply_real (b, widen (b, x), M_LOG2E)));
}

static void
halves (Builder *b,
        guint    x,
        guint   *rising,
        guint   *falling)
{
  guint half = real (b, x, -M_LN2);

  *rising = rounded_exponential (b, add (b, x, half));
  *falling = rounded_exponential (b, subtract (b, half, x));
}

static guint
is_below_one (Builder *b,
              guint    x)
{
  return less (b, magnitude (b, x), real (b, x, 1));
}

guint
ghlo_expand_sinh (Builder         *b,
                  GhloElementType  type,
                  const guint     *operands)
{
  static const double c[] = { 0x1.555556p-3, 0x1.1110c4p-7, 0x1.a036dap-13, 0x1.720e84p-19 };
  guint x = operands[0], z = multiply (b, x, x), small, rising, falling;

  small = with_sign (b, multiply_add (b, multiply (b, x, z), HORNER (b, z, c), x), x);
  halves (b, x, &rising, &falling);

  return choose (b, is_below_one (b, x), small, subtract (b, rising, falling));
}

guint
ghlo_expand_cosh (Builder         *b,
                  GhloElementType  type,
                  const guint     *operands)
{
  static const double c[] = { 0x1p-1, 0x1.55557p-5, 0x1.6c023ap-10, 0x1.a9039p-16 };
  guint x = operands[0], z = multiply (b, x, x), small, rising, falling;

  small = multiply_add_real (b, z, HORNER (b, z, c), 1);
  halves (b, x, &rising, &falling);

  return choose (b, is_below_one (b, x), small, add (b, rising, falling));
}
