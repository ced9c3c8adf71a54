/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The encoding of VHLO's types: one row for each code, used in both directions.
 * VHLO tells booleans and signed integers from unsigned ones as we do; dynamic
 * dimensions are the least 64-bit integer there (StableHLO: VhloTypes.td).
 */

#include "import/vhlo-private.h"

#include <string.h>

typedef struct
{
  GhloIrTypeKind   kind;
  GhloElementType  element_type;   /* ELEMENT: the type that the code is */
  const char      *text;           /* ELEMENT, OPAQUE: the spelling that the code is */
  guint8           major, minor;   /* the version that brought it; 0.0 marks a code that is none */
  gboolean (*read)  (GhloByteCursor *cursor, const GhloIrType **type);
  gboolean (*write) (GhloBytecodeWriter *writer, const GhloIrType *type);
} TypeRow;

static char *
spell (const GhloIrType *type)
{
  return ghlo_ir_type_to_string (type);
}

static gint64
dimension_in (gint64 value)
{
  return value == G_MININT64 ? GHLO_DYNAMIC : value;
}

/* The number of elements fits 63 bits, and no dimension is negative but GHLO_DYNAMIC. */
static gboolean
check_dimensions (GhloByteCursor *cursor,
                  const gint64   *dimensions,
                  gsize           rank)
{
  gint64 count = 1;

  for (gsize i = 0; i < rank; i++)
    if (dimensions[i] == 0)
      count = 0;
  for (gsize i = 0; i < rank; i++)
    {
      if (dimensions[i] < GHLO_DYNAMIC)
        return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected a dimension that is not negative, found %"
                                   G_GINT64_FORMAT, dimensions[i]);
      if (dimensions[i] > 0 && __builtin_mul_overflow (count, dimensions[i], &count))
        return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected fewer than 2^63 elements, found more");
    }

  return TRUE;
}

/* A count and dimensions; @dimensions has room for GHLO_MAX_RANK. */
static gboolean
read_dimensions (GhloByteCursor *cursor,
                 gint64         *dimensions,
                 gsize          *rank)
{
  if (!ghlo_bytecode_read_count (cursor, 1, rank))
    return FALSE;
  if (*rank > GHLO_MAX_RANK)
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected at most %d dimensions, found %" G_GSIZE_FORMAT,
                               GHLO_MAX_RANK, *rank);
  for (gsize i = 0; i < *rank; i++)
    {
      if (!ghlo_bytecode_read_signed (cursor, &dimensions[i]))
        return FALSE;
      if (dimensions[i] == GHLO_DYNAMIC)
        return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected a dimension that is not negative, found -1");
      dimensions[i] = dimension_in (dimensions[i]);
    }

  return check_dimensions (cursor, dimensions, *rank);
}

static void
write_dimensions (GhloBytecodeWriter *writer,
                  const GhloIrType   *type)
{
  ghlo_bytecode_write_varint (writer, type->rank);
  for (guint i = 0; i < type->rank; i++)
    ghlo_bytecode_write_signed (writer, type->dimensions[i] < 0 ? G_MININT64 : type->dimensions[i]);
}

/* What a tensor or a buffer may be made of. */
static gboolean
read_element (GhloByteCursor    *cursor,
              const GhloIrType **element)
{
  g_autofree char *name = NULL;

  if (!ghlo_bytecode_read_type (cursor, element))
    return FALSE;
  if ((*element)->kind == GHLO_IR_TYPE_ELEMENT || (*element)->kind == GHLO_IR_TYPE_QUANTIZED)
    return TRUE;
  name = spell (*element);

  return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected an element type, found %s", name);
}

static void
write_element (GhloBytecodeWriter *writer,
               const GhloIrType   *type)
{
  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_VHLO,
                            ghlo_ir_type_get_element (ghlo_bytecode_writer_module (writer), type));
}

static gboolean
read_tensor (GhloByteCursor    *cursor,
             const GhloIrType **type)
{
  gint64 dimensions[GHLO_MAX_RANK];
  const GhloIrType *element;
  gsize rank;

  if (!read_dimensions (cursor, dimensions, &rank) || !read_element (cursor, &element))
    return FALSE;
  *type = ghlo_ir_type_tensor (ghlo_bytecode_module (cursor), element, dimensions, rank, NULL, NULL);

  return TRUE;
}

static gboolean
write_tensor (GhloBytecodeWriter *writer,
              const GhloIrType   *type)
{
  write_dimensions (writer, type);
  write_element (writer, type);

  return TRUE;
}

static gboolean
check_bounds (GhloByteCursor *cursor,
              const gint64   *dimensions,
              gsize           rank,
              const gint64   *bounds,
              gsize           n_bounds)
{
  if (n_bounds != rank)
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected one bound for each of %" G_GSIZE_FORMAT
                               " dimensions, found %" G_GSIZE_FORMAT, rank, n_bounds);
  for (gsize i = 0; i < rank; i++)
    if (bounds[i] < GHLO_DYNAMIC || (bounds[i] >= 0 && dimensions[i] >= 0))
      return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected no bound of dimension %" G_GSIZE_FORMAT
                                 ", which has the size %" G_GINT64_FORMAT ", found %" G_GINT64_FORMAT,
                                 i, dimensions[i], bounds[i]);

  return TRUE;
}

/* The encoding comes first. */
static gboolean
read_encoded_tensor (GhloByteCursor    *cursor,
                     const GhloIrType **type)
{
  gint64 dimensions[GHLO_MAX_RANK];
  const gint64 *bounds = NULL;
  const GhloIrType *element;
  const GhloIrAttr *encoding;
  gsize rank, n_bounds;

  if (!ghlo_bytecode_read_attr (cursor, &encoding) || !read_dimensions (cursor, dimensions, &rank)
      || !read_element (cursor, &element))
    return FALSE;
  if (encoding->kind == GHLO_IR_ATTR_STRUCT && encoding->subkind == GHLO_IR_STRUCT_TYPE_EXTENSIONS)
    {
      bounds = ghlo_ir_struct_get_dims (encoding, "bounds", &n_bounds);
      if (!check_bounds (cursor, dimensions, rank, bounds, n_bounds))
        return FALSE;
      encoding = NULL;
    }
  *type = ghlo_ir_type_tensor (ghlo_bytecode_module (cursor), element, dimensions, rank, bounds, encoding);

  return TRUE;
}

static gboolean
write_encoded_tensor (GhloBytecodeWriter *writer,
                      const GhloIrType   *type)
{
  const GhloIrAttr *encoding = type->encoding;

  if (type->bounds != NULL)
    {
      GhloIrModule *module = ghlo_bytecode_writer_module (writer);
      const GhloIrAttr *fields[] = { ghlo_ir_attr_i64s (module, type->bounds, type->rank) };

      encoding = ghlo_ir_attr_struct (module, GHLO_IR_STRUCT_TYPE_EXTENSIONS, fields);
    }
  ghlo_bytecode_write_attr (writer, GHLO_BYTECODE_VHLO, encoding);

  return write_tensor (writer, type);
}

static gboolean
read_unranked (GhloByteCursor    *cursor,
               const GhloIrType **type)
{
  const GhloIrType *element;

  if (!read_element (cursor, &element))
    return FALSE;
  *type = ghlo_ir_type_unranked (ghlo_bytecode_module (cursor), element);

  return TRUE;
}

static gboolean
write_unranked (GhloBytecodeWriter *writer,
                const GhloIrType   *type)
{
  write_element (writer, type);

  return TRUE;
}

static gboolean
read_buffer (GhloByteCursor    *cursor,
             const GhloIrType **type)
{
  gint64 dimensions[GHLO_MAX_RANK];
  const GhloIrType *element;
  gsize rank;

  if (!read_dimensions (cursor, dimensions, &rank) || !read_element (cursor, &element))
    return FALSE;
  *type = ghlo_ir_type_memref (ghlo_bytecode_module (cursor), element, dimensions, rank, NULL);

  return TRUE;
}

static gboolean
read_complex (GhloByteCursor    *cursor,
              const GhloIrType **type)
{
  GhloIrModule *module = ghlo_bytecode_module (cursor);
  const GhloIrType *part;
  g_autofree char *name = NULL, *spelling = NULL;

  if (!ghlo_bytecode_read_type (cursor, &part))
    return FALSE;
  name = spell (part);
  if (part->kind != GHLO_IR_TYPE_ELEMENT || part->element_type == GHLO_ELEMENT_TYPE_INDEX
      || ghlo_element_type_is_complex (part->element_type) || (part->text != NULL && strchr (part->text, '<') != NULL))
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE,
                               "expected a float or integer type inside 'complex', found %s", name);

  if (part->element_type == GHLO_ELEMENT_TYPE_F32)
    *type = ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_COMPLEX_F32);
  else if (part->element_type == GHLO_ELEMENT_TYPE_F64)
    *type = ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_COMPLEX_F64);
  else
    *type = ghlo_ir_type_named (module, spelling = g_strdup_printf ("complex<%s>", name));

  return TRUE;
}

static const char complex_start[] = "complex<";

/* The spelling of the parts of a complex type, in memory of @buffer. */
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

/* A count and types, onto the end of @types. */
static gboolean
read_types (GhloByteCursor *cursor,
            GPtrArray      *types)
{
  gsize n;

  if (!ghlo_bytecode_read_count (cursor, 1, &n))
    return FALSE;
  if (n > GHLO_MAX_OPERANDS)
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected at most %u types, found %" G_GSIZE_FORMAT,
                               GHLO_MAX_OPERANDS, n);
  for (gsize i = 0; i < n; i++)
    {
      const GhloIrType *type;

      if (!ghlo_bytecode_read_type (cursor, &type))
        return FALSE;
      g_ptr_array_add (types, (gpointer) type);
    }

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
read_tuple (GhloByteCursor    *cursor,
            const GhloIrType **type)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new ();

  if (!read_types (cursor, members))
    return FALSE;
  *type = ghlo_ir_type_tuple (ghlo_bytecode_module (cursor), (const GhloIrType *const *) members->pdata, members->len);

  return TRUE;
}

static gboolean
read_future (GhloByteCursor    *cursor,
             const GhloIrType **type)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new ();

  if (!read_types (cursor, members))
    return FALSE;
  for (guint i = 0; i < members->len; i++)
    {
      const GhloIrType *member = members->pdata[i];
      g_autofree char *name = NULL;

      if (member->kind == GHLO_IR_TYPE_TENSOR)
        continue;
      name = spell (member);
      return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected ranked tensors inside a future, found %s", name);
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

  if (!read_types (cursor, members))
    return FALSE;
  n_inputs = members->len;
  if (!read_types (cursor, members))
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

/* What quantized types of both kinds start with. */
typedef struct
{
  GhloElementType storage, expressed;
  gint64          minimum, maximum;
} Storage;

enum { QUANTIZED_SIGNED = 1 << 0 };

/* MLIR's storage types are without a sign; a flag says it. */
static GhloElementType
with_sign (GhloElementType type,
           gboolean        is_signed)
{
  if (is_signed && type >= GHLO_ELEMENT_TYPE_UI2 && type <= GHLO_ELEMENT_TYPE_UI32)
    return type - GHLO_ELEMENT_TYPE_UI2 + GHLO_ELEMENT_TYPE_I2;
  if (!is_signed && type >= GHLO_ELEMENT_TYPE_I2 && type <= GHLO_ELEMENT_TYPE_I32)
    return type - GHLO_ELEMENT_TYPE_I2 + GHLO_ELEMENT_TYPE_UI2;

  return type;
}

static gboolean
read_storage (GhloByteCursor *cursor,
              Storage        *storage)
{
  const GhloIrType *integer, *real;
  g_autofree char *name = NULL;
  guint64 flags;

  if (!ghlo_bytecode_read_varint (cursor, &flags) || !ghlo_bytecode_read_type (cursor, &integer)
      || !ghlo_bytecode_read_type (cursor, &real))
    return FALSE;
  if (integer->kind != GHLO_IR_TYPE_ELEMENT || !ghlo_element_type_is_integer (integer->element_type)
      || ghlo_element_info (integer->element_type)->bits > 32)
    {
      name = spell (integer);
      return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE,
                                 "expected a storage type of 2, 4, 8, 16 or 32 bits, found %s", name);
    }
  if (real->kind != GHLO_IR_TYPE_ELEMENT || !ghlo_element_type_is_float (real->element_type))
    {
      name = spell (real);
      return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE,
                                 "expected a float type that the quantized values express, found %s", name);
    }
  storage->storage = with_sign (integer->element_type, (flags & QUANTIZED_SIGNED) != 0);
  storage->expressed = real->element_type;

  return TRUE;
}

static gboolean
read_range (GhloByteCursor *cursor,
            Storage        *storage)
{
  const GhloElementInfo *info = ghlo_element_info (storage->storage);
  gboolean is_unsigned = info->element_class == GHLO_ELEMENT_CLASS_UNSIGNED;
  gint64 maximum = ((gint64) 1 << (info->bits - !is_unsigned)) - 1;
  gint64 minimum = is_unsigned ? 0 : -maximum - 1;

  if (!ghlo_bytecode_read_signed (cursor, &storage->minimum) || !ghlo_bytecode_read_signed (cursor, &storage->maximum))
    return FALSE;
  if (storage->minimum < minimum || storage->maximum > maximum || storage->minimum >= storage->maximum)
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected a storage range within [%" G_GINT64_FORMAT ", %"
                               G_GINT64_FORMAT "], found [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]",
                               minimum, maximum, storage->minimum, storage->maximum);

  return TRUE;
}

static void
make_quantized (GhloByteCursor    *cursor,
                const Storage     *storage,
                gint32             axis,
                const double      *scales,
                const gint64      *zero_points,
                gsize              n,
                const GhloIrType **type)
{
  g_autoptr (GhloQuantization) quantization =
    ghlo_quantization_new (storage->storage, storage->expressed, storage->minimum, storage->maximum, axis,
                           scales, zero_points, n);

  *type = ghlo_ir_type_quantized (ghlo_bytecode_module (cursor), quantization);
}

static gboolean
read_quantized (GhloByteCursor    *cursor,
                const GhloIrType **type)
{
  Storage storage;
  double scale;
  gint64 zero_point;

  if (!read_storage (cursor, &storage) || !ghlo_vhlo_read_double (cursor, &scale)
      || !ghlo_bytecode_read_signed (cursor, &zero_point) || !read_range (cursor, &storage))
    return FALSE;
  make_quantized (cursor, &storage, -1, &scale, &zero_point, 1, type);

  return TRUE;
}

static void
write_storage (GhloBytecodeWriter     *writer,
               const GhloQuantization *quantization)
{
  GhloIrModule *module = ghlo_bytecode_writer_module (writer);
  gboolean is_signed = ghlo_element_info (quantization->storage)->element_class != GHLO_ELEMENT_CLASS_UNSIGNED;

  ghlo_bytecode_write_varint (writer, is_signed ? QUANTIZED_SIGNED : 0);
  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_VHLO,
                            ghlo_ir_type_element (module, with_sign (quantization->storage, TRUE)));
  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_VHLO, ghlo_ir_type_element (module, quantization->expressed));
}

static gboolean
write_quantized (GhloBytecodeWriter *writer,
                 const GhloIrType   *type)
{
  const GhloQuantization *quantization = type->quantization;

  write_storage (writer, quantization);
  ghlo_vhlo_write_double (writer, quantization->scales[0]);
  ghlo_bytecode_write_signed (writer, quantization->zero_points[0]);
  ghlo_bytecode_write_signed (writer, quantization->storage_min);
  ghlo_bytecode_write_signed (writer, quantization->storage_max);

  return TRUE;
}

static gboolean
read_quantized_axis (GhloByteCursor    *cursor,
                     const GhloIrType **type)
{
  g_autofree double *scales = NULL;
  g_autofree gint64 *zero_points = NULL;
  Storage storage;
  guint64 axis;
  gsize n, n_zero_points;

  if (!read_storage (cursor, &storage) || !ghlo_bytecode_read_varint (cursor, &axis)
      || !read_range (cursor, &storage))
    return FALSE;
  if (axis >= GHLO_MAX_RANK)
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected a quantized dimension between 0 and %d, found %"
                               G_GUINT64_FORMAT, GHLO_MAX_RANK - 1, axis);
  if (!ghlo_bytecode_read_count (cursor, 1, &n))
    return FALSE;
  scales = g_new (double, MAX (n, 1));
  for (gsize i = 0; i < n; i++)
    if (!ghlo_vhlo_read_double (cursor, &scales[i]))
      return FALSE;
  if (!ghlo_vhlo_read_ints (cursor, &zero_points, &n_zero_points))
    return FALSE;
  if (n == 0 || n != n_zero_points)
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected as many zero points as scales and one at least, found %"
                               G_GSIZE_FORMAT " and %" G_GSIZE_FORMAT, n_zero_points, n);
  make_quantized (cursor, &storage, (gint32) axis, scales, zero_points, n, type);

  return TRUE;
}

static gboolean
write_quantized_axis (GhloBytecodeWriter *writer,
                      const GhloIrType   *type)
{
  const GhloQuantization *quantization = type->quantization;

  write_storage (writer, quantization);
  ghlo_bytecode_write_varint (writer, (guint64) quantization->axis);
  ghlo_bytecode_write_signed (writer, quantization->storage_min);
  ghlo_bytecode_write_signed (writer, quantization->storage_max);
  ghlo_bytecode_write_varint (writer, quantization->n_scales);
  for (guint i = 0; i < quantization->n_scales; i++)
    ghlo_vhlo_write_double (writer, quantization->scales[i]);
  ghlo_vhlo_write_ints (writer, quantization->zero_points, quantization->n_scales);

  return TRUE;
}

#define ELEMENT(ID, ...) { GHLO_IR_TYPE_ELEMENT, GHLO_ELEMENT_TYPE_##ID, NULL, __VA_ARGS__ }
#define NAMED(KIND, text, ...) { GHLO_IR_TYPE_##KIND, GHLO_ELEMENT_TYPE_INVALID, text, __VA_ARGS__ }
#define OTHER(KIND, ...) { GHLO_IR_TYPE_##KIND, GHLO_ELEMENT_TYPE_INVALID, NULL, __VA_ARGS__ }

enum { CODE_COMPLEX = 1, CODE_TENSOR = 20, CODE_ENCODED_TENSOR = 21, CODE_QUANTIZED = 24, CODE_QUANTIZED_AXIS = 30 };

/* By code. */
static const TypeRow rows[] = {
  [0] = ELEMENT (I1, 0, 9),
  [CODE_COMPLEX] = { GHLO_IR_TYPE_ELEMENT, GHLO_ELEMENT_TYPE_INVALID, complex_start, 0, 9, read_complex, write_complex },
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
  [CODE_TENSOR] = OTHER (TENSOR, 0, 9, read_tensor, write_tensor),
  [CODE_ENCODED_TENSOR] = OTHER (TENSOR, 0, 9, read_encoded_tensor, write_encoded_tensor),
  [22] = OTHER (TOKEN, 0, 9),
  [23] = OTHER (TUPLE, 0, 9, read_tuple, write_members),
  [CODE_QUANTIZED] = OTHER (QUANTIZED, 0, 9, read_quantized, write_quantized),
  [25] = OTHER (UNRANKED, 0, 9, read_unranked, write_unranked),
  [26] = NAMED (OPAQUE, "shape.witness", 0, 9),
  [27] = ELEMENT (F8E4M3FNUZ, 0, 10),
  [28] = ELEMENT (F8E5M2FNUZ, 0, 10),
  [29] = ELEMENT (F8E4M3B11FNUZ, 0, 11),
  [CODE_QUANTIZED_AXIS] = OTHER (QUANTIZED, 0, 18, read_quantized_axis, write_quantized_axis),
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
  [41] = OTHER (MEMREF, 1, 13, read_buffer, write_tensor),
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

/* NULL for a type that VHLO does not have. */
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
  const TypeRow *row;
  guint64 code;

  if (!ghlo_bytecode_read_varint (cursor, &code))
    return FALSE;
  row = code < G_N_ELEMENTS (rows) ? &rows[code] : NULL;
  if (row == NULL)
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected a type of VHLO, 0 to %u, found %" G_GUINT64_FORMAT,
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
      name = spell (type);
      return ghlo_bytecode_refuse (writer, GHLO_ERROR_UNSUPPORTED, "expected a type that VHLO has, found %s", name);
    }
  ghlo_bytecode_write_varint (writer, row - rows);

  return row->write == NULL || row->write (writer, type);
}

/* FALSE, with the version that the type alone would need. */
static gboolean
lacks (const GhloIrType *type,
       const TypeRow    *row,
       GhloVhloNeed     *need)
{
  if (need != NULL)
    {
      g_autofree char *name = spell (type);

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

/* The element of a tensor, an unranked tensor or a buffer. */
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
  GhloIrType storage = { .kind = GHLO_IR_TYPE_ELEMENT, .element_type = with_sign (quantization->storage, TRUE) };
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
