/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an element of f32 costs in the loops of functions: a thread, rows of 1024 numbers in the nearest cache,
 * nanoseconds, the least of many rounds. Beside them, in turns, the vector functions of SLEEF with its bound of
 * 1.0 units in the last place, where they are there and the level is avx2 (DNNL_MAX_CPU_ISA=AVX2).
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
/* What its header declares depends on the compiler's target. */
#pragma GCC push_options
#pragma GCC target ("avx2,fma")
#include <immintrin.h>
#include <sleef.h>
#pragma GCC pop_options
#endif

enum { N = 1024, ROUNDS = 400 };

typedef void (*Peer) (const float *x, const float *y, float *z);

#ifdef HAVE_SLEEF
#define AVX2 __attribute__ ((target ("avx2,fma")))
#define PEER(name, call) \
  AVX2 static void \
  name (const float *a, \
        const float *b, \
        float       *to) \
  { \
    for (gsize i = 0; i < N; i += 8) \
      { \
        __m256 x = _mm256_loadu_ps (a + i); \
        __m256 y G_GNUC_UNUSED = _mm256_loadu_ps (b + i); \
\
        _mm256_storeu_ps (to + i, call); \
      } \
  }

PEER (peer_exp, Sleef_expf8_u10avx2 (x))
PEER (peer_expm1, Sleef_expm1f8_u10avx2 (x))
PEER (peer_log, Sleef_logf8_u10avx2 (x))
PEER (peer_log1p, Sleef_log1pf8_u10avx2 (x))
PEER (peer_tanh, Sleef_tanhf8_u10avx2 (x))
PEER (peer_erf, Sleef_erff8_u10avx2 (x))
PEER (peer_erfc, Sleef_erfcf8_u15avx2 (x))
PEER (peer_sin, Sleef_sinf8_u10avx2 (x))
PEER (peer_cos, Sleef_cosf8_u10avx2 (x))
PEER (peer_tan, Sleef_tanf8_u10avx2 (x))
PEER (peer_asin, Sleef_asinf8_u10avx2 (x))
PEER (peer_acos, Sleef_acosf8_u10avx2 (x))
PEER (peer_atan, Sleef_atanf8_u10avx2 (x))
PEER (peer_atan2, Sleef_atan2f8_u10avx2 (x, y))
PEER (peer_sinh, Sleef_sinhf8_u10avx2 (x))
PEER (peer_cosh, Sleef_coshf8_u10avx2 (x))
PEER (peer_asinh, Sleef_asinhf8_u10avx2 (x))
PEER (peer_acosh, Sleef_acoshf8_u10avx2 (x))
PEER (peer_atanh, Sleef_atanhf8_u10avx2 (x))
PEER (peer_pow, Sleef_powf8_u10avx2 (x, y))
PEER (peer_cbrt, Sleef_cbrtf8_u10avx2 (x))
PEER (peer_lgamma, Sleef_lgammaf8_u10avx2 (x))
PEER (peer_fmod, Sleef_fmodf8_avx2 (x, y))
#define PEER_OF(name) name
#else
#define PEER_OF(name) NULL
#endif

static const struct
{
  GhloNodeKind kind;
  float        low, high;       /* of operands */
  Peer         peer;
} functions[] = {
  { GHLO_NODE_EXPONENTIAL, -10, 10, PEER_OF (peer_exp) },
  { GHLO_NODE_EXPONENTIAL_MINUS_ONE, -10, 10, PEER_OF (peer_expm1) },
  { GHLO_NODE_LOG, 0, 10, PEER_OF (peer_log) },
  { GHLO_NODE_LOG_PLUS_ONE, 0, 10, PEER_OF (peer_log1p) },
  { GHLO_NODE_TANH, -5, 5, PEER_OF (peer_tanh) },
  { GHLO_NODE_LOGISTIC, -10, 10, NULL },
  { GHLO_NODE_ERF, -4, 4, PEER_OF (peer_erf) },
  { GHLO_NODE_ERFC, -4, 4, PEER_OF (peer_erfc) },
  { GHLO_NODE_ERF_INV, -1, 1, NULL },
  { GHLO_NODE_SINE, -10, 10, PEER_OF (peer_sin) },
  { GHLO_NODE_COSINE, -10, 10, PEER_OF (peer_cos) },
  { GHLO_NODE_TAN, -10, 10, PEER_OF (peer_tan) },
  { GHLO_NODE_ASIN, -1, 1, PEER_OF (peer_asin) },
  { GHLO_NODE_ACOS, -1, 1, PEER_OF (peer_acos) },
  { GHLO_NODE_ATAN, -10, 10, PEER_OF (peer_atan) },
  { GHLO_NODE_ATAN2, -10, 10, PEER_OF (peer_atan2) },
  { GHLO_NODE_SINH, -10, 10, PEER_OF (peer_sinh) },
  { GHLO_NODE_COSH, -10, 10, PEER_OF (peer_cosh) },
  { GHLO_NODE_ASINH, -10, 10, PEER_OF (peer_asinh) },
  { GHLO_NODE_ACOSH, 1, 10, PEER_OF (peer_acosh) },
  { GHLO_NODE_ATANH, -1, 1, PEER_OF (peer_atanh) },
  { GHLO_NODE_POWER, 0, 10, PEER_OF (peer_pow) },
  { GHLO_NODE_CBRT, -10, 10, PEER_OF (peer_cbrt) },
  { GHLO_NODE_RSQRT, 0, 10, NULL },
  { GHLO_NODE_LGAMMA, -10, 10, PEER_OF (peer_lgamma) },
  { GHLO_NODE_DIGAMMA, -10, 10, NULL },
  { GHLO_NODE_REMAINDER_FLOAT, -10, 10, PEER_OF (peer_fmod) },
};

static float x[N], y[N], z[N];

/* Nanoseconds. */
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
  const guint8 *operands[] = { (const guint8 *) x, (const guint8 *) y };

  *ours = *theirs = INFINITY;
  for (guint i = 0; i < ROUNDS; i++)
    {
      double begin = now (), middle, end;

      loop (operands, (guint8 *) z, N, NULL);
      middle = now ();
      if (peer != NULL)
        peer (x, y, z);
      end = now ();
      *ours = MIN (*ours, (middle - begin) / N);
      *theirs = MIN (*theirs, (end - middle) / N);
    }
}

int
main (int   argc,
      char *argv[])
{
  printf ("level %s\n%-24s %8s %8s %8s\n", ghlo_cpu_level_name (ghlo_cpu_level ()), "f32, ns an element", "loop",
          "SLEEF", "ratio");
  for (guint f = 0; f < G_N_ELEMENTS (functions); f++)
    {
      const char *name = ghlo_node_spec (functions[f].kind)->name;
      GhloCpuElementwiseFunc loop =
        ghlo_cpu_elementwise_routines ()->functions[GHLO_CPU_NUMBER_F32][functions[f].kind];
      Peer peer = ghlo_cpu_level () >= GHLO_CPU_LEVEL_AVX2 ? functions[f].peer : NULL;
      gboolean is_wanted = argc == 1;
      double ours, theirs;

      for (int i = 1; i < argc; i++)
        is_wanted = is_wanted || g_str_equal (argv[i], name);
      if (!is_wanted)
        continue;
      for (guint i = 0; i < N; i++)
        {
          x[i] = functions[f].low + (functions[f].high - functions[f].low) * (float) ((i * 37 % N) + 0.5f) / N;
          y[i] = functions[f].low + (functions[f].high - functions[f].low) * (float) ((i * 101 % N) + 0.5f) / N;
        }
      measure (loop, peer, &ours, &theirs);
      if (peer != NULL)
        printf ("%-24s %8.3f %8.3f %8.2f\n", name, ours, theirs, theirs / ours);
      else
        printf ("%-24s %8.3f\n", name, ours);
    }

  return 0;
}
