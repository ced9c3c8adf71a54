/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies planes whose columns are adjacent in memory into planes whose rows are. Tiles are transposed in registers:
 * each lane of 16 bytes holds a square of units, from as many columns of the source as fit, so that each store writes
 * a whole register of adjacent units. Tiles overlap at the edges. Compiled for each level.
 */

#include "cpu/isa/routines-private.h"

#include <string.h>

#if defined (__AVX2__)
#include <immintrin.h>
#endif

/* Up to FEW columns are moved one by one where the rows of the result have gaps. */
enum { LINE_BYTES = 64, FEW = 4 };

typedef guint8  U8x16 __attribute__ ((vector_size (16), may_alias));
typedef guint16 U16x8 __attribute__ ((vector_size (16), may_alias));
typedef guint32 U32x4 __attribute__ ((vector_size (16), may_alias));
typedef guint64 U64x2 __attribute__ ((vector_size (16), may_alias));

/* Interleave the units of the lower, or of the upper, halves of two 16-byte lanes. */
#define LOW_1(a, b)  (U64x2) __builtin_shufflevector ((U8x16) a, (U8x16) b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, \
                                                      6, 22, 7, 23)
#define HIGH_1(a, b) (U64x2) __builtin_shufflevector ((U8x16) a, (U8x16) b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, \
                                                      13, 29, 14, 30, 15, 31)
#define LOW_2(a, b)  (U64x2) __builtin_shufflevector ((U16x8) a, (U16x8) b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_2(a, b) (U64x2) __builtin_shufflevector ((U16x8) a, (U16x8) b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_4(a, b)  (U64x2) __builtin_shufflevector ((U32x4) a, (U32x4) b, 0, 4, 1, 5)
#define HIGH_4(a, b) (U64x2) __builtin_shufflevector ((U32x4) a, (U32x4) b, 2, 6, 3, 7)
#define LOW_8(a, b)  __builtin_shufflevector (a, b, 0, 2)
#define HIGH_8(a, b) __builtin_shufflevector (a, b, 1, 3)
#define LOW_16(a, b)  a
#define HIGH_16(a, b) b

static inline U64x2
load_lane (const guint8 *at,
           gint64        stride)
{
  return *(const Unit16 *) at;
}

static inline void
store_lane (guint8 *to,
            U64x2   value)
{
  *(Unit16 *) to = value;
}

/* The same of columns at any offsets, from lane to lane @step columns on. */
static inline U64x2
load_lane_at (const guint8 *from,
              const gint64 *columns,
              guint         step)
{
  return *(const Unit16 *) (from + columns[0]);
}

/* The same in all 16-byte lanes of a register of this level. A load takes each lane from another column; columns are
 * @stride bytes apart. Non-temporal stores need alignment. */
#if defined (__AVX512F__)
typedef __m512i Wide;
#define WIDE_LOW_1 _mm512_unpacklo_epi8
#define WIDE_HIGH_1 _mm512_unpackhi_epi8
#define WIDE_LOW_2 _mm512_unpacklo_epi16
#define WIDE_HIGH_2 _mm512_unpackhi_epi16
#define WIDE_LOW_4 _mm512_unpacklo_epi32
#define WIDE_HIGH_4 _mm512_unpackhi_epi32
#define WIDE_LOW_8 _mm512_unpacklo_epi64
#define WIDE_HIGH_8 _mm512_unpackhi_epi64

static inline Wide
load_wide (const guint8 *at,
           gint64        stride)
{
  Wide value = _mm512_castsi128_si512 (_mm_loadu_si128 ((const __m128i_u *) at));

  value = _mm512_inserti32x4 (value, _mm_loadu_si128 ((const __m128i_u *) (at + stride)), 1);
  value = _mm512_inserti32x4 (value, _mm_loadu_si128 ((const __m128i_u *) (at + 2 * stride)), 2);

  return _mm512_inserti32x4 (value, _mm_loadu_si128 ((const __m128i_u *) (at + 3 * stride)), 3);
}

static inline Wide
load_wide_at (const guint8 *from,
              const gint64 *columns,
              guint         step)
{
  Wide value = _mm512_castsi128_si512 (_mm_loadu_si128 ((const __m128i_u *) (from + columns[0])));

  value = _mm512_inserti32x4 (value, _mm_loadu_si128 ((const __m128i_u *) (from + columns[step])), 1);
  value = _mm512_inserti32x4 (value, _mm_loadu_si128 ((const __m128i_u *) (from + columns[2 * step])), 2);

  return _mm512_inserti32x4 (value, _mm_loadu_si128 ((const __m128i_u *) (from + columns[3 * step])), 3);
}

static inline void
store_wide (guint8 *to,
            Wide    value)
{
  _mm512_storeu_si512 (to, value);
}

static inline void
store_past (guint8 *to,
            Wide    value)
{
  _mm512_stream_si512 ((__m512i *) (gpointer) to, value);
}
#elif defined (__AVX2__)
typedef __m256i Wide;
#define WIDE_LOW_1 _mm256_unpacklo_epi8
#define WIDE_HIGH_1 _mm256_unpackhi_epi8
#define WIDE_LOW_2 _mm256_unpacklo_epi16
#define WIDE_HIGH_2 _mm256_unpackhi_epi16
#define WIDE_LOW_4 _mm256_unpacklo_epi32
#define WIDE_HIGH_4 _mm256_unpackhi_epi32
#define WIDE_LOW_8 _mm256_unpacklo_epi64
#define WIDE_HIGH_8 _mm256_unpackhi_epi64

static inline Wide
load_wide (const guint8 *at,
           gint64        stride)
{
  Wide value = _mm256_castsi128_si256 (_mm_loadu_si128 ((const __m128i_u *) at));

  return _mm256_inserti128_si256 (value, _mm_loadu_si128 ((const __m128i_u *) (at + stride)), 1);
}

static inline Wide
load_wide_at (const guint8 *from,
              const gint64 *columns,
              guint         step)
{
  Wide value = _mm256_castsi128_si256 (_mm_loadu_si128 ((const __m128i_u *) (from + columns[0])));

  return _mm256_inserti128_si256 (value, _mm_loadu_si128 ((const __m128i_u *) (from + columns[step])), 1);
}

static inline void
store_wide (guint8 *to,
            Wide    value)
{
  _mm256_storeu_si256 ((__m256i_u *) to, value);
}

static inline void
store_past (guint8 *to,
            Wide    value)
{
  _mm256_stream_si256 ((__m256i *) (gpointer) to, value);
}
#else
typedef U64x2 Wide;
#define WIDE_LOW_1 LOW_1
#define WIDE_HIGH_1 HIGH_1
#define WIDE_LOW_2 LOW_2
#define WIDE_HIGH_2 HIGH_2
#define WIDE_LOW_4 LOW_4
#define WIDE_HIGH_4 HIGH_4
#define WIDE_LOW_8 LOW_8
#define WIDE_HIGH_8 HIGH_8
#define load_wide load_lane
#define load_wide_at load_lane_at
#define store_wide store_lane
#define store_past store_lane
#endif
#define WIDE_LOW_16(a, b)  a
#define WIDE_HIGH_16(a, b) b

/* Transposes rows [begin, end) of as many columns as a register holds units: in each 16-byte lane the squares of
 * @SIDE × @SIDE units are transposed by interleaving their halves. Columns of the source and rows of the result are as
 * many bytes apart as the parameters say, or, where these are tables, at such offsets: LOADED is the part of column i
 * from a row on, and TO where row i is stored. */
#define TILE(name, V, SIZE, S, store, low, high, LOADED, TO) \
  static inline __attribute__ ((always_inline)) void \
  name (const guint8 *from, \
        S             columns, \
        guint8       *to, \
        S             rows, \
        gsize         begin, \
        gsize         end) \
  { \
    enum { SIDE = 16 / SIZE }; \
\
    for (gsize next = begin; next < end; next += SIDE) \
      { \
        gsize row = MIN (next, end - SIDE); \
        V square[SIDE], other[SIDE]; \
\
        UNROLL for (guint i = 0; i < SIDE; i++) \
          square[i] = LOADED; \
        UNROLL for (guint step = 1; step < SIDE; step *= 2) \
          { \
            UNROLL for (guint i = 0; 2 * i + 1 < SIDE; i++) \
              { \
                other[2 * i] = low (square[i], square[i + SIDE / 2]); \
                other[2 * i + 1] = high (square[i], square[i + SIDE / 2]); \
              } \
            UNROLL for (guint i = 0; i < SIDE; i++) \
              square[i] = other[i]; \
          } \
        UNROLL for (guint i = 0; i < SIDE; i++) \
          store (TO, square[i]); \
      } \
  }

#define STRIDED(name, V, SIZE, load, store, low, high) \
  TILE (name, V, SIZE, gint64, store, low, high, load (from + i * columns + row * SIZE, SIDE * columns), \
        to + (gint64) (row + i) * rows)
#define TABLED(name, V, SIZE, load, store, low, high) \
  TILE (name, V, SIZE, const gint64 *, store, low, high, load (from + row * SIZE, columns + i, SIDE), \
        to + rows[row + i])

/* All columns are read one cache line at a time, since the L1 cache holds only a few of them at once where columns
 * are a power of two apart. FROM and COLUMNS are what a tile's first column is at. */
#define PLANE(name, SIZE, WIDTH, tile, S, FROM, COLUMNS) \
  static void \
  name (const guint8 *from, \
        S             from_columns, \
        guint8       *to, \
        S             to_rows, \
        gsize         rows, \
        gsize         columns) \
  { \
    for (gsize row = 0; row < rows; row += LINE_BYTES / SIZE) \
      for (gsize next = 0; next < columns; next += WIDTH) \
        { \
          gsize column = MIN (next, columns - WIDTH); \
\
          tile (FROM, COLUMNS, to + column * SIZE, to_rows, row, MIN (row + LINE_BYTES / SIZE, rows)); \
        } \
  }

#define STRIDED_PLANE(name, SIZE, WIDTH, tile) \
  PLANE (name, SIZE, WIDTH, tile, gint64, from + (gint64) column * from_columns, from_columns)
#define TABLED_PLANE(name, SIZE, WIDTH, tile) \
  PLANE (name, SIZE, WIDTH, tile, const gint64 *, from, from_columns + column)

/* Planes with fewer columns, or rows, than a square has. Squares of a cache line of the other dimension go through a
 * copy that has room for a whole one. A store of 16 bytes for each row of few columns reaches into the next rows, which
 * are written later, unless there are gaps: then rows go through another copy. A load of 16 bytes for each column of
 * few rows reaches into what follows. The last ones would reach beyond the plane: rows go through the other copy, as
 * long as there are enough of them, and other elements are moved one by one. */
#define NARROW(name, SIZE, tile, move) \
  static void \
  name##_columns (const guint8 *from, \
                  gint64        from_column, \
                  guint8       *to, \
                  gint64        to_row, \
                  gsize         rows, \
                  gsize         columns) \
  { \
    enum { SIDE = 16 / SIZE, LINE = LINE_BYTES / SIZE }; \
    const gint64 copied = (gint64) (columns * SIZE); \
    const gboolean has_gaps = to_row != copied; \
    guint8 lines[SIDE * LINE_BYTES] __attribute__ ((aligned (64))) = { 0 }, last[(LINE + 1) * 16]; \
    gsize row = 0; \
\
    for (; !has_gaps && row + LINE + SIDE <= rows; row += LINE) \
      { \
        for (gsize j = 0; j < columns; j++) \
          memcpy (lines + j * LINE_BYTES, from + (gint64) j * from_column + row * SIZE, LINE_BYTES); \
        tile (lines, LINE_BYTES, to + (gint64) row * to_row, to_row, 0, LINE); \
      } \
    while (rows - row >= SIDE) \
      { \
        gsize n = MIN (LINE, rows - row); \
\
        for (gsize j = 0; j < columns; j++) \
          memcpy (lines + j * LINE_BYTES, from + (gint64) j * from_column + row * SIZE, n * SIZE); \
        tile (lines, LINE_BYTES, last, copied, 0, LINE); \
        if (has_gaps) \
          move (last, copied, SIZE, to + (gint64) row * to_row, to_row, SIZE, n, columns); \
        else \
          memcpy (to + (gint64) row * to_row, last, n * (gsize) to_row); \
        row += n; \
      } \
    move (from + row * SIZE, SIZE, from_column, to + (gint64) row * to_row, to_row, SIZE, rows - row, columns); \
  } \
\
  static void \
  name##_rows (const guint8 *from, \
               gint64        from_column, \
               guint8       *to, \
               gint64        to_row, \
               gsize         rows, \
               gsize         columns) \
  { \
    enum { SIDE = 16 / SIZE, LINE = LINE_BYTES / SIZE }; \
    guint8 lines[SIDE * LINE_BYTES] __attribute__ ((aligned (64))); \
    gsize column = 0; \
\
    for (; column + LINE + SIDE <= columns; column += LINE) \
      { \
        for (gsize j = 0; j < LINE; j += SIDE) \
          tile (from + (gint64) (column + j) * from_column, from_column, lines + j * SIZE, LINE_BYTES, 0, SIDE); \
        for (gsize i = 0; i < rows; i++) \
          memcpy (to + (gint64) i * to_row + column * SIZE, lines + i * LINE_BYTES, LINE_BYTES); \
      } \
    move (from + (gint64) column * from_column, SIZE, from_column, to + column * SIZE, to_row, SIZE, rows, \
          columns - column); \
  }

/* Two columns become the halves of pairs. */
#define ZIP(name, SIZE) \
  static void \
  name##_zip (const guint8 *from, \
              gint64        from_column, \
              guint8       *to, \
              gsize         rows) \
  { \
    enum { SIDE = 16 / SIZE }; \
\
    for (gsize next = 0; next < rows; next += SIDE) \
      { \
        const gsize row = MIN (next, rows - SIDE); \
        const U64x2 a = load_lane (from + row * SIZE, 0), b = load_lane (from + from_column + row * SIZE, 0); \
\
        store_lane (to + 2 * row * SIZE, LOW_##SIZE (a, b)); \
        store_lane (to + 2 * row * SIZE + 16, HIGH_##SIZE (a, b)); \
      } \
  }

#define TRANSPOSE(name, SIZE) \
  STRIDED (name##_wide, Wide, SIZE, load_wide, store_wide, WIDE_LOW_##SIZE, WIDE_HIGH_##SIZE) \
  STRIDED (name##_past, Wide, SIZE, load_wide, store_past, WIDE_LOW_##SIZE, WIDE_HIGH_##SIZE) \
  STRIDED (name##_lane, U64x2, SIZE, load_lane, store_lane, LOW_##SIZE, HIGH_##SIZE) \
  STRIDED_PLANE (name##_planes, SIZE, VECTOR_BYTES / SIZE, name##_wide) \
  STRIDED_PLANE (name##_past_planes, SIZE, VECTOR_BYTES / SIZE, name##_past) \
  STRIDED_PLANE (name##_narrow, SIZE, 16 / SIZE, name##_lane) \
  TABLED (name##_wide_at, Wide, SIZE, load_wide_at, store_wide, WIDE_LOW_##SIZE, WIDE_HIGH_##SIZE) \
  TABLED (name##_lane_at, U64x2, SIZE, load_lane_at, store_lane, LOW_##SIZE, HIGH_##SIZE) \
  TABLED_PLANE (name##_planes_at, SIZE, VECTOR_BYTES / SIZE, name##_wide_at) \
  TABLED_PLANE (name##_narrow_at, SIZE, 16 / SIZE, name##_lane_at) \
  NARROW (name, SIZE, name##_lane, NAME (moves)[__builtin_ctz (SIZE)]) \
  ZIP (name, SIZE) \
\
  static void \
  name (const guint8 *from, \
        gint64        from_row, \
        gint64        from_column, \
        guint8       *to, \
        gint64        to_row, \
        gint64        to_column, \
        gsize         rows, \
        gsize         columns) \
  { \
    if (columns == 2 && rows >= 16 / SIZE && to_row == 2 * SIZE) \
      name##_zip (from, from_column, to, rows); \
    else if (columns > 1 && columns < 16 / SIZE && (to_row == (gint64) (columns * SIZE) || columns > FEW)) \
      name##_columns (from, from_column, to, to_row, rows, columns); \
    else if (rows > 1 && rows < 16 / SIZE && from_column >= (gint64) (rows * SIZE)) \
      name##_rows (from, from_column, to, to_row, rows, columns); \
    else if (rows < 16 / SIZE || columns < 16 / SIZE) \
      NAME (moves)[__builtin_ctz (SIZE)] (from, from_row, from_column, to, to_row, to_column, rows, columns); \
    else \
      (columns < VECTOR_BYTES / SIZE ? name##_narrow : name##_planes) (from, from_column, to, to_row, rows, columns); \
  } \
\
  static void \
  name##_at (const guint8 *from, \
             const gint64 *from_columns, \
             guint8       *to, \
             const gint64 *to_rows, \
             gsize         rows, \
             gsize         columns) \
  { \
    if (rows < 16 / SIZE || columns < 16 / SIZE) \
      { \
        for (gsize i = 0; i < rows; i++) \
          for (gsize j = 0; j < columns; j++) \
            *(Unit##SIZE *) (to + to_rows[i] + j * SIZE) = *(const Unit##SIZE *) (from + from_columns[j] + i * SIZE); \
      } \
    else \
      (columns < VECTOR_BYTES / SIZE ? name##_narrow_at : name##_planes_at) (from, from_columns, to, to_rows, rows, \
                                                                             columns); \
  } \
\
  static void \
  name##_stream (const guint8 *from, \
                 gint64        from_row, \
                 gint64        from_column, \
                 guint8       *to, \
                 gint64        to_row, \
                 gint64        to_column, \
                 gsize         rows, \
                 gsize         columns) \
  { \
    if (rows < 16 / SIZE || columns % (VECTOR_BYTES / SIZE) != 0 || ((gintptr) to | to_row) % VECTOR_BYTES != 0) \
      name (from, from_row, from_column, to, to_row, to_column, rows, columns); \
    else \
      name##_past_planes (from, from_column, to, to_row, rows, columns); \
  }

TRANSPOSE (transpose1, 1)
TRANSPOSE (transpose2, 2)
TRANSPOSE (transpose4, 4)
TRANSPOSE (transpose8, 8)
TRANSPOSE (transpose16, 16)

const GhloCpuPlaneFunc NAME (transposes)[GHLO_CPU_N_UNITS] = {
  transpose1, transpose2, transpose4, transpose8, transpose16,
};
const GhloCpuTableFunc NAME (transposes_at)[GHLO_CPU_N_UNITS] = {
  transpose1_at, transpose2_at, transpose4_at, transpose8_at, transpose16_at,
};
const GhloCpuPlaneFunc NAME (streams)[GHLO_CPU_N_UNITS] = {
  transpose1_stream, transpose2_stream, transpose4_stream, transpose8_stream, transpose16_stream,
};

/* Transposes squares from rows at any addresses. Returns how many numbers of each row are done. */
static inline gsize
interleave_4x4 (const gconstpointer *rows,
                gsize                n,
                gsize                width,
                guint8              *to)
{
  const guint8 *const *from = (const guint8 *const *) rows;
  gsize j = 0;

  for (; j + 4 <= n; j += 4)
    {
      U64x2 l0 = load_lane (from[0] + 4 * j, 0), l1 = load_lane (from[1] + 4 * j, 0);
      U64x2 l2 = load_lane (from[2] + 4 * j, 0), l3 = load_lane (from[3] + 4 * j, 0);
      U64x2 a = LOW_4 (l0, l2), b = HIGH_4 (l0, l2), c = LOW_4 (l1, l3), d = HIGH_4 (l1, l3);
      guint8 *out = to + 4 * j * width;

      store_lane (out, LOW_4 (a, c));
      store_lane (out + 4 * width, HIGH_4 (a, c));
      store_lane (out + 8 * width, LOW_4 (b, d));
      store_lane (out + 12 * width, HIGH_4 (b, d));
    }

  return j;
}

#if VECTOR_BYTES >= 32
typedef guint64 U64x4 __attribute__ ((vector_size (32), may_alias));
typedef guint64 U64x4_any __attribute__ ((vector_size (32), aligned (1), may_alias));

enum { SIDE_8 = 4 };

static inline gsize
interleave_8 (const gconstpointer *rows,
              gsize                n,
              gsize                width,
              guint8              *to)
{
  const guint8 *const *from = (const guint8 *const *) rows;
  gsize j = 0;

  for (; j + 4 <= n; j += 4)
    {
      U64x4 l0 = *(const U64x4_any *) (from[0] + 8 * j), l1 = *(const U64x4_any *) (from[1] + 8 * j);
      U64x4 l2 = *(const U64x4_any *) (from[2] + 8 * j), l3 = *(const U64x4_any *) (from[3] + 8 * j);
      U64x4 a = __builtin_shufflevector (l0, l1, 0, 4, 2, 6), b = __builtin_shufflevector (l0, l1, 1, 5, 3, 7);
      U64x4 c = __builtin_shufflevector (l2, l3, 0, 4, 2, 6), d = __builtin_shufflevector (l2, l3, 1, 5, 3, 7);
      guint8 *out = to + 8 * j * width;

      *(U64x4_any *) out = __builtin_shufflevector (a, c, 0, 1, 4, 5);
      *(U64x4_any *) (out + 8 * width) = __builtin_shufflevector (b, d, 0, 1, 4, 5);
      *(U64x4_any *) (out + 16 * width) = __builtin_shufflevector (a, c, 2, 3, 6, 7);
      *(U64x4_any *) (out + 24 * width) = __builtin_shufflevector (b, d, 2, 3, 6, 7);
    }

  return j;
}
#else
enum { SIDE_8 = 2 };

static inline gsize
interleave_8 (const gconstpointer *rows,
              gsize                n,
              gsize                width,
              guint8              *to)
{
  const guint8 *const *from = (const guint8 *const *) rows;
  gsize j = 0;

  for (; j + 2 <= n; j += 2)
    {
      U64x2 l0 = load_lane (from[0] + 8 * j, 0), l1 = load_lane (from[1] + 8 * j, 0);
      guint8 *out = to + 8 * j * width;

      store_lane (out, LOW_8 (l0, l1));
      store_lane (out + 8 * width, HIGH_8 (l0, l1));
    }

  return j;
}
#endif

static inline gsize
interleave_1x1 (const gconstpointer *rows,
                gsize                n,
                gsize                width,
                guint8              *to)
{
  for (gsize j = 0; j < n; j++)
    store_lane (to + 16 * j * width, load_lane ((const guint8 *) rows[0] + 16 * j, 0));

  return n;
}

/* Rows are cleared from some byte on, and may be before: by whole registers, or lanes, that end with each row. */
void
NAME (clear_columns) (guint8 *to,
                      gsize   row,
                      gsize   from,
                      gsize   n)
{
  for (gsize i = 0; i < n; i++, to += row)
    if (row % VECTOR_BYTES == 0)
      for (gsize end = row; end > from; end -= VECTOR_BYTES)
        store_wide (to + end - VECTOR_BYTES, (Wide) { 0 });
    else
      for (gsize end = row; end > from; end = end >= 16 ? end - 16 : 0)
        store_lane (to + (end >= 16 ? end - 16 : 0), (U64x2) { 0 });
}

#define INTERLEAVE(name, T, SIDE, square) \
  void \
  name (const gconstpointer *rows, \
        guint                n_rows, \
        guint                width, \
        gsize                n, \
        gpointer             to_data) \
  { \
    T *to = to_data; \
    guint i = 0; \
\
    if (n_rows < width) \
      NAME (clear_columns) ((guint8 *) to, width * sizeof (T), n_rows * sizeof (T), n); \
    for (; i + SIDE <= n_rows; i += SIDE) \
      for (gsize j = square (rows + i, n, width, (guint8 *) (to + i)); j < n; j++) \
        UNROLL for (guint l = 0; l < SIDE; l++) \
          to[j * width + i + l] = ((const T *) rows[i + l])[j]; \
    for (; i < n_rows; i++) \
      for (gsize j = 0; j < n; j++) \
        to[j * width + i] = ((const T *) rows[i])[j]; \
  }

INTERLEAVE (NAME (interleave4), Unit4, 4, interleave_4x4)
INTERLEAVE (NAME (interleave8), Unit8, SIDE_8, interleave_8)
INTERLEAVE (NAME (interleave16), Unit16, 1, interleave_1x1)
