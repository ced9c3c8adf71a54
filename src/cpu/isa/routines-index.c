/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Turns indices into byte offsets, and copies units from such offsets. Compiled for each level, since only the later
 * ones compare and multiply vectors of 64-bit numbers.
 */

#include "cpu/isa/routines-private.h"

void
NAME (clamp_indices) (const gint64 *numbers,
                      gsize         n,
                      gint64        limit,
                      gint64        scale,
                      gint64       *offsets)
{
  for (gsize i = 0; i < n; i++)
    {
      gint64 number = numbers[i];

      number = number < 0 ? 0 : number;
      number = number > limit ? limit : number;
      offsets[i] += number * scale;
    }
}

void
NAME (check_indices) (const gint64 *numbers,
                      gsize         n,
                      gint64        limit,
                      gint64        scale,
                      gint64       *offsets)
{
  for (gsize i = 0; i < n; i++)
    {
      gint64 number = numbers[i], offset = (gint64) ((guint64) offsets[i] + (guint64) number * (guint64) scale);

      offsets[i] = offsets[i] == GHLO_CPU_OUT_OF_BOUNDS || number < 0 || number > limit
                   ? GHLO_CPU_OUT_OF_BOUNDS : offset;
    }
}

void
NAME (limit_offsets) (gint64 *offsets,
                      gsize   n,
                      gint64  first,
                      gint64  end)
{
  for (gsize i = 0; i < n; i++)
    offsets[i] = offsets[i] < first || offsets[i] >= end ? GHLO_CPU_OUT_OF_BOUNDS : offsets[i];
}

void
NAME (count) (gint64 *numbers,
              gsize   n,
              gint64  first,
              gint64  step)
{
  for (gsize i = 0; i < n; i++)
    numbers[i] = first + (gint64) i * step;
}

#define PICK(name, T) \
  static void \
  name (const guint8 *from, \
        const gint64 *offsets, \
        guint8       *to, \
        gint64        to_stride, \
        gsize         n) \
  { \
    gsize i = 0; \
\
    /* A processor takes one branch a cycle, and moves more than one unit. */ \
    for (; i + 4 <= n; i += 4, to += 4 * to_stride) \
      { \
        const T a = *(const T *) (from + offsets[i]), b = *(const T *) (from + offsets[i + 1]); \
        const T c = *(const T *) (from + offsets[i + 2]), d = *(const T *) (from + offsets[i + 3]); \
\
        *(T *) to = a; \
        *(T *) (to + to_stride) = b; \
        *(T *) (to + 2 * to_stride) = c; \
        *(T *) (to + 3 * to_stride) = d; \
      } \
    for (; i < n; i++, to += to_stride) \
      *(T *) to = *(const T *) (from + offsets[i]); \
  }

PICK (pick1, Unit1)
PICK (pick2, Unit2)
PICK (pick4, Unit4)
PICK (pick8, Unit8)
PICK (pick16, Unit16)

const GhloCpuPickFunc NAME (picks)[GHLO_CPU_N_UNITS] = { pick1, pick2, pick4, pick8, pick16 };
