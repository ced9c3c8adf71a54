/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The macros of the linear algebra templates for real numbers, for which
 * IS_COMPLEX is FALSE. Include number-none.h to undefine them.
 */

#define NUMBER long double
#define NAME(name) name##_real
#define CONJ(x) (x)
#define REAL(x) (x)
#define IMAG(x) 0
#define SIZE2(x) ((x) * (x))
