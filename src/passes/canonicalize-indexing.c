/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rules about dynamic slices, scatter and sort, where the indices are constants or only one index is possible. Start
 * indices are clamped (StableHLO's specification of dynamic_slice), so a slice as large as its operand is all of it.
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
  for (guint i = 0; i < type->rank; i++)
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

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_DYNAMIC_SLICE, dynamic_slice_at_constant },
  { GHLO_OP_STABLEHLO_DYNAMIC_SLICE, dynamic_slice_of_update },
  { GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE, update_all_or_nothing },
  { GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE, update_twice },
  { GHLO_OP_STABLEHLO_IOTA, iota_of_one },
  { GHLO_OP_STABLEHLO_GET_DIMENSION_SIZE, size_of_static },
  { GHLO_OP_STABLEHLO_SCATTER, scatter_of_nothing },
  { GHLO_OP_STABLEHLO_SORT, sort_of_one },
};

const GhloRuleGroup ghlo_canonicalize_indexing = { rows, G_N_ELEMENTS (rows) };
