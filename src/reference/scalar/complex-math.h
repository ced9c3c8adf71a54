/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of complex numbers in long double, which has the range for squares of
 * doubles and the precision to absorb cancellation. The caller rounds each part
 * once. Branch cuts, signed zeros and special values follow Annex G of the C
 * standard, except where docs/guides/complex-numbers.md says otherwise.
 */

#pragma once

#include <complex.h>

/* glibc defines it for GCC only; clang has the same builtin. */
#ifndef CMPLXL
#define CMPLXL(re, im) __builtin_complex ((long double) (re), (long double) (im))
#endif

#include <glib.h>

G_BEGIN_DECLS

typedef long double _Complex GhloRefComplex;

GhloRefComplex ghlo_ref_complex_multiply (GhloRefComplex x, GhloRefComplex y);
GhloRefComplex ghlo_ref_complex_divide   (GhloRefComplex x, GhloRefComplex y);
long double    ghlo_ref_complex_abs      (GhloRefComplex z);
GhloRefComplex ghlo_ref_complex_sign     (GhloRefComplex z);
GhloRefComplex ghlo_ref_complex_square   (GhloRefComplex z);
GhloRefComplex ghlo_ref_complex_sqrt     (GhloRefComplex z);
GhloRefComplex ghlo_ref_complex_rsqrt    (GhloRefComplex z);
GhloRefComplex ghlo_ref_complex_cbrt     (GhloRefComplex z);
GhloRefComplex ghlo_ref_complex_exp      (GhloRefComplex z);
GhloRefComplex ghlo_ref_complex_expm1    (GhloRefComplex z);
GhloRefComplex ghlo_ref_complex_log      (GhloRefComplex z);
GhloRefComplex ghlo_ref_complex_log1p    (GhloRefComplex z);
GhloRefComplex ghlo_ref_complex_logistic (GhloRefComplex z);
GhloRefComplex ghlo_ref_complex_tan      (GhloRefComplex z);
GhloRefComplex ghlo_ref_complex_tanh     (GhloRefComplex z);
GhloRefComplex ghlo_ref_complex_power    (GhloRefComplex x, GhloRefComplex y);
GhloRefComplex ghlo_ref_complex_atan2    (GhloRefComplex y, GhloRefComplex x);
/* sqrt (a^2 - x^2) + i log (a + sqrt (a^2 - 1)) with a = (|z + 1| + |z - 1|) / 2. */
GhloRefComplex ghlo_ref_complex_asin_acos_kernel (GhloRefComplex z);

G_END_DECLS
