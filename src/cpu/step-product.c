/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of products (dot, dot_general and convolution), and of fusions that begin with one. A product is prepared
 * when the step is compiled, with a constant operand in the order that runs read, and hands each finished part of its
 * result to the epilogue.
 */

#include "base/sizes.h"
#include "cpu/convolution/convolution.h"
#include "cpu/gemm/dot-general.h"
#include "cpu/gemm/epilogue.h"
#include "cpu/steps.h"

typedef struct
{
  GhloCpuEpilogue    *epilogue;       /* nullable */
  guint               lhs, rhs;       /* indices of operands */
  /* One of them, when the step is finished. */
  GhloCpuGemm        *gemm;
  GhloCpuConvolution *convolution;
} Product;

static void
clear_algorithm (Product *self)
{
  g_clear_pointer (&self->gemm, ghlo_cpu_gemm_free);
  g_clear_pointer (&self->convolution, ghlo_cpu_convolution_free);
}

static void
clear (gpointer step)
{
  Product *self = step;

  clear_algorithm (self);
  g_clear_pointer (&self->epilogue, ghlo_cpu_epilogue_free);
}

static gsize
get_scratch_size (const Product *self)
{
  return self->gemm != NULL ? ghlo_cpu_gemm_scratch_size (self->gemm)
                            : ghlo_cpu_convolution_scratch_size (self->convolution);
}

static const char *
get_description (const Product *self)
{
  return self->gemm != NULL ? ghlo_cpu_gemm_describe (self->gemm) : ghlo_cpu_convolution_describe (self->convolution);
}

static gsize
get_constant_size (const Product *self)
{
  return self->gemm != NULL ? ghlo_cpu_gemm_packed_size (self->gemm)
                            : ghlo_cpu_convolution_packed_size (self->convolution);
}

static guint
find_packed_operand (const Product *self)
{
  return self->gemm == NULL || ghlo_cpu_gemm_packs_rhs (self->gemm) ? self->rhs : self->lhs;
}

static void
get_packing (gpointer         compiled,
             GhloStepPacking *packing)
{
  const Product *self = compiled;

  packing->constant_size = get_constant_size (self);
  packing->operand = find_packed_operand (self);
  packing->key = self->gemm != NULL ? ghlo_cpu_gemm_get_packing (self->gemm, &packing->size)
                                    : ghlo_cpu_convolution_get_packing (self->convolution, &packing->size);
}

static gboolean
pack (gpointer           compiled,
      const GhloView    *operand,
      gpointer           packed,
      gpointer           scratch,
      const GhloMonitor *monitor)
{
  const Product *self = compiled;

  return self->gemm != NULL
         ? ghlo_cpu_gemm_pack (self->gemm, operand->data, packed, scratch, monitor, NULL)
         : ghlo_cpu_convolution_pack (self->convolution, operand->data, packed, scratch, monitor, NULL);
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  const GhloIrOp *op = request->body != NULL ? request->body->first : request->op;
  Product *self = step;
  GhloProductOp product_op;
  const char *reason;

  if (!ghlo_step_is_dot (op) && op->kind != GHLO_OP_STABLEHLO_CONVOLUTION)
    return "it does not begin with a product";
  /* Convolutions by matrix products take up to three times as long with permuted results. */
  if (op->kind == GHLO_OP_STABLEHLO_CONVOLUTION && !ghlo_view_is_dense (&request->results[0]))
    return "it is faster with a dense result";
  reason = ghlo_product_op_read (&product_op, request);
  self->lhs = product_op.lhs;
  self->rhs = product_op.rhs;
  if (reason != NULL || request->body == NULL)
    return reason;
  self->epilogue = g_new0 (GhloCpuEpilogue, 1);

  return ghlo_cpu_epilogue_read (self->epilogue, &product_op, request);
}

/* Each of these three returns NULL, having set gemm or convolution or, where there is no algorithm, @error; or else why
 * the request is declined. If @finishes is FALSE, the algorithm can only be queried. */
static const char *
choose_gemm (Product              *self,
             const GhloProductOp  *product_op,
             const GhloView       *operands,
             gboolean              finishes,
             GError              **error)
{
  g_autofree GhloCpuGemmProblem *problem = g_new (GhloCpuGemmProblem, 1);
  GhloCpuDotNumbers numbers;

  if (!ghlo_cpu_dot_numbers_read (&numbers, product_op->op)
      || !ghlo_cpu_dot_general_read (problem, &numbers, &operands[self->lhs], &operands[self->rhs], &product_op->result,
                                     NULL))
    return "its dimension numbers do not fit its operands";
  if (self->epilogue != NULL)
    problem->epilogue = ghlo_cpu_epilogue_panel;
  self->gemm = (finishes ? ghlo_cpu_gemm_prepare : ghlo_cpu_gemm_choose) (problem, error);

  return NULL;
}

static const char *
choose_convolution (Product              *self,
                    const GhloProductOp  *product_op,
                    const GhloView       *operands,
                    gboolean              finishes,
                    const GhloMonitor    *monitor,
                    GError              **error)
{
  g_autofree GhloCpuConvolutionNumbers *numbers = g_new (GhloCpuConvolutionNumbers, 1);
  const GhloView *lhs = &operands[self->lhs], *rhs = &operands[self->rhs];
  const GhloCpuPanelFunc epilogue = self->epilogue != NULL ? ghlo_cpu_epilogue_panel : NULL;
  const char *reason = ghlo_cpu_convolution_numbers_read (numbers, product_op->op);

  if (reason != NULL)
    return reason;
  self->convolution = finishes
                        ? ghlo_cpu_convolution_prepare (numbers, lhs, rhs, &product_op->result, epilogue, monitor,
                                                        error)
                        : ghlo_cpu_convolution_choose (numbers, lhs, rhs, &product_op->result, epilogue, error);

  return NULL;
}

static const char *
choose_algorithm (Product                *self,
                  const GhloStepRequest  *request,
                  gboolean                finishes,
                  const GhloMonitor      *monitor,
                  GError                **error)
{
  GhloProductOp product_op;
  const char *reason = ghlo_product_op_read (&product_op, request);

  if (reason != NULL)
    return reason;

  return product_op.op->kind == GHLO_OP_STABLEHLO_CONVOLUTION
         ? choose_convolution (self, &product_op, request->operands, finishes, monitor, error)
         : choose_gemm (self, &product_op, request->operands, finishes, error);
}

/* Why there is no algorithm. */
static const char *
find_reason (const GError *error)
{
  return g_error_matches (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY)
         ? "its padding or dilation is too large for a copy of its input with the zeros filled in"
         : "the CPU does not support products of its element types";
}

/* Whether a dense result would be computed by another, faster algorithm, so that copying it afterwards pays. */
static gboolean
prefers_dense (const Product         *self,
               const GhloStepRequest *request)
{
  const GhloView *result = &request->results[0];
  gint64 strides[GHLO_MAX_RANK];
  const GhloView dense = { NULL, result->element_type, result->rank, result->dimensions, strides };
  GhloStepRequest other = *request;
  Product product = { .epilogue = self->epilogue, .lhs = self->lhs, .rhs = self->rhs };
  g_autoptr (GError) error = NULL;
  gboolean prefers;

  ghlo_shape_strides (dense.dimensions, dense.rank, ghlo_element_info (dense.element_type)->size, strides);
  other.results = &dense;
  prefers = choose_algorithm (&product, &other, FALSE, NULL, &error) != NULL || error != NULL
            || !g_str_equal (get_description (&product), get_description (self));
  clear_algorithm (&product);

  return prefers;
}

static void
select_step (gpointer               step,
             const GhloStepRequest *request,
             GhloStepSelection     *selection)
{
  g_autoptr (GError) error = NULL;
  Product *self = step;

  selection->reason = choose_algorithm (self, request, FALSE, NULL, &error);
  if (error != NULL)
    selection->reason = find_reason (error);
  else if (selection->reason == NULL && !ghlo_view_is_dense (&request->results[0]) && prefers_dense (self, request))
    selection->reason = "it is faster with a dense result";
  if (selection->reason != NULL)
    return;
  if (get_constant_size (self) > 0)
    selection->operands[find_packed_operand (self)].wants_data = TRUE;
  selection->scratch = ghlo_cpu_epilogue_scratch (self->epilogue, get_scratch_size (self));
  clear_algorithm (self);
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
  Product *self = step;
  g_autoptr (GError) problem = NULL;
  const char *reason = choose_algorithm (self, request, TRUE, monitor, &problem);

  if (reason != NULL)
    return ghlo_step_fail (device, request, reason, error);
  if (problem != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  if (!ghlo_cpu_step_has_scratch (request, ghlo_cpu_epilogue_scratch (self->epilogue, get_scratch_size (self)), error))
    return FALSE;
  ghlo_cpu_epilogue_begin (self->epilogue, self->gemm != NULL ? ghlo_cpu_gemm_nanoseconds (self->gemm)
                                                              : ghlo_cpu_convolution_nanoseconds (self->convolution));

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
  const Product *self = compiled;
  const guint8 *lhs = operands[self->lhs].data, *rhs = operands[self->rhs].data;
  gconstpointer packed = operands[find_packed_operand (self)].packed;
  GhloCpuEpilogueRun epilogue;
  gboolean ok;

  ghlo_cpu_epilogue_run_begin (&epilogue, self->epilogue, operands, results, scratch, get_scratch_size (self), monitor);
  ok = self->gemm != NULL
         ? ghlo_cpu_gemm_run (self->gemm, lhs, rhs, packed, epilogue.product, scratch, &epilogue, monitor, error)
         : ghlo_cpu_convolution_run (self->convolution, lhs, rhs, packed, epilogue.product, scratch, &epilogue, monitor,
                                     error);

  return ok && ghlo_cpu_epilogue_run_end (&epilogue, monitor, error);
}

static char *
describe (gpointer compiled)
{
  return g_strdup (get_description (compiled));
}

static char *
print_kernels (gpointer       compiled,
               GhloKernelForm form)
{
  const Product *self = compiled;

  return ghlo_cpu_epilogue_print (self->epilogue, form);
}

static gboolean
wait (gpointer            compiled,
      gboolean            only_begins,
      const GhloMonitor  *monitor,
      GError            **error)
{
  const Product *self = compiled;

  return ghlo_cpu_epilogue_wait (self->epilogue, only_begins, monitor, error);
}

const GhloStepImplementation ghlo_cpu_step_product = {
  .name = "product",
  .writes_strides = TRUE,
  .size = sizeof (Product),
  .keeps_selection_state = TRUE,
  .read = read_request,
  .select = select_step,
  .finish = finish,
  .clear = clear,
  .run = run,
  .describe = describe,
  .print_kernels = print_kernels,
  .wait = wait,
  .get_packing = get_packing,
  .pack = pack,
};
