/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tile of a matrix product: its sums stay in registers, and each step adds the outer product of a group of A and
 * a group of B. Compiled for each level, with fused multiply-adds where the processor has them.
 */

#include "cpu/isa/routines-private.h"

enum { COMPLEX_ROWS = TILE_ROWS / 2, AHEAD = 16 };

typedef double Pair[2];

#define TILE_ARGUMENTS(T) \
  guint rows, guint vectors, gsize k, const T *a, const guint8 *b, gint64 b_step, T *c, gsize c_row, gboolean accumulate

/* Adds to C, or overwrites it. @value is that of row i and vector j. */
#define STORE_TILE(V, value) \
  if (accumulate) \
    { \
      UNROLL for (guint i = 0; i < rows; i++, c += c_row) \
        UNROLL for (guint j = 0; j < vectors; j++) \
          ((V##_any *) c)[j] += value; \
    } \
  else \
    { \
      UNROLL for (guint i = 0; i < rows; i++, c += c_row) \
        UNROLL for (guint j = 0; j < vectors; j++) \
          ((V##_any *) c)[j] = value; \
    }

/* Inlined into a function for each size, so that the sums are in registers. Numbers of A are @a_row apart from one row
 * to the next, and @a_step from one group to the next. */
#define TILE(name, T, V, multiply_add) \
  static inline __attribute__ ((always_inline)) void \
  name##_anyhow (TILE_ARGUMENTS (T), gsize a_row, gsize a_step) \
  { \
    V sums[TILE_ROWS][TILE_VECTORS]; \
\
    UNROLL for (guint i = 0; i < rows; i++) \
      UNROLL for (guint j = 0; j < vectors; j++) \
        __builtin_prefetch ((guint8 *) (c + i * c_row) + j * VECTOR_BYTES, 1, 3); \
    UNROLL for (guint i = 0; i < rows; i++) \
      UNROLL for (guint j = 0; j < vectors; j++) \
        sums[i][j] = (V) { 0 }; \
    for (gsize p = 0; p < k; p++) \
      { \
        V row[TILE_VECTORS]; \
\
          UNROLL for (guint j = 0; j < vectors * VECTOR_BYTES; j += 64) \
            __builtin_prefetch (b + AHEAD * b_step + j); \
        UNROLL for (guint j = 0; j < vectors; j++) \
          row[j] = ((const V##_any *) b)[j]; \
        UNROLL for (guint i = 0; i < rows; i++) \
          UNROLL for (guint j = 0; j < vectors; j++) \
            sums[i][j] = multiply_add (sums[i][j], a[i * a_row], row[j], V); \
        a += a_step; \
        b += b_step; \
      } \
    STORE_TILE (V, sums[i][j]) \
  } \
\
  static inline G_GNUC_UNUSED __attribute__ ((always_inline)) void \
  name (TILE_ARGUMENTS (T)) \
  { \
    name##_anyhow (rows, vectors, k, a, b, b_step, c, c_row, accumulate, 1, TILE_ROWS); \
  }

/* B, with its alternating parts, is multiplied by the real parts and by the imaginary parts of A into separate sums.
 * Only the sums of the latter have their parts swapped, once at the end. */
#define COMPLEX_TILE(name, T, V, SWAP) \
  static inline __attribute__ ((always_inline)) void \
  name (TILE_ARGUMENTS (T)) \
  { \
    V re[COMPLEX_ROWS][TILE_VECTORS], im[COMPLEX_ROWS][TILE_VECTORS]; \
    V signs; \
\
    UNROLL for (guint i = 0; i < rows; i++) \
      UNROLL for (guint j = 0; j < vectors; j++) \
        __builtin_prefetch ((guint8 *) (c + i * c_row) + j * VECTOR_BYTES, 1, 3); \
    for (guint i = 0; i < LANES (T); i++) \
      signs[i] = i % 2 == 0 ? -1 : 1; \
    UNROLL for (guint i = 0; i < rows; i++) \
      UNROLL for (guint j = 0; j < vectors; j++) \
        re[i][j] = im[i][j] = (V) { 0 }; \
    for (gsize p = 0; p < k; p++) \
      { \
        V row[TILE_VECTORS]; \
\
        UNROLL for (guint j = 0; j < vectors; j++) \
          row[j] = ((const V##_any *) b)[j]; \
        UNROLL for (guint i = 0; i < rows; i++) \
          UNROLL for (guint j = 0; j < vectors; j++) \
            { \
              re[i][j] = PLAIN (re[i][j], a[2 * i], row[j], V); \
              im[i][j] = PLAIN (im[i][j], a[2 * i + 1], row[j], V); \
            } \
        a += 2 * COMPLEX_ROWS; \
        b += b_step; \
      } \
    STORE_TILE (V, re[i][j] + signs * SWAP (im[i][j])) \
  }

/* Swaps the lanes of each pair. */
#if VECTOR_BYTES == 64
#define SWAP_F32(v) __builtin_shufflevector (v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14)
#define SWAP_F64(v) __builtin_shufflevector (v, v, 1, 0, 3, 2, 5, 4, 7, 6)
#elif VECTOR_BYTES == 32
#define SWAP_F32(v) __builtin_shufflevector (v, v, 1, 0, 3, 2, 5, 4, 7, 6)
#define SWAP_F64(v) __builtin_shufflevector (v, v, 1, 0, 3, 2)
#else
#define SWAP_F32(v) __builtin_shufflevector (v, v, 1, 0, 3, 2)
#define SWAP_F64(v) __builtin_shufflevector (v, v, 1, 0)
#endif

/* Operands are loaded beforehand, so that a sanitizer inserts nothing between a multiplication and its addition. */
#define PLAIN(sum, x, y, V) ((sum) + (x) * (y))

/* x is one pair, and y has one pair in each lane. Integers are unsigned where they may wrap. */
#define PAIRS(sum, x, y, V) ((sum) + multiply_pairs ((V) { 0 } + (guint32) (x), y))
#define BF16_PAIRS(sum, x, y, V) \
  ((V) _mm512_dpbf16_ps ((__m512) (sum), (__m512bh) _mm512_set1_ps (x), (__m512bh) (y)))

#if !defined (__AVX512BF16__)
TILE (tile_f32, float, VF32, PLAIN)
TILE (tile_f64, double, VF64, PLAIN)
TILE (tile_i16, gint32, VU32, PAIRS)
TILE (tile_i32, guint32, VU32, PLAIN)
TILE (tile_i64, guint64, VU64, PLAIN)

COMPLEX_TILE (tile_c32, float, VF32, SWAP_F32)
COMPLEX_TILE (tile_c64, double, VF64, SWAP_F64)
#endif

#define SIZE(name, rows, vectors) \
  static void \
  name##_##rows##_##vectors (gsize         k, \
                             gconstpointer a, \
                             gconstpointer b, \
                             gint64        b_step, \
                             gpointer      c, \
                             gsize         c_row, \
                             gboolean      accumulate) \
  { \
    name (rows, vectors, k, a, b, b_step, c, c_row, accumulate); \
  }

#define ROW_SIZE(name, rows, vectors) \
  static void \
  name##_rows_##rows##_##vectors (gsize         k, \
                                  gconstpointer a, \
                                  gsize         a_row, \
                                  gconstpointer b, \
                                  gint64        b_step, \
                                  gpointer      c, \
                                  gsize         c_row, \
                                  gboolean      accumulate) \
  { \
    name##_anyhow (rows, vectors, k, a, b, b_step, c, c_row, accumulate, a_row, 1); \
  }

#define HEIGHT(name, rows) SIZE (name, rows, 1) SIZE (name, rows, 2)
#define ROW_HEIGHT(name, rows) ROW_SIZE (name, rows, 1) ROW_SIZE (name, rows, 2)
#define PAIR(name, rows) { name##_##rows##_1, name##_##rows##_2 }

#define HEIGHTS_12(name, H) H (name, 12) H (name, 8) H (name, 4) H (name, 2) H (name, 1)
#define HEIGHTS_6(name, H) H (name, 6) H (name, 4) H (name, 2) H (name, 1)
#define HEIGHTS_3(name, H) H (name, 3) H (name, 2) H (name, 1)
#define PAIRS_12(name) { PAIR (name, 12), PAIR (name, 8), PAIR (name, 4), PAIR (name, 2), PAIR (name, 1) }
#define PAIRS_6(name) { PAIR (name, 6), PAIR (name, 4), PAIR (name, 2), PAIR (name, 1) }
#define PAIRS_3(name) { PAIR (name, 3), PAIR (name, 2), PAIR (name, 1) }
#define TILES_12(name, T) { TILE_VECTORS * LANES (T), { 12, 8, 4, 2, 1 }, PAIRS_12 (name) }
#define TILES_6(name, T) { TILE_VECTORS * LANES (T), { 6, 4, 2, 1 }, PAIRS_6 (name) }
#define TILES_3(name, T) { TILE_VECTORS * LANES (T), { 3, 2, 1 }, PAIRS_3 (name) }

#if TILE_ROWS == 12
#define ALL_HEIGHTS HEIGHTS_12
#define ALL_PAIRS PAIRS_12
#define TILES TILES_12
#define COMPLEX_HEIGHTS HEIGHTS_6
#define COMPLEX_TILES TILES_6
#else
#define ALL_HEIGHTS HEIGHTS_6
#define ALL_PAIRS PAIRS_6
#define TILES TILES_6
#define COMPLEX_HEIGHTS HEIGHTS_3
#define COMPLEX_TILES TILES_3
#endif

/* Compiled once more for the processors of a level that have the instruction; a number is a pair. */
#if defined (__AVX512BF16__)
TILE (tile_bf16, float, VF32, BF16_PAIRS)
ALL_HEIGHTS (tile_bf16, ROW_HEIGHT)

extern const GhloCpuRowTileFunc ghlo_cpu_bf16_row_tiles[GHLO_CPU_MAX_HEIGHTS][2];
const GhloCpuRowTileFunc ghlo_cpu_bf16_row_tiles[GHLO_CPU_MAX_HEIGHTS][2] = ALL_PAIRS (tile_bf16_rows);
#else
ALL_HEIGHTS (tile_f32, HEIGHT)
ALL_HEIGHTS (tile_f64, HEIGHT)
ALL_HEIGHTS (tile_i16, HEIGHT)
ALL_HEIGHTS (tile_i32, HEIGHT)
ALL_HEIGHTS (tile_i64, HEIGHT)
ALL_HEIGHTS (tile_f32, ROW_HEIGHT)
ALL_HEIGHTS (tile_f64, ROW_HEIGHT)
COMPLEX_HEIGHTS (tile_c32, HEIGHT)
COMPLEX_HEIGHTS (tile_c64, HEIGHT)

const GhloCpuTiles NAME (tiles)[GHLO_CPU_N_ARITHMETICS] = {
  [GHLO_CPU_F32] = TILES (tile_f32, float),
  [GHLO_CPU_F64] = TILES (tile_f64, double),
  [GHLO_CPU_I16] = TILES (tile_i16, gint32),
  [GHLO_CPU_I32] = TILES (tile_i32, gint32),
  [GHLO_CPU_I64] = TILES (tile_i64, gint64),
};

const GhloCpuRowTileFunc NAME (row_tiles)[2][GHLO_CPU_MAX_HEIGHTS][2] = {
  ALL_PAIRS (tile_f32_rows),
  ALL_PAIRS (tile_f64_rows),
};

/* A complex number is two lanes. */
const GhloCpuTiles NAME (complex_tiles)[2] = {
  COMPLEX_TILES (tile_c32, double),
  COMPLEX_TILES (tile_c64, Pair),
};
#endif
