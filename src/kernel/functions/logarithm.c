/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Logarithms in f32: x = 2^e (1 + f) with 1 + f within [√½, √2), and log (1 + f) = f - f² / 2 + f³ p (f).
 * Coefficients are those of coefficients/logarithm.sollya.
 */

#include "kernel/functions/vocabulary.h"

#include <math.h>

#define F32  GHLO_ELEMENT_TYPE_F32
#define I32  GHLO_ELEMENT_TYPE_I32
#define UI32 GHLO_ELEMENT_TYPE_UI32

#define HALF_ROOT 0x3f3504f3
#define ONE       0x3f800000

static guint
logarithm (Builder *b,
           guint    e,
           guint    f)
{
  static const double c[] = {
    0x1.555554p-2, -0x1.fffff8p-3, 0x1.999d44p-3, -0x1.555c8cp-3, 0x1.23d54ep-3, -0x1.fcbfeap-4, 0x1.de32ecp-4,
    -0x1.d778e8p-4, 0x1.20456cp-4,
  };
  const double upper = 0x1.62e4p-1, lower = M_LN2 - upper;
  guint z = multiply (b, f, f), rest;

  rest = multiply (b, multiply (b, f, z), ESTRIN (b, f, c));
  rest = multiply_add (b, z, real (b, f, -0.5), rest);
  rest = multiply_add (b, e, real (b, f, lower), rest);

  return multiply_add (b, e, real (b, f, upper), add (b, f, rest));
}

/* Splits a normal number into e and 1 + f. */
static void
split (Builder *b,
       guint    x,
       guint   *e,
       guint   *mantissa)
{
  guint bits = bits_as (b, I32, x), shifted = subtract (b, bits, whole (b, bits, HALF_ROOT));

  *e = right_by (b, shifted, 23);
  *mantissa = bits_as (b, F32, add (b, and_bits (b, shifted, 0x7fffff), whole (b, bits, HALF_ROOT)));
}

/* @result where @x is above @pole; otherwise the values at the pole, below it, at infinity, and for NaN. */
static guint
with_special (Builder *b,
              guint    x,
              guint    pole,
              guint    result)
{
  guint infinity = real (b, x, INFINITY);
  guint other = choose (b, equal (b, x, pole), real (b, x, -INFINITY), real (b, x, NAN));

  return choose (b, greater (b, x, pole), choose (b, less (b, x, infinity), result, x), other);
}

guint
ghlo_expand_log (Builder         *b,
                 GhloElementType  type,
                 const guint     *operands)
{
  guint x = operands[0], is_low = less (b, x, real (b, x, 0x1p-126)), zero = real (b, x, 0), e, mantissa;

  split (b, choose (b, is_low, multiply_real (b, x, 0x1p23), x), &e, &mantissa);
  e = subtract (b, convert (b, F32, e), choose (b, is_low, real (b, x, 23), zero));

  return with_special (b, x, zero, logarithm (b, e, add_real (b, mantissa, -1)));
}

/* f is 2^-e (1 + x) - 1, rounded once. x is scaled by a quarter, because 2^-e would not be a normal f32 for the
 * greatest e. */
guint
ghlo_expand_log_plus_one (Builder         *b,
                          GhloElementType  type,
                          const guint     *operands)
{
  guint x = operands[0], e, mantissa, scale, f, result;

  split (b, add_real (b, x, 1), &e, &mantissa);
  scale = bits_as (b, F32, subtract (b, whole (b, e, ONE + (2 << 23)), left_by (b, e, 23)));
  f = multiply_add (b, multiply_real (b, x, 0.25), scale, multiply_add_real (b, scale, real (b, x, 0.25), -1));
  f = choose (b, equal (b, e, whole (b, e, 0)), x, f);
  result = with_special (b, x, real (b, x, -1), logarithm (b, convert (b, F32, e), f));

  return with_sign (b, result, x);
}
