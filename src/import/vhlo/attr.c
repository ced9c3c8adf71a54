/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The encoding of VHLO's attributes, with one row for each code, used in both directions. Enumerations only differ in
 * the list of words, and structures in the list of fields; the others have functions (StableHLO: VhloAttrs.td).
 */

#include "import/vhlo/versions.h"

#include <string.h>

typedef struct
{
  GhloIrAttrKind  kind;
  guint           subkind;         /* ENUM, STRUCT */
  guint8          major, minor;    /* the version that introduced it; 0.0 marks an unused code */
  const char     *fields;          /* STRUCT: one letter of field.c for each */
  gboolean (*read)  (GhloByteCursor *cursor, const GhloIrAttr **attr);
  gboolean (*write) (GhloBytecodeWriter *writer, const GhloIrAttr *attr);
} AttrRow;

enum { CODE_BOOL = 2, CODE_STRING = 14, CODE_TENSOR = 15 };

static gboolean
write_array (GhloBytecodeWriter *writer,
             const GhloIrAttr   *attr)
{
  ghlo_bytecode_write_varint (writer, attr->length);
  for (gsize i = 0; i < attr->length; i++)
    ghlo_bytecode_write_attr (writer, GHLO_BYTECODE_VHLO, attr->children[i]);

  return TRUE;
}

static gboolean
read_bool (GhloByteCursor    *cursor,
           const GhloIrAttr **attr)
{
  GhloByteCursor start = *cursor;
  guint64 value;

  if (!ghlo_bytecode_read_varint (cursor, &value))
    return FALSE;
  if (value > 1)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected a boolean, 0 or 1, found %" G_GUINT64_FORMAT, value);
  *attr = ghlo_ir_attr_bool (ghlo_bytecode_module (cursor), value == 1);

  return TRUE;
}

static gboolean
write_bool (GhloBytecodeWriter *writer,
            const GhloIrAttr   *attr)
{
  ghlo_bytecode_write_varint (writer, attr->integer != 0);

  return TRUE;
}

static gboolean
write_dictionary (GhloBytecodeWriter *writer,
                  const GhloIrAttr   *attr)
{
  GhloIrModule *module = ghlo_bytecode_writer_module (writer);

  ghlo_bytecode_write_varint (writer, attr->length);
  for (gsize i = 0; i < attr->length; i++)
    {
      ghlo_bytecode_write_attr (writer, GHLO_BYTECODE_VHLO, ghlo_ir_attr_string (module, attr->entries[i].name, -1));
      ghlo_bytecode_write_attr (writer, GHLO_BYTECODE_VHLO, attr->entries[i].value);
    }

  return TRUE;
}

static gboolean
read_float (GhloByteCursor    *cursor,
            const GhloIrAttr **attr)
{
  GhloByteCursor start = *cursor;
  const GhloIrType *type;
  g_autofree char *name = NULL;
  guint64 bits;

  if (!ghlo_bytecode_read_type (cursor, &type))
    return FALSE;
  if (type->kind != GHLO_IR_TYPE_ELEMENT || !ghlo_element_type_is_float (type->element_type))
    {
      name = ghlo_ir_type_to_string (type);
      return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected the type of a float, found %s", name);
    }
  if (!ghlo_bytecode_read_bits (cursor, ghlo_element_info (type->element_type)->bits, &bits))
    return FALSE;
  *attr = ghlo_ir_attr_float (ghlo_bytecode_module (cursor), type, ghlo_float_from_bits (type->element_type, bits));

  return TRUE;
}

static gboolean
write_float (GhloBytecodeWriter *writer,
             const GhloIrAttr   *attr)
{
  GhloElementType type = attr->type->element_type;

  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_VHLO, attr->type);
  ghlo_bytecode_write_bits (writer, ghlo_element_info (type)->bits, ghlo_float_to_bits (type, attr->real));

  return TRUE;
}

/* Extends the lowest bits of @bits to 64, with the sign if the type is signed. */
static gint64
extend (const GhloElementInfo *info,
        guint64                bits)
{
  guint unused = 64 - info->bits;

  return info->element_class == GHLO_ELEMENT_CLASS_UNSIGNED ? (gint64) bits : (gint64) (bits << unused) >> unused;
}

static gboolean
read_integer (GhloByteCursor    *cursor,
              const GhloIrAttr **attr)
{
  const GhloElementInfo *info;
  GhloByteCursor start = *cursor;
  const GhloIrType *type;
  g_autofree char *name = NULL;
  guint64 bits;

  if (!ghlo_bytecode_read_type (cursor, &type))
    return FALSE;
  if (type->kind != GHLO_IR_TYPE_ELEMENT || !ghlo_element_type_is_integer (type->element_type))
    {
      name = ghlo_ir_type_to_string (type);
      return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected the type of an integer, found %s", name);
    }
  info = ghlo_element_info (type->element_type);
  if (!ghlo_bytecode_read_bits (cursor, info->bits, &bits))
    return FALSE;
  *attr = ghlo_ir_attr_integer (ghlo_bytecode_module (cursor), type, extend (info, bits));

  return TRUE;
}

static gboolean
write_integer (GhloBytecodeWriter *writer,
               const GhloIrAttr   *attr)
{
  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_VHLO, attr->type);
  ghlo_bytecode_write_bits (writer, ghlo_element_info (attr->type->element_type)->bits, (guint64) attr->integer);

  return TRUE;
}

static gboolean
write_string (GhloBytecodeWriter *writer,
              const GhloIrAttr   *attr)
{
  ghlo_bytecode_write_string (writer, attr->text, (gssize) attr->length);

  return TRUE;
}

static gboolean
write_type_attr (GhloBytecodeWriter *writer,
                 const GhloIrAttr   *attr)
{
  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_VHLO, attr->type);

  return TRUE;
}

static gboolean
read_enum (GhloByteCursor    *cursor,
           GhloIrEnum         enumeration,
           const GhloIrAttr **attr)
{
  const GhloIrEnumSpec *spec = &ghlo_ir_enum_specs[enumeration];
  guint n = g_strv_length ((char **) spec->words);
  GhloByteCursor start = *cursor;
  guint64 value;

  if (!ghlo_bytecode_read_varint (cursor, &value))
    return FALSE;
  if (value >= n || spec->words[value][0] == '\0')
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected a value of %s, at most %u, found %" G_GUINT64_FORMAT,
                               spec->mnemonic, n - 1, value);
  *attr = ghlo_ir_attr_enum (ghlo_bytecode_module (cursor), enumeration, (gint64) value);

  return TRUE;
}

enum { MAX_FIELDS = 4 };

static gboolean
read_struct (GhloByteCursor    *cursor,
             const AttrRow     *row,
             const GhloIrAttr **attr)
{
  const GhloIrAttr *fields[MAX_FIELDS] = { NULL };
  GhloByteCursor start = *cursor;

  if (!ghlo_vhlo_read_fields (cursor, row->fields, fields))
    return FALSE;
  *attr = ghlo_ir_attr_struct (ghlo_bytecode_module (cursor), row->subkind, fields);

  return ghlo_bytecode_check_struct (&start, *attr);
}

#define ENUM(ID, ...) { GHLO_IR_ATTR_ENUM, GHLO_IR_ENUM_##ID, __VA_ARGS__ }
#define STRUCT(ID, ...) { GHLO_IR_ATTR_STRUCT, GHLO_IR_STRUCT_##ID, __VA_ARGS__ }
#define OTHER(KIND, major, minor, ...) { GHLO_IR_ATTR_##KIND, 0, major, minor, NULL, __VA_ARGS__ }

/* Indexed by code. */
static const AttrRow rows[] = {
  [1] = OTHER (ARRAY, 0, 9, ghlo_bytecode_read_array, write_array),
  [CODE_BOOL] = OTHER (BOOL, 0, 9, read_bool, write_bool),
  [3] = ENUM (COMPARISON_DIRECTION, 0, 9),
  [4] = ENUM (COMPARISON_TYPE, 0, 9),
  [5] = ENUM (CUSTOM_CALL_API_VERSION, 0, 9),
  [6] = OTHER (DICTIONARY, 0, 9, ghlo_bytecode_read_dictionary, write_dictionary),
  [7] = ENUM (FFT_TYPE, 0, 9),
  [8] = OTHER (FLOAT, 0, 9, read_float, write_float),
  [9] = OTHER (INTEGER, 0, 9, read_integer, write_integer),
  [10] = STRUCT (OUTPUT_OPERAND_ALIAS, 0, 9, "DID"),
  [11] = ENUM (PRECISION, 0, 9),
  [12] = ENUM (RNG_ALGORITHM, 0, 9),
  [13] = ENUM (RNG_DISTRIBUTION, 0, 9),
  [CODE_STRING] = OTHER (STRING, 0, 9, ghlo_bytecode_read_string_attr, write_string),
  [CODE_TENSOR] = OTHER (DENSE, 0, 9, ghlo_vhlo_read_tensor, ghlo_vhlo_write_tensor),
  [16] = ENUM (TRANSPOSE, 0, 9),
  [17] = OTHER (TYPE, 0, 9, ghlo_bytecode_read_type_attr, write_type_attr),
  [18] = STRUCT (TYPE_EXTENSIONS, 0, 9, "B"),
  [19] = ENUM (RESULT_ACCURACY_MODE, 1, 9),
  [20] = STRUCT (RESULT_ACCURACY, 1, 9, "RRUW"),
  [21] = STRUCT (SUB_AXIS_INFO, 1, 16, "II"),
  [22] = STRUCT (AXIS_REF, 1, 16, "NS"),
  [23] = STRUCT (REPLICA_GROUP_MESH_AXES, 1, 16, "MA"),
  [24] = STRUCT (MESH_AXIS, 1, 16, "NI"),
  [25] = STRUCT (MESH, 1, 16, "AV"),
};

/* Returns NULL for an attribute that VHLO does not have. An attribute that is converted before it is written (a
 * symbol, an array of integers) has the row of the other attribute. */
static const AttrRow *
row_of (const GhloIrAttr *attr)
{
  gboolean has_subkind = attr->kind == GHLO_IR_ATTR_ENUM || attr->kind == GHLO_IR_ATTR_STRUCT;

  if (attr->kind == GHLO_IR_ATTR_SYMBOL)
    return attr->length == 0 ? &rows[CODE_STRING] : NULL;
  if (attr->kind == GHLO_IR_ATTR_INTEGER && attr->type->element_type == GHLO_ELEMENT_TYPE_I1)
    return &rows[CODE_BOOL];
  if (attr->kind == GHLO_IR_ATTR_DENSE_ARRAY)
    return attr->type->element_type == GHLO_ELEMENT_TYPE_I64 || attr->type->element_type == GHLO_ELEMENT_TYPE_I1
           ? &rows[CODE_TENSOR] : NULL;
  for (guint i = 1; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].kind == attr->kind && (!has_subkind || rows[i].subkind == attr->subkind))
      return &rows[i];

  return NULL;
}

static gboolean
read_attr (GhloByteCursor    *cursor,
           const GhloIrAttr **attr)
{
  GhloByteCursor start = *cursor;
  const AttrRow *row;
  guint64 code;

  if (!ghlo_bytecode_read_varint (cursor, &code))
    return FALSE;
  if (code < 1 || code >= G_N_ELEMENTS (rows))
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected an attribute of VHLO, 1 to %u, found %"
                               G_GUINT64_FORMAT, (guint) G_N_ELEMENTS (rows) - 1, code);
  row = &rows[code];
  if (row->kind == GHLO_IR_ATTR_ENUM)
    return read_enum (cursor, row->subkind, attr);

  return row->kind == GHLO_IR_ATTR_STRUCT ? read_struct (cursor, row, attr) : row->read (cursor, attr);
}

static gboolean
write_attr (GhloBytecodeWriter *writer,
            const GhloIrAttr   *attr)
{
  const AttrRow *row = row_of (attr);
  g_autoptr (GString) text = NULL;

  if (row == NULL)
    {
      text = g_string_new (NULL);
      ghlo_ir_attr_append (attr, text);
      return ghlo_bytecode_refuse (writer, GHLO_ERROR_UNSUPPORTED, "expected an attribute that VHLO has, found %s",
                                   text->str);
    }
  ghlo_bytecode_write_varint (writer, row - rows);
  if (row->kind == GHLO_IR_ATTR_ENUM)
    ghlo_bytecode_write_varint (writer, (guint64) attr->integer);
  else if (row->kind == GHLO_IR_ATTR_STRUCT)
    ghlo_vhlo_write_fields (writer, row->fields, attr->children);
  else
    return row->write (writer, attr);

  return TRUE;
}

/* The first version that allows other dialects' attributes among VHLO's. */
static const GhloIrVersion mixed_since = { 1, 11, 0 };

/* Whether no version of VHLO has the attribute and no other dialect's encoding may replace it. */
static gboolean
is_impossible (const GhloIrAttr *attr)
{
  if (attr->kind == GHLO_IR_ATTR_FLOAT)
    return !ghlo_element_type_is_float (attr->type->element_type);
  if (attr->kind == GHLO_IR_ATTR_INTEGER)
    return row_of (attr) != &rows[CODE_BOOL] && !ghlo_element_type_is_integer (attr->type->element_type);

  return attr->kind == GHLO_IR_ATTR_STRUCT && row_of (attr) == NULL
         && strcmp (ghlo_ir_struct_specs[attr->subkind].dialect, "stablehlo") == 0;
}

/* Returns FALSE and sets @need to the version that the attribute itself needs. */
static gboolean
lacks (const GhloIrAttr *attr,
       GhloIrVersion     since,
       GhloVhloNeed     *need)
{
  if (need != NULL)
    {
      g_autoptr (GString) text = g_string_new ("the attribute ");

      ghlo_ir_attr_append (attr, text);
      need->version = since;
      need->reason = g_string_free (g_steal_pointer (&text), FALSE);
    }

  return FALSE;
}

static gboolean within (const GhloIrAttr *attr, GhloIrVersion target, GHashTable *seen, GhloVhloNeed *need);

/* @seen contains arrays and dictionaries that are known to be within
 * @target; one that is nested in many others may be reached very often. */
static gboolean
children_within (const GhloIrAttr *attr,
                 GhloIrVersion     target,
                 GHashTable       *seen,
                 GhloVhloNeed     *need)
{
  if (g_hash_table_contains (seen, attr))
    return TRUE;

  for (gsize i = 0; attr->kind == GHLO_IR_ATTR_DICTIONARY && i < attr->length; i++)
    if (!within (attr->entries[i].value, target, seen, need))
      return FALSE;
  for (gsize i = 0; attr->kind == GHLO_IR_ATTR_ARRAY && i < attr->length; i++)
    if (!within (attr->children[i], target, seen, need))
      return FALSE;
  g_hash_table_add (seen, (gpointer) attr);

  return TRUE;
}

static gboolean
is_container (const GhloIrAttr *attr)
{
  return attr->kind == GHLO_IR_ATTR_DICTIONARY || attr->kind == GHLO_IR_ATTR_ARRAY;
}

static gboolean
within (const GhloIrAttr *attr,
        GhloIrVersion     target,
        GHashTable       *seen,
        GhloVhloNeed     *need)
{
  const AttrRow *row = row_of (attr);
  GhloIrVersion since = row != NULL ? (GhloIrVersion) { row->major, row->minor, 0 } : mixed_since;

  if (is_impossible (attr))
    return lacks (attr, (GhloIrVersion) { 0, 0, 0 }, need);
  if (ghlo_ir_version_compare (since, target) > 0)
    return lacks (attr, since, need);
  if (row != NULL && attr->type != NULL && attr->kind != GHLO_IR_ATTR_DENSE_ARRAY
      && !ghlo_vhlo_type_within (attr->type, target, need))
    return FALSE;

  return !is_container (attr) || children_within (attr, target, seen, need);
}

gboolean
ghlo_vhlo_attr_within (const GhloIrAttr *attr,
                       GhloIrVersion     target,
                       GhloVhloNeed     *need)
{
  g_autoptr (GHashTable) seen = is_container (attr) ? g_hash_table_new (NULL, NULL) : NULL;

  return within (attr, target, seen, need);
}

/* Attributes inside an array or a dictionary may belong to another dialect. */
static gboolean
has_attr (const GhloIrAttr *attr)
{
  return row_of (attr) != NULL && !is_impossible (attr)
         && (attr->kind == GHLO_IR_ATTR_DENSE_ARRAY || attr->type == NULL || ghlo_vhlo_has_type (attr->type));
}

const GhloBytecodeCodec ghlo_bytecode_vhlo = {
  .name = "vhlo",
  .read_attr = read_attr,
  .read_type = ghlo_vhlo_read_type,
  .has_attr = has_attr,
  .has_type = ghlo_vhlo_has_type,
  .write_attr = write_attr,
  .write_type = ghlo_vhlo_write_type,
};
