/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fusions, and single operations that have no step of their own, as generated kernels.
 */

#include "cpu/steps.h"
#include "cpu/strips/kernel.h"
#include "kernel/lower.h"
#include "kernel/text.h"

typedef struct
{
  GhloLoweredKernel lowered;
  GhloCpuKernel     kernel;
} Step;

static void
clear (Step *self)
{
  ghlo_lowered_kernel_clear (&self->lowered);
  ghlo_cpu_kernel_clear (&self->kernel);
}

/* Threads share parallel points: a large reduction to a few numbers has none to share. Shapes alone
 * decide, so that numbers depend on them alone. */
static gboolean
is_narrow (const GhloKernel *kernel)
{
  enum { FEW_POINTS = 16, MANY_ELEMENTS = 1 << 16 };
  gint64 n_points = 1, n_elements = 1;

  for (guint i = 0; i < kernel->n_axes; i++)
    {
      n_elements *= kernel->axes[i].extent;
      if (i < kernel->n_parallel)
        n_points *= kernel->axes[i].extent;
    }

  return n_points < FEW_POINTS && n_elements > MANY_ELEMENTS;
}

static const char *
read_request (Step                  *self,
              const GhloStepRequest *request)
{
  const GhloKernelGroup group = { .op = request->op, .body = request->body, .n_operands = request->n_operands,
                                  .n_results = request->n_results, .operands = request->operands,
                                  .results = request->results };
  const char *reason;

  if (!ghlo_kernel_lower (&group, &self->lowered, &reason))
    return reason;
  if (request->body != NULL && is_narrow (self->lowered.kernel))
    return "it has too few results for the threads to share";

  return ghlo_cpu_kernel_init (&self->kernel, self->lowered.kernel);
}

static void
fill_selection (const Step            *self,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  selection->scratch = ghlo_cpu_kernel_scratch (&self->kernel);
}

GHLO_CPU_DEFINE_STEP (Step, clear)

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Step *step = compiled;
  const GhloKernel *kernel = step->lowered.kernel;
  gpointer buffers[GHLO_KERNEL_MAX_BUFFERS];
  guint n = 0;

  while (n < kernel->n_buffers && !kernel->buffers[n].is_written)
    {
      buffers[n] = operands[n].data + step->lowered.starts[n];
      n++;
    }
  for (guint i = n; i < kernel->n_buffers; i++)
    buffers[i] = results[i - n].data + step->lowered.starts[i];

  return ghlo_cpu_kernel_run (&step->kernel, buffers, scratch, monitor, error);
}

static char *
describe (gpointer compiled)
{
  const Step *step = compiled;
  const GhloKernel *kernel = step->lowered.kernel;

  return g_strdup_printf ("%s of %u nodes, strips of %u points", kernel->name, kernel->n_nodes,
                          step->kernel.schedule.strip);
}

static char *
print_kernels (gpointer compiled)
{
  const Step *step = compiled;

  return ghlo_kernel_print (step->lowered.kernel);
}

const GhloStepImplementation ghlo_cpu_step_kernel = {
  .name = "kernel",
  .select = select_step,
  .compile = compile,
  .run = run,
  .release = release,
  .describe = describe,
  .print_kernels = print_kernels,
};
