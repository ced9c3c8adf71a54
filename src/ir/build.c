/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Creates and changes operations, blocks and uses.
 */

#include <string.h>

#include "base/hash.h"
#include "ir/context.h"

/* The index of @name among the row's inherent attributes, or -1. */
static int
inherent_index (const GhloIrOpSpec *spec,
                const char         *name)
{
  for (guint i = 0; i < spec->n_attributes; i++)
    if (spec->attributes[i].name == name || strcmp (spec->attributes[i].name, name) == 0)
      return (int) i;

  return -1;
}

static void
link_use (GhloIrUse   *use,
          GhloIrValue *value)
{
  use->value = value;
  if (value == NULL)
    return;
  use->next = value->uses;
  use->previous = &value->uses;
  if (use->next != NULL)
    use->next->previous = &use->next;
  value->uses = use;
}

static void
unlink_use (GhloIrUse *use)
{
  if (use->value == NULL)
    return;
  *use->previous = use->next;
  if (use->next != NULL)
    use->next->previous = use->previous;
  use->value = NULL;
  use->next = NULL;
  use->previous = NULL;
}

/* Sets a discardable attribute and keeps the list sorted by name. */
static void
set_discardable (GhloIrModule     *module,
                 GhloIrOp         *op,
                 const char       *name,
                 const GhloIrAttr *value)
{
  guint n = op->n_discardable, place = 0, n_behind;
  GhloIrNamedAttr *list;

  while (place < n && strcmp (op->discardable[place].name, name) < 0)
    place++;
  n_behind = n - place;
  if (n_behind > 0 && strcmp (op->discardable[place].name, name) == 0)
    n_behind--;

  /* Always a new list, since operations may share the old one. */
  list = ghlo_ir_module_alloc (module, (place + 1 + n_behind) * sizeof (GhloIrNamedAttr));
  if (place > 0)
    memcpy (list, op->discardable, place * sizeof (GhloIrNamedAttr));
  if (n_behind > 0)
    memcpy (list + place + 1, op->discardable + n - n_behind, n_behind * sizeof (GhloIrNamedAttr));
  list[place].name = ghlo_ir_module_intern (module, name, -1);
  list[place].value = value;
  op->discardable = list;
  op->n_discardable = place + 1 + n_behind;
}

/* The symbol table that contains an operation, or NULL. */
static GHashTable *
symbols_around (const GhloIrOp *op)
{
  GhloIrOp *parent = ghlo_ir_op_get_parent (op);

  return parent != NULL ? parent->symbols : NULL;
}

/* Adds a symbol to its table. The first symbol of a name stays; the verifier reports the others. */
static void
register_symbol (GhloIrOp *op)
{
  GHashTable *symbols = symbols_around (op);
  const char *name;

  if (symbols == NULL || (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_SYMBOL) == 0)
    return;
  name = ghlo_ir_op_get_string (op, "sym_name");
  if (name != NULL && !g_hash_table_contains (symbols, name))
    g_hash_table_insert (symbols, (gpointer) name, op);
}

static void
unregister_symbol (GhloIrOp *op)
{
  GHashTable *symbols = symbols_around (op);
  const char *name;

  if (symbols == NULL || (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_SYMBOL) == 0)
    return;
  name = ghlo_ir_op_get_string (op, "sym_name");
  if (name != NULL && g_hash_table_lookup (symbols, name) == op)
    g_hash_table_remove (symbols, name);
}

void
ghlo_ir_op_set (GhloIrModule     *module,
                GhloIrOp         *op,
                const char       *name,
                const GhloIrAttr *value)
{
  int index = inherent_index (ghlo_ir_op_get_spec (op), name);
  gboolean is_name = index >= 0 && strcmp (name, "sym_name") == 0;

  if (is_name)
    unregister_symbol (op);
  if (index >= 0)
    op->attributes[index] = value;
  else
    set_discardable (module, op, name, value);
  if (is_name)
    register_symbol (op);
}

static int
compare_names (gconstpointer a,
               gconstpointer b,
               gpointer      data)
{
  return strcmp (((const GhloIrNamedAttr *) a)->name, ((const GhloIrNamedAttr *) b)->name);
}

/* Splits the state's attributes into inherent and discardable ones. If a name occurs twice, the later one wins. */
static void
set_attributes (GhloIrModule        *module,
                GhloIrOp            *op,
                const GhloIrOpState *state)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (state->kind);
  GhloIrNamedAttr *list = NULL;
  guint n = 0, n_kept = 0;

  for (gsize i = 0; i < state->n_attributes; i++)
    {
      int index = inherent_index (spec, state->attributes[i].name);

      if (index >= 0)
        {
          op->attributes[index] = state->attributes[i].value;
          continue;
        }
      if (list == NULL)
        list = ghlo_ir_module_alloc (module, (state->n_attributes - i) * sizeof (GhloIrNamedAttr));
      list[n].name = ghlo_ir_module_intern (module, state->attributes[i].name, -1);
      list[n++].value = state->attributes[i].value;
    }
  if (n == 0)
    return;

  g_qsort_with_data (list, (int) n, sizeof (GhloIrNamedAttr), compare_names, NULL);   /* stable */
  for (guint i = 0; i < n; i++)
    if (i + 1 == n || list[i].name != list[i + 1].name)
      list[n_kept++] = list[i];
  op->discardable = list;
  op->n_discardable = n_kept;
}

GhloIrOp *
ghlo_ir_op_new (GhloIrModule        *module,
                const GhloIrOpState *state)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (state->kind);
  gsize size = sizeof (GhloIrOp) + state->n_operands * sizeof (GhloIrUse) + state->n_results * sizeof (GhloIrValue)
               + state->n_regions * sizeof (GhloIrRegion) + spec->n_attributes * sizeof (gpointer);
  GhloIrOp *op = ghlo_ir_module_alloc (module, size);

  op->kind = state->kind;
  op->n_operands = state->n_operands;
  op->n_results = state->n_results;
  op->n_regions = state->n_regions;
  op->operands = (GhloIrUse *) (op + 1);
  op->results = (GhloIrValue *) (op->operands + state->n_operands);
  op->regions = (GhloIrRegion *) (op->results + state->n_results);
  op->attributes = (const GhloIrAttr **) (op->regions + state->n_regions);
  op->location = state->location;
  op->line = state->line;
  op->column = state->column;

  for (gsize i = 0; i < state->n_operands; i++)
    {
      op->operands[i].op = op;
      link_use (&op->operands[i], state->operands[i]);
    }
  for (gsize i = 0; i < state->n_results; i++)
    {
      op->results[i].type = state->result_types[i];
      op->results[i].op = op;
      op->results[i].index = i;
    }
  for (gsize i = 0; i < state->n_regions; i++)
    op->regions[i].op = op;
  if (spec->traits & GHLO_IR_TRAIT_SYMBOL_TABLE)
    {
      op->symbols = g_hash_table_new (ghlo_hash_string, g_str_equal);
      g_ptr_array_add (module->context->symbol_tables, op->symbols);
    }
  set_attributes (module, op, state);

  return op;
}

void
ghlo_ir_block_append (GhloIrBlock *block,
                      GhloIrOp    *op)
{
  op->block = block;
  op->previous = block->last;
  op->next = NULL;
  if (block->last != NULL)
    block->last->next = op;
  else
    block->first = op;
  block->last = op;
  register_symbol (op);
}

void
ghlo_ir_op_insert_before (GhloIrOp *op,
                          GhloIrOp *next)
{
  op->block = next->block;
  op->next = next;
  op->previous = next->previous;
  if (next->previous != NULL)
    next->previous->next = op;
  else
    next->block->first = op;
  next->previous = op;
  register_symbol (op);
}

void
ghlo_ir_op_unlink (GhloIrOp *op)
{
  if (op->block == NULL)
    return;

  unregister_symbol (op);
  if (op->previous != NULL)
    op->previous->next = op->next;
  else
    op->block->first = op->next;
  if (op->next != NULL)
    op->next->previous = op->previous;
  else
    op->block->last = op->previous;
  op->block = NULL;
  op->previous = op->next = NULL;
}

void
ghlo_ir_op_remove (GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    unlink_use (&op->operands[i]);
  ghlo_ir_op_unlink (op);
}

GhloIrBlock *
ghlo_ir_region_add_block (GhloIrModule *module,
                          GhloIrRegion *region)
{
  GhloIrBlock *block = ghlo_ir_module_alloc (module, sizeof (GhloIrBlock));

  block->region = region;
  block->previous = region->last;
  if (region->last != NULL)
    region->last->next = block;
  else
    region->first = block;
  region->last = block;

  return block;
}

GhloIrValue *
ghlo_ir_block_add_argument (GhloIrModule         *module,
                            GhloIrBlock          *block,
                            const GhloIrType     *type,
                            const GhloIrLocation *location)
{
  GhloIrValue *argument = ghlo_ir_module_alloc (module, sizeof (GhloIrValue));

  /* The capacity doubles at powers of two. */
  if ((block->n_arguments & (block->n_arguments - 1)) == 0)
    {
      guint room = MAX (block->n_arguments * 2, 1);
      GhloIrValue **arguments = ghlo_ir_module_alloc (module, room * sizeof (GhloIrValue *));

      if (block->n_arguments > 0)
        memcpy (arguments, block->arguments, block->n_arguments * sizeof (GhloIrValue *));
      block->arguments = arguments;
    }

  argument->type = type;
  argument->block = block;
  argument->index = block->n_arguments;
  argument->location = location;
  block->arguments[block->n_arguments++] = argument;

  return argument;
}

void
ghlo_ir_block_remove_argument (GhloIrBlock *block,
                               guint        index)
{
  g_assert (index < block->n_arguments && block->arguments[index]->uses == NULL);

  for (guint i = index; i + 1 < block->n_arguments; i++)
    {
      block->arguments[i] = block->arguments[i + 1];
      block->arguments[i]->index = i;
    }
  block->n_arguments--;
}

void
ghlo_ir_op_set_operand (GhloIrOp    *op,
                        guint        index,
                        GhloIrValue *value)
{
  unlink_use (&op->operands[index]);
  link_use (&op->operands[index], value);
}

void
ghlo_ir_value_replace (GhloIrValue *value,
                       GhloIrValue *with)
{
  if (value == with)
    return;
  while (value->uses != NULL)
    ghlo_ir_op_set_operand (value->uses->op, value->uses - value->uses->op->operands, with);
}
