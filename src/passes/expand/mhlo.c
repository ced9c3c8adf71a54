/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Custom calls that stand for operations of MHLO which StableHLO lacks, and CHLO has.
 */

#include "ir/custom-call.h"
#include "ir/verify/verify.h"
#include "passes/constant.h"
#include "passes/expand/build.h"
#include "passes/expand/expand.h"

gboolean
ghlo_expand_mhlo_elementwise (GhloRewriter    *self,
                              const GhloIrOp  *op,
                              GhloIrValue    **results,
                              G_GNUC_UNUSED char **problem)
{
  const GhloIrOpKind kind = ghlo_ir_mhlo_find (ghlo_ir_op_get_string (op, "call_target_name"));
  GhloIrValue *operand = op->n_operands == 1 ? ghlo_ir_op_operand (op, 0) : NULL;

  if (kind == GHLO_OP_INVALID || operand == NULL || op->n_results != 1 || op->results[0].type != operand->type
      || !ghlo_expand_is_plain (op)
      || !ghlo_ir_type_fits (operand->type, ghlo_ir_op_spec (kind)->operands[0].constraint))
    return FALSE;
  results[0] = ghlo_make_unary (self, kind, operand);

  return TRUE;
}

/* The number of elements to take: an attribute, or a constant second operand. */
static gboolean
read_count (const GhloIrOp *op,
            gint64         *k)
{
  g_autofree char *problem = NULL;
  const GhloIrAttr *dense = op->n_operands == 2 ? ghlo_value_get_dense (ghlo_ir_op_operand (op, 1)) : NULL;

  *k = -1;
  if (op->n_operands == 1)
    return ghlo_ir_custom_call_read_integer (op, "k", k, &problem);
  if (dense == NULL || !ghlo_type_is_integer (dense->type) || dense->dense.n_elements != 1)
    return FALSE;
  *k = ghlo_ir_dense_get (dense, 0).i;

  return TRUE;
}

/* The least elements are not expanded: CHLO has no operation for them. */
gboolean
ghlo_expand_top_k (GhloRewriter    *self,
                   const GhloIrOp  *op,
                   GhloIrValue    **results,
                   char           **problem)
{
  const GhloIrType *operand = op->n_operands > 0 ? ghlo_ir_op_operand (op, 0)->type : NULL;
  const GhloIrType *types[2], *indices;
  gint64 dimensions[GHLO_MAX_RANK], k;
  gboolean largest = TRUE;
  GhloIrOp *made;

  if (operand == NULL || op->n_operands > 2 || op->n_results != 2 || !ghlo_expand_is_plain (op) || operand->rank == 0
      || ghlo_element_type_is_complex (operand->element_type)
      || !ghlo_ir_custom_call_read_boolean (op, "largest", &largest, problem) || !largest || !read_count (op, &k)
      || k < 0 || k > operand->dimensions[operand->rank - 1])
    return FALSE;
  for (guint i = 0; i < operand->rank; i++)
    dimensions[i] = i + 1 < operand->rank ? operand->dimensions[i] : k;
  types[0] = ghlo_make_type (self, operand, dimensions, operand->rank);
  types[1] = ghlo_make_type_of (self, GHLO_ELEMENT_TYPE_I32, types[0]);
  indices = op->results[1].type;
  if (op->results[0].type != types[0] || !ghlo_element_type_is_integer (indices->element_type)
      || ghlo_make_type_of (self, GHLO_ELEMENT_TYPE_I32, indices) != types[1])
    return FALSE;

  made = ghlo_make_op (self, &(GhloIrOpState) {
    .kind = GHLO_OP_CHLO_TOP_K, .operands = (GhloIrValue *[]) { ghlo_ir_op_operand (op, 0) }, .n_operands = 1,
    .result_types = types, .n_results = 2,
    .attributes = &(GhloIrNamedAttr) { "k", ghlo_ir_attr_i64 (self->module, k) }, .n_attributes = 1,
  });
  results[0] = &made->results[0];
  results[1] = &made->results[1];

  return TRUE;
}
