/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of generated kernels: fusions, and single operations that have no step of their own.
 */

#include "cpu/jit/compiled-kernel.h"
#include "cpu/steps.h"
#include "ir/window.h"
#include "kernel/lower.h"
#include "kernel/text.h"

typedef struct
{
  GhloLoweredKernel lowered;
  GhloCpuKernel     kernel;
} Step;

static void
clear (gpointer step)
{
  Step *self = step;

  ghlo_lowered_kernel_clear (&self->lowered);
  ghlo_cpu_kernel_clear (&self->kernel);
}

static gboolean
finish (gpointer                step,
        GhloDeviceCore         *device,
        const GhloStepRequest  *request,
        const GhloMonitor      *monitor,
        GError                **error)
{
  Step *self = step;

  ghlo_cpu_kernel_begin (&self->kernel);

  return TRUE;
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  Step *self = step;
  const GhloKernelGroup group = { .op = request->op, .body = request->body, .n_operands = request->n_operands,
                                  .n_results = request->n_results, .operands = request->operands,
                                  .results = request->results };
  const char *reason;

  if (!ghlo_kernel_lower (&group, &self->lowered, &reason))
    return reason;

  return ghlo_cpu_kernel_init (&self->kernel, self->lowered.kernel, FALSE);
}

/* Whether a copy pays of an operand of windows whose rows are not adjacent elements: where it makes adjacent lanes, or
 * the windows read an element several times. */
static gboolean
wants_dense_rows (const GhloStepRequest *request)
{
  const GhloView *operand = &request->operands[0];
  gint64 least = G_MAXINT64, last = 0;
  gboolean is_last_single = FALSE, overlap = FALSE;
  GhloIrWindow window;

  if (request->op->kind != GHLO_OP_STABLEHLO_REDUCE_WINDOW || ghlo_ir_window_read (&window, request->op) != NULL)
    return FALSE;
  for (guint i = 0; i < operand->rank; i++)
    if (operand->dimensions[i] > 1)
      {
        last = ABS (operand->strides[i]);
        least = MIN (least, last);
        is_last_single = window.dims[i].size == 1;
        overlap |= window.dims[i].size > window.dims[i].stride;
      }

  return last > least && (is_last_single || overlap);
}

/* The scratch of the kernel that reads operand 0 as the dense copy for which the selection asks: axes that only dense
 * operands traverse as one are merged there, so that it may need more. */
static gsize
find_dense_scratch (const GhloStepRequest *request)
{
  g_autofree GhloView *operands = g_memdup2 (request->operands, request->n_operands * sizeof (GhloView));
  gint64 strides[GHLO_MAX_RANK];
  GhloStepRequest dense = *request;
  gsize scratch = 0;
  Step step = { 0 };

  ghlo_shape_strides (operands[0].dimensions, operands[0].rank,
                      ghlo_element_info (operands[0].element_type)->size, strides);
  operands[0].strides = strides;
  dense.operands = operands;
  if (read_request (&step, NULL, &dense) == NULL)
    scratch = ghlo_cpu_kernel_scratch (&step.kernel);
  clear (&step);

  return scratch;
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const Step *self = step;

  selection->scratch = ghlo_cpu_kernel_scratch (&self->kernel);
  for (guint i = 0; i < request->n_operands; i++)
    {
      selection->operands[i].dense = i == 0 && wants_dense_rows (request);
      selection->operands[i].in_place = ghlo_lowered_kernel_in_place (&self->lowered, i);
      selection->operands[i].begins = ghlo_lowered_kernel_begins (&self->lowered, i);
    }
  if (request->n_operands > 0 && selection->operands[0].dense)
    selection->scratch = MAX (selection->scratch, find_dense_scratch (request));
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Step *step = compiled;
  const guint n = step->lowered.n_operands;
  gpointer buffers[GHLO_KERNEL_MAX_BUFFERS];

  for (guint i = 0; i < step->lowered.kernel->n_buffers; i++)
    buffers[i] = (i < n ? operands[i].data : results[i - n].data) + step->lowered.starts[i];

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
print_kernels (gpointer       compiled,
               GhloKernelForm form)
{
  return ghlo_cpu_kernel_print (&((const Step *) compiled)->kernel, form);
}

static gboolean
wait (gpointer            compiled,
      gboolean            only_begins,
      const GhloMonitor  *monitor,
      GError            **error)
{
  return ghlo_cpu_kernel_wait (&((const Step *) compiled)->kernel, only_begins, monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_kernel = {
  .name = "kernel",
  .size = sizeof (Step),
  .keeps_selection_state = TRUE,
  .read = read_request,
  .select = fill_selection,
  .finish = finish,
  .clear = clear,
  .run = run,
  .describe = describe,
  .print_kernels = print_kernels,
  .wait = wait,
};
