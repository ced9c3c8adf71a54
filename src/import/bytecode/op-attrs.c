/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Determines an operation's kind and attributes from its properties and its dictionary, via VHLO's versions if it
 * belongs to VHLO. Old files have no properties; all attributes are in the dictionary under their names.
 */

#include "import/bytecode/reader.h"

#include <string.h>

#include "base/hash.h"
#include "import/text/parser.h"

static gboolean
fail_name (GhloByteCursor           *cursor,
           const GhloBytecodeOpName *name)
{
  const char *dialect = cursor->reader->dialects.items[name->dialect].name;
  g_autofree char *whole = g_strdup_printf ("%s.%s", dialect, name->name);
  g_autofree char *quote = ghlo_import_quote (whole, strlen (whole));

  return ghlo_bytecode_fail (cursor, GHLO_ERROR_UNSUPPORTED, "expected a known operation, found '%s'", quote);
}

/* Looks up an operation name on first use. */
static gboolean
resolve_name (GhloByteCursor     *cursor,
              GhloBytecodeOpName *name)
{
  GhloBytecodeReader *self = cursor->reader;
  const GhloBytecodeReaderDialect *dialect = &self->dialects.items[name->dialect];
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

/* Reads VHLO's attributes from the properties, one attribute number for each. */
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

/* Finds VHLO's attributes in a dictionary; its other entries are appended to @list. */
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
      guint index = 0;

      while (index < n && strcmp (names[index], entry->name) != 0)
        index++;
      if (index == n)
        {
          push (list, entry->name, entry->value);
          continue;
        }
      values[index] = entry->value;
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
  if (ghlo_vhlo_upgrade (name->vhlo, self->module, &self->memo, values, parts->in_function, kind, list, &error))
    return TRUE;

  return ghlo_bytecode_fail (cursor, error != NULL ? error->code : GHLO_ERROR_PARSE, "%s",
                             error != NULL ? error->message : "expected an operation of VHLO, found another one");
}

/* Properties of an operation that was not registered where the file was written: one attribute, a dictionary. */
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

static gboolean
fail_twice (GhloByteCursor *cursor,
            const char     *name)
{
  return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected the attribute '%s' once, found it again", name);
}

/* The index of an attribute in the row, or -1. */
static int
inherent_index (const GhloIrOpSpec *spec,
                const char         *name)
{
  for (guint i = 0; i < spec->n_attributes; i++)
    if (strcmp (spec->attributes[i].name, name) == 0)
      return (int) i;

  return -1;
}

/* Sets the attributes that the row does not have, sorted by name. Checks that each occurs once. */
static gboolean
set_discardable (GhloByteCursor           *cursor,
                 GArray                   *list,
                 GhloBytecodeOpAttributes *result)
{
  GhloBytecodeReader *self = cursor->reader;
  GhloIrNamedAttr *entries;

  if (list->len == 0)
    return TRUE;
  self->n_copied += list->len;
  if (self->n_copied > ghlo_bytecode_limit (self))
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected at most %u attributes that cannot be shared"
                               " between operations, found more", ghlo_bytecode_limit (self));
  entries = ghlo_ir_module_alloc (self->module, list->len * sizeof (GhloIrNamedAttr));
  memcpy (entries, list->data, list->len * sizeof (GhloIrNamedAttr));
  qsort (entries, list->len, sizeof (GhloIrNamedAttr), ghlo_ir_named_attr_compare);
  for (guint i = 0; i < list->len; i++)
    {
      entries[i].name = ghlo_ir_module_intern (self->module, entries[i].name, -1);
      if (i > 0 && entries[i].name == entries[i - 1].name)
        return fail_twice (cursor, entries[i].name);
    }
  result->discardable = entries;
  result->n_discardable = list->len;

  return TRUE;
}

/* Whether an array has an empty dictionary for each argument or result of a function; text omits such an array. */
static gboolean
is_omissible (GhloBytecodeReader   *self,
              const GhloIrAttrSpec *spec,
              const GhloIrAttr     *value)
{
  static const char yes, no;
  gpointer *cached;
  gsize n = 0;

  if (spec->kind != GHLO_IR_KIND_DICTIONARIES || value->kind != GHLO_IR_ATTR_ARRAY)
    return FALSE;
  cached = ghlo_import_memo_at (&self->memo, value, &yes);
  if (*cached == NULL)
    {
      while (n < value->length && value->children[n]->kind == GHLO_IR_ATTR_DICTIONARY
             && value->children[n]->length == 0)
        n++;
      *cached = (gpointer) (n == value->length ? &yes : &no);
    }

  return *cached == &yes;
}

/* Splits @list into the row's attributes and others. */
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
      if (is_omissible (cursor->reader, &spec->attributes[index], entry.value))
        continue;
      if (inherent == NULL)
        inherent = ghlo_ir_module_alloc (cursor->reader->module, spec->n_attributes * sizeof (gpointer));
      if (inherent[index] != NULL)
        return fail_twice (cursor, entry.name);
      inherent[index] = entry.value;
    }
  g_array_set_size (list, n_kept);
  result->inherent = inherent;

  return set_discardable (cursor, list, result);
}

/* Makes the attributes from the properties; for an operation of VHLO without properties, from its dictionary. */
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

  return sort_attributes (cursor, list, result);
}

/* A cached conversion of a dictionary for operations of one kind; also the key of the reader's table. */
typedef struct
{
  const GhloIrAttr         *dictionary;
  gconstpointer             what;         /* the row of the operations, or the VHLO operation */
  gboolean                  in_function;
  GhloBytecodeOpAttributes  attributes;
} CachedDictionary;

static guint
cached_hash (gconstpointer data)
{
  const CachedDictionary *cached = data;
  GhloHash hash = ghlo_hash_begin ();

  ghlo_hash_add_pointer (&hash, cached->dictionary);
  ghlo_hash_add_pointer (&hash, cached->what);
  ghlo_hash_add (&hash, (guint64) cached->in_function);

  return (guint) ghlo_hash_end (&hash);
}

static gboolean
cached_equal (gconstpointer a,
              gconstpointer b)
{
  const CachedDictionary *left = a, *right = b;

  return left->dictionary == right->dictionary && left->what == right->what
         && left->in_function == right->in_function;
}

/* Returns the conversion that is cached for these keys, or a new one with *@is_new set. */
static CachedDictionary *
find_cached (GhloBytecodeReader *self,
             const GhloIrAttr   *dictionary,
             gconstpointer       what,
             gboolean            in_function,
             gboolean           *is_new)
{
  CachedDictionary key = { dictionary, what, in_function, { 0 } }, *cached;

  if (self->dictionaries == NULL)
    self->dictionaries = g_hash_table_new_full (cached_hash, cached_equal, g_free, NULL);
  cached = g_hash_table_lookup (self->dictionaries, &key);
  *is_new = cached == NULL;
  if (cached == NULL)
    {
      cached = g_memdup2 (&key, sizeof key);
      g_hash_table_add (self->dictionaries, cached);
    }

  return cached;
}

/* Converts the dictionary to attributes of a row. If the row has none of them, shares the dictionary's own list. */
static gboolean
sort_dictionary (GhloByteCursor           *cursor,
                 const GhloIrAttr         *dictionary,
                 GArray                   *list,
                 GhloBytecodeOpAttributes *result)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (result->kind);
  gboolean has_inherent = FALSE;

  for (gsize i = 0; i < dictionary->length; i++)
    {
      const char *name = dictionary->entries[i].name;

      has_inherent = has_inherent || inherent_index (spec, name) >= 0;
      if (i > 0 && name == dictionary->entries[i - 1].name)
        return fail_twice (cursor, name);
    }
  if (!has_inherent)
    {
      result->discardable = dictionary->entries;
      result->n_discardable = (guint) dictionary->length;
      return TRUE;
    }
  g_array_set_size (list, 0);
  push_dictionary (list, dictionary);

  return sort_attributes (cursor, list, result);
}

static gboolean
read_dictionary (GhloByteCursor           *cursor,
                 const GhloIrAttr         *dictionary,
                 GhloIrOpKind              kind,
                 GArray                   *list,
                 GhloBytecodeOpAttributes *result)
{
  gboolean is_new;
  CachedDictionary *cached = find_cached (cursor->reader, dictionary, ghlo_ir_op_spec (kind), FALSE, &is_new);

  cached->attributes.kind = kind;
  if (is_new && !sort_dictionary (cursor, dictionary, list, &cached->attributes))
    return FALSE;
  *result = cached->attributes;

  return TRUE;
}

static gboolean
merge_inherent (GhloByteCursor                 *cursor,
                const GhloBytecodeOpAttributes *other,
                GhloBytecodeOpAttributes       *result)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (result->kind);
  const GhloIrAttr **inherent;

  if (result->inherent == NULL || other->inherent == NULL)
    {
      result->inherent = result->inherent != NULL ? result->inherent : other->inherent;
      return TRUE;
    }
  inherent = ghlo_ir_module_alloc (cursor->reader->module, spec->n_attributes * sizeof (gpointer));
  for (guint i = 0; i < spec->n_attributes; i++)
    {
      if (result->inherent[i] != NULL && other->inherent[i] != NULL)
        return fail_twice (cursor, spec->attributes[i].name);
      inherent[i] = result->inherent[i] != NULL ? result->inherent[i] : other->inherent[i];
    }
  result->inherent = inherent;

  return TRUE;
}

/* Adds the attributes in the dictionary to those in the properties. */
static gboolean
merge (GhloByteCursor                 *cursor,
       const GhloBytecodeOpAttributes *other,
       GArray                         *list,
       GhloBytecodeOpAttributes       *result)
{
  if (!merge_inherent (cursor, other, result))
    return FALSE;
  if (other->n_discardable == 0)
    return TRUE;
  if (result->n_discardable == 0)
    {
      result->discardable = other->discardable;
      result->n_discardable = other->n_discardable;
      return TRUE;
    }
  g_array_set_size (list, 0);
  g_array_append_vals (list, result->discardable, result->n_discardable);
  g_array_append_vals (list, other->discardable, other->n_discardable);

  return set_discardable (cursor, list, result);
}

/* Reads a VHLO operation whose attributes are in its dictionary. */
static gboolean
read_old (GhloByteCursor            *cursor,
          const GhloBytecodeOpParts *parts,
          const GhloBytecodeOpName  *name,
          GArray                    *list,
          GhloBytecodeOpAttributes  *result)
{
  gboolean is_new;
  CachedDictionary *cached = find_cached (cursor->reader, parts->dictionary, name->vhlo, parts->in_function, &is_new);

  if (is_new && !make_attributes (cursor, parts, name, list, &cached->attributes))
    return FALSE;
  *result = cached->attributes;

  return TRUE;
}

/* Reads the attributes in the properties, if there are any; uses the cached result if there is one. */
static gboolean
read_base (GhloByteCursor            *cursor,
           const GhloBytecodeOpParts *parts,
           GhloBytecodeOpName        *name,
           GArray                    *list,
           GhloBytecodeOpAttributes  *result)
{
  GhloBytecodeAttrCache *cache = parts->properties != 0
                                 ? &cursor->reader->properties.items[parts->properties - 1].cache : &name->bare;

  if (cache->op_name == parts->op_name + 1 && cache->in_function == parts->in_function)
    {
      *result = cache->attributes;
      return TRUE;
    }
  if (!make_attributes (cursor, parts, name, list, result))
    return FALSE;
  *cache = (GhloBytecodeAttrCache) { (guint32) parts->op_name + 1, parts->in_function, *result };

  return TRUE;
}

gboolean
ghlo_bytecode_op_attributes (GhloByteCursor            *cursor,
                             const GhloBytecodeOpParts *parts,
                             GArray                    *list,
                             GhloBytecodeOpAttributes  *result)
{
  GhloBytecodeOpName *name = &cursor->reader->op_names.items[parts->op_name];
  GhloBytecodeOpAttributes others;

  if (!name->is_known && !resolve_name (cursor, name))
    return FALSE;
  if (name->vhlo != NULL && parts->properties == 0 && parts->dictionary != NULL)
    return read_old (cursor, parts, name, list, result);
  if (!read_base (cursor, parts, name, list, result))
    return FALSE;

  return parts->dictionary == NULL
         || (read_dictionary (cursor, parts->dictionary, result->kind, list, &others)
             && merge (cursor, &others, list, result));
}
