/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the files that are compiled once for each level. The build defines GHLO_CPU_ISA as the name of the level;
 * NAME (f) is the name of that level's function f.
 */

#pragma once

#include "cpu/isa/routines.h"

#if defined (__SSE2__)
#include <immintrin.h>
#endif

#ifndef GHLO_CPU_ISA
#define GHLO_CPU_ISA baseline
#endif

#define NAME3(name, level) name##_##level
#define NAME2(name, level) NAME3 (name, level)
#define NAME(name) NAME2 (ghlo_cpu_##name, GHLO_CPU_ISA)

#if defined (__AVX512F__)
#define VECTOR_BYTES 64
#elif defined (__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

/* The sums of a tile stay in registers: there are 32 with AVX-512 and on AArch64, else 16. */
#if defined (__AVX512F__) || defined (__aarch64__)
#define TILE_ROWS 12
#else
#define TILE_ROWS 6
#endif
#define TILE_VECTORS 2

#ifdef __clang__
#define UNROLL _Pragma ("clang loop unroll(full)")
#else
#define UNROLL _Pragma ("GCC unroll 16")
#endif

/* Elements of which only the size matters. A view may begin at any byte, so they are not aligned. */
typedef guint8  Unit1 __attribute__ ((may_alias));
typedef guint16 Unit2 __attribute__ ((aligned (1), may_alias));
typedef guint32 Unit4 __attribute__ ((aligned (1), may_alias));
typedef guint64 Unit8 __attribute__ ((aligned (1), may_alias));
typedef guint64 Unit16 __attribute__ ((vector_size (16), aligned (1), may_alias));

/* A vector type, and the same without alignment. */
#define VECTOR(T, name) \
  typedef T name __attribute__ ((vector_size (VECTOR_BYTES), may_alias)); \
  typedef T name##_any __attribute__ ((vector_size (VECTOR_BYTES), aligned (1), may_alias))

VECTOR (float, VF32);
VECTOR (double, VF64);
VECTOR (guint16, VU16);
VECTOR (gint32, VI32);
VECTOR (guint32, VU32);
VECTOR (guint64, VU64);

#define LANES(T) (VECTOR_BYTES / sizeof (T))

/* The sum of two products in each lane, of pairs of signed 16-bit numbers. */
static inline VU32
multiply_pairs (VU32 x,
                VU32 y)
{
#if defined (__AVX512BW__)
  return (VU32) _mm512_madd_epi16 ((__m512i) x, (__m512i) y);
#elif defined (__AVX2__)
  return (VU32) _mm256_madd_epi16 ((__m256i) x, (__m256i) y);
#elif defined (__SSE2__)
  return (VU32) _mm_madd_epi16 ((__m128i) x, (__m128i) y);
#else
  return (VU32) (((VI32) (x << 16) >> 16) * ((VI32) (y << 16) >> 16)) + (VU32) (((VI32) x >> 16) * ((VI32) y >> 16));
#endif
}

extern const GhloCpuTiles       NAME (tiles)[GHLO_CPU_N_ARITHMETICS];
extern const GhloCpuTiles       NAME (complex_tiles)[2];
extern const GhloCpuRowTileFunc NAME (row_tiles)[2][GHLO_CPU_MAX_HEIGHTS][2];
extern const GhloCpuVectorsFunc NAME (dots)[GHLO_CPU_N_VECTORS];
extern const GhloCpuVectorsFunc NAME (adds)[GHLO_CPU_N_VECTORS];
extern const GhloCpuOrderedGemmFunc   NAME (orders)[GHLO_CPU_N_ORDERED_GEMMS];
extern const GhloCpuConvertFunc NAME (conversions)[GHLO_CPU_N_CONVERSIONS];
extern const GhloCpuPickFunc    NAME (picks)[GHLO_CPU_N_UNITS];
extern const GhloCpuPlaneFunc   NAME (moves)[GHLO_CPU_N_UNITS];
extern const GhloCpuPlaneFunc   NAME (transposes)[GHLO_CPU_N_UNITS];
extern const GhloCpuTableFunc   NAME (transposes_at)[GHLO_CPU_N_UNITS];
extern const GhloCpuPlaneFunc   NAME (streams)[GHLO_CPU_N_UNITS];
extern const GhloCpuPoolGradientFunc  NAME (pool_gradients)[2][GHLO_CPU_N_SELECTIONS];
extern const GhloCpuWindowLanesFunc   NAME (windows)[GHLO_CPU_N_ARITHMETICS][GHLO_CPU_N_WINDOW_WEIGHTS];

void NAME (clear_columns) (guint8 *to, gsize row, gsize from, gsize n);
void NAME (interleave4) (const gconstpointer *rows, guint n_rows, guint width, gsize n, gpointer to);
void NAME (interleave8) (const gconstpointer *rows, guint n_rows, guint width, gsize n, gpointer to);
void NAME (interleave16) (const gconstpointer *rows, guint n_rows, guint width, gsize n, gpointer to);

/* NULL where the processor cannot. */
GhloCpuShuffleFunc NAME (find_shuffle) (void);

void NAME (clamp_indices) (const gint64 *numbers, gsize n, gint64 limit, gint64 scale, gint64 *offsets);
void NAME (check_indices) (const gint64 *numbers, gsize n, gint64 limit, gint64 scale, gint64 *offsets);
gboolean NAME (are_sorted_gint32) (const guint8 *data, gsize n);
gboolean NAME (are_sorted_gint64) (const guint8 *data, gsize n);
gsize NAME (limit_offsets) (gint64 *offsets, gint64 *others, gsize n, gint64 first, gint64 end);
void NAME (count) (gint64 *numbers, gsize n, gint64 first, gint64 step);
void NAME (sort_init) (GhloCpuSort *self);
void NAME (top_k_init) (GhloCpuTopK *self);
void NAME (threefry) (guint64 key, guint64 counter, gsize n, guint32 *first, guint32 *second);
void NAME (philox) (guint64 key, guint64 low, guint64 high, gsize n, guint8 *words);
const GhloCpuCombineLoops *NAME (find_combine_loops) (GhloElementType type, GhloCombiner combiner);
void NAME (fourier_init) (GhloCpuFourier *routines);
void NAME (triangles_init) (GhloCpuRoutines  *routines);
void NAME (multiply_nibbles) (const GhloCpuNibbles *p);
void NAME (multiply_nibbles_each) (const GhloCpuNibbles *p, const float *x);
gboolean NAME (split_digits) (const float *x, gsize n, gsize block_size, gint32 first, gint8 *digits,
                              GhloCpuNibbleBlock *blocks);
void NAME (pack_nibbles) (const guint8 *from, gint64 step, gboolean k_adjacent, gsize n, gsize k, guint32 flip,
                          guint32 *to);
void NAME (weigh) (float *rows, gsize n_rows, gsize stride, gsize n, float factor, float *maxima, float *totals);

/* For processors with VNNI. */
void ghlo_cpu_multiply_nibbles_vnni (const GhloCpuNibbles *p);

/* Fills in the level's table. */
void NAME (routines_init) (GhloCpuRoutines *self);
