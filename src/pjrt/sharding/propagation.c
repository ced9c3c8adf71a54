/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The driver of propagation. First the annotations of the program are read. Then operations that are affected by a
 * change are visited until nothing changes any more: first those that leave elements where they are, then products
 * and reductions, last broadcasts in the less informative direction (Shardy: docs/propagation.md, "operation based
 * priorities"). Shardings only ever gain axes, so the process terminates; the number of sweeps is bounded as well.
 */

#include "pjrt/sharding/propagation-private.h"

#include "compiler/signature.h"
#include "passes/pass.h"
#include "passes/walk.h"

/* The limit on the sweeps over the operations at each level. */
enum { MAX_SWEEPS = 64 };

GhloPjrtSlot
ghlo_pjrt_value_slot (const GhloPjrtPropagation *self,
                      const GhloIrValue         *value)
{
  const GPtrArray *group = g_hash_table_lookup (self->groups, value);

  return (GhloPjrtSlot) { group != NULL ? group->pdata[0] : value, value, 0 };
}

GhloPjrtSlot
ghlo_pjrt_operand_slot (const GhloIrOp *op,
                        guint           index)
{
  return (GhloPjrtSlot) { &op->operands[index], NULL, 0 };
}

gboolean
ghlo_pjrt_store_spec (GhloPjrtPropagation *self,
                      GhloPjrtSlot         slot,
                      GhloPjrtSpec        *spec)
{
  if (spec == NULL || (slot.value != NULL && slot.value->id == GHLO_PJRT_IS_FREE))
    {
      g_free (spec);
      return FALSE;
    }
  g_hash_table_replace (self->specs, (gpointer) slot.key, spec);

  return TRUE;
}

GhloPjrtSpec *
ghlo_pjrt_look_up (const GhloPjrtPropagation *self,
                   GhloPjrtSlot               slot)
{
  return g_hash_table_lookup (self->specs, slot.key);
}

void
ghlo_pjrt_enqueue (GhloPjrtPropagation *self,
                   const GhloIrOp      *op)
{
  if (op == NULL || op == self->function)
    return;
  self->is_queued[op->id] = TRUE;
  self->any_queued = TRUE;
}

const GhloIrOp *
ghlo_pjrt_step_owner (const GhloIrOp *op)
{
  const gboolean ends_region = op->kind == GHLO_OP_STABLEHLO_RETURN || op->kind == GHLO_OP_SDY_RETURN;

  return ends_region ? ghlo_ir_op_get_parent (op) : op;
}

static void
enqueue_def_and_uses (GhloPjrtPropagation *self,
                      const GhloIrValue   *value)
{
  ghlo_pjrt_enqueue (self, value->op != NULL ? value->op : value->block->region->op);
  for (const GhloIrUse *use = value->uses; use != NULL; use = use->next)
    ghlo_pjrt_enqueue (self, ghlo_pjrt_step_owner (use->op));
}

void
ghlo_pjrt_enqueue_touching (GhloPjrtPropagation *self,
                            const GhloIrValue   *value)
{
  const GPtrArray *group = g_hash_table_lookup (self->groups, value);

  if (group == NULL)
    enqueue_def_and_uses (self, value);
  for (guint i = 0; group != NULL && i < group->len; i++)
    enqueue_def_and_uses (self, group->pdata[i]);
}

/* Visits the worklist in sweeps that alternate between program order and reverse order. */
static void
run_worklist (GhloPjrtPropagation *self)
{
  for (guint sweep = 0; self->any_queued && sweep < MAX_SWEEPS; sweep++)
    {
      self->any_queued = FALSE;
      for (guint i = 0; i < self->ops->len; i++)
        {
          const guint at = sweep % 2 == 0 ? i : self->ops->len - 1 - i;
          const GhloIrOp *op = self->ops->pdata[at];

          if (!self->is_queued[at])
            continue;
          self->is_queued[at] = FALSE;
          ghlo_pjrt_visit (self, op);
        }
    }
}

/* At the next level, all operations that touch a value with a known sharding are visited again. */
static void
enqueue_known (GhloPjrtPropagation *self)
{
  for (guint i = 0; i < self->ops->len; i++)
    {
      const GhloIrOp *op = self->ops->pdata[i];
      gboolean touches = ghlo_pjrt_has_edges (op);

      for (guint j = 0; !touches && j < op->n_operands; j++)
        touches = ghlo_pjrt_look_up (self, ghlo_pjrt_value_slot (self, ghlo_ir_op_operand (op, j))) != NULL;
      for (guint j = 0; !touches && j < op->n_results; j++)
        touches = ghlo_pjrt_look_up (self, ghlo_pjrt_value_slot (self, &op->results[j])) != NULL;
      if (touches)
        ghlo_pjrt_enqueue (self, op);
    }
}

/* Whether the results of @op are constants, or one number everywhere, so that each use may have its own sharding. */
static gboolean
results_are_free (const GhloIrOp *op)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);

  if (op->kind == GHLO_OP_STABLEHLO_CONSTANT || op->kind == GHLO_OP_STABLEHLO_IOTA
      || (op->kind == GHLO_OP_STABLEHLO_BROADCAST_IN_DIM && ghlo_ir_op_operand (op, 0)->type->rank == 0))
    return TRUE;
  if (op->kind != GHLO_OP_STABLEHLO_BROADCAST_IN_DIM && op->kind != GHLO_OP_STABLEHLO_RESHAPE
      && op->kind != GHLO_OP_STABLEHLO_SLICE && (spec->traits & GHLO_IR_TRAIT_ELEMENTWISE) == 0)
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    if (ghlo_ir_op_operand (op, i)->id != GHLO_PJRT_IS_FREE)
      return FALSE;

  return (spec->traits & GHLO_IR_TRAIT_PURE) != 0 && op->n_operands > 0;
}

static void
list_ops (GhloPjrtPropagation *self)
{
  const GhloIrBlock *body = ghlo_ir_func_get_body (self->function);

  for (guint i = 0; i < body->n_arguments; i++)
    body->arguments[i]->id = 0;
  for (GhloIrOp *op = ghlo_pass_next_op (self->function, self->function); op != NULL;
       op = ghlo_pass_next_op (op, self->function))
    {
      const guint32 id = results_are_free (op) ? GHLO_PJRT_IS_FREE : 0;

      op->id = self->ops->len;
      g_ptr_array_add (self->ops, op);
      for (guint i = 0; i < op->n_results; i++)
        op->results[i].id = id;
      for (guint i = 0; i < op->n_regions; i++)
        for (const GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
          for (guint j = 0; j < block->n_arguments; j++)
            block->arguments[j]->id = 0;
    }
  self->is_queued = g_new0 (gboolean, self->ops->len);
}

gboolean
ghlo_pjrt_propagation_inline (GhloIrModule  *module,
                              GError       **error)
{
  static const char *const only[] = { "inline", NULL };
  const GhloPassOptions options = { .only = only };

  return ghlo_passes_run (module, &options, NULL, NULL, error);
}

/* Returns a copy of @module without calls, or the module itself when it has none. */
static GhloIrModule *
without_calls (GhloIrModule *module,
               GError      **error)
{
  const GhloIrOp *op = module->op;
  g_autoptr (GhloIrModule) copy = NULL;

  while (op != NULL && op->kind != GHLO_OP_FUNC_CALL && op->kind != GHLO_OP_STABLEHLO_COMPOSITE)
    op = ghlo_pass_next_op (op, module->op);
  if (op == NULL)
    return ghlo_ir_module_ref (module);
  copy = ghlo_ir_module_copy (module);

  return ghlo_pjrt_propagation_inline (copy, error) ? g_steal_pointer (&copy) : NULL;
}

static gboolean
open_program (GhloPjrtPropagation *self,
              GhloIrModule        *module,
              GError             **error)
{
  GhloSignature signature;

  self->module = without_calls (module, error);
  if (self->module == NULL || !ghlo_signature_init (&signature, self->module, error))
    return FALSE;
  self->function = signature.function;

  return TRUE;
}

GhloPjrtPropagation *
ghlo_pjrt_propagation_new (GhloIrModule *module,
                           guint         n_partitions,
                           GError      **error)
{
  g_autoptr (GhloPjrtPropagation) self = g_new0 (GhloPjrtPropagation, 1);

  self->n_partitions = n_partitions;
  self->meshes = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_pjrt_mesh_free);
  self->specs = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->groups = g_hash_table_new (NULL, NULL);
  self->all_groups = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  self->ops = g_ptr_array_new ();
  ghlo_pjrt_rule_init (&self->rule);
  if (!open_program (self, module, error))
    return NULL;
  list_ops (self);
  ghlo_pjrt_read_annotations (self);
  for (; self->level < GHLO_PJRT_N_LEVELS && g_hash_table_size (self->specs) > 0; self->level++)
    {
      enqueue_known (self);
      run_worklist (self);
    }

  return g_steal_pointer (&self);
}

void
ghlo_pjrt_propagation_free (GhloPjrtPropagation *self)
{
  ghlo_pjrt_rule_clear (&self->rule);
  g_free (self->is_queued);
  g_ptr_array_unref (self->ops);
  g_hash_table_unref (self->groups);
  g_ptr_array_unref (self->all_groups);
  g_hash_table_unref (self->specs);
  g_ptr_array_unref (self->meshes);
  g_clear_pointer (&self->module, ghlo_ir_module_unref);
  g_free (self);
}

static GhloPjrtSharding *
get (const GhloPjrtPropagation *self,
     GhloPjrtSlot               slot,
     GhloTensorType            *type)
{
  const GhloPjrtSpec *spec = ghlo_pjrt_look_up (self, slot);

  return spec != NULL ? ghlo_pjrt_spec_to_sharding (spec, type) : NULL;
}

GhloPjrtSharding *
ghlo_pjrt_propagation_get_input (GhloPjrtPropagation *self,
                                 guint                index,
                                 GhloTensorType      *type)
{
  return get (self, ghlo_pjrt_value_slot (self, ghlo_ir_func_get_body (self->function)->arguments[index]), type);
}

GhloPjrtSharding *
ghlo_pjrt_propagation_get_output (GhloPjrtPropagation *self,
                                  guint                index,
                                  GhloTensorType      *type)
{
  return get (self, ghlo_pjrt_operand_slot (ghlo_ir_func_get_body (self->function)->last, index), type);
}

GhloPjrtSharding *
ghlo_pjrt_propagation_get_value (GhloPjrtPropagation *self,
                                 const GhloIrValue   *value,
                                 GhloTensorType      *type)
{
  return get (self, ghlo_pjrt_value_slot (self, value), type);
}

const GhloPjrtAxes *
ghlo_pjrt_propagation_get_axes (GhloPjrtPropagation *self,
                                const GhloIrValue   *value,
                                guint                dimension,
                                const GhloPjrtMesh  *mesh)
{
  const GhloPjrtSpec *spec = ghlo_pjrt_look_up (self, ghlo_pjrt_value_slot (self, value));

  return spec != NULL && dimension < spec->rank && ghlo_pjrt_mesh_equal (spec->mesh, mesh)
         ? &spec->dimensions[dimension].axes : NULL;
}
