/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One loop for each element size.
 */

#include "cpu/move/strided.h"

#include <string.h>

typedef struct { guint64 words[2]; } Pair;

#define PACK(T) \
  case sizeof (T): \
    for (gsize i = 0; i < n_rows; i++) \
      for (gsize j = 0; j < n; j++, to += sizeof (T)) \
        memcpy (to, from + (gint64) i * row_stride + (gint64) j * stride, sizeof (T)); \
    break;

#define FILL(T) \
  case sizeof (T): \
    { \
      T value; \
\
      memcpy (&value, from, sizeof (T)); \
      for (gsize i = 0; i < n; i++) \
        memcpy (to + i * sizeof (T), &value, sizeof (T)); \
      break; \
    }

void
ghlo_cpu_pack_strided (guint         size,
                       const guint8 *from,
                       gint64        row_stride,
                       gint64        stride,
                       guint8       *to,
                       gsize         n_rows,
                       gsize         n)
{
  switch (size)
    {
      PACK (guint8)
      PACK (guint16)
      PACK (guint32)
      PACK (guint64)
      PACK (Pair)
      default:
        g_assert_not_reached ();
    }
}

void
ghlo_cpu_fill (guint         size,
               const guint8 *from,
               guint8       *to,
               gsize         n)
{
  switch (size)
    {
      FILL (guint8)
      FILL (guint16)
      FILL (guint32)
      FILL (guint64)
      FILL (Pair)
      default:
        g_assert_not_reached ();
    }
}
