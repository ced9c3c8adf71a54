/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fusions that are attention. Operands and the result may have any strides.
 */

#include "gpu/attention/attention.h"
#include "gpu/steps.h"
#include "kernel/text.h"

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  return request->body != NULL ? ghlo_gpu_attention_init (step, (GhloGpuDevice *) device, request)
                               : "it is not an attention";
}

static void
clear (gpointer step)
{
  ghlo_gpu_attention_clear (step);
}

static gboolean
make_pipelines (gpointer                step,
                GhloDeviceCore         *device,
                const GhloStepRequest  *request,
                const GhloMonitor      *monitor,
                GError                **error)
{
  return ghlo_gpu_attention_compile (step, error);
}

static gboolean
record (gpointer              compiled,
        const GhloBufferRef  *operands,
        const GhloBufferRef  *results,
        GhloBufferRef         scratch,
        gpointer              recording,
        GError              **error)
{
  ghlo_gpu_attention_record (compiled, operands, results, scratch, recording);

  return TRUE;
}

static char *
describe (gpointer compiled)
{
  const GhloGpuAttention *self = compiled;
  const GhloSpirvAttention *shader = &self->shader;
  const GhloKernel *kernel = self->step.logits.lowered.kernel;

  return g_strdup_printf ("tiles of %u rows, %u keys at once%s%s, logits of %u nodes", shader->n_rows,
                          shader->n_length, shader->is_ahead ? ", by cooperative matrices" : "",
                          shader->n_planes > 1 ? " of two halves in bf16" : "",
                          kernel != NULL ? kernel->n_nodes : 0);
}

static char *
print_kernels (gpointer       compiled,
               GhloKernelForm form)
{
  const GhloGpuAttention *self = compiled;

  return form == GHLO_KERNEL_FORM_TEXT && self->step.has_kernel
         ? ghlo_kernel_print (self->step.logits.lowered.kernel) : NULL;
}

const GhloStepImplementation ghlo_gpu_step_attention = {
  .name = "attention",
  .writes_strides = TRUE,
  .size = sizeof (GhloGpuAttention),
  .read = read_request,
  .finish = make_pipelines,
  .clear = clear,
  .record = record,
  .describe = describe,
  .print_kernels = print_kernels,
};
