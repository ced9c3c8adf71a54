/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A hash table from pairs of pointers to pointers.
 */

#include "import/memo.h"

#include "base/hash.h"

typedef struct
{
  gconstpointer a, b;
  gpointer      kept;
} Item;

static gboolean
item_equal (gconstpointer item,
            gconstpointer key)
{
  const Item *first = item, *second = key;

  return first->a == second->a && first->b == second->b;
}

gpointer *
ghlo_import_memo_at (GhloImportMemo *self,
                     gconstpointer   a,
                     gconstpointer   b)
{
  const Item key = { a, b, NULL };
  GhloHash hash = ghlo_hash_begin ();
  guint32 code;
  Item *item;

  ghlo_hash_add_pointer (&hash, a);
  ghlo_hash_add_pointer (&hash, b);
  code = (guint32) ghlo_hash_end (&hash);
  item = ghlo_ir_intern_find (&self->table, code, item_equal, &key);
  if (item == NULL)
    {
      item = ghlo_ir_arena_copy (&self->arena, &key, sizeof key);
      ghlo_ir_intern_add (&self->table, code, item);
    }

  return &item->kept;
}

void
ghlo_import_memo_clear (GhloImportMemo *self)
{
  ghlo_ir_intern_clear (&self->table);
  ghlo_ir_arena_clear (&self->arena);
  *self = (GhloImportMemo) { 0 };
}
