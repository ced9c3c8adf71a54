/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads what a program says about shardings: of its inputs and outputs, in constraints, and at manual computations.
 */

#include "pjrt/sharding/propagation-private.h"

#include "compiler/signature.h"

static GhloPjrtSpec *
read_spec (GhloPjrtPropagation *self,
           const GhloIrAttr    *attr,
           const GhloIrType    *type)
{
  if (attr == NULL || !ghlo_ir_type_is_tensor (type))
    return NULL;

  return ghlo_pjrt_spec_read (self->module, self->function, attr, type->rank, self->n_partitions, self->meshes);
}

/* Reads the list @name of shardings of @op's operands or results, if it has the right length. */
static void
read_list (GhloPjrtPropagation *self,
           const GhloIrOp      *op,
           const char          *name,
           gboolean             is_operands)
{
  const guint n = is_operands ? op->n_operands : op->n_results;
  g_auto (GhloSdyAttr) list = { 0 };

  if (!ghlo_pjrt_read_sdy (self->module, ghlo_ir_op_get (op, name), GHLO_SDY_SHARDINGS, &list, NULL)
      || ghlo_sdy_field_n_attrs (&list.fields[0]) != n)
    return;
  for (guint i = 0; i < n; i++)
    {
      const GhloIrValue *value = is_operands ? ghlo_ir_op_operand (op, i) : &op->results[i];

      ghlo_pjrt_store_spec (self, is_operands ? ghlo_pjrt_operand_slot (op, i) : ghlo_pjrt_value_slot (self, value),
                            read_spec (self, ghlo_pjrt_sdy_get (&list, 0, i), value->type));
    }
}

/* Whether another constraint requires a different sharding of @value. */
static gboolean
is_contested (GhloPjrtPropagation *self,
              const GhloIrValue   *value,
              const GhloPjrtSpec  *spec)
{
  for (const GhloIrUse *use = value->uses; use != NULL; use = use->next)
    {
      const GhloPjrtSpec *other = NULL;

      if (use->op->kind == GHLO_OP_SDY_SHARDING_CONSTRAINT)
        other = ghlo_pjrt_look_up (self, ghlo_pjrt_value_slot (self, &use->op->results[0]));
      else if (use->op->kind == GHLO_OP_SDY_MANUAL_COMPUTATION)
        other = ghlo_pjrt_look_up (self, ghlo_pjrt_operand_slot (use->op, (guint) (use - use->op->operands)));
      if (other != NULL && !ghlo_pjrt_spec_equal (other, spec))
        return TRUE;
    }

  return FALSE;
}

/* Whether @value is tied to others across the edge of a region. A constraint on one of these does not apply to the
 * others. */
static gboolean
crosses_edge (const GhloIrValue *value)
{
  if (value->op == NULL ? value->block->region->op->kind != GHLO_OP_FUNC_FUNC
                        : ghlo_pjrt_has_edges (value->op) && value->op->kind != GHLO_OP_SDY_MANUAL_COMPUTATION)
    return TRUE;
  for (const GhloIrUse *use = value->uses; use != NULL; use = use->next)
    if (ghlo_pjrt_step_owner (use->op) != use->op
        || (ghlo_pjrt_has_edges (use->op) && use->op->kind != GHLO_OP_FUNC_RETURN
            && use->op->kind != GHLO_OP_SDY_MANUAL_COMPUTATION))
      return TRUE;

  return FALSE;
}

/* Gives a value the sharding that its constraint requires, unless the program says something else about the value.
 * When the first constraint on a value cannot be applied, no other is. */
static void
apply_constraint (GhloPjrtPropagation *self,
                  GhloIrValue         *value,
                  GhloPjrtSlot         required)
{
  const GhloPjrtSpec *spec = ghlo_pjrt_look_up (self, required);
  const GhloPjrtSlot slot = ghlo_pjrt_value_slot (self, value);

  if (spec == NULL || value->id != 0 || ghlo_pjrt_look_up (self, slot) != NULL)
    return;
  value->id = GHLO_PJRT_WAS_CONSTRAINED;
  if (ghlo_pjrt_spec_is_closed (spec) && !is_contested (self, value, spec) && !crosses_edge (value))
    ghlo_pjrt_store_spec (self, slot, ghlo_pjrt_spec_copy (spec));
}

static void
read_function (GhloPjrtPropagation *self)
{
  const GhloIrBlock *body = ghlo_ir_func_get_body (self->function);

  for (guint i = 0; i < body->n_arguments; i++)
    {
      const GhloIrAttr *attr = ghlo_signature_input_attribute (self->function, i, "sdy.sharding");

      ghlo_pjrt_store_spec (self, ghlo_pjrt_value_slot (self, body->arguments[i]),
                            read_spec (self, attr, body->arguments[i]->type));
    }
  for (guint i = 0; i < body->last->n_operands; i++)
    {
      const GhloIrAttr *attr = ghlo_signature_output_attribute (self->function, i, "sdy.sharding");

      ghlo_pjrt_store_spec (self, ghlo_pjrt_operand_slot (body->last, i),
                            read_spec (self, attr, ghlo_ir_op_operand (body->last, i)->type));
    }
}

static void
read_op (GhloPjrtPropagation *self,
         const GhloIrOp      *op)
{
  if (op->kind == GHLO_OP_SDY_SHARDING_CONSTRAINT)
    ghlo_pjrt_store_spec (self, ghlo_pjrt_value_slot (self, &op->results[0]),
                          read_spec (self, ghlo_ir_op_get (op, "sharding"), op->results[0].type));
  else if (op->kind == GHLO_OP_SDY_MANUAL_COMPUTATION)
    {
      read_list (self, op, "in_shardings", TRUE);
      read_list (self, op, "out_shardings", FALSE);
    }
  else if (op->n_discardable > 0)
    read_list (self, op, "sdy.sharding", FALSE);
}

static void
apply_constraints (GhloPjrtPropagation *self,
                   const GhloIrOp      *op)
{
  if (op->kind == GHLO_OP_SDY_SHARDING_CONSTRAINT)
    apply_constraint (self, ghlo_ir_op_operand (op, 0), ghlo_pjrt_value_slot (self, &op->results[0]));
  for (guint i = 0; op->kind == GHLO_OP_SDY_MANUAL_COMPUTATION && i < op->n_operands; i++)
    apply_constraint (self, ghlo_ir_op_operand (op, i), ghlo_pjrt_operand_slot (op, i));
}

/* Adds the operand of @op to its group, if it has the type of the group. */
static void
join_group (GhloPjrtPropagation *self,
            GHashTable          *by_id,
            const GhloIrOp      *op)
{
  const GhloIrValue *value = ghlo_ir_op_operand (op, 0);
  /* Equal attributes are the same object. */
  const GhloIrAttr *id = ghlo_ir_op_get (op, "group_id");
  GPtrArray *group = g_hash_table_lookup (by_id, id);

  if (group == NULL)
    {
      group = g_ptr_array_new ();
      g_ptr_array_add (self->all_groups, group);
      g_hash_table_insert (by_id, (gpointer) id, group);
    }
  if (g_hash_table_contains (self->groups, value)
      || (group->len > 0 && ((const GhloIrValue *) group->pdata[0])->type != value->type))
    return;
  g_ptr_array_add (group, (gpointer) value);
  g_hash_table_insert (self->groups, (gpointer) value, group);
}

/* Done before anything else is read. All values in a group share one sharding, including constants. */
static void
read_groups (GhloPjrtPropagation *self)
{
  g_autoptr (GHashTable) by_id = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < self->ops->len; i++)
    {
      const GhloIrOp *op = self->ops->pdata[i];

      if (op->kind != GHLO_OP_SDY_SHARDING_GROUP)
        continue;
      join_group (self, by_id, op);
      ghlo_ir_op_operand (op, 0)->id = 0;
    }
}

void
ghlo_pjrt_read_annotations (GhloPjrtPropagation *self)
{
  read_groups (self);
  read_function (self);
  for (guint i = 0; i < self->ops->len; i++)
    read_op (self, self->ops->pdata[i]);
  for (guint i = 0; i < self->ops->len; i++)
    apply_constraints (self, self->ops->pdata[i]);
}
