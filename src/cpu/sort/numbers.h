/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stable sorting of unsigned numbers of 32, 64 or 128 bits by some of their bits. For sort and top_k the numbers are
 * the ranks of elements (keys.h). A number may hold the position of its element below the rank, which makes numbers
 * unique.
 */

#pragma once

#include "base/monitor.h"

#include <string.h>

G_BEGIN_DECLS

__extension__ typedef unsigned __int128 GhloCpuU128;

/* Work on a row checks for cancellation once per this many elements or numbers, about once per millisecond. */
#define GHLO_CPU_SORT_CHECK_INTERVAL ((gsize) 1 << 18)

/* Called with the number of elements that are done; checks once per interval, and returns FALSE in between. */
static inline gboolean
ghlo_cpu_sort_is_cancelled (gsize              i,
                            const GhloMonitor *monitor)
{
  return i % GHLO_CPU_SORT_CHECK_INTERVAL == 0 && i != 0 && ghlo_monitor_cancelled (monitor, NULL);
}

/* Copies one check interval at a time. FALSE when cancelled. */
static inline gboolean
ghlo_cpu_sort_copy (guint8            *to,
                    const guint8      *from,
                    gsize              n_bytes,
                    const GhloMonitor *monitor)
{
  for (gsize i = 0; i < n_bytes; i += GHLO_CPU_SORT_CHECK_INTERVAL)
    {
      if (ghlo_cpu_sort_is_cancelled (i, monitor))
        return FALSE;
      memcpy (to + i, from + i, MIN (GHLO_CPU_SORT_CHECK_INTERVAL, n_bytes - i));
    }

  return TRUE;
}

/* A sorted part of a row. */
typedef struct
{
  gsize begin, n;
} GhloCpuRun;

/* Where part @part of @n_parts of a row of @n elements begins. If @n is not a multiple of @n_parts, the first parts
 * are one element longer. */
static inline gsize
ghlo_cpu_sort_part_begin (gsize n,
                          gsize n_parts,
                          gsize part)
{
  return n / n_parts * part + MIN (part, n % n_parts);
}

/* Sorts @n numbers, fewer than 2^32, by @bits bits from bit @low on; @bits is a multiple of 8. Numbers that are equal
 * in those bits must already be in the order of the lower bits. *@sorted becomes @numbers or @spare, which has the
 * same size. FALSE when cancelled. */
gboolean ghlo_cpu_sort_u32  (guint32           *numbers,
                             guint32           *spare,
                             gsize              n,
                             guint              low,
                             guint              bits,
                             const GhloMonitor *monitor,
                             guint32          **sorted);
gboolean ghlo_cpu_sort_u64  (guint64           *numbers,
                             guint64           *spare,
                             gsize              n,
                             guint              low,
                             guint              bits,
                             const GhloMonitor *monitor,
                             guint64          **sorted);
gboolean ghlo_cpu_sort_u128 (GhloCpuU128       *numbers,
                             GhloCpuU128       *spare,
                             gsize              n,
                             guint              low,
                             guint              bits,
                             const GhloMonitor *monitor,
                             GhloCpuU128      **sorted);

/* Merges each pair of sorted runs of @from into one run of @to. Only numbers [@begin, @end) of @to are written. */
void     ghlo_cpu_merge_u32  (const guint32     *from,
                              const GhloCpuRun  *runs,
                              gsize              n_runs,
                              guint32           *to,
                              gsize              begin,
                              gsize              end);
void     ghlo_cpu_merge_u64  (const guint64     *from,
                              const GhloCpuRun  *runs,
                              gsize              n_runs,
                              guint64           *to,
                              gsize              begin,
                              gsize              end);
void     ghlo_cpu_merge_u128 (const GhloCpuU128 *from,
                              const GhloCpuRun  *runs,
                              gsize              n_runs,
                              GhloCpuU128       *to,
                              gsize              begin,
                              gsize              end);

/* Moves the @k smallest of @n unique numbers to the front, in any order; 0 < @k <= @n. @spare has room for @n
 * numbers. */
void     ghlo_cpu_select_u64  (guint64          *numbers,
                               guint64          *spare,
                               gsize             n,
                               gsize             k);
void     ghlo_cpu_select_u128 (GhloCpuU128      *numbers,
                               GhloCpuU128      *spare,
                               gsize             n,
                               gsize             k);

G_END_DECLS
