/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compares operations. Two regions are walked in parallel; a
 * table maps each value of one to its counterpart in the other.
 */

#include "ir/equal.h"

#include "base/hash.h"

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

/* Whether two values are the same, or counterparts in two regions according to @pairs. */
static gboolean
same_value (GHashTable        *pairs,
            const GhloIrValue *a,
            const GhloIrValue *b)
{
  const GhloIrValue *pair = pairs != NULL ? g_hash_table_lookup (pairs, a) : NULL;

  return pair != NULL ? pair == b : a == b;
}

static gboolean
same_operands (GHashTable     *pairs,
               const GhloIrOp *a,
               const GhloIrOp *b)
{
  gboolean same = TRUE;

  for (guint i = 0; i < a->n_operands && same; i++)
    same = same_value (pairs, ghlo_ir_op_operand (a, i), ghlo_ir_op_operand (b, i));

  return same || (is_commutative (a)
                  && same_value (pairs, ghlo_ir_op_operand (a, 0), ghlo_ir_op_operand (b, 1))
                  && same_value (pairs, ghlo_ir_op_operand (a, 1), ghlo_ir_op_operand (b, 0)));
}

/* Compares two operations, ignoring their operands and the contents of their regions. */
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

static gboolean same_regions (GHashTable     *pairs,
                              const GhloIrOp *a,
                              const GhloIrOp *b);

static gboolean
same_blocks (GHashTable        *pairs,
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
      g_hash_table_insert (pairs, a->arguments[i], b->arguments[i]);
    }
  for (; x != NULL && y != NULL; x = x->next, y = y->next)
    {
      if (!same_kind (x, y) || !same_operands (pairs, x, y) || !same_regions (pairs, x, y))
        return FALSE;
      for (guint i = 0; i < x->n_results; i++)
        g_hash_table_insert (pairs, &x->results[i], &y->results[i]);
    }

  return x == NULL && y == NULL;
}

static gboolean
same_regions (GHashTable     *pairs,
              const GhloIrOp *a,
              const GhloIrOp *b)
{
  for (guint i = 0; i < a->n_regions; i++)
    {
      const GhloIrBlock *x = a->regions[i].first, *y = b->regions[i].first;

      for (; x != NULL && y != NULL; x = x->next, y = y->next)
        if (!same_blocks (pairs, x, y))
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
  g_autoptr (GHashTable) pairs = a->n_regions > 0 ? g_hash_table_new (NULL, NULL) : NULL;

  return a->n_regions == 0 || same_regions (pairs, a, b);
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

gboolean
ghlo_ir_op_equal_alone (const GhloIrOp *a,
                        const GhloIrOp *b)
{
  return a == b || (same_kind (a, b) && same_operands (NULL, a, b));
}

static void
number_value (GHashTable        *numbers,
              const GhloIrValue *value)
{
  g_hash_table_insert (numbers, (gpointer) value, GSIZE_TO_POINTER (2 * g_hash_table_size (numbers) + 1));
}

/* The word that represents a value in a hash: its number if it is defined inside the regions being hashed, its
 * address if it comes from outside. Addresses are even, so odd words are numbers. */
static guint64
word_of (GHashTable        *numbers,
         const GhloIrValue *value)
{
  gpointer number = numbers != NULL ? g_hash_table_lookup (numbers, value) : NULL;

  return number != NULL ? GPOINTER_TO_SIZE (number) : GPOINTER_TO_SIZE (value);
}

/* Adds everything except operands and the contents of regions. */
static void
add_kind (GhloHash       *hash,
          const GhloIrOp *op)
{
  ghlo_hash_add (hash, op->kind);
  ghlo_hash_add (hash, (guint64) op->n_operands << 32 | op->n_results);
  ghlo_hash_add (hash, (guint64) op->n_discardable << 32 | op->n_regions);
  ghlo_hash_add_bytes (hash, op->attributes, ghlo_ir_op_get_spec (op)->n_attributes * sizeof (gpointer));
  ghlo_hash_add_bytes (hash, op->discardable, op->n_discardable * sizeof (GhloIrNamedAttr));
  for (guint i = 0; i < op->n_results; i++)
    ghlo_hash_add_pointer (hash, op->results[i].type);
}

static void
add_operands (GhloHash       *hash,
              GHashTable     *numbers,
              const GhloIrOp *op)
{
  if (is_commutative (op))
    {
      guint64 a = word_of (numbers, ghlo_ir_op_operand (op, 0)), b = word_of (numbers, ghlo_ir_op_operand (op, 1));

      ghlo_hash_add (hash, MIN (a, b));
      ghlo_hash_add (hash, MAX (a, b));
      return;
    }
  for (guint i = 0; i < op->n_operands; i++)
    ghlo_hash_add (hash, word_of (numbers, ghlo_ir_op_operand (op, i)));
}

static void
add_regions (GhloHash       *hash,
             GHashTable     *numbers,
             const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_regions; i++)
    for (const GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      {
        ghlo_hash_add (hash, block->n_arguments);
        for (guint j = 0; j < block->n_arguments; j++)
          {
            ghlo_hash_add_pointer (hash, block->arguments[j]->type);
            number_value (numbers, block->arguments[j]);
          }
        for (const GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
          {
            add_kind (hash, inner);
            add_operands (hash, numbers, inner);
            add_regions (hash, numbers, inner);
            for (guint j = 0; j < inner->n_results; j++)
              number_value (numbers, &inner->results[j]);
          }
      }
}

static guint32
finish_hash (GhloHash       *hash,
             const GhloIrOp *op,
             gboolean        is_whole)
{
  g_autoptr (GHashTable) numbers = is_whole && op->n_regions > 0 ? g_hash_table_new (NULL, NULL) : NULL;

  if (numbers != NULL)
    add_regions (hash, numbers, op);

  return (guint32) ghlo_hash_end (hash);
}

guint32
ghlo_ir_op_hash_like (const GhloIrOp *op)
{
  GhloHash hash = ghlo_hash_begin ();

  add_kind (&hash, op);

  return finish_hash (&hash, op, TRUE);
}

guint32
ghlo_ir_op_hash (const GhloIrOp *op)
{
  GhloHash hash = ghlo_hash_begin ();

  add_kind (&hash, op);
  add_operands (&hash, NULL, op);

  return finish_hash (&hash, op, TRUE);
}

guint32
ghlo_ir_op_hash_alone (const GhloIrOp *op)
{
  GhloHash hash = ghlo_hash_begin ();

  add_kind (&hash, op);
  add_operands (&hash, NULL, op);

  return finish_hash (&hash, op, FALSE);
}
