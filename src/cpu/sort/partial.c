/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A merge sort with the same comparisons as the reference executor: it sorts blocks of eight by insertion from the
 * left, then merges pairs of runs from the left, unless the first element of the right run does not come before the
 * last element of the left run.
 */

#include "cpu/sort/partial.h"

#include <string.h>

enum { BLOCK = 8, CHECK_EVERY = 1 << 18 };

typedef struct
{
  const GhloSortComparator *comparator;
  const guint64            *ranks;
  gsize                     n;
} Partial;

/* In a partial key, rank 0 means not ordered, and equals no rank. */
static gboolean
is_before (const Partial *self,
           guint32        a,
           guint32        b)
{
  const GhloSortComparator *comparator = self->comparator;

  for (guint k = 0; k < comparator->n_keys; k++)
    {
      guint64 x = self->ranks[k * self->n + a], y = self->ranks[k * self->n + b];

      if (comparator->keys[k].partial && (x == 0 || y == 0))
        return FALSE;
      if (x != y)
        return x < y;
    }

  return comparator->reverses_equal;
}

static void
insert (const Partial *self,
        guint32       *order,
        gsize          begin,
        gsize          end)
{
  for (gsize i = begin + 1; i < end; i++)
    {
      guint32 element = order[i];
      gsize to = i;

      while (to > begin && is_before (self, element, order[to - 1]))
        {
          order[to] = order[to - 1];
          to--;
        }
      order[to] = element;
    }
}

static gboolean
merge (const Partial     *self,
       const guint32     *from,
       guint32           *to,
       gsize              begin,
       gsize              middle,
       gsize              end,
       const GhloMonitor *monitor)
{
  gsize left = begin, right = middle;

  if (middle == end || !is_before (self, from[middle], from[middle - 1]))
    {
      memcpy (to + begin, from + begin, (end - begin) * sizeof (guint32));
      return TRUE;
    }
  while (left < middle && right < end)
    {
      gboolean from_right = is_before (self, from[right], from[left]);

      if (begin % CHECK_EVERY == 0 && ghlo_monitor_cancelled (monitor, NULL))
        return FALSE;
      to[begin++] = from_right ? from[right++] : from[left++];
    }
  memcpy (to + begin, from + left, (middle - left) * sizeof (guint32));
  begin += middle - left;
  memcpy (to + begin, from + right, (end - right) * sizeof (guint32));

  return TRUE;
}

gboolean
ghlo_cpu_sort_partial (const GhloSortComparator *comparator,
                       const guint64            *ranks,
                       guint32                  *order,
                       guint32                  *spare,
                       gsize                     n,
                       const GhloMonitor        *monitor,
                       guint32                 **sorted)
{
  const Partial self = { comparator, ranks, n };

  for (gsize i = 0; i < n; i++)
    order[i] = (guint32) i;
  for (gsize begin = 0; begin < n; begin += BLOCK)
    insert (&self, order, begin, MIN (begin + BLOCK, n));
  for (gsize width = BLOCK; width < n; width *= 2)
    {
      guint32 *kept = order;

      for (gsize begin = 0; begin < n; begin += 2 * width)
        if (!merge (&self, order, spare, begin, MIN (begin + width, n), MIN (begin + 2 * width, n), monitor))
          return FALSE;
      order = spare;
      spare = kept;
    }
  *sorted = order;

  return TRUE;
}
