/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Roots and inverse hyperbolic functions of f32, computed in f64.
 */

#include "kernel/functions/wide.h"

#include <math.h>

guint
ghlo_expand_cbrt (Builder         *b,
                  GhloElementType  type,
                  const guint     *operands)
{
  guint x = operands[0], size = magnitude (b, x), logarithm = ghlo_expand_wide_log2 (b, widen (b, size));
  guint result = narrow (b, ghlo_expand_wide_exp2 (b, multiply_real (b, logarithm, 1.0 / 3)));
  guint is_ordinary = bit_and (b, greater (b, size, real (b, x, 0)), less (b, size, real (b, x, INFINITY)));

  return choose (b, is_ordinary, with_sign (b, result, x), x);
}

/* Effectively rounded once: f64 has more than twice the digits. */
guint
ghlo_expand_rsqrt (Builder         *b,
                   GhloElementType  type,
                   const guint     *operands)
{
  guint x = widen (b, operands[0]);

  return narrow (b, divide (b, real (b, x, 1), square_root (b, x)));
}

/* log (a + √(a² + 1)) as log (1 + (a + a² / (1 + √(a² + 1)))). */
guint
ghlo_expand_asinh (Builder         *b,
                   GhloElementType  type,
                   const guint     *operands)
{
  guint x = operands[0], size = magnitude (b, x), a = widen (b, size), square = multiply (b, a, a), root, t;
  guint result;

  root = square_root (b, add_real (b, square, 1));
  t = add (b, a, divide (b, square, add_real (b, root, 1)));
  result = with_sign (b, narrow (b, ghlo_expand_wide_log_plus_one (b, t)), x);

  return choose (b, less (b, size, real (b, x, INFINITY)), result, x);
}

/* log (1 + (t + √(t² + 2 t))), t = x - 1. */
guint
ghlo_expand_acosh (Builder         *b,
                   GhloElementType  type,
                   const guint     *operands)
{
  guint x = operands[0], t = add_real (b, widen (b, x), -1), root, result;

  root = square_root (b, multiply (b, t, add_real (b, t, 2)));
  result = narrow (b, ghlo_expand_wide_log_plus_one (b, add (b, t, root)));
  result = choose (b, less (b, x, real (b, x, INFINITY)), result, x);

  return choose (b, greater_equal (b, x, real (b, x, 1)), result, real (b, x, NAN));
}

/* log (1 + 2 a / (1 - a)) / 2. */
guint
ghlo_expand_atanh (Builder         *b,
                   GhloElementType  type,
                   const guint     *operands)
{
  guint x = operands[0], size = magnitude (b, x), one = real (b, x, 1), a = widen (b, size), result;

  a = divide (b, add (b, a, a), subtract (b, real (b, a, 1), a));
  result = narrow (b, multiply_real (b, ghlo_expand_wide_log_plus_one (b, a), 0.5));
  result = choose (b, less (b, size, one), result,
                   choose (b, equal (b, size, one), real (b, x, INFINITY), real (b, x, NAN)));

  return with_sign (b, result, x);
}
