/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of small matrices in the order of the specification: sums in the order of k, each operation rounded.
 * Compiled for each level, without fused multiply-adds.
 */

#include "cpu/isa/routines-private.h"

/* Part of a row of C, kept in @n_vectors registers. */
#define IN_VECTORS(name, T, V) \
  static inline __attribute__ ((always_inline)) void \
  name (gsize    k, \
        const T *a, \
        const T *b, \
        gsize    b_row, \
        T       *c, \
        guint    n_vectors) \
  { \
    V *to = (V *) c; \
    V sums[4]; \
\
    UNROLL for (guint j = 0; j < n_vectors; j++) \
      sums[j] = to[j]; \
    for (gsize p = 0; p < k; p++) \
      { \
        const V *from = (const V *) (b + p * b_row); \
\
        UNROLL for (guint j = 0; j < n_vectors; j++) \
          sums[j] += a[p] * from[j]; \
      } \
    UNROLL for (guint j = 0; j < n_vectors; j++) \
      to[j] = sums[j]; \
  }

/* A row of C by whole vectors, then by half and quarter vectors where the level has them, and the rest one by one. */
#define IN_ORDER(name, T, V) \
  typedef T name##_half __attribute__ ((vector_size (VECTOR_BYTES / 2), aligned (1), may_alias)); \
  typedef T name##_quarter __attribute__ ((vector_size (MAX (VECTOR_BYTES / 4, 8)), aligned (1), may_alias)); \
  IN_VECTORS (name##_wholes, T, V##_any) \
  IN_VECTORS (name##_halves, T, name##_half) \
  IN_VECTORS (name##_quarters, T, name##_quarter) \
\
  static void \
  name (gsize         m, \
        gsize         n, \
        gsize         k, \
        gconstpointer a_data, \
        gsize         a_row, \
        gconstpointer b_data, \
        gsize         b_row, \
        gpointer      c_data, \
        gsize         c_row) \
  { \
    const T *b = b_data; \
\
    for (gsize i = 0; i < m; i++) \
      { \
        const T *a = (const T *) a_data + i * a_row; \
        T *c = (T *) c_data + i * c_row; \
        gsize j = 0; \
\
        for (; j + 4 * LANES (T) <= n; j += 4 * LANES (T)) \
          name##_wholes (k, a, b + j, b_row, c + j, 4); \
        for (; j + LANES (T) <= n; j += LANES (T)) \
          name##_wholes (k, a, b + j, b_row, c + j, 1); \
        if (VECTOR_BYTES > 16 && j + LANES (T) / 2 <= n) \
          { \
            name##_halves (k, a, b + j, b_row, c + j, 1); \
            j += LANES (T) / 2; \
          } \
        if (VECTOR_BYTES > 32 && j + LANES (T) / 4 <= n) \
          { \
            name##_quarters (k, a, b + j, b_row, c + j, 1); \
            j += LANES (T) / 4; \
          } \
        for (; j < n; j++) \
          { \
            T sum = c[j]; \
\
            for (gsize p = 0; p < k; p++) \
              sum += a[p] * b[p * b_row + j]; \
            c[j] = sum; \
          } \
      } \
  }

IN_ORDER (in_order_f32, float, VF32)
IN_ORDER (in_order_f64, double, VF64)
IN_ORDER (in_order_i64, guint64, VU64)

const GhloCpuOrderedGemmFunc NAME (orders)[GHLO_CPU_N_ORDERED_GEMMS] = {
  [GHLO_CPU_ORDERED_GEMM_F32] = in_order_f32,
  [GHLO_CPU_ORDERED_GEMM_F64] = in_order_f64,
  [GHLO_CPU_ORDERED_GEMM_I64] = in_order_i64,
};
