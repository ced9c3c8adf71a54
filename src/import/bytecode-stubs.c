/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scaffolding that goes as its parts come.
 */

#include "import/bytecode-builtin.h"
#include "import/bytecode.h"
#include "import/exported.h"
#include "import/vhlo.h"

/* H4 */
static gboolean has_no_attr (const GhloIrAttr *attr) { return FALSE; }
static gboolean has_no_type (const GhloIrType *type) { return FALSE; }
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
