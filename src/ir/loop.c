/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recognises counted loops. Only the form "while (counter < end) counter += step" is supported.
 */

#include "ir/loop.h"

#include "base/element.h"

/* How many shape-only operations are followed to find a constant. */
enum { MAX_STEPS = 8 };

gboolean
ghlo_ir_value_get_constant (const GhloIrValue *value,
                            gint64            *number)
{
  for (guint i = 0; i < MAX_STEPS && value->op != NULL; i++)
    {
      const GhloIrOp *op = value->op;
      const GhloIrAttr *attr;

      switch (op->kind)
        {
        case GHLO_OP_STABLEHLO_CONSTANT:
          attr = ghlo_ir_op_get (op, "value");
          if (attr == NULL || attr->kind != GHLO_IR_ATTR_DENSE || attr->dense.n_elements == 0
              || (!attr->dense.splat && attr->dense.n_elements != 1)
              || !ghlo_element_type_is_integer (attr->type->element_type))
            return FALSE;
          *number = ghlo_ir_dense_get (attr, 0).i;
          /* A 64-bit unsigned number may not fit in gint64. */
          return *number >= 0
                 || ghlo_element_info (attr->type->element_type)->element_class == GHLO_ELEMENT_CLASS_SIGNED;
        case GHLO_OP_STABLEHLO_BROADCAST_IN_DIM:
        case GHLO_OP_STABLEHLO_RESHAPE:
          value = ghlo_ir_op_operand (op, 0);
          break;
        default:
          return FALSE;
        }
    }

  return FALSE;
}

/* Reads the constant that a value in the condition or the body has.
 * Argument number i of @block corresponds to the loop's operand i. */
static gboolean
get_constant_in (const GhloIrOp    *loop,
                 const GhloIrBlock *block,
                 const GhloIrValue *value,
                 gint64            *number)
{
  const GhloIrBlock *body = ghlo_ir_op_region_block (loop, 1);
  const GhloIrValue *next;

  if (value->op != NULL || value->block != block)
    return ghlo_ir_value_get_constant (value, number);
  /* A carried value that the body returns unchanged keeps its initial value. */
  next = ghlo_ir_op_operand (body->last, value->index);
  if (next->op != NULL || next->block != body || next->index != value->index)
    return FALSE;

  return ghlo_ir_value_get_constant (ghlo_ir_op_operand (loop, value->index), number);
}

/* Finds the step if the body's result @index is its argument @index plus a constant. */
static gboolean
find_step (const GhloIrOp *loop,
           guint           index,
           gint64         *step)
{
  const GhloIrBlock *body = ghlo_ir_op_region_block (loop, 1);
  const GhloIrOp *add = ghlo_ir_op_operand (body->last, index)->op;

  if (add == NULL || add->kind != GHLO_OP_STABLEHLO_ADD)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    {
      const GhloIrValue *value = ghlo_ir_op_operand (add, i);

      if (value->op == NULL && value->block == body && value->index == index)
        return get_constant_in (loop, body, ghlo_ir_op_operand (add, 1 - i), step) && *step != 0;
    }

  return FALSE;
}

/* Whether the loop runs while "counter DIRECTION end" holds and counts up to @end with the step found. */
static gboolean
find_end (const GhloIrOp    *loop,
          GhloIrCountedLoop *counted)
{
  const GhloIrBlock *condition = ghlo_ir_op_region_block (loop, 0);
  const GhloIrOp *compare = condition->last->n_operands == 1 ? ghlo_ir_op_operand (condition->last, 0)->op : NULL;
  const GhloIrAttr *direction;
  const GhloIrValue *counter;

  if (compare == NULL || compare->kind != GHLO_OP_STABLEHLO_COMPARE)
    return FALSE;
  direction = ghlo_ir_op_get (compare, "comparison_direction");
  counter = ghlo_ir_op_operand (compare, 0);
  if (direction == NULL || counter->op != NULL || counter->block != condition
      || counter->type->kind != GHLO_IR_TYPE_TENSOR || counter->type->rank != 0
      || !ghlo_element_type_is_integer (counter->type->element_type)
      || !get_constant_in (loop, condition, ghlo_ir_op_operand (compare, 1), &counted->end)
      || !find_step (loop, counter->index, &counted->step))
    return FALSE;
  counted->counter = counter->index;
  if (g_str_equal (ghlo_ir_enum_word (direction), "LE") && counted->end < G_MAXINT32)
    counted->end++;
  else if (!g_str_equal (ghlo_ir_enum_word (direction), "LT"))
    return FALSE;

  return counted->step > 0;
}

/* The largest value that a counter of this integer type may have. */
static gint64
largest (GhloElementType type)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  guint bits = info->bits - (info->element_class == GHLO_ELEMENT_CLASS_SIGNED ? 1 : 0);

  return bits >= 63 ? G_MAXINT64 : ((gint64) 1 << bits) - 1;
}

gboolean
ghlo_ir_counted_loop (const GhloIrOp    *loop,
                      GhloIrCountedLoop *counted)
{
  const GhloIrValue *start;
  gint64 span;

  if (loop->kind != GHLO_OP_STABLEHLO_WHILE || ghlo_ir_op_region_block (loop, 0) == NULL
      || ghlo_ir_op_region_block (loop, 1) == NULL || !find_end (loop, counted))
    return FALSE;

  start = ghlo_ir_op_operand (loop, counted->counter);
  /* One step beyond the end must not overflow, or the loop would not terminate. */
  if (counted->end > largest (start->type->element_type) - counted->step)
    return FALSE;
  counted->start_known = ghlo_ir_value_get_constant (start, &counted->start);
  counted->trips = -1;
  if (!counted->start_known)
    return TRUE;
  if (counted->start >= counted->end)
    counted->trips = 0;
  else if (__builtin_sub_overflow (counted->end, counted->start, &span))
    return FALSE;
  else
    counted->trips = (span - 1) / counted->step + 1;

  return TRUE;
}

gboolean
ghlo_ir_counts_only (const GhloIrOp *op)
{
  const GhloIrOp *end = op->n_results == 1 && ghlo_ir_value_has_one_use (&op->results[0]) ? op->results[0].uses->op
                                                                                          : NULL;
  const GhloIrOp *loop = end != NULL && end->block->region != NULL ? end->block->region->op : NULL;
  GhloIrCountedLoop counted;
  const GhloIrBlock *body;

  if (loop == NULL || loop->kind != GHLO_OP_STABLEHLO_WHILE || end->next != NULL
      || !ghlo_ir_counted_loop (loop, &counted) || !counted.start_known)
    return FALSE;
  body = ghlo_ir_op_region_block (loop, 1);

  return end == body->last && ghlo_ir_op_operand (end, counted.counter)->op == op
         && loop->results[counted.counter].uses == NULL && ghlo_ir_value_has_one_use (body->arguments[counted.counter])
         && body->arguments[counted.counter]->uses->op == op;
}
