/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making a plan: an operation together with what follows it. A group is built as soon as
 * all that it takes is there: where its first operation stands, or after the last one
 * that it waits for. Views that stand between are built ahead of their turn.
 */

#include "plan/build.h"

enum { MAX_VIEWS = 16 };

/* As many followers as an implementation might do, none of which is of another group. */
static guint
count_followers (const GhloStepBuilder *self,
                 const GhloStepGroup   *group,
                 guint                  n)
{
  const GhloStepTarget *target = ghlo_step_find_target (self, group->op);
  const GhloStepImplementation *found = NULL;
  guint taken = 0;

  if (target == NULL)
    return 0;
  while ((found = target->find (target->self, group->op, found)) != NULL && found->follows == NULL)
    ;
  for (guint i = 0; found != NULL && i < n && ghlo_step_has_plain_types (group->followers[i].op); i++)
    {
      if (g_hash_table_contains (self->groups, group->followers[i].op))
        break;
      if (found->follows (group->op, &group->followers[i]))
        taken = i + 1;
      else if (group->followers[i].op->kind != GHLO_OP_STABLEHLO_RESHAPE)
        break;
    }

  return taken;
}

GhloStepGroup *
ghlo_step_open_group (GhloStepBuilder *self,
                      const GhloIrOp  *op)
{
  GhloStepGroup found = { .op = op }, *group;

  if (op->n_discardable == 0 || ghlo_ir_op_get (op, GHLO_IR_EPILOGUE) == NULL || !ghlo_step_has_plain_types (op))
    return NULL;
  found.n_followers = count_followers (self, &found, ghlo_ir_find_followers (op, found.followers));
  if (found.n_followers == 0 || ghlo_step_type_size (op->results[0].type) == 0)
    return NULL;
  group = ghlo_ir_arena_alloc (&self->plan->arena, sizeof *group);
  *group = found;
  for (guint i = 0; i < found.n_followers; i++)
    g_hash_table_insert (self->groups, (gpointer) found.followers[i].op, group);

  return group;
}

/* Views are built up to @value where what they look at is there; else gives the operation
 * to wait for. */
static const GhloIrOp *
find_missing (GhloStepBuilder   *self,
              const GhloIrValue *value)
{
  const GhloIrOp *path[MAX_VIEWS];
  guint n = 0;

  while (ghlo_step_value (self, value) == NULL)
    {
      if (n == MAX_VIEWS || !ghlo_step_is_view (value->op))
        return value->op;
      path[n++] = value->op;
      if (value->op->n_operands == 0)
        break;
      value = ghlo_ir_op_operand (value->op, 0);
    }
  while (n > 0)
    ghlo_step_build_view (self, path[--n]);

  return NULL;
}

gboolean
ghlo_step_is_ready (GhloStepBuilder *self,
                    GhloStepGroup   *group)
{
  for (guint f = 0; f < group->n_followers; f++)
    for (guint i = 0; i < group->followers[f].op->n_operands; i++)
      {
        const GhloIrOp *missing = NULL;

        if (i != group->followers[f].position)
          missing = find_missing (self, ghlo_ir_op_operand (group->followers[f].op, i));
        if (missing == NULL)
          continue;
        group->next = g_hash_table_lookup (self->awaited, missing);
        g_hash_table_insert (self->awaited, (gpointer) missing, group);
        return FALSE;
      }

  return TRUE;
}
