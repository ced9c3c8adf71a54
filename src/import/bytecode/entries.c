/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attributes, types and resources by number. An entry is decoded on first use. Entries refer to each other in any
 * order, so each records its nesting depth and its fully expanded size; otherwise a small file could describe
 * something too large for any code to walk.
 */

#include "import/bytecode/reader.h"

#include <string.h>

#include "import/text/parser.h"

/* Limits for the parts of a file, with shared parts counted each time: a multiple of its size, and a minimum. */
enum { WEIGHT_FACTOR = 16, MIN_WEIGHT = 4096 };

/* Limit for nested reading of entries. Entries found deeper may
 * have been read before, so the result can nest deeper than this. */
enum { MAX_DEPTH = GHLO_MAX_LOCATION_NESTING / 2 };

guint32
ghlo_bytecode_limit (const GhloBytecodeReader *self)
{
  guint64 size = self->file.end - self->file.data;

  return (guint32) MIN (size * WEIGHT_FACTOR + MIN_WEIGHT, G_MAXUINT32 / 2);
}

/* Reads text, for an entry without an encoding of its dialect's own. */
static gconstpointer
read_text (GhloByteCursor *cursor,
           gboolean        is_type)
{
  GhloIrModule *module = cursor->reader->module;
  GhloByteCursor start = *cursor;
  g_autoptr (GError) error = NULL;
  g_autofree char *quote = NULL;
  gconstpointer value;
  const char *text;

  if (!ghlo_bytecode_read_c_string (cursor, &text))
    return NULL;
  cursor->reader->weight += cursor->at - start.at;
  value = is_type ? (gconstpointer) ghlo_import_type (module, text, &error)
                  : (gconstpointer) ghlo_import_attribute (module, text, &error);
  if (value != NULL)
    return value;

  quote = ghlo_import_quote (text, strlen (text));
  ghlo_bytecode_fail (&start, error->code, "expected the text of %s, found '%s' (%.*s)",
                      is_type ? "a type" : "an attribute", quote,
                      (int) strcspn (error->message, "\n"), error->message);

  return NULL;
}

static gconstpointer
read_encoded (GhloByteCursor                *cursor,
              const GhloBytecodeReaderEntry *entry,
              gboolean                       is_type)
{
  const GhloBytecodeReaderDialect *dialect = &cursor->reader->dialects.items[entry->dialect];
  const GhloBytecodeCodec *codec = dialect->codec;
  const GhloIrAttr *attr = NULL;
  const GhloIrType *type = NULL;

  if (codec == NULL || (is_type ? codec->read_type == NULL : codec->read_attr == NULL))
    {
      ghlo_bytecode_fail (cursor, GHLO_ERROR_UNSUPPORTED, "expected %s of a dialect whose encoding is known,"
                          " found one of '%s'", is_type ? "a type" : "an attribute", dialect->name);
      return NULL;
    }
  if (is_type)
    return codec->read_type (cursor, &type) ? type : NULL;

  return codec->read_attr (cursor, &attr) ? attr : NULL;
}

/* Locations may nest deeper than anything else. */
static gboolean
is_location (const GhloBytecodeReaderEntry *entry,
             gboolean                       is_type)
{
  return !is_type && ((const GhloIrAttr *) entry->value)->kind == GHLO_IR_ATTR_LOCATION;
}

static gboolean
check_size (GhloByteCursor                *cursor,
            const GhloBytecodeReaderEntry *entry,
            gboolean                       is_type)
{
  guint limit = is_location (entry, is_type) ? GHLO_MAX_LOCATION_NESTING : GHLO_MAX_NESTING;

  if (entry->height > limit)
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected at most %u levels of nesting, found more", limit);
  if (entry->weight > ghlo_bytecode_limit (cursor->reader))
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected at most %u parts, nested ones included,"
                               " found %u", ghlo_bytecode_limit (cursor->reader), entry->weight);

  return TRUE;
}

static gboolean
decode (GhloBytecodeReader      *self,
        GhloBytecodeReaderEntry *entry,
        gboolean                 is_type)
{
  const char *section = ghlo_bytecode_section_names[GHLO_BYTECODE_SECTION_ATTRIBUTES];
  GhloByteCursor start = ghlo_bytecode_cursor (self, entry->range, section), cursor = start;
  guint height = self->height;
  guint32 weight = self->weight;

  if (entry->state == GHLO_BYTECODE_ENTRY_READING)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected %s that does not contain itself, found a cycle",
                               is_type ? "a type" : "an attribute");
  if (self->depth >= MAX_DEPTH)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected at most %d levels of nesting, found more",
                               GHLO_MAX_NESTING);

  entry->state = GHLO_BYTECODE_ENTRY_READING;
  self->depth++;
  self->height = 0;
  self->weight = 1;
  entry->value = entry->has_codec ? read_encoded (&cursor, entry, is_type) : read_text (&cursor, is_type);
  entry->height = (guint16) self->height;
  entry->weight = self->weight;
  self->height = height;
  self->weight = weight;
  self->depth--;
  entry->state = GHLO_BYTECODE_ENTRY_READ;

  return entry->value != NULL
         && ghlo_bytecode_check_end (&cursor, is_type ? "a type" : "an attribute")
         && check_size (&start, entry, is_type);
}

/* Reads the entry if it has not been read yet, and adds its parts to those of the entry that contains it. */
static gboolean
use (GhloBytecodeReader      *self,
     GhloBytecodeReaderEntry *entry,
     gboolean                 is_type)
{
  if (G_UNLIKELY (entry->state != GHLO_BYTECODE_ENTRY_READ) && !decode (self, entry, is_type))
    return FALSE;
  self->height = MAX (self->height, entry->height + 1u);
  if (__builtin_add_overflow (self->weight, entry->weight, &self->weight))
    self->weight = G_MAXUINT32;

  return TRUE;
}

gboolean
ghlo_bytecode_use_attr (GhloByteCursor    *cursor,
                        gsize              index,
                        const GhloIrAttr **attr)
{
  GhloBytecodeReaderEntry *entry = &cursor->reader->attrs.items[index];

  if (!use (cursor->reader, entry, FALSE))
    return FALSE;
  *attr = entry->value;

  return TRUE;
}

gboolean
ghlo_bytecode_use_type (GhloByteCursor    *cursor,
                        gsize              index,
                        const GhloIrType **type)
{
  GhloBytecodeReaderEntry *entry = &cursor->reader->types.items[index];

  if (!use (cursor->reader, entry, TRUE))
    return FALSE;
  *type = entry->value;

  return TRUE;
}

gboolean
ghlo_bytecode_read_attr (GhloByteCursor    *cursor,
                         const GhloIrAttr **attr)
{
  gsize index;

  return ghlo_bytecode_read_index (cursor, cursor->reader->attrs.n, "attribute", &index)
         && ghlo_bytecode_use_attr (cursor, index, attr);
}

gboolean
ghlo_bytecode_read_optional_attr (GhloByteCursor    *cursor,
                                  const GhloIrAttr **attr)
{
  GhloByteCursor start = *cursor;
  gboolean is_there;
  guint64 index;

  *attr = NULL;
  if (!ghlo_bytecode_read_flagged (cursor, &index, &is_there))
    return FALSE;

  return !is_there
         || (ghlo_bytecode_check_index (&start, index, cursor->reader->attrs.n, "attribute")
             && ghlo_bytecode_use_attr (cursor, index, attr));
}

gboolean
ghlo_bytecode_read_type (GhloByteCursor    *cursor,
                         const GhloIrType **type)
{
  gsize index;

  return ghlo_bytecode_read_index (cursor, cursor->reader->types.n, "type", &index)
         && ghlo_bytecode_use_type (cursor, index, type);
}

const char *
ghlo_bytecode_kind_name (GhloIrAttrKind kind)
{
  static const char *const names[] = {
    [GHLO_IR_ATTR_UNIT] = "a unit attribute",
    [GHLO_IR_ATTR_BOOL] = "a boolean",
    [GHLO_IR_ATTR_INTEGER] = "an integer",
    [GHLO_IR_ATTR_FLOAT] = "a float",
    [GHLO_IR_ATTR_STRING] = "a string",
    [GHLO_IR_ATTR_SYMBOL] = "a symbol",
    [GHLO_IR_ATTR_TYPE] = "a type attribute",
    [GHLO_IR_ATTR_ARRAY] = "an array",
    [GHLO_IR_ATTR_DICTIONARY] = "a dictionary",
    [GHLO_IR_ATTR_DENSE] = "a dense constant",
    [GHLO_IR_ATTR_DENSE_ARRAY] = "an array of numbers",
    [GHLO_IR_ATTR_DENSE_STRINGS] = "a constant of strings",
    [GHLO_IR_ATTR_KEPT_ELEMENTS] = "a constant that is sparse or without its elements",
    [GHLO_IR_ATTR_ENUM] = "a value of an enumeration",
    [GHLO_IR_ATTR_STRUCT] = "a structured attribute",
    [GHLO_IR_ATTR_LOCATION] = "a location",
    [GHLO_IR_ATTR_OPAQUE] = "an attribute of another dialect",
  };

  return names[kind];
}

gboolean
ghlo_bytecode_read_attr_of (GhloByteCursor    *cursor,
                            GhloIrAttrKind     kind,
                            const GhloIrAttr **attr)
{
  GhloByteCursor start = *cursor;

  if (!ghlo_bytecode_read_attr (cursor, attr))
    return FALSE;

  return (*attr)->kind == kind
         || ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected %s, found %s",
                                ghlo_bytecode_kind_name (kind), ghlo_bytecode_kind_name ((*attr)->kind));
}

gboolean
ghlo_bytecode_read_location (GhloByteCursor        *cursor,
                             const GhloIrLocation **location)
{
  GhloBytecodeReader *self = cursor->reader;
  GhloByteCursor start = *cursor;
  GhloBytecodeReaderEntry *entry;
  const GhloIrAttr *attr;
  gsize index;

  *location = NULL;
  if (!ghlo_bytecode_read_index (cursor, self->attrs.n, "attribute", &index))
    return FALSE;
  entry = &self->attrs.items[index];
  if (entry->state == GHLO_BYTECODE_ENTRY_UNREAD && self->depth >= MAX_DEPTH)
    return TRUE;
  if (entry->state != GHLO_BYTECODE_ENTRY_READ && !decode (self, entry, FALSE))
    return FALSE;

  attr = entry->value;
  if (attr->kind != GHLO_IR_ATTR_LOCATION)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected a location, found %s",
                               ghlo_bytecode_kind_name (attr->kind));
  if (self->depth > 0
      && (entry->height >= GHLO_MAX_LOCATION_NESTING
          || (guint64) self->weight + entry->weight > ghlo_bytecode_limit (self)))
    return TRUE;
  if (attr->location->kind != GHLO_IR_LOCATION_UNKNOWN)
    *location = attr->location;

  return use (self, entry, FALSE);
}

/* Returns the bytes as a slice; NULL if the file has only the key. */
static gboolean
read_resource_blob (GhloByteCursor             *cursor,
                    const GhloBytecodeResource *resource,
                    GBytes                    **bytes)
{
  GhloBytecodeReader *self = cursor->reader;
  GhloByteCursor data = ghlo_bytecode_cursor (self, resource->range,
                                              ghlo_bytecode_section_names[GHLO_BYTECODE_SECTION_RESOURCES]);
  GhloByteRange range;
  guint64 alignment, size;

  if (resource->range.data == resource->range.end)
    return TRUE;
  if (resource->kind != GHLO_BYTECODE_RESOURCE_BLOB)
    return ghlo_bytecode_fail (&data, GHLO_ERROR_PARSE, "expected the resource '%s' to hold bytes,"
                               " found one of kind %u", resource->key, resource->kind);
  if (!ghlo_bytecode_read_varint (&data, &alignment) || !ghlo_bytecode_read_varint (&data, &size)
      || !ghlo_bytecode_read_padding (&data, alignment) || !ghlo_bytecode_read_range (&data, size, &range)
      || !ghlo_bytecode_check_end (&data, "a resource"))
    return FALSE;
  *bytes = g_bytes_new_from_bytes (self->bytes, ghlo_bytecode_offset (self, range.data), size);

  return TRUE;
}

gboolean
ghlo_bytecode_read_resource (GhloByteCursor    *cursor,
                             const GhloIrType  *tensor,
                             const GhloIrAttr **attr)
{
  GhloByteCursor start = *cursor;
  const GhloBytecodeResource *resource;
  GBytes *bytes = NULL;
  gpointer *made;
  gsize index;

  if (!ghlo_bytecode_read_index (cursor, cursor->reader->resources.n, "resource", &index))
    return FALSE;
  resource = &cursor->reader->resources.items[index];
  made = ghlo_import_memo_at (&cursor->reader->memo, resource, tensor);
  if (*made == NULL && read_resource_blob (cursor, resource, &bytes))
    *made = (gpointer) ghlo_bytecode_dense (&start, tensor, bytes, resource->key);
  *attr = *made;

  return *attr != NULL;
}
