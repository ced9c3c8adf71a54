/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions that MPFR lacks, computed by their definitions or by series that are summed until the precision is reached.
 * Complex functions follow their logarithmic and exponential forms; arguments on branch cuts are not supported.
 */

#include "accuracy-functions.h"

#include <math.h>

enum { REAL_PRECISION = 400 };

int
accuracy_logistic (mpfr_ptr    result,
                   mpfr_srcptr x,
                   mpfr_rnd_t  round)
{
  mpfr_neg (result, x, round);
  mpfr_exp (result, result, round);
  mpfr_add_ui (result, result, 1, round);

  return mpfr_ui_div (result, 1, result, round);
}

/* Newton's iteration on erf (y) - x, starting from Winitzki's formula. */
int
accuracy_erf_inv (mpfr_ptr    result,
                  mpfr_srcptr x,
                  mpfr_rnd_t  round)
{
  enum { N_STEPS = 9 };
  double argument = mpfr_get_d (x, MPFR_RNDN), magnitude = fabs (argument);
  double logarithm = log1p (-magnitude * magnitude), half = 2 / (G_PI * 0.147) + logarithm / 2;
  double start = magnitude < 0.1 ? magnitude * 0.886 : sqrt (sqrt (half * half - logarithm / 0.147) - half);
  mpfr_t y, value, slope;

  if (!(magnitude < 1))
    {
      mpfr_set_d (result, magnitude == 1 ? copysign (INFINITY, argument) : NAN, round);
      return 0;
    }
  mpfr_inits2 (REAL_PRECISION, y, value, slope, NULL);
  mpfr_set_d (y, copysign (start, argument), round);
  for (int i = 0; i < N_STEPS && argument != 0; i++)
    {
      mpfr_sqr (slope, y, round);
      mpfr_exp (slope, slope, round);
      mpfr_const_pi (value, round);
      mpfr_sqrt (value, value, round);
      mpfr_mul (slope, slope, value, round);
      mpfr_div_2ui (slope, slope, 1, round);
      mpfr_erf (value, y, round);
      mpfr_sub (value, value, x, round);
      mpfr_mul (value, value, slope, round);
      mpfr_sub (y, y, value, round);
    }
  mpfr_set (result, y, round);
  mpfr_clears (y, value, slope, NULL);

  return 0;
}

int
accuracy_lgamma (mpfr_ptr    result,
                 mpfr_srcptr x,
                 mpfr_rnd_t  round)
{
  int sign;

  return mpfr_lgamma (result, &sign, x, round);
}

/* NaN at all poles; MPFR has infinities at the zeros. */
int
accuracy_digamma (mpfr_ptr    result,
                  mpfr_srcptr x,
                  mpfr_rnd_t  round)
{
  if (!mpfr_zero_p (x))
    return mpfr_digamma (result, x, round);
  mpfr_set_nan (result);

  return 0;
}

/* The asymptotic series divided by √(2 π |x|); the omitted part is below e^-2|x|. */
static void
bessel_asymptotic (mpfr_ptr    result,
                   mpfr_srcptr x)
{
  mpfr_t term, sum, size;

  mpfr_inits2 (REAL_PRECISION, term, sum, size, NULL);
  mpfr_abs (size, x, MPFR_RNDN);
  mpfr_set_ui (term, 1, MPFR_RNDN);
  mpfr_set_ui (sum, 1, MPFR_RNDN);
  for (long k = 1; !mpfr_zero_p (term) && mpfr_get_exp (term) > -REAL_PRECISION; k++)
    {
      mpfr_mul_si (term, term, (2 * k - 1) * (2 * k - 1) - 4, MPFR_RNDN);
      mpfr_div_si (term, term, 8 * k, MPFR_RNDN);
      mpfr_div (term, term, size, MPFR_RNDN);
      mpfr_add (sum, sum, term, MPFR_RNDN);
    }
  mpfr_const_pi (term, MPFR_RNDN);
  mpfr_mul_2ui (term, term, 1, MPFR_RNDN);
  mpfr_mul (term, term, size, MPFR_RNDN);
  mpfr_sqrt (term, term, MPFR_RNDN);
  mpfr_div (sum, sum, term, MPFR_RNDN);
  mpfr_copysign (result, sum, x, MPFR_RNDN);
  mpfr_clears (term, sum, size, NULL);
}

/* The power series, whose terms have one sign, where it needs no more than some hundred terms. */
int
accuracy_bessel_i1e (mpfr_ptr    result,
                     mpfr_srcptr x,
                     mpfr_rnd_t  round)
{
  mpfr_t term, sum, quarter, decay;

  if (mpfr_cmpabs_ui (x, 500) > 0)
    {
      bessel_asymptotic (result, x);
      return 0;
    }
  mpfr_inits2 (REAL_PRECISION, term, sum, quarter, decay, NULL);
  mpfr_abs (decay, x, round);
  mpfr_neg (decay, decay, round);
  mpfr_exp (decay, decay, round);
  mpfr_sqr (quarter, x, round);
  mpfr_div_2ui (quarter, quarter, 2, round);
  mpfr_div_2ui (term, x, 1, round);
  mpfr_set (sum, term, round);
  for (unsigned long k = 1; !mpfr_zero_p (term) && mpfr_get_exp (term) > mpfr_get_exp (sum) - REAL_PRECISION; k++)
    {
      mpfr_mul (term, term, quarter, round);
      mpfr_div_ui (term, term, k * (k + 1), round);
      mpfr_add (sum, sum, term, round);
    }
  mpfr_mul (result, sum, decay, round);
  mpfr_clears (term, sum, quarter, decay, NULL);

  return 0;
}

/* B_2k / (2k)! = ± 2 ζ (2k) / (2π)^2k */
static void
bernoulli_coefficient (mpfr_ptr      result,
                       unsigned long k)
{
  mpfr_t power;

  mpfr_init2 (power, REAL_PRECISION);
  mpfr_const_pi (power, MPFR_RNDN);
  mpfr_mul_2ui (power, power, 1, MPFR_RNDN);
  mpfr_pow_ui (power, power, 2 * k, MPFR_RNDN);
  mpfr_zeta_ui (result, 2 * k, MPFR_RNDN);
  mpfr_mul_2ui (result, result, 1, MPFR_RNDN);
  mpfr_div (result, result, power, MPFR_RNDN);
  if (k % 2 == 0)
    mpfr_neg (result, result, MPFR_RNDN);
  mpfr_clear (power);
}

enum { ZETA_TERMS = 60, ZETA_CORRECTIONS = 40 };

static mpfr_t *
zeta_coefficients (void)
{
  static mpfr_t coefficients[ZETA_CORRECTIONS];
  static gboolean done;

  for (unsigned long k = 1; !done && k <= ZETA_CORRECTIONS; k++)
    {
      mpfr_init2 (coefficients[k - 1], REAL_PRECISION);
      bernoulli_coefficient (coefficients[k - 1], k);
    }
  done = TRUE;

  return coefficients;
}

/* Euler-Maclaurin. */
int
accuracy_zeta (mpfr_ptr    result,
               mpfr_srcptr x,
               mpfr_srcptr q,
               mpfr_rnd_t  round)
{
  mpfr_t *coefficients = zeta_coefficients ();
  mpfr_t s, a, power, sum, factor, term;

  mpfr_inits2 (REAL_PRECISION, s, a, power, sum, factor, term, NULL);
  mpfr_set (s, x, round);
  mpfr_set (a, q, round);
  mpfr_set_zero (sum, 1);
  mpfr_neg (factor, s, round);
  for (int i = 0; i < ZETA_TERMS; i++, mpfr_add_ui (a, a, 1, round))
    {
      mpfr_pow (power, a, factor, round);
      mpfr_add (sum, sum, power, round);
    }

  mpfr_pow (power, a, factor, round);
  mpfr_sub_ui (term, s, 1, round);
  mpfr_div (term, a, term, round);
  mpfr_add_d (term, term, 0.5, round);
  mpfr_mul (term, term, power, round);
  mpfr_add (sum, sum, term, round);

  mpfr_mul (factor, s, power, round);
  mpfr_div (factor, factor, a, round);
  for (int k = 0; k < ZETA_CORRECTIONS; k++)
    {
      mpfr_mul (term, factor, coefficients[k], round);
      mpfr_add (sum, sum, term, round);
      for (int i = 1; i <= 2; i++)
        {
          mpfr_add_ui (term, s, 2 * k + i, round);
          mpfr_mul (factor, factor, term, round);
          mpfr_div (factor, factor, a, round);
        }
    }
  mpfr_set (result, sum, round);
  mpfr_clears (s, a, power, sum, factor, term, NULL);

  return 0;
}

int
accuracy_polygamma (mpfr_ptr    result,
                    mpfr_srcptr n,
                    mpfr_srcptr x,
                    mpfr_rnd_t  round)
{
  unsigned long order = mpfr_get_ui (n, MPFR_RNDN);
  mpfr_t s;

  mpfr_init2 (s, REAL_PRECISION);
  mpfr_set_ui (s, order + 1, round);
  accuracy_zeta (result, s, x, round);
  mpfr_fac_ui (s, order, round);
  mpfr_mul (result, result, s, round);
  if (order % 2 == 0)
    mpfr_neg (result, result, round);
  mpfr_clear (s);

  return 0;
}

/* Complex numbers of the full precision. */
typedef struct
{
  mpfr_t re, im;
} Number;

static void
number_init (Number *self)
{
  mpfr_inits2 (ACCURACY_COMPLEX_PRECISION, self->re, self->im, NULL);
}

static void
number_clear (Number *self)
{
  mpfr_clears (self->re, self->im, NULL);
}

#define R MPFR_RNDN

static void
number_square (Number *z)
{
  mpfr_t product;

  mpfr_init2 (product, ACCURACY_COMPLEX_PRECISION);
  mpfr_mul (product, z->re, z->im, R);
  mpfr_sqr (z->re, z->re, R);
  mpfr_sqr (z->im, z->im, R);
  mpfr_sub (z->re, z->re, z->im, R);
  mpfr_mul_2ui (z->im, product, 1, R);
  mpfr_clear (product);
}

static void
number_multiply (Number       *z,
                 const Number *by)
{
  mpfr_t re, im;

  mpfr_inits2 (ACCURACY_COMPLEX_PRECISION, re, im, NULL);
  mpfr_fmms (re, z->re, by->re, z->im, by->im, R);
  mpfr_fmma (im, z->re, by->im, z->im, by->re, R);
  mpfr_swap (z->re, re);
  mpfr_swap (z->im, im);
  mpfr_clears (re, im, NULL);
}

static void
number_invert (Number *z)
{
  mpfr_t norm;

  mpfr_init2 (norm, ACCURACY_COMPLEX_PRECISION);
  mpfr_fmma (norm, z->re, z->re, z->im, z->im, R);
  mpfr_div (z->re, z->re, norm, R);
  mpfr_div (z->im, z->im, norm, R);
  mpfr_neg (z->im, z->im, R);
  mpfr_clear (norm);
}

/* Multiplies by i, or with @times 3 by -i. */
static void
number_turn (Number *z,
             int     times)
{
  for (int i = 0; i < times; i++)
    {
      mpfr_swap (z->re, z->im);
      mpfr_neg (z->re, z->re, R);
    }
}

static void
number_exp (Number *z)
{
  mpfr_t radius;

  mpfr_init2 (radius, ACCURACY_COMPLEX_PRECISION);
  mpfr_exp (radius, z->re, R);
  mpfr_sin_cos (z->im, z->re, z->im, R);
  mpfr_mul (z->re, z->re, radius, R);
  mpfr_mul (z->im, z->im, radius, R);
  mpfr_clear (radius);
}

static void
number_log (Number *z)
{
  mpfr_t norm;

  mpfr_init2 (norm, ACCURACY_COMPLEX_PRECISION);
  mpfr_fmma (norm, z->re, z->re, z->im, z->im, R);
  mpfr_atan2 (z->im, z->im, z->re, R);
  mpfr_log (norm, norm, R);
  mpfr_div_2ui (z->re, norm, 1, R);
  mpfr_clear (norm);
}

/* sqrt ((|z| + |x|) / 2) is the absolute value of one part; the other follows from x y / 2. */
static void
number_sqrt (Number *z)
{
  gboolean left = mpfr_sgn (z->re) < 0;
  int sign = mpfr_signbit (z->im) ? -1 : 1;
  mpfr_t large, small;

  mpfr_inits2 (ACCURACY_COMPLEX_PRECISION, large, small, NULL);
  mpfr_hypot (large, z->re, z->im, R);
  mpfr_abs (small, z->re, R);
  mpfr_add (large, large, small, R);
  mpfr_div_2ui (large, large, 1, R);
  mpfr_sqrt (large, large, R);
  mpfr_abs (small, z->im, R);
  mpfr_div (small, small, large, R);
  mpfr_div_2ui (small, small, 1, R);
  mpfr_set (z->re, left ? small : large, R);
  mpfr_set (z->im, left ? large : small, R);
  mpfr_mul_si (z->im, z->im, sign, R);
  mpfr_clears (large, small, NULL);
}

/* -i log (i z + sqrt (1 - z^2)) */
static void
number_asin (Number *z)
{
  Number root;

  number_init (&root);
  mpfr_set (root.re, z->re, R);
  mpfr_set (root.im, z->im, R);
  number_square (&root);
  mpfr_ui_sub (root.re, 1, root.re, R);
  mpfr_neg (root.im, root.im, R);
  number_sqrt (&root);
  number_turn (z, 1);
  mpfr_add (z->re, z->re, root.re, R);
  mpfr_add (z->im, z->im, root.im, R);
  number_log (z);
  number_turn (z, 3);
  number_clear (&root);
}

static void
number_acos (Number *z)
{
  mpfr_t right_angle;

  mpfr_init2 (right_angle, ACCURACY_COMPLEX_PRECISION);
  mpfr_const_pi (right_angle, R);
  mpfr_div_2ui (right_angle, right_angle, 1, R);
  number_asin (z);
  mpfr_sub (z->re, right_angle, z->re, R);
  mpfr_neg (z->im, z->im, R);
  mpfr_clear (right_angle);
}

/* (log (1 + z) - log (1 - z)) / 2 */
static void
number_atanh (Number *z)
{
  Number below;

  number_init (&below);
  mpfr_ui_sub (below.re, 1, z->re, R);
  mpfr_neg (below.im, z->im, R);
  mpfr_add_ui (z->re, z->re, 1, R);
  number_log (&below);
  number_log (z);
  mpfr_sub (z->re, z->re, below.re, R);
  mpfr_sub (z->im, z->im, below.im, R);
  mpfr_div_2ui (z->re, z->re, 1, R);
  mpfr_div_2ui (z->im, z->im, 1, R);
  number_clear (&below);
}

/* (exp (2z) - 1) / (exp (2z) + 1) */
static void
number_tanh (Number *z)
{
  Number above;

  number_init (&above);
  mpfr_mul_2ui (z->re, z->re, 1, R);
  mpfr_mul_2ui (z->im, z->im, 1, R);
  number_exp (z);
  mpfr_add_ui (above.re, z->re, 1, R);
  mpfr_set (above.im, z->im, R);
  mpfr_sub_ui (z->re, z->re, 1, R);
  number_invert (&above);
  number_multiply (z, &above);
  number_clear (&above);
}

/* sinh x cos y + i cosh x sin y, or with the hyperbolic functions exchanged. */
static void
number_sinh (Number  *z,
             gboolean exchanged)
{
  mpfr_t sinh, cosh;

  mpfr_inits2 (ACCURACY_COMPLEX_PRECISION, sinh, cosh, NULL);
  mpfr_sinh_cosh (sinh, cosh, z->re, R);
  mpfr_sin_cos (z->im, z->re, z->im, R);
  mpfr_mul (z->re, z->re, exchanged ? cosh : sinh, R);
  mpfr_mul (z->im, z->im, exchanged ? sinh : cosh, R);
  mpfr_clears (sinh, cosh, NULL);
}

/* A function of the complex number with the given parts. */
#define COMPLEX(name, statements) \
  void \
  accuracy_complex_##name (mpfr_ptr re, mpfr_ptr im) \
  { \
    Number z; \
    number_init (&z); \
    mpfr_set (z.re, re, R); \
    mpfr_set (z.im, im, R); \
    statements \
    mpfr_set (re, z.re, R); \
    mpfr_set (im, z.im, R); \
    number_clear (&z); \
  }

COMPLEX (square, number_square (&z);)
COMPLEX (exp, number_exp (&z);)
COMPLEX (expm1, number_exp (&z); mpfr_sub_ui (z.re, z.re, 1, R);)
COMPLEX (log, number_log (&z);)
COMPLEX (log1p, mpfr_add_ui (z.re, z.re, 1, R); number_log (&z);)
COMPLEX (sqrt, number_sqrt (&z);)
COMPLEX (rsqrt, number_sqrt (&z); number_invert (&z);)
COMPLEX (sinh, number_sinh (&z, FALSE);)
COMPLEX (cosh, number_sinh (&z, TRUE);)
COMPLEX (sin, number_turn (&z, 1); number_sinh (&z, FALSE); number_turn (&z, 3);)
COMPLEX (cos, number_turn (&z, 1); number_sinh (&z, TRUE);)
COMPLEX (tanh, number_tanh (&z);)
COMPLEX (tan, number_turn (&z, 1); number_tanh (&z); number_turn (&z, 3);)
COMPLEX (asin, number_asin (&z);)
COMPLEX (acos, number_acos (&z);)
COMPLEX (asinh, number_turn (&z, 1); number_asin (&z); number_turn (&z, 3);)
/* ±i acos z, in the right half plane. */
COMPLEX (acosh, number_acos (&z); number_turn (&z, mpfr_sgn (z.im) < 0 ? 1 : 3);)
COMPLEX (atanh, number_atanh (&z);)
COMPLEX (atan, number_turn (&z, 1); number_atanh (&z); number_turn (&z, 3);)
COMPLEX (logistic, number_turn (&z, 2); number_exp (&z); mpfr_add_ui (z.re, z.re, 1, R); number_invert (&z);)

#define COMPLEX_2(name, statements) \
  void \
  accuracy_complex_##name (mpfr_ptr re, mpfr_ptr im, mpfr_srcptr by_re, mpfr_srcptr by_im) \
  { \
    Number z, by; \
    number_init (&z); \
    number_init (&by); \
    mpfr_set (z.re, re, R); \
    mpfr_set (z.im, im, R); \
    mpfr_set (by.re, by_re, R); \
    mpfr_set (by.im, by_im, R); \
    statements \
    mpfr_set (re, z.re, R); \
    mpfr_set (im, z.im, R); \
    number_clear (&by); \
    number_clear (&z); \
  }

COMPLEX_2 (multiply, number_multiply (&z, &by);)
COMPLEX_2 (divide, number_invert (&by); number_multiply (&z, &by);)
COMPLEX_2 (power, number_log (&z); number_multiply (&z, &by); number_exp (&z);)
