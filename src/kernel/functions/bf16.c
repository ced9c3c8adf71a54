/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of numbers of bf16 whose results are rounded to bf16. Of so few numbers there is one that is close to the
 * middle between two of bf16 and hence decides how exact a function has to be: of tanh to 17 digits.
 * test-kernel-roundings goes through all. Coefficients are those of coefficients/bf16.py.
 */

#include "kernel/functions/private.h"

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
  size = divide_roughly (b, multiply (b, size, HORNER (b, z, p)), HORNER (b, z, q));

  return with_sign (b, size, operands[0]);
}
