/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies CHLO: operations that broadcast their operands, constant_like, top_k and scan. CHLO accepts unranked
 * tensors, of which only the elements are checked.
 */

#include "ir/verify/common.h"

/* Broadcasts another operand's dimension into *@size and *@bound: size 1 becomes the other size, and a static size
 * replaces a dynamic one. Returns FALSE if the sizes do not broadcast. */
static gboolean
broadcast_dimension (gint64  *size,
                     gint64  *bound,
                     gint64   other,
                     gint64   other_bound)
{
  if (other == 1 || (*size > 1 && other < 0))
    return TRUE;
  if (*size == 1 || (*size < 0 && other > 1))
    {
      *size = other;
      *bound = other_bound;
      return TRUE;
    }
  if (*size >= 0 && other >= 0)
    return *size == other;

  /* A dynamic size paired with a dynamic one or with 0 stays dynamic; it is bounded only if both are. */
  *size = -1;
  *bound = *bound >= 0 && other_bound >= 0 ? MAX (*bound, other_bound) : -1;

  return TRUE;
}

/* Broadcasts @type into @shape; dimension i of @type is result dimension @map[i]. */
static gboolean
broadcast_into (GhloIrVerifier   *verifier,
                const GhloIrOp   *op,
                GhloIrShape      *shape,
                const GhloIrType *type,
                const gint64     *map)
{
  for (guint i = 0; i < type->rank; i++)
    {
      guint d = map != NULL ? (guint) map[i] : shape->rank - type->rank + i;

      if (!broadcast_dimension (&shape->dimensions[d], &shape->bounds[d],
                                type->dimensions[i], ghlo_ir_type_bound (type, i)))
        return ghlo_ir_verify_fail (verifier, op, "expected sizes that broadcast in dimension %u, found %"
                                    G_GINT64_FORMAT " and %" G_GINT64_FORMAT,
                                    d, shape->dimensions[d], type->dimensions[i]);
    }

  return TRUE;
}

static void
shape_of_ones (GhloIrShape *shape,
               guint        rank)
{
  ghlo_ir_shape_init (shape, rank);
  for (guint i = 0; i < shape->rank; i++)
    shape->dimensions[i] = 1;
}

/* NumPy's broadcasting: shapes are aligned at their last
 * dimensions. Sets *@ranked to FALSE if an operand is unranked. */
static gboolean
numpy_shape (GhloIrVerifier *verifier,
             const GhloIrOp *op,
             GhloIrShape    *shape,
             gboolean       *ranked)
{
  guint rank = 0;

  *ranked = TRUE;
  for (guint i = 0; i < op->n_operands; i++)
    {
      if (ghlo_ir_operand_type (op, i)->kind != GHLO_IR_TYPE_TENSOR)
        *ranked = FALSE;
      else
        rank = MAX (rank, ghlo_ir_operand_type (op, i)->rank);
    }
  if (!*ranked)
    return TRUE;

  shape_of_ones (shape, rank);
  for (guint i = 0; i < op->n_operands; i++)
    if (!broadcast_into (verifier, op, shape, ghlo_ir_operand_type (op, i), NULL))
      return FALSE;

  return TRUE;
}

/* Broadcasting with broadcast_dimensions, which lists the result dimensions of the operand of lower rank. Between
 * operands of equal rank it says nothing: CHLO's verifier accepts any list there, and its lowering ignores it. */
static gboolean
mapped_shape (GhloIrVerifier *verifier,
              const GhloIrOp *op,
              GhloIrShape    *shape,
              gboolean       *ranked,
              const gint64   *dimensions,
              gsize           n)
{
  const GhloIrType *lhs = ghlo_ir_operand_type (op, 0);
  const GhloIrType *rhs = ghlo_ir_operand_type (op, 1);
  const GhloIrType *small = lhs->rank <= rhs->rank ? lhs : rhs;
  const GhloIrType *large = small == lhs ? rhs : lhs;

  *ranked = lhs->kind == GHLO_IR_TYPE_TENSOR && rhs->kind == GHLO_IR_TYPE_TENSOR;
  if (!*ranked)
    return TRUE;
  if (lhs->rank == rhs->rank)
    return numpy_shape (verifier, op, shape, ranked);
  if (n != small->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected %u broadcast_dimensions, the rank of the smaller operand,"
                                " found %" G_GSIZE_FORMAT, small->rank, n);
  if (!ghlo_ir_verify_dims_in_range (verifier, op, "broadcast_dimensions", dimensions, n, large->rank)
      || !ghlo_ir_verify_dims_unique (verifier, op, "broadcast_dimensions", dimensions, n))
    return FALSE;

  ghlo_ir_shape_from_type (shape, large);

  return broadcast_into (verifier, op, shape, small, dimensions);
}

static GhloElementType
complex_of (GhloElementType element)
{
  if (element == GHLO_ELEMENT_TYPE_F32)
    return GHLO_ELEMENT_TYPE_COMPLEX_F32;

  return element == GHLO_ELEMENT_TYPE_F64 ? GHLO_ELEMENT_TYPE_COMPLEX_F64 : GHLO_ELEMENT_TYPE_INVALID;
}

static gboolean
fail_no_complex (GhloIrVerifier   *verifier,
                 const GhloIrOp   *op,
                 const GhloIrType *part)
{
  g_autofree char *found = ghlo_ir_type_to_string (part);

  return ghlo_ir_verify_fail (verifier, op, "expected parts of f32 or f64, found %s", found);
}

/* Verifies all broadcasting operations of two operands. */
gboolean
ghlo_ir_verify_chlo_broadcast (GhloIrVerifier *verifier,
                               const GhloIrOp *op)
{
  const GhloIrType *lhs = ghlo_ir_operand_type (op, 0);
  const GhloIrType *rhs = ghlo_ir_operand_type (op, 1);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  const GhloIrType plain = {
    .kind = GHLO_IR_TYPE_ELEMENT,
    .element_type = op->kind == GHLO_OP_CHLO_BROADCAST_COMPARE ? GHLO_ELEMENT_TYPE_I1 : complex_of (lhs->element_type),
  };
  gboolean own_element = op->kind == GHLO_OP_CHLO_BROADCAST_COMPARE || op->kind == GHLO_OP_CHLO_BROADCAST_COMPLEX;
  const GhloIrType *element = own_element ? &plain : lhs;
  const gint64 *dimensions;
  gboolean ranked;
  GhloIrShape shape;
  gsize n;

  if (!ghlo_ir_elements_compatible (lhs, rhs))
    return ghlo_ir_verify_fail_type (verifier, op, "operands of compatible element types, like", lhs, rhs);
  if (own_element && plain.element_type == GHLO_ELEMENT_TYPE_INVALID)
    return fail_no_complex (verifier, op, lhs);
  if (!ghlo_ir_elements_compatible (element, result))
    return ghlo_ir_verify_fail_type (verifier, op, "a result of the element type of", element, result);

  dimensions = ghlo_ir_op_get_ints (op, "broadcast_dimensions", &n);
  if (!(ghlo_ir_op_get (op, "broadcast_dimensions") != NULL
        ? mapped_shape (verifier, op, &shape, &ranked, dimensions, n)
        : numpy_shape (verifier, op, &shape, &ranked)))
    return FALSE;

  return !ranked || ghlo_ir_verify_inferred (verifier, op, 0, &shape, element);
}

gboolean
ghlo_ir_verify_broadcast_select (GhloIrVerifier *verifier,
                                 const GhloIrOp *op)
{
  const GhloIrType *on_true = ghlo_ir_operand_type (op, 1);
  const GhloIrType *on_false = ghlo_ir_operand_type (op, 2);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  gboolean ranked;
  GhloIrShape shape;

  if (!ghlo_ir_same_element (on_true, on_false))
    return ghlo_ir_verify_fail_type (verifier, op, "'on_false' of the element type of 'on_true',", on_true, on_false);
  if (!ghlo_ir_elements_compatible (on_true, result))
    return ghlo_ir_verify_fail_type (verifier, op, "a result of the element type of", on_true, result);
  if (!numpy_shape (verifier, op, &shape, &ranked))
    return FALSE;

  return !ranked || ghlo_ir_verify_inferred (verifier, op, 0, &shape, on_true);
}

gboolean
ghlo_ir_verify_constant_like (GhloIrVerifier *verifier,
                              const GhloIrOp *op)
{
  const GhloIrAttr *value = ghlo_ir_op_get (op, "value");
  const GhloIrType *result = ghlo_ir_result_type (op, 0);
  const GhloIrType plain = { .kind = GHLO_IR_TYPE_ELEMENT, .element_type = GHLO_ELEMENT_TYPE_I1 };
  const GhloIrType *type = value->type != NULL ? value->type : &plain;

  if (ghlo_ir_type_is_shaped (type) || !ghlo_ir_same_element (type, result))
    return ghlo_ir_verify_fail_type (verifier, op, "a result of the type of its value,", type, result);

  return TRUE;
}

/* For an unranked operand, only the element types of the results can be checked. */
static gboolean
unranked_top_k (GhloIrVerifier   *verifier,
                const GhloIrOp   *op,
                const GhloIrType *operand)
{
  const GhloIrType i32 = { .kind = GHLO_IR_TYPE_ELEMENT, .element_type = GHLO_ELEMENT_TYPE_I32 };
  const GhloIrType *const elements[] = { operand, &i32 };

  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    if (!ghlo_ir_elements_compatible (elements[i], ghlo_ir_result_type (op, i)))
      return ghlo_ir_verify_fail_type (verifier, op, "a result of the element type of", elements[i],
                                       ghlo_ir_result_type (op, i));

  return TRUE;
}

gboolean
ghlo_ir_verify_top_k (GhloIrVerifier *verifier,
                      const GhloIrOp *op)
{
  const GhloIrType *operand = ghlo_ir_operand_type (op, 0);
  gint64 k = ghlo_ir_op_get_int (op, "k", 0);
  GhloIrShape shape;
  gint64 last;

  if (k < 0)
    return ghlo_ir_verify_fail (verifier, op, "expected k of at least 0, found %" G_GINT64_FORMAT, k);
  if (operand->kind != GHLO_IR_TYPE_TENSOR)
    return unranked_top_k (verifier, op, operand);
  if (operand->rank < 1)
    return ghlo_ir_verify_fail (verifier, op, "expected an operand of at least rank 1, found rank 0");
  last = operand->dimensions[operand->rank - 1];
  if (last >= 0 && last < k)
    return ghlo_ir_verify_fail (verifier, op, "expected a last dimension of at least k, %" G_GINT64_FORMAT ", found %"
                                G_GINT64_FORMAT, k, last);

  ghlo_ir_shape_from_type (&shape, operand);
  shape.dimensions[shape.rank - 1] = k;
  shape.bounds[shape.rank - 1] = -1;

  return ghlo_ir_verify_inferred (verifier, op, 0, &shape, operand)
         && ghlo_ir_verify_inferred_element (verifier, op, 1, &shape, GHLO_ELEMENT_TYPE_I32);
}
