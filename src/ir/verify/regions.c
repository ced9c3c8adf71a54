/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks regions against their row: their number, the number of
 * blocks in each, and the terminator at the end of each block.
 */

#include "ir/verify/from-table.h"

/* The terminator that the blocks of @op must have, or INVALID if any or none is allowed. A function may also end with
 * stablehlo.return, like any region of StableHLO. */
static GhloIrOpKind
terminator_of (const GhloIrOp *op)
{
  switch (op->kind)
    {
    case GHLO_OP_BUILTIN_MODULE:
    case GHLO_OP_STABLEHLO_COMPOSITE:
      return GHLO_OP_INVALID;
    case GHLO_OP_FUNC_FUNC:
      return GHLO_OP_FUNC_RETURN;
    case GHLO_OP_SDY_MANUAL_COMPUTATION:
      return GHLO_OP_SDY_RETURN;
    default:
      return GHLO_OP_STABLEHLO_RETURN;
    }
}

static gboolean
check_terminator (GhloIrVerifyRun   *run,
                  const GhloIrOp    *op,
                  const char        *name,
                  const GhloIrBlock *block)
{
  GhloIrOpKind wanted = terminator_of (op);
  const GhloIrOp *last = block->last;

  if (wanted == GHLO_OP_INVALID)
    return TRUE;
  if (last == NULL || (last->kind != wanted
                       && (wanted != GHLO_OP_FUNC_RETURN || last->kind != GHLO_OP_STABLEHLO_RETURN)))
    return ghlo_ir_verify_fail (&run->verifier, op, "expected region '%s' to end with '%s', found %s%s%s", name,
                                ghlo_ir_op_spec (wanted)->name, last != NULL ? "'" : "nothing",
                                last != NULL ? ghlo_ir_op_get_spec (last)->name : "", last != NULL ? "'" : "");

  /* Verifiers of operations with regions read the terminator's operands, so these must exist. */
  for (guint i = 0; i < last->n_operands; i++)
    if (last->operands[i].value == NULL)
      return ghlo_ir_verify_fail (&run->verifier, last, "expected a value for operand #%u, found none", i);

  return TRUE;
}

static guint
count_blocks (const GhloIrRegion *region)
{
  guint n = 0;

  for (const GhloIrBlock *block = region->first; block != NULL; block = block->next)
    n++;

  return n;
}

static gboolean
check_region (GhloIrVerifyRun        *run,
              const GhloIrOp         *op,
              const GhloIrRegionSpec *spec,
              const GhloIrRegion     *region)
{
  if (region->first == NULL)
    return spec->any_blocks
           || ghlo_ir_verify_fail (&run->verifier, op, "expected region '%s' to have one block, found none",
                                   spec->name);
  if (region->first != region->last)
    return ghlo_ir_verify_fail (&run->verifier, op, "expected region '%s' to have one block, found %u",
                                spec->name, count_blocks (region));

  for (guint i = 0; i < region->first->n_arguments; i++)
    if (!ghlo_ir_verify_type (run, op, "block argument", region->first->arguments[i]->type))
      return FALSE;

  return check_terminator (run, op, spec->name, region->first);
}

gboolean
ghlo_ir_verify_regions (GhloIrVerifyRun *run,
                        const GhloIrOp  *op)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  gboolean variadic;

  if (op->n_regions == 0 && spec->n_regions == 0)
    return TRUE;

  variadic = spec->n_regions > 0 && spec->regions[spec->n_regions - 1].variadic;
  if (variadic ? op->n_regions + 1 < spec->n_regions : op->n_regions != spec->n_regions)
    return ghlo_ir_verify_fail (&run->verifier, op, "expected %s%u regions, found %u", variadic ? "at least " : "",
                                variadic ? spec->n_regions - 1u : spec->n_regions, op->n_regions);

  for (guint i = 0; i < op->n_regions; i++)
    if (!check_region (run, op, &spec->regions[MIN (i, spec->n_regions - 1u)], &op->regions[i]))
      return FALSE;

  return TRUE;
}
