/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The logarithm of the gamma function and its derivative in f64: polynomials with their zeros factored out within
 * [1, 2.5], Stirling's series beyond, one step of the recurrence below 1, and reflection for negative numbers.
 * Everything that may cancel is computed in pairs. Coefficients are those of coefficients/gamma-f64.sollya.
 */

#include "kernel/functions/f64/double.h"

#include <math.h>

typedef struct
{
  guint y;              /* |x| */
  guint is_negative;
  guint is_small;       /* y < 1 */
  guint is_middle;      /* y < 2.5 */
  guint is_shifted;     /* one step of the recurrence is still to be made: x within [0, 1), or x <= -1 */
  guint t;              /* y - 7/4, or y - 3/4 where y is small: the variable of the polynomials */
  guint is_pole;
} Place;

static Place
find_place (Builder *b,
            guint    x)
{
  Place place = { .y = magnitude (b, x), .is_negative = is_below (b, x, 0) };

  place.is_small = is_below (b, place.y, 1);
  place.is_middle = is_below (b, place.y, 2.5);
  place.is_shifted = bit_xor (b, place.is_small, place.is_negative);
  place.t = add (b, place.y, choose (b, place.is_small, real (b, x, -0.75), real (b, x, -1.75)));
  place.is_pole = bit_and (b, less_equal (b, x, real (b, x, 0)), equal (b, truncated (b, x), x));

  return place;
}

/* Σ c[i] t^i, where the first coefficient has a low part and exceeds the sum of all others. */
static Pair
series (Builder      *b,
        guint         t,
        const double *c,
        guint         n,
        double        first_rest)
{
  guint others = multiply_add_real (b, t, ghlo_expand_estrin (b, t, c + 2, n - 2), c[1]);
  Pair sum = fast_sum (b, real (b, t, c[0]), multiply (b, t, others));

  return (Pair) { sum.high, add_real (b, sum.low, first_rest) };
}

/* The sum of three pairs as one number; the first two may cancel, and their sum may cancel with the third. */
static guint
sum_of_three (Builder *b,
              Pair     x,
              Pair     y,
              Pair     z)
{
  Pair first = exact_sum (b, x.high, y.high), second = exact_sum (b, first.high, z.high);
  guint rest = add (b, add (b, first.low, second.low), add (b, x.low, add (b, y.low, z.low)));

  return add (b, second.high, rest);
}

/* @x, its negative, or zero. */
static Pair
signed_or_none (Builder *b,
                guint    is_there,
                guint    is_negative,
                Pair     x)
{
  guint zero = real (b, x.high, 0);
  Pair opposite = { negate (b, x.high), negate (b, x.low) };

  return choose_pair (b, is_there, choose_pair (b, is_negative, opposite, x), (Pair) { zero, zero });
}

/* lgamma y for y within [1, 2.5), or lgamma (1 + y) where y is small. */
static Pair
lgamma_middle (Builder     *b,
               const Place *place)
{
  static const double c[] = {
    0x1.ccf151e09cde8p-2, -0x1.e96586307946ep-4, 0x1.6cb62517118dap-5, -0x1.382e176f60ad9p-6, 0x1.1f9587fa21978p-7,
    -0x1.14f7c58eb2647p-8, 0x1.12aa72f53cf05p-9, -0x1.1605626db0c87p-10, 0x1.1daed671f2d06p-11,
    -0x1.28f267e3e6bf9p-12, 0x1.377643bb6ff22p-13, -0x1.49179497db9a2p-14, 0x1.5ddb7bf9f03f3p-15,
    -0x1.75d41586fe812p-16, 0x1.90d72d04ecab8p-17, -0x1.afd569e9932bp-18, 0x1.d7f7c7ff850b7p-19,
    -0x1.ffd214be26a73p-20, 0x1.f9ffa177fced2p-21, -0x1.13519a304b483p-21, 0x1.d2ab7356b2efcp-22,
    -0x1.0032fdb1b8854p-22, -0x1.1ea38134efb1bp-25, 0x1.43cd36659bd6bp-26, 0x1.876410711761ap-24,
    -0x1.b05ceec2a1f35p-25,
  };
  guint above = choose (b, place->is_small, place->y, add_real (b, place->y, -1));
  guint below = choose (b, place->is_small, add_real (b, place->y, -1), add_real (b, place->y, -2));

  return pair_product (b, exact_product (b, above, below),
                       series (b, place->t, c, G_N_ELEMENTS (c), 0x1.0caebaf0f8112p-56));
}

/* y (log y - 1) - (log y - 1) / 2 + log √(2 π) - 1/2 + …, which overflows only where the result does. */
Pair
ghlo_expand_double_lgamma_beyond (Builder *b,
                                  guint    y,
                                  Pair     logarithm)
{
  static const double c[] = {
    0x1.5555555555555p-4, -0x1.6c16c16c16703p-9, 0x1.a01a019d6c3cdp-11, -0x1.38137ef35979ep-11, 0x1.b950dc192fc2dp-11,
    -0x1.f686679342583p-10, 0x1.a260aed6b2972p-8, -0x1.d53e40d51a179p-6, 0x1.3f3fb56af43e1p-3, -0x1.cd2ed376c20f4p-1,
    0x1.3684e7b131d1dp2, -0x1.5f46dd8515e2fp4, 0x1.32cea5043eb23p6, -0x1.7b5371ed12e8dp7, 0x1.2400b750f88f1p8,
    -0x1.a231ac5364436p7,
  };
  const double rest = 0x1.acfe390c97d69p-2, rest_rest = 0x1.3494bc9001442p-56;
  guint inverse = divide (b, real (b, y, 1), y), low;
  Pair factor = exact_sum (b, logarithm.high, real (b, y, -1)), product, sum, result;

  factor = fast_sum (b, factor.high, add (b, factor.low, logarithm.low));
  product = exact_product (b, y, factor.high);
  product.low = multiply_add (b, y, factor.low, product.low);
  sum = exact_sum (b, product.high, multiply_real (b, factor.high, -0.5));
  result = exact_sum (b, sum.high, real (b, y, rest));
  low = multiply_add (b, inverse, ESTRIN (b, multiply (b, inverse, inverse), c), real (b, y, rest_rest));
  low = multiply_add (b, factor.low, real (b, y, -0.5), low);
  low = add (b, low, add (b, product.low, add (b, sum.low, result.low)));

  return fast_sum (b, result.high, low);
}

/* log (sin (π y) / π), from the sine of the distance to the nearest integer. */
static Pair
log_of_sine (Builder *b,
             guint    y)
{
  static const double c[] = {
    0x1.a51a6625307d3p0, -0x1.9f9cb402bc46cp-1, 0x1.86a8e4720db5bp-3, -0x1.ac6805cf34106p-6, 0x1.33816aa3bfab6p-9,
    -0x1.374719867986ep-13, 0x1.d4243615e629dp-18, -0x1.0fb11c8c637adp-22, 0x1.e8dfbd9fab477p-28,
  };
  guint r = magnitude (b, subtract (b, y, rounded (b, y)));
  Pair square = exact_product (b, r, r), cubic, sine, result;

  cubic = pair_product (b, square, series (b, square.high, c, G_N_ELEMENTS (c), 0x1.18684e5a94a71p-55));
  cubic = pair_product (b, cubic, (Pair) { r, real (b, y, 0) });
  sine = fast_sum (b, r, negate (b, cubic.high));
  sine.low = subtract (b, sine.low, cubic.low);
  result = ghlo_expand_double_log (b, sine.high);
  result.low = add (b, result.low, divide (b, sine.low, sine.high));

  return result;
}

/* log |Γ (-y)| = -log (sin (π y) / π) - log y - log Γ (y). */
guint
ghlo_expand_lgamma_f64 (Builder         *b,
                        GhloElementType  type,
                        const guint     *operands)
{
  guint x = operands[0], infinity = real (b, x, INFINITY), always = equal (b, x, x), result, is_infinite;
  Place place = find_place (b, x);
  Pair logarithm = ghlo_expand_double_log_precise (b, place.y), beyond, value;

  beyond = ghlo_expand_double_lgamma_beyond (b, place.y, logarithm);
  value = choose_pair (b, place.is_middle, lgamma_middle (b, &place), beyond);
  value = signed_or_none (b, always, place.is_negative, value);
  result = sum_of_three (b, signed_or_none (b, place.is_negative, always, log_of_sine (b, place.y)),
                         signed_or_none (b, place.is_shifted, always, logarithm), value);
  is_infinite = bit_not (b, bit_or (b, is_below (b, beyond.high, INFINITY), place.is_negative));
  is_infinite = bit_and (b, is_infinite, bit_not (b, place.is_middle));
  is_infinite = bit_or (b, is_infinite, place.is_pole);
  /* Turns -0 into +0. */
  result = choose (b, is_infinite, infinity, add_real (b, result, 0));

  return choose (b, always, result, x);
}

/* digamma y for y within [1, 2.5), or digamma (1 + y) where y is small. */
static Pair
digamma_middle (Builder     *b,
                const Place *place)
{
  static const double c[] = {
    0x1.b763ca67112ap-1, -0x1.4e15b17372db3p-2, 0x1.41c830a3206f3p-3, -0x1.510ab0e548b63p-4, 0x1.6effaf57e44c5p-5,
    -0x1.97cc6e105df0dp-6, 0x1.ca494723a4542p-7, -0x1.0335d25b72075p-7, 0x1.266020b65fa47p-8, -0x1.4f1c28ab4d6bfp-9,
    0x1.7e0ad215c024ap-10, -0x1.b3f1ecec7aa5ep-11, 0x1.f1baeb324e63bp-12, -0x1.1c3de9251c726p-12,
    0x1.44ceb16e48578p-13, -0x1.731dd3d0d520ep-14, 0x1.a68f57ab71e2ep-15, -0x1.e2e092b088108p-16,
    0x1.1d27b17ad3d8dp-16, -0x1.45e0f3b66116fp-17, 0x1.24dc29593de87p-18, -0x1.4eb0bf7cf277cp-19,
    0x1.aa61766d82ffep-19, -0x1.e74a58aa56b71p-20, -0x1.5fd1982e953c8p-21, 0x1.92144e3942857p-22,
    0x1.9214c84b47361p-21, -0x1.cb85693e2a03cp-22,
  };
  const double zero = 0x1.762d86356be3fp0, zero_rest = 0x1.b86a722197829p-54;
  guint from = choose (b, place->is_small, real (b, place->y, 1 - zero), real (b, place->y, -zero));
  Pair distance = exact_sum (b, place->y, from);

  distance.low = add_real (b, distance.low, -zero_rest);

  return pair_product (b, distance, series (b, place->t, c, G_N_ELEMENTS (c), -0x1.1a8d7a9704709p-57));
}

static Pair
digamma_beyond (Builder *b,
                guint    y,
                guint    inverse)
{
  static const double c[] = {
    0x1.5555555555555p-4, -0x1.111111110f6f3p-7, 0x1.041040fd29ff8p-8, -0x1.11110b366bba6p-8, 0x1.f079774c1bb97p-8,
    -0x1.5965f4015ea5ep-6, 0x1.5313819e1005fp-4, -0x1.b231c6b81dadfp-2, 0x1.45b33ea793492p1, -0x1.f5f3419ad58abp3,
    0x1.5fde13b4cd9e4p6, -0x1.981d7df0c283cp8, 0x1.6a2bb4b87022ep10, -0x1.c48a9530254d4p11, 0x1.5eeea07979bcbp12,
    -0x1.f9428016fd67p11,
  };
  Pair logarithm = ghlo_expand_double_log (b, y);
  guint square = multiply (b, inverse, inverse), low;

  low = multiply_add (b, inverse, real (b, y, -0.5), logarithm.low);
  low = subtract (b, low, multiply (b, square, ESTRIN (b, square, c)));

  return fast_sum (b, logarithm.high, low);
}

static Pair
inverse_of (Builder *b,
            guint    x)
{
  guint one = real (b, x, 1), inverse = divide (b, one, x);

  return (Pair) { inverse, multiply (b, multiply_add (b, negate (b, inverse), x, one), inverse) };
}

/* π cot (π y) = 1 / r - r c (r²), where r is the distance to the nearest integer. */
static Pair
cotangent (Builder *b,
           guint    y)
{
  static const double c[] = {
    0x1.a51a6625307d3p1, 0x1.151322ac7d7d8p1, 0x1.0470984c1152ap1, 0x1.010b36abc6e64p1, 0x1.00412f1923593p1,
    0x1.000fffb1198ffp1, 0x1.0007174526b3ep1, 0x1.ff9da14565d7fp0, 0x1.023f05a035361p1, 0x1.db637e6f60137p0,
    0x1.6a4c80e8140e3p1, -0x1.623b22163baaep0, 0x1.6a3c7a4bd8618p3, -0x1.c04ad851939eep3, 0x1.002ac4c3abf81p4,
  };
  guint r = subtract (b, y, rounded (b, y)), square = multiply (b, r, r);
  Pair product = pair_product (b, (Pair) { negate (b, r), real (b, y, 0) },
                               series (b, square, c, G_N_ELEMENTS (c), 0x1.98893af2aa67ep-54));
  Pair inverse = inverse_of (b, r), sum = exact_sum (b, inverse.high, product.high);

  return (Pair) { sum.high, add (b, sum.low, add (b, inverse.low, product.low)) };
}

/* digamma (-y) = digamma (1 + y) + π cot (π y); next to 0 the result is -1 / x. */
guint
ghlo_expand_digamma_f64 (Builder         *b,
                         GhloElementType  type,
                         const guint     *operands)
{
  guint x = operands[0], always = equal (b, x, x), result, never = bit_not (b, always);
  Place place = find_place (b, x);
  Pair inverse = inverse_of (b, place.y), value;

  value = choose_pair (b, place.is_middle, digamma_middle (b, &place),
                       digamma_beyond (b, place.y, inverse.high));
  result = sum_of_three (b, signed_or_none (b, place.is_negative, never, cotangent (b, place.y)),
                         signed_or_none (b, place.is_shifted, bit_not (b, place.is_negative), inverse), value);
  result = choose (b, is_below (b, place.y, 0x1p-60), divide (b, real (b, x, -1), x), result);
  result = choose (b, is_real (b, x, INFINITY), x, result);
  result = choose (b, place.is_pole, real (b, x, NAN), result);

  return choose (b, always, result, x);
}
