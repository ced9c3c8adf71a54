/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matches attention backwards, from the second product to the
 * first. Conversions between float types may occur anywhere.
 */

#include "ir/attention.h"

#include <math.h>
#include <string.h>

/* Limits of the number of elementwise operations on scores and of values visited in the search for them. */
enum { MAX_LIGHT = 16, MAX_VISITS = 256 };

typedef struct
{
  GhloIrAttention *attention;
  guint            n_visits, n_light;
  gboolean         is_several;          /* more than one product was found */
} Search;

gboolean
ghlo_ir_attention_has (const GhloIrAttention *self,
                       const GhloIrOp        *op)
{
  for (guint i = 0; i < self->n_ops; i++)
    if (self->ops[i] == op)
      return TRUE;

  return FALSE;
}

static gboolean
add (GhloIrAttention *self,
     const GhloIrOp  *op)
{
  if (ghlo_ir_attention_has (self, op))
    return TRUE;
  if (self->n_ops == GHLO_IR_ATTENTION_MAX_OPS)
    return FALSE;
  self->ops[self->n_ops++] = op;

  return TRUE;
}

static gboolean
is_float (const GhloIrType *type)
{
  return ghlo_ir_type_is_numbers (type) && ghlo_element_type_is_float (type->element_type);
}

static gboolean
is_boolean (const GhloIrType *type)
{
  return ghlo_ir_type_is_numbers (type) && type->element_type == GHLO_ELEMENT_TYPE_I1;
}

/* Whether both types have the same dimensions, apart from those of size 1. */
static gboolean
has_same_sizes (const GhloIrType *a,
                const GhloIrType *b)
{
  guint i = ghlo_ir_attention_next (a, 0), j = ghlo_ir_attention_next (b, 0);

  while (i < a->rank && j < b->rank && a->dimensions[i] == b->dimensions[j])
    {
      i = ghlo_ir_attention_next (a, i + 1);
      j = ghlo_ir_attention_next (b, j + 1);
    }

  return i == a->rank && j == b->rank;
}

static gboolean
is_conversion (const GhloIrOp *op)
{
  return op != NULL && op->kind == GHLO_OP_STABLEHLO_CONVERT && is_float (ghlo_ir_op_operand (op, 0)->type)
         && is_float (op->results[0].type);
}

/* Returns the operation that computes @value, skipping conversions and, with @reshapes, reshapes that only add or
 * drop dimensions of size 1. All of these operations become part of the attention. Returns NULL if no operation
 * defines the value or there are too many. */
static const GhloIrOp *
peel (GhloIrAttention   *self,
      const GhloIrValue *value,
      gboolean           reshapes)
{
  const GhloIrOp *op;

  while ((op = value->op) != NULL)
    {
      if (!is_conversion (op)
          && !(reshapes && op->kind == GHLO_OP_STABLEHLO_RESHAPE
               && has_same_sizes (op->results[0].type, ghlo_ir_op_operand (op, 0)->type)))
        return add (self, op) ? op : NULL;
      if (!add (self, op))
        return NULL;
      value = ghlo_ir_op_operand (op, 0);
    }

  return NULL;
}

/* The same for conversions only, without making anything part of the attention. */
static const GhloIrValue *
skip_conversions (const GhloIrValue *value)
{
  while (is_conversion (value->op))
    value = ghlo_ir_op_operand (value->op, 0);

  return value;
}

/* A boolean counts as 0 or 1. */
static gboolean
is_number (const GhloIrValue *value,
           double            *number)
{
  const GhloIrAttr *attr = ghlo_ir_constant_get_splat (value);

  if (attr == NULL || !(is_float (value->type) || is_boolean (value->type)))
    return FALSE;
  *number = is_boolean (value->type) ? (double) (ghlo_ir_dense_get (attr, 0).u != 0) : ghlo_ir_dense_get (attr, 0).f;

  return TRUE;
}

/* Whether @number is minus infinity or the lowest finite number of @type. A maximum that starts from either equals
 * the maximum of the elements, or else the softmax is NaN in both cases. */
static gboolean
is_lowest (GhloElementType type,
           double          number)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  const double largest = ldexp (2 - ldexp (1, -(gint) info->mantissa_bits), (1 << (info->exponent_bits - 1)) - 1);

  return isinf (number) ? number < 0 : number == -largest;
}

/* Whether @op reduces one value with @combiner, starting from the neutral element. */
static gboolean
is_reduction (const GhloIrOp *op,
              GhloIrOpKind    combiner)
{
  const GhloIrBlock *block;
  const GhloIrOp *body;
  double number;

  if (op == NULL || op->kind != GHLO_OP_STABLEHLO_REDUCE || op->n_operands != 2 || op->n_results != 1
      || !is_number (ghlo_ir_op_operand (op, 1), &number))
    return FALSE;
  block = ghlo_ir_op_region_block (op, 0);
  body = block != NULL ? block->first : NULL;
  if (body == NULL || body->kind != combiner || body->next != block->last || block->n_arguments != 2
      || block->last->n_operands != 1 || ghlo_ir_op_operand (block->last, 0) != &body->results[0]
      || body->results[0].type->element_type != op->results[0].type->element_type)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (ghlo_ir_op_operand (body, i) != block->arguments[0] && ghlo_ir_op_operand (body, i) != block->arguments[1])
      return FALSE;
  if (ghlo_ir_op_operand (body, 0) == ghlo_ir_op_operand (body, 1))
    return FALSE;

  if (is_boolean (op->results[0].type) != (combiner == GHLO_OP_STABLEHLO_OR || combiner == GHLO_OP_STABLEHLO_AND))
    return FALSE;

  return combiner == GHLO_OP_STABLEHLO_MAXIMUM ? is_lowest (op->results[0].type->element_type, number)
                                               : number == (combiner == GHLO_OP_STABLEHLO_AND);
}

/* For each dimension of a value, the corresponding dimension of
 * the full shape; -1 for one of size 1 without a counterpart. */
typedef struct
{
  guint n;
  gint  dimensions[GHLO_MAX_RANK];
} Map;

/* Maps the dimensions of @op's result to those of its operand. Returns FALSE if @op does more than broadcast rows. */
static gboolean
follow (Map            *map,
        const GhloIrOp *op)
{
  const GhloIrType *from = ghlo_ir_op_operand (op, 0)->type, *to = op->results[0].type;
  Map next = { .n = from->rank };

  if (is_conversion (op))
    return TRUE;
  if (op->kind == GHLO_OP_STABLEHLO_BROADCAST_IN_DIM)
    {
      gsize n;
      g_autofree gint64 *numbers = ghlo_ir_op_dup_ints (op, "broadcast_dimensions", &n);

      for (guint i = 0; i < n; i++)
        next.dimensions[i] = from->dimensions[i] == 1 ? -1 : map->dimensions[numbers[i]];
    }
  else if (op->kind == GHLO_OP_STABLEHLO_RESHAPE && has_same_sizes (from, to))
    for (guint i = 0, at = 0; i < from->rank; i++)
      {
        next.dimensions[i] = -1;
        if (from->dimensions[i] == 1)
          continue;
        at = ghlo_ir_attention_next (to, at);
        next.dimensions[i] = map->dimensions[at++];
      }
  else
    return FALSE;
  *map = next;

  return TRUE;
}

/* Returns the reduction by @combiner from which @value, one number for each row of the full shape, is broadcast. The
 * operations in between become part of the attention, and *@is_negated, which is given for predicates, is inverted by
 * each NOT among them. Returns NULL for any other value. */
static const GhloIrOp *
find_reduction (GhloIrAttention   *self,
                const GhloIrValue *value,
                GhloIrOpKind       combiner,
                gboolean          *is_negated)
{
  Map map = { .n = value->type->rank };
  const GhloIrOp *op;
  gsize n;
  g_autofree gint64 *reduced = NULL;
  guint at = 0, r = 0;

  for (guint i = 0; i < map.n; i++)
    map.dimensions[i] = (gint) i;
  for (op = value->op; op != NULL && op->kind != GHLO_OP_STABLEHLO_REDUCE; op = ghlo_ir_op_operand (op, 0)->op)
    if (op->kind == GHLO_OP_STABLEHLO_NOT && is_negated != NULL && add (self, op))
      *is_negated = !*is_negated;
    else if (op->n_operands != 1 || op->n_results != 1 || !ghlo_ir_type_is_numbers (ghlo_ir_op_operand (op, 0)->type)
             || !add (self, op) || !follow (&map, op))
      return NULL;
  if (!is_reduction (op, combiner) || !add (self, op))
    return NULL;
  /* The dimensions that remain must keep the order of the full shape. */
  reduced = ghlo_ir_op_dup_ints (op, "dimensions", &n);
  for (guint i = 0; i < value->type->rank; i++)
    if (r < n && reduced[r] == (gint64) i)
      r++;
    else if (map.dimensions[at++] != (gint) i && value->type->dimensions[i] != 1)
      return NULL;

  return r == n && ghlo_ir_op_operand (op, 0)->type->rank == value->type->rank ? op : NULL;
}

/* Operations that are cheap enough to be computed for each score. */
static gboolean
is_light (const GhloIrOp *op)
{
  switch (op->kind)
    {
    case GHLO_OP_STABLEHLO_ADD:
    case GHLO_OP_STABLEHLO_SUBTRACT:
    case GHLO_OP_STABLEHLO_MULTIPLY:
    case GHLO_OP_STABLEHLO_DIVIDE:
    case GHLO_OP_STABLEHLO_NEGATE:
    case GHLO_OP_STABLEHLO_MAXIMUM:
    case GHLO_OP_STABLEHLO_MINIMUM:
    case GHLO_OP_STABLEHLO_SELECT:
    case GHLO_OP_STABLEHLO_COMPARE:
    case GHLO_OP_STABLEHLO_CONVERT:
    case GHLO_OP_STABLEHLO_AND:
    case GHLO_OP_STABLEHLO_OR:
    case GHLO_OP_STABLEHLO_NOT:
      return TRUE;
    case GHLO_OP_STABLEHLO_RESHAPE:
      return has_same_sizes (op->results[0].type, ghlo_ir_op_operand (op, 0)->type);
    default:
      return FALSE;
    }
}

/* Whether @value is computed from a product with as many elements;
 * all operations in between then become part of the attention. */
static gboolean
find_scores (Search            *search,
             const GhloIrValue *value)
{
  GhloIrAttention *self = search->attention;
  const GhloIrOp *op = value->op;
  gboolean depends = FALSE;

  if (op == NULL || op->block != self->last->block || search->n_visits++ >= MAX_VISITS
      || !ghlo_ir_type_is_numbers (value->type) || !has_same_sizes (value->type, self->logits->type))
    return FALSE;
  if (op->kind == GHLO_OP_STABLEHLO_DOT_GENERAL || op->kind == GHLO_OP_STABLEHLO_DOT)
    {
      search->is_several = search->is_several || (self->scores != NULL && self->scores != op);
      self->scores = op;
      return add (self, op);
    }
  if (!is_light (op))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    depends |= find_scores (search, ghlo_ir_op_operand (op, i));
  if (depends && !ghlo_ir_attention_has (self, op))
    search->n_light++;

  return depends && add (self, op);
}

/* Whether the intermediate values have no users outside the attention. */
static gboolean
is_alone (const GhloIrAttention *self)
{
  for (guint i = 0; i < self->n_ops; i++)
    for (const GhloIrUse *use = self->ops[i]->results[0].uses; use != NULL && self->ops[i] != self->last;
         use = use->next)
      if (!ghlo_ir_attention_has (self, use->op))
        return FALSE;

  return TRUE;
}

static gboolean
has_equal_dimensions (const GhloIrOp *a,
                      const GhloIrOp *b)
{
  gsize n, m;
  g_autofree gint64 *x = ghlo_ir_op_dup_ints (a, "dimensions", &n), *y = ghlo_ir_op_dup_ints (b, "dimensions", &m);

  return n == m && n > 0 && memcmp (x, y, n * sizeof *x) == 0;
}

/* Returns the operation that computes a value, without conversions and reshapes, or NULL. */
static const GhloIrOp *
find_origin (const GhloIrValue *value)
{
  const GhloIrOp *op = value->op;

  while (op != NULL && (is_conversion (op) || (op->kind == GHLO_OP_STABLEHLO_RESHAPE && is_light (op))))
    op = ghlo_ir_op_operand (op, 0)->op;

  return op;
}

/* Matches the comparison of each logit with minus infinity from which @value is computed; *@is_negated is inverted
 * where @value is false for minus infinity. */
static gboolean
match_comparison (GhloIrAttention   *self,
                  const GhloIrValue *value,
                  gboolean          *is_negated)
{
  enum { EQ, NE };
  const GhloIrOp *op;
  double number;

  for (op = value->op; op != NULL && op->kind != GHLO_OP_STABLEHLO_COMPARE; op = ghlo_ir_op_operand (op, 0)->op)
    {
      if ((op->kind != GHLO_OP_STABLEHLO_NOT && op->kind != GHLO_OP_STABLEHLO_RESHAPE) || !is_light (op)
          || !add (self, op))
        return FALSE;
      *is_negated ^= op->kind == GHLO_OP_STABLEHLO_NOT;
    }
  if (op == NULL || !add (self, op) || ghlo_ir_op_get_int (op, "comparison_direction", -1) > NE
      || !is_number (ghlo_ir_op_operand (op, 1), &number) || !isinf (number) || number > 0
      || !has_same_sizes (ghlo_ir_op_operand (op, 0)->type, self->logits->type)
      || find_origin (ghlo_ir_op_operand (op, 0)) == NULL
      || find_origin (ghlo_ir_op_operand (op, 0)) != find_origin (self->logits))
    return FALSE;
  *is_negated ^= ghlo_ir_op_get_int (op, "comparison_direction", EQ) == NE;
  /* What lies in between. */
  for (op = ghlo_ir_op_operand (op, 0)->op; op != find_origin (self->logits); op = ghlo_ir_op_operand (op, 0)->op)
    if (!add (self, op))
      return FALSE;

  return TRUE;
}

/* Matches the selection between the softmax, which is operand @softmax of it, and zeros for rows whose logits are all
 * minus infinity. */
static gboolean
match_empty_rows (GhloIrAttention *self,
                  const GhloIrOp  *select,
                  guint            softmax)
{
  for (guint i = 0; i < 2; i++)
    {
      /* Whether any key counts, or whether none does. */
      const GhloIrOpKind combiner = i == 0 ? GHLO_OP_STABLEHLO_OR : GHLO_OP_STABLEHLO_AND;
      const guint n_ops = self->n_ops;
      gboolean is_negated = FALSE, is_other = FALSE;
      const GhloIrOp *reduce = find_reduction (self, ghlo_ir_op_operand (select, 0), combiner, &is_negated);

      if (reduce != NULL && has_equal_dimensions (reduce, self->maximum)
          && match_comparison (self, ghlo_ir_op_operand (reduce, 0), &is_other))
        /* The predicate, but for its negation, is true where some key counts (all others), or where none does. */
        return is_other == (i == 0) && (is_negated == (i == 0)) == (softmax == 2);
      self->n_ops = n_ops;
    }

  return FALSE;
}

/* Matches exp (logits - maximum) / sum as operand @weights of the product. */
static const char *
match_softmax (GhloIrAttention *self)
{
  const GhloIrOp *quotient = peel (self, ghlo_ir_op_operand (self->last, self->weights), TRUE), *power, *difference;
  const GhloIrOp *sum, *select = NULL;
  guint softmax = 0;
  double number;

  if (quotient != NULL && quotient->kind == GHLO_OP_STABLEHLO_SELECT)
    {
      select = quotient;
      softmax = is_number (ghlo_ir_op_operand (select, 1), &number) ? 2 : 1;
      if (!is_number (ghlo_ir_op_operand (select, 3 - softmax), &number) || number != 0)
        return "none of its operands is a softmax";
      quotient = peel (self, ghlo_ir_op_operand (select, softmax), TRUE);
    }
  if (quotient == NULL || quotient->kind != GHLO_OP_STABLEHLO_DIVIDE || !is_float (quotient->results[0].type))
    return "none of its operands is a softmax";
  power = peel (self, ghlo_ir_op_operand (quotient, 0), FALSE);
  if (power == NULL || power->kind != GHLO_OP_STABLEHLO_EXPONENTIAL || !is_float (power->results[0].type))
    return "none of its operands is a softmax";
  sum = find_reduction (self, ghlo_ir_op_operand (quotient, 1), GHLO_OP_STABLEHLO_ADD, NULL);
  if (sum == NULL || peel (self, ghlo_ir_op_operand (sum, 0), FALSE) != power)
    return "its softmax does not divide by the sums of its rows";
  difference = peel (self, ghlo_ir_op_operand (power, 0), FALSE);
  if (difference == NULL || difference->kind != GHLO_OP_STABLEHLO_SUBTRACT)
    return "its softmax does not subtract the maxima of its rows";
  self->logits = ghlo_ir_op_operand (difference, 0);
  self->maximum = find_reduction (self, ghlo_ir_op_operand (difference, 1), GHLO_OP_STABLEHLO_MAXIMUM, NULL);
  if (self->maximum == NULL || skip_conversions (ghlo_ir_op_operand (self->maximum, 0))
                               != skip_conversions (self->logits))
    return "its softmax subtracts something other than the maxima of its rows";
  /* Adds the conversions between the logits and the maximum. */
  for (const GhloIrOp *op = ghlo_ir_op_operand (self->maximum, 0)->op; is_conversion (op);
       op = ghlo_ir_op_operand (op, 0)->op)
    if (!add (self, op))
      return "it has too many operations";

  if (!has_equal_dimensions (sum, self->maximum))
    return "its sums and maxima are not over the same dimensions";
  self->has_empty_rows = select != NULL;

  return select == NULL || match_empty_rows (self, select, softmax)
         ? NULL : "its softmax is selected by something other than whether a row has a key";
}

const char *
ghlo_ir_attention_match (GhloIrAttention *self,
                         const GhloIrOp  *last)
{
  Search search = { .attention = self };
  const char *reason = "it is not a product of two different matrices";

  if ((last->kind != GHLO_OP_STABLEHLO_DOT_GENERAL && last->kind != GHLO_OP_STABLEHLO_DOT)
      || ghlo_ir_op_operand (last, 0) == ghlo_ir_op_operand (last, 1)
      || !ghlo_ir_type_is_numbers (last->results[0].type))
    return reason;
  for (guint weights = 0; weights < 2 && reason != NULL; weights++)
    {
      *self = (GhloIrAttention) { .last = last, .weights = weights };
      add (self, last);
      reason = match_softmax (self);
    }
  if (reason != NULL)
    return reason;
  if (!find_scores (&search, self->logits) || search.is_several)
    return "its scores are not computed by a single product";
  if (search.n_light > MAX_LIGHT)
    return "too many elementwise operations are applied to its scores";

  return is_alone (self) ? NULL : "an intermediate result has a user outside the attention";
}
