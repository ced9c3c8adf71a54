/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VHLO's tensors and buffers. A dynamic dimension, or a missing bound, is encoded as the least 64-bit integer.
 */

#include "import/vhlo/versions.h"

static void
write_dimensions (GhloBytecodeWriter *writer,
                  const GhloIrType   *type)
{
  ghlo_bytecode_write_varint (writer, type->rank);
  for (guint i = 0; i < type->rank; i++)
    ghlo_bytecode_write_signed (writer, type->dimensions[i] < 0 ? G_MININT64 : type->dimensions[i]);
}

static void
write_element (GhloBytecodeWriter *writer,
               const GhloIrType   *type)
{
  ghlo_bytecode_write_type (writer, GHLO_BYTECODE_VHLO,
                            ghlo_ir_type_get_element (ghlo_bytecode_writer_module (writer), type));
}

gboolean
ghlo_vhlo_write_ranked (GhloBytecodeWriter *writer,
                        const GhloIrType   *type)
{
  write_dimensions (writer, type);
  write_element (writer, type);

  return TRUE;
}

gboolean
ghlo_vhlo_write_encoded (GhloBytecodeWriter *writer,
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

  return ghlo_vhlo_write_ranked (writer, type);
}

gboolean
ghlo_vhlo_write_unranked (GhloBytecodeWriter *writer,
                          const GhloIrType   *type)
{
  write_element (writer, type);

  return TRUE;
}

gboolean
ghlo_vhlo_read_buffer (GhloByteCursor    *cursor,
                       const GhloIrType **type)
{
  gint64 dimensions[GHLO_MAX_RANK];
  const GhloIrType *element;
  gsize rank;

  if (!ghlo_bytecode_read_shape (cursor, dimensions, &rank) || !ghlo_bytecode_read_element (cursor, &element))
    return FALSE;
  *type = ghlo_ir_type_memref (ghlo_bytecode_module (cursor), element, dimensions, rank, NULL);

  return TRUE;
}
