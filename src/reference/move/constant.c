/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Constants. A constant that is written out uses the program's own bytes; a splat
 * is expanded.
 */

#include "reference/frame.h"
#include "reference/kernels.h"
#include "reference/move/box.h"

/* Splats of up to this many bytes are kept with the program. */
enum { SMALL = 4096 };

static GhloTensorType *
constant_type (const GhloIrType *type)
{
  if (ghlo_ir_type_is_tensor (type))
    return ghlo_ir_type_to_tensor_type (type);

  return ghlo_tensor_type_new (type->element_type, NULL, 0);
}

static GhloValue *
new_splat (GhloTensorType *type,
           gconstpointer   element,
           GError        **error)
{
  gsize size = ghlo_element_info (type->element_type)->size;
  GhloValue *value = ghlo_value_new_tensor (type, error);

  if (value == NULL)
    return NULL;
  ghlo_ref_fill (NULL, value->data, element, size, value->n_elements, NULL);

  return value;
}

static GhloValue *
new_dense (GhloTensorType   *type,
           const GhloIrAttr *attr,
           GError          **error)
{
  gsize size = ghlo_element_info (type->element_type)->size;
  gsize n_bytes = 0;
  gconstpointer data = attr->dense.bytes != NULL ? g_bytes_get_data (attr->dense.bytes, &n_bytes) : NULL;

  if (attr->dense.bytes == NULL)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA, "the constant's elements '%s' are not in the program",
                   attr->dense.resource != NULL ? attr->dense.resource : "");
      return NULL;
    }
  if (!attr->dense.splat)
    return ghlo_value_new_for_bytes (type, attr->dense.bytes, error);
  if (n_bytes < size)
    {
      g_set_error (error, GHLO_ERROR, GHLO_ERROR_DATA, "expected an element of %" G_GSIZE_FORMAT " bytes, found %"
                   G_GSIZE_FORMAT, size, n_bytes);
      return NULL;
    }

  return new_splat (type, data, error);
}

/* A number that is not in a dense attribute, as in arith.constant. */
static GhloValue *
new_number (GhloTensorType   *type,
            const GhloIrAttr *attr,
            GError          **error)
{
  GhloValue *value = ghlo_value_new_tensor (type, error);
  GhloScalar scalar = { 0 };

  if (value == NULL)
    return NULL;
  if (attr->kind == GHLO_IR_ATTR_FLOAT)
    scalar.f = attr->real;
  else
    scalar.i = attr->integer;
  ghlo_ref_store (value, 0, scalar);

  return value;
}

GhloValue *
ghlo_ref_dense_value (const GhloIrAttr *attr,
                      const GhloIrType *type,
                      GError          **error)
{
  g_autoptr (GhloTensorType) tensor_type = constant_type (type);

  return new_dense (tensor_type, attr, error);
}

static const GhloIrAttr *
constant_attr (const GhloIrOp *op)
{
  return ghlo_ir_op_get (op, "value");
}

GhloValue *
ghlo_ref_constant_value (const GhloIrOp *op,
                         GError        **error)
{
  const GhloIrAttr *attr = constant_attr (op);
  const GhloIrType *type = op->results[0].type;
  g_autoptr (GhloTensorType) tensor_type = NULL;

  if (attr != NULL && attr->kind == GHLO_IR_ATTR_DENSE)
    return ghlo_ref_dense_value (attr, type, error);
  if (attr != NULL && type->element_type != GHLO_ELEMENT_TYPE_INVALID
      && (attr->kind == GHLO_IR_ATTR_INTEGER || attr->kind == GHLO_IR_ATTR_FLOAT || attr->kind == GHLO_IR_ATTR_BOOL))
    {
      tensor_type = constant_type (type);
      if (tensor_type->rank == 0)
        return new_number (tensor_type, attr, error);
    }

  g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "expected a constant of numbers");
  return NULL;
}

gboolean
ghlo_ref_constant_is_small (const GhloIrOp *op)
{
  const GhloIrAttr *attr = constant_attr (op);

  if (attr == NULL || attr->kind != GHLO_IR_ATTR_DENSE)
    return attr != NULL;

  return attr->dense.bytes != NULL && (!attr->dense.splat || attr->dense.n_elements <= SMALL / 16);
}

gboolean
ghlo_ref_constant (GhloRefCall *call,
                   GError     **error)
{
  call->results[0] = ghlo_ref_constant_value (call->op, error);

  return call->results[0] != NULL;
}
