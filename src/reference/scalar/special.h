/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Special functions that the C library does not have, or does not define as CHLO
 * does. They compute in long double; the caller rounds.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* log |Γ (x)|, infinite at the poles. */
long double ghlo_ref_lgamma     (long double x);
/* Γ' (x) / Γ (x); NaN at the poles 0, -1, -2 … */
long double ghlo_ref_digamma    (long double x);
/* The sum of (q + k)^-x over k = 0, 1 …, for x > 1 (infinite at x = 1, NaN
 * below), and for q <= 0 with an integer x. */
long double ghlo_ref_zeta       (long double x,
                                 long double q);
/* The derivative of order n of digamma; NaN unless n is a natural number. */
long double ghlo_ref_polygamma  (long double n,
                                 long double x);
/* The y with erf (y) = x; NaN outside [-1, 1]. */
long double ghlo_ref_erf_inv    (long double x);
/* exp (-|x|) I_1 (x). */
long double ghlo_ref_bessel_i1e (long double x);

G_END_DECLS
