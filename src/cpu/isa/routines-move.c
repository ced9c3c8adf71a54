/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies planes of units with any strides, where neither rows nor blocks are adjacent. The inner loop runs over rows
 * unless they are short. Compiled for each level.
 */

#include "cpu/isa/routines-private.h"

#include <string.h>

/* Rows with fewer units are copied column by column instead. */
enum { SHORT_ROW = 8 };

/* Sixteen bytes of units, and macros that reverse the order of the units. */
typedef guint8  U8x16 __attribute__ ((vector_size (16), aligned (1), may_alias));
typedef guint16 U16x8 __attribute__ ((vector_size (16), aligned (1), may_alias));
typedef guint32 U32x4 __attribute__ ((vector_size (16), aligned (1), may_alias));
typedef guint64 U64x2 __attribute__ ((vector_size (16), aligned (1), may_alias));

#define FLIP_1(v) __builtin_shufflevector (v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define FLIP_2(v) __builtin_shufflevector (v, v, 7, 6, 5, 4, 3, 2, 1, 0)
#define FLIP_4(v) __builtin_shufflevector (v, v, 3, 2, 1, 0)
#define FLIP_8(v) __builtin_shufflevector (v, v, 1, 0)
#define FLIP_16(v) v

#define MOVE(name, T, V, flip) \
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
          memcpy (out, source, columns * sizeof (T)); \
        else if (to_column == sizeof (T) && from_column == 2 * sizeof (T)) \
          name##_row (source, 2 * sizeof (T), out, sizeof (T), columns); \
        else \
          name##_row (source, from_column, out, to_column, columns); \
      } \
  }

MOVE (move1, Unit1, U8x16, FLIP_1)
MOVE (move2, Unit2, U16x8, FLIP_2)
MOVE (move4, Unit4, U32x4, FLIP_4)
MOVE (move8, Unit8, U64x2, FLIP_8)
MOVE (move16, Unit16, Unit16, FLIP_16)

const GhloCpuPlaneFunc NAME (moves)[GHLO_CPU_N_UNITS] = { move1, move2, move4, move8, move16 };
