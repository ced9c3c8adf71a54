/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fusions that are attention, as steps. Operands and the result are taken as they lie, whatever their strides.
 */

#include "base/ghlo-error.h"
#include "kernel/text.h"
#include "vulkan/attention/attention.h"
#include "vulkan/target.h"

static void
release (gpointer compiled)
{
  GhloVulkanAttention *self = compiled;

  ghlo_vulkan_attention_clear (self);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloVulkanAttention, release)

static gboolean
select_step (gpointer               target,
             const GhloStepRequest *request,
             GhloStepSelection     *selection)
{
  g_autoptr (GhloVulkanAttention) self = g_new0 (GhloVulkanAttention, 1);

  selection->reason = request->body != NULL ? ghlo_vulkan_attention_init (self, target, request)
                                            : "it is no attention";

  return selection->reason == NULL;
}

static gpointer
compile (gpointer               target,
         const GhloStepRequest *request,
         const GhloMonitor     *monitor,
         GError               **error)
{
  g_autoptr (GhloVulkanAttention) self = g_new0 (GhloVulkanAttention, 1);
  const char *reason = ghlo_vulkan_attention_init (self, target, request);

  if (reason != NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "%s was selected for a Vulkan device, but cannot be "
                   "compiled: %s", ghlo_ir_op_get_name (request->op), reason);
      return NULL;
    }

  return ghlo_vulkan_attention_compile (self, target, request, error) ? g_steal_pointer (&self) : NULL;
}

static gboolean
record (gpointer              compiled,
        const GhloStepPlace  *operands,
        const GhloStepPlace  *results,
        GhloStepPlace         scratch,
        gpointer              recording,
        GError              **error)
{
  ghlo_vulkan_attention_record (compiled, operands, results, scratch, recording);

  return TRUE;
}

static char *
describe (gpointer compiled)
{
  const GhloVulkanAttention *self = compiled;
  const GhloSpirvAttention *shader = &self->shader;
  const GhloKernel *kernel = self->step.logits.lowered.kernel;

  return g_strdup_printf ("tiles of %u rows, %u keys at once%s%s, logits of %u nodes", shader->n_rows,
                          shader->n_length, shader->is_ahead ? ", by cooperative matrices" : "",
                          shader->n_planes > 1 ? " of two halves in bf16" : "",
                          kernel != NULL ? kernel->n_nodes : 0);
}

static char *
print_kernels (gpointer compiled)
{
  const GhloVulkanAttention *self = compiled;

  return self->step.has_kernel ? ghlo_kernel_print (self->step.logits.lowered.kernel) : NULL;
}

const GhloStepImplementation ghlo_vulkan_step_attention = {
  .name = "attention",
  .writes_strides = TRUE,
  .select = select_step,
  .compile = compile,
  .record = record,
  .release = release,
  .describe = describe,
  .print_kernels = print_kernels,
};
