/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Index numbers as bytes into a tensor, and units that lie at such places. Compiled
 * for each level, since only later ones compare and multiply numbers of 64 bits.
 */

#include "cpu/isa/routines-private.h"

void
NAME (clamp_indices) (const gint64 *numbers,
                      gsize         n,
                      gint64        limit,
                      gint64        scale,
                      gint64       *places)
{
  for (gsize i = 0; i < n; i++)
    {
      gint64 number = numbers[i];

      number = number < 0 ? 0 : number;
      number = number > limit ? limit : number;
      places[i] += number * scale;
    }
}

void
NAME (check_indices) (const gint64 *numbers,
                      gsize         n,
                      gint64        limit,
                      gint64        scale,
                      gint64       *places)
{
  for (gsize i = 0; i < n; i++)
    {
      gint64 number = numbers[i], place = (gint64) ((guint64) places[i] + (guint64) number * (guint64) scale);

      places[i] = places[i] == GHLO_CPU_OUT_OF_BOUNDS || number < 0 || number > limit ? GHLO_CPU_OUT_OF_BOUNDS : place;
    }
}

typedef guint8  Unit1 __attribute__ ((may_alias));
typedef guint16 Unit2 __attribute__ ((aligned (1), may_alias));
typedef guint32 Unit4 __attribute__ ((aligned (1), may_alias));
typedef guint64 Unit8 __attribute__ ((aligned (1), may_alias));
typedef guint64 Unit16 __attribute__ ((vector_size (16), aligned (1), may_alias));

#define PICK(name, T) \
  static void \
  name (const guint8 *from, \
        const gint64 *places, \
        guint8       *to, \
        gint64        to_stride, \
        gsize         n) \
  { \
    if (to_stride == sizeof (T)) \
      for (gsize i = 0; i < n; i++) \
        ((T *) to)[i] = *(const T *) (from + places[i]); \
    else \
      for (gsize i = 0; i < n; i++) \
        *(T *) (to + (gint64) i * to_stride) = *(const T *) (from + places[i]); \
  }

PICK (pick1, Unit1)
PICK (pick2, Unit2)
PICK (pick4, Unit4)
PICK (pick8, Unit8)
PICK (pick16, Unit16)

const GhloCpuPickFunc NAME (picks)[GHLO_CPU_N_UNITS] = { pick1, pick2, pick4, pick8, pick16 };
