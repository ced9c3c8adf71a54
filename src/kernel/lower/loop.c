/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values in a loop that becomes a kernel. A counted loop has an axis for its iterations, and its counter is a form of
 * that axis' coordinate, so slices at the counter are read by plain accesses. An array of which each iteration writes
 * one part, and none reads any (a scan's output), is written to the result directly. An array of which iterations read
 * and write single elements stays in the result, which begins with its initial elements. All other values that change
 * between iterations are temporaries, with one element or with one for each point.
 */

#include "kernel/lower/lowering.h"

#include "base/bits.h"
#include "ir/loop.h"

enum { MAX_CARRIED = 64 };

/* What is carried */

const GhloIrOp *
ghlo_lower_find_loop (const GhloKernelGroup *group)
{
  if (group->body == NULL)
    return group->op->kind == GHLO_OP_STABLEHLO_WHILE ? group->op : NULL;
  for (const GhloIrOp *op = group->body->first; op != group->body->last; op = op->next)
    if (op->kind == GHLO_OP_STABLEHLO_WHILE)
      return op;

  return NULL;
}

static const char *
count (GhloLowerLoop  *loop,
       const GhloIrOp *op)
{
  GhloIrCountedLoop counted;

  loop->condition = ghlo_ir_op_region_block (op, 0);
  if (!ghlo_ir_counted_loop (op, &counted) || !counted.start_known)
    return NULL;
  if (counted.trips < 1)
    return "it has no iterations";
  loop->condition = NULL;
  loop->start = counted.start;
  loop->step = counted.step;
  loop->trips = counted.trips;
  loop->carried[counted.counter].kind = GHLO_CARRIED_COUNTER;

  return NULL;
}

static const char *
read_carried (GhloLowerLoop *loop,
              guint          number)
{
  GhloLowerCarried *carried = &loop->carried[number];

  *carried = (GhloLowerCarried) {
    .kind = GHLO_CARRIED_TEMPORARY, .first = ghlo_ir_op_operand (loop->op, number),
    .next = ghlo_ir_op_operand (loop->body->last, number), .type = loop->op->results[number].type,
  };
  if (!ghlo_ir_type_has_static_shape (carried->type) || carried->type->kind != GHLO_IR_TYPE_TENSOR
      || carried->type->quantization != NULL || carried->first->type != carried->type
      || ghlo_lower_stored (carried->type->element_type) == GHLO_ELEMENT_TYPE_INVALID)
    return "kernels do not support the type of a value that it carries";
  carried->is_row = TRUE;
  for (guint i = 0; i < carried->type->rank; i++)
    carried->is_row = carried->is_row && carried->type->dimensions[i] == 1;
  if (carried->next->op == NULL && carried->next == loop->body->arguments[number])
    carried->kind = GHLO_CARRIED_INVARIANT;

  return NULL;
}

const char *
ghlo_lower_read_loop (GhloLowerLoop  *loop,
                      const GhloIrOp *op)
{
  const char *reason = NULL;

  *loop = (GhloLowerLoop) { .op = op, .body = ghlo_ir_op_region_block (op, 1), .n_carried = op->n_operands };
  if (loop->body == NULL || ghlo_ir_op_region_block (op, 0) == NULL || op->n_operands != op->n_results
      || loop->n_carried > MAX_CARRIED)
    return "it carries too many values";
  loop->carried = g_new0 (GhloLowerCarried, loop->n_carried + 1);
  for (guint i = 0; i < loop->n_carried && reason == NULL; i++)
    reason = read_carried (loop, i);
  if (reason == NULL)
    reason = count (loop, op);
  for (guint i = 0; i < loop->n_carried && reason == NULL; i++)
    if (loop->carried[i].kind == GHLO_CARRIED_TEMPORARY && ghlo_lower_is_stack (loop, i))
      loop->carried[i].kind = GHLO_CARRIED_STACK;

  return reason;
}

guint
ghlo_lower_list_updates (const GhloLowerLoop *loop,
                         guint                number,
                         const GhloIrOp     **updates)
{
  const GhloIrValue *value = loop->carried[number].next;
  const GhloIrOp *user = loop->body->last;
  guint n = 0;

  while (value->op != NULL && value->op->kind == GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE
         && value->op->block == loop->body && ghlo_lower_is_used_by (value, user) && n < GHLO_LOWER_MAX_UPDATES
         && ghlo_ir_type_count_elements (ghlo_ir_op_operand (value->op, 1)->type) == 1)
    {
      user = updates[n++] = value->op;
      value = ghlo_ir_op_operand (user, 0);
    }

  return value == loop->body->arguments[number] ? n : 0;
}

/* Values at an index */

static guint32
count_of (GhloLowering      *self,
          const GhloIrValue *value)
{
  const GhloLowerLoop *loop = self->loop;
  GhloElementType type = ghlo_lower_type (value->type->element_type);
  GhloAffine affine = { .offset = loop->start };

  if (value->op == NULL)
    {
      affine.strides[GHLO_LOWER_LOOP_AXIS] = loop->step;
      return ghlo_lower_coordinate (self, type, ghlo_lower_affine (self, &affine));
    }

  return ghlo_lower_constant (self, type, (guint64) (loop->start + loop->step * loop->trips)
                                          & ghlo_low_bits (ghlo_element_info (type)->bits));
}

static guint32
temporary_value (GhloLowering      *self,
                 const GhloIrValue *value,
                 const GhloIndex   *index)
{
  const GhloLowerCarried *carried = &self->loop->carried[value->index];
  GhloElementType type = carried->type->element_type;
  GhloIndex own;

  if (!carried->is_row
      && (!ghlo_lower_identity (self, carried->type, FALSE, &own) || !ghlo_lower_same_element (&own, index)))
    return ghlo_lower_refuse (self, "it reads a carried value at another index than the current one");

  return ghlo_lower_decode (self, type, ghlo_lower_carried_expr (self, ghlo_lower_stored (type), value->index,
                                                                 index->part, carried->is_row));
}

static guint32
array_element (GhloLowering      *self,
               const GhloIrValue *value,
               const GhloIndex   *index)
{
  const guint buffer = self->group->n_operands + self->loop->carried[value->index].result;
  const guint32 expr = value->op != NULL ? GHLO_LOWER_NONE
                                         : ghlo_lower_load_value (self, value, buffer, index, GHLO_LOWER_NONE);

  if (expr == GHLO_LOWER_NONE || !ghlo_expr (self, expr)->is_row)
    return ghlo_lower_refuse (self, "it reads several elements of an array that it updates");

  return expr;
}

guint32
ghlo_lower_carried (GhloLowering      *self,
                    const GhloIrValue *value,
                    const GhloIndex   *index)
{
  const GhloLowerLoop *loop = self->loop;

  if (value->op == NULL && value->block != loop->body && value->block != loop->condition)
    return ghlo_lower_refuse (self, "it uses a value from outside of the group");
  switch (loop->carried[value->index].kind)
    {
    case GHLO_CARRIED_INVARIANT:
      return ghlo_lower_value (self, loop->carried[value->index].first, index);
    case GHLO_CARRIED_COUNTER:
      return count_of (self, value);
    case GHLO_CARRIED_TEMPORARY:
      return temporary_value (self, value, index);
    case GHLO_CARRIED_ARRAY:
      return array_element (self, value, index);
    case GHLO_CARRIED_STACK:
    default:
      return ghlo_lower_refuse (self, "its body reads an array into which it stacks values");
    }
}
