/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "fuse-epilogues": products and convolutions together with the elementwise operations
 * that their result goes through, one after the other, each the only use of what came before it:
 * a bias, relu, a clamp, a scale, a residual. A device may do these to each finished part of the
 * result while it is in the cache. Reshapes may stand between them. What is computed stays the
 * same to the bit.
 */

#include "passes/fuse.h"

#include "passes/walk.h"

/* Of an operation; and of a group. */
enum { MAX_OPERANDS = 3, MAX_OPS = 17 };

static gboolean
begins (const GhloIrOp *op)
{
  const GhloIrType *type;

  if (op->kind != GHLO_OP_STABLEHLO_CONVOLUTION && op->kind != GHLO_OP_STABLEHLO_DOT
      && op->kind != GHLO_OP_STABLEHLO_DOT_GENERAL)
    return FALSE;
  type = op->results[0].type;
  for (guint i = 0; i < type->rank; i++)
    if (type->dimensions[i] == 0)
      return FALSE;

  return ghlo_ir_type_has_static_shape (type);
}

/* NULL where @use is the only one of @value, in its block; else the reason why it is not. */
static const char *
find_other_use (const GhloIrValue *value)
{
  const GhloIrUse *use = value->uses;

  if (use == NULL)
    return "its result is not used";
  if (use->next != NULL)
    return "its result is used more than once";

  return use->op->block != value->op->block ? "its result is used in a region" : NULL;
}

static gboolean
is_reshape (const GhloIrOp *op)
{
  return op->kind == GHLO_OP_STABLEHLO_RESHAPE
         && op->results[0].type->quantization == ghlo_ir_op_operand (op, 0)->type->quantization
         && ghlo_ir_type_has_static_shape (op->results[0].type);
}

/* NULL where @op does something to each element of @type alone. A clamp's bounds may be single numbers, but
 * what it is of is the result's. */
static const char *
find_obstacle (const GhloIrOp   *op,
               const GhloIrType *type)
{
  gboolean is_elementwise = (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_ELEMENTWISE) != 0
                            || op->kind == GHLO_OP_STABLEHLO_CLAMP;

  if (!is_elementwise || op->n_results != 1 || op->n_regions > 0 || op->n_operands > MAX_OPERANDS)
    return "it is not elementwise";

  return op->results[0].type != type ? "it changes the type of the elements" : NULL;
}

/* The next operation and the reshapes before it. */
static gboolean
grow_once (GhloFuser     *self,
           GhloFuseGroup *group)
{
  GhloFuseGroup grown = *group;

  while (grown.n_ops < MAX_OPS)
    {
      const GhloIrValue *value = &grown.ops[grown.n_ops - 1]->results[0];
      const char *reason = find_other_use (value);
      GhloIrOp *next = reason == NULL ? value->uses->op : NULL;

      if (next == NULL)
        {
          ghlo_fuse_refuse (self, group->ops[0], NULL, reason);
          return FALSE;
        }
      grown.ops[grown.n_ops++] = next;
      if (is_reshape (next))
        continue;
      reason = find_obstacle (next, value->type);
      if (reason == NULL)
        return ghlo_fuse_merge (self, group, &grown);
      ghlo_fuse_refuse (self, group->ops[0], next, reason);
      return FALSE;
    }
  ghlo_fuse_refuse (self, group->ops[0], NULL, "it has as many operations as a group may have");

  return FALSE;
}

static gboolean
find (GhloFuser      *self,
      GhloIrOp       *func,
      gconstpointer   data,
      GError        **error)
{
  for (GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = ghlo_pass_next_op (op, func))
    {
      GhloFuseGroup group;

      if (ghlo_monitor_cancelled (ghlo_fuse_get_monitor (self), error))
        return FALSE;
      if (!begins (op))
        continue;
      group.ops[0] = op;
      group.n_ops = 1;
      while (grow_once (self, &group))
        ;
      if (group.n_ops > 1)
        ghlo_fuse_add (self, &group);
    }

  return TRUE;
}

gboolean
ghlo_pass_fuse_epilogues (GhloIrModule     *module,
                          GhloPassContext  *context,
                          GError          **error)
{
  static const GhloFuseRules rules = { "epilogue", find, NULL };

  return ghlo_fuse_module (module, context, &rules, error);
}
