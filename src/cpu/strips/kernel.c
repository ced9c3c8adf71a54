/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parallel points are shared among the threads.
 */

#include "cpu/strips/kernel.h"

#include "runtime/parallel.h"

const char *
ghlo_cpu_kernel_init (GhloCpuKernel    *self,
                      const GhloKernel *kernel)
{
  ghlo_kernel_schedule_choose (kernel, ghlo_cpu_machine (), &self->schedule);
  self->strips = ghlo_cpu_strips_new (kernel, &self->schedule, NULL);
  if (self->strips == NULL)
    return "a node of it has no loop";
  self->n_points = 1;
  for (guint i = 0; i < kernel->n_parallel; i++)
    self->n_points *= kernel->axes[i].extent;
  self->scratch = ghlo_cpu_strips_scratch (self->strips, NULL);

  return self->scratch < G_MAXSIZE / 2 / ghlo_parallel_n_workers () ? NULL : "it wants too much scratch";
}

void
ghlo_cpu_kernel_clear (GhloCpuKernel *self)
{
  g_clear_pointer (&self->strips, ghlo_cpu_strips_free);
}

gsize
ghlo_cpu_kernel_scratch (const GhloCpuKernel *self)
{
  return self->scratch * ghlo_parallel_n_workers ();
}

typedef struct
{
  const GhloCpuKernel *kernel;
  gpointer const      *buffers;
  guint8              *scratch;
  const GhloMonitor   *monitor;
} Run;

static void
run_points (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  const Run *run = data;

  ghlo_cpu_strips_run (run->kernel->strips, NULL, run->buffers, begin, end,
                       run->scratch + worker * run->kernel->scratch, run->monitor);
}

gboolean
ghlo_cpu_kernel_run (const GhloCpuKernel *self,
                     gpointer const      *buffers,
                     gpointer             scratch,
                     const GhloMonitor   *monitor,
                     GError             **error)
{
  Run run = { self, buffers, scratch, monitor };

  ghlo_parallel_for (self->n_points, self->schedule.grain, self->n_points * self->schedule.cost, run_points, &run,
                     monitor);

  return !ghlo_monitor_cancelled (monitor, error);
}
