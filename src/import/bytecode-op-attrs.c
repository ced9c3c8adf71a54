/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an operation of the file is here, and its attributes: out of its properties
 * and its dictionary, through VHLO's versions where it belongs to VHLO. Old files
 * have no properties: all attributes stand in the dictionary under their names.
 */

#include "import/bytecode-reader.h"

#include <string.h>

#include "import/parser.h"

static gboolean
fail_name (GhloByteCursor           *cursor,
           const GhloBytecodeOpName *name)
{
  const char *dialect = cursor->reader->dialects.items[name->dialect].name;
  g_autofree char *whole = g_strdup_printf ("%s.%s", dialect, name->name);
  g_autofree char *quote = ghlo_import_quote (whole, strlen (whole));
  GhloIrVersion version = cursor->reader->artifact_version, current = GHLO_IR_VERSION_CURRENT;

  if (ghlo_ir_version_compare (version, current) > 0)
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_UNSUPPORTED,
                               "expected an operation of StableHLO %u.%u.%u or older, found '%s', in a file of "
                               "StableHLO %u.%u.%u: write it for an older version", current.major, current.minor,
                               current.patch, quote, version.major, version.minor, version.patch);

  return ghlo_bytecode_fail (cursor, GHLO_ERROR_UNSUPPORTED, "expected a known operation, found '%s'", quote);
}

/* Looks the name up, once. */
static gboolean
know_name (GhloByteCursor     *cursor,
           GhloBytecodeOpName *name)
{
  GhloBytecodeReader *self = cursor->reader;
  const GhloBytecodeDialectEntry *dialect = &self->dialects.items[name->dialect];
  g_autofree char *whole = g_strdup_printf ("%s.%s", dialect->name, name->name);

  if (dialect->codec == &ghlo_bytecode_vhlo)
    {
      name->vhlo = ghlo_vhlo_op_find (name->name);
      if (name->vhlo == NULL)
        return fail_name (cursor, name);
    }
  else
    {
      name->kind = ghlo_ir_op_kind_from_name (whole, -1);
      if (name->kind == GHLO_OP_INVALID && (self->flags & GHLO_IMPORT_ALLOW_UNREGISTERED)
          && ghlo_import_is_foreign (whole, strlen (whole)))
        {
          name->kind = GHLO_OP_UNREGISTERED;
          name->whole = ghlo_ir_attr_string (self->module, whole, -1);
        }
      if (name->kind == GHLO_OP_INVALID || (name->kind == GHLO_OP_UNREGISTERED && name->whole == NULL))
        return fail_name (cursor, name);
    }
  name->is_known = TRUE;

  return TRUE;
}

static void
push (GArray           *list,
      const char       *name,
      const GhloIrAttr *value)
{
  GhloIrNamedAttr entry = { name, value };

  g_array_append_val (list, entry);
}

static void
push_dictionary (GArray           *list,
                 const GhloIrAttr *dictionary)
{
  if (dictionary != NULL)
    g_array_append_vals (list, dictionary->entries, dictionary->length);
}

/* VHLO's attributes out of the properties, a number for each. */
static gboolean
read_vhlo_properties (GhloByteCursor    *cursor,
                      const GhloIrAttr **values,
                      guint              n)
{
  for (guint i = 0; i < n; i++)
    if (!ghlo_bytecode_read_attr (cursor, &values[i]))
      return FALSE;

  return ghlo_bytecode_check_end (cursor, "an operation's properties");
}

/* VHLO's attributes out of a dictionary; the others of it go to @list. */
static gboolean
find_vhlo_attributes (GhloByteCursor     *cursor,
                      const GhloVhloOp   *op,
                      const GhloIrAttr   *dictionary,
                      const GhloIrAttr  **values,
                      GArray             *list)
{
  const char *const *names;
  guint n, found = 0;

  names = ghlo_vhlo_op_attributes (op, &n);
  for (gsize i = 0; dictionary != NULL && i < dictionary->length; i++)
    {
      const GhloIrNamedAttr *entry = &dictionary->entries[i];
      guint place = 0;

      while (place < n && strcmp (names[place], entry->name) != 0)
        place++;
      if (place == n)
        {
          push (list, entry->name, entry->value);
          continue;
        }
      values[place] = entry->value;
      found++;
    }
  for (guint i = 0; i < n && found < n; i++)
    if (values[i] == NULL)
      return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected the attribute '%s' of 'vhlo.%s', found none",
                                 names[i], ghlo_vhlo_op_name (op));

  return TRUE;
}

static gboolean
upgrade (GhloByteCursor             *cursor,
         const GhloBytecodeOpParts  *parts,
         const GhloBytecodeOpName   *name,
         GhloByteCursor             *properties,
         GArray                     *list,
         GhloIrOpKind               *kind)
{
  GhloBytecodeReader *self = cursor->reader;
  g_autoptr (GError) error = NULL;
  g_autofree const GhloIrAttr **values = NULL;
  guint n;

  ghlo_vhlo_op_attributes (name->vhlo, &n);
  values = g_new0 (const GhloIrAttr *, n + 1);
  if (properties->at != NULL ? !read_vhlo_properties (properties, values, n)
                             : !find_vhlo_attributes (cursor, name->vhlo, parts->dictionary, values, list))
    return FALSE;
  if (ghlo_vhlo_upgrade (name->vhlo, self->module, values, parts->in_function, kind, list, &error))
    return TRUE;

  return ghlo_bytecode_fail (cursor, error != NULL ? error->code : GHLO_ERROR_PARSE, "%s",
                             error != NULL ? error->message : "expected an operation of VHLO, found another one");
}

/* Properties of an operation that was not known where the file was written: an
 * attribute, the dictionary of them. */
static gboolean
read_foreign_properties (GhloByteCursor *cursor,
                         GArray         *list)
{
  const GhloIrAttr *dictionary;

  if (!ghlo_bytecode_read_attr_of (cursor, GHLO_IR_ATTR_DICTIONARY, &dictionary))
    return FALSE;
  push_dictionary (list, dictionary);

  return ghlo_bytecode_check_end (cursor, "an operation's properties");
}

static gboolean
read_properties (GhloByteCursor           *cursor,
                 const GhloBytecodeOpName *name,
                 GhloByteCursor           *properties,
                 GArray                   *list)
{
  if (!name->is_registered)
    return read_foreign_properties (properties, list);
  if (name->kind == GHLO_OP_UNREGISTERED)
    return ghlo_bytecode_fail (properties, GHLO_ERROR_UNSUPPORTED,
                               "expected properties of a known operation, found those of '%s'", name->whole->text);

  return ghlo_bytecode_read_properties (properties, name->kind, list)
         && ghlo_bytecode_check_end (properties, "an operation's properties");
}

static int
compare_entries (gconstpointer a,
                 gconstpointer b)
{
  return strcmp (((const GhloIrNamedAttr *) a)->name, ((const GhloIrNamedAttr *) b)->name);
}

/* The place of an attribute in the row, or -1. */
static int
inherent_index (const GhloIrOpSpec *spec,
                const char         *name)
{
  for (guint i = 0; i < spec->n_attributes; i++)
    if (strcmp (spec->attributes[i].name, name) == 0)
      return (int) i;

  return -1;
}

/* What the row does not have, in name order and each once. */
static gboolean
set_discardable (GhloByteCursor           *cursor,
                 GArray                   *list,
                 GhloBytecodeOpAttributes *result)
{
  GhloIrModule *module = cursor->reader->module;
  GhloIrNamedAttr *entries;

  if (list->len == 0)
    return TRUE;
  entries = ghlo_ir_module_alloc (module, list->len * sizeof (GhloIrNamedAttr));
  memcpy (entries, list->data, list->len * sizeof (GhloIrNamedAttr));
  qsort (entries, list->len, sizeof (GhloIrNamedAttr), compare_entries);
  for (guint i = 0; i < list->len; i++)
    {
      entries[i].name = ghlo_ir_module_intern (module, entries[i].name, -1);
      if (i > 0 && entries[i].name == entries[i - 1].name)
        return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected the attribute '%s' once, found it again",
                                   entries[i].name);
    }
  result->discardable = entries;
  result->n_discardable = list->len;

  return TRUE;
}

/* Whether an attribute says nothing: dictionaries for the arguments or results of a
 * function, all of them empty, are the same as none. */
static gboolean
says_nothing (const GhloIrNamedAttr *entry)
{
  if (entry->value->kind != GHLO_IR_ATTR_ARRAY
      || (strcmp (entry->name, "arg_attrs") != 0 && strcmp (entry->name, "res_attrs") != 0))
    return FALSE;
  for (gsize i = 0; i < entry->value->length; i++)
    if (entry->value->children[i]->kind != GHLO_IR_ATTR_DICTIONARY || entry->value->children[i]->length > 0)
      return FALSE;

  return TRUE;
}

/* Sorts @list into the row's attributes and others. */
static gboolean
sort_attributes (GhloByteCursor           *cursor,
                 GArray                   *list,
                 GhloBytecodeOpAttributes *result)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (result->kind);
  const GhloIrAttr **inherent = NULL;
  guint n_kept = 0;

  for (guint i = 0; i < list->len; i++)
    {
      GhloIrNamedAttr entry = g_array_index (list, GhloIrNamedAttr, i);
      int index = inherent_index (spec, entry.name);

      if (index < 0)
        {
          g_array_index (list, GhloIrNamedAttr, n_kept++) = entry;
          continue;
        }
      if (inherent == NULL)
        inherent = ghlo_ir_module_alloc (cursor->reader->module, spec->n_attributes * sizeof (gpointer));
      if (inherent[index] != NULL)
        return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected the attribute '%s' once, found it again",
                                   entry.name);
      inherent[index] = says_nothing (&entry) ? NULL : entry.value;
    }
  g_array_set_size (list, n_kept);
  result->inherent = inherent;

  return set_discardable (cursor, list, result);
}

/* Everything that comes from the properties, and from the dictionary of an old
 * operation of VHLO. */
static gboolean
make_attributes (GhloByteCursor             *cursor,
                 const GhloBytecodeOpParts  *parts,
                 const GhloBytecodeOpName   *name,
                 GArray                     *list,
                 GhloBytecodeOpAttributes   *result)
{
  GhloBytecodeReader *self = cursor->reader;
  GhloByteRange range = parts->properties != 0 ? self->properties.items[parts->properties - 1].range
                                               : (GhloByteRange) { NULL, NULL };
  GhloByteCursor properties = ghlo_bytecode_cursor (self, range, "the property section");

  g_array_set_size (list, 0);
  *result = (GhloBytecodeOpAttributes) { .kind = name->kind };
  if (name->vhlo != NULL)
    {
      if (!upgrade (cursor, parts, name, &properties, list, &result->kind))
        return FALSE;
    }
  else if (range.data != NULL && !read_properties (cursor, name, &properties, list))
    {
      return FALSE;
    }
  if (name->kind == GHLO_OP_UNREGISTERED)
    push (list, "unregistered_name", name->whole);

  return TRUE;
}

/* Adds the dictionary to what is known already. */
static gboolean
add_dictionary (GhloByteCursor             *cursor,
                const GhloBytecodeOpParts  *parts,
                GArray                     *list,
                GhloBytecodeOpAttributes   *result)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (result->kind);

  if (parts->dictionary->length == 0)
    return TRUE;
  g_array_set_size (list, 0);
  for (guint i = 0; i < spec->n_attributes && result->inherent != NULL; i++)
    if (result->inherent[i] != NULL)
      push (list, spec->attributes[i].name, result->inherent[i]);
  for (guint i = 0; i < result->n_discardable; i++)
    push (list, result->discardable[i].name, result->discardable[i].value);
  push_dictionary (list, parts->dictionary);

  return sort_attributes (cursor, list, result);
}

/* Where to look for what other operations that are written in the same way became. */
static GhloBytecodeKept *
find_kept (GhloBytecodeReader        *self,
           const GhloBytecodeOpParts *parts,
           GhloBytecodeOpName        *name)
{
  if (parts->properties != 0)
    return &self->properties.items[parts->properties - 1].kept;

  return parts->dictionary == NULL ? &name->bare : NULL;
}

gboolean
ghlo_bytecode_op_attributes (GhloByteCursor            *cursor,
                             const GhloBytecodeOpParts *parts,
                             GArray                    *list,
                             GhloBytecodeOpAttributes  *result)
{
  GhloBytecodeReader *self = cursor->reader;
  GhloBytecodeOpName *name = &self->op_names.items[parts->op_name];
  GhloBytecodeKept *kept = find_kept (self, parts, name);

  if (!name->is_known && !know_name (cursor, name))
    return FALSE;

  if (kept != NULL && kept->op_name == parts->op_name + 1 && kept->in_function == parts->in_function)
    {
      *result = kept->attributes;
    }
  else
    {
      if (!make_attributes (cursor, parts, name, list, result) || !sort_attributes (cursor, list, result))
        return FALSE;
      if (kept != NULL)
        *kept = (GhloBytecodeKept) { (guint32) parts->op_name + 1, parts->in_function, *result };
    }

  /* Of an operation of VHLO without properties the dictionary has been read already. */
  return parts->dictionary == NULL || (name->vhlo != NULL && parts->properties == 0)
         || add_dictionary (cursor, parts, list, result);
}
