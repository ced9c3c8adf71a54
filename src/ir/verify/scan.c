/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies chlo.scan: the body takes its inputs and returns its
 * outputs without the scanned dimension, and carries keep their shape.
 */

#include "ir/verify/common.h"

/* The operand and result groups of a scan, from its segment sizes. */
typedef struct
{
  guint   n_inputs;
  guint   n_inits;
  guint   n_outputs;
  guint   n_carries;
  guint   dimension;
  gint64  size;        /* of the scanned dimension, -1 if unknown */
} Scan;

static gboolean
read_scan (GhloIrVerifier *verifier,
           const GhloIrOp *op,
           Scan           *scan)
{
  gint64 dimension = ghlo_ir_op_get_int (op, "dimension", 0);
  guint first;

  ghlo_ir_op_operand_group (op, 0, &first, &scan->n_inputs);
  ghlo_ir_op_operand_group (op, 1, &first, &scan->n_inits);
  ghlo_ir_op_result_group (op, 0, &first, &scan->n_outputs);
  ghlo_ir_op_result_group (op, 1, &first, &scan->n_carries);
  if (scan->n_inputs == 0 && scan->n_outputs == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected inputs or outputs, found neither");
  if (scan->n_inits != scan->n_carries)
    return ghlo_ir_verify_fail (verifier, op, "expected %u carries, one for each init, found %u",
                                scan->n_inits, scan->n_carries);
  if (dimension >= GHLO_MAX_RANK)
    return ghlo_ir_verify_fail (verifier, op, "expected a dimension below %d, found %" G_GINT64_FORMAT,
                                GHLO_MAX_RANK, dimension);

  scan->dimension = (guint) dimension;
  scan->size = ghlo_ir_op_get_int (op, "scan_dim_size", -1);

  return TRUE;
}

/* Checks that operands are ranked and that all inputs have the same size in the scanned dimension. */
static gboolean
operands_fit (GhloIrVerifier *verifier,
              const GhloIrOp *op,
              Scan           *scan)
{
  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloIrType *type = ghlo_ir_operand_type (op, i);

      if (type->kind != GHLO_IR_TYPE_TENSOR)
        return ghlo_ir_verify_fail (verifier, op, "expected a ranked operand #%u, found an unranked one", i);
      if (i >= scan->n_inputs)
        continue;
      if (scan->dimension >= type->rank)
        return ghlo_ir_verify_fail (verifier, op, "expected operand #%u with more than %u dimensions, found %u",
                                    i, scan->dimension, type->rank);
      if (!ghlo_ir_dims_compatible (scan->size, type->dimensions[scan->dimension]))
        return ghlo_ir_verify_fail (verifier, op, "expected size %" G_GINT64_FORMAT " of the scanned dimension of"
                                    " operand #%u, found %" G_GINT64_FORMAT,
                                    scan->size, i, type->dimensions[scan->dimension]);
      scan->size = MAX (scan->size, type->dimensions[scan->dimension]);
    }

  return TRUE;
}

static void
shape_without (GhloIrShape      *shape,
               const GhloIrType *type,
               guint             dimension)
{
  ghlo_ir_shape_init (shape, type->rank - 1);
  for (guint i = 0; i < shape->rank; i++)
    {
      shape->dimensions[i] = type->dimensions[i + (i >= dimension)];
      shape->bounds[i] = ghlo_ir_type_bound (type, i + (i >= dimension));
    }
}

static gboolean
argument_fits (const Scan       *scan,
               guint             index,
               const GhloIrType *operand,
               const GhloIrType *argument)
{
  GhloIrShape shape;

  if (index >= scan->n_inputs)
    return ghlo_ir_types_compatible (operand, argument);
  if (!ghlo_ir_type_is_shaped (argument) || !ghlo_ir_elements_compatible (operand, argument))
    return FALSE;
  if (argument->kind == GHLO_IR_TYPE_UNRANKED)
    return TRUE;
  shape_without (&shape, operand, scan->dimension);

  return ghlo_ir_extents_compatible (shape.dimensions, shape.rank, argument->dimensions, argument->rank);
}

static gboolean
arguments_fit (GhloIrVerifier *verifier,
               const GhloIrOp *op,
               const Scan     *scan)
{
  const GhloIrBlock *body = ghlo_ir_op_region_block (op, 0);

  if (body->n_arguments != op->n_operands)
    return ghlo_ir_verify_fail (verifier, op, "expected a body of %u arguments, one for each operand, found %u",
                                op->n_operands, body->n_arguments);
  for (guint i = 0; i < op->n_operands; i++)
    {
      g_autofree char *operand = NULL;
      g_autofree char *argument = NULL;

      if (argument_fits (scan, i, ghlo_ir_operand_type (op, i), body->arguments[i]->type))
        continue;
      operand = ghlo_ir_type_to_string (ghlo_ir_operand_type (op, i));
      argument = ghlo_ir_type_to_string (body->arguments[i]->type);
      return ghlo_ir_verify_fail (verifier, op, "expected argument #%u of the body to fit an operand of type %s,"
                                  " found %s", i, operand, argument);
    }

  return TRUE;
}

/* Checks result @index against the value that the body returns for it. */
static gboolean
result_fits (GhloIrVerifier   *verifier,
             const GhloIrOp   *op,
             const Scan       *scan,
             guint             index,
             const GhloIrType *returned)
{
  GhloIrShape shape;

  if (returned->kind != GHLO_IR_TYPE_TENSOR)
    {
      g_autofree char *found = ghlo_ir_type_to_string (returned);

      return ghlo_ir_verify_fail (verifier, op, "expected a body that returns ranked tensors, found %s", found);
    }
  ghlo_ir_shape_from_type (&shape, returned);
  if (index >= scan->n_outputs)
    return ghlo_ir_verify_inferred (verifier, op, index, &shape, returned);

  if (scan->dimension > returned->rank || returned->rank >= GHLO_MAX_RANK)
    return ghlo_ir_verify_fail (verifier, op, "expected output #%u of at least rank %u, found rank %u",
                                index, scan->dimension, returned->rank);
  for (guint i = shape.rank; i > scan->dimension; i--)
    {
      shape.dimensions[i] = shape.dimensions[i - 1];
      shape.bounds[i] = shape.bounds[i - 1];
    }
  shape.rank++;
  shape.dimensions[scan->dimension] = scan->size;
  shape.bounds[scan->dimension] = -1;

  return ghlo_ir_verify_inferred (verifier, op, index, &shape, returned);
}

gboolean
ghlo_ir_verify_scan (GhloIrVerifier *verifier,
                     const GhloIrOp *op)
{
  const GhloIrOp *end = ghlo_ir_op_region_block (op, 0)->last;
  Scan scan;

  if (!read_scan (verifier, op, &scan) || !operands_fit (verifier, op, &scan) || !arguments_fit (verifier, op, &scan))
    return FALSE;
  if (end->n_operands != op->n_results)
    return ghlo_ir_verify_fail (verifier, op, "expected a body that returns %u values, one for each result, found %u",
                                op->n_results, end->n_operands);
  for (guint i = 0; i < op->n_results; i++)
    if (!result_fits (verifier, op, &scan, i, ghlo_ir_operand_type (end, i)))
      return FALSE;

  return TRUE;
}
