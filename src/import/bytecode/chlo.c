/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CHLO's own encoding (StableHLO: ChloBytecode.cpp). CHLO's other attributes have no encoding and are text in
 * bytecode; CHLO has no types.
 */

#include "import/bytecode/rows.h"

static const GhloBytecodeRows rows = {
  .name = "chlo",
  .dialect = GHLO_BYTECODE_CHLO,
  .rows = {
    [0] = { GHLO_IR_ATTR_ENUM, GHLO_IR_ENUM_CHLO_COMPARISON_DIRECTION },
    [1] = { GHLO_IR_ATTR_ENUM, GHLO_IR_ENUM_CHLO_COMPARISON_TYPE },
  },
};

static gboolean
read_attr (GhloByteCursor    *cursor,
           const GhloIrAttr **attr)
{
  return ghlo_bytecode_read_row (cursor, &rows, attr);
}

static gboolean
has_attr (const GhloIrAttr *attr)
{
  return ghlo_bytecode_has_row (&rows, attr);
}

static gboolean
has_type (const GhloIrType *type)
{
  return FALSE;
}

static gboolean
write_attr (GhloBytecodeWriter *writer,
            const GhloIrAttr   *attr)
{
  return ghlo_bytecode_write_row (writer, &rows, attr);
}

const GhloBytecodeCodec ghlo_bytecode_chlo = {
  .name = "chlo",
  .read_attr = read_attr,
  .has_attr = has_attr,
  .has_type = has_type,
  .write_attr = write_attr,
};
