/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes the builtin dialect's attributes and locations. An attribute without a code is written as MLIR text.
 */

#include "import/bytecode/builtin.h"
#include "import/bytecode/writer.h"

static void
write_attr (GhloBytecodeWriter *writer,
            const GhloIrAttr   *attr)
{
  ghlo_bytecode_write_attr (writer, GHLO_BYTECODE_BUILTIN, attr);
}

static void
write_text (GhloBytecodeWriter *writer,
            const char         *text)
{
  write_attr (writer, ghlo_bytecode_text_attr (writer, text));
}

static void
write_array (GhloBytecodeWriter *writer,
             const GhloIrAttr   *attr)
{
  ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_ATTR_ARRAY);
  ghlo_bytecode_write_varint (writer, attr->length);
  for (gsize i = 0; i < attr->length; i++)
    write_attr (writer, attr->children[i]);
}

static void
write_entries (GhloBytecodeWriter  *writer,
               const GhloIrAttr    *attr,
               GhloBytecodeDialect  dialect)
{
  ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_ATTR_DICTIONARY);
  ghlo_bytecode_write_varint (writer, attr->length);
  for (gsize i = 0; i < attr->length; i++)
    {
      write_text (writer, attr->entries[i].name);
      ghlo_bytecode_write_attr (writer, dialect, attr->entries[i].value);
    }
}

static void
write_dictionary (GhloBytecodeWriter *writer,
                  const GhloIrAttr   *attr)
{
  write_entries (writer, attr, GHLO_BYTECODE_BUILTIN);
}

void
ghlo_bytecode_builtin_write_vhlo_dictionary (GhloBytecodeWriter *writer,
                                             const GhloIrAttr   *attr)
{
  write_entries (writer, attr, GHLO_BYTECODE_VHLO);
}

static void
write_string (GhloBytecodeWriter *writer,
              const GhloIrAttr   *attr)
{
  ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_ATTR_STRING);
  ghlo_bytecode_write_string (writer, attr->text, (gssize) attr->length);
}

static void
write_symbol (GhloBytecodeWriter *writer,
              const GhloIrAttr   *attr)
{
  gboolean nested = attr->children != NULL && attr->length > 0;

  ghlo_bytecode_write_varint (writer, nested ? GHLO_BUILTIN_ATTR_SYMBOL : GHLO_BUILTIN_ATTR_FLAT_SYMBOL);
  write_text (writer, attr->text);
  if (!nested)
    return;
  ghlo_bytecode_write_varint (writer, attr->length);
  for (gsize i = 0; i < attr->length; i++)
    write_attr (writer, attr->children[i]);
}

static void
write_type_attr (GhloBytecodeWriter *writer,
                 const GhloIrAttr   *attr)
{
  ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_ATTR_TYPE);
  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_BUILTIN, attr->type);
}

static void
write_unit (GhloBytecodeWriter *writer,
            const GhloIrAttr   *attr)
{
  ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_ATTR_UNIT);
}

static void
write_bool (GhloBytecodeWriter *writer,
            const GhloIrAttr   *attr)
{
  ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_ATTR_INTEGER);
  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_BUILTIN,
                            ghlo_ir_type_element (ghlo_bytecode_writer_module (writer), GHLO_ELEMENT_TYPE_I1));
  ghlo_bytecode_write_bits (writer, 1, attr->integer != 0);
}

static void
write_integer (GhloBytecodeWriter *writer,
               const GhloIrAttr   *attr)
{
  ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_ATTR_INTEGER);
  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_BUILTIN, attr->type);
  ghlo_bytecode_write_bits (writer, ghlo_bytecode_builtin_width (attr->type), (guint64) attr->integer);
}

static void
write_float (GhloBytecodeWriter *writer,
             const GhloIrAttr   *attr)
{
  GhloElementType type = attr->type->element_type;

  ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_ATTR_FLOAT);
  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_BUILTIN, attr->type);
  ghlo_bytecode_write_bits (writer, ghlo_element_info (type)->bits, ghlo_float_to_bits (type, attr->real));
}

static void
write_dense_array (GhloBytecodeWriter *writer,
                   const GhloIrAttr   *attr)
{
  GhloElementType type = attr->type->element_type;
  const GhloElementInfo *info = ghlo_element_info (type);
  guint8 *data = ghlo_bytecode_writer_alloc (writer, attr->length * info->size);

  for (gsize i = 0; i < attr->length; i++)
    {
      GhloScalar value = { .i = 0 };

      if (ghlo_element_type_is_float (type))
        value.f = attr->reals[i];
      else
        value.i = attr->integers[i];
      ghlo_element_store (type, data + i * info->size, value);
    }
  ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_ATTR_DENSE_ARRAY);
  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_BUILTIN, attr->type);
  ghlo_bytecode_write_varint (writer, attr->length);
  ghlo_bytecode_write_blob (writer, data, attr->length * info->size);
}

static void
write_dense (GhloBytecodeWriter *writer,
             const GhloIrAttr   *attr)
{
  ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_ATTR_DENSE);
  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_BUILTIN, attr->type);
  ghlo_bytecode_write_elements (writer, attr);
}

static void
write_dense_strings (GhloBytecodeWriter *writer,
                     const GhloIrAttr   *attr)
{
  ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_ATTR_DENSE_STRINGS);
  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_BUILTIN, attr->type);
  ghlo_bytecode_write_varint (writer, attr->length == 1);
  for (gsize i = 0; i < attr->length; i++)
    ghlo_bytecode_write_string (writer, attr->children[i]->text, (gssize) attr->children[i]->length);
}

typedef void (*WriteAttr) (GhloBytecodeWriter *writer,
                           const GhloIrAttr   *attr);

/* Indexed by GhloIrAttrKind; NULL if the builtin dialect has no such attribute. */
static const WriteAttr attr_writers[] = {
  [GHLO_IR_ATTR_UNIT] = write_unit,
  [GHLO_IR_ATTR_BOOL] = write_bool,
  [GHLO_IR_ATTR_INTEGER] = write_integer,
  [GHLO_IR_ATTR_FLOAT] = write_float,
  [GHLO_IR_ATTR_STRING] = write_string,
  [GHLO_IR_ATTR_SYMBOL] = write_symbol,
  [GHLO_IR_ATTR_TYPE] = write_type_attr,
  [GHLO_IR_ATTR_ARRAY] = write_array,
  [GHLO_IR_ATTR_DICTIONARY] = write_dictionary,
  [GHLO_IR_ATTR_DENSE] = write_dense,
  [GHLO_IR_ATTR_DENSE_ARRAY] = write_dense_array,
  [GHLO_IR_ATTR_DENSE_STRINGS] = write_dense_strings,
  [GHLO_IR_ATTR_OPAQUE] = NULL,
};

gboolean
ghlo_bytecode_builtin_has_attr (const GhloIrAttr *attr)
{
  gboolean by_name = attr->kind == GHLO_IR_ATTR_FLOAT && attr->type->element_type == GHLO_ELEMENT_TYPE_INVALID;

  return attr_writers[attr->kind] != NULL && !by_name;
}

gboolean
ghlo_bytecode_builtin_write_attr (GhloBytecodeWriter *writer,
                                  const GhloIrAttr   *attr)
{
  if (attr_writers[attr->kind] == NULL)
    return ghlo_bytecode_refuse (writer, GHLO_ERROR_INTERNAL, "an attribute that the builtin dialect does not have");
  attr_writers[attr->kind] (writer, attr);

  return TRUE;
}

static void
write_location (GhloBytecodeWriter   *writer,
                const GhloIrLocation *location)
{
  const GhloBytecodeEntry *entry = ghlo_bytecode_location_entry (writer, location);

  ghlo_bytecode_write_varint (writer, entry->number);
}

static void
write_file (GhloBytecodeWriter   *writer,
            const GhloIrLocation *location)
{
  gboolean range = location->end_line != 0 || location->end_column != 0;
  gboolean one_line = location->end_line == location->line;
  gboolean point = one_line && location->end_column == location->column;

  ghlo_bytecode_write_varint (writer, range ? GHLO_BUILTIN_ATTR_FILE_RANGE : GHLO_BUILTIN_ATTR_FILE);
  write_text (writer, location->text);
  if (range)
    ghlo_bytecode_write_varint (writer, point ? 2 : one_line ? 3 : 4);
  ghlo_bytecode_write_varint (writer, location->line);
  ghlo_bytecode_write_varint (writer, location->column);
  if (range && !one_line)
    ghlo_bytecode_write_varint (writer, location->end_line);
  if (range && !point)
    ghlo_bytecode_write_varint (writer, location->end_column);
}

static void
write_fused (GhloBytecodeWriter   *writer,
             const GhloIrLocation *location)
{
  ghlo_bytecode_write_varint (writer, location->metadata != NULL ? GHLO_BUILTIN_ATTR_FUSED_METADATA
                                                                 : GHLO_BUILTIN_ATTR_FUSED);
  ghlo_bytecode_write_varint (writer, location->n_children);
  for (guint i = 0; i < location->n_children; i++)
    write_location (writer, location->children[i]);
  if (location->metadata != NULL)
    write_attr (writer, location->metadata);
}

void
ghlo_bytecode_builtin_write_location (GhloBytecodeWriter   *writer,
                                      const GhloIrLocation *location)
{
  switch (location->kind)
    {
    case GHLO_IR_LOCATION_FILE:
      write_file (writer, location);
      break;
    case GHLO_IR_LOCATION_NAME:
      ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_ATTR_NAME);
      write_text (writer, location->text);
      write_location (writer, location->children[0]);
      break;
    case GHLO_IR_LOCATION_CALL_SITE:
      ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_ATTR_CALL_SITE);
      write_location (writer, location->children[0]);
      write_location (writer, location->children[1]);
      break;
    case GHLO_IR_LOCATION_FUSED:
      write_fused (writer, location);
      break;
    case GHLO_IR_LOCATION_UNKNOWN:
    case GHLO_IR_LOCATION_OPAQUE:
      ghlo_bytecode_write_varint (writer, GHLO_BUILTIN_ATTR_UNKNOWN);
      break;
    }
}
