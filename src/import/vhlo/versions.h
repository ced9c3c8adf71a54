/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VHLO's attributes and types, shared by their encoding (attr.c, type.c) and the mapping of operations: the version
 * that introduced each, and whether a given version can express it.
 */

#pragma once

#include "import/bytecode/bytecode.h"
#include "import/vhlo/vhlo.h"

G_BEGIN_DECLS

/* Why a version of StableHLO cannot express an item. */
typedef struct
{
  GhloIrVersion  version;     /* the first version that can; 0.0.0 if none can */
  char          *reason;      /* "the type f8E4M3", owned by the caller */
} GhloVhloNeed;

/* Return FALSE and fill in @need if @type or @attr, or anything inside
 * it, is newer than @target or unknown to VHLO. @need may be NULL. */
gboolean ghlo_vhlo_type_within  (const GhloIrType *type,
                                 GhloIrVersion     target,
                                 GhloVhloNeed     *need);
gboolean ghlo_vhlo_attr_within  (const GhloIrAttr *attr,
                                 GhloIrVersion     target,
                                 GhloVhloNeed     *need);

/* The 64 bits of a double, encoded as an integer. */
gboolean ghlo_vhlo_read_double  (GhloByteCursor     *cursor,
                                 double             *value);
void     ghlo_vhlo_write_double (GhloBytecodeWriter *writer,
                                 double              value);
/* A count and signed varints; the caller frees the array. */
gboolean ghlo_vhlo_read_ints    (GhloByteCursor     *cursor,
                                 gint64            **values,
                                 gsize              *n);
void     ghlo_vhlo_write_ints   (GhloBytecodeWriter *writer,
                                 const gint64       *values,
                                 gsize               n);

gboolean ghlo_vhlo_read_tensor  (GhloByteCursor     *cursor,
                                 const GhloIrAttr  **attr);
gboolean ghlo_vhlo_write_tensor (GhloBytecodeWriter *writer,
                                 const GhloIrAttr   *attr);

/* The fields of a structure, with one letter of field.c for each. */
gboolean ghlo_vhlo_read_fields  (GhloByteCursor     *cursor,
                                 const char         *letters,
                                 const GhloIrAttr  **fields);
void     ghlo_vhlo_write_fields (GhloBytecodeWriter      *writer,
                                 const char              *letters,
                                 const GhloIrAttr *const *fields);

/* Rows of type.c: shape.c and quantized.c. */
gboolean ghlo_vhlo_read_buffer          (GhloByteCursor *cursor, const GhloIrType **type);
gboolean ghlo_vhlo_read_quantized       (GhloByteCursor *cursor, const GhloIrType **type);
gboolean ghlo_vhlo_read_quantized_axis  (GhloByteCursor *cursor, const GhloIrType **type);
gboolean ghlo_vhlo_write_ranked         (GhloBytecodeWriter *writer, const GhloIrType *type);
gboolean ghlo_vhlo_write_encoded        (GhloBytecodeWriter *writer, const GhloIrType *type);
gboolean ghlo_vhlo_write_unranked       (GhloBytecodeWriter *writer, const GhloIrType *type);
gboolean ghlo_vhlo_write_quantized      (GhloBytecodeWriter *writer, const GhloIrType *type);
gboolean ghlo_vhlo_write_quantized_axis (GhloBytecodeWriter *writer, const GhloIrType *type);
/* The integer type that VHLO writes for the storage of @quantization. */
GhloElementType ghlo_vhlo_storage_type  (const GhloQuantization *quantization);

/* type.c's part of the codec. */
gboolean ghlo_vhlo_read_type    (GhloByteCursor     *cursor,
                                 const GhloIrType  **type);
gboolean ghlo_vhlo_has_type     (const GhloIrType   *type);
gboolean ghlo_vhlo_write_type   (GhloBytecodeWriter *writer,
                                 const GhloIrType   *type);

G_END_DECLS
