/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * select_and_scatter as two kernels; the scratch holds the selections of the windows in between.
 */

#include "base/sizes.h"
#include "gpu/kernel.h"
#include "gpu/steps.h"
#include "kernel/select-and-scatter.h"
#include "kernel/text.h"

typedef struct
{
  GhloSelectAndScatter lowered;
  GhloGpuKernel     select, gather;
  gsize                selection;       /* bytes, a multiple of 64 */
} Step;

static void
clear (gpointer step)
{
  Step *self = step;

  ghlo_select_and_scatter_clear (&self->lowered);
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *core,
              const GhloStepRequest *request)
{
  Step *self = step;
  GhloGpuDevice *device = (GhloGpuDevice *) core;
  const GhloKernelGroup group = { .op = request->op, .n_operands = request->n_operands,
                                  .n_results = request->n_results, .operands = request->operands,
                                  .results = request->results };
  const char *reason;

  if (!ghlo_kernel_lower_select_and_scatter (&group, &self->lowered, &reason))
    return reason;
  reason = ghlo_gpu_kernel_init (&self->select, device, self->lowered.select);
  self->selection = ghlo_size_align ((gsize) self->lowered.n_windows * sizeof (gint32));

  return reason != NULL ? reason : ghlo_gpu_kernel_init (&self->gather, device, self->lowered.gather);
}

static void
fill_selection (gpointer               step,
                const GhloStepRequest *request,
                GhloStepSelection     *selection)
{
  const Step *self = step;

  selection->scratch = self->selection + MAX (ghlo_gpu_kernel_scratch (&self->select),
                                              ghlo_gpu_kernel_scratch (&self->gather));
}

static gboolean
make_pipelines (gpointer                step,
                GhloDeviceCore         *device,
                const GhloStepRequest  *request,
                const GhloMonitor      *monitor,
                GError                **error)
{
  Step *self = step;

  return ghlo_gpu_kernel_compile (&self->select, request->may_be_predicated, 0, error)
         && ghlo_gpu_kernel_compile (&self->gather, request->may_be_predicated, 0, error);
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
  const gint64 *starts = self->lowered.starts;
  const GhloBufferRef rest = ghlo_gpu_place_at (scratch, (gint64) self->selection);
  const GhloBufferRef select[] = { ghlo_gpu_place_at (operands[0], starts[0]), scratch };
  const GhloBufferRef gather[] = { ghlo_gpu_place_at (operands[1], starts[1]),
                                   ghlo_gpu_place_at (operands[2], starts[2]), scratch, results[0] };

  ghlo_gpu_kernel_record (&self->select, select, rest, recording);
  ghlo_gpu_kernel_record (&self->gather, gather, rest, recording);

  return TRUE;
}

static char *
print_kernels (gpointer       compiled,
               GhloKernelForm form)
{
  const Step *self = compiled;
  g_autofree char *select = ghlo_kernel_print (self->lowered.select);
  g_autofree char *gather = ghlo_kernel_print (self->lowered.gather);

  return form == GHLO_KERNEL_FORM_TEXT ? g_strconcat (select, gather, NULL) : NULL;
}

const GhloStepImplementation ghlo_gpu_step_select_and_scatter = {
  .name = "select_and_scatter",
  .size = sizeof (Step),
  .keeps_selection_state = TRUE,
  .read = read_request,
  .select = fill_selection,
  .finish = make_pipelines,
  .clear = clear,
  .record = record,
  .print_kernels = print_kernels,
};
