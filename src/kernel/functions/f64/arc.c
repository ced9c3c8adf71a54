/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Inverse circular functions of f64. An angle is the sum of a multiple of π / 4, as a pair, and of the function of
 * a number near 0, which is a pair where it is a quotient or a root. Coefficients are those of
 * coefficients/circular-f64.sollya.
 */

#include "kernel/functions/f64/double.h"

#include <math.h>

#define HALF_PI      0x1.921fb54442d18p0
#define HALF_PI_REST 0x1.1a62633145c07p-54

static Pair
negative (Builder *b,
          Pair     x)
{
  return (Pair) { negate (b, x.high), negate (b, x.low) };
}

/* n × π / 2 + x, where |x| is not larger than the first term. */
static Pair
turned (Builder *b,
        double   n,
        Pair     x)
{
  Pair sum = fast_sum (b, real (b, x.high, n * HALF_PI), x.high);

  return (Pair) { sum.high, add (b, sum.low, add_real (b, x.low, n * HALF_PI_REST)) };
}

/* atan (above / below), for both at least 0 and finite, and not both 0. */
static Pair
arctangent (Builder *b,
            guint    above,
            guint    below)
{
  static const double c[] = {
    -0x1.5555555555555p-2, 0x1.9999999999806p-3, -0x1.2492492480968p-3, 0x1.c71c71bb91b9cp-4,
    -0x1.745d1528f9f2bp-4, 0x1.3b1373d93a803p-4, -0x1.110c7f46ba30cp-4, 0x1.e16c2280e3ea8p-5,
    -0x1.ab1b698910a68p-5, 0x1.6ddef4fb6008ap-5, -0x1.046cd3c8e2b6p-5, 0x1.6a90bc0fab78dp-7,
    0x1.19900da7eef0ap-8,
  };
  guint is_steep = greater (b, above, below), least = choose (b, is_steep, below, above), zero = real (b, above, 0);
  guint most = choose (b, is_steep, above, below), is_large, z;
  Pair t, result;

  /* Beyond tan (π / 8), expand around π / 4. */
  is_large = greater (b, least, multiply_real (b, most, 0x1.a827999fcef32p-2));
  t = pair_quotient (b, choose_pair (b, is_large, exact_sum (b, least, negate (b, most)), (Pair) { least, zero }),
                     choose_pair (b, is_large, exact_sum (b, least, most), (Pair) { most, zero }));
  z = multiply (b, t.high, t.high);
  /* Approximately t.low / (1 + t²). */
  t.low = multiply_add (b, negate (b, z), t.low, t.low);
  t.low = multiply_add (b, multiply (b, t.high, z), ESTRIN (b, z, c), t.low);
  result = fast_sum (b, t.high, t.low);
  result = choose_pair (b, is_large, turned (b, 0.5, result), result);

  return choose_pair (b, is_steep, turned (b, 1, negative (b, result)), result);
}

guint
ghlo_expand_atan_f64 (Builder         *b,
                      GhloElementType  type,
                      const guint     *operands)
{
  guint x = operands[0];
  /* Beyond 2^200 the result is π / 2; infinity / infinity is avoided. */
  Pair result = arctangent (b, at_most (b, magnitude (b, x), 0x1p200), real (b, x, 1));

  return with_sign (b, add (b, result.high, result.low), x);
}

/* Replaces two magnitudes by numbers with the same quotient that are in a safe range, and not both 0. */
static void
make_ordinary (Builder *b,
               guint   *above,
               guint   *below)
{
  guint most = choose (b, greater (b, *above, *below), *above, *below), zero = real (b, most, 0), scale;
  guint one = real (b, most, 1), infinity = real (b, most, INFINITY), is_infinite = equal (b, most, infinity);

  /* Of infinities, only which of the two is infinite matters. */
  *above = choose (b, is_infinite, choose (b, equal (b, *above, infinity), one, zero), *above);
  *below = choose (b, is_infinite, choose (b, equal (b, *below, infinity), one, zero), *below);
  *below = choose (b, is_real (b, most, 0), one, *below);
  /* Scales away from the range where the errors of products are not normal numbers, and from that where sums
   * overflow. */
  scale = choose (b, is_below (b, most, 0x1p-500), real (b, most, 0x1p600), one);
  scale = choose (b, is_above (b, most, 0x1p1000), real (b, most, 0x1p-50), scale);
  scale = choose (b, is_infinite, one, scale);
  *above = multiply (b, *above, scale);
  *below = multiply (b, *below, scale);
}

guint
ghlo_expand_atan2_f64 (Builder         *b,
                       GhloElementType  type,
                       const guint     *operands)
{
  guint y = operands[0], x = operands[1], above = magnitude (b, y), below = magnitude (b, x), sign = sign_of (b, x);
  guint is_none = bit_or (b, unequal (b, x, x), unequal (b, y, y));
  Pair result;

  make_ordinary (b, &above, &below);
  result = arctangent (b, above, below);
  result = choose_pair (b, unequal (b, sign, whole (b, sign, 0)), turned (b, 2, negative (b, result)), result);

  return choose (b, is_none, real (b, x, NAN), with_sign (b, add (b, result.high, result.low), y));
}

/* The asin of a number of at most ½: the operand, or √((1 - |x|) / 2), from which asin and acos are computed. */
typedef struct
{
  guint x, is_large;
  Pair  angle;
} Arc;

static Arc
arc (Builder *b,
     guint    x)
{
  static const double c[] = {
    0x1.5555555555556p-3, 0x1.3333333332dcdp-4, 0x1.6db6db6e4397cp-5, 0x1.f1c71c14da09dp-6, 0x1.6e8bb2fe23252p-6,
    0x1.1c4d1bf9d30cbp-6, 0x1.c9d1cecf23bfep-7, 0x1.780cd7fabf7d3p-7, 0x1.52df0d21f450ep-7, 0x1.60a47da69b81ap-8,
    0x1.205df5c9f231ap-6, -0x1.f07d84c540011p-7, 0x1.da673019a5363p-6,
  };
  guint size = magnitude (b, x), is_large = is_above (b, size, 0.5), zero = real (b, x, 0), rest, z;
  Pair t, root;

  rest = multiply_add_real (b, size, real (b, x, -0.5), 0.5);
  root = pair_root (b, (Pair) { rest, zero });
  root.low = choose (b, is_real (b, rest, 0), zero, root.low);
  z = choose (b, is_large, rest, multiply (b, x, x));
  t = choose_pair (b, is_large, root, (Pair) { size, zero });
  t.low = multiply_add (b, multiply (b, t.high, z), ESTRIN (b, z, c), t.low);

  return (Arc) { x, is_large, fast_sum (b, t.high, t.low) };
}

static Pair
twice (Builder *b,
       Pair     x)
{
  return (Pair) { add (b, x.high, x.high), add (b, x.low, x.low) };
}

guint
ghlo_expand_asin_f64 (Builder         *b,
                      GhloElementType  type,
                      const guint     *operands)
{
  Arc part = arc (b, operands[0]);
  Pair result = choose_pair (b, part.is_large, turned (b, 1, negative (b, twice (b, part.angle))), part.angle);

  return with_sign (b, add (b, result.high, result.low), operands[0]);
}

guint
ghlo_expand_acos_f64 (Builder         *b,
                      GhloElementType  type,
                      const guint     *operands)
{
  Arc part = arc (b, operands[0]);
  guint is_negative = is_below (b, part.x, 0);
  Pair two = twice (b, part.angle), large, small, result;

  large = choose_pair (b, is_negative, turned (b, 2, negative (b, two)), two);
  small = turned (b, 1, choose_pair (b, is_negative, part.angle, negative (b, part.angle)));
  result = choose_pair (b, part.is_large, large, small);

  return add (b, result.high, result.low);
}
