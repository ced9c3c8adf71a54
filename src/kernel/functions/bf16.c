/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of numbers of bf16 whose results are rounded to bf16. Of so few numbers there is one that is close to the
 * middle between two of bf16 and hence decides how exact a function has to be: these are to 16 to 19 digits.
 * test-kernel-roundings goes through all. Coefficients are those of coefficients/bf16.py.
 */

#include "kernel/functions/private.h"

#include <math.h>

/* x p (x²) / q (x²), and 1 from where it rounds to it. */
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

/* 1 / (1 + e), or e / (1 + e), where e = 2^n 2^f is of -|x|. Numerators are 2^64 times as much, since the second may be
 * subnormal. */
guint
ghlo_expand_logistic_bf16 (Builder         *b,
                           GhloElementType  type,
                           const guint     *operands)
{
  static const double p[] = { 0x1.00005ap0, 0x1.62e78ep-1, 0x1.ebedaap-3, 0x1.c507p-5, 0x1.36cc22p-7 };
  /* Adding it rounds to an integer and leaves that, with the exponent's bias and 64, in the last 9 bits. */
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
