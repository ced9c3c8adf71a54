/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Numbers in the encoding of VHLO's attributes and types, alone, in lists, and as
 * the data of tensors.
 */

#include "import/vhlo-private.h"

#include <string.h>

gboolean
ghlo_vhlo_read_bits (GhloByteCursor *cursor,
                     guint           width,
                     guint64        *bits)
{
  guint8 byte;
  gint64 number;

  if (width <= 8)
    {
      if (!ghlo_bytecode_read_byte (cursor, &byte))
        return FALSE;
      *bits = byte;
    }
  else
    {
      if (!ghlo_bytecode_read_signed (cursor, &number))
        return FALSE;
      *bits = (guint64) number;
    }
  if (width < 64)
    *bits &= ((guint64) 1 << width) - 1;

  return TRUE;
}

void
ghlo_vhlo_write_bits (GhloBytecodeWriter *writer,
                      guint               width,
                      guint64             bits)
{
  if (width < 64)
    bits &= ((guint64) 1 << width) - 1;
  if (width <= 8)
    ghlo_bytecode_write_byte (writer, (guint8) bits);
  else
    ghlo_bytecode_write_signed (writer, (gint64) bits);
}

gboolean
ghlo_vhlo_read_double (GhloByteCursor *cursor,
                       double         *value)
{
  guint64 bits;

  if (!ghlo_vhlo_read_bits (cursor, 64, &bits))
    return FALSE;
  memcpy (value, &bits, sizeof bits);

  return TRUE;
}

void
ghlo_vhlo_write_double (GhloBytecodeWriter *writer,
                        double              value)
{
  guint64 bits;

  memcpy (&bits, &value, sizeof bits);
  ghlo_vhlo_write_bits (writer, 64, bits);
}

gboolean
ghlo_vhlo_read_ints (GhloByteCursor *cursor,
                     gint64        **values,
                     gsize          *n)
{
  g_autofree gint64 *read = NULL;

  *values = NULL;
  if (!ghlo_bytecode_read_count (cursor, 1, n))
    return FALSE;
  read = g_new (gint64, MAX (*n, 1));
  for (gsize i = 0; i < *n; i++)
    if (!ghlo_bytecode_read_signed (cursor, &read[i]))
      return FALSE;
  *values = g_steal_pointer (&read);

  return TRUE;
}

void
ghlo_vhlo_write_ints (GhloBytecodeWriter *writer,
                      const gint64       *values,
                      gsize               n)
{
  ghlo_bytecode_write_varint (writer, n);
  for (gsize i = 0; i < n; i++)
    ghlo_bytecode_write_signed (writer, values[i]);
}

gboolean
ghlo_vhlo_read_tensor (GhloByteCursor    *cursor,
                       const GhloIrAttr **attr)
{
  const GhloIrType *type;
  GBytes *blob;

  if (!ghlo_bytecode_read_type (cursor, &type) || !ghlo_bytecode_read_blob (cursor, &blob))
    return FALSE;
  *attr = ghlo_bytecode_dense (cursor, type, blob, NULL);

  return *attr != NULL;
}

/* @n elements of booleans, eight to a byte; one for all as 0xff or 0. */
static void
write_booleans (GhloBytecodeWriter *writer,
                const guint8       *data,
                gboolean            splat,
                gsize               n)
{
  gsize size = splat ? 1 : n / 8 + (n % 8 != 0);
  guint8 *packed = ghlo_bytecode_writer_alloc (writer, MAX (size, 1));

  if (splat)
    packed[0] = data[0] != 0 ? 0xff : 0;
  else
    for (gsize i = 0; i < n; i++)
      packed[i / 8] |= (guint8) ((data[i] != 0) << (i % 8));
  ghlo_bytecode_write_blob (writer, packed, size);
}

/* MLIR keeps types below 8 bits in a byte with zeros above, numbers little-endian. */
static void
write_elements (GhloBytecodeWriter *writer,
                GhloElementType     type,
                const guint8       *data,
                gsize               n)
{
  const GhloElementInfo *info = ghlo_element_info (type);
  gsize size = n * info->size;
  gsize width = info->element_class == GHLO_ELEMENT_CLASS_COMPLEX ? info->size / 2 : info->size;
  guint8 *copy;

  if (info->bits >= 8 && (G_BYTE_ORDER == G_LITTLE_ENDIAN || width == 1))
    {
      ghlo_bytecode_write_blob (writer, data, size);
      return;
    }
  copy = ghlo_bytecode_writer_alloc (writer, MAX (size, 1));
  for (gsize i = 0; i < size; i++)
    copy[i] = width == 1 ? data[i] & ((1u << info->bits) - 1) : data[i - i % width + (width - 1 - i % width)];
  ghlo_bytecode_write_blob (writer, copy, size);
}

gboolean
ghlo_vhlo_write_tensor (GhloBytecodeWriter *writer,
                        const GhloIrAttr   *attr)
{
  const guint8 *data = g_bytes_get_data (attr->dense.bytes, NULL);
  gsize n = attr->dense.n_elements;

  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_VHLO, attr->type);
  if (attr->type->element_type == GHLO_ELEMENT_TYPE_I1)
    write_booleans (writer, data, attr->dense.splat && n > 1, n);
  else
    write_elements (writer, attr->type->element_type, data, attr->dense.splat ? 1 : n);

  return TRUE;
}
