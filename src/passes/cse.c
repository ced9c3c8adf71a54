/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "cse": an operation that equals an earlier one is replaced by it. Earlier
 * means before it in its block, or in a block around it; the regions of if, case and
 * while see what stands around them, those of other operations (the computation of a
 * reduction) are worlds of their own and stay free of values from outside.
 */

#include "passes/context.h"

#include "ir/equal.h"
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
hash_op (gconstpointer key)
{
  return ghlo_ir_op_hash (key);
}

static gboolean
equal_ops (gconstpointer a,
           gconstpointer b)
{
  return ghlo_ir_op_equal (a, b);
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
