/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which products are passed to oneDNN's sgemm, and that these parts together are the whole product. This program
 * replaces sgemm by a function that forwards to the library's.
 */

#include <math.h>
#include <string.h>

#include "cpu/gemm/gemm.h"
#include "cpu/isa/level.h"
#include "cpu/library/onednn-functions.h"
#include "cpu/library/onednn.h"
#include "runtime/parallel.h"

typedef __typeof__ (dnnl_sgemm) Sgemm;

static Sgemm *library;

/* The calls since the last reset, on one thread. */
static struct
{
  guint  n;
  gint64 most_k, least_k;
  guint  n_conflicts;       /* calls with rows of an operand, read across k, that are a multiple of 1 KiB apart */
} calls;

static dnnl_status_t
sgemm (char         a_transposed,
       char         b_transposed,
       dnnl_dim_t   m,
       dnnl_dim_t   n,
       dnnl_dim_t   k,
       float        alpha,
       const float *a,
       dnnl_dim_t   a_leading,
       const float *b,
       dnnl_dim_t   b_leading,
       float        beta,
       float       *c,
       dnnl_dim_t   c_leading)
{
  calls.most_k = MAX (calls.most_k, k);
  calls.least_k = calls.n == 0 ? k : MIN (calls.least_k, k);
  calls.n++;
  if ((a_transposed == 'T' && a_leading % 256 == 0) || (b_transposed == 'N' && b_leading % 256 == 0))
    calls.n_conflicts++;

  return library (a_transposed, b_transposed, m, n, k, alpha, a, a_leading, b, b_leading, beta, c, c_leading);
}

static void
fill (float *numbers,
      gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    numbers[i] = (float) g_test_rand_double_range (-1, 1);
}

/* Compares elements of the result with sums in f64: each row in a different column. */
static void
check_result (gint64       m,
              gint64       n,
              gint64       k,
              gboolean     k_is_adjacent,
              const float *lhs,
              const float *rhs,
              const float *result)
{
  for (gint64 i = 0; i < m; i++)
    {
      gint64 column = i * 37 % n;
      double sum = 0;

      for (gint64 p = 0; p < k; p++)
        sum += (double) lhs[i * k + p] * (double) rhs[k_is_adjacent ? column * k + p : p * n + column];
      g_assert_cmpfloat (fabs (sum - (double) result[i * n + column]), <=, 1e-6 * (double) k);
    }
}

/* [m, k] times [k, n], or times the transpose of [n, k]; FALSE where oneDNN does not compute it. */
static gboolean
multiply (gint64   m,
          gint64   n,
          gint64   k,
          gboolean k_is_adjacent)
{
  const GhloCpuGemmProblem problem = {
    .lhs_type = GHLO_ELEMENT_TYPE_F32, .rhs_type = GHLO_ELEMENT_TYPE_F32, .result_type = GHLO_ELEMENT_TYPE_F32,
    .n_rows = 1, .rows = { { m, 4 * k, 0, 4 * n } },
    .n_columns = 1, .columns = { { n, 0, k_is_adjacent ? 4 * k : 4, 4 } },
    .n_contracted = 1, .contracted = { { k, 4, k_is_adjacent ? 4 : 4 * n, 0 } },
  };
  g_autoptr (GhloCpuGemm) gemm = ghlo_cpu_gemm_prepare (&problem, NULL);
  g_autofree float *lhs = g_new (float, m * k), *rhs = g_new (float, k * n), *result = g_new (float, m * n);
  g_autofree guint8 *scratch = g_malloc (ghlo_cpu_gemm_scratch_size (gemm) + 64);

  g_assert_nonnull (gemm);
  if (!g_str_has_prefix (ghlo_cpu_gemm_describe (gemm), "onednn sgemm"))
    {
      g_test_skip ("oneDNN has no sgemm for this processor");
      return FALSE;
    }
  fill (lhs, m * k);
  fill (rhs, k * n);
  memset (&calls, 0, sizeof calls);
  g_assert_true (ghlo_cpu_gemm_run (gemm, (const guint8 *) lhs, (const guint8 *) rhs, NULL, (guint8 *) result,
                                    (gpointer) (((gsize) scratch + 63) / 64 * 64), NULL, NULL, NULL, NULL));
  check_result (m, n, k, k_is_adjacent, lhs, rhs, result);

  return TRUE;
}

/* Rows of the right operand that compete for the same cache sets are not all packed at once. */
static void
test_aliased (void)
{
  if (!multiply (80, 1024, 800, FALSE))
    return;
  g_assert_cmpint (calls.most_k, ==, 267);
  g_assert_cmpint (calls.least_k, ==, 266);
  multiply (80, 2048, 768, FALSE);
  g_assert_cmpint (calls.most_k, ==, 384);
  g_assert_cmpint (calls.least_k, ==, 384);
}

/* Other rows are, also where k is adjacent, few or many; but with AVX2, rows that conflict are copied. */
static void
test_whole (void)
{
  static const struct
  {
    gint64   m, n, k;
    gboolean k_is_adjacent;
  } cases[] = {
    { 80, 768, 768, FALSE }, { 80, 1000, 768, FALSE }, { 80, 1536, 768, FALSE }, { 80, 2304, 768, FALSE },
    { 80, 768, 1024, TRUE }, { 40, 1024, 512, FALSE }, { 3600, 1024, 385, FALSE }, { 7, 1024, 768, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gboolean copied = ghlo_cpu_level () == GHLO_CPU_LEVEL_AVX2 && cases[i].m >= 8 && !cases[i].k_is_adjacent
                        && cases[i].n % 256 == 0;

      if (!multiply (cases[i].m, cases[i].n, cases[i].k, cases[i].k_is_adjacent))
        return;
      if (!copied)
        g_assert_cmpint (calls.least_k, ==, cases[i].k);
      else
        g_assert_cmpuint (calls.n_conflicts, ==, 0);
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  ghlo_parallel_set_limit (1);
  if (ghlo_cpu_onednn_available ())
    {
      library = ghlo_cpu_dnnl.sgemm;
      ghlo_cpu_dnnl.sgemm = sgemm;
    }
  g_test_add_func ("/cpu-sgemm/aliased", test_aliased);
  g_test_add_func ("/cpu-sgemm/whole", test_whole);

  return g_test_run ();
}
