/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scaffolding that goes as its parts come.
 */

#include "import/bytecode-writer.h"
#include "import/exported.h"
#include "import/vhlo.h"

static gboolean has_no_attr (const GhloIrAttr *attr) { return FALSE; }
static gboolean has_no_type (const GhloIrType *type) { return FALSE; }

/* H1 */
const GhloBytecodeCodec ghlo_bytecode_builtin = {
  .name = "builtin",
  .has_attr = ghlo_bytecode_builtin_has_attr,
  .has_type = ghlo_bytecode_builtin_has_type,
  .write_attr = ghlo_bytecode_builtin_write_attr,
  .write_type = ghlo_bytecode_builtin_write_type,
};
const GhloBytecodeCodec *const ghlo_bytecode_codecs[GHLO_BYTECODE_N_DIALECTS] = {
  &ghlo_bytecode_builtin, &ghlo_bytecode_vhlo, &ghlo_bytecode_stablehlo, &ghlo_bytecode_chlo, &ghlo_bytecode_sdy,
};
GhloIrModule *
ghlo_import_bytecode (GBytes *bytes, GhloImportFlags flags, GhloDiagnostics *diagnostics, const GhloMonitor *monitor,
                      GhloImportSource *source)
{
  ghlo_diagnostics_add (diagnostics, GHLO_SEVERITY_ERROR, GHLO_ERROR_UNSUPPORTED, 0, 0,
                        "expected a program as text, found MLIR bytecode, which this version does not read");
  return NULL;
}

/* H2 */
const GhloBytecodeCodec ghlo_bytecode_vhlo = { .name = "vhlo", .has_attr = has_no_attr, .has_type = has_no_type };
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

/* H4 */
const GhloBytecodeCodec ghlo_bytecode_stablehlo = { .name = "stablehlo", .has_attr = has_no_attr, .has_type = has_no_type };
const GhloBytecodeCodec ghlo_bytecode_chlo = { .name = "chlo", .has_attr = has_no_attr, .has_type = has_no_type };
const GhloBytecodeCodec ghlo_bytecode_sdy = { .name = "sdy", .has_attr = has_no_attr, .has_type = has_no_type };
gboolean ghlo_bytecode_read_properties (GhloByteCursor *cursor, GhloIrOpKind kind, GArray *attributes) { return FALSE; }
gboolean
ghlo_bytecode_write_properties (GhloBytecodeWriter *writer, const GhloIrOp *op)
{
  for (guint i = 0; i < ghlo_ir_op_get_spec (op)->n_attributes; i++)
    ghlo_bytecode_write_optional_attr (writer, GHLO_BYTECODE_BUILTIN, op->attributes[i]);
  return TRUE;
}
gboolean ghlo_bytecode_has_properties (GhloIrOpKind kind) { return ghlo_ir_op_spec (kind)->n_attributes > 0; }
gboolean ghlo_exported_is (const guint8 *data, gsize size) { return FALSE; }
GhloExported *ghlo_exported_read (GBytes *bytes, GBytes **module, GhloDiagnostics *diagnostics) { return NULL; }
void ghlo_exported_free (GhloExported *self) { }
