/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "fuse-loops": a loop whose iterations work on few elements becomes one step, where the device has one for
 * everything in it. As separate steps, its operations would each take longer to launch than to run. The group includes
 * the splat constants that the loop uses from outside, so that its counter is known.
 */

#include "passes/fuse/fuse.h"

#include "ir/outline.h"
#include "passes/effects.h"
#include "passes/walk.h"

/* A body with more operations does not count as one on few elements; the device is not asked. */
enum { MAX_OPS = 128 };

/* Lists the splat constants that @loop uses from outside, of those with several elements only with @with_arrays, and
 * the loop. Returns whether there are such. */
static gboolean
list_ops (GhloIrOp      *loop,
          gboolean       with_arrays,
          GhloFuseGroup *group)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  const GhloIrOp *ops[] = { loop };
  gboolean has_arrays = FALSE;

  group->n_ops = 0;
  ghlo_ir_outline_inputs (ops, 1, inputs);
  for (guint i = 0; i < inputs->len && group->n_ops + 1 < GHLO_FUSE_MAX_OPS; i++)
    {
      const GhloIrValue *value = g_ptr_array_index (inputs, i);

      if (ghlo_ir_constant_get_splat (value) == NULL)
        continue;
      if (ghlo_ir_type_count_elements (value->type) > 1)
        has_arrays = TRUE;
      if (with_arrays || ghlo_ir_type_count_elements (value->type) <= 1)
        group->ops[group->n_ops++] = value->op;
    }
  group->ops[group->n_ops++] = loop;

  return has_arrays;
}

static void
insert_copy (GhloIrModule *module,
             GhloIrOp     *op,
             GhloIrOp     *next,
             GHashTable   *made,
             GhloIrOp    **copy)
{
  *copy = ghlo_ir_op_copy (module, op, TRUE, made);
  ghlo_ir_op_insert_before (*copy, next);
}

/* Makes the group of a loop with constants of its own, which nothing else uses. */
static void
make_group (GhloFuser     *self,
            GhloFuseGroup *group)
{
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL);
  GhloIrModule *module = ghlo_fuse_get_module (self);
  GhloIrOp *loop = group->ops[group->n_ops - 1];
  GhloFuseGroup copies = { .n_ops = group->n_ops };

  g_assert (group->n_ops > 0);
  for (guint i = 0; i < group->n_ops; i++)
    insert_copy (module, group->ops[i], loop, made, &copies.ops[i]);
  for (guint i = 0; i < loop->n_results; i++)
    ghlo_ir_value_replace (&loop->results[i], &copies.ops[copies.n_ops - 1]->results[i]);
  ghlo_pass_erase (loop);
  for (guint i = 0; i + 1 < group->n_ops; i++)
    if (ghlo_pass_is_unused (group->ops[i]))
      ghlo_pass_erase (group->ops[i]);
  ghlo_fuse_add (self, &copies);
}

/* Whether @group, a loop and the constants that it uses, becomes one step. */
static gboolean
accept (GhloFuser     *self,
        GhloFuseGroup *group,
        GhloIrOp      *loop)
{
  const char *reason = NULL;

  if (ghlo_pass_count_block (ghlo_ir_op_region_block (loop, 1)) > MAX_OPS)
    reason = "its body has more operations than a group may have";
  else if (!ghlo_pass_is_pure (loop, NULL))
    reason = "it has side effects";
  if (reason != NULL)
    {
      ghlo_fuse_refuse (self, loop, NULL, reason);
      return FALSE;
    }
  /* An array that the loop updates element by element begins with an operand. */
  if (list_ops (loop, TRUE, group) && ghlo_fuse_find_reason (self, group->ops, group->n_ops) != NULL)
    (void) list_ops (loop, FALSE, group);

  return ghlo_fuse_accept (self, group->ops, group->n_ops, loop, NULL);
}

static gboolean
find (GhloFuser      *self,
      GhloIrOp       *func,
      gconstpointer   data,
      GError        **error)
{
  g_autoptr (GPtrArray) loops = ghlo_pass_loops (func);
  guint i = 0;

  while (i < loops->len)
    {
      GhloIrOp *loop = g_ptr_array_index (loops, i++);
      GhloFuseGroup group;

      if (ghlo_monitor_cancelled (ghlo_fuse_get_monitor (self), error))
        return FALSE;
      if (!accept (self, &group, loop))
        continue;
      while (i < loops->len && ghlo_pass_is_within (g_ptr_array_index (loops, i), loop))
        i++;
      make_group (self, &group);
    }

  return TRUE;
}

gboolean
ghlo_pass_fuse_loops (GhloIrModule     *module,
                      GhloPassContext  *context,
                      GError          **error)
{
  static const GhloFuseRules rules = { GHLO_FUSION_LOOP, find, NULL };

  return ghlo_fuse_module (module, context, &rules, error);
}
