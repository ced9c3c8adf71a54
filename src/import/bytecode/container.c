/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The container: header, sections, and the tables of strings, dialects, operation names, attributes, types, resources
 * and properties (MLIR: docs/BytecodeFormat.md). Sections may come in any order and refer to each other, so all of
 * them are located before the first is read.
 */

#include "import/bytecode/reader.h"

#include <string.h>

/* The low bits of a section's first byte are its id; the highest bit tells whether it is aligned. */
enum { SECTION_MASK = 0x7f, SECTION_ALIGNED = 0x80 };

static const char producer_prefix[] = "StableHLO_v";

const char *const ghlo_bytecode_section_names[GHLO_BYTECODE_N_SECTIONS] = {
  [GHLO_BYTECODE_SECTION_STRINGS] = "the string section",
  [GHLO_BYTECODE_SECTION_DIALECTS] = "the dialect section",
  [GHLO_BYTECODE_SECTION_ATTRIBUTES] = "the attribute section",
  [GHLO_BYTECODE_SECTION_ATTRIBUTE_OFFSETS] = "the attribute offset section",
  [GHLO_BYTECODE_SECTION_IR] = "the IR section",
  [GHLO_BYTECODE_SECTION_RESOURCES] = "the resource section",
  [GHLO_BYTECODE_SECTION_RESOURCE_OFFSETS] = "the resource offset section",
  [GHLO_BYTECODE_SECTION_DIALECT_VERSIONS] = "a dialect version section",
  [GHLO_BYTECODE_SECTION_PROPERTIES] = "the property section",
};

static GhloByteCursor
section_cursor (GhloBytecodeReader  *self,
                GhloBytecodeSection  section)
{
  return ghlo_bytecode_cursor (self, self->sections[section], ghlo_bytecode_section_names[section]);
}

static gboolean
fail_memory (GhloByteCursor *cursor,
             gsize           n)
{
  return ghlo_bytecode_fail (cursor, GHLO_ERROR_OUT_OF_MEMORY,
                             "expected memory for a table of %" G_GSIZE_FORMAT " entries, found none", n);
}

/* Allocates @count zeroed items. FALSE after an error. */
#define RESIZE(cursor, vector, count) \
  (((vector)->items = g_try_malloc0_n (MAX (count, 1), sizeof *(vector)->items)) != NULL \
   ? ((vector)->n = (vector)->room = (count), TRUE) : fail_memory (cursor, count))

gboolean
ghlo_bytecode_read_section (GhloByteCursor *cursor,
                            guint          *section,
                            GhloByteRange  *range)
{
  guint64 length, alignment;
  guint8 byte;

  if (!ghlo_bytecode_read_byte (cursor, &byte) || !ghlo_bytecode_read_varint (cursor, &length))
    return FALSE;
  if ((byte & SECTION_ALIGNED) != 0
      && (!ghlo_bytecode_read_varint (cursor, &alignment) || !ghlo_bytecode_read_padding (cursor, alignment)))
    return FALSE;
  *section = byte & SECTION_MASK;

  return ghlo_bytecode_read_range (cursor, length, range);
}

static gboolean
read_header (GhloByteCursor *cursor)
{
  GhloBytecodeReader *self = cursor->reader;
  GhloByteCursor start = *cursor;
  GhloByteRange magic;
  guint64 version;

  if (!ghlo_bytecode_read_range (cursor, 4, &magic))
    return FALSE;
  if (memcmp (magic.data, "ML\xefR", 4) != 0)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected MLIR bytecode, which begins with the bytes"
                               " 4d 4c ef 52, found %02x %02x %02x %02x",
                               magic.data[0], magic.data[1], magic.data[2], magic.data[3]);
  start = *cursor;
  if (!ghlo_bytecode_read_varint (cursor, &version))
    return FALSE;
  if (version > GHLO_BYTECODE_NEWEST)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_UNSUPPORTED,
                               "expected MLIR bytecode of a version up to %d, found version %" G_GUINT64_FORMAT,
                               GHLO_BYTECODE_NEWEST, version);
  self->version = (guint) version;
  if (!ghlo_bytecode_read_c_string (cursor, &self->producer))
    return FALSE;
  if (strncmp (self->producer, producer_prefix, strlen (producer_prefix)) == 0)
    ghlo_ir_version_parse (self->producer + strlen (producer_prefix), &self->artifact_version);

  return TRUE;
}

static gboolean
is_required (const GhloBytecodeReader *self,
             GhloBytecodeSection       section)
{
  return section <= GHLO_BYTECODE_SECTION_IR
         || (section == GHLO_BYTECODE_SECTION_PROPERTIES && self->version >= GHLO_BYTECODE_PROPERTIES);
}

static gboolean
find_sections (GhloByteCursor *cursor)
{
  GhloBytecodeReader *self = cursor->reader;

  while (cursor->at < cursor->end)
    {
      GhloByteCursor start = *cursor;
      GhloByteRange range;
      guint section;

      if (!ghlo_bytecode_read_section (cursor, &section, &range))
        return FALSE;
      if (section >= GHLO_BYTECODE_N_SECTIONS || section == GHLO_BYTECODE_SECTION_DIALECT_VERSIONS)
        return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected the id of a top-level section, found %u",
                                   section);
      if (self->sections[section].data != NULL)
        return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected each section once, found %s again",
                                   ghlo_bytecode_section_names[section]);
      self->sections[section] = range;
    }

  for (guint i = 0; i < GHLO_BYTECODE_N_SECTIONS; i++)
    if (self->sections[i].data == NULL && is_required (self, i))
      return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected %s, found the end of the file",
                                 ghlo_bytecode_section_names[i]);

  return TRUE;
}

/* A count, the sizes from the last string to the first, and the strings, each with a NUL. */
static gboolean
read_strings (GhloBytecodeReader *self)
{
  GhloByteCursor cursor = section_cursor (self, GHLO_BYTECODE_SECTION_STRINGS);
  GhloByteCursor data = cursor;
  gsize n;

  if (!ghlo_bytecode_read_count (&cursor, 2, &n) || !RESIZE (&cursor, &self->strings, n))
    return FALSE;
  for (gsize i = n; i > 0; i--)
    {
      GhloByteCursor start = cursor;
      guint64 size;

      if (!ghlo_bytecode_read_varint (&cursor, &size))
        return FALSE;
      if (size == 0 || size > (gsize) (data.end - cursor.at))
        return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected a string of 1 to %" G_GSIZE_FORMAT
                                   " bytes, found one of %" G_GUINT64_FORMAT, (gsize) (data.end - cursor.at), size);
      data.end -= size;
      cursor.end = data.end;
      if (data.end[size - 1] != '\0')
        return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE,
                                   "expected a string that ends with a zero byte, found 0x%02x", data.end[size - 1]);
      self->strings.items[i - 1] = (GhloBytecodeString) { .data = data.end, .length = size - 1 };
    }

  return ghlo_bytecode_check_end (&cursor, "the sizes of strings");
}

static const GhloBytecodeCodec *
find_codec (const char *dialect)
{
  for (guint i = 0; i < GHLO_BYTECODE_N_DIALECTS; i++)
    if (strcmp (ghlo_bytecode_codecs[i]->name, dialect) == 0)
      return ghlo_bytecode_codecs[i];

  return NULL;
}

static gboolean
read_dialect (GhloByteCursor            *cursor,
              GhloBytecodeReaderDialect *dialect)
{
  GhloByteCursor start = *cursor;
  gboolean has_version = FALSE;
  guint64 index;
  guint section;

  if (cursor->reader->version < GHLO_BYTECODE_DIALECT_VERSIONS)
    return ghlo_bytecode_read_string (cursor, &dialect->name, NULL);

  if (!ghlo_bytecode_read_flagged (cursor, &index, &has_version)
      || !ghlo_bytecode_check_index (&start, index, cursor->reader->strings.n, "string"))
    return FALSE;
  dialect->name = ghlo_bytecode_string (cursor->reader, index);
  if (!has_version)
    return TRUE;

  start = *cursor;
  if (!ghlo_bytecode_read_section (cursor, &section, &dialect->version))
    return FALSE;

  return section == GHLO_BYTECODE_SECTION_DIALECT_VERSIONS
         || ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected a dialect version section, found section %u",
                                section);
}

/* Reads the index of a dialect and the number of its items that follow, each of at least one byte. */
static gboolean
read_group (GhloByteCursor *cursor,
            gsize          *dialect,
            gsize          *n)
{
  return ghlo_bytecode_read_index (cursor, cursor->reader->dialects.n, "dialect", dialect)
         && ghlo_bytecode_read_count (cursor, 1, n);
}

static gboolean
read_op_name (GhloByteCursor *cursor,
              gsize           dialect)
{
  GhloBytecodeReader *self = cursor->reader;
  GhloByteCursor start = *cursor;
  GhloBytecodeOpName name = { .dialect = (guint) dialect, .is_registered = TRUE };
  guint64 index;

  if (self->version < GHLO_BYTECODE_PROPERTIES)
    {
      if (!ghlo_bytecode_read_varint (cursor, &index))
        return FALSE;
    }
  else if (!ghlo_bytecode_read_flagged (cursor, &index, &name.is_registered))
    {
      return FALSE;
    }
  if (!ghlo_bytecode_check_index (&start, index, self->strings.n, "string"))
    return FALSE;
  name.name = ghlo_bytecode_string (self, index);
  GHLO_IMPORT_PUSH (&self->op_names, name);

  return TRUE;
}

static gboolean
read_dialects (GhloBytecodeReader *self)
{
  GhloByteCursor cursor = section_cursor (self, GHLO_BYTECODE_SECTION_DIALECTS);
  guint64 n_op_names;
  gsize n, dialect;

  if (!ghlo_bytecode_read_count (&cursor, 1, &n) || !RESIZE (&cursor, &self->dialects, n))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      GhloBytecodeReaderDialect *entry = &self->dialects.items[i];

      if (!read_dialect (&cursor, entry))
        return FALSE;
      entry->codec = find_codec (entry->name);
      self->has_vhlo = self->has_vhlo || entry->codec == &ghlo_bytecode_vhlo;
    }

  /* A hint for the memory that the names take. */
  if (self->version >= GHLO_BYTECODE_OP_COUNTS && !ghlo_bytecode_read_varint (&cursor, &n_op_names))
    return FALSE;
  while (cursor.at < cursor.end)
    {
      if (!read_group (&cursor, &dialect, &n))
        return FALSE;
      for (gsize i = 0; i < n; i++)
        if (!read_op_name (&cursor, dialect))
          return FALSE;
    }

  return TRUE;
}

/* Locates attributes or types; each one directly follows the previous one. */
static gboolean
read_entries (GhloByteCursor          *cursor,
              GhloByteCursor          *data,
              GhloBytecodeReaderEntry *entries,
              gsize                    n_entries)
{
  gsize done = 0, dialect, n;

  while (done < n_entries)
    {
      GhloByteCursor start = *cursor;

      if (!read_group (cursor, &dialect, &n))
        return FALSE;
      if (n > n_entries - done)
        return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected at most %" G_GSIZE_FORMAT
                                   " more attributes or types, found %" G_GSIZE_FORMAT, n_entries - done, n);
      for (gsize i = 0; i < n; i++)
        {
          GhloBytecodeReaderEntry *entry = &entries[done++];
          gboolean has_codec;
          guint64 size;

          if (!ghlo_bytecode_read_flagged (cursor, &size, &has_codec)
              || !ghlo_bytecode_read_range (data, size, &entry->range))
            return FALSE;
          entry->has_codec = has_codec;
          entry->dialect = (guint32) dialect;
        }
    }

  return TRUE;
}

static gboolean
read_attribute_offsets (GhloBytecodeReader *self)
{
  GhloByteCursor cursor = section_cursor (self, GHLO_BYTECODE_SECTION_ATTRIBUTE_OFFSETS);
  GhloByteCursor data = section_cursor (self, GHLO_BYTECODE_SECTION_ATTRIBUTES);
  gsize n_attrs, n_types;

  if (!ghlo_bytecode_read_count (&cursor, 1, &n_attrs) || !ghlo_bytecode_read_count (&cursor, 1, &n_types)
      || !RESIZE (&cursor, &self->attrs, n_attrs) || !RESIZE (&cursor, &self->types, n_types))
    return FALSE;

  return read_entries (&cursor, &data, self->attrs.items, n_attrs)
         && read_entries (&cursor, &data, self->types.items, n_types)
         && ghlo_bytecode_check_end (&cursor, "the offsets of attributes and types");
}

static gboolean
read_resource (GhloByteCursor       *cursor,
               GhloByteCursor       *data,
               GhloBytecodeResource *resource)
{
  guint64 size;

  return ghlo_bytecode_read_string (cursor, &resource->key, NULL)
         && ghlo_bytecode_read_varint (cursor, &size)
         && ghlo_bytecode_read_byte (cursor, &resource->kind)
         && ghlo_bytecode_read_range (data, size, &resource->range);
}

/* Reads a group of resources. Those that belong to no dialect are not kept. */
static gboolean
read_resource_group (GhloByteCursor *cursor,
                     GhloByteCursor *data,
                     gboolean        keep)
{
  gsize n;

  if (!ghlo_bytecode_read_count (cursor, 3, &n))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      GhloBytecodeResource resource;

      if (!read_resource (cursor, data, &resource))
        return FALSE;
      if (keep)
        GHLO_IMPORT_PUSH (&cursor->reader->resources, resource);
    }

  return TRUE;
}

static gboolean
read_resources (GhloBytecodeReader *self)
{
  GhloByteCursor cursor = section_cursor (self, GHLO_BYTECODE_SECTION_RESOURCE_OFFSETS);
  GhloByteCursor data = section_cursor (self, GHLO_BYTECODE_SECTION_RESOURCES);
  const char *owner;
  gsize n_external, dialect;

  if (cursor.at == NULL && data.at == NULL)
    return TRUE;
  if (cursor.at == NULL || data.at == NULL)
    {
      GhloByteCursor present = cursor.at == NULL ? data : cursor;

      return ghlo_bytecode_fail (&present, GHLO_ERROR_PARSE, "expected %s as well, found none",
                                 cursor.at == NULL ? cursor.section : data.section);
    }

  if (!ghlo_bytecode_read_count (&cursor, 1, &n_external))
    return FALSE;
  for (gsize i = 0; i < n_external; i++)
    if (!ghlo_bytecode_read_string (&cursor, &owner, NULL) || !read_resource_group (&cursor, &data, FALSE))
      return FALSE;
  while (cursor.at < cursor.end)
    if (!ghlo_bytecode_read_index (&cursor, self->dialects.n, "dialect", &dialect)
        || !read_resource_group (&cursor, &data, TRUE))
      return FALSE;

  return TRUE;
}

static gboolean
read_properties (GhloBytecodeReader *self)
{
  GhloByteCursor cursor = section_cursor (self, GHLO_BYTECODE_SECTION_PROPERTIES);
  gsize n, size;

  if (cursor.at == cursor.end)
    return TRUE;
  if (!ghlo_bytecode_read_count (&cursor, 1, &n) || !RESIZE (&cursor, &self->properties, n))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (!ghlo_bytecode_read_count (&cursor, 1, &size)
        || !ghlo_bytecode_read_range (&cursor, size, &self->properties.items[i].range))
      return FALSE;

  return ghlo_bytecode_check_end (&cursor, "the properties");
}

gboolean
ghlo_bytecode_open (GhloBytecodeReader *self)
{
  GhloByteCursor cursor = ghlo_bytecode_cursor (self, self->file, "the header");

  if (!read_header (&cursor))
    return FALSE;
  cursor.section = "the list of sections";

  return find_sections (&cursor)
         && read_strings (self)
         && read_dialects (self)
         && read_resources (self)
         && read_attribute_offsets (self)
         && read_properties (self);
}

void
ghlo_bytecode_close (GhloBytecodeReader *self)
{
  GHLO_IMPORT_CLEAR (&self->strings);
  GHLO_IMPORT_CLEAR (&self->dialects);
  GHLO_IMPORT_CLEAR (&self->op_names);
  GHLO_IMPORT_CLEAR (&self->attrs);
  GHLO_IMPORT_CLEAR (&self->types);
  GHLO_IMPORT_CLEAR (&self->resources);
  GHLO_IMPORT_CLEAR (&self->properties);
  ghlo_import_memo_clear (&self->memo);
  g_clear_pointer (&self->dictionaries, g_hash_table_unref);
}
