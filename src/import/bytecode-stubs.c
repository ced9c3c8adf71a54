/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scaffolding that goes as its parts come.
 */

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

/* H2 */
const GhloVhloOp  *ghlo_vhlo_op_find (const char *name) { return NULL; }
const char        *ghlo_vhlo_op_name (const GhloVhloOp *self) { return NULL; }
const char *const *ghlo_vhlo_op_attributes (const GhloVhloOp *self, guint *n) { *n = 0; return NULL; }
gboolean ghlo_vhlo_has_op (GhloIrOpKind kind) { return FALSE; }
gboolean
ghlo_vhlo_upgrade (const GhloVhloOp *self, GhloIrModule *module, const GhloIrAttr *const *values, gboolean in_function,
                   GhloIrOpKind *kind, GArray *attributes, GError **error)
{
  return FALSE;
}
const GhloVhloOp *
ghlo_vhlo_downgrade (const GhloIrOp *op, GhloIrModule *module, GhloIrVersion target, GPtrArray *values, GError **error)
{
  return NULL;
}

/* H3 */
GBytes *
ghlo_export_artifact (GhloIrModule *module, GhloIrVersion target, GhloExportFlags flags, const GhloMonitor *monitor,
                      GError **error)
{
  g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED, "this version does not write MLIR bytecode");
  return NULL;
}

/* H4 */
const GhloBytecodeCodec ghlo_bytecode_sdy = { .name = "sdy" };
