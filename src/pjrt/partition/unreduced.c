/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Builds the addends of outputs. Operations that are linear in an operand are repeated for each addend: on parts of
 * the dimensions over which they add, or on the addends of their operands. When a sharded value becomes a sum, each
 * addend is one part of it, padded with 0.
 */

#include "pjrt/partition/unreduced.h"

#include "compiler/signature.h"
#include "ir/attr.h"
#include "pjrt/entry.h"
#include "pjrt/partition/unreduced-private.h"

/* The limit on the number of operations that are added to a program. */
enum { MAX_MADE = 1 << 16 };

/* Returns the slice of @value, which is operand @operand, that addend @index is computed from. */
static GhloIrValue *
make_slice (GhloPjrtUnreduced    *self,
            GhloIrValue          *value,
            guint                 operand,
            const GhloPjrtSlices *slices,
            guint                 index)
{
  gint64 starts[GHLO_MAX_RANK] = { 0 }, limits[GHLO_MAX_RANK], strides[GHLO_MAX_RANK];

  for (guint i = 0; i < value->type->rank; i++)
    {
      limits[i] = value->type->dimensions[i];
      strides[i] = 1;
    }
  for (guint i = 0; i < slices->n; i++)
    {
      const GhloPjrtSlice *slice = &slices->slices[i];
      gint64 size;

      if (slice->operand != operand)
        continue;
      size = value->type->dimensions[slice->dimension] / slice->size;
      starts[slice->dimension] = size * (index / slice->stride % slice->size);
      limits[slice->dimension] = starts[slice->dimension] + size;
    }

  return ghlo_make_slice (&self->maker, value, starts, limits, strides);
}

/* The same slice, padded with 0 to the size of @value. */
static GhloIrValue *
make_part (GhloPjrtUnreduced    *self,
           GhloIrValue          *value,
           const GhloPjrtSlices *slices,
           guint                 index)
{
  const guint rank = value->type->rank;
  gint64 low[GHLO_MAX_RANK] = { 0 }, high[GHLO_MAX_RANK] = { 0 }, none[GHLO_MAX_RANK] = { 0 };
  GhloIrValue *operands[] = {
    make_slice (self, value, 0, slices, index),
    ghlo_make_splat (&self->maker, ghlo_make_type (&self->maker, value->type, NULL, 0), (GhloScalar) { 0 }),
  };

  for (guint i = 0; i < slices->n; i++)
    {
      const GhloPjrtSlice *slice = &slices->slices[i];
      const gint64 size = operands[0]->type->dimensions[slice->dimension];

      low[slice->dimension] = size * (index / slice->stride % slice->size);
      high[slice->dimension] = value->type->dimensions[slice->dimension] - size - low[slice->dimension];
    }

  return ghlo_make (&self->maker, GHLO_OP_STABLEHLO_PAD, value->type, operands, 2,
                    (GhloIrNamedAttr[]) {
                      { "edge_padding_low", ghlo_ir_attr_i64s (self->maker.module, low, rank) },
                      { "edge_padding_high", ghlo_ir_attr_i64s (self->maker.module, high, rank) },
                      { "interior_padding", ghlo_ir_attr_i64s (self->maker.module, none, rank) },
                    }, 3);
}

/* Copies the operation, with slices of its operands. */
static GhloIrValue *
make_from_slices (GhloPjrtUnreduced    *self,
                  const GhloIrOp       *op,
                  const GhloPjrtSlices *slices,
                  guint                 index)
{
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL);
  GhloIrOp *copy = ghlo_ir_op_copy (self->maker.module, op, TRUE, made);

  for (guint i = 0; i < op->n_operands; i++)
    for (guint j = 0; j < slices->n; j++)
      if (slices->slices[j].operand == i)
        {
          ghlo_ir_op_set_operand (copy, i, make_slice (self, ghlo_ir_op_operand (op, i), i, slices, index));
          break;
        }
  if (slices->only_first >= 0 && index > 0)
    ghlo_ir_op_set_operand (copy, (guint) slices->only_first,
                            ghlo_make_splat (&self->maker, ghlo_ir_op_operand (op, (guint) slices->only_first)->type,
                                             (GhloScalar) { 0 }));
  ghlo_ir_op_insert_before (copy, self->maker.op);

  return &copy->results[0];
}

static GhloIrValue *
make_addend (GhloPjrtUnreduced *self,
             GhloIrValue       *value,
             guint              index);

/* Copies the operation, with addends of its operands. */
static GhloIrValue *
make_of_addends (GhloPjrtUnreduced *self,
                 const GhloIrOp    *op,
                 guint              index)
{
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL);
  GhloIrOp *copy;

  for (guint i = 0; i < op->n_operands; i++)
    {
      GhloIrValue *operand = ghlo_ir_op_operand (op, i);

      g_hash_table_insert (made, operand, make_addend (self, operand, index));
    }

  copy = ghlo_ir_op_copy (self->maker.module, op, TRUE, made);
  ghlo_ir_op_insert_before (copy, self->maker.op);

  return &copy->results[0];
}

static GhloIrValue *
make_new_addend (GhloPjrtUnreduced *self,
                 GhloIrValue       *value,
                 guint              index)
{
  const GhloIrOp *op = value->op;
  GhloPjrtSlices slices;

  if (!ghlo_pjrt_unreduced_has_addends (self, value))
    {
      ghlo_pjrt_unreduced_find_parts (self, value, &slices);
      return make_part (self, value, &slices, index);
    }
  if (op->kind == GHLO_OP_SDY_SHARDING_CONSTRAINT)
    return make_addend (self, ghlo_ir_op_operand (op, 0), index);
  if (ghlo_pjrt_unreduced_find_slices (self, op, &slices))
    return make_from_slices (self, op, &slices, index);

  return make_of_addends (self, op, index);
}

/* Returns addend @index of @value, whose addends are known or which is sharded along the axes. */
static GhloIrValue *
make_addend (GhloPjrtUnreduced *self,
             GhloIrValue       *value,
             guint              index)
{
  GhloIrValue *addend = g_hash_table_lookup (self->made, value);

  if (addend == NULL)
    {
      addend = make_new_addend (self, value, index);
      g_hash_table_insert (self->made, value, addend);
    }

  return addend;
}

static GhloIrValue *
make_stack (GhloPjrtUnreduced *self,
            GhloIrValue       *value)
{
  const GhloIrType *type = value->type;
  g_autofree GhloIrValue **rows = g_new (GhloIrValue *, self->n);
  gint64 dimensions[GHLO_MAX_RANK + 1] = { 1 };
  const GhloIrNamedAttr dimension = { "dimension", ghlo_ir_attr_i64 (self->maker.module, 0) };

  for (guint i = 0; i < type->rank; i++)
    dimensions[i + 1] = type->dimensions[i];
  for (guint i = 0; i < self->n; i++)
    {
      g_hash_table_remove_all (self->made);
      rows[i] = make_addend (self, value, i);
      rows[i] = ghlo_make_reshape (&self->maker, rows[i],
                                   ghlo_make_type (&self->maker, type, dimensions, type->rank + 1));
    }
  dimensions[0] = self->n;

  return ghlo_make (&self->maker, GHLO_OP_STABLEHLO_CONCATENATE,
                    ghlo_make_type (&self->maker, type, dimensions, type->rank + 1), rows, self->n, &dimension, 1);
}

/* Whether output @index is a sum along axes over which it can be stacked. Clear @self also on failure. */
static gboolean
unreduced_init (GhloPjrtUnreduced      *self,
                GhloIrModule           *module,
                GhloPjrtPropagation    *propagation,
                const GhloPjrtSharding *output,
                guint                   index)
{
  GhloIrOp *entry = ghlo_ir_module_get_entry (module);
  g_auto (GhloSdyAttr) sharding = { 0 };

  *self = (GhloPjrtUnreduced) {
    .maker = { .module = module, .op = ghlo_ir_func_get_body (entry)->last }, .propagation = propagation,
    .known = g_hash_table_new (NULL, NULL), .made = g_hash_table_new (NULL, NULL), .n = 1,
  };
  if (!output->is_unreduced || output->rank == GHLO_MAX_RANK
      || !ghlo_pjrt_read_sdy (module, ghlo_signature_output_attribute (entry, index, "sdy.sharding"),
                              GHLO_SDY_SHARDING, &sharding, NULL)
      || !ghlo_pjrt_mesh_read (&self->mesh, module, entry, &sharding, output->n_partitions, NULL)
      || !ghlo_pjrt_unreduced_read_axes (&self->mesh, &sharding, &self->axes))
    return FALSE;
  self->n = ghlo_pjrt_unreduced_count (self, 0, self->axes.n);

  return TRUE;
}

static void
unreduced_clear (GhloPjrtUnreduced *self)
{
  ghlo_pjrt_mesh_clear (&self->mesh);
  g_hash_table_unref (self->known);
  g_hash_table_unref (self->made);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloPjrtUnreduced, unreduced_clear)

guint
ghlo_pjrt_stack_unreduced_outputs (GhloIrModule        *module,
                                   GhloPjrtPropagation *propagation,
                                   GhloPjrtSharding   **outputs)
{
  GhloIrOp *end = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module))->last;
  guint n_made = 0, n_stacked = 0;

  for (guint i = 0; i < end->n_operands; i++)
    {
      GhloIrValue *value = ghlo_ir_op_operand (end, i);
      g_auto (GhloPjrtUnreduced) unreduced = { 0 };
      GhloPjrtSlices slices;

      if (!unreduced_init (&unreduced, module, propagation, outputs[i], i)
          || (!ghlo_pjrt_unreduced_has_addends (&unreduced, value)
              && !ghlo_pjrt_unreduced_find_parts (&unreduced, value, &slices)))
        continue;
      n_made += unreduced.n * (g_hash_table_size (unreduced.known) + 1);
      if (n_made > MAX_MADE)
        break;
      ghlo_ir_op_set_operand (end, i, make_stack (&unreduced, value));
      ghlo_pjrt_sharding_stack (outputs[i]);
      n_stacked++;
    }
  if (n_stacked > 0)
    ghlo_pjrt_update_entry (module);

  return n_stacked;
}

gboolean
ghlo_pjrt_has_unreduced_outputs (GhloIrModule *module)
{
  const GhloIrOp *entry = ghlo_ir_module_get_entry (module);
  const GhloIrBlock *body = entry != NULL ? ghlo_ir_func_get_body (entry) : NULL;

  for (guint i = 0; body != NULL && body->last != NULL && i < body->last->n_operands; i++)
    {
      const GhloIrAttr *specified = ghlo_signature_output_attribute (entry, i, "sdy.sharding");
      g_auto (GhloSdyAttr) sharding = { 0 };

      if (specified != NULL && ghlo_pjrt_read_sdy (module, specified, GHLO_SDY_SHARDING, &sharding, NULL)
          && ghlo_sdy_field_n_attrs (&sharding.fields[3]) > 0)
        return TRUE;
    }

  return FALSE;
}
