/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ends number-real.h or number-complex.h, so that the other may follow.
 */

#undef NUMBER
#undef NAME
#undef CONJ
#undef REAL
#undef IMAG
#undef SIZE2
#undef IS_COMPLEX
