/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stands in for the threads that compute (runtime/parallel.h): all work is done by
 * the thread that calls.
 */

#include "runtime/parallel.h"

gboolean
ghlo_parallel_for (gsize              n,
                   gsize              grain,
                   double             nanoseconds,
                   GhloParallelFunc   func,
                   gpointer           data,
                   const GhloMonitor *monitor)
{
  if (n == 0)
    return TRUE;
  if (ghlo_monitor_cancelled (monitor, NULL))
    return FALSE;
  func (data, 0, n, 0);

  return TRUE;
}

guint
ghlo_parallel_n_workers (void)
{
  return 1;
}

void
ghlo_parallel_set_limit (guint limit)
{
}
