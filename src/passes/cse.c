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

#include "base/hash.h"
#include "passes/effects.h"
#include "passes/walk.h"

/* The first of the operations that are equal in some way; zeroed it is empty. */
typedef struct
{
  GHashTable *ops;               /* made on first need, as the next */
  GPtrArray  *order;             /* the same, the latest last */
} Seen;

typedef struct
{
  GhloPassContext *context;
  GHashTable      *pure;         /* functions without effects */
  Seen             alone;        /* equal but for what their regions hold */
  Seen             whole;        /* equal, of those with regions that are not the first in the other */
} Sharing;

static gboolean
is_commutative (const GhloIrOp *op)
{
  return op->n_operands == 2 && (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_COMMUTATIVE) != 0
         && (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_ELEMENTWISE) != 0;
}

/* What stands for a value in a hash: its number inside the regions at hand, its address
 * where it is from outside of them. */
static guint64
word_of (GHashTable        *numbers,
         const GhloIrValue *value)
{
  gpointer number = numbers != NULL ? g_hash_table_lookup (numbers, value) : NULL;

  return number != NULL ? GPOINTER_TO_SIZE (number) : GPOINTER_TO_SIZE (value);
}

/* An operation without what its regions hold. Values are aligned, so that odd words are
 * numbers. */
static void
add_alone (GhloHash       *hash,
           GHashTable     *numbers,
           const GhloIrOp *op)
{
  guint n_attributes = ghlo_ir_op_get_spec (op)->n_attributes;

  ghlo_hash_add (hash, op->kind);
  ghlo_hash_add (hash, (guint64) op->n_operands << 32 | op->n_results);
  ghlo_hash_add (hash, (guint64) op->n_discardable << 32 | op->n_regions);
  if (is_commutative (op))
    {
      guint64 a = word_of (numbers, ghlo_ir_op_operand (op, 0)), b = word_of (numbers, ghlo_ir_op_operand (op, 1));

      ghlo_hash_add (hash, MIN (a, b));
      ghlo_hash_add (hash, MAX (a, b));
    }
  else
    {
      for (guint i = 0; i < op->n_operands; i++)
        ghlo_hash_add (hash, word_of (numbers, ghlo_ir_op_operand (op, i)));
    }
  ghlo_hash_add_bytes (hash, op->attributes, n_attributes * sizeof (gpointer));
  ghlo_hash_add_bytes (hash, op->discardable, op->n_discardable * sizeof (GhloIrNamedAttr));
  for (guint i = 0; i < op->n_results; i++)
    ghlo_hash_add_pointer (hash, op->results[i].type);
}

static void
number_value (GHashTable        *numbers,
              const GhloIrValue *value)
{
  g_hash_table_insert (numbers, (gpointer) value, GSIZE_TO_POINTER (2 * g_hash_table_size (numbers) + 1));
}

static void
add_blocks (GhloHash       *hash,
            GHashTable     *numbers,
            const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_regions; i++)
    {
      const GhloIrBlock *block = op->regions[i].first;

      ghlo_hash_add (hash, block != NULL ? block->n_arguments : G_MAXUINT64);
      for (guint j = 0; block != NULL && j < block->n_arguments; j++)
        {
          ghlo_hash_add_pointer (hash, block->arguments[j]->type);
          number_value (numbers, block->arguments[j]);
        }
    }
}

static guint32
hash_alone (const GhloIrOp *op)
{
  GhloHash hash = ghlo_hash_begin ();

  add_alone (&hash, NULL, op);

  return (guint32) ghlo_hash_end (&hash);
}

static guint32
hash_whole (const GhloIrOp *op)
{
  g_autoptr (GHashTable) numbers = g_hash_table_new (NULL, NULL);
  GhloHash hash = ghlo_hash_begin ();

  for (const GhloIrOp *inner = op; inner != NULL; inner = ghlo_pass_next_op (inner, op))
    {
      add_alone (&hash, numbers, inner);
      add_blocks (&hash, numbers, inner);
      for (guint i = 0; i < inner->n_results; i++)
        number_value (numbers, &inner->results[i]);
    }

  return (guint32) ghlo_hash_end (&hash);
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
equal_alone (gconstpointer a,
             gconstpointer b)
{
  return a == b || same_alone (NULL, a, b);
}

static gboolean
equal_whole (gconstpointer a,
             gconstpointer b)
{
  return a == b || (same_alone (NULL, a, b) && same_regions (a, b));
}

/* An operation's id keeps its hash in the table that it is looked for in. */
static guint
get_hash (gconstpointer op)
{
  return ((const GhloIrOp *) op)->id;
}

/* The operation that @op equals; NULL when it is the first. */
static GhloIrOp *
see (Seen       *self,
     GEqualFunc  equal,
     GhloIrOp   *op,
     guint32     hash)
{
  GhloIrOp *first;

  if (self->ops == NULL)
    {
      self->ops = g_hash_table_new (get_hash, equal);
      self->order = g_ptr_array_new ();
    }
  op->id = hash;
  first = g_hash_table_lookup (self->ops, op);
  if (first == NULL)
    {
      g_hash_table_add (self->ops, op);
      g_ptr_array_add (self->order, op);
    }

  return first;
}

static guint
count_seen (const Seen *self)
{
  return self->order != NULL ? self->order->len : 0;
}

/* Makes what was seen since @mark unseen: it does not stand before what follows. */
static void
forget (Seen  *self,
        guint  mark)
{
  guint n = count_seen (self);

  for (guint i = n; i > mark; i--)
    g_hash_table_remove (self->ops, g_ptr_array_index (self->order, i - 1));
  if (n > mark)
    g_ptr_array_set_size (self->order, mark);
}

static void
clear (Seen *self)
{
  g_clear_pointer (&self->ops, g_hash_table_unref);
  g_clear_pointer (&self->order, g_ptr_array_unref);
}

/* The earlier operation that @op equals, or NULL. Regions are gone over only where they
 * alone may tell operations apart. */
static GhloIrOp *
find_earlier (Sharing  *self,
              GhloIrOp *op)
{
  GhloIrOp *first = see (&self->alone, equal_alone, op, hash_alone (op));

  if (first == NULL || op->n_regions == 0 || same_regions (first, op))
    return first;

  return see (&self->whole, equal_whole, op, hash_whole (op));
}

static gboolean share_block (Sharing      *self,
                             GhloIrBlock  *block,
                             GError      **error);

static gboolean
share_regions (Sharing   *self,
               GhloIrOp  *op,
               GError   **error)
{
  Sharing own = { self->context, self->pure };
  Sharing *inner = ghlo_pass_is_control (op) ? self : &own;
  gboolean ok = TRUE;

  for (guint i = 0; i < op->n_regions && ok; i++)
    ok = op->regions[i].first == NULL || share_block (inner, op->regions[i].first, error);
  clear (&own.alone);
  clear (&own.whole);

  return ok;
}

/* An operation's regions are gone over first: two are equal when what is inside is. */
static gboolean
share_block (Sharing      *self,
             GhloIrBlock  *block,
             GError      **error)
{
  guint n_alone = count_seen (&self->alone), n_whole = count_seen (&self->whole);
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
      earlier = find_earlier (self, op);
      if (earlier == NULL)
        continue;
      for (guint i = 0; i < op->n_results; i++)
        ghlo_ir_value_replace (&op->results[i], &earlier->results[i]);
      ghlo_pass_erase (op);
      self->context->n_changes++;
    }
  forget (&self->alone, n_alone);
  forget (&self->whole, n_whole);

  return TRUE;
}

gboolean
ghlo_pass_cse (GhloIrModule     *module,
               GhloPassContext  *context,
               GError          **error)
{
  g_autoptr (GPtrArray) functions = ghlo_pass_functions (module);
  g_autoptr (GHashTable) pure = ghlo_pass_pure_functions (module);
  gboolean ok = TRUE;

  for (guint i = 0; i < functions->len && ok; i++)
    {
      Sharing self = { context, pure };

      ok = share_block (&self, ghlo_ir_func_get_body (g_ptr_array_index (functions, i)), error);
      clear (&self.alone);
      clear (&self.whole);
    }

  return ok;
}
