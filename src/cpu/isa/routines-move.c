/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies planes of units with any strides, where neither rows nor blocks are adjacent. The inner loop runs over rows
 * unless they are short. Compiled for each level.
 */

#include "cpu/isa/routines-private.h"

#include <string.h>

/* Rows with fewer units are copied column by column instead. Up to CALL bytes are copied faster than by a call. */
enum { SHORT_ROW = 8, CALL = 4 * VECTOR_BYTES };

/* Sixteen bytes of units, and macros that reverse the order of the units, select every second one of two vectors, or
 * repeat each one of the lower or upper half. */
typedef guint8  U8x16 __attribute__ ((vector_size (16), aligned (1), may_alias));
typedef guint16 U16x8 __attribute__ ((vector_size (16), aligned (1), may_alias));
typedef guint32 U32x4 __attribute__ ((vector_size (16), aligned (1), may_alias));
typedef guint64 U64x2 __attribute__ ((vector_size (16), aligned (1), may_alias));
typedef guint8  Wide __attribute__ ((vector_size (VECTOR_BYTES), aligned (1), may_alias));

#define PIECE(T) \
  if (n & sizeof (T)) \
    { \
      *(T *) to = *(const T *) from; \
      from += sizeof (T); \
      to += sizeof (T); \
    }

#define VECTORS(V) \
  for (gsize i = 0; i + sizeof (V) < n; i += sizeof (V)) \
    *(V *) (to + i) = *(const V *) (from + i); \
  *(V *) (to + n - sizeof (V)) = *(const V *) (from + n - sizeof (V));

/* From 16 bytes on, the last vector overlaps the one before. */
static inline void
copy_bytes (const guint8 *from,
            guint8       *to,
            gsize         n)
{
  if (n > CALL)
    memcpy (to, from, n);
  else if (n >= VECTOR_BYTES)
    {
      VECTORS (Wide)
    }
  else if (n >= 16)
    {
      VECTORS (U8x16)
    }
  else
    {
      PIECE (Unit8)
      PIECE (Unit4)
      PIECE (Unit2)
      PIECE (Unit1)
    }
}

#define FLIP_1(v) __builtin_shufflevector (v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define FLIP_2(v) __builtin_shufflevector (v, v, 7, 6, 5, 4, 3, 2, 1, 0)
#define FLIP_4(v) __builtin_shufflevector (v, v, 3, 2, 1, 0)
#define FLIP_8(v) __builtin_shufflevector (v, v, 1, 0)
#define FLIP_16(v) v

#define EVEN_1(v, w) __builtin_shufflevector (v, w, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define EVEN_2(v, w) __builtin_shufflevector (v, w, 0, 2, 4, 6, 8, 10, 12, 14)
#define EVEN_4(v, w) __builtin_shufflevector (v, w, 0, 2, 4, 6)
#define EVEN_8(v, w) __builtin_shufflevector (v, w, 0, 2)
#define EVEN_16(v, w) v

#define LOWER_1(v) __builtin_shufflevector (v, v, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7)
#define LOWER_2(v) __builtin_shufflevector (v, v, 0, 0, 1, 1, 2, 2, 3, 3)
#define LOWER_4(v) __builtin_shufflevector (v, v, 0, 0, 1, 1)
#define LOWER_8(v) __builtin_shufflevector (v, v, 0, 0)
#define LOWER_16(v) v

#define UPPER_1(v) __builtin_shufflevector (v, v, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15)
#define UPPER_2(v) __builtin_shufflevector (v, v, 4, 4, 5, 5, 6, 6, 7, 7)
#define UPPER_4(v) __builtin_shufflevector (v, v, 2, 2, 3, 3)
#define UPPER_8(v) __builtin_shufflevector (v, v, 1, 1)
#define UPPER_16(v) v

#define MOVE(name, T, V, flip, even, lower, upper) \
  static inline __attribute__ ((always_inline)) void \
  name##_row (const guint8 *from, \
              gint64        from_stride, \
              guint8       *to, \
              gint64        to_stride, \
              gsize         n) \
  { \
    for (gsize i = 0; i < n; i++) \
      *(T *) (to + (gint64) i * to_stride) = *(const T *) (from + (gint64) i * from_stride); \
  } \
\
  /* @from is the first unit in memory, and becomes the last one of the result. */ \
  static inline void \
  name##_reversed (const guint8 *from, \
                   guint8       *to, \
                   gsize         n) \
  { \
    enum { SIDE = 16 / sizeof (T) }; \
\
    for (; n >= 4 * SIDE; n -= 4 * SIDE, to += 64) \
      UNROLL for (guint i = 1; i <= 4; i++) \
        { \
          V units = *(const V *) (from + (n - i * SIDE) * sizeof (T)); \
\
          *(V *) (to + 16 * (i - 1)) = flip (units); \
        } \
    for (; n >= SIDE; n -= SIDE, to += 16) \
      { \
        V units = *(const V *) (from + (n - SIDE) * sizeof (T)); \
\
        *(V *) to = flip (units); \
      } \
    for (; n > 0; n--, to += sizeof (T)) \
      *(T *) to = *(const T *) (from + (n - 1) * sizeof (T)); \
  } \
\
  /* The first of @n units, and every second one behind it. */ \
  static inline void \
  name##_even (const guint8 *from, \
               guint8       *to, \
               gsize         n) \
  { \
    enum { SIDE = 16 / sizeof (T) }; \
\
    /* Vectors reach one unit behind the last that is needed. */ \
    for (; n > SIDE; n -= SIDE, from += 32, to += 16) \
      { \
        V units = *(const V *) from, next = *(const V *) (from + 16); \
\
        (void) next; \
        *(V *) to = even (units, next); \
      } \
    name##_row (from, 2 * sizeof (T), to, sizeof (T), n); \
  } \
\
  /* Each unit twice. */ \
  static inline void \
  name##_twice (const guint8 *from, \
                guint8       *to, \
                gsize         n) \
  { \
    enum { SIDE = 16 / sizeof (T) }; \
\
    for (; n >= SIDE; n -= SIDE, from += 16, to += 32) \
      { \
        V units = *(const V *) from; \
\
        *(V *) to = lower (units); \
        *(V *) (to + 16) = upper (units); \
      } \
    name##_row (from, sizeof (T), to, 2 * sizeof (T), n); \
    name##_row (from, sizeof (T), to + sizeof (T), 2 * sizeof (T), n); \
  } \
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
    const gboolean adjacent = from_column == sizeof (T) && to_column == sizeof (T); \
\
    if (columns == 2 && from_column == 0 && to_column == sizeof (T) && from_row == sizeof (T) \
        && to_row == 2 * sizeof (T)) \
      { \
        name##_twice (from, to, rows); \
        return; \
      } \
    if (columns == 1 && from_row == 2 * sizeof (T) && to_row == sizeof (T)) \
      { \
        name##_even (from, to, rows); \
        return; \
      } \
    if (columns < SHORT_ROW && rows > columns && (columns == 1 || !adjacent)) \
      { \
        for (gsize j = 0; j < columns; j++) \
          name##_row (from + (gint64) j * from_column, from_row, to + (gint64) j * to_column, to_row, rows); \
        return; \
      } \
    for (gsize i = 0; i < rows; i++) \
      { \
        const guint8 *source = from + (gint64) i * from_row; \
        guint8 *out = to + (gint64) i * to_row; \
\
        if (to_column == sizeof (T) && from_column == -(gint64) sizeof (T)) \
          name##_reversed (source - (gint64) ((columns - 1) * sizeof (T)), out, columns); \
        else if (adjacent) \
          copy_bytes (source, out, columns * sizeof (T)); \
        else if (to_column == sizeof (T) && from_column == 2 * sizeof (T)) \
          name##_even (source, out, columns); \
        else if (to_column == sizeof (T)) \
          name##_row (source, from_column, out, sizeof (T), columns); \
        else \
          name##_row (source, from_column, out, to_column, columns); \
      } \
  }

MOVE (move1, Unit1, U8x16, FLIP_1, EVEN_1, LOWER_1, UPPER_1)
MOVE (move2, Unit2, U16x8, FLIP_2, EVEN_2, LOWER_2, UPPER_2)
MOVE (move4, Unit4, U32x4, FLIP_4, EVEN_4, LOWER_4, UPPER_4)
MOVE (move8, Unit8, U64x2, FLIP_8, EVEN_8, LOWER_8, UPPER_8)
MOVE (move16, Unit16, Unit16, FLIP_16, EVEN_16, LOWER_16, UPPER_16)

const GhloCpuPlaneFunc NAME (moves)[GHLO_CPU_N_UNITS] = { move1, move2, move4, move8, move16 };
