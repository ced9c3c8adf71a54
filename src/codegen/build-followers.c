/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making a plan: an operation together with what follows it. All of a group is built
 * where its last operation stands, when everything that it takes is there.
 */

#include "codegen/build.h"

/* As many followers as a kernel might take. */
static guint
count_followers (const GhloCodeBuilder *self,
                 const GhloCodeGroup   *group,
                 guint                  n)
{
  const GhloCodeKernel *kernel = NULL;
  guint taken = 0;

  while ((kernel = self->target->find (group->op, kernel)) != NULL && kernel->prepare_with == NULL)
    ;
  for (guint i = 0; kernel != NULL && i < n && ghlo_code_has_plain_types (group->followers[i].op); i++)
    if (kernel->follows (group->op, &group->followers[i]))
      taken = i + 1;
    else if (group->followers[i].op->kind != GHLO_OP_STABLEHLO_RESHAPE)
      break;

  return taken;
}

GhloCodeGroup *
ghlo_code_find_group (GhloCodeBuilder *self,
                      const GhloIrOp  *op)
{
  GhloCodeGroup *group = g_hash_table_lookup (self->groups, op);
  GhloCodeGroup found = { .op = op };

  if (group != NULL || op->n_discardable == 0 || ghlo_ir_op_get (op, GHLO_IR_EPILOGUE) == NULL
      || !ghlo_code_has_plain_types (op))
    return group;
  found.n_followers = count_followers (self, &found, ghlo_ir_find_followers (op, found.followers));
  if (found.n_followers == 0 || ghlo_code_type_size (op->results[0].type) == 0)
    return NULL;
  group = ghlo_ir_module_alloc (self->plan->module, sizeof *group);
  *group = found;
  g_hash_table_insert (self->groups, (gpointer) op, group);
  for (guint i = 0; i < found.n_followers; i++)
    g_hash_table_insert (self->groups, (gpointer) found.followers[i].op, group);

  return group;
}

gboolean
ghlo_code_is_last (const GhloCodeGroup *self,
                   const GhloIrOp      *op)
{
  return self->followers[self->n_followers - 1].op == op;
}

void
ghlo_code_close_group (GhloCodeBuilder     *self,
                       const GhloCodeGroup *group)
{
  g_hash_table_remove (self->groups, group->op);
  for (guint i = 0; i < group->n_followers; i++)
    g_hash_table_remove (self->groups, group->followers[i].op);
}
