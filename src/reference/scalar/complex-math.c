/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Complex functions that the C library lacks, or computes less accurately than the
 * compensated products and sums here.
 */

#include "reference/scalar/complex-math.h"

#include <complex.h>
#include <float.h>
#include <math.h>

/* The upper half of the mantissa (Veltkamp's splitting). */
static inline long double
upper_half (long double x)
{
  const long double factor = (long double) ((guint64) 1 << ((LDBL_MANT_DIG + 1) / 2)) + 1;
  long double product = factor * x;

  return product - (product - x);
}

/* The rounding error of @product = a * b (Dekker's product), which is cheaper than fmal. */
static inline long double
product_rest (long double a,
              long double b,
              long double product)
{
  long double a_upper = upper_half (a), a_lower = a - a_upper;
  long double b_upper = upper_half (b), b_lower = b - b_upper;

  return ((a_upper * b_upper - product) + a_upper * b_lower + a_lower * b_upper) + a_lower * b_lower;
}

/* a * b + c * d. When the products cancel, their rounding errors are added back. */
static long double
dot (long double a,
     long double b,
     long double c,
     long double d)
{
  long double p = a * b, q = c * d, sum = p + q;

  if (isfinite (sum) && fabsl (sum) * 8 < fabsl (p))
    sum += product_rest (a, b, p) + product_rest (c, d, q);

  return sum;
}

/* a + b, and its rounding error. */
static long double
sum_exactly (long double  a,
             long double  b,
             long double *rest)
{
  long double sum = a + b;
  long double part = sum - a;

  *rest = (a - (sum - part)) + (b - part);

  return sum;
}

GhloRefComplex
ghlo_ref_complex_multiply (GhloRefComplex x,
                           GhloRefComplex y)
{
  long double a = creall (x), b = cimagl (x), c = creall (y), d = cimagl (y);

  return CMPLXL (dot (a, c, -b, d), dot (a, d, b, c));
}

/* Returns 1 if @x is infinite, else 0; with the sign of @x, unless that is NaN. */
static long double
box (long double x)
{
  return isnan (x) ? 0 : copysignl (isinf (x) ? 1 : 0, x);
}

/* Recovers a quotient whose parts both came out as NaN, following Annex G.5.1 of the C standard. */
static GhloRefComplex
divide_specially (long double a,
                  long double b,
                  long double c,
                  long double d)
{
  if (c == 0 && d == 0 && (!isnan (a) || !isnan (b)))
    return CMPLXL (copysignl (INFINITY, c) * a, copysignl (INFINITY, c) * b);

  if ((isinf (a) || isinf (b)) && isfinite (c) && isfinite (d))
    {
      a = box (a);
      b = box (b);
      return CMPLXL (INFINITY * (a * c + b * d), INFINITY * (b * c - a * d));
    }

  if ((isinf (c) || isinf (d)) && isfinite (a) && isfinite (b))
    {
      c = box (c);
      d = box (d);
      return CMPLXL (0 * (a * c + b * d), 0 * (b * c - a * d));
    }

  return CMPLXL (NAN, NAN);
}

GhloRefComplex
ghlo_ref_complex_divide (GhloRefComplex x,
                         GhloRefComplex y)
{
  long double a = creall (x), b = cimagl (x), c = creall (y), d = cimagl (y);
  long double norm = c * c + d * d;
  long double re = dot (a, c, b, d) / norm, im = dot (b, c, -a, d) / norm;

  if (isnan (re) && isnan (im))
    return divide_specially (a, b, c, d);

  return CMPLXL (re, im);
}

long double
ghlo_ref_complex_abs (GhloRefComplex z)
{
  return hypotl (creall (z), cimagl (z));
}

GhloRefComplex
ghlo_ref_complex_sign (GhloRefComplex z)
{
  long double re = creall (z), im = cimagl (z), norm = hypotl (re, im);

  if (isnan (re) || isnan (im))
    return CMPLXL (NAN, NAN);
  if (norm == 0)
    return CMPLXL (0, 0);

  return CMPLXL (re / norm, im / norm);
}

GhloRefComplex
ghlo_ref_complex_square (GhloRefComplex z)
{
  long double re = creall (z), im = cimagl (z);

  return CMPLXL ((re - im) * (re + im), 2 * (re * im));
}

GhloRefComplex
ghlo_ref_complex_sqrt (GhloRefComplex z)
{
  return csqrtl (z);
}

GhloRefComplex
ghlo_ref_complex_rsqrt (GhloRefComplex z)
{
  return ghlo_ref_complex_divide (CMPLXL (1, 0), csqrtl (z));
}

/* The cube root with the smallest angle. */
GhloRefComplex
ghlo_ref_complex_cbrt (GhloRefComplex z)
{
  long double radius = cbrtl (ghlo_ref_complex_abs (z));
  long double angle = cargl (z) / 3;

  if (radius == 0)
    return CMPLXL (0, cimagl (z));

  return CMPLXL (radius * cosl (angle), angle == 0 ? angle : radius * sinl (angle));
}

GhloRefComplex
ghlo_ref_complex_exp (GhloRefComplex z)
{
  long double re = creall (z), im = cimagl (z), factor;

  if (isinf (im))
    return CMPLXL (NAN, NAN);

  factor = expl (re);
  if (im == 0)
    return CMPLXL (factor, im);

  return CMPLXL (factor * cosl (im), factor * sinl (im));
}

GhloRefComplex
ghlo_ref_complex_expm1 (GhloRefComplex z)
{
  long double re = creall (z), im = cimagl (z), half;

  if (isinf (im))
    return CMPLXL (NAN, NAN);
  if (im == 0)
    return CMPLXL (expm1l (re), im);

  half = sinl (im / 2);

  return CMPLXL (expm1l (re) * cosl (im) - 2 * half * half, expl (re) * sinl (im));
}

/* x^2 + y^2 - 1, accurate when that is small. */
static long double
norm_minus_one (long double x,
                long double y)
{
  long double a = MAX (fabsl (x), fabsl (y)), b = MIN (fabsl (x), fabsl (y));
  long double p = (a - 1) * (a + 1), q = b * b, sum, rest;

  sum = sum_exactly (p, q, &rest);

  return sum + (rest + product_rest (a - 1, a + 1, p) + product_rest (b, b, q));
}

/* (1 + x)^2 + y^2 - 1, accurate when that is small. */
static long double
shifted_norm_minus_one (long double x,
                        long double y)
{
  long double p = x * x, q = y * y, sum, rest[2];

  sum = sum_exactly (2 * x, p, &rest[0]);
  sum = sum_exactly (sum, q, &rest[1]);

  return sum + (rest[0] + rest[1] + product_rest (x, x, p) + product_rest (y, y, q));
}

GhloRefComplex
ghlo_ref_complex_log (GhloRefComplex z)
{
  long double re = creall (z), im = cimagl (z), norm = re * re + im * im;
  long double angle = atan2l (im, re);

  if (isinf (re) || isinf (im))
    return CMPLXL (INFINITY, angle);
  if (norm > 0.5L && norm < 2)
    return CMPLXL (log1pl (norm_minus_one (re, im)) / 2, angle);

  return CMPLXL (logl (norm) / 2, angle);
}

GhloRefComplex
ghlo_ref_complex_log1p (GhloRefComplex z)
{
  long double re = creall (z), im = cimagl (z);
  long double norm = (1 + re) * (1 + re) + im * im;
  long double angle = atan2l (im, 1 + re);

  if (isinf (re) || isinf (im))
    return CMPLXL (INFINITY, angle);
  if (norm > 0.5L && norm < 2)
    return CMPLXL (log1pl (shifted_norm_minus_one (re, im)) / 2, angle);

  return CMPLXL (logl (norm) / 2, angle);
}

GhloRefComplex
ghlo_ref_complex_logistic (GhloRefComplex z)
{
  GhloRefComplex power;

  if (creall (z) >= 0)
    {
      power = ghlo_ref_complex_exp (-z);
      return ghlo_ref_complex_divide (CMPLXL (1, 0), CMPLXL (1 + creall (power), cimagl (power)));
    }

  power = ghlo_ref_complex_exp (z);

  return ghlo_ref_complex_divide (power, CMPLXL (1 + creall (power), cimagl (power)));
}

/* By repeated squaring, which is exact wherever the powers are. */
static GhloRefComplex
natural_power (GhloRefComplex x,
               guint          exponent)
{
  GhloRefComplex result = CMPLXL (1, 0);

  for (; exponent != 0; exponent >>= 1)
    {
      if (exponent & 1)
        result = ghlo_ref_complex_multiply (result, x);
      x = ghlo_ref_complex_multiply (x, x);
    }

  return result;
}

/* A power that exp (y log (x)) does not know, where @size is the real part of y log (x): 1 to any exponent is 1, zero
 * needs no angle, and a real exponent turns a positive real base by no angle, even where one of them is infinite. */
static GhloRefComplex
power_specially (GhloRefComplex x,
                 GhloRefComplex y,
                 long double    size)
{
  gboolean is_real = creall (x) > 0 && cimagl (x) == 0 && cimagl (y) == 0;

  if (x == 1)
    return CMPLXL (1, 0);
  if (size == -INFINITY)
    return CMPLXL (0, 0);

  return is_real && size == INFINITY ? CMPLXL (INFINITY, 0) : CMPLXL (NAN, NAN);
}

GhloRefComplex
ghlo_ref_complex_power (GhloRefComplex x,
                        GhloRefComplex y)
{
  /* Above this exponent, the products lose more digits than the logarithm does. */
  enum { GREATEST = 64 };
  long double exponent = creall (y);
  GhloRefComplex result, scaled;

  if (x == 0 && exponent > 0)
    return CMPLXL (0, 0);

  if (cimagl (y) == 0 && exponent == rintl (exponent) && fabsl (exponent) <= GREATEST)
    {
      result = natural_power (x, (guint) fabsl (exponent));
      if (exponent < 0)
        result = ghlo_ref_complex_divide (CMPLXL (1, 0), result);
      if (!isnan (creall (result)) && !isnan (cimagl (result)))
        return result;
    }

  scaled = ghlo_ref_complex_multiply (y, ghlo_ref_complex_log (x));
  result = ghlo_ref_complex_exp (scaled);

  return isnan (creall (result)) ? power_specially (x, y, creall (scaled)) : result;
}

/* On the imaginary axis, C gives ±0 as the real part of tanh of an infinity or a NaN. That part is unknown,
 * so it is NaN here. */
GhloRefComplex
ghlo_ref_complex_tanh (GhloRefComplex z)
{
  return creall (z) == 0 && !isfinite (cimagl (z)) ? CMPLXL (NAN, NAN) : ctanhl (z);
}

/* -i tanh (i z) */
GhloRefComplex
ghlo_ref_complex_tan (GhloRefComplex z)
{
  GhloRefComplex turned = ghlo_ref_complex_tanh (CMPLXL (-cimagl (z), creall (z)));

  return CMPLXL (cimagl (turned), -creall (turned));
}

/* -i log ((x + i y) / sqrt (x^2 + y^2)) */
GhloRefComplex
ghlo_ref_complex_atan2 (GhloRefComplex y,
                        GhloRefComplex x)
{
  GhloRefComplex point = CMPLXL (creall (x) - cimagl (y), cimagl (x) + creall (y));
  GhloRefComplex norm = csqrtl (ghlo_ref_complex_square (x) + ghlo_ref_complex_square (y));
  GhloRefComplex logarithm = ghlo_ref_complex_log (ghlo_ref_complex_divide (point, norm));

  return CMPLXL (cimagl (logarithm), -creall (logarithm));
}

GhloRefComplex
ghlo_ref_complex_asin_acos_kernel (GhloRefComplex z)
{
  long double x = fabsl (creall (z)), y = fabsl (cimagl (z));
  GhloRefComplex below = csqrtl (CMPLXL (1 - x, -y)), above = csqrtl (CMPLXL (1 + x, y));

  /* The imaginary parts have opposite signs, so nothing cancels. */
  return CMPLXL (creall (below) * creall (above) - cimagl (below) * cimagl (above),
                 fabsl (cimagl (casinl (CMPLXL (x, y)))));
}
