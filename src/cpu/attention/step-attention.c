/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of fusions that are attention. Operands and the result may have any strides.
 */

#include "cpu/attention/attention.h"
#include "cpu/steps.h"

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  return request->body != NULL ? ghlo_cpu_attention_init (step, request) : "it is not an attention";
}

static void
select_step (gpointer               step,
             const GhloStepRequest *request,
             GhloStepSelection     *selection)
{
  selection->scratch = ghlo_cpu_attention_scratch (step);
}

static gboolean
finish (gpointer                step,
        GhloDeviceCore         *device,
        const GhloStepRequest  *request,
        const GhloMonitor      *monitor,
        GError                **error)
{
  GhloCpuAttention *self = step;

  if (self->step.has_kernel)
    ghlo_cpu_kernel_begin (&self->kernel);
  if (self->has_mask)
    ghlo_cpu_kernel_begin (&self->mask_kernel);

  return TRUE;
}

static void
clear (gpointer step)
{
  ghlo_cpu_attention_clear (step);
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  return ghlo_cpu_attention_run (compiled, operands, results, scratch, monitor, error);
}

static const char *
get_type (const GhloCpuAttention       *self,
          const GhloCpuAttentionFactor *factor)
{
  return factor->is_paired ? "bf16" : self->arithmetic == GHLO_CPU_F64 ? "f64" : "f32";
}

static char *
describe (gpointer compiled)
{
  const GhloCpuAttention *self = compiled;
  const char *type = get_type (self, &self->key), *value_type = get_type (self, &self->value);
  g_autofree char *parts = self->n_parts > 1 ? g_strdup_printf (", %" G_GINT64_FORMAT " parts", self->n_parts) : NULL;

  return g_strdup_printf ("%s of %s%s%s, %" G_GINT64_FORMAT " rows and %" G_GINT64_FORMAT " keys at once%s, logits of "
                          "%u nodes", self->has_vectors ? "vectors" : "tiles", type, type != value_type ? " and " : "",
                          type != value_type ? value_type : "", self->rows, self->keys, parts != NULL ? parts : "",
                          self->step.has_kernel ? self->kernel.kernel->n_nodes : 0);
}

static char *
print_kernels (gpointer       compiled,
               GhloKernelForm form)
{
  const GhloCpuAttention *self = compiled;

  return self->step.has_kernel ? ghlo_cpu_kernel_print (&self->kernel, form) : NULL;
}

static gboolean
wait (gpointer            compiled,
      gboolean            only_begins,
      const GhloMonitor  *monitor,
      GError            **error)
{
  const GhloCpuAttention *self = compiled;

  return (!self->step.has_kernel || ghlo_cpu_kernel_wait (&self->kernel, only_begins, monitor, error))
         && (!self->has_mask || ghlo_cpu_kernel_wait (&self->mask_kernel, only_begins, monitor, error));
}

const GhloStepImplementation ghlo_cpu_step_attention = {
  .name = "attention",
  .writes_strides = TRUE,
  .size = sizeof (GhloCpuAttention),
  .read = read_request,
  .select = select_step,
  .finish = finish,
  .clear = clear,
  .run = run,
  .describe = describe,
  .print_kernels = print_kernels,
  .wait = wait,
};
