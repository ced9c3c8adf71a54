/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies if, case and while: the values that enter and leave their regions.
 */

#include "ir/verify/structured.h"

static gboolean
verify_count (GhloIrVerifier *verifier,
              const GhloIrOp *op,
              const char     *what,
              guint           expected,
              guint           found)
{
  if (expected == found)
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op, "expected %u as the number of %s, found %u", expected, what, found);
}

/* Checks that the arguments of a loop's region have the operands' types. */
static gboolean
verify_loop_arguments (GhloIrVerifier *verifier,
                       const GhloIrOp *op,
                       guint           region,
                       const char     *count,
                       const char     *what)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, region);

  if (!verify_count (verifier, op, count, op->n_operands, block->n_arguments))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    if (!ghlo_ir_types_compatible (ghlo_ir_operand_type (op, i), block->arguments[i]->type))
      return ghlo_ir_fail_type (verifier, op, what, i, ghlo_ir_operand_type (op, i), block->arguments[i]->type);

  return TRUE;
}

static gboolean
verify_condition (GhloIrVerifier *verifier,
                  const GhloIrOp *op)
{
  GhloIrReturned returned = ghlo_ir_region_returned (op, 0);
  g_autofree char *found = NULL;

  if (returned.n != 1)
    return ghlo_ir_verify_fail (verifier, op, "expected the condition to return one value, found %u", returned.n);
  if (ghlo_ir_type_is_scalar (ghlo_ir_returned_type (&returned, 0), GHLO_ELEMENT_TYPE_I1))
    return TRUE;
  found = ghlo_ir_type_to_string (ghlo_ir_returned_type (&returned, 0));

  return ghlo_ir_verify_fail (verifier, op, "expected the condition to return tensor<i1>, found %s", found);
}

gboolean
ghlo_ir_verify_while (GhloIrVerifier *verifier,
                      const GhloIrOp *op)
{
  GhloIrReturned returned = ghlo_ir_region_returned (op, 1);

  if (!verify_loop_arguments (verifier, op, 0, "arguments of the condition", "condition argument")
      || !verify_loop_arguments (verifier, op, 1, "arguments of the body", "body argument")
      || !verify_count (verifier, op, "values returned by the body", op->n_operands, returned.n))
    return FALSE;

  for (guint i = 0; i < returned.n; i++)
    if (!ghlo_ir_types_compatible (ghlo_ir_operand_type (op, i), ghlo_ir_returned_type (&returned, i)))
      return ghlo_ir_fail_type (verifier, op, "value returned by the body", i,
                                ghlo_ir_operand_type (op, i), ghlo_ir_returned_type (&returned, i));
  if (!verify_condition (verifier, op) || !ghlo_ir_verify_result_count (verifier, op, op->n_operands))
    return FALSE;

  for (guint i = 0; i < op->n_results; i++)
    if (!ghlo_ir_verify_inferred_type (verifier, op, i, ghlo_ir_operand_type (op, i)))
      return FALSE;

  return TRUE;
}

/* Checks that a branch takes no arguments and returns values like those of the first branch. */
static gboolean
verify_branch (GhloIrVerifier       *verifier,
               const GhloIrOp       *op,
               guint                 index,
               const GhloIrReturned *first)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, index);
  GhloIrReturned returned = ghlo_ir_region_returned (op, index);

  if (block->n_arguments != 0)
    return ghlo_ir_verify_fail (verifier, op, "expected branch %u to take no arguments, found %u",
                                index, block->n_arguments);
  if (returned.n != first->n)
    return ghlo_ir_verify_fail (verifier, op, "expected branch %u to return as many values as branch 0, %u, found %u",
                                index, first->n, returned.n);
  for (guint i = 0; i < returned.n; i++)
    if (!ghlo_ir_types_compatible (ghlo_ir_returned_type (first, i), ghlo_ir_returned_type (&returned, i)))
      {
        g_autofree char *what = g_strdup_printf ("value of branch %u at index", index);

        return ghlo_ir_fail_type (verifier, op, what, i,
                                  ghlo_ir_returned_type (first, i), ghlo_ir_returned_type (&returned, i));
      }

  return TRUE;
}

/* Checks result @index against the types that all branches return. */
static gboolean
verify_branch_result (GhloIrVerifier       *verifier,
                      const GhloIrOp       *op,
                      guint                 index,
                      const GhloIrReturned *first)
{
  const GhloIrType *type = ghlo_ir_returned_type (first, index);
  GhloIrShape shape;

  if (type->kind != GHLO_IR_TYPE_TENSOR)
    return ghlo_ir_verify_inferred_type (verifier, op, index, type);

  ghlo_ir_shape_from_type (&shape, type);
  for (guint i = 1; i < op->n_regions; i++)
    {
      GhloIrReturned returned = ghlo_ir_region_returned (op, i);
      const GhloIrType *other = ghlo_ir_returned_type (&returned, index);

      if (other->kind != GHLO_IR_TYPE_TENSOR)
        return ghlo_ir_verify_inferred_type (verifier, op, index, other);
      if (!ghlo_ir_shape_widen (verifier, op, &shape, other))
        return FALSE;
    }

  return ghlo_ir_verify_inferred (verifier, op, index, &shape, type);
}

static gboolean
verify_branches (GhloIrVerifier *verifier,
                 const GhloIrOp *op)
{
  const GhloIrType *selector = ghlo_ir_operand_type (op, 0);
  GhloIrReturned first;

  if (selector->rank != 0)
    {
      g_autofree char *found = ghlo_ir_type_to_string (selector);

      return ghlo_ir_verify_fail (verifier, op, "expected a scalar that selects the branch, found %s", found);
    }
  if (op->n_regions == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected at least one branch, found none");

  first = ghlo_ir_region_returned (op, 0);
  for (guint i = 0; i < op->n_regions; i++)
    if (!verify_branch (verifier, op, i, &first))
      return FALSE;
  if (!ghlo_ir_verify_result_count (verifier, op, first.n))
    return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (!verify_branch_result (verifier, op, i, &first))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ir_verify_if (GhloIrVerifier *verifier,
                   const GhloIrOp *op)
{
  return verify_branches (verifier, op);
}

gboolean
ghlo_ir_verify_case (GhloIrVerifier *verifier,
                     const GhloIrOp *op)
{
  return verify_branches (verifier, op);
}

/* Whether @shard differs from the tensor's type only in the sizes of dimensions. */
static gboolean
is_shard (const GhloIrType *shard,
          const GhloIrType *whole)
{
  if (shard->kind != GHLO_IR_TYPE_TENSOR || whole->kind != GHLO_IR_TYPE_TENSOR)
    return shard == whole;

  return shard->rank == whole->rank && ghlo_ir_same_element (shard, whole);
}

gboolean
ghlo_ir_verify_manual_computation (GhloIrVerifier *verifier,
                                   const GhloIrOp *op)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);
  GhloIrReturned returned = ghlo_ir_region_returned (op, 0);

  if (block->n_arguments != op->n_operands)
    return ghlo_ir_verify_fail (verifier, op, "expected one argument of the region for each of %u operands, found %u",
                                op->n_operands, block->n_arguments);
  for (guint i = 0; i < op->n_operands; i++)
    if (!is_shard (block->arguments[i]->type, ghlo_ir_operand_type (op, i)))
      return ghlo_ir_fail_type (verifier, op, "a shard as argument", i, ghlo_ir_operand_type (op, i),
                                block->arguments[i]->type);
  if (!ghlo_ir_verify_result_count (verifier, op, returned.n))
    return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (!is_shard (ghlo_ir_returned_type (&returned, i), ghlo_ir_result_type (op, i)))
      return ghlo_ir_fail_type (verifier, op, "a shard as returned value", i, ghlo_ir_result_type (op, i),
                                ghlo_ir_returned_type (&returned, i));

  return TRUE;
}
