/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VHLO's quantized types, per tensor and per axis. As in MLIR,
 * their storage types are signless, and a flag has the signedness.
 */

#include "import/vhlo/versions.h"

/* The common beginning of both kinds of quantized types. */
typedef struct
{
  GhloElementType storage, expressed;
  gint64          minimum, maximum;
} Storage;

enum { QUANTIZED_SIGNED = 1 << 0 };

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
  GhloByteCursor start = *cursor;
  const GhloIrType *integer, *real;
  g_autofree char *name = NULL;
  guint64 flags;

  if (!ghlo_bytecode_read_varint (cursor, &flags) || !ghlo_bytecode_read_type (cursor, &integer)
      || !ghlo_bytecode_read_type (cursor, &real))
    return FALSE;
  if (integer->kind != GHLO_IR_TYPE_ELEMENT || !ghlo_element_type_is_integer (integer->element_type)
      || ghlo_element_info (integer->element_type)->bits > 32)
    {
      name = ghlo_ir_type_to_string (integer);
      return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE,
                                 "expected a storage type of 2, 4, 8, 16 or 32 bits, found %s", name);
    }
  if (real->kind != GHLO_IR_TYPE_ELEMENT || !ghlo_element_type_is_float (real->element_type))
    {
      name = ghlo_ir_type_to_string (real);
      return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE,
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
  GhloByteCursor start = *cursor;
  gint64 minimum, maximum;

  ghlo_quantization_get_range (storage->storage, &minimum, &maximum);
  if (!ghlo_bytecode_read_signed (cursor, &storage->minimum) || !ghlo_bytecode_read_signed (cursor, &storage->maximum))
    return FALSE;
  if (storage->minimum < minimum || storage->maximum > maximum || storage->minimum >= storage->maximum)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected a storage range within [%" G_GINT64_FORMAT ", %"
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

gboolean
ghlo_vhlo_read_quantized (GhloByteCursor    *cursor,
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

gboolean
ghlo_vhlo_write_quantized (GhloBytecodeWriter *writer,
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

gboolean
ghlo_vhlo_read_quantized_axis (GhloByteCursor    *cursor,
                               const GhloIrType **type)
{
  g_autofree double *scales = NULL;
  g_autofree gint64 *zero_points = NULL;
  GhloByteCursor start = *cursor;
  Storage storage;
  guint64 axis;
  gsize n, n_zero_points;

  if (!read_storage (cursor, &storage) || !ghlo_bytecode_read_varint (cursor, &axis)
      || !read_range (cursor, &storage))
    return FALSE;
  if (axis >= GHLO_MAX_RANK)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected a quantized dimension between 0 and %d, found %"
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
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected as many zero points as scales and one at least, "
                               "found %" G_GSIZE_FORMAT " and %" G_GSIZE_FORMAT, n_zero_points, n);
  make_quantized (cursor, &storage, (gint32) axis, scales, zero_points, n, type);

  return TRUE;
}

gboolean
ghlo_vhlo_write_quantized_axis (GhloBytecodeWriter *writer,
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

GhloElementType
ghlo_vhlo_storage_type (const GhloQuantization *quantization)
{
  return with_sign (quantization->storage, TRUE);
}
