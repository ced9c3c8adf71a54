/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "fuse-attention": a product of queries and keys, the softmax of these scores, and the product of the softmax
 * and values become one step, where the device has one (ir/attention.h). A group includes the splat constants that it
 * uses. This pass runs before the others that could put the products and reductions into groups.
 */

#include "passes/fuse/fuse.h"

#include "ir/attention.h"
#include "passes/effects.h"
#include "passes/walk.h"

/* Whether constants among @op's operands belong to the group; operands of products are inputs of the group. */
static gboolean
takes_constants (const GhloIrOp *op)
{
  return op->kind != GHLO_OP_STABLEHLO_DOT_GENERAL && op->kind != GHLO_OP_STABLEHLO_DOT;
}

/* Lists the group's operations in block order, preceded by the constants that they use, wherever these are. */
static void
list_ops (const GhloIrAttention *attention,
          GhloFuseGroup         *group)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  group->n_ops = 0;
  for (guint i = 0; i < attention->n_ops; i++)
    for (guint k = 0; k < attention->ops[i]->n_operands && takes_constants (attention->ops[i]); k++)
      {
        GhloIrValue *value = ghlo_ir_op_operand (attention->ops[i], k);

        if (ghlo_ir_constant_get_splat (value) != NULL && g_hash_table_add (seen, value->op))
          group->ops[group->n_ops++] = value->op;
      }
  for (GhloIrOp *op = (GhloIrOp *) attention->scores; op != attention->last->next; op = op->next)
    if (ghlo_ir_attention_has (attention, op))
      group->ops[group->n_ops++] = op;
}

G_STATIC_ASSERT (4 * GHLO_IR_ATTENTION_MAX_OPS <= GHLO_FUSE_MAX_OPS);

/* Adds the group with constants of its own, which nothing else uses: copies that are inserted before the
 * first product. */
static void
make_group (GhloFuser     *self,
            GhloFuseGroup *group,
            GhloIrOp      *scores)
{
  GhloIrModule *module = ghlo_fuse_get_module (self);

  for (guint i = 0; i < group->n_ops && ghlo_ir_constant_get_splat (&group->ops[i]->results[0]) != NULL; i++)
    {
      g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL);
      GhloIrOp *old = group->ops[i], *copy = ghlo_ir_op_copy (module, old, TRUE, made);

      ghlo_ir_op_insert_before (copy, scores);
      for (guint k = 0; k < group->n_ops; k++)
        for (guint n = 0; n < group->ops[k]->n_operands && takes_constants (group->ops[k]); n++)
          if (ghlo_ir_op_operand (group->ops[k], n) == &old->results[0])
            ghlo_ir_op_set_operand (group->ops[k], n, &copy->results[0]);
      group->ops[i] = copy;
      if (ghlo_pass_is_unused (old))
        ghlo_pass_erase (old);
    }
  ghlo_fuse_add (self, group);
}

static gboolean
find (GhloFuser      *self,
      GhloIrOp       *func,
      gconstpointer   data,
      GError        **error)
{
  /* The last products of groups. Where one's result is the scores of another attention, the latter is not fused. */
  g_autoptr (GHashTable) ends = g_hash_table_new (NULL, NULL);

  for (GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = ghlo_pass_next_op (op, func))
    {
      GhloIrAttention attention;
      GhloFuseGroup group;

      if (op->kind != GHLO_OP_STABLEHLO_DOT_GENERAL && op->kind != GHLO_OP_STABLEHLO_DOT)
        continue;
      if (ghlo_monitor_cancelled (ghlo_fuse_get_monitor (self), error))
        return FALSE;
      if (ghlo_ir_attention_match (&attention, op) != NULL)
        continue;
      if (g_hash_table_contains (ends, attention.scores))
        {
          ghlo_fuse_refuse (self, attention.scores, op, "it is in another group");
          continue;
        }
      list_ops (&attention, &group);
      if (!ghlo_fuse_accept (self, group.ops, group.n_ops, attention.scores, op))
        continue;
      make_group (self, &group, (GhloIrOp *) attention.scores);
      g_hash_table_add (ends, op);
    }

  return TRUE;
}

gboolean
ghlo_pass_fuse_attention (GhloIrModule     *module,
                          GhloPassContext  *context,
                          GError          **error)
{
  static const GhloFuseRules rules = { GHLO_FUSION_ATTENTION, find, NULL };

  return ghlo_fuse_module (module, context, &rules, error);
}
