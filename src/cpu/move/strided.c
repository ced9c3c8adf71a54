/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One loop for each element size, or one routine of the processor's level.
 */

#include "cpu/move/strided.h"

#include <string.h>

#include "cpu/isa/routines.h"

typedef struct { guint64 words[2]; } Pair;

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
  const GhloCpuPlaneFunc move = ghlo_cpu_routines ()->move[g_bit_storage (size) - 1];

  move (from, row_stride, stride, to, (gint64) n * size, size, n_rows, n);
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
