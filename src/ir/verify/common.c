/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compatibility of types, and the checks of dimensions that many operations share. Types are interned: equal ones
 * have equal pointers, and only different ones are compared in detail.
 */

#include "ir/verify/common.h"

#include "base/hash.h"
#include "base/sizes.h"

gboolean
ghlo_ir_same_element (const GhloIrType *a,
                      const GhloIrType *b)
{
  return a == b
         || (a->element_type == b->element_type && a->quantization == b->quantization && a->text == b->text);
}

gboolean
ghlo_ir_elements_compatible (const GhloIrType *a,
                             const GhloIrType *b)
{
  const GhloQuantization *qa = a->quantization;
  const GhloQuantization *qb = b->quantization;

  if (ghlo_ir_same_element (a, b))
    return TRUE;
  if (qa == NULL || qb == NULL)
    return FALSE;

  return qa->storage == qb->storage && qa->expressed == qb->expressed
         && qa->storage_min == qb->storage_min && qa->storage_max == qb->storage_max
         && (qa->axis < 0) == (qb->axis < 0);
}

gboolean
ghlo_ir_same_element_or_floats (const GhloIrType *a,
                                const GhloIrType *b)
{
  if (ghlo_ir_same_element (a, b))
    return TRUE;

  return a->quantization == NULL && b->quantization == NULL
         && ghlo_element_type_is_float (a->element_type) && ghlo_element_type_is_float (b->element_type);
}

guint
ghlo_ir_element_bits (const GhloIrType *type)
{
  const GhloElementInfo *info = ghlo_element_info (type->element_type);

  return info->element_class == GHLO_ELEMENT_CLASS_COMPLEX ? info->bits * 2u : info->bits;
}

/* For promotion, booleans and integers of any signedness are one class. */
static GhloElementClass
promotion_class (GhloElementType type)
{
  GhloElementClass element_class = ghlo_element_info (type)->element_class;

  if (element_class == GHLO_ELEMENT_CLASS_BOOLEAN || element_class == GHLO_ELEMENT_CLASS_UNSIGNED)
    return GHLO_ELEMENT_CLASS_SIGNED;

  return element_class;
}

gboolean
ghlo_ir_element_promotable (const GhloIrType *from,
                            const GhloIrType *to,
                            gboolean          any_float)
{
  if (!ghlo_ir_type_is_shaped (from) || !ghlo_ir_type_is_shaped (to))
    return FALSE;
  if (ghlo_ir_same_element (from, to))
    return TRUE;
  if (from->quantization != NULL || to->quantization != NULL)
    {
      if (from->quantization == NULL || to->quantization == NULL
          || from->quantization->expressed != to->quantization->expressed)
        return FALSE;
      return ghlo_ir_element_bits (from) <= ghlo_ir_element_bits (to);
    }
  if (promotion_class (from->element_type) != promotion_class (to->element_type)
      || from->element_type == GHLO_ELEMENT_TYPE_INVALID)
    return FALSE;
  if (any_float && ghlo_element_type_is_float (from->element_type))
    return TRUE;

  return ghlo_ir_element_bits (from) <= ghlo_ir_element_bits (to);
}

gboolean
ghlo_ir_extents_compatible (const gint64 *a,
                            gsize         rank_a,
                            const gint64 *b,
                            gsize         rank_b)
{
  if (rank_a != rank_b)
    return FALSE;
  for (gsize i = 0; i < rank_a; i++)
    if (!ghlo_ir_dims_compatible (a[i], b[i]))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ir_shapes_compatible (const GhloIrType *a,
                           const GhloIrType *b)
{
  if (a == b || a->kind == GHLO_IR_TYPE_UNRANKED || b->kind == GHLO_IR_TYPE_UNRANKED)
    return TRUE;

  return ghlo_ir_extents_compatible (a->dimensions, a->rank, b->dimensions, b->rank);
}

/* Whether no static dimension of @type exceeds @other's bound. */
static gboolean
keeps_bounds (const GhloIrType *type,
              const GhloIrType *other)
{
  if (other->bounds == NULL)
    return TRUE;
  for (guint i = 0; i < other->rank; i++)
    if (other->bounds[i] >= 0 && type->dimensions[i] > other->bounds[i])
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ir_bounded_shapes_compatible (const GhloIrType *a,
                                   const GhloIrType *b)
{
  if (!ghlo_ir_shapes_compatible (a, b))
    return FALSE;
  if (a->kind == GHLO_IR_TYPE_UNRANKED || b->kind == GHLO_IR_TYPE_UNRANKED)
    return TRUE;

  return keeps_bounds (a, b) && keeps_bounds (b, a);
}

gboolean
ghlo_ir_types_compatible (const GhloIrType *a,
                          const GhloIrType *b)
{
  if (a == b)
    return TRUE;
  if (!ghlo_ir_type_is_shaped (a) || !ghlo_ir_type_is_shaped (b))
    return a->kind == b->kind && a->kind == GHLO_IR_TYPE_QUANTIZED && ghlo_ir_elements_compatible (a, b);
  if ((a->kind == GHLO_IR_TYPE_MEMREF) != (b->kind == GHLO_IR_TYPE_MEMREF))
    return FALSE;

  return ghlo_ir_elements_compatible (a, b) && ghlo_ir_bounded_shapes_compatible (a, b);
}

gboolean
ghlo_ir_dims_sorted (const gint64 *values,
                     gsize         n)
{
  for (gsize i = 1; i < n; i++)
    if (values[i - 1] > values[i])
      return FALSE;

  return TRUE;
}

/* Lists of dimensions are usually as short as a rank, but a program
 * may contain longer ones; a table keeps the time linear for these. */
static gboolean
long_list_unique (const gint64 *values,
                  gsize         n)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (ghlo_hash_int64, g_int64_equal);

  for (gsize i = 0; i < n; i++)
    if (!g_hash_table_add (seen, (gpointer) &values[i]))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ir_dims_unique (const gint64 *values,
                     gsize         n)
{
  if (n > GHLO_MAX_RANK)
    return long_list_unique (values, n);
  for (gsize i = 1; i < n; i++)
    if (ghlo_dims_contain (values, i, values[i]))
      return FALSE;

  return TRUE;
}

char *
ghlo_ir_ints_to_string (const gint64 *values,
                        gsize         n)
{
  GString *string = g_string_new ("[");
  gsize shown = MIN (n, GHLO_MAX_RANK);

  for (gsize i = 0; i < shown; i++)
    g_string_append_printf (string, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", values[i]);
  g_string_append (string, shown < n ? ", …]" : "]");

  return g_string_free (string, FALSE);
}

gboolean
(ghlo_ir_verify_fail_type) (GhloIrVerifier   *verifier,
                            const GhloIrOp   *op,
                            const char       *what,
                            const GhloIrType *expected,
                            const GhloIrType *found)
{
  g_autofree char *expected_text = ghlo_ir_type_to_string (expected);
  g_autofree char *found_text = ghlo_ir_type_to_string (found);

  return ghlo_ir_verify_fail (verifier, op, "expected %s %s, found %s", what, expected_text, found_text);
}

gboolean
ghlo_ir_verify_dim_in_range (GhloIrVerifier *verifier,
                             const GhloIrOp *op,
                             const char     *name,
                             gint64          value,
                             gint64          limit)
{
  if (value >= 0 && value < limit)
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op,
                              "expected %s in [0, %" G_GINT64_FORMAT "), found %" G_GINT64_FORMAT,
                              name, limit, value);
}

gboolean
ghlo_ir_verify_dims_in_range (GhloIrVerifier *verifier,
                              const GhloIrOp *op,
                              const char     *name,
                              const gint64   *values,
                              gsize           n,
                              gint64          limit)
{
  for (gsize i = 0; i < n; i++)
    if (values[i] < 0 || values[i] >= limit)
      return ghlo_ir_verify_fail (verifier, op,
                                  "expected each of %s in [0, %" G_GINT64_FORMAT "), found %" G_GINT64_FORMAT,
                                  name, limit, values[i]);

  return TRUE;
}

gboolean
ghlo_ir_verify_dims_unique (GhloIrVerifier *verifier,
                            const GhloIrOp *op,
                            const char     *name,
                            const gint64   *values,
                            gsize           n)
{
  g_autofree char *text = NULL;

  if (ghlo_ir_dims_unique (values, n))
    return TRUE;
  text = ghlo_ir_ints_to_string (values, n);

  return ghlo_ir_verify_fail (verifier, op, "expected no dimension twice in %s, found %s", name, text);
}

gboolean
ghlo_ir_verify_precision (GhloIrVerifier *verifier,
                          const GhloIrOp *op)
{
  const GhloIrAttr *precision = ghlo_ir_op_get (op, "precision_config");

  if (precision == NULL || precision->length <= 2)
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op, "expected at most 2 elements in precision_config, found %" G_GSIZE_FORMAT,
                              precision->length);
}

gboolean
ghlo_ir_match_ints (const GhloIrValue *value,
                    gint64           **values,
                    gsize             *n)
{
  const GhloIrAttr *constant;

  if (value->op == NULL)
    return FALSE;
  switch (value->op->kind)
    {
    case GHLO_OP_STABLEHLO_CONSTANT:
    case GHLO_OP_CHLO_CONSTANT:
    case GHLO_OP_ARITH_CONSTANT:
      constant = ghlo_ir_op_get (value->op, "value");
      break;
    case GHLO_OP_SHAPE_CONST_SHAPE:
      constant = ghlo_ir_op_get (value->op, "shape");
      break;
    default:
      return FALSE;
    }

  /* A huge splat cannot be a list of dimensions. */
  return constant != NULL && constant->kind == GHLO_IR_ATTR_DENSE && constant->dense.n_elements <= 4096
         && ghlo_ir_dense_to_int64 (constant, values, n);
}

gboolean
ghlo_ir_verify_shape_operand (GhloIrVerifier    *verifier,
                              const GhloIrOp    *op,
                              const GhloIrValue *value)
{
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  g_autofree gint64 *shape = NULL;
  g_autofree char *shape_text = NULL;
  g_autofree char *result_text = NULL;
  gboolean fits;
  gsize n;

  if (!ghlo_ir_match_ints (value, &shape, &n))
    return TRUE;

  fits = n == result->rank;
  for (gsize i = 0; i < n && fits; i++)
    fits = shape[i] >= 0 && ghlo_ir_dims_compatible (shape[i], result->dimensions[i])
           && (ghlo_ir_type_bound (result, i) < 0 || shape[i] <= ghlo_ir_type_bound (result, i));
  if (fits)
    return TRUE;

  shape_text = ghlo_ir_ints_to_string (shape, n);
  result_text = ghlo_ir_type_to_string (result);

  return ghlo_ir_verify_fail (verifier, op, "expected a result of shape %s, as the shape operand says, found %s",
                              shape_text, result_text);
}
