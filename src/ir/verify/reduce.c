/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Regions that combine values, and the verifiers of reduce, map and sort. A region may compute in a wider type than
 * its inputs; the values that it returns determine the element types of the results.
 */

#include "ir/verify/reduce.h"

static gboolean
fail_argument (GhloIrVerifier   *verifier,
               const GhloIrOp   *op,
               guint             index,
               const GhloIrType *argument,
               const GhloIrType *other,
               const char       *what)
{
  g_autofree char *found = ghlo_ir_type_to_string (argument);
  g_autofree char *expected = ghlo_ir_type_to_string (other);

  return ghlo_ir_verify_fail (verifier, op, "expected argument %u of the region to fit %s of type %s, found %s",
                              index, what, expected, found);
}

static gboolean
fail_init (GhloIrVerifier   *verifier,
           const GhloIrOp   *op,
           guint             index,
           const GhloIrType *result,
           const GhloIrType *init)
{
  g_autofree char *found = ghlo_ir_type_to_string (result);
  g_autofree char *expected = ghlo_ir_type_to_string (init);

  return ghlo_ir_verify_fail (verifier, op,
                              "expected the region to return as value %u a type that holds the initial value's %s,"
                              " found %s", index, expected, found);
}

/* Whether the dimensions of @type are a subsequence of the allowed ones. */
static gboolean
dims_allowed (const GhloIrType    *type,
              const GhloIrReducer *reducer)
{
  guint matched = 0;

  for (guint i = 0; i < reducer->n_dims && matched < type->rank; i++)
    if (ghlo_ir_dims_compatible (reducer->dims[i], type->dimensions[matched]))
      matched++;

  return matched == type->rank;
}

static gboolean
verify_init (GhloIrVerifier      *verifier,
             const GhloIrOp      *op,
             const GhloIrReducer *reducer,
             guint                index,
             const GhloIrType    *result)
{
  const GhloIrType *init = reducer->inits[index].value->type;
  gboolean same_shape = reducer->scalar_inits
                        ? result->kind != GHLO_IR_TYPE_TENSOR || result->rank == 0
                        : ghlo_ir_shapes_compatible (init, result);

  if (!same_shape || !ghlo_ir_element_promotable (init, result, TRUE))
    return fail_init (verifier, op, index, result, init);

  return TRUE;
}

/* Checks the pair of arguments @index, the accumulator, and @index + n, the element. */
static gboolean
verify_combined (GhloIrVerifier      *verifier,
                 const GhloIrOp      *op,
                 const GhloIrReducer *reducer,
                 const GhloIrBlock   *block,
                 guint                index,
                 const GhloIrType    *result)
{
  const GhloIrType *accumulator = block->arguments[index]->type;
  const GhloIrType *element = block->arguments[reducer->n + index]->type;
  const GhloIrType *input = reducer->inputs[index].value->type;

  if (!ghlo_ir_type_is_shaped (result))
    {
      g_autofree char *found = ghlo_ir_type_to_string (result);

      return ghlo_ir_verify_fail (verifier, op, "expected the region to return tensors, found %s as value %u",
                                  found, index);
    }
  if (!ghlo_ir_type_is_shaped (accumulator) || !ghlo_ir_shapes_compatible (result, accumulator)
      || !ghlo_ir_same_element (result, accumulator))
    return fail_argument (verifier, op, index, accumulator, result, "the returned value");
  if (element->kind != GHLO_IR_TYPE_TENSOR || !ghlo_ir_shapes_compatible (result, element)
      || !ghlo_ir_same_element_or_floats (result, element))
    return fail_argument (verifier, op, reducer->n + index, element, result, "the returned value");
  if (!verify_init (verifier, op, reducer, index, result))
    return FALSE;
  if (!ghlo_ir_element_promotable (input, element, TRUE) || !dims_allowed (element, reducer))
    return fail_argument (verifier, op, reducer->n + index, element, input, "the operand");

  return TRUE;
}

gboolean
ghlo_ir_verify_reducer (GhloIrVerifier      *verifier,
                        const GhloIrOp      *op,
                        const GhloIrReducer *reducer)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, reducer->region);
  GhloIrReturned returned = ghlo_ir_region_returned (op, reducer->region);

  if (block->n_arguments != (guint64) reducer->n * 2)
    return ghlo_ir_verify_fail (verifier, op, "expected the region to take %u arguments, found %u",
                                reducer->n * 2, block->n_arguments);
  if (returned.n != reducer->n)
    return ghlo_ir_verify_fail (verifier, op, "expected the region to return %u value%s, found %u",
                                reducer->n, reducer->n == 1 ? "" : "s", returned.n);

  for (guint i = 0; i < reducer->n; i++)
    if (!verify_combined (verifier, op, reducer, block, i, ghlo_ir_returned_type (&returned, i)))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ir_verify_reduced_like (GhloIrVerifier   *verifier,
                             const GhloIrOp   *op,
                             guint             index,
                             const GhloIrType *input,
                             guint             region,
                             guint             returned)
{
  GhloIrReturned values = ghlo_ir_region_returned (op, region);
  GhloIrShape shape;

  ghlo_ir_shape_from_type (&shape, input);

  return ghlo_ir_verify_inferred (verifier, op, index, &shape, ghlo_ir_returned_type (&values, returned));
}

gboolean
ghlo_ir_verify_reduce (GhloIrVerifier *verifier,
                       const GhloIrOp *op)
{
  guint n = op->n_operands / 2;
  const GhloIrType *input;
  GhloIrReducer reducer;
  GhloIrReturned returned;
  GhloIrShape shape;
  guint64 reduced = 0;
  gsize n_dims;
  const gint64 *dims = ghlo_ir_op_get_ints (op, "dimensions", &n_dims);

  if (n == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected at least one input, found none");
  input = ghlo_ir_operand_type (op, 0);
  if (!ghlo_ir_verify_same_shapes (verifier, op, 0, n, "inputs")
      || !ghlo_ir_verify_dim_set (verifier, op, "dimensions", dims, n_dims, input->rank, &reduced))
    return FALSE;

  ghlo_ir_shape_init (&shape, 0);
  for (guint i = 0; i < input->rank; i++)
    if ((reduced & (G_GUINT64_CONSTANT (1) << i)) == 0)
      {
        shape.dimensions[shape.rank] = input->dimensions[i];
        shape.bounds[shape.rank++] = ghlo_ir_type_bound (input, i);
      }

  reducer = (GhloIrReducer) {
    .n = n, .inputs = op->operands, .inits = op->operands + n, .dims = shape.dimensions, .n_dims = shape.rank,
  };
  if (!ghlo_ir_verify_reducer (verifier, op, &reducer) || !ghlo_ir_verify_result_count (verifier, op, n))
    return FALSE;

  returned = ghlo_ir_region_returned (op, 0);
  for (guint i = 0; i < n; i++)
    if (!ghlo_ir_verify_inferred (verifier, op, i, &shape, ghlo_ir_returned_type (&returned, i)))
      return FALSE;

  return TRUE;
}

/* Checks that the region's argument is a scalar of the operand's element type. */
static gboolean
verify_scalar_argument (GhloIrVerifier    *verifier,
                        const GhloIrOp    *op,
                        const GhloIrBlock *block,
                        guint              argument,
                        guint              operand)
{
  const GhloIrType *type = block->arguments[argument]->type;
  const GhloIrType *expected = ghlo_ir_operand_type (op, operand);
  g_autofree char *found = NULL;
  g_autofree char *expected_text = NULL;

  if (type->kind == GHLO_IR_TYPE_TENSOR && type->rank == 0 && ghlo_ir_same_element (type, expected))
    return TRUE;
  found = ghlo_ir_type_to_string (type);
  expected_text = ghlo_ir_type_to_string (expected);

  return ghlo_ir_verify_fail (verifier, op,
                              "expected argument %u of the region to be a scalar of the element type of %s, found %s",
                              argument, expected_text, found);
}

/* Checks that map lists all dimensions in order. */
static gboolean
verify_map_dimensions (GhloIrVerifier *verifier,
                       const GhloIrOp *op)
{
  guint rank = ghlo_ir_operand_type (op, 0)->rank;
  gsize n;
  const gint64 *dims = ghlo_ir_op_get_ints (op, "dimensions", &n);

  if (n != rank)
    return ghlo_ir_verify_fail (verifier, op, "expected all %u dimensions of the operands, found %" G_GSIZE_FORMAT,
                                rank, n);
  for (gsize i = 0; i < n; i++)
    if (dims[i] != (gint64) i)
      return ghlo_ir_verify_fail (verifier, op,
                                  "expected dimensions in order from 0, found %" G_GINT64_FORMAT
                                  " at index %" G_GSIZE_FORMAT, dims[i], i);

  return TRUE;
}

gboolean
ghlo_ir_verify_map (GhloIrVerifier *verifier,
                    const GhloIrOp *op)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);
  GhloIrReturned returned = ghlo_ir_region_returned (op, 0);
  const GhloIrType *result;
  GhloIrShape shape;

  if (op->n_operands == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected at least one input, found none");
  if (block->n_arguments != op->n_operands)
    return ghlo_ir_verify_fail (verifier, op, "expected one argument of the region for each of %u operands, found %u",
                                op->n_operands, block->n_arguments);
  for (guint i = 0; i < op->n_operands; i++)
    if (!verify_scalar_argument (verifier, op, block, i, i))
      return FALSE;
  if (returned.n != 1)
    return ghlo_ir_verify_fail (verifier, op, "expected the region to return one value, found %u", returned.n);
  result = ghlo_ir_returned_type (&returned, 0);
  if (result->kind != GHLO_IR_TYPE_TENSOR || result->rank != 0)
    {
      g_autofree char *found = ghlo_ir_type_to_string (result);

      return ghlo_ir_verify_fail (verifier, op, "expected the region to return a scalar tensor, found %s", found);
    }
  if (!ghlo_ir_verify_same_shapes (verifier, op, 0, op->n_operands, "inputs")
      || !verify_map_dimensions (verifier, op))
    return FALSE;

  ghlo_ir_shape_from_type (&shape, ghlo_ir_operand_type (op, 0));

  return ghlo_ir_verify_inferred (verifier, op, 0, &shape, result);
}

static gboolean
verify_comparator (GhloIrVerifier *verifier,
                   const GhloIrOp *op)
{
  const GhloIrBlock *block = ghlo_ir_op_region_block (op, 0);
  GhloIrReturned returned = ghlo_ir_region_returned (op, 0);

  if (block->n_arguments != (guint64) op->n_operands * 2)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected two arguments of the comparator for each of %u operands, found %u",
                                op->n_operands, block->n_arguments);
  for (guint i = 0; i < block->n_arguments; i++)
    if (!verify_scalar_argument (verifier, op, block, i, i / 2))
      return FALSE;
  if (returned.n != 1)
    return ghlo_ir_verify_fail (verifier, op, "expected the comparator to return one value, found %u", returned.n);
  if (!ghlo_ir_type_is_scalar (ghlo_ir_returned_type (&returned, 0), GHLO_ELEMENT_TYPE_I1))
    {
      g_autofree char *found = ghlo_ir_type_to_string (ghlo_ir_returned_type (&returned, 0));

      return ghlo_ir_verify_fail (verifier, op, "expected the comparator to return tensor<i1>, found %s", found);
    }

  return TRUE;
}

gboolean
ghlo_ir_verify_sort (GhloIrVerifier *verifier,
                     const GhloIrOp *op)
{
  gint64 dimension = ghlo_ir_op_get_int (op, "dimension", -1);
  gint64 rank;

  if (op->n_operands == 0)
    return ghlo_ir_verify_fail (verifier, op, "expected at least one input, found none");
  rank = ghlo_ir_operand_type (op, 0)->rank;
  if (dimension < -rank || dimension >= rank)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected dimension in [-%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                                "), found %" G_GINT64_FORMAT, rank, rank, dimension);
  if (!ghlo_ir_verify_same_shapes (verifier, op, 0, op->n_operands, "inputs")
      || !verify_comparator (verifier, op)
      || !ghlo_ir_verify_result_count (verifier, op, op->n_operands))
    return FALSE;

  for (guint i = 0; i < op->n_operands; i++)
    if (!ghlo_ir_verify_inferred_type (verifier, op, i, ghlo_ir_operand_type (op, i)))
      return FALSE;

  return TRUE;
}
