/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The encoding that StableHLO and CHLO share: an enumeration is the number of its word, a structure is its fields in
 * order. A dialect is a table indexed by code.
 */

#pragma once

#include "import/bytecode/bytecode.h"

G_BEGIN_DECLS

typedef struct
{
  const char        *name;       /* "stablehlo" */
  GhloBytecodeDialect dialect;
  struct
  {
    GhloIrAttrKind   kind;       /* ENUM or STRUCT; UNIT if the code is unused */
    guint            subkind;
  }                  rows[24];
} GhloBytecodeRows;

gboolean ghlo_bytecode_read_row  (GhloByteCursor         *cursor,
                                  const GhloBytecodeRows *rows,
                                  const GhloIrAttr      **attr);
gboolean ghlo_bytecode_has_row   (const GhloBytecodeRows *rows,
                                  const GhloIrAttr       *attr);
gboolean ghlo_bytecode_write_row (GhloBytecodeWriter     *writer,
                                  const GhloBytecodeRows *rows,
                                  const GhloIrAttr       *attr);

G_END_DECLS
