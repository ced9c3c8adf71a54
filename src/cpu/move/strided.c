/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One loop for each size of elements.
 */

#include "cpu/move/strided.h"

#include <string.h>

typedef struct { guint64 words[2]; } Pair;

#define SIZE(name, T) \
  static void \
  bring_##name (const guint8 *from, \
                gint64        line_stride, \
                gint64        stride, \
                guint8       *to, \
                gsize         n_lines, \
                gsize         n) \
  { \
    for (gsize i = 0; i < n_lines; i++) \
      for (gsize j = 0; j < n; j++, to += sizeof (T)) \
        memcpy (to, from + (gint64) i * line_stride + (gint64) j * stride, sizeof (T)); \
  } \
\
  static void \
  repeat_##name (const guint8 *from, \
                 guint8       *to, \
                 gsize         n) \
  { \
    T value; \
\
    memcpy (&value, from, sizeof (T)); \
    for (gsize i = 0; i < n; i++) \
      memcpy (to + i * sizeof (T), &value, sizeof (T)); \
  } \
\
  static void \
  spread_##name (const guint8 *from, \
                 guint8       *to, \
                 gint64        stride, \
                 gsize         n) \
  { \
    for (gsize i = 0; i < n; i++) \
      memcpy (to + (gint64) i * stride, from + i * sizeof (T), sizeof (T)); \
  }

SIZE (1, guint8)
SIZE (2, guint16)
SIZE (4, guint32)
SIZE (8, guint64)
SIZE (16, Pair)

static const struct
{
  void (*bring)  (const guint8 *from, gint64 line_stride, gint64 stride, guint8 *to, gsize n_lines, gsize n);
  void (*repeat) (const guint8 *from, guint8 *to, gsize n);
  void (*spread) (const guint8 *from, guint8 *to, gint64 stride, gsize n);
} sizes[] = {
  [1] = { bring_1, repeat_1, spread_1 },
  [2] = { bring_2, repeat_2, spread_2 },
  [4] = { bring_4, repeat_4, spread_4 },
  [8] = { bring_8, repeat_8, spread_8 },
  [16] = { bring_16, repeat_16, spread_16 },
};

void
ghlo_cpu_pack_strided (guint         size,
                       const guint8 *from,
                       gint64        line_stride,
                       gint64        stride,
                       guint8       *to,
                       gsize         n_lines,
                       gsize         n)
{
  sizes[size].bring (from, line_stride, stride, to, n_lines, n);
}

void
ghlo_cpu_fill (guint         size,
               const guint8 *from,
               guint8       *to,
               gsize         n)
{
  sizes[size].repeat (from, to, n);
}

void
ghlo_cpu_unpack_strided (guint         size,
                         const guint8 *from,
                         guint8       *to,
                         gint64        stride,
                         gsize         n)
{
  sizes[size].spread (from, to, stride, n);
}
