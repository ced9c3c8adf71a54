/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Numbers in the encoding of VHLO's attributes and types: single ones, lists, and the data of tensors.
 */

#include "import/vhlo/versions.h"

#include <string.h>

gboolean
ghlo_vhlo_read_double (GhloByteCursor *cursor,
                       double         *value)
{
  guint64 bits;

  if (!ghlo_bytecode_read_bits (cursor, 64, &bits))
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
  ghlo_bytecode_write_bits (writer, 64, bits);
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

/* A single boolean is written as one bit. MLIR's own constants
 * would treat it as a splat and set all bits of the byte alike. */
static void
write_boolean (GhloBytecodeWriter *writer,
               const GhloIrAttr   *attr)
{
  guint8 *byte = ghlo_bytecode_writer_alloc (writer, 1);

  *byte = ghlo_ir_dense_get (attr, 0).i != 0;
  ghlo_bytecode_write_blob (writer, byte, 1);
}

gboolean
ghlo_vhlo_write_tensor (GhloBytecodeWriter *writer,
                        const GhloIrAttr   *attr)
{
  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_VHLO, attr->type);
  if (attr->type->element_type == GHLO_ELEMENT_TYPE_I1 && attr->dense.n_elements == 1)
    write_boolean (writer, attr);
  else
    ghlo_bytecode_write_elements (writer, attr);

  return TRUE;
}
