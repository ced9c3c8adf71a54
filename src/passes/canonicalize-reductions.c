/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rules about operations that run a region for each element. A reduction over one element is the region applied to the
 * initial value and the element; a reduction over none is the initial value; map is the region itself. The region is
 * expanded into operations on whole tensors where its operations are elementwise.
 */

#include "passes/canonicalize.h"

#include "passes/constant.h"
#include "passes/effects.h"
#include "passes/shapes.h"
#include "passes/walk.h"

/* A region with more operations is not expanded. */
enum { MAX_BODY = 64 };

/* Whether @op does to tensors, element by element, what it does to scalars. */
static gboolean
can_spread (const GhloIrOp *op)
{
  if (op->n_results != 1 || op->n_regions != 0 || op->results[0].type->rank != 0
      || !ghlo_type_is_plain (op->results[0].type))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    if (!ghlo_type_is_plain (ghlo_ir_op_operand (op, i)->type) || ghlo_ir_op_operand (op, i)->type->rank != 0)
      return FALSE;
  if (op->kind == GHLO_OP_STABLEHLO_CONSTANT)
    return ghlo_value_get_dense (&op->results[0]) != NULL;

  return ghlo_pass_is_elementwise (op);
}

static gboolean
can_spread_block (const GhloIrBlock *block)
{
  const GhloIrOp *terminator = block != NULL ? ghlo_pass_terminator (block) : NULL;
  guint n = 0;

  if (terminator == NULL)
    return FALSE;
  for (const GhloIrOp *op = block->first; op != terminator; op = op->next)
    if (++n > MAX_BODY || !can_spread (op))
      return FALSE;

  return TRUE;
}

/* The tensor of the shape of @shape that stands for the scalar @value: a result in @made, an argument, or the broadcast
 * of a scalar from outside the block. */
static GhloIrValue *
spread_value (GhloRewriter       *self,
              const GhloIrBlock  *block,
              GhloIrValue        *value,
              GhloIrValue *const *arguments,
              GHashTable         *made,
              const GhloIrType   *shape)
{
  if (value->op == NULL && value->block == block)
    return arguments[value->index];
  if (value->op != NULL && value->op->block == block)
    return g_hash_table_lookup (made, value);

  return ghlo_make_broadcast (self, value, NULL, ghlo_make_type_of (self, value->type->element_type, shape));
}

/* Expands @block into operations on tensors of @shape, with @arguments for its arguments; puts what it returns
 * into @results. */
static void
spread_block (GhloRewriter       *self,
              const GhloIrBlock  *block,
              GhloIrValue *const *arguments,
              const GhloIrType   *shape,
              GhloIrValue       **results)
{
  const GhloIrOp *terminator = ghlo_pass_terminator (block);
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL);

  for (GhloIrOp *op = block->first; op != terminator; op = op->next)
    {
      const GhloIrType *type = ghlo_make_type_of (self, op->results[0].type->element_type, shape);
      g_autofree GhloIrValue **operands = g_new (GhloIrValue *, op->n_operands + 1);
      GhloIrValue *result;

      for (guint i = 0; i < op->n_operands; i++)
        operands[i] = spread_value (self, block, ghlo_ir_op_operand (op, i), arguments, made, shape);
      if (op->kind == GHLO_OP_STABLEHLO_CONSTANT)
        result = ghlo_make_splat (self, type, ghlo_ir_dense_get (ghlo_value_get_dense (&op->results[0]), 0));
      else
        result = ghlo_make_like (self, op, operands, type);
      g_hash_table_insert (made, &op->results[0], result);
    }
  for (guint i = 0; i < terminator->n_operands; i++)
    results[i] = spread_value (self, block, ghlo_ir_op_operand (terminator, i), arguments, made, shape);
}

static gboolean
is_plain_throughout (const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (!ghlo_type_is_plain (ghlo_ir_op_operand (op, i)->type))
      return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (!ghlo_type_is_plain (op->results[i].type))
      return FALSE;

  return op->n_results > 0;
}

/* Whether the region's arguments and returned values are scalars with the element types of the operands and results. */
static gboolean
block_fits (const GhloIrOp    *op,
            const GhloIrBlock *block,
            guint              n_arguments)
{
  const GhloIrOp *terminator = ghlo_pass_terminator (block);

  if (block->n_arguments != n_arguments || terminator->n_operands != op->n_results)
    return FALSE;
  for (guint i = 0; i < n_arguments; i++)
    if (block->arguments[i]->type->element_type != ghlo_ir_op_operand (op, i % op->n_operands)->type->element_type
        || block->arguments[i]->type->rank != 0)
      return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (ghlo_ir_op_operand (terminator, i)->type->element_type != op->results[i].type->element_type
        || ghlo_ir_op_operand (terminator, i)->type->rank != 0)
      return FALSE;

  return TRUE;
}

/* body (initial value, element): each element is reduced by itself. */
static gboolean
reduce_single (GhloRewriter *self,
               GhloIrOp     *op)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);
  const GhloIrType *shape = op->results[0].type;
  g_autofree GhloIrValue **arguments = g_new (GhloIrValue *, op->n_operands + 1);
  g_autofree GhloIrValue **results = g_new (GhloIrValue *, op->n_results + 1);
  guint n = op->n_results;

  if (op->n_operands != 2 * n || !can_spread_block (block) || !block_fits (op, block, 2 * n))
    return FALSE;
  /* Bodies may compute in a wider type than the inputs'; such bodies are not expanded. */
  for (guint i = 0; i < n; i++)
    if (ghlo_ir_op_operand (op, i)->type->element_type != op->results[i].type->element_type
        || ghlo_ir_op_operand (op, n + i)->type->element_type != op->results[i].type->element_type)
      return FALSE;
  for (guint i = 0; i < n; i++)
    {
      GhloIrValue *input = ghlo_ir_op_operand (op, i), *initial = ghlo_ir_op_operand (op, n + i);

      arguments[i] = ghlo_make_broadcast (self, initial, NULL,
                                          ghlo_make_type_of (self, initial->type->element_type, shape));
      arguments[n + i] = ghlo_make_reshape (self, input, ghlo_make_type_of (self, input->type->element_type, shape));
    }
  spread_block (self, block, arguments, shape, results);

  return ghlo_rewrite_replace_all (self, op, results);
}

/* A reduction over nothing: every result is its initial value. */
static gboolean
reduce_none (GhloRewriter *self,
             GhloIrOp     *op)
{
  g_autofree GhloIrValue **results = g_new (GhloIrValue *, op->n_results + 1);

  for (guint i = 0; i < op->n_results; i++)
    if (ghlo_ir_op_operand (op, op->n_results + i)->type->rank != 0
        || ghlo_ir_op_operand (op, op->n_results + i)->type->element_type != op->results[i].type->element_type)
      return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    results[i] = ghlo_make_broadcast (self, ghlo_ir_op_operand (op, op->n_results + i), NULL, op->results[i].type);

  return ghlo_rewrite_replace_all (self, op, results);
}

static gboolean
reduce_little (GhloRewriter *self,
               GhloIrOp     *op)
{
  const GhloIrType *input = op->n_operands > 0 ? ghlo_ir_op_operand (op, 0)->type : NULL;
  gint64 length = 1;
  const gint64 *dimensions;
  gsize n;

  if (input == NULL || op->n_operands != 2 * op->n_results || !is_plain_throughout (op))
    return FALSE;
  dimensions = ghlo_ir_op_get_ints (op, "dimensions", &n);
  for (gsize i = 0; i < n; i++)
    length = MIN (input->dimensions[dimensions[i]], 2) * MIN (length, 2);
  if (length == 0)
    return reduce_none (self, op);

  return length == 1 && reduce_single (self, op);
}

/* Windows of one element, without padding, strides or base dilation. */
static gboolean
reduce_window_of_one (GhloRewriter *self,
                      GhloIrOp     *op)
{
  if (!is_plain_throughout (op) || ghlo_ir_op_operand (op, 0)->type->rank != op->results[0].type->rank
      || !ghlo_ir_op_ints_are (op, "window_dimensions", 1) || !ghlo_ir_op_ints_are (op, "window_strides", 1)
      || !ghlo_ir_op_ints_are (op, "base_dilations", 1) || !ghlo_ir_op_ints_are (op, "padding", 0))
    return FALSE;

  return reduce_single (self, op);
}

/* map: a computation on each element becomes one on tensors. */
static gboolean
map_elementwise (GhloRewriter *self,
                 GhloIrOp     *op)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);
  g_autofree GhloIrValue **arguments = g_new (GhloIrValue *, op->n_operands + 1);
  GhloIrValue *result = NULL;

  if (op->n_operands == 0 || !is_plain_throughout (op) || !can_spread_block (block)
      || !block_fits (op, block, op->n_operands))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    {
      arguments[i] = ghlo_ir_op_operand (op, i);
      if (ghlo_type_count (arguments[i]->type) != ghlo_type_count (op->results[0].type))
        return FALSE;
    }
  spread_block (self, block, arguments, op->results[0].type, &result);

  return ghlo_rewrite_replace (self, op, result);
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_REDUCE, reduce_little },
  { GHLO_OP_STABLEHLO_REDUCE_WINDOW, reduce_window_of_one },
  { GHLO_OP_STABLEHLO_MAP, map_elementwise },
};

const GhloRuleGroup ghlo_canonicalize_reductions = { rows, G_N_ELEMENTS (rows) };
