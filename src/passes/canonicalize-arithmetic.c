/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rules about sums, products, quotients, powers, minima and maxima, and rules that follow from the neutral elements and
 * traits in the op table. Rules about floats hold in IEEE 754: subtracting +0.0 changes nothing, but 0 * x and x - x
 * may be NaN and are not rewritten.
 */

#include "passes/canonicalize.h"

#include <math.h>

#include "passes/constant.h"

static gboolean
is_constant (const GhloIrValue *value)
{
  GhloScalar scalar;

  return ghlo_value_get_dense (value) != NULL || ghlo_value_get_splat (value, &scalar);
}

/* Whether negating twice gives the original value: integers wrap, and floats have both zeros. */
static gboolean
has_negation (const GhloIrType *type)
{
  return ghlo_type_is_integer (type) || ghlo_type_is_ieee (type)
         || (ghlo_type_is_plain (type) && ghlo_element_type_is_complex (type->element_type));
}

/* The operand of the operation that defines @value, where that is a @kind; else NULL. */
static GhloIrValue *
operand_of (const GhloIrValue *value,
            GhloIrOpKind       kind)
{
  return value->op != NULL && value->op->kind == kind ? ghlo_ir_op_operand (value->op, 0) : NULL;
}

/* Moves constant operands of commutative operations to the right. */
static gboolean
constant_to_the_right (GhloRewriter *self,
                       GhloIrOp     *op)
{
  GhloIrValue *lhs, *rhs;

  if ((ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_COMMUTATIVE) == 0
      || (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_ELEMENTWISE) == 0)
    return FALSE;
  lhs = ghlo_ir_op_operand (op, 0);
  rhs = ghlo_ir_op_operand (op, 1);
  if (lhs->type != rhs->type || !is_constant (lhs) || is_constant (rhs))
    return FALSE;
  ghlo_ir_op_set_operand (op, 0, rhs);
  ghlo_ir_op_set_operand (op, 1, lhs);

  return TRUE;
}

/* x ∘ e is x where e is the neutral element of ∘. */
static gboolean
neutral_operand (GhloRewriter *self,
                 GhloIrOp     *op)
{
  return ghlo_ir_op_get_spec (op)->neutral != GHLO_IR_NEUTRAL_NONE
         && ghlo_value_is_neutral (ghlo_ir_op_operand (op, 1), op->kind)
         && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (op, 0));
}

/* f (f (x)) is f (x), and x ∘ x is x. The former does not hold for complex numbers: the sign is rounded, so its
 * magnitude is not exactly 1, and the sign of the sign may be another number. */
static gboolean
idempotent (GhloRewriter *self,
            GhloIrOp     *op)
{
  const GhloIrType *type = op->results[0].type;
  const GhloIrValue *operand;

  if ((ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_IDEMPOTENT) == 0 || !ghlo_type_is_plain (type))
    return FALSE;
  operand = ghlo_ir_op_operand (op, 0);
  if (op->n_operands == 1 ? ghlo_element_type_is_complex (type->element_type) || operand_of (operand, op->kind) == NULL
                          : operand != ghlo_ir_op_operand (op, 1))
    return FALSE;

  return ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (op, 0));
}

static guint64
combine (GhloIrOpKind kind,
         guint64      a,
         guint64      b)
{
  switch (kind)
    {
    case GHLO_OP_STABLEHLO_ADD:
      return a + b;
    case GHLO_OP_STABLEHLO_MULTIPLY:
      return a * b;
    case GHLO_OP_STABLEHLO_AND:
      return a & b;
    case GHLO_OP_STABLEHLO_OR:
      return a | b;
    default:
      return a ^ b;
    }
}

/* (x ∘ a) ∘ b is x ∘ (a ∘ b) for constants a, b. Sound for integers, which wrap. */
static gboolean
merge_constants (GhloRewriter *self,
                 GhloIrOp     *op)
{
  GhloIrOp *inner = ghlo_ir_op_operand (op, 0)->op;
  const GhloIrType *type = op->results[0].type;
  GhloScalar a, b;

  if (!ghlo_type_is_integer (type) || inner == NULL || inner->kind != op->kind || inner->results[0].type != type
      || !ghlo_value_get_splat (ghlo_ir_op_operand (op, 1), &b)
      || !ghlo_value_get_splat (ghlo_ir_op_operand (inner, 1), &a)
      || ghlo_ir_op_operand (inner, 0)->type != type)
    return FALSE;
  b.u = combine (op->kind, a.u, b.u);

  return ghlo_rewrite_replace (self, op, ghlo_make_binary (self, op->kind, ghlo_ir_op_operand (inner, 0),
                                                           ghlo_make_splat (self, type, b)));
}

/* x + -y is x - y, exactly. */
static gboolean
add_negated (GhloRewriter *self,
             GhloIrOp     *op)
{
  if (!has_negation (op->results[0].type))
    return FALSE;

  for (guint i = 0; i < 2; i++)
    {
      GhloIrValue *negated = operand_of (ghlo_ir_op_operand (op, i), GHLO_OP_STABLEHLO_NEGATE);

      if (negated != NULL && negated->type == op->results[0].type)
        return ghlo_rewrite_replace (self, op, ghlo_make_binary (self, GHLO_OP_STABLEHLO_SUBTRACT,
                                                                 ghlo_ir_op_operand (op, 1 - i), negated));
    }

  return FALSE;
}

/* On booleans, a sum is "or" and a product "and". */
static gboolean
boolean_sum (GhloRewriter *self,
             GhloIrOp     *op)
{
  return ghlo_type_is_boolean (op->results[0].type) && ghlo_value_is_number (ghlo_ir_op_operand (op, 1), 1)
         && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (op, 1));
}

static gboolean
subtract_zero (GhloRewriter *self,
               GhloIrOp     *op)
{
  return ghlo_value_is_number (ghlo_ir_op_operand (op, 1), 0.0)
         && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (op, 0));
}

/* x - x is 0. Sound for integers only: x - x of floats may be NaN. */
static gboolean
subtract_itself (GhloRewriter *self,
                 GhloIrOp     *op)
{
  return ghlo_ir_op_operand (op, 0) == ghlo_ir_op_operand (op, 1) && ghlo_type_is_integer (op->results[0].type)
         && ghlo_rewrite_replace (self, op, ghlo_make_number (self, op->results[0].type, 0));
}

static gboolean
subtract_negated (GhloRewriter *self,
                  GhloIrOp     *op)
{
  GhloIrValue *negated = operand_of (ghlo_ir_op_operand (op, 1), GHLO_OP_STABLEHLO_NEGATE);

  return negated != NULL && has_negation (op->results[0].type) && negated->type == op->results[0].type
         && ghlo_rewrite_replace (self, op, ghlo_make_binary (self, GHLO_OP_STABLEHLO_ADD, ghlo_ir_op_operand (op, 0),
                                                              negated));
}

/* x * 0 is 0. Sound for integers and booleans: with floats it may be NaN or -0.0. */
static gboolean
multiply_by_zero (GhloRewriter *self,
                  GhloIrOp     *op)
{
  return ghlo_type_is_discrete (op->results[0].type) && ghlo_value_is_number (ghlo_ir_op_operand (op, 1), 0)
         && ghlo_rewrite_replace (self, op, ghlo_make_number (self, op->results[0].type, 0));
}

static gboolean
multiply_by_minus_one (GhloRewriter *self,
                       GhloIrOp     *op)
{
  const GhloIrType *type = op->results[0].type;

  if (!ghlo_type_is_ieee (type)
      && (!ghlo_type_is_plain (type)
          || ghlo_element_info (type->element_type)->element_class != GHLO_ELEMENT_CLASS_SIGNED))
    return FALSE;

  return ghlo_value_is_number (ghlo_ir_op_operand (op, 1), -1)
         && ghlo_rewrite_replace (self, op, ghlo_make_unary (self, GHLO_OP_STABLEHLO_NEGATE,
                                                             ghlo_ir_op_operand (op, 0)));
}

/* -x * -y is x * y, and -x / -y is x / y: only signs are involved. For integers, this holds for the product only. */
static gboolean
both_negated (GhloRewriter *self,
              GhloIrOp     *op)
{
  GhloIrValue *lhs = operand_of (ghlo_ir_op_operand (op, 0), GHLO_OP_STABLEHLO_NEGATE);
  GhloIrValue *rhs = operand_of (ghlo_ir_op_operand (op, 1), GHLO_OP_STABLEHLO_NEGATE);
  const GhloIrType *type = op->results[0].type;

  if (lhs == NULL || rhs == NULL || lhs->type != type || rhs->type != type
      || !(ghlo_type_is_ieee (type) || (ghlo_type_is_integer (type) && op->kind == GHLO_OP_STABLEHLO_MULTIPLY)))
    return FALSE;

  return ghlo_rewrite_replace (self, op, ghlo_make_binary (self, op->kind, lhs, rhs));
}

static gboolean
divide_by_one (GhloRewriter *self,
               GhloIrOp     *op)
{
  return ghlo_value_is_number (ghlo_ir_op_operand (op, 1), 1)
         && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (op, 0));
}

/* x / 2ⁿ is x * 2⁻ⁿ: both round the same real number. 2⁻ⁿ must be a normal number of the type, or a device that flushes
 * subnormals would turn it into 0. */
static gboolean
divide_by_power_of_two (GhloRewriter *self,
                        GhloIrOp     *op)
{
  const GhloIrType *type = op->results[0].type;
  const GhloElementInfo *info = ghlo_element_info (type->element_type);
  GhloScalar scalar, inverse;
  int exponent;

  if (!ghlo_type_is_ieee (type) || !ghlo_value_get_splat (ghlo_ir_op_operand (op, 1), &scalar)
      || !isfinite (scalar.f) || scalar.f == 0 || fabs (frexp (scalar.f, &exponent)) != 0.5)
    return FALSE;
  inverse.f = 1 / scalar.f;
  if (!isfinite (inverse.f) || ilogb (inverse.f) < 1 - info->bias
      || ghlo_element_round (type->element_type, inverse).f != inverse.f)
    return FALSE;

  return ghlo_rewrite_replace (self, op, ghlo_make_binary (self, GHLO_OP_STABLEHLO_MULTIPLY,
                                                           ghlo_ir_op_operand (op, 0),
                                                           ghlo_make_splat (self, type, inverse)));
}

/* Division of unsigned integers by 2ⁿ is a shift, and the remainder a mask. */
static gboolean
unsigned_power_of_two (GhloRewriter *self,
                       GhloIrOp     *op)
{
  const GhloIrType *type = op->results[0].type;
  gboolean divides = op->kind == GHLO_OP_STABLEHLO_DIVIDE;
  GhloScalar scalar;

  if (!ghlo_type_is_plain (type)
      || ghlo_element_info (type->element_type)->element_class != GHLO_ELEMENT_CLASS_UNSIGNED
      || !ghlo_value_get_splat (ghlo_ir_op_operand (op, 1), &scalar) || scalar.u == 0
      || (scalar.u & (scalar.u - 1)) != 0)
    return FALSE;
  scalar.u = divides ? (guint64) __builtin_ctzll (scalar.u) : scalar.u - 1;

  return ghlo_rewrite_replace (self, op, ghlo_make_binary (self, divides ? GHLO_OP_STABLEHLO_SHIFT_RIGHT_LOGICAL
                                                                         : GHLO_OP_STABLEHLO_AND,
                                                           ghlo_ir_op_operand (op, 0),
                                                           ghlo_make_splat (self, type, scalar)));
}

/* x⁰ is 1 even for NaN and infinities (IEEE 754, 9.2.1); x¹ is x; x² is x * x; for floats, x⁻¹ is 1 / x. Both sides
 * round the same real number. */
static gboolean
small_power (GhloRewriter *self,
             GhloIrOp     *op)
{
  GhloIrValue *base = ghlo_ir_op_operand (op, 0), *exponent = ghlo_ir_op_operand (op, 1);
  const GhloIrType *type = op->results[0].type;

  if (base->type != type || !(ghlo_type_is_ieee (type) || ghlo_type_is_integer (type)))
    return FALSE;
  if (ghlo_value_is_number (exponent, 0.0) || (ghlo_type_is_ieee (type) && ghlo_value_is_number (exponent, -0.0)))
    return ghlo_rewrite_replace (self, op, ghlo_make_number (self, type, 1));
  if (ghlo_value_is_number (exponent, 1))
    return ghlo_rewrite_replace (self, op, base);
  if (ghlo_value_is_number (exponent, 2))
    return ghlo_rewrite_replace (self, op, ghlo_make_binary (self, GHLO_OP_STABLEHLO_MULTIPLY, base, base));
  if (ghlo_type_is_ieee (type) && ghlo_value_is_number (exponent, -1))
    return ghlo_rewrite_replace (self, op, ghlo_make_binary (self, GHLO_OP_STABLEHLO_DIVIDE,
                                                             ghlo_make_number (self, type, 1), base));

  return FALSE;
}

/* max (x, greatest) is the constant unless x is NaN, so this is for integers and booleans only. */
static gboolean
extreme_of_limit (GhloRewriter *self,
                  GhloIrOp     *op)
{
  GhloIrValue *limit = ghlo_ir_op_operand (op, 1);

  return ghlo_type_is_discrete (op->results[0].type)
         && (op->kind == GHLO_OP_STABLEHLO_MAXIMUM ? ghlo_value_is_greatest (limit) : ghlo_value_is_least (limit))
         && ghlo_rewrite_replace (self, op, limit);
}

static gboolean
negate_twice (GhloRewriter *self,
              GhloIrOp     *op)
{
  GhloIrValue *inner = operand_of (ghlo_ir_op_operand (op, 0), GHLO_OP_STABLEHLO_NEGATE);

  return inner != NULL && has_negation (op->results[0].type) && ghlo_rewrite_replace (self, op, inner);
}

/* |-x| is |x|, even for the least integer, which is its own negation. */
static gboolean
abs_of_negated (GhloRewriter *self,
                GhloIrOp     *op)
{
  GhloIrValue *inner = operand_of (ghlo_ir_op_operand (op, 0), GHLO_OP_STABLEHLO_NEGATE);

  if (inner == NULL || inner->type != op->results[0].type || !has_negation (inner->type)
      || ghlo_element_type_is_complex (inner->type->element_type))
    return FALSE;

  return ghlo_rewrite_replace (self, op, ghlo_make_unary (self, GHLO_OP_STABLEHLO_ABS, inner));
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_INVALID, constant_to_the_right },
  { GHLO_OP_INVALID, neutral_operand },
  { GHLO_OP_INVALID, idempotent },
  { GHLO_OP_STABLEHLO_ADD, add_negated },
  { GHLO_OP_STABLEHLO_ADD, boolean_sum },
  { GHLO_OP_STABLEHLO_ADD, merge_constants },
  { GHLO_OP_STABLEHLO_SUBTRACT, subtract_zero },
  { GHLO_OP_STABLEHLO_SUBTRACT, subtract_itself },
  { GHLO_OP_STABLEHLO_SUBTRACT, subtract_negated },
  { GHLO_OP_STABLEHLO_MULTIPLY, multiply_by_zero },
  { GHLO_OP_STABLEHLO_MULTIPLY, multiply_by_minus_one },
  { GHLO_OP_STABLEHLO_MULTIPLY, both_negated },
  { GHLO_OP_STABLEHLO_MULTIPLY, merge_constants },
  { GHLO_OP_STABLEHLO_DIVIDE, divide_by_one },
  { GHLO_OP_STABLEHLO_DIVIDE, divide_by_power_of_two },
  { GHLO_OP_STABLEHLO_DIVIDE, unsigned_power_of_two },
  { GHLO_OP_STABLEHLO_DIVIDE, both_negated },
  { GHLO_OP_STABLEHLO_REMAINDER, unsigned_power_of_two },
  { GHLO_OP_STABLEHLO_POWER, small_power },
  { GHLO_OP_STABLEHLO_MAXIMUM, extreme_of_limit },
  { GHLO_OP_STABLEHLO_MINIMUM, extreme_of_limit },
  { GHLO_OP_STABLEHLO_NEGATE, negate_twice },
  { GHLO_OP_STABLEHLO_ABS, abs_of_negated },
  { GHLO_OP_STABLEHLO_AND, merge_constants },
  { GHLO_OP_STABLEHLO_OR, merge_constants },
  { GHLO_OP_STABLEHLO_XOR, merge_constants },
};

const GhloRuleGroup ghlo_canonicalize_arithmetic = { rows, G_N_ELEMENTS (rows) };
