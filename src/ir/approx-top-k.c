/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads calls of ApproxTopK as JAX emits them.
 */

#include "ir/approx-top-k.h"

#include "base/fail.h"
#include "ir/custom-call.h"

#define fail(problem, ...) GHLO_FALSE_AFTER (*(problem) = g_strdup_printf (__VA_ARGS__))

static gboolean
is_scalar (const GhloIrType *type,
           const GhloIrType *element)
{
  return type->kind == GHLO_IR_TYPE_TENSOR && type->rank == 0 && type->quantization == NULL
         && type->element_type == element->element_type;
}

static gboolean
find_comparator (GhloIrApproxTopK *self,
                 const GhloIrOp   *op,
                 char            **problem)
{
  const GhloIrAttr *symbols = ghlo_ir_op_get (op, "called_computations");
  const GhloIrOp *function;
  gboolean fits;

  if (symbols == NULL || symbols->length != 1)
    return fail (problem, "expected a comparator as the only element of called_computations");
  self->name = symbols->children[0]->text;
  function = ghlo_ir_op_find_symbol (op, self->name);
  self->comparator = function != NULL && function->kind == GHLO_OP_FUNC_FUNC ? ghlo_ir_func_get_body (function) : NULL;
  fits = self->comparator != NULL && self->comparator->n_arguments == 2 * self->n
         && self->comparator->last != NULL && self->comparator->last->n_operands == 1;
  for (guint i = 0; fits && i < 2 * self->n; i++)
    fits = is_scalar (self->comparator->arguments[i]->type, op->operands[i / 2].value->type);
  if (fits)
    {
      const GhloIrType *result = ghlo_ir_op_operand (self->comparator->last, 0)->type;

      fits = result->kind == GHLO_IR_TYPE_TENSOR && result->rank == 0 && result->element_type == GHLO_ELEMENT_TYPE_I1;
    }

  return fits || fail (problem, "expected a comparator that takes two elements of each array and returns tensor<i1>");
}

static gboolean
check_shapes (GhloIrApproxTopK  *self,
              const GhloIrOp    *op,
              char             **problem)
{
  const GhloIrType *like = op->operands[0].value->type;
  gint64 dimension = -1;

  if (!ghlo_ir_custom_call_read_integer (op, "reduction_dim", &dimension, problem))
    return FALSE;
  for (guint i = 0; i < self->n; i++)
    {
      const GhloIrType *from = op->operands[i].value->type, *to = op->results[i].type;

      if (from->kind != GHLO_IR_TYPE_TENSOR || to->kind != GHLO_IR_TYPE_TENSOR || from->quantization != NULL
          || to->quantization != NULL || from->element_type != to->element_type || from->rank != like->rank
          || to->rank != like->rank)
        return fail (problem, "expected arrays of the same rank, and results of their rank and element types");
    }
  if (dimension < 0 || dimension >= like->rank)
    return fail (problem, "expected a reduction_dim below the rank %u, found %" G_GINT64_FORMAT, like->rank, dimension);
  self->dimension = (guint) dimension;
  self->count = op->results[0].type->dimensions[dimension];
  for (guint i = 0; i < self->n; i++)
    for (guint d = 0; d < like->rank; d++)
      {
        gint64 from = op->operands[i].value->type->dimensions[d], to = op->results[i].type->dimensions[d];

        if (from < 0 || to < 0)
          return fail (problem, "expected arrays of static dimensions");
        if (from != like->dimensions[d] || to != op->results[0].type->dimensions[d]
            || (d == self->dimension ? to > from : to != from))
          return fail (problem, "expected arrays of the same shape, and results that differ only in dimension %u and"
                       " are not larger there", self->dimension);
      }

  return TRUE;
}

gboolean
ghlo_ir_approx_top_k_read (GhloIrApproxTopK  *self,
                           const GhloIrOp    *op,
                           char             **problem)
{
  *self = (GhloIrApproxTopK) { .n = op->n_results };
  if (op->n_results == 0 || op->n_operands != 2 * op->n_results)
    return fail (problem, "expected an array and an initial value for each result, found %u operands and %u results",
                 op->n_operands, op->n_results);

  return check_shapes (self, op, problem) && find_comparator (self, op, problem);
}
