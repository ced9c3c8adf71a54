/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A value with one use is in nothing but that use, so that whatever else the user takes
 * cannot depend on it.
 */

#include "ir/followers.h"

enum { MAX_OPERANDS = 3 };

static gboolean
can_be_followed (const GhloIrOp *op)
{
  switch (op->kind)
    {
    case GHLO_OP_STABLEHLO_CONVOLUTION:
    case GHLO_OP_STABLEHLO_DOT:
    case GHLO_OP_STABLEHLO_DOT_GENERAL:
      return ghlo_ir_type_has_static_shape (op->results[0].type);
    default:
      return FALSE;
    }
}

/* The only use of @value, in @block; else NULL. */
static const GhloIrUse *
find_only_use (const GhloIrValue *value,
               const GhloIrBlock *block)
{
  const GhloIrUse *use = value->uses;

  return use != NULL && use->next == NULL && use->op->block == block ? use : NULL;
}

static gboolean
can_follow (const GhloIrOp   *op,
            const GhloIrType *type)
{
  if (op->n_results != 1 || op->n_regions != 0)
    return FALSE;
  if (op->kind == GHLO_OP_STABLEHLO_RESHAPE)
    return op->results[0].type->quantization == type->quantization
           && ghlo_ir_type_has_static_shape (op->results[0].type);

  /* A clamp's bounds may be single numbers, but what it is of is the result's. */
  return ((ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_ELEMENTWISE) != 0 || op->kind == GHLO_OP_STABLEHLO_CLAMP)
         && op->n_operands <= MAX_OPERANDS && op->results[0].type == type;
}

guint
ghlo_ir_find_followers (const GhloIrOp *op,
                        GhloIrFollower  followers[GHLO_IR_MAX_FOLLOWERS])
{
  const GhloIrUse *use;
  const GhloIrValue *value;
  guint n = 0;

  if (!can_be_followed (op))
    return 0;
  value = &op->results[0];
  while (n < GHLO_IR_MAX_FOLLOWERS && (use = find_only_use (value, op->block)) != NULL
         && can_follow (use->op, value->type))
    {
      followers[n++] = (GhloIrFollower) { use->op, (guint) (use - use->op->operands) };
      value = &use->op->results[0];
    }
  while (n > 0 && followers[n - 1].op->kind == GHLO_OP_STABLEHLO_RESHAPE)
    n--;

  return n;
}
