/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "cse": an operation that equals an earlier one is replaced by it. Earlier
 * means before it in its block, or in a block around it; the regions of if, case and
 * while see what stands around them, those of other operations (the computation of a
 * reduction) are worlds of their own and stay free of values from outside.
 *
 * Operations are equal when kind, operands, types, attributes and regions are; of
 * attributes and types that is a comparison of pointers.
 */

#include "passes/context.h"

#include "passes/effects.h"
#include "passes/walk.h"

typedef struct
{
  GhloPassContext *context;
  GHashTable      *pure;         /* functions without effects */
  GHashTable      *seen;         /* of GhloIrOp, by what they compute */
  GPtrArray       *order;        /* what seen has, the latest last */
} Sharing;

static guint
mix (guint         hash,
     gconstpointer pointer)
{
  return (hash ^ g_direct_hash (pointer)) * 0x9e3779b1u + (hash >> 15);
}

static gboolean
is_commutative (const GhloIrOp *op)
{
  return op->n_operands == 2 && (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_COMMUTATIVE) != 0
         && (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_ELEMENTWISE) != 0;
}

/* Of an operation without what its regions hold but for the number of operations. */
static guint
hash_op (gconstpointer key)
{
  const GhloIrOp *op = key;
  guint hash = op->kind * 31 + op->n_operands, operands = 0;

  for (guint i = 0; i < op->n_operands; i++)
    operands = is_commutative (op) ? operands + g_direct_hash (ghlo_ir_op_operand (op, i))
                                   : mix (operands, ghlo_ir_op_operand (op, i));
  hash = mix (hash, GUINT_TO_POINTER (operands));
  for (guint i = 0; i < ghlo_ir_op_get_spec (op)->n_attributes; i++)
    hash = mix (hash, op->attributes[i]);
  for (guint i = 0; i < op->n_results; i++)
    hash = mix (hash, op->results[i].type);
  for (guint i = 0; i < op->n_regions; i++)
    for (const GhloIrOp *inner = op->regions[i].first != NULL ? op->regions[i].first->first : NULL; inner != NULL;
         inner = inner->next)
      hash = mix (hash, GUINT_TO_POINTER (inner->kind));

  return hash;
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

/* Whether two values are one, those inside two regions being compared by @places. */
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

/* Two operations without what their regions hold. */
static gboolean
same_alone (GHashTable     *places,
            const GhloIrOp *a,
            const GhloIrOp *b)
{
  if (a->kind != b->kind || a->n_operands != b->n_operands || a->n_results != b->n_results
      || a->n_regions != b->n_regions)
    return FALSE;
  for (guint i = 0; i < a->n_results; i++)
    if (a->results[i].type != b->results[i].type)
      return FALSE;

  return same_attributes (a, b) && same_operands (places, a, b);
}

/* The blocks of two operations' regions, their arguments put into @places. */
static gboolean
same_blocks (GHashTable     *places,
             const GhloIrOp *a,
             const GhloIrOp *b)
{
  for (guint i = 0; i < a->n_regions; i++)
    {
      const GhloIrBlock *x = a->regions[i].first, *y = b->regions[i].first;

      if ((x == NULL) != (y == NULL))
        return FALSE;
      if (x == NULL)
        continue;
      if (x->n_arguments != y->n_arguments || (x->first == NULL) != (y->first == NULL))
        return FALSE;
      for (guint j = 0; j < x->n_arguments; j++)
        {
          if (x->arguments[j]->type != y->arguments[j]->type)
            return FALSE;
          g_hash_table_insert (places, x->arguments[j], y->arguments[j]);
        }
    }

  return TRUE;
}

/* Both trees are walked at once: in program order, each operation of the one is where
 * its like is in the other. */
static gboolean
same_regions (const GhloIrOp *a,
              const GhloIrOp *b)
{
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
  const GhloIrOp *x = a, *y = b;

  for (;;)
    {
      if (!same_blocks (places, x, y))
        return FALSE;
      for (guint i = 0; i < x->n_results; i++)
        g_hash_table_insert (places, &x->results[i], &y->results[i]);
      if ((x->next == NULL) != (y->next == NULL) && x != a)
        return FALSE;
      x = ghlo_pass_next_op (x, a);
      y = ghlo_pass_next_op (y, b);
      if (x == NULL || y == NULL)
        return x == y;
      if (!same_alone (places, x, y))
        return FALSE;
    }
}

static gboolean
equal_ops (gconstpointer a,
           gconstpointer b)
{
  return a == b || (same_alone (NULL, a, b) && (((const GhloIrOp *) a)->n_regions == 0 || same_regions (a, b)));
}

/* Makes what was seen since @mark unseen: it does not stand before what follows. */
static void
forget (Sharing *self,
        guint    mark)
{
  for (guint i = self->order->len; i > mark; i--)
    g_hash_table_remove (self->seen, g_ptr_array_index (self->order, i - 1));
  g_ptr_array_set_size (self->order, mark);
}

static gboolean share_block (Sharing      *self,
                             GhloIrBlock  *block,
                             GError      **error);

static gboolean
share_regions (Sharing   *self,
               GhloIrOp  *op,
               GError   **error)
{
  g_autoptr (GHashTable) own = NULL;
  g_autoptr (GPtrArray) order = NULL;
  Sharing inner = *self;

  if (!ghlo_pass_is_control (op))
    {
      inner.seen = own = g_hash_table_new (hash_op, equal_ops);
      inner.order = order = g_ptr_array_new ();
    }
  for (guint i = 0; i < op->n_regions; i++)
    if (op->regions[i].first != NULL && !share_block (&inner, op->regions[i].first, error))
      return FALSE;

  return TRUE;
}

/* An operation's regions are gone over first: two are equal when what is inside is. */
static gboolean
share_block (Sharing      *self,
             GhloIrBlock  *block,
             GError      **error)
{
  guint mark = self->order->len;
  GhloIrOp *next;

  for (GhloIrOp *op = block->first; op != NULL; op = next)
    {
      GhloIrOp *earlier;

      next = op->next;
      if (ghlo_monitor_cancelled (self->context->monitor, error)
          || (op->n_regions > 0 && !share_regions (self, op, error)))
        return FALSE;
      if (op->n_results == 0 || !ghlo_pass_is_pure (op, self->pure))
        continue;
      earlier = g_hash_table_lookup (self->seen, op);
      if (earlier == NULL)
        {
          g_hash_table_add (self->seen, op);
          g_ptr_array_add (self->order, op);
          continue;
        }
      for (guint i = 0; i < op->n_results; i++)
        ghlo_ir_value_replace (&op->results[i], &earlier->results[i]);
      ghlo_pass_erase (op);
      self->context->n_changes++;
    }
  forget (self, mark);

  return TRUE;
}

gboolean
ghlo_pass_cse (GhloIrModule     *module,
               GhloPassContext  *context,
               GError          **error)
{
  g_autoptr (GPtrArray) functions = ghlo_pass_functions (module);
  g_autoptr (GHashTable) pure = ghlo_pass_pure_functions (module);

  for (guint i = 0; i < functions->len; i++)
    {
      g_autoptr (GHashTable) seen = g_hash_table_new (hash_op, equal_ops);
      g_autoptr (GPtrArray) order = g_ptr_array_new ();
      Sharing self = { context, pure, seen, order };

      if (!share_block (&self, ghlo_ir_func_get_body (g_ptr_array_index (functions, i)), error))
        return FALSE;
    }

  return TRUE;
}
