/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Integers in a counted loop as affine functions of the coordinate of its axis, and stacks: arrays of which each
 * iteration writes the part at the position that such an integer gives.
 */

#include "kernel/lower/lowering.h"

#include "ir/loop.h"

enum { MAX_AFFINE_DEPTH = 16 };         /* of operations */

static void
find_range (const GhloLowerLoop *loop,
            const GhloAffine    *affine,
            gint64              *least,
            gint64              *most)
{
  gint64 last = affine->offset + affine->strides[GHLO_LOWER_LOOP_AXIS] * (loop->trips - 1);

  *least = MIN (affine->offset, last);
  *most = MAX (affine->offset, last);
}

/* Returns whether @affine is within the range of @type in all iterations, so that no operation on it wraps. */
static gboolean
fits_type (const GhloLowerLoop *loop,
           const GhloAffine    *affine,
           GhloElementType      type)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  const gboolean is_signed = info->element_class == GHLO_ELEMENT_CLASS_SIGNED;
  const gint64 limit = (gint64) 1 << MIN (info->bits - is_signed, 31);
  gint64 last, stride = affine->strides[GHLO_LOWER_LOOP_AXIS];

  if (__builtin_mul_overflow (stride, loop->trips - 1, &last) || __builtin_add_overflow (last, affine->offset, &last))
    return FALSE;

  return MIN (affine->offset, last) >= (is_signed ? -limit : 0) && MAX (affine->offset, last) < limit;
}

static gboolean find_affine (const GhloLowerLoop *loop,
                             const GhloIrValue   *value,
                             guint                depth,
                             GhloAffine          *affine);

static gboolean
combine_affines (const GhloIrOp   *op,
                 const GhloAffine *a,
                 const GhloAffine *b,
                 GhloAffine       *affine)
{
  const gint64 *x = &a->strides[GHLO_LOWER_LOOP_AXIS], *y = &b->strides[GHLO_LOWER_LOOP_AXIS];
  gint64 *stride = &affine->strides[GHLO_LOWER_LOOP_AXIS];

  if (op->kind == GHLO_OP_STABLEHLO_ADD)
    return !__builtin_add_overflow (a->offset, b->offset, &affine->offset) && !__builtin_add_overflow (*x, *y, stride);
  if (op->kind == GHLO_OP_STABLEHLO_SUBTRACT)
    return !__builtin_sub_overflow (a->offset, b->offset, &affine->offset) && !__builtin_sub_overflow (*x, *y, stride);
  if (*x != 0 && *y != 0)
    return FALSE;

  return !__builtin_mul_overflow (a->offset, b->offset, &affine->offset)
         && !__builtin_mul_overflow (*x != 0 ? *x : *y, *x != 0 ? b->offset : a->offset, stride);
}

static gboolean
find_op_affine (const GhloLowerLoop *loop,
                const GhloIrOp      *op,
                guint                depth,
                GhloAffine          *affine)
{
  GhloAffine a = { 0 }, b = { 0 };

  switch (op->kind)
    {
    case GHLO_OP_STABLEHLO_CONVERT:
    case GHLO_OP_STABLEHLO_RESHAPE:
      return find_affine (loop, ghlo_ir_op_operand (op, 0), depth, affine);
    case GHLO_OP_STABLEHLO_ADD:
    case GHLO_OP_STABLEHLO_SUBTRACT:
    case GHLO_OP_STABLEHLO_MULTIPLY:
      return find_affine (loop, ghlo_ir_op_operand (op, 0), depth, &a)
             && find_affine (loop, ghlo_ir_op_operand (op, 1), depth, &b) && combine_affines (op, &a, &b, affine);
    default:
      return FALSE;
    }
}

/* Finds the integer @value, which has one element, as an affine function of the iteration. */
static gboolean
find_affine (const GhloLowerLoop *loop,
             const GhloIrValue   *value,
             guint                depth,
             GhloAffine          *affine)
{
  *affine = (GhloAffine) { 0 };
  if (depth == MAX_AFFINE_DEPTH || loop->condition != NULL || value->type->kind != GHLO_IR_TYPE_TENSOR
      || !ghlo_element_type_is_integer (value->type->element_type))
    return FALSE;
  if (value->op == NULL && value->block == loop->body)
    {
      const GhloLowerCarried *carried = &loop->carried[value->index];

      if (carried->kind == GHLO_CARRIED_INVARIANT)
        return ghlo_ir_value_get_constant (carried->first, &affine->offset);
      if (carried->kind != GHLO_CARRIED_COUNTER)
        return FALSE;
      affine->offset = loop->start;
      affine->strides[GHLO_LOWER_LOOP_AXIS] = loop->step;
    }
  else if (!ghlo_ir_value_get_constant (value, &affine->offset)
           && (value->op == NULL || !find_op_affine (loop, value->op, depth + 1, affine)))
    return FALSE;

  return fits_type (loop, affine, value->type->element_type);
}

gboolean
ghlo_lower_slice_start (const GhloLowerLoop *loop,
                        const GhloIrValue   *start,
                        gint64               end,
                        GhloAffine          *affine)
{
  gint64 least, most;

  if (!find_affine (loop, start, 0, affine))
    return FALSE;
  find_range (loop, affine, &least, &most);

  return least >= 0 && most < end;
}

/* Stacks */

/* Finds where the part that @op writes begins, for each dimension. Returns FALSE unless the parts of all iterations are
 * known to cover the whole array, each element once. */
static gboolean
find_stack (const GhloLowerLoop *loop,
            const GhloIrOp      *op,
            GhloAffine          *starts)
{
  const GhloIrType *type = op->results[0].type, *part = ghlo_ir_op_operand (op, 1)->type;
  guint n_moving = 0;

  if (type->rank > GHLO_LOWER_MAX_RANK || type->rank != part->rank || op->n_operands != 2 + type->rank)
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    {
      starts[i] = (GhloAffine) { 0 };
      if (part->dimensions[i] == type->dimensions[i])
        continue;
      /* One position per iteration. */
      if (part->dimensions[i] != 1 || type->dimensions[i] != loop->trips
          || !ghlo_lower_slice_start (loop, ghlo_ir_op_operand (op, 2 + i), loop->trips, &starts[i])
          || starts[i].strides[GHLO_LOWER_LOOP_AXIS] == 0)
        return FALSE;
      n_moving++;
    }

  return n_moving == 1;
}

gboolean
ghlo_lower_stack_index (GhloLowering    *self,
                        const GhloIrOp  *op,
                        const GhloIndex *update,
                        GhloIndex       *index)
{
  GhloAffine starts[GHLO_LOWER_MAX_RANK];

  if (!find_stack (self->loop, op, starts))
    return FALSE;
  *index = *update;
  for (guint i = 0; i < index->rank; i++)
    index->dimensions[i] = ghlo_lower_add_affine (self, index->dimensions[i], &starts[i], 1);

  return TRUE;
}

gboolean
ghlo_lower_is_used_by (const GhloIrValue *value,
                       const GhloIrOp    *user)
{
  return ghlo_ir_value_has_one_use (value) && value->uses->op == user;
}

gboolean
ghlo_lower_is_stack (const GhloLowerLoop *loop,
                     guint                number)
{
  const GhloIrValue *next = loop->carried[number].next, *argument = loop->body->arguments[number];
  GhloAffine starts[GHLO_LOWER_MAX_RANK];

  return loop->condition == NULL && next->op != NULL && next->op->kind == GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE
         && next->op->block == loop->body && ghlo_ir_op_operand (next->op, 0) == argument
         && ghlo_lower_is_used_by (argument, next->op) && ghlo_lower_is_used_by (next, loop->body->last)
         && find_stack (loop, next->op, starts);
}
