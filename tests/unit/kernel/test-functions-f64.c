/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of f64 that are expanded into nodes are within their error bounds of the true value, computed in long
 * double: at random operands and at hard ones, which are near zeros, poles and ones, powers of two, multiples of a
 * quarter turn, and where results overflow or are subnormal. Special values are those of the C library.
 *
 *   test-functions-f64 --dense [NAME…]
 *
 * takes 100 times as many, on one processor, and prints the greatest error of each and where it is.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/isa/elementwise.h"
#include "kernel/expand.h"
#include "reference/scalar/special.h"

#include "../samples.h"

typedef long double (*Exact) (long double x,
                              long double y);

#define EXACT(name, expression) \
  static long double \
  exact_##name (long double x, \
                long double y G_GNUC_UNUSED) \
  { \
    return expression; \
  }

EXACT (exponential, expl (x))
EXACT (exponential_minus_one, expm1l (x))
EXACT (log, logl (x))
EXACT (log_plus_one, log1pl (x))
EXACT (tanh, tanhl (x))
EXACT (logistic, x < 0 ? expl (x) / (1 + expl (x)) : 1 / (1 + expl (-x)))
EXACT (erf, erfl (x))
EXACT (erfc, erfcl (x))
EXACT (erf_inv, ghlo_ref_erf_inv (x))
EXACT (sine, sinl (x))
EXACT (cosine, cosl (x))
EXACT (tan, tanl (x))
EXACT (asin, asinl (x))
EXACT (acos, acosl (x))
EXACT (atan, atanl (x))
EXACT (atan2, atan2l (x, y))
EXACT (sinh, sinhl (x))
EXACT (cosh, coshl (x))
EXACT (asinh, asinhl (x))
EXACT (acosh, acoshl (x))
EXACT (atanh, atanhl (x))
EXACT (power, powl (x, y))
EXACT (cbrt, cbrtl (x))
EXACT (rsqrt, 1 / sqrtl (x))
EXACT (lgamma, ghlo_ref_lgamma (x))
EXACT (digamma, ghlo_ref_digamma (x))
EXACT (bessel_i1e, ghlo_ref_bessel_i1e (x))
EXACT (remainder_float, fmodl (x, y))

/* The largest error in ULPs, rounded up from what --dense measured, and the range of ordinary operands. */
static const struct
{
  GhloNodeKind kind;
  Exact        exact;
  double       ulps;
  double       least, most;
  double       measure;         /* errors of smaller results for negative operands are in ULPs of this number */
} functions[] = {
  { GHLO_NODE_EXPONENTIAL, exact_exponential, 0.95, -746, 710 },
  { GHLO_NODE_EXPONENTIAL_MINUS_ONE, exact_exponential_minus_one, 1.35, -40, 710 },
  { GHLO_NODE_LOG, exact_log, 0.8, 0, 4 },
  { GHLO_NODE_LOG_PLUS_ONE, exact_log_plus_one, 0.8, -1, 3 },
  { GHLO_NODE_TANH, exact_tanh, 1.05, -20, 20 },
  { GHLO_NODE_LOGISTIC, exact_logistic, 0.9, -746, 40 },
  { GHLO_NODE_ERF, exact_erf, 1.6, -6, 6 },
  { GHLO_NODE_ERFC, exact_erfc, 1.9, -6, 27.3 },
  { GHLO_NODE_ERF_INV, exact_erf_inv, 1.95, -1, 1 },
  { GHLO_NODE_SINE, exact_sine, 0.85, -100, 100 },
  { GHLO_NODE_COSINE, exact_cosine, 0.85, -100, 100 },
  { GHLO_NODE_TAN, exact_tan, 1, -100, 100 },
  { GHLO_NODE_ASIN, exact_asin, 0.75, -1, 1 },
  { GHLO_NODE_ACOS, exact_acos, 0.75, -1, 1 },
  { GHLO_NODE_ATAN, exact_atan, 0.75, -10, 10 },
  { GHLO_NODE_ATAN2, exact_atan2, 0.85, -10, 10 },
  { GHLO_NODE_SINH, exact_sinh, 0.85, -711, 711 },
  { GHLO_NODE_COSH, exact_cosh, 0.9, -711, 711 },
  { GHLO_NODE_ASINH, exact_asinh, 0.75, -10, 10 },
  { GHLO_NODE_ACOSH, exact_acosh, 0.75, 1, 20 },
  { GHLO_NODE_ATANH, exact_atanh, 0.75, -1, 1 },
  { GHLO_NODE_POWER, exact_power, 1.4, 0, 300 },
  { GHLO_NODE_CBRT, exact_cbrt, 0.51, -100, 100 },
  { GHLO_NODE_RSQRT, exact_rsqrt, 1.51, 0, 100 },
  { GHLO_NODE_LGAMMA, exact_lgamma, 1.1, -20, 20, 0.25 },
  { GHLO_NODE_DIGAMMA, exact_digamma, 1.5, -20, 20, 0.5 },
  { GHLO_NODE_BESSEL_I1E, exact_bessel_i1e, 1.9, -50, 50 },
  { GHLO_NODE_REMAINDER_FLOAT, exact_remainder_float, 0, -100, 100 },
};

/* The distance from @exact in f64 ULPs of the larger of @exact and @measure. Zeros must have its sign. Infinity
 * counts as the number after the largest finite one. */
static double
distance (double      found,
          long double exact,
          double      measure)
{
  double nearest = (double) exact;
  long double value = isinf (found) ? copysignl (0x1p1024L, found) : found;
  int exponent;

  if (isnan (found) || isnan (nearest))
    return isnan (found) && isnan (nearest) ? 0 : INFINITY;
  if (found == nearest && (isinf (nearest) || exact == 0))
    return !signbit (found) == !signbit (nearest) ? 0 : INFINITY;
  if (found == 0 && !signbit (found) != !signbit (exact))
    return INFINITY;
  if (isinf (nearest))
    exact = copysignl (MIN (fabsl (exact), 0x1p1024L), exact);
  frexpl (MAX (fabsl (exact), measure), &exponent);

  return (double) (fabsl (value - exact) / ldexpl (1, CLAMP (exponent, -1021, 1024) - 53));
}

static double
random_bits (void)
{
  guint64 bits = (guint64) g_test_rand_int () << 32 | (guint32) g_test_rand_int ();
  double value;

  memcpy (&value, &bits, sizeof value);

  return value;
}

static double
random_sign (double x)
{
  return g_test_rand_bit () ? x : -x;
}

static const double edges[] = {
  0, 1, 2, 3, 0.5, 0.25, 0.75, 0x1p-1022, 0x1p-1074, 0x1.fffffffffffffp1023, 0x1.fffffffffffffp-1,
  0x1.0000000000001p0, 0x1.ffffffffffffep-1023, 709.782712893384, 709.7827128933841, 710.4758600739439,
  710.475860073944, 745.1332191019411, 745.1332191019412, 708.3964185322641, 26.54325845425098,
  27.226017111108363, 0x1p52, 0x1p53, 0x1p54, 0x1p55, 0x1p60, 6381956970095103.0 * 0x1p797, 0x1.921fb54442d18p0,
  0x1.921fb54442d18p1, 0.785, 0.41421356237309503, INFINITY,
};

enum { N_EDGES = 2 * G_N_ELEMENTS (edges) + 1 };

static double
edge (guint i)
{
  if (i == N_EDGES - 1)
    return NAN;

  return i % 2 == 0 ? edges[i / 2] : -edges[i / 2];
}

static double
sample (guint  i,
        double least,
        double most)
{
  switch (i % 8)
    {
    case 0:
      return random_sign (1 + random_sign (ldexp (g_test_rand_double (), g_test_rand_int_range (-53, 0))));
    case 1:
      return random_sign (ldexp (1 + g_test_rand_double (), g_test_rand_int_range (-30, 12)));
    case 2:
      return random_sign (round (ldexp (g_test_rand_double (), g_test_rand_int_range (0, 60))) * G_PI_2);
    case 3:
      return random_bits ();
    case 4:
      return random_sign (ldexp (1 + ldexp (random_sign (g_test_rand_double ()), g_test_rand_int_range (-53, -1)),
                                 g_test_rand_int_range (-1074, 1023)));
    case 5:
      return g_test_rand_double_range (-1, 1);
    default:
      return g_test_rand_double_range (least, most);
    }
}

/* The second operand, chosen so that the power of @x is often an ordinary number. */
static double
sample_second (guint  i,
               double x)
{
  switch (i % 5)
    {
    case 0:
      return edge (g_test_rand_int_range (0, N_EDGES));
    case 1:
      return (double) g_test_rand_int_range (-40, 40);
    case 2:
      return g_test_rand_double_range (-800, 800) / log (fabs (x));
    case 3:
      return x * g_test_rand_double_range (-3, 3);
    default:
      return g_test_rand_double_range (-10, 10);
    }
}

typedef struct
{
  double worst, x, y, found;
} Measured;

static void
measure_chunk (guint                  f,
               GhloCpuElementwiseFunc loop,
               const double          *x,
               const double          *y,
               guint                  n,
               Measured              *result)
{
  const guint8 *operands[] = { (const guint8 *) x, (const guint8 *) y };
  g_autofree double *found = g_new (double, n);

  loop (operands, (guint8 *) found, n, NULL);
  for (guint i = 0; i < n; i++)
    {
      double error = distance (found[i], functions[f].exact (x[i], y[i]), x[i] < 0 ? functions[f].measure : 0);

      if (error > result->worst)
        *result = (Measured) { error, x[i], y[i], found[i] };
    }
}

/* All pairs of edges, or for functions of one number all edges, and @n samples. */
static Measured
measure (guint                  f,
         GhloCpuElementwiseFunc loop,
         guint                  n)
{
  enum { CHUNK = 1000 };
  const guint n_second = ghlo_node_spec (functions[f].kind)->n_operands > 1 ? N_EDGES : 1;
  Measured result = { 0, NAN, NAN, NAN };
  double x[CHUNK], y[CHUNK];

  for (guint i = 0; i < N_EDGES; i++)
    {
      for (guint k = 0; k < n_second; k++)
        {
          x[k] = edge (i);
          y[k] = edge (k);
        }
      measure_chunk (f, loop, x, y, n_second, &result);
    }
  for (guint begin = 0; begin < n; begin += CHUNK)
    {
      const guint n_chunk = MIN (CHUNK, n - begin);

      for (guint i = 0; i < n_chunk; i++)
        {
          x[i] = sample (begin + i, functions[f].least, functions[f].most);
          y[i] = sample_second (g_test_rand_int_range (0, 5), x[i]);
        }
      measure_chunk (f, loop, x, y, n_chunk, &result);
    }

  return result;
}

static GhloCpuElementwiseFunc
find_loop (GhloNodeKind kind)
{
  return ghlo_cpu_elementwise_routines ()->functions[GHLO_CPU_NUMBER_F64][kind];
}

static int
run_dense (int    n_names,
           char **names)
{
  enum { N = 5000000 };
  gboolean is_good = TRUE;

  for (guint f = 0; f < G_N_ELEMENTS (functions); f++)
    {
      const char *name = ghlo_node_spec (functions[f].kind)->name;
      GhloCpuElementwiseFunc loop = find_loop (functions[f].kind);
      gboolean is_wanted = n_names == 0;
      Measured measured;

      for (int k = 0; k < n_names; k++)
        is_wanted = is_wanted || g_str_equal (names[k], name);
      if (!is_wanted || loop == NULL)
        continue;
      measured = measure (f, loop, N);
      is_good = is_good && measured.worst <= functions[f].ulps;
      g_print ("%-24s %.4f ulp at %.17g, %.17g: %.17g%s\n", name, measured.worst, measured.x, measured.y,
               measured.found, measured.worst <= functions[f].ulps ? "" : ": TOO FAR");
    }

  return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void
test_accuracy (void)
{
  for (guint f = 0; f < G_N_ELEMENTS (functions); f++)
    {
      GhloCpuElementwiseFunc loop = find_loop (functions[f].kind);
      Measured measured;

      if (loop == NULL)
        continue;
      measured = measure (f, loop, choose_samples (50000, 50000));
      if (!(measured.worst <= functions[f].ulps))
        g_error ("%s (%.17g, %.17g): expected %.20Lg, found %.17g, which is %g units off",
                 ghlo_node_spec (functions[f].kind)->name, measured.x, measured.y,
                 functions[f].exact (measured.x, measured.y), measured.found, measured.worst);
    }
}

int
main (int   argc,
      char *argv[])
{
  gboolean is_dense = argc > 1 && g_str_equal (argv[1], "--dense");

  if (is_dense)
    {
      int one = 1;

      g_test_init (&one, &argv, NULL);
      return run_dense (argc - 2, argv + 2);
    }
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/functions-f64/accuracy", test_accuracy);

  return g_test_run ();
}
