/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies operations that create tensors from attributes or shapes (constants, iota, random numbers), and those that
 * read or set the size of a dimension.
 */

#include "ir/verify/common.h"

/* The plain tensor type with the storage type of @type as elements, which the value of a quantized constant has. */
static gboolean
is_storage_of (const GhloIrType *stored,
               const GhloIrType *type)
{
  return type->quantization != NULL && stored->quantization == NULL && stored->kind == type->kind
         && stored->element_type == type->quantization->storage && stored->rank == type->rank
         && ghlo_ir_extents_compatible (stored->dimensions, stored->rank, type->dimensions, type->rank);
}

gboolean
ghlo_ir_verify_constant (GhloIrVerifier *verifier,
                         const GhloIrOp *op)
{
  const GhloIrAttr *value = ghlo_ir_op_get (op, "value");
  const GhloIrType *result = ghlo_ir_result_type (op, 0);

  if (value->type == result || is_storage_of (value->type, result))
    return TRUE;

  return ghlo_ir_verify_fail_type (verifier, op, "a result of the type of its value,", value->type, result);
}

/* Verifies arith.constant: elements or a number of exactly the result's type. */
gboolean
ghlo_ir_verify_arith_constant (GhloIrVerifier *verifier,
                               const GhloIrOp *op)
{
  const GhloIrAttr *value = ghlo_ir_op_get (op, "value");
  const GhloIrType *result = ghlo_ir_result_type (op, 0);

  if (value->kind == GHLO_IR_ATTR_BOOL
      ? result->kind == GHLO_IR_TYPE_ELEMENT && result->element_type == GHLO_ELEMENT_TYPE_I1
      : value->type == result)
    return TRUE;
  if (value->type == NULL)
    {
      g_autofree char *found = ghlo_ir_type_to_string (result);

      return ghlo_ir_verify_fail (verifier, op, "expected a result of type i1, as its value, found %s", found);
    }

  return ghlo_ir_verify_fail_type (verifier, op, "a result of the type of its value,", value->type, result);
}

gboolean
ghlo_ir_verify_iota (GhloIrVerifier *verifier,
                     const GhloIrOp *op)
{
  guint rank = ghlo_ir_result_type (op, 0)->rank;

  if (rank == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected a result of at least rank 1, found a scalar");

  return ghlo_ir_verify_dim_in_range (verifier, op, "iota_dimension",
                                      ghlo_ir_op_get_int (op, "iota_dimension", 0), rank);
}

gboolean
ghlo_ir_verify_dynamic_iota (GhloIrVerifier *verifier,
                             const GhloIrOp *op)
{
  const GhloIrType *shape = ghlo_ir_operand_type (op, 0);
  guint rank = ghlo_ir_result_type (op, 0)->rank;

  if (shape->dimensions[0] != rank)
    return ghlo_ir_verify_fail (verifier, op, "expected an output shape of %u sizes, the result's rank, found %"
                                G_GINT64_FORMAT, rank, shape->dimensions[0]);

  return ghlo_ir_verify_dim_in_range (verifier, op, "iota_dimension", ghlo_ir_op_get_int (op, "iota_dimension", 0),
                                      rank)
         && ghlo_ir_verify_shape_operand (verifier, op, ghlo_ir_op_operand (op, 0));
}

gboolean
ghlo_ir_verify_rng (GhloIrVerifier *verifier,
                    const GhloIrOp *op)
{
  const GhloIrType *a = ghlo_ir_operand_type (op, 0);
  const GhloIrType *b = ghlo_ir_operand_type (op, 1);
  const GhloIrAttr *distribution = ghlo_ir_op_get (op, "rng_distribution");
  g_autofree gint64 *sizes = NULL;
  GhloIrShape shape;
  gint64 rank;
  gsize n;

  if (!ghlo_ir_same_element (a, b))
    return ghlo_ir_verify_fail_type (verifier, op, "'b' of the element type of", a, b);
  if (g_strcmp0 (ghlo_ir_enum_word (distribution), "NORMAL") == 0 && !ghlo_element_type_is_float (a->element_type))
    return ghlo_ir_verify_fail (verifier, op, "expected floats for a NORMAL distribution, found %s",
                                ghlo_element_info (a->element_type)->name);

  rank = ghlo_ir_operand_type (op, 2)->dimensions[0];
  if (rank > GHLO_MAX_RANK)
    return ghlo_ir_verify_fail (verifier, op, "expected a rank of at most %d, found %" G_GINT64_FORMAT,
                                GHLO_MAX_RANK, rank);
  ghlo_ir_shape_init (&shape, (guint) rank);
  if (ghlo_ir_match_ints (ghlo_ir_op_operand (op, 2), &sizes, &n))
    for (gsize i = 0; i < MIN (n, shape.rank); i++)
      {
        if (sizes[i] < 0)
          return ghlo_ir_verify_fail (verifier, op,
                                      "expected sizes of at least 0 in the shape, found %" G_GINT64_FORMAT,
                                      sizes[i]);
        shape.dimensions[i] = sizes[i];
      }

  return ghlo_ir_verify_inferred (verifier, op, 0, &shape, a);
}

gboolean
ghlo_ir_verify_rng_bit_generator (GhloIrVerifier *verifier,
                                  const GhloIrOp *op)
{
  const GhloIrType *state = ghlo_ir_operand_type (op, 0);
  const GhloIrType *output_state = ghlo_ir_result_type (op, 0);

  if (ghlo_ir_same_element (state, output_state) && ghlo_ir_shapes_compatible (state, output_state))
    return TRUE;

  return ghlo_ir_verify_fail_type (verifier, op, "an output state of the initial state's type", state, output_state);
}

gboolean
ghlo_ir_verify_get_dimension_size (GhloIrVerifier *verifier,
                                   const GhloIrOp *op)
{
  GhloIrShape scalar;

  ghlo_ir_shape_init (&scalar, 0);

  return ghlo_ir_verify_dim_in_range (verifier, op, "dimension", ghlo_ir_op_get_int (op, "dimension", 0),
                                      ghlo_ir_operand_type (op, 0)->rank)
         && ghlo_ir_verify_inferred_element (verifier, op, 0, &scalar, GHLO_ELEMENT_TYPE_I32);
}

/* The dimension becomes dynamic with its previous size as the
 * bound. A constant size equal to the bound makes it static again. */
gboolean
ghlo_ir_verify_set_dimension_size (GhloIrVerifier *verifier,
                                   const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  const GhloIrType *size = ghlo_ir_operand_type (op, 1);
  gint64 dimension = ghlo_ir_op_get_int (op, "dimension", 0);
  g_autofree gint64 *constant = NULL;
  GhloIrShape shape;
  gsize n;

  if (size->rank != 0)
    return ghlo_ir_verify_fail (verifier, op, "expected a scalar size, found rank %u", size->rank);
  if (!ghlo_ir_verify_dim_in_range (verifier, op, "dimension", dimension, operand->rank))
    return FALSE;

  ghlo_ir_shape_from_type (&shape, operand);
  if (shape.dimensions[dimension] >= 0)
    shape.bounds[dimension] = shape.dimensions[dimension];
  shape.dimensions[dimension] = -1;
  if (ghlo_ir_match_ints (ghlo_ir_op_operand (op, 1), &constant, &n) && n == 1
      && constant[0] == shape.bounds[dimension] && constant[0] >= 0)
    {
      shape.dimensions[dimension] = constant[0];
      shape.bounds[dimension] = -1;
    }

  return ghlo_ir_verify_inferred (verifier, op, 0, &shape, operand);
}
