/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shardy's own encoding (Shardy: bytecode.td). An attribute is a code and its fields. Nested sdy attributes are
 * entries of their own in the file, but part of the outer attribute's text in the IR. A sharding has several codes,
 * depending on which of its last fields are present.
 */

#include "import/bytecode/reader.h"

#include <string.h>

#include "import/vhlo/versions.h"
#include "ir/sdy-attr.h"

/* The attribute that each code means, and how many of its fields are present. */
static const struct
{
  GhloSdyKind kind;
  guint8      n_fields;
} codes[] = {
  { GHLO_SDY_MANUAL_AXES, 1 },
  { GHLO_SDY_MESH_AXIS, 2 },
  { GHLO_SDY_MESH, 2 },
  { GHLO_SDY_SUB_AXIS, 2 },
  { GHLO_SDY_AXIS, 2 },
  { GHLO_SDY_DIMENSION, 3 },
  { GHLO_SDY_SHARDING, 3 },
  { GHLO_SDY_SHARDINGS, 1 },
  { GHLO_SDY_DIMENSION_MAPPING, 1 },
  { GHLO_SDY_TENSOR_MAPPING, 1 },
  { GHLO_SDY_RULE, 8 },
  { GHLO_SDY_AXES, 1 },
  { GHLO_SDY_LISTS_OF_AXES, 1 },
  { GHLO_SDY_ALL_TO_ALL, 3 },
  { GHLO_SDY_ALL_TO_ALLS, 1 },
  { GHLO_SDY_SHARDING, 4 },
  { GHLO_SDY_SHARDINGS, 1 },
  { GHLO_SDY_SHARDING, 5 },
};

enum
{
  CODE_SHARDING            = 6,
  CODE_SHARDINGS           = 7,
  CODE_UNREDUCED           = 15,
  CODE_SHARDINGS_UNREDUCED = 16,
  CODE_REDUCTION           = 17,
};

/* Limits for the text made from a file, since shared parts are
 * expanded each time: a multiple of its size, and a minimum. */
enum { TEXT_FACTOR = 64, MIN_TEXT = 65536 };

/* @start is the position of @attr's number. */
static gboolean
add_child (GhloByteCursor   *start,
           GhloSdyKind       kind,
           const GhloIrAttr *attr,
           GhloSdyField     *field)
{
  if (!ghlo_sdy_attr_is (attr, kind))
    {
      g_autofree char *found = ghlo_ir_attr_to_string (attr);

      return ghlo_bytecode_fail (start, GHLO_ERROR_PARSE, "expected %s inside an attribute of sdy, found %s",
                                 kind == GHLO_SDY_STRING ? "a string"
                                 : kind == GHLO_SDY_MESH_OR_SYMBOL ? "a mesh or its symbol"
                                 : ghlo_sdy_specs[kind].mnemonic, found);
    }
  ghlo_sdy_field_add (field, attr);

  return TRUE;
}

static gboolean
read_child (GhloByteCursor *cursor,
            GhloSdyKind     kind,
            GhloSdyField   *field)
{
  GhloByteCursor start = *cursor;
  const GhloIrAttr *attr;

  return ghlo_bytecode_read_attr (cursor, &attr) && add_child (&start, kind, attr, field);
}

static gboolean
read_name (GhloByteCursor *cursor,
           GhloSdyField   *field)
{
  const char *text;
  gsize length;

  if (!ghlo_bytecode_read_string (cursor, &text, &length))
    return FALSE;
  ghlo_sdy_field_add (field, ghlo_ir_attr_string (ghlo_bytecode_module (cursor), text, (gssize) length));

  return TRUE;
}

static gboolean
read_integers (GhloByteCursor *cursor,
               GhloSdyField   *field)
{
  g_autofree gint64 *values = NULL;
  gsize n;

  if (!ghlo_vhlo_read_ints (cursor, &values, &n))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    ghlo_sdy_field_append (field, values[i]);

  return TRUE;
}

static gboolean
read_children (GhloByteCursor *cursor,
               GhloSdyKind     kind,
               GhloSdyField   *field)
{
  gsize n;

  if (!ghlo_bytecode_read_count (cursor, 1, &n))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (!read_child (cursor, kind, field))
      return FALSE;

  return TRUE;
}

static gboolean
read_priority (GhloByteCursor *cursor,
               GhloSdyField   *field)
{
  guint64 value;

  if (!ghlo_bytecode_read_varint (cursor, &value))
    return FALSE;
  field->integer = (value & 1) != 0 ? (gint64) (value >> 1) : -1;

  return TRUE;
}

static gboolean
read_optional (GhloByteCursor *cursor,
               GhloSdyKind     kind,
               GhloSdyField   *field)
{
  GhloByteCursor start = *cursor;
  const GhloIrAttr *attr;

  return ghlo_bytecode_read_optional_attr (cursor, &attr)
         && (attr == NULL || add_child (&start, kind, attr, field));
}

static gboolean
read_reduction (GhloByteCursor *cursor,
                GhloSdyField   *field)
{
  GhloByteCursor start = *cursor;

  if (!ghlo_bytecode_read_signed (cursor, &field->integer))
    return FALSE;

  return (field->integer >= 0 && field->integer < GHLO_SDY_N_REDUCTIONS)
         || ghlo_bytecode_fail (&start, GHLO_ERROR_UNSUPPORTED, "expected a reduction up to %d, found %"
                                G_GINT64_FORMAT, GHLO_SDY_N_REDUCTIONS - 1, field->integer);
}

static gboolean
read_field (GhloByteCursor         *cursor,
            const GhloSdyFieldSpec *spec,
            GhloSdyField           *field)
{
  guint8 byte;

  switch (spec->kind)
    {
    case GHLO_SDY_FIELD_NAME:
      return read_name (cursor, field);
    case GHLO_SDY_FIELD_INTEGER:
      return ghlo_bytecode_read_signed (cursor, &field->integer);
    case GHLO_SDY_FIELD_INTEGERS:
      return read_integers (cursor, field);
    case GHLO_SDY_FIELD_FLAG:
      if (!ghlo_bytecode_read_byte (cursor, &byte))
        return FALSE;
      field->integer = byte != 0;
      return TRUE;
    case GHLO_SDY_FIELD_PRIORITY:
      return read_priority (cursor, field);
    case GHLO_SDY_FIELD_ATTR:
      return read_child (cursor, spec->child, field);
    case GHLO_SDY_FIELD_OPTIONAL:
      return read_optional (cursor, spec->child, field);
    case GHLO_SDY_FIELD_REDUCTION:
      return read_reduction (cursor, field);
    default:
      return read_children (cursor, spec->child, field);
    }
}

/* Checks that factors are not negative. */
static gboolean
check_factors (GhloByteCursor    *cursor,
               const GhloSdyAttr *self)
{
  if (self->kind != GHLO_SDY_RULE && self->kind != GHLO_SDY_DIMENSION_MAPPING)
    return TRUE;
  for (guint i = 0; i < GHLO_SDY_MAX_FIELDS; i++)
    for (guint j = 0; j < ghlo_sdy_field_n_integers (&self->fields[i]); j++)
      {
        gint64 value = g_array_index (self->fields[i].integers, gint64, j);

        if (value < 0)
          return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected a factor of at least 0, found %"
                                     G_GINT64_FORMAT, value);
      }

  return TRUE;
}

static const GhloIrAttr *
make_text (GhloByteCursor    *cursor,
           const GhloSdyAttr *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  GhloBytecodeReader *reader = cursor->reader;
  gsize limit = MIN_TEXT + (gsize) (reader->file.end - reader->file.data) * TEXT_FACTOR;

  ghlo_sdy_attr_print (self, text);
  reader->sdy_text += text->len;
  if (reader->sdy_text <= limit)
    return ghlo_ir_attr_opaque (ghlo_bytecode_module (cursor), text->str);
  ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected attributes of sdy of at most %" G_GSIZE_FORMAT
                      " bytes when spelled out, found more", limit);

  return NULL;
}

static gboolean
read_attr (GhloByteCursor    *cursor,
           const GhloIrAttr **attr)
{
  GhloByteCursor start = *cursor;
  g_auto (GhloSdyAttr) self;
  guint64 code;

  ghlo_sdy_attr_init (&self, GHLO_SDY_MESH);
  if (!ghlo_bytecode_read_varint (cursor, &code))
    return FALSE;
  if (code >= G_N_ELEMENTS (codes))
    return ghlo_bytecode_fail (&start, GHLO_ERROR_UNSUPPORTED, "expected the code of an attribute of sdy, found %"
                               G_GUINT64_FORMAT, code);
  ghlo_sdy_attr_init (&self, codes[code].kind);
  for (guint i = 0; i < codes[code].n_fields; i++)
    if (!read_field (cursor, &ghlo_sdy_specs[self.kind].fields[i], &self.fields[i]))
      return FALSE;
  if (!check_factors (&start, &self))
    return FALSE;
  *attr = make_text (&start, &self);

  return *attr != NULL;
}

/* Attributes without a code are text in bytecode. */
static gboolean
has_attr (const GhloIrAttr *attr)
{
  static const char *const others[] = {
    "edge_value_ref", "axis_to_propagation_details", "propagation_one_step", "propagation_edges",
  };

  if (attr->kind != GHLO_IR_ATTR_OPAQUE || !g_str_has_prefix (attr->text, "sdy")
      || (attr->text[3] != '.' && attr->text[3] != '<'))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (g_str_has_prefix (attr->text + 4, others[i]))
      return FALSE;

  return TRUE;
}

static gboolean
has_type (const GhloIrType *type)
{
  return FALSE;
}

static void
write_field (GhloBytecodeWriter     *writer,
             const GhloSdyFieldSpec *spec,
             const GhloSdyField     *field)
{
  gsize n_attrs = ghlo_sdy_field_n_attrs (field), n_integers = ghlo_sdy_field_n_integers (field);
  const GhloIrAttr *first = n_attrs > 0 ? g_ptr_array_index (field->attrs, 0) : NULL;

  switch (spec->kind)
    {
    case GHLO_SDY_FIELD_NAME:
      g_assert (first != NULL);
      ghlo_bytecode_write_string (writer, first->text, (gssize) first->length);
      break;
    case GHLO_SDY_FIELD_INTEGER:
    case GHLO_SDY_FIELD_REDUCTION:
      ghlo_bytecode_write_signed (writer, field->integer);
      break;
    case GHLO_SDY_FIELD_INTEGERS:
      ghlo_vhlo_write_ints (writer, n_integers > 0 ? (gconstpointer) field->integers->data : NULL, n_integers);
      break;
    case GHLO_SDY_FIELD_FLAG:
      ghlo_bytecode_write_byte (writer, field->integer != 0);
      break;
    case GHLO_SDY_FIELD_PRIORITY:
      ghlo_bytecode_write_varint (writer, field->integer >= 0 ? (guint64) field->integer << 1 | 1 : 0);
      break;
    case GHLO_SDY_FIELD_ATTR:
      ghlo_bytecode_write_attr (writer, GHLO_BYTECODE_SDY, first);
      break;
    case GHLO_SDY_FIELD_OPTIONAL:
      ghlo_bytecode_write_optional_attr (writer, GHLO_BYTECODE_SDY, first);
      break;
    default:
      ghlo_bytecode_write_varint (writer, n_attrs);
      for (gsize i = 0; i < n_attrs; i++)
        ghlo_bytecode_write_attr (writer, GHLO_BYTECODE_SDY, g_ptr_array_index (field->attrs, i));
    }
}

/* Whether a sharding in the list has unreduced axes. The shardings
 * are parsed, since a string may also contain that word. */
static gboolean
any_unreduced (GhloIrModule       *module,
               const GhloSdyField *shardings)
{
  for (gsize i = 0; i < ghlo_sdy_field_n_attrs (shardings); i++)
    {
      g_auto (GhloSdyAttr) sharding;
      g_autofree char *problem = ghlo_sdy_attr_parse (&sharding, module, g_ptr_array_index (shardings->attrs, i));

      if (problem == NULL && ghlo_sdy_field_n_attrs (&sharding.fields[3]) > 0)
        return TRUE;
    }

  return FALSE;
}

static guint
choose_code (GhloIrModule      *module,
             const GhloSdyAttr *self)
{
  if (self->kind == GHLO_SDY_SHARDING)
    return ghlo_sdy_field_n_attrs (&self->fields[3]) == 0 ? CODE_SHARDING
           : self->fields[4].integer == 0 ? CODE_UNREDUCED : CODE_REDUCTION;
  if (self->kind == GHLO_SDY_SHARDINGS)
    return any_unreduced (module, &self->fields[0]) ? CODE_SHARDINGS_UNREDUCED : CODE_SHARDINGS;
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    if (codes[i].kind == self->kind)
      return i;

  g_assert_not_reached ();
}

static gboolean
write_attr (GhloBytecodeWriter *writer,
            const GhloIrAttr   *attr)
{
  GhloIrModule *module = ghlo_bytecode_writer_module (writer);
  g_auto (GhloSdyAttr) self;
  g_autofree char *problem = ghlo_sdy_attr_parse (&self, module, attr);
  guint code;

  if (problem != NULL)
    return ghlo_bytecode_refuse (writer, GHLO_ERROR_UNSUPPORTED, "%s", problem);
  code = choose_code (module, &self);
  ghlo_bytecode_write_varint (writer, code);
  for (guint i = 0; i < codes[code].n_fields; i++)
    write_field (writer, &ghlo_sdy_specs[self.kind].fields[i], &self.fields[i]);

  return TRUE;
}

const GhloBytecodeCodec ghlo_bytecode_sdy = {
  .name = "sdy",
  .read_attr = read_attr,
  .has_attr = has_attr,
  .has_type = has_type,
  .write_attr = write_attr,
};
