/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorts bytes by counting them.
 */

#include "cpu/sort/bytes.h"

#include "cpu/sort/numbers.h"

#include <string.h>

/* Sorts bytes stably, for the case that different bytes have the same rank. */
static gboolean
scatter_bytes (const GhloSortComparator *comparator,
               const guint8             *from,
               guint8                   *to,
               gsize                     n,
               gsize                        offsets[256],
               const GhloMonitor           *monitor)
{
  const guint8 *ranks = comparator->keys[0].ranks;

  for (gsize i = 0; i < n; i++)
    {
      guint8 byte = from[comparator->reverses_equal ? n - 1 - i : i];

      if (ghlo_cpu_sort_is_cancelled (i, monitor))
        return FALSE;
      to[offsets[ranks[byte]]++] = byte;
    }

  return TRUE;
}

gboolean
ghlo_cpu_sort_bytes (const GhloSortComparator *comparator,
                     const guint8             *from,
                     guint8                   *to,
                     gsize                     n,
                     guint8                   *copy,
                     const GhloMonitor        *monitor,
                     gboolean                 *unordered)
{
  const GhloSortKey *key = &comparator->keys[0];
  gsize counts[4][256] = { { 0 } }, offsets[257] = { 0 };
  gint16 bytes[256];
  gboolean ambiguous = FALSE;

  memset (bytes, -1, sizeof (bytes));
  for (gsize begin = 0; begin < n; begin += GHLO_CPU_SORT_CHECK_INTERVAL)
    {
      if (ghlo_cpu_sort_is_cancelled (begin, monitor))
        return FALSE;
      for (gsize i = begin; i < MIN (begin + GHLO_CPU_SORT_CHECK_INTERVAL, n); i++)
        counts[i % 4][from[i]]++;
    }
  for (guint i = 0; i < 256; i++)
    {
      gsize count = counts[0][i] + counts[1][i] + counts[2][i] + counts[3][i];
      guint8 rank = key->ranks[i];

      if (count == 0)
        continue;
      if (key->partial && rank == 0)
        {
          *unordered = TRUE;
          return FALSE;
        }
      ambiguous |= bytes[rank] >= 0;
      bytes[rank] = (gint16) i;
      offsets[rank + 1] += count;
    }
  for (guint i = 0; i < 256; i++)
    offsets[i + 1] += offsets[i];
  if (ambiguous)
    return (to != from || ghlo_cpu_sort_copy (copy, from, n, monitor))
           && scatter_bytes (comparator, to != from ? from : copy, to, n, offsets, monitor);
  for (guint i = 0; i < 256; i++)
    for (gsize at = offsets[i]; at < offsets[i + 1]; at += GHLO_CPU_SORT_CHECK_INTERVAL)
      {
        if (ghlo_cpu_sort_is_cancelled (at - offsets[i], monitor))
          return FALSE;
        memset (to + at, bytes[i], MIN (GHLO_CPU_SORT_CHECK_INTERVAL, offsets[i + 1] - at));
      }

  return TRUE;
}
