/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of bf16 numbers whose results are rounded to bf16. There are so few such numbers that the one whose
 * result is closest to the midpoint between two bf16 numbers determines the required accuracy: 16 to 19 bits for
 * these functions. test-kernel-roundings tests all numbers. Coefficients are those of coefficients/bf16.py.
 */

#include "kernel/functions/vocabulary.h"

#include <math.h>

/* x p (x²) / q (x²); 1 from where the result rounds to 1. */
guint
ghlo_expand_tanh_bf16 (Builder         *b,
                       GhloElementType  type,
                       const guint     *operands)
{
  static const double p[] = { 0x1.fffe5ap-1, 0x1.b292acp-4, 0x1.a2bb9cp-11 };
  static const double q[] = { 0x1p0, 0x1.c1eae8p-2, 0x1.cadefp-7 };
  guint limit = real (b, operands[0], 3.5), size = magnitude (b, operands[0]), z;

  size = choose (b, greater (b, size, limit), limit, size);
  z = multiply (b, size, size);
  size = divide_nearly (b, multiply (b, size, HORNER (b, z, p)), HORNER (b, z, q));

  return with_sign (b, size, operands[0]);
}

/* 1 / (1 + e), or e / (1 + e) for negative x, where e = e^-|x| = 2^n 2^f. Numerators are scaled by 2^64, since the
 * second one may be subnormal. */
guint
ghlo_expand_logistic_bf16 (Builder         *b,
                           GhloElementType  type,
                           const guint     *operands)
{
  static const double p[] = { 0x1.00005ap0, 0x1.62e78ep-1, 0x1.ebedaap-3, 0x1.c507p-5, 0x1.36cc22p-7 };
  /* Adding it rounds to an integer and leaves that, plus the exponent's bias and 64, in the low 9 bits. */
  const double magic = 0x1.8p23 + 127 + 64, limit = 104;
  guint x = operands[0], most = real (b, x, limit), size = magnitude (b, x), log2_e = real (b, x, -M_LOG2E);
  guint shifted, e, numerator;

  size = choose (b, greater (b, size, most), most, size);
  shifted = multiply_add_real (b, size, log2_e, magic);
  e = multiply_add (b, size, log2_e, subtract (b, real (b, x, magic), shifted));
  e = multiply (b, HORNER (b, e, p), float_of (b, left_by (b, bits_of (b, shifted), 23)));
  numerator = choose (b, less (b, x, real (b, x, 0)), e, real (b, x, 0x1p64));

  return multiply_real (b, divide_nearly (b, numerator, multiply_add_real (b, e, real (b, x, 0x1p-64), 1)), 0x1p-64);
}
