/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scaffolding that goes as its parts come.
 */

#include "import/bytecode-builtin.h"
#include "import/bytecode.h"
#include "import/exported.h"
#include "import/vhlo.h"

/* H3 */
gboolean ghlo_bytecode_builtin_has_attr (const GhloIrAttr *attr) { return FALSE; }
gboolean ghlo_bytecode_builtin_has_type (const GhloIrType *type) { return FALSE; }
gboolean ghlo_bytecode_builtin_write_attr (GhloBytecodeWriter *writer, const GhloIrAttr *attr) { return FALSE; }
gboolean ghlo_bytecode_builtin_write_type (GhloBytecodeWriter *writer, const GhloIrType *type) { return FALSE; }
GBytes *
ghlo_export_artifact (GhloIrModule *module, GhloIrVersion target, GhloExportFlags flags, const GhloMonitor *monitor,
                      GError **error)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "this version does not write MLIR bytecode");
  return NULL;
}

/* H4 */
const GhloBytecodeCodec ghlo_bytecode_stablehlo = { .name = "stablehlo" };
const GhloBytecodeCodec ghlo_bytecode_chlo = { .name = "chlo" };
const GhloBytecodeCodec ghlo_bytecode_sdy = { .name = "sdy" };
gboolean ghlo_bytecode_read_properties (GhloByteCursor *cursor, GhloIrOpKind kind, GArray *attributes) { return FALSE; }
gboolean ghlo_bytecode_write_properties (GhloBytecodeWriter *writer, const GhloIrOp *op) { return FALSE; }
gboolean ghlo_bytecode_has_properties (GhloIrOpKind kind) { return FALSE; }
