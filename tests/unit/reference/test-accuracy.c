/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The error of the scalar functions, measured against MPFR. Every function is evaluated at arguments of all magnitudes,
 * at ordinary ones, and at the edges of its domain; the largest error is reported in ULPs and must stay within the
 * function's bound.
 *
 * GHLO_TEST_SAMPLES sets the number of arguments for each function.
 */

#include <math.h>
#include <string.h>

#include <mpfr.h>

#include "accuracy-functions.h"
#include "reference/kernel.h"

enum { DEFAULT_SAMPLES = 1500, PRECISION = 320 };

typedef struct
{
  const char      *name;
  GhloIrOpKind     kind;
  AccuracyFunction function;
  double           low, high;        /* the range of ordinary arguments */
  double           least, greatest;   /* arguments of any magnitude within the domain */
  double           bound_f32, bound_f64;
  double           measure;          /* errors of smaller results are in ULPs of this number */
} Unary;

/* In f32, cosh and sinh are CHLO's decompositions, which lose |x| / 2 ULPs. Digamma has a zero between any two
 * poles, where digits of long double cancel. Every function rounds once from higher precision, which leaves slightly
 * more than half an ULP; the C library's own functions for double may add a little. */
static const Unary unaries[] = {
  { "cbrt", GHLO_OP_STABLEHLO_CBRT, mpfr_cbrt, -100, 100, -INFINITY, INFINITY, 0.51, 0.51 },
  { "cosine", GHLO_OP_STABLEHLO_COSINE, mpfr_cos, -20, 20, -INFINITY, INFINITY, 0.51, 0.6 },
  { "exponential", GHLO_OP_STABLEHLO_EXPONENTIAL, mpfr_exp, -100, 100, -800, 800, 0.51, 0.6 },
  { "exponential_minus_one", GHLO_OP_STABLEHLO_EXPONENTIAL_MINUS_ONE, mpfr_expm1, -50, 50, -800, 800, 0.51, 0.51 },
  { "log", GHLO_OP_STABLEHLO_LOG, mpfr_log, 0, 10, 0, INFINITY, 0.51, 0.6 },
  { "log_plus_one", GHLO_OP_STABLEHLO_LOG_PLUS_ONE, mpfr_log1p, -1, 10, -1, INFINITY, 0.51, 0.51 },
  { "logistic", GHLO_OP_STABLEHLO_LOGISTIC, accuracy_logistic, -40, 40, -INFINITY, INFINITY, 0.51, 0.51 },
  { "rsqrt", GHLO_OP_STABLEHLO_RSQRT, mpfr_rec_sqrt, 0, 10, 0, INFINITY, 0.51, 0.51 },
  { "sine", GHLO_OP_STABLEHLO_SINE, mpfr_sin, -20, 20, -INFINITY, INFINITY, 0.51, 0.6 },
  { "sqrt", GHLO_OP_STABLEHLO_SQRT, mpfr_sqrt, 0, 10, 0, INFINITY, 0.5, 0.5 },
  { "tan", GHLO_OP_STABLEHLO_TAN, mpfr_tan, -20, 20, -INFINITY, INFINITY, 0.51, 0.51 },
  { "tanh", GHLO_OP_STABLEHLO_TANH, mpfr_tanh, -5, 5, -INFINITY, INFINITY, 0.51, 0.51 },
  { "acos", GHLO_OP_CHLO_ACOS, mpfr_acos, -1, 1, -1, 1, 0.51, 0.6 },
  { "acosh", GHLO_OP_CHLO_ACOSH, mpfr_acosh, 1, 10, 1, INFINITY, 0.51, 0.51 },
  { "asin", GHLO_OP_CHLO_ASIN, mpfr_asin, -1, 1, -1, 1, 0.51, 0.6 },
  { "asinh", GHLO_OP_CHLO_ASINH, mpfr_asinh, -10, 10, -INFINITY, INFINITY, 0.51, 0.51 },
  { "atan", GHLO_OP_CHLO_ATAN, mpfr_atan, -10, 10, -INFINITY, INFINITY, 0.51, 0.6 },
  { "atanh", GHLO_OP_CHLO_ATANH, mpfr_atanh, -1, 1, -1, 1, 0.51, 0.51 },
  { "cosh", GHLO_OP_CHLO_COSH, mpfr_cosh, -20, 20, -88, 88, 48, 0.51 },
  { "sinh", GHLO_OP_CHLO_SINH, mpfr_sinh, -20, 20, -88, 88, 48, 0.51 },
  { "square", GHLO_OP_CHLO_SQUARE, mpfr_sqr, -20, 20, -INFINITY, INFINITY, 0.5, 0.5 },
  { "erf", GHLO_OP_CHLO_ERF, mpfr_erf, -6, 6, -100, 100, 0.51, 0.51 },
  { "erfc", GHLO_OP_CHLO_ERFC, mpfr_erfc, -6, 27, -100, 27, 0.51, 0.51 },
  { "erf_inv", GHLO_OP_CHLO_ERF_INV, accuracy_erf_inv, -1, 1, -1, 1, 0.51, 0.51 },
  { "lgamma", GHLO_OP_CHLO_LGAMMA, accuracy_lgamma, -30, 30, -1e4, INFINITY, 0.51, 0.51 },
  { "digamma (positive)", GHLO_OP_CHLO_DIGAMMA, accuracy_digamma, 0, 30, 0, INFINITY, 0.51, 0.55 },
  { "digamma (negative)", GHLO_OP_CHLO_DIGAMMA, accuracy_digamma, -30, 0, -1e4, 0, 0.51, 0.55, 1 },
  { "bessel_i1e", GHLO_OP_CHLO_BESSEL_I1E, accuracy_bessel_i1e, -50, 50, -300, 300, 0.51, 0.51 },
};

typedef struct
{
  const char       *name;
  GhloIrOpKind      kind;
  AccuracyFunction2 function;
  double            low[2], high[2];
  gboolean          whole;            /* the first argument is an integer */
  gboolean          anywhere;         /* both also take arguments of any magnitude */
  double            bound_f32, bound_f64;
} Binary;

static const Binary binaries[] = {
  { "atan2", GHLO_OP_STABLEHLO_ATAN2, mpfr_atan2, { -10, -10 }, { 10, 10 }, FALSE, TRUE, 0.51, 0.6 },
  { "divide", GHLO_OP_STABLEHLO_DIVIDE, mpfr_div, { -10, -10 }, { 10, 10 }, FALSE, TRUE, 0.5, 0.5 },
  { "power", GHLO_OP_STABLEHLO_POWER, mpfr_pow, { 0, -30 }, { 10, 30 }, FALSE, TRUE, 0.51, 0.6 },
  { "remainder", GHLO_OP_STABLEHLO_REMAINDER, mpfr_fmod, { -1e6, -10 }, { 1e6, 10 }, FALSE, FALSE, 0.5, 0.5 },
  { "zeta", GHLO_OP_CHLO_ZETA, accuracy_zeta, { 1, 0 }, { 40, 40 }, FALSE, FALSE, 0.51, 0.52 },
  { "polygamma", GHLO_OP_CHLO_POLYGAMMA, accuracy_polygamma, { 1, 0 }, { 30, 40 }, TRUE, FALSE, 0.51, 0.52 },
};

typedef struct
{
  const char      *name;
  GhloIrOpKind     kind;
  AccuracyComplex  function;
  double           extent;      /* of ordinary parts */
  int              exponent;    /* parts have magnitudes of up to 2^±exponent */
  double           bound_f32, bound_f64;
  gboolean         of_modulus;  /* errors of both parts are in ULPs of the modulus */
} Complex;

static const Complex complexes[] = {
  { "complex exponential", GHLO_OP_STABLEHLO_EXPONENTIAL, accuracy_complex_exp, 20, 9, 0.51, 0.51 },
  { "complex exponential_minus_one", GHLO_OP_STABLEHLO_EXPONENTIAL_MINUS_ONE, accuracy_complex_expm1, 20, 9,
    0.51, 0.51, TRUE },
  { "complex log", GHLO_OP_STABLEHLO_LOG, accuracy_complex_log, 2, 400, 0.51, 0.51 },
  { "complex log_plus_one", GHLO_OP_STABLEHLO_LOG_PLUS_ONE, accuracy_complex_log1p, 2, 400, 0.51, 0.51 },
  { "complex sqrt", GHLO_OP_STABLEHLO_SQRT, accuracy_complex_sqrt, 10, 400, 0.51, 0.51 },
  { "complex rsqrt", GHLO_OP_STABLEHLO_RSQRT, accuracy_complex_rsqrt, 10, 200, 0.51, 0.52 },
  { "complex sine", GHLO_OP_STABLEHLO_SINE, accuracy_complex_sin, 20, 9, 0.51, 0.51 },
  { "complex cosine", GHLO_OP_STABLEHLO_COSINE, accuracy_complex_cos, 20, 9, 0.51, 0.51 },
  { "complex tanh", GHLO_OP_STABLEHLO_TANH, accuracy_complex_tanh, 5, 9, 0.51, 0.52 },
  { "complex tan", GHLO_OP_STABLEHLO_TAN, accuracy_complex_tan, 5, 9, 0.51, 0.52 },
  { "complex asin", GHLO_OP_CHLO_ASIN, accuracy_complex_asin, 3, 60, 0.51, 0.52 },
  { "complex acos", GHLO_OP_CHLO_ACOS, accuracy_complex_acos, 3, 60, 0.51, 0.52 },
  { "complex asinh", GHLO_OP_CHLO_ASINH, accuracy_complex_asinh, 3, 60, 0.51, 0.52 },
  { "complex acosh", GHLO_OP_CHLO_ACOSH, accuracy_complex_acosh, 3, 60, 0.51, 0.52 },
  { "complex atan", GHLO_OP_CHLO_ATAN, accuracy_complex_atan, 3, 60, 0.51, 0.52 },
  { "complex atanh", GHLO_OP_CHLO_ATANH, accuracy_complex_atanh, 3, 60, 0.51, 0.52 },
  { "complex square", GHLO_OP_CHLO_SQUARE, accuracy_complex_square, 10, 400, 0.51, 0.51 },
  { "complex sinh", GHLO_OP_CHLO_SINH, accuracy_complex_sinh, 20, 9, 0.51, 0.51 },
  { "complex cosh", GHLO_OP_CHLO_COSH, accuracy_complex_cosh, 20, 9, 0.51, 0.51 },
  { "complex logistic", GHLO_OP_STABLEHLO_LOGISTIC, accuracy_complex_logistic, 2, 1, 0.51, 0.52, TRUE },
};

typedef struct
{
  const char       *name;
  GhloIrOpKind      kind;
  AccuracyComplex2  function;
  gboolean          of_modulus;
  double            bound_f32, bound_f64;
} Complex2;

static const Complex2 complexes_2[] = {
  { "complex multiply", GHLO_OP_STABLEHLO_MULTIPLY, accuracy_complex_multiply, FALSE, 0.51, 0.51 },
  { "complex divide", GHLO_OP_STABLEHLO_DIVIDE, accuracy_complex_divide, FALSE, 0.51, 0.51 },
  { "complex power", GHLO_OP_STABLEHLO_POWER, accuracy_complex_power, TRUE, 0.51, 1 },
};

static guint
n_samples (void)
{
  const char *text = g_getenv ("GHLO_TEST_SAMPLES");

  return text != NULL ? (guint) g_ascii_strtoull (text, NULL, 10) : DEFAULT_SAMPLES;
}

static double
as_type (GhloElementType type,
         double          value)
{
  return type == GHLO_ELEMENT_TYPE_F32 ? (float) value : value;
}

/* The ULP of a value of this magnitude, as a power of two. */
static mpfr_exp_t
last_place (GhloElementType type,
            mpfr_srcptr     exact)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  mpfr_exp_t least = 1 - info->bias;

  /* The exponent is bounded first, since MPFR's range is as wide as the type mpfr_exp_t. */
  return (mpfr_zero_p (exact) ? least : MAX (mpfr_get_exp (exact) - 1, least)) - info->mantissa_bits;
}

/* The distance of @value from @exact in ULPs of the larger of @exact and @measure. */
static double
ulps (GhloElementType type,
      double          value,
      mpfr_srcptr     exact,
      double          measure)
{
  double nearest = type == GHLO_ELEMENT_TYPE_F32 ? mpfr_get_flt (exact, MPFR_RNDN) : mpfr_get_d (exact, MPFR_RNDN);
  double distance;
  mpfr_exp_t place;
  mpfr_t difference;

  if (isnan (value) || isnan (nearest))
    return isnan (value) && isnan (nearest) ? 0 : INFINITY;
  if (isinf (value) || isinf (nearest))
    return value == nearest ? 0 : INFINITY;

  mpfr_init2 (difference, PRECISION);
  mpfr_set_d (difference, measure, MPFR_RNDN);
  place = last_place (type, mpfr_cmpabs (exact, difference) < 0 ? difference : exact);
  mpfr_sub_d (difference, exact, value, MPFR_RNDN);
  mpfr_mul_2si (difference, difference, -place, MPFR_RNDN);
  distance = fabs (mpfr_get_d (difference, MPFR_RNDN));
  mpfr_clear (difference);

  return distance;
}

/* Numbers of any magnitude: all bits are random. */
static double
random_bits (GhloElementType type)
{
  guint64 bits = (guint64) g_test_rand_int () << 32 | (guint32) g_test_rand_int ();

  return ghlo_float_from_bits (type, type == GHLO_ELEMENT_TYPE_F32 ? bits >> 32 : bits);
}

static double
random_below (int exponent)
{
  double value = ldexp (g_test_rand_double_range (1, 2), g_test_rand_int_range (-exponent, exponent + 1));

  return g_test_rand_bit () ? value : -value;
}

static double
sample (GhloElementType type,
        guint           i,
        double          low,
        double          high,
        double          least,
        double          greatest)
{
  double x;

  switch (i % 4)
    {
    case 0:
    case 1:
      return as_type (type, g_test_rand_double_range (low, high));
    case 2:
      /* Close to the ends, to 0 and to 1. */
      x = ldexp (g_test_rand_double_range (-1, 1), -g_test_rand_int_range (0, 60));
      x += (const double[]) { low, high, 0, 1 }[g_test_rand_int_range (0, 4)];
      x = as_type (type, x);
      break;
    default:
      x = random_bits (type);
    }

  return x > least && x < greatest ? x : as_type (type, (low + high) / 2);
}

static double
worst_unary (const Unary     *unary,
             GhloElementType  type,
             double          *where)
{
  GhloRefScalarOp op;
  GhloRefScalarFunc func = ghlo_ref_scalar_func_for (unary->kind, type, type, &op);
  double worst = 0;
  mpfr_t exact;

  g_assert_nonnull (func);
  mpfr_init2 (exact, PRECISION);
  for (guint i = 0; i < n_samples (); i++)
    {
      GhloScalar x = { .f = sample (type, i, unary->low, unary->high, unary->least, unary->greatest) };
      double distance;

      mpfr_set_d (exact, x.f, MPFR_RNDN);
      unary->function (exact, exact, MPFR_RNDN);
      distance = ulps (type, func (&op, &x).f, exact, unary->measure);
      if (distance > worst)
        {
          worst = distance;
          *where = x.f;
        }
    }
  mpfr_clear (exact);

  return worst;
}

static void
test_unary (gconstpointer data)
{
  static const GhloElementType types[] = { GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F64 };
  const Unary *unary = data;

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      double where = NAN, worst = worst_unary (unary, types[i], &where);

      g_test_message ("%s of %s: %.4f ulp at %.17g", unary->name, ghlo_element_type_to_string (types[i]), worst, where);
      g_assert_cmpfloat (worst, <=, i == 0 ? unary->bound_f32 : unary->bound_f64);
    }
}

static double
worst_binary (const Binary    *binary,
              GhloElementType  type,
              double          *where)
{
  GhloRefScalarOp op;
  GhloRefScalarFunc func = ghlo_ref_scalar_func_for (binary->kind, type, type, &op);
  double worst = 0;
  mpfr_t x, y, exact;

  g_assert_nonnull (func);
  mpfr_inits2 (PRECISION, x, y, exact, NULL);
  for (guint i = 0; i < n_samples (); i++)
    {
      GhloScalar operands[2];
      double distance;

      for (guint k = 0; k < 2; k++)
        operands[k].f = binary->anywhere && i % 4 == 3 ? random_bits (type)
                        : as_type (type, g_test_rand_double_range (binary->low[k], binary->high[k]));
      if (binary->whole)
        operands[0].f = floor (operands[0].f);

      mpfr_set_d (x, operands[0].f, MPFR_RNDN);
      mpfr_set_d (y, operands[1].f, MPFR_RNDN);
      binary->function (exact, x, y, MPFR_RNDN);
      distance = ulps (type, func (&op, operands).f, exact, 0);
      if (distance > worst)
        {
          worst = distance;
          where[0] = operands[0].f;
          where[1] = operands[1].f;
        }
    }
  mpfr_clears (x, y, exact, NULL);

  return worst;
}

static void
test_binary (gconstpointer data)
{
  static const GhloElementType types[] = { GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F64 };
  const Binary *binary = data;

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      double where[2] = { NAN, NAN }, worst = worst_binary (binary, types[i], where);

      g_test_message ("%s of %s: %.4f ulp at (%.17g, %.17g)", binary->name, ghlo_element_type_to_string (types[i]),
                      worst, where[0], where[1]);
      g_assert_cmpfloat (worst, <=, i == 0 ? binary->bound_f32 : binary->bound_f64);
    }
}

static double
modulus (mpfr_srcptr re,
         mpfr_srcptr im)
{
  return hypot (mpfr_get_d (re, MPFR_RNDN), mpfr_get_d (im, MPFR_RNDN));
}

static double
worst_complex (const Complex   *complex,
               GhloElementType  type,
               double          *where)
{
  GhloElementType part = ghlo_element_type_real_part (type);
  int exponent = part == GHLO_ELEMENT_TYPE_F32 ? MIN (complex->exponent, 120) : complex->exponent;
  GhloRefScalarOp op;
  GhloRefScalarFunc func = ghlo_ref_scalar_func_for (complex->kind, type, type, &op);
  double worst = 0;
  mpfr_t re, im;

  g_assert_nonnull (func);
  mpfr_inits2 (ACCURACY_COMPLEX_PRECISION, re, im, NULL);
  for (guint i = 0; i < n_samples () / 4; i++)
    {
      GhloScalar z, result;
      double distance, measure;

      z.c.re = i % 2 ? random_below (exponent) : g_test_rand_double_range (-complex->extent, complex->extent);
      z.c.im = i % 2 ? random_below (exponent) : g_test_rand_double_range (-complex->extent, complex->extent);
      /* On the unit circle, where logarithms vanish. */
      if (i % 8 == 0)
        {
          double norm = hypot (z.c.re, z.c.im);

          z.c.re /= norm;
          z.c.im /= norm;
        }
      z.c.re = as_type (part, z.c.re);
      z.c.im = as_type (part, z.c.im);

      mpfr_set_d (re, z.c.re, MPFR_RNDN);
      mpfr_set_d (im, z.c.im, MPFR_RNDN);
      complex->function (re, im);
      result = func (&op, &z);
      measure = complex->of_modulus ? modulus (re, im) : 0;
      distance = MAX (ulps (part, result.c.re, re, measure), ulps (part, result.c.im, im, measure));
      if (distance > worst && isfinite (measure))
        {
          worst = distance;
          where[0] = z.c.re;
          where[1] = z.c.im;
        }
    }
  mpfr_clears (re, im, NULL);

  return worst;
}

static void
test_complex (gconstpointer data)
{
  static const GhloElementType types[] = { GHLO_ELEMENT_TYPE_COMPLEX_F32, GHLO_ELEMENT_TYPE_COMPLEX_F64 };
  const Complex *complex = data;

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      double where[2] = { NAN, NAN }, worst = worst_complex (complex, types[i], where);

      g_test_message ("%s of %s: %.4f ulp at (%.17g, %.17g)", complex->name, ghlo_element_type_to_string (types[i]),
                      worst, where[0], where[1]);
      g_assert_cmpfloat (worst, <=, i == 0 ? complex->bound_f32 : complex->bound_f64);
    }
}

static double
worst_complex_2 (const Complex2  *complex,
                 GhloElementType  type,
                 double          *where)
{
  GhloElementType part = ghlo_element_type_real_part (type);
  GhloRefScalarOp op;
  GhloRefScalarFunc func = ghlo_ref_scalar_func_for (complex->kind, type, type, &op);
  double worst = 0;
  mpfr_t re, im, by_re, by_im;

  g_assert_nonnull (func);
  mpfr_inits2 (ACCURACY_COMPLEX_PRECISION, re, im, by_re, by_im, NULL);
  for (guint i = 0; i < n_samples () / 4; i++)
    {
      double parts[4], distance, measure;
      GhloScalar z[2], result;

      for (guint k = 0; k < 4; k++)
        parts[k] = as_type (part, g_test_rand_double_range (-8, 8));
      /* Products that nearly cancel. */
      if (i % 2)
        parts[2] = as_type (part, parts[1] * parts[3] / parts[0]);
      z[0].c.re = parts[0];
      z[0].c.im = parts[1];
      z[1].c.re = parts[2];
      z[1].c.im = parts[3];
      mpfr_set_d (re, parts[0], MPFR_RNDN);
      mpfr_set_d (im, parts[1], MPFR_RNDN);
      mpfr_set_d (by_re, parts[2], MPFR_RNDN);
      mpfr_set_d (by_im, parts[3], MPFR_RNDN);

      complex->function (re, im, by_re, by_im);
      result = func (&op, z);
      measure = complex->of_modulus ? modulus (re, im) : 0;
      distance = MAX (ulps (part, result.c.re, re, measure), ulps (part, result.c.im, im, measure));
      if (distance > worst && isfinite (measure))
        {
          worst = distance;
          memcpy (where, parts, sizeof parts);
        }
    }
  mpfr_clears (re, im, by_re, by_im, NULL);

  return worst;
}

static void
test_complex_2 (gconstpointer data)
{
  static const GhloElementType types[] = { GHLO_ELEMENT_TYPE_COMPLEX_F32, GHLO_ELEMENT_TYPE_COMPLEX_F64 };
  const Complex2 *complex = data;

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      double where[4] = { NAN, NAN, NAN, NAN }, worst = worst_complex_2 (complex, types[i], where);

      g_test_message ("%s of %s: %.4f ulp at (%.17g, %.17g), (%.17g, %.17g)", complex->name,
                      ghlo_element_type_to_string (types[i]), worst, where[0], where[1], where[2], where[3]);
      g_assert_cmpfloat (worst, <=, i == 0 ? complex->bound_f32 : complex->bound_f64);
    }
}

#define ADD(rows, test) \
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) \
    { \
      g_autofree char *path = g_strdup_printf ("/accuracy/%s", rows[i].name); \
      g_test_add_data_func (path, &rows[i], test); \
    }

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  ADD (unaries, test_unary)
  ADD (binaries, test_binary)
  ADD (complexes, test_complex)
  ADD (complexes_2, test_complex_2)

  return g_test_run ();
}
