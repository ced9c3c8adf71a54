/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fusions and single operations as generated kernels.
 */

#include "gpu/kernel.h"
#include "gpu/steps.h"
#include "kernel/lower.h"
#include "kernel/text.h"

/* Bytes of the most elements that are loaded at once. */
enum { ALIGNMENT = 16 };

typedef struct
{
  GhloLoweredKernel lowered;
  GhloGpuKernel     kernel;
} Step;

static void
clear (gpointer step)
{
  Step *self = step;

  ghlo_lowered_kernel_clear (&self->lowered);
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *core,
              const GhloStepRequest *request)
{
  Step *self = step;
  GhloGpuDevice *device = (GhloGpuDevice *) core;
  const GhloKernelGroup group = { .op = request->op, .body = request->body, .n_operands = request->n_operands,
                                  .n_results = request->n_results, .operands = request->operands,
                                  .results = request->results };
  const char *reason;

  if (!ghlo_kernel_lower (&group, &self->lowered, &reason))
    return reason;

  return ghlo_gpu_kernel_init (&self->kernel, device, self->lowered.kernel);
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const Step *self = step;

  selection->scratch = ghlo_gpu_kernel_scratch (&self->kernel);
  for (guint i = 0; i < request->n_operands; i++)
    {
      selection->operands[i].in_place = ghlo_lowered_kernel_in_place (&self->lowered, i);
      selection->operands[i].begins = ghlo_lowered_kernel_begins (&self->lowered, i);
    }
}

static gboolean
make_pipelines (gpointer                step,
                GhloDeviceCore         *device,
                const GhloStepRequest  *request,
                const GhloMonitor      *monitor,
                GError                **error)
{
  Step *self = step;
  const GhloLoweredKernel *lowered = &self->lowered;
  guint64 aligned = 0;

  for (guint i = 0; i < lowered->kernel->n_buffers; i++)
    {
      const guint of = i < lowered->n_operands ? i : request->n_operands + i - lowered->n_operands;

      if (request->alignments[of] % ALIGNMENT == 0 && lowered->starts[i] % ALIGNMENT == 0)
        aligned |= (guint64) 1 << i;
    }

  return ghlo_gpu_kernel_compile (&self->kernel, request->may_be_predicated, aligned, error);
}

static gboolean
record (gpointer              compiled,
        const GhloBufferRef  *operands,
        const GhloBufferRef  *results,
        GhloBufferRef         scratch,
        gpointer              recording,
        GError              **error)
{
  const Step *self = compiled;
  const guint n = self->lowered.n_operands;
  GhloBufferRef buffers[GHLO_KERNEL_MAX_BUFFERS];

  for (guint i = 0; i < self->lowered.kernel->n_buffers; i++)
    {
      buffers[i] = i < n ? operands[i] : results[i - n];
      buffers[i].offset += self->lowered.starts[i];
    }
  ghlo_gpu_kernel_record (&self->kernel, buffers, scratch, recording);

  return TRUE;
}

static char *
describe (gpointer compiled)
{
  const Step *self = compiled;
  const GhloGpuKernel *kernel = &self->kernel;
  g_autofree char *parts = kernel->n_parts > 1 ? g_strdup_printf (", each in %" G_GUINT64_FORMAT " parts",
                                                                  kernel->n_parts) : g_strdup ("");

  if (kernel->points_per_group > 1)
    return g_strdup_printf ("%s of %u nodes, %u invocations per point%s", kernel->kernel->name,
                            kernel->kernel->n_nodes, kernel->group, parts);

  return g_strdup_printf ("%s of %u nodes, %s per point%s", kernel->kernel->name, kernel->kernel->n_nodes,
                          kernel->workgroup_per_point ? "a workgroup" : "an invocation", parts);
}

static char *
print_kernels (gpointer       compiled,
               GhloKernelForm form)
{
  return form == GHLO_KERNEL_FORM_TEXT ? ghlo_kernel_print (((const Step *) compiled)->lowered.kernel) : NULL;
}

const GhloStepImplementation ghlo_gpu_step_kernel = {
  .name = "kernel",
  .size = sizeof (Step),
  .keeps_selection_state = TRUE,
  .read = read_request,
  .select = fill_selection,
  .finish = make_pipelines,
  .clear = clear,
  .record = record,
  .describe = describe,
  .print_kernels = print_kernels,
};
