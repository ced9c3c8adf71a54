/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies async_start and async_done: one collective or slice in a region of its own, and the future of its result.
 */

#include "ir/verify/structured.h"

/* Whether operations of this kind may run asynchronously. */
static gboolean
may_be_async (GhloIrOpKind kind)
{
  static const guint16 kinds[] = {
    GHLO_OP_STABLEHLO_ALL_GATHER, GHLO_OP_STABLEHLO_ALL_REDUCE, GHLO_OP_STABLEHLO_ALL_TO_ALL,
    GHLO_OP_STABLEHLO_COLLECTIVE_BROADCAST, GHLO_OP_STABLEHLO_COLLECTIVE_PERMUTE,
    GHLO_OP_STABLEHLO_COLLECTIVE_REDUCE, GHLO_OP_STABLEHLO_DYNAMIC_SLICE,
    GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE, GHLO_OP_STABLEHLO_REDUCE_SCATTER, GHLO_OP_STABLEHLO_SLICE,
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i] == kind)
      return TRUE;

  return FALSE;
}

static gboolean
verify_body (GhloIrVerifier    *verifier,
             const GhloIrOp    *op,
             const GhloIrBlock *block)
{
  if (block->first == NULL || block->first->next == NULL || block->first->next != block->last)
    return ghlo_ir_verify_fail (verifier, op, "expected one operation and a return in the region, found %s",
                                block->first == NULL ? "none" : block->first->next == NULL ? "one" : "more");
  if (!may_be_async (block->first->kind))
    return ghlo_ir_verify_fail (verifier, op, "expected a collective operation or a slice in the region, found '%s'",
                                ghlo_ir_op_get_spec (block->first)->name);
  if (block->n_arguments != op->n_operands)
    return ghlo_ir_verify_fail (verifier, op, "expected one argument of the region for each of %u operands, found %u",
                                op->n_operands, block->n_arguments);
  for (guint i = 0; i < op->n_operands; i++)
    if (ghlo_ir_operand_type (op, i) != block->arguments[i]->type)
      return ghlo_ir_fail_type (verifier, op, "argument of the region", i,
                                ghlo_ir_operand_type (op, i), block->arguments[i]->type);

  return TRUE;
}

gboolean
ghlo_ir_verify_async_start (GhloIrVerifier *verifier,
                            const GhloIrOp *op)
{
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  GhloIrReturned returned = ghlo_ir_region_returned (op, 0);
  g_autofree char *expected = NULL;
  g_autofree char *found = NULL;

  if (!verify_body (verifier, op, ghlo_ir_op_region_block (op, 0)))
    return FALSE;
  if (returned.n != 1)
    return ghlo_ir_verify_fail (verifier, op, "expected the region to return one value, found %u", returned.n);
  if (result->rank == 1 && result->members[0] == ghlo_ir_returned_type (&returned, 0))
    return TRUE;

  expected = ghlo_ir_type_to_string (ghlo_ir_returned_type (&returned, 0));
  found = ghlo_ir_type_to_string (result);

  return ghlo_ir_verify_fail (verifier, op, "expected a future of %s as result, found %s", expected, found);
}

gboolean
ghlo_ir_verify_async_done (GhloIrVerifier *verifier,
                           const GhloIrOp *op)
{
  const GhloIrType *future = ghlo_ir_operand_type (op, 0);

  if (future->rank != 1)
    return ghlo_ir_verify_fail (verifier, op, "expected a future of one value, found one of %u", future->rank);

  return ghlo_ir_verify_inferred_type (verifier, op, 0, future->members[0]);
}
