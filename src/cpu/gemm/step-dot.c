/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of dot and dot_general, and of fusions that begin with one.
 */

#include "base/sizes.h"
#include "cpu/gemm/dot-general.h"
#include "cpu/gemm/epilogue.h"
#include "cpu/steps.h"

typedef struct
{
  GhloCpuGemm     *gemm;
  GhloCpuEpilogue *epilogue;    /* nullable */
  guint            lhs, rhs;    /* indices of operands */
} Dot;

static void
clear (gpointer step)
{
  Dot *self = step;

  g_clear_pointer (&self->gemm, ghlo_cpu_gemm_free);
  g_clear_pointer (&self->epilogue, ghlo_cpu_epilogue_free);
}

/* Returns NULL, or why the request is not for a product. The epilogue may be that of the selection. */
static const char *
read_problem (Dot                   *self,
              GhloCpuGemmProblem    *problem,
              const GhloStepRequest *request)
{
  GhloCpuProduct product;
  GhloCpuDotNumbers numbers;
  const char *reason = ghlo_cpu_product_read (&product, request, FALSE, self->epilogue);

  self->epilogue = product.epilogue;
  if (reason != NULL)
    return reason;
  self->lhs = product.lead.lhs;
  self->rhs = product.lead.rhs;
  if (!ghlo_cpu_dot_numbers_read (&numbers, product.lead.op)
      || !ghlo_cpu_dot_general_read (problem, &numbers, &request->operands[self->lhs], &request->operands[self->rhs],
                                     &product.lead.result, NULL))
    return "its dimension numbers do not fit its operands";
  if (self->epilogue != NULL)
    problem->epilogue = ghlo_cpu_epilogue_panel;

  return NULL;
}

/* Whether a dense result would be computed by another, faster algorithm, so that copying it afterwards pays. */
static gboolean
prefers_dense (const GhloStepRequest *request,
               const GhloCpuGemm     *gemm)
{
  g_autofree GhloCpuGemmProblem *problem = g_new (GhloCpuGemmProblem, 1);
  const GhloView *result = &request->results[0];
  gint64 strides[GHLO_MAX_RANK];
  const GhloView dense = { NULL, result->element_type, result->rank, result->dimensions, strides };
  GhloStepRequest other = *request;
  Dot self = { 0 };
  gboolean prefers;

  ghlo_shape_strides (dense.dimensions, dense.rank, ghlo_element_info (dense.element_type)->size, strides);
  other.results = &dense;
  if (read_problem (&self, problem, &other) == NULL)
    self.gemm = ghlo_cpu_gemm_choose (problem, NULL);
  prefers = self.gemm == NULL || !g_str_equal (ghlo_cpu_gemm_describe (self.gemm), ghlo_cpu_gemm_describe (gemm));
  clear (&self);

  return prefers;
}

static void
select_step (gpointer               step,
             const GhloStepRequest *request,
             GhloStepSelection     *selection)
{
  g_autofree GhloCpuGemmProblem *problem = g_new (GhloCpuGemmProblem, 1);
  Dot *self = step;

  selection->reason = read_problem (self, problem, request);
  if (selection->reason != NULL)
    return;
  self->gemm = ghlo_cpu_gemm_choose (problem, NULL);
  if (self->gemm == NULL)
    selection->reason = "the CPU does not support products of its element types";
  else if (!ghlo_view_is_dense (&request->results[0]) && prefers_dense (request, self->gemm))
    selection->reason = "it is faster with a dense result";
  if (selection->reason != NULL)
    return;
  if (ghlo_cpu_gemm_packed_size (self->gemm) > 0)
    selection->operands[ghlo_cpu_gemm_packs_rhs (self->gemm) ? self->rhs : self->lhs].wants_data = TRUE;
  selection->scratch = ghlo_cpu_epilogue_scratch (self->epilogue, ghlo_cpu_gemm_scratch_size (self->gemm));
  g_clear_pointer (&self->gemm, ghlo_cpu_gemm_free);
  if (self->epilogue == NULL)
    selection->selection_state = NULL;
}

static gboolean
finish (gpointer                step,
        GhloDeviceCore         *device,
        const GhloStepRequest  *request,
        const GhloMonitor      *monitor,
        GError                **error)
{
  g_autofree GhloCpuGemmProblem *problem = g_new (GhloCpuGemmProblem, 1);
  Dot *self = step;
  const char *reason = read_problem (self, problem, request);

  if (reason != NULL)
    return ghlo_step_fail (device, request, reason, error);
  self->gemm = ghlo_cpu_gemm_prepare (problem, error);
  if (self->gemm == NULL
      || !ghlo_cpu_step_has_scratch (request, ghlo_cpu_epilogue_scratch (self->epilogue,
                                                                         ghlo_cpu_gemm_scratch_size (self->gemm)),
                                     error))
    return FALSE;
  ghlo_cpu_epilogue_begin (self->epilogue, ghlo_cpu_gemm_nanoseconds (self->gemm));

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
  const Dot *self = compiled;
  GhloCpuEpilogueRun epilogue;

  ghlo_cpu_epilogue_run_begin (&epilogue, self->epilogue, operands, results, scratch,
                               ghlo_cpu_gemm_scratch_size (self->gemm), monitor);

  return ghlo_cpu_gemm_run (self->gemm, operands[self->lhs].data, operands[self->rhs].data, epilogue.product, scratch,
                            &epilogue, monitor, error)
         && ghlo_cpu_epilogue_run_end (&epilogue, monitor, error);
}

static gsize
compiled_size (gpointer compiled)
{
  const Dot *self = compiled;

  return ghlo_cpu_gemm_packed_size (self->gemm);
}

static char *
describe (gpointer compiled)
{
  const Dot *self = compiled;

  return g_strdup (ghlo_cpu_gemm_describe (self->gemm));
}

static char *
print_kernels (gpointer       compiled,
               GhloKernelForm form)
{
  const Dot *self = compiled;

  return ghlo_cpu_epilogue_print (self->epilogue, form);
}

static gboolean
wait (gpointer            compiled,
      gboolean            only_begins,
      const GhloMonitor  *monitor,
      GError            **error)
{
  const Dot *self = compiled;

  return ghlo_cpu_epilogue_wait (self->epilogue, only_begins, monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_dot = {
  .name = "dot",
  .writes_strides = TRUE,
  .size = sizeof (Dot),
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
