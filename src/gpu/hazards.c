/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Keeps the ranges that were touched since the last barrier, sorted and disjoint, each with its last writer and its
 * last two readers. Two readers are needed because a command that works in place is itself the last reader of what it
 * writes.
 */

#include "gpu/hazards.h"

#define NOBODY G_MAXUINT

typedef struct
{
  guint64 begin, end;
  guint   writer, reader, earlier;      /* command numbers, or NOBODY */
} Range;

struct _GhloGpuHazards
{
  GArray *ranges;
};

GhloGpuHazards *
ghlo_gpu_hazards_new (void)
{
  GhloGpuHazards *self = g_new (GhloGpuHazards, 1);

  self->ranges = g_array_new (FALSE, FALSE, sizeof (Range));

  return self;
}

void
ghlo_gpu_hazards_free (GhloGpuHazards *self)
{
  g_array_unref (self->ranges);
  g_free (self);
}

void
ghlo_gpu_hazards_barrier (GhloGpuHazards *self)
{
  g_array_set_size (self->ranges, 0);
}

/* Splits the range that contains @at, if there is one. */
static void
split (GhloGpuHazards *self,
       guint64         at)
{
  for (guint i = 0; i < self->ranges->len; i++)
    {
      Range *range = &g_array_index (self->ranges, Range, i), second = *range;

      if (range->begin >= at || range->end <= at)
        continue;
      range->end = second.begin = at;
      g_array_insert_val (self->ranges, i + 1, second);
      return;
    }
}

/* Inserts ranges without accesses where [@begin, @end) is not covered. */
static void
fill (GhloGpuHazards *self,
      guint64         begin,
      guint64         end)
{
  guint i = 0;

  for (; begin < end; i++)
    {
      const Range *next = i < self->ranges->len ? &g_array_index (self->ranges, Range, i) : NULL;
      Range gap = { begin, next != NULL ? MIN (end, next->begin) : end, NOBODY, NOBODY, NOBODY };

      if (next != NULL && next->end <= begin)
        continue;
      if (next != NULL && next->begin <= begin)
        begin = next->end;
      else
        {
          g_array_insert_val (self->ranges, i, gap);
          begin = gap.end;
        }
    }
}

guint
ghlo_gpu_hazards_add (GhloGpuHazards *self,
                      guint           number,
                      guint64         begin,
                      guint64         end,
                      gboolean        is_written)
{
  guint other = NOBODY, reader;

  split (self, begin);
  split (self, end);
  fill (self, begin, end);
  for (guint i = 0; i < self->ranges->len; i++)
    {
      Range *range = &g_array_index (self->ranges, Range, i);

      if (range->begin < begin || range->end > end)
        continue;
      reader = range->reader != number ? range->reader : range->earlier;
      if (range->writer != NOBODY && range->writer != number)
        other = range->writer;
      else if (is_written && reader != NOBODY)
        other = reader;
      if (is_written)
        range->writer = number;
      else
        {
          range->earlier = reader;
          range->reader = number;
        }
    }

  return other;
}
