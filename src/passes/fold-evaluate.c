/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decides which operations are evaluated at compile time and how much work that may be, and evaluates them. An
 * elementwise operation on splats is evaluated on one element.
 */

#include "passes/fold.h"

#include "base/ghlo-error.h"
#include "passes/constant.h"
#include "passes/effects.h"
#include "passes/rewrite.h"
#include "passes/walk.h"

enum
{
  MAX_ELEMENTS = 64 * 1024,             /* of any operand or result */
  MAX_PRODUCTS = 1024 * 1024,           /* multiplications of a dot_general */
  MAX_EVALUATED = 16 * 1024 * 1024,     /* elements and multiplications in a run of the passes */
  MAX_BODY = 64,                        /* operations in a region */
};

/* The number of elements that are summed for each element of a product. */
static gsize
contraction (const GhloIrOp *op)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dot_dimension_numbers");
  const GhloIrType *lhs = ghlo_ir_op_operand (op, 0)->type;
  gsize n, depth = 1;
  const gint64 *dimensions = ghlo_ir_struct_get_dims (numbers, "lhs_contracting_dimensions", &n);

  for (gsize i = 0; i < n; i++)
    if (!ghlo_size_mul (&depth, depth, (gsize) lhs->dimensions[dimensions[i]]))
      return G_MAXSIZE;

  return depth;
}

static const GhloIrOpKind foldable[] = {
  GHLO_OP_STABLEHLO_BITCAST_CONVERT, GHLO_OP_STABLEHLO_BROADCAST_IN_DIM, GHLO_OP_STABLEHLO_CONCATENATE,
  GHLO_OP_STABLEHLO_DOT_GENERAL, GHLO_OP_STABLEHLO_DYNAMIC_SLICE, GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE,
  GHLO_OP_STABLEHLO_GATHER, GHLO_OP_STABLEHLO_PAD, GHLO_OP_STABLEHLO_REDUCE, GHLO_OP_STABLEHLO_RESHAPE,
  GHLO_OP_STABLEHLO_REVERSE, GHLO_OP_STABLEHLO_SLICE, GHLO_OP_STABLEHLO_TRANSPOSE,
};

static gboolean
is_foldable (const GhloIrOp *op)
{
  if (ghlo_pass_is_elementwise (op))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (foldable); i++)
    if (foldable[i] == op->kind)
      return op->n_regions == 0 || (ghlo_pass_is_pure (op, NULL) && ghlo_pass_is_closed (op)
                                    && ghlo_pass_count_block (op->regions[0].first) <= MAX_BODY);

  return FALSE;
}

/* Gets the work in elements and multiplications; FALSE when it exceeds a limit. */
static gboolean
measure (const GhloIrOp *op,
         gsize          *work)
{
  gsize n_results = 0;

  *work = 1;
  for (guint i = 0; i < op->n_operands; i++)
    {
      gsize n = ghlo_type_count (ghlo_ir_op_operand (op, i)->type);

      if (n > MAX_ELEMENTS)
        return FALSE;
      *work += n;
    }
  for (guint i = 0; i < op->n_results; i++)
    {
      n_results = ghlo_type_count (op->results[i].type);
      if (n_results > MAX_ELEMENTS)
        return FALSE;
      *work += n_results;
    }
  if (op->kind == GHLO_OP_STABLEHLO_DOT_GENERAL)
    return ghlo_size_mul (work, n_results, contraction (op)) && *work <= MAX_PRODUCTS;

  return TRUE;
}

static gboolean
run_evaluator (GhloFolding             *self,
               const GhloIrOp          *op,
               const GhloIrAttr *const *operands,
               gsize                    work,
               GPtrArray               *results,
               GError                 **error)
{
  const GhloPassEvaluator *evaluator = &self->context->options->evaluator;
  g_autoptr (GError) cause = NULL;

  if (self->context->n_evaluated + work > MAX_EVALUATED)
    return FALSE;
  self->context->n_evaluated += work;
  if (!evaluator->evaluate (evaluator->data, self->module, op, operands, results, &cause))
    {
      if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  if (results->len != op->n_results)
    return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (((const GhloIrAttr *) g_ptr_array_index (results, i))->type != op->results[i].type)
      return FALSE;

  return TRUE;
}

static const GhloIrType *
scalar_type (GhloFolding     *self,
             GhloElementType  element_type)
{
  return ghlo_ir_type_tensor (self->module, ghlo_ir_type_element (self->module, element_type), NULL, 0, NULL, NULL);
}

/* The operation on scalars. Neither it nor the constants that are its operands are in a block. @elements gets the
 * operands' values. */
static GhloIrOp *
make_scalar_op (GhloFolding             *self,
                const GhloIrOp          *op,
                const GhloIrAttr *const *operands,
                const GhloIrAttr       **elements)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  g_autofree GhloIrValue **values = g_new (GhloIrValue *, op->n_operands + 1);
  g_autofree GhloIrNamedAttr *attributes = g_new (GhloIrNamedAttr, spec->n_attributes + 1);
  const GhloIrType *type = scalar_type (self, op->results[0].type->element_type);
  GhloIrOpState state = { .kind = op->kind, .operands = values, .n_operands = op->n_operands, .result_types = &type,
                          .n_results = 1, .attributes = attributes, .line = op->line, .column = op->column };

  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloIrType *operand = scalar_type (self, operands[i]->type->element_type);

      elements[i] = ghlo_make_dense_splat (self->module, operand, ghlo_ir_dense_get (operands[i], 0));
      values[i] = &ghlo_ir_op_new (self->module, &(GhloIrOpState) {
        .kind = GHLO_OP_STABLEHLO_CONSTANT, .result_types = &operand, .n_results = 1,
      })->results[0];
    }
  for (guint i = 0; i < spec->n_attributes; i++)
    if (op->attributes[i] != NULL)
      attributes[state.n_attributes++] = (GhloIrNamedAttr) { spec->attributes[i].name, op->attributes[i] };

  return ghlo_ir_op_new (self->module, &state);
}

static gboolean
all_splats (const GhloIrOp          *op,
            const GhloIrAttr *const *operands)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (operands[i]->dense.n_elements == 0 || (!operands[i]->dense.splat && operands[i]->dense.n_elements > 1))
      return FALSE;

  return TRUE;
}

/* The result of splats is a splat: evaluates one element. */
static gboolean
evaluate_splats (GhloFolding             *self,
                 const GhloIrOp          *op,
                 const GhloIrAttr *const *operands,
                 GPtrArray               *results,
                 GError                 **error)
{
  g_autofree const GhloIrAttr **elements = g_new (const GhloIrAttr *, op->n_operands + 1);
  GhloIrOp *scalar = make_scalar_op (self, op, operands, elements);
  gboolean ok = run_evaluator (self, scalar, elements, 1, results, error);

  ghlo_ir_op_remove (scalar);
  if (ok)
    results->pdata[0] = (gpointer) ghlo_make_dense_splat (self->module, op->results[0].type,
                                                          ghlo_ir_dense_get (g_ptr_array_index (results, 0), 0));

  return ok;
}

gboolean
ghlo_fold_evaluate (GhloFolding             *self,
                    const GhloIrOp          *op,
                    const GhloIrAttr *const *operands,
                    GPtrArray               *results,
                    GError                 **error)
{
  gsize work;

  if (self->context->options->evaluator.evaluate == NULL || !is_foldable (op))
    return FALSE;
  if (ghlo_pass_is_elementwise (op) && all_splats (op, operands) && ghlo_type_count (op->results[0].type) > 1)
    return evaluate_splats (self, op, operands, results, error);

  return measure (op, &work) && run_evaluator (self, op, operands, work, results, error);
}
