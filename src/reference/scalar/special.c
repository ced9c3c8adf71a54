/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Special functions by textbook formulas: reflection, recurrence into the range of
 * an asymptotic series, Euler-Maclaurin summation, and Halley's iteration for
 * inverses (Abramowitz and Stegun, chapters 6, 7, 9 and 23). Values at poles and
 * outside of the domain are those of CHLO's own decompositions.
 */

#include "reference/scalar/special.h"

#include <float.h>
#include <math.h>

#define PI 3.14159265358979323846264338327950288L
#define SQRT_PI 1.77245385090551602729816748334114518L

/* Bernoulli numbers B_2, B_4 … B_30. */
static const long double bernoulli[] = {
  1.0L / 6, -1.0L / 30, 1.0L / 42, -1.0L / 30, 5.0L / 66, -691.0L / 2730, 7.0L / 6,
  -3617.0L / 510, 43867.0L / 798, -174611.0L / 330, 854513.0L / 138, -236364091.0L / 2730,
  8553103.0L / 6, -23749461029.0L / 870, 8615841276005.0L / 14322,
};

enum { N_BERNOULLI = G_N_ELEMENTS (bernoulli) };

static inline gboolean
is_pole (long double x)
{
  return x <= 0 && x == floorl (x);
}

long double
ghlo_ref_lgamma (long double x)
{
  int sign;

  return lgammal_r (x, &sign);
}

/* The positive zero of digamma as a sum of two parts, and the Taylor series about it. */
static const long double digamma_zero[] = { 1.461632144968362341280917L, -1.8257096315963484214601e-20L };
static const long double digamma_series[] = {
  0.9676722454476211704274448L, -0.4427631689835921060928653L, 0.2584997609556510106244014L,
  -0.1639427054424065275042513L, 0.1078240506912623657571829L, -0.07219956125645471092612178L,
  0.04880428816414310722509253L, -0.0331611264748473592922584L, 0.02259764823221810465962483L,
  -0.01542476590494895913880032L, 0.01053879161661217538812405L, -0.007204534386356868240970474L,
  0.004926781395729853446354266L, -0.003369801655439328082792857L, 0.00230512632673492783693838L,
  -0.001576936771430197259270935L, 0.001078825201916296580691918L, -0.0007380709389960051295660474L,
};

static long double
digamma_near_zero (long double x)
{
  long double distance = (x - digamma_zero[0]) - digamma_zero[1];
  long double sum = 0;

  for (int i = G_N_ELEMENTS (digamma_series) - 1; i >= 0; i--)
    sum = sum * distance + digamma_series[i];

  return sum * distance;
}

static long double
digamma_positive (long double x)
{
  enum { LEAST = 20, N_TERMS = 12 };
  long double shift = 0, series = 0, square;

  if (fabsl (x - digamma_zero[0]) < 0.1L)
    return digamma_near_zero (x);

  for (; x < LEAST; x++)
    shift += 1 / x;

  square = 1 / (x * x);
  for (int k = N_TERMS - 1; k >= 0; k--)
    series = (series + bernoulli[k] / (2 * k + 2)) * square;

  return logl (x) - 1 / (2 * x) - series - shift;
}

/* π cot (π x) for 0 < |x| <= 1/2, accurate near both ends. */
static long double
pi_cotangent (long double x)
{
  long double value;

  if (fabsl (x) <= 0.25L)
    return PI / tanl (PI * x);

  value = PI * tanl (PI * (0.5L - fabsl (x)));

  return x < 0 ? -value : value;
}

long double
ghlo_ref_digamma (long double x)
{
  if (isnan (x) || is_pole (x))
    return NAN;
  if (isinf (x))
    return x;
  if (x > 0)
    return digamma_positive (x);

  return digamma_positive (1 - x) - pi_cotangent (x - rintl (x));
}

/* unit^s ζ (s, q) by Euler-Maclaurin summation, for s > 1 and q > 0. Terms are summed until the asymptotic
 * part converges or the rest is negligible. */
static long double
zeta_positive (long double s,
               long double q,
               long double unit)
{
  long double least = MAX (20, s);
  long double sum = 0, power, factor, factorial = 2;

  if (isinf (q))
    return 0;

  for (; q < least; q++)
    {
      power = powl (q / unit, -s);
      sum += power;
      if (power * (1 + q / (s - 1)) <= sum * (LDBL_EPSILON / 8) || q + 1 == q)
        return sum;
    }

  power = powl (q / unit, -s);
  sum += q * power / (s - 1) + power / 2;
  factor = s * power / q;
  for (int k = 0; k < N_BERNOULLI; k++)
    {
      long double n = 2 * k + 1;

      sum += bernoulli[k] / factorial * factor;
      factor *= (s + n) / q * ((s + n + 1) / q);
      factorial *= (n + 2) * (n + 3);
    }

  return sum;
}

/* Whether the terms on both sides of 0 differ only in their signs, so that they cancel up to 1 - q. */
static gboolean
is_symmetric (long double q,
              gboolean    even)
{
  return q < 0 && !even && fabsl (q - rintl (q)) == 0.5L;
}

/* unit^s ζ (s, q) for q < 0, not an integer, and integer s: the term nearest to the pole, plus the sums on
 * both sides of it. */
static long double
zeta_negative (long double s,
               long double q,
               gboolean    even,
               long double unit)
{
  long double distance = q - rintl (q);
  long double below = 0, nearest, above;

  if (is_symmetric (q, even))
    return zeta_positive (s, 1 - q, unit);

  nearest = powl (fabsl (distance) / unit, -s);
  above = zeta_positive (s, 1 + distance, unit);
  if (rintl (q) < 0)
    below = zeta_positive (s, 1 - distance, unit) - zeta_positive (s, 1 - q, unit);

  return (distance < 0 && !even ? -nearest : nearest) + above + (even ? below : -below);
}

/* The number whose power is the largest term. */
static long double
zeta_unit (long double q,
           gboolean    even)
{
  return q > 0 ? q : is_symmetric (q, even) ? 1 - q : fabsl (q - rintl (q));
}

/* @even says whether the exponent is an even number; x itself may be too large to tell. */
static long double
zeta_of (long double x,
         long double q,
         gboolean    even)
{
  long double unit;

  if (x == 1)
    return INFINITY;
  if (isnan (x) || isnan (q))
    return NAN;
  if (is_pole (q))
    return even ? INFINITY : NAN;
  if (x < 1)
    return NAN;
  if (q > 0)
    return zeta_positive (x, q, 1);
  if (x != floorl (x) || isinf (x))
    return NAN;

  unit = zeta_unit (q, even);

  return powl (unit, -x) * zeta_negative (x, q, even, unit);
}

long double
ghlo_ref_zeta (long double x,
               long double q)
{
  return zeta_of (x, q, x == floorl (x) && fmodl (x, 2) == 0);
}

long double
ghlo_ref_polygamma (long double n,
                    long double x)
{
  /* The largest argument whose factorial fits into long double on every platform. */
  enum { GREATEST = 169 };
  gboolean odd;
  long double value, unit;

  if (isnan (n) || isinf (n) || n < 0 || n != floorl (n) || isnan (x))
    return NAN;
  if (n == 0)
    return ghlo_ref_digamma (x);

  odd = fmodl (n, 2) == 1;
  if (isinf (x) || is_pole (x))
    value = zeta_of (n + 1, x, odd);
  else if (n <= GREATEST)
    value = tgammal (n + 1) * zeta_of (n + 1, x, odd);
  else
    {
      /* The zeta function may overflow long double although the result does not. */
      unit = zeta_unit (x, odd);
      value = expl (ghlo_ref_lgamma (n + 1) - (n + 1) * logl (unit))
              * (x > 0 ? zeta_positive (n + 1, x, unit) : zeta_negative (n + 1, x, odd, unit));
    }

  return odd ? value : -value;
}

/* A first approximation of the inverse error function (Winitzki), accurate to 3e-3. */
static long double
erf_inv_start (long double x)
{
  const long double a = 0.147L;
  long double logarithm, half;

  if (x < 0.1L)
    return x * (SQRT_PI / 2);

  logarithm = log1pl (-x * x);
  half = 2 / (PI * a) + logarithm / 2;

  return sqrtl (sqrtl (half * half - logarithm / a) - half);
}

long double
ghlo_ref_erf_inv (long double x)
{
  enum { N_STEPS = 3 };
  long double magnitude = fabsl (x), y;

  if (isnan (x) || magnitude > 1)
    return NAN;
  if (magnitude == 1)
    return copysignl (INFINITY, x);

  y = erf_inv_start (magnitude);
  for (int i = 0; i < N_STEPS; i++)
    {
      long double slope = 2 / SQRT_PI * expl (-y * y);
      long double excess = magnitude < 0.5L ? erfl (y) - magnitude : (1 - magnitude) - erfcl (y);
      long double step = excess / slope;

      y -= step / (1 + y * step);
    }

  return copysignl (y, x);
}

/* The power series of I_1. All of its terms have the same sign. */
static long double
bessel_series (long double x)
{
  long double quarter = x * x / 4, term = x / 2, sum = term;

  for (int k = 1; term > sum * (LDBL_EPSILON / 4); k++)
    {
      term *= quarter / ((long double) k * (k + 1));
      sum += term;
    }

  return expl (-x) * sum;
}

/* The terms shrink to about e^(-2 x), then they grow: x has to be at least half of LDBL_MANT_DIG. */
static long double
bessel_asymptotic (long double x)
{
  long double term = 1, sum = 1;

  for (int k = 1; fabsl (term) > LDBL_EPSILON / 4; k++)
    {
      long double odd = 2 * k - 1;

      term *= -(4 - odd * odd) / (8 * k * x);
      sum += term;
    }

  return sum / sqrtl (2 * PI * x);
}

long double
ghlo_ref_bessel_i1e (long double x)
{
  enum { LEAST = LDBL_MANT_DIG / 2 };
  long double magnitude = fabsl (x);

  if (isnan (x))
    return x;
  if (isinf (x))
    return copysignl (0, x);

  return copysignl (magnitude < LEAST ? bessel_series (magnitude) : bessel_asymptotic (magnitude), x);
}
