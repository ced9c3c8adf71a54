/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * iota and dynamic_iota: numbers that count along one dimension. One row is
 * computed and then repeated over all other dimensions.
 */

#include "reference/move/box.h"
#include "reference/kernels.h"
#include "reference/scalar/numbers.h"

/* Stores @number in the type of @value, quantized, rounded or wrapped. */
static void
store_number (GhloValue *value,
              guint8    *data,
              gint64     number)
{
  const GhloTensorType *type = value->type;
  GhloScalar scalar = { .i = number };

  if (type->quantization != NULL)
    scalar.i = ghlo_ref_quantize (type->quantization, 0, (double) number);
  else if (ghlo_element_type_is_float (type->element_type))
    scalar.f = (double) number;
  else if (ghlo_element_type_is_complex (type->element_type))
    scalar = (GhloScalar) { .c = { (double) number, 0 } };
  ghlo_element_store (type->element_type, data, scalar);
}

static gboolean
fill_iota (GhloRefCall *call,
           GhloValue   *result,
           GError     **error)
{
  gint64 dimension = ghlo_ir_op_get_int (call->op, "iota_dimension", 0);
  gsize size = ghlo_element_info (result->type->element_type)->size;
  gint64 strides[GHLO_MAX_RANK], row_strides[GHLO_MAX_RANK] = { 0 };
  guint rank = ghlo_ref_rank (result);
  g_autofree guint8 *row = NULL;

  if (dimension < 0 || dimension >= rank)
    return ghlo_ref_fail (call, error, "expected an iota dimension below the rank %u, found %" G_GINT64_FORMAT,
                          rank, dimension);
  if (result->n_elements == 0)
    return TRUE;

  row = ghlo_ref_scratch (ghlo_ref_dims (result)[dimension], size, error);
  if (row == NULL)
    return FALSE;
  for (gint64 i = 0; i < ghlo_ref_dims (result)[dimension]; i++)
    {
      store_number (result, row + i * size, i);
      if (!ghlo_ref_work (call, 1, error))
        return FALSE;
    }

  ghlo_ref_strides (ghlo_ref_dims (result), rank, strides);
  row_strides[dimension] = 1;
  return ghlo_ref_copy (call, size, rank, ghlo_ref_dims (result), result->data, strides, row, row_strides, error);
}

gboolean
ghlo_ref_iota (GhloRefCall *call,
               GError     **error)
{
  const GhloIrType *type = call->op->results[0].type;
  GhloValue *result = ghlo_ref_result (call, 0, type->dimensions, type->rank, error);

  return result != NULL && fill_iota (call, result, error);
}

gboolean
ghlo_ref_dynamic_iota (GhloRefCall *call,
                       GError     **error)
{
  g_autofree gint64 *dimensions = ghlo_ref_read_indices (call, call->operands[0], error);
  GhloValue *result;

  if (dimensions == NULL)
    return FALSE;
  result = ghlo_ref_result (call, 0, dimensions, (guint) call->operands[0]->n_elements, error);
  return result != NULL && fill_iota (call, result, error);
}
