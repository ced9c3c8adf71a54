/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of convolution, and of fusions that begin with one. A constant kernel is packed when the step is compiled,
 * in the order that runs read.
 */

#include "cpu/convolution/convolution.h"
#include "cpu/gemm/epilogue.h"
#include "cpu/steps.h"
#include "runtime/memory.h"

typedef struct
{
  GhloCpuConvolution *convolution;
  GhloCpuEpilogue    *epilogue;       /* nullable */
  guint               lhs, rhs;       /* indices of operands */
  gpointer            packed;         /* packed_size bytes; NULL where the kernel is used unpacked */
  gsize               packed_size;
} Convolution;

static void
clear (gpointer step)
{
  Convolution *self = step;

  if (self->packed != NULL)
    ghlo_memory_free (self->packed, self->packed_size);
  g_clear_pointer (&self->convolution, ghlo_cpu_convolution_free);
  g_clear_pointer (&self->epilogue, ghlo_cpu_epilogue_free);
}

/* Returns NULL, or why the request is not for a convolution. The epilogue may be that of the selection. */
static const char *
read_convolution (Convolution           *self,
                  const GhloStepRequest *request,
                  gboolean               finishes)
{
  g_autofree GhloCpuConvolutionNumbers *numbers = g_new0 (GhloCpuConvolutionNumbers, 1);
  g_autoptr (GError) problem = NULL;
  GhloCpuProduct product;
  const char *reason = ghlo_cpu_product_read (&product, request, TRUE, self->epilogue);

  self->epilogue = product.epilogue;
  if (reason != NULL)
    return reason;
  self->lhs = product.lead.lhs;
  self->rhs = product.lead.rhs;
  reason = ghlo_cpu_convolution_numbers_read (numbers, product.lead.op);
  if (reason != NULL)
    return reason;
  self->convolution = (finishes ? ghlo_cpu_convolution_prepare : ghlo_cpu_convolution_choose)
                        (numbers, &request->operands[self->lhs], &request->operands[self->rhs], &product.lead.result,
                         self->epilogue != NULL ? ghlo_cpu_epilogue_panel : NULL, &problem);
  if (self->convolution != NULL)
    return NULL;

  return g_error_matches (problem, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED)
         ? "the CPU does not support convolutions of its element types"
         : "its padding or dilation is too large for a copy of its input with the zeros filled in";
}

static gsize
find_scratch (const Convolution *self)
{
  return ghlo_cpu_epilogue_scratch (self->epilogue, ghlo_cpu_convolution_scratch_size (self->convolution));
}

static void
select_step (gpointer               step,
             const GhloStepRequest *request,
             GhloStepSelection     *selection)
{
  Convolution *self = step;

  selection->reason = read_convolution (self, request, FALSE);
  if (selection->reason != NULL)
    return;
  selection->operands[self->rhs].wants_data = ghlo_cpu_convolution_packed_size (self->convolution) > 0;
  selection->scratch = find_scratch (self);
  g_clear_pointer (&self->convolution, ghlo_cpu_convolution_free);
  if (self->epilogue == NULL)
    selection->selection_state = NULL;
}

/* Packs a constant kernel. Where it must not be packed, memory is short or the library fails, it stays unpacked.
 * FALSE when cancelled. */
static gboolean
pack (Convolution        *self,
      const guint8       *kernel,
      const GhloMonitor  *monitor,
      GError            **error)
{
  gsize size = ghlo_cpu_convolution_scratch_size (self->convolution);
  gpointer scratch;

  if (!ghlo_cpu_convolution_may_pack (self->convolution, kernel))
    return TRUE;
  scratch = ghlo_memory_alloc_uninitialized (size, NULL);
  self->packed_size = ghlo_cpu_convolution_packed_size (self->convolution);
  if (scratch != NULL)
    self->packed = ghlo_memory_alloc_uninitialized (self->packed_size, NULL);
  if (self->packed != NULL
      && !ghlo_cpu_convolution_pack (self->convolution, kernel, self->packed, scratch, monitor, NULL))
    {
      ghlo_memory_free (self->packed, self->packed_size);
      self->packed = NULL;
    }
  if (scratch != NULL)
    ghlo_memory_free (scratch, size);

  return !ghlo_monitor_cancelled (monitor, error);
}

static gboolean
finish (gpointer                step,
        GhloDeviceCore         *device,
        const GhloStepRequest  *request,
        const GhloMonitor      *monitor,
        GError                **error)
{
  Convolution *self = step;
  const char *reason = read_convolution (self, request, TRUE);
  const guint8 *kernel;

  if (reason != NULL)
    return ghlo_step_fail (device, request, reason, error);
  kernel = request->operands[self->rhs].data;
  if (!ghlo_cpu_step_has_scratch (request, find_scratch (self), error)
      || (kernel != NULL && !pack (self, kernel, monitor, error)))
    return FALSE;
  ghlo_cpu_epilogue_begin (self->epilogue, ghlo_cpu_convolution_nanoseconds (self->convolution));

  return TRUE;
}

static gboolean
run (gpointer            compiled,
     const GhloView     *operands,
     const GhloView     *results,
     gpointer            scratch,
     const GhloMonitor  *monitor,
     GError            **error)
{
  const Convolution *self = compiled;
  GhloCpuEpilogueRun epilogue;

  ghlo_cpu_epilogue_run_begin (&epilogue, self->epilogue, operands, results, scratch,
                               ghlo_cpu_convolution_scratch_size (self->convolution), monitor);

  return ghlo_cpu_convolution_run (self->convolution, operands[self->lhs].data, operands[self->rhs].data, self->packed,
                                   epilogue.product, scratch, &epilogue, monitor, error)
         && ghlo_cpu_epilogue_run_end (&epilogue, monitor, error);
}

static gsize
compiled_size (gpointer compiled)
{
  const Convolution *self = compiled;

  return self->packed != NULL ? self->packed_size : 0;
}

static char *
describe (gpointer compiled)
{
  const Convolution *self = compiled;

  return g_strdup_printf ("%s%s", ghlo_cpu_convolution_describe (self->convolution),
                          self->packed != NULL ? ", kernel reordered" : "");
}

static char *
print_kernels (gpointer       compiled,
               GhloKernelForm form)
{
  const Convolution *self = compiled;

  return ghlo_cpu_epilogue_print (self->epilogue, form);
}

static gboolean
wait (gpointer            compiled,
      gboolean            only_begins,
      const GhloMonitor  *monitor,
      GError            **error)
{
  const Convolution *self = compiled;

  return ghlo_cpu_epilogue_wait (self->epilogue, only_begins, monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_convolution = {
  .name = "convolution",
  .size = sizeof (Convolution),
  .keeps = TRUE,
  .select = select_step,
  .finish = finish,
  .clear = clear,
  .run = run,
  .describe = describe,
  .print_kernels = print_kernels,
  .wait = wait,
  .compiled_size = compiled_size,
};
