/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What templates of linear algebra write, of real numbers; number-none.h ends it.
 */

#define NUMBER long double
#define NAME(name) name##_real
#define CONJ(x) (x)
#define REAL(x) (x)
#define IMAG(x) 0
#define SIZE2(x) ((x) * (x))
#define IS_COMPLEX FALSE
