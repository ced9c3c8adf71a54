/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fields of VHLO's structures, with one letter for each kind. VHLO writes values that the IR's structures omit
 * (zeros of optional fields, empty lists); reading gives NULL for these.
 */

#include "import/vhlo/versions.h"

static gboolean
read_dims_field (GhloByteCursor    *cursor,
                 const GhloIrAttr **field)
{
  g_autofree gint64 *values = NULL;
  gsize n;

  if (!ghlo_vhlo_read_ints (cursor, &values, &n))
    return FALSE;
  *field = n > 0 ? ghlo_ir_attr_i64s (ghlo_bytecode_module (cursor), values, n) : NULL;

  return TRUE;
}

static void
write_dims_field (GhloBytecodeWriter *writer,
                  const GhloIrAttr   *field)
{
  ghlo_vhlo_write_ints (writer, field != NULL ? field->integers : NULL, field != NULL ? field->length : 0);
}

/* Like dims, but a dimension without a bound is the least integer. */
static gboolean
read_bounds_field (GhloByteCursor    *cursor,
                   const GhloIrAttr **field)
{
  g_autofree gint64 *values = NULL;
  gsize n;

  if (!ghlo_vhlo_read_ints (cursor, &values, &n))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    values[i] = values[i] == G_MININT64 ? GHLO_DYNAMIC : values[i];
  *field = n > 0 ? ghlo_ir_attr_i64s (ghlo_bytecode_module (cursor), values, n) : NULL;

  return TRUE;
}

static void
write_bounds_field (GhloBytecodeWriter *writer,
                    const GhloIrAttr   *field)
{
  gsize n = field != NULL ? field->length : 0;

  ghlo_bytecode_write_varint (writer, n);
  for (gsize i = 0; i < n; i++)
    ghlo_bytecode_write_signed (writer, field->integers[i] < 0 ? G_MININT64 : field->integers[i]);
}

static gboolean
read_int_field (GhloByteCursor    *cursor,
                const GhloIrAttr **field)
{
  gint64 value;

  if (!ghlo_bytecode_read_signed (cursor, &value))
    return FALSE;
  *field = ghlo_ir_attr_i64 (ghlo_bytecode_module (cursor), value);

  return TRUE;
}

static void
write_int_field (GhloBytecodeWriter *writer,
                 const GhloIrAttr   *field)
{
  ghlo_bytecode_write_signed (writer, field != NULL ? field->integer : 0);
}

static gboolean
read_optional_int_field (GhloByteCursor    *cursor,
                         const GhloIrAttr **field)
{
  if (!read_int_field (cursor, field))
    return FALSE;
  if ((*field)->integer == 0)
    *field = NULL;

  return TRUE;
}

static gboolean
read_real_field (GhloByteCursor    *cursor,
                 const GhloIrAttr **field)
{
  GhloIrModule *module = ghlo_bytecode_module (cursor);
  double value;

  if (!ghlo_vhlo_read_double (cursor, &value))
    return FALSE;
  *field = value != 0
           ? ghlo_ir_attr_float (module, ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_F64), value) : NULL;

  return TRUE;
}

static void
write_real_field (GhloBytecodeWriter *writer,
                  const GhloIrAttr   *field)
{
  ghlo_vhlo_write_double (writer, field != NULL ? field->real : 0);
}

static gboolean
read_name_field (GhloByteCursor    *cursor,
                 const GhloIrAttr **field)
{
  return ghlo_bytecode_read_attr_of (cursor, GHLO_IR_ATTR_STRING, field);
}

static gboolean
read_array_field (GhloByteCursor    *cursor,
                  const GhloIrAttr **field)
{
  return ghlo_bytecode_read_attr_of (cursor, GHLO_IR_ATTR_ARRAY, field);
}

static void
write_attr_field (GhloBytecodeWriter *writer,
                  const GhloIrAttr   *field)
{
  ghlo_bytecode_write_attr (writer, GHLO_BYTECODE_VHLO, field);
}

static gboolean
read_mode_field (GhloByteCursor    *cursor,
                 const GhloIrAttr **field)
{
  GhloByteCursor start = *cursor;

  if (!ghlo_bytecode_read_attr_of (cursor, GHLO_IR_ATTR_ENUM, field))
    return FALSE;
  if ((*field)->subkind != GHLO_IR_ENUM_RESULT_ACCURACY_MODE)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected an accuracy mode, found a value of %s",
                               ghlo_ir_enum_specs[(*field)->subkind].mnemonic);

  return TRUE;
}

static gboolean
check_struct_field (GhloByteCursor   *start,
                    const GhloIrAttr *field,
                    GhloIrStruct      structure)
{
  g_autofree char *found = NULL;

  if (field->kind == GHLO_IR_ATTR_STRUCT && field->subkind == structure)
    return TRUE;
  found = ghlo_ir_attr_to_string (field);

  return ghlo_bytecode_fail (start, GHLO_ERROR_PARSE, "expected an attribute of the kind %s, found %s",
                             ghlo_ir_struct_specs[structure].mnemonic, found);
}

/* A number that tells whether there is one, then the attribute. */
static gboolean
read_sub_axis_field (GhloByteCursor    *cursor,
                     const GhloIrAttr **field)
{
  GhloByteCursor start;
  guint64 present;

  *field = NULL;
  if (!ghlo_bytecode_read_varint (cursor, &present))
    return FALSE;
  start = *cursor;

  return present == 0
         || (ghlo_bytecode_read_attr (cursor, field)
             && check_struct_field (&start, *field, GHLO_IR_STRUCT_SUB_AXIS_INFO));
}

static void
write_sub_axis_field (GhloBytecodeWriter *writer,
                      const GhloIrAttr   *field)
{
  ghlo_bytecode_write_varint (writer, field != NULL);
  if (field != NULL)
    ghlo_bytecode_write_attr (writer, GHLO_BYTECODE_VHLO, field);
}

/* A mesh, or its name as a string. */
static gboolean
read_mesh_field (GhloByteCursor    *cursor,
                 const GhloIrAttr **field)
{
  GhloByteCursor start = *cursor;

  if (!ghlo_bytecode_read_attr (cursor, field))
    return FALSE;
  if ((*field)->kind != GHLO_IR_ATTR_STRING)
    return check_struct_field (&start, *field, GHLO_IR_STRUCT_MESH);
  *field = ghlo_ir_attr_symbol (ghlo_bytecode_module (cursor), (*field)->text, NULL, 0);

  return TRUE;
}

static gboolean
read_devices_field (GhloByteCursor    *cursor,
                    const GhloIrAttr **field)
{
  GhloByteCursor start = *cursor;

  if (!ghlo_bytecode_read_optional_attr (cursor, field))
    return FALSE;
  if (*field != NULL && (*field)->kind != GHLO_IR_ATTR_DENSE)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected a tensor of devices, found %s",
                               ghlo_bytecode_kind_name ((*field)->kind));

  return TRUE;
}

static void
write_devices_field (GhloBytecodeWriter *writer,
                     const GhloIrAttr   *field)
{
  ghlo_bytecode_write_optional_attr (writer, GHLO_BYTECODE_VHLO, field);
}

static const struct
{
  gboolean (*read)  (GhloByteCursor *cursor, const GhloIrAttr **field);
  void     (*write) (GhloBytecodeWriter *writer, const GhloIrAttr *field);
} field_codings[128] = {
  ['A'] = { read_array_field, write_attr_field },
  ['B'] = { read_bounds_field, write_bounds_field },
  ['D'] = { read_dims_field, write_dims_field },
  ['I'] = { read_int_field, write_int_field },
  ['M'] = { read_mesh_field, write_attr_field },
  ['N'] = { read_name_field, write_attr_field },
  ['R'] = { read_real_field, write_real_field },
  ['V'] = { read_devices_field, write_devices_field },
  ['S'] = { read_sub_axis_field, write_sub_axis_field },
  ['U'] = { read_optional_int_field, write_int_field },
  ['W'] = { read_mode_field, write_attr_field },
};

gboolean
ghlo_vhlo_read_fields (GhloByteCursor    *cursor,
                       const char        *letters,
                       const GhloIrAttr **fields)
{
  for (guint i = 0; letters[i] != '\0'; i++)
    if (!field_codings[(guchar) letters[i]].read (cursor, &fields[i]))
      return FALSE;

  return TRUE;
}

void
ghlo_vhlo_write_fields (GhloBytecodeWriter      *writer,
                        const char              *letters,
                        const GhloIrAttr *const *fields)
{
  for (guint i = 0; letters[i] != '\0'; i++)
    field_codings[(guchar) letters[i]].write (writer, fields[i]);
}
