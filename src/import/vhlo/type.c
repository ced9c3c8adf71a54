/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The encoding of VHLO's types, with one row for each code, used in both directions. Like the IR, VHLO distinguishes
 * booleans and signed integers from unsigned ones (StableHLO: VhloTypes.td).
 */

#include "import/vhlo/versions.h"

#include <string.h>

typedef struct
{
  GhloIrTypeKind   kind;
  GhloElementType  element_type;   /* ELEMENT: the type that the code denotes */
  const char      *text;           /* ELEMENT, OPAQUE: the spelling that the code denotes */
  guint8           major, minor;   /* the version that introduced it; 0.0 marks an unused code */
  gboolean (*read)  (GhloByteCursor *cursor, const GhloIrType **type);
  gboolean (*write) (GhloBytecodeWriter *writer, const GhloIrType *type);
} TypeRow;

static gboolean
read_complex (GhloByteCursor    *cursor,
              const GhloIrType **type)
{
  GhloIrModule *module = ghlo_bytecode_module (cursor);
  GhloByteCursor start = *cursor;
  const GhloIrType *part;
  g_autofree char *name = NULL;

  if (!ghlo_bytecode_read_type (cursor, &part))
    return FALSE;
  name = ghlo_ir_type_to_string (part);
  if (part->kind != GHLO_IR_TYPE_ELEMENT || part->element_type == GHLO_ELEMENT_TYPE_INDEX
      || ghlo_element_type_is_complex (part->element_type) || (part->text != NULL && strchr (part->text, '<') != NULL))
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE,
                               "expected a float or integer type inside 'complex', found %s", name);

  if (part->element_type == GHLO_ELEMENT_TYPE_F32)
    *type = ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_COMPLEX_F32);
  else if (part->element_type == GHLO_ELEMENT_TYPE_F64)
    *type = ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_COMPLEX_F64);
  else
    {
      g_autofree char *spelling = g_strdup_printf ("complex<%s>", name);

      *type = ghlo_ir_type_named (module, spelling);
    }

  return TRUE;
}

static const char complex_start[] = "complex<";

/* Returns the spelling of the parts of a complex type, stored in @buffer. */
static const char *
part_name (const GhloIrType *type,
           char              buffer[32])
{
  const char *start = type->text != NULL ? type->text : ghlo_element_info (type->element_type)->name;

  if (start == NULL || !g_str_has_prefix (start, complex_start) || strlen (start) >= 32)
    return NULL;
  start += strlen (complex_start);
  g_strlcpy (buffer, start, 32);
  buffer[strlen (buffer) - 1] = '\0';

  return buffer;
}

static gboolean
write_complex (GhloBytecodeWriter *writer,
               const GhloIrType   *type)
{
  GhloIrModule *module = ghlo_bytecode_writer_module (writer);
  char buffer[32];
  const char *name = part_name (type, buffer);
  GhloElementType part = ghlo_element_type_from_string (name);

  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_VHLO,
                            part != GHLO_ELEMENT_TYPE_INVALID ? ghlo_ir_type_element (module, part)
                                                              : ghlo_ir_type_named (module, name));

  return TRUE;
}

static void
write_types (GhloBytecodeWriter      *writer,
             const GhloIrType *const *types,
             gsize                    n)
{
  ghlo_bytecode_write_varint (writer, n);
  for (gsize i = 0; i < n; i++)
    ghlo_bytecode_write_type (writer, GHLO_BYTECODE_VHLO, types[i]);
}

static gboolean
read_future (GhloByteCursor    *cursor,
             const GhloIrType **type)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new ();
  GhloByteCursor start = *cursor;

  if (!ghlo_bytecode_read_types (cursor, members))
    return FALSE;
  for (guint i = 0; i < members->len; i++)
    {
      const GhloIrType *member = members->pdata[i];
      g_autofree char *name = NULL;

      if (member->kind == GHLO_IR_TYPE_TENSOR)
        continue;
      name = ghlo_ir_type_to_string (member);
      return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected ranked tensors inside a future, found %s", name);
    }
  *type = ghlo_ir_type_future (ghlo_bytecode_module (cursor), (const GhloIrType *const *) members->pdata, members->len);

  return TRUE;
}

static gboolean
write_members (GhloBytecodeWriter *writer,
               const GhloIrType   *type)
{
  write_types (writer, type->members, type->rank);

  return TRUE;
}

static gboolean
read_function (GhloByteCursor    *cursor,
               const GhloIrType **type)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new ();
  const GhloIrType *const *inputs;
  guint n_inputs;

  if (!ghlo_bytecode_read_types (cursor, members))
    return FALSE;
  n_inputs = members->len;
  if (!ghlo_bytecode_read_types (cursor, members))
    return FALSE;
  inputs = (const GhloIrType *const *) members->pdata;
  *type = ghlo_ir_type_function (ghlo_bytecode_module (cursor), inputs, n_inputs,
                                 inputs != NULL ? inputs + n_inputs : NULL, members->len - n_inputs);

  return TRUE;
}

static gboolean
write_function (GhloBytecodeWriter *writer,
                const GhloIrType   *type)
{
  write_types (writer, type->members, type->rank);
  write_types (writer, type->members + type->rank, type->n_results);

  return TRUE;
}

#define ELEMENT(ID, ...) { GHLO_IR_TYPE_ELEMENT, GHLO_ELEMENT_TYPE_##ID, NULL, __VA_ARGS__ }
#define NAMED(KIND, text, ...) { GHLO_IR_TYPE_##KIND, GHLO_ELEMENT_TYPE_INVALID, text, __VA_ARGS__ }
#define OTHER(KIND, ...) { GHLO_IR_TYPE_##KIND, GHLO_ELEMENT_TYPE_INVALID, NULL, __VA_ARGS__ }

enum { CODE_COMPLEX = 1, CODE_TENSOR = 20, CODE_ENCODED_TENSOR = 21, CODE_QUANTIZED = 24, CODE_QUANTIZED_AXIS = 30 };

/* Indexed by code. */
static const TypeRow rows[] = {
  [0] = ELEMENT (I1, 0, 9),
  [CODE_COMPLEX] = NAMED (ELEMENT, complex_start, 0, 9, read_complex, write_complex),
  [2] = ELEMENT (BF16, 0, 9),
  [3] = ELEMENT (F16, 0, 9),
  [4] = ELEMENT (F32, 0, 9),
  [5] = ELEMENT (F64, 0, 9),
  [6] = ELEMENT (F8E4M3FN, 0, 9),
  [7] = ELEMENT (F8E5M2, 0, 9),
  [8] = OTHER (FUNCTION, 0, 9, read_function, write_function),
  [9] = ELEMENT (INDEX, 0, 9),
  [10] = ELEMENT (I4, 0, 9),
  [11] = ELEMENT (I8, 0, 9),
  [12] = ELEMENT (I16, 0, 9),
  [13] = ELEMENT (I32, 0, 9),
  [14] = ELEMENT (I64, 0, 9),
  [15] = ELEMENT (UI4, 0, 9),
  [16] = ELEMENT (UI8, 0, 9),
  [17] = ELEMENT (UI16, 0, 9),
  [18] = ELEMENT (UI32, 0, 9),
  [19] = ELEMENT (UI64, 0, 9),
  [CODE_TENSOR] = OTHER (TENSOR, 0, 9, ghlo_bytecode_read_plain_tensor, ghlo_vhlo_write_ranked),
  [CODE_ENCODED_TENSOR] = OTHER (TENSOR, 0, 9, ghlo_bytecode_read_encoded_tensor, ghlo_vhlo_write_encoded),
  [22] = OTHER (TOKEN, 0, 9),
  [23] = OTHER (TUPLE, 0, 9, ghlo_bytecode_read_tuple, write_members),
  [CODE_QUANTIZED] = OTHER (QUANTIZED, 0, 9, ghlo_vhlo_read_quantized, ghlo_vhlo_write_quantized),
  [25] = OTHER (UNRANKED, 0, 9, ghlo_bytecode_read_unranked_tensor, ghlo_vhlo_write_unranked),
  [26] = NAMED (OPAQUE, "shape.witness", 0, 9),
  [27] = ELEMENT (F8E4M3FNUZ, 0, 10),
  [28] = ELEMENT (F8E5M2FNUZ, 0, 10),
  [29] = ELEMENT (F8E4M3B11FNUZ, 0, 11),
  [CODE_QUANTIZED_AXIS] = OTHER (QUANTIZED, 0, 18, ghlo_vhlo_read_quantized_axis, ghlo_vhlo_write_quantized_axis),
  [31] = ELEMENT (I2, 1, 2),
  [32] = ELEMENT (UI2, 1, 2),
  [33] = OTHER (NONE, 1, 6),
  [34] = NAMED (ELEMENT, "tf32", 1, 6),
  [35] = ELEMENT (F8E4M3, 1, 7),
  [36] = ELEMENT (F8E3M4, 1, 7),
  [37] = ELEMENT (F4E2M1FN, 1, 8),
  [38] = ELEMENT (F6E2M3FN, 1, 8),
  [39] = ELEMENT (F6E3M2FN, 1, 8),
  [40] = ELEMENT (F8E8M0FNU, 1, 8),
  [41] = OTHER (MEMREF, 1, 13, ghlo_vhlo_read_buffer, ghlo_vhlo_write_ranked),
  [42] = OTHER (FUTURE, 1, 15, read_future, write_members),
};

static const TypeRow *
row_of_element (const GhloIrType *type)
{
  char buffer[32];

  if (part_name (type, buffer) != NULL)
    return ghlo_element_type_from_string (buffer) != GHLO_ELEMENT_TYPE_INVALID || g_str_equal (buffer, "tf32")
           ? &rows[CODE_COMPLEX] : NULL;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].kind == GHLO_IR_TYPE_ELEMENT && rows[i].element_type == type->element_type
        && g_strcmp0 (rows[i].text, type->text) == 0)
      return &rows[i];

  return NULL;
}

/* Returns NULL for a type that VHLO does not have. */
static const TypeRow *
row_of (const GhloIrType *type)
{
  switch (type->kind)
    {
    case GHLO_IR_TYPE_ELEMENT:
      return row_of_element (type);
    case GHLO_IR_TYPE_TENSOR:
      return &rows[type->bounds != NULL || type->encoding != NULL ? CODE_ENCODED_TENSOR : CODE_TENSOR];
    case GHLO_IR_TYPE_QUANTIZED:
      return &rows[type->quantization->axis >= 0 ? CODE_QUANTIZED_AXIS : CODE_QUANTIZED];
    default:
      for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
        if (rows[i].kind == type->kind && g_strcmp0 (rows[i].text, type->text) == 0)
          return &rows[i];
      return NULL;
    }
}

gboolean
ghlo_vhlo_read_type (GhloByteCursor    *cursor,
                     const GhloIrType **type)
{
  GhloIrModule *module = ghlo_bytecode_module (cursor);
  GhloByteCursor start = *cursor;
  const TypeRow *row;
  guint64 code;

  if (!ghlo_bytecode_read_varint (cursor, &code))
    return FALSE;
  row = code < G_N_ELEMENTS (rows) ? &rows[code] : NULL;
  if (row == NULL)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected a type of VHLO, 0 to %u, found %" G_GUINT64_FORMAT,
                               (guint) G_N_ELEMENTS (rows) - 1, code);
  if (row->read != NULL)
    return row->read (cursor, type);

  if (row->kind == GHLO_IR_TYPE_TOKEN)
    *type = ghlo_ir_type_token (module);
  else if (row->kind == GHLO_IR_TYPE_NONE)
    *type = ghlo_ir_type_none (module);
  else if (row->kind == GHLO_IR_TYPE_OPAQUE)
    *type = ghlo_ir_type_opaque (module, row->text);
  else if (row->text != NULL)
    *type = ghlo_ir_type_named (module, row->text);
  else
    *type = ghlo_ir_type_element (module, row->element_type);

  return TRUE;
}

gboolean
ghlo_vhlo_write_type (GhloBytecodeWriter *writer,
                      const GhloIrType   *type)
{
  const TypeRow *row = row_of (type);
  g_autofree char *name = NULL;

  if (row == NULL)
    {
      name = ghlo_ir_type_to_string (type);
      return ghlo_bytecode_refuse (writer, GHLO_ERROR_UNSUPPORTED, "expected a type that VHLO has, found %s", name);
    }
  ghlo_bytecode_write_varint (writer, row - rows);

  return row->write == NULL || row->write (writer, type);
}

/* Returns FALSE and sets @need to the version that the type itself needs. */
static gboolean
lacks (const GhloIrType *type,
       const TypeRow    *row,
       GhloVhloNeed     *need)
{
  if (need != NULL)
    {
      g_autofree char *name = ghlo_ir_type_to_string (type);

      need->version = row != NULL ? (GhloIrVersion) { row->major, row->minor, 0 } : (GhloIrVersion) { 0, 0, 0 };
      need->reason = g_strdup_printf ("the type %s", name);
    }

  return FALSE;
}

static gboolean
row_within (const GhloIrType *type,
            GhloIrVersion     target,
            GhloVhloNeed     *need)
{
  static const TypeRow other_dialect = { .kind = GHLO_IR_TYPE_OPAQUE, .major = 1, .minor = 11 };
  const TypeRow *row = row_of (type);

  if (row == NULL && type->kind == GHLO_IR_TYPE_OPAQUE)
    row = &other_dialect;
  if (row == NULL || ghlo_ir_version_compare ((GhloIrVersion) { row->major, row->minor, 0 }, target) > 0)
    return lacks (type, row, need);

  return TRUE;
}

/* Checks the element type of a tensor, an unranked tensor or a buffer. */
static gboolean
element_within (const GhloIrType *type,
                GhloIrVersion     target,
                GhloVhloNeed     *need)
{
  GhloIrType element = {
    .kind = type->quantization != NULL ? GHLO_IR_TYPE_QUANTIZED : GHLO_IR_TYPE_ELEMENT,
    .element_type = type->element_type,
    .quantization = type->quantization,
    .text = type->text,
  };

  return ghlo_vhlo_type_within (&element, target, need);
}

static gboolean
quantization_within (const GhloQuantization *quantization,
                     GhloIrVersion           target,
                     GhloVhloNeed           *need)
{
  GhloIrType storage = { .kind = GHLO_IR_TYPE_ELEMENT, .element_type = ghlo_vhlo_storage_type (quantization) };
  GhloIrType expressed = { .kind = GHLO_IR_TYPE_ELEMENT, .element_type = quantization->expressed };

  return row_within (&storage, target, need) && row_within (&expressed, target, need);
}

gboolean
ghlo_vhlo_type_within (const GhloIrType *type,
                       GhloIrVersion     target,
                       GhloVhloNeed     *need)
{
  gsize n_members = 0;
  char buffer[32];

  if (!row_within (type, target, need))
    return FALSE;
  if (type->kind == GHLO_IR_TYPE_TUPLE || type->kind == GHLO_IR_TYPE_FUTURE)
    n_members = type->rank;
  else if (type->kind == GHLO_IR_TYPE_FUNCTION)
    n_members = (gsize) type->rank + type->n_results;
  else if (type->kind == GHLO_IR_TYPE_QUANTIZED)
    return quantization_within (type->quantization, target, need);
  else if (type->kind == GHLO_IR_TYPE_ELEMENT && part_name (type, buffer) != NULL)
    {
      GhloIrType part = { .kind = GHLO_IR_TYPE_ELEMENT, .element_type = ghlo_element_type_from_string (buffer) };

      part.text = part.element_type == GHLO_ELEMENT_TYPE_INVALID ? buffer : NULL;
      return row_within (&part, target, need);
    }
  else if (type->kind == GHLO_IR_TYPE_MEMREF && type->encoding != NULL)
    return lacks (type, NULL, need);
  else if (type->kind == GHLO_IR_TYPE_TENSOR || type->kind == GHLO_IR_TYPE_UNRANKED
           || type->kind == GHLO_IR_TYPE_MEMREF)
    return (type->encoding == NULL || ghlo_vhlo_attr_within (type->encoding, target, need))
           && element_within (type, target, need);

  for (gsize i = 0; i < n_members; i++)
    if (!ghlo_vhlo_type_within (type->members[i], target, need))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_vhlo_has_type (const GhloIrType *type)
{
  return row_of (type) != NULL && ghlo_vhlo_type_within (type, GHLO_IR_VERSION_CURRENT, NULL);
}
