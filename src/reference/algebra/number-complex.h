/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What templates of linear algebra write, of complex numbers; number-none.h ends it.
 */

#define NUMBER _Complex long double
#define NAME(name) name##_complex
#define CONJ(x) conjl (x)
#define REAL(x) creall (x)
#define IMAG(x) cimagl (x)
#define SIZE2(x) ghlo_ref_squared_size (x)
#define IS_COMPLEX TRUE
