/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Inferred shapes and their comparison with the result types that a program states.
 */

#include "ir/verify/common.h"

void
ghlo_ir_shape_init (GhloIrShape *self,
                    guint        rank)
{
  self->rank = MIN (rank, GHLO_MAX_RANK);
  for (guint i = 0; i < self->rank; i++)
    self->dimensions[i] = self->bounds[i] = -1;
}

void
ghlo_ir_shape_from_type (GhloIrShape      *self,
                         const GhloIrType *type)
{
  self->rank = MIN (type->rank, GHLO_MAX_RANK);
  for (guint i = 0; i < self->rank; i++)
    {
      self->dimensions[i] = type->dimensions[i];
      self->bounds[i] = ghlo_ir_type_bound (type, i);
    }
}

static gboolean
same_rank (GhloIrVerifier    *verifier,
           const GhloIrOp    *op,
           const GhloIrShape *self,
           const GhloIrType  *type)
{
  if (self->rank == type->rank)
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op, "expected types of rank %u, found rank %u", self->rank, type->rank);
}

static gboolean
same_extent (GhloIrVerifier    *verifier,
             const GhloIrOp    *op,
             const GhloIrShape *self,
             const GhloIrType  *type,
             guint              i)
{
  if (ghlo_ir_dims_compatible (self->dimensions[i], type->dimensions[i]))
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op,
                              "expected equal sizes of dimension %u, found %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT,
                              i, self->dimensions[i], type->dimensions[i]);
}

gboolean
ghlo_ir_shape_merge (GhloIrVerifier   *verifier,
                     const GhloIrOp   *op,
                     GhloIrShape      *self,
                     const GhloIrType *type)
{
  if (!same_rank (verifier, op, self, type))
    return FALSE;

  for (guint i = 0; i < self->rank; i++)
    {
      gint64 bound = ghlo_ir_type_bound (type, i);

      if (!same_extent (verifier, op, self, type, i))
        return FALSE;
      if (bound >= 0)
        self->bounds[i] = self->bounds[i] < 0 ? bound : MIN (bound, self->bounds[i]);
      if (self->dimensions[i] < 0)
        self->dimensions[i] = type->dimensions[i];
      if (self->dimensions[i] < 0)
        continue;
      if (self->bounds[i] >= 0 && self->dimensions[i] > self->bounds[i])
        return ghlo_ir_verify_fail (verifier, op, "expected size %" G_GINT64_FORMAT " of dimension %u"
                                    " to be at most its bound, found bound %" G_GINT64_FORMAT,
                                    self->dimensions[i], i, self->bounds[i]);
      self->bounds[i] = -1;
    }

  return TRUE;
}

gboolean
ghlo_ir_shape_widen (GhloIrVerifier   *verifier,
                     const GhloIrOp   *op,
                     GhloIrShape      *self,
                     const GhloIrType *type)
{
  if (!same_rank (verifier, op, self, type))
    return FALSE;

  for (guint i = 0; i < self->rank; i++)
    {
      gint64 size = type->dimensions[i];
      gint64 limit_a = self->dimensions[i] >= 0 ? self->dimensions[i] : self->bounds[i];
      gint64 limit_b = size >= 0 ? size : ghlo_ir_type_bound (type, i);

      if (!same_extent (verifier, op, self, type, i))
        return FALSE;
      if (self->dimensions[i] >= 0 && size >= 0)
        continue;
      self->dimensions[i] = -1;
      self->bounds[i] = limit_a >= 0 && limit_b >= 0 ? MAX (limit_a, limit_b) : -1;
    }

  return TRUE;
}

void
ghlo_ir_shape_append (const GhloIrShape *self,
                      GString           *string)
{
  for (guint i = 0; i < self->rank; i++)
    {
      if (i > 0)
        g_string_append_c (string, 'x');
      if (self->dimensions[i] >= 0)
        g_string_append_printf (string, "%" G_GINT64_FORMAT, self->dimensions[i]);
      else if (self->bounds[i] >= 0)
        g_string_append_printf (string, "?<=%" G_GINT64_FORMAT, self->bounds[i]);
      else
        g_string_append_c (string, '?');
    }
}

/* Whether @type is compatible with the inferred @shape. */
static gboolean
shape_fits (const GhloIrShape *shape,
            const GhloIrType  *type)
{
  if (type->kind == GHLO_IR_TYPE_UNRANKED)
    return TRUE;
  if (!ghlo_ir_extents_compatible (shape->dimensions, shape->rank, type->dimensions, type->rank))
    return FALSE;
  for (guint i = 0; i < shape->rank; i++)
    {
      gint64 bound = ghlo_ir_type_bound (type, i);

      if ((bound >= 0 && shape->dimensions[i] > bound)
          || (shape->bounds[i] >= 0 && type->dimensions[i] > shape->bounds[i]))
        return FALSE;
    }

  return TRUE;
}

static gboolean
fail_inferred (GhloIrVerifier    *verifier,
               const GhloIrOp    *op,
               guint              index,
               const GhloIrShape *shape,
               const char        *element)
{
  g_autoptr (GString) expected = g_string_new ("tensor<");
  g_autofree char *found = ghlo_ir_type_to_string (ghlo_ir_result_type (op, index));

  ghlo_ir_shape_append (shape, expected);
  if (shape->rank > 0)
    g_string_append_c (expected, 'x');
  g_string_append (expected, element);
  g_string_append_c (expected, '>');

  return ghlo_ir_verify_fail (verifier, op, "expected result #%u of type %s, found %s", index, expected->str, found);
}

gboolean
ghlo_ir_verify_inferred (GhloIrVerifier    *verifier,
                         const GhloIrOp    *op,
                         guint              index,
                         const GhloIrShape *shape,
                         const GhloIrType  *element)
{
  const GhloIrType *result = ghlo_ir_result_type (op, index);
  g_autofree char *text = NULL;
  GhloIrType plain;

  if (ghlo_ir_type_is_shaped (result) && shape_fits (shape, result)
      && (element == NULL || ghlo_ir_elements_compatible (element, result)))
    return TRUE;

  if (element == NULL)
    element = result;
  plain = (GhloIrType) {
    .kind = element->quantization != NULL ? GHLO_IR_TYPE_QUANTIZED : GHLO_IR_TYPE_ELEMENT,
    .element_type = element->element_type,
    .quantization = element->quantization,
    .text = element->text,
  };
  text = ghlo_ir_type_to_string (&plain);

  return fail_inferred (verifier, op, index, shape, text);
}

gboolean
ghlo_ir_verify_inferred_element (GhloIrVerifier    *verifier,
                                 const GhloIrOp    *op,
                                 guint              index,
                                 const GhloIrShape *shape,
                                 GhloElementType    element)
{
  GhloIrType type = { .kind = GHLO_IR_TYPE_ELEMENT, .element_type = element };

  return ghlo_ir_verify_inferred (verifier, op, index, shape, &type);
}

gboolean
ghlo_ir_verify_inferred_type (GhloIrVerifier   *verifier,
                              const GhloIrOp   *op,
                              guint             index,
                              const GhloIrType *type)
{
  const GhloIrType *result = ghlo_ir_result_type (op, index);

  if (ghlo_ir_types_compatible (type, result))
    return TRUE;

  return ghlo_ir_verify_fail_type (verifier, op, "a result compatible with", type, result);
}
