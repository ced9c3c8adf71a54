/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The logarithm of the gamma function and its derivative for f32, computed in f64: polynomials with their zeros
 * factored out within [1, 2.5], Stirling's series beyond, one step of the recurrence below 1, and reflection for
 * negative numbers. Coefficients are those of coefficients/gamma.sollya.
 */

#include "kernel/functions/wide.h"

#include <math.h>

typedef struct
{
  guint x;              /* f64 */
  guint is_negative;
  guint y;              /* x, or 1 - x where x is negative */
  guint is_small;       /* y < 1 */
  guint z;              /* y, or y + 1 where y is small */
  guint is_middle;      /* z < 2.5 */
  guint rest;           /* x minus the nearest integer */
  guint is_pole;
} Place;

static Place
find_place (Builder *b,
            guint    operand)
{
  guint x = widen (b, operand), zero = real (b, x, 0), one = real (b, x, 1);
  Place place = { .x = x };

  place.is_negative = less (b, x, zero);
  place.y = choose (b, place.is_negative, subtract (b, one, x), x);
  place.is_small = less (b, place.y, one);
  place.z = choose (b, place.is_small, add (b, place.y, one), place.y);
  place.is_middle = less (b, place.z, real (b, x, 2.5));
  place.rest = subtract (b, x, rounded (b, x));
  place.is_pole = bit_and (b, less_equal (b, x, zero), equal (b, place.rest, zero));

  return place;
}

/* sin π t for t within [0, ½]. */
static guint
sine_of_half_turn (Builder *b,
                   guint    t)
{
  static const double c[] = {
    0x1p0, -0x1.5555555555555p-3, 0x1.11111111110dp-7, -0x1.a01a01a0155a2p-13, 0x1.71de3a52adf45p-19,
    -0x1.ae64549b88241p-26, 0x1.61239381d2e6p-33, -0x1.ae11b880be59p-41, 0x1.719cdf7c54538p-49,
    0x1.5059fa0779849p-55, -0x1.fbd6ee46c965cp-59,
  };
  guint r = multiply_real (b, t, M_PI);

  return multiply (b, r, HORNER (b, multiply (b, r, r), c));
}

guint
ghlo_expand_lgamma (Builder         *b,
                    GhloElementType  type,
                    const guint     *operands)
{
  static const double middle[] = {
    0x1.ccf151e09cdecp-2, -0x1.e965863079476p-4, 0x1.6cb625170e59dp-5, -0x1.382e176f5d26bp-6, 0x1.1f9587fdac16ap-7,
    -0x1.14f7c59298bc2p-8, 0x1.12aa716fbd253p-9, -0x1.160560c0bd261p-10, 0x1.1daf2be105bc3p-11,
    -0x1.28f2c5f9510ep-12, 0x1.376b669f6a92bp-13, -0x1.490b9e18bd95ep-14, 0x1.5eb5eb494880dp-15,
    -0x1.76c498f89453fp-16, 0x1.85fcf32e34bdep-17, -0x1.a3e2d202d1217p-18, 0x1.17162ca1a6f93p-18,
    -0x1.2f59c579236a1p-19, 0x1.ac7c0aee5e5e4p-23, -0x1.bf696205d4c35p-24, 0x1.bbf7be4393899p-21,
    -0x1.e77f7f31018fap-22,
  };
  static const double beyond[] = {
    0x1.5555555555555p-4, -0x1.6c16c16c16703p-9, 0x1.a01a019d6c3cdp-11, -0x1.38137ef35979ep-11,
    0x1.b950dc192fc2dp-11, -0x1.f686679342583p-10, 0x1.a260aed6b2972p-8, -0x1.d53e40d51a179p-6,
    0x1.3f3fb56af43e1p-3, -0x1.cd2ed376c20f5p-1, 0x1.3684e7b131d1ep2, -0x1.5f46dd8515e3p4, 0x1.32cea5043eb24p6,
    -0x1.7b5371ed12e8dp7, 0x1.2400b750f88f1p8, -0x1.a231ac5364437p7,
  };
  const double log_root_2_pi = 0.91893853320467274178;
  Place place = find_place (b, operands[0]);
  guint z = place.z, logarithm = ghlo_expand_wide_log_precise (b, place.y), inverse, near, far, result, sine;

  near = multiply (b, multiply (b, add_real (b, z, -1), add_real (b, z, -2)),
                   ESTRIN (b, add_real (b, z, -1.75), middle));
  /* Turns -0 into +0. */
  near = choose (b, place.is_small, subtract (b, near, logarithm), add_real (b, near, 0));
  inverse = divide (b, real (b, z, 1), z);
  far = multiply (b, inverse, ESTRIN (b, multiply (b, inverse, inverse), beyond));
  far = add (b, far, multiply_add (b, add_real (b, z, -0.5), logarithm, subtract (b, real (b, z, log_root_2_pi), z)));
  result = choose (b, place.is_middle, near, far);

  sine = sine_of_half_turn (b, magnitude (b, place.rest));
  result = choose (b, place.is_negative,
                   subtract (b, ghlo_expand_wide_log_precise (b, divide (b, real (b, z, M_PI), sine)), result), result);
  result = choose (b, bit_or (b, place.is_pole, equal (b, magnitude (b, place.x), real (b, z, INFINITY))),
                   real (b, z, INFINITY), result);

  return narrow (b, choose (b, equal (b, place.x, place.x), result, place.x));
}

guint
ghlo_expand_digamma (Builder         *b,
                     GhloElementType  type,
                     const guint     *operands)
{
  static const double middle[] = {
    0x1.b763ca67112c8p-1, -0x1.4e15b17372dep-2, 0x1.41c830a30fa36p-3, -0x1.510ab0e535842p-4, 0x1.6effaf6a7c32p-5,
    -0x1.97cc6e259dcep-6, 0x1.ca493f2357e06p-7, -0x1.0335cdc8fe38ap-7, 0x1.266101dc6895fp-8, -0x1.4f1d29fb1dbebp-9,
    0x1.7dee16085914bp-10, -0x1.b3d116093077ep-11, 0x1.f4005b37b534fp-12, -0x1.1d8a28dbce31ap-12,
    0x1.3630b0523b857p-13, -0x1.6269442bd5751p-14, 0x1.0ed04dfc495dap-14, -0x1.357a16e816b6ep-15,
    -0x1.0b5d98fa826b9p-21, 0x1.31edb7c466467p-22, 0x1.0c4191106f45ep-16, -0x1.32936b380258ep-17,
  };
  static const double beyond[] = {
    0x1.5555555555555p-4, -0x1.111111110f6f3p-7, 0x1.041040fd29ff8p-8, -0x1.11110b366bba6p-8, 0x1.f079774c1bb97p-8,
    -0x1.5965f4015ea5ep-6, 0x1.5313819e1005fp-4, -0x1.b231c6b81dadfp-2, 0x1.45b33ea793492p1, -0x1.f5f3419ad58abp3,
    0x1.5fde13b4cd9e5p6, -0x1.981d7df0c283cp8, 0x1.6a2bb4b87022ep10, -0x1.c48a9530254d5p11, 0x1.5eeea07979bccp12,
    -0x1.f9428016fd671p11,
  };
  /* The zero of digamma, in two parts. */
  const double zero = 0x1.762d86356be3fp0, zero_rest = 0x1.b86a722197829p-54;
  Place place = find_place (b, operands[0]);
  guint z = place.z, inverse = divide (b, real (b, z, 1), place.y), square, near, far, result, size, cotangent;

  near = add_real (b, add_real (b, z, -zero), -zero_rest);
  near = multiply (b, near, ESTRIN (b, add_real (b, z, -1.75), middle));
  near = choose (b, place.is_small, subtract (b, near, inverse), near);
  square = multiply (b, inverse, inverse);
  far = multiply_add (b, inverse, real (b, z, -0.5), ghlo_expand_wide_log_precise (b, z));
  far = subtract (b, far, multiply (b, square, ESTRIN (b, square, beyond)));
  result = choose (b, place.is_middle, near, far);

  size = magnitude (b, place.rest);
  cotangent = divide (b, sine_of_half_turn (b, subtract (b, real (b, z, 0.5), size)), sine_of_half_turn (b, size));
  cotangent = with_sign (b, multiply_real (b, cotangent, M_PI), place.rest);
  result = choose (b, place.is_negative, subtract (b, result, cotangent), result);
  result = choose (b, equal (b, place.x, real (b, z, INFINITY)), place.x, result);
  result = choose (b, place.is_pole, real (b, z, NAN), result);

  return narrow (b, choose (b, equal (b, place.x, place.x), result, place.x));
}
