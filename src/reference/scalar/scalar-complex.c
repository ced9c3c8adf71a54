/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operations on complex numbers, using the functions of complex-math.c and of the C
 * library in long double. Each part is rounded once to the result's type. Complex
 * numbers are ordered by their real parts, then by their imaginary parts.
 */

#include "reference/scalar/complex-math.h"
#include "reference/scalar/scalar.h"

#include <math.h>

/* Replaces every NaN by one positive NaN, since the C library's functions copy the sign of a NaN to zeros. */
static inline GhloRefComplex
wide (GhloScalar scalar)
{
  return CMPLXL (isnan (scalar.c.re) ? (double) NAN : scalar.c.re, isnan (scalar.c.im) ? (double) NAN : scalar.c.im);
}

static inline GhloScalar
narrow (const GhloRefScalarOp *op,
        GhloRefComplex         value)
{
  if (op->result_type == GHLO_ELEMENT_TYPE_COMPLEX_F32)
    return (GhloScalar) { .c = { ghlo_ref_round_f32 (creall (value)), ghlo_ref_round_f32 (cimagl (value)) } };

  return (GhloScalar) { .c = { (double) creall (value), (double) cimagl (value) } };
}

static inline GhloScalar
narrow_real (const GhloRefScalarOp *op,
             long double            value)
{
  if (op->result_type == GHLO_ELEMENT_TYPE_F32)
    return (GhloScalar) { .f = (float) value };

  return (GhloScalar) { .f = (double) value };
}

#define COMPLEX(name, expression) \
  static GhloScalar \
  name (const GhloRefScalarOp *op, const GhloScalar *operands) \
  { \
    const GhloRefComplex x = wide (operands[0]); \
    return narrow (op, expression); \
  }

#define COMPLEX_2(name, expression) \
  static GhloScalar \
  name (const GhloRefScalarOp *op, const GhloScalar *operands) \
  { \
    const GhloRefComplex x = wide (operands[0]), y = wide (operands[1]); \
    return narrow (op, expression); \
  }

#define COMPLEX_TO_REAL(name, expression) \
  static GhloScalar \
  name (const GhloRefScalarOp *op, const GhloScalar *operands) \
  { \
    const GhloRefComplex x = wide (operands[0]); \
    return narrow_real (op, expression); \
  }

COMPLEX (acos_of, cacosl (x))
COMPLEX (acosh_of, cacoshl (x))
COMPLEX (asin_of, casinl (x))
COMPLEX (asin_acos_kernel, ghlo_ref_complex_asin_acos_kernel (x))
COMPLEX (asinh_of, casinhl (x))
COMPLEX (atan_of, catanl (x))
COMPLEX (atanh_of, catanhl (x))
COMPLEX (cbrt_of, ghlo_ref_complex_cbrt (x))
COMPLEX (cosh_of, ccoshl (x))
COMPLEX (cosine, ccosl (x))
COMPLEX (exponential, ghlo_ref_complex_exp (x))
COMPLEX (exponential_minus_one, ghlo_ref_complex_expm1 (x))
COMPLEX (log_of, ghlo_ref_complex_log (x))
COMPLEX (log_plus_one, ghlo_ref_complex_log1p (x))
COMPLEX (logistic, ghlo_ref_complex_logistic (x))
COMPLEX (rsqrt, ghlo_ref_complex_rsqrt (x))
COMPLEX (sign_of, ghlo_ref_complex_sign (x))
COMPLEX (sine, csinl (x))
COMPLEX (sinh_of, csinhl (x))
COMPLEX (sqrt_of, ghlo_ref_complex_sqrt (x))
COMPLEX (square, ghlo_ref_complex_square (x))
COMPLEX (tan_of, ghlo_ref_complex_tan (x))
COMPLEX (tanh_of, ghlo_ref_complex_tanh (x))
COMPLEX_2 (add, x + y)
COMPLEX_2 (atan2_of, ghlo_ref_complex_atan2 (x, y))
COMPLEX_2 (divide, ghlo_ref_complex_divide (x, y))
COMPLEX_2 (multiply, ghlo_ref_complex_multiply (x, y))
COMPLEX_2 (power, ghlo_ref_complex_power (x, y))
COMPLEX_2 (subtract, x - y)
COMPLEX_TO_REAL (abs_of, ghlo_ref_complex_abs (x))

/* Copies the bits of the part, including those of a NaN. */
static GhloScalar
real_part (const GhloRefScalarOp *op,
           const GhloScalar      *operands)
{
  return (GhloScalar) { .f = operands[0].c.re };
}

static GhloScalar
imaginary_part (const GhloRefScalarOp *op,
                const GhloScalar      *operands)
{
  return (GhloScalar) { .f = operands[0].c.im };
}

static GhloScalar
conjugate (const GhloRefScalarOp *op,
           const GhloScalar      *operands)
{
  return (GhloScalar) { .c = { operands[0].c.re, -operands[0].c.im } };
}

static GhloScalar
negate (const GhloRefScalarOp *op,
        const GhloScalar      *operands)
{
  return (GhloScalar) { .c = { -operands[0].c.re, -operands[0].c.im } };
}

static inline gboolean
is_less (GhloScalar x,
         GhloScalar y)
{
  return x.c.re == y.c.re ? x.c.im < y.c.im : x.c.re < y.c.re;
}

static inline gboolean
is_equal (GhloScalar x,
          GhloScalar y)
{
  return x.c.re == y.c.re && x.c.im == y.c.im;
}

static inline gboolean
has_nan (GhloScalar x)
{
  return isnan (x.c.re) || isnan (x.c.im);
}

/* Negative, zero or positive; NaN is above all numbers. */
static inline int
compare_parts (double x,
               double y)
{
  return isnan (x) || isnan (y) ? !!isnan (x) - !!isnan (y) : (x > y) - (x < y);
}

/* Compares two numbers. Otherwise equal ones are ordered -0 before +0, so that maximum and minimum do not
 * depend on the order of the operands. */
static int
compare_all (GhloScalar x,
             GhloScalar y)
{
  int order = compare_parts (x.c.re, y.c.re);

  if (order == 0)
    order = compare_parts (x.c.im, y.c.im);
  if (order == 0 && !isnan (x.c.re))
    order = !!signbit (y.c.re) - !!signbit (x.c.re);
  if (order == 0 && !isnan (x.c.im))
    order = !!signbit (y.c.im) - !!signbit (x.c.im);

  return order;
}

/* A number that has a NaN part wins over one that has none. */
static GhloScalar
maximum (const GhloRefScalarOp *op,
         const GhloScalar      *operands)
{
  if (has_nan (operands[0]) != has_nan (operands[1]))
    return has_nan (operands[0]) ? operands[0] : operands[1];

  return compare_all (operands[0], operands[1]) >= 0 ? operands[0] : operands[1];
}

static GhloScalar
minimum (const GhloRefScalarOp *op,
         const GhloScalar      *operands)
{
  if (has_nan (operands[0]) != has_nan (operands[1]))
    return has_nan (operands[0]) ? operands[0] : operands[1];

  return compare_all (operands[0], operands[1]) <= 0 ? operands[0] : operands[1];
}

static GhloScalar
clamp (const GhloRefScalarOp *op,
       const GhloScalar      *operands)
{
  const GhloScalar raised = is_less (operands[0], operands[1]) ? operands[1] : operands[0];

  return is_less (raised, operands[2]) ? raised : operands[2];
}

static GhloScalar
compare (const GhloRefScalarOp *op,
         const GhloScalar      *operands)
{
  const GhloScalar x = operands[0], y = operands[1];

  return ghlo_ref_compare_result (op->compare.direction, is_less (x, y), is_equal (x, y), is_less (y, x));
}

static const GhloRefScalarFunc funcs[GHLO_N_SCALARS] = {
  [GHLO_SCALAR_ABS] = abs_of,
  [GHLO_SCALAR_ADD] = add,
  [GHLO_SCALAR_ATAN2] = atan2_of,
  [GHLO_SCALAR_CBRT] = cbrt_of,
  [GHLO_SCALAR_CLAMP] = clamp,
  [GHLO_SCALAR_COMPARE] = compare,
  [GHLO_SCALAR_COSINE] = cosine,
  [GHLO_SCALAR_DIVIDE] = divide,
  [GHLO_SCALAR_EXPONENTIAL] = exponential,
  [GHLO_SCALAR_EXPONENTIAL_MINUS_ONE] = exponential_minus_one,
  [GHLO_SCALAR_IMAG] = imaginary_part,
  [GHLO_SCALAR_LOG] = log_of,
  [GHLO_SCALAR_LOG_PLUS_ONE] = log_plus_one,
  [GHLO_SCALAR_LOGISTIC] = logistic,
  [GHLO_SCALAR_MAXIMUM] = maximum,
  [GHLO_SCALAR_MINIMUM] = minimum,
  [GHLO_SCALAR_MULTIPLY] = multiply,
  [GHLO_SCALAR_NEGATE] = negate,
  [GHLO_SCALAR_POWER] = power,
  [GHLO_SCALAR_REAL] = real_part,
  [GHLO_SCALAR_RSQRT] = rsqrt,
  [GHLO_SCALAR_SIGN] = sign_of,
  [GHLO_SCALAR_SINE] = sine,
  [GHLO_SCALAR_SQRT] = sqrt_of,
  [GHLO_SCALAR_SUBTRACT] = subtract,
  [GHLO_SCALAR_TAN] = tan_of,
  [GHLO_SCALAR_TANH] = tanh_of,
  [GHLO_SCALAR_ACOS] = acos_of,
  [GHLO_SCALAR_ACOSH] = acosh_of,
  [GHLO_SCALAR_ASIN] = asin_of,
  [GHLO_SCALAR_ASIN_ACOS_KERNEL] = asin_acos_kernel,
  [GHLO_SCALAR_ASINH] = asinh_of,
  [GHLO_SCALAR_ATAN] = atan_of,
  [GHLO_SCALAR_ATANH] = atanh_of,
  [GHLO_SCALAR_CONJ] = conjugate,
  [GHLO_SCALAR_COSH] = cosh_of,
  [GHLO_SCALAR_SINH] = sinh_of,
  [GHLO_SCALAR_SQUARE] = square,
};

GhloRefScalarFunc
ghlo_ref_complex_func (GhloScalarKind kind)
{
  return funcs[kind];
}
