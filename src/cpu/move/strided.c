/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One loop for each element size.
 */

#include "cpu/move/strided.h"

#include <string.h>

typedef struct { guint64 words[2]; } Pair;

#define SIZE(name, T) \
  static void \
  pack_##name (const guint8 *from, \
               gint64        row_stride, \
               gint64        stride, \
               guint8       *to, \
               gsize         n_rows, \
               gsize         n) \
  { \
    for (gsize i = 0; i < n_rows; i++) \
      for (gsize j = 0; j < n; j++, to += sizeof (T)) \
        memcpy (to, from + (gint64) i * row_stride + (gint64) j * stride, sizeof (T)); \
  } \
\
  static void \
  fill_##name (const guint8 *from, \
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
  unpack_##name (const guint8 *from, \
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
  void (*pack)   (const guint8 *from, gint64 row_stride, gint64 stride, guint8 *to, gsize n_rows, gsize n);
  void (*fill)   (const guint8 *from, guint8 *to, gsize n);
  void (*unpack) (const guint8 *from, guint8 *to, gint64 stride, gsize n);
} sizes[] = {
  [1] = { pack_1, fill_1, unpack_1 },
  [2] = { pack_2, fill_2, unpack_2 },
  [4] = { pack_4, fill_4, unpack_4 },
  [8] = { pack_8, fill_8, unpack_8 },
  [16] = { pack_16, fill_16, unpack_16 },
};

void
ghlo_cpu_pack_strided (guint         size,
                       const guint8 *from,
                       gint64        row_stride,
                       gint64        stride,
                       guint8       *to,
                       gsize         n_rows,
                       gsize         n)
{
  sizes[size].pack (from, row_stride, stride, to, n_rows, n);
}

void
ghlo_cpu_fill (guint         size,
               const guint8 *from,
               guint8       *to,
               gsize         n)
{
  sizes[size].fill (from, to, n);
}

void
ghlo_cpu_unpack_strided (guint         size,
                         const guint8 *from,
                         guint8       *to,
                         gint64        stride,
                         gsize         n)
{
  sizes[size].unpack (from, to, stride, n);
}
