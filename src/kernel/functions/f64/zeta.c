/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Σ (q + k)^-s by the Euler–Maclaurin formula: the first terms are added individually; the remaining ones are
 * replaced by their integral, half of the first of them, and corrections. Everything is relative to the term of the
 * number nearest to 0, so that only this term needs a precise exponential; errors of terms far below 1 do not
 * matter. Left of 0, where s is an integer, the terms on either side of the number nearest to 0 form two such sums,
 * one of which ends at q. Coefficients are those of coefficients/zeta.py.
 */

#include "kernel/functions/f64/zeta.h"

#include "kernel/functions/wide.h"

#include <math.h>

/* A sum of powers (size + …)^-s in units of size^-s, or of size^(1 - s) if that is smaller. */
typedef struct
{
  const ZetaMethod *method;
  guint             s, less_one;        /* s - 1 */
  guint             size, inverse;      /* the magnitude of the number nearest to 0, and 1 / size */
  guint             unit, size_units;   /* the term of size in these units, and the same times size */
  guint             integral;           /* 1 / (s - 1) */
} Sum;

/* (1 + v)^-s for v >= 0. */
static guint
power_of (Builder *b,
          guint    v,
          guint    s)
{
  /* Smaller powers are negligible next to 1. */
  const double least = -200;
  guint exponent = negate (b, multiply (b, s, ghlo_expand_wide_log_plus_one_precise (b, v)));
  Exponential e;

  exponent = choose (b, is_below (b, exponent, least), real (b, v, least), exponent);
  e = ghlo_expand_double_exponential (b, (Pair) { exponent, real (b, v, 0) });

  return multiply (b, add_real (b, add (b, e.p.high, e.p.low), 1), ghlo_expand_double_scale (b, e.n));
}

/* The sum of all terms from the one at @place on, which is at a distance of @beyond from size. 0 where terms decrease
 * quickly. */
static guint
sum_from (Builder   *b,
          const Sum *self,
          guint      place,
          guint      beyond)
{
  static const double c[] = {
    0x1.5555555555555p-4, -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15, -0x1.bbd779334ef0bp-21,
    0x1.66a8f2bf70ebep-26, -0x1.22805d644267fp-31, 0x1.d6db2c4e09162p-37, -0x1.7da4e1f79955cp-42,
    0x1.355871d652e9ep-47, -0x1.f57d968caacf1p-53, 0x1.967e1f09c376fp-58, -0x1.497d9033a2b5cp-63,
    0x1.0b132d7c6ad06p-68,
  };
  const double fast = 6;
  guint inverse = divide (b, real (b, place, 1), place), ratio = multiply (b, self->s, inverse), sum;

  sum = real (b, place, c[self->method->n_corrections - 1]);
  for (guint k = self->method->n_corrections - 1; k > 0; k--)
    {
      guint first = multiply_add (b, inverse, real (b, place, 2 * k - 1), ratio);
      guint second = multiply_add (b, inverse, real (b, place, 2 * k), ratio);

      sum = multiply_add_real (b, sum, multiply (b, first, second), c[k - 1]);
    }
  sum = multiply_add (b, inverse, multiply_add_real (b, ratio, sum, 0.5), self->integral);
  sum = multiply (b, multiply (b, self->size_units, sum),
                  power_of (b, multiply (b, beyond, self->inverse), self->less_one));

  return choose (b, is_above (b, ratio, fast), real (b, place, 0), sum);
}

/* The positions of the terms for a place left of 0. */
typedef struct
{
  guint size;           /* magnitude of the number nearest to 0; @q itself if that is positive */
  guint above, below;   /* numbers after it, and magnitudes of those before it, are k + size minus above or below */
  guint count;          /* count of the numbers before it */
  guint is_left;        /* the nearest number is negative */
} Place;

static Place
find_place (Builder *b,
            guint    q)
{
  guint nearest = rounded (b, q), distance = subtract (b, q, nearest), zero = real (b, q, 0);
  guint is_positive = is_above (b, q, 0), twice;
  Place place = { .is_left = bit_and (b, bit_not (b, is_positive), is_below (b, distance, 0)) };

  place.size = choose (b, is_positive, q, magnitude (b, distance));
  place.count = choose (b, is_positive, zero, negate (b, nearest));
  twice = add (b, place.size, place.size);
  place.above = choose (b, place.is_left, twice, zero);
  place.below = choose (b, place.is_left, zero, twice);

  return place;
}

/* The sum in its units, for numbers @q that are not poles. */
static guint
sum_terms (Builder     *b,
           const Sum   *self,
           const Place *place,
           guint        q,
           guint        is_even)
{
  const guint n = self->method->n_terms;
  guint zero = real (b, q, 0), one = real (b, q, 1), sign = choose (b, is_even, one, real (b, q, -1));
  guint sum = choose (b, place->is_left, sign, one), term = zero, count = real (b, q, n), beyond, rest, result;

  for (guint k = 1; k < n; k++)
    {
      guint number = real (b, q, k);

      beyond = multiply (b, subtract (b, number, place->above), self->inverse);
      sum = add (b, sum, add (b, power_of (b, beyond, self->s), term));
      beyond = multiply (b, subtract (b, number, place->below), self->inverse);
      term = multiply (b, sign, power_of (b, beyond, self->s));
      term = choose (b, greater_equal (b, place->count, number), term, zero);
    }
  beyond = subtract (b, count, place->above);
  result = multiply_add (b, add (b, sum, term), self->unit,
                         sum_from (b, self, add (b, beyond, place->size), beyond));

  beyond = subtract (b, count, place->below);
  rest = sum_from (b, self, add (b, beyond, place->size), beyond);
  beyond = subtract (b, one, q);
  rest = subtract (b, rest, sum_from (b, self, beyond, subtract (b, beyond, place->size)));

  return add (b, result, choose (b, greater_equal (b, place->count, count), multiply (b, sign, rest), zero));
}

/* @q, or 1 - q for odd s and q a negative half-integer: there the terms up to 1 - q cancel in pairs. */
static guint
without_opposites (Builder *b,
                   guint    q,
                   guint    is_even)
{
  guint is_half = is_real (b, magnitude (b, subtract (b, q, rounded (b, q))), 0.5);

  is_half = bit_and (b, bit_and (b, is_half, is_below (b, q, 0)), bit_not (b, is_even));

  return choose (b, is_half, subtract (b, real (b, q, 1), q), q);
}

/* e^factor times the sum, for s > 1, which is an integer where q < 0; arbitrary at poles. */
static guint
sum_of (Builder          *b,
        const ZetaMethod *method,
        guint             s,
        guint             q,
        guint             is_even,
        Pair              factor)
{
  /* Limits the power so that products with it are finite; beyond, the result is infinite or 0 anyway. */
  const double largest = 0x1p500;
  guint start = without_opposites (b, q, is_even);
  Place place = find_place (b, start);
  guint is_large = is_above (b, place.size, 1), one = real (b, s, 1), less_one = add_real (b, s, -1);
  guint sum, power, is_far;
  Sum self = { .method = method, .s = s, .less_one = less_one, .size = place.size };
  Pair logarithm = ghlo_expand_double_log_precise (b, place.size), product, exponent;
  Exponential e;

  self.inverse = at_most (b, divide (b, one, place.size), 0x1p1000);
  self.unit = choose (b, is_large, self.inverse, one);
  self.size_units = choose (b, is_large, one, place.size);
  self.integral = divide (b, one, less_one);
  sum = sum_terms (b, &self, &place, start, is_even);

  power = negate (b, at_most (b, choose (b, is_large, less_one, s), largest));
  product = exact_product (b, logarithm.high, power);
  product.low = multiply_add (b, logarithm.low, power, product.low);
  exponent = exact_sum (b, factor.high, product.high);
  exponent.low = add (b, exponent.low, add (b, factor.low, product.low));
  /* Beyond these limits the result is 0, or infinite even where the sum is small. */
  is_far = is_above (b, magnitude (b, exponent.high), 760);
  exponent.high = clamped (b, exponent.high, -760, 1415);
  exponent.low = choose (b, is_far, real (b, s, 0), exponent.low);
  e = ghlo_expand_double_exponential (b, exponent);
  sum = multiply (b, multiply_real (b, sum, 0.25), add_real (b, add (b, e.p.high, e.p.low), 1));
  sum = ghlo_expand_double_scaled (b, sum, add_real (b, e.n, 2));

  return choose (b, is_real (b, q, INFINITY), real (b, q, 0), sum);
}

/* @value, replaced at poles. */
static guint
with_poles (Builder *b,
            guint    value,
            guint    q,
            guint    is_even)
{
  guint is_pole = bit_and (b, less_equal (b, q, real (b, q, 0)), is_whole (b, q));

  return choose (b, is_pole, choose (b, is_even, real (b, q, INFINITY), real (b, q, NAN)), value);
}

guint
ghlo_expand_wide_zeta (Builder          *b,
                       const ZetaMethod *method,
                       guint             s,
                       guint             q)
{
  guint zero = real (b, s, 0), nan = real (b, s, NAN), is_even, is_valid, result;

  is_valid = bit_and (b, is_whole (b, s), is_below (b, magnitude (b, s), INFINITY));
  is_even = bit_and (b, is_valid, is_whole (b, multiply_real (b, s, 0.5)));
  is_valid = bit_and (b, bit_or (b, is_valid, is_above (b, q, 0)), is_above (b, s, 1));
  result = choose (b, is_valid, sum_of (b, method, s, q, is_even, (Pair) { zero, zero }), nan);
  result = with_poles (b, result, q, is_even);
  result = choose (b, bit_or (b, unequal (b, s, s), unequal (b, q, q)), nan, result);

  return choose (b, is_real (b, s, 1), real (b, s, INFINITY), result);
}

/* ± n! ζ (n + 1, x). */
guint
ghlo_expand_wide_polygamma (Builder          *b,
                            const ZetaMethod *method,
                            guint             n,
                            guint             x)
{
  guint zero = real (b, n, 0), s = add_real (b, n, 1), is_odd, is_valid, is_small, limited, result;
  Pair factorial;

  is_odd = bit_and (b, is_whole (b, n), bit_not (b, is_whole (b, multiply_real (b, n, 0.5))));
  is_small = is_below (b, n, 2);
  limited = at_most (b, s, 0x1p500);
  factorial = ghlo_expand_double_lgamma_beyond (b, limited, ghlo_expand_double_log_precise (b, limited));
  factorial = choose_pair (b, is_small, (Pair) { zero, zero }, factorial);
  result = with_poles (b, sum_of (b, method, s, x, is_odd, factorial), x, is_odd);
  result = choose (b, is_odd, result, negate (b, result));
  is_valid = bit_and (b, bit_and (b, greater_equal (b, n, zero), is_below (b, n, INFINITY)), is_whole (b, n));

  return choose (b, bit_and (b, is_valid, equal (b, x, x)), result, real (b, n, NAN));
}

static const ZetaMethod precise = { 7, 13 };

guint
ghlo_expand_zeta_f64 (Builder         *b,
                      GhloElementType  type,
                      const guint     *operands)
{
  return ghlo_expand_wide_zeta (b, &precise, operands[0], operands[1]);
}

guint
ghlo_expand_polygamma_f64 (Builder         *b,
                           GhloElementType  type,
                           const guint     *operands)
{
  guint n = operands[0], digamma = ghlo_expand_digamma_f64 (b, type, &operands[1]);

  return choose (b, is_real (b, n, 0), digamma, ghlo_expand_wide_polygamma (b, &precise, n, operands[1]));
}
