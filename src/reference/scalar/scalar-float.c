/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Arithmetic of floats. Types narrower than f64 are computed in double and rounded
 * once. A double has more than twice the digits of f32, so sums, products,
 * quotients and square roots are correctly rounded. f64 goes through long double
 * wherever the C library's double function is not known to be accurate to one ULP.
 */

#include "reference/scalar/scalar.h"
#include "reference/scalar/special.h"

#include <math.h>
#include <string.h>

static inline GhloScalar
to_f64 (const GhloRefScalarOp *op,
        double                 value)
{
  return (GhloScalar) { .f = value };
}

static inline GhloScalar
to_f32 (const GhloRefScalarOp *op,
        double                 value)
{
  return (GhloScalar) { .f = (float) value };
}

/* Where the numbers of the narrow format are normal, its last place is a fixed bit of the double. */
static inline GhloScalar
to_narrow (const GhloRefScalarOp *op,
           double                 value)
{
  enum { MANTISSA_BITS = 52, BIAS = 1023 };
  const GhloElementInfo *info = ghlo_element_info (op->result_type);
  guint dropped = MANTISSA_BITS - info->mantissa_bits;
  guint64 bits;
  int exponent;

  memcpy (&bits, &value, sizeof bits);
  exponent = (int) (bits >> MANTISSA_BITS & 0x7ff) - BIAS;
  if (info->mantissa_bits == 0 || exponent < 1 - info->bias
      || exponent >= (1 << info->exponent_bits) - 2 - info->bias)
    return ghlo_element_round (op->result_type, (GhloScalar) { .f = value });

  bits += ((guint64) 1 << (dropped - 1)) - 1 + (bits >> dropped & 1);
  bits = bits >> dropped << dropped;
  memcpy (&value, &bits, sizeof value);

  return (GhloScalar) { .f = value };
}

#define FLOAT_AS(name, suffix, result, expression) \
  static GhloScalar \
  name##_##suffix (const GhloRefScalarOp *op, const GhloScalar *operands) \
  { \
    const double x = operands[0].f; \
    return result (op, expression); \
  }

/* Defines three functions of one operand, for f32, for f64 and for narrower types. @expression computes in
 * double, @wide is used for f64. */
#define FLOAT_WIDE(name, expression, wide) \
  FLOAT_AS (name, f32, to_f32, expression) \
  FLOAT_AS (name, f64, to_f64, wide) \
  FLOAT_AS (name, narrow, to_narrow, expression)

#define FLOAT(name, expression) FLOAT_WIDE (name, expression, expression)

#define FLOAT_2_AS(name, suffix, result, expression) \
  static GhloScalar \
  name##_##suffix (const GhloRefScalarOp *op, const GhloScalar *operands) \
  { \
    const double x = operands[0].f, y = operands[1].f; \
    return result (op, expression); \
  }

#define FLOAT_2(name, expression) \
  FLOAT_2_AS (name, f32, to_f32, expression) \
  FLOAT_2_AS (name, f64, to_f64, expression) \
  FLOAT_2_AS (name, narrow, to_narrow, expression)

/* Defines one function that needs no rounding. */
#define FLOAT_TEST(name, expression) \
  static GhloScalar \
  name (const GhloRefScalarOp *op, const GhloScalar *operands) \
  { \
    const double x = operands[0].f; \
    return ghlo_ref_scalar_bool (expression); \
  }

static inline double
larger (double x,
        double y)
{
  if (x > y)
    return x;
  if (x < y)
    return y;
  if (x == y)
    return signbit (x) ? y : x;

  return x + y;
}

static inline double
smaller (double x,
         double y)
{
  if (x < y)
    return x;
  if (x > y)
    return y;
  if (x == y)
    return signbit (x) ? x : y;

  return x + y;
}

static inline double
sign_of (double x)
{
  return x > 0 ? 1.0 : x < 0 ? -1.0 : x;
}

/* The two terms of cosh and sinh in f32, exp (x - log 2) and exp (-x - log 2), rounded as in CHLO's
 * decompositions. The rounding of the sums grows with |x| to some tens of ULPs; the official tests expect
 * exactly these values. */
static inline void
exponential_halves (double x,
                    double *rising,
                    double *falling)
{
  const double log_half = (float) -G_LN2;

  *rising = ghlo_ref_round_f32 (exp (ghlo_ref_round_f32 (x + log_half)));
  *falling = ghlo_ref_round_f32 (exp (ghlo_ref_round_f32 (log_half - x)));
}

static double
cosh_in_f32 (double x)
{
  double rising, falling;

  if (fabs (x) < 1)
    return cosh (x);

  exponential_halves (x, &rising, &falling);

  return rising + falling;
}

static double
sinh_in_f32 (double x)
{
  double rising, falling;

  if (fabs (x) < 1)
    return sinh (x);

  exponential_halves (x, &rising, &falling);

  return rising - falling;
}

FLOAT (abs, fabs (x))
FLOAT (acos, acos (x))
FLOAT_WIDE (acosh, acosh (x), acoshl (x))
FLOAT (asin, asin (x))
FLOAT_WIDE (asinh, asinh (x), asinhl (x))
FLOAT (atan, atan (x))
FLOAT_WIDE (atanh, atanh (x), atanhl (x))
FLOAT (bessel_i1e, ghlo_ref_bessel_i1e (x))
FLOAT_WIDE (cbrt, cbrt (x), cbrtl (x))
FLOAT (ceil, ceil (x))
FLOAT (cosine, cos (x))
FLOAT_AS (cosh, f32, to_f32, cosh_in_f32 (x))
FLOAT_AS (cosh, f64, to_f64, coshl (x))
FLOAT_AS (cosh, narrow, to_narrow, cosh (x))
FLOAT (digamma, ghlo_ref_digamma (x))
FLOAT_WIDE (erf, erf (x), erfl (x))
FLOAT_WIDE (erfc, erfc (x), erfcl (x))
FLOAT (erf_inv, ghlo_ref_erf_inv (x))
FLOAT (exponential, exp (x))
FLOAT_WIDE (exponential_minus_one, expm1 (x), expm1l (x))
FLOAT (floor, floor (x))
FLOAT (lgamma, ghlo_ref_lgamma (x))
FLOAT (log, log (x))
FLOAT_WIDE (log_plus_one, log1p (x), log1pl (x))
FLOAT_WIDE (logistic, 1 / (1 + exp (-x)), 1 / (1 + expl (-(long double) x)))
FLOAT (negate, -x)
FLOAT (real, x)
FLOAT (round_nearest_afz, round (x))
FLOAT (round_nearest_even, rint (x))
FLOAT_WIDE (rsqrt, 1 / sqrt (x), 1 / sqrtl (x))
FLOAT (sign, sign_of (x))
FLOAT (sine, sin (x))
FLOAT_AS (sinh, f32, to_f32, sinh_in_f32 (x))
FLOAT_AS (sinh, f64, to_f64, sinhl (x))
FLOAT_AS (sinh, narrow, to_narrow, sinh (x))
FLOAT (sqrt, sqrt (x))
FLOAT (square, x * x)
FLOAT_WIDE (tan, tan (x), tanl (x))
FLOAT_WIDE (tanh, tanh (x), tanhl (x))

FLOAT_2 (add, x + y)
FLOAT_2 (atan2, atan2 (x, y))
FLOAT_2 (divide, x / y)
FLOAT_2 (maximum, larger (x, y))
FLOAT_2 (minimum, smaller (x, y))
FLOAT_2 (multiply, x * y)
FLOAT_2 (polygamma, ghlo_ref_polygamma (x, y))
FLOAT_2 (power, pow (x, y))
FLOAT_2 (remainder, fmod (x, y))
FLOAT_2 (subtract, x - y)
FLOAT_2 (zeta, ghlo_ref_zeta (x, y))

FLOAT_TEST (is_finite, isfinite (x))
FLOAT_TEST (is_inf, isinf (x))
FLOAT_TEST (is_neg_inf, isinf (x) && x < 0)
FLOAT_TEST (is_pos_inf, isinf (x) && x > 0)

static GhloScalar
clamp (const GhloRefScalarOp *op,
       const GhloScalar      *operands)
{
  return (GhloScalar) { .f = smaller (larger (operands[1].f, operands[0].f), operands[2].f) };
}

/* Maps numbers to integers in the total order. */
static inline gint64
order_of (double x)
{
  gint64 bits = (gint64) ghlo_float_to_bits (GHLO_ELEMENT_TYPE_F64, x);

  return bits < 0 ? bits ^ G_MAXINT64 : bits;
}

static GhloScalar
compare (const GhloRefScalarOp *op,
         const GhloScalar      *operands)
{
  const double x = operands[0].f, y = operands[1].f;

  if (op->compare.type == GHLO_REF_COMPARE_TOTALORDER)
    {
      gint64 p = order_of (x), q = order_of (y);

      return ghlo_ref_compare_result (op->compare.direction, p < q, p == q, p > q);
    }

  return ghlo_ref_compare_result (op->compare.direction, x < y, x == y, x > y);
}

/* Zero is rounded because one format, f8E8M0FNU, has no zero. */
static GhloScalar
imaginary_part (const GhloRefScalarOp *op,
                const GhloScalar      *operands)
{
  return ghlo_element_round (op->result_type, (GhloScalar) { .f = 0.0 });
}

static GhloScalar
complex_parts (const GhloRefScalarOp *op,
               const GhloScalar      *operands)
{
  return (GhloScalar) { .c = { operands[0].f, operands[1].f } };
}

typedef struct
{
  GhloRefScalarFunc on_f32;
  GhloRefScalarFunc on_f64;
  GhloRefScalarFunc on_narrow;
} FloatRow;

#define ROW(ID, name) [GHLO_SCALAR_##ID] = { name##_f32, name##_f64, name##_narrow }
#define ROW_OF_ONE(ID, function) [GHLO_SCALAR_##ID] = { function, function, function }

static const FloatRow rows[GHLO_N_SCALARS] = {
  ROW (ABS, abs),
  ROW (ADD, add),
  ROW (ATAN2, atan2),
  ROW (CBRT, cbrt),
  ROW (CEIL, ceil),
  ROW (COSINE, cosine),
  ROW (DIVIDE, divide),
  ROW (EXPONENTIAL, exponential),
  ROW (EXPONENTIAL_MINUS_ONE, exponential_minus_one),
  ROW (FLOOR, floor),
  ROW (LOG, log),
  ROW (LOG_PLUS_ONE, log_plus_one),
  ROW (LOGISTIC, logistic),
  ROW (MAXIMUM, maximum),
  ROW (MINIMUM, minimum),
  ROW (MULTIPLY, multiply),
  ROW (NEGATE, negate),
  ROW (POWER, power),
  ROW (REAL, real),
  ROW (REMAINDER, remainder),
  ROW (ROUND_NEAREST_AFZ, round_nearest_afz),
  ROW (ROUND_NEAREST_EVEN, round_nearest_even),
  ROW (RSQRT, rsqrt),
  ROW (SIGN, sign),
  ROW (SINE, sine),
  ROW (SQRT, sqrt),
  ROW (SUBTRACT, subtract),
  ROW (TAN, tan),
  ROW (TANH, tanh),
  ROW (ACOS, acos),
  ROW (ACOSH, acosh),
  ROW (ASIN, asin),
  ROW (ASINH, asinh),
  ROW (ATAN, atan),
  ROW (ATANH, atanh),
  ROW (BESSEL_I1E, bessel_i1e),
  ROW (CONJ, real),
  ROW (COSH, cosh),
  ROW (DIGAMMA, digamma),
  ROW (ERF, erf),
  ROW (ERF_INV, erf_inv),
  ROW (ERFC, erfc),
  ROW (LGAMMA, lgamma),
  ROW (POLYGAMMA, polygamma),
  ROW (SINH, sinh),
  ROW (SQUARE, square),
  ROW (ZETA, zeta),
  ROW_OF_ONE (CLAMP, clamp),
  ROW_OF_ONE (COMPARE, compare),
  ROW_OF_ONE (COMPLEX, complex_parts),
  ROW_OF_ONE (IMAG, imaginary_part),
  ROW_OF_ONE (IS_FINITE, is_finite),
  ROW_OF_ONE (REDUCE_PRECISION, ghlo_ref_reduce_precision),
  ROW_OF_ONE (IS_INF, is_inf),
  ROW_OF_ONE (IS_NEG_INF, is_neg_inf),
  ROW_OF_ONE (IS_POS_INF, is_pos_inf),
  ROW_OF_ONE (NEXT_AFTER, ghlo_ref_next_after),
};

GhloRefScalarFunc
ghlo_ref_float_func (GhloScalarKind  kind,
                     GhloElementType type)
{
  switch (type)
    {
    case GHLO_ELEMENT_TYPE_F32:
      return rows[kind].on_f32;
    case GHLO_ELEMENT_TYPE_F64:
      return rows[kind].on_f64;
    default:
      return rows[kind].on_narrow;
    }
}
