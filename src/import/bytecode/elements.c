/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Converts the elements of constants from the layout of buffers to the one that MLIR's dialects share: little-endian,
 * one bit for each boolean, and integers of less than eight bits without sign extension.
 */

#include "import/bytecode/writer.h"

/* One bit for each boolean; if one element stands for several, all bits of one byte. */
static void
write_booleans (GhloBytecodeWriter *writer,
                const guint8       *data,
                gsize               n,
                gboolean            splat)
{
  gsize size = splat ? 1 : n / 8 + (n % 8 != 0);
  guint8 *packed = ghlo_bytecode_writer_alloc (writer, size);

  for (gsize i = 0; i < n && !splat; i++)
    packed[i / 8] |= (guint8) ((data[i] != 0) << i % 8);
  if (splat)
    packed[0] = data[0] != 0 ? 0xff : 0;
  ghlo_bytecode_write_blob (writer, packed, size);
}

static void
write_narrow (GhloBytecodeWriter *writer,
              const guint8       *data,
              gsize               n,
              guint               bits)
{
  guint8 *masked = ghlo_bytecode_writer_alloc (writer, n);
  guint8 mask = (guint8) ((1u << bits) - 1);

  for (gsize i = 0; i < n; i++)
    masked[i] = data[i] & mask;
  ghlo_bytecode_write_blob (writer, masked, n);
}

void
ghlo_bytecode_write_elements (GhloBytecodeWriter *writer,
                              const GhloIrAttr   *attr)
{
  const GhloElementInfo *info = ghlo_element_info (attr->type->element_type);
  gsize size;
  const guint8 *data = g_bytes_get_data (attr->dense.bytes, &size);

  if (writer->numbering)
    return;

  if (info->element_class == GHLO_ELEMENT_CLASS_BOOLEAN)
    write_booleans (writer, data, size, attr->dense.splat || attr->dense.n_elements == 1);
  else if (info->bits < 8)
    write_narrow (writer, data, size, info->bits);
  else
    ghlo_bytecode_write_blob (writer, data, size);
}
