/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * select_and_scatter as two kernels; what the windows select lies in the scratch in between.
 */

#include "base/ghlo-error.h"
#include "base/sizes.h"
#include "kernel/select-and-scatter.h"
#include "kernel/text.h"
#include "vulkan/kernel.h"
#include "vulkan/target.h"

typedef struct
{
  GhloSelectAndScatter lowered;
  GhloVulkanKernel     select, gather;
  gsize                selection;       /* bytes, a multiple of 64 */
} Step;

static void
release (gpointer compiled)
{
  Step *self = compiled;

  ghlo_select_and_scatter_clear (&self->lowered);
  g_free (self);
}

static const char *
read_request (Step                  *self,
              GhloVulkanDevice      *device,
              const GhloStepRequest *request)
{
  const GhloKernelGroup group = { .op = request->op, .n_operands = request->n_operands,
                                  .n_results = request->n_results, .operands = request->operands,
                                  .results = request->results };
  const char *reason;

  if (!ghlo_kernel_lower_select_and_scatter (&group, &self->lowered, &reason))
    return reason;
  reason = ghlo_vulkan_kernel_init (&self->select, device, self->lowered.select);
  self->selection = ghlo_size_align ((gsize) self->lowered.n_windows * sizeof (gint32));

  return reason != NULL ? reason : ghlo_vulkan_kernel_init (&self->gather, device, self->lowered.gather);
}

static gboolean
select_step (gpointer               target,
             const GhloStepRequest *request,
             GhloStepSelection     *selection)
{
  Step *self = g_new0 (Step, 1);

  selection->reason = read_request (self, target, request);
  if (selection->reason != NULL)
    {
      release (self);
      return FALSE;
    }
  selection->scratch = self->selection + MAX (ghlo_vulkan_kernel_scratch (&self->select),
                                              ghlo_vulkan_kernel_scratch (&self->gather));
  selection->kept = self;

  return TRUE;
}

static gpointer
compile (gpointer               target,
         const GhloStepRequest *request,
         const GhloMonitor     *monitor,
         GError               **error)
{
  Step *self = request->kept;
  const char *reason = NULL;

  if (self == NULL)
    {
      self = g_new0 (Step, 1);
      reason = read_request (self, target, request);
    }
  if (reason != NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INTERNAL, "%s was selected for a Vulkan device, but cannot be compiled: "
                 "%s", ghlo_ir_op_get_name (request->op), reason);
  if (reason == NULL && ghlo_vulkan_kernel_compile (&self->select, error)
      && ghlo_vulkan_kernel_compile (&self->gather, error))
    return self;
  release (self);

  return NULL;
}

static gboolean
record (gpointer              compiled,
        const GhloStepPlace  *operands,
        const GhloStepPlace  *results,
        GhloStepPlace         scratch,
        gpointer              recording,
        GError              **error)
{
  const Step *self = compiled;
  const gint64 *starts = self->lowered.starts;
  const GhloStepPlace rest = ghlo_vulkan_place_at (scratch, (gint64) self->selection);
  const GhloStepPlace select[] = { ghlo_vulkan_place_at (operands[0], starts[0]), scratch };
  const GhloStepPlace gather[] = { ghlo_vulkan_place_at (operands[1], starts[1]),
                                   ghlo_vulkan_place_at (operands[2], starts[2]), scratch, results[0] };

  ghlo_vulkan_kernel_record (&self->select, select, rest, recording);
  ghlo_vulkan_kernel_record (&self->gather, gather, rest, recording);

  return TRUE;
}

static char *
print_kernels (gpointer compiled)
{
  const Step *self = compiled;
  g_autofree char *select = ghlo_kernel_print (self->lowered.select);
  g_autofree char *gather = ghlo_kernel_print (self->lowered.gather);

  return g_strconcat (select, gather, NULL);
}

const GhloStepImplementation ghlo_vulkan_step_select_and_scatter = {
  .name = "select_and_scatter",
  .select = select_step,
  .compile = compile,
  .record = record,
  .release = release,
  .print_kernels = print_kernels,
};
