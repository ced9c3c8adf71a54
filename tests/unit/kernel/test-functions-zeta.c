/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The Hurwitz zeta function and the polygamma functions of f32 and f64, compared with the reference executor's in long
 * double: special values at all pairs of edges, and accuracy where the result is sensitive to the operands. Left of 0
 * the terms of odd powers cancel; there the error is counted in ULPs of the largest term, or of a part of it.
 */

#include <float.h>
#include <math.h>

#include "cpu/isa/elementwise.h"
#include "kernel/kernel.h"
#include "reference/scalar/special.h"

typedef struct
{
  GhloCpuNumber number;
  int           digits, least_exponent;         /* of normal numbers */
  long double   infinity;                       /* the number after the largest finite one */
  long double   part;                           /* as a fraction of the largest term */
} Type;

static const Type types[] = {
  { GHLO_CPU_NUMBER_F32, FLT_MANT_DIG, FLT_MIN_EXP, 0x1p128L, 0x1p-6L },
  { GHLO_CPU_NUMBER_F64, DBL_MANT_DIG, DBL_MIN_EXP, 0x1p1024L, 1 },
};

static double
as_type (const Type *type,
         double      x)
{
  return type->number == GHLO_CPU_NUMBER_F32 ? (float) x : x;
}

static double
run_loop (const Type  *type,
          GhloNodeKind kind,
          double       x,
          double       y)
{
  GhloCpuElementwiseFunc loop = ghlo_cpu_elementwise_routines ()->functions[type->number][kind];
  const float singles[] = { (float) x, (float) y };
  const guint8 *single_operands[] = { (const guint8 *) &singles[0], (const guint8 *) &singles[1] };
  const guint8 *operands[] = { (const guint8 *) &x, (const guint8 *) &y };
  float single;
  double result;

  if (type->number == GHLO_CPU_NUMBER_F64)
    {
      loop (operands, (guint8 *) &result, 1, NULL);
      return result;
    }
  loop (single_operands, (guint8 *) &single, 1, NULL);

  return single;
}

/* The number in whose ULPs the error is counted, if it is larger than the result. */
static long double
measure_of (const Type  *type,
            GhloNodeKind kind,
            double       x,
            double       y)
{
  double s = kind == GHLO_NODE_ZETA ? x : x + 1;
  long double distance = y - rint (y);

  if (kind == GHLO_NODE_POLYGAMMA && x == 0)
    return y < 0 ? type->part : 0;
  if (!(y < 0) || fmod (x, 2) != (kind == GHLO_NODE_ZETA) || !isfinite (y))
    return 0;

  return type->part * powl (fabsl (distance), -s) * (kind == GHLO_NODE_ZETA ? 1 : tgammal (s));
}

/* The distance in ULPs of @exact or of @measure. Zeros must have its sign. */
static double
distance (const Type *type,
          double      found,
          long double exact,
          long double measure)
{
  double nearest = as_type (type, (double) exact);
  long double value = isinf (found) ? copysignl (type->infinity, found) : found;
  int exponent;

  if (isnan (found) || isnan (nearest))
    return isnan (found) && isnan (nearest) ? 0 : INFINITY;
  if (found == nearest && (isinf (nearest) || exact == 0))
    return !signbit (found) == !signbit (nearest) ? 0 : INFINITY;
  if (found == 0 && !signbit (found) != !signbit (nearest) && !(measure > fabsl (exact)))
    return INFINITY;
  if (isinf (nearest))
    exact = copysignl (type->infinity, exact);
  frexpl (MIN (MAX (fabsl (exact), measure), type->infinity / 2), &exponent);

  return (double) (fabsl (value - exact) / ldexpl (1, MAX (exponent, type->least_exponent) - type->digits));
}

typedef struct
{
  double worst, x, y, found;
  long double exact;
} Measured;

static void
measure (const Type  *type,
         GhloNodeKind kind,
         double       x,
         double       y,
         Measured    *result)
{
  long double exact, unit;
  double found, error;

  x = as_type (type, x);
  y = as_type (type, y);
  unit = measure_of (type, kind, x, y);
  /* The terms that cancel exceed the type's range. */
  if (unit / type->part >= type->infinity)
    return;
  exact = kind == GHLO_NODE_ZETA ? ghlo_ref_zeta (x, y) : ghlo_ref_polygamma (x, y);
  found = run_loop (type, kind, x, y);
  error = distance (type, found, exact, unit);
  if (error > result->worst)
    *result = (Measured) { error, x, y, found, exact };
}

static void
check_measured (const Type     *type,
                GhloNodeKind    kind,
                const char     *what,
                const Measured *measured,
                double          ulps)
{
  g_test_message ("%s of f%d, %s: %.4f units at (%.17g, %.17g), expected %.20Lg, found %.17g",
                  ghlo_node_spec (kind)->name, type->digits == FLT_MANT_DIG ? 32 : 64, what, measured->worst,
                  measured->x, measured->y, measured->exact, measured->found);
  if (!(measured->worst <= ulps))
    g_test_fail ();
}

static void
test_edges (void)
{
  static const double edges[] = {
    NAN, INFINITY, 0, 1, 2, 3, 4, 7, 8, 20, 33, 34, 35, 169, 170, 171, 1e5, 100001, 0.5, 0.25, 2.5, 7.5, 1.5, 1000.25,
    1e-30, 1e30, 0x1p-1022, 0x1p-1074, 0x1.fffffffffffffp1023, 0x1.fffffep127, 0x1p-126, 0x1p-149, 0x1.000002p0,
    0x1.0000000000001p0, 0x1.fffffep-1, 0x1.fffffffffffffp-1, 8388608, 0x1p53, 0x1p64, 0x1p70, 0x1.fffffcp22,
  };
  static const GhloNodeKind kinds[] = { GHLO_NODE_ZETA, GHLO_NODE_POLYGAMMA };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint f = 0; f < G_N_ELEMENTS (kinds); f++)
      {
        Measured measured = { 0 };

        for (guint i = 0; i < 4 * G_N_ELEMENTS (edges) * G_N_ELEMENTS (edges); i++)
          measure (&types[t], kinds[f], edges[i / 4 % G_N_ELEMENTS (edges)] * (i % 2 == 0 ? 1 : -1),
                   edges[i / 4 / G_N_ELEMENTS (edges)] * (i / 2 % 2 == 0 ? 1 : -1), &measured);
        check_measured (&types[t], kinds[f], "edges", &measured, 4.5);
      }
}

static double
sample_place (guint i)
{
  switch (i % 4)
    {
    case 0:
      return g_test_rand_double_range (-30, 30);
    case 1:
      return g_test_rand_double_range (0, 10);
    case 2:
      return exp (g_test_rand_double_range (-10, 10));
    default:
      return g_test_rand_int_range (-20, 0)
             + ldexp (g_test_rand_double_range (-0.5, 0.5), -g_test_rand_int_range (0, 20));
    }
}

static double
sample_power (guint i)
{
  switch (i % 4)
    {
    case 0:
      return g_test_rand_int_range (0, 12);
    case 1:
      return g_test_rand_int_range (0, 100);
    case 2:
      return 1 + exp (g_test_rand_double_range (-10, 6));
    default:
      return g_test_rand_double_range (1, 10);
    }
}

static void
test_accuracy (void)
{
  enum { N = 40000 };
  static const double bounds[][2] = { { 1, 1 }, { 6.5, 6.5 } };

  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint f = 0; f < 2; f++)
      {
        GhloNodeKind kind = f == 0 ? GHLO_NODE_ZETA : GHLO_NODE_POLYGAMMA;
        Measured measured = { 0 };

        for (guint i = 0; i < N; i++)
          {
            double power = sample_power (i);

            measure (&types[t], kind, kind == GHLO_NODE_ZETA ? power : floor (power), sample_place (i / 4), &measured);
          }
        check_measured (&types[t], kind, "samples", &measured, bounds[t][f]);
      }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/functions-zeta/edges", test_edges);
  g_test_add_func ("/functions-zeta/accuracy", test_accuracy);

  return g_test_run ();
}
