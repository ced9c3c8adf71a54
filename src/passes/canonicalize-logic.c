/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rules about bitwise operations, shifts, comparisons and select. A float may be NaN, which does not equal itself, so
 * only integers and booleans are known to equal themselves.
 */

#include "passes/canonicalize.h"

#include <string.h>

#include "passes/constant.h"

/* What is known of each comparison_direction, by its word in GhloIrEnum. */
typedef struct
{
  const char *word;
  const char *swapped;     /* b ? a */
  const char *inverse;     /* not (a ? b), where neither is NaN */
  gboolean    of_equals;   /* a ? a */
} Direction;

static const Direction directions[] = {
  { "EQ", "EQ", "NE", TRUE },
  { "NE", "NE", "EQ", FALSE },
  { "GE", "LE", "LT", TRUE },
  { "GT", "LT", "LE", FALSE },
  { "LE", "GE", "GT", TRUE },
  { "LT", "GT", "GE", FALSE },
};

static const Direction *
get_direction (const GhloIrOp *op)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (op, "comparison_direction");

  for (guint i = 0; attr != NULL && i < G_N_ELEMENTS (directions); i++)
    if (strcmp (ghlo_ir_enum_word (attr), directions[i].word) == 0)
      return &directions[i];

  return NULL;
}

static gboolean
is_direction (const Direction *direction,
              const char      *word)
{
  return strcmp (direction->word, word) == 0;
}

/* The same comparison, including its compare_type, in another direction. */
static GhloIrValue *
make_compare (GhloRewriter   *self,
              const GhloIrOp *op,
              const char     *direction,
              GhloIrValue    *lhs,
              GhloIrValue    *rhs)
{
  GhloIrNamedAttr attributes[2] = {
    { "comparison_direction",
      ghlo_ir_attr_enum (self->module, GHLO_IR_ENUM_COMPARISON_DIRECTION,
                         ghlo_ir_enum_from_word (GHLO_IR_ENUM_COMPARISON_DIRECTION, direction)) },
    { "compare_type", ghlo_ir_op_get (op, "compare_type") },
  };

  return ghlo_make (self, GHLO_OP_STABLEHLO_COMPARE, op->results[0].type, (GhloIrValue *[]) { lhs, rhs }, 2, attributes,
                    attributes[1].value != NULL ? 2 : 1);
}

static GhloIrValue *
make_boolean (GhloRewriter     *self,
              const GhloIrType *type,
              gboolean          value)
{
  return ghlo_make_splat (self, type, (GhloScalar) { .i = value });
}

/* x & 0 is 0. */
static gboolean
and_zero (GhloRewriter *self,
          GhloIrOp     *op)
{
  GhloIrValue *constant = ghlo_ir_op_operand (op, 1);

  return ghlo_value_is_neutral (constant, GHLO_OP_STABLEHLO_OR) && ghlo_rewrite_replace (self, op, constant);
}

/* x | ~0 is ~0. */
static gboolean
or_ones (GhloRewriter *self,
         GhloIrOp     *op)
{
  GhloIrValue *constant = ghlo_ir_op_operand (op, 1);

  return ghlo_value_is_neutral (constant, GHLO_OP_STABLEHLO_AND) && ghlo_rewrite_replace (self, op, constant);
}

/* x ^ ~0 is ~x. */
static gboolean
xor_ones (GhloRewriter *self,
          GhloIrOp     *op)
{
  return ghlo_value_is_neutral (ghlo_ir_op_operand (op, 1), GHLO_OP_STABLEHLO_AND)
         && ghlo_rewrite_replace (self, op, ghlo_make_unary (self, GHLO_OP_STABLEHLO_NOT,
                                                             ghlo_ir_op_operand (op, 0)));
}

/* x ^ x is 0. */
static gboolean
xor_itself (GhloRewriter *self,
            GhloIrOp     *op)
{
  GhloIrValue *value = ghlo_ir_op_operand (op, 0);

  return value == ghlo_ir_op_operand (op, 1) && ghlo_type_is_discrete (value->type)
         && ghlo_rewrite_replace (self, op, ghlo_make_number (self, value->type, 0));
}

/* A shift by 0. */
static gboolean
shift_by_zero (GhloRewriter *self,
               GhloIrOp     *op)
{
  return ghlo_value_is_number (ghlo_ir_op_operand (op, 1), 0)
         && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (op, 0));
}

static gboolean
not_not (GhloRewriter *self,
         GhloIrOp     *op)
{
  const GhloIrOp *inner = ghlo_ir_op_operand (op, 0)->op;

  return inner != NULL && inner->kind == GHLO_OP_STABLEHLO_NOT
         && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (inner, 0));
}

/* not (a < b) is a >= b where neither can be NaN; not (a = b) is a ≠ b for floats too. */
static gboolean
not_compare (GhloRewriter *self,
             GhloIrOp     *op)
{
  const GhloIrOp *compare = ghlo_ir_op_operand (op, 0)->op;
  const Direction *direction;

  if (compare == NULL || compare->kind != GHLO_OP_STABLEHLO_COMPARE || compare->results[0].type != op->results[0].type)
    return FALSE;
  direction = get_direction (compare);
  if (direction == NULL || (!ghlo_type_is_discrete (ghlo_ir_op_operand (compare, 0)->type)
                            && !is_direction (direction, "EQ") && !is_direction (direction, "NE")))
    return FALSE;

  return ghlo_rewrite_replace (self, op, make_compare (self, compare, direction->inverse,
                                                       ghlo_ir_op_operand (compare, 0),
                                                       ghlo_ir_op_operand (compare, 1)));
}

static gboolean
compare_with_itself (GhloRewriter *self,
                     GhloIrOp     *op)
{
  const Direction *direction = get_direction (op);

  if (direction == NULL || ghlo_ir_op_operand (op, 0) != ghlo_ir_op_operand (op, 1)
      || !ghlo_type_is_discrete (ghlo_ir_op_operand (op, 0)->type) || !ghlo_type_is_plain (op->results[0].type))
    return FALSE;

  return ghlo_rewrite_replace (self, op, make_boolean (self, op->results[0].type, direction->of_equals));
}

/* Constants are moved to the right of comparisons too, with the direction swapped. */
static gboolean
compare_constant_left (GhloRewriter *self,
                       GhloIrOp     *op)
{
  GhloIrValue *lhs = ghlo_ir_op_operand (op, 0), *rhs = ghlo_ir_op_operand (op, 1);
  const Direction *direction = get_direction (op);
  GhloScalar scalar;

  if (direction == NULL || !(ghlo_value_get_dense (lhs) != NULL || ghlo_value_get_splat (lhs, &scalar))
      || ghlo_value_get_dense (rhs) != NULL || ghlo_value_get_splat (rhs, &scalar))
    return FALSE;

  return ghlo_rewrite_replace (self, op, make_compare (self, op, direction->swapped, rhs, lhs));
}

/* Nothing is below the least value or above the greatest. Sound for types without NaN. */
static gboolean
compare_with_limit (GhloRewriter *self,
                    GhloIrOp     *op)
{
  const Direction *direction = get_direction (op);
  GhloIrValue *limit = ghlo_ir_op_operand (op, 1);
  gboolean is_least = ghlo_value_is_least (limit), is_greatest = ghlo_value_is_greatest (limit);

  if (direction == NULL || !ghlo_type_is_discrete (limit->type) || !ghlo_type_is_plain (op->results[0].type))
    return FALSE;
  if ((is_least && is_direction (direction, "LT")) || (is_greatest && is_direction (direction, "GT")))
    return ghlo_rewrite_replace (self, op, make_boolean (self, op->results[0].type, FALSE));
  if ((is_least && is_direction (direction, "GE")) || (is_greatest && is_direction (direction, "LE")))
    return ghlo_rewrite_replace (self, op, make_boolean (self, op->results[0].type, TRUE));

  return FALSE;
}

/* A boolean, possibly converted to the integer 0 or 1, compared with 0 or 1. */
static gboolean
compare_predicate (GhloRewriter *self,
                   GhloIrOp     *op)
{
  GhloIrValue *value = ghlo_ir_op_operand (op, 0), *constant = ghlo_ir_op_operand (op, 1);
  const Direction *direction = get_direction (op);
  gboolean is_one = ghlo_value_is_number (constant, 1), is_equal;

  if (direction == NULL || !ghlo_type_is_discrete (value->type) || !(is_one || ghlo_value_is_number (constant, 0))
      || !(is_direction (direction, "EQ") || is_direction (direction, "NE")))
    return FALSE;
  if (value->op != NULL && value->op->kind == GHLO_OP_STABLEHLO_CONVERT)
    value = ghlo_ir_op_operand (value->op, 0);
  if (!ghlo_type_is_boolean (value->type) || value->type != op->results[0].type)
    return FALSE;
  is_equal = is_direction (direction, "EQ") == is_one;

  return ghlo_rewrite_replace (self, op, is_equal ? value : ghlo_make_unary (self, GHLO_OP_STABLEHLO_NOT, value));
}

static gboolean
select_same (GhloRewriter *self,
             GhloIrOp     *op)
{
  return ghlo_ir_op_operand (op, 1) == ghlo_ir_op_operand (op, 2)
         && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (op, 1));
}

static gboolean
select_constant (GhloRewriter *self,
                 GhloIrOp     *op)
{
  GhloScalar scalar;

  return ghlo_value_get_splat (ghlo_ir_op_operand (op, 0), &scalar)
         && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (op, scalar.i ? 1 : 2));
}

static gboolean
replace_select (GhloRewriter *self,
                GhloIrOp     *op,
                GhloIrValue  *predicate,
                GhloIrValue  *on_true,
                GhloIrValue  *on_false)
{
  return ghlo_rewrite_replace (self, op, ghlo_make_like (self, op,
                                                         (GhloIrValue *[]) { predicate, on_true, on_false },
                                                         op->results[0].type));
}

static gboolean
select_not (GhloRewriter *self,
            GhloIrOp     *op)
{
  const GhloIrOp *predicate = ghlo_ir_op_operand (op, 0)->op;

  return predicate != NULL && predicate->kind == GHLO_OP_STABLEHLO_NOT
         && replace_select (self, op, ghlo_ir_op_operand (predicate, 0), ghlo_ir_op_operand (op, 2),
                            ghlo_ir_op_operand (op, 1));
}

/* A predicate that broadcasts a scalar is replaced by the scalar. */
static gboolean
select_by_scalar (GhloRewriter *self,
                  GhloIrOp     *op)
{
  GhloIrValue *predicate = ghlo_ir_op_operand (op, 0), *scalar;

  if (predicate->op == NULL || predicate->op->kind != GHLO_OP_STABLEHLO_BROADCAST_IN_DIM
      || !ghlo_type_is_plain (predicate->type) || !ghlo_type_is_plain (op->results[0].type))
    return FALSE;
  scalar = ghlo_ir_op_operand (predicate->op, 0);

  return scalar->type->rank == 0 && ghlo_type_is_plain (scalar->type)
         && replace_select (self, op, scalar, ghlo_ir_op_operand (op, 1), ghlo_ir_op_operand (op, 2));
}

/* An arm that is itself selected by the same predicate. */
static gboolean
select_in_select (GhloRewriter *self,
                  GhloIrOp     *op)
{
  GhloIrValue *arms[2] = { ghlo_ir_op_operand (op, 1), ghlo_ir_op_operand (op, 2) };
  gboolean changed = FALSE;

  for (guint i = 0; i < 2; i++)
    {
      const GhloIrOp *inner = arms[i]->op;

      if (inner == NULL || inner->kind != GHLO_OP_STABLEHLO_SELECT
          || ghlo_ir_op_operand (inner, 0) != ghlo_ir_op_operand (op, 0)
          || ghlo_ir_op_operand (inner, 1 + i)->type != arms[i]->type)
        continue;
      arms[i] = ghlo_ir_op_operand (inner, 1 + i);
      changed = TRUE;
    }

  return changed && replace_select (self, op, ghlo_ir_op_operand (op, 0), arms[0], arms[1]);
}

/* A select between true and false is the predicate or its negation. */
static gboolean
select_booleans (GhloRewriter *self,
                 GhloIrOp     *op)
{
  GhloIrValue *predicate = ghlo_ir_op_operand (op, 0);
  GhloScalar on_true, on_false;

  if (!ghlo_type_is_boolean (op->results[0].type) || predicate->type != op->results[0].type
      || !ghlo_value_get_splat (ghlo_ir_op_operand (op, 1), &on_true)
      || !ghlo_value_get_splat (ghlo_ir_op_operand (op, 2), &on_false) || on_true.i == on_false.i)
    return FALSE;

  return ghlo_rewrite_replace (self, op, on_true.i ? predicate
                                                   : ghlo_make_unary (self, GHLO_OP_STABLEHLO_NOT, predicate));
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_AND, and_zero },
  { GHLO_OP_STABLEHLO_OR, or_ones },
  { GHLO_OP_STABLEHLO_XOR, xor_ones },
  { GHLO_OP_STABLEHLO_XOR, xor_itself },
  { GHLO_OP_STABLEHLO_SHIFT_LEFT, shift_by_zero },
  { GHLO_OP_STABLEHLO_SHIFT_RIGHT_ARITHMETIC, shift_by_zero },
  { GHLO_OP_STABLEHLO_SHIFT_RIGHT_LOGICAL, shift_by_zero },
  { GHLO_OP_STABLEHLO_NOT, not_not },
  { GHLO_OP_STABLEHLO_NOT, not_compare },
  { GHLO_OP_STABLEHLO_COMPARE, compare_with_itself },
  { GHLO_OP_STABLEHLO_COMPARE, compare_constant_left },
  { GHLO_OP_STABLEHLO_COMPARE, compare_with_limit },
  { GHLO_OP_STABLEHLO_COMPARE, compare_predicate },
  { GHLO_OP_STABLEHLO_SELECT, select_same },
  { GHLO_OP_STABLEHLO_SELECT, select_constant },
  { GHLO_OP_STABLEHLO_SELECT, select_not },
  { GHLO_OP_STABLEHLO_SELECT, select_by_scalar },
  { GHLO_OP_STABLEHLO_SELECT, select_in_select },
  { GHLO_OP_STABLEHLO_SELECT, select_booleans },
};

const GhloRuleGroup ghlo_canonicalize_logic = { rows, G_N_ELEMENTS (rows) };
