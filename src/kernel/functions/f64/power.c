/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Powers and roots of f64. The logarithm for powers has about 64 bits, since up to 11 of them are before the point.
 * Coefficients are those of coefficients/power-f64.sollya.
 */

#include "kernel/functions/f64/double.h"

#include <math.h>

/* |x|^y for ordinary |x|. */
static guint
power_of_size (Builder *b,
               guint    x,
               guint    y)
{
  Pair logarithm = ghlo_expand_double_log_precise (b, x), product;
  guint is_far;
  Exponential e;

  /* Any result beyond is infinite or 0. */
  y = clamped (b, y, -0x1p100, 0x1p100);
  product = exact_product (b, logarithm.high, y);
  product.low = multiply_add (b, logarithm.low, y, product.low);
  is_far = is_above (b, magnitude (b, product.high), 760);
  product.high = clamped (b, product.high, -760, 760);
  product.low = choose (b, is_far, real (b, x, 0), product.low);
  e = ghlo_expand_double_exponential (b, product);

  return ghlo_expand_double_scaled (b, add_real (b, add (b, e.p.high, e.p.low), 1), e.n);
}

guint
ghlo_expand_power_f64 (Builder         *b,
                       GhloElementType  type,
                       const guint     *operands)
{
  guint x = operands[0], y = operands[1], zero = real (b, x, 0), infinity = real (b, x, INFINITY);
  guint size = magnitude (b, x), whole_y = is_whole (b, y), sign = sign_of (b, x), is_zero = is_real (b, size, 0);
  guint is_odd, is_extreme, is_invalid, result;

  result = power_of_size (b, size, y);
  is_extreme = bit_or (b, is_zero, equal (b, size, infinity));
  result = choose (b, is_extreme, choose (b, bit_xor (b, is_zero, is_below (b, y, 0)), zero, infinity), result);
  is_odd = bit_and (b, whole_y, bit_not (b, is_whole (b, multiply_real (b, y, 0.5))));
  result = float_of (b, bit_or (b, bits_of (b, result), choose (b, is_odd, sign, whole (b, sign, 0))));
  is_invalid = bit_and (b, bit_and (b, is_below (b, x, 0), less (b, size, infinity)), bit_not (b, whole_y));
  is_invalid = bit_or (b, is_invalid, bit_or (b, unequal (b, x, x), unequal (b, y, y)));
  result = choose (b, is_invalid, real (b, x, NAN), result);
  result = choose (b, bit_or (b, is_real (b, x, 1), is_real (b, y, 0)), real (b, x, 1), result);

  return choose (b, is_real (b, y, 3), ghlo_expand_cube (b, type, &x), result);
}

/* The exponent is 3 q + {-1, 0, 1}. One step of Halley's iteration leaves an error of a few ULP; then follows one step
 * of Newton's with an exact cube. */
guint
ghlo_expand_cbrt_f64 (Builder         *b,
                      GhloElementType  type,
                      const guint     *operands)
{
  static const double c[] = {
    0x1.afd0544e74c06p-2, 0x1.0e55d68cf383ap0, -0x1.ac0c7df398a9cp-1, 0x1.05985c24f88d1p-1, -0x1.6fb1820177025p-3,
    0x1.b9913deb751fap-6,
  };
  const double root_2 = 0x1.428a2f98d728bp0, root_half = 0x1.965fea53d6e3dp-1;
  guint x = operands[0], size = magnitude (b, x), one = real (b, x, 1), third, rest, v, y, cube, is_ordinary;
  Split split = ghlo_expand_double_split (b, size);
  Pair square;

  third = add_real (b, add_real (b, multiply_real (b, split.exponent, 1.0 / 3), 0x1.8p52), -0x1.8p52);
  rest = subtract (b, split.exponent, multiply_real (b, third, 3));
  v = multiply (b, split.mantissa, choose (b, is_above (b, rest, 0), real (b, x, 2),
                                           choose (b, is_below (b, rest, 0), real (b, x, 0.5), one)));
  y = multiply (b, HORNER (b, split.mantissa, c),
                choose (b, is_above (b, rest, 0), real (b, x, root_2),
                        choose (b, is_below (b, rest, 0), real (b, x, root_half), one)));
  cube = multiply (b, multiply (b, y, y), y);
  y = multiply (b, y, divide (b, multiply_add (b, v, real (b, x, 2), cube), add (b, add (b, cube, cube), v)));
  square = exact_product (b, y, y);
  rest = multiply_add (b, square.low, y, multiply_add (b, square.high, y, negate (b, v)));
  y = subtract (b, y, divide (b, rest, multiply_real (b, square.high, 3)));
  y = multiply (b, y, ghlo_expand_double_scale (b, third));
  is_ordinary = bit_and (b, is_above (b, size, 0), is_below (b, size, INFINITY));

  return choose (b, is_ordinary, with_sign (b, y, x), x);
}

/* Rounded twice. */
guint
ghlo_expand_rsqrt_f64 (Builder         *b,
                       GhloElementType  type,
                       const guint     *operands)
{
  return divide (b, real (b, operands[0], 1), square_root (b, operands[0]));
}
