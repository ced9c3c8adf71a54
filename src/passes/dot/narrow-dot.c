/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "narrow-dots": where the device prefers it, a product in f32 of values that are converted from bf16 becomes
 * a product of the bf16 values, with a result of f32: products of two bf16 are exact in f32, so that the sums are the
 * same. Attention in bf16 is often written so, with its queries and keys scaled after their conversion. Such a scale
 * is applied to the result instead: a power of two changes nothing but what overflows, and any other is rounded less
 * often, which needs excess precision.
 */

#include "passes/canonicalize.h"
#include "passes/constant.h"
#include "passes/dot/dot.h"

#include <float.h>
#include <math.h>

/* The most operations between a product and a conversion. */
enum { MAX_DEPTH = 8 };

/* What the operands are multiplied with. */
typedef struct
{
  double   product;
  gboolean is_exact;            /* all factors are powers of two */
} Scale;

static gboolean
is_move (const GhloIrOp *op)
{
  return op->kind == GHLO_OP_STABLEHLO_RESHAPE || op->kind == GHLO_OP_STABLEHLO_TRANSPOSE
         || op->kind == GHLO_OP_STABLEHLO_BROADCAST_IN_DIM;
}

/* The operand of @op that is multiplied with the other, a splat, which is *@factor; n_operands: there is none. */
static guint
find_scaled (const GhloIrOp *op,
             double         *factor)
{
  GhloScalar scalar;

  if (op->kind == GHLO_OP_STABLEHLO_MULTIPLY || op->kind == GHLO_OP_STABLEHLO_DIVIDE)
    for (guint i = 0; i < (op->kind == GHLO_OP_STABLEHLO_MULTIPLY ? 2 : 1); i++)
      if (ghlo_value_get_splat (ghlo_ir_op_operand (op, 1 - i), &scalar))
        {
          *factor = op->kind == GHLO_OP_STABLEHLO_MULTIPLY ? scalar.f : 1 / scalar.f;
          return i;
        }

  return op->n_operands;
}

/* Whether @value, of f32, is converted from bf16, moved, and multiplied with factors, which are added to @scale. */
static gboolean
is_widened (const GhloIrValue *value,
            Scale             *scale)
{
  int exponent;

  for (guint depth = 0; depth < MAX_DEPTH; depth++)
    {
      const GhloIrOp *op = value->op;
      double factor = 1;
      guint operand = 0;

      if (op == NULL || op->n_results != 1 || !ghlo_type_is_plain (value->type)
          || value->type->element_type != GHLO_ELEMENT_TYPE_F32)
        return FALSE;
      if (op->kind == GHLO_OP_STABLEHLO_CONVERT)
        return ghlo_type_is_plain (ghlo_ir_op_operand (op, 0)->type)
               && ghlo_ir_op_operand (op, 0)->type->element_type == GHLO_ELEMENT_TYPE_BF16;
      if (!is_move (op))
        operand = find_scaled (op, &factor);
      if (operand == op->n_operands)
        return FALSE;
      scale->product *= factor;
      scale->is_exact &= fabs (frexp (factor, &exponent)) == 0.5;
      value = ghlo_ir_op_operand (op, operand);
    }

  return FALSE;
}

/* What @value, which is_widened (), is converted from, moved likewise. */
static GhloIrValue *
narrow (GhloRewriter *self,
        GhloIrValue  *value)
{
  GhloIrOp *op = value->op;
  GhloIrValue *operand;
  double factor;

  if (op->kind == GHLO_OP_STABLEHLO_CONVERT)
    return ghlo_ir_op_operand (op, 0);
  if (!is_move (op))
    return narrow (self, ghlo_ir_op_operand (op, find_scaled (op, &factor)));
  operand = narrow (self, ghlo_ir_op_operand (op, 0));

  return ghlo_make_like (self, op, &operand, ghlo_make_type_of (self, GHLO_ELEMENT_TYPE_BF16, value->type));
}

/* Whether the result may be multiplied with the factors instead of the operands. */
static gboolean
may_move (const GhloPassContext *context,
          const Scale           *scale)
{
  return (scale->is_exact || context->options->excess_precision)
         && fabs (scale->product) >= FLT_MIN && fabs (scale->product) <= FLT_MAX;
}

static gboolean
narrow_dot (GhloRewriter *self,
            GhloIrOp     *op)
{
  GhloIrValue *operands[2], *result;
  Scale scale = { 1, TRUE };
  GhloDot dot;

  if (!ghlo_dot_read (op, &dot) || op->results[0].type->element_type != GHLO_ELEMENT_TYPE_F32
      || ghlo_ir_op_get (op, "algorithm") != NULL || !is_widened (dot.operands[GHLO_DOT_LHS], &scale)
      || !is_widened (dot.operands[GHLO_DOT_RHS], &scale) || !may_move (self->context, &scale)
      || ghlo_rewrite_is_declined (self, GHLO_FUSION_NARROW_DOTS, op))
    return FALSE;

  for (guint i = 0; i < 2; i++)
    operands[i] = narrow (self, dot.operands[i]);
  result = ghlo_make_like (self, op, operands, op->results[0].type);
  if (scale.product != 1)
    result = ghlo_make_binary (self, GHLO_OP_STABLEHLO_MULTIPLY, result,
                               ghlo_make_number (self, result->type, scale.product));

  return ghlo_rewrite_replace (self, op, result);
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_DOT_GENERAL, narrow_dot },
};

gboolean
ghlo_pass_narrow_dots (GhloIrModule     *module,
                       GhloPassContext  *context,
                       GError          **error)
{
  return ghlo_rewrite_module (module, context, rows, G_N_ELEMENTS (rows), error);
}
