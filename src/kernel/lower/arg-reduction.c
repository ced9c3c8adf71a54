/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recognizes reductions that look for an element and its position, such as argmax, in whatever way they are written. A
 * body that only compares and selects treats numbers of the same order alike. So it is applied to three elements in all
 * orders that they can have, among themselves and with the initial value: where all ways to combine them give the same
 * result, if the one with the lower position is on the left, then so do all ways to combine any number of elements. NaN
 * is one of these elements only if the body asks for it; otherwise what it does depends on the order, which the
 * specification leaves open.
 */

#include "kernel/lower/lowering.h"

#include "kernel/evaluate.h"

#include <math.h>

enum { MAX_VALUES = 6, MAX_DEPTH = 32 };

typedef struct
{
  guint64 value, position;
} State;

typedef struct
{
  GhloLowering  *lowering;
  const guint32 *left, *elements, *updates;
  State          from[2];       /* the operands of an evaluation */
  guint          depth;
  gboolean       is_unknown;    /* an operation may do more than compare and select */
} Body;

static gboolean
compares_or_selects (GhloNodeKind    kind,
                     GhloElementType type)
{
  switch (kind)
    {
    case GHLO_NODE_EQUAL:
    case GHLO_NODE_NOT_EQUAL:
    case GHLO_NODE_LESS:
    case GHLO_NODE_LESS_EQUAL:
    case GHLO_NODE_GREATER:
    case GHLO_NODE_GREATER_EQUAL:
    case GHLO_NODE_SELECT:
      return TRUE;
    case GHLO_NODE_AND:
    case GHLO_NODE_OR:
    case GHLO_NODE_XOR:
    case GHLO_NODE_NOT:
      return type == GHLO_ELEMENT_TYPE_I1;
    default:
      return FALSE;
    }
}

static guint64
evaluate (Body    *self,
          guint32  number)
{
  const GhloExpr *expr = ghlo_expr (self->lowering, number), *value;
  guint64 operands[3] = { 0 };

  for (guint i = 0; i < 2; i++)
    if (number == self->left[i] || number == self->elements[i])
      {
        const State *from = &self->from[number == self->elements[i]];

        return i == 0 ? from->value : from->position;
      }
  if (expr->kind == GHLO_NODE_CONSTANT && expr->type == GHLO_ELEMENT_TYPE_I1)
    return expr->bits;
  if (self->depth == MAX_DEPTH || expr->kind >= GHLO_N_NODES || !compares_or_selects (expr->kind, expr->type))
    {
      self->is_unknown = TRUE;
      return 0;
    }
  self->depth++;
  for (guint i = 0; i < G_N_ELEMENTS (operands) && expr->operands[i] != GHLO_LOWER_NONE && !self->is_unknown; i++)
    operands[i] = evaluate (self, expr->operands[i]);
  self->depth--;
  if (self->is_unknown)
    return 0;

  value = ghlo_expr (self->lowering, expr->operands[expr->kind == GHLO_NODE_SELECT]);

  return ghlo_node_evaluate (expr->kind, expr->type, value->type, operands);
}

static State
apply (Body        *self,
       const State *left,
       const State *right)
{
  State result;

  self->from[0] = *left;
  self->from[1] = *right;
  result.value = evaluate (self, self->updates[0]);
  result.position = evaluate (self, self->updates[1]);

  return result;
}

/* The merge: the state with the lower position is on the left. Positions are small numbers here. */
static State
merge (Body        *self,
       const State *x,
       const State *y)
{
  return x->position < y->position ? apply (self, x, y) : apply (self, y, x);
}

static gboolean
is_same (const State *x,
         const State *y,
         gboolean     with_value)
{
  return x->position == y->position && (!with_value || x->value == y->value);
}

/* Whether all ways to combine three elements, in the order of their positions, and the initial state give the same. */
static gboolean
is_free (Body        *self,
         const State *init,
         const State *elements,
         gboolean     with_value)
{
  static const guint8 orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 2, 0 } };
  State all = *init;

  for (guint i = 0; i < 3; i++)
    all = apply (self, &all, &elements[i]);
  for (guint i = 0; i < G_N_ELEMENTS (orders); i++)
    {
      State one = apply (self, init, &elements[orders[i][0]]), two = apply (self, init, &elements[orders[i][2]]);
      State ways[4];

      one = apply (self, &one, &elements[orders[i][1]]);
      ways[0] = merge (self, &one, &two);
      ways[1] = merge (self, &two, &one);
      ways[2] = merge (self, &ways[0], init);
      ways[3] = merge (self, init, &ways[1]);
      for (guint j = 0; j < G_N_ELEMENTS (ways); j++)
        if (!is_same (&ways[j], &all, with_value))
          return FALSE;
    }

  return !self->is_unknown;
}

/* Whether an operation compares an element with itself, as a test for NaN does. */
static gboolean
tests_nan (Body    *self,
           guint32  number)
{
  const GhloExpr *expr = ghlo_expr (self->lowering, number);
  gboolean found = FALSE;

  if (number == self->left[0] || number == self->elements[0] || expr->kind >= GHLO_N_NODES || self->depth == MAX_DEPTH
      || !compares_or_selects (expr->kind, expr->type))
    return FALSE;
  self->depth++;
  for (guint i = 0; i < 3 && expr->operands[i] != GHLO_LOWER_NONE && !found; i++)
    found = tests_nan (self, expr->operands[i]);
  self->depth--;

  return found || (expr->kind != GHLO_NODE_SELECT && expr->operands[0] == expr->operands[1]);
}

/* Values of every order with the initial one. Zeros that differ in sign alone are equal to the body, but not as
 * results. */
static guint
list_values (GhloElementType  type,
             guint64          init,
             gboolean         with_zeros,
             gboolean         with_nan,
             guint64         *values)
{
  static const double zeros[] = { 0.0, -0.0 };
  guint n = 0;

  values[n++] = init;
  for (guint i = 1; i <= 2; i++)
    values[n++] = ghlo_element_type_is_float (type) ? ghlo_float_to_bits (type, i) : i;
  if (with_nan)
    values[n++] = ghlo_float_to_bits (type, NAN);
  for (guint i = 0; with_zeros && ghlo_element_type_is_float (type) && i < 2; i++)
    values[n++] = ghlo_float_to_bits (type, zeros[i]);

  return n;
}

/* Whether element 1 is the position along the only reduced axis, and not below @least. */
static gboolean
is_position (GhloLowering *self,
             guint32       element,
             gint64        least)
{
  const GhloExpr *expr = ghlo_expr (self, element);
  const GhloAffine *affine;
  gint64 last;

  if (expr->kind != GHLO_EXPR_COORDINATE || self->n_axes != self->n_parallel + 1)
    return FALSE;
  affine = ghlo_coordinate (self, expr->ref);
  last = affine->offset;
  for (guint i = 0; i < self->n_axes; i++)
    if (affine->strides[i] != 0 && i != self->n_parallel)
      return FALSE;

  return affine->strides[self->n_parallel] > 0 && affine->offset >= least && least >= 0
         && ghlo_int_add_product (&last, affine->strides[self->n_parallel], self->extents[self->n_parallel] - 1)
         && last < G_GINT64_CONSTANT (1) << MIN (ghlo_element_info (expr->type)->bits - 1, 62);
}

gboolean
ghlo_lower_is_arg_reduction (GhloLowering   *self,
                             const GhloIrOp *op,
                             const guint32  *left,
                             const guint32  *elements,
                             const guint32  *updates,
                             const guint64  *inits)
{
  const GhloElementType type = ghlo_expr (self, left[0])->type;
  Body body = { .lowering = self, .left = left, .elements = elements, .updates = updates };
  const State init = { inits[0], inits[1] };
  const gboolean with_value = op->n_results == 2 && op->results[0].uses != NULL;
  guint64 values[MAX_VALUES];
  gboolean with_nan;
  guint n;

  if (op->n_results != 2 || !ghlo_element_type_is_integer (ghlo_expr (self, left[1])->type)
      || elements[0] == elements[1] || !is_position (self, elements[1], (gint64) inits[1]))
    return FALSE;
  with_nan = ghlo_element_type_is_float (type) && (tests_nan (&body, updates[0]) || tests_nan (&body, updates[1]));
  n = list_values (type, init.value, with_value, with_nan, values);
  for (guint i = 0; i < 2 * n * n * n; i++)
    {
      /* The first position may be that of the initial state. */
      const guint64 first = init.position + i % 2;
      const State states[] = {
        { values[i / 2 % n], first }, { values[i / 2 / n % n], first + 1 }, { values[i / 2 / n / n], first + 2 },
      };

      if (!is_free (&body, &init, states, with_value))
        return FALSE;
    }

  return TRUE;
}
