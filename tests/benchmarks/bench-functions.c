/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The cost per element of elementary functions in f32 and f64, in nanoseconds: the least of many rounds, on one thread,
 * over rows of 1024 numbers in the L1 cache. For comparison, interleaved, SLEEF's vector functions with an error bound
 * of 1.0 ULP, where SLEEF is available and the level is avx2 (DNNL_MAX_CPU_ISA=AVX2).
 *
 *   bench-functions [NAME…]
 */

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cpu/isa/elementwise.h"
#include "cpu/isa/level.h"
#include "kernel/kernel.h"

#ifdef HAVE_SLEEF
#include <immintrin.h>
#include <sleef.h>
#endif

enum { N = 1024, ROUNDS = 400 };

typedef void (*Peer) (gconstpointer x, gconstpointer y, gpointer z);

typedef struct
{
  Peer f32, f64;
} Peers;

#ifdef HAVE_SLEEF
#define PEER_OF_TYPE(name, Element, vector, n_lanes, suffix, call) \
  static void \
  name (gconstpointer x_row, \
        gconstpointer y_row, \
        gpointer      z_row) \
  { \
    const Element *a = x_row, *b = y_row; \
    Element *to = z_row; \
\
    for (gsize i = 0; i < N; i += n_lanes) \
      { \
        vector x = _mm256_loadu_##suffix (a + i); \
        vector y G_GNUC_UNUSED = _mm256_loadu_##suffix (b + i); \
\
        _mm256_storeu_##suffix (to + i, call); \
      } \
  }

/* Calls of Sleef_NAMEf8_BOUND and Sleef_NAMEd4_BOUND on @operands. */
#define PEER(name, bound, operands) \
  PEER_OF_TYPE (peer_##name##_f32, float, __m256, 8, ps, Sleef_##name##f8_##bound operands) \
  PEER_OF_TYPE (peer_##name##_f64, double, __m256d, 4, pd, Sleef_##name##d4_##bound operands)

PEER (exp, u10avx2, (x))
PEER (expm1, u10avx2, (x))
PEER (log, u10avx2, (x))
PEER (log1p, u10avx2, (x))
PEER (tanh, u10avx2, (x))
PEER (erf, u10avx2, (x))
PEER (erfc, u15avx2, (x))
PEER (sin, u10avx2, (x))
PEER (cos, u10avx2, (x))
PEER (tan, u10avx2, (x))
PEER (asin, u10avx2, (x))
PEER (acos, u10avx2, (x))
PEER (atan, u10avx2, (x))
PEER (atan2, u10avx2, (x, y))
PEER (sinh, u10avx2, (x))
PEER (cosh, u10avx2, (x))
PEER (asinh, u10avx2, (x))
PEER (acosh, u10avx2, (x))
PEER (atanh, u10avx2, (x))
PEER (pow, u10avx2, (x, y))
PEER (cbrt, u10avx2, (x))
PEER (lgamma, u10avx2, (x))
PEER (fmod, avx2, (x, y))
#define PEERS(name) { peer_##name##_f32, peer_##name##_f64 }
#else
#define PEERS(name) { NULL, NULL }
#endif

static const struct
{
  GhloNodeKind kind;
  double       low, high;       /* of operands */
  Peers        peers;
  const char  *what;            /* a note on the operands; nullable */
} functions[] = {
  { GHLO_NODE_EXPONENTIAL, -10, 10, PEERS (exp) },
  { GHLO_NODE_EXPONENTIAL, -2000, -1000, PEERS (exp), " = 0" },
  { GHLO_NODE_EXPONENTIAL_MINUS_ONE, -10, 10, PEERS (expm1) },
  { GHLO_NODE_LOG, 0, 10, PEERS (log) },
  { GHLO_NODE_LOG_PLUS_ONE, 0, 10, PEERS (log1p) },
  { GHLO_NODE_TANH, -5, 5, PEERS (tanh) },
  { GHLO_NODE_LOGISTIC, -10, 10, { NULL, NULL } },
  { GHLO_NODE_ERF, -4, 4, PEERS (erf) },
  { GHLO_NODE_ERFC, -4, 4, PEERS (erfc) },
  { GHLO_NODE_ERF_INV, -1, 1, { NULL, NULL } },
  { GHLO_NODE_SINE, -10, 10, PEERS (sin) },
  { GHLO_NODE_COSINE, -10, 10, PEERS (cos) },
  { GHLO_NODE_TAN, -10, 10, PEERS (tan) },
  { GHLO_NODE_ASIN, -1, 1, PEERS (asin) },
  { GHLO_NODE_ACOS, -1, 1, PEERS (acos) },
  { GHLO_NODE_ATAN, -10, 10, PEERS (atan) },
  { GHLO_NODE_ATAN2, -10, 10, PEERS (atan2) },
  { GHLO_NODE_SINH, -10, 10, PEERS (sinh) },
  { GHLO_NODE_COSH, -10, 10, PEERS (cosh) },
  { GHLO_NODE_ASINH, -10, 10, PEERS (asinh) },
  { GHLO_NODE_ACOSH, 1, 10, PEERS (acosh) },
  { GHLO_NODE_ATANH, -1, 1, PEERS (atanh) },
  { GHLO_NODE_POWER, 0, 10, PEERS (pow) },
  { GHLO_NODE_CBRT, -10, 10, PEERS (cbrt) },
  { GHLO_NODE_RSQRT, 0, 10, { NULL, NULL } },
  { GHLO_NODE_LGAMMA, -10, 10, PEERS (lgamma) },
  { GHLO_NODE_DIGAMMA, -10, 10, { NULL, NULL } },
  { GHLO_NODE_BESSEL_I1E, -10, 10, { NULL, NULL } },
  { GHLO_NODE_ZETA, 1, 10, { NULL, NULL } },
  { GHLO_NODE_POLYGAMMA, 1, 10, { NULL, NULL } },
  { GHLO_NODE_REMAINDER_FLOAT, -10, 10, PEERS (fmod) },
};

static union
{
  float  f32[N];
  double f64[N];
} x, y, z;

/* Returns nanoseconds. */
static double
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);

  return (double) time.tv_sec * 1e9 + (double) time.tv_nsec;
}

static void
measure (GhloCpuElementwiseFunc  loop,
         Peer                    peer,
         double                 *ours,
         double                 *theirs)
{
  const guint8 *operands[] = { (const guint8 *) &x, (const guint8 *) &y };

  *ours = *theirs = INFINITY;
  for (guint i = 0; i < ROUNDS; i++)
    {
      double begin = now (), middle, end;

      loop (operands, (guint8 *) &z, N, NULL);
      middle = now ();
      if (peer != NULL)
        peer (&x, &y, &z);
      end = now ();
      *ours = MIN (*ours, (middle - begin) / N);
      *theirs = MIN (*theirs, (end - middle) / N);
    }
}

static void
fill (guint    f,
      gboolean is_wide)
{
  const double low = functions[f].low, step = (functions[f].high - low) / N;

  for (guint i = 0; i < N; i++)
    {
      double a = low + step * ((i * 37 % N) + 0.5), b = low + step * ((i * 101 % N) + 0.5);

      if (is_wide)
        {
          x.f64[i] = a;
          y.f64[i] = b;
        }
      else
        {
          x.f32[i] = (float) a;
          y.f32[i] = (float) b;
        }
    }
}

static void
print_times (guint    f,
             gboolean is_wide)
{
  GhloCpuNumber number = is_wide ? GHLO_CPU_NUMBER_F64 : GHLO_CPU_NUMBER_F32;
  GhloCpuElementwiseFunc loop = ghlo_cpu_elementwise_routines ()->functions[number][functions[f].kind];
  Peer peer = is_wide ? functions[f].peers.f64 : functions[f].peers.f32;
  double ours, theirs;

  if (loop == NULL)
    {
      printf (" %8s %8s %8s", "", "", "");
      return;
    }
  fill (f, is_wide);
  measure (loop, ghlo_cpu_level () >= GHLO_CPU_LEVEL_AVX2 ? peer : NULL, &ours, &theirs);
  if (peer != NULL && ghlo_cpu_level () >= GHLO_CPU_LEVEL_AVX2)
    printf (" %8.3f %8.3f %8.2f", ours, theirs, theirs / ours);
  else
    printf (" %8.3f %8s %8s", ours, "", "");
}

int
main (int   argc,
      char *argv[])
{
  printf ("level %s\n%-24s %8s %8s %8s %8s %8s %8s\n", ghlo_cpu_level_name (ghlo_cpu_level ()), "ns an element",
          "f32", "SLEEF", "ratio", "f64", "SLEEF", "ratio");
  for (guint f = 0; f < G_N_ELEMENTS (functions); f++)
    {
      const char *name = ghlo_node_spec (functions[f].kind)->name;
      gboolean is_wanted = argc == 1;

      for (int i = 1; i < argc; i++)
        is_wanted = is_wanted || g_str_equal (argv[i], name);
      if (!is_wanted)
        continue;
      printf ("%s%-*s", name, (int) (24 - strlen (name)), functions[f].what != NULL ? functions[f].what : "");
      print_times (f, FALSE);
      print_times (f, TRUE);
      printf ("\n");
    }

  return 0;
}
