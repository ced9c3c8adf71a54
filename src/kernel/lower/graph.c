/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The items of the graph, interned.
 */

#include "kernel/lower/lowering.h"

#include "base/hash.h"

#include <string.h>

typedef struct
{
  const GhloLowering *lowering;
  const GhloItem     *item;
} Wanted;

static gboolean
same_item (gconstpointer number,
           gconstpointer key)
{
  const Wanted *wanted = key;

  return memcmp (ghlo_item (wanted->lowering, GPOINTER_TO_UINT (number) - 1), wanted->item, sizeof (GhloItem)) == 0;
}

/* Initial size; most graphs have no more. */
enum { MANY_ITEMS = 64 };

void
ghlo_lower_init_graph (GhloLowering *self)
{
  G_STATIC_ASSERT (sizeof (GhloItem) == 32);

  self->zero = ghlo_lower_form (self, &(GhloAffine) { 0 });
  self->items = g_array_sized_new (FALSE, TRUE, sizeof (GhloItem), MANY_ITEMS);
  self->leaves = g_array_new (FALSE, TRUE, sizeof (GhloLeaf));
  self->folds = g_array_new (FALSE, TRUE, sizeof (GhloLowerFold));
  self->coordinates = g_array_new (FALSE, TRUE, sizeof (const GhloAffine *));
}

void
ghlo_lower_clear_graph (GhloLowering *self)
{
  g_array_unref (self->items);
  g_array_unref (self->leaves);
  g_array_unref (self->folds);
  g_array_unref (self->coordinates);
  ghlo_ir_intern_clear (&self->unique);
  ghlo_ir_intern_clear (&self->memo);
  ghlo_ir_intern_clear (&self->forms);
  ghlo_ir_arena_clear (&self->arena);
}

guint32
ghlo_lower_refuse (GhloLowering *self,
                   const char   *reason)
{
  if (self->reason == NULL)
    self->reason = reason;

  return GHLO_LOWER_NONE;
}

static guint32
add_item (GhloLowering *self,
          GhloItem      item)
{
  const Wanted wanted = { self, &item };
  guint32 hash = (guint32) ghlo_hash_bytes (&item, sizeof item);
  guint32 number = GPOINTER_TO_UINT (ghlo_ir_intern_find (&self->unique, hash, same_item, &wanted));

  if (number != 0)
    return number - 1;
  if (self->items->len == GHLO_LOWER_MAX_ITEMS)
    return ghlo_lower_refuse (self, "its kernel would have too many nodes");
  g_array_append_val (self->items, item);
  ghlo_ir_intern_add (&self->unique, hash, GUINT_TO_POINTER (self->items->len));

  return self->items->len - 1;
}

guint32
ghlo_lower_node (GhloLowering   *self,
                 GhloNodeKind    kind,
                 GhloElementType type,
                 guint32         a,
                 guint32         b,
                 guint32         c)
{
  GhloItem item = { .kind = kind, .type = type, .is_row = TRUE, .operands = { a, b, c } };

  for (guint i = 0; i < ghlo_node_spec (kind)->n_operands; i++)
    {
      if (item.operands[i] == GHLO_LOWER_NONE)
        return GHLO_LOWER_NONE;
      item.is_row = item.is_row && ghlo_item (self, item.operands[i])->is_row;
      item.level = MAX (item.level, ghlo_item (self, item.operands[i])->level);
    }

  return add_item (self, item);
}

static const guint32 no_operands[3] = { GHLO_LOWER_NONE, GHLO_LOWER_NONE, GHLO_LOWER_NONE };

static guint32
add_leaf_item (GhloLowering   *self,
               guint           kind,
               GhloElementType type,
               guint32         ref,
               gboolean        is_row,
               guint           level)
{
  GhloItem item = { .kind = kind, .type = type, .ref = ref, .is_row = is_row, .level = level };

  memcpy (item.operands, no_operands, sizeof no_operands);

  return add_item (self, item);
}

guint32
ghlo_lower_constant (GhloLowering   *self,
                     GhloElementType type,
                     guint64         bits)
{
  GhloItem item = { .kind = GHLO_NODE_CONSTANT, .type = type, .is_row = TRUE, .bits = bits };

  memcpy (item.operands, no_operands, sizeof no_operands);

  return add_item (self, item);
}

guint32
ghlo_lower_float (GhloLowering   *self,
                  GhloElementType type,
                  double          value)
{
  return ghlo_lower_constant (self, type, ghlo_float_to_bits (type, value));
}

/* LEFT and RIGHT have the level of their fold. They count as depending on inner axes in any case. */
guint32
ghlo_lower_fold_operand (GhloLowering *self,
                         GhloNodeKind  kind,
                         guint         fold)
{
  return add_leaf_item (self, kind, ghlo_fold (self, fold)->type, fold, FALSE, ghlo_fold (self, fold)->level);
}

guint32
ghlo_lower_fold_result (GhloLowering *self,
                        guint         fold)
{
  return add_leaf_item (self, GHLO_ITEM_FOLD, ghlo_fold (self, fold)->type, fold, TRUE,
                        ghlo_fold (self, fold)->level + 1);
}

static gboolean
is_row_form (const GhloLowering *self,
             const GhloAffine   *form)
{
  for (guint i = self->n_parallel; i < self->n_axes; i++)
    if (form->strides[i] != 0)
      return FALSE;

  return TRUE;
}

guint32
ghlo_lower_coordinate (GhloLowering     *self,
                       GhloElementType   type,
                       const GhloAffine *form)
{
  guint number = 0;

  if (ghlo_lower_has_starts (form))
    return ghlo_lower_refuse (self, "its iota is read at an offset known only at run time");
  while (number < self->coordinates->len && ghlo_coordinate (self, number) != form)
    number++;
  if (number == self->coordinates->len)
    g_array_append_val (self->coordinates, form);

  return add_leaf_item (self, GHLO_ITEM_COORDINATE, type, number, is_row_form (self, form), 0);
}

/* Returns the number of the leaf, sets *@is_row to whether it depends on no inner axis, and *@level to its level. */
static guint
add_leaf (GhloLowering    *self,
          guint            buffer,
          const GhloIndex *index,
          gboolean        *is_row,
          guint           *level)
{
  GhloLeaf leaf = { .buffer = buffer, .index = *index };
  guint number = 0;

  *is_row = TRUE;
  *level = 0;
  for (guint i = 0; i < self->n_starts; i++)
    if (ghlo_lower_uses_start (index, i))
      {
        *is_row = *is_row && ghlo_item (self, self->starts[i].item)->is_row;
        *level = MAX (*level, ghlo_item (self, self->starts[i].item)->level);
      }
  for (guint i = 0; i < index->rank; i++)
    *is_row = *is_row && is_row_form (self, index->dimensions[i]);
  for (guint i = 0; i < index->n_guards; i++)
    *is_row = *is_row && is_row_form (self, index->guards[i].position);
  while (number < self->leaves->len && (ghlo_leaf (self, number)->buffer != buffer
                                        || !ghlo_lower_same_index (&ghlo_leaf (self, number)->index, index)))
    number++;
  if (number == self->leaves->len)
    g_array_append_val (self->leaves, leaf);

  return number;
}

guint32
ghlo_lower_carried_item (GhloLowering   *self,
                         GhloElementType type,
                         guint           carried,
                         guint           part,
                         gboolean        is_row)
{
  return add_leaf_item (self, GHLO_NODE_TEMPORARY, type, 2 * carried + part, is_row, 0);
}

guint32
ghlo_lower_load (GhloLowering    *self,
                 guint            buffer,
                 GhloElementType  type,
                 const GhloIndex *index,
                 guint32          fill)
{
  GhloItem item = { .kind = GHLO_NODE_LOAD, .type = type, .operands = { fill, GHLO_LOWER_NONE, GHLO_LOWER_NONE } };
  gboolean is_row;
  guint level;

  item.ref = add_leaf (self, buffer, index, &is_row, &level);
  item.is_row = is_row && (fill == GHLO_LOWER_NONE || ghlo_item (self, fill)->is_row);
  item.level = fill != GHLO_LOWER_NONE ? MAX (level, ghlo_item (self, fill)->level) : level;

  return add_item (self, item);
}

/* The address of the access does not matter: it has no dimensions and refers to the first buffer. */
guint32
ghlo_lower_inside (GhloLowering    *self,
                   const GhloIndex *index)
{
  GhloIndex guards = ghlo_lower_origin (self, 0, index);
  gboolean is_row;
  guint leaf, level;

  if (index->n_guards == 0)
    return ghlo_lower_constant (self, GHLO_ELEMENT_TYPE_I1, TRUE);
  guards.part = 0;
  leaf = add_leaf (self, 0, &guards, &is_row, &level);

  return add_leaf_item (self, GHLO_NODE_INSIDE, GHLO_ELEMENT_TYPE_I1, leaf, is_row, level);
}
