/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The true values for test-accuracy: functions that MPFR lacks, by formulas chosen for plainness rather than speed, in
 * far more digits than are compared.
 */

#pragma once

#include <glib.h>
#include <mpfr.h>

/* Enough for parts whose magnitudes differ by a factor of 2^800, and for their squares. */
enum { ACCURACY_COMPLEX_PRECISION = 2048 };

typedef int  (*AccuracyFunction)  (mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t round);
typedef int  (*AccuracyFunction2) (mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t round);
/* Replaces both parts by those of the function's value. */
typedef void (*AccuracyComplex)   (mpfr_ptr re, mpfr_ptr im);
/* Replaces the first number by the function's value for both. */
typedef void (*AccuracyComplex2)  (mpfr_ptr re, mpfr_ptr im, mpfr_srcptr by_re, mpfr_srcptr by_im);

int  accuracy_logistic   (mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t round);
int  accuracy_erf_inv    (mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t round);
int  accuracy_lgamma     (mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t round);
int  accuracy_digamma    (mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t round);
int  accuracy_bessel_i1e (mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t round);
/* q > 0 and 1 < x ≤ 100. */
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
