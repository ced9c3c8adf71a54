/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of complex numbers, whose parts are f64 nodes with values of f32. Formulas, branch cuts and special
 * values are those of the reference executor: see docs/guides/complex-numbers.md.
 */

#include "kernel/lower/complex.h"

#include <math.h>

typedef GhloComplexExpr Pair;

#define FUNCTION(ID, x) ghlo_lower_node (self, GHLO_NODE_##ID, COMPLEX_F64, x, GHLO_LOWER_NONE, GHLO_LOWER_NONE)

static guint32
is_infinite (GhloLowering *self,
             guint32       x)
{
  return equal (self, magnitude (self, x), number (self, INFINITY));
}

/* Exponents beyond this limit yield infinities or zeros in f32 anyway, but not yet in f64. */
#define FAR 600

/* Returns @size, whose sign bit is 0, with the sign of @x; @size itself where @x is NaN. */
static guint32
with_sign (GhloLowering *self,
           guint32       size,
           guint32       x)
{
  const GhloElementType bits = GHLO_ELEMENT_TYPE_UI64;
  guint32 sign = ghlo_lower_constant (self, bits, (guint64) 1 << 63), from, to;

  from = ghlo_lower_node (self, GHLO_NODE_BITCAST, bits, x, GHLO_LOWER_NONE, GHLO_LOWER_NONE);
  to = ghlo_lower_node (self, GHLO_NODE_BITCAST, bits, size, GHLO_LOWER_NONE, GHLO_LOWER_NONE);
  to = ghlo_lower_node (self, GHLO_NODE_OR, bits, to,
                        ghlo_lower_node (self, GHLO_NODE_AND, bits, from, sign, GHLO_LOWER_NONE), GHLO_LOWER_NONE);
  to = ghlo_lower_node (self, GHLO_NODE_BITCAST, COMPLEX_F64, to, GHLO_LOWER_NONE, GHLO_LOWER_NONE);

  return choose (self, is_nan (self, x), size, to);
}

static Pair
choose_pair (GhloLowering *self,
             guint32       predicate,
             Pair          x,
             Pair          y)
{
  return (Pair) { choose (self, predicate, x.re, y.re), choose (self, predicate, x.im, y.im) };
}

static Pair
real (GhloLowering *self,
      double        value)
{
  return (Pair) { number (self, value), number (self, 0) };
}

/* a × b + c × d, and a × b - c × d. Each product is exact if the numbers are f32. */
static guint32
dot (GhloLowering *self,
     guint32       a,
     guint32       b,
     guint32       c,
     guint32       d)
{
  return add (self, multiply (self, a, b), multiply (self, c, d));
}

static guint32
cross (GhloLowering *self,
       guint32       a,
       guint32       b,
       guint32       c,
       guint32       d)
{
  return subtract (self, multiply (self, a, b), multiply (self, c, d));
}

static guint32
norm_of (GhloLowering *self,
         Pair          z)
{
  return dot (self, z.re, z.re, z.im, z.im);
}

Pair
ghlo_lower_complex_multiply (GhloLowering *self,
                             Pair          x,
                             Pair          y)
{
  return (Pair) { cross (self, x.re, y.re, x.im, y.im), dot (self, x.re, y.im, x.im, y.re) };
}

/* Returns 1 if @x is infinite, else 0; with the sign of @x. */
static guint32
box (GhloLowering *self,
     guint32       x)
{
  return with_sign (self, choose (self, is_infinite (self, x), number (self, 1), number (self, 0)), x);
}

static guint32
are_finite (GhloLowering *self,
            Pair          z)
{
  return both (self, less (self, magnitude (self, z.re), number (self, INFINITY)),
               less (self, magnitude (self, z.im), number (self, INFINITY)));
}

static guint32
is_any_infinite (GhloLowering *self,
                 Pair          z)
{
  return either (self, is_infinite (self, z.re), is_infinite (self, z.im));
}

static Pair
scaled (GhloLowering *self,
        guint32       factor,
        Pair          z)
{
  return (Pair) { multiply (self, factor, z.re), multiply (self, factor, z.im) };
}

/* @x times the conjugate of @y. */
static Pair
conjugate_product (GhloLowering *self,
                   Pair          x,
                   Pair          y)
{
  return (Pair) { dot (self, x.re, y.re, x.im, y.im), cross (self, x.im, y.re, x.re, y.im) };
}

/* A quotient both of whose parts are NaN at first: see C's Annex G.5.1. */
static Pair
divide_specially (GhloLowering *self,
                  Pair          x,
                  Pair          y)
{
  const Pair x_box = { box (self, x.re), box (self, x.im) }, y_box = { box (self, y.re), box (self, y.im) };
  guint32 nan = number (self, NAN), infinity = number (self, INFINITY);
  guint32 is_by_zero = both (self, is_zero (self, y.re), is_zero (self, y.im));
  Pair result = { nan, nan };

  is_by_zero = both (self, is_by_zero, either (self, equal (self, x.re, x.re), equal (self, x.im, x.im)));
  result = choose_pair (self, both (self, is_any_infinite (self, y), are_finite (self, x)),
                        scaled (self, number (self, 0), conjugate_product (self, x, y_box)), result);
  result = choose_pair (self, both (self, is_any_infinite (self, x), are_finite (self, y)),
                        scaled (self, infinity, conjugate_product (self, x_box, y)), result);

  return choose_pair (self, is_by_zero, scaled (self, with_sign (self, infinity, y.re), x), result);
}

Pair
ghlo_lower_complex_divide (GhloLowering *self,
                           Pair          x,
                           Pair          y)
{
  guint32 norm = norm_of (self, y);
  Pair result = conjugate_product (self, x, y);
  guint32 is_special;

  result = (Pair) { divide (self, result.re, norm), divide (self, result.im, norm) };
  is_special = both (self, is_nan (self, result.re), is_nan (self, result.im));

  return choose_pair (self, is_special, divide_specially (self, x, y), result);
}

guint32
ghlo_lower_complex_abs (GhloLowering *self,
                        Pair          z)
{
  return choose (self, is_any_infinite (self, z), number (self, INFINITY),
                 square_root (self, norm_of (self, z)));
}

static Pair
make_sign (GhloLowering *self,
           Pair          z)
{
  guint32 norm = square_root (self, norm_of (self, z));

  return choose_pair (self, is_zero (self, norm), real (self, 0),
                      (Pair) { divide (self, z.re, norm), divide (self, z.im, norm) });
}

static Pair
make_square (GhloLowering *self,
             Pair          z)
{
  guint32 product = multiply (self, z.re, z.im);

  return (Pair) { multiply (self, subtract (self, z.re, z.im), add (self, z.re, z.im)), add (self, product, product) };
}

/* One part is half of the sum of two numbers of the same sign, so that nothing cancels; the other one is a quotient. */
static Pair
make_sqrt (GhloLowering *self,
           Pair          z)
{
  guint32 size = magnitude (self, z.im), is_left = less (self, z.re, number (self, 0)), zero = number (self, 0);
  guint32 root = add (self, square_root (self, norm_of (self, z)), magnitude (self, z.re)), other;
  guint32 infinity = number (self, INFINITY), is_nan_im = is_nan (self, z.im);
  Pair result;

  root = square_root (self, multiply (self, root, number (self, 0.5)));
  other = divide (self, size, add (self, root, root));
  result.re = choose (self, is_left, other, root);
  result.im = with_sign (self, choose (self, is_left, root, other), z.im);
  result = choose_pair (self, is_zero (self, root), (Pair) { zero, z.im }, result);
  result.re = choose (self, is_infinite (self, z.re),
                      choose (self, is_left, choose (self, is_nan_im, number (self, NAN), zero), infinity), result.re);
  result.im = choose (self, is_infinite (self, z.re),
                      choose (self, is_left, with_sign (self, infinity, z.im),
                              choose (self, is_nan_im, z.im, with_sign (self, zero, z.im))), result.im);

  return choose_pair (self, is_infinite (self, z.im), (Pair) { infinity, z.im }, result);
}

static Pair
make_rsqrt (GhloLowering *self,
            Pair          z)
{
  return ghlo_lower_complex_divide (self, real (self, 1), make_sqrt (self, z));
}

static guint32
angle_of (GhloLowering *self,
          guint32       im,
          guint32       re)
{
  return ghlo_lower_node (self, GHLO_NODE_ATAN2, COMPLEX_F64, im, re, GHLO_LOWER_NONE);
}

/* The cube root with the smallest angle. */
static Pair
make_cbrt (GhloLowering *self,
           Pair          z)
{
  guint32 radius = FUNCTION (CBRT, ghlo_lower_complex_abs (self, z));
  guint32 angle = divide (self, angle_of (self, z.im, z.re), number (self, 3));
  Pair result = { multiply (self, radius, FUNCTION (COSINE, angle)), multiply (self, radius, FUNCTION (SINE, angle)) };

  result.im = choose (self, is_zero (self, angle), angle, result.im);

  return choose_pair (self, is_zero (self, radius), (Pair) { number (self, 0), z.im }, result);
}

/* Returns NaN in both parts where the angle is infinite. */
static Pair
without_angle (GhloLowering *self,
               guint32       angle,
               Pair          z)
{
  guint32 nan = number (self, NAN);

  return choose_pair (self, is_infinite (self, angle), (Pair) { nan, nan }, z);
}

static Pair
make_exponential (GhloLowering *self,
                  Pair          z)
{
  guint32 factor = FUNCTION (EXPONENTIAL, z.re);
  Pair result = { multiply (self, factor, FUNCTION (COSINE, z.im)), multiply (self, factor, FUNCTION (SINE, z.im)) };

  result = choose_pair (self, is_zero (self, z.im), (Pair) { factor, z.im }, result);

  return without_angle (self, z.im, result);
}

static Pair
make_exponential_minus_one (GhloLowering *self,
                            Pair          z)
{
  guint32 half = FUNCTION (SINE, multiply (self, z.im, number (self, 0.5)));
  guint32 less_one = FUNCTION (EXPONENTIAL_MINUS_ONE, z.re);
  Pair result;

  result.re = cross (self, less_one, FUNCTION (COSINE, z.im), add (self, half, half), half);
  result.im = multiply (self, FUNCTION (EXPONENTIAL, z.re), FUNCTION (SINE, z.im));
  result = choose_pair (self, is_zero (self, z.im), (Pair) { less_one, z.im }, result);

  return without_angle (self, z.im, result);
}

/* Returns half the logarithm of @norm, which equals 1 + @rest where it is near 1. */
static guint32
half_log (GhloLowering *self,
          guint32       norm,
          guint32       rest)
{
  guint32 is_near = both (self, greater (self, norm, number (self, 0.5)), less (self, norm, number (self, 2)));
  guint32 value = choose (self, is_near, FUNCTION (LOG_PLUS_ONE, rest), FUNCTION (LOG, norm));

  return multiply (self, value, number (self, 0.5));
}

static Pair
make_log (GhloLowering *self,
          Pair          z)
{
  guint32 x = magnitude (self, z.re), y = magnitude (self, z.im), one = number (self, 1);
  guint32 a = larger (self, x, y), b = smaller (self, x, y), rest;

  /* Exact near 1. */
  rest = dot (self, subtract (self, a, one), add (self, a, one), b, b);

  return (Pair) { choose (self, is_any_infinite (self, z), number (self, INFINITY),
                          half_log (self, norm_of (self, z), rest)), angle_of (self, z.im, z.re) };
}

/* Returns x + y, and its rounding error. */
static guint32
add_exactly (GhloLowering *self,
             guint32       x,
             guint32       y,
             guint32      *rest)
{
  guint32 sum = add (self, x, y), part = subtract (self, sum, x);

  *rest = add (self, subtract (self, x, subtract (self, sum, part)), subtract (self, y, part));

  return sum;
}

static Pair
make_log_plus_one (GhloLowering *self,
                   Pair          z)
{
  guint32 shifted = add (self, number (self, 1), z.re), rests[2], sum;

  sum = add_exactly (self, add (self, z.re, z.re), multiply (self, z.re, z.re), &rests[0]);
  sum = add_exactly (self, sum, multiply (self, z.im, z.im), &rests[1]);
  sum = add (self, sum, add (self, rests[0], rests[1]));

  return (Pair) { choose (self, is_any_infinite (self, z), number (self, INFINITY),
                          half_log (self, norm_of (self, (Pair) { shifted, z.im }), sum)),
                  angle_of (self, z.im, shifted) };
}

/* 1 / (1 + exp (-z)); in the left half-plane exp (z) / (1 + exp (z)). */
static Pair
make_logistic (GhloLowering *self,
               Pair          z)
{
  guint32 is_left = less (self, z.re, number (self, 0)), is_right = greater (self, z.re, number (self, 0));
  Pair power = choose_pair (self, either (self, is_right, is_zero (self, z.re)),
                            (Pair) { negate (self, z.re), negate (self, z.im) }, z);

  /* A part that is 0 in f32 must not become 0 in f64 earlier than with longer numbers, since its sign counts. */
  power.re = choose (self, less (self, power.re, number (self, -11400)), power.re,
                     larger (self, power.re, number (self, -FAR)));
  power = make_exponential (self, power);

  return ghlo_lower_complex_divide (self, choose_pair (self, is_left, power, real (self, 1)),
                                    (Pair) { add (self, number (self, 1), power.re), power.im });
}

static guint32
within (GhloLowering *self,
        guint32       x,
        double        limit)
{
  return larger (self, smaller (self, x, number (self, limit)), number (self, -limit));
}

/* @trigonometric × @hyperbolic, where zero times NaN is zero: a zero @trigonometric is returned as it is, and @zero for
 * a zero @hyperbolic. */
static guint32
mixed_product (GhloLowering *self,
               guint32       trigonometric,
               guint32       hyperbolic,
               guint32       zero)
{
  guint32 product = multiply (self, trigonometric, hyperbolic);

  product = choose (self, both (self, is_zero (self, trigonometric), is_nan (self, hyperbolic)), trigonometric,
                    product);

  return choose (self, both (self, is_nan (self, trigonometric), is_zero (self, hyperbolic)), zero, product);
}

/* Returns whether the height is infinite where the sine of the angle is NaN. */
static guint32
is_far_off (GhloLowering *self,
            guint32       sine,
            guint32       height)
{
  return both (self, is_nan (self, sine), is_infinite (self, height));
}

static Pair
make_sine (GhloLowering *self,
           Pair          z)
{
  guint32 sine = FUNCTION (SINE, z.re), cosine = FUNCTION (COSINE, z.re), height = within (self, z.im, FAR);
  guint32 other = FUNCTION (SINH, height);
  const Pair result = { mixed_product (self, sine, FUNCTION (COSH, height), height),
                        mixed_product (self, cosine, other, other) };

  return (Pair) { result.re, choose (self, is_far_off (self, sine, z.im), number (self, INFINITY), result.im) };
}

/* The cosine, whose imaginary part is negated, or its conjugate. */
static Pair
make_either_cosine (GhloLowering *self,
                    Pair          z,
                    gboolean      is_conjugate)
{
  guint32 sine = FUNCTION (SINE, z.re), cosine = FUNCTION (COSINE, z.re), height = within (self, z.im, FAR);
  guint32 other = FUNCTION (SINH, height);
  Pair result = { mixed_product (self, cosine, FUNCTION (COSH, height), height), 0 };

  result.re = choose (self, is_far_off (self, sine, z.im), number (self, INFINITY), result.re);
  if (!is_conjugate)
    other = negate (self, other);
  result.im = mixed_product (self, sine, other, number (self, 0));

  return result;
}

static Pair
make_cosine (GhloLowering *self,
             Pair          z)
{
  return make_either_cosine (self, z, FALSE);
}

static Pair
swapped (Pair z)
{
  return (Pair) { z.im, z.re };
}

/* sinh (z) = -i sin (i z) */
static Pair
make_sinh (GhloLowering *self,
           Pair          z)
{
  return swapped (make_sine (self, swapped (z)));
}

/* cosh (z) = cos (i z) */
static Pair
make_cosh (GhloLowering *self,
           Pair          z)
{
  return make_either_cosine (self, swapped (z), TRUE);
}

/* (sinh a cosh a + i sin b cos b) / (sinh² a + cos² b) */
static Pair
make_tanh (GhloLowering *self,
           Pair          z)
{
  guint32 a = within (self, z.re, 300), sinh = FUNCTION (SINH, a), cosh = FUNCTION (COSH, a), nan = number (self, NAN);
  guint32 sine = FUNCTION (SINE, z.im), cosine = FUNCTION (COSINE, z.im);
  guint32 norm = dot (self, sinh, sinh, cosine, cosine), is_far = is_infinite (self, z.re), is_unknown;
  Pair result = { divide (self, multiply (self, sinh, cosh), norm),
                  divide (self, multiply (self, sine, cosine), norm) };

  is_unknown = is_nan (self, cosine);
  result = choose_pair (self, is_unknown, (Pair) { nan, nan }, result);
  result.im = choose (self, is_zero (self, z.im), z.im, result.im);
  result.im = choose (self, both (self, is_far, is_unknown), with_sign (self, number (self, 0), z.im), result.im);
  result.re = choose (self, is_far, with_sign (self, number (self, 1), z.re), result.re);

  return result;
}

/* tan (z) = -i tanh (i z) */
static Pair
make_tan (GhloLowering *self,
          Pair          z)
{
  return swapped (make_tanh (self, swapped (z)));
}

/* By repeated squaring, which is exact if all powers are. @exponent is an integer of magnitude up to
 * GREATEST_EXPONENT. */
enum { GREATEST_EXPONENT = 64, EXPONENT_BITS = 7 };

static Pair
whole_power (GhloLowering *self,
             Pair          x,
             guint32       exponent)
{
  const GhloElementType type = GHLO_ELEMENT_TYPE_I32;
  guint32 bits = ghlo_lower_node (self, GHLO_NODE_CONVERT, type, magnitude (self, exponent), GHLO_LOWER_NONE,
                                  GHLO_LOWER_NONE);
  Pair result = real (self, 1);

  for (guint i = 0; i < EXPONENT_BITS; i++)
    {
      guint32 bit = ghlo_lower_node (self, GHLO_NODE_AND, type, bits, ghlo_lower_constant (self, type, 1u << i),
                                     GHLO_LOWER_NONE);

      bit = unequal (self, bit, ghlo_lower_constant (self, type, 0));
      result = choose_pair (self, bit, ghlo_lower_complex_multiply (self, result, x), result);
      x = ghlo_lower_complex_multiply (self, x, x);
    }

  return choose_pair (self, less (self, exponent, number (self, 0)),
                      ghlo_lower_complex_divide (self, real (self, 1), result), result);
}

/* exp (y log (x)), and what that does not know, where @size is the real part of y log (x): 1 to any exponent is 1, zero
 * needs no angle, and a real exponent turns a positive real base by no angle, even where one of them is infinite. */
static Pair
any_power (GhloLowering *self,
           Pair          x,
           Pair          y)
{
  const Pair scaled = ghlo_lower_complex_multiply (self, y, make_log (self, x));
  const Pair power = make_exponential (self, scaled);
  guint32 size = scaled.re, infinity = number (self, INFINITY), is_axis = is_zero (self, x.im), is_one, is_known;
  Pair result = { 0, number (self, 0) };

  is_one = both (self, is_axis, equal (self, x.re, number (self, 1)));
  is_known = both (self, both (self, is_axis, greater (self, x.re, result.im)), is_zero (self, y.im));
  is_known = both (self, is_known, equal (self, size, infinity));
  is_known = either (self, is_known, equal (self, size, number (self, -INFINITY)));
  result.re = choose (self, is_one, number (self, 1), larger (self, size, result.im));

  return choose_pair (self, both (self, is_nan (self, power.re), either (self, is_one, is_known)), result, power);
}

Pair
ghlo_lower_complex_power (GhloLowering *self,
                          Pair          x,
                          Pair          y)
{
  guint32 exponent = within (self, y.re, GREATEST_EXPONENT), is_whole, is_known;
  Pair power = any_power (self, x, y), whole;
  guint32 is_base_zero = both (self, is_zero (self, x.re), is_zero (self, x.im));

  is_whole = equal (self, y.re, FUNCTION (ROUND_NEAREST_EVEN, exponent));
  is_whole = both (self, is_whole, is_zero (self, y.im));
  whole = whole_power (self, x, exponent);
  is_known = both (self, equal (self, whole.re, whole.re), equal (self, whole.im, whole.im));
  power = choose_pair (self, both (self, is_whole, is_known), whole, power);

  return choose_pair (self, both (self, is_base_zero, greater (self, y.re, number (self, 0))), real (self, 0), power);
}

GhloComplexFunction
ghlo_lower_complex_function (GhloScalarKind kind)
{
  static const GhloComplexFunction functions[GHLO_N_SCALARS] = {
    [GHLO_SCALAR_CBRT] = make_cbrt,
    [GHLO_SCALAR_COSH] = make_cosh,
    [GHLO_SCALAR_COSINE] = make_cosine,
    [GHLO_SCALAR_EXPONENTIAL] = make_exponential,
    [GHLO_SCALAR_EXPONENTIAL_MINUS_ONE] = make_exponential_minus_one,
    [GHLO_SCALAR_LOG] = make_log,
    [GHLO_SCALAR_LOGISTIC] = make_logistic,
    [GHLO_SCALAR_LOG_PLUS_ONE] = make_log_plus_one,
    [GHLO_SCALAR_RSQRT] = make_rsqrt,
    [GHLO_SCALAR_SIGN] = make_sign,
    [GHLO_SCALAR_SINE] = make_sine,
    [GHLO_SCALAR_SINH] = make_sinh,
    [GHLO_SCALAR_SQRT] = make_sqrt,
    [GHLO_SCALAR_SQUARE] = make_square,
    [GHLO_SCALAR_TAN] = make_tan,
    [GHLO_SCALAR_TANH] = make_tanh,
  };

  return functions[kind];
}
