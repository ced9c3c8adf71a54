/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The truth for test-accuracy: functions that MPFR does not have, by formulas
 * that are plain rather than fast, in far more digits than are compared.
 */

#pragma once

#include <glib.h>
#include <mpfr.h>

/* Enough for parts that differ by a factor of 2^800 and squares of them. */
enum { ACCURACY_COMPLEX_PRECISION = 2048 };

typedef int  (*AccuracyFunction)  (mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t round);
typedef int  (*AccuracyFunction2) (mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t round);
/* Both parts are replaced by those of the function's value. */
typedef void (*AccuracyComplex)   (mpfr_ptr re, mpfr_ptr im);
/* The first number is replaced by what the function makes of both. */
typedef void (*AccuracyComplex2)  (mpfr_ptr re, mpfr_ptr im, mpfr_srcptr by_re, mpfr_srcptr by_im);

int  accuracy_logistic   (mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t round);
int  accuracy_erf_inv    (mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t round);
int  accuracy_lgamma     (mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t round);
int  accuracy_digamma    (mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t round);
int  accuracy_bessel_i1e (mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t round);
/* q > 0 and x > 1, at most 100. */
int  accuracy_zeta       (mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr q, mpfr_rnd_t round);
int  accuracy_polygamma  (mpfr_ptr result, mpfr_srcptr n, mpfr_srcptr x, mpfr_rnd_t round);

void accuracy_complex_exp      (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_expm1    (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_log      (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_log1p    (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_sqrt     (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_rsqrt    (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_sin      (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_cos      (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_sinh     (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_cosh     (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_tan      (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_tanh     (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_asin     (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_acos     (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_asinh    (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_acosh    (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_atan     (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_atanh    (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_square   (mpfr_ptr re, mpfr_ptr im);
void accuracy_complex_logistic (mpfr_ptr re, mpfr_ptr im);

void accuracy_complex_multiply (mpfr_ptr re, mpfr_ptr im, mpfr_srcptr by_re, mpfr_srcptr by_im);
void accuracy_complex_divide   (mpfr_ptr re, mpfr_ptr im, mpfr_srcptr by_re, mpfr_srcptr by_im);
void accuracy_complex_power    (mpfr_ptr re, mpfr_ptr im, mpfr_srcptr by_re, mpfr_srcptr by_im);
