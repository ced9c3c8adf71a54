/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parallel points are distributed over the threads. Each run decides between strips and machine code when it begins.
 */

#include "cpu/jit/compiled-kernel.h"

#include "base/debug.h"
#include "cpu/jit/call.h"
#include "cpu/jit/code-target.h"
#include "kernel/text.h"
#include "runtime/parallel.h"

/* At most this many grains of parallel points, and nanoseconds by estimate, between two checks for cancellation. */
enum { GRAINS = 8 };
#define MOST_NANOSECONDS 160e3

const char *
ghlo_cpu_kernel_init (GhloCpuKernel    *self,
                      const GhloKernel *kernel,
                      gboolean          in_order)
{
  /* The axis of the lanes is numbered last. */
  guint axes = in_order && kernel->n_parallel > 0 ? 1u << (kernel->n_parallel - 1) : GHLO_SCHEDULE_ANY;
  gsize most = G_MAXSIZE / 2 / ghlo_parallel_n_workers (), scratch;

  self->kernel = kernel;
  ghlo_kernel_schedule_choose (kernel, ghlo_cpu_machine (), axes, &self->schedule);
  self->strips = ghlo_cpu_strips_new (kernel, &self->schedule, NULL);
  if (self->strips == NULL)
    return "there is no precompiled loop for one of its nodes";
  self->n_points = 1;
  for (guint i = 0; i < kernel->n_axes; i++)
    {
      self->extents[i] = kernel->axes[i].extent;
      if (i < kernel->n_parallel)
        self->n_points *= kernel->axes[i].extent;
    }
  self->scratch = ghlo_cpu_strips_scratch (self->strips, NULL);
  ghlo_kernel_schedule_choose_code (kernel, ghlo_code_machine (), axes, &self->code_schedule);
  scratch = ghlo_code_scratch (kernel, &self->code_schedule, self->extents);
  self->code_fits = scratch < most;
  if (self->code_fits)
    self->scratch = MAX (self->scratch, scratch);

  return self->scratch < most ? NULL : "it needs too much scratch memory";
}

void
ghlo_cpu_kernel_begin (GhloCpuKernel *self)
{
  if (self->code_fits)
    self->code = ghlo_code_get (self->kernel, &self->code_schedule);
  if (self->code != NULL && ghlo_debug_has (GHLO_DEBUG_CODE))
    ghlo_code_wait (self->code, NULL, NULL);
}

gboolean
ghlo_cpu_kernel_wait (const GhloCpuKernel  *self,
                      gboolean              only_begins,
                      const GhloMonitor    *monitor,
                      GError              **error)
{
  if (self->code == NULL)
    return TRUE;
  if (!only_begins)
    return ghlo_code_wait (self->code, monitor, error);
  ghlo_code_prioritize (self->code);

  return TRUE;
}

static char *
print_code (const GhloCpuKernel *self)
{
  g_autoptr (GError) error = NULL;
  char *listing = self->code_fits ? ghlo_code_list (self->kernel, &self->code_schedule, &error) : NULL;

  if (listing != NULL)
    return listing;

  return g_strdup_printf ("; the kernel %s runs in strips: %s\n", self->kernel->name,
                          error != NULL ? error->message : "it needs too much scratch memory");
}

char *
ghlo_cpu_kernel_print (const GhloCpuKernel *self,
                       GhloKernelForm       form)
{
  return form == GHLO_KERNEL_FORM_CODE ? print_code (self) : ghlo_kernel_print (self->kernel);
}

void
ghlo_cpu_kernel_clear (GhloCpuKernel *self)
{
  g_clear_pointer (&self->strips, ghlo_cpu_strips_free);
  g_clear_pointer (&self->code, ghlo_code_unref);
}

gsize
ghlo_cpu_kernel_scratch (const GhloCpuKernel *self)
{
  /* A single point, such as a loop, runs on the caller's thread. */
  return self->scratch * (self->n_points > 1 ? ghlo_parallel_n_workers () : 1);
}

static gboolean
stops (gpointer cancellable)
{
  return g_cancellable_is_cancelled (cancellable);
}

static void
run_code (const GhloCpuKernelRun *run,
          const gint64           *extents,
          gpointer const         *buffers,
          gint64                  begin,
          gint64                  end,
          gpointer                scratch)
{
  const GhloCpuKernel *self = run->kernel;
  guint8 *temporaries[GHLO_KERNEL_MAX_TEMPORARIES];
  GhloCodeCall call;

  ghlo_code_call_init (&call, temporaries, self->kernel, &self->code_schedule, extents, buffers, scratch);
  if (run->monitor != NULL && run->monitor->cancellable != NULL)
    {
      call.stops = stops;
      call.data = run->monitor->cancellable;
    }
  run->function (&call, begin, end);
}

void
ghlo_cpu_kernel_run_init (GhloCpuKernelRun    *run,
                          const GhloCpuKernel *kernel,
                          gpointer const      *buffers,
                          gpointer             scratch,
                          const GhloMonitor   *monitor)
{
  *run = (GhloCpuKernelRun) { kernel, NULL, buffers, scratch, monitor };
  if (kernel->code != NULL)
    run->function = ghlo_code_function (kernel->code);
}

void
ghlo_cpu_kernel_run_part (const GhloCpuKernelRun *run,
                          gint64                  begin,
                          gint64                  end,
                          guint                   worker)
{
  gpointer scratch = run->scratch + worker * run->kernel->scratch;

  if (run->function != NULL)
    run_code (run, run->kernel->extents, run->buffers, begin, end, scratch);
  else
    ghlo_cpu_strips_run (run->kernel->strips, NULL, run->buffers, begin, end, scratch, run->monitor);
}

void
ghlo_cpu_kernel_run_box (const GhloCpuKernelRun *run,
                         const gint64           *extents,
                         gpointer const         *buffers,
                         guint                   worker)
{
  gpointer scratch = run->scratch + worker * run->kernel->scratch;
  gint64 n = 1;

  for (guint i = 0; i < run->kernel->kernel->n_parallel; i++)
    n *= extents[i];
  if (run->function != NULL)
    run_code (run, extents, buffers, 0, n, scratch);
  else
    ghlo_cpu_strips_run (run->kernel->strips, extents, buffers, 0, n, scratch, run->monitor);
}

/* Where the run can be cancelled, that is checked every few grains: the cost of a point is an estimate, which
 * expensive functions and windows exceed by far. */
static void
run_points (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  const GhloCpuKernelRun *run = data;
  const GhloCpuKernel *self = run->kernel;
  const GhloKernelSchedule *schedule = run->function != NULL ? &self->code_schedule : &self->schedule;
  const double grains = CLAMP (MOST_NANOSECONDS / ((double) schedule->grain * schedule->cost), 1, GRAINS);
  const gsize most = run->monitor != NULL ? (gsize) schedule->grain * (gsize) grains : end - begin;

  for (; begin < end && !ghlo_monitor_cancelled (run->monitor, NULL); begin += most)
    ghlo_cpu_kernel_run_part (run, (gint64) begin, (gint64) MIN (begin + most, end), worker);
}

gboolean
ghlo_cpu_kernel_run (const GhloCpuKernel *self,
                     gpointer const      *buffers,
                     gpointer             scratch,
                     const GhloMonitor   *monitor,
                     GError             **error)
{
  const GhloKernelSchedule *schedule;
  GhloCpuKernelRun run;

  ghlo_cpu_kernel_run_init (&run, self, buffers, scratch, monitor);
  schedule = run.function != NULL ? &self->code_schedule : &self->schedule;
  ghlo_parallel_for (self->n_points, schedule->grain, self->n_points * schedule->cost, run_points, &run, monitor);

  return !ghlo_monitor_cancelled (monitor, error);
}
