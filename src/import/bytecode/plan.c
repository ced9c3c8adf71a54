/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decides how each operation is written, and places the casts between operations of VHLO, whose values have VHLO's
 * types, and operations that are written as they are.
 *
 * Casts are placed where upstream's conversion leaves them: one for each value that needs it,
 * directly after the operation that defines the value or at the start of its block, the most
 * recently requested one first. The first operation that uses a cast to VHLO requests it and gives
 * it its location. Casts in the other direction come after all of those, in the order of the
 * values, with the location of the value itself (StablehloLegalizeToVhlo, MLIR's conversions).
 */

#include "import/bytecode/writer.h"

#include <string.h>

typedef gboolean (*Visit) (GhloBytecodeWriter *self,
                           GhloIrOp           *op);

/* Visits all operations, each before those inside it. */
static gboolean
walk (GhloBytecodeWriter *self,
      GhloIrOp           *op,
      Visit               visit,
      guint               depth)
{
  if (depth > GHLO_MAX_NESTING)
    return ghlo_bytecode_refuse (self, GHLO_ERROR_UNSUPPORTED, "expected regions nested at most %d deep, found more",
                                 GHLO_MAX_NESTING);
  if (!visit (self, op))
    return FALSE;

  for (guint i = 0; i < op->n_regions; i++)
    for (GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
        if (!walk (self, inner, visit, depth + 1))
          return FALSE;

  return TRUE;
}

gboolean
ghlo_bytecode_value_is_vhlo (GhloBytecodeWriter *self,
                             const GhloIrValue  *value)
{
  const GhloIrOp *op = value->op != NULL ? value->op : value->block->region->op;

  return ghlo_vhlo_has_op (op->kind);
}

GhloBytecodeCast *
ghlo_bytecode_cast_for (GhloBytecodeWriter *self,
                        const GhloIrValue  *value,
                        gboolean            vhlo)
{
  if (self->casts == NULL || ghlo_bytecode_value_is_vhlo (self, value) == vhlo)
    return NULL;

  return g_hash_table_lookup (self->casts, value);
}

static const GhloIrRegion *
region_of (const GhloIrValue *value)
{
  const GhloIrBlock *block = value->op != NULL ? value->op->block : value->block;

  return block->region;
}

/* If a region uses a value from outside, no region between the use and the definition is isolated. */
static void
end_isolation (GhloBytecodeWriter *self,
               const GhloIrOp     *op,
               const GhloIrValue  *value)
{
  const GhloIrRegion *outer = region_of (value), *region = op->block->region;

  while (region != outer && region->op->block != NULL)
    {
      ghlo_bytecode_plan_of (self, region->op)->isolated = FALSE;
      region = region->op->block->region;
    }
}

/* Inserts @cast after the operation or at the start of the block, before casts that are already there. */
static void
insert_cast (GhloBytecodeWriter *self,
             GhloBytecodeCast   *cast)
{
  const GhloIrValue *value = cast->value;
  GhloBytecodePlan *plan;

  if (value->op == NULL)
    {
      cast->next = g_hash_table_lookup (self->block_casts, value->block);
      g_hash_table_insert (self->block_casts, value->block, cast);
      return;
    }

  plan = ghlo_bytecode_plan_of (self, value->op);
  cast->next = plan->casts;
  plan->casts = cast;
}

static void
need_cast (GhloBytecodeWriter *self,
           const GhloIrOp     *user,
           const GhloIrValue  *value,
           gboolean            to_vhlo)
{
  GhloBytecodeCast *cast;

  if (!ghlo_bytecode_type_in_vhlo (value->type) || g_hash_table_contains (self->casts, value))
    return;

  cast = ghlo_ir_arena_alloc (&self->arena, sizeof *cast);
  cast->value = value;
  cast->to_vhlo = to_vhlo;
  cast->location = user->location;
  g_hash_table_insert (self->casts, (gpointer) value, cast);
  if (to_vhlo)
    insert_cast (self, cast);
}

static void
plan_operands (GhloBytecodeWriter *self,
               const GhloIrOp     *op,
               gboolean            vhlo)
{
  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloIrValue *value = op->operands[i].value;

      if (region_of (value) != op->block->region)
        end_isolation (self, op, value);
      if (ghlo_bytecode_value_is_vhlo (self, value) != vhlo)
        need_cast (self, op, value, vhlo);
    }
}

/* Whether VHLO has a later version of the operation than the chosen one. */
static gboolean
is_older (const GhloIrOp   *op,
          const GhloVhloOp *vhlo)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  const char *version = strrchr (ghlo_vhlo_op_name (vhlo), 'v');

  return version != NULL && spec->n_versions > 0
         && g_ascii_strtoull (version + 1, NULL, 10) < spec->versions[spec->n_versions - 1].version;
}

static gboolean
plan_vhlo (GhloBytecodeWriter *self,
           const GhloIrOp     *op)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  GhloBytecodePlan *plan = ghlo_bytecode_plan_of (self, op);

  plan->vhlo = ghlo_vhlo_downgrade (op, self->module, self->target, values, &self->error);
  if (plan->vhlo == NULL)
    return FALSE;

  plan->n_values = (guint16) values->len;
  plan->values = ghlo_ir_arena_copy (&self->arena, values->pdata, values->len * sizeof (gpointer));
  plan->older = is_older (op, plan->vhlo);
  self->reordered |= plan->older;

  return TRUE;
}

static gboolean
plan_native (GhloBytecodeWriter *self,
             const GhloIrOp     *op)
{
  const char *name = ghlo_ir_op_get_name (op);

  if (op->kind == GHLO_OP_UNREGISTERED)
    return ghlo_bytecode_refuse (self, GHLO_ERROR_UNSUPPORTED,
                                 "%s cannot be part of a portable artifact: it is an unknown operation", name);
  if (op->kind != GHLO_OP_BUILTIN_MODULE && ghlo_ir_version_compare (self->target, GHLO_BYTECODE_MIXED_VERSION) < 0)
    return ghlo_bytecode_refuse (self, GHLO_ERROR_UNSUPPORTED,
                                 "%s needs StableHLO 1.11.0, the target is %u.%u.%u: it is not an operation of VHLO",
                                 name, self->target.major, self->target.minor, self->target.patch);

  return TRUE;
}

/* VHLO has a single return operation. At the end of a function it is read as func.return, so a return that could not
 * be a func.return is rejected. */
static gboolean
check_return (GhloBytecodeWriter *self,
              const GhloIrOp     *op)
{
  const GhloIrOp *function = ghlo_ir_op_get_parent (op);
  const GhloIrAttr *type = NULL;
  gboolean fits;

  if (op->kind != GHLO_OP_STABLEHLO_RETURN || function == NULL || function->kind != GHLO_OP_FUNC_FUNC)
    return TRUE;
  type = ghlo_ir_op_get (function, "function_type");
  fits = type != NULL && type->type->n_results == op->n_operands;
  for (guint i = 0; fits && i < op->n_operands; i++)
    fits = ghlo_ir_op_operand (op, i)->type == type->type->members[type->type->rank + i];
  if (fits)
    return TRUE;

  return ghlo_bytecode_refuse (self, GHLO_ERROR_UNSUPPORTED,
                               "stablehlo.return cannot be part of a portable artifact here: it ends a function whose "
                               "results have other types");
}

static gboolean
plan_op (GhloBytecodeWriter *self,
         GhloIrOp           *op)
{
  gboolean vhlo = ghlo_vhlo_has_op (op->kind);

  op->id = (guint32) self->plans.n;
  GHLO_IMPORT_PUSH (&self->plans, (GhloBytecodePlan) { .order = op->id, .isolated = op->n_regions > 0 });

  if (!ghlo_bytecode_writer_go_on (self)
      || !check_return (self, op)
      || !(vhlo ? plan_vhlo (self, op) : plan_native (self, op)))
    return FALSE;
  plan_operands (self, op, vhlo);

  return TRUE;
}

static void
insert_cast_of (GhloBytecodeWriter *self,
                const GhloIrValue  *value)
{
  GhloBytecodeCast *cast = g_hash_table_lookup (self->casts, value);

  if (cast == NULL || cast->to_vhlo)
    return;
  cast->location = value->op != NULL ? value->op->location : value->location;
  insert_cast (self, cast);
}

/* Inserts the casts from VHLO's types, once all that are needed are known. */
static gboolean
insert_casts (GhloBytecodeWriter *self,
              GhloIrOp           *op)
{
  for (guint i = 0; i < op->n_results; i++)
    insert_cast_of (self, &op->results[i]);
  for (guint i = 0; i < op->n_regions; i++)
    for (GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (guint k = 0; k < block->n_arguments; k++)
        insert_cast_of (self, block->arguments[k]);

  return TRUE;
}

gboolean
ghlo_bytecode_step (GhloBytecodeWriter *self,
                    const GhloIrBlock  *block,
                    GhloBytecodeStep   *step)
{
  if (step->cast != NULL)
    step->cast = step->cast->next;
  else if (step->op != NULL)
    step->cast = ghlo_bytecode_plan_of (self, step->op)->casts;
  else
    step->cast = g_hash_table_lookup (self->block_casts, block);

  if (step->cast != NULL)
    return TRUE;
  step->op = step->op != NULL ? step->op->next : block->first;

  return step->op != NULL;
}

/* Numbers operations and casts together, in pre-order. */
static void
give_order (GhloBytecodeWriter *self,
            const GhloIrOp     *op,
            guint32            *order)
{
  ghlo_bytecode_plan_of (self, op)->order = (*order)++;

  for (guint i = 0; i < op->n_regions; i++)
    for (GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      {
        GhloBytecodeStep step = { NULL, NULL };

        while (ghlo_bytecode_step (self, block, &step))
          if (step.cast != NULL)
            step.cast->order = (*order)++;
          else
            give_order (self, step.op, order);
      }
}

gboolean
ghlo_bytecode_plan (GhloBytecodeWriter *self)
{
  guint32 order = 0;

  if (!walk (self, self->module->op, plan_op, 0))
    return FALSE;

  if (g_hash_table_size (self->casts) > 0)
    {
      walk (self, self->module->op, insert_casts, 0);
      give_order (self, self->module->op, &order);
      self->reordered = TRUE;
    }

  return TRUE;
}
