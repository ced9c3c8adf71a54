/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Comparing operations. Two regions are gone over at once; a table says which value of the
 * one is where in the other.
 */

#include "ir/equal.h"

#include "ir/arena.h"

static gboolean
is_commutative (const GhloIrOp *op)
{
  return op->n_operands == 2 && (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_COMMUTATIVE) != 0
         && (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_ELEMENTWISE) != 0;
}

static gboolean
same_attributes (const GhloIrOp *a,
                 const GhloIrOp *b)
{
  for (guint i = 0; i < ghlo_ir_op_get_spec (a)->n_attributes; i++)
    if (a->attributes[i] != b->attributes[i])
      return FALSE;
  if (a->n_discardable != b->n_discardable)
    return FALSE;
  for (guint i = 0; i < a->n_discardable; i++)
    if (a->discardable[i].name != b->discardable[i].name || a->discardable[i].value != b->discardable[i].value)
      return FALSE;

  return TRUE;
}

/* Whether two values are one, those inside of two regions being compared by @places. */
static gboolean
same_value (GHashTable        *places,
            const GhloIrValue *a,
            const GhloIrValue *b)
{
  const GhloIrValue *place = places != NULL ? g_hash_table_lookup (places, a) : NULL;

  return place != NULL ? place == b : a == b;
}

static gboolean
same_operands (GHashTable     *places,
               const GhloIrOp *a,
               const GhloIrOp *b)
{
  gboolean same = TRUE;

  for (guint i = 0; i < a->n_operands && same; i++)
    same = same_value (places, ghlo_ir_op_operand (a, i), ghlo_ir_op_operand (b, i));

  return same || (is_commutative (a)
                  && same_value (places, ghlo_ir_op_operand (a, 0), ghlo_ir_op_operand (b, 1))
                  && same_value (places, ghlo_ir_op_operand (a, 1), ghlo_ir_op_operand (b, 0)));
}

/* Two operations without what their regions hold, and without their operands. */
static gboolean
same_kind (const GhloIrOp *a,
           const GhloIrOp *b)
{
  if (a->kind != b->kind || a->n_operands != b->n_operands || a->n_results != b->n_results
      || a->n_regions != b->n_regions)
    return FALSE;
  for (guint i = 0; i < a->n_results; i++)
    if (a->results[i].type != b->results[i].type)
      return FALSE;

  return same_attributes (a, b);
}

static gboolean same_regions (GHashTable     *places,
                              const GhloIrOp *a,
                              const GhloIrOp *b);

static gboolean
same_blocks (GHashTable        *places,
             const GhloIrBlock *a,
             const GhloIrBlock *b)
{
  const GhloIrOp *x = a->first, *y = b->first;

  if (a->n_arguments != b->n_arguments)
    return FALSE;
  for (guint i = 0; i < a->n_arguments; i++)
    {
      if (a->arguments[i]->type != b->arguments[i]->type)
        return FALSE;
      g_hash_table_insert (places, a->arguments[i], b->arguments[i]);
    }
  for (; x != NULL && y != NULL; x = x->next, y = y->next)
    {
      if (!same_kind (x, y) || !same_operands (places, x, y) || !same_regions (places, x, y))
        return FALSE;
      for (guint i = 0; i < x->n_results; i++)
        g_hash_table_insert (places, &x->results[i], &y->results[i]);
    }

  return x == NULL && y == NULL;
}

static gboolean
same_regions (GHashTable     *places,
              const GhloIrOp *a,
              const GhloIrOp *b)
{
  for (guint i = 0; i < a->n_regions; i++)
    {
      const GhloIrBlock *x = a->regions[i].first, *y = b->regions[i].first;

      for (; x != NULL && y != NULL; x = x->next, y = y->next)
        if (!same_blocks (places, x, y))
          return FALSE;
      if (x != NULL || y != NULL)
        return FALSE;
    }

  return TRUE;
}

static gboolean
have_same_regions (const GhloIrOp *a,
                   const GhloIrOp *b)
{
  g_autoptr (GHashTable) places = a->n_regions > 0 ? g_hash_table_new (NULL, NULL) : NULL;

  return a->n_regions == 0 || same_regions (places, a, b);
}

gboolean
ghlo_ir_op_is_like (const GhloIrOp *a,
                    const GhloIrOp *b)
{
  if (a == b)
    return TRUE;
  if (!same_kind (a, b))
    return FALSE;
  for (guint i = 0; i < a->n_operands; i++)
    if (ghlo_ir_op_operand (a, i)->type != ghlo_ir_op_operand (b, i)->type)
      return FALSE;

  return have_same_regions (a, b);
}

gboolean
ghlo_ir_op_equal (const GhloIrOp *a,
                  const GhloIrOp *b)
{
  return a == b || (same_kind (a, b) && same_operands (NULL, a, b) && have_same_regions (a, b));
}

/* Of what regions hold only the kinds of the outermost operations. */
guint32
ghlo_ir_op_hash_like (const GhloIrOp *op)
{
  guint32 hash = ghlo_ir_hash_mix (op->kind, op->n_operands);

  for (guint i = 0; i < ghlo_ir_op_get_spec (op)->n_attributes; i++)
    hash = ghlo_ir_hash_pointer (hash, op->attributes[i]);
  for (guint i = 0; i < op->n_results; i++)
    hash = ghlo_ir_hash_pointer (hash, op->results[i].type);
  for (guint i = 0; i < op->n_regions; i++)
    for (const GhloIrOp *inner = op->regions[i].first != NULL ? op->regions[i].first->first : NULL; inner != NULL;
         inner = inner->next)
      hash = ghlo_ir_hash_mix (hash, inner->kind);

  return hash;
}

guint32
ghlo_ir_op_hash (const GhloIrOp *op)
{
  guint32 hash = ghlo_ir_op_hash_like (op), sum = 0;

  for (guint i = 0; i < op->n_operands; i++)
    if (is_commutative (op))
      sum += ghlo_ir_hash_pointer (0, ghlo_ir_op_operand (op, i));
    else
      hash = ghlo_ir_hash_pointer (hash, ghlo_ir_op_operand (op, i));

  return ghlo_ir_hash_mix (hash, sum);
}
