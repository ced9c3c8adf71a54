/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The true value is computed by the C library in double, or in long double where double is wrong by several ULPs, and
 * by the reference executor, whose own errors are tested by test-accuracy.
 */

#include "function-truths.h"

#include <math.h>

#include "reference/kernel.h"
#include "reference/scalar/special.h"

/* The reference executor's result. */
static double
exact_by (GhloIrOpKind op,
          double       x,
          double       y)
{
  GhloRefScalarOp scalar;
  GhloRefScalarFunc func = ghlo_ref_scalar_func_for (op, GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F32, &scalar);
  const GhloScalar operands[] = { { .f = x }, { .f = y } };

  return func (&scalar, operands).f;
}

static double
exact_logistic (double x)
{
  return x < 0 ? (double) (expl (x) / (1 + expl (x))) : (double) (1 / (1 + expl (-(long double) x)));
}

static double
exact_erf_inv (double x)
{
  return (double) ghlo_ref_erf_inv (x);
}

static double
exact_lgamma (double x)
{
  return (double) ghlo_ref_lgamma (x);
}

static double
exact_digamma (double x)
{
  return (double) ghlo_ref_digamma (x);
}

static double
exact_bessel_i1e (double x)
{
  return (double) ghlo_ref_bessel_i1e (x);
}

static double
exact_rsqrt (double x)
{
  return (double) (1 / sqrtl (x));
}

/* CHLO's decompositions in f32, which the reference executor follows. */
static double
exact_sinh (double x)
{
  return exact_by (GHLO_OP_CHLO_SINH, x, 0);
}

static double
exact_cosh (double x)
{
  return exact_by (GHLO_OP_CHLO_COSH, x, 0);
}

/* The largest error is the one that exhaustive-functions found, rounded up. */
const FunctionTruth function_truths[] = {
  { GHLO_NODE_EXPONENTIAL, exp, 1.02 },
  { GHLO_NODE_EXPONENTIAL_MINUS_ONE, expm1, 1.46 },
  { GHLO_NODE_LOG, log, 0.89 },
  { GHLO_NODE_LOG_PLUS_ONE, log1p, 1.42 },
  { GHLO_NODE_TANH, tanh, 1.5 },
  { GHLO_NODE_LOGISTIC, exact_logistic, 2 },
  { GHLO_NODE_ERF, erf, 1 },
  { GHLO_NODE_ERFC, erfc, 1.41 },
  { GHLO_NODE_ERF_INV, exact_erf_inv, 0.54 },
  { GHLO_NODE_SINE, sin, 1.6 },
  { GHLO_NODE_COSINE, cos, 1.6 },
  { GHLO_NODE_TAN, tan, 0.51 },
  { GHLO_NODE_ASIN, asin, 0.51 },
  { GHLO_NODE_ACOS, acos, 0.51 },
  { GHLO_NODE_ATAN, atan, 0.51 },
  { GHLO_NODE_SINH, exact_sinh, 2 },
  { GHLO_NODE_COSH, exact_cosh, 2 },
  { GHLO_NODE_ASINH, asinh, 0.51 },
  { GHLO_NODE_ACOSH, acosh, 0.51 },
  { GHLO_NODE_ATANH, atanh, 0.51 },
  { GHLO_NODE_CBRT, cbrt, 0.54 },
  { GHLO_NODE_RSQRT, exact_rsqrt, 0.51 },
  { GHLO_NODE_LGAMMA, exact_lgamma, 2 },
  /* Near its zeros between the poles, two large numbers cancel. */
  { GHLO_NODE_DIGAMMA, exact_digamma, 2, 0x1p-18 },
  { GHLO_NODE_BESSEL_I1E, exact_bessel_i1e, 0.51 },
};

const guint n_function_truths = G_N_ELEMENTS (function_truths);

double
function_distance (float  found,
                   double exact,
                   double measure)
{
  float nearest = (float) exact;
  double value = isinf (found) ? copysign (0x1p128, found) : found;
  int exponent;

  if (isnan (found) || isnan (nearest))
    return isnan (found) && isnan (nearest) ? 0 : INFINITY;
  if (found == nearest && (isinf (nearest) || exact == 0))
    return !signbit (found) == !signbit (nearest) ? 0 : INFINITY;
  if (found == 0 && !signbit (found) != !signbit (exact))
    return INFINITY;
  if (isinf (exact))
    exact = copysign (0x1p128, exact);
  frexp (fabs (exact) < measure ? measure : exact, &exponent);

  return fabs (value - exact) / ldexp (1, CLAMP (exponent, -125, 128) - 24);
}
