/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of a matrix and a vector, which take as long as reading the matrix: several rows are read at the same
 * time, each once and in order. Compiled for each level. Nothing is fused, since memory is the bottleneck, so all
 * levels give the same bits.
 */

#include "cpu/isa/routines-private.h"

#include <string.h>

#if defined (__F16C__)
#include <immintrin.h>
#endif

/* Bytes, and vectors, of the partial sums of a row. */
#define DOT_BYTES   64
#define DOT_VECTORS (DOT_BYTES / VECTOR_BYTES)

/* Rows of the matrix that are read at the same time; their sums are in registers. */
#define DOT_ROWS    (VECTOR_BYTES > 16 ? 4 : 2)
#define ADD_ROWS    8

typedef guint16 VHalf __attribute__ ((vector_size (VECTOR_BYTES / 2), aligned (1), may_alias));

static inline VF32
read_f32 (const guint8 *data)
{
  return *(const VF32_any *) data;
}

static inline VF64
read_f64 (const guint8 *data)
{
  return *(const VF64_any *) data;
}

static inline VF32
read_bf16 (const guint8 *data)
{
  return (VF32) (__builtin_convertvector (*(const VHalf *) data, VU32) << 16);
}

static inline VF32
read_f16 (const guint8 *data)
{
#if defined (__AVX512F__)
  return (VF32) _mm512_cvtph_ps (_mm256_loadu_si256 ((const __m256i_u *) data));
#elif defined (__F16C__)
  return (VF32) _mm256_cvtph_ps (_mm_loadu_si128 ((const __m128i_u *) data));
#else
  VU32 half = __builtin_convertvector (*(const VHalf *) data, VU32);
  VU32 rest = (half & 0x7fff) << 13;
  VU32 special = (VU32) ((half & 0x7c00) == 0x7c00), is_nan = (VU32) ((half & 0x7fff) > 0x7c00);
  VU32 bits = ((VU32) ((VF32) rest * 0x1p112f) & ~special) | ((rest | 0x7f800000) & special) | (is_nan & 0x400000);

  return (VF32) (bits | (half & 0x8000) << 16);
#endif
}

static inline float
one_f32 (const guint8 *data)
{
  float value;

  memcpy (&value, data, sizeof (value));

  return value;
}

static inline double
one_f64 (const guint8 *data)
{
  double value;

  memcpy (&value, data, sizeof (value));

  return value;
}

/* Pads the element with zeros to a vector. */
#define ONE_HALF(name, read) \
  static inline float \
  name (const guint8 *data) \
  { \
    guint8 padded[VECTOR_BYTES / 2] = { data[0], data[1] }; \
\
    return read (padded)[0]; \
  }

ONE_HALF (one_bf16, read_bf16)
ONE_HALF (one_f16, read_f16)

/* Products of @N rows of the matrix with x. The partial sums of a row have 64 bytes at every level; at the end the
 * upper half is repeatedly added to the lower half. */
#define DOT_STEP(name, T, V, SIZE, read, one, N) \
  static inline __attribute__ ((always_inline)) void \
  name (gsize         n, \
        const guint8 *matrix, \
        gint64        stride, \
        const T      *x, \
        T            *y) \
  { \
    V sums[N][DOT_VECTORS]; \
    gsize i = 0; \
\
    UNROLL for (guint l = 0; l < N; l++) \
      UNROLL for (guint v = 0; v < DOT_VECTORS; v++) \
        sums[l][v] = (V) { 0 }; \
    for (; i + DOT_VECTORS * LANES (T) <= n; i += DOT_VECTORS * LANES (T)) \
      UNROLL for (guint v = 0; v < DOT_VECTORS; v++) \
        { \
          V part = *(const V##_any *) (x + i + v * LANES (T)); \
\
          UNROLL for (guint l = 0; l < N; l++) \
            sums[l][v] += part * read (matrix + (gint64) l * stride + (i + v * LANES (T)) * SIZE); \
        } \
    UNROLL for (guint l = 0; l < N; l++) \
      { \
        T all[DOT_BYTES / sizeof (T)]; \
\
        memcpy (all, sums[l], sizeof (all)); \
        UNROLL for (guint width = DOT_BYTES / sizeof (T) / 2; width > 0; width /= 2) \
          UNROLL for (guint lane = 0; lane < width; lane++) \
            all[lane] += all[lane + width]; \
        for (gsize j = i; j < n; j++) \
          all[0] += x[j] * one (matrix + (gint64) l * stride + j * SIZE); \
        y[l] = all[0]; \
      } \
  }

#define DOT(name, T, V, SIZE, read, one) \
  DOT_STEP (name##_rows, T, V, SIZE, read, one, DOT_ROWS) \
  DOT_STEP (name##_row, T, V, SIZE, read, one, 1) \
\
  static void \
  name (gsize         rows, \
        gsize         n, \
        const guint8 *matrix, \
        gint64        stride, \
        gconstpointer x, \
        gpointer      y) \
  { \
    gsize i = 0; \
\
    for (; i + DOT_ROWS <= rows; i += DOT_ROWS) \
      name##_rows (n, matrix + (gint64) i * stride, stride, x, (T *) y + i); \
    for (; i < rows; i++) \
      name##_row (n, matrix + (gint64) i * stride, stride, x, (T *) y + i); \
  }

DOT (dot_f32, float, VF32, 4, read_f32, one_f32)
DOT (dot_f64, double, VF64, 8, read_f64, one_f64)
DOT (dot_bf16, float, VF32, 2, read_bf16, one_bf16)
DOT (dot_f16, float, VF32, 2, read_f16, one_f16)

#define ADD_STEP(name, T, V, SIZE, read, one, N) \
  static inline __attribute__ ((always_inline)) void \
  name (gsize         n, \
        const guint8 *matrix, \
        gint64        stride, \
        const T      *x, \
        T            *y) \
  { \
    gsize i = 0; \
\
    for (; i + LANES (T) <= n; i += LANES (T)) \
      { \
        V##_any *to = (V##_any *) (y + i); \
        V sum = *to; \
\
        UNROLL for (guint l = 0; l < N; l++) \
          sum += x[l] * read (matrix + (gint64) l * stride + i * SIZE); \
        *to = sum; \
      } \
    for (; i < n; i++) \
      for (guint l = 0; l < N; l++) \
        y[i] += x[l] * one (matrix + (gint64) l * stride + i * SIZE); \
  }

#define ADD(name, T, V, SIZE, read, one) \
  ADD_STEP (name##_rows, T, V, SIZE, read, one, ADD_ROWS) \
  ADD_STEP (name##_row, T, V, SIZE, read, one, 1) \
\
  static void \
  name (gsize         rows, \
        gsize         n, \
        const guint8 *matrix, \
        gint64        stride, \
        gconstpointer x, \
        gpointer      y) \
  { \
    gsize i = 0; \
\
    for (; i + ADD_ROWS <= rows; i += ADD_ROWS) \
      name##_rows (n, matrix + (gint64) i * stride, stride, (const T *) x + i, y); \
    for (; i < rows; i++) \
      name##_row (n, matrix + (gint64) i * stride, stride, (const T *) x + i, y); \
  }

ADD (add_f32, float, VF32, 4, read_f32, one_f32)
ADD (add_f64, double, VF64, 8, read_f64, one_f64)
ADD (add_bf16, float, VF32, 2, read_bf16, one_bf16)
ADD (add_f16, float, VF32, 2, read_f16, one_f16)

const GhloCpuDotFunc NAME (dots)[GHLO_CPU_N_VECTORS] = {
  [GHLO_CPU_VECTOR_F32] = dot_f32,
  [GHLO_CPU_VECTOR_F64] = dot_f64,
  [GHLO_CPU_VECTOR_BF16] = dot_bf16,
  [GHLO_CPU_VECTOR_F16] = dot_f16,
};

const GhloCpuAddFunc NAME (adds)[GHLO_CPU_N_VECTORS] = {
  [GHLO_CPU_VECTOR_F32] = add_f32,
  [GHLO_CPU_VECTOR_F64] = add_f64,
  [GHLO_CPU_VECTOR_BF16] = add_bf16,
  [GHLO_CPU_VECTOR_F16] = add_f16,
};
