/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CHLO's broadcasting operations: dimensions of size 1 are repeated, and missing
 * ones are added in front or where broadcast_dimensions says. Also StableHLO's
 * deprecated broadcast and CHLO's constant_like.
 */

#include "reference/scalar/elementwise.h"
#include "reference/kernels.h"

#include <string.h>

/* The result's shape, and for each operand the result dimensions to which its dimensions are mapped. */
typedef struct
{
  gint64 dimensions[GHLO_MAX_RANK];
  guint  rank;
  guint  map[GHLO_REF_MAX_SOURCES][GHLO_MAX_RANK];
} Broadcasting;

/* Maps the dimensions of operand @k to the last ones of the result, or to those that the attribute names
 * when the operand has fewer. */
static gboolean
place_operand (Broadcasting *self,
               GhloRefCall  *call,
               guint         k,
               GError      **error)
{
  guint rank = ghlo_ref_rank (call->operands[k]);
  g_autofree gint64 *named = NULL;
  gsize n_named = 0;

  for (guint d = 0; d < rank; d++)
    self->map[k][d] = self->rank - rank + d;
  if (rank == self->rank || call->op->kind == GHLO_OP_CHLO_BROADCAST_SELECT)
    return TRUE;

  if (ghlo_ir_op_get (call->op, "broadcast_dimensions") == NULL)
    return TRUE;

  named = ghlo_ir_op_dup_ints (call->op, "broadcast_dimensions", &n_named);
  if (n_named != rank)
    return ghlo_ref_fail (call, error, "expected %u broadcast dimensions, found %" G_GSIZE_FORMAT, rank, n_named);

  for (guint d = 0; d < rank; d++)
    {
      if (named[d] < 0 || named[d] >= self->rank || (d > 0 && named[d] <= named[d - 1]))
        return ghlo_ref_fail (call, error, "expected increasing broadcast dimensions below %u, found %" G_GINT64_FORMAT,
                              self->rank, named[d]);
      self->map[k][d] = (guint) named[d];
    }

  return TRUE;
}

static gboolean
broadcast_shapes (Broadcasting *self,
                  GhloRefCall  *call,
                  GError      **error)
{
  for (guint k = 0; k < call->n_operands; k++)
    self->rank = MAX (self->rank, ghlo_ref_rank (call->operands[k]));
  for (guint d = 0; d < self->rank; d++)
    self->dimensions[d] = 1;

  for (guint k = 0; k < call->n_operands; k++)
    {
      const gint64 *dimensions = ghlo_ref_dims (call->operands[k]);

      if (!place_operand (self, call, k, error))
        return FALSE;

      for (guint d = 0; d < ghlo_ref_rank (call->operands[k]); d++)
        {
          gint64 *dimension = &self->dimensions[self->map[k][d]];

          if (*dimension != 1 && dimensions[d] != 1 && *dimension != dimensions[d])
            return ghlo_ref_fail (call, error, "expected sizes that are equal or 1, found %" G_GINT64_FORMAT
                                  " and %" G_GINT64_FORMAT " in dimension %u of the result",
                                  *dimension, dimensions[d], self->map[k][d]);
          if (*dimension == 1)
            *dimension = dimensions[d];
        }
    }

  return TRUE;
}

static void
stride_source (GhloRefSource      *source,
               const Broadcasting *shape,
               const guint        *map)
{
  const gint64 *dimensions = ghlo_ref_dims (source->value);
  guint rank = ghlo_ref_rank (source->value);
  gint64 strides[GHLO_MAX_RANK];

  if (rank == shape->rank && memcmp (dimensions, shape->dimensions, rank * sizeof (gint64)) == 0)
    return;

  if (source->value->n_elements == 1)
    {
      source->kind = GHLO_REF_SOURCE_SINGLE;
      return;
    }

  source->kind = GHLO_REF_SOURCE_STRIDED;
  memset (source->strides, 0, sizeof source->strides);
  ghlo_ref_strides (dimensions, rank, strides);
  for (guint d = 0; d < rank; d++)
    if (dimensions[d] != 1)
      source->strides[map[d]] = strides[d];
}

static gboolean
run_broadcast (GhloRefCall *call,
               GError     **error)
{
  GhloRefSource sources[GHLO_REF_MAX_SOURCES];
  Broadcasting shape = { 0 };
  GhloRefScalarOp op;
  GhloRefScalarFunc func = ghlo_ref_call_func (call, &op, error);

  if (func == NULL || !broadcast_shapes (&shape, call, error))
    return FALSE;

  for (guint k = 0; k < call->n_operands; k++)
    {
      if (!ghlo_ref_source_init (&sources[k], call, k, error))
        return FALSE;
      stride_source (&sources[k], &shape, shape.map[k]);
    }

  if (ghlo_ref_result (call, 0, shape.dimensions, shape.rank, error) == NULL)
    return FALSE;

  return ghlo_ref_run_sources (call, &op, func, sources, call->n_operands, error);
}

/* New dimensions in front: the whole operand is repeated. */
static gboolean
run_leading_broadcast (GhloRefCall *call,
                       GError     **error)
{
  const GhloValue *operand = call->operands[0];
  gint64 dimensions[GHLO_MAX_RANK];
  g_autofree gint64 *sizes = NULL;
  gsize n_sizes = 0;
  GhloValue *result;

  sizes = ghlo_ir_op_dup_ints (call->op, "broadcast_sizes", &n_sizes);
  if (n_sizes + ghlo_ref_rank (operand) > GHLO_MAX_RANK)
    return ghlo_ref_fail (call, error, "expected at most %d dimensions, found %" G_GSIZE_FORMAT,
                          GHLO_MAX_RANK, n_sizes + ghlo_ref_rank (operand));

  for (gsize d = 0; d < n_sizes; d++)
    {
      if (sizes[d] < 0)
        return ghlo_ref_fail (call, error, "expected sizes of at least 0, found %" G_GINT64_FORMAT, sizes[d]);
      dimensions[d] = sizes[d];
    }
  memcpy (dimensions + n_sizes, ghlo_ref_dims (operand), ghlo_ref_rank (operand) * sizeof (gint64));

  result = ghlo_ref_result (call, 0, dimensions, (guint) n_sizes + ghlo_ref_rank (operand), error);
  if (result == NULL)
    return FALSE;

  for (gsize at = 0; operand->n_bytes != 0 && at < result->n_bytes; at += operand->n_bytes)
    {
      memcpy (result->data + at, operand->data, operand->n_bytes);
      if (at % (1 << 20) < operand->n_bytes && !ghlo_ref_continue (call, error))
        return FALSE;
    }

  return TRUE;
}

gboolean
ghlo_ref_broadcast (GhloRefCall *call,
                    GError     **error)
{
  if (call->op->kind == GHLO_OP_STABLEHLO_BROADCAST)
    return run_leading_broadcast (call, error);

  return run_broadcast (call, error);
}

gboolean
ghlo_ref_broadcast_select (GhloRefCall *call,
                           GError     **error)
{
  return run_broadcast (call, error);
}

/* Converts the attribute's number to an element of @type. FALSE when it is not a number. */
static gboolean
number_of_attr (const GhloIrAttr *attr,
                GhloElementType   type,
                GhloScalar       *number)
{
  GhloElementType from = GHLO_ELEMENT_TYPE_I64;
  GhloRefScalarOp op;

  switch (attr->kind)
    {
    case GHLO_IR_ATTR_BOOL:
    case GHLO_IR_ATTR_INTEGER:
      if (attr->kind == GHLO_IR_ATTR_INTEGER && ghlo_element_type_is_integer (attr->type->element_type))
        from = attr->type->element_type;
      number->i = attr->integer;
      break;
    case GHLO_IR_ATTR_FLOAT:
      from = GHLO_ELEMENT_TYPE_F64;
      number->f = attr->real;
      break;
    case GHLO_IR_ATTR_DENSE:
      if (attr->dense.n_elements == 0)
        return FALSE;
      from = attr->type->element_type;
      *number = ghlo_ir_dense_get (attr, 0);
      break;
    default:
      return FALSE;
    }

  *number = ghlo_ref_scalar_func_for (GHLO_OP_STABLEHLO_CONVERT, from, type, &op) (&op, number);

  return TRUE;
}

gboolean
ghlo_ref_constant_like (GhloRefCall *call,
                        GError     **error)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (call->op, "value");
  const GhloIrType *type = call->op->results[0].type;
  GhloScalar number, values[GHLO_REF_BLOCK];
  gsize size = ghlo_element_info (type->element_type)->size;
  GhloValue *result;

  if (attr == NULL || !number_of_attr (attr, type->element_type, &number))
    return ghlo_ref_fail (call, error, "expected a number for attribute 'value'");

  result = ghlo_ref_result_like (call, 0, call->operands[0], error);
  if (result == NULL)
    return FALSE;

  for (gsize i = 0; i < GHLO_REF_BLOCK; i++)
    values[i] = number;
  for (gsize at = 0; at < result->n_elements; at += GHLO_REF_BLOCK)
    {
      const gsize n = MIN (GHLO_REF_BLOCK, result->n_elements - at);

      ghlo_ref_store_block (type->element_type, result->data + at * size, n, values);
      if (!ghlo_ref_work (call, n, error))
        return FALSE;
    }

  return TRUE;
}
