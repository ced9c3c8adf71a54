/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "cse": an operation that equals an earlier one is replaced by it. Earlier means before it in its block, or
 * in an enclosing block. The regions of if, case and while see the values around them. Other regions, such as the
 * computation of a reduction, are handled on their own, so that they do not come to use values from outside.
 *
 * Operations are equal when their kinds, operands, types, attributes and regions are. Attributes and types are compared
 * by pointer.
 */

#include "passes/context.h"

#include "ir/equal.h"
#include "passes/effects.h"
#include "passes/walk.h"

/* The first operation of each class of equal operations; empty when zero-initialized. */
typedef struct
{
  GHashTable *ops;               /* created on first use, as is the next one */
  GPtrArray  *order;             /* the same operations in the order in which they were added */
} Seen;

typedef struct
{
  GhloPassContext *context;
  GHashTable      *pure;         /* functions without effects */
  Seen             alone;        /* keyed by all but the contents of regions */
  Seen             whole;        /* keyed by all: operations with regions whose entry in @alone differs from them */
} Sharing;

static gboolean
equal_alone (gconstpointer a,
             gconstpointer b)
{
  return ghlo_ir_op_equal_alone (a, b);
}

static gboolean
equal_whole (gconstpointer a,
             gconstpointer b)
{
  return ghlo_ir_op_equal (a, b);
}

/* The operation's id caches its hash in the table in which it is looked up. */
static guint
get_hash (gconstpointer op)
{
  return ((const GhloIrOp *) op)->id;
}

/* The earlier operation that @op equals; NULL when @op is the first, which is then recorded. */
static GhloIrOp *
find_or_add (Seen       *self,
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

/* Removes what was recorded since @mark, which does not dominate the operations that follow. */
static void
forget (Seen  *self,
        guint  mark)
{
  if (self->order == NULL || self->order->len <= mark)
    return;
  for (guint i = self->order->len; i > mark; i--)
    g_hash_table_remove (self->ops, g_ptr_array_index (self->order, i - 1));
  g_ptr_array_set_size (self->order, mark);
}

static void
clear (Seen *self)
{
  g_clear_pointer (&self->ops, g_hash_table_unref);
  g_clear_pointer (&self->order, g_ptr_array_unref);
}

/* The earlier operation that @op equals, or NULL. Regions are hashed only where they alone may
 * distinguish operations. */
static GhloIrOp *
find_earlier (Sharing  *self,
              GhloIrOp *op)
{
  GhloIrOp *first = find_or_add (&self->alone, equal_alone, op, ghlo_ir_op_hash_alone (op));

  if (first == NULL || op->n_regions == 0 || ghlo_ir_op_equal (first, op))
    return first;

  return find_or_add (&self->whole, equal_whole, op, ghlo_ir_op_hash (op));
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

/* An operation's regions are processed before the operation: two operations are equal when their regions'
 * contents are. */
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
