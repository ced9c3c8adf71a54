/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Enumerations and structures in the encoding of their own dialect (StableHLO:
 * StablehloBytecode.cpp). The encoding of a field follows from its kind; a table
 * lists the few fields that contain other attributes, and which these may be.
 */

#include "import/bytecode/rows.h"

#include <string.h>

#include "import/vhlo/versions.h"

enum { MAX_FIELDS = 16 };

/* The encoding of a field that contains an attribute. */
typedef enum
{
  PLAIN,       /* the attribute */
  FLAGGED,     /* a byte that tells whether there is one, then the attribute */
  LIST,        /* the attributes of an array, of any kinds, after their number */
} Encoding;

typedef struct
{
  guint          structure, field;
  Encoding       encoding;
  GhloIrAttrKind kind;          /* kind of the attribute */
  guint          subkind;       /* ENUM, STRUCT */
} AttrField;

static const AttrField attr_fields[] = {
  { GHLO_IR_STRUCT_RESULT_ACCURACY, 3, PLAIN, GHLO_IR_ATTR_ENUM, GHLO_IR_ENUM_RESULT_ACCURACY_MODE },
  { GHLO_IR_STRUCT_AXIS_REF, 1, FLAGGED, GHLO_IR_ATTR_STRUCT, GHLO_IR_STRUCT_SUB_AXIS_INFO },
  { GHLO_IR_STRUCT_MESH, 0, PLAIN, GHLO_IR_ATTR_ARRAY, 0 },
  { GHLO_IR_STRUCT_MESH, 1, FLAGGED, GHLO_IR_ATTR_DENSE, 0 },
  { GHLO_IR_STRUCT_REPLICA_GROUP_MESH_AXES, 1, LIST, GHLO_IR_ATTR_ARRAY, 0 },
};

static const AttrField *
find_attr_field (guint structure,
                 guint field)
{
  for (guint i = 0; i < G_N_ELEMENTS (attr_fields); i++)
    if (attr_fields[i].structure == structure && attr_fields[i].field == field)
      return &attr_fields[i];

  return NULL;
}

static gboolean
read_expected (GhloByteCursor    *cursor,
               const AttrField   *expected,
               const GhloIrAttr **value)
{
  GhloByteCursor start = *cursor;
  g_autofree char *found = NULL;

  if (!ghlo_bytecode_read_attr (cursor, value))
    return FALSE;
  if (expected == NULL
      || ((*value)->kind == expected->kind
          && ((expected->kind != GHLO_IR_ATTR_ENUM && expected->kind != GHLO_IR_ATTR_STRUCT)
              || (*value)->subkind == expected->subkind)))
    return TRUE;

  found = ghlo_ir_attr_to_string (*value);

  return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected %s as the field '%s' of #%s.%s, found %s",
                             expected->kind == GHLO_IR_ATTR_ENUM ? ghlo_ir_enum_specs[expected->subkind].mnemonic
                             : expected->kind == GHLO_IR_ATTR_STRUCT ? ghlo_ir_struct_specs[expected->subkind].mnemonic
                             : ghlo_bytecode_kind_name (expected->kind),
                             ghlo_ir_struct_specs[expected->structure].fields[expected->field].name,
                             ghlo_ir_struct_specs[expected->structure].dialect,
                             ghlo_ir_struct_specs[expected->structure].mnemonic, found);
}

static gboolean
read_list (GhloByteCursor    *cursor,
           const GhloIrAttr **value)
{
  g_autofree const GhloIrAttr **children = NULL;
  gsize n;

  if (!ghlo_bytecode_read_count (cursor, 1, &n))
    return FALSE;
  children = g_new (const GhloIrAttr *, MAX (n, 1));
  for (gsize i = 0; i < n; i++)
    if (!ghlo_bytecode_read_attr (cursor, &children[i]))
      return FALSE;
  *value = ghlo_ir_attr_array (ghlo_bytecode_module (cursor), children, n);

  return TRUE;
}

static gboolean
read_attr_field (GhloByteCursor    *cursor,
                 guint              structure,
                 guint              field,
                 const GhloIrAttr **value)
{
  const AttrField *expected = find_attr_field (structure, field);
  guint8 present = 1;

  if (expected != NULL && expected->encoding == LIST)
    return read_list (cursor, value);
  if (expected != NULL && expected->encoding == FLAGGED && !ghlo_bytecode_read_byte (cursor, &present))
    return FALSE;

  return present == 0 || read_expected (cursor, expected, value);
}

/* In bounds, a dimension without a bound is the least integer. */
static gboolean
read_dims (GhloByteCursor    *cursor,
           gboolean           bounds,
           const GhloIrAttr **value)
{
  g_autofree gint64 *values = NULL;
  gsize n;

  if (!ghlo_vhlo_read_ints (cursor, &values, &n))
    return FALSE;
  for (gsize i = 0; bounds && i < n; i++)
    values[i] = values[i] == G_MININT64 ? -1 : values[i];
  if (n > 0)
    *value = ghlo_ir_attr_i64s (ghlo_bytecode_module (cursor), values, n);

  return TRUE;
}

/* Values that the module's structures omit (zeros of optional fields and empty lists) give NULL. */
static gboolean
read_field (GhloByteCursor    *cursor,
            guint              structure,
            guint              index,
            const GhloIrAttr **value)
{
  const GhloIrField *field = &ghlo_ir_struct_specs[structure].fields[index];
  GhloIrModule *module = ghlo_bytecode_module (cursor);
  const GhloIrType *type;
  const char *text;
  gint64 integer;
  guint8 byte;
  double real;
  gsize length;

  switch (field->kind)
    {
    case GHLO_IR_FIELD_DIMS:
      return read_dims (cursor, structure == GHLO_IR_STRUCT_TYPE_EXTENSIONS, value);
    case GHLO_IR_FIELD_INT:
      if (!ghlo_bytecode_read_signed (cursor, &integer))
        return FALSE;
      *value = integer == 0 && field->optional ? NULL : ghlo_ir_attr_i64 (module, integer);
      return TRUE;
    case GHLO_IR_FIELD_BOOL:
      if (!ghlo_bytecode_read_byte (cursor, &byte))
        return FALSE;
      *value = ghlo_ir_attr_bool (module, byte != 0);
      return TRUE;
    case GHLO_IR_FIELD_TYPE:
      if (!ghlo_bytecode_read_type (cursor, &type))
        return FALSE;
      *value = ghlo_ir_attr_type (module, type);
      return TRUE;
    case GHLO_IR_FIELD_STRING:
      if (!ghlo_bytecode_read_string (cursor, &text, &length))
        return FALSE;
      *value = ghlo_ir_attr_string (module, text, (gssize) length);
      return TRUE;
    case GHLO_IR_FIELD_REAL:
      if (!ghlo_vhlo_read_double (cursor, &real))
        return FALSE;
      if (real != 0 || !field->optional)
        *value = ghlo_ir_attr_float (module, ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_F64), real);
      return TRUE;
    default:
      return read_attr_field (cursor, structure, index, value);
    }
}

static gboolean
read_enum (GhloByteCursor    *cursor,
           guint              enumeration,
           const GhloIrAttr **attr)
{
  const GhloIrEnumSpec *spec = &ghlo_ir_enum_specs[enumeration];
  guint n = g_strv_length ((char **) spec->words);
  GhloByteCursor start = *cursor;
  guint64 value;

  if (!ghlo_bytecode_read_varint (cursor, &value))
    return FALSE;
  if (value >= n || spec->words[value][0] == '\0')
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected a value of #%s.%s, at most %u, found %"
                               G_GUINT64_FORMAT, spec->dialect, spec->mnemonic, n - 1, value);
  *attr = ghlo_ir_attr_enum (ghlo_bytecode_module (cursor), enumeration, (gint64) value);

  return TRUE;
}

gboolean
ghlo_bytecode_read_row (GhloByteCursor         *cursor,
                        const GhloBytecodeRows *rows,
                        const GhloIrAttr      **attr)
{
  const GhloIrAttr *fields[MAX_FIELDS] = { NULL };
  GhloByteCursor start = *cursor;
  guint64 code;
  guint structure;

  if (!ghlo_bytecode_read_varint (cursor, &code))
    return FALSE;
  if (code >= G_N_ELEMENTS (rows->rows) || rows->rows[code].kind == GHLO_IR_ATTR_UNIT)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_UNSUPPORTED, "expected the code of an attribute of %s, found %"
                               G_GUINT64_FORMAT, rows->name, code);
  if (rows->rows[code].kind == GHLO_IR_ATTR_ENUM)
    return read_enum (cursor, rows->rows[code].subkind, attr);

  structure = rows->rows[code].subkind;
  g_assert (ghlo_ir_struct_specs[structure].n_fields <= MAX_FIELDS);
  for (guint i = 0; i < ghlo_ir_struct_specs[structure].n_fields; i++)
    if (!read_field (cursor, structure, i, &fields[i]))
      return FALSE;
  *attr = ghlo_ir_attr_struct (ghlo_bytecode_module (cursor), structure, fields);

  return ghlo_bytecode_check_struct (&start, *attr);
}

/* Returns the code of the attribute, or -1. */
static int
find_code (const GhloBytecodeRows *rows,
           const GhloIrAttr       *attr)
{
  if (attr->kind == GHLO_IR_ATTR_ENUM || attr->kind == GHLO_IR_ATTR_STRUCT)
    for (guint i = 0; i < G_N_ELEMENTS (rows->rows); i++)
      if (rows->rows[i].kind == attr->kind && rows->rows[i].subkind == attr->subkind)
        return i;

  return -1;
}

gboolean
ghlo_bytecode_has_row (const GhloBytecodeRows *rows,
                       const GhloIrAttr       *attr)
{
  return find_code (rows, attr) >= 0;
}

static void
write_dims (GhloBytecodeWriter *writer,
            gboolean            bounds,
            const GhloIrAttr   *value)
{
  gsize n = value != NULL ? value->length : 0;

  ghlo_bytecode_write_varint (writer, n);
  for (gsize i = 0; i < n; i++)
    ghlo_bytecode_write_signed (writer, bounds && value->integers[i] < 0 ? G_MININT64 : value->integers[i]);
}

static void
write_attr_field (GhloBytecodeWriter     *writer,
                  const GhloBytecodeRows *rows,
                  guint                   structure,
                  guint                   field,
                  const GhloIrAttr       *value)
{
  const AttrField *expected = find_attr_field (structure, field);

  if (expected != NULL && expected->encoding == LIST)
    {
      ghlo_bytecode_write_varint (writer, value->length);
      for (gsize i = 0; i < value->length; i++)
        ghlo_bytecode_write_attr (writer, rows->dialect, value->children[i]);
      return;
    }
  if (expected != NULL && expected->encoding == FLAGGED)
    ghlo_bytecode_write_byte (writer, value != NULL);
  if (value != NULL)
    ghlo_bytecode_write_attr (writer, rows->dialect, value);
}

static void
write_field (GhloBytecodeWriter     *writer,
             const GhloBytecodeRows *rows,
             guint                   structure,
             guint                   index,
             const GhloIrAttr       *value)
{
  switch (ghlo_ir_struct_specs[structure].fields[index].kind)
    {
    case GHLO_IR_FIELD_DIMS:
      write_dims (writer, structure == GHLO_IR_STRUCT_TYPE_EXTENSIONS, value);
      break;
    case GHLO_IR_FIELD_INT:
      ghlo_bytecode_write_signed (writer, value != NULL ? value->integer : 0);
      break;
    case GHLO_IR_FIELD_BOOL:
      ghlo_bytecode_write_byte (writer, value->integer != 0);
      break;
    case GHLO_IR_FIELD_TYPE:
      ghlo_bytecode_write_type (writer, rows->dialect, value->type);
      break;
    case GHLO_IR_FIELD_STRING:
      ghlo_bytecode_write_string (writer, value->text, (gssize) value->length);
      break;
    case GHLO_IR_FIELD_REAL:
      ghlo_vhlo_write_double (writer, value != NULL ? value->real : 0);
      break;
    default:
      write_attr_field (writer, rows, structure, index, value);
    }
}

gboolean
ghlo_bytecode_write_row (GhloBytecodeWriter     *writer,
                         const GhloBytecodeRows *rows,
                         const GhloIrAttr       *attr)
{
  int code = find_code (rows, attr);

  g_return_val_if_fail (code >= 0, FALSE);
  ghlo_bytecode_write_varint (writer, code);
  if (attr->kind == GHLO_IR_ATTR_ENUM)
    ghlo_bytecode_write_varint (writer, attr->integer);
  else
    for (guint i = 0; i < ghlo_ir_struct_specs[attr->subkind].n_fields; i++)
      write_field (writer, rows, attr->subkind, i, attr->children[i]);

  return TRUE;
}
