/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Undefines the macros of number-real.h or number-complex.h, so that the other one
 * can be included.
 */

#undef NUMBER
#undef NAME
#undef CONJ
#undef REAL
#undef IMAG
#undef SIZE2
#undef IS_COMPLEX
