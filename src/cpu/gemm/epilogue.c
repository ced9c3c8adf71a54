/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The product is dense, and the points of the kernel are its elements in memory order. A panel is therefore one or
 * more runs of points, however it was computed.
 */

#include "cpu/gemm/epilogue.h"

#include "base/sizes.h"
#include "kernel/text.h"
#include "runtime/parallel.h"

/* Reading */

const char *
ghlo_cpu_epilogue_read (GhloCpuEpilogue       *self,
                        const GhloProductOp   *product_op,
                        const GhloStepRequest *request)
{
  GhloStepEpilogue *fusion = &self->fusion;
  const char *reason;

  self->element = ghlo_element_info (product_op->result.element_type)->size;
  self->shift = g_bit_storage (self->element) - 1;
  self->size = ghlo_size_align ((gsize) ghlo_view_count (&product_op->result) * self->element);
  reason = ghlo_step_epilogue_init (fusion, request);
  if (reason == NULL)
    reason = ghlo_cpu_kernel_init (&self->kernel, fusion->lowered.kernel, TRUE);
  if (reason == NULL)
    self->product_result = ghlo_step_epilogue_place (fusion);

  return reason;
}

void
ghlo_cpu_epilogue_free (GhloCpuEpilogue *self)
{
  ghlo_cpu_kernel_clear (&self->kernel);
  ghlo_step_epilogue_clear (&self->fusion);
  g_free (self);
}

gsize
ghlo_cpu_epilogue_scratch (const GhloCpuEpilogue *self,
                           gsize                  scratch)
{
  if (self == NULL)
    return scratch;

  return ghlo_size_align (scratch) + ghlo_cpu_kernel_scratch (&self->kernel)
         + (self->product_result == GHLO_STEP_NONE ? self->size : 0);
}

void
ghlo_cpu_epilogue_begin (GhloCpuEpilogue *self,
                         double           nanoseconds)
{
  if (self == NULL)
    return;
  /* The kernel is worth more threads than the product has. */
  self->runs_once = nanoseconds < GHLO_PARALLEL_MIN_WORK
                   && (double) self->kernel.n_points * self->kernel.schedule.cost >= GHLO_PARALLEL_MIN_WORK;
  ghlo_cpu_kernel_begin (&self->kernel);
}

gboolean
ghlo_cpu_epilogue_wait (const GhloCpuEpilogue  *self,
                        gboolean                only_begins,
                        const GhloMonitor      *monitor,
                        GError                **error)
{
  return self == NULL || ghlo_cpu_kernel_wait (&self->kernel, only_begins, monitor, error);
}

char *
ghlo_cpu_epilogue_print (const GhloCpuEpilogue *self,
                         GhloKernelForm         form)
{
  return self != NULL ? ghlo_cpu_kernel_print (&self->kernel, form) : NULL;
}

/* Running */

void
ghlo_cpu_epilogue_run_begin (GhloCpuEpilogueRun    *run,
                             const GhloCpuEpilogue *self,
                             const GhloView        *operands,
                             const GhloView        *results,
                             gpointer               scratch,
                             gsize                  product_size,
                             const GhloMonitor     *monitor)
{
  guint8 *rest = (guint8 *) scratch + ghlo_size_align (product_size);
  const gint64 *starts;
  guint n;

  run->epilogue = self;
  if (self == NULL)
    {
      run->product = results[0].data;
      return;
    }
  starts = self->fusion.lowered.starts;
  n = self->fusion.n_operands + 1;
  run->product = self->product_result != GHLO_STEP_NONE ? results[self->product_result].data
                                                        : rest + ghlo_cpu_kernel_scratch (&self->kernel);
  run->buffers[0] = run->product;
  for (guint i = 0; i < self->fusion.n_operands; i++)
    run->buffers[i + 1] = operands[i].data + starts[i + 1];
  for (guint i = 0; i < self->fusion.n_results; i++)
    run->buffers[n + i] = results[self->fusion.result_indices[i]].data + starts[n + i];
  ghlo_cpu_kernel_run_init (&run->kernel, &self->kernel, run->buffers, rest, monitor);
}

/* Runs the kernel on @n_runs runs of @n elements each, which begin @stride bytes apart. */
static void
run_parts (const GhloCpuEpilogueRun *run,
           const GhloCpuPanel       *panel,
           gint64                    n_runs,
           gint64                    stride,
           gint64                    n)
{
  const gint64 element = (gint64) run->epilogue->element;

  if (stride == n * element)
    {
      n *= n_runs;
      n_runs = 1;
    }
  for (gint64 i = 0; i < n_runs; i++)
    {
      const gint64 begin = (panel->data - run->product + i * stride) >> run->epilogue->shift;

      ghlo_cpu_kernel_run_part (&run->kernel, begin, begin + n, panel->worker);
    }
}

void
ghlo_cpu_epilogue_panel (gpointer            data,
                         const GhloCpuPanel *panel)
{
  const GhloCpuEpilogueRun *run = data;
  GhloCpuPanel column = *panel;

  if (run->epilogue->runs_once)
    return;
  if (panel->column_stride == (gint64) run->epilogue->element)
    {
      run_parts (run, panel, panel->n_rows, panel->row_stride, panel->n_columns);
      return;
    }
  if (panel->row_stride == (gint64) run->epilogue->element)
    {
      run_parts (run, panel, panel->n_columns, panel->column_stride, panel->n_rows);
      return;
    }
  for (gint64 i = 0; i < panel->n_columns; i++)
    {
      run_parts (run, &column, panel->n_rows, panel->row_stride, 1);
      column.data += panel->column_stride;
    }
}

gboolean
ghlo_cpu_epilogue_run_end (const GhloCpuEpilogueRun  *run,
                           const GhloMonitor         *monitor,
                           GError                   **error)
{
  if (run->epilogue == NULL)
    return TRUE;
  if (run->epilogue->runs_once)
    return ghlo_cpu_kernel_run (&run->epilogue->kernel, run->buffers, run->kernel.scratch, monitor, error);

  return !ghlo_monitor_cancelled (monitor, error);
}
