/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of f64 whose true value near their zeros needs more digits than long double has, compared with MPFR: random
 * operands of all magnitudes, and the surroundings of poles and zeros. Near zeros between poles the error is counted in
 * ULPs of a larger number (see measure), as there the rounding of the operand itself dominates.
 */

#include <math.h>

#include <mpfr.h>

#include "../reference/accuracy-functions.h"
#include "cpu/isa/elementwise.h"
#include "kernel/kernel.h"

enum { PRECISION = 320, N = 3000 };

static const struct
{
  GhloNodeKind     kind;
  AccuracyFunction exact;
  double           least, most;
  double           ulps;
  double           measure;     /* of negative operands */
} functions[] = {
  { GHLO_NODE_LGAMMA, accuracy_lgamma, -25, 200, 1.1, 0.25 },
  { GHLO_NODE_DIGAMMA, accuracy_digamma, -25, 200, 1.5, 0.5 },
  { GHLO_NODE_BESSEL_I1E, accuracy_bessel_i1e, -300, 300, 1.9, 0 },
};

/* The distance of @found from @exact in ULPs. */
static double
distance (double      found,
          mpfr_srcptr exact,
          double      measure)
{
  double nearest = mpfr_get_d (exact, MPFR_RNDN), size = MAX (fabs (nearest), measure), result;
  mpfr_t difference;
  int exponent;

  if (isnan (nearest) || isinf (nearest) || isnan (found) || isinf (found))
    return found == nearest || (isnan (found) && isnan (nearest)) ? 0 : INFINITY;
  frexp (size, &exponent);
  mpfr_init2 (difference, PRECISION);
  mpfr_sub_d (difference, exact, found, MPFR_RNDN);
  mpfr_mul_2si (difference, difference, 53 - MAX (exponent, -1021), MPFR_RNDN);
  result = fabs (mpfr_get_d (difference, MPFR_RNDN));
  mpfr_clear (difference);

  return result;
}

static double
sample (guint f,
        guint i)
{
  double x = g_test_rand_double_range (functions[f].least, functions[f].most);

  switch (i % 4)
    {
    case 0:
      return x;
    case 1:
      /* Near integers. */
      return round (x / 8) + ldexp (g_test_rand_double_range (-1, 1), g_test_rand_int_range (-50, 0));
    case 2:
      return ldexp (x, g_test_rand_int_range (-1060, 1));
    default:
      return g_test_rand_double_range (functions[f].least / 5, 5);
    }
}

static void
check (guint  f,
       double x,
       mpfr_t exact)
{
  const guint8 *operands[] = { (const guint8 *) &x };
  double found, error;

  ghlo_cpu_elementwise_routines ()->functions[GHLO_CPU_NUMBER_F64][functions[f].kind] (operands, (guint8 *) &found, 1,
                                                                                       NULL);
  mpfr_set_d (exact, x, MPFR_RNDN);
  functions[f].exact (exact, exact, MPFR_RNDN);
  error = distance (found, exact, x < 0 ? functions[f].measure : 0);
  if (!(error <= functions[f].ulps))
    g_error ("%s (%.17g): expected %.17g, found %.17g, which is %g units off", ghlo_node_spec (functions[f].kind)->name,
             x, mpfr_get_d (exact, MPFR_RNDN), found, error);
}

static void
test_samples (void)
{
  mpfr_t exact;

  mpfr_init2 (exact, PRECISION);
  for (guint f = 0; f < G_N_ELEMENTS (functions); f++)
    for (guint i = 0; i < N; i++)
      check (f, sample (f, i), exact);
  mpfr_clear (exact);
}

/* Finds where the function changes its sign between @low and @high, and checks the two adjacent numbers and some
 * beyond. */
static void
check_zero (guint  f,
            double low,
            double high,
            mpfr_t exact)
{
  int sign;

  mpfr_set_d (exact, low, MPFR_RNDN);
  functions[f].exact (exact, exact, MPFR_RNDN);
  sign = mpfr_sgn (exact);
  for (double middle = (low + high) / 2; middle != low && middle != high; middle = (low + high) / 2)
    {
      mpfr_set_d (exact, middle, MPFR_RNDN);
      functions[f].exact (exact, exact, MPFR_RNDN);
      if (mpfr_sgn (exact) == sign)
        low = middle;
      else
        high = middle;
    }
  for (guint i = 0; i < 5; i++, low = nextafter (low, -INFINITY), high = nextafter (high, INFINITY))
    {
      check (f, low, exact);
      check (f, high, exact);
    }
}

/* Digamma has one zero between any two poles, and the logarithm of the gamma function has two, left of -2: near
 * digamma's zero it has its minimum, which is below 0 there. */
static void
test_zeros (void)
{
  mpfr_t exact;

  mpfr_init2 (exact, PRECISION);
  for (int k = 1; k < 20; k++)
    check_zero (1, -k + 0x1p-30, -k + 1 - 0x1p-30, exact);
  check_zero (1, 1, 2, exact);
  for (int k = 3; k < 12; k++)
    {
      check_zero (0, -k + 0x1p-50, -k + 0.4, exact);
      check_zero (0, -k + 0.4, -k + 1 - 0x1p-50, exact);
    }
  mpfr_clear (exact);
}

/* Functions of two positive operands; the first operand of polygamma functions is an integer. */
static void
test_zeta (void)
{
  static const struct
  {
    GhloNodeKind      kind;
    AccuracyFunction2 exact;
  } binaries[] = { { GHLO_NODE_ZETA, accuracy_zeta }, { GHLO_NODE_POLYGAMMA, accuracy_polygamma } };
  const double ulps = 6.5;
  mpfr_t exact, first, second;

  mpfr_inits2 (PRECISION, exact, first, second, NULL);
  for (guint f = 0; f < G_N_ELEMENTS (binaries); f++)
    for (guint i = 0; i < N; i++)
      {
        double x = g_test_rand_double_range (1, 40), y = ldexp (g_test_rand_double_range (0.5, 1), 6 - (int) i % 20);
        const guint8 *operands[] = { (const guint8 *) &x, (const guint8 *) &y };
        double found, error;

        x = f == 1 ? floor (x) : x;
        ghlo_cpu_elementwise_routines ()->functions[GHLO_CPU_NUMBER_F64][binaries[f].kind] (operands,
                                                                                            (guint8 *) &found, 1, NULL);
        mpfr_set_d (first, x, MPFR_RNDN);
        mpfr_set_d (second, y, MPFR_RNDN);
        binaries[f].exact (exact, first, second, MPFR_RNDN);
        error = distance (found, exact, 0);
        if (!(error <= ulps))
          g_error ("%s (%.17g, %.17g): expected %.17g, found %.17g, which is %g units off",
                   ghlo_node_spec (binaries[f].kind)->name, x, y, mpfr_get_d (exact, MPFR_RNDN), found, error);
      }
  mpfr_clears (exact, first, second, NULL);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/functions-mpfr/samples", test_samples);
  g_test_add_func ("/functions-mpfr/zeros", test_zeros);
  g_test_add_func ("/functions-mpfr/zeta", test_zeta);

  return g_test_run ();
}
