/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Creates locations, which are interned, and finds files in them.
 */

#include "ir/context.h"

#include <string.h>

#include "base/hash.h"

/* The most locations that a search for a file visits. A limit is needed since locations share parts. */
enum { MAX_SEARCHED = 1024 };

static gboolean
location_equal (gconstpointer item,
                gconstpointer key)
{
  const GhloIrLocation *a = item, *b = key;

  return a->kind == b->kind && a->text == b->text && a->line == b->line && a->column == b->column
         && a->end_line == b->end_line && a->end_column == b->end_column
         && a->metadata == b->metadata && a->n_children == b->n_children
         && (a->n_children == 0 || memcmp (a->children, b->children, a->n_children * sizeof (gpointer)) == 0);
}

static guint32
location_hash (const GhloIrLocation *location)
{
  GhloHash hash = ghlo_hash_begin ();

  ghlo_hash_add (&hash, location->kind);
  ghlo_hash_add_pointer (&hash, location->text);
  ghlo_hash_add (&hash, (guint64) location->line << 32 | location->column);
  ghlo_hash_add (&hash, (guint64) location->end_line << 32 | location->end_column);
  ghlo_hash_add_pointer (&hash, location->metadata);
  ghlo_hash_add_bytes (&hash, location->children, location->n_children * sizeof (gpointer));

  return (guint32) ghlo_hash_end (&hash);
}

static guint32
measure (const GhloIrLocation *location)
{
  guint32 extent = ghlo_ir_add_extent (2, location->text != NULL ? strlen (location->text) / 8 : 0);

  for (guint i = 0; i < location->n_children; i++)
    extent = ghlo_ir_add_extent (extent, location->children[i] != NULL ? location->children[i]->extent : 1);
  if (location->metadata != NULL)
    extent = ghlo_ir_add_extent (extent, location->metadata->extent);

  return extent;
}

static const GhloIrLocation *
intern (GhloIrModule         *module,
        const GhloIrLocation *key)
{
  GhloIrContext *context = module->context;
  guint32 hash = location_hash (key);
  GhloIrLocation *location = ghlo_ir_intern_find (&context->locations, hash, location_equal, key);

  if (location == NULL)
    {
      location = ghlo_ir_arena_copy (&context->arena, key, sizeof (GhloIrLocation));
      location->children = ghlo_ir_arena_copy (&context->arena, key->children, key->n_children * sizeof (gpointer));
      location->extent = measure (location);
      ghlo_ir_intern_add (&context->locations, hash, location);
    }

  return location;
}

const GhloIrLocation *
ghlo_ir_location_unknown (GhloIrModule *module)
{
  return intern (module, &(GhloIrLocation) { .kind = GHLO_IR_LOCATION_UNKNOWN });
}

const GhloIrLocation *
ghlo_ir_location_file (GhloIrModule *module,
                       const char   *file,
                       guint         line,
                       guint         column,
                       guint         end_line,
                       guint         end_column)
{
  return intern (module, &(GhloIrLocation) {
    .kind = GHLO_IR_LOCATION_FILE,
    .text = ghlo_ir_module_intern (module, file, -1),
    .line = line,
    .column = column,
    .end_line = end_line,
    .end_column = end_column,
  });
}

const GhloIrLocation *
ghlo_ir_location_name (GhloIrModule         *module,
                       const char           *name,
                       const GhloIrLocation *child)
{
  return intern (module, &(GhloIrLocation) {
    .kind = GHLO_IR_LOCATION_NAME,
    .text = ghlo_ir_module_intern (module, name, -1),
    .children = (const GhloIrLocation *[]) { child },
    .n_children = 1,
  });
}

const GhloIrLocation *
ghlo_ir_location_call_site (GhloIrModule         *module,
                            const GhloIrLocation *callee,
                            const GhloIrLocation *caller)
{
  return intern (module, &(GhloIrLocation) {
    .kind = GHLO_IR_LOCATION_CALL_SITE,
    .children = (const GhloIrLocation *[]) { callee, caller },
    .n_children = 2,
  });
}

const GhloIrLocation *
ghlo_ir_location_fused (GhloIrModule                *module,
                        const GhloIrLocation *const *children,
                        gsize                        n,
                        const GhloIrAttr            *metadata)
{
  return intern (module, &(GhloIrLocation) {
    .kind = GHLO_IR_LOCATION_FUSED,
    .children = children,
    .n_children = n,
    .metadata = metadata,
  });
}

static const GhloIrLocation *
find_file (const GhloIrLocation *location,
           guint                *budget)
{
  const GhloIrLocation *found = NULL;

  if (*budget == 0 || location->kind == GHLO_IR_LOCATION_FILE)
    return *budget == 0 ? NULL : location;
  (*budget)--;
  for (guint i = 0; i < location->n_children && found == NULL; i++)
    found = find_file (location->children[i], budget);

  return found;
}

const GhloIrLocation *
ghlo_ir_location_get_file (const GhloIrLocation *location)
{
  guint budget = MAX_SEARCHED;

  return location != NULL ? find_file (location, &budget) : NULL;
}

gboolean
ghlo_ir_op_append_place (const GhloIrOp     *op,
                         const GhloIrModule *module,
                         GString            *text)
{
  const GhloIrLocation *location = ghlo_ir_location_get_file (op->location);
  gboolean has_line = op->line > 0 && !(module != NULL && module->is_binary);

  if (has_line)
    g_string_append_printf (text, "%s:%u:%u", module != NULL ? module->file_name : "<program>", op->line,
                            MAX (op->column, 1));
  else if (location != NULL)
    g_string_append_printf (text, "%s:%u:%u", location->text, location->line, MAX (location->column, 1));

  return has_line || location != NULL;
}
