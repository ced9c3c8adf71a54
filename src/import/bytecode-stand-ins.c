/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scaffolding: what the container will bring. Weak, so that the real ones win.
 */

#include "import/bytecode.h"

#define WEAK __attribute__ ((weak))

WEAK void ghlo_bytecode_write_byte (GhloBytecodeWriter *writer, guint8 value) { }
WEAK void ghlo_bytecode_write_varint (GhloBytecodeWriter *writer, guint64 value) { }
WEAK void ghlo_bytecode_write_signed (GhloBytecodeWriter *writer, gint64 value) { }
WEAK void ghlo_bytecode_write_string (GhloBytecodeWriter *writer, const char *text, gssize length) { }
WEAK void ghlo_bytecode_write_blob (GhloBytecodeWriter *writer, gconstpointer data, gsize size) { }
WEAK void
ghlo_bytecode_write_attr (GhloBytecodeWriter *writer, GhloBytecodeDialect dialect, const GhloIrAttr *attr)
{
}
WEAK void
ghlo_bytecode_write_optional_attr (GhloBytecodeWriter *writer, GhloBytecodeDialect dialect, const GhloIrAttr *attr)
{
}
WEAK void
ghlo_bytecode_write_type (GhloBytecodeWriter *writer, GhloBytecodeDialect dialect, const GhloIrType *type)
{
}
WEAK gpointer ghlo_bytecode_writer_alloc (GhloBytecodeWriter *writer, gsize size) { return NULL; }
WEAK guint ghlo_bytecode_writer_version (GhloBytecodeWriter *writer) { return 6; }
WEAK GhloIrModule *ghlo_bytecode_writer_module (GhloBytecodeWriter *writer) { return NULL; }
WEAK gboolean
ghlo_bytecode_refuse (GhloBytecodeWriter *writer, GhloError code, const char *format, ...)
{
  return FALSE;
}
