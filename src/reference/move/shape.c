/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operations that change or query a tensor's shape and leave its elements in place:
 * reshapes, casts, dimension sizes, and the values of the shape dialect, which are
 * represented as rank-1 tensors of index.
 */

#include "reference/move/box.h"
#include "reference/frame.h"
#include "reference/kernels.h"
#include "reference/scalar/numbers.h"

#include <string.h>

/* Stores the operand's bytes as result 0, under other dimensions. */
static gboolean
reshape_to (GhloRefCall  *call,
            const gint64 *dimensions,
            guint         rank,
            GError      **error)
{
  const GhloValue *operand = call->operands[0];
  GhloValue *result;
  gsize count;

  if (!ghlo_shape_count (dimensions, rank, &count) || count != operand->n_elements)
    return ghlo_ref_fail (call, error, "expected a shape of %" G_GSIZE_FORMAT " elements, found another number",
                          operand->n_elements);
  result = ghlo_ref_result (call, 0, dimensions, rank, error);
  if (result == NULL)
    return FALSE;
  if (result->n_bytes != operand->n_bytes)
    return ghlo_ref_fail (call, error, "expected a result of %" G_GSIZE_FORMAT " bytes, found %" G_GSIZE_FORMAT,
                          operand->n_bytes, result->n_bytes);

  return ghlo_ref_copy_bytes (call, result->data, operand->data, result->n_bytes, error);
}

/* At most one dimension may be dynamic in the program's type; its size follows from the number of elements. */
gboolean
ghlo_ref_reshape (GhloRefCall *call,
                  GError     **error)
{
  const GhloIrType *type = call->op->results[0].type;
  gint64 dimensions[GHLO_MAX_RANK] = { 0 };
  gint open = -1;
  gsize known;

  for (guint i = 0; i < type->rank; i++)
    {
      dimensions[i] = type->dimensions[i];
      if (dimensions[i] >= 0)
        continue;
      if (open >= 0)
        return ghlo_ref_fail (call, error, "expected at most one dynamic dimension in the result's type");
      open = (gint) i;
      dimensions[i] = 1;
    }
  if (!ghlo_shape_count (dimensions, type->rank, &known))
    return ghlo_ref_fail (call, error, "the result's shape overflows");
  if (open >= 0)
    dimensions[open] = known == 0 ? 0 : (gint64) (call->operands[0]->n_elements / known);
  return reshape_to (call, dimensions, type->rank, error);
}

gboolean
ghlo_ref_dynamic_reshape (GhloRefCall *call,
                          GError     **error)
{
  g_autofree gint64 *dimensions = ghlo_ref_read_indices (call, call->operands[1], error);

  return dimensions != NULL
         && reshape_to (call, dimensions, (guint) call->operands[1]->n_elements, error);
}

/* Values carry their own dimensions, so a cast only checks them. */
gboolean
ghlo_ref_tensor_cast (GhloRefCall *call,
                      GError     **error)
{
  return ghlo_ref_pass (call, 0, call->operands[0], error);
}

gboolean
ghlo_ref_get_dimension_size (GhloRefCall *call,
                             GError     **error)
{
  gint64 dimension = ghlo_ir_op_get_int (call->op, "dimension", 0);
  GhloValue *result;

  if (dimension < 0 || dimension >= ghlo_ref_rank (call->operands[0]))
    return ghlo_ref_fail (call, error, "expected a dimension below the rank %u, found %" G_GINT64_FORMAT,
                          ghlo_ref_rank (call->operands[0]), dimension);
  result = ghlo_ref_result (call, 0, NULL, 0, error);
  if (result == NULL)
    return FALSE;
  ghlo_ref_store (result, 0, (GhloScalar) { .i = ghlo_ref_dims (call->operands[0])[dimension] });
  return TRUE;
}

/* The largest size that the program allows for @dimension. */
static gint64
size_limit (const GhloRefCall *call,
            guint              dimension)
{
  const GhloIrType *result = call->op->results[0].type;
  const GhloIrType *operand = ghlo_ir_op_operand (call->op, 0)->type;

  if (result->dimensions[dimension] >= 0)
    return result->dimensions[dimension];
  if (result->bounds != NULL && result->bounds[dimension] >= 0)
    return result->bounds[dimension];
  if (operand->bounds != NULL && operand->bounds[dimension] >= 0)
    return operand->bounds[dimension];
  return ghlo_ref_dims (call->operands[0])[dimension];
}

/* The result has the new size: elements beyond it are dropped, and elements that the operand did not have are zero. */
gboolean
ghlo_ref_set_dimension_size (GhloRefCall *call,
                             GError     **error)
{
  const GhloValue *operand = call->operands[0];
  gint64 dimension = ghlo_ir_op_get_int (call->op, "dimension", 0);
  gint64 dimensions[GHLO_MAX_RANK], to[GHLO_MAX_RANK], from[GHLO_MAX_RANK];
  guint rank = ghlo_ref_rank (operand);
  GhloValue *result;
  gint64 size;

  if (dimension < 0 || dimension >= rank || call->op->results[0].type->rank != rank)
    return ghlo_ref_fail (call, error, "expected a dimension below the rank %u, found %" G_GINT64_FORMAT,
                          rank, dimension);
  size = ghlo_ref_load (call->operands[1], 0).i;
  if (size < 0 || size > size_limit (call, (guint) dimension))
    return ghlo_ref_fail (call, error, "expected a size from 0 to %" G_GINT64_FORMAT ", found %" G_GINT64_FORMAT,
                          size_limit (call, (guint) dimension), size);

  memcpy (dimensions, ghlo_ref_dims (operand), rank * sizeof (gint64));
  dimensions[dimension] = size;
  result = ghlo_ref_result (call, 0, dimensions, rank, error);
  if (result == NULL)
    return FALSE;
  if (result->n_elements == 0 || operand->n_elements == 0)
    return TRUE;

  ghlo_ref_strides (dimensions, rank, to);
  ghlo_ref_strides (ghlo_ref_dims (operand), rank, from);
  dimensions[dimension] = MIN (size, ghlo_ref_dims (operand)[dimension]);
  return ghlo_ref_copy (call, ghlo_element_info (operand->type->element_type)->size, rank, dimensions,
                        result->data, to, operand->data, from, error);
}

/* Stores result 0: a tensor of @n index elements, or of rank 0 with @scalar. The program's type may
 * be one of the shape dialect's own. */
static gboolean
store_indices (GhloRefCall  *call,
               const gint64 *values,
               guint         n,
               gboolean      scalar,
               GError      **error)
{
  const GhloIrType *type = call->op->results[0].type;
  gint64 dimension = n;
  GhloValue *result;

  if (ghlo_ir_type_is_tensor (type))
    result = ghlo_ref_result (call, 0, &dimension, scalar ? 0 : 1, error);
  else
    {
      g_autoptr (GhloTensorType) index = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_INDEX, &dimension, scalar ? 0 : 1);

      result = call->results[0] = ghlo_value_new_tensor (index, error);
    }
  if (result == NULL)
    return FALSE;
  ghlo_ref_write_ints (result->type->element_type, values, n, result->data);
  return TRUE;
}

gboolean
ghlo_ref_const_shape (GhloRefCall *call,
                      GError     **error)
{
  g_autofree gint64 *values = NULL;
  gsize n;

  if (!ghlo_ir_dense_to_int64 (ghlo_ir_op_get (call->op, "shape"), &values, &n) || n > GHLO_MAX_RANK)
    return ghlo_ref_fail (call, error, "expected a shape of integers");
  return store_indices (call, values, (guint) n, FALSE, error);
}

gboolean
ghlo_ref_shape_of (GhloRefCall *call,
                   GError     **error)
{
  const GhloValue *operand = call->operands[0];

  return store_indices (call, ghlo_ref_dims (operand), ghlo_ref_rank (operand), FALSE, error);
}

gboolean
ghlo_ref_num_elements (GhloRefCall *call,
                       GError     **error)
{
  g_autofree gint64 *shape = ghlo_ref_read_indices (call, call->operands[0], error);
  gint64 count;
  gsize product;

  if (shape == NULL)
    return FALSE;
  if (!ghlo_shape_count (shape, call->operands[0]->n_elements, &product) || product > G_MAXINT64)
    return ghlo_ref_fail (call, error, "the shape's number of elements overflows");
  count = (gint64) product;
  return store_indices (call, &count, 1, TRUE, error);
}

/* Broadcasts two shapes, aligned on the right as in NumPy: sizes must be equal, or 1 on one side. */
static gboolean
broadcast_shape (GhloRefCall      *call,
                 gint64           *dimensions,
                 guint            *rank,
                 const GhloValue  *shape,
                 GError          **error)
{
  g_autofree gint64 *other = ghlo_ref_read_indices (call, shape, error);
  guint n = (guint) shape->n_elements;

  if (other == NULL)
    return FALSE;
  if (n > *rank)
    {
      memmove (dimensions + (n - *rank), dimensions, *rank * sizeof (gint64));
      for (guint i = 0; i < n - *rank; i++)
        dimensions[i] = 1;
      *rank = n;
    }
  for (guint i = 0; i < n; i++)
    {
      gint64 *dimension = &dimensions[*rank - n + i];

      if (*dimension != other[i] && *dimension != 1 && other[i] != 1)
        {
          g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA,
                       "expected sizes that broadcast, found %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT,
                       *dimension, other[i]);
          return FALSE;
        }
      if (*dimension == 1)
        *dimension = other[i];
    }
  return TRUE;
}

gboolean
ghlo_ref_shape_broadcast (GhloRefCall *call,
                          GError     **error)
{
  gint64 dimensions[GHLO_MAX_RANK];
  guint rank = 0;

  for (guint i = 0; i < call->n_operands; i++)
    {
      if (call->operands[i]->n_elements > GHLO_MAX_RANK)
        return ghlo_ref_fail (call, error, "expected a shape of at most %d dimensions", GHLO_MAX_RANK);
      if (!broadcast_shape (call, dimensions, &rank, call->operands[i], error))
        return FALSE;
    }
  return store_indices (call, dimensions, rank, FALSE, error);
}
