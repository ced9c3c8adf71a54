/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tile of a matrix product: its sums are registers, and each step adds the
 * outer product of a group of A and a group of B. Compiled for each level, with
 * multiplication and addition fused where the processor has it.
 */

#include "cpu/kernels-private.h"

#if defined (__SSE2__)
#include <immintrin.h>
#endif

#define TILE(name, T, V, multiply_add) \
  static void \
  name (gsize         k, \
        gconstpointer a_data, \
        gconstpointer b_data, \
        gpointer      c_data, \
        gsize         c_row, \
        gboolean      accumulate) \
  { \
    const T *a = a_data; \
    const V##_any *b = b_data; \
    T *c = c_data; \
    V sums[TILE_ROWS][TILE_VECTORS]; \
\
    UNROLL for (guint i = 0; i < TILE_ROWS; i++) \
      UNROLL for (guint j = 0; j < TILE_VECTORS; j++) \
        sums[i][j] = (V) { 0 }; \
    for (gsize p = 0; p < k; p++) \
      { \
        V b0 = b[0], b1 = b[1]; \
\
        UNROLL for (guint i = 0; i < TILE_ROWS; i++) \
          { \
            multiply_add (sums[i][0], a[i], b0, V); \
            multiply_add (sums[i][1], a[i], b1, V); \
          } \
        a += TILE_ROWS; \
        b += TILE_VECTORS; \
      } \
    UNROLL for (guint i = 0; i < TILE_ROWS; i++) \
      UNROLL for (guint j = 0; j < TILE_VECTORS; j++) \
        { \
          V##_any *to = (V##_any *) (c + i * c_row) + j; \
\
          if (accumulate) \
            *to += sums[i][j]; \
          else \
            *to = sums[i][j]; \
        } \
  }

#define PLAIN(sum, x, y, V) sum += (x) * (y)

/* The sums of two products each: x holds a pair, y a pair in each lane. Integers are
 * unsigned wherever they may wrap. */
#if defined (__AVX512BW__)
#define PAIRS(sum, x, y, V) sum += (V) _mm512_madd_epi16 (_mm512_set1_epi32 (x), (__m512i) (y))
#elif defined (__AVX2__)
#define PAIRS(sum, x, y, V) sum += (V) _mm256_madd_epi16 (_mm256_set1_epi32 (x), (__m256i) (y))
#elif defined (__SSE2__)
#define PAIRS(sum, x, y, V) sum += (V) _mm_madd_epi16 (_mm_set1_epi32 (x), (__m128i) (y))
#else
#define LOW(v, V) ((V) ((v) << 16) >> 16)
#define PAIRS(sum, x, y, V) \
  sum += (VU32) (LOW ((guint32) (x), gint32) * LOW ((VU32) (y), VI32)) \
         + (VU32) (((gint32) (x) >> 16) * ((VI32) (y) >> 16))
#endif

TILE (tile_f32, float, VF32, PLAIN)
TILE (tile_f64, double, VF64, PLAIN)
TILE (tile_i16, gint32, VU32, PAIRS)
TILE (tile_i32, guint32, VU32, PLAIN)
TILE (tile_i64, guint64, VU64, PLAIN)

const GhloCpuTileFunc NAME (tiles)[GHLO_CPU_N_ARITHMETICS] = {
  [GHLO_CPU_F32] = tile_f32,
  [GHLO_CPU_F64] = tile_f64,
  [GHLO_CPU_I16] = tile_i16,
  [GHLO_CPU_I32] = tile_i32,
  [GHLO_CPU_I64] = tile_i64,
};
