/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The exponential and what is made of it, in f32. Coefficients are those of
 * coefficients/exponential.sollya.
 */

#include "kernel/expand-private.h"

#define F32 GHLO_ELEMENT_TYPE_F32
#define I32 GHLO_ELEMENT_TYPE_I32

/* 2^n for the integer n within [-126, 127]. */
static guint
power_of_two (Builder *b,
              guint    n)
{
  return bits_as (b, F32, left_by (b, add (b, n, whole (b, n, 127)), 23));
}

/* Adding 1.5 × 2^23 rounds to an integer and leaves it in the low bits. */
static const double magic = 0x1.8p23;

/* e^x = 2^n e^r, n = round (x / ln 2), |r| <= ln 2 / 2. ln 2 is split so that n × its upper part is exact;
 * e^r = 1 + r + r² q (r). 2^n in two factors reaches infinity and the subnormals. NaN goes through:
 * no comparison is true of it. */
static guint
exponential_f32 (Builder *b,
                 guint    x)
{
  static const double q[] = { 0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558f2p-5, 0x1.123a20p-7, 0x1.6a23cep-10 };
  guint scaled, n, r, p, half;

  x = clamped (b, x, -104, 89);
  scaled = multiply_add_real (b, x, real (b, x, 0x1.715476p0), magic);
  n = subtract (b, bits_as (b, I32, scaled), bits_as (b, I32, real (b, x, magic)));
  scaled = add_real (b, scaled, -magic);
  r = multiply_add (b, scaled, real (b, x, -0x1.63p-1), x);
  r = multiply_add (b, scaled, real (b, x, 0x1.bd0106p-13), r);
  p = multiply_add (b, HORNER (b, r, q), multiply (b, r, r), r);
  p = add_real (b, p, 1);
  half = right_by (b, n, 1);

  return multiply (b, multiply (b, p, power_of_two (b, half)), power_of_two (b, subtract (b, n, half)));
}

guint
ghlo_expand_exponential (Builder         *b,
                         GhloElementType  type,
                         const guint     *operands)
{
  return exponential_f32 (b, operands[0]);
}
