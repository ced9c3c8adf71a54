/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorts bytes by counting them.
 */

#include "cpu/sort/bytes.h"

#include "cpu/sort/numbers.h"

#include <string.h>

gboolean
ghlo_cpu_sort_bytes (const GhloSortKey *key,
                     const guint8      *from,
                     guint8            *to,
                     gsize              n,
                     const GhloMonitor *monitor,
                     gboolean          *unordered,
                     gboolean          *ambiguous)
{
  gsize counts[4][256] = { { 0 } }, by_rank[256] = { 0 };
  guint8 bytes[256];

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
      *unordered |= key->partial && rank == 0;
      *ambiguous |= by_rank[rank] > 0;
      bytes[rank] = (guint8) i;
      by_rank[rank] = count;
    }
  if (*unordered || *ambiguous)
    return FALSE;
  for (guint i = 0; i < 256; i++)
    for (gsize done = 0; done < by_rank[i]; done += GHLO_CPU_SORT_CHECK_INTERVAL)
      {
        gsize length = MIN (GHLO_CPU_SORT_CHECK_INTERVAL, by_rank[i] - done);

        if (ghlo_cpu_sort_is_cancelled (done, monitor))
          return FALSE;
        memset (to, bytes[i], length);
        to += length;
      }

  return TRUE;
}
