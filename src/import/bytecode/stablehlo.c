/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * StableHLO's own encoding, in bytecode that is no portable artifact (StableHLO: StablehloBytecode.cpp). Types have
 * two codes; code 0 of the attributes is no longer used.
 */

#include "import/bytecode/rows.h"

enum { TYPE_TOKEN, TYPE_FUTURE };

static const GhloBytecodeRows rows = {
  .name = "stablehlo",
  .dialect = GHLO_BYTECODE_STABLEHLO,
  .rows = {
    [1] = { GHLO_IR_ATTR_STRUCT, GHLO_IR_STRUCT_CHANNEL_HANDLE },
    [2] = { GHLO_IR_ATTR_ENUM, GHLO_IR_ENUM_COMPARISON_DIRECTION },
    [3] = { GHLO_IR_ATTR_ENUM, GHLO_IR_ENUM_COMPARISON_TYPE },
    [4] = { GHLO_IR_ATTR_STRUCT, GHLO_IR_STRUCT_CONV },
    [5] = { GHLO_IR_ATTR_STRUCT, GHLO_IR_STRUCT_DOT },
    [6] = { GHLO_IR_ATTR_ENUM, GHLO_IR_ENUM_FFT_TYPE },
    [7] = { GHLO_IR_ATTR_STRUCT, GHLO_IR_STRUCT_GATHER },
    [8] = { GHLO_IR_ATTR_ENUM, GHLO_IR_ENUM_PRECISION },
    [9] = { GHLO_IR_ATTR_ENUM, GHLO_IR_ENUM_RNG_ALGORITHM },
    [10] = { GHLO_IR_ATTR_ENUM, GHLO_IR_ENUM_RNG_DISTRIBUTION },
    [11] = { GHLO_IR_ATTR_STRUCT, GHLO_IR_STRUCT_SCATTER },
    [12] = { GHLO_IR_ATTR_ENUM, GHLO_IR_ENUM_TRANSPOSE },
    [13] = { GHLO_IR_ATTR_STRUCT, GHLO_IR_STRUCT_TYPE_EXTENSIONS },
    [14] = { GHLO_IR_ATTR_STRUCT, GHLO_IR_STRUCT_OUTPUT_OPERAND_ALIAS },
    [15] = { GHLO_IR_ATTR_STRUCT, GHLO_IR_STRUCT_DOT_ALGORITHM },
    [16] = { GHLO_IR_ATTR_ENUM, GHLO_IR_ENUM_RESULT_ACCURACY_MODE },
    [17] = { GHLO_IR_ATTR_STRUCT, GHLO_IR_STRUCT_RESULT_ACCURACY },
    [18] = { GHLO_IR_ATTR_STRUCT, GHLO_IR_STRUCT_REPLICA_GROUP_MESH_AXES },
    [19] = { GHLO_IR_ATTR_STRUCT, GHLO_IR_STRUCT_SUB_AXIS_INFO },
    [20] = { GHLO_IR_ATTR_STRUCT, GHLO_IR_STRUCT_AXIS_REF },
    [21] = { GHLO_IR_ATTR_STRUCT, GHLO_IR_STRUCT_MESH_AXIS },
    [22] = { GHLO_IR_ATTR_STRUCT, GHLO_IR_STRUCT_MESH },
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
write_attr (GhloBytecodeWriter *writer,
            const GhloIrAttr   *attr)
{
  return ghlo_bytecode_write_row (writer, &rows, attr);
}

static gboolean
read_type (GhloByteCursor    *cursor,
           const GhloIrType **type)
{
  g_autofree const GhloIrType **members = NULL;
  GhloByteCursor start = *cursor;
  guint64 code;
  gsize n;

  if (!ghlo_bytecode_read_varint (cursor, &code))
    return FALSE;
  if (code == TYPE_TOKEN)
    {
      *type = ghlo_ir_type_token (ghlo_bytecode_module (cursor));
      return TRUE;
    }
  if (code != TYPE_FUTURE)
    return ghlo_bytecode_fail (&start, GHLO_ERROR_UNSUPPORTED, "expected the code of a type of stablehlo, found %"
                               G_GUINT64_FORMAT, code);

  if (!ghlo_bytecode_read_count (cursor, 1, &n))
    return FALSE;
  members = g_new (const GhloIrType *, MAX (n, 1));
  for (gsize i = 0; i < n; i++)
    if (!ghlo_bytecode_read_type (cursor, &members[i]))
      return FALSE;
  *type = ghlo_ir_type_future (ghlo_bytecode_module (cursor), members, n);

  return TRUE;
}

static gboolean
has_type (const GhloIrType *type)
{
  return type->kind == GHLO_IR_TYPE_TOKEN || type->kind == GHLO_IR_TYPE_FUTURE;
}

static gboolean
write_type (GhloBytecodeWriter *writer,
            const GhloIrType   *type)
{
  ghlo_bytecode_write_varint (writer, type->kind == GHLO_IR_TYPE_TOKEN ? TYPE_TOKEN : TYPE_FUTURE);
  if (type->kind == GHLO_IR_TYPE_TOKEN)
    return TRUE;
  ghlo_bytecode_write_varint (writer, type->rank);
  for (guint i = 0; i < type->rank; i++)
    ghlo_bytecode_write_type (writer, GHLO_BYTECODE_STABLEHLO, type->members[i]);

  return TRUE;
}

const GhloBytecodeCodec ghlo_bytecode_stablehlo = {
  .name = "stablehlo",
  .read_attr = read_attr,
  .read_type = read_type,
  .has_attr = has_attr,
  .has_type = has_type,
  .write_attr = write_attr,
  .write_type = write_type,
};
