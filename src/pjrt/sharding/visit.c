/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What operations connect: most connect operands and results by a rule; those with regions connect the values that
 * enter and leave with the values inside.
 */

#include "pjrt/sharding/propagation-private.h"

#include "passes/walk.h"

/* Stores @spec, the result of a step for @slot, which it takes over. */
static void
store (GhloPjrtPropagation *self,
       GhloPjrtSlot         slot,
       GhloPjrtSpec        *spec)
{
  if (slot.hidden != 0)
    {
      g_autofree GhloPjrtSpec *seen = spec;

      spec = ghlo_pjrt_spec_show (ghlo_pjrt_look_up (self, slot), seen, slot.hidden);
    }
  if (ghlo_pjrt_store_spec (self, slot, spec) && slot.value != NULL)
    ghlo_pjrt_enqueue_touching (self, slot.value);
}

/* Takes a step between @slots, to which @step's rule applies. Slots that change put the operations that touch them
 * on the worklist. */
static void
connect_by_rule (GhloPjrtPropagation *self,
                 const GhloPjrtStep  *step,
                 const GhloPjrtSlot  *slots)
{
  const guint n = step->rule->n_tensors;
  g_autofree GhloPjrtSpec **specs = g_new0 (GhloPjrtSpec *, n);
  g_autofree gboolean *changed = g_new0 (gboolean, n);
  g_autoptr (GPtrArray) hidden = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < n; i++)
    {
      specs[i] = ghlo_pjrt_look_up (self, slots[i]);
      if (specs[i] == NULL || slots[i].hidden == 0)
        continue;
      specs[i] = ghlo_pjrt_spec_hide (specs[i], slots[i].hidden);
      g_ptr_array_add (hidden, specs[i]);
    }
  if (!ghlo_pjrt_propagate_step (step, specs, changed))
    return;
  for (guint i = 0; i < n; i++)
    if (changed[i])
      store (self, slots[i], specs[i]);
}

/* Connects values of the same shape: the first @n_operands of @n are the sources of the others. */
static void
connect_same (GhloPjrtPropagation *self,
              const GhloPjrtSlot  *slots,
              guint                n_operands,
              guint                n,
              const GhloIrType    *type)
{
  const GhloPjrtStep step = { &self->rule, GHLO_PJRT_BOTH_WAYS, GHLO_PJRT_BOTH_WAYS, FALSE };

  if (!ghlo_ir_type_is_tensor (type) || !ghlo_ir_type_has_static_shape (type))
    return;
  ghlo_pjrt_rule_identity (&self->rule, type, n_operands, n - n_operands);
  connect_by_rule (self, &step, slots);
}

static void
connect_two (GhloPjrtPropagation *self,
             GhloPjrtSlot         from,
             GhloPjrtSlot         to,
             const GhloIrType    *type)
{
  connect_same (self, (GhloPjrtSlot[]) { from, to }, 1, 2, type);
}

static gboolean
is_elementwise (const GhloIrOp *op)
{
  return op->kind == GHLO_OP_SDY_SHARDING_CONSTRAINT
         || (ghlo_ir_op_get_spec (op)->traits & (GHLO_IR_TRAIT_ELEMENTWISE | GHLO_IR_TRAIT_BROADCASTS_SCALARS)) != 0;
}

static gboolean
has_operand_of_others (const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloIrValue *operand = ghlo_ir_op_operand (op, i);

      if (operand->uses->next != NULL && operand->type->rank > 0 && operand->id != GHLO_PJRT_IS_FREE)
        return TRUE;
    }

  return FALSE;
}

/* Chooses the directions in which factors propagate at this level; they include those of the levels before. */
static void
choose_directions (const GhloPjrtPropagation *self,
                   const GhloIrOp            *op,
                   GhloPjrtStep              *step)
{
  const gboolean is_broadcast = op->kind == GHLO_OP_STABLEHLO_BROADCAST_IN_DIM;
  const GhloPjrtDirection broadcast = is_broadcast && self->level < GHLO_PJRT_N_LEVELS - 1
                                      ? GHLO_PJRT_BACKWARD : GHLO_PJRT_BOTH_WAYS;
  GhloPjrtDirection early = GHLO_PJRT_NOWHERE;

  if (step->is_elementwise || op->kind == GHLO_OP_STABLEHLO_RESHAPE || op->kind == GHLO_OP_STABLEHLO_TRANSPOSE)
    early = GHLO_PJRT_BOTH_WAYS;
  else if (op->kind == GHLO_OP_STABLEHLO_DYNAMIC_SLICE || op->kind == GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE)
    early = GHLO_PJRT_FORWARD;
  if (self->level == 0 && early != GHLO_PJRT_NOWHERE && has_operand_of_others (op))
    early = GHLO_PJRT_NOWHERE;
  step->pass_through = early | (self->level >= 2 ? broadcast : GHLO_PJRT_NOWHERE);
  step->communication = early | (self->level >= 3 ? broadcast : GHLO_PJRT_NOWHERE);
}

static void
visit_by_rule (GhloPjrtPropagation *self,
               const GhloIrOp      *op)
{
  GhloPjrtStep step = { .rule = &self->rule, .is_elementwise = is_elementwise (op) };
  g_autofree GhloPjrtSlot *slots = NULL;

  choose_directions (self, op, &step);
  if ((step.pass_through | step.communication) == GHLO_PJRT_NOWHERE
      || !ghlo_pjrt_rule_read (&self->rule, self->module, op))
    return;
  slots = g_new (GhloPjrtSlot, self->rule.n_tensors);
  for (guint i = 0; i < self->rule.n_tensors; i++)
    slots[i] = ghlo_pjrt_value_slot (self, i < op->n_operands ? ghlo_ir_op_operand (op, i)
                                                              : &op->results[i - op->n_operands]);
  connect_by_rule (self, &step, slots);
}

/* Returns value @index that region @region returns, or NULL. */
static const GhloIrValue *
returned_value (const GhloIrOp *op,
                guint           region,
                guint           index)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, region);
  const GhloIrOp *terminator = block != NULL ? ghlo_pass_terminator (block) : NULL;

  return terminator != NULL && index < terminator->n_operands ? ghlo_ir_op_operand (terminator, index) : NULL;
}

static void
visit_while (GhloPjrtPropagation *self,
             const GhloIrOp      *op)
{
  const GhloIrBlock *condition = ghlo_ir_op_region_block (op, 0), *body = ghlo_ir_op_region_block (op, 1);

  for (guint i = 0; condition != NULL && body != NULL && i < op->n_results; i++)
    {
      const GhloIrValue *values[] = {
        ghlo_ir_op_operand (op, i), returned_value (op, 1, i), &op->results[i], condition->arguments[i],
        body->arguments[i],
      };
      GhloPjrtSlot slots[G_N_ELEMENTS (values)];

      if (values[1] == NULL)
        continue;
      for (guint j = 0; j < G_N_ELEMENTS (values); j++)
        slots[j] = ghlo_pjrt_value_slot (self, values[j]);
      connect_same (self, slots, 2, G_N_ELEMENTS (values), op->results[i].type);
    }
}

static void
visit_branches (GhloPjrtPropagation *self,
                const GhloIrOp      *op)
{
  g_autofree GhloPjrtSlot *slots = g_new (GhloPjrtSlot, (gsize) op->n_regions + 1);

  for (guint i = 0; i < op->n_results; i++)
    {
      guint n = 0;

      for (guint j = 0; j < op->n_regions; j++)
        if (returned_value (op, j, i) != NULL)
          slots[n++] = ghlo_pjrt_value_slot (self, returned_value (op, j, i));
      slots[n] = ghlo_pjrt_value_slot (self, &op->results[i]);
      connect_same (self, slots, n, n + 1, op->results[i].type);
    }
}

static void
visit_barrier (GhloPjrtPropagation *self,
               const GhloIrOp      *op)
{
  for (guint i = 0; i < op->n_results; i++)
    connect_two (self, ghlo_pjrt_value_slot (self, ghlo_ir_op_operand (op, i)),
                 ghlo_pjrt_value_slot (self, &op->results[i]), op->results[i].type);
}

/* An output is the returned value, with the sharding that the program specifies for it. */
static void
visit_return (GhloPjrtPropagation *self,
              const GhloIrOp      *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    connect_two (self, ghlo_pjrt_value_slot (self, ghlo_ir_op_operand (op, i)), ghlo_pjrt_operand_slot (op, i),
                 ghlo_ir_op_operand (op, i)->type);
}

/* Returns @slot with the axes hidden along which @op is manual. The slot must have a spec. */
static GhloPjrtSlot
inside (GhloPjrtPropagation *self,
        const GhloIrOp      *op,
        GhloPjrtSlot         slot)
{
  const GhloPjrtMesh *mesh = ghlo_pjrt_look_up (self, slot)->mesh;
  g_auto (GhloSdyAttr) axes = { 0 };

  if (!ghlo_pjrt_read_sdy (self->module, ghlo_ir_op_get (op, "manual_axes"), GHLO_SDY_MANUAL_AXES, &axes, NULL))
    return slot;
  for (guint i = 0; i < mesh->n_primes; i++)
    for (guint j = 0; j < ghlo_sdy_field_n_attrs (&axes.fields[0]); j++)
      if (g_strcmp0 (ghlo_pjrt_sdy_get (&axes, 0, j)->text, mesh->names[mesh->prime_axes[i]]) == 0)
        slot.hidden |= 1u << i;

  return slot;
}

/* Outside, an operand has the sharding that the operation specifies for it; inside, it has the same along the axes
 * that are not manual. Results likewise. */
static void
visit_manual (GhloPjrtPropagation *self,
              const GhloIrOp      *op)
{
  const GhloIrBlock *body = ghlo_ir_op_region_block (op, 0);

  for (guint i = 0; body != NULL && i < op->n_operands; i++)
    {
      const GhloIrValue *operand = ghlo_ir_op_operand (op, i), *argument = body->arguments[i];
      const GhloPjrtSlot required = ghlo_pjrt_operand_slot (op, i);

      if (ghlo_pjrt_look_up (self, required) == NULL)
        continue;
      connect_two (self, ghlo_pjrt_value_slot (self, operand), required, operand->type);
      connect_two (self, inside (self, op, required), ghlo_pjrt_value_slot (self, argument), argument->type);
    }
  for (guint i = 0; i < op->n_results; i++)
    {
      const GhloPjrtSlot result = ghlo_pjrt_value_slot (self, &op->results[i]);
      const GhloIrValue *value = returned_value (op, 0, i);

      if (value != NULL && ghlo_pjrt_look_up (self, result) != NULL)
        connect_two (self, ghlo_pjrt_value_slot (self, value), inside (self, op, result), value->type);
    }
}

typedef void (*VisitFunc) (GhloPjrtPropagation *self,
                           const GhloIrOp      *op);

/* The operations that do not use a rule. */
static const VisitFunc visits[GHLO_N_OPS] = {
  [GHLO_OP_FUNC_RETURN] = visit_return,
  [GHLO_OP_SDY_MANUAL_COMPUTATION] = visit_manual,
  [GHLO_OP_STABLEHLO_CASE] = visit_branches,
  [GHLO_OP_STABLEHLO_IF] = visit_branches,
  [GHLO_OP_STABLEHLO_OPTIMIZATION_BARRIER] = visit_barrier,
  [GHLO_OP_STABLEHLO_WHILE] = visit_while,
};

void
ghlo_pjrt_visit (GhloPjrtPropagation *self,
                 const GhloIrOp      *op)
{
  (visits[op->kind] != NULL ? visits[op->kind] : visit_by_rule) (self, op);
}

gboolean
ghlo_pjrt_has_edges (const GhloIrOp *op)
{
  return visits[op->kind] != NULL;
}
