/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products of a few vectors and a matrix, which take as long as reading the matrix: it is read once for all vectors,
 * in several streams that are each contiguous and prefetched. Compiled for each level. Nothing is fused, since memory
 * is the bottleneck, so all levels give the same bits.
 */

#include "cpu/isa/halves-private.h"

#include <string.h>

/* Bytes, and vectors, of the partial sums of a row. */
#define DOT_BYTES   64
#define DOT_VECTORS (DOT_BYTES / VECTOR_BYTES)

/* Rows of the matrix that are read at the same time; their sums are in registers, up to this many vectors. */
#define DOT_SUMS    (VECTOR_BYTES == 64 ? 16 : 8)
#define DOT_ROWS(m) (MIN (4, MAX (DOT_SUMS / (DOT_VECTORS * (m)), 1)))
/* Rows whose products are added to sums in registers, and the vectors of sums for each vector of x. Rows are mostly a
 * multiple of pages apart, so that more of them would not fit into the sets of an L1 cache. */
#define ADD_ROWS     8
#define ADD_WIDTH(m) (VECTOR_BYTES < 64 && (m) > 2 ? 2 : 4)

/* How many bytes ahead of their use rows are prefetched, as hardware stops at the end of each page. */
#define DOT_AHEAD 1024
#define ADD_AHEAD 512

/* Columns whose sums stay in the L1 or L2 cache until all rows have been added. */
#define ADD_COLUMNS(m) (16384 / (m))

typedef guint8  VHalf8 __attribute__ ((vector_size (VECTOR_BYTES / 2), aligned (1), may_alias));
typedef gint8   VHalfI8 __attribute__ ((vector_size (VECTOR_BYTES / 2), aligned (1), may_alias));

/* The sixteen bytes that are the last to be added to each other. */
typedef float   QF32 __attribute__ ((vector_size (16)));
typedef double  QF64 __attribute__ ((vector_size (16)));
typedef guint32 QU32 __attribute__ ((vector_size (16)));

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

static inline VU32
read_i32 (const guint8 *data)
{
  return *(const VU32_any *) data;
}

/* GCC divides some of these conversions into several where they are written as vectors. */
static inline VU16
read_i8 (const guint8 *data)
{
#if defined (__AVX512BW__)
  return (VU16) _mm512_cvtepi8_epi16 (_mm256_loadu_si256 ((const __m256i_u *) data));
#elif defined (__AVX2__)
  return (VU16) _mm256_cvtepi8_epi16 (_mm_loadu_si128 ((const __m128i_u *) data));
#else
  return __builtin_convertvector (*(const VHalfI8 *) data, VU16);
#endif
}

static inline VU16
read_u8 (const guint8 *data)
{
#if defined (__AVX512BW__)
  return (VU16) _mm512_cvtepu8_epi16 (_mm256_loadu_si256 ((const __m256i_u *) data));
#elif defined (__AVX2__)
  return (VU16) _mm256_cvtepu8_epi16 (_mm_loadu_si128 ((const __m128i_u *) data));
#else
  return __builtin_convertvector (*(const VHalf8 *) data, VU16);
#endif
}

/* Copies the last elements of a row, which fill less than DOT_BYTES, to a place that is cleared behind them. Calls for
 * a few bytes would take longer than their products. */
static inline void
copy_rest (guint8       *to,
           const guint8 *from,
           gsize         n)
{
#if defined (__AVX512BW__)
  _mm512_storeu_si512 (to, _mm512_maskz_loadu_epi8 (((__mmask64) 1 << n) - 1, from));
#else
  if (n >= 16)
    {
      for (gsize i = 0; i + 16 < n; i += 16)
        memcpy (to + i, from + i, 16);
      memcpy (to + n - 16, from + n - 16, 16);
      return;
    }
  for (gsize size = 8; size > 0; size /= 2)
    if (n & size)
      {
        memcpy (to, from, size);
        from += size;
        to += size;
      }
#endif
}

/* Products of elements of a row, and of the same vector of x. */
#define DOT_FLOATS(x, row, V) (*(const V##_any *) (x) * (row))
#define DOT_PAIRS(x, row, V)  multiply_pairs (*(const V##_any *) (x), (V) (row))

/* Adds the upper half of the sums to the lower half until one is left. */
#define FOLD(name, S, Q) \
  static inline S \
  name (gconstpointer sums) \
  { \
    Q parts[DOT_BYTES / sizeof (Q)], sum; \
\
    memcpy (parts, sums, sizeof (parts)); \
    sum = (parts[0] + parts[2]) + (parts[1] + parts[3]); \
    UNROLL for (guint width = sizeof (Q) / sizeof (S) / 2; width > 0; width /= 2) \
      UNROLL for (guint lane = 0; lane < width; lane++) \
        sum[lane] += sum[lane + width]; \
\
    return sum[0]; \
  }

FOLD (fold_f32, float, QF32)
FOLD (fold_f64, double, QF64)
FOLD (fold_i32, guint32, QU32)

/* The same additions for four rows side by side. */
#define FOLD_QUARTERS(name, S, Q) \
  static inline Q \
  name##_quarters (gconstpointer sums) \
  { \
    Q parts[DOT_BYTES / sizeof (Q)]; \
\
    memcpy (parts, sums, sizeof (parts)); \
\
    return (parts[0] + parts[2]) + (parts[1] + parts[3]); \
  }

FOLD_QUARTERS (fold_f32, float, QF32)
FOLD_QUARTERS (fold_f64, double, QF64)
FOLD_QUARTERS (fold_i32, guint32, QU32)

#define FOLD_FOUR(name, S, Q) \
  static inline void \
  name##_four (gconstpointer row0, gconstpointer row1, gconstpointer row2, gconstpointer row3, S sums[4]) \
  { \
    const Q a = name##_quarters (row0), b = name##_quarters (row1); \
    const Q c = name##_quarters (row2), d = name##_quarters (row3); \
    const Q ab = __builtin_shufflevector (a, b, 0, 1, 4, 5) + __builtin_shufflevector (a, b, 2, 3, 6, 7); \
    const Q cd = __builtin_shufflevector (c, d, 0, 1, 4, 5) + __builtin_shufflevector (c, d, 2, 3, 6, 7); \
    const Q all = __builtin_shufflevector (ab, cd, 0, 2, 4, 6) + __builtin_shufflevector (ab, cd, 1, 3, 5, 7); \
\
    memcpy (sums, &all, sizeof (all)); \
  }

FOLD_FOUR (fold_f32, float, QF32)
FOLD_FOUR (fold_i32, guint32, QU32)

static inline void
fold_f64_four (gconstpointer row0,
               gconstpointer row1,
               gconstpointer row2,
               gconstpointer row3,
               double        sums[4])
{
  const QF64 a = fold_f64_quarters (row0), b = fold_f64_quarters (row1);
  const QF64 c = fold_f64_quarters (row2), d = fold_f64_quarters (row3);
  const QF64 ab = __builtin_shufflevector (a, b, 0, 2) + __builtin_shufflevector (a, b, 1, 3);
  const QF64 cd = __builtin_shufflevector (c, d, 0, 2) + __builtin_shufflevector (c, d, 1, 3);

  memcpy (sums, &ab, sizeof (ab));
  memcpy (sums + 2, &cd, sizeof (cd));
}

/* The product of @m vectors and @rows rows of the matrix, @apart rows from each other. */
#define DOT(name, X, S, V, SIZE, read, multiply, fold) \
  static inline __attribute__ ((always_inline)) void \
  name##_step (const GhloCpuVectors *p, \
               guint                 m, \
               guint                 rows, \
               const guint8         *data, \
               gint64                stride, \
               gsize                 ahead, \
               gsize                 at, \
               V                     sums[4][GHLO_CPU_MAX_VECTORS][DOT_VECTORS]) \
  { \
    const X *x = (const X *) p->x + at; \
\
    UNROLL for (guint l = 0; l < rows; l++) \
      __builtin_prefetch (data + (gint64) l * stride + ahead); \
    UNROLL for (guint v = 0; v < DOT_VECTORS; v++) \
      UNROLL for (guint l = 0; l < rows; l++) \
        { \
          V row = (V) read (data + (gint64) l * stride + v * LANES (X) * SIZE); \
\
          UNROLL for (guint i = 0; i < m; i++) \
            sums[l][i][v] += multiply (x + i * p->x_step + v * LANES (X), row, V); \
        } \
  } \
\
  static inline __attribute__ ((always_inline)) void \
  name##_rows (const GhloCpuVectors *p, \
               guint                 m, \
               guint                 rows, \
               gsize                 first, \
               gsize                 apart) \
  { \
    enum { STEP = DOT_BYTES / sizeof (X) }; \
    const guint8 *data = p->matrix + (gint64) first * p->stride; \
    gint64 stride = (gint64) apart * p->stride; \
    V sums[4][GHLO_CPU_MAX_VECTORS][DOT_VECTORS]; \
    gsize at = 0; \
\
    UNROLL for (guint l = 0; l < rows; l++) \
      UNROLL for (guint i = 0; i < m; i++) \
        UNROLL for (guint v = 0; v < DOT_VECTORS; v++) \
          sums[l][i][v] = (V) { 0 }; \
    for (; at + STEP <= p->k; at += STEP) \
      name##_step (p, m, rows, data + at * SIZE, stride, DOT_AHEAD, at, sums); \
    if (at < p->k) \
      { \
        guint8 rest[4][DOT_BYTES] = { 0 }; \
\
        UNROLL for (guint l = 0; l < rows; l++) \
          copy_rest (rest[l], data + (gint64) l * stride + at * SIZE, (p->k - at) * SIZE); \
        name##_step (p, m, rows, rest[0], DOT_BYTES, 0, at, sums); \
      } \
    UNROLL for (guint i = 0; i < m; i++) \
      { \
        S *y = (S *) p->y + i * p->y_step + first, folded[4]; \
\
        if (rows == 4) \
          fold##_four (sums[0][i], sums[1][i], sums[2][i], sums[3][i], folded); \
        UNROLL for (guint l = 0; l < rows; l++) \
          y[l * apart] = rows == 4 ? folded[l] : fold (sums[l][i]); \
      } \
  } \
\
  static inline __attribute__ ((always_inline)) void \
  name##_all (const GhloCpuVectors *p, \
              guint                 m) \
  { \
    gsize apart = p->n / DOT_ROWS (m); \
\
    for (gsize i = 0; i < apart; i++) \
      name##_rows (p, m, DOT_ROWS (m), i, apart); \
    for (gsize i = DOT_ROWS (m) * apart; i < p->n; i++) \
      name##_rows (p, m, 1, i, 0); \
  } \
\
  FOR_ANY (name)

#define FOR_ANY(name) \
  static void \
  name (const GhloCpuVectors *p) \
  { \
    switch (p->m) \
      { \
      case 1: name##_all (p, 1); break; \
      case 2: name##_all (p, 2); break; \
      case 3: name##_all (p, 3); break; \
      default: name##_all (p, 4); break; \
      } \
  }

DOT (dot_f32, float, float, VF32, 4, read_f32, DOT_FLOATS, fold_f32)
DOT (dot_f64, double, double, VF64, 8, read_f64, DOT_FLOATS, fold_f64)
DOT (dot_bf16, float, float, VF32, 2, read_bf16, DOT_FLOATS, fold_f32)
DOT (dot_f16, float, float, VF32, 2, read_f16, DOT_FLOATS, fold_f32)
DOT (dot_i32, guint32, guint32, VU32, 4, read_i32, DOT_FLOATS, fold_i32)
DOT (dot_i8, gint16, guint32, VU32, 1, read_i8, DOT_PAIRS, fold_i32)
DOT (dot_u8, gint16, guint32, VU32, 1, read_u8, DOT_PAIRS, fold_i32)

/* In each 16 bytes, the pairs of the lower halves of both rows come first. */
static inline void
interleave (VU16 a,
            VU16 b,
            VU32 pairs[2])
{
#if defined (__AVX512BW__)
  pairs[0] = (VU32) _mm512_unpacklo_epi16 ((__m512i) a, (__m512i) b);
  pairs[1] = (VU32) _mm512_unpackhi_epi16 ((__m512i) a, (__m512i) b);
#elif defined (__AVX2__)
  pairs[0] = (VU32) _mm256_unpacklo_epi16 ((__m256i) a, (__m256i) b);
  pairs[1] = (VU32) _mm256_unpackhi_epi16 ((__m256i) a, (__m256i) b);
#else
  pairs[0] = (VU32) __builtin_shufflevector (a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  pairs[1] = (VU32) __builtin_shufflevector (a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#endif
}

/* Adds sums of interleaved pairs to those in the order of columns. */
static inline void
add_interleaved (VU32_any   *to,
                 const VU32  sums[2])
{
#if VECTOR_BYTES == 64
  to[0] += __builtin_shufflevector (sums[0], sums[1], 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
  to[1] += __builtin_shufflevector (sums[0], sums[1], 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
#elif VECTOR_BYTES == 32
  to[0] += __builtin_shufflevector (sums[0], sums[1], 0, 1, 2, 3, 8, 9, 10, 11);
  to[1] += __builtin_shufflevector (sums[0], sums[1], 4, 5, 6, 7, 12, 13, 14, 15);
#else
  to[0] += sums[0];
  to[1] += sums[1];
#endif
}

/* What a type of numbers has: vectors of a row, or of pairs from two rows, as sums are kept in registers; a number,
 * or pair, of x in each lane; their product; and sums that begin with those in memory and are written there. */
#define FLOAT_LOAD(read, part, data, stride, step) \
  UNROLL for (guint w = 0; w < width; w++) \
    part[w] = read (data + w * (step))
#define FLOAT_SPREAD(x, V) ((V) { 0 } + *(x))
#define FLOAT_MULTIPLY(x, row) ((x) * (row))
#define FLOAT_BEGIN(y, w, V) (((const V##_any *) (y))[w])
#define FLOAT_END(y, sums) \
  UNROLL for (guint w = 0; w < width; w++) \
    memcpy ((y) + w * VECTOR_BYTES / sizeof (*(y)), &sums[w], VECTOR_BYTES)

#define PAIR_LOAD(read, part, data, stride, step) \
  UNROLL for (guint w = 0; w < width; w += 2) \
    interleave (read (data + w * (step)), read (data + stride + w * (step)), part + w)
#define PAIR_SPREAD(x, V) ((V) { 0 } + ((guint16) (x)[0] | (guint32) (guint16) (x)[1] << 16))
#define PAIR_BEGIN(y, w, V) ((V) { 0 })
#define PAIR_END(y, sums) \
  UNROLL for (guint w = 0; w < width; w += 2) \
    add_interleaved ((VU32_any *) ((y) + w * LANES (guint32)), sums + w)

/* Adds products of @rows rows, DEPTH of them at a time, to @n_blocks blocks of columns, each of @width vectors of
 * sums. */
#define ADD(name, X, S, V, SIZE, DEPTH, KIND, read, multiply) \
  static inline __attribute__ ((always_inline)) void \
  name##_step (guint         m, \
               guint         width, \
               gsize         rows, \
               gsize         n_blocks, \
               const guint8 *data, \
               gint64        stride, \
               gint64        ahead, \
               const X      *x, \
               gsize         x_step, \
               S            *y, \
               gsize         y_step) \
  { \
    for (gsize b = 0; b < n_blocks; b++, data += width * LANES (S) * SIZE, y += width * LANES (S)) \
      { \
        V sums[GHLO_CPU_MAX_VECTORS][ADD_WIDTH (1)]; \
        const guint8 *row = data; \
\
        UNROLL for (guint i = 0; i < m; i++) \
          UNROLL for (guint w = 0; w < width; w++) \
            sums[i][w] = KIND##_BEGIN (y + i * y_step, w, V); \
        for (gsize l = 0; l < rows; l += DEPTH, row += DEPTH * stride) \
          { \
            V part[ADD_WIDTH (1)]; \
\
            UNROLL for (guint d = 0; d < DEPTH; d++) \
              UNROLL for (guint byte = 0; byte < width * LANES (S) * SIZE; byte += 64) \
                __builtin_prefetch (row + d * stride + ahead + byte); \
            KIND##_LOAD (read, part, row, stride, LANES (S) * SIZE); \
            UNROLL for (guint i = 0; i < m; i++) \
              { \
                V number = KIND##_SPREAD (x + i * x_step + l, V); \
\
                UNROLL for (guint w = 0; w < width; w++) \
                  sums[i][w] += multiply (number, part[w]); \
              } \
          } \
        UNROLL for (guint i = 0; i < m; i++) \
          { \
            KIND##_END (y + i * y_step, sums[i]); \
          } \
      } \
  } \
\
  /* The last columns of a row are prefetched with the first ones of the next rows. Those that do not fill a block are \
   * added by single vectors, of which the last one overlaps others and has sums of its own in @ends. */ \
  static inline __attribute__ ((always_inline)) void \
  name##_rows (const GhloCpuVectors *p, \
               guint                 m, \
               gsize                 at, \
               gsize                 rows, \
               gsize                 column, \
               gsize                 n, \
               S                     ends[GHLO_CPU_MAX_VECTORS][DEPTH * LANES (S)]) \
  { \
    enum { ONE = DEPTH * LANES (S) }; \
    const gsize block = ADD_WIDTH (m) * LANES (S), n_blocks = n / block, done = n_blocks * block; \
    const gsize last = MIN (n_blocks, ADD_AHEAD / (block * SIZE)), begin = (n_blocks - last) * block; \
    const guint8 *data = p->matrix + (gint64) at * p->stride + column * SIZE; \
    const gint64 stride = rows > 1 ? p->stride : 0, next = ADD_ROWS * stride; \
    const X *x = (const X *) p->x + at; \
    S *y = (S *) p->y + column; \
\
    name##_step (m, ADD_WIDTH (m), rows, n_blocks - last, data, stride, ADD_AHEAD, x, p->x_step, y, p->y_step); \
    name##_step (m, ADD_WIDTH (m), rows, last, data + begin * SIZE, stride, next - (gint64) (begin * SIZE), x, \
                 p->x_step, y + begin, p->y_step); \
    if (done == n) \
      return; \
    name##_step (m, DEPTH, rows, (n - done) / ONE, data + done * SIZE, stride, next, x, p->x_step, y + done, \
                 p->y_step); \
    if (p->n >= ONE && n % ONE > 0) \
      name##_step (m, DEPTH, rows, 1, data + ((gint64) n - ONE) * SIZE, stride, next, x, p->x_step, ends[0], ONE); \
    else if (n % ONE > 0) \
      { \
        guint8 rest[ADD_ROWS][DOT_BYTES] = { 0 }; \
\
        for (gsize l = 0; l < rows; l++) \
          copy_rest (rest[l], data + (gint64) l * stride, n * SIZE); \
        name##_step (m, DEPTH, rows, 1, rest[0], DOT_BYTES, 0, x, p->x_step, ends[0], ONE); \
      } \
  } \
\
  static inline __attribute__ ((always_inline)) void \
  name##_all (const GhloCpuVectors *p, \
              guint                 m) \
  { \
    enum { ONE = DEPTH * LANES (S) }; \
    const gsize part = ADD_COLUMNS ((m) == 3 ? 4 : (m)), over = p->n % ONE; \
    const gsize skipped = p->n < ONE ? 0 : ONE - over; \
    S ends[GHLO_CPU_MAX_VECTORS][ONE] = { 0 }; \
    S *y_end = (S *) p->y + p->n - over; \
\
    for (guint i = 0; i < m && !p->accumulate; i++) \
      memset ((S *) p->y + i * p->y_step, 0, p->n * sizeof (S)); \
    for (guint i = 0; i < m && over > 0; i++) \
      memcpy (ends[i] + skipped, y_end + i * p->y_step, over * sizeof (S)); \
    /* A last row without another one is a pair with itself, where x continues with zeros. */ \
    for (gsize column = 0; column < p->n; column += part) \
      for (gsize at = 0, rows; at < p->k; at += rows) \
        { \
          rows = MIN (p->k - at, ADD_ROWS); \
          rows = rows > DEPTH ? rows - rows % DEPTH : rows; \
          name##_rows (p, m, at, rows, column, MIN (p->n - column, part), ends); \
        } \
    for (guint i = 0; i < m && over > 0; i++) \
      memcpy (y_end + i * p->y_step, ends[i] + skipped, over * sizeof (S)); \
  } \
\
  FOR_ANY (name)

ADD (add_f32, float, float, VF32, 4, 1, FLOAT, read_f32, FLOAT_MULTIPLY)
ADD (add_f64, double, double, VF64, 8, 1, FLOAT, read_f64, FLOAT_MULTIPLY)
ADD (add_bf16, float, float, VF32, 2, 1, FLOAT, read_bf16, FLOAT_MULTIPLY)
ADD (add_f16, float, float, VF32, 2, 1, FLOAT, read_f16, FLOAT_MULTIPLY)
ADD (add_i32, guint32, guint32, VU32, 4, 1, FLOAT, read_i32, FLOAT_MULTIPLY)
ADD (add_i8, gint16, guint32, VU32, 1, 2, PAIR, read_i8, multiply_pairs)
ADD (add_u8, gint16, guint32, VU32, 1, 2, PAIR, read_u8, multiply_pairs)

const GhloCpuVectorsFunc NAME (dots)[GHLO_CPU_N_VECTORS] = {
  [GHLO_CPU_VECTOR_F32] = dot_f32,
  [GHLO_CPU_VECTOR_F64] = dot_f64,
  [GHLO_CPU_VECTOR_BF16] = dot_bf16,
  [GHLO_CPU_VECTOR_F16] = dot_f16,
  [GHLO_CPU_VECTOR_I32] = dot_i32,
  [GHLO_CPU_VECTOR_I8] = dot_i8,
  [GHLO_CPU_VECTOR_U8] = dot_u8,
};

const GhloCpuVectorsFunc NAME (adds)[GHLO_CPU_N_VECTORS] = {
  [GHLO_CPU_VECTOR_F32] = add_f32,
  [GHLO_CPU_VECTOR_F64] = add_f64,
  [GHLO_CPU_VECTOR_BF16] = add_bf16,
  [GHLO_CPU_VECTOR_F16] = add_f16,
  [GHLO_CPU_VECTOR_I32] = add_i32,
  [GHLO_CPU_VECTOR_I8] = add_i8,
  [GHLO_CPU_VECTOR_U8] = add_u8,
};
