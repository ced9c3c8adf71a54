/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Derives the product and the kernel that follows it from a fusion's body.
 */

#include "plan/epilogue.h"

#include <string.h>

#include "ir/fusion.h"

static gboolean
has_plain_types (const GhloIrOp *op)
{
  return ghlo_ir_type_is_numbers (ghlo_ir_op_operand (op, 0)->type)
         && ghlo_ir_type_is_numbers (ghlo_ir_op_operand (op, 1)->type)
         && ghlo_ir_type_is_numbers (op->results[0].type);
}

const char *
ghlo_step_epilogue_obstacle (const GhloIrOp *const *ops,
                             guint                  n_ops)
{
  for (guint i = 0; i < n_ops; i++)
    {
      gboolean is_product = ghlo_ir_op_is_product (ops[i]);
      const char *reason = is_product ? NULL : ghlo_kernel_obstacle (ops[i]);

      if (is_product && !has_plain_types (ops[i]))
        reason = "its types are not implemented";
      if (reason != NULL)
        return reason;
    }

  return NULL;
}

guint
ghlo_step_find_computed (const GhloIrOp *const  *ops,
                         guint                   n_ops,
                         const GhloIrOp        **product)
{
  for (guint i = 0; i < n_ops; i++)
    {
      if (!ghlo_ir_op_is_product (ops[i]))
        continue;
      *product = ops[i];
      for (guint k = 0; k < n_ops; k++)
        for (guint operand = 0; operand < 2; operand++)
          if (ghlo_ir_op_operand (ops[i], operand)->op == ops[k])
            return operand;
    }

  return GHLO_STEP_NONE;
}

/* The operation whose result is the kernel's input: the product, or the last in a chain of reshapes that are its
 * only use. */
static const GhloIrOp *
find_input_op (const GhloIrBlock *body)
{
  const GhloIrOp *op = ghlo_ir_fusion_get_lead (body);
  const GhloIrUse *use;

  while ((use = op->results[0].uses) != NULL && use->next == NULL && use->op->kind == GHLO_OP_STABLEHLO_RESHAPE
         && use->op->block == body)
    op = use->op;

  return op;
}

gboolean
ghlo_step_has_epilogue (const GhloStepRequest *request)
{
  const GhloIrBlock *body = request->body;

  return body != NULL
         && (request->n_results != 1 || ghlo_ir_op_operand (body->last, 0) != &find_input_op (body)->results[0]);
}

static gboolean
has_shape (const GhloView   *view,
           const GhloIrType *type)
{
  return view->rank == type->rank
         && memcmp (view->dimensions, type->dimensions, type->rank * sizeof *type->dimensions) == 0;
}

/* Gets the strides of the product, a @type: dense, or with the dimensions in the order of the only result. */
static void
find_strides (const GhloStepRequest *request,
              const GhloIrType      *type,
              gint64                *strides)
{
  const GhloView *result = &request->results[0];
  const gint64 size = ghlo_element_info (type->element_type)->size;

  if (request->n_results > 1 || ghlo_view_is_dense (result) || !has_shape (result, type))
    ghlo_shape_strides (type->dimensions, type->rank, size, strides);
  else
    for (guint i = 0; i < type->rank; i++)
      strides[i] = result->strides[i] / (gint64) ghlo_element_info (result->element_type)->size * size;
}

/* Sorts the dimensions by stride, the outermost first. */
static void
order_dimensions (const GhloView *view,
                  guint          *order)
{
  for (guint d = 0; d < view->rank; d++)
    {
      guint at = d;

      for (; at > 0 && view->strides[order[at - 1]] < view->strides[d]; at--)
        order[at] = order[at - 1];
      order[at] = d;
    }
}

const char *
ghlo_product_op_read (GhloProductOp         *self,
                      const GhloStepRequest *request)
{
  const GhloIrOp *op = request->body != NULL ? ghlo_ir_fusion_get_lead (request->body) : request->op;
  const GhloIrType *type;

  *self = (GhloProductOp) { .op = op, .operands = { 0, 1 }, .computed = GHLO_STEP_NONE };
  if (!ghlo_ir_op_is_product (op))
    return "it has no product or convolution";
  if (request->body == NULL)
    {
      self->result = request->results[0];
      return NULL;
    }
  if (request->n_operands + request->n_results >= GHLO_KERNEL_MAX_BUFFERS)
    return "it has too many operands and results";
  if (!has_plain_types (op))
    return "the types of its product are not implemented";
  for (guint i = 0; i < 2; i++)
    {
      const guint operand = ghlo_step_request_find_operand (request, ghlo_ir_op_operand (op, i));

      self->operands[i] = operand < request->n_operands ? operand : GHLO_STEP_NONE;
      if (operand < request->n_operands)
        continue;
      if (self->computed != GHLO_STEP_NONE)
        return "neither operand of its product is an input of the group";
      self->computed = i;
    }
  type = op->results[0].type;
  self->result = (GhloView) { .element_type = type->element_type, .rank = type->rank, .dimensions = type->dimensions,
                              .strides = self->strides };
  find_strides (request, type, self->strides);

  return NULL;
}

/* Chooses the results that the kernel writes: all but the product itself. */
static const char *
choose_results (GhloStepEpilogue      *self,
                const GhloStepRequest *request,
                const GhloIrOp        *input_op)
{
  self->product_result = GHLO_STEP_NONE;
  for (guint i = 0; i < request->n_results; i++)
    {
      const GhloView *result = &request->results[i];

      if (!ghlo_view_is_dense (result)
          && (request->n_results > 1 || input_op != ghlo_ir_fusion_get_lead (request->body)
              || !has_shape (result, input_op->results[0].type)))
        return "writing a dense result is faster";
      if (ghlo_ir_op_operand (request->body->last, i) != &input_op->results[0])
        self->result_indices[self->n_results++] = i;
      else if (self->product_result == GHLO_STEP_NONE)
        self->product_result = i;
      else
        return "it returns the product twice";
    }

  return self->n_results > 0 ? NULL : "no operation follows the product";
}

static const char *
lower (GhloStepEpilogue      *self,
       const GhloStepRequest *request,
       const GhloIrOp        *input_op)
{
  const GhloIrType *type = input_op->results[0].type;
  gint64 strides[GHLO_MAX_RANK];
  guint order[GHLO_MAX_RANK];
  g_autofree GhloView *operands = g_new (GhloView, request->n_operands + 1);
  g_autofree GhloView *results = g_new (GhloView, self->n_results);
  const GhloKernelGroup group = {
    .body = request->body, .input_op = input_op, .result_indices = self->result_indices,
    .n_operands = request->n_operands + 1, .n_results = self->n_results, .operands = operands, .results = results,
    .order = ghlo_view_is_dense (&request->results[0]) ? NULL : order,
  };
  const GhloKernel *kernel;
  const char *reason;
  gint64 n_points = 1;

  find_strides (request, type, strides);
  operands[0] = (GhloView) { .element_type = type->element_type, .rank = type->rank, .dimensions = type->dimensions,
                             .strides = strides };
  order_dimensions (&operands[0], order);
  for (guint i = 0; i < request->n_operands; i++)
    operands[i + 1] = request->operands[i];
  for (guint i = 0; i < self->n_results; i++)
    results[i] = request->results[self->result_indices[i]];
  if (!ghlo_kernel_lower (&group, &self->lowered, &reason))
    return reason;
  kernel = self->lowered.kernel;
  for (guint i = 0; i < kernel->n_parallel; i++)
    n_points *= kernel->axes[i].extent;

  return n_points == ghlo_view_count (&operands[0])
         ? NULL : "its kernel does not have one point for each element of the product";
}

const char *
ghlo_step_epilogue_init (GhloStepEpilogue      *self,
                         const GhloStepRequest *request)
{
  const GhloIrOp *input_op = find_input_op (request->body);
  const char *reason;

  *self = (GhloStepEpilogue) { .n_operands = request->n_operands };
  reason = choose_results (self, request, input_op);

  return reason != NULL ? reason : lower (self, request, input_op);
}

guint
ghlo_step_epilogue_place (const GhloStepEpilogue *self)
{
  const guint32 result = ghlo_lowered_kernel_in_place (&self->lowered, 0);

  return self->product_result == GHLO_STEP_NONE && result != GHLO_STEP_NONE ? self->result_indices[result]
                                                                            : self->product_result;
}

void
ghlo_step_epilogue_clear (GhloStepEpilogue *self)
{
  ghlo_lowered_kernel_clear (&self->lowered);
}
