/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scaffolding that goes as its parts come.
 */

#include "import/bytecode-builtin.h"
#include "import/bytecode.h"
#include "import/exported.h"
#include "import/vhlo.h"

/* H1 */
GhloIrModule *
ghlo_import_bytecode (GBytes *bytes, GhloImportFlags flags, GhloDiagnostics *diagnostics, const GhloMonitor *monitor,
                      GhloImportSource *source)
{
  ghlo_diagnostics_add (diagnostics, GHLO_SEVERITY_ERROR, GHLO_ERROR_UNSUPPORTED, 0, 0,
                        "expected a program as text, found MLIR bytecode, which this version does not read");
  return NULL;
}

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

