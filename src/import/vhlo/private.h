/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VHLO's attributes and types, between their encoding (attr.c, type.c)
 * and the mapping of operations: since when there is one, and whether a version
 * can hold it.
 */

#pragma once

#include "import/bytecode/bytecode.h"
#include "import/vhlo/vhlo.h"

G_BEGIN_DECLS

/* Why a version of StableHLO cannot hold something. */
typedef struct
{
  GhloIrVersion  version;     /* the first that can; 0.0.0 when none can */
  char          *reason;      /* "the type f8E4M3", owned by the caller */
} GhloVhloNeed;

/* FALSE with @need filled in when @type, or anything inside it, is younger than
 * @target or unknown to VHLO. @need may be NULL. */
gboolean ghlo_vhlo_type_within  (const GhloIrType *type,
                                 GhloIrVersion     target,
                                 GhloVhloNeed     *need);
gboolean ghlo_vhlo_attr_within  (const GhloIrAttr *attr,
                                 GhloIrVersion     target,
                                 GhloVhloNeed     *need);

/* The 64 bits of a double, as an integer's. */
gboolean ghlo_vhlo_read_double  (GhloByteCursor     *cursor,
                                 double             *value);
void     ghlo_vhlo_write_double (GhloBytecodeWriter *writer,
                                 double              value);
/* A count and signed varints, in an array that the caller frees. */
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

/* The fields of a structure, a letter of field.c for each. */
gboolean ghlo_vhlo_read_fields  (GhloByteCursor     *cursor,
                                 const char         *letters,
                                 const GhloIrAttr  **fields);
void     ghlo_vhlo_write_fields (GhloBytecodeWriter *writer,
                                 const char         *letters,
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
