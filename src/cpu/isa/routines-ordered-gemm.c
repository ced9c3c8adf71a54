/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of small matrices in the order of the specification: sums in the order of k, each operation rounded.
 * Compiled for each level, without fused multiply-adds.
 */

#include "cpu/isa/routines-private.h"

#include <string.h>

/* Columns of some rows of C, kept in registers of one size. Several rows share what is loaded of B, and do not wait for
 * each other's sums. */
#define IN_VECTORS(name, T, V) \
  static inline __attribute__ ((always_inline)) void \
  name (gsize    k, \
        const T *a, \
        gint64   a_row, \
        const T *b, \
        gint64   b_row, \
        T       *c, \
        gint64   c_row, \
        guint    rows, \
        guint    n_vectors) \
  { \
    V sums[4][4]; \
\
    UNROLL for (guint i = 0; i < rows; i++) \
      UNROLL for (guint j = 0; j < n_vectors; j++) \
        sums[i][j] = ((const V *) (c + i * c_row))[j]; \
    for (gsize p = 0; p < k; p++) \
      { \
        const V *from = (const V *) (b + (gint64) p * b_row); \
\
        UNROLL for (guint i = 0; i < rows; i++) \
          UNROLL for (guint j = 0; j < n_vectors; j++) \
            sums[i][j] += (a + i * a_row)[p] * from[j]; \
      } \
    UNROLL for (guint i = 0; i < rows; i++) \
      UNROLL for (guint j = 0; j < n_vectors; j++) \
        ((V *) (c + i * c_row))[j] = sums[i][j]; \
  }

/* All columns of some rows by registers of one size, of which the last one overlaps the one before: its sums begin with
 * the same numbers, so they are the same. */
#define IN_SIZE(name, vectors, T, V) \
  static inline __attribute__ ((always_inline)) void \
  name (gsize    n, \
        gsize    k, \
        const T *a, \
        gint64   a_row, \
        const T *b, \
        gint64   b_row, \
        T       *c, \
        gint64   c_row, \
        guint    rows) \
  { \
    enum { SIDE = sizeof (V) / sizeof (T) }; \
    T last[4][SIDE] = { 0 }; \
    gsize j = 0, end = n - SIDE; \
\
    if (n % SIDE > 0) \
      { \
        UNROLL for (guint i = 0; i < rows; i++) \
          memcpy (last[i], c + i * c_row + end, sizeof (V)); \
        vectors (k, a, a_row, b + end, b_row, last[0], SIDE, rows, 1); \
      } \
    for (; j + 4 * SIDE <= n; j += 4 * SIDE) \
      vectors (k, a, a_row, b + j, b_row, c + j, c_row, rows, 4); \
    for (; j + 2 * SIDE <= n; j += 2 * SIDE) \
      vectors (k, a, a_row, b + j, b_row, c + j, c_row, rows, 2); \
    for (; j + SIDE <= n; j += SIDE) \
      vectors (k, a, a_row, b + j, b_row, c + j, c_row, rows, 1); \
    if (n % SIDE > 0) \
      UNROLL for (guint i = 0; i < rows; i++) \
        memcpy (c + i * c_row + end, last[i], sizeof (V)); \
  }

/* Vectors, or halves and quarters of one where the level has them and there are few columns. */
#define IN_ORDER(name, T, V) \
  typedef T name##_half __attribute__ ((vector_size (VECTOR_BYTES / 2), aligned (1), may_alias)); \
  typedef T name##_quarter __attribute__ ((vector_size (MAX (VECTOR_BYTES / 4, 8)), aligned (1), may_alias)); \
  IN_VECTORS (name##_in_wholes, T, V##_any) \
  IN_VECTORS (name##_in_halves, T, name##_half) \
  IN_VECTORS (name##_in_quarters, T, name##_quarter) \
  IN_SIZE (name##_wholes, name##_in_wholes, T, V##_any) \
  IN_SIZE (name##_halves, name##_in_halves, T, name##_half) \
  IN_SIZE (name##_quarters, name##_in_quarters, T, name##_quarter) \
\
  static inline __attribute__ ((always_inline)) void \
  name##_rows (gsize    n, \
               gsize    k, \
               const T *a, \
               gint64   a_row, \
               const T *b, \
               gint64   b_row, \
               T       *c, \
               gint64   c_row, \
               guint    rows) \
  { \
    if (n >= LANES (T)) \
      name##_wholes (n, k, a, a_row, b, b_row, c, c_row, rows); \
    else if (VECTOR_BYTES > 16 && n >= LANES (T) / 2) \
      name##_halves (n, k, a, a_row, b, b_row, c, c_row, rows); \
    else if (VECTOR_BYTES > 32 && 4 * n >= LANES (T)) \
      name##_quarters (n, k, a, a_row, b, b_row, c, c_row, rows); \
    else \
      for (gsize j = 0; j < n; j++) \
        { \
          T sums[4]; \
\
          UNROLL for (guint i = 0; i < rows; i++) \
            sums[i] = (c + i * c_row)[j]; \
          for (gsize p = 0; p < k; p++) \
            UNROLL for (guint i = 0; i < rows; i++) \
              sums[i] += (a + i * a_row)[p] * (b + (gint64) p * b_row)[j]; \
          UNROLL for (guint i = 0; i < rows; i++) \
            (c + i * c_row)[j] = sums[i]; \
        } \
  } \
\
  static void \
  name (gsize         m, \
        gsize         n, \
        gsize         k, \
        gconstpointer a_data, \
        gint64        a_row, \
        gconstpointer b_data, \
        gint64        b_row, \
        gpointer      c_data, \
        gint64        c_row) \
  { \
    const T *a = a_data, *b = b_data; \
    T *c = c_data; \
\
    for (; m >= 4; m -= 4, a += 4 * a_row, c += 4 * c_row) \
      name##_rows (n, k, a, a_row, b, b_row, c, c_row, 4); \
    for (; m >= 2; m -= 2, a += 2 * a_row, c += 2 * c_row) \
      name##_rows (n, k, a, a_row, b, b_row, c, c_row, 2); \
    for (; m > 0; m--, a += a_row, c += c_row) \
      name##_rows (n, k, a, a_row, b, b_row, c, c_row, 1); \
  }

IN_ORDER (in_order_f32, float, VF32)
IN_ORDER (in_order_f64, double, VF64)
IN_ORDER (in_order_i64, guint64, VU64)

const GhloCpuOrderedGemmFunc NAME (orders)[GHLO_CPU_N_ORDERED_GEMMS] = {
  [GHLO_CPU_ORDERED_GEMM_F32] = in_order_f32,
  [GHLO_CPU_ORDERED_GEMM_F64] = in_order_f64,
  [GHLO_CPU_ORDERED_GEMM_I64] = in_order_i64,
};
