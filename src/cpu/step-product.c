/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The step of products (dot, dot_general and convolution), and of fusions of one. A product is prepared when the step
 * is compiled, with a constant operand in the order that runs read. It lets the prologue compute the parts of an
 * operand that it is about to read, and hands each finished part of its result to the epilogue.
 */

#include "base/sizes.h"
#include "cpu/convolution/convolution.h"
#include "cpu/gemm/dequantization.h"
#include "cpu/gemm/dot-general.h"
#include "cpu/gemm/epilogue.h"
#include "cpu/gemm/prologue.h"
#include "cpu/steps.h"

#include <string.h>

typedef struct
{
  GhloCpuPrologue    *prologue;       /* nullable */
  GhloCpuDequantization *dequantization;      /* nullable; instead of a prologue */
  GhloCpuEpilogue    *epilogue;       /* nullable */
  guint               operands[2];    /* indices of lhs and rhs; GHLO_STEP_NONE: the prologue computes it */
  /* One of them, when the step is finished. */
  GhloCpuGemm        *gemm;
  GhloCpuConvolution *convolution;
  gsize               own_scratch, scratch;     /* bytes, as below */
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
  g_clear_pointer (&self->prologue, ghlo_cpu_prologue_free);
  g_clear_pointer (&self->dequantization, g_free);
  g_clear_pointer (&self->epilogue, ghlo_cpu_epilogue_free);
}

static gsize
get_own_scratch_size (const Product *self)
{
  return self->gemm != NULL ? ghlo_cpu_gemm_scratch_size (self->gemm)
                            : ghlo_cpu_convolution_scratch_size (self->convolution);
}

/* That of the product, followed by that of the prologue. */
static gsize
get_scratch_size (const Product *self)
{
  const gsize size = ghlo_size_align (get_own_scratch_size (self));

  return self->prologue != NULL ? size + ghlo_cpu_kernel_scratch (&self->prologue->kernel) : size;
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

/* The index of the operand that may be packed; GHLO_STEP_NONE: the prologue computes it. */
static guint
find_packed_operand (const Product *self)
{
  return self->operands[self->gemm == NULL || ghlo_cpu_gemm_packs_rhs (self->gemm)];
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

/* The operands of the product; @strides has room for those of one that is computed. */
static void
find_operands (const Product         *self,
               const GhloProductOp   *product_op,
               const GhloStepRequest *request,
               gint64                *strides,
               GhloView               operands[2])
{
  for (guint i = 0; i < 2; i++)
    operands[i] = self->operands[i] != GHLO_STEP_NONE
                  ? request->operands[self->operands[i]]
                  : ghlo_step_dense_view (ghlo_ir_op_operand (product_op->op, i)->type, strides);
  if (self->dequantization != NULL)
    operands[product_op->computed] = self->dequantization->view;
}

/* Returns NULL, having set gemm or convolution or, where there is no algorithm, @error; or else why
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
      || !ghlo_cpu_dot_general_read (problem, &numbers, &operands[0], &operands[1], &product_op->result, NULL))
    return "its dimension numbers do not fit its operands";
  if (self->epilogue != NULL)
    problem->epilogue = ghlo_cpu_epilogue_panel;
  if (self->prologue != NULL)
    problem->prologue = ghlo_cpu_prologue_block;
  problem->dequantization = self->dequantization;
  problem->computes_lhs = product_op->computed == 0;
  self->gemm = (finishes ? ghlo_cpu_gemm_prepare : ghlo_cpu_gemm_choose) (problem, error);

  return NULL;
}

/* Looks for an operand that is computed from integers of few bits. */
static void
find_dequantization (Product               *self,
                     const GhloProductOp   *product_op,
                     const GhloStepRequest *request)
{
  gint64 strides[GHLO_MAX_RANK];
  GhloView operands[2];

  if (product_op->computed == GHLO_STEP_NONE)
    return;
  self->dequantization = g_new (GhloCpuDequantization, 1);
  if (ghlo_cpu_dequantization_read (self->dequantization, product_op->op, product_op->computed, request))
    {
      self->operands[product_op->computed] = self->dequantization->weights;
      find_operands (self, product_op, request, strides, operands);
      if (choose_gemm (self, product_op, operands, FALSE, NULL) == NULL && self->gemm != NULL)
        {
          clear_algorithm (self);
          return;
        }
    }
  self->operands[product_op->computed] = GHLO_STEP_NONE;
  g_clear_pointer (&self->dequantization, g_free);
}

static const char *
read_request (gpointer               step,
              GhloDeviceCore        *device,
              const GhloStepRequest *request)
{
  Product *self = step;
  GhloProductOp product_op;
  const char *reason = ghlo_product_op_read (&product_op, request);

  if (reason != NULL)
    return reason;
  /* Convolutions by matrix products take up to three times as long with permuted results. */
  if (product_op.op->kind == GHLO_OP_STABLEHLO_CONVOLUTION && !ghlo_view_is_dense (&request->results[0]))
    return "it is faster with a dense result";
  memcpy (self->operands, product_op.operands, sizeof self->operands);
  find_dequantization (self, &product_op, request);
  if (product_op.computed != GHLO_STEP_NONE && self->dequantization == NULL)
    {
      reason = ghlo_cpu_prologue_obstacle (product_op.op, product_op.computed);
      self->prologue = g_new0 (GhloCpuPrologue, 1);
    }
  if (reason != NULL || !ghlo_step_has_epilogue (request))
    return reason;
  self->epilogue = g_new0 (GhloCpuEpilogue, 1);

  return ghlo_cpu_epilogue_read (self->epilogue, &product_op, request);
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
  const GhloView *lhs = &operands[0], *rhs = &operands[1];
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
  gint64 strides[GHLO_MAX_RANK];
  GhloView operands[2];

  if (reason != NULL)
    return reason;
  /* Views may have got data. */
  if (self->dequantization != NULL
      && !ghlo_cpu_dequantization_read (self->dequantization, product_op.op, product_op.computed, request))
    return "its operand is not computed as it was";
  find_operands (self, &product_op, request, strides, operands);
  if (product_op.op->kind == GHLO_OP_STABLEHLO_CONVOLUTION)
    return choose_convolution (self, &product_op, operands, finishes, monitor, error);
  reason = choose_gemm (self, &product_op, operands, finishes, error);

  return reason == NULL && self->gemm != NULL && self->prologue != NULL
         ? ghlo_cpu_prologue_lower (self->prologue, &product_op, request, self->gemm) : reason;
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
  Product product = { .prologue = self->prologue, .dequantization = self->dequantization, .epilogue = self->epilogue,
                      .operands = { self->operands[0], self->operands[1] } };
  g_autoptr (GError) error = NULL;
  gboolean prefers;

  if (self->gemm != NULL && ghlo_cpu_gemm_prefers_dense (self->gemm))
    return TRUE;
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
  /* Before the prologue is lowered for another product. */
  else if (selection->reason == NULL)
    selection->scratch = ghlo_cpu_epilogue_scratch (self->epilogue, get_scratch_size (self));
  if (selection->reason == NULL && !ghlo_view_is_dense (&request->results[0]) && prefers_dense (self, request))
    selection->reason = "it is faster with a dense result";
  if (selection->reason != NULL)
    return;
  if (get_constant_size (self) > 0)
    selection->operands[find_packed_operand (self)].wants_data = TRUE;
  clear_algorithm (self);
  if (self->epilogue == NULL && self->prologue == NULL && self->dequantization == NULL)
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
  self->own_scratch = ghlo_size_align (get_own_scratch_size (self));
  self->scratch = get_scratch_size (self);
  if (self->prologue != NULL)
    ghlo_cpu_kernel_begin (&self->prologue->kernel);
  ghlo_cpu_epilogue_begin (self->epilogue, self->gemm != NULL ? ghlo_cpu_gemm_nanoseconds (self->gemm)
                                                              : ghlo_cpu_convolution_nanoseconds (self->convolution));

  return TRUE;
}

static const guint8 *
find_data (const Product  *self,
           const GhloView *operands,
           guint           operand)
{
  return self->operands[operand] != GHLO_STEP_NONE ? operands[self->operands[operand]].data : NULL;
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
  const guint8 *lhs = find_data (self, operands, 0), *rhs = find_data (self, operands, 1);
  const guint packed_operand = find_packed_operand (self);
  gconstpointer packed = packed_operand != GHLO_STEP_NONE ? operands[packed_operand].packed : NULL;
  GhloCpuPrologueRun prologue;
  GhloCpuEpilogueRun epilogue;
  gboolean ok;

  if (self->prologue != NULL)
    ghlo_cpu_prologue_run_begin (&prologue, self->prologue, operands,
                                 (guint8 *) scratch + self->own_scratch, monitor);
  ghlo_cpu_epilogue_run_begin (&epilogue, self->epilogue, operands, results, scratch, self->scratch, monitor);
  ok = self->gemm != NULL
         ? ghlo_cpu_gemm_run (self->gemm, lhs, rhs, packed, epilogue.product, scratch,
                              self->dequantization != NULL ? (gpointer) operands : &prologue, &epilogue, monitor,
                              error)
         : ghlo_cpu_convolution_run (self->convolution, lhs, rhs, packed, epilogue.product, scratch, &epilogue, monitor,
                                     error);

  return ok && ghlo_cpu_epilogue_run_end (&epilogue, monitor, error);
}

static char *
describe (gpointer compiled)
{
  const Product *self = compiled;

  return g_strconcat (get_description (self), self->prologue != NULL ? ", of a computed operand" : NULL, NULL);
}

static char *
print_kernels (gpointer       compiled,
               GhloKernelForm form)
{
  const Product *self = compiled;

  g_autofree char *before = self->prologue != NULL ? ghlo_cpu_kernel_print (&self->prologue->kernel, form) : NULL;
  g_autofree char *behind = ghlo_cpu_epilogue_print (self->epilogue, form);

  return before != NULL ? g_strconcat (before, behind, NULL) : g_steal_pointer (&behind);
}

static gboolean
wait (gpointer            compiled,
      gboolean            only_begins,
      const GhloMonitor  *monitor,
      GError            **error)
{
  const Product *self = compiled;

  return (self->prologue == NULL || ghlo_cpu_kernel_wait (&self->prologue->kernel, only_begins, monitor, error))
         && ghlo_cpu_epilogue_wait (self->epilogue, only_begins, monitor, error);
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
