/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The builtin dialect's encoding of attributes and types, with one file for each direction (MLIR:
 * IR/BuiltinDialectBytecode.td).
 */

#pragma once

#include "import/bytecode/bytecode.h"

G_BEGIN_DECLS

/* The codes. Each entry begins with its code. */
typedef enum
{
  GHLO_BUILTIN_ATTR_ARRAY             = 0,
  GHLO_BUILTIN_ATTR_DICTIONARY        = 1,
  GHLO_BUILTIN_ATTR_STRING            = 2,
  GHLO_BUILTIN_ATTR_TYPED_STRING      = 3,
  GHLO_BUILTIN_ATTR_FLAT_SYMBOL       = 4,
  GHLO_BUILTIN_ATTR_SYMBOL            = 5,
  GHLO_BUILTIN_ATTR_TYPE              = 6,
  GHLO_BUILTIN_ATTR_UNIT              = 7,
  GHLO_BUILTIN_ATTR_INTEGER           = 8,
  GHLO_BUILTIN_ATTR_FLOAT             = 9,
  GHLO_BUILTIN_ATTR_CALL_SITE         = 10,
  GHLO_BUILTIN_ATTR_FILE              = 11,
  GHLO_BUILTIN_ATTR_FUSED             = 12,
  GHLO_BUILTIN_ATTR_FUSED_METADATA    = 13,
  GHLO_BUILTIN_ATTR_NAME              = 14,
  GHLO_BUILTIN_ATTR_UNKNOWN           = 15,
  GHLO_BUILTIN_ATTR_DENSE_RESOURCE    = 16,
  GHLO_BUILTIN_ATTR_DENSE_ARRAY       = 17,
  GHLO_BUILTIN_ATTR_DENSE             = 18,
  GHLO_BUILTIN_ATTR_DENSE_STRINGS     = 19,
  GHLO_BUILTIN_ATTR_SPARSE            = 20,
  GHLO_BUILTIN_ATTR_DISTINCT          = 21,
  GHLO_BUILTIN_ATTR_FILE_RANGE        = 22,
} GhloBuiltinAttrCode;

typedef enum
{
  GHLO_BUILTIN_TYPE_INTEGER           = 0,
  GHLO_BUILTIN_TYPE_INDEX             = 1,
  GHLO_BUILTIN_TYPE_FUNCTION          = 2,
  GHLO_BUILTIN_TYPE_BF16              = 3,
  GHLO_BUILTIN_TYPE_F16               = 4,
  GHLO_BUILTIN_TYPE_F32               = 5,
  GHLO_BUILTIN_TYPE_F64               = 6,
  GHLO_BUILTIN_TYPE_F80               = 7,
  GHLO_BUILTIN_TYPE_F128              = 8,
  GHLO_BUILTIN_TYPE_COMPLEX           = 9,
  GHLO_BUILTIN_TYPE_MEMREF            = 10,
  GHLO_BUILTIN_TYPE_MEMREF_SPACE      = 11,
  GHLO_BUILTIN_TYPE_NONE              = 12,
  GHLO_BUILTIN_TYPE_TENSOR            = 13,
  GHLO_BUILTIN_TYPE_ENCODED_TENSOR    = 14,
  GHLO_BUILTIN_TYPE_TUPLE             = 15,
  GHLO_BUILTIN_TYPE_UNRANKED_MEMREF   = 16,
  GHLO_BUILTIN_TYPE_UNRANKED_MEMREF_SPACE = 17,
  GHLO_BUILTIN_TYPE_UNRANKED_TENSOR   = 18,
  GHLO_BUILTIN_TYPE_VECTOR            = 19,
  GHLO_BUILTIN_TYPE_SCALABLE_VECTOR   = 20,
  /* Earlier files have these types as text. The codes occur in files of 2026. */
  GHLO_BUILTIN_TYPE_TF32              = 21,
  GHLO_BUILTIN_TYPE_F8E5M2            = 22,
  GHLO_BUILTIN_TYPE_F8E4M3            = 23,
  GHLO_BUILTIN_TYPE_F8E4M3FN          = 24,
  GHLO_BUILTIN_TYPE_F8E5M2FNUZ        = 25,
  GHLO_BUILTIN_TYPE_F8E4M3FNUZ        = 26,
  GHLO_BUILTIN_TYPE_F8E4M3B11FNUZ     = 27,
  GHLO_BUILTIN_TYPE_F8E3M4            = 28,
  GHLO_BUILTIN_TYPE_F4E2M1FN          = 29,
  GHLO_BUILTIN_TYPE_F6E2M3FN          = 30,
  GHLO_BUILTIN_TYPE_F6E3M2FN          = 31,
  GHLO_BUILTIN_TYPE_F8E8M0FNU         = 32,
} GhloBuiltinTypeCode;

/* The sign of an integer type, in the two lowest bits of its number. */
typedef enum
{
  GHLO_BUILTIN_SIGNLESS = 0,
  GHLO_BUILTIN_SIGNED   = 1,
  GHLO_BUILTIN_UNSIGNED = 2,
} GhloBuiltinSign;

/* builtin-types.c */
gboolean ghlo_bytecode_builtin_read_type  (GhloByteCursor     *cursor,
                                           const GhloIrType  **type);

/* builtin-locations.c: reads what follows the code of a location.
 * For any other code, sets *is_one to FALSE and reads nothing. */
gboolean ghlo_bytecode_builtin_read_location (GhloByteCursor    *cursor,
                                              guint64            code,
                                              gboolean          *is_one,
                                              const GhloIrAttr **attr);

/* builtin-write.c */
gboolean ghlo_bytecode_builtin_has_attr   (const GhloIrAttr   *attr);
gboolean ghlo_bytecode_builtin_write_attr (GhloBytecodeWriter *writer,
                                           const GhloIrAttr   *attr);

/* builtin-write-types.c */
gboolean ghlo_bytecode_builtin_has_type   (const GhloIrType   *type);
gboolean ghlo_bytecode_builtin_write_type (GhloBytecodeWriter *writer,
                                           const GhloIrType   *type);
/* The number of bits of an integer attribute of this type that are written, at most 64. */
guint    ghlo_bytecode_builtin_width      (const GhloIrType   *type);

G_END_DECLS
