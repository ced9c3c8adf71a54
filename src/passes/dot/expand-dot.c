/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "expand-dots": where the device prefers it, a product each of whose sums has few terms becomes as many
 * multiplications, and additions in the same order. Such a product is limited by memory, and elementwise operations are
 * fused with more of what is around them.
 */

#include "passes/canonicalize.h"
#include "passes/dot/dot.h"

enum { MAX_TERMS = 4 };

/* The number of terms of each sum, at most MAX_TERMS + 1. */
static gint64
count_terms (const GhloDot *dot)
{
  gint64 n = 1;

  for (guint i = 0; i < dot->n_contracting; i++)
    {
      const gint64 dimension = dot->operands[GHLO_DOT_LHS]->type->dimensions[dot->contracting[GHLO_DOT_LHS][i]];

      n = MIN (n * MIN (dimension, MAX_TERMS + 1), MAX_TERMS + 1);
    }

  return n;
}

/* The factor that one side gives term @term of the sums, broadcast to the type of the result. */
static GhloIrValue *
take_factor (GhloRewriter     *self,
             const GhloDot    *dot,
             guint             side,
             gint64            term,
             const GhloIrType *result)
{
  const GhloIrType *type = dot->operands[side]->type;
  gint64 start[GHLO_MAX_RANK] = { 0 }, limit[GHLO_MAX_RANK], strides[GHLO_MAX_RANK];
  gint64 kept[GHLO_MAX_RANK], places[GHLO_MAX_RANK];
  guint n = 0, place = dot->n_batch + (side == GHLO_DOT_RHS ? ghlo_dot_n_free (dot, GHLO_DOT_LHS) : 0);
  GhloIrValue *factor;

  for (guint i = 0; i < type->rank; i++)
    {
      limit[i] = type->dimensions[i];
      strides[i] = 1;
    }
  for (guint i = dot->n_contracting; i-- > 0;)
    {
      const gint64 dimension = dot->contracting[side][i];

      start[dimension] = term % type->dimensions[dimension];
      limit[dimension] = start[dimension] + 1;
      term /= type->dimensions[dimension];
    }
  for (guint i = 0; i < type->rank; i++)
    if (!ghlo_dims_contain (dot->contracting[side], dot->n_contracting, i))
      {
        kept[n] = type->dimensions[i];
        places[n] = ghlo_dot_is_free (dot, side, i) ? place++ : 0;
        for (guint j = 0; j < dot->n_batch; j++)
          if (dot->batch[side][j] == i)
            places[n] = j;
        n++;
      }
  factor = ghlo_make_slice (self, dot->operands[side], start, limit, strides);
  factor = ghlo_make_reshape (self, factor, ghlo_make_type (self, type, kept, n));

  return ghlo_make_broadcast (self, factor, places, result);
}

/* Whether sums of elements lose no more than those of the product: narrower floats would be rounded at each addition,
 * and complex numbers in each multiplication. */
static gboolean
keeps_precision (const GhloIrOp *op)
{
  const GhloElementType type = op->results[0].type->element_type;

  return ghlo_ir_op_operand (op, 0)->type->element_type == type
         && ghlo_ir_op_operand (op, 1)->type->element_type == type
         && !ghlo_element_type_is_complex (type)
         && (!ghlo_element_type_is_float (type) || ghlo_element_info (type)->bits >= 32)
         && ghlo_ir_op_get (op, "algorithm") == NULL;
}

static gboolean
expand (GhloRewriter *self,
        GhloIrOp     *op)
{
  const GhloIrType *type = op->results[0].type;
  GhloIrValue *sum;
  GhloDot dot;
  gint64 n;

  if (!ghlo_dot_read (op, &dot) || !keeps_precision (op))
    return FALSE;
  n = count_terms (&dot);
  if (n < 1 || n > MAX_TERMS
      || ghlo_rewrite_is_declined (self, GHLO_FUSION_EXPAND_DOTS, op))
    return FALSE;

  /* From zero on, so that terms of -0 alone have the sum +0, as in the product. */
  sum = ghlo_make_number (self, type, 0);
  for (gint64 i = 0; i < n; i++)
    {
      GhloIrValue *lhs = take_factor (self, &dot, GHLO_DOT_LHS, i, type);
      GhloIrValue *rhs = take_factor (self, &dot, GHLO_DOT_RHS, i, type);

      sum = ghlo_make_binary (self, GHLO_OP_STABLEHLO_ADD, sum,
                              ghlo_make_binary (self, GHLO_OP_STABLEHLO_MULTIPLY, lhs, rhs));
    }

  return ghlo_rewrite_replace (self, op, sum);
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_DOT_GENERAL, expand },
};

gboolean
ghlo_pass_expand_dots (GhloIrModule     *module,
                       GhloPassContext  *context,
                       GError          **error)
{
  return ghlo_rewrite_module (module, context, rows, G_N_ELEMENTS (rows), error);
}
