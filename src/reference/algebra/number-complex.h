/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The macros of the linear algebra templates for complex numbers, for which
 * IS_COMPLEX is TRUE. Include number-none.h to undefine them.
 */

#define NUMBER _Complex long double
#define NAME(name) name##_complex
#define CONJ(x) conjl (x)
#define REAL(x) creall (x)
#define IMAG(x) cimagl (x)
#define SIZE2(x) ghlo_ref_squared_size (x)
