/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rules about dynamic slices, scatter and sort, where the indices are constants or only one index is possible, and
 * about selections between an array and its update. Start indices are clamped (StableHLO's specification of
 * dynamic_slice), so a slice as large as its operand is all of it.
 */

#include "passes/canonicalize.h"

#include <string.h>

#include "passes/constant.h"
#include "passes/effects.h"

/* Gets the clamped start indices, which are the operands from @first on; FALSE when one is not constant. */
static gboolean
get_starts (const GhloIrOp   *op,
            guint             first,
            const GhloIrType *operand,
            const GhloIrType *slice,
            gint64           *starts)
{
  for (guint i = 0; i < operand->rank; i++)
    {
      const GhloIrValue *index = ghlo_ir_op_operand (op, first + i);
      gint64 last = operand->dimensions[i] - slice->dimensions[i];
      gboolean is_unsigned;
      GhloScalar scalar;

      if (last == 0)
        {
          starts[i] = 0;
          continue;
        }
      if (!ghlo_type_is_integer (index->type) || !ghlo_value_get_splat (index, &scalar))
        return FALSE;
      is_unsigned = ghlo_element_info (index->type->element_type)->element_class == GHLO_ELEMENT_CLASS_UNSIGNED;
      starts[i] = is_unsigned && scalar.u > (guint64) last ? last : CLAMP (scalar.i, 0, last);
    }

  return TRUE;
}

/* A dynamic slice at a known position is a slice. */
static gboolean
dynamic_slice_at_constant (GhloRewriter *self,
                           GhloIrOp     *op)
{
  GhloIrValue *operand = ghlo_ir_op_operand (op, 0);
  const GhloIrType *type = op->results[0].type;
  gint64 starts[GHLO_MAX_RANK], limits[GHLO_MAX_RANK], strides[GHLO_MAX_RANK];

  if (!ghlo_type_is_plain (operand->type) || !ghlo_type_is_plain (type)
      || !get_starts (op, 1, operand->type, type, starts))
    return FALSE;
  for (guint i = 0; i < operand->type->rank; i++)
    {
      limits[i] = starts[i] + type->dimensions[i];
      strides[i] = 1;
    }

  return ghlo_rewrite_replace (self, op, ghlo_make_slice (self, operand, starts, limits, strides));
}

/* A dynamic slice that reads exactly what was just written: same sizes, same indices. */
static gboolean
dynamic_slice_of_update (GhloRewriter *self,
                         GhloIrOp     *op)
{
  const GhloIrOp *update = ghlo_ir_op_operand (op, 0)->op;

  if (update == NULL || update->kind != GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE
      || ghlo_ir_op_operand (update, 1)->type != op->results[0].type || !ghlo_type_is_plain (op->results[0].type)
      || update->n_operands != op->n_operands + 1)
    return FALSE;
  for (guint i = 1; i < op->n_operands; i++)
    if (ghlo_ir_op_operand (op, i) != ghlo_ir_op_operand (update, i + 1))
      return FALSE;

  return ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (update, 1));
}

/* An update of all elements, or of none. */
static gboolean
update_all_or_nothing (GhloRewriter *self,
                       GhloIrOp     *op)
{
  GhloIrValue *operand = ghlo_ir_op_operand (op, 0), *update = ghlo_ir_op_operand (op, 1);

  if (!ghlo_type_is_plain (operand->type) || !ghlo_type_is_plain (update->type))
    return FALSE;
  if (ghlo_type_count (update->type) == 0)
    return ghlo_rewrite_replace (self, op, operand);

  return update->type == operand->type && ghlo_rewrite_replace (self, op, update);
}

/* An update that a second update at the same position overwrites. */
static gboolean
update_twice (GhloRewriter *self,
              GhloIrOp     *op)
{
  const GhloIrOp *inner = ghlo_ir_op_operand (op, 0)->op;

  if (inner == NULL || inner->kind != op->kind || inner->n_operands != op->n_operands
      || ghlo_ir_op_operand (inner, 1)->type != ghlo_ir_op_operand (op, 1)->type
      || ghlo_ir_op_operand (inner, 0)->type != ghlo_ir_op_operand (op, 0)->type)
    return FALSE;
  for (guint i = 2; i < op->n_operands; i++)
    if (ghlo_ir_op_operand (op, i) != ghlo_ir_op_operand (inner, i))
      return FALSE;
  ghlo_rewrite_set_operand (self, op, 0, ghlo_ir_op_operand (inner, 0));

  return TRUE;
}

/* An iota along a dimension of size 1 is 0. */
static gboolean
iota_of_one (GhloRewriter *self,
             GhloIrOp     *op)
{
  const GhloIrType *type = op->results[0].type;

  return ghlo_type_is_plain (type) && type->dimensions[ghlo_ir_op_get_int (op, "iota_dimension", 0)] <= 1
         && ghlo_rewrite_replace (self, op, ghlo_make_number (self, type, 0));
}

static gboolean
size_of_static (GhloRewriter *self,
                GhloIrOp     *op)
{
  const GhloIrType *type = ghlo_ir_op_operand (op, 0)->type;

  return ghlo_type_is_plain (type) && ghlo_type_is_plain (op->results[0].type)
         && ghlo_rewrite_replace (self, op, ghlo_make_splat (self, op->results[0].type, (GhloScalar) {
              .i = type->dimensions[ghlo_ir_op_get_int (op, "dimension", 0)],
            }));
}

/* Replaces the results by the first @op->n_results operands. */
static gboolean
replace_with_inputs (GhloRewriter *self,
                     GhloIrOp     *op)
{
  g_autofree GhloIrValue **inputs = g_new (GhloIrValue *, op->n_results + 1);

  for (guint i = 0; i < op->n_results; i++)
    inputs[i] = ghlo_ir_op_operand (op, i);

  return ghlo_rewrite_replace_all (self, op, inputs);
}

static gboolean
scatter_of_nothing (GhloRewriter *self,
                    GhloIrOp     *op)
{
  const GhloIrType *updates = ghlo_ir_op_operand (op, op->n_operands - 1)->type;

  return op->n_results > 0 && ghlo_type_is_plain (updates) && ghlo_type_count (updates) == 0
         && ghlo_pass_is_pure (op, NULL) && replace_with_inputs (self, op);
}

/* Rows of at most one element are already sorted. */
static gboolean
sort_of_one (GhloRewriter *self,
             GhloIrOp     *op)
{
  const GhloIrType *type = op->n_operands > 0 ? ghlo_ir_op_operand (op, 0)->type : NULL;
  gint64 dimension = ghlo_ir_op_get_int (op, "dimension", -1);

  if (type == NULL || !ghlo_type_is_plain (type) || type->rank == 0 || !ghlo_pass_is_pure (op, NULL))
    return FALSE;
  dimension += dimension < 0 ? type->rank : 0;

  return type->dimensions[dimension] <= 1 && replace_with_inputs (self, op);
}

/* A selection between an array and an update of it becomes an update, of what is selected between the new and the old
 * elements. Only those are read and written then, instead of two whole arrays, and a loop that carries the array
 * updates it in place. */

/* Updates, one of the other, that are followed from the selection to the array. */
enum { MAX_UPDATES = 8 };

/* Whether there is an index that leaves every window out of bounds, however its elements are numbered. */
static gboolean
may_scatter_nowhere (const GhloIrOp *scatter)
{
  const GhloIrType *indices = ghlo_ir_op_operand (scatter, 1)->type;
  const GhloIrAttr *numbers = ghlo_ir_op_get (scatter, "scatter_dimension_numbers");
  gsize n = 0;

  if (numbers != NULL)
    (void) ghlo_ir_struct_get_dims (numbers, "scatter_dims_to_operand_dims", &n);

  return n > 0 && scatter->n_operands == 3 && ghlo_type_is_plain (indices)
         && ghlo_element_info (indices->element_type)->element_class == GHLO_ELEMENT_CLASS_SIGNED
         && ghlo_element_info (indices->element_type)->bits >= 32;
}

/* The operand that @value is an update of; NULL where it is none, or where something else reads it. */
static GhloIrValue *
get_updated (const GhloIrValue *value)
{
  GhloIrOp *op = value->op;

  if (op == NULL || !ghlo_ir_value_has_one_use (value) || !ghlo_type_is_plain (value->type))
    return NULL;
  if (op->kind == GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE)
    return ghlo_type_is_plain (ghlo_ir_op_operand (op, 1)->type) ? ghlo_ir_op_operand (op, 0) : NULL;

  return op->kind == GHLO_OP_STABLEHLO_SCATTER && may_scatter_nowhere (op) ? ghlo_ir_op_operand (op, 0) : NULL;
}

/* Whether @value is @array after updates of few of its elements. */
static gboolean
is_update_of (const GhloIrValue *value,
              const GhloIrValue *array)
{
  for (guint i = 0; i < MAX_UPDATES && value->op != NULL && value->type == array->type; i++)
    {
      const guint index = value->op->kind == GHLO_OP_STABLEHLO_SCATTER ? 2 : 1;
      const GhloIrValue *updated = get_updated (value);

      if (updated == NULL || 2 * ghlo_ir_type_count_elements (ghlo_ir_op_operand (value->op, index)->type)
                               > ghlo_ir_type_count_elements (array->type))
        return FALSE;
      if (updated == array)
        return TRUE;
      value = updated;
    }

  return FALSE;
}

static GhloIrValue *
select_between (GhloRewriter *self,
                GhloIrValue  *predicate,
                GhloIrValue  *on_true,
                GhloIrValue  *on_false)
{
  return on_true == on_false ? on_true
                             : ghlo_make (self, GHLO_OP_STABLEHLO_SELECT, on_true->type,
                                          (GhloIrValue *[]) { predicate, on_true, on_false }, 3, NULL, 0);
}

/* Writes the new elements, or the old ones again. */
static GhloIrValue *
update_slice (GhloRewriter   *self,
              const GhloIrOp *update,
              GhloIrValue    *array,
              GhloIrValue    *predicate,
              gboolean        when)
{
  const GhloIrType *type = ghlo_ir_op_operand (update, 1)->type;
  g_autofree GhloIrValue **operands = g_new (GhloIrValue *, update->n_operands);
  GhloIrValue *old, *new = ghlo_ir_op_operand (update, 1);

  for (guint i = 2; i < update->n_operands; i++)
    operands[i] = ghlo_ir_op_operand (update, i);
  operands[0] = operands[1] = array;
  old = ghlo_make (self, GHLO_OP_STABLEHLO_DYNAMIC_SLICE, type, operands + 1, update->n_operands - 1,
                   &(GhloIrNamedAttr) { "slice_sizes", ghlo_ir_attr_i64s (self->module, type->dimensions, type->rank) },
                   1);
  operands[1] = select_between (self, predicate, when ? new : old, when ? old : new);

  return ghlo_make_like (self, update, operands, update->results[0].type);
}

/* Scatters to the new elements, or nowhere. */
static GhloIrValue *
scatter (GhloRewriter   *self,
         const GhloIrOp *update,
         GhloIrValue    *array,
         GhloIrValue    *predicate,
         gboolean        when)
{
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL);
  GhloIrValue *indices = ghlo_ir_op_operand (update, 1);
  const guint bits = ghlo_element_info (indices->type->element_type)->bits;
  GhloIrValue *nowhere = ghlo_make_splat (self, indices->type, (GhloScalar) { .i = -((gint64) 1 << (bits - 2)) });
  GhloIrOp *op;

  indices = select_between (self, predicate, when ? indices : nowhere, when ? nowhere : indices);
  op = ghlo_ir_op_copy (self->module, update, TRUE, made);
  ghlo_ir_op_insert_before (op, self->op);
  ghlo_rewrite_set_operand (self, op, 0, array);
  ghlo_rewrite_set_operand (self, op, 1, indices);

  return &op->results[0];
}

static gboolean
select_of_update (GhloRewriter *self,
                  GhloIrOp     *op)
{
  GhloIrValue *predicate = ghlo_ir_op_operand (op, 0), *array;
  GhloIrValue *arms[] = { ghlo_ir_op_operand (op, 2), ghlo_ir_op_operand (op, 1) };
  const GhloIrOp *update;

  if (!ghlo_type_is_plain (predicate->type) || predicate->type->rank > 0 || !ghlo_type_is_plain (op->results[0].type))
    return FALSE;
  for (guint when = 0; when < 2; when++)
    {
      if (!is_update_of (arms[when], arms[!when]))
        continue;
      update = arms[when]->op;
      array = ghlo_ir_op_operand (update, 0);
      array = select_between (self, predicate, when ? array : arms[!when], when ? arms[!when] : array);

      return ghlo_rewrite_replace (self, op, update->kind == GHLO_OP_STABLEHLO_SCATTER
                                               ? scatter (self, update, array, predicate, when)
                                               : update_slice (self, update, array, predicate, when));
    }

  return FALSE;
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_DYNAMIC_SLICE, dynamic_slice_at_constant },
  { GHLO_OP_STABLEHLO_DYNAMIC_SLICE, dynamic_slice_of_update },
  { GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE, update_all_or_nothing },
  { GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE, update_twice },
  { GHLO_OP_STABLEHLO_IOTA, iota_of_one },
  { GHLO_OP_STABLEHLO_GET_DIMENSION_SIZE, size_of_static },
  { GHLO_OP_STABLEHLO_SCATTER, scatter_of_nothing },
  { GHLO_OP_STABLEHLO_SELECT, select_of_update },
  { GHLO_OP_STABLEHLO_SORT, sort_of_one },
};

const GhloRuleGroup ghlo_canonicalize_indexing = { rows, G_N_ELEMENTS (rows) };
