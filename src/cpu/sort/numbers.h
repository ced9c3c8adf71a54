/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorting of unsigned numbers of 32 or 64 bits. For sort and top_k the numbers are the ranks of elements (keys.h).
 * A number may hold the position of its element below the rank, which makes numbers unique.
 */

#pragma once

#include "base/monitor.h"

#include <string.h>

G_BEGIN_DECLS

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

/* For numbers of each width; all but merge return FALSE when cancelled, and @spare has room for @n numbers.
 *
 * sort: sorts @n numbers.
 * select: moves the @k smallest of @n numbers to the front, in any order.
 * merge: merges each pair of sorted runs of @from into one run of @to. Only numbers [@begin, @end) of @to are
 * written. */
#define GHLO_CPU_SORT_DECLARE(WIDTH, NUMBER) \
  gboolean ghlo_cpu_sort_##WIDTH   (NUMBER *numbers, NUMBER *spare, gsize n, const GhloMonitor *monitor); \
  gboolean ghlo_cpu_select_##WIDTH (NUMBER *numbers, NUMBER *spare, gsize n, gsize k, const GhloMonitor *monitor); \
  void     ghlo_cpu_merge_##WIDTH  (const NUMBER *from, const GhloCpuRun *runs, gsize n_runs, NUMBER *to, gsize begin, \
                                    gsize end);

GHLO_CPU_SORT_DECLARE (u32, guint32)
GHLO_CPU_SORT_DECLARE (u64, guint64)

G_END_DECLS
