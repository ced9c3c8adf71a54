/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "dce": removes operations without effects that nothing uses, values that loops carry and branches return but
 * nothing uses, and functions that nothing refers to. It goes backwards, so that the definers of a removed operation's
 * operands come after it.
 */

#include "passes/dce.h"

#include "ir/symbols.h"
#include "passes/effects.h"
#include "passes/walk.h"

void
ghlo_dead_sweep (GhloDeadCode *self,
                 GhloIrBlock  *block)
{
  GhloIrOp *terminator = ghlo_pass_terminator (block), *previous;

  for (GhloIrOp *op = block->last; op != NULL; op = previous)
    {
      previous = op->previous;
      if (op == terminator)
        continue;
      if (ghlo_pass_is_unused (op) && ghlo_pass_is_removable (op, self->pure))
        {
          ghlo_pass_erase (op);
          self->context->n_changes++;
          continue;
        }
      if (ghlo_pass_is_control (op))
        op = ghlo_dead_trim (self, op);
      for (guint i = 0; i < op->n_regions; i++)
        if (op->regions[i].first != NULL)
          ghlo_dead_sweep (self, op->regions[i].first);
    }
}

/* Functions that are used, and those of them whose bodies have yet to be searched for more. */
typedef struct
{
  GHashTable *used;       /* of func.func */
  GPtrArray  *pending;    /* of func.func, not searched yet */
} Users;

static void
use_symbol (GhloIrOp *symbol,
            gpointer  data)
{
  Users *self = data;

  if (g_hash_table_add (self->used, symbol))
    g_ptr_array_add (self->pending, symbol);
}

static void
use_symbols_in (Users    *self,
                GhloIrOp *root)
{
  for (const GhloIrOp *op = root; op != NULL; op = ghlo_pass_next_op (op, root))
    ghlo_ir_op_foreach_symbol (op, use_symbol, self);
}

static gboolean
is_private (const GhloIrOp *op,
            const GhloIrOp *entry)
{
  return op->kind == GHLO_OP_FUNC_FUNC && op != entry
         && g_strcmp0 (ghlo_ir_op_get_string (op, "sym_visibility"), "private") == 0;
}

void
ghlo_dead_functions (GhloDeadCode *self)
{
  GhloIrBlock *body = ghlo_ir_op_region_block (self->module->op, 0);
  const GhloIrOp *entry = ghlo_ir_module_get_entry (self->module);
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) pending = g_ptr_array_new ();
  Users users = { used, pending };
  GhloIrOp *next;

  for (GhloIrOp *op = body != NULL ? body->first : NULL; op != NULL; op = op->next)
    if (!is_private (op, entry))
      use_symbols_in (&users, op);
  ghlo_ir_op_foreach_symbol (self->module->op, use_symbol, &users);
  for (guint i = 0; i < pending->len; i++)
    use_symbols_in (&users, g_ptr_array_index (pending, i));

  for (GhloIrOp *op = body != NULL ? body->first : NULL; op != NULL; op = next)
    {
      next = op->next;
      if (is_private (op, entry) && !g_hash_table_contains (used, op))
        {
          ghlo_pass_erase (op);
          self->context->n_changes++;
        }
    }
}

gboolean
ghlo_pass_dce (GhloIrModule     *module,
               GhloPassContext  *context,
               GError          **error)
{
  g_autoptr (GPtrArray) functions = ghlo_pass_functions (module);
  g_autoptr (GHashTable) pure = ghlo_pass_pure_functions (module);
  GhloDeadCode self = { module, context, pure };

  for (guint i = 0; i < functions->len; i++)
    {
      if (ghlo_monitor_cancelled (context->monitor, error))
        return FALSE;
      ghlo_dead_sweep (&self, ghlo_ir_func_get_body (g_ptr_array_index (functions, i)));
    }
  ghlo_dead_functions (&self);

  return TRUE;
}
