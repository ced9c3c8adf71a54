/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tables of everything that bytecode numbers: dialects, operation names, attributes including locations, and
 * types. An item may be requested in several ways, such as in VHLO's encoding although only another dialect has one;
 * each of these keys finds the same entry.
 */

#include "import/bytecode/writer.h"

#include <string.h>

#include "import/text/unpack.h"

/* The first version whose readers know file ranges. */
static const GhloIrVersion range_version = { 1, 9, 0 };

/* Limit for the nesting of attributes, types and locations. */
enum { DEEPEST = 8 * GHLO_MAX_NESTING };

static GhloBytecodeDialectEntry *
dialect_entry (GhloBytecodeWriter *self,
               const char         *name,
               gsize               length)
{
  const char *interned = ghlo_ir_module_intern (self->module, name, (gssize) length);
  GhloBytecodeDialectEntry *dialect = g_hash_table_lookup (self->dialects_by_name, interned);

  if (dialect != NULL)
    return dialect;

  dialect = ghlo_ir_arena_alloc (&self->arena, sizeof *dialect);
  dialect->name = interned;
  dialect->number = self->dialects->len;
  g_hash_table_insert (self->dialects_by_name, (gpointer) interned, dialect);
  g_ptr_array_add (self->dialects, dialect);

  return dialect;
}

/* The key of an item requested with @encoding. The IR's memory is aligned to 16 bytes, so the low bits are free. */
static gconstpointer
key_of (gconstpointer item,
        guint         encoding)
{
  G_STATIC_ASSERT (GHLO_BYTECODE_N_ENCODINGS <= 16);

  return (const char *) item + encoding;
}

/* The dialect named in MLIR's text: "#sdy.mesh<…>", "!quant.uniform<…>". */
static GhloBytecodeDialectEntry *
dialect_of_text (GhloBytecodeWriter *self,
                 const GString      *text)
{
  if (text->str[0] != '#' && text->str[0] != '!')
    return dialect_entry (self, "builtin", strlen ("builtin"));

  return dialect_entry (self, text->str + 1, strcspn (text->str + 1, ".<"));
}

static GhloBytecodeDialectEntry *
dialect_of_encoding (GhloBytecodeWriter *self,
                     guint               encoding)
{
  const char *name = encoding < GHLO_BYTECODE_N_DIALECTS ? ghlo_bytecode_codecs[encoding]->name : "builtin";

  return dialect_entry (self, name, strlen (name));
}

static GhloBytecodeEntry *
add_entry (GhloBytecodeWriter *self,
           GhloBytecodeTable  *table,
           gconstpointer       item,
           guint               encoding)
{
  GhloBytecodeEntry *entry = ghlo_ir_arena_alloc (&self->arena, sizeof *entry);

  entry->item = item;
  entry->references = 1;
  entry->encoding = (guint8) encoding;
  g_hash_table_insert (table->by_key, (gpointer) key_of (item, encoding), entry);
  g_ptr_array_add (table->entries, entry);
  if (encoding != GHLO_BYTECODE_AS_TEXT)
    entry->dialect = dialect_of_encoding (self, encoding);

  return entry;
}

/* Rejects an item that VHLO lacks, unless files for the target may have it in the encoding @found. */
static gboolean
may_leave_vhlo (GhloBytecodeWriter *self,
                guint               found)
{
  if (found != GHLO_BYTECODE_STABLEHLO && ghlo_ir_version_compare (self->target, GHLO_BYTECODE_MIXED_VERSION) >= 0)
    return TRUE;

  return ghlo_bytecode_refuse (self, GHLO_ERROR_UNSUPPORTED,
                               "%s cannot be part of an artifact of StableHLO %u.%u.%u: it has an attribute or a type "
                               "that VHLO does not have", ghlo_ir_op_get_name (self->at),
                               self->target.major, self->target.minor, self->target.patch);
}

/* The encoding for @attr if @wanted is requested: @wanted, or
 * else that of the dialect to which the attribute belongs. */
static guint
resolve_attr (guint             wanted,
              const GhloIrAttr *attr)
{
  if (wanted >= GHLO_BYTECODE_N_DIALECTS || ghlo_bytecode_codecs[wanted]->has_attr (attr))
    return wanted;

  for (guint i = 0; i < GHLO_BYTECODE_N_DIALECTS; i++)
    if (i != GHLO_BYTECODE_VHLO && ghlo_bytecode_codecs[i]->has_attr (attr))
      return i;

  return GHLO_BYTECODE_AS_TEXT;
}

static guint
resolve_type (guint             wanted,
              const GhloIrType *type)
{
  if (wanted >= GHLO_BYTECODE_N_DIALECTS || ghlo_bytecode_codecs[wanted]->has_type (type))
    return wanted;

  for (guint i = 0; i < GHLO_BYTECODE_N_DIALECTS; i++)
    if (i != GHLO_BYTECODE_VHLO && ghlo_bytecode_codecs[i]->has_type (type))
      return i;

  return GHLO_BYTECODE_AS_TEXT;
}

gboolean
ghlo_bytecode_type_in_vhlo (const GhloIrType *type)
{
  return resolve_type (GHLO_BYTECODE_VHLO, type) == GHLO_BYTECODE_VHLO;
}

static const GhloIrAttr *canonical (GhloBytecodeWriter *self, gboolean vhlo, const GhloIrAttr *attr);

static const GhloIrAttr *
array_as_dense (GhloBytecodeWriter *self,
                const GhloIrAttr   *attr)
{
  const GhloElementInfo *info = ghlo_element_info (attr->type->element_type);
  gint64 n = (gint64) attr->length;
  const GhloIrType *tensor = ghlo_ir_type_tensor (self->module, attr->type, &n, 1, NULL, NULL);
  guint8 *data = g_malloc (MAX (attr->length * info->size, 1));
  gboolean splat = FALSE;
  GBytes *bytes;

  for (gsize i = 0; i < attr->length; i++)
    ghlo_element_store (attr->type->element_type, data + i * info->size, (GhloScalar) { .i = attr->integers[i] });
  bytes = ghlo_import_compress (g_bytes_new_take (data, attr->length * info->size), attr->length, info->size, &splat);

  return ghlo_ir_attr_dense (self->module, tensor, bytes, splat, NULL);
}

/* Removes the key of a constant, and reduces it to one element if all are equal. */
static const GhloIrAttr *
plain_dense (GhloBytecodeWriter *self,
             const GhloIrAttr   *attr)
{
  gsize size = ghlo_element_info (attr->type->element_type)->size;
  gboolean splat = attr->dense.splat;
  GBytes *bytes = g_bytes_ref (attr->dense.bytes);

  if (!splat)
    bytes = ghlo_import_compress (bytes, attr->dense.n_elements, size, &splat);

  return ghlo_ir_attr_dense (self->module, attr->type, bytes, splat, NULL);
}

static const GhloIrAttr *
canonical_array (GhloBytecodeWriter *self,
                 gboolean            vhlo,
                 const GhloIrAttr   *attr)
{
  g_autofree const GhloIrAttr **children = g_new (const GhloIrAttr *, attr->length + 1);

  for (gsize i = 0; i < attr->length; i++)
    children[i] = canonical (self, vhlo, attr->children[i]);

  return ghlo_ir_attr_array (self->module, children, attr->length);
}

static const GhloIrAttr *
canonical_dictionary (GhloBytecodeWriter *self,
                      gboolean            vhlo,
                      const GhloIrAttr   *attr)
{
  g_autofree GhloIrNamedAttr *entries = g_new (GhloIrNamedAttr, attr->length + 1);

  for (gsize i = 0; i < attr->length; i++)
    {
      entries[i].name = attr->entries[i].name;
      entries[i].value = canonical (self, vhlo, attr->entries[i].value);
    }

  return ghlo_ir_attr_dictionary (self->module, entries, attr->length);
}

static const GhloIrAttr *
make_canonical (GhloBytecodeWriter *self,
                gboolean            vhlo,
                const GhloIrAttr   *attr)
{
  switch (attr->kind)
    {
    case GHLO_IR_ATTR_SYMBOL:
      return vhlo && attr->length == 0 ? ghlo_bytecode_text_attr (self, attr->text) : attr;
    case GHLO_IR_ATTR_INTEGER:
      return attr->type->element_type == GHLO_ELEMENT_TYPE_I1 ? ghlo_ir_attr_bool (self->module, attr->integer != 0)
                                                              : attr;
    case GHLO_IR_ATTR_DENSE:
      return plain_dense (self, attr);
    case GHLO_IR_ATTR_DENSE_ARRAY:
      return vhlo && (attr->type->element_type == GHLO_ELEMENT_TYPE_I64
                      || attr->type->element_type == GHLO_ELEMENT_TYPE_I1) ? array_as_dense (self, attr) : attr;
    case GHLO_IR_ATTR_ARRAY:
      return canonical_array (self, vhlo, attr);
    case GHLO_IR_ATTR_DICTIONARY:
      return canonical_dictionary (self, vhlo, attr);
    default:
      return attr;
    }
}

/* Returns the attribute that represents all those with the same bytes: in VHLO a symbol is a string, array<i64: …> is
 * a tensor, and a boolean is an integer of one bit; a constant loses its resource key. Cached, since many attributes
 * may contain the same one. */
static const GhloIrAttr *
canonical (GhloBytecodeWriter *self,
           gboolean            vhlo,
           const GhloIrAttr   *attr)
{
  gconstpointer key = key_of (attr, vhlo ? GHLO_BYTECODE_VHLO : GHLO_BYTECODE_BUILTIN);
  const GhloIrAttr *other = g_hash_table_lookup (self->canonical, key);

  if (other == NULL)
    {
      other = make_canonical (self, vhlo, attr);
      g_hash_table_insert (self->canonical, (gpointer) key, (gpointer) other);
    }

  return other;
}

static GhloBytecodeEntry *
find_entry (GhloBytecodeTable *table,
            gconstpointer      key)
{
  GhloBytecodeEntry *entry = g_hash_table_lookup (table->by_key, key);

  if (entry != NULL)
    entry->references++;

  return entry;
}

/* Numbers the items that the bytes of a new entry refer to. */
static void
look_inside (GhloBytecodeWriter      *self,
             const GhloBytecodeEntry *entry,
             void                   (*write) (GhloBytecodeWriter      *self,
                                              const GhloBytecodeEntry *entry))
{
  if (self->depth >= DEEPEST)
    {
      ghlo_bytecode_refuse (self, GHLO_ERROR_UNSUPPORTED,
                            "expected attributes, types and locations nested at most %d deep, found more", DEEPEST);
      return;
    }

  self->depth++;
  write (self, entry);
  self->depth--;
}

/* A codec must refer to the same items when it numbers and when it writes. */
static GhloBytecodeEntry *
not_numbered (GhloBytecodeWriter *self)
{
  ghlo_bytecode_refuse (self, GHLO_ERROR_INTERNAL,
                        "an attribute, a type or a location is written that was not numbered");

  return ghlo_ir_arena_alloc (&self->arena, sizeof (GhloBytecodeEntry));
}

/* Makes @key another key of @entry. */
static GhloBytecodeEntry *
also_known_as (GhloBytecodeTable *table,
               gconstpointer      key,
               GhloBytecodeEntry *entry)
{
  g_hash_table_insert (table->by_key, (gpointer) key, entry);

  return entry;
}

GhloBytecodeEntry *
ghlo_bytecode_attr_entry (GhloBytecodeWriter *self,
                          guint               encoding,
                          const GhloIrAttr   *attr)
{
  gconstpointer key = key_of (attr, encoding);
  GhloBytecodeEntry *entry = find_entry (&self->attrs, key);
  const GhloIrAttr *other;
  guint found;

  if (entry != NULL)
    return entry;
  if (attr->kind == GHLO_IR_ATTR_LOCATION)
    return ghlo_bytecode_location_entry (self, attr->location);
  if (!self->numbering)
    return not_numbered (self);

  other = canonical (self, encoding == GHLO_BYTECODE_VHLO, attr);
  found = resolve_attr (encoding, other);
  if (encoding == GHLO_BYTECODE_VHLO && found != encoding)
    may_leave_vhlo (self, found);
  if (other != attr || found != encoding)
    return also_known_as (&self->attrs, key, ghlo_bytecode_attr_entry (self, found, other));

  entry = add_entry (self, &self->attrs, attr, encoding);
  if (encoding == GHLO_BYTECODE_AS_TEXT)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      ghlo_ir_attr_append (attr, text);
      entry->dialect = dialect_of_text (self, text);
      return entry;
    }
  look_inside (self, entry, ghlo_bytecode_write_attr_entry);

  return entry;
}

GhloBytecodeEntry *
ghlo_bytecode_type_entry (GhloBytecodeWriter *self,
                          guint               encoding,
                          const GhloIrType   *type)
{
  gconstpointer key = key_of (type, encoding);
  GhloBytecodeEntry *entry = find_entry (&self->types, key);
  guint found;

  if (entry != NULL)
    return entry;
  if (!self->numbering)
    return not_numbered (self);

  found = resolve_type (encoding, type);
  if (encoding == GHLO_BYTECODE_VHLO && found != encoding)
    may_leave_vhlo (self, found);
  if (found != encoding)
    return also_known_as (&self->types, key, ghlo_bytecode_type_entry (self, found, type));

  entry = add_entry (self, &self->types, type, encoding);
  if (encoding == GHLO_BYTECODE_AS_TEXT)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      ghlo_ir_type_append (type, text);
      entry->dialect = dialect_of_text (self, text);
      return entry;
    }
  look_inside (self, entry, ghlo_bytecode_write_type_entry);

  return entry;
}

/* Returns the location that is written for @location. */
static const GhloIrLocation *
written_location (GhloBytecodeWriter   *self,
                  const GhloIrLocation *location)
{
  if (location == NULL || location->kind == GHLO_IR_LOCATION_OPAQUE)
    return self->unknown;
  if (location->kind == GHLO_IR_LOCATION_FILE && (location->end_line != 0 || location->end_column != 0)
      && ghlo_ir_version_compare (self->target, range_version) < 0)
    return ghlo_ir_location_file (self->module, location->text, location->line, location->column, 0, 0);

  return location;
}

GhloBytecodeEntry *
ghlo_bytecode_location_entry (GhloBytecodeWriter   *self,
                              const GhloIrLocation *location)
{
  const GhloIrLocation *written = written_location (self, location);
  GhloBytecodeEntry *entry = find_entry (&self->attrs, key_of (written, GHLO_BYTECODE_AS_LOCATION));

  if (entry != NULL)
    return entry;
  if (!self->numbering)
    return not_numbered (self);

  entry = add_entry (self, &self->attrs, written, GHLO_BYTECODE_AS_LOCATION);
  look_inside (self, entry, ghlo_bytecode_write_attr_entry);

  return entry;
}

/* Two operations of the IR may be the same VHLO operation, so the name itself is also a key. */
GhloBytecodeEntry *
ghlo_bytecode_name_entry (GhloBytecodeWriter *self,
                          const GhloVhloOp   *vhlo,
                          GhloIrOpKind        kind)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (kind);
  gconstpointer key = vhlo != NULL ? (gconstpointer) vhlo : (gconstpointer) spec;
  GhloBytecodeEntry *entry = find_entry (&self->names, key);
  gsize length = strcspn (spec->name, ".");
  const char *name;

  if (entry != NULL)
    return entry;

  name = ghlo_ir_module_intern (self->module, vhlo != NULL ? ghlo_vhlo_op_name (vhlo) : spec->name, -1);
  entry = find_entry (&self->names, name);
  if (entry == NULL)
    {
      entry = ghlo_ir_arena_alloc (&self->arena, sizeof *entry);
      entry->references = 1;
      entry->item = vhlo != NULL ? name : name + length + 1;
      entry->dialect = vhlo != NULL ? dialect_of_encoding (self, GHLO_BYTECODE_VHLO)
                                    : dialect_entry (self, name, length);
      g_hash_table_insert (self->names.by_key, (gpointer) name, entry);
      g_ptr_array_add (self->names.entries, entry);
    }
  g_hash_table_insert (self->names.by_key, (gpointer) key, entry);

  return entry;
}

GhloBytecodeEntry *
ghlo_bytecode_debug_location (GhloBytecodeWriter   *self,
                              const GhloIrLocation *location)
{
  return ghlo_bytecode_location_entry (self, (self->flags & GHLO_EXPORT_STRIP_LOCATIONS) == 0 ? location : NULL);
}
