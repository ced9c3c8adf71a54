/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * e^-|x| I1 (x) for f32, computed in f64: x / (1 + x)^3/2, which behaves like the function near 0 and at infinity,
 * times a polynomial in (x - 8) / (x + 8). Coefficients are those of coefficients/bessel.sollya.
 */

#include "kernel/functions/vocabulary.h"

#include <math.h>

guint
ghlo_expand_bessel_i1e (Builder         *b,
                        GhloElementType  type,
                        const guint     *operands)
{
  static const double c[] = {
    0x1.cf98b16296c1p-2, -0x1.a1df57df349adp-4, 0x1.6b740c3808c11p-4, -0x1.1f8943c3075dbp-4, 0x1.66fd993058564p-5,
    -0x1.716f58987e073p-8, -0x1.7f3e95268cb23p-5, 0x1.ad9ffa5c58b0cp-4, -0x1.1970068235b19p-3, 0x1.95e3fcfd3c7c8p-4,
    0x1.d6ad11def88b1p-7, -0x1.be5b863ec5bb2p-4, 0x1.221b58c5cdd46p-4, 0x1.7584544866a0bp-5, -0x1.02db8cf4e9bc2p-4,
    -0x1.2a4a1b92e7d22p-6, 0x1.3a56c8b4a2482p-5, 0x1.07527ae048a66p-7, -0x1.f319f6810efa2p-7, -0x1.3415be9d7d906p-8,
    0x1.c3e02234795c6p-9, 0x1.11a9952137077p-9, -0x1.9469f38a1977p-13, -0x1.030e65c38550cp-11,
  };
  guint x = widen (b, magnitude (b, operands[0])), above = add_real (b, x, 1), result;

  result = ESTRIN (b, divide (b, add_real (b, x, -8), add_real (b, x, 8)), c);
  result = multiply (b, result, divide (b, x, multiply (b, above, square_root (b, above))));
  result = choose (b, equal (b, x, real (b, x, INFINITY)), real (b, x, 0), result);

  return with_sign (b, narrow (b, result), operands[0]);
}
